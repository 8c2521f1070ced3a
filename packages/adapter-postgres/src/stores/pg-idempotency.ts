import { IDEMPOTENCY_WINDOW_MS, type IdempotencyRecords } from '@svc/application';
import type { ClaimId } from '@svc/domain';
import { timestamp } from '../driver/column-types.ts';
import { first, sql, type TxSession } from '../driver/session.ts';

const FIND = sql(
  'idempotency_find',
  `SELECT fingerprint, claim_id AS "claimId" FROM idempotency_records
    WHERE firm_id = $1 AND environment = $2 AND key = $3 AND bound_at > $4`,
);

/**
 * Waits for a concurrent transaction that binds the same key. If that one commits, the null fails the transaction, which
 * needs no round trip before the commit, unlike a row count: `translateError` makes it a ConcurrencyConflict.
 */
const BIND = sql(
  'idempotency_bind',
  `INSERT INTO idempotency_records AS held (firm_id, environment, key, fingerprint, claim_id, bound_at)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (firm_id, environment, key) DO UPDATE
     SET fingerprint = CASE WHEN held.bound_at <= $7 THEN excluded.fingerprint END,
         claim_id = excluded.claim_id, bound_at = excluded.bound_at`,
);

export function pgIdempotency(session: TxSession): IdempotencyRecords {
  return {
    async find({ firmId, environment, key }, now) {
      const since = timestamp(now - IDEMPOTENCY_WINDOW_MS);
      return first(
        await session.rows<{ fingerprint: string; claimId: ClaimId }>(FIND, [
          firmId,
          environment,
          key,
          since,
        ]),
      );
    },

    async bind({ firmId, environment, key }, fingerprint, claimId, now) {
      const outdated = timestamp(now - IDEMPOTENCY_WINDOW_MS);
      const values = [firmId, environment, key, fingerprint, claimId, timestamp(now), outdated];
      session.send(BIND, values);
    },
  };
}
