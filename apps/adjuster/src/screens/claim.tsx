import type { AppClaim } from '@svc/contract';
import { useEffect, useRef, useState } from 'preact/hooks';
import { RejectDialog } from '../components/dialogs.ts';
import { lazy } from '../components/lazy.tsx';
import { OfferSummary, WaitingPill } from '../components/offer-summary.tsx';
import {
  ActionBar,
  Button,
  EmptyState,
  focusHeading,
  Note,
  ScreenHeader,
  TestBadge,
} from '../components/ui.tsx';
import { ApiError, call, NetworkError } from '../data/api.ts';
import { dateTime, titleOf } from '../format.ts';
import { nextOf } from '../model/arrange.ts';
import { replaceScreen } from '../navigation.ts';
import { answerOffers, answers, isUndoable, queuedAnswerTo, undoAnswers } from '../state/answers.ts';
import { arrangedOffers } from '../state/arrangement.ts';
import { texts } from '../state/language.ts';
import { findClaim, lists, updateClaim } from '../state/lists.ts';
import { request } from '../state/session.ts';
import { showError } from '../state/toast.ts';

/** Below the summary of an offer, so it may come a moment later. */
const ClaimRecord = lazy(async () => (await import('./claim-record.tsx')).ClaimRecord);

/** A claim from the lists, or from the service when it is not in them. */
export function ClaimScreen({ id }: { id: string }) {
  const words = texts.value;
  const listed = findClaim(id);
  const [lastSeen, setLastSeen] = useState<AppClaim>();
  const [missing, setMissing] = useState<'gone' | 'not stored' | null>(null);
  // An offer that leaves the lists stays visible until its new state is known.
  const claim = listed ?? lastSeen;
  useEffect(() => {
    if (listed !== undefined) setLastSeen(listed);
  }, [listed]);
  const gone = listed === undefined;
  // Read again after each refresh of the lists, but not when only this claim has moved between them.
  const listsRead = lists.readAt.value;
  useEffect(() => {
    if (!gone) {
      setMissing(null);
      return;
    }
    request(() => call<AppClaim>('GET', `v1/claims/${id}`)).then(
      (found) => {
        setLastSeen(found);
        updateClaim(found);
        setMissing(null);
      },
      (error: unknown) => {
        if (error instanceof ApiError && (error.status === 404 || error.status === 422)) setMissing('gone');
        else if (error instanceof NetworkError) setMissing('not stored');
      },
    );
  }, [id, gone, listsRead]);

  // The result of an answer does not apply to a later offer of the same claim.
  const outcome = listed?.assignment.status === 'pending_acceptance' ? undefined : answers.results.value[id];
  useEffect(() => {
    if (outcome === 'rejected') replaceScreen('#/');
  }, [outcome]);
  if (outcome === 'rejected') return null;
  if (missing === 'gone' || outcome === 'gone') {
    return (
      <>
        <ScreenHeader title={lastSeen === undefined ? words.claim.title : titleOf(lastSeen)} back="#/" />
        <EmptyState
          title={lastSeen === undefined ? words.claim.notAvailable : words.claim.gone}
          icon="claims"
        >
          <p>{words.claim.goneMore}</p>
          <a class="button" href="#/">
            {words.nav.offers}
          </a>
        </EmptyState>
      </>
    );
  }
  if (claim === undefined) {
    return (
      <>
        <ScreenHeader title={words.claim.title} back="#/" />
        <p class="muted">{missing === 'not stored' ? words.claim.notStored : words.loading}</p>
      </>
    );
  }
  return <Claim key={id} claim={claim} outcome={outcome} />;
}

function Claim({ claim, outcome }: { claim: AppClaim; outcome: string | undefined }) {
  const words = texts.value;
  const { status, responded_at } = claim.assignment;
  const state = claim.closed_at === null ? status : 'closed';
  const before = useRef(state);
  useEffect(() => {
    if (before.current === state) return;
    before.current = state;
    // The focused button was removed; the new state is shown in the header.
    focusHeading();
  }, [state]);
  const open = status === 'pending_acceptance' && claim.closed_at === null;
  const own = status === 'accepted' && claim.closed_at === null;
  const back = open ? '#/' : claim.closed_at !== null ? '#/claims/closed' : own ? '#/claims' : '#/';
  return (
    <>
      <ScreenHeader title={titleOf(claim)} back={back}>
        <p class="muted">
          {claim.firm.name} · {claim.claim_number} <TestBadge test={claim.test} />
        </p>
        {open && <WaitingPill claim={claim} />}
        {own && responded_at !== null && (
          <p class="pill neutral">{words.claim.acceptedAt(dateTime(responded_at))}</p>
        )}
        {claim.closed_at !== null && (
          <p class="pill neutral">{words.claim.closedAt(dateTime(claim.closed_at))}</p>
        )}
      </ScreenHeader>
      {outcome === 'alreadyAccepted' && (
        <Note kind="warning">
          <p>{words.claim.alreadyAccepted}</p>
        </Note>
      )}
      {open && <OfferSummary claim={claim} />}
      <ClaimRecord claim={claim} />
      {open && <AnswerBar claim={claim} />}
    </>
  );
}

/** The answer buttons, at the bottom of the screen. */
function AnswerBar({ claim }: { claim: AppClaim }) {
  const words = texts.value;
  const [rejecting, setRejecting] = useState(false);
  const queued = queuedAnswerTo(claim.id);

  const answer = async (kind: 'accept' | 'reject', reason?: string): Promise<void> => {
    setRejecting(false);
    const next = nextOf(arrangedOffers.value, claim.id);
    try {
      await answerOffers([claim], kind, reason);
      if (next !== undefined) replaceScreen(`#/claims/${next.id}`);
      else if (kind === 'reject') replaceScreen('#/');
    } catch (error) {
      showError(error);
    }
  };

  if (queued !== undefined) {
    return (
      <ActionBar>
        <Note kind="warning" icon="cloud">
          <p role="status">
            {queued.answer === 'accept' ? words.claim.queuedAccept : words.claim.queuedReject}
          </p>
        </Note>
        {isUndoable(queued) && (
          <Button onClick={() => void undoAnswers([claim.id])}>{words.claim.undo}</Button>
        )}
      </ActionBar>
    );
  }
  return (
    <ActionBar>
      <Button onClick={() => setRejecting(true)}>{words.claim.reject}</Button>
      <Button kind="primary" onClick={() => void answer('accept')}>
        {words.claim.accept}
      </Button>
      {rejecting && (
        <RejectDialog
          title={words.reject.title}
          close={() => setRejecting(false)}
          confirm={(reason) => void answer('reject', reason)}
        />
      )}
    </ActionBar>
  );
}
