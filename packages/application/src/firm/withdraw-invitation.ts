import { checkNameable, DomainError, isAdjusterVisible, type Svcid, withdrawInvitation } from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import { byFirm, recordMemberAction } from '../audit/events.ts';
import type { AdjusterView } from '../model/member-views.ts';
import type { Clock } from '../ports/clock.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';

/** Withdraws a pending invitation. */
export const makeWithdrawInvitation =
  (deps: { uow: UnitOfWork; clock: Clock }) =>
  (actor: FirmActor, svcId: Svcid): Promise<AdjusterView> =>
    deps.uow.run(async (tx) => {
      const at = deps.clock.now();
      const adjuster = await tx.adjusters.find(svcId);
      const current = await tx.memberships.lock(actor.firmId, svcId);
      if (adjuster === null || current === null || !isAdjusterVisible(adjuster, actor.environment)) {
        throw new DomainError('not_found', 'This adjuster has no pending invitation.');
      }
      const membership = withdrawInvitation(current, at);
      checkNameable(adjuster, actor.environment);
      await tx.memberships.save(membership);
      await recordMemberAction(tx, membership, byFirm(actor), { at, action: 'invitation.withdraw' });
      return { membership, adjuster };
    });
