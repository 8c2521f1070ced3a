import { createHash } from 'node:crypto';

/** JSON with the members of every object in one order: two texts are equal exactly when the values are. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`,
  );
  return `{${members.sort().join(',')}}`;
}

/**
 * From the claim's content, external_id included: sending the same line again is a retry to the service, whenever and
 * from wherever it is done, and a line that was changed is another request.
 */
export const idempotencyKeyOf = (claim: Readonly<Record<string, unknown>>): string =>
  `claims-${createHash('sha256').update(canonical(claim)).digest('hex')}`;

/**
 * Whether the claim that the service holds is the one in the file. It may hold more, as services add fields; and by now
 * it may be offered to somebody else.
 */
export function holds(
  held: Readonly<Record<string, unknown>>,
  claim: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(claim).every(
    ([name, value]) => name === 'adjuster_svc_id' || covers(held[name], value),
  );
}

function covers(held: unknown, sent: unknown): boolean {
  if (Array.isArray(sent)) {
    return (
      Array.isArray(held) && held.length === sent.length && sent.every((item, i) => covers(held[i], item))
    );
  }
  if (typeof sent !== 'object' || sent === null) return held === sent;
  if (typeof held !== 'object' || held === null) return false;
  return Object.entries(sent).every(([name, value]) =>
    covers((held as Record<string, unknown>)[name], value),
  );
}
