import {
  type AccountUseCases,
  byAccount,
  type Clock,
  type MemberUseCases,
  type OperatorReads,
  type StaffReads,
} from '@svc/application';
import { deskEndpoints } from '@svc/contract';
import type { FirmId, StaffId } from '@svc/domain';
import { ownStaffToWire, staffToWire } from '../serialization/staff.ts';
import { firmIdOf } from './account-routes.ts';
import { jsonResponse, type Route, staffRoute } from './route.ts';

interface DeskStaffRouteDeps extends MemberUseCases, Pick<AccountUseCases, 'changeFirm'> {
  readonly staffReads: StaffReads;
  readonly operatorReads: Pick<OperatorReads, 'workingKeys'>;
  readonly clock: Clock;
}

/** The people of the firm. */
export function deskStaffRoutes(use: DeskStaffRouteDeps): Route[] {
  const { staffReads, operatorReads, clock } = use;
  const workingKeys = (firmId: FirmId) => operatorReads.workingKeys(firmId, clock.now());
  const memberOf = (firmId: FirmId, { staff_id }: { staff_id: string }) => ({
    firmId,
    staffId: staff_id as StaffId,
  });
  return [
    staffRoute(deskEndpoints.changeFirm, async ({ body }, { actor, session }) => {
      const account = await use.changeFirm(actor, session.tokenHash, firmIdOf(body.firm_id));
      return jsonResponse(ownStaffToWire(await use.readOwnStaff(account)));
    }),

    staffRoute(deskEndpoints.getOwnStaff, async (_, { actor }) =>
      jsonResponse(ownStaffToWire(await use.readOwnStaff(actor))),
    ),

    staffRoute(deskEndpoints.updateOwnStaff, async ({ body: { late_offers_mail: mail } }, { actor }) => {
      if (mail !== undefined) await use.setLateOffersMail(byAccount(actor), actor, mail === 'daily');
      return jsonResponse(ownStaffToWire(await use.readOwnStaff(actor)));
    }),

    staffRoute(deskEndpoints.listStaff, async (_, { actor: { firmId } }) => {
      const [members, keys] = await Promise.all([staffReads.ofFirm(firmId), workingKeys(firmId)]);
      return {
        ...jsonResponse({ data: members.map((member) => staffToWire(member, keys)), next_cursor: null }),
        reads: [{ firmId, action: 'staff.read', object: null }],
      };
    }),

    staffRoute(deskEndpoints.inviteStaff, async ({ body }, { actor }) => {
      const { email, name, role } = body;
      const invited = { firmId: actor.firmId, email, name, role };
      return jsonResponse(staffToWire(await use.inviteStaff(byAccount(actor), invited), []), 201);
    }),

    staffRoute(deskEndpoints.updateStaff, async ({ params, body }, { actor }) => {
      const changed = await use.updateStaff(byAccount(actor), memberOf(actor.firmId, params), body);
      return jsonResponse(staffToWire(changed, await workingKeys(actor.firmId)));
    }),

    staffRoute(deskEndpoints.removeStaff, async ({ params }, { actor }) => {
      await use.removeStaff(byAccount(actor), memberOf(actor.firmId, params));
      return { status: 204 };
    }),
  ];
}
