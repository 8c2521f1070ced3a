import {
  type AppClaimView,
  auditRowsOf,
  type Clock,
  type DecideResponse,
  type OfferedClaim,
  type OfferResponse,
  type OfferResponses,
  Unavailable,
} from '@svc/application';
import type { AssignmentStatus, ClaimId, FirmId, Instant, Svcid } from '@svc/domain';
import { arrayOf, isUuid, timestamp } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { sql, type TxSession } from '../driver/session.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import { advanceChain, INSERT_ROW, rowColumns } from './pg-audit.ts';
import {
  assignmentValues,
  OFFERED_COLUMNS,
  type OfferedRow,
  offeredClaim,
  offeredFrom,
  timestampAfterLast,
} from './pg-claims.ts';

/** Locks as `claims_lock_offered`, but what others have locked is left out: no response waits for another claim. */
const LOCK_FREE = sql(
  'responses_lock_free',
  `SELECT ${OFFERED_COLUMNS} FROM unnest($1::text[], $2::uuid[]) AS response (svc_id, id)
     JOIN memberships m ON m.svc_id = response.svc_id ${offeredClaim('response.id')}
    WHERE c.adjuster_svc_id = response.svc_id
      FOR SHARE OF m SKIP LOCKED FOR UPDATE OF c SKIP LOCKED`,
);

/**
 * The claims of a firm take consecutive timestamps of its change feed, and their events share a row of its audit trail.
 * Leaves out the firms whose feed is locked. The texts of the rows are lines, as in `audit_append_to_many`.
 */
const SAVE = sql(
  'responses_save',
  `WITH free AS MATERIALIZED (
     SELECT firm_id FROM firm_feeds WHERE firm_id = ANY ($2::uuid[]) FOR NO KEY UPDATE SKIP LOCKED),
   next AS (
     UPDATE firm_feeds AS held
        SET last_stamp = ${timestampAfterLast('$1')} + (row.claims - 1) * interval '1 ms', ${advanceChain('row.digest')}
       FROM unnest($2::uuid[], $3::integer[], $4::timestamptz[], string_to_array($5, E'\\n'), $6::text[])
         AS row (firm_id, claims, at, entry, digest) JOIN free USING (firm_id)
      WHERE held.firm_id = row.firm_id
      RETURNING held.firm_id, held.last_stamp - (row.claims - 1) * interval '1 ms' AS first_stamp,
        held.audit_seq, row.at, row.entry, held.audit_hash),
   recorded AS (
     ${INSERT_ROW} SELECT firm_id, audit_seq, at, entry, audit_hash FROM next)
   UPDATE claims c SET status = response.status, adjuster_svc_id = response.svc_id, offered_at = response.offered_at,
       responded_at = response.responded_at, rejection_reason = response.reason,
       updated_at = next.first_stamp + response.place * interval '1 ms'
     FROM unnest($7::uuid[], $8::uuid[], $9::integer[], $10::text[], $11::text[], $12::timestamptz[],
       $13::timestamptz[], $14::text[])
       AS response (firm_id, id, place, status, svc_id, offered_at, responded_at, reason) JOIN next USING (firm_id)
    WHERE c.firm_id = response.firm_id AND c.id = response.id RETURNING c.id, c.updated_at`,
);

/** Claims in a transaction, which holds the locks on them. Their events fit into one row of the audit trail. */
const MAX_TOGETHER = 50;
/** While one transaction waits for the disk, the next one does its work. */
const MAX_TRANSACTIONS = 2;

interface Waiting {
  readonly svcId: Svcid;
  readonly id: ClaimId;
  readonly decide: DecideResponse;
  resolve(view: AppClaimView | null): void;
  reject(error: unknown): void;
}

interface Decided extends OfferedClaim, OfferResponse {
  readonly of: Waiting;
}

/** Whether a transaction that failed with this error has certainly changed nothing, and another one may succeed now. */
const mayRunAgain = (error: unknown): boolean =>
  !(error instanceof Unavailable) || error.reason === 'database_busy';

/**
 * Responses that arrive while others are being saved share the next transaction: two statements, one commit and their
 * messages for all of them. It waits for no lock, so it cannot deadlock, and no claim delays another. What it cannot save,
 * and all of it if a statement fails, is saved one by one.
 */
export function pgOfferResponses(
  database: Pick<Database, 'begin' | 'metrics'>,
  clock: Clock,
  encryption: Encryption,
  oneByOne: OfferResponses,
): OfferResponses {
  let waiting: Waiting[] = [];
  let transactions = 0;

  const lockFree = async (session: TxSession, group: readonly Waiting[]): Promise<OfferedClaim[]> => {
    const values = [group.map(({ svcId }) => svcId), arrayOf(group.map(({ id }) => id))];
    return offeredFrom(await session.rows<OfferedRow>(LOCK_FREE, values), encryption);
  };

  /** The timestamps of the claims that were saved. */
  const save = async (
    session: TxSession,
    decided: readonly Decided[],
  ): Promise<ReadonlyMap<ClaimId, Instant>> => {
    const rows = auditRowsOf(decided.map(({ event }) => event));
    const { chains, times, texts, digests } = rowColumns(rows);
    const counts = arrayOf(rows.map(({ entries }) => String(entries.length)));
    const nextPlaces = new Map<FirmId, number>();
    const places = decided.map(({ claim: { firmId } }) => {
      const place = nextPlaces.get(firmId) ?? 0;
      nextPlaces.set(firmId, place + 1);
      return String(place);
    });
    const assignments = await Promise.all(
      decided.map(async ({ claim: { firmId, id }, assignment }) =>
        assignmentValues(assignment, await encryption.sealer(PERSONAL.claims, firmId, id)),
      ),
    );
    /** In the order of {@link assignmentValues}. */
    const column = (n: number): (string | null)[] => assignments.map((values) => values[n] ?? null);
    const saved = await session.rowsAndCommit<{ id: ClaimId; updated_at: Instant }>(SAVE, [
      ...[timestamp(clock.now()), chains, counts, times, texts, digests],
      arrayOf(decided.map(({ claim }) => claim.firmId)),
      arrayOf(decided.map(({ claim }) => claim.id)),
      arrayOf(places),
      ...[column(0), column(1), arrayOf(column(2)), arrayOf(column(3)), column(4)],
    ]);
    return new Map(saved.map(({ id, updated_at }) => [id, updated_at]));
  };

  /** How to settle what this transaction saves, or a rule rejects. */
  const saveTogether = async (group: readonly Waiting[]): Promise<Map<Waiting, () => void>> => {
    const settled = new Map<Waiting, () => void>();
    const transaction = await database.begin();
    try {
      const locked = new Map((await lockFree(transaction, group)).map((each) => [each.claim.id, each]));
      const decided: Decided[] = [];
      for (const of of group) {
        const offered = locked.get(of.id);
        if (offered === undefined) continue;
        try {
          decided.push({ ...offered, ...of.decide(offered), of });
        } catch (error) {
          settled.set(of, () => of.reject(error));
        }
      }
      if (decided.length === 0) {
        await transaction.rollback();
        return settled;
      }
      const savedAt = await save(transaction, decided);
      const statuses: AssignmentStatus[] = [];
      for (const { of, claim, assignment, forms } of decided) {
        const updatedAt = savedAt.get(claim.id);
        if (updatedAt === undefined) continue;
        statuses.push(assignment.status);
        settled.set(of, () => of.resolve({ ...claim, assignment, updatedAt, ...forms }));
      }
      database.metrics.transactionCommitted(transaction.commitSeconds, statuses);
      return settled;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  };

  const respond = async (group: readonly Waiting[]): Promise<void> => {
    let settled = new Map<Waiting, () => void>();
    try {
      settled = await saveTogether(group);
    } catch (error) {
      if (!mayRunAgain(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
    }
    for (const one of group) {
      const settle = settled.get(one);
      if (settle !== undefined) settle();
      else oneByOne.save(one.svcId, one.id, one.decide).then(one.resolve, one.reject);
    }
  };

  /** Each claim once: a second response to it must see the first. */
  const take = (): Waiting[] => {
    const taken = new Map<ClaimId, Waiting>();
    const rest: Waiting[] = [];
    for (const one of waiting) {
      if (taken.size === MAX_TOGETHER || taken.has(one.id)) rest.push(one);
      else taken.set(one.id, one);
    }
    waiting = rest;
    return [...taken.values()];
  };

  const start = (): void => {
    while (waiting.length > 0 && transactions < MAX_TRANSACTIONS) {
      transactions += 1;
      void respond(take()).finally(() => {
        transactions -= 1;
        start();
      });
    }
  };

  return {
    async save(svcId, id, decide) {
      if (!isUuid(id)) return null;
      return new Promise((resolve, reject) => {
        // Requests that arrive in the same turn of the event loop are processed before this.
        if (waiting.length === 0) setImmediate(start);
        // PostgreSQL writes UUIDs in lower case.
        waiting.push({ svcId, id: id.toLowerCase() as ClaimId, decide, resolve, reject });
      });
    },
  };
}
