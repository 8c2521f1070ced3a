import { checkNameable, DomainError, isAdjusterVisible, type Svcid, withdrawInvitation } from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import { byFirm, recordMemberAction } from '../audit/events.ts';
import type { AdjusterView } from '../model/member-views.ts';
import type { Needs } from '../ports/needs.ts';

/** Withdraws a pending invitation. */
export const makeWithdrawInvitation =
  (deps: Needs<'uow' | 'clock'>) =>
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
