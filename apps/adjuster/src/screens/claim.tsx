import { signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { RejectDialog } from '../components/dialogs.ts';
import { lazy } from '../components/lazy.tsx';
import { problemOf, undoLabel } from '../components/not-sent-yet.tsx';
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
import { claimsAfter } from '../model/arrange.ts';
import { isClaim } from '../model/shapes.ts';
import { replaceScreen } from '../navigation.ts';
import { answerOffers, isUndoable, queuedAnswerTo, undoAnswers } from '../state/answers.ts';
import { arrangedOffers } from '../state/arrangement.ts';
import { texts } from '../state/language.ts';
import { findClaim, lists, updateClaim } from '../state/lists.ts';
import { entryState } from '../state/outbox.ts';
import { results } from '../state/outcomes.ts';
import { request } from '../state/session.ts';
import { showError } from '../state/toast.ts';

/** Below the summary of an offer, so it may come a moment later. */
const ClaimRecord = lazy(async () => (await import('./claim-record.tsx')).ClaimRecord);

/** A claim from the lists, or from the service when it is not in them. */
export function ClaimScreen({ id }: { id: string }) {
  const words = texts.value;
  const listed = findClaim(id);
  const [lastSeen, setLastSeen] = useState<AppClaim>();
  const [missing, setMissing] = useState<'gone' | 'not stored' | 'unreadable' | null>(null);
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
        if (!isClaim(found)) return setMissing('unreadable');
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
  const outcome = listed?.assignment.status === 'pending_acceptance' ? undefined : results.value[id];
  const answeredBar = useAnsweredBar(id, listed !== undefined && isOpen(listed));
  if (outcome === 'rejected' || missing === 'gone' || outcome === 'gone') {
    const known = lastSeen !== undefined;
    return (
      <>
        <ScreenHeader title={known ? titleOf(lastSeen) : words.claim.title} back="#/" />
        {outcome === 'rejected' ? (
          <EmptyState title={words.claim.rejected} icon="check" />
        ) : (
          <EmptyState title={known ? words.claim.gone : words.claim.notAvailable} icon="claims">
            <p>{words.claim.goneMore}</p>
          </EmptyState>
        )}
        {answeredBar ?? (
          <p>
            <a class="button" href="#/">
              {words.nav.offers}
            </a>
          </p>
        )}
      </>
    );
  }
  // Shown by the error boundary.
  if (missing === 'unreadable') throw new Error('a claim of another shape');
  if (claim === undefined) {
    return (
      <>
        <ScreenHeader title={words.claim.title} back="#/" />
        <p class="muted">{missing === 'not stored' ? words.claim.notStored : words.loading}</p>
      </>
    );
  }
  return <Claim key={id} claim={claim} outcome={outcome} answeredBar={answeredBar} />;
}

const isOpen = ({ assignment, closed_at }: AppClaim): boolean =>
  assignment.status === 'pending_acceptance' && closed_at === null;

function Claim(props: {
  readonly claim: AppClaim;
  readonly outcome: string | undefined;
  readonly answeredBar: JSX.Element | null;
}) {
  const { claim, outcome, answeredBar } = props;
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
  const open = isOpen(claim);
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
      {answeredBar ?? (open && <AnswerBar claim={claim} />)}
    </>
  );
}

/** Whether the bottom of the screen has buttons that answer an offer or follow an answer. */
export const hasAnswerBar = signal(false);

/** On a phone it takes the place of the menu, which must not come up under a thumb that has just answered. */
function AnswerActions(props: { readonly shows: string; readonly children: ComponentChildren }) {
  useLayoutEffect(() => {
    hasAnswerBar.value = true;
    return () => {
      hasAnswerBar.value = false;
    };
  }, []);
  return <ActionBar {...props} />;
}

/** The answer buttons, at the bottom of the screen. */
function AnswerBar({ claim }: { claim: AppClaim }) {
  const words = texts.value;
  const [rejecting, setRejecting] = useState(false);
  const [busy, setBusy] = useState(false);
  const answer = async (kind: 'accept' | 'reject', reason?: string): Promise<void> => {
    setBusy(true);
    setRejecting(false);
    await answerOffers([claim], kind, reason).catch(showError);
    setBusy(false);
  };
  return (
    <AnswerActions shows={claim.id}>
      <Button busy={busy} onClick={() => setRejecting(true)}>
        {words.claim.reject}
      </Button>
      <Button kind="primary" busy={busy} onClick={() => void answer('accept')}>
        {words.claim.accept}
      </Button>
      {rejecting && (
        <RejectDialog
          title={words.reject.title}
          claimIds={[claim.id]}
          close={() => setRejecting(false)}
          confirm={(reason) => void answer('reject', reason)}
        />
      )}
    </AnswerActions>
  );
}

/**
 * After an answer the screen stays on its claim, and the adjuster opens the next offer: if it opened by itself, a double
 * tap would answer it too. Null while the offer is unanswered, and for a claim that was never open on this screen.
 */
function useAnsweredBar(id: string, isOffer: boolean): JSX.Element | null {
  const words = texts.value;
  const queued = queuedAnswerTo(id);
  const groups = arrangedOffers.value;
  /** In the order in which they were shown while this one was open. */
  const following = useRef<readonly AppClaim[] | null>(null);
  if (isOffer && queued === undefined) {
    following.current = claimsAfter(groups, id);
    return null;
  }
  if (following.current === null && queued === undefined) return null;
  const open = groups.flatMap(({ claims }) => claims);
  const next = following.current?.find((one) => open.some((offer) => offer.id === one.id)) ?? open[0];
  // While an answer is held, it is taken back in the message above the bar.
  const isWaiting = queued !== undefined && entryState(queued) !== 'held';
  const undoable = isWaiting && isUndoable(queued);
  return (
    <AnswerActions key="answered" shows={undoable ? 'undo' : 'next'}>
      {isWaiting && (
        <Note kind="warning" icon="cloud">
          <p role="status">
            {problemOf([queued]) ??
              (queued.answer === 'accept' ? words.claim.queuedAccept : words.claim.queuedReject)}
          </p>
        </Note>
      )}
      {undoable && <Button onClick={() => void undoAnswers([id])}>{undoLabel([queued])}</Button>}
      <Button kind="primary" onClick={() => replaceScreen(next === undefined ? '#/' : `#/claims/${next.id}`)}>
        {next === undefined ? words.nav.offers : words.claim.nextOffer}
      </Button>
    </AnswerActions>
  );
}
