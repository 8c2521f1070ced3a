import { isRecord } from './errors.ts';
import type { NewClaim } from './wire.ts';

/** The value that JSON transmits, without undefined members. */
const asSent = (value: object): Record<string, unknown> => JSON.parse(JSON.stringify(value));

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

/** The fields that a sender may leave out. */
const OPTIONAL_FIELDS = {
  file_number: true,
  instructions: true,
  reported_date: true,
  contact_date: true,
  inspection_date: true,
  additional_contacts: true,
  agent: true,
  mortgagee: true,
  building: true,
  coverages: true,
  estimate: true,
} satisfies Record<OptionalField, true>;

type OptionalField = {
  [Field in keyof NewClaim]-?: undefined extends NewClaim[Field] ? Field : never;
}[keyof NewClaim];

/**
 * Whether the stored claim has the content of the claim, and nothing that was removed from it. It may have been offered
 * to another adjuster since, and may have fields that the service adds in a later release.
 */
export function hasContentOf(stored: object, claim: object): boolean {
  const { adjuster_svc_id: _, ...fields } = asSent(claim);
  const compared = new Set([...Object.keys(fields), ...Object.keys(OPTIONAL_FIELDS)]);
  const content = Object.entries(stored).filter(([name]) => compared.has(name));
  return canonical(withPeril(Object.fromEntries(content))) === canonical(withPeril(fields));
}

/** The service adds the only peril there is to a claim that was sent without one. */
function withPeril(fields: Readonly<Record<string, unknown>>): object {
  const { loss } = fields;
  return isRecord(loss) ? { ...fields, loss: { peril: 'flood', ...loss } } : fields;
}
