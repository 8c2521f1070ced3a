import { type Claim, type ClaimId, closeByOperator } from '@svc/domain';
import type { Clock } from '../ports/support.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { OperatorRefusal } from './operator-error.ts';

/** Closes any claim: its claim number is free again, and it cannot be offered again. The firm sees no change. */
export const makeCloseClaim =
  (deps: { uow: UnitOfWork; clock: Clock }) =>
  (id: ClaimId): Promise<Claim> =>
    deps.uow.run(async (tx) => {
      const claim = await tx.claims.lockAny(id);
      if (claim === null) throw new OperatorRefusal(`no claim has the id ${id}`);
      const closed = closeByOperator(claim, deps.clock.now());
      await tx.claims.saveUnseen(closed);
      return closed;
    });
