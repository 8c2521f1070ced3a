import type { AdjusterView, InvitationView } from './member-views.ts';
import type { KeysetPosition, Page, PageRequest } from './page.ts';

/** Whether the next row of a page still fits, by its bytes: the first one does, so that the next page makes progress. */
export function createPageFit({ limit, maxBytes = Number.POSITIVE_INFINITY }: PageRequest) {
  let [count, bytes] = [0, 0];
  return (rowBytes: number): boolean => {
    bytes += rowBytes;
    if (count === limit || (count > 0 && bytes > maxBytes)) return false;
    count += 1;
    return true;
  };
}

/** How many of the rows fit in the page. */
export function countThatFits<R>(rows: readonly R[], page: PageRequest, bytesOf: (row: R) => number): number {
  const fits = createPageFit(page);
  const end = rows.findIndex((row) => !fits(bytesOf(row)));
  return end === -1 ? rows.length : end;
}

/** The page of the rows after its position, of which one more than its limit tells that there is a next page. */
export function toPage<R>(
  found: readonly R[],
  page: PageRequest,
  positionOf: (row: R) => KeysetPosition,
  bytesOf: (row: R) => number = () => 0,
): Page<R> {
  const rows = found.slice(0, countThatFits(found, page, bytesOf));
  const last = rows.at(-1);
  return { rows, next: last !== undefined && found.length > rows.length ? positionOf(last) : null };
}

/** At most this many bytes in JSON that escapes all but ASCII; exact for ASCII without escapes. */
export const jsonBytes = (text: string | null | undefined): number =>
  text == null ? 0 : text.length + 5 * (Buffer.byteLength(text) - text.length);

export const adjusterViewBytes = ({ adjuster, membership: { notes } }: AdjusterView): number =>
  [adjuster.firstName, adjuster.lastName, adjuster.email, ...Object.values(notes)].reduce<number>(
    (bytes, text) => bytes + jsonBytes(text),
    0,
  );

export const invitationBytes = ({ firmName, invitedAs }: InvitationView): number =>
  jsonBytes(firmName) + jsonBytes(invitedAs);
