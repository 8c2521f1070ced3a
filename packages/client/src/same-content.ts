/** The value that JSON transmits, without undefined members. */
const asSent = (value: object): unknown => JSON.parse(JSON.stringify(value));

/** JSON with sorted fields, so that equal values have equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`,
  );
  return `{${members.sort().join(',')}}`;
}

/**
 * An idempotency key derived from the content of a claim: sending the same claim again is a retry, and a changed claim is
 * a new request.
 */
export async function contentKey(claim: object): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(asSent(claim))));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `claims-${hex}`;
}

/**
 * Whether the stored claim has the content of the claim. It may have more fields, and may have been offered to another
 * adjuster since.
 */
export function hasContentOf(stored: object, claim: object): boolean {
  const { adjuster_svc_id: _, ...fields } = claim as Readonly<Record<string, unknown>>;
  return includes(stored, asSent(fields));
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
