import type { LoggedRequest, RequestLogStore } from '@svc/application';
import type { FirmId, Instant, KeyId } from '@svc/domain';
import { isUuid, timestamp } from '../driver/column-types.ts';
import { type Session, sql } from '../driver/session.ts';

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
}

const APPEND = sql(
  'request_log_append',
  `INSERT INTO request_log (firm_id, request_id, at, key_id, route, status, code, places, duration_ms)
   SELECT firm_id, request_id, at, key_id, route, nullif(status, '')::integer, nullif(code, ''), places, duration_ms
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[],
       $9::real[]) AS r (firm_id, request_id, at, key_id, route, status, code, places, duration_ms)
    ORDER BY firm_id, request_id
   ON CONFLICT DO NOTHING`,
);

const COLUMNS = 'firm_id, request_id, at, key_id, route, status, code, places, duration_ms';

const LATEST = sql(
  'request_log_latest',
  `SELECT ${COLUMNS} FROM request_log WHERE firm_id = $1 ORDER BY at DESC, request_id DESC LIMIT $2`,
);

const AFTER = sql(
  'request_log_after',
  `SELECT ${COLUMNS} FROM request_log WHERE firm_id = $1 AND (at, request_id) < ($2::timestamptz, $3::uuid)
    ORDER BY at DESC, request_id DESC LIMIT $4`,
);

const BY_ID = sql(
  'request_log_by_id',
  `SELECT ${COLUMNS} FROM request_log WHERE firm_id = $1 AND request_id = $2 LIMIT $3`,
);

const requestFrom = (row: RequestRow): LoggedRequest => ({
  requestId: row.request_id,
  at: row.at,
  firmId: row.firm_id,
  keyId: row.key_id,
  route: row.route,
  status: row.status,
  code: row.code,
  places: JSON.parse(row.places),
  durationMs: row.duration_ms,
});

/** @param maintenance for the batches, so that they do not delay the reads of requests. */
export const pgRequestLog = (session: Session, maintenance: Session): RequestLogStore => ({
  async append(requests) {
    if (requests.length === 0) return;
    const column = (of: (request: LoggedRequest) => string): string[] => requests.map(of);
    await maintenance.rows(APPEND, [
      column(({ firmId }) => firmId),
      column(({ requestId }) => requestId),
      column(({ at }) => timestamp(at)),
      column(({ keyId }) => keyId),
      column(({ route }) => route),
      column(({ status }) => String(status ?? '')),
      column(({ code }) => code ?? ''),
      column(({ places }) => JSON.stringify(places)),
      column(({ durationMs }) => String(durationMs)),
    ]);
  },

  async requestsOf(firmId, { requestId, limit, after }) {
    if (!isUuid(firmId) || (requestId !== undefined && !isUuid(requestId))) return [];
    if (after !== undefined) {
      const values = [firmId, timestamp(after.at), after.requestId, limit];
      return (await session.rows<RequestRow>(AFTER, values)).map(requestFrom);
    }
    const rows = await (requestId === undefined
      ? session.rows<RequestRow>(LATEST, [firmId, limit])
      : session.rows<RequestRow>(BY_ID, [firmId, requestId, limit]));
    return rows.map(requestFrom);
  },
});
