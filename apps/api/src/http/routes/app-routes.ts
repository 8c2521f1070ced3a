import type {
  AppReads,
  Clock,
  JobReads,
  makeAcceptClaim,
  makeAcceptInvitation,
  makeCloseAcceptedClaim,
  makeDeclineInvitation,
  makeLeaveFirm,
  makePutDevice,
  makeReadAppClaim,
  makeReadProfile,
  makeRecordWork,
  makeRejectClaim,
  makeRemoveDevice,
  makeRequestSignInCode,
  makeSetAcceptingAssignments,
  makeSignIn,
  makeSignOut,
  makeUpdateProfile,
  SignInProof,
} from '@svc/application';
import { endpoints, type SignInBody } from '@svc/contract';
import { type ClaimId, DomainError, type FirmId, type Svcid } from '@svc/domain';
import {
  declinedToWire,
  invitationToWire,
  membershipToWire,
  profileToWire,
  sessionToWire,
} from '../serialization/adjuster.ts';
import { appClaimToWire } from '../serialization/claim.ts';
import type { CursorScope, Cursors } from '../serialization/cursor.ts';
import { page, pageRequest } from './paging.ts';
import { appRoute, ok, openRoute, type Reply, type Route } from './route.ts';

export interface AppRouteDeps {
  readonly requestSignInCode: ReturnType<typeof makeRequestSignInCode>;
  readonly signIn: ReturnType<typeof makeSignIn>;
  readonly signOut: ReturnType<typeof makeSignOut>;
  readonly readProfile: ReturnType<typeof makeReadProfile>;
  readonly updateProfile: ReturnType<typeof makeUpdateProfile>;
  readonly acceptInvitation: ReturnType<typeof makeAcceptInvitation>;
  readonly declineInvitation: ReturnType<typeof makeDeclineInvitation>;
  readonly setAcceptingAssignments: ReturnType<typeof makeSetAcceptingAssignments>;
  readonly leaveFirm: ReturnType<typeof makeLeaveFirm>;
  readonly readClaim: ReturnType<typeof makeReadAppClaim>;
  readonly acceptClaim: ReturnType<typeof makeAcceptClaim>;
  readonly rejectClaim: ReturnType<typeof makeRejectClaim>;
  readonly recordWork: ReturnType<typeof makeRecordWork>;
  readonly closeClaim: ReturnType<typeof makeCloseAcceptedClaim>;
  readonly putDevice: ReturnType<typeof makePutDevice>;
  readonly removeDevice: ReturnType<typeof makeRemoveDevice>;
  readonly jobReads: Pick<JobReads, 'firmName'>;
  readonly reads: AppReads;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

const NO_CONTENT: Reply = { status: 204 };

/** Fields that were sent, under the names the application gives them; what was left out stays out. */
function sent<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

export const toProof = (body: SignInBody): SignInProof =>
  body.code === undefined
    ? { svcId: body.svc_id as Svcid, signInSecret: body.sign_in_secret }
    : { email: body.email, code: body.code };

/** What the adjuster's app calls. */
export function appRoutes(deps: AppRouteDeps): Route[] {
  const claimOf = async (claim: ReturnType<typeof deps.readClaim>): Promise<Reply> => ({
    status: 200,
    json: appClaimToWire(await claim),
  });

  return [
    openRoute(endpoints.requestSignInCode, async ({ body }, { clientAddress }) => {
      await deps.requestSignInCode(body.email, clientAddress);
      return { status: 202 };
    }),

    openRoute(endpoints.signIn, async ({ body }, { clientAddress }) => {
      const session = await deps.signIn(toProof(body), clientAddress);
      return ok(sessionToWire(session, await deps.readProfile(session.adjuster)), 201);
    }),

    appRoute(endpoints.signOut, async (_, { session }) => {
      await deps.signOut(session.tokenHash);
      return NO_CONTENT;
    }),

    appRoute(endpoints.getProfile, async (_, { actor }) => ok(profileToWire(await deps.readProfile(actor)))),

    appRoute(endpoints.updateProfile, async ({ body }, { actor }) => {
      const changes = sent({ firstName: body.first_name, lastName: body.last_name, email: body.email });
      return ok(profileToWire(await deps.updateProfile(actor, changes)));
    }),

    appRoute(endpoints.listInvitations, async ({ query }, { actor }) => {
      const scope: CursorScope = { list: 'invitations', reader: actor.svcId, filters: {} };
      const request = pageRequest(query, deps.cursors, scope);
      const [adjuster, slice] = await Promise.all([
        deps.reads.adjuster(actor.svcId),
        deps.reads.invitations(actor.svcId, deps.clock.now(), request),
      ]);
      if (adjuster === null) throw new DomainError('not_found', 'No such account.');
      return page(slice, (view) => JSON.stringify(invitationToWire(view, adjuster)), deps.cursors, scope);
    }),

    appRoute(endpoints.acceptInvitation, async ({ params }, { actor }) =>
      ok(membershipToWire(await deps.acceptInvitation(actor, params.firm_id as FirmId))),
    ),

    appRoute(endpoints.declineInvitation, async ({ params }, { actor }) => {
      const firmId = params.firm_id as FirmId;
      const declined = await deps.declineInvitation(actor, firmId);
      return ok(declinedToWire(declined, await deps.jobReads.firmName(firmId)));
    }),

    appRoute(endpoints.updateMembership, async ({ params, body }, { actor }) =>
      ok(
        membershipToWire(
          await deps.setAcceptingAssignments(actor, params.firm_id as FirmId, body.accepting_assignments),
        ),
      ),
    ),

    appRoute(endpoints.leaveFirm, async ({ params }, { actor }) => {
      await deps.leaveFirm(actor, params.firm_id as FirmId);
      return NO_CONTENT;
    }),

    appRoute(endpoints.listOfferedClaims, async ({ query }, { actor }) => {
      const list = query.status ?? 'pending_acceptance';
      const scope: CursorScope = { list: 'app-claims', reader: actor.svcId, filters: { list } };
      const slice = await deps.reads.claims(actor.svcId, list, pageRequest(query, deps.cursors, scope));
      return page(slice, appClaimToWire, deps.cursors, scope);
    }),

    appRoute(endpoints.getOfferedClaim, ({ params }, { actor }) =>
      claimOf(deps.readClaim(actor, params.id as ClaimId)),
    ),
    appRoute(endpoints.acceptClaim, ({ params }, { actor }) =>
      claimOf(deps.acceptClaim(actor, params.id as ClaimId)),
    ),
    appRoute(endpoints.rejectClaim, ({ params, body }, { actor }) =>
      claimOf(deps.rejectClaim(actor, params.id as ClaimId, body.reason ?? null)),
    ),
    appRoute(endpoints.updateWork, ({ params, body }, { actor }) => {
      const edits = sent({
        contactDate: body.contact_date,
        inspectionDate: body.inspection_date,
        notes: body.notes,
      });
      return claimOf(deps.recordWork(actor, params.id as ClaimId, edits));
    }),
    appRoute(endpoints.closeClaim, ({ params }, { actor }) =>
      claimOf(deps.closeClaim(actor, params.id as ClaimId)),
    ),

    appRoute(endpoints.registerDevice, async ({ params, body }, { actor }) => {
      await deps.putDevice(actor, params.device_id, body.subscription);
      return NO_CONTENT;
    }),
    appRoute(endpoints.unregisterDevice, async ({ params }, { actor }) => {
      await deps.removeDevice(actor, params.device_id);
      return NO_CONTENT;
    }),
  ];
}
