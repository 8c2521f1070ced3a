import { useEffect, useState } from 'preact/hooks';
import { enableNotifications, notificationState } from '../data/notifications.ts';
import { storage } from '../data/storage.ts';
import { day } from '../format.ts';
import {
  type NotificationState,
  type SuggestionEvent,
  settlesSuggestion,
  suggestionIn,
} from '../model/notification-state.ts';
import { pausedBy } from '../model/pauses.ts';
import { openOffers } from '../state/answers.ts';
import { now } from '../state/clock.ts';
import { moreTexts, texts } from '../state/more-texts.ts';
import { session } from '../state/session.ts';
import { availability } from '../state/settings.ts';
import { showError, showToast } from '../state/toast.ts';
import { Button, Note } from './ui.tsx';

/** Below the offers: why there may be no new ones, and how to be notified of them. */
export function Hints() {
  return (
    <>
      <Pauses />
      <NotificationSuggestion />
    </>
  );
}

function Pauses() {
  const { firms: words, nav } = texts.value;
  const more = moreTexts.value.availability;
  const me = session.profile.value;
  if (me == null || availability.value === undefined) return null;
  const pause = pausedBy(
    { ...me, availability: availability.value },
    openOffers.value?.length ?? 0,
    now.value,
  );
  if (pause === null) return null;
  const text = {
    all: () => more.pausedAll,
    away: (until: string) => more.awayUntil(day(until)),
    full: (until: string) => more.full(Number(until)),
    firms: (names: string) => texts.value.offers.paused(names),
  }[pause.by](pause.detail);
  return (
    <Note kind="neutral">
      {text}{' '}
      <a href="#/firms" aria-label={words.title}>
        {nav.firms}
      </a>
    </Note>
  );
}

/** Suggests notifications, or on an iPhone the Home Screen that they need, until the adjuster has decided. */
function NotificationSuggestion() {
  const words = moreTexts.value.settings;
  const [state, setState] = useState<NotificationState | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    void Promise.all([notificationState(), storage.get('notificationsAsked')])
      .then(([found, asked]) => setState(suggestionIn(found, asked === true)))
      .catch(() => {});
  }, []);
  if (state === null) return null;
  const settle = (event: SuggestionEvent) => {
    if (!settlesSuggestion(event)) return;
    setState(null);
    void storage.put('notificationsAsked', true);
  };
  const turnOn = async () => {
    setBusy(true);
    try {
      const found = await enableNotifications();
      if (found === 'on') showToast(words.notificationsOn, 'success');
      settle(found === 'on' ? 'turned on' : found === 'denied' ? 'denied' : 'failed');
    } catch (error) {
      settle('failed');
      if (error instanceof DOMException) showToast(words.notificationsFailed, 'error');
      else showError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="card suggestion" aria-label={words.notifications}>
      <p>{state === 'homeScreen' ? words.notificationsHomeScreen : words.suggestion}</p>
      <div class="row">
        {state === 'off' && (
          <Button kind="primary" busy={busy} onClick={() => void turnOn()}>
            {words.turnOn}
          </Button>
        )}
        <Button kind="quiet" onClick={() => settle('later')}>
          {words.later}
        </Button>
      </div>
    </section>
  );
}
