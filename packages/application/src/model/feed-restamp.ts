import type { Instant } from '@svc/domain';

/** After the database was restored to `since`: changes from then on are lost, and claims get new timestamps. */
export interface FeedRestamp {
  readonly since: Instant;
  /** New timestamps are later than this and than all earlier ones. */
  readonly startedAt: Instant;
  /** Null: interrupted, or still running. */
  readonly finishedAt: Instant | null;
}
