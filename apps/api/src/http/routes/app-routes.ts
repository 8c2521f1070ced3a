import {
  type AccountUseCases,
  type AppAnswer,
  type AppClaimView,
  type AppReads,
  accountRemoved,
  type ClaimUseCases,
  type Clock,
  claimObject,
  type JobReads,
  type MemberUseCases,
} from '@svc/application';
import { type AcceptOfferBody, endpoints, type ReportErrorBody, readInstant } from '@svc/contract';
import {
  type ClaimId,
  type ClaimWork,
  type EnteredCredentials,
  existing,
  type FirmId,
  type Instant,
} from '@svc/domain';
import { type AuditedRead, claimsRead } from '../pipeline/audited-requests.ts';
import {
  availabilityToWire,
  awayFromWire,
  deadlinesToWire,
  declinedToWire,
  invitationToWire,
  membershipToWire,
  profileToWire,
  sharingToWire,
} from '../serialization/adjuster.ts';
import { asciiJson } from '../serialization/ascii-json.ts';
import { appClaimToWire, workVersion } from '../serialization/claim.ts';
import { credentialsFromWire, credentialsToWire, credentialsVersion } from '../serialization/credentials.ts';
import type { CursorScope, Cursors } from '../serialization/cursor.ts';
import { page, pageRequest, turnForPage, withJsonRows } from './paging.ts';
import { appRoute, jsonResponse, type Route, type RouteResponse } from './route.ts';

interface AppRouteDeps extends ClaimUseCases, MemberUseCases, AccountUseCases {
  readonly jobReads: Pick<JobReads, 'devices' | 'firmName' | 'deadlineOverrides'>;
  readonly reportAppError: (report: ReportErrorBody) => void;
  readonly appReads: AppReads;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

const NO_CONTENT: RouteResponse = { status: 204 };

/** Removes fields that were not sent. */
function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

export const instantOf = (text: string | undefined): Instant | undefined =>
  text === undefined ? undefined : (readInstant(text, 'down') ?? undefined);

function answerOf(body: AcceptOfferBody): AppAnswer {
  const answeredAt = instantOf(body.answered_at);
  const keptOfflineSince = instantOf(body.kept_offline_since) ?? null;
  return {
    offeredAt: instantOf(body.offered_at),
    ...(answeredAt !== undefined && { device: { answeredAt, keptOfflineSince } }),
  };
}

/** The claims of each firm. */
function readsOf(rows: readonly AppClaimView[]): AuditedRead[] {
  const firms = new Set(rows.map(({ firm }) => firm.id));
  return [...firms].flatMap((firmId) =>
    claimsRead(
      firmId,
      rows.filter(({ firm }) => firm.id === firmId),
    ),
  );
}

/** The endpoints of the adjuster app. */
export function appRoutes(use: AppRouteDeps): Route[] {
  const claimResponse = async (claim: ReturnType<typeof use.readClaim>): Promise<RouteResponse> => ({
    status: 200,
    json: appClaimToWire(await claim),
  });

  return [
    appRoute(endpoints.getProfile, async (_, { actor }) =>
      jsonResponse(profileToWire(await use.readProfile(actor))),
    ),

    appRoute(endpoints.updateProfile, async ({ body }, { actor }) => {
      const changes = withoutUndefined({
        firstName: body.first_name,
        lastName: body.last_name,
        email: body.email,
      });
      return jsonResponse(profileToWire(await use.updateProfile(actor, changes)));
    }),

    appRoute(endpoints.updateAvailability, async ({ body }, { actor }) => {
      const changes = withoutUndefined({
        acceptingAssignments: body.accepting_assignments,
        away: awayFromWire(body.away),
        maxOpenOffers: body.max_open_offers,
        workZip: body.work_zip,
      });
      return jsonResponse(availabilityToWire(await use.setAvailability(actor, changes)));
    }),

    appRoute(endpoints.getCredentials, async (_, { actor }) =>
      jsonResponse(credentialsToWire(await use.readCredentials(actor))),
    ),

    appRoute(endpoints.saveCredentials, async ({ body }, { actor }) => {
      const { based_on: basedOn } = body;
      const isBase = (current: EnteredCredentials): boolean =>
        basedOn === undefined || credentialsVersion(current) === basedOn;
      return jsonResponse(
        credentialsToWire(await use.saveCredentials(actor, credentialsFromWire(body), isBase)),
      );
    }),

    appRoute(endpoints.listDeadlines, async () =>
      jsonResponse({ data: deadlinesToWire(await use.jobReads.deadlineOverrides()), next_cursor: null }),
    ),

    appRoute(endpoints.confirmEmail, async ({ body }, { actor }) =>
      jsonResponse(profileToWire(await use.confirmEmail(actor, body.code))),
    ),

    appRoute(endpoints.listInvitations, async ({ query }, { actor }) => {
      const scope: CursorScope = { list: 'invitations', reader: actor.svcId, filters: {} };
      const request = pageRequest(query, use.cursors, scope);
      const [adjuster, invitations] = await Promise.all([
        use.appReads.adjuster(actor.svcId),
        use.listInvitations(actor, request),
      ]);
      if (adjuster === null) throw accountRemoved();
      return page(invitations, (view) => asciiJson(invitationToWire(view, adjuster)), use.cursors, scope);
    }),

    appRoute(endpoints.acceptInvitation, async ({ params }, { actor }) =>
      jsonResponse(membershipToWire(await use.acceptInvitation(actor, params.firm_id as FirmId))),
    ),

    appRoute(endpoints.declineInvitation, async ({ params }, { actor }) => {
      const firmId = params.firm_id as FirmId;
      const declined = await use.declineInvitation(actor, firmId);
      return jsonResponse(declinedToWire(declined, await use.jobReads.firmName(firmId)));
    }),

    appRoute(endpoints.updateMembership, async ({ params, body }, { actor }) =>
      jsonResponse(
        membershipToWire(
          await use.setAcceptingAssignments(actor, params.firm_id as FirmId, body.accepting_assignments),
        ),
      ),
    ),

    appRoute(endpoints.getSharing, async ({ params }, { actor }) =>
      jsonResponse(sharingToWire(await use.readSharing(actor, params.firm_id as FirmId))),
    ),

    appRoute(endpoints.updateSharing, async ({ params, body }, { actor }) => {
      const { clocks, credentials, work_area: workArea } = body;
      const wanted = withoutUndefined({ clocks, credentials, workArea });
      return jsonResponse(sharingToWire(await use.setSharing(actor, params.firm_id as FirmId, wanted)));
    }),

    appRoute(endpoints.leaveFirm, async ({ params }, { actor }) => {
      await use.leaveFirm(actor, params.firm_id as FirmId);
      return NO_CONTENT;
    }),

    appRoute(endpoints.listOfferedClaims, async ({ query }, { actor, longWork }) => {
      const list = query.status ?? 'pending_acceptance';
      const since = query.updated_since;
      const scope: CursorScope = {
        list: 'app-claims',
        reader: actor.svcId,
        filters: { list, ...(since !== undefined && { since }) },
      };
      const request = pageRequest(query, use.cursors, scope);
      const wantsIds = since !== undefined && query.cursor === undefined;
      const { claims, json, more } = await longWork('page', async (nextPiece) => {
        await turnForPage(request, nextPiece);
        const read = await use.appReads.claims(actor.svcId, list, request, since);
        use.recordSightings(actor, read.rows);
        return {
          claims: read,
          // Read after the claims, so that an offer made in between is an unknown id and not missed.
          more: wantsIds ? { ids: await use.appReads.claimIds(actor.svcId, list, nextPiece) } : {},
          json: await withJsonRows(read, appClaimToWire, nextPiece),
        };
      });
      return { ...page(json, (text) => text, use.cursors, scope, more), reads: readsOf(claims.rows) };
    }),

    appRoute(endpoints.getOfferedClaim, async ({ params }, { actor }) => {
      const claim = await use.readClaim(actor, params.id as ClaimId);
      use.recordSightings(actor, [claim]);
      const read = { firmId: claim.firm.id, action: 'claim.read', object: claimObject(claim.id) } as const;
      return { status: 200, json: appClaimToWire(claim), reads: [read] };
    }),
    appRoute(endpoints.getOfferReceipt, async ({ params, query }, { actor }) => {
      const { offered_at: offeredAt } = query;
      const { receipt, firmId, claimId } = await use.issueReceipt(actor, params.id as ClaimId, offeredAt);
      const read = { firmId, action: 'claim.read', object: claimObject(claimId) } as const;
      return { ...jsonResponse({ receipt }), reads: [read] };
    }),
    appRoute(endpoints.acceptClaim, ({ params, body }, { actor }) =>
      claimResponse(use.answerOffers.acceptClaim(actor, params.id as ClaimId, answerOf(body))),
    ),
    appRoute(endpoints.rejectClaim, ({ params, body }, { actor }) =>
      claimResponse(
        use.answerOffers.rejectClaim(actor, params.id as ClaimId, body.reason ?? null, answerOf(body)),
      ),
    ),
    appRoute(endpoints.updateWork, ({ params, body }, { actor }) => {
      const edits = withoutUndefined({
        contactDate: body.contact_date,
        inspectionDate: body.inspection_date,
        notes: body.notes,
      });
      const details = withoutUndefined({
        plannedVisitDate: body.planned_visit_date,
        plannedVisitTime: body.planned_visit_time,
        preliminaryReportDate: body.preliminary_report_date,
        proofOfLossDate: body.proof_of_loss_date,
      });
      const all = Object.keys(details).length === 0 ? edits : { ...edits, details };
      const { based_on: basedOn } = body;
      const isBase = (work: ClaimWork): boolean => basedOn === undefined || workVersion(work) === basedOn;
      return claimResponse(use.recordWork(actor, params.id as ClaimId, all, isBase));
    }),
    appRoute(endpoints.logContact, ({ params, body }, { actor }) => {
      const { at, result, note } = body;
      const attempt = {
        id: params.contact_id,
        at: readInstant(at) ?? use.clock.now(),
        result,
        ...(note !== undefined && { note }),
      };
      return claimResponse(use.logContact(actor, params.id as ClaimId, attempt));
    }),
    appRoute(endpoints.closeClaim, ({ params }, { actor }) =>
      claimResponse(use.closeAcceptedClaim(actor, params.id as ClaimId)),
    ),

    appRoute(endpoints.reportError, async ({ body }) => {
      use.reportAppError(body);
      return NO_CONTENT;
    }),
    appRoute(endpoints.getDevice, async ({ params }, { actor }) => {
      const devices = await use.jobReads.devices(actor.svcId, use.clock.now());
      const found = devices.find(({ deviceId }) => deviceId === params.device_id);
      const device = existing(found, 'No such device is registered.');
      return jsonResponse({ device_id: device.deviceId, endpoint: device.subscription.endpoint });
    }),
    appRoute(endpoints.registerDevice, async ({ params, body }, { actor, session }) => {
      await use.putDevice(actor, session.tokenHash, params.device_id, body.subscription);
      return NO_CONTENT;
    }),
    appRoute(endpoints.setDevicePreferences, async ({ params, body }, { actor }) => {
      const { time_zone: timeZone, quiet_hours: quietHours, deadline_reminders: deadlineReminders } = body;
      await use.setDevicePreferences(actor, params.device_id, { timeZone, quietHours, deadlineReminders });
      return NO_CONTENT;
    }),
    appRoute(endpoints.testDevice, async ({ params }, { actor }) => {
      await use.testDevice(actor, params.device_id);
      return { status: 202 };
    }),
    appRoute(endpoints.unregisterDevice, async ({ params }, { actor }) => {
      await use.removeDevice(actor, params.device_id);
      return NO_CONTENT;
    }),
  ];
}
