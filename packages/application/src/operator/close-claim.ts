import { type Claim, type ClaimId, closeClaimAsOperator } from '@svc/domain';
import type { Operator } from '../actors.ts';
import { byOperator, claimObject, recordAction } from '../audit/events.ts';
import type { Clock } from '../ports/clock.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { OperatorError } from './operator-error.ts';

/** Closes any claim, which frees its claim number and ends offering. Not visible to the firm. */
export const makeCloseClaimAsOperator =
  (deps: { uow: UnitOfWork; clock: Clock; operator: Operator }) =>
  (id: ClaimId): Promise<Claim> =>
    deps.uow.run(async (tx) => {
      const claim = await tx.claims.lockAny(id);
      if (claim === null) throw new OperatorError(`no claim has the id ${id}`);
      if (claim.closedAt !== null) return claim;
      const at = deps.clock.now();
      const closed = closeClaimAsOperator(claim, at);
      await tx.claims.saveWithoutTimestamp(closed);
      const audited = { at, action: 'claim.close', object: claimObject(id) } as const;
      await recordAction(tx, claim.firmId, byOperator(deps.operator), audited);
      return closed;
    });
