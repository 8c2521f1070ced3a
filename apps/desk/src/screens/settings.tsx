import { Checkbox } from '@svc/web-app/components/checkbox';
import { Section } from '@svc/web-app/components/facts';
import { Select } from '@svc/web-app/components/select';
import { SessionList } from '@svc/web-app/components/session-list';
import { Button, ScreenHeader } from '@svc/web-app/components/ui';
import { LANGUAGES } from '@svc/web-app/language';
import { supportsPasskeys } from '@svc/web-app/passkey-support';
import { LANGUAGE_NAMES } from '@svc/web-app/texts/languages';
import { call, can, dateTime, desk, perform, request, session, showError, texts } from '../app.ts';
import { SCHEMES } from '../create-desk.ts';
import { ClocksEditor } from './clocks.tsx';
import { Passkeys } from './passkeys.ts';

/** The account, and how the page looks. */
export function Settings() {
  const words = texts.value.settings;
  const { ended } = texts.value.sessions;
  const me = session.profile.value;
  const signOut = (everywhere: boolean): void => void desk.signOut(everywhere).catch(showError);
  const mailLateOffers = (isWished: boolean): Promise<boolean> =>
    perform(async () => {
      const body = { late_offers_mail: isWished ? 'daily' : 'off' } as const;
      const number = session.number();
      session.renew(await call('updateOwnStaff', { body }), number);
    });
  return (
    <>
      <ScreenHeader title={texts.value.nav.settings} />
      <Section title={words.account}>
        <p>
          <span class="strong">{me?.staff.name}</span>
          <span class="line">{me?.staff.email}</span>
          <span class="line muted">{texts.value.roles[me?.staff.role ?? ''] ?? me?.staff.role}</span>
        </p>
        <p>
          <span class="muted">{words.firm}</span> {me?.firm.name}
        </p>
        {can('claims:write') && (
          <Checkbox
            {...{ label: words.mailLateOffers, checked: me?.late_offers_mail === 'daily' }}
            choose={mailLateOffers}
          />
        )}
      </Section>
      <section class="card">
        <div class="columns">
          <Select
            {...{ label: words.language, options: LANGUAGES, choose: desk.language.choose }}
            value={desk.language.choice.value}
            name={(one) => (one === 'device' ? words.device : LANGUAGE_NAMES[one])}
          />
          <Select
            {...{ label: words.colors, options: SCHEMES, choose: desk.chooseScheme }}
            value={desk.scheme.value}
            name={(scheme) => words.schemes[scheme]}
          />
        </div>
      </section>
      {can('claims:read') && <ClocksEditor />}
      {supportsPasskeys() && <Passkeys />}
      <SessionList
        {...{ words: texts.value.sessions, dateTime, onError: showError }}
        list={() => request(() => call('listStaffSessions'))}
        end={(session_id) => perform(() => call('endStaffSession', { params: { session_id } }), ended)}
      />
      <Section title={words.session}>
        <div class="row">
          <Button onClick={() => signOut(false)}>{words.signOut}</Button>
          <Button onClick={() => signOut(true)}>{words.signOutEverywhere}</Button>
        </div>
        <p class="muted">{words.version(__APP_VERSION__)}</p>
      </Section>
    </>
  );
}
