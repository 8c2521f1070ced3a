import type { KeysetPosition, Page, PageRequest } from '@svc/application';
import { timestamp } from '../driver/column-types.ts';

/** One row more than the page holds tells whether there is another page. */
export const fetchCount = (page: PageRequest): number => page.limit + 1;

export function toPage<R, T>(
  found: readonly R[],
  page: PageRequest,
  position: (row: R) => KeysetPosition,
  view: (row: R) => T,
): Page<T> {
  const rows = found.slice(0, page.limit);
  const last = rows.at(-1);
  const more = found.length > page.limit && last !== undefined;
  return { rows: rows.map(view), next: more ? position(last) : null };
}

/** A place as the two values that statements compare rows with; before everything when there is none. */
export const positionValues = (after: KeysetPosition | null): [at: string, id: string] =>
  after === null ? ['-infinity', ''] : [timestamp(after.at), after.id];

const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The same where the id is a uuid. */
export const uuidPositionValues = (after: KeysetPosition | null): [at: string, id: string] =>
  after === null ? ['-infinity', NIL_UUID] : [timestamp(after.at), after.id];

/** The place just before every row of `since` or later: time is held to the millisecond. */
export const positionBefore = (since: number): KeysetPosition => ({ at: since - 1, id: MAX_UUID });
