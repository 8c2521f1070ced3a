import { type Claim, type ClaimId, closeClaimAsOperator } from '@svc/domain';
import type { Clock } from '../ports/support.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { OperatorError } from './operator-error.ts';

/** Closes any claim, which frees its claim number and ends offering. Not visible to the firm. */
export const makeCloseClaimAsOperator =
  (deps: { uow: UnitOfWork; clock: Clock }) =>
  (id: ClaimId): Promise<Claim> =>
    deps.uow.run(async (tx) => {
      const claim = await tx.claims.lockAny(id);
      if (claim === null) throw new OperatorError(`no claim has the id ${id}`);
      const closed = closeClaimAsOperator(claim, deps.clock.now());
      await tx.claims.saveWithoutTimestamp(closed);
      return closed;
    });
