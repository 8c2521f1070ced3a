import { type Claim, type ClaimId, closeClaim, existing, type Instant, withdrawOffer } from '@svc/domain';
import type { StaffActor } from '../actors.ts';
import { byAccount, claimObject, recordAction } from '../audit/events.ts';
import type { AuditCaller } from '../model/audit.ts';
import { OperatorError } from '../operator/operator-error.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { checkUnchanged, type NameReads, withChangeDescribed } from './claim-changed.ts';

type Deps = Needs<'uow' | 'clock'>;

interface SeenClaim {
  readonly claimId: ClaimId;
  /** The `updatedAt` of the claim that was seen: a claim that has changed since is left as it is. */
  readonly seenUpdatedAt?: Instant | undefined;
}

interface Ending {
  readonly caller: AuditCaller;
  readonly at: Instant;
}

/** Ends the pending offer of a locked claim; its adjuster is notified. */
async function withdrawLocked(
  tx: Tx,
  claim: Claim,
  { caller, at }: Ending,
  seenUpdatedAt: Instant | undefined,
): Promise<Claim> {
  const { id: claimId, firmId, assignment } = claim;
  const ended = withdrawOffer(claim, caller.actor);
  checkUnchanged(claim, seenUpdatedAt);
  const withdrawn = await tx.claims.save(ended);
  await tx.outbox.add({ kind: 'notify_offer_withdrawn', firmId, claimId, svcId: assignment.adjuster });
  await recordAction(tx, firmId, caller, { at, action: 'claim.withdraw', object: claimObject(claimId) });
  return withdrawn;
}

/** Closes a locked claim, which frees its claim number and ends offering. Not visible under `/v1`. */
export async function closeLocked(
  tx: Tx,
  claim: Claim,
  { caller, at }: Ending,
  reason: string | null = null,
): Promise<Claim> {
  if (claim.closedAt !== null) return claim;
  const closed = closeClaim(claim, at, { by: caller.actor, reason });
  await tx.claims.saveWithoutTimestamp(closed);
  const audited = { at, action: 'claim.close', object: claimObject(claim.id) } as const;
  await recordAction(tx, claim.firmId, caller, audited);
  return closed;
}

const atDesk = (
  deps: Deps & NameReads,
  actor: StaffActor,
  { claimId, seenUpdatedAt }: SeenClaim,
  end: (tx: Tx, claim: Claim, ending: Ending, seenUpdatedAt: Instant | undefined) => Promise<Claim>,
): Promise<Claim> =>
  deps.uow
    .run(async (tx) => {
      const locked = await tx.claims.lock(actor.firmId, claimId);
      const claim = existing(locked, 'No claim of your firm has this id.');
      return end(tx, claim, { caller: byAccount(actor), at: deps.clock.now() }, seenUpdatedAt);
    })
    .catch(withChangeDescribed(deps, actor.firmId));

/** Ends the pending offer of a claim for a person of the firm. */
export const makeWithdrawOffer =
  (deps: Deps & NameReads) =>
  (actor: StaffActor, seen: SeenClaim): Promise<Claim> =>
    atDesk(deps, actor, seen, withdrawLocked);

/** Closes a claim for a person of the firm; a pending offer is withdrawn first. Closing again has no effect. */
export const makeCloseClaimAtDesk =
  (deps: Deps & NameReads) =>
  (actor: StaffActor, { reason, ...seen }: SeenClaim & { readonly reason: string | null }): Promise<Claim> =>
    atDesk(deps, actor, seen, async (tx, claim, ending, seenUpdatedAt) => {
      if (claim.closedAt !== null) return claim;
      checkUnchanged(claim, seenUpdatedAt);
      const isPending = claim.assignment.status === 'pending_acceptance';
      const ended = isPending ? await withdrawLocked(tx, claim, ending, seenUpdatedAt) : claim;
      return closeLocked(tx, ended, ending, reason);
    });

/** Closes any claim for the operator; a pending offer ends with it. */
export const makeCloseClaimAsOperator =
  ({ uow, clock, operator }: Deps & Needs<'operator'>) =>
  (id: ClaimId): Promise<Claim> =>
    uow.run(async (tx) => {
      const claim = await tx.claims.lockAny(id);
      if (claim === null) throw new OperatorError(`no claim has the id ${id}`);
      return closeLocked(tx, claim, { caller: operator, at: clock.now() });
    });
