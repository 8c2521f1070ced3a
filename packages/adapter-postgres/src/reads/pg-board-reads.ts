import type {
  AdjusterAvailability,
  AdjusterWork,
  AnswersFilter,
  AnswersGroup,
  BoardClaim,
  BoardReads,
  BoardScan,
  ClaimSummary,
} from '@svc/application';
import {
  type AdjusterCredentials,
  ALWAYS_AVAILABLE,
  ANSWERS_FOR_MEDIAN,
  type AssignmentStatus,
  type Availability,
  type ClaimId,
  type Environment,
  enteredCredentials,
  type FirmClocks,
  type FirmId,
  type Instant,
  MAX_ANSWERS_GROUPS,
  MAX_COUNTED_CLAIMS,
  NO_CLOCKS,
  OFFER_OUTCOMES,
  type Svcid,
} from '@svc/domain';
import { arrayOf, isUuid, timestamp } from '../driver/column-types.ts';
import { DatabaseError } from '../driver/errors.ts';
import {
  type CancelableExecutor,
  type Executor,
  first,
  rowByKey,
  type Statement,
  sql,
  type Value,
} from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL, SERVICE } from '../encryption/personal-columns.ts';
import {
  CLOSURE_COLUMNS,
  type ClosureRow,
  closureFrom,
  decryptClaims,
  FIRM_CLAIM_COLUMNS,
  type FirmClaimRow,
  STEPS_COLUMNS,
  type StepsRow,
  stepsFrom,
} from '../stores/claim-rows.ts';
import { MEMBER_COLUMNS, type MemberRow, membersFrom } from '../stores/pg-memberships.ts';
import { claimViewFrom } from './pg-firm-reads.ts';

const COLUMNS = `c.id, c.environment, c.external_id, c.claim_number, c.summary, c.status, c.adjuster_svc_id, c.offered_at,
  c.responded_at, c.updated_at, c.closed_at, ${STEPS_COLUMNS}`;

interface BoardRow extends StepsRow {
  readonly id: ClaimId;
  readonly environment: Environment;
  readonly external_id: string;
  readonly claim_number: string;
  readonly summary: string;
  readonly status: AssignmentStatus;
  readonly adjuster_svc_id: Svcid;
  readonly offered_at: Instant;
  readonly responded_at: Instant | null;
  readonly updated_at: Instant;
  readonly closed_at: Instant | null;
}

const SUMMARY = fieldsOf(PERSONAL.claims).filter(({ property }) => property === 'summary');

const boardClaimFrom = (row: BoardRow): BoardClaim => ({
  id: row.id,
  environment: row.environment,
  externalId: row.external_id,
  claimNumber: row.claim_number,
  summary: JSON.parse(row.summary) as ClaimSummary,
  status: row.status,
  adjuster: row.adjuster_svc_id,
  offeredAt: row.offered_at,
  respondedAt: row.responded_at,
  updatedAt: row.updated_at,
  closedAt: row.closed_at,
  steps: stepsFrom(row),
});

/** Of a claim as the change feed has it: the same index, backward. */
const latest = (name: string, condition: string): Statement =>
  sql(
    `board_${name}`,
    `SELECT ${COLUMNS} FROM claims c WHERE c.firm_id = $1 ${condition} AND (c.updated_at, c.id) < ($2, $3)
      ORDER BY c.updated_at DESC, c.id DESC LIMIT $4`,
  );
const LATEST: Readonly<Record<Environment, { readonly all: Statement; readonly byStatus: Statement }>> = {
  live: { all: latest('latest', ''), byStatus: latest('latest_by_status', 'AND c.status = $5') },
  test: {
    all: latest('latest_test', "AND c.environment = 'test'"),
    byStatus: latest('latest_test_by_status', "AND c.environment = 'test' AND c.status = $5"),
  },
};

/**
 * The environment is in the order, which only this index has: the change feed has closed claims as well. Bounded on both
 * sides, or else a plan for any values estimates so many rows that it reads and sorts all open claims of the firm.
 */
const WAITING = sql(
  'board_waiting',
  `SELECT ${COLUMNS} FROM claims c
    WHERE c.firm_id = $1 AND (c.environment, c.status, c.updated_at, c.id) > ($5, $6, $2, $3)
      AND (c.environment, c.status) <= ($5, $6) AND c.environment >= $5 AND c.environment <= $5
      AND c.closed_at IS NULL AND (c.status = 'accepted') IS FALSE
    ORDER BY c.environment, c.status, c.updated_at, c.id LIMIT $4`,
);

const countWaiting = (status: AssignmentStatus, late = ''): string =>
  `(SELECT count(*)::int FROM (SELECT FROM claims c WHERE c.firm_id = $1 AND c.environment = $2 AND c.status = '${status}'
      AND c.closed_at IS NULL AND (c.status = 'accepted') IS FALSE ${late} LIMIT ${MAX_COUNTED_CLAIMS}) counted)`;
/** Along the index of what waits. */
const COUNTS = sql(
  'board_counts',
  `SELECT ${countWaiting('pending_acceptance')} AS pending, ${countWaiting('rejected')} AS rejected,
     ${countWaiting('unassigned')} AS unassigned,
     ${countWaiting('pending_acceptance', 'AND c.offered_at <= $3 AND c.updated_at <= $4')} AS late`,
);

const ofAdjuster = (name: string, closed: string, comparison: '<' | '>', direction: '' | 'DESC'): Statement =>
  sql(
    `board_${name}_of_adjuster`,
    `SELECT ${COLUMNS} FROM claims c
      WHERE c.firm_id = $1 AND c.adjuster_svc_id = $5 AND c.status = $6 AND c.closed_at ${closed}
        AND (c.offered_at, c.id) ${comparison} ($2, $3)
      ORDER BY c.offered_at ${direction}, c.id ${direction} LIMIT $4`,
  );
const OLDEST_OF_ADJUSTER = ofAdjuster('oldest', 'IS NULL', '>', '');
const LATEST_OF_ADJUSTER = ofAdjuster('latest', 'IS NULL', '<', 'DESC');
const CLOSED_OF_ADJUSTER = ofAdjuster('closed', 'IS NOT NULL', '<', 'DESC');

/** Ids compare by code point. */
const withPrefix = (column: string, condition = ''): Statement =>
  sql(
    `board_by_${column}`,
    `SELECT ${COLUMNS} FROM claims c
      WHERE c.firm_id = $1 AND c.environment = $2 AND c.${column} >= $3 AND c.${column} < $4 ${condition}
      ORDER BY c.${column} LIMIT $5`,
  );
const BY_EXTERNAL_ID = withPrefix('external_id');
const BY_CLAIM_NUMBER = withPrefix('claim_number', 'AND c.closed_at IS NULL');
const withIds = (column: string, condition = ''): Statement =>
  sql(
    `board_with_${column}`,
    `SELECT c.id, c.external_id AS "externalId", c.claim_number AS "claimNumber", c.closed_at AS "closedAt" FROM claims c
      WHERE c.firm_id = $1 AND c.environment = $2 AND c.${column} = ANY ($3::text[]) ${condition}`,
  );
const WITH_EXTERNAL_ID = withIds('external_id');
const WITH_CLAIM_NUMBER = withIds('claim_number', 'AND c.closed_at IS NULL');
/** No character comes after it. */
const LAST_CHARACTER = '\u{10ffff}';

const CLAIM = sql(
  'board_claim',
  rowByKey(
    'claims c',
    { 'c.firm_id': '$1', 'c.id': '$2' },
    { columns: `${FIRM_CLAIM_COLUMNS}, c.closed_at, ${CLOSURE_COLUMNS}, ${STEPS_COLUMNS}` },
  ),
);

const WANTED = 'unnest($2::text[]) AS wanted (svc_id)';

const MEMBERS = sql(
  'board_members',
  `SELECT ${MEMBER_COLUMNS} FROM ${WANTED}
     CROSS JOIN LATERAL (${rowByKey('memberships', { firm_id: '$1', svc_id: 'wanted.svc_id' })}) m
     CROSS JOIN LATERAL (${rowByKey('adjusters', { svc_id: 'm.svc_id' })}) a`,
);

const AVAILABILITY = sql(
  'board_availability',
  `SELECT a.svc_id, a.availability FROM ${WANTED}
     CROSS JOIN LATERAL (${rowByKey('memberships', { firm_id: '$1', svc_id: 'wanted.svc_id' })}) m
     CROSS JOIN LATERAL (${rowByKey('adjusters', { svc_id: 'm.svc_id' })}) a WHERE a.availability IS NOT NULL`,
);
const AVAILABILITY_FIELDS = fieldsOf(PERSONAL.adjusters).filter(
  ({ property }) => property === 'availability',
);

/** Of all firms together. */
const PENDING_OF_ADJUSTERS = sql(
  'board_pending_of_adjusters',
  `SELECT m.svc_id, sum(pending.count)::int AS count FROM memberships m CROSS JOIN LATERAL (
       SELECT count(*) FROM claims c WHERE c.firm_id = m.firm_id AND c.adjuster_svc_id = m.svc_id
          AND c.status = 'pending_acceptance' AND c.closed_at IS NULL) pending
    WHERE m.svc_id = ANY ($1::text[]) GROUP BY m.svc_id`,
);
const SHARED_CREDENTIALS = sql(
  'board_shared_credentials',
  `SELECT a.svc_id, a.credentials FROM ${WANTED}
     CROSS JOIN LATERAL (${rowByKey('memberships', { firm_id: '$1', svc_id: 'wanted.svc_id' })}) m
     CROSS JOIN LATERAL (${rowByKey('adjusters', { svc_id: 'm.svc_id' })}) a
    WHERE m.status = 'active' AND m.shares_credentials AND a.credentials IS NOT NULL`,
);
const CREDENTIALS = fieldsOf(PERSONAL.adjusters).filter(({ property }) => property === 'credentials');

const countOf = (status: AssignmentStatus): string =>
  `(SELECT count(*)::int FROM claims c WHERE c.firm_id = $1 AND c.adjuster_svc_id = wanted.svc_id
      AND c.status = '${status}' AND c.closed_at IS NULL)`;
const answers = (status: AssignmentStatus, closed: string): string =>
  `(SELECT c.offered_at, c.responded_at FROM claims c
     WHERE c.firm_id = $1 AND c.adjuster_svc_id = wanted.svc_id AND c.status = '${status}' AND c.closed_at ${closed}
     ORDER BY c.offered_at DESC, c.id DESC LIMIT ${ANSWERS_FOR_MEDIAN})`;

/** Not negative, also where processes had other clocks than the database. Null: not answered. */
const answerMs = (offer: string): string =>
  `CASE WHEN ${offer}.responded_at IS NOT NULL
     THEN greatest(extract(epoch FROM ${offer}.responded_at - ${offer}.offered_at) * 1000, 0) END`;

const WORK = sql(
  'board_work',
  `SELECT wanted.svc_id, ${countOf('pending_acceptance')} AS open_offers, ${countOf('accepted')} AS open_claims, (
     SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ${answerMs('latest')})
       FROM (SELECT * FROM (${[
         answers('accepted', 'IS NULL'),
         answers('accepted', 'IS NOT NULL'),
         answers('rejected', 'IS NULL'),
         answers('rejected', 'IS NOT NULL'),
         `(SELECT o.offered_at, o.responded_at FROM offers o
            WHERE o.firm_id = $1 AND o.adjuster_svc_id = wanted.svc_id AND o.ended_at IS NOT NULL
              AND o.responded_at IS NOT NULL ORDER BY o.offered_at DESC LIMIT ${ANSWERS_FOR_MEDIAN})`,
       ].join('\n UNION ALL ')}) answered ORDER BY offered_at DESC LIMIT ${ANSWERS_FOR_MEDIAN}) latest
   ) AS median_answer_ms FROM ${WANTED}`,
);

const GROUPS: Readonly<Record<AnswersFilter['by'], string>> = {
  adjuster: 'made.adjuster_svc_id',
  // In digits of one length, for the order.
  week: "lpad(width_bucket(made.offered_at, $10::timestamptz[])::text, 3, '0')",
  carrier: 'made.carrier_key',
};
const percentile = (fraction: number): string =>
  `percentile_cont(${fraction}) WITHIN GROUP (ORDER BY ${answerMs('made')})`;

const CONTACT_DUE = `c.responded_at + interval '1 hour' * (
    SELECT hours FROM unnest($5::text[], $6::text[], $7::integer[])
        WITH ORDINALITY AS rule (carrier_key, cat_code, hours, position)
     WHERE (rule.carrier_key IS NULL OR rule.carrier_key = c.carrier_key)
       AND (rule.cat_code IS NULL OR rule.cat_code = c.cat_code)
     ORDER BY position LIMIT 1)`;
/** As `isStepLate` of the domain. Null: the claim is not accepted, or the adjuster does not let the firm see it. */
const CONTACT_CLOCK = `CASE WHEN m.shares_clocks AND c.status = 'accepted' THEN
    CASE WHEN ${CONTACT_DUE} < coalesce(least(c.contacted_at, c.contact_received_at),
        c.work_contact_date::timestamp AT TIME ZONE $8, least(c.closed_at, $9::timestamptz)) THEN 'late'
      WHEN coalesce(c.contacted_at::date, c.work_contact_date) IS NULL THEN 'open' ELSE 'in_time' END END`;

/**
 * The latest offer of a claim is in its row, earlier ones are in `offers`. A claim changes when it is offered, so those of
 * a time are in the change feed from then on. Each is read in the order of one index, which has the time: by others, every
 * claim of the firm would be read.
 */
const answersBy = (by: AnswersFilter['by']): Statement =>
  sql(
    `board_answers_by_${by}`,
    `WITH made AS MATERIALIZED (
       SELECT c.adjuster_svc_id, c.carrier_key, c.offered_at, c.responded_at, clock.contact, CASE c.status
           WHEN 'pending_acceptance' THEN CASE WHEN c.closed_at IS NULL THEN 'pending' ELSE 'closed' END
           WHEN 'unassigned' THEN CASE WHEN c.withdrawn_by IS NULL THEN 'unassigned' ELSE 'withdrawn' END
           ELSE c.status END AS outcome
         FROM (SELECT * FROM claims WHERE firm_id = $1 AND updated_at >= $3 ORDER BY updated_at, id OFFSET 0) c
         LEFT JOIN memberships m ON m.firm_id = $1 AND m.svc_id = c.adjuster_svc_id AND m.status = 'active'
         CROSS JOIN LATERAL (SELECT ${CONTACT_CLOCK} AS contact) clock
        WHERE c.environment = $2 AND c.offered_at >= $3 AND c.offered_at < $4
       UNION ALL
       SELECT o.adjuster_svc_id, o.carrier_key, o.offered_at, o.responded_at, NULL, o.status
         FROM (SELECT * FROM offers WHERE firm_id = $1 AND offered_at >= $3 AND offered_at < $4 AND ended_at IS NOT NULL
                ORDER BY offered_at OFFSET 0) o
        WHERE o.environment = $2),
     grouped AS (
       SELECT ${GROUPS[by]} AS "group", grouping(${GROUPS[by]}) AS is_total, count(*)::int AS offers,
           ${OFFER_OUTCOMES.map((outcome) => `count(*) FILTER (WHERE made.outcome = '${outcome}')::int AS ${outcome}`).join(', ')},
           ${percentile(0.5)} AS "medianAnswerMs", ${percentile(0.9)} AS "p90AnswerMs",
           count(made.contact)::int AS "contactsShared",
           count(*) FILTER (WHERE made.contact = 'in_time')::int AS "contactsInTime",
           count(*) FILTER (WHERE made.contact = 'late')::int AS "contactsLate"
         FROM made GROUP BY GROUPING SETS ((), (${GROUPS[by]})))
     SELECT ${by === 'carrier' ? '(SELECT name FROM carriers WHERE firm_id = $1 AND name_key = "group")' : 'NULL'} AS name, *
       FROM grouped ORDER BY is_total DESC, ${by === 'week' ? '' : 'offers DESC,'} "group" LIMIT ${MAX_ANSWERS_GROUPS + 1}`,
  );
const ANSWERS: Readonly<Record<AnswersFilter['by'], Statement>> = {
  adjuster: answersBy('adjuster'),
  week: answersBy('week'),
  carrier: answersBy('carrier'),
};

const OFFER_WAIT = sql('board_offer_wait', 'SELECT offer_wait_hours FROM firms WHERE id = $1');

const FIRM_CLOCKS = sql('board_firm_clocks', 'SELECT clocks FROM firms WHERE id = $1');

const REVISIONS = sql(
  'board_revisions',
  "SELECT firm_id, last_stamp || ' ' || closings AS revision FROM firm_feeds WHERE firm_id = ANY ($1::uuid[])",
);

function statementOf(scan: BoardScan): readonly [Statement, ...Value[]] {
  if (scan.by === 'waiting') return [WAITING, scan.environment, scan.status];
  if (scan.by === 'adjuster') {
    const { adjuster, status, closed, latestFirst } = scan;
    const open = latestFirst ? LATEST_OF_ADJUSTER : OLDEST_OF_ADJUSTER;
    return [closed ? CLOSED_OF_ADJUSTER : open, adjuster, status];
  }
  const { all, byStatus } = LATEST[scan.environment];
  return scan.status === undefined ? [all] : [byStatus, scan.status];
}

/** @param maintenance for reports, so that they do not delay the reads of requests. */
export function pgBoardReads(
  executor: Executor,
  maintenance: CancelableExecutor,
  encryption: Encryption,
): BoardReads {
  const read = async (firmId: FirmId, statement: Statement, values: readonly Value[]) => {
    const rows = await executor.rows<BoardRow>(statement, [firmId, ...values]);
    return (await encryption.decrypt(rows, SUMMARY, ({ id }) => ({ firmId, key: id }))).map(boardClaimFrom);
  };
  return {
    claims(firmId, scan, { at, id }, count) {
      const [statement, ...values] = statementOf(scan);
      return read(firmId, statement, [timestamp(at), id, count, ...values]);
    },

    async claimsByIdPrefix(firmId, environment, prefix, count) {
      const values = [environment, prefix, prefix + LAST_CHARACTER, count];
      const found = await Promise.all(
        [BY_EXTERNAL_ID, BY_CLAIM_NUMBER].map((statement) => read(firmId, statement, values)),
      );
      return found.flat();
    },

    async counts(firmId, environment, { offeredUntil, updatedUntil }) {
      type Counts = Awaited<ReturnType<BoardReads['counts']>>;
      const values = [firmId, environment, timestamp(offeredUntil), timestamp(updatedUntil)];
      const counts = first(await executor.rows<Counts>(COUNTS, values));
      if (counts === null) throw new DatabaseError('the board has no counts');
      return counts;
    },

    async claimsWithIds(firmId, environment, ids) {
      type Row = Pick<BoardClaim, 'id' | 'externalId' | 'claimNumber' | 'closedAt'>;
      const rows = (statement: Statement, values: readonly string[]) =>
        executor.rows<Row>(statement, [firmId, environment, values]);
      const found = await Promise.all([
        rows(
          WITH_EXTERNAL_ID,
          ids.map(({ externalId }) => externalId),
        ),
        rows(
          WITH_CLAIM_NUMBER,
          ids.map(({ claimNumber }) => claimNumber),
        ),
      ]);
      return found.flat();
    },

    async claim(firmId, id) {
      if (!isUuid(id)) return null;
      type Row = FirmClaimRow & Pick<BoardRow, 'closed_at'> & ClosureRow & StepsRow;
      const found = await executor.rows<Row>(CLAIM, [firmId, id]);
      const ofFirm = found.map((row) => ({ ...row, firm_id: firmId }));
      const row = first(await decryptClaims(encryption, ofFirm));
      return (
        row && { ...claimViewFrom(row), closedAt: row.closed_at, ...closureFrom(row), steps: stepsFrom(row) }
      );
    },

    async members(firmId, svcIds) {
      return membersFrom(encryption, await executor.rows<MemberRow>(MEMBERS, [firmId, svcIds]));
    },

    async sharedCredentials(firmId, svcIds) {
      type Row = { readonly svc_id: Svcid; readonly credentials: string };
      const found = await executor.rows<Row>(SHARED_CREDENTIALS, [firmId, svcIds]);
      const rows = await encryption.decrypt(found, CREDENTIALS, ({ svc_id }) => ({
        firmId: SERVICE,
        key: svc_id,
      }));
      return new Map(
        rows.map((row) => {
          const credentials = JSON.parse(row.credentials) as AdjusterCredentials;
          return [row.svc_id, enteredCredentials(credentials)];
        }),
      );
    },

    async work(firmId, svcIds) {
      const rows = await executor.rows<{
        readonly svc_id: Svcid;
        readonly open_offers: number;
        readonly open_claims: number;
        readonly median_answer_ms: number | null;
      }>(WORK, [firmId, svcIds]);
      return new Map<Svcid, AdjusterWork>(
        rows.map((row) => [
          row.svc_id,
          {
            openOffers: row.open_offers,
            openClaims: row.open_claims,
            medianAnswerMs: row.median_answer_ms,
          },
        ]),
      );
    },

    async availability(firmId, svcIds) {
      type Row = { readonly svc_id: Svcid; readonly availability: string };
      const found = await executor.rows<Row>(AVAILABILITY, [firmId, svcIds]);
      const keyOf = ({ svc_id }: Row) => ({ firmId: SERVICE, key: svc_id });
      const all = (await encryption.decrypt(found, AVAILABILITY_FIELDS, keyOf)).map((row) => ({
        svcId: row.svc_id,
        availability: { ...ALWAYS_AVAILABLE, ...(JSON.parse(row.availability) as Partial<Availability>) },
      }));
      const limited = all.filter(({ availability }) => availability.maxOpenOffers !== null);
      type Count = { readonly svc_id: Svcid; readonly count: number };
      const counts =
        limited.length === 0
          ? []
          : await executor.rows<Count>(PENDING_OF_ADJUSTERS, [limited.map(({ svcId }) => svcId)]);
      const countOf = new Map(counts.map(({ svc_id, count }) => [svc_id, count]));
      return new Map<Svcid, AdjusterAvailability>(
        all.map(({ svcId, availability }) => [
          svcId,
          { availability, pendingOffers: countOf.get(svcId) ?? 0 },
        ]),
      );
    },

    async offerWaitHours(firmId) {
      const rows = await executor.rows<{ offer_wait_hours: number | null }>(OFFER_WAIT, [firmId]);
      return first(rows)?.offer_wait_hours ?? null;
    },

    async clocks(firmId) {
      const text = first(await executor.rows<{ clocks: string | null }>(FIRM_CLOCKS, [firmId]))?.clocks;
      return text == null ? NO_CLOCKS : (JSON.parse(text) as FirmClocks);
    },

    async answers(firmId, { environment, since, until, by, weekStarts, ...clocks }, signal) {
      type Row = AnswersGroup & { readonly name: string | null; readonly is_total: number };
      const { contactHours, firmTimeZone, now } = clocks;
      const values: Value[] = [firmId, environment, timestamp(since), timestamp(until)];
      values.push(contactHours.map(({ carrierKey }) => carrierKey));
      values.push(contactHours.map(({ catCode }) => catCode));
      values.push(arrayOf(contactHours.map(({ hours }) => String(hours))));
      values.push(firmTimeZone, timestamp(now));
      if (by === 'week') values.push(arrayOf(weekStarts.map((start) => `"${timestamp(start)}"`)));
      const rows = await maintenance.rows<Row>(ANSWERS[by], values, signal);
      const [total, ...groups] = rows.map(({ name, is_total, ...row }) => ({
        ...row,
        group: name ?? row.group ?? '',
      }));
      if (total === undefined) throw new DatabaseError('a report has no total');
      return { total, groups };
    },

    async revisions(firmIds) {
      const rows = await executor.rows<{ firm_id: FirmId; revision: string }>(REVISIONS, [firmIds]);
      return new Map(rows.map(({ firm_id, revision }) => [firm_id, revision]));
    },
  };
}
