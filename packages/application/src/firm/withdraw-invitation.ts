import { checkNameable, DomainError, type Svcid, withdrawInvitation } from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import type { AdjusterView } from '../ports/reads.ts';
import type { Clock } from '../ports/support.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';

/** Takes back an invitation that waits for an answer; the adjuster can no longer accept it. */
export const makeWithdrawInvitation =
  (deps: { uow: UnitOfWork; clock: Clock }) =>
  (actor: FirmActor, svcId: Svcid): Promise<AdjusterView> =>
    deps.uow.run(async (tx) => {
      const at = deps.clock.now();
      const adjuster = await tx.adjusters.find(svcId);
      const current = await tx.memberships.lock(actor.firmId, svcId);
      const visible = adjuster !== null && (actor.environment === 'live' || adjuster.testOf !== null);
      if (!visible || current === null) {
        throw new DomainError('not_found', 'No invitation of this adjuster waits for an answer.');
      }
      const membership = withdrawInvitation(current, at);
      checkNameable(adjuster, actor.environment);
      await tx.memberships.save(membership);
      return { membership, adjuster };
    });
