import {
  acceptOrLapse,
  type Claim,
  type ClaimAccess,
  type ClaimId,
  type ClaimWork,
  type ContactAttempt,
  closeAcceptedClaim,
  DomainError,
  logContact,
  recordWork,
  rejectClaim,
} from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import type { AuditAction } from '../ports/audit.ts';
import type { AppClaimView, AppReads } from '../ports/reads.ts';
import type { Clock } from '../ports/support.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';
import { byAdjuster, claimObject, recordAction } from '../support/audit.ts';

type Deps = { uow: UnitOfWork; clock: Clock };

const notFound = (): DomainError => new DomainError('not_found', 'No such claim.');

type SaveClaim = (tx: Tx, claim: Claim) => Promise<Claim>;
const saveVisibly: SaveClaim = (tx, claim) => tx.claims.saveAndCommit(claim);
/** The firm does not see it: the claim keeps its place in the firm's feed. */
const saveInvisibly: SaveClaim = async (tx, claim) => {
  await tx.claims.saveWithoutTimestamp(claim);
  return claim;
};

/** Changes a claim and returns it from the same transaction: afterwards it may already be offered to another adjuster. */
const change = (
  deps: Deps,
  actor: AdjusterActor,
  id: ClaimId,
  action: AuditAction,
  apply: (claim: Claim, membership: ClaimAccess) => Claim,
  save: SaveClaim,
): Promise<AppClaimView> =>
  deps.uow.run(async (tx) => {
    const offered = await tx.claims.lockOfferedTo(actor.svcId, id);
    if (offered === null) throw notFound();
    const { claim, membership, forms } = offered;
    const next = apply(claim, membership);
    const outcome =
      action === 'claim.accept' && next.assignment.status !== 'accepted' ? 'offer_not_pending' : 'ok';
    const audited = { at: deps.clock.now(), action, object: claimObject(id), outcome };
    await recordAction(tx, claim.firmId, byAdjuster(actor), audited);
    return { ...(await save(tx, next)), ...forms };
  });

export const makeReadAppClaim =
  (deps: { reads: AppReads }) =>
  async (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    const view = await deps.reads.claim(actor.svcId, id);
    if (view === null) throw notFound();
    return view;
  };

export const makeAcceptClaim =
  (deps: Deps) =>
  async (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    const response = () => ({ by: actor.svcId, at: deps.clock.now() });
    const view = await change(
      deps,
      actor,
      id,
      'claim.accept',
      (claim, membership) => acceptOrLapse(claim, membership, response()),
      saveVisibly,
    );
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
    return change(deps, actor, id, 'claim.reject', reject, saveVisibly);
  };

/** Records the adjuster's dates and notes; not visible to the firm. */
export const makeRecordWork =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId, edits: Partial<ClaimWork>): Promise<AppClaimView> =>
    change(
      deps,
      actor,
      id,
      'claim.work',
      (claim, membership) => recordWork(claim, membership, { by: actor.svcId, at: deps.clock.now(), edits }),
      saveInvisibly,
    );

/** Logs an attempt to reach the policyholder; not visible to the firm. */
export const makeLogContact =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId, attempt: ContactAttempt): Promise<AppClaimView> =>
    change(
      deps,
      actor,
      id,
      'claim.work',
      (claim, membership) =>
        logContact(claim, membership, { by: actor.svcId, at: deps.clock.now(), attempt }),
      saveInvisibly,
    );

export const makeCloseAcceptedClaim =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    const close = (claim: Claim, membership: ClaimAccess): Claim =>
      closeAcceptedClaim(claim, membership, { by: actor.svcId, at: deps.clock.now() });
    return change(deps, actor, id, 'claim.close', close, saveInvisibly);
  };
