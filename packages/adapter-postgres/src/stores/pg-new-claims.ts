import {
  type Attempt,
  type Clock,
  type DecideNewClaim,
  IDEMPOTENCY_WINDOW_MS,
  type NewClaim,
  type NewClaimFacts,
  type NewClaimRequest,
  type NewClaims,
  replayOf,
} from '@svc/application';
import {
  type Claim,
  type ClaimId,
  carrierNameKey,
  type FirmId,
  type Instant,
  type Membership,
  type Svcid,
} from '@svc/domain';
import { arrayOf, timestamp } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { rowByKey, sql, type TxSession } from '../driver/session.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import { addMany } from '../jobs/job-table.ts';
import { feedValues, placesOf, takeTimestamps } from './feed-timestamps.ts';
import { ADJUSTER_COLUMNS, type AdjusterRow, adjusterFrom, decryptAdjusters } from './pg-adjusters.ts';
import { mergeMany } from './pg-carriers.ts';
import { assignmentValues, duplicateOf } from './pg-claims.ts';
import { bindMany } from './pg-idempotency.ts';
import {
  MEMBERSHIP_COLUMNS,
  MEMBERSHIP_FIELDS,
  type MembershipRow,
  membershipFrom,
  membershipKey,
} from './pg-memberships.ts';
import { inSharedTransactions, type Settled } from './shared-transactions.ts';

/** Locks as `memberships_lock_shared`, but what others have locked is left out: no claim waits for another adjuster. */
const LOCK_AVAILABLE = sql(
  'new_claims_lock_available',
  `SELECT ${MEMBERSHIP_COLUMNS} FROM unnest($1::uuid[], $2::text[]) AS sent (firm_id, svc_id)
     CROSS JOIN LATERAL (${rowByKey(
       'memberships',
       { firm_id: 'sent.firm_id', svc_id: 'sent.svc_id' },
       { lock: 'FOR SHARE SKIP LOCKED' },
     )}) m`,
);

/** One statement: a claim that it finds as a duplicate is never that of an earlier request whose key it did not find. */
const FACTS = sql(
  'new_claims_facts',
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
  'new_claims_add',
  `WITH ${takeTimestamps()}
   INSERT INTO claims (firm_id, id, environment, external_id, claim_number, carrier_key, carrier, document,
     status, adjuster_svc_id, offered_at, responded_at, rejection_reason, created_at, updated_at)
   SELECT sent.firm_id, sent.id, sent.environment, sent.external_id, sent.claim_number, sent.carrier_key,
       sent.carrier::json, sent.document::json, sent.status, sent.svc_id, sent.offered_at, sent.responded_at, sent.reason,
       next.first_stamp + sent.place * interval '1 ms', next.first_stamp + sent.place * interval '1 ms'
     FROM unnest($7::uuid[], $8::uuid[], $9::integer[], $10::text[], $11::text[], $12::text[], $13::text[],
         string_to_array($14, E'\\n'), string_to_array($15, E'\\n'), $16::text[], $17::text[], $18::timestamptz[],
         $19::timestamptz[], $20::text[])
       AS sent (firm_id, id, place, environment, external_id, claim_number, carrier_key, carrier, document,
         status, svc_id, offered_at, responded_at, reason)
     LEFT JOIN next ON next.firm_id = sent.firm_id
   RETURNING id, updated_at`,
);

/** Longer documents have transactions of their own, so that a statement has about a megabyte at most. */
const MAX_DOCUMENT = 16_384;

interface Request extends NewClaimRequest {
  readonly decide: DecideNewClaim;
}

interface Decided extends NewClaim {
  readonly of: Request;
}

const memberKey = (firmId: FirmId, svcId: Svcid): string => `${firmId} ${svcId}`;

/** A process that stops while it holds a lock must not stop the claims of other firms: they are then saved one by one. */
const SHORT_LOCK_TIMEOUT = sql('new_claims_lock_timeout', "SET LOCAL lock_timeout = '200ms'");

/**
 * Two round trips: what the decisions depend on, and what they write. Waits a short time for locks, in the order of every
 * transaction that sends a claim: keys, carriers, change feeds.
 *
 * @param oneByOne also where a lock on the adjuster's account is needed, to count offers.
 */
export function pgNewClaims(
  database: Pick<Database, 'begin' | 'metrics'>,
  clock: Clock,
  encryption: Encryption,
  oneByOne: NewClaims,
): NewClaims {
  const lockAvailable = async (
    session: TxSession,
    requests: readonly Request[],
  ): Promise<ReadonlyMap<string, Membership>> => {
    const members = new Map(
      requests.map(({ slot, adjuster }) => [
        memberKey(slot.firmId, adjuster),
        { firmId: slot.firmId, adjuster },
      ]),
    );
    const sent = [...members.values()];
    const rows = await session.rows<MembershipRow>(LOCK_AVAILABLE, [
      arrayOf(sent.map(({ firmId }) => firmId)),
      sent.map(({ adjuster }) => adjuster),
    ]);
    const opened = await encryption.open(rows, MEMBERSHIP_FIELDS, membershipKey);
    return new Map(opened.map((row) => [memberKey(row.firm_id, row.svc_id), membershipFrom(row)]));
  };

  const readFacts = async (session: TxSession, requests: readonly Request[]): Promise<FactsRow[]> => {
    const rows = await session.rows<FactsRow>(FACTS, [
      arrayOf(requests.map(({ slot }) => slot.firmId)),
      arrayOf(requests.map(({ slot }) => slot.environment)),
      requests.map(({ slot }) => slot.key),
      arrayOf(requests.map(({ at }) => timestamp(at - IDEMPOTENCY_WINDOW_MS))),
      requests.map(({ externalId }) => externalId),
      requests.map(({ claimNumber }) => claimNumber),
      requests.map(({ adjuster }) => adjuster),
    ]);
    await decryptAdjusters(encryption, rows);
    return rows;
  };

  /** Undefined: this transaction cannot decide. */
  const decideOn = (
    request: Request,
    row: FactsRow,
    membership: Membership | undefined,
  ): NewClaim | Attempt | undefined => {
    const { fingerprint, claim_id: claimId, duplicate_id: id, duplicate_by: by } = row;
    const replay = replayOf(fingerprint === null ? null : { fingerprint, claimId }, request.fingerprint);
    if (replay !== null) return replay;
    const adjuster = row.svc_id === null ? null : adjusterFrom(row);
    const duplicate = id === null ? null : { id, by };
    const mustWait = membership === undefined || adjuster?.availability?.maxOpenOffers != null;
    if (duplicate === null && mustWait) return undefined;
    const facts: NewClaimFacts = { duplicate, adjuster, membership: membership ?? null, pendingOffers: 0 };
    const decided = request.decide(facts);
    return decided.claim.asSent.length > MAX_DOCUMENT ? undefined : decided;
  };

  /** The timestamps of the claims. */
  const save = async (
    session: TxSession,
    decided: readonly Decided[],
  ): Promise<ReadonlyMap<ClaimId, Instant>> => {
    const claims = decided.map(({ claim }) => claim);
    const firms = claims.map(({ firmId }) => firmId);
    const rows = await Promise.all(
      claims.map(async ({ firmId, id, carrier, asSent, assignment }) => {
        const seal = await encryption.sealer(PERSONAL.claims, firmId, id);
        return {
          carrier: seal('carrier', JSON.stringify(carrier)),
          document: seal('document', asSent as string),
          assignment: assignmentValues(assignment, seal),
        };
      }),
    );
    /** In the order of {@link assignmentValues}. */
    const column = (n: number): (string | null)[] => rows.map(({ assignment }) => assignment[n] ?? null);
    bindMany(
      session,
      decided.map(({ of, claim }) => ({ ...of, claimId: claim.id })),
    );
    await mergeMany(session, encryption, claims);
    addMany(
      session,
      decided.flatMap(({ jobs }) => jobs),
    );
    const added = await session.rowsAndCommit<{ id: ClaimId; updated_at: Instant }>(ADD, [
      ...feedValues(
        clock.now(),
        decided.map(({ event }) => event),
      ),
      arrayOf(firms),
      arrayOf(claims.map(({ id }) => id)),
      placesOf(firms),
      arrayOf(claims.map(({ environment }) => environment)),
      claims.map(({ externalId }) => externalId),
      claims.map(({ claimNumber }) => claimNumber),
      claims.map(({ carrier }) => carrierNameKey(carrier.name)),
      rows.map(({ carrier }) => carrier).join('\n'),
      rows.map(({ document }) => document).join('\n'),
      ...[column(0), column(1), arrayOf(column(2)), arrayOf(column(3)), column(4)],
    ]);
    return new Map(added.map(({ id, updated_at }) => [id, updated_at]));
  };

  const add = inSharedTransactions<Request, Claim | Attempt>(database, {
    keysOf: ({ slot: { firmId, environment, key }, externalId, claimNumber }) => [
      `key ${firmId} ${environment} ${key}`,
      `external_id ${firmId} ${environment} ${externalId}`,
      `claim_number ${firmId} ${environment} ${claimNumber}`,
    ],
    oneByOne: (request) => oneByOne.add(request, request.decide),

    async saveTogether(transaction, requests) {
      const settled: Settled<Request, Claim | Attempt> = new Map();
      transaction.send(SHORT_LOCK_TIMEOUT, []);
      const [members, facts] = await Promise.all([
        lockAvailable(transaction, requests),
        readFacts(transaction, requests),
      ]);
      const decided: Decided[] = [];
      for (const [n, of] of requests.entries()) {
        const row = facts[n];
        if (row === undefined) continue;
        try {
          const decision = decideOn(of, row, members.get(memberKey(of.slot.firmId, of.adjuster)));
          if (decision === undefined) continue;
          if ('replayed' in decision) settled.set(of, () => decision);
          else decided.push({ ...decision, of });
        } catch (error) {
          settled.set(of, () => {
            throw error;
          });
        }
      }
      if (decided.length === 0) return settled;
      const addedAt = await save(transaction, decided);
      for (const { of, claim } of decided) {
        const at = addedAt.get(claim.id) as Instant;
        settled.set(of, () => ({ ...claim, createdAt: at, updatedAt: at }));
      }
      database.metrics.transactionCommitted(
        transaction.commitSeconds,
        decided.map(({ claim }) => claim.assignment.status),
      );
      return settled;
    },
  });

  return { add: (request, decide) => add({ ...request, decide }) };
}
