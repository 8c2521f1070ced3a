import { createHash } from 'node:crypto';

/** JSON with sorted fields, so that equal values have equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`,
  );
  return `{${members.sort().join(',')}}`;
}

/** Derived from the content: sending the same line again is a retry, and a changed line is a new request. */
export const idempotencyKeyOf = (claim: Readonly<Record<string, unknown>>): string =>
  `claims-${createHash('sha256').update(canonical(claim)).digest('hex')}`;

/**
 * Whether the stored claim has the content of the claim in the file. It may have more fields, and may have been offered
 * to another adjuster since.
 */
export function hasContentOf(
  stored: Readonly<Record<string, unknown>>,
  claim: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(claim).every(
    ([name, value]) => name === 'adjuster_svc_id' || includes(stored[name], value),
  );
}

function includes(stored: unknown, sent: unknown): boolean {
  if (Array.isArray(sent)) {
    return (
      Array.isArray(stored) &&
      stored.length === sent.length &&
      sent.every((item, i) => includes(stored[i], item))
    );
  }
  if (typeof sent !== 'object' || sent === null) return stored === sent;
  if (typeof stored !== 'object' || stored === null) return false;
  return Object.entries(sent).every(([name, value]) =>
    includes((stored as Record<string, unknown>)[name], value),
  );
}
