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

/** Changes a claim and returns it from the same transaction: afterwards it may already be offered to another adjuster. */
const change = (
  deps: Deps,
  actor: AdjusterActor,
  id: ClaimId,
  apply: (claim: Claim) => Claim,
  visibility: 'visible to firm' | 'not visible to firm',
): Promise<AppClaimView> =>
  deps.uow.run(async (tx) => {
    const claim = await tx.claims.lockOfferedTo(actor.svcId, id);
    if (claim === null) throw notFound();
    const next = apply(claim);
    const [forForms, saved] = await Promise.all([
      tx.claims.forForms(next),
      visibility === 'not visible to firm'
        ? tx.claims.saveWithoutTimestamp(next).then(() => next)
        : tx.claims.save(next),
    ]);
    return { ...saved, ...forForms };
  });

export const makeReadAppClaim =
  (deps: { reads: AppReads }) =>
  async (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    const view = await deps.reads.claim(actor.svcId, id);
    if (view === null) throw notFound();
    return view;
  };

/** Locks the membership before the claim, the lock order of operations that remove the permission. */
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
      const [forForms, saved] = await Promise.all([tx.claims.forForms(next), tx.claims.save(next)]);
      return { ...saved, ...forForms };
    });
    // Thrown after the commit, so that the offer stays `unassigned`.
    if (view.assignment.status !== 'accepted')
      throw new DomainError('offer_not_pending', 'The firm no longer lets you accept its claims.');
    return view;
  };

export const makeRejectClaim =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId, reason: string | null): Promise<AppClaimView> => {
    const reject = (claim: Claim): Claim =>
      rejectClaim(claim, { by: actor.svcId, at: deps.clock.now(), reason });
    return change(deps, actor, id, reject, 'visible to firm');
  };

/** Records the adjuster's dates and notes; not visible to the firm. */
export const makeRecordWork =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId, edits: Partial<ClaimWork>): Promise<AppClaimView> =>
    change(deps, actor, id, (claim) => recordWork(claim, actor.svcId, edits), 'not visible to firm');

export const makeCloseAcceptedClaim =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    const close = (claim: Claim): Claim =>
      closeAcceptedClaim(claim, { by: actor.svcId, at: deps.clock.now() });
    return change(deps, actor, id, close, 'not visible to firm');
  };
