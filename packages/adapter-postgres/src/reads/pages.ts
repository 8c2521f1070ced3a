import type { PageRequest, Position, Slice } from '@svc/application';
import { timestamp } from '../driver/column-types.ts';

/** One row more than the page holds tells whether there is another page. */
export const fetchCount = (page: PageRequest): number => page.limit + 1;

export function slice<R, T>(
  found: readonly R[],
  page: PageRequest,
  position: (row: R) => Position,
  view: (row: R) => T,
): Slice<T> {
  const rows = found.slice(0, page.limit);
  const last = rows.at(-1);
  const more = found.length > page.limit && last !== undefined;
  return { rows: rows.map(view), next: more ? position(last) : null };
}

/** A place as the two values that statements compare rows with; before everything when there is none. */
export const placeValues = (after: Position | null): [at: string, id: string] =>
  after === null ? ['-infinity', ''] : [timestamp(after.at), after.id];

const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The same where the id is a uuid. */
export const uuidPlaceValues = (after: Position | null): [at: string, id: string] =>
  after === null ? ['-infinity', NIL_UUID] : [timestamp(after.at), after.id];

/** The place just before every row of `since` or later: time is held to the millisecond. */
export const placeBefore = (since: number): Position => ({ at: since - 1, id: MAX_UUID });
