import type { AdjusterView, InvitationView } from './member-views.ts';
import type { PageRequest } from './page.ts';

/** How many of the rows fit in the page: at least one, so that the next page makes progress. */
export function countThatFits<R>(
  rows: readonly R[],
  { limit, maxBytes = Number.POSITIVE_INFINITY }: PageRequest,
  bytesOf: (row: R) => number,
): number {
  let [count, bytes] = [0, 0];
  for (const row of rows) {
    bytes += bytesOf(row);
    if (count === limit || (count > 0 && bytes > maxBytes)) break;
    count += 1;
  }
  return count;
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
