import {
  acceptOrLapse,
  type Claim,
  type ClaimId,
  type ClaimWork,
  closeAcceptedClaim,
  DomainError,
  recordWork,
  rejectClaim,
} from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import type { AppClaimView, AppReads } from '../ports/reads.ts';
import type { Clock } from '../ports/support.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';

type Deps = { uow: UnitOfWork; clock: Clock };

const notFound = (): DomainError => new DomainError('not_found', 'No such claim.');

/** One change of a claim that is this adjuster's, answered from the unit itself: the offer may be gone a moment later. */
const change = (
  deps: Deps,
  actor: AdjusterActor,
  id: ClaimId,
  by: (claim: Claim) => Claim,
  visible: 'seen by the firm' | 'unseen',
): Promise<AppClaimView> =>
  deps.uow.run(async (tx) => {
    const claim = await tx.claims.lockOfferedTo(actor.svcId, id);
    if (claim === null) throw notFound();
    const next = by(claim);
    const [onForms, saved] = await Promise.all([
      tx.claims.forForms(next),
      visible === 'unseen' ? tx.claims.saveWithoutTimestamp(next).then(() => next) : tx.claims.save(next),
    ]);
    return { ...saved, ...onForms };
  });

export const makeReadAppClaim =
  (deps: { reads: AppReads }) =>
  async (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    const view = await deps.reads.claim(actor.svcId, id);
    if (view === null) throw notFound();
    return view;
  };

/** The membership is locked before the claim, as by whoever takes the permission away. */
export const makeAcceptClaim =
  (deps: Deps) =>
  async ({ svcId }: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    const view = await deps.uow.run(async (tx) => {
      const [membership, claim] = await Promise.all([
        tx.memberships.lockSharedOfSender(svcId, id),
        tx.claims.lockOfferedTo(svcId, id),
      ]);
      if (claim === null) throw notFound();
      const next = acceptOrLapse(claim, membership, { by: svcId, at: deps.clock.now() });
      const [onForms, saved] = await Promise.all([tx.claims.forForms(next), tx.claims.save(next)]);
      return { ...saved, ...onForms };
    });
    // Thrown after the commit, which keeps that the offer lapsed.
    if (view.assignment.status !== 'accepted')
      throw new DomainError('offer_not_pending', 'The firm no longer lets you accept its claims.');
    return view;
  };

export const makeRejectClaim =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId, reason: string | null): Promise<AppClaimView> => {
    const reject = (claim: Claim): Claim =>
      rejectClaim(claim, { by: actor.svcId, at: deps.clock.now(), reason });
    return change(deps, actor, id, reject, 'seen by the firm');
  };

/** The adjuster's own dates and notes; the firm sees nothing of them. */
export const makeRecordWork =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId, edits: Partial<ClaimWork>): Promise<AppClaimView> =>
    change(deps, actor, id, (claim) => recordWork(claim, actor.svcId, edits), 'unseen');

/** The adjuster is done with an accepted claim. */
export const makeCloseAcceptedClaim =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    const close = (claim: Claim): Claim =>
      closeAcceptedClaim(claim, { by: actor.svcId, at: deps.clock.now() });
    return change(deps, actor, id, close, 'unseen');
  };
