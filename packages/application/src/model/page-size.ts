import type { AdjusterView, InvitationView } from './member-views.ts';
import type { PageRequest } from './page.ts';

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
