import {
  type AnswersReportFilter,
  adjusterObject,
  type BoardFilter,
  type BoardReads,
  type ClaimUseCases,
  type Clock,
  type MemberUseCases,
} from '@svc/application';
import { type BoardQuery, deskEndpoints, LIMITS } from '@svc/contract';
import { type ClaimId, DAY, type Environment, type FirmId, type Instant, type Svcid } from '@svc/domain';
import { claimsRead } from '../pipeline/audited-requests.ts';
import { HttpProblem } from '../problems/http-problem.ts';
import { asciiJson } from '../serialization/ascii-json.ts';
import {
  boardAdjusterToWire,
  boardClaimToWire,
  boardRowToWire,
  clocksVersion,
  closedClaimToWire,
  firmClocksToWire,
  proposedOfferToWire,
  reportToCsv,
  reportToWire,
} from '../serialization/board.ts';
import { claimToWire } from '../serialization/claim.ts';
import { sharedCredentialsToWire } from '../serialization/credentials.ts';
import type { CursorScope, Cursors } from '../serialization/cursor.ts';
import { instantOf } from './app-routes.ts';
import { claimRead } from './firm-routes.ts';
import { deskReader, page, pageRequest } from './paging.ts';
import { jsonResponse, type Route, type RouteResponse, staffRoute } from './route.ts';

interface DeskBoardRouteDeps extends ClaimUseCases, MemberUseCases {
  readonly boardReads: Pick<BoardReads, 'clocks'>;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

function boardFilterOf({ adjuster, q: text, ...query }: BoardQuery): BoardFilter {
  const { environment, status, carrier, state } = query;
  const closed = query.closed === 'true';
  const late = query.late === 'true';
  const clockLate = query.clock_late === 'true';
  const isLatest = closed || clockLate || status === 'accepted' || text !== undefined;
  const order = query.order ?? (isLatest ? 'latest' : 'waiting');
  return {
    environment,
    status: late ? 'pending_acceptance' : clockLate ? 'accepted' : status,
    carrier,
    state,
    closed,
    late,
    clockLate,
    text,
    order,
    adjuster: adjuster as Svcid | undefined,
  };
}

function answersFilter(
  {
    environment,
    since,
    until,
    by,
    time_zone: timeZone = 'UTC',
  }: Omit<AnswersReportFilter, 'since' | 'until' | 'timeZone'> & {
    readonly time_zone?: string | undefined;
    readonly since?: Instant | undefined;
    readonly until?: Instant | undefined;
  },
  now: Instant,
): AnswersReportFilter {
  const { default: days, max } = LIMITS.reportDays;
  const end = until ?? now;
  const start = since ?? end - days * DAY;
  if (start < end && end - start <= max * DAY) return { environment, since: start, until: end, by, timeZone };
  const detail = `Must be before until, and at most ${max} days before it.`;
  throw new HttpProblem('validation_failed', { detail, errors: [{ detail, parameter: 'since' }] });
}

/** A storm has hundreds of boards open, which read at every change: they share the counts of this time. */
const COUNTS_SHARED_MS = 1000;

/** Whoever asks within the time gets the same result. */
function sharedFor<T>(
  ms: number,
  read: (firmId: FirmId, environment: Environment) => Promise<T>,
): (firmId: FirmId, environment: Environment) => Promise<T> {
  const shared = new Map<string, Promise<T>>();
  return (firmId, environment) => {
    const key = `${firmId} ${environment}`;
    const known = shared.get(key);
    if (known !== undefined) return known;
    const result = read(firmId, environment);
    shared.set(key, result);
    const forget = (): void => void shared.delete(key);
    result.then(() => setTimeout(forget, ms).unref(), forget);
    return result;
  };
}

const seenClaim = ({ id }: { id: string }, { updated_at }: { updated_at?: string | undefined }) => ({
  claimId: id as ClaimId,
  seenUpdatedAt: instantOf(updated_at),
});

/** The board of claims, its adjusters and reports. */
export function deskBoardRoutes(use: DeskBoardRouteDeps): Route[] {
  const { boardReads, cursors, clock } = use;
  const countsOf = sharedFor(COUNTS_SHARED_MS, use.countBoard);
  return [
    staffRoute(deskEndpoints.listBoardClaims, async ({ query }, { actor: { firmId }, longWork }) => {
      const filter = boardFilterOf(query);
      const filters = {
        ...filter,
        closed: String(filter.closed),
        late: String(filter.late),
        clockLate: String(filter.clockLate),
      };
      const scope: CursorScope = { list: 'board', reader: deskReader(firmId), filters };
      const asked = pageRequest(query, cursors, scope);
      const [claims, counts] = await Promise.all([
        longWork('search', (nextPiece) => use.listBoard(firmId, filter, asked, nextPiece)),
        asked.after === null ? countsOf(firmId, filter.environment) : undefined,
      ]);
      return {
        ...page(claims, (row) => asciiJson(boardRowToWire(row)), cursors, scope, { counts }),
        reads: claimsRead(firmId, claims.rows),
      };
    }),

    staffRoute(deskEndpoints.getBoardClaim, async ({ params }, { actor: { firmId } }) => {
      const details = await use.readBoardClaim(firmId, params.id as ClaimId);
      return { status: 200, json: boardClaimToWire(details), reads: claimRead(firmId, details.claim.id) };
    }),

    staffRoute(deskEndpoints.withdrawBoardOffer, async ({ params, body }, { actor }) => {
      const claim = await use.withdrawOffer(actor, seenClaim(params, body));
      return { status: 200, json: claimToWire(claim) };
    }),

    staffRoute(deskEndpoints.closeBoardClaim, async ({ params, body }, { actor }) => {
      const { reason = null } = body;
      const claim = await use.closeClaimAtDesk(actor, { ...seenClaim(params, body), reason });
      return { status: 200, json: closedClaimToWire(claim) };
    }),

    staffRoute(deskEndpoints.listBoardAdjusters, async ({ query }, { actor: { firmId }, longWork }) => {
      const { environment } = query;
      const forClaim = query.for_claim as ClaimId | undefined;
      const scope: CursorScope = {
        list: 'board-adjusters',
        reader: deskReader(firmId),
        filters: { environment, forClaim },
      };
      const request = pageRequest(query, cursors, scope);
      // Counts the open claims of the firm.
      const adjusters = await longWork('search', async (nextPiece) => {
        await nextPiece();
        return use.listBoardAdjusters(firmId, environment, request, forClaim);
      });
      const now = clock.now();
      return {
        ...page(adjusters, (row) => asciiJson(boardAdjusterToWire(row, now)), cursors, scope),
        reads: adjusters.rows.length === 0 ? [] : [{ firmId, action: 'adjusters.read', object: null }],
      };
    }),

    staffRoute(deskEndpoints.spreadClaims, async ({ query, body }, { actor: { firmId }, longWork }) => {
      const claims = body.claims.map(({ rejected_by, form_type: form, ...claim }) => ({
        ...{ ...claim, form },
        rejectedBy: rejected_by as Svcid | undefined,
      }));
      // A body is as it was sent, without defaults.
      const adjusters = new Map(body.adjusters.map(({ svc_id, given = 0 }) => [svc_id as Svcid, given]));
      const offers = await longWork('search', async (nextPiece) => {
        await nextPiece();
        return use.spreadClaims(firmId, query.environment, adjusters, claims);
      });
      return {
        ...jsonResponse({ offers: offers.map(proposedOfferToWire) }),
        reads: [{ firmId, action: 'adjusters.read', object: null }],
      };
    }),

    staffRoute(deskEndpoints.getSharedCredentials, async ({ params }, { actor: { firmId } }) => {
      const svcId = params.svc_id as Svcid;
      const credentials = await use.readSharedCredentials(firmId, svcId);
      return {
        ...jsonResponse(sharedCredentialsToWire(credentials)),
        reads: [{ firmId, action: 'credentials.read', object: adjusterObject(svcId) }],
      };
    }),

    staffRoute(deskEndpoints.getClocks, async (_, { actor }) =>
      jsonResponse(firmClocksToWire(await boardReads.clocks(actor.firmId))),
    ),

    staffRoute(deskEndpoints.updateClocks, async ({ body }, { actor }) => {
      const { time_zone, based_on } = body;
      const rules = body.rules.map(({ carrier, ...rule }) => ({
        carrier,
        catCode: rule.cat_code,
        contactHours: rule.contact_hours,
        inspectionHours: rule.inspection_hours,
        reportDays: rule.report_days,
      }));
      const clocks = await use.setClocks(
        actor,
        ({ timeZone }) => ({ rules, timeZone: time_zone ?? timeZone }),
        based_on === undefined ? undefined : (current) => clocksVersion(current) === based_on,
      );
      return jsonResponse(firmClocksToWire(clocks));
    }),

    staffRoute(deskEndpoints.reportAnswers, async ({ query, headers }, { actor: { firmId }, longWork }) => {
      const filter = answersFilter(query, clock.now());
      const report = await longWork('report', async (nextPiece, signal) => {
        await nextPiece();
        return use.reportAnswers(firmId, filter, signal);
      });
      const response: RouteResponse =
        headers.Accept?.includes('text/csv') === true
          ? { status: 200, csv: reportToCsv(report, filter) }
          : jsonResponse(reportToWire(report, filter));
      return { ...response, reads: [{ firmId, action: 'report.read', object: null }] };
    }),
  ];
}
