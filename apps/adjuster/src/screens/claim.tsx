import type { AppClaim } from '@svc/contract';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ClaimDetails } from '../components/claim-details.tsx';
import { Button, EmptyState, focusHeading, Note, ScreenHeader, TestBadge } from '../components/ui.tsx';
import { ApiError, call, NetworkError } from '../data/api.ts';
import { dateTime, since, titleOf } from '../format.ts';
import { replaceScreen } from '../navigation.ts';
import { answerOffer, answers, queuedAnswerTo, undoAnswer } from '../state/answers.ts';
import { texts } from '../state/language.ts';
import { findClaim, lists, updateClaim } from '../state/lists.ts';
import { request } from '../state/session.ts';
import { showError } from '../state/toast.ts';
import { RejectDialog } from './reject.tsx';
import { ClosedWork, Work } from './work.tsx';

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
  const age = since(claim.offered_at);
  const open = status === 'pending_acceptance' && claim.closed_at === null;
  const own = status === 'accepted' && claim.closed_at === null;
  const back = open ? '#/' : claim.closed_at !== null ? '#/claims/closed' : own ? '#/claims' : '#/';
  return (
    <>
      <ScreenHeader title={titleOf(claim)} back={back}>
        <p class="muted">
          {claim.firm.name} · {claim.claim_number} <TestBadge test={claim.test} />
        </p>
        {open && <p class="pill warning">{age === null ? words.offers.new : words.offers.offeredAgo(age)}</p>}
        {own && responded_at !== null && (
          <p class="pill neutral">{words.claim.acceptedAt(dateTime(responded_at))}</p>
        )}
        {claim.closed_at !== null && (
          <p class="pill neutral">{words.claim.closedAt(dateTime(claim.closed_at))}</p>
        )}
      </ScreenHeader>
      {outcome === 'answered' && (
        <Note kind="warning">
          <p class="strong">{words.claim.answeredBefore}</p>
          <p>{words.claim.answeredBeforeMore}</p>
        </Note>
      )}
      {own && <Work claim={claim} />}
      {claim.closed_at !== null && <ClosedWork claim={claim} />}
      <ClaimDetails claim={claim} />
      {open && <AnswerBar claim={claim} />}
    </>
  );
}

/** The answer buttons, at the bottom of the screen. */
function AnswerBar({ claim }: { claim: AppClaim }) {
  const words = texts.value;
  const [busy, setBusy] = useState(false);
  const [rejecting, setRejecting] = useState(false);
  const queued = queuedAnswerTo(claim.id);

  const answer = async (kind: 'accept' | 'reject', reason?: string): Promise<void> => {
    setBusy(true);
    try {
      await answerOffer(claim, kind, reason);
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
      setRejecting(false);
    }
  };

  if (queued !== undefined && !busy) {
    return (
      <div class="answer-bar">
        <Note kind="warning" icon="cloud">
          <p role="status">
            {queued.answer === 'accept' ? words.claim.queuedAccept : words.claim.queuedReject}
          </p>
        </Note>
        <Button onClick={() => void undoAnswer(claim.id)}>{words.claim.undo}</Button>
      </div>
    );
  }
  return (
    <div class="answer-bar">
      <Button disabled={busy} onClick={() => setRejecting(true)}>
        {words.claim.reject}
      </Button>
      <Button kind="primary" busy={busy} onClick={() => void answer('accept')}>
        {busy ? words.claim.sending : words.claim.accept}
      </Button>
      {rejecting && (
        <RejectDialog
          busy={busy}
          close={() => setRejecting(false)}
          confirm={(reason) => void answer('reject', reason)}
        />
      )}
    </div>
  );
}
