import {
  type ClaimUseCases,
  type Clock,
  claimObject,
  type FirmActor,
  type FirmReads,
  type IdempotentResult,
  type MemberUseCases,
} from '@svc/application';
import { endpoints } from '@svc/contract';
import { type ClaimId, existing, type FirmId, type Svcid, scopesOf } from '@svc/domain';
import { type AuditedRead, claimsRead } from '../pipeline/audited-requests.ts';
import { shortHash } from '../pipeline/client-behavior.ts';
import { requestFingerprint } from '../pipeline/fingerprint.ts';
import { asHttpProblem } from '../problems/http-problem.ts';
import { adjusterToWire, invitationResults, notesFromWire } from '../serialization/adjuster.ts';
import { asciiJson } from '../serialization/ascii-json.ts';
import { adjusterFromWire, claimFromWire, claimToWire } from '../serialization/claim.ts';
import type { CursorScope, Cursors } from '../serialization/cursor.ts';
import { instantOf } from './app-routes.ts';
import { page, pageRequest, turnForPage, withJsonRows } from './paging.ts';
import {
  type FirmContext,
  firmRoute,
  jsonResponse,
  openRoute,
  operationRoutes,
  type Route,
  type RouteResponse,
  staffRoute,
} from './route.ts';

interface FirmRouteDeps extends ClaimUseCases, MemberUseCases {
  readonly firmReads: FirmReads;
  readonly cursors: Cursors;
  readonly clock: Clock;
  /** Throws `Unavailable` when the service is not healthy. */
  readonly checkHealth: () => Promise<void>;
}

export const claimRead = (firmId: FirmId, id: ClaimId): AuditedRead[] => [
  { firmId, action: 'claim.read', object: claimObject(id) },
];

export const claimResponse = (
  status: number,
  { firmId }: FirmActor,
  { claim, replayed }: IdempotentResult,
): RouteResponse => ({
  status,
  json: claimToWire(claim),
  claimId: claim.id,
  ...(replayed && { headers: { 'Idempotent-Replayed': 'true' }, reads: claimRead(firmId, claim.id) }),
});

const readerOf = ({ actor }: FirmContext): string => `${actor.firmId}/${actor.environment}`;

/** The endpoints for firm systems, and those of the desk that do the same. */
export function firmRoutes(use: FirmRouteDeps): Route[] {
  return [
    firmRoute(endpoints.getClaim, async ({ params }, { actor }) => {
      const found = await use.firmReads.claim(actor.firmId, actor.environment, params.id as ClaimId);
      const claim = existing(found, 'No claim of your firm has this id.');
      return { status: 200, json: claimToWire(claim), reads: claimRead(actor.firmId, claim.id) };
    }),

    ...operationRoutes(
      endpoints.getReceipt,
      endpoints.getBoardReceipt,
      // As a live key, staff read test claims, too.
      () => 'live',
      async ({ params }, { actor }) => {
        const { receipt, claimId } = await use.issueReceipt(actor, params.id as ClaimId);
        return { ...jsonResponse({ receipt }), reads: claimRead(actor.firmId, claimId) };
      },
    ),

    firmRoute(endpoints.listClaims, async ({ query }, context) => {
      const { firmId, environment } = context.actor;
      const filter = {
        updatedSince: query.updated_since,
        assignmentStatus: query.assignment_status,
        externalId: query.external_id,
      };
      const scope: CursorScope = { list: 'claims', reader: readerOf(context), filters: filter };
      const request = pageRequest(query, use.cursors, scope, context.maxPageBytes);
      const { claims, json } = await context.longWork('page', async (nextPiece) => {
        await turnForPage(request, nextPiece);
        const read = await use.firmReads.claims(firmId, environment, filter, request);
        return { claims: read, json: await withJsonRows(read, claimToWire, nextPiece) };
      });
      return {
        ...page(json, (text) => text, use.cursors, scope),
        reads: claimsRead(firmId, claims.rows),
        ...(environment === 'test' && {
          readPage: {
            since: query.updated_since ?? null,
            from: request.after?.at ?? query.updated_since ?? null,
            to: claims.rows.at(-1)?.updatedAt ?? null,
            next: claims.next === null ? null : shortHash(firmId, use.cursors.write(claims.next, scope)),
            isFiltered: query.assignment_status !== undefined || query.external_id !== undefined,
          },
        }),
      };
    }),

    openRoute(endpoints.getHealth, async () => {
      await use.checkHealth();
      return jsonResponse({});
    }),

    firmRoute(endpoints.getKeyInfo, async (_, { grant }) =>
      jsonResponse({
        key: { id: grant.keyId, environment: grant.environment },
        firm: { id: grant.firmId, name: grant.firmName },
        scopes: scopesOf(grant.purpose, grant.plan),
      }),
    ),

    ...operationRoutes(
      endpoints.sendClaim,
      endpoints.sendBoardClaim,
      ({ query }) => query.environment,
      async ({ params, headers, body }, { actor, endpoint, sentBody }) =>
        claimResponse(
          201,
          actor,
          await use.sendClaim(actor, {
            idempotencyKey: headers['Idempotency-Key'],
            fingerprint: requestFingerprint(endpoint, params, sentBody),
            ...claimFromWire(body),
          }),
        ),
    ),

    ...operationRoutes(
      endpoints.offerClaim,
      endpoints.offerBoardClaim,
      ({ query }) => query.environment,
      async ({ params, headers, body }, { actor, endpoint, sentBody }) =>
        claimResponse(
          200,
          actor,
          await use.offerClaim(actor, {
            idempotencyKey: headers['Idempotency-Key'],
            fingerprint: requestFingerprint(endpoint, params, sentBody),
            claimId: params.id as ClaimId,
            adjuster: adjusterFromWire(body),
            seenUpdatedAt: 'updated_at' in body ? instantOf(body.updated_at) : undefined,
          }),
        ),
    ),

    firmRoute(endpoints.listAdjusters, async ({ query }, context) => {
      const { firmId, environment } = context.actor;
      const scope: CursorScope = { list: 'adjusters', reader: readerOf(context), filters: {} };
      const adjusters = await use.firmReads.adjusters(
        firmId,
        environment,
        pageRequest(query, use.cursors, scope, context.maxPageBytes),
      );
      const now = use.clock.now();
      return {
        ...page(adjusters, (view) => asciiJson(adjusterToWire(view, now)), use.cursors, scope),
        reads: adjusters.rows.length === 0 ? [] : [{ firmId, action: 'adjusters.read', object: null }],
      };
    }),

    ...operationRoutes(
      endpoints.inviteAdjuster,
      endpoints.inviteBoardAdjuster,
      ({ query }) => query.environment,
      async ({ body }, { actor }) => {
        const invited = { svcId: body.svc_id as Svcid, notes: notesFromWire(body) };
        const view = await use.inviteAdjuster(actor, invited);
        return jsonResponse(adjusterToWire(view, use.clock.now()), 201);
      },
    ),

    staffRoute(endpoints.inviteBoardAdjusters, async ({ query, body }, { actorIn }) => {
      const refused = await use.inviteAdjusters(actorIn(query.environment), new Set(body.svc_ids as Svcid[]));
      const rejections = [...new Set([...refused.values()].map((error) => asHttpProblem(error).code))];
      return {
        ...jsonResponse({ results: invitationResults(body.svc_ids as Svcid[], refused) }),
        rejections,
      };
    }),

    ...operationRoutes(
      endpoints.withdrawInvitation,
      endpoints.withdrawBoardInvitation,
      ({ query }) => query.environment,
      async ({ params }, { actor }) => {
        const view = await use.withdrawInvitation(actor, params.svc_id as Svcid);
        return jsonResponse(adjusterToWire(view, use.clock.now()));
      },
    ),
  ];
}
