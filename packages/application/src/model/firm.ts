import type { FirmClocks, FirmId, Instant, LimitOverrides, Plan } from '@svc/domain';

export interface Firm {
  readonly id: FirmId;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  /** How many of its keys work at a time, of each environment; null: the default. */
  readonly maxKeys: number | null;
  /** How long the firm waits for the answer to an offer; null: it has not said. */
  readonly offerWaitHours: number | null;
  /** What it owes its carriers; null: it has not said. */
  readonly clocks: FirmClocks | null;
  readonly createdAt: Instant;
  /** `started` until everything of it is deleted. Null: not erased. */
  readonly erasure: 'started' | 'finished' | null;
}
