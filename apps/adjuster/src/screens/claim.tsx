import type { AppClaim } from '@svc/contract';
import { ApiError, NetworkError } from '@svc/web-app/api-error';
import {
  ActionBar,
  Button,
  EmptyState,
  focusHeading,
  hasAnswerBar,
  Icon,
  Note,
  ScreenHeader,
  TestBadge,
} from '@svc/web-app/components/ui';
import { titleOf } from '@svc/web-app/names';
import { useBusy } from '@svc/web-app/use-busy';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  answers,
  arrangement,
  call,
  dateTime,
  lists,
  outbox,
  outcomes,
  replaceScreen,
  request,
  since,
  texts,
} from '../app.ts';
import { problemOf, SendNow, undoLabel } from '../components/not-sent-yet.tsx';
import { RejectDialog } from '../components/reject-dialog.tsx';
import { isWithdrawnByFirm } from '../data/offer-end.ts';
import { claimsAfter } from '../model/arrange.ts';
import { isClaim } from '../model/shapes.ts';
import { ClaimRecord } from './claim-record.tsx';

/** A claim from the lists, or from the service when it is not in them. */
export function ClaimScreen({ id }: { id: string }) {
  const words = texts.value;
  const listed = lists.findClaim(id);
  const [lastSeen, setLastSeen] = useState<AppClaim>();
  const [missing, setMissing] = useState<'gone' | 'withdrawn' | 'not stored' | 'unreadable' | null>(null);
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
    request(() => call('getOfferedClaim', { params: { id } })).then(
      (found) => {
        if (!isClaim(found)) return setMissing('unreadable');
        setLastSeen(found);
        lists.updateClaim(found);
        setMissing(null);
      },
      async (error: unknown) => {
        if (error instanceof ApiError && (error.status === 404 || error.status === 422)) {
          const isWithdrawn =
            lastSeen !== undefined && (await isWithdrawnByFirm(call, id, lastSeen.offered_at));
          setMissing(isWithdrawn ? 'withdrawn' : 'gone');
        } else if (error instanceof NetworkError) setMissing('not stored');
      },
    );
  }, [id, gone, listsRead]);

  // The result of an answer does not apply to a later offer of the same claim.
  const outcome = listed?.assignment.status === 'pending_acceptance' ? undefined : outcomes.results.value[id];
  const answeredBar = useAnsweredBar(id, listed !== undefined && isOpen(listed));
  const ended = [missing, outcome].find((end) => end === 'withdrawn' || end === 'gone');
  if (outcome === 'rejected' || ended !== undefined) {
    const known = lastSeen !== undefined;
    const isWithdrawn = missing === 'withdrawn' || outcome === 'withdrawn';
    return (
      <>
        <ScreenHeader title={known ? titleOf(lastSeen) : words.claim.title} back="#/" />
        {outcome === 'rejected' ? (
          <EmptyState title={words.claim.rejected} icon="check" />
        ) : (
          <EmptyState title={known ? words.claim.gone : words.claim.notAvailable} icon="claims">
            <p>
              {isWithdrawn
                ? words.claim.withdrawn
                : known
                  ? words.claim.goneMore
                  : words.claim.notAvailableMore}
            </p>
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
      <ClaimRecord claim={claim} />
      {answeredBar ?? (open && <AnswerBar claim={claim} />)}
    </>
  );
}

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
  const [busy, during] = useBusy();
  const answer = (kind: 'accept' | 'reject', reason?: string): void => {
    setRejecting(false);
    void during(() => answers.answer([claim], kind, reason));
  };
  return (
    <AnswerActions shows={claim.id}>
      <Button busy={busy} onClick={() => setRejecting(true)}>
        {words.claim.reject}
      </Button>
      <Button kind="primary" busy={busy} onClick={() => answer('accept')}>
        {words.claim.accept}
      </Button>
      {rejecting && (
        <RejectDialog
          claimIds={[claim.id]}
          close={() => setRejecting(false)}
          confirm={(reason) => answer('reject', reason)}
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
  const queued = answers.queuedTo(id);
  const groups = arrangement.arrangedOffers.value;
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
  const isWaiting = queued !== undefined && outbox.entryState(queued) !== 'held';
  const undoable = isWaiting && answers.isUndoable(queued);
  return (
    <AnswerActions key="answered" shows={undoable ? 'undo' : isWaiting ? 'waiting' : 'next'}>
      {isWaiting && (
        <Note kind="warning" icon="cloud">
          <p role="status">
            {problemOf([queued]) ??
              (queued.answer === 'accept' ? words.claim.queuedAccept : words.claim.queuedReject)}
          </p>
        </Note>
      )}
      {isWaiting && <SendNow entries={[queued]} />}
      {undoable && <Button onClick={() => void answers.undo([id])}>{undoLabel([queued])}</Button>}
      <Button kind="primary" onClick={() => replaceScreen(next === undefined ? '#/' : `#/claims/${next.id}`)}>
        {next === undefined ? words.nav.offers : words.claim.nextOffer}
      </Button>
    </AnswerActions>
  );
}

/** How long the offer has been waiting. */
const WaitingPill = ({ claim }: { claim: AppClaim }) => {
  const age = since(claim.offered_at);
  const { offers } = texts.value;
  return (
    <p class="pill warning">
      <Icon name="clock" />
      {age === null ? offers.new : offers.offeredAgo(age)}
      {claim.respond_by !== undefined && ` · ${offers.respondBy(dateTime(claim.respond_by))}`}
    </p>
  );
};
