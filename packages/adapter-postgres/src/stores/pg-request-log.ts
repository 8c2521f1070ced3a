import {
  inPages,
  type KeyTraffic,
  type LoggedRequest,
  type LoggedRequests,
  latestRequestFirst,
  type RequestLogStore,
  timeOfRequestId,
} from '@svc/application';
import { type FirmId, HOUR, type Instant, type KeyId, MINUTE } from '@svc/domain';
import { arrayOf, isUuid, NIL_UUID, timestamp } from '../driver/column-types.ts';
import { type Session, sql } from '../driver/session.ts';

/** The row has no request that is later than its own columns. */
interface RequestRow {
  readonly firm_id: FirmId;
  readonly request_id: string;
  readonly at: Instant;
  readonly key_id: KeyId;
  readonly route: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly places: string;
  readonly duration_ms: number;
  /** JSON of {@link OtherRequest}s. Null: there are none. */
  readonly others: string | null;
}

/** Without what is the same as in the row, `null` as code and no places. */
interface OtherRequest {
  readonly id: string;
  readonly at: Instant;
  readonly key?: KeyId | undefined;
  readonly route?: string | undefined;
  readonly status?: number | null | undefined;
  readonly code?: string | null | undefined;
  readonly places?: readonly string[] | undefined;
  readonly ms: number;
}

/** Lines instead of arrays, in which all quotes of JSON would be escaped. No value has a line break. */
const APPEND = sql(
  'request_log_append',
  `INSERT INTO request_log (firm_id, request_id, at, key_id, route, status, code, places, duration_ms, others)
   SELECT firm_id, request_id, at, key_id, route, status, code, places::json, duration_ms, others::json
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], string_to_array($4, E'\\n'), string_to_array($5, E'\\n'),
       $6::integer[], string_to_array($7, E'\\n', ''), string_to_array($8, E'\\n'), $9::real[],
       string_to_array($10, E'\\n', ''))
       AS r (firm_id, request_id, at, key_id, route, status, code, places, duration_ms, others)
    ORDER BY firm_id, request_id
   ON CONFLICT DO NOTHING`,
);

const COLUMNS = 'firm_id, request_id, at, key_id, route, status, code, places, duration_ms';

/** `others` only where it contains the text `$4`. */
const PAGE = sql(
  'request_log_page',
  `SELECT ${COLUMNS}, CASE WHEN $4 = '' OR strpos(others::text, $4) > 0 THEN others END AS others
     FROM request_log WHERE firm_id = $1 AND (at, request_id) < ($2::timestamptz, $3::uuid)
    ORDER BY at DESC, request_id DESC LIMIT $5`,
);

const BY_ID = sql(
  'request_log_by_id',
  `SELECT ${COLUMNS}, NULL AS others FROM request_log WHERE firm_id = $1 AND request_id = $2`,
);

/** The requests of `others` have a status only where it differs from that of their row. */
const BUSIEST = sql(
  'request_log_busiest',
  `SELECT firm_id AS "firmId", key_id AS "keyId", count(*)::int AS requests,
     count(*) FILTER (WHERE status = 429)::int AS limited, count(*) FILTER (WHERE status >= 500)::int AS failed
     FROM (SELECT firm_id, key_id, at, status FROM request_log WHERE at >= $1::timestamptz
           UNION ALL
           SELECT r.firm_id, coalesce(o ->> 'key', r.key_id), to_timestamp((o ->> 'at')::float8 / 1000),
             CASE WHEN o -> 'status' IS NULL THEN r.status ELSE (o ->> 'status')::int END
             FROM request_log r, json_array_elements(r.others) o WHERE r.at >= $1::timestamptz) requests
    WHERE at >= $1::timestamptz
    GROUP BY firm_id, key_id ORDER BY count(*) DESC, key_id LIMIT $2`,
);

const PAGE_ROWS = 100;
/** Rows whose requests stay on the server. */
const SEARCHED_PAGE_ROWS = 250;

interface Search {
  /** `others` only where it contains this text. */
  readonly containing: string;
  readonly until: Instant;
}
const EVERYTHING: Search = { containing: '', until: Number.MAX_SAFE_INTEGER };

/** A row has the time of its latest request, and waits for the database in an outage. */
const LONGEST_WAIT_MS = HOUR;
/** The time of a request is its end less its duration. */
const CLOCK_DIFFERENCE_MS = MINUTE;

function requestsFrom(row: RequestRow): LoggedRequests {
  const latest: LoggedRequest = {
    requestId: row.request_id,
    at: row.at,
    firmId: row.firm_id,
    keyId: row.key_id,
    route: row.route,
    status: row.status,
    code: row.code,
    places: JSON.parse(row.places),
    durationMs: row.duration_ms,
  };
  const others: OtherRequest[] = row.others === null ? [] : JSON.parse(row.others);
  const otherFrom = ({
    id: requestId,
    at,
    key: keyId = latest.keyId,
    route = latest.route,
    status = latest.status,
    code = null,
    places = [],
    ms: durationMs,
  }: OtherRequest): LoggedRequest => ({
    requestId,
    at,
    firmId: latest.firmId,
    keyId,
    route,
    status,
    code,
    places,
    durationMs,
  });
  return [latest, ...others.map(otherFrom)];
}

const unless = <T>(isDefault: boolean, value: T): T | undefined => (isDefault ? undefined : value);

function othersText([latest, ...others]: LoggedRequests): string {
  if (others.length === 0) return '';
  return JSON.stringify(
    others.map(
      (request): OtherRequest => ({
        id: request.requestId,
        at: request.at,
        key: unless(request.keyId === latest.keyId, request.keyId),
        route: unless(request.route === latest.route, request.route),
        status: unless(request.status === latest.status, request.status),
        code: request.code ?? undefined,
        places: unless(request.places.length === 0, request.places),
        ms: request.durationMs,
      }),
    ),
  );
}

const lines = (values: readonly string[]): string => values.join('\n');

/** @param maintenance for the batches, so that they do not delay the reads of requests. */
export function pgRequestLog(session: Session, maintenance: Session): RequestLogStore {
  async function pageOf(
    firmId: FirmId,
    after: LoggedRequest | null,
    limit: number,
    { containing, until } = EVERYTHING,
  ): Promise<LoggedRequests[]> {
    const { at, requestId } = after ?? { at: until, requestId: NIL_UUID };
    const values = [firmId, timestamp(at), requestId, containing, limit];
    return (await session.rows<RequestRow>(PAGE, values)).map(requestsFrom);
  }

  const rowsOf = (firmId: FirmId, pageRows: number, search?: Search): AsyncGenerator<LoggedRequests> =>
    inPages(
      (after: LoggedRequest | null) => pageOf(firmId, after, pageRows, search),
      ([latest]) => latest,
    );

  async function latest(firmId: FirmId, limit: number): Promise<LoggedRequest[]> {
    const found: LoggedRequest[] = [];
    for await (const requests of rowsOf(firmId, Math.min(limit, PAGE_ROWS))) {
      // This row and the ones that follow have no later request than its first.
      const isLater = (one: LoggedRequest): boolean => latestRequestFirst(one, requests[0]) < 0;
      if (found.length >= limit && found.filter(isLater).length >= limit) break;
      found.push(...requests);
    }
    return found.sort(latestRequestFirst).slice(0, limit);
  }

  /** Usually it is not the latest of its row; then the rows around its time are searched, without one those of two weeks. */
  async function byId(firmId: FirmId, requestId: string): Promise<LoggedRequest | undefined> {
    const [row] = await session.rows<RequestRow>(BY_ID, [firmId, requestId]);
    if (row !== undefined) return requestsFrom(row)[0];
    const arrivedAt = timeOfRequestId(requestId);
    const until = arrivedAt === null ? EVERYTHING.until : arrivedAt + LONGEST_WAIT_MS;
    const since = arrivedAt === null ? 0 : arrivedAt - CLOCK_DIFFERENCE_MS;
    for await (const requests of rowsOf(firmId, SEARCHED_PAGE_ROWS, { containing: requestId, until })) {
      if (requests[0].at < since) return undefined;
      const found = requests.find((request) => request.requestId === requestId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    async append(appended) {
      if (appended.length === 0) return;
      const rows = appended.map(([latest]) => latest);
      await maintenance.rows(APPEND, [
        arrayOf(rows.map(({ firmId }) => firmId)),
        arrayOf(rows.map(({ requestId }) => requestId)),
        arrayOf(rows.map(({ at }) => timestamp(at))),
        lines(rows.map(({ keyId }) => keyId)),
        lines(rows.map(({ route }) => route)),
        arrayOf(rows.map(({ status }) => (status === null ? null : String(status)))),
        lines(rows.map(({ code }) => code ?? '')),
        lines(rows.map(({ places }) => JSON.stringify(places))),
        arrayOf(rows.map(({ durationMs }) => String(durationMs))),
        lines(appended.map(othersText)),
      ]);
    },

    async requestsOf(firmId, { requestId, limit }) {
      if (!isUuid(firmId)) return [];
      if (requestId === undefined) return latest(firmId, limit);
      const found = isUuid(requestId) ? await byId(firmId, requestId.toLowerCase()) : undefined;
      return found === undefined ? [] : [found];
    },

    pageOf: (firmId, after, limit) => pageOf(firmId, after, limit),

    busiestKeys: (since, limit) => session.rows<KeyTraffic>(BUSIEST, [timestamp(since), limit]),
  };
}
