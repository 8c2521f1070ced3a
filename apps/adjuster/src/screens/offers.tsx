import { useEffect, useState } from 'preact/hooks';
import { ClaimCard } from '../components/claim-card.tsx';
import { Button, EmptyState, Icon, Note, ScreenHeader } from '../components/ui.tsx';
import { enableNotifications, notificationState } from '../data/notifications.ts';
import { storage } from '../data/storage.ts';
import { dateTime } from '../format.ts';
import { answers, undoAnswer } from '../state/answers.ts';
import { texts } from '../state/language.ts';
import { lists } from '../state/lists.ts';
import { session } from '../state/session.ts';
import { showError, showToast } from '../state/toast.ts';

export function Offers() {
  const words = texts.value;
  const answered = new Set(answers.queued.value.map(({ claimId }) => claimId));
  const open = lists.offers.value?.filter(({ id }) => !answered.has(id));
  const firms = session.profile.value?.firms ?? [];
  return (
    <>
      <ScreenHeader title={words.offers.title}>
        {open !== undefined && open.length > 0 && <p class="muted">{words.offers.count(open.length)}</p>}
      </ScreenHeader>
      <Invitations />
      <QueuedAnswers />
      {open === undefined ? (
        <p class="muted">{words.loading}</p>
      ) : open.length > 0 ? (
        <ul class="list">
          {open.map((claim) => (
            <ClaimCard key={claim.id} claim={claim} list="offer" />
          ))}
        </ul>
      ) : (
        <EmptyState title={words.offers.none}>
          <p>{firms.length === 0 ? words.offers.noFirm : words.offers.noneMore}</p>
          {firms.length === 0 && <p class="strong">{session.profile.value?.svc_id}</p>}
        </EmptyState>
      )}
      <NotificationSuggestion />
      {firms
        .filter((firm) => !firm.accepting_assignments)
        .map((firm) => (
          <Note kind="neutral" key={firm.firm_id}>
            {words.offers.paused(firm.firm_name)} <a href="#/firms">{words.nav.firms}</a>
          </Note>
        ))}
    </>
  );
}

export function Invitations() {
  const words = texts.value.invitations;
  if (lists.invitations.value.length === 0) return null;
  return (
    <ul class="list">
      {lists.invitations.value.map((invitation) => (
        <li key={invitation.firm_id}>
          <a class="card claim-card invitation" href={`#/invitations/${invitation.firm_id}`}>
            <Icon name="invite" />
            <span class="claim-card-main">
              <span class="strong">{words.card(invitation.firm_name)}</span>
              {invitation.invited_as !== null && <span class="line">{words.as(invitation.invited_as)}</span>}
              <span class="line muted">{words.ends(dateTime(invitation.expires_at))}</span>
            </span>
            <Icon name="next" />
          </a>
        </li>
      ))}
    </ul>
  );
}

function QueuedAnswers() {
  const words = texts.value;
  if (answers.queued.value.length === 0) return null;
  return (
    <section class="card queued-answers" aria-labelledby="queued-answers">
      <h2 id="queued-answers">{words.offers.queued}</h2>
      <p class="muted">{words.offers.queuedMore}</p>
      <ul>
        {answers.queued.value.map(({ claimId, answer, title }) => (
          <li key={claimId}>
            <a href={`#/claims/${claimId}`}>
              {answer === 'accept' ? words.claim.accept : words.claim.reject}: {title}
            </a>
            <Button kind="quiet" onClick={() => void undoAnswer(claimId)}>
              {words.claim.undo}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Suggests notifications once. */
function NotificationSuggestion() {
  const words = texts.value.settings;
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    void Promise.all([notificationState(), storage.get('notificationsAsked')])
      .then(([state, asked]) => setShown(state === 'off' && asked !== true))
      .catch(() => {});
  }, []);
  if (!shown) return null;
  const settle = () => {
    setShown(false);
    void storage.put('notificationsAsked', true);
  };
  const turnOn = async () => {
    setBusy(true);
    try {
      const state = await enableNotifications();
      if (state === 'on') showToast(words.notificationsOn, 'success');
      settle();
    } catch (error) {
      if (error instanceof DOMException) {
        showToast(words.notificationsFailed, 'error');
        settle();
      } else showError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="card suggestion" aria-label={words.notifications}>
      <p>{words.suggestion}</p>
      <div class="row">
        <Button kind="primary" busy={busy} onClick={() => void turnOn()}>
          {words.turnOn}
        </Button>
        <Button kind="quiet" onClick={settle}>
          {words.later}
        </Button>
      </div>
    </section>
  );
}
