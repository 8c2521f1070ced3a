import type { Firm } from '@svc/application';
import type { FirmId, Instant, LimitOverrides, Plan } from '@svc/domain';

export interface LimitColumns {
  readonly requests_per_minute: number | null;
  readonly writes_per_minute: number | null;
  readonly burst: number | null;
}

export const limitsFrom = (row: LimitColumns): LimitOverrides => ({
  requestsPerMinute: row.requests_per_minute,
  writesPerMinute: row.writes_per_minute,
  burst: row.burst,
});

export interface FirmRow extends LimitColumns {
  readonly id: FirmId;
  readonly name: string;
  readonly plan: Plan;
  readonly offer_wait_hours: number | null;
  readonly created_at: Instant;
  readonly erasure: Firm['erasure'];
}

/** Columns of `firms` for {@link FirmRow}. */
export const FIRM_COLUMNS =
  'id, name, plan, requests_per_minute, writes_per_minute, burst, offer_wait_hours, created_at, erasure';

export const firmFrom = (row: FirmRow): Firm => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  limits: limitsFrom(row),
  offerWaitHours: row.offer_wait_hours,
  createdAt: row.created_at,
  erasure: row.erasure,
});
