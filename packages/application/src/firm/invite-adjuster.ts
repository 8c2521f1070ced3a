import {
  checkInvitable,
  type InvitationNotes,
  invite,
  type Membership,
  type Svcid,
  TEST_ACCOUNTS,
  TEST_RESPONSE_DELAY_MS,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import { byFirm, recordMemberAction } from '../audit/events.ts';
import type { AdjusterView } from '../model/member-views.ts';
import type { Clock } from '../ports/clock.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';

/** Invites an adjuster, also again after a decline, expiry, withdrawal or departure. */
export const makeInviteAdjuster =
  (deps: { uow: UnitOfWork; clock: Clock }) =>
  (actor: FirmActor, command: { svcId: Svcid; notes: InvitationNotes }): Promise<AdjusterView> =>
    deps.uow.run(async (tx) => {
      const at = deps.clock.now();
      const { firmId, environment } = actor;
      const adjuster = checkInvitable(await tx.adjusters.find(command.svcId), firmId, environment);
      const current = await tx.memberships.lock(firmId, command.svcId);
      const membership: Membership = invite(current, { firmId, ...command, at });
      await tx.memberships.save(membership);
      await recordMemberAction(tx, membership, byFirm(actor), { at, action: 'invitation.send' });

      const invitation = { firmId, svcId: command.svcId, invitedAt: at };
      await tx.outbox.add({ kind: 'notify_invitation', ...invitation });
      if (
        adjuster.testOf !== null &&
        TEST_ACCOUNTS[adjuster.testOf.behavior].answersInvitation !== undefined
      ) {
        await tx.outbox.add(
          { kind: 'simulate_invitation_response', ...invitation },
          at + TEST_RESPONSE_DELAY_MS,
        );
      }
      return { membership, adjuster };
    });
