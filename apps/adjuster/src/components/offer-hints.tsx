import { Button, Note } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useEffect, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { account, answers, day, notifications, now, session, showError, showToast, storage } from '../app.ts';
import { noOffersReason } from '../model/no-offers-reason.ts';
import {
  endsSuggestion,
  type NotificationState,
  type SuggestionOutcome,
  suggestionFor,
} from '../model/notification-state.ts';

/** Below the offers: why there may be no new ones, and how to be notified of them. */
export function OfferHints() {
  return (
    <>
      <NoOffersNote />
      <NotificationSuggestion />
    </>
  );
}

function NoOffersNote() {
  const { nav } = allTexts.value;
  const more = allTexts.value.availability;
  const me = session.profile.value;
  if (me == null || account.availability.value === undefined) return null;
  const reason = noOffersReason(
    { ...me, availability: account.availability.value },
    answers.openOffers.value?.length ?? 0,
    now.value,
  );
  if (reason === null) return null;
  const text = {
    all: () => more.pausedAll,
    away: (until: string) => more.awayUntil(day(until)),
    full: (until: string) => more.full(Number(until)),
    firms: (names: string) => allTexts.value.offers.paused(names),
  }[reason.kind](reason.detail);
  return (
    <Note kind="neutral">
      {text}{' '}
      <a href="#/firms" aria-label={nav.firms}>
        {nav.firms}
      </a>
    </Note>
  );
}

/** Suggests turning on notifications (on an iPhone, installing the app first) until the adjuster turns them on or declines. */
function NotificationSuggestion() {
  const words = allTexts.value.settings;
  const [state, setState] = useState<NotificationState | null>(null);
  const [busy, during] = useBusy();
  useEffect(() => {
    void Promise.all([notifications.state(), storage.get('notificationsAsked')])
      .then(([found, wasAsked]) => setState(suggestionFor(found, wasAsked === true)))
      .catch(() => {});
  }, []);
  if (state === null) return null;
  const settle = (outcome: SuggestionOutcome) => {
    if (!endsSuggestion(outcome)) return;
    setState(null);
    void storage.put('notificationsAsked', true);
  };
  const turnOn = async () => {
    const next = await notifications.enable();
    if (next === 'on') showToast(words.notificationsOn, 'success');
    settle(next === 'on' ? 'turned on' : next === 'denied' ? 'denied' : 'failed');
  };
  const showFailure = (error: unknown) => {
    settle('failed');
    if (error instanceof DOMException) showToast(words.notificationsFailed, 'error');
    else showError(error);
  };
  return (
    <section class="card suggestion" aria-label={words.notifications}>
      <p>
        {state === 'homeScreen'
          ? words.notificationsHomeScreen
          : state === 'stopped'
            ? words.notificationsStopped
            : words.suggestion}
      </p>
      <div class="row">
        {state !== 'homeScreen' && (
          <Button kind="primary" busy={busy} onClick={() => void during(turnOn, showFailure)}>
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
