import type { AppClaim } from '@svc/contract';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, Refusal, Unreachable } from '../data/api.ts';
import { moment, since } from '../format.ts';
import { ClaimDetails } from '../parts/claim-details.tsx';
import { Button, focusHeading, Note, Nothing, ScreenHead, TestBadge } from '../parts/ui.tsx';
import { goInstead } from '../route.ts';
import {
  answerOffer,
  ask,
  complain,
  findClaim,
  outcomeOf,
  place,
  readAt,
  takeBack,
  texts,
  titleOf,
  waitingFor,
} from '../state.ts';
import { RejectDialog } from './reject.tsx';
import { ClosedWork, Work } from './work.tsx';

/** A claim by its id: from the lists, or from the service when they do not have it. */
export function ClaimScreen({ id }: { id: string }) {
  const words = texts.value;
  const listed = findClaim(id);
  const [last, setLast] = useState<AppClaim>();
  const [missing, setMissing] = useState<'gone' | 'not kept' | null>(null);
  // What was shown stays while the lists move on: an offer that goes away is told of, not snatched away.
  const claim = listed ?? last;
  useEffect(() => {
    if (listed !== undefined) setLast(listed);
  }, [listed]);
  const gone = listed === undefined;
  // Asked about again when the lists were read anew, and not when its own answer has found a place in them.
  const listsRead = readAt.value;
  useEffect(() => {
    if (!gone) {
      setMissing(null);
      return;
    }
    ask(() => call<AppClaim>('GET', `v1/claims/${id}`)).then(
      (found) => {
        setLast(found);
        place(found);
        setMissing(null);
      },
      (error: unknown) => {
        if (error instanceof Refusal && (error.status === 404 || error.status === 422)) setMissing('gone');
        else if (error instanceof Unreachable) setMissing('not kept');
      },
    );
  }, [id, gone, listsRead]);

  // What came of an answer is told of the offer that it was for, and not of one that has come since.
  const outcome = listed?.assignment.status === 'pending_acceptance' ? undefined : outcomeOf.value[id];
  useEffect(() => {
    if (outcome === 'rejected') goInstead('#/');
  }, [outcome]);
  if (outcome === 'rejected') return null;
  if (missing === 'gone' || outcome === 'gone') {
    return (
      <>
        <ScreenHead title={last === undefined ? words.claim.title : titleOf(last)} back="#/" />
        <Nothing title={last === undefined ? words.claim.notThere : words.claim.gone} icon="claims">
          <p>{words.claim.goneMore}</p>
          <a class="button" href="#/">
            {words.nav.offers}
          </a>
        </Nothing>
      </>
    );
  }
  if (claim === undefined) {
    return (
      <>
        <ScreenHead title={words.claim.title} back="#/" />
        <p class="muted">{missing === 'not kept' ? words.claim.notKept : words.loading}</p>
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
    // The buttons are gone, and with them whatever had the focus; what the claim has become stands at the top.
    focusHeading();
  }, [state]);
  const waits = since(claim.offered_at);
  const open = status === 'pending_acceptance' && claim.closed_at === null;
  const own = status === 'accepted' && claim.closed_at === null;
  const back = open ? '#/' : claim.closed_at !== null ? '#/claims/closed' : own ? '#/claims' : '#/';
  return (
    <>
      <ScreenHead title={titleOf(claim)} back={back}>
        <p class="muted">
          {claim.firm.name} · {claim.claim_number} <TestBadge test={claim.test} />
        </p>
        {open && (
          <p class="pill waits">{waits === null ? words.offers.justNow : words.offers.waiting(waits)}</p>
        )}
        {own && responded_at !== null && (
          <p class="pill calm">{words.claim.acceptedAt(moment(responded_at))}</p>
        )}
        {claim.closed_at !== null && <p class="pill calm">{words.claim.closedAt(moment(claim.closed_at))}</p>}
      </ScreenHead>
      {outcome === 'answered' && (
        <Note kind="warn">
          <p class="strong">{words.claim.answeredMeanwhile}</p>
          <p>{words.claim.answeredMore}</p>
        </Note>
      )}
      {own && <Work claim={claim} />}
      {claim.closed_at !== null && <ClosedWork claim={claim} />}
      <ClaimDetails claim={claim} />
      {open && <AnswerBar claim={claim} />}
    </>
  );
}

/** The two answers, where a thumb reaches them. */
function AnswerBar({ claim }: { claim: AppClaim }) {
  const words = texts.value;
  const [busy, setBusy] = useState(false);
  const [rejecting, setRejecting] = useState(false);
  const waits = waitingFor(claim.id);

  const answer = async (kind: 'accept' | 'reject', reason?: string): Promise<void> => {
    setBusy(true);
    try {
      await answerOffer(claim, kind, reason);
    } catch (error) {
      complain(error);
    } finally {
      setBusy(false);
      setRejecting(false);
    }
  };

  if (waits !== undefined && !busy) {
    return (
      <div class="answer-bar">
        <Note kind="warn" icon="cloud">
          <p role="status">
            {waits.answer === 'accept' ? words.claim.queuedAccept : words.claim.queuedReject}
          </p>
        </Note>
        <Button onClick={() => void takeBack(claim.id)}>{words.claim.takeBack}</Button>
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
