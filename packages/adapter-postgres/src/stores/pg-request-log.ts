import {
  AT_ONCE,
  inPages,
  type KeyTraffic,
  type LoggedRequest,
  type LoggedRequests,
  latestRequestFirst,
  type RequestLogStore,
  timeOfRequestId,
} from '@svc/application';
import { DAY, type Environment, type FirmId, HOUR, type Instant, type KeyId, MINUTE } from '@svc/domain';
import { arrayOf, isUuid, NIL_UUID, timestamp } from '../driver/column-types.ts';
import { type Executor, sql } from '../driver/executor.ts';

/** Id and time are those of the latest request. */
interface RequestRow {
  readonly request_id: string;
  readonly at: Instant;
  readonly environment: Environment;
  /** JSON; null where the row does not contain the text that is searched. */
  readonly requests: string | null;
}

type RowPosition = Pick<RequestRow, 'request_id' | 'at'>;

interface LimitedRow {
  readonly keyId: KeyId;
  readonly environment: Environment;
  readonly day: number;
  readonly count: number;
  /** Null: since the time that was asked for. */
  readonly since: Instant | null;
}

/** Lines instead of an array, in which all quotes of JSON would be escaped. JSON has no line break. */
const APPEND = sql(
  'request_log_append',
  `INSERT INTO request_log (firm_id, request_id, at, environment, requests, has_behavior, has_limited)
   SELECT firm_id, request_id, at, environment, requests::json, has_behavior, has_limited
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], string_to_array($5, E'\\n'), $6::boolean[],
         $7::boolean[]) AS r (firm_id, request_id, at, environment, requests, has_behavior, has_limited)
    ORDER BY firm_id, request_id
   ON CONFLICT DO NOTHING`,
);

const PAGE = sql(
  'request_log_page',
  `SELECT request_id, at, environment, CASE WHEN $4 = '' OR strpos(requests::text, $4) > 0 THEN requests END AS requests
     FROM request_log WHERE firm_id = $1 AND (at, request_id) < ($2::timestamptz, $3::uuid)
    ORDER BY at DESC, request_id DESC LIMIT $5`,
);

const BEHAVIOR_PAGE = sql(
  'request_log_behavior_page',
  `SELECT request_id, at, environment, requests
     FROM request_log WHERE firm_id = $1 AND has_behavior AND (at, request_id) < ($2::timestamptz, $3::uuid)
      AND at >= $4::timestamptz
    ORDER BY at DESC, request_id DESC LIMIT $5`,
);

/** Rows of few requests with 429 cost as much as full ones, so rows are what is bounded. */
const LIMITED = sql(
  'request_log_limited',
  `WITH latest AS (
     SELECT at, environment, requests FROM request_log WHERE firm_id = $1 AND has_limited AND at >= $2::timestamptz
      ORDER BY at DESC LIMIT $4)
   SELECT r ->> 'keyId' AS "keyId", environment, floor((r ->> 'at')::float8 / ${DAY})::int AS day, count(*)::int AS count,
     (SELECT min(at) FROM latest HAVING count(*) = $4) AS since
     FROM latest, json_array_elements(requests) r
    WHERE (r ->> 'status')::int = 429 AND (r ->> 'at')::float8 >= $3
    GROUP BY 1, 2, 3`,
);

const BUSIEST = sql(
  'request_log_busiest',
  `SELECT firm_id AS "firmId", r ->> 'keyId' AS "keyId", count(*)::int AS requests,
     count(*) FILTER (WHERE (r ->> 'status')::int = 429)::int AS limited,
     count(*) FILTER (WHERE (r ->> 'status')::int >= 500)::int AS failed
     FROM request_log, json_array_elements(requests) r
    WHERE at >= $1::timestamptz AND (r ->> 'at')::float8 >= $2
    GROUP BY 1, 2 ORDER BY count(*) DESC, 2 LIMIT $3`,
);

const PAGE_ROWS = 15;
/** Rows whose requests stay on the server. */
const SEARCHED_PAGE_ROWS = 250;

/** A row has the time of its latest request, and waits for the database in an outage. */
const LONGEST_WAIT_MS = HOUR;
/** The time of a request is its end less its duration. */
const CLOCK_DIFFERENCE_MS = MINUTE;

type StoredRequest = Omit<LoggedRequest, 'firmId' | 'environment'>;

const requestsFrom = (firmId: FirmId, { environment, requests }: RequestRow): LoggedRequests =>
  JSON.parse(requests ?? '[]').map((request: StoredRequest) => ({ ...request, firmId, environment }));

const requestsText = (requests: LoggedRequests): string =>
  JSON.stringify(requests.map(({ firmId: _, environment: __, ...request }): StoredRequest => request));

const MAX_ROW_REQUESTS = 20;

const hasBehavior = ({ behavior }: LoggedRequest): boolean => behavior !== undefined;

/** What the requests of a row have in common. */
const groupOf = (request: LoggedRequest): string =>
  [request.firmId, request.environment, hasBehavior(request)].join(' ');

/** Two rows of so many requests fit into a page of PostgreSQL, which stores them without compressing them. */
function rowsOf(requests: readonly LoggedRequest[]): LoggedRequests[] {
  const rows: [LoggedRequest, ...LoggedRequest[]][] = [];
  const latestRows = new Map<string, (typeof rows)[number]>();
  for (const request of requests) {
    const group = groupOf(request);
    const row = latestRows.get(group);
    if (row !== undefined && row.length < MAX_ROW_REQUESTS) {
      row.push(request);
      continue;
    }
    const started: (typeof rows)[number] = [request];
    rows.push(started);
    latestRows.set(group, started);
  }
  for (const row of rows) row.sort(latestRequestFirst);
  return rows;
}

/** @param maintenance for the batches, so that they do not delay the reads of requests. */
export function pgRequestLog(executor: Executor, maintenance: Executor): RequestLogStore {
  const END: RowPosition = { request_id: NIL_UUID, at: Number.MAX_SAFE_INTEGER };
  const rowsAfter = (firmId: FirmId, after: RowPosition, limit: number, containing = '') =>
    executor.rows<RequestRow>(PAGE, [firmId, timestamp(after.at), after.request_id, containing, limit]);

  async function latest(
    firmId: FirmId,
    limit: number,
    pageAfter: typeof rowsAfter = rowsAfter,
  ): Promise<LoggedRequest[]> {
    const found: LoggedRequest[] = [];
    const pageRows = Math.min(limit, PAGE_ROWS);
    const rows = inPages(
      (after: RowPosition | null) => pageAfter(firmId, after ?? END, pageRows),
      (row) => row,
    );
    for await (const row of rows) {
      const requests = requestsFrom(firmId, row);
      // This row and the ones that follow have no later request than its first.
      const isLater = (one: LoggedRequest): boolean => latestRequestFirst(one, requests[0]) < 0;
      if (found.length >= limit && found.filter(isLater).length >= limit) break;
      found.push(...requests);
    }
    return found.sort(latestRequestFirst).slice(0, limit);
  }

  /** Searches the rows around the time in the id; for an id without one those of two weeks. */
  async function byId(firmId: FirmId, requestId: string): Promise<LoggedRequest | undefined> {
    const arrivedAt = timeOfRequestId(requestId);
    const start = arrivedAt === null ? END : { ...END, at: arrivedAt + LONGEST_WAIT_MS };
    const since = arrivedAt === null ? 0 : arrivedAt - CLOCK_DIFFERENCE_MS;
    const rows = inPages(
      (after: RowPosition | null) => rowsAfter(firmId, after ?? start, SEARCHED_PAGE_ROWS, requestId),
      (row) => row,
    );
    for await (const row of rows) {
      if (row.at < since) return undefined;
      const found = requestsFrom(firmId, row).find((request) => request.requestId === requestId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    async append(requests) {
      if (requests.length === 0) return;
      const rows = rowsOf(requests);
      const latest = rows.map(([first]) => first);
      await maintenance.rows(APPEND, [
        arrayOf(latest.map(({ firmId }) => firmId)),
        arrayOf(latest.map(({ requestId }) => requestId)),
        arrayOf(latest.map(({ at }) => timestamp(at))),
        arrayOf(latest.map(({ environment }) => environment)),
        rows.map(requestsText).join('\n'),
        arrayOf(latest.map((first) => String(hasBehavior(first)))),
        arrayOf(rows.map((row) => String(row.some(({ status }) => status === 429)))),
      ]);
    },

    async requestsOf(firmId, { requestId, limit }) {
      if (!isUuid(firmId)) return [];
      if (requestId === undefined) return latest(firmId, limit);
      const found = isUuid(requestId) ? await byId(firmId, requestId.toLowerCase()) : undefined;
      return found === undefined ? [] : [found];
    },

    async behaviorOf(firmId, since, limit, nextPiece = AT_ONCE) {
      const requests = await latest(firmId, limit, async (_, after, rows) => {
        await nextPiece();
        const values = [firmId, timestamp(after.at), after.request_id, timestamp(since), rows];
        return executor.rows<RequestRow>(BEHAVIOR_PAGE, values);
      });
      return requests.filter(({ at }) => at >= since);
    },

    async limitedOf(firmId, since, maxElements) {
      const rows = await executor.rows<LimitedRow>(LIMITED, [firmId, timestamp(since), since, maxElements]);
      return {
        counts: rows.map(({ since: _, ...counted }) => counted),
        since: rows[0]?.since ?? since,
      };
    },

    async pageOf(firmId, after, limit) {
      const start = after === null ? END : { request_id: after.requestId, at: after.at };
      return (await rowsAfter(firmId, start, limit)).map((row) => requestsFrom(firmId, row));
    },

    busiestKeys: (since, limit) => executor.rows<KeyTraffic>(BUSIEST, [timestamp(since), since, limit]),
  };
}
