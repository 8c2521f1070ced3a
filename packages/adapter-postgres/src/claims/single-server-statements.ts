import { type Clock, IDEMPOTENCY_WINDOW_MS, summaryOf } from '@svc/application';
import { type ClaimId, carrierNameKey, type FirmId, type Instant } from '@svc/domain';
import { arrayOf, isUuid, timestamp } from '../driver/column-types.ts';
import {
  first,
  rowByKey,
  type Statement,
  sql,
  type TransactionExecutor,
  type Value,
} from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import type { Decided, FirmStatements } from '../firm-statements.ts';
import { addMany } from '../jobs/job-table.ts';
import { rowColumns, rowValues } from '../stores/audit-rows.ts';
import { CLAIM_FORMS, FORM_COLUMNS } from '../stores/carrier-rows.ts';
import {
  assignmentValues,
  CLAIM_COLUMNS,
  type ClaimRow,
  claimsFrom,
  lockedRow,
  SET_CLAIM,
  workValues,
} from '../stores/claim-rows.ts';
import { ACCESS_COLUMNS, type OfferedRow, offeredFrom } from '../stores/offered-rows.ts';
import { ADJUSTER_COLUMNS, type AdjusterRow, adjustersFrom } from '../stores/pg-adjusters.ts';
import { advanceChain, advanceIn, INSERT_ROW } from '../stores/pg-audit.ts';
import { mergeMany } from '../stores/pg-carriers.ts';
import { lockAndCountPending } from '../stores/pg-claims.ts';
import { bindMany } from '../stores/pg-idempotency.ts';
import { MEMBERSHIP_COLUMNS, type MembershipRow, membershipsFrom } from '../stores/pg-memberships.ts';
import { endOffers } from '../stores/pg-offer-history.ts';
import { feedValues, ordinalsOf, takeTimestampsAndAudit, timestampAfterLast } from './feed-timestamps.ts';
import type { WhenLocked } from './groups.ts';

/** A statement that waits for rows that others have locked, and one that skips them. */
const eitherWay = (
  names: Readonly<Record<WhenLocked, string>>,
  text: (locking: '' | 'SKIP LOCKED') => string,
): Readonly<Record<WhenLocked, Statement>> => ({
  skip: sql(names.skip, text('SKIP LOCKED')),
  wait: sql(names.wait, text('')),
});

/** In a group, what others have locked is left out: no claim waits for another adjuster. */
const LOCK_MEMBERSHIPS = eitherWay(
  { skip: 'memberships_lock_available', wait: 'memberships_lock_shared' },
  (locking) => `SELECT ${MEMBERSHIP_COLUMNS} FROM unnest($1::uuid[], $2::text[]) AS sent (firm_id, svc_id)
     CROSS JOIN LATERAL (${rowByKey(
       'memberships',
       { firm_id: 'sent.firm_id', svc_id: 'sent.svc_id' },
       { lock: `FOR SHARE ${locking}` },
     )}) m`,
);

const LOCK_CLAIMS = eitherWay(
  { skip: 'claims_lock_many_available', wait: 'claims_lock_many' },
  (locking) => `SELECT ${CLAIM_COLUMNS} FROM unnest($1::uuid[], $2::uuid[]) AS offered (firm_id, id)
     CROSS JOIN LATERAL (
       ${rowByKey('claims', { firm_id: 'offered.firm_id', id: 'offered.id' }, { lock: `FOR UPDATE ${locking}` })}) c`,
);

/** Of several open claims with this number, the first. */
const duplicateOf = (firm: string, environment: string, externalId: string, claimNumber: string): string =>
  `(${rowByKey('claims', { firm_id: firm, environment, external_id: externalId }, { columns: "id, 'external_id' AS by" })})
   UNION ALL
   (SELECT id, 'claim_number' FROM claims WHERE firm_id = ${firm} AND environment = ${environment}
       AND claim_number BETWEEN ${claimNumber} AND ${claimNumber} AND closed_at IS NULL
     ORDER BY claim_number, created_at LIMIT 1)
   LIMIT 1`;

/** One statement: a claim that it finds as a duplicate is never that of an earlier request whose key it did not find. */
const FACTS = sql(
  'claims_facts',
  `SELECT bound.fingerprint, bound.claim_id, duplicate.id AS duplicate_id, duplicate.by AS duplicate_by,
       ${ADJUSTER_COLUMNS}, a.availability
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[])
       WITH ORDINALITY AS sent (firm_id, environment, key, since, external_id, claim_number, svc_id, ordinal)
     LEFT JOIN LATERAL (${rowByKey('idempotency_records', {
       firm_id: 'sent.firm_id',
       environment: 'sent.environment',
       key: 'sent.key',
     })}) bound ON bound.bound_at > sent.since
     LEFT JOIN LATERAL (
       ${duplicateOf('sent.firm_id', 'sent.environment', 'sent.external_id', 'sent.claim_number')}) duplicate ON true
     LEFT JOIN LATERAL (${rowByKey('adjusters', { svc_id: 'sent.svc_id' })}) a ON true
    ORDER BY sent.ordinal`,
);

type FactsRow = AdjusterRow & {
  readonly fingerprint: string | null;
  readonly claim_id: ClaimId;
  readonly duplicate_id: ClaimId | null;
  readonly duplicate_by: 'external_id' | 'claim_number';
};

/** The documents are lines, as the texts of the audit trail: JSON in ASCII, or encrypted. */
const ADD = sql(
  'claims_add',
  `WITH ${takeTimestampsAndAudit('')}
   INSERT INTO claims (firm_id, id, environment, external_id, claim_number, carrier_key, cat_code, carrier, document,
     summary, status, adjuster_svc_id, offered_at, responded_at, rejection_reason, offered_by, created_at, updated_at, audit_seq)
   SELECT sent.firm_id, sent.id, sent.environment, sent.external_id, sent.claim_number, sent.carrier_key,
       sent.cat_code, sent.carrier::json, sent.document::json, sent.summary::json, sent.status, sent.svc_id, sent.offered_at, sent.responded_at, sent.reason,
       sent.offered_by,
       next.first_stamp + sent.ordinal * interval '1 ms', next.first_stamp + sent.ordinal * interval '1 ms',
       next.audit_seq
     FROM unnest($7::uuid[], $8::uuid[], $9::integer[], $10::text[], $11::text[], $12::timestamptz[],
         $13::timestamptz[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[],
         string_to_array($21, E'\\n'), string_to_array($22, E'\\n'), string_to_array($23, E'\\n'))
       AS sent (firm_id, id, ordinal, status, svc_id, offered_at, responded_at, reason, offered_by, environment, external_id,
         claim_number, carrier_key, cat_code, carrier, document, summary)
     LEFT JOIN next ON next.firm_id = sent.firm_id
   RETURNING id, updated_at`,
);

const SAVE = eitherWay(
  { skip: 'assignments_save_available', wait: 'assignments_save' },
  (locking) => `WITH ${takeTimestampsAndAudit(locking)}
   UPDATE claims c SET status = changed.status, adjuster_svc_id = changed.svc_id, offered_at = changed.offered_at,
       responded_at = changed.responded_at, rejection_reason = changed.reason, offered_by = changed.offered_by,
       withdrawn_by = NULL,
       updated_at = next.first_stamp + changed.ordinal * interval '1 ms', audit_seq = next.audit_seq
     FROM unnest($7::uuid[], $8::uuid[], $9::integer[], $10::text[], $11::text[], $12::timestamptz[],
       $13::timestamptz[], $14::text[], $15::text[])
       AS changed (firm_id, id, ordinal, status, svc_id, offered_at, responded_at, reason, offered_by) JOIN next USING (firm_id)
     CROSS JOIN LATERAL (${lockedRow('changed.firm_id', 'changed.id')}) kept
    WHERE c.ctid = kept.ctid RETURNING c.id, c.updated_at`,
);

/**
 * Searches the firms that the adjuster ever belonged to: accepted claims stay after leaving. Locks the membership before
 * the claim. One statement, since each costs the driver and PostgreSQL processor time besides its work.
 */
const LOCK_OFFERED = eitherWay(
  { skip: 'claims_lock_offered_available', wait: 'claims_lock_offered' },
  (locking) => `SELECT ${CLAIM_COLUMNS}, ${ACCESS_COLUMNS}, ${FORM_COLUMNS}
     FROM unnest($1::text[], $2::uuid[]) AS response (svc_id, id) CROSS JOIN LATERAL (
       SELECT * FROM memberships m WHERE svc_id = response.svc_id AND EXISTS (
           SELECT FROM (${rowByKey('claims', { firm_id: 'm.firm_id', id: 'response.id' })}) c
            WHERE adjuster_svc_id = response.svc_id)
          FOR SHARE ${locking}) m
     CROSS JOIN LATERAL (
       ${rowByKey('claims', { firm_id: 'm.firm_id', id: 'response.id' }, { lock: `FOR UPDATE ${locking}` })}) c
     ${CLAIM_FORMS} WHERE c.adjuster_svc_id = response.svc_id`,
);

/** Takes the next timestamp. The row of the feed stays locked until commit, so feed order is commit order. */
const SAVE_ONE = sql(
  'claims_save',
  `WITH next AS (UPDATE firm_feeds AS feed SET last_stamp = ${timestampAfterLast('$2')}
     WHERE firm_id = $1 RETURNING last_stamp)
   ${SET_CLAIM}, updated_at = last_stamp FROM next WHERE ctid = (${lockedRow('$1', '$3')}) RETURNING updated_at`,
);
/** In one statement, so that the lock on the chain costs no round trip. */
const APPEND = sql(
  'audit_append',
  `WITH chain AS (${advanceIn('$4')}, audit_hash) ${INSERT_ROW} SELECT $1, audit_seq, $2, $3, audit_hash FROM chain`,
);

/** Skips firms whose feed is locked: waiting while holding locks on other firms would block their changes. */
const LOCK_AVAILABLE_CHAINS = sql(
  'audit_lock_available_chains',
  'SELECT firm_id FROM firm_feeds WHERE firm_id = ANY($1::uuid[]) FOR NO KEY UPDATE SKIP LOCKED',
);

/**
 * Appends one row to each of several locked chains in one statement: one statement per row would cost more than the read
 * that is recorded. The entries are joined by newlines: an array literal would escape every quote of their JSON.
 */
const APPEND_TO_MANY = sql(
  'audit_append_to_many',
  `WITH chain AS (
     UPDATE firm_feeds AS feed SET ${advanceChain('digest')}
     FROM unnest($1::uuid[], $2::timestamptz[], string_to_array($3, E'\\n'), $4::text[])
       AS event (firm_id, at, entry, digest)
     CROSS JOIN LATERAL (${rowByKey('firm_feeds', { firm_id: 'event.firm_id' }, { columns: 'ctid' })}) locked
     WHERE feed.ctid = locked.ctid
     RETURNING feed.firm_id, feed.audit_seq, event.at, event.entry, feed.audit_hash)
   ${INSERT_ROW} SELECT * FROM chain`,
);

/** A process that stops while it holds a lock must not stop the claims of other firms. */
const SHORT_LOCK_TIMEOUT = sql('claims_lock_timeout', "SET LOCAL lock_timeout = '200ms'");

interface Saved {
  readonly id: ClaimId;
  readonly updated_at: Instant;
}

/** Any number of firms with each statement. */
export function singleServerStatements(
  executor: TransactionExecutor,
  clock: Clock,
  encryption: Encryption,
): FirmStatements {
  /** Binds the keys, adds the jobs, and returns the parameters that ADD and SAVE have in common. */
  const writeBefore = async (decided: readonly Decided[]): Promise<Value[]> => {
    const bound = decided.flatMap(({ request, claim }) =>
      request === undefined ? [] : [{ ...request, claimId: claim.id }],
    );
    const jobs = decided.flatMap((each) => each.jobs);
    if (bound.length > 0) bindMany(executor, bound);
    if (jobs.length > 0) addMany(executor, jobs);
    await endOffers(
      executor,
      encryption,
      decided.flatMap(({ ended }) => ended ?? []),
    );
    const claims = decided.map(({ claim }) => claim);
    const firms = claims.map(({ firmId }) => firmId);
    const assignments = await Promise.all(
      claims.map(async ({ firmId, id, assignment }) =>
        assignmentValues(assignment, await encryption.encryptor(PERSONAL.claims, firmId, id)),
      ),
    );
    /** In the order of {@link assignmentValues}. */
    const column = (n: number): (string | null)[] => assignments.map((values) => values[n] ?? null);
    return [
      ...feedValues(
        clock.now(),
        decided.map(({ event }) => event),
      ),
      arrayOf(firms),
      arrayOf(claims.map(({ id }) => id)),
      ordinalsOf(firms),
      ...[column(0), column(1), arrayOf(column(2)), arrayOf(column(3)), column(4), column(5)],
    ];
  };
  const commit = async (statement: Statement, values: Value[]): Promise<ReadonlyMap<ClaimId, Instant>> => {
    const saved = await executor.rowsAndCommit<Saved>(statement, values);
    return new Map(saved.map(({ id, updated_at }) => [id, updated_at]));
  };

  return {
    async lockMemberships(requests, whenLocked) {
      if (whenLocked === 'skip') executor.send(SHORT_LOCK_TIMEOUT, []);
      const rows = await executor.rows<MembershipRow>(LOCK_MEMBERSHIPS[whenLocked], [
        arrayOf(requests.map(({ slot }) => slot.firmId)),
        requests.map(({ adjuster }) => adjuster),
      ]);
      const locked = await membershipsFrom(encryption, rows);
      const found = new Map(
        locked.map((membership) => [`${membership.firmId} ${membership.svcId}`, membership]),
      );
      return requests.map(({ slot, adjuster }) => found.get(`${slot.firmId} ${adjuster}`) ?? null);
    },

    async lockClaims(requests, whenLocked) {
      const offered = requests.flatMap(({ slot: { firmId }, claimId }) =>
        claimId !== undefined && isUuid(claimId) ? [{ firmId, claimId }] : [],
      );
      if (offered.length === 0) return [];
      const rows = await executor.rows<ClaimRow>(LOCK_CLAIMS[whenLocked], [
        arrayOf(offered.map(({ firmId }) => firmId)),
        arrayOf(offered.map(({ claimId }) => claimId)),
      ]);
      const locked = new Map((await claimsFrom(encryption, rows)).map((claim) => [claim.id, claim]));
      return requests.map(({ claimId }) => (claimId && locked.get(claimId)) ?? null);
    },

    async facts(requests) {
      const rows = await executor.rows<FactsRow>(FACTS, [
        arrayOf(requests.map(({ slot }) => slot.firmId)),
        arrayOf(requests.map(({ slot }) => slot.environment)),
        requests.map(({ slot }) => slot.key),
        arrayOf(requests.map(({ at }) => timestamp(at - IDEMPOTENCY_WINDOW_MS))),
        requests.map(({ externalId = null }) => externalId),
        requests.map(({ claimNumber = null }) => claimNumber),
        requests.map(({ adjuster }) => adjuster),
      ]);
      const adjusters = await adjustersFrom(encryption, rows);
      return rows.map((row, n) => ({
        bound: row.fingerprint === null ? null : { fingerprint: row.fingerprint, claimId: row.claim_id },
        duplicate: row.duplicate_id === null ? null : { id: row.duplicate_id, by: row.duplicate_by },
        adjuster: row.svc_id === null ? null : (adjusters[n] ?? null),
      }));
    },

    async add(decided) {
      const claims = decided.map(({ claim }) => claim);
      const texts = await Promise.all(
        claims.map(async ({ firmId, id, carrier, asSent }) => {
          const summary = summaryOf(asSent);
          const encrypt = await encryption.encryptor(PERSONAL.claims, firmId, id);
          return [
            encrypt('carrier', JSON.stringify(carrier)),
            encrypt('document', asSent as string),
            encrypt('summary', JSON.stringify(summary)),
            summary.catCode ?? null,
          ] as const;
        }),
      );
      const values = await writeBefore(decided);
      await mergeMany(executor, encryption, claims);
      return commit(ADD, [
        ...values,
        arrayOf(claims.map(({ environment }) => environment)),
        claims.map(({ externalId }) => externalId),
        claims.map(({ claimNumber }) => claimNumber),
        claims.map(({ carrier }) => carrierNameKey(carrier.name)),
        texts.map(([, , , catCode]) => catCode),
        texts.map(([carrier]) => carrier).join('\n'),
        texts.map(([, document]) => document).join('\n'),
        texts.map(([, , summary]) => summary).join('\n'),
      ]);
    },

    save: async (decided, whenLocked) => commit(SAVE[whenLocked], await writeBefore(decided)),

    lockAndCountPending: (svcId) => lockAndCountPending(executor, encryption, svcId),

    async lockOffered(responses, whenLocked) {
      const rows = await executor.rows<OfferedRow>(LOCK_OFFERED[whenLocked], [
        responses.map(({ svcId }) => svcId),
        arrayOf(responses.map(({ id }) => id)),
      ]);
      return offeredFrom(rows, encryption);
    },

    async saveOne(claim) {
      const { firmId, id, assignment } = claim;
      const encrypt = await encryption.encryptor(PERSONAL.claims, firmId, id);
      const values = [...assignmentValues(assignment, encrypt), ...workValues(claim, encrypt)];
      const saved = await executor.rows<Saved>(SAVE_ONE, [firmId, timestamp(clock.now()), id, ...values]);
      return first(saved)?.updated_at ?? null;
    },

    async appendRow(row) {
      executor.send(APPEND, [row.chain, ...rowValues(row)]);
    },

    async appendToAvailableChains(rows) {
      const lockedRows = await executor.rows<{ firm_id: FirmId }>(LOCK_AVAILABLE_CHAINS, [
        arrayOf(rows.map(({ chain }) => chain)),
      ]);
      const lockedChains = new Set(lockedRows.map(({ firm_id }) => firm_id));
      const appendable = rows.filter(({ chain }) => lockedChains.has(chain));
      if (appendable.length > 0) {
        const { chains, times, texts, digests } = rowColumns(appendable);
        executor.send(APPEND_TO_MANY, [chains, times, texts, digests]);
      }
      return rows.filter(({ chain }) => !lockedChains.has(chain));
    },
  };
}
