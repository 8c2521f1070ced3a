import type { FirmId, Instant } from '@svc/domain';
import type { FeedRestamp } from '../model/feed-restamp.ts';

/** The change feeds of all firms. */
export interface Feeds {
  /** The latest timestamp of any firm; null when there is none. */
  lastTimestamp(): Promise<Instant | null>;
  /** By `startedAt`, latest first; prevents others from adding one until the transaction ends. */
  lockRestamps(): Promise<FeedRestamp[]>;
  /** Adds it, or replaces the one with its `since`. */
  saveRestamp(restamp: FeedRestamp): Promise<void>;
  /**
   * Gives claims of the firm new timestamps at the end of its feed, in their present order: those that changed since
   * `since`, and those that are not final, unless their timestamp is after `startedAt`.
   * @returns how many; at most `limit`.
   */
  restamp(firmId: FirmId, restamp: FeedRestamp, limit: number): Promise<number>;
}
