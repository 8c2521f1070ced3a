import { IDEMPOTENCY_WINDOW_MS, type IdempotencySlot, type KeyedRequest } from '@svc/application';
import type { ClaimId, Instant } from '@svc/domain';
import { arrayOf, timestamp } from '../driver/column-types.ts';
import { type Executor, first, rowByKey, sql, type TransactionExecutor } from '../driver/executor.ts';
import { FIRM_CLAIM_COLUMNS, type FirmClaimRow } from './claim-rows.ts';

const FIND_CLAIM = sql(
  'idempotency_find_claim',
  `SELECT i.fingerprint, ${FIRM_CLAIM_COLUMNS}
     FROM idempotency_records i CROSS JOIN LATERAL (${rowByKey('claims', { firm_id: '$1', id: 'i.claim_id' })}) c
    WHERE i.firm_id = $1 AND i.environment = $2 AND i.key = $3 AND i.bound_at > $4`,
);

export const findValues = ({ firmId, environment, key }: IdempotencySlot, now: Instant) => [
  firmId,
  environment,
  key,
  timestamp(now - IDEMPOTENCY_WINDOW_MS),
];

/** The request that a key was used for, with its claim. */
export const findBoundClaim = async (
  executor: Executor,
  slot: IdempotencySlot,
  now: Instant,
): Promise<(FirmClaimRow & { readonly fingerprint: string }) | null> =>
  first(await executor.rows(FIND_CLAIM, findValues(slot, now)));

export const BIND_ROW =
  'INSERT INTO idempotency_records AS existing (firm_id, environment, key, fingerprint, claim_id, bound_at)';
/** @param outdated the latest time of a record that may be replaced. */
export const replaceOutdated = (
  outdated: string,
): string => `ON CONFLICT (firm_id, environment, key) DO UPDATE
     SET fingerprint = CASE WHEN existing.bound_at <= ${outdated} THEN excluded.fingerprint END,
         claim_id = excluded.claim_id, bound_at = excluded.bound_at`;
/**
 * Waits for a concurrent transaction that binds the same key. If that one commits, the null fails the transaction, which
 * needs no round trip before the commit, unlike a row count: `translateError` makes it a ConcurrencyConflict. In one
 * order, so that two transactions cannot wait for each other.
 */
const BIND_MANY = sql(
  'idempotency_bind_many',
  `${BIND_ROW}
   SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::timestamptz[])
     AS bound (firm_id, environment, key, fingerprint, claim_id, bound_at) ORDER BY firm_id, environment, key
   ${replaceOutdated("excluded.bound_at - $7::integer * interval '1 ms'")}`,
);

/** Each key once. */
export function bindMany(
  executor: TransactionExecutor,
  bound: readonly (KeyedRequest & { readonly claimId: ClaimId })[],
): void {
  executor.send(BIND_MANY, [
    arrayOf(bound.map(({ slot }) => slot.firmId)),
    arrayOf(bound.map(({ slot }) => slot.environment)),
    bound.map(({ slot }) => slot.key),
    arrayOf(bound.map(({ fingerprint }) => fingerprint)),
    arrayOf(bound.map(({ claimId }) => claimId)),
    arrayOf(bound.map(({ at }) => timestamp(at))),
    IDEMPOTENCY_WINDOW_MS,
  ]);
}
