import type {
  Clock,
  FirmReads,
  makeInviteAdjuster,
  makeOfferClaim,
  makeSendClaim,
  makeWithdrawInvitation,
  SentClaim,
} from '@svc/application';
import { endpoints } from '@svc/contract';
import { type ClaimId, DomainError, type Svcid, scopesOf } from '@svc/domain';
import { requestFingerprint } from '../pipeline/fingerprint.ts';
import { adjusterToWire, notesFromWire } from '../serialization/adjuster.ts';
import { adjusterFromWire, claimFromWire, claimToWire } from '../serialization/claim.ts';
import type { CursorScope, Cursors } from '../serialization/cursor.ts';
import { page, pageRequest } from './paging.ts';
import {
  type FirmContext,
  firmRoute,
  jsonResponse,
  publicRoute,
  type Route,
  type RouteResponse,
} from './route.ts';
import { sendClaimRules } from './send-claim-rules.ts';

export interface FirmRouteDeps {
  readonly sendClaim: ReturnType<typeof makeSendClaim>;
  readonly offerClaim: ReturnType<typeof makeOfferClaim>;
  readonly inviteAdjuster: ReturnType<typeof makeInviteAdjuster>;
  readonly withdrawInvitation: ReturnType<typeof makeWithdrawInvitation>;
  readonly reads: FirmReads;
  readonly cursors: Cursors;
  readonly clock: Clock;
  /** Throws `Unavailable` when the service is not healthy. */
  readonly checkHealth: () => Promise<void>;
}

const claimResponse = (status: number, { claim, replayed }: SentClaim): RouteResponse => ({
  status,
  json: claimToWire(claim),
  ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }),
});

const readerOf = ({ actor }: FirmContext): string => `${actor.firmId}/${actor.environment}`;

/** The endpoints for firm systems. */
export function firmRoutes(deps: FirmRouteDeps): Route[] {
  return [
    // The busiest routes come first, since Express matches in order.
    firmRoute(endpoints.getClaim, async ({ params }, { actor }) => {
      const claim = await deps.reads.claim(actor.firmId, actor.environment, params.id as ClaimId);
      if (claim === null) throw new DomainError('not_found', 'No claim of your firm has this id.');
      return { status: 200, json: claimToWire(claim) };
    }),

    firmRoute(endpoints.listClaims, async ({ query }, context) => {
      const { firmId, environment } = context.actor;
      const filter = {
        updatedSince: query.updated_since,
        assignmentStatus: query.assignment_status,
        externalId: query.external_id,
      };
      const scope: CursorScope = { list: 'claims', reader: readerOf(context), filters: filter };
      const claims = await deps.reads.claims(
        firmId,
        environment,
        filter,
        pageRequest(query, deps.cursors, scope),
      );
      return page(claims, claimToWire, deps.cursors, scope);
    }),

    publicRoute(endpoints.getHealth, async () => {
      await deps.checkHealth();
      return jsonResponse({});
    }),

    firmRoute(endpoints.getKeyInfo, async (_, { grant }) =>
      jsonResponse({
        key: { id: grant.keyId, environment: grant.environment },
        firm: { id: grant.firmId, name: grant.firmName },
        scopes: scopesOf(grant.purpose, grant.plan),
      }),
    ),

    firmRoute(
      endpoints.sendClaim,
      async ({ params, headers, body }, { actor, sentBody }) =>
        claimResponse(
          201,
          await deps.sendClaim(actor, {
            idempotencyKey: headers['Idempotency-Key'],
            fingerprint: requestFingerprint(endpoints.sendClaim, params, sentBody),
            ...claimFromWire(body),
          }),
        ),
      sendClaimRules,
    ),

    firmRoute(endpoints.offerClaim, async ({ params, headers, body }, { actor, sentBody }) =>
      claimResponse(
        200,
        await deps.offerClaim(actor, {
          idempotencyKey: headers['Idempotency-Key'],
          fingerprint: requestFingerprint(endpoints.offerClaim, params, sentBody),
          claimId: params.id as ClaimId,
          adjuster: adjusterFromWire(body),
        }),
      ),
    ),

    firmRoute(endpoints.listAdjusters, async ({ query }, context) => {
      const { firmId, environment } = context.actor;
      const scope: CursorScope = { list: 'adjusters', reader: readerOf(context), filters: {} };
      const adjusters = await deps.reads.adjusters(
        firmId,
        environment,
        pageRequest(query, deps.cursors, scope),
      );
      const now = deps.clock.now();
      return page(adjusters, (view) => JSON.stringify(adjusterToWire(view, now)), deps.cursors, scope);
    }),

    firmRoute(endpoints.inviteAdjuster, async ({ body }, { actor }) => {
      const view = await deps.inviteAdjuster(actor, {
        svcId: body.svc_id as Svcid,
        notes: notesFromWire(body),
      });
      return jsonResponse(adjusterToWire(view, deps.clock.now()), 201);
    }),

    firmRoute(endpoints.withdrawInvitation, async ({ params }, { actor }) => {
      const view = await deps.withdrawInvitation(actor, params.svc_id as Svcid);
      return jsonResponse(adjusterToWire(view, deps.clock.now()));
    }),
  ];
}
