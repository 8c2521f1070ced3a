import { signal } from '@preact/signals';
import type { Profile } from '@svc/contract';
import { useState } from 'preact/hooks';
import { Facts, fact } from '../components/facts.tsx';
import { lazy } from '../components/lazy.tsx';
import { PROFILE_FIELDS, ProfileInput } from '../components/profile-field.tsx';
import { Button, Dialog, ScreenHeader } from '../components/ui.tsx';
import { ApiError, call } from '../data/api.ts';
import { answers } from '../state/answers.ts';
import { chooseLanguage, languageChoice, texts } from '../state/language.ts';
import { refresh } from '../state/lists.ts';
import { prefer, preferences, SCHEMES, UNDO_SECONDS } from '../state/preferences.ts';
import { request, session, supportsPasskeys } from '../state/session.ts';
import { unsentSettings } from '../state/settings.ts';
import { signOut } from '../state/start.ts';
import { showError, showToast } from '../state/toast.ts';
import { pending } from '../state/work.ts';
import { isLanguage, LANGUAGE_NAMES } from '../texts/language.ts';
import { Notifications } from './notifications.tsx';

const Passkeys = lazy(async () => (await import('../passkeys/screens.tsx')).Passkeys);

interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}
const installable = signal<InstallPrompt | null>(null);
addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault();
  installable.value = event as InstallPrompt;
});
addEventListener('appinstalled', () => {
  installable.value = null;
});

export function Settings() {
  const words = texts.value.settings;
  return (
    <>
      <ScreenHeader title={words.title} />
      <Account />
      <Notifications />
      {supportsPasskeys() && session.profile.value?.test === false && <Passkeys />}
      <section class="card">
        <h2 id="language">{words.language}</h2>
        <select
          aria-labelledby="language"
          value={languageChoice.value}
          onChange={({ currentTarget }) =>
            chooseLanguage(isLanguage(currentTarget.value) ? currentTarget.value : 'device')
          }
        >
          <option value="device">{words.languageAuto}</option>
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
        <h2 id="display">{words.display}</h2>
        <select
          aria-labelledby="display"
          value={preferences.value.scheme}
          onChange={({ currentTarget: { value } }) =>
            prefer({ scheme: SCHEMES.find((scheme) => scheme === value) ?? 'device' })
          }
        >
          {SCHEMES.map((scheme) => (
            <option key={scheme} value={scheme}>
              {words.schemes[scheme]}
            </option>
          ))}
        </select>
        <h2 id="undo">{words.undo}</h2>
        <select
          aria-labelledby="undo"
          value={preferences.value.undoSeconds}
          onChange={({ currentTarget: { value } }) =>
            prefer({ undoSeconds: UNDO_SECONDS.find((seconds) => String(seconds) === value) ?? 5 })
          }
        >
          {UNDO_SECONDS.map((seconds) => (
            <option key={seconds} value={seconds}>
              {words.undoSeconds(seconds)}
            </option>
          ))}
        </select>
      </section>
      {installable.value !== null && (
        <section class="card">
          <p>{words.installLead}</p>
          <Button kind="primary" onClick={() => void installable.value?.prompt()}>
            {words.install}
          </Button>
        </section>
      )}
      <Session />
    </>
  );
}

function Account() {
  const words = texts.value;
  const me = session.profile.value;
  const [editing, setEditing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<readonly string[]>([]);
  if (me == null) return null;
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const entered = PROFILE_FIELDS.map((field) => [field, String(form.get(field) ?? '').trim()] as const);
    setBusy(true);
    setRefused([]);
    try {
      const changes = Object.fromEntries(
        entered.filter(([field, text]) => text !== '' && text !== me[field]),
      );
      await request(() => call<Profile>('PATCH', 'v1/me', changes));
      await refresh();
      showToast(words.saved, 'success');
      setEditing(false);
    } catch (error) {
      if (error instanceof ApiError && error.fields.length > 0) setRefused(error.fields);
      else showError(error);
    } finally {
      setBusy(false);
    }
  };
  const name = [me.first_name, me.last_name].filter(Boolean).join(' ');
  return (
    <section class="card">
      <h2>{words.settings.account}</h2>
      {editing ? (
        <form class="form" onSubmit={(event) => void save(event)}>
          {PROFILE_FIELDS.map((field) => (
            <ProfileInput key={field} name={field} refused={refused} defaultValue={me[field] ?? ''} />
          ))}
          <div class="row">
            <Button kind="primary" type="submit" busy={busy}>
              {words.save}
            </Button>
            <Button onClick={() => setEditing(false)}>{words.cancel}</Button>
          </div>
        </form>
      ) : (
        <>
          <Facts
            facts={[
              fact(words.settings.name, name === '' ? null : name),
              fact(words.profile.email, me.email),
              [words.firms.svcId, <code key="id">{me.svc_id}</code>],
            ]}
          />
          {me.test && <p class="muted">{words.settings.testAccount}</p>}
          <Button onClick={() => setEditing(true)}>{words.settings.edit}</Button>
        </>
      )}
    </section>
  );
}

function Session() {
  const words = texts.value;
  const [asked, setAsked] = useState<'here' | 'everywhere' | null>(null);
  const [busy, setBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await signOut(asked === 'everywhere');
    } catch (error) {
      showError(error);
      setBusy(false);
      setAsked(null);
    }
  };
  const everywhere = asked === 'everywhere';
  const unsent =
    answers.queued.value.length +
    Object.keys(pending.value).length +
    Object.keys(unsentSettings.value).length;
  return (
    <section class="card">
      <h2>{words.settings.session}</h2>
      <div class="stack">
        <Button onClick={() => setAsked('here')}>{words.settings.signOut}</Button>
        <Button onClick={() => setAsked('everywhere')}>{words.settings.signOutEverywhere}</Button>
      </div>
      {asked !== null && (
        <Dialog
          title={everywhere ? words.settings.everywhereTitle : words.settings.signOutTitle}
          close={() => setAsked(null)}
        >
          <p>{everywhere ? words.settings.everywhereLead : words.settings.signOutLead}</p>
          {unsent > 0 && <p class="strong">{words.settings.unsent(unsent)}</p>}
          <div class="row">
            <Button kind={everywhere ? 'danger' : 'primary'} busy={busy} onClick={() => void confirm()}>
              {everywhere ? words.settings.signOutEverywhere : words.settings.signOut}
            </Button>
            <Button onClick={() => setAsked(null)}>{words.cancel}</Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
