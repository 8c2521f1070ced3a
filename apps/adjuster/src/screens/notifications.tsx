import { TEST_NOTIFICATION_PAUSE_MS } from '@svc/domain';
import { Button, Note } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useEffect, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { account, dateTime, notifications, request, showError, showToast, storage } from '../app.ts';
import { NotSentYet } from '../components/not-sent-yet.tsx';
import { Switch } from '../components/switch.tsx';
import { DAY_MS, devicePlatform } from '../data/notifications.ts';
import type { StoredValues } from '../data/storage.ts';
import type { NotificationState } from '../model/notification-state.ts';

type Preferences = StoredValues['devicePreferences'];
const NONE: Preferences = { quietHours: null, deadlineReminders: false };
const NIGHT = { start: '21:00', end: '06:30' };

export function Notifications() {
  const words = allTexts.value.settings;
  const [state, setState] = useState<NotificationState>('off');
  const [busy, during] = useBusy();
  const [renewed, setRenewed] = useState<number>();
  const look = async () => {
    await notifications.renew(DAY_MS).catch(() => {});
    await Promise.all([
      notifications.state().then(setState),
      notifications.renewedAt().then(setRenewed),
    ]).catch(() => {});
  };
  useEffect(() => {
    void look();
    // The adjuster may come back from the settings of the phone.
    const lookAgain = () => void look();
    document.addEventListener('visibilitychange', lookAgain);
    return () => document.removeEventListener('visibilitychange', lookAgain);
  }, []);
  const turn = async (): Promise<void> => {
    await (state === 'on' ? notifications.disable() : notifications.enable()).catch((error: unknown) => {
      if (error instanceof DOMException) showToast(words.notificationsFailed, 'error');
      else showError(error);
    });
    await look();
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
        <Button kind={state === 'on' ? 'neutral' : 'primary'} busy={busy} onClick={() => void during(turn)}>
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
  const words = allTexts.value.notifications;
  return (
    <>
      <p>{words.deniedLead}</p>
      <Steps steps={words.deniedSteps[devicePlatform()]} />
    </>
  );
}

/** Sent by the service, so that it shows whether the whole way works. */
function TestNotification() {
  const words = allTexts.value.notifications;
  const [sent, setSent] = useState(false);
  const [busy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    try {
      await request(notifications.sendTest);
      setSent(true);
      // The service sends no other one before.
      setTimeout(() => setBusy(false), TEST_NOTIFICATION_PAUSE_MS);
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
  const words = allTexts.value.notifications;
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
    void account.changeSettings({ key: 'device', changes: next }).catch(showError);
  };
  const { quietHours, deadlineReminders } = preferences;
  const unsent = account.unsentSettings('device');
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
      {unsent.length > 0 && <NotSentYet entries={unsent} waits={allTexts.value.work.savedOffline} />}
    </>
  );
}
