import type {
  AppClaimView,
  Clock,
  DecideResponse,
  OfferedClaim,
  OfferResponse,
  OfferResponses,
} from '@svc/application';
import type { AssignmentStatus, ClaimId, Instant, Svcid } from '@svc/domain';
import { arrayOf, isUuid } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { sql, type TxSession } from '../driver/session.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import { feedValues, placesOf, takeTimestamps } from './feed-timestamps.ts';
import { assignmentValues, lockedRow, lockOffered, type OfferedRow, offeredFrom } from './pg-claims.ts';
import { inSharedTransactions, type Settled } from './shared-transactions.ts';

/** Locks as `claims_lock_offered`, but what others have locked is left out: no response waits for another claim. */
const LOCK_AVAILABLE = sql(
  'responses_lock_available',
  lockOffered(
    'unnest($1::text[], $2::uuid[]) AS response (svc_id, id) CROSS JOIN',
    'response.svc_id',
    'response.id',
    'SKIP LOCKED',
  ),
);

const SAVE = sql(
  'responses_save',
  `WITH ${takeTimestamps('SKIP LOCKED')}
   UPDATE claims c SET status = response.status, adjuster_svc_id = response.svc_id, offered_at = response.offered_at,
       responded_at = response.responded_at, rejection_reason = response.reason,
       updated_at = next.first_stamp + response.place * interval '1 ms'
     FROM unnest($7::uuid[], $8::uuid[], $9::integer[], $10::text[], $11::text[], $12::timestamptz[],
       $13::timestamptz[], $14::text[])
       AS response (firm_id, id, place, status, svc_id, offered_at, responded_at, reason) JOIN next USING (firm_id)
     CROSS JOIN LATERAL (${lockedRow('response.firm_id', 'response.id')}) kept
    WHERE c.ctid = kept.ctid RETURNING c.id, c.updated_at`,
);

interface Request {
  readonly svcId: Svcid;
  readonly id: ClaimId;
  readonly decide: DecideResponse;
}

interface Decided extends OfferedClaim, OfferResponse {
  readonly of: Request;
}

/**
 * The transaction holds the locks on its claims. It waits for no lock, so it cannot deadlock, and no claim delays another.
 */
export function pgOfferResponses(
  database: Pick<Database, 'begin' | 'metrics'>,
  clock: Clock,
  encryption: Encryption,
  oneByOne: OfferResponses,
): OfferResponses {
  const lockAvailable = async (session: TxSession, requests: readonly Request[]): Promise<OfferedClaim[]> => {
    const values = [requests.map(({ svcId }) => svcId), arrayOf(requests.map(({ id }) => id))];
    return offeredFrom(await session.rows<OfferedRow>(LOCK_AVAILABLE, values), encryption);
  };

  /** The timestamps of the claims that were saved. */
  const save = async (
    session: TxSession,
    decided: readonly Decided[],
  ): Promise<ReadonlyMap<ClaimId, Instant>> => {
    const events = decided.map(({ event }) => event);
    const firms = decided.map(({ claim }) => claim.firmId);
    const assignments = await Promise.all(
      decided.map(async ({ claim: { firmId, id }, assignment }) =>
        assignmentValues(assignment, await encryption.sealer(PERSONAL.claims, firmId, id)),
      ),
    );
    /** In the order of {@link assignmentValues}. */
    const column = (n: number): (string | null)[] => assignments.map((values) => values[n] ?? null);
    const saved = await session.rowsAndCommit<{ id: ClaimId; updated_at: Instant }>(SAVE, [
      ...feedValues(clock.now(), events),
      arrayOf(firms),
      arrayOf(decided.map(({ claim }) => claim.id)),
      placesOf(firms),
      ...[column(0), column(1), arrayOf(column(2)), arrayOf(column(3)), column(4)],
    ]);
    return new Map(saved.map(({ id, updated_at }) => [id, updated_at]));
  };

  const respond = inSharedTransactions<Request, AppClaimView | null>(database, {
    keysOf: ({ id }) => [id],
    oneByOne: ({ svcId, id, decide }) => oneByOne.save(svcId, id, decide),

    async saveTogether(transaction, requests) {
      const settled: Settled<Request, AppClaimView | null> = new Map();
      const locked = new Map(
        (await lockAvailable(transaction, requests)).map((each) => [each.claim.id, each]),
      );
      const decided: Decided[] = [];
      for (const of of requests) {
        const offered = locked.get(of.id);
        if (offered === undefined) continue;
        try {
          decided.push({ ...offered, ...of.decide(offered), of });
        } catch (error) {
          settled.set(of, () => {
            throw error;
          });
        }
      }
      if (decided.length === 0) return settled;
      const savedAt = await save(transaction, decided);
      const statuses: AssignmentStatus[] = [];
      for (const { of, claim, assignment, forms } of decided) {
        const updatedAt = savedAt.get(claim.id);
        if (updatedAt === undefined) continue;
        statuses.push(assignment.status);
        settled.set(of, () => ({ ...claim, assignment, updatedAt, ...forms }));
      }
      database.metrics.transactionCommitted(transaction.commitSeconds, statuses);
      return settled;
    },
  });

  return {
    async save(svcId, id, decide) {
      // PostgreSQL writes UUIDs in lower case.
      return isUuid(id) ? respond({ svcId, id: id.toLowerCase() as ClaimId, decide }) : null;
    },
  };
}
