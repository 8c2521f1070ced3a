import {
  type AuditEvent,
  type Clock,
  IDEMPOTENCY_WINDOW_MS,
  type KeyedRequest,
  type OfferRequest,
  type QueuedJob,
  type SendFacts,
  type SendRequest,
} from '@svc/application';
import {
  type Claim,
  type ClaimId,
  carrierNameKey,
  type Instant,
  type Membership,
  type Svcid,
} from '@svc/domain';
import { arrayOf, timestamp } from '../driver/column-types.ts';
import { rowByKey, type Statement, sql, type TxSession, type Value } from '../driver/session.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import { addMany } from '../jobs/job-table.ts';
import {
  ADJUSTER_COLUMNS,
  type AdjusterRow,
  adjusterFrom,
  decryptAdjusters,
} from '../stores/pg-adjusters.ts';
import { mergeMany } from '../stores/pg-carriers.ts';
import { assignmentValues, lockedRow } from '../stores/pg-claims.ts';
import { bindMany } from '../stores/pg-idempotency.ts';
import {
  MEMBERSHIP_COLUMNS,
  MEMBERSHIP_FIELDS,
  type MembershipRow,
  membershipFrom,
  membershipKey,
} from '../stores/pg-memberships.ts';
import { feedValues, placesOf, takeTimestamps } from './feed-timestamps.ts';
import type { Locking } from './groups.ts';

/** To send a claim, or to offer one that exists. */
export type FactsRequest = KeyedRequest & { readonly adjuster: Svcid } & Partial<
    Pick<SendRequest, 'externalId' | 'claimNumber'> & Pick<OfferRequest, 'claimId'>
  >;

export interface Facts extends Pick<SendFacts, 'duplicate' | 'adjuster'> {
  /** What the Idempotency-Key was used for. */
  readonly bound: { readonly fingerprint: string; readonly claimId: ClaimId } | null;
}

/** What a request writes: the claim as it becomes, and the key that is bound to it. */
export interface Decided {
  readonly claim: Claim;
  readonly jobs: readonly QueuedJob[];
  readonly event: AuditEvent;
  readonly request?: KeyedRequest;
}

/** Those of one transaction, sent in the order of the calls. */
export interface ClaimStatements {
  /** Shared locks, in the order of the requests. */
  lockMemberships(requests: readonly FactsRequest[], locking: Locking): Promise<(Membership | null)[]>;
  /** In the order of the requests. */
  facts(requests: readonly FactsRequest[]): Promise<Facts[]>;
  /** Adds claims with all that is written with them, and commits. @returns the timestamp of each. */
  add(decided: readonly Decided[]): Promise<ReadonlyMap<ClaimId, Instant>>;
  /** As `add`, for the assignments of claims that are locked. */
  save(decided: readonly Decided[], locking: Locking): Promise<ReadonlyMap<ClaimId, Instant>>;
}

/** In a group, what others have locked is left out: no claim waits for another adjuster. */
const lockMemberships = (locking: Locking): string =>
  `SELECT ${MEMBERSHIP_COLUMNS} FROM unnest($1::uuid[], $2::text[]) AS sent (firm_id, svc_id)
     CROSS JOIN LATERAL (${rowByKey(
       'memberships',
       { firm_id: 'sent.firm_id', svc_id: 'sent.svc_id' },
       { lock: `FOR SHARE ${locking}` },
     )}) m`;

const LOCK_MEMBERSHIPS = {
  'SKIP LOCKED': sql('memberships_lock_available', lockMemberships('SKIP LOCKED')),
  '': sql('memberships_lock_shared', lockMemberships('')),
};

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
       WITH ORDINALITY AS sent (firm_id, environment, key, since, external_id, claim_number, svc_id, place)
     LEFT JOIN LATERAL (${rowByKey('idempotency_records', {
       firm_id: 'sent.firm_id',
       environment: 'sent.environment',
       key: 'sent.key',
     })}) bound ON bound.bound_at > sent.since
     LEFT JOIN LATERAL (
       ${duplicateOf('sent.firm_id', 'sent.environment', 'sent.external_id', 'sent.claim_number')}) duplicate ON true
     LEFT JOIN LATERAL (${rowByKey('adjusters', { svc_id: 'sent.svc_id' })}) a ON true
    ORDER BY sent.place`,
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
  `WITH ${takeTimestamps('')}
   INSERT INTO claims (firm_id, id, environment, external_id, claim_number, carrier_key, carrier, document,
     status, adjuster_svc_id, offered_at, responded_at, rejection_reason, created_at, updated_at)
   SELECT sent.firm_id, sent.id, sent.environment, sent.external_id, sent.claim_number, sent.carrier_key,
       sent.carrier::json, sent.document::json, sent.status, sent.svc_id, sent.offered_at, sent.responded_at, sent.reason,
       next.first_stamp + sent.place * interval '1 ms', next.first_stamp + sent.place * interval '1 ms'
     FROM unnest($7::uuid[], $8::uuid[], $9::integer[], $10::text[], $11::text[], $12::timestamptz[],
         $13::timestamptz[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[],
         string_to_array($19, E'\\n'), string_to_array($20, E'\\n'))
       AS sent (firm_id, id, place, status, svc_id, offered_at, responded_at, reason, environment, external_id,
         claim_number, carrier_key, carrier, document)
     LEFT JOIN next ON next.firm_id = sent.firm_id
   RETURNING id, updated_at`,
);

const saveWith = (locking: Locking): string =>
  `WITH ${takeTimestamps(locking)}
   UPDATE claims c SET status = changed.status, adjuster_svc_id = changed.svc_id, offered_at = changed.offered_at,
       responded_at = changed.responded_at, rejection_reason = changed.reason,
       updated_at = next.first_stamp + changed.place * interval '1 ms'
     FROM unnest($7::uuid[], $8::uuid[], $9::integer[], $10::text[], $11::text[], $12::timestamptz[],
       $13::timestamptz[], $14::text[])
       AS changed (firm_id, id, place, status, svc_id, offered_at, responded_at, reason) JOIN next USING (firm_id)
     CROSS JOIN LATERAL (${lockedRow('changed.firm_id', 'changed.id')}) kept
    WHERE c.ctid = kept.ctid RETURNING c.id, c.updated_at`;

const SAVE = {
  'SKIP LOCKED': sql('assignments_save_available', saveWith('SKIP LOCKED')),
  '': sql('assignments_save', saveWith('')),
};

/** A process that stops while it holds a lock must not stop the claims of other firms. */
const SHORT_LOCK_TIMEOUT = sql('claims_lock_timeout', "SET LOCAL lock_timeout = '200ms'");

export function pgClaimStatements(session: TxSession, clock: Clock, encryption: Encryption): ClaimStatements {
  /** Binds the keys, adds the jobs, and returns the parameters that ADD and SAVE have in common. */
  const writeBefore = async (decided: readonly Decided[]): Promise<Value[]> => {
    const bound = decided.flatMap(({ request, claim }) =>
      request === undefined ? [] : [{ ...request, claimId: claim.id }],
    );
    const jobs = decided.flatMap((each) => each.jobs);
    if (bound.length > 0) bindMany(session, bound);
    if (jobs.length > 0) addMany(session, jobs);
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
      placesOf(firms),
      ...[column(0), column(1), arrayOf(column(2)), arrayOf(column(3)), column(4)],
    ];
  };
  const commit = async (statement: Statement, values: Value[]): Promise<ReadonlyMap<ClaimId, Instant>> => {
    type Saved = { readonly id: ClaimId; readonly updated_at: Instant };
    const saved = await session.rowsAndCommit<Saved>(statement, values);
    return new Map(saved.map(({ id, updated_at }) => [id, updated_at]));
  };

  return {
    async lockMemberships(requests, locking) {
      if (locking === 'SKIP LOCKED') session.send(SHORT_LOCK_TIMEOUT, []);
      const rows = await session.rows<MembershipRow>(LOCK_MEMBERSHIPS[locking], [
        arrayOf(requests.map(({ slot }) => slot.firmId)),
        requests.map(({ adjuster }) => adjuster),
      ]);
      const opened = await encryption.decrypt(rows, MEMBERSHIP_FIELDS, membershipKey);
      const found = new Map(opened.map((row) => [`${row.firm_id} ${row.svc_id}`, membershipFrom(row)]));
      return requests.map(({ slot, adjuster }) => found.get(`${slot.firmId} ${adjuster}`) ?? null);
    },

    async facts(requests) {
      const rows = await session.rows<FactsRow>(FACTS, [
        arrayOf(requests.map(({ slot }) => slot.firmId)),
        arrayOf(requests.map(({ slot }) => slot.environment)),
        requests.map(({ slot }) => slot.key),
        arrayOf(requests.map(({ at }) => timestamp(at - IDEMPOTENCY_WINDOW_MS))),
        requests.map(({ externalId = null }) => externalId),
        requests.map(({ claimNumber = null }) => claimNumber),
        requests.map(({ adjuster }) => adjuster),
      ]);
      await decryptAdjusters(encryption, rows);
      return rows.map((row) => ({
        bound: row.fingerprint === null ? null : { fingerprint: row.fingerprint, claimId: row.claim_id },
        duplicate: row.duplicate_id === null ? null : { id: row.duplicate_id, by: row.duplicate_by },
        adjuster: row.svc_id === null ? null : adjusterFrom(row),
      }));
    },

    async add(decided) {
      const claims = decided.map(({ claim }) => claim);
      const texts = await Promise.all(
        claims.map(async ({ firmId, id, carrier, asSent }) => {
          const encrypt = await encryption.encryptor(PERSONAL.claims, firmId, id);
          return [
            encrypt('carrier', JSON.stringify(carrier)),
            encrypt('document', asSent as string),
          ] as const;
        }),
      );
      const values = await writeBefore(decided);
      await mergeMany(session, encryption, claims);
      return commit(ADD, [
        ...values,
        arrayOf(claims.map(({ environment }) => environment)),
        claims.map(({ externalId }) => externalId),
        claims.map(({ claimNumber }) => claimNumber),
        claims.map(({ carrier }) => carrierNameKey(carrier.name)),
        texts.map(([carrier]) => carrier).join('\n'),
        texts.map(([, document]) => document).join('\n'),
      ]);
    },

    save: async (decided, locking) => commit(SAVE[locking], await writeBefore(decided)),
  };
}
