import type { AdjusterView, ClaimUseCases, ClaimView, Clock } from '@svc/application';
import { type DepartedAdjuster, endpoints, type SimulatedFaults } from '@svc/contract';
import { type ClaimId, checkSandboxKey, type Svcid } from '@svc/domain';
import { adjusterToWire } from '../serialization/adjuster.ts';
import { claimToWire } from '../serialization/claim.ts';
import { readinessToWire } from '../serialization/readiness.ts';
import { firmRoute, jsonResponse, type Route, type RouteResponse } from './route.ts';

/** The endpoints with which a test key simulates adjusters, time and failures. */
export function sandboxRoutes({
  sandbox,
  checkReadiness,
  clock,
}: ClaimUseCases & { readonly clock: Clock }): Route[] {
  const claim = async (changed: Promise<ClaimView>): Promise<RouteResponse> => ({
    status: 200,
    json: claimToWire(await changed),
  });
  const adjuster = async (changed: Promise<AdjusterView>): Promise<RouteResponse> =>
    jsonResponse(adjusterToWire(await changed, clock.now()));

  return [
    firmRoute(endpoints.acceptTestClaim, ({ params }, { actor }) =>
      claim(sandbox.acceptClaim(actor, params.id as ClaimId)),
    ),
    firmRoute(endpoints.rejectTestClaim, ({ params, body }, { actor }) =>
      claim(sandbox.rejectClaim(actor, params.id as ClaimId, body.reason ?? null)),
    ),
    firmRoute(endpoints.closeTestClaim, ({ params }, { actor }) =>
      claim(sandbox.closeClaim(actor, params.id as ClaimId)),
    ),

    firmRoute(endpoints.acceptTestInvitation, ({ params }, { actor }) =>
      adjuster(sandbox.acceptInvitation(actor, params.svc_id as Svcid)),
    ),
    firmRoute(endpoints.declineTestInvitation, ({ params }, { actor }) =>
      adjuster(sandbox.declineInvitation(actor, params.svc_id as Svcid)),
    ),
    firmRoute(endpoints.expireTestInvitation, ({ params }, { actor }) =>
      adjuster(sandbox.expireInvitation(actor, params.svc_id as Svcid)),
    ),

    firmRoute(endpoints.departTestAdjuster, async ({ params }, { actor }) => {
      const { membership } = await sandbox.leaveFirm(actor, params.svc_id as Svcid);
      return jsonResponse({ svc_id: membership.svcId, status: 'left' } satisfies DepartedAdjuster);
    }),
    firmRoute(endpoints.pauseTestAdjuster, ({ params }, { actor }) =>
      adjuster(sandbox.setAcceptingAssignments(actor, params.svc_id as Svcid, false)),
    ),
    firmRoute(endpoints.resumeTestAdjuster, ({ params }, { actor }) =>
      adjuster(sandbox.setAcceptingAssignments(actor, params.svc_id as Svcid, true)),
    ),
    firmRoute(endpoints.suspendTestAdjuster, ({ params }, { actor }) =>
      adjuster(sandbox.setCanAcceptClaims(actor, params.svc_id as Svcid, false)),
    ),
    firmRoute(endpoints.reinstateTestAdjuster, ({ params }, { actor }) =>
      adjuster(sandbox.setCanAcceptClaims(actor, params.svc_id as Svcid, true)),
    ),

    firmRoute(endpoints.simulateFaults, async ({ body }, { actor, grant }) => {
      await sandbox.setFaults(actor, grant.keyId, body);
      return jsonResponse(body satisfies SimulatedFaults);
    }),
    firmRoute(endpoints.checkReadiness, async ({ query: { since } }, { actor, grant, longWork }) => {
      checkSandboxKey(actor.environment);
      const { firmId, keyId } = grant;
      const state = await longWork('search', (nextPiece) =>
        checkReadiness(firmId, { since, keyId }, nextPiece),
      );
      return jsonResponse(readinessToWire(state));
    }),
    firmRoute(endpoints.clearFaults, async (_, { actor, grant }) => {
      await sandbox.setFaults(actor, grant.keyId, null);
      return jsonResponse({ kind: null, count: 0 } satisfies SimulatedFaults);
    }),
  ];
}
