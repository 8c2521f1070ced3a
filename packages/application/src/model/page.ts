import type { Instant } from '@svc/domain';

/** Position of a row in a list: its sort value, and the id as tie-breaker. */
export interface KeysetPosition {
  readonly at: Instant;
  readonly id: string;
}

/** Before every row, in ascending order. */
export const FIRST_POSITION: KeysetPosition = { at: 0, id: '00000000-0000-0000-0000-000000000000' };

export interface Page<T> {
  readonly rows: readonly T[];
  /** Position for the next page; null on the last page. */
  readonly next: KeysetPosition | null;
}

export interface PageRequest {
  /** Only rows after this position; null: from the start. */
  readonly after: KeysetPosition | null;
  readonly limit: number;
  /** About the size of the rows as JSON. A page ends there, but has at least one row. Absent: no limit. */
  readonly maxBytes?: number | undefined;
}
