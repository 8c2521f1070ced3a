import type { KeysetPosition, PageRequest } from '@svc/application';
import { NIL_UUID, timestamp } from '../driver/column-types.ts';

/** One more row than the page, which shows whether there is a next page. */
export const fetchCount = (page: PageRequest): number => page.limit + 1;

/** Values that statements compare `(timestamp, id)` with; before every row when there is no position. */
export const positionValues = (after: KeysetPosition | null): [at: string, id: string] =>
  after === null ? ['-infinity', ''] : [timestamp(after.at), after.id];

const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The same for ids of type uuid. */
export const uuidPositionValues = (after: KeysetPosition | null): [at: string, id: string] =>
  after === null ? ['-infinity', NIL_UUID] : [timestamp(after.at), after.id];

/** The position just before every row at `since` or later; timestamps have milliseconds. */
export const positionBefore = (since: number): KeysetPosition => ({ at: since - 1, id: MAX_UUID });
