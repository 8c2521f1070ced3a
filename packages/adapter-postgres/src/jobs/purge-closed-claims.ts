import { type AuditEvent, auditEvent, BY_SERVICE } from '@svc/application';
import type { ClaimId, FirmId, Instant } from '@svc/domain';
import { timestamp } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { sql, type TransactionExecutor } from '../driver/executor.ts';
import { PLAN_FOR_VALUES } from '../driver/session-settings.ts';
import { transact } from '../driver/transaction.ts';
import type { StatementsOn } from '../firm-statements.ts';
import { appendToAuditTrail } from '../stores/pg-audit.ts';

/** Per transaction; the ids of a firm's claims are one event of its audit trail. */
const BATCH_SIZE = 200;

/** Its key is arbitrary. */
const LOCK_PURGE = sql('purge_lock', 'SELECT pg_advisory_xact_lock(7262811543019265)');

/** Starts a purge of the tables of firms. Concurrent ones wait for its end. */
export function startPurge(transaction: TransactionExecutor): void {
  transaction.send(LOCK_PURGE, []);
  transaction.send(PLAN_FOR_VALUES, []);
}

const DELETE_CLOSED = sql(
  'purge_closed_claims',
  `DELETE FROM claims WHERE closed_at <= $1 AND (firm_id, id) IN (
     SELECT c.firm_id, c.id FROM claims c
      WHERE c.closed_at <= $1 AND NOT EXISTS (SELECT 1 FROM legal_holds h WHERE h.firm_id = c.firm_id)
      ORDER BY c.closed_at LIMIT ${BATCH_SIZE})
   RETURNING firm_id, id`,
);

const DELETE_OFFERS = sql(
  'purge_offers_of_claims',
  `DELETE FROM offers WHERE firm_id = ANY ($1::uuid[])
      AND (firm_id, claim_id) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[])) RETURNING 1`,
);

interface ClosedClaim {
  readonly firm_id: FirmId;
  readonly id: ClaimId;
}

/** Deletes claims that were closed before, except of firms under legal hold, and records their ids. */
export async function purgeClosedClaims(
  database: Pick<Database, 'begin'>,
  statementsOn: StatementsOn,
  closedBefore: Instant,
  now: Instant,
): Promise<number> {
  for (let total = 0; ; ) {
    const deleted = await transact(database, async (transaction) => {
      startPurge(transaction);
      const claims = await transaction.rows<ClosedClaim>(DELETE_CLOSED, [timestamp(closedBefore)]);
      if (claims.length > 0)
        await transaction.rows(DELETE_OFFERS, [
          claims.map(({ firm_id }) => firm_id),
          claims.map(({ id }) => id),
        ]);
      await appendToAuditTrail(statementsOn(transaction), eventsOf(claims, now));
      return claims;
    });
    total += deleted.length;
    if (deleted.length < BATCH_SIZE) return total;
  }
}

function eventsOf(deleted: readonly ClosedClaim[], at: Instant): AuditEvent[] {
  const claimsOf = new Map<FirmId, ClaimId[]>();
  for (const { firm_id, id } of deleted) claimsOf.set(firm_id, [...(claimsOf.get(firm_id) ?? []), id]);
  return [...claimsOf].map(([firmId, claims]) => {
    const { chain, entry } = auditEvent(firmId, BY_SERVICE, { at, action: 'claims.purge', object: null });
    return { chain, entry: { ...entry, claims } };
  });
}
