import type { ProfileField } from '@svc/contract';
import { ApiError } from '@svc/web-app/api-error';
import { Facts, fact } from '@svc/web-app/components/facts';
import { FormDialog } from '@svc/web-app/components/form-dialog';
import { lazy } from '@svc/web-app/components/lazy';
import { Select } from '@svc/web-app/components/select';
import { Button, ScreenHeader } from '@svc/web-app/components/ui';
import { supportsPasskeys } from '@svc/web-app/passkey-support';
import { isLanguage, LANGUAGE_NAMES } from '@svc/web-app/texts/languages';
import { useBusy } from '@svc/web-app/use-busy';
import { useEffect, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import {
  account,
  installPrompt,
  languageChoice,
  lists,
  outbox,
  prefer,
  preferences,
  session,
  showError,
  showToast,
  signOut,
} from '../app.ts';
import { ConfirmEmail } from '../components/confirm-email.tsx';
import {
  forgetProfile,
  isProfileTyped,
  PROFILE_FIELDS,
  ProfileInput,
  typedProfile,
} from '../components/profile-input.tsx';
import { ROOT } from '../data/root.ts';
import { SCHEMES, UNDO_SECONDS } from '../state/preferences.ts';
import { typedField } from '../typed-field.ts';
import { Notifications } from './notifications.tsx';

const Passkeys = lazy(async () => (await import('../passkeys/screens.ts')).Passkeys);

export function Settings() {
  const words = allTexts.value.settings;
  return (
    <>
      <ScreenHeader title={words.title} />
      <Account />
      <section class="card">
        <h2>{allTexts.value.credentials.title}</h2>
        <p>{allTexts.value.credentials.lead}</p>
        <a class="button" href="#/credentials">
          {allTexts.value.credentials.open}
        </a>
      </section>
      <Notifications />
      {supportsPasskeys() && session.profile.value?.test === false && <Passkeys />}
      <section class="card">
        <h2 id="language">{words.language}</h2>
        <select
          aria-labelledby="language"
          value={languageChoice.choice.value}
          onChange={({ currentTarget }) =>
            languageChoice.choose(isLanguage(currentTarget.value) ? currentTarget.value : 'device')
          }
        >
          <option value="device">{words.device}</option>
          {Object.keys(LANGUAGE_NAMES)
            .filter(isLanguage)
            .map((language) => (
              <option key={language} value={language} lang={language}>
                {LANGUAGE_NAMES[language]}
              </option>
            ))}
        </select>
      </section>
      <section class="card">
        <Select
          label={words.display}
          options={SCHEMES}
          value={preferences.value.scheme}
          name={(scheme) => words.schemes[scheme]}
          choose={(scheme) => prefer({ scheme })}
        />
        <Select
          label={words.undo}
          options={UNDO_SECONDS}
          value={preferences.value.undoSeconds}
          name={words.undoSeconds}
          choose={(undoSeconds) => prefer({ undoSeconds })}
        />
      </section>
      {installPrompt.value !== null && (
        <section class="card">
          <p>{words.installLead}</p>
          <Button kind="primary" onClick={() => void installPrompt.value?.prompt()}>
            {words.install}
          </Button>
        </section>
      )}
      <HelpAndSupport />
      <Session />
    </>
  );
}

/** The name of the page's script identifies the build. */
const BUILD = /-([\w-]+)\.js$/.exec(
  document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '',
)?.[1];

function HelpAndSupport() {
  const words = allTexts.value.settings;
  const [support, setSupport] = useState<string>();
  useEffect(() => {
    fetch(`${ROOT.replace(/app\/$/, '')}status`, { headers: { Accept: 'application/json' } })
      .then((response) => response.json())
      .then(({ support }) => typeof support === 'string' && setSupport(support))
      .catch(() => {});
  }, []);
  return (
    <section class="card">
      <h2>{words.help}</h2>
      <p>{words.helpLead}</p>
      <a class="button" href="#/help">
        {words.help}
      </a>
      {support !== undefined && (
        <a class="button" href={`mailto:${support}`}>
          {words.support}: {support}
        </a>
      )}
      <p class="muted">{words.version([__APP_VERSION__, BUILD].filter(Boolean).join(' · '))}</p>
    </section>
  );
}

function Account() {
  const words = allTexts.value;
  const { settings } = allTexts.value;
  const me = session.profile.value;
  const [isOpen, setOpen] = useState(false);
  const editing = isOpen || isProfileTyped();
  const [busy, during] = useBusy();
  const [rejectedFields, setRejectedFields] = useState<readonly string[]>([]);
  // The code is in a mail, and a phone may close the page while it is read.
  const [newEmail, setNewEmail] = typedField('new-email');
  const endEditing = (): void => {
    forgetProfile();
    setOpen(false);
  };
  if (me == null) return null;
  const save = async (): Promise<void> => {
    const entered = PROFILE_FIELDS.map((field) => [field, typedProfile(field).trim()] as const);
    setRejectedFields([]);
    const changes: Partial<Record<ProfileField, string>> = Object.fromEntries(
      entered.filter(([field, text]) => text !== '' && text !== me[field]),
    );
    const { email } = await account.saveProfile(changes);
    const isAddressNew = changes.email !== undefined && changes.email !== email;
    if (isAddressNew) setNewEmail(changes.email);
    await lists.refresh();
    endEditing();
    if (!isAddressNew) showToast(words.saved, 'success');
  };
  const failed = (error: unknown): void => {
    if (error instanceof ApiError && error.fields.length > 0) setRejectedFields(error.fields);
    else showError(error);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void during(save, failed);
  };
  const name = [me.first_name, me.last_name].filter(Boolean).join(' ');
  return (
    <section class="card">
      <h2>{settings.account}</h2>
      {editing ? (
        <form class="form" data-stored onSubmit={submit}>
          {PROFILE_FIELDS.map((field) => (
            <ProfileInput key={field} name={field} rejectedFields={rejectedFields} />
          ))}
          <div class="row">
            <Button kind="primary" type="submit" busy={busy}>
              {words.save}
            </Button>
            <Button onClick={endEditing}>{words.cancel}</Button>
          </div>
        </form>
      ) : (
        <>
          <Facts
            facts={[
              fact(settings.name, name === '' ? null : name),
              fact(words.profile.email, me.email),
              [words.firms.svcId, <code key="id">{me.svc_id}</code>],
            ]}
          />
          {me.test && <p class="muted">{settings.testAccount}</p>}
          {newEmail !== '' && newEmail !== me.email && (
            <ConfirmEmail email={newEmail} done={() => setNewEmail(undefined)} />
          )}
          <Button onClick={() => setOpen(true)}>{settings.edit}</Button>
        </>
      )}
    </section>
  );
}

function Session() {
  const { settings } = allTexts.value;
  const [asked, setAsked] = useState<'here' | 'everywhere' | null>(null);
  const confirm = async (): Promise<void> => {
    try {
      await signOut(asked === 'everywhere');
    } catch (error) {
      showError(error);
      setAsked(null);
    }
  };
  const everywhere = asked === 'everywhere';
  const unsent = outbox.entries.value.length;
  return (
    <section class="card">
      <h2>{settings.session}</h2>
      <div class="stack">
        <Button onClick={() => setAsked('here')}>{settings.signOut}</Button>
        <Button onClick={() => setAsked('everywhere')}>{settings.signOutEverywhere}</Button>
      </div>
      {asked !== null && (
        <FormDialog
          title={everywhere ? settings.everywhereTitle : settings.signOutTitle}
          act={everywhere ? settings.signOutEverywhere : settings.signOut}
          kind={everywhere ? 'danger' : 'primary'}
          close={() => setAsked(null)}
          submit={confirm}
        >
          <p>{everywhere ? settings.everywhereLead : settings.signOutLead}</p>
          {unsent > 0 && <p class="strong">{settings.unsent(unsent)}</p>}
        </FormDialog>
      )}
    </section>
  );
}
