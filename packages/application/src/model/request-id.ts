import type { Instant } from '@svc/domain';

/**
 * A UUID of version 7, whose first 48 bits are the time: support finds a request without searching two weeks of rows.
 *
 * @param random a UUID of version 4.
 */
export function requestIdAt(at: Instant, random: string): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

/** When the request arrived; null: the id is a UUID of another version. */
export const timeOfRequestId = (id: string): Instant | null =>
  id[14] === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : null;
