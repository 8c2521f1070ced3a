import {
  byAccount,
  type Clock,
  type DeskUseCases,
  type OperatorReads,
  type SignInProof,
  type StaffReads,
  toDateTime,
} from '@svc/application';
import { deskEndpoints, type StaffSignInBody } from '@svc/contract';
import type { FirmId, StaffId } from '@svc/domain';
import { deviceNameOf } from '../adjuster-app/device-name.ts';
import { ownStaffToWire, staffToWire } from '../serialization/staff.ts';
import { toProof } from './app-routes.ts';
import { jsonResponse, openRoute, type Route, staffRoute } from './route.ts';

interface DeskStaffRouteDeps {
  readonly deskUseCases: DeskUseCases;
  readonly staffReads: StaffReads;
  readonly operatorReads: Pick<OperatorReads, 'workingKeys'>;
  readonly clock: Clock;
}

const firmIdOf = (id: string): FirmId => id.toLowerCase() as FirmId;

export function toStaffProof(body: StaffSignInBody): SignInProof {
  if (body.ticket !== undefined)
    return { ticket: body.ticket, firmId: firmIdOf(body.firm_id), clientSecret: body.client_secret };
  const { firm_id, ticket: _, ...proof } = body;
  return { ...toProof(proof), ...(firm_id !== undefined && { firmId: firmIdOf(firm_id) }) };
}

/** Sign-in to the desk, and the people of the firm. */
export function deskStaffRoutes(deps: DeskStaffRouteDeps): Route[] {
  const { deskUseCases: use, staffReads, operatorReads, clock } = deps;
  const workingKeys = (firmId: FirmId) => operatorReads.workingKeys(firmId, clock.now());
  const memberOf = (firmId: FirmId, { staff_id }: { staff_id: string }) => ({
    firmId,
    staffId: staff_id as StaffId,
  });
  return [
    openRoute(deskEndpoints.requestStaffSignInCode, async ({ body }, { origin }) => {
      await use.requestSignInCode(body.email, origin.address, body.client_secret);
      return { status: 202 };
    }),

    openRoute(deskEndpoints.signInStaff, async ({ body }, { origin, userAgent }) => {
      const deviceName = body.device_name ?? deviceNameOf(userAgent);
      const opened = await use.signIn(toStaffProof(body), origin, deviceName);
      if ('ticket' in opened) return jsonResponse(opened);
      const { token, expiresAt, account } = opened;
      const own = ownStaffToWire(await use.readOwnStaff(account));
      return jsonResponse({ token, expires_at: toDateTime(expiresAt), ...own }, 201);
    }),

    staffRoute(deskEndpoints.signOutStaff, async (_, { actor, session }) => {
      await use.signOut(actor, session.tokenHash);
      return { status: 204 };
    }),

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
