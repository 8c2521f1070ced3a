import { SIGN_IN_LIMITS } from '@svc/domain';
import { useEffect, useState } from 'preact/hooks';
import { NotSentYet } from '../components/not-sent-yet.tsx';
import { Button, Note } from '../components/ui.tsx';
import { call } from '../data/api.ts';
import {
  DAY_MS,
  devicePlatform,
  disableNotifications,
  enableNotifications,
  notificationState,
  renewedAt,
  renewSubscription,
} from '../data/notifications.ts';
import { deviceId, type StoredValues, storage } from '../data/storage.ts';
import { dateTime } from '../format.ts';
import type { NotificationState } from '../model/notification-state.ts';
import { moreTexts, texts } from '../state/more-texts.ts';
import { request } from '../state/session.ts';
import { changeSettings, unsentSettings } from '../state/settings.ts';
import { showError, showToast } from '../state/toast.ts';

type Preferences = StoredValues['devicePreferences'];
const NONE: Preferences = { quietHours: null, deadlineReminders: false };
const NIGHT = { start: '21:00', end: '06:30' };

export function Notifications() {
  const words = moreTexts.value.settings;
  const [state, setState] = useState<NotificationState>('off');
  const [busy, setBusy] = useState(false);
  const [renewed, setRenewed] = useState<number>();
  const look = async () => {
    await renewSubscription(DAY_MS).catch(() => {});
    await Promise.all([notificationState().then(setState), renewedAt().then(setRenewed)]).catch(() => {});
  };
  useEffect(() => {
    void look();
    // The adjuster may come back from the settings of the phone.
    const lookAgain = () => void look();
    document.addEventListener('visibilitychange', lookAgain);
    return () => document.removeEventListener('visibilitychange', lookAgain);
  }, []);
  const turn = async (): Promise<void> => {
    setBusy(true);
    try {
      if (state === 'on') await disableNotifications();
      else await enableNotifications();
    } catch (error) {
      if (error instanceof DOMException) showToast(words.notificationsFailed, 'error');
      else showError(error);
    } finally {
      await look();
      setBusy(false);
    }
  };
  const about: Readonly<Record<Exclude<NotificationState, 'denied'>, string>> = {
    on: words.notificationsOn,
    off: words.notificationsOff,
    stopped: words.notificationsStopped,
    homeScreen: words.notificationsHomeScreen,
    unsupported: words.notificationsNone,
  };
  return (
    <section class="card">
      <h2>{words.notifications}</h2>
      {state === 'denied' ? <Denied /> : <p>{about[state]}</p>}
      {state === 'on' && renewed !== undefined && (
        <Note kind="warning">
          <p>{words.notificationsRenewed(dateTime(renewed))}</p>
        </Note>
      )}
      {state === 'on' && <TestNotification />}
      {state === 'on' && <DevicePreferences />}
      {(state === 'on' || state === 'off' || state === 'stopped') && (
        <Button kind={state === 'on' ? 'neutral' : 'primary'} busy={busy} onClick={() => void turn()}>
          {state === 'on' ? words.turnOff : words.turnOn}
        </Button>
      )}
    </section>
  );
}

const Steps = ({ steps }: { steps: readonly string[] }) => (
  <ol class="points">
    {steps.map((step) => (
      <li key={step}>{step}</li>
    ))}
  </ol>
);

/** A page cannot ask again after a refusal; only the adjuster can change it. */
function Denied() {
  const words = moreTexts.value.notifications;
  return (
    <>
      <p>{words.deniedLead}</p>
      <Steps steps={words.deniedSteps[devicePlatform()]} />
    </>
  );
}

/** Sent by the service, so that it shows whether the whole way works. */
function TestNotification() {
  const words = moreTexts.value.notifications;
  const [sent, setSent] = useState(false);
  const [busy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    try {
      const path = `v1/devices/${await deviceId()}/test-notification`;
      await request(() => call('POST', path));
      setSent(true);
      // The service sends no other one before.
      setTimeout(() => setBusy(false), SIGN_IN_LIMITS.testNotificationsPerDevice.firstPauseMs);
    } catch (error) {
      showError(error);
      setBusy(false);
    }
  };
  return (
    <>
      <Button busy={busy} onClick={() => void send()}>
        {words.test}
      </Button>
      <div role="status">
        {sent && (
          <>
            <p>{words.testSent}</p>
            <details>
              <summary>{words.missing}</summary>
              <Steps steps={words.missingSteps} />
            </details>
          </>
        )}
      </div>
    </>
  );
}

/** Quiet hours and reminders of this device. */
function DevicePreferences() {
  const words = moreTexts.value.notifications;
  const [preferences, setPreferences] = useState<Preferences>(NONE);
  useEffect(() => {
    void storage
      .get('devicePreferences')
      .then((stored) => setPreferences(stored ?? NONE))
      .catch(() => {});
  }, []);
  const change = (changes: Partial<Preferences>): void => {
    const next = { ...preferences, ...changes };
    setPreferences(next);
    void changeSettings({ key: 'device', changes: next }).catch(showError);
  };
  const { quietHours, deadlineReminders } = preferences;
  const unsent = unsentSettings('device');
  const timeInput = (name: 'start' | 'end', label: string) =>
    quietHours !== null && (
      <label class="field">
        <span>{label}</span>
        <input
          type="time"
          required
          value={quietHours[name]}
          onChange={({ currentTarget: { value } }) => {
            if (value !== '') change({ quietHours: { ...quietHours, [name]: value } });
          }}
        />
      </label>
    );
  return (
    <>
      <Switch
        label={words.quiet}
        checked={quietHours !== null}
        turn={() => change({ quietHours: quietHours === null ? NIGHT : null })}
      />
      {quietHours !== null && (
        <div class="columns narrow" data-stored>
          {timeInput('start', words.quietFrom)}
          {timeInput('end', words.quietUntil)}
        </div>
      )}
      <p class="muted">{words.quietMore}</p>
      <Switch
        label={words.reminders}
        checked={deadlineReminders}
        turn={() => change({ deadlineReminders: !deadlineReminders })}
      />
      <p class="muted">{words.remindersMore}</p>
      {unsent.length > 0 && <NotSentYet entries={unsent} waits={texts.value.work.savedOffline} />}
    </>
  );
}

const Switch = (props: { readonly label: string; readonly checked: boolean; readonly turn: () => void }) => (
  <button type="button" class="switch" role="switch" aria-checked={props.checked} onClick={props.turn}>
    <span>{props.label}</span>
    <span class="track" aria-hidden="true" />
  </button>
);
