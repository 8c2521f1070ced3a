/** A mailing address, always complete. */
export interface CarrierAddress {
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

/** A carrier as sent with a claim. */
export interface CarrierDetails {
  readonly name: string;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly address?: CarrierAddress | undefined;
}

export type CarrierDetail = 'phone' | 'email' | 'address';
const DETAILS: readonly CarrierDetail[] = ['phone', 'email', 'address'];

/**
 * Text without regard to case, surrounding whitespace and the length of runs of whitespace. Upper-casing merges
 * letters with two lower-case forms (ß and ss, σ and ς); lower-casing first is needed for the capital ẞ.
 */
const folded = (text: string): string =>
  text.trim().replace(/\s+/gu, ' ').toLowerCase().toUpperCase().toLowerCase();

/**
 * Key of a carrier in the firm's book: names are equal without regard to case, surrounding whitespace and the length of
 * runs of whitespace.
 */
export const carrierNameKey = (name: string): string => folded(name);

/** Phone numbers are equal when their ASCII digits are, without the leading country code 1 of eleven digits. */
export function samePhone(one: string, other: string): boolean {
  const digits = (phone: string): string => {
    const all = phone.replace(/[^0-9]/g, '');
    return all.length === 11 && all.startsWith('1') ? all.slice(1) : all;
  };
  return digits(one) === digits(other);
}

/** Email addresses are equal without regard to case. */
export const sameEmail = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Addresses are equal when street, city and state are, without regard to case and whitespace, and the first five
 * characters of the ZIP code.
 */
export function sameAddress(one: CarrierAddress, other: CarrierAddress): boolean {
  return (
    folded(one.street) === folded(other.street) &&
    folded(one.city) === folded(other.city) &&
    folded(one.state) === folded(other.state) &&
    one.zip.trim().slice(0, 5) === other.zip.trim().slice(0, 5)
  );
}

/** Both must have the detail. */
function sameDetail(detail: CarrierDetail, one: CarrierDetails, other: CarrierDetails): boolean {
  const [a, b] = [one[detail], other[detail]];
  if (detail === 'phone') return samePhone(a as string, b as string);
  if (detail === 'email') return sameEmail(a as string, b as string);
  return sameAddress(a as CarrierAddress, b as CarrierAddress);
}

/** Takes each detail from the first of the two that has it; an address is one detail. */
function filled(first: CarrierDetails, second: CarrierDetails | null): CarrierDetails {
  return {
    name: first.name,
    ...pick('phone', first.phone ?? second?.phone),
    ...pick('email', first.email ?? second?.email),
    ...pick('address', first.address ?? second?.address),
  };
}

const pick = <D extends CarrierDetail>(
  detail: D,
  value: CarrierDetails[D],
): Pick<CarrierDetails, D> | object => (value === undefined ? {} : { [detail]: value });

export interface CarrierMerge {
  /** The new entry of the firm's book. */
  readonly entry: CarrierDetails;
  /** Details added to the book; empty when there is nothing to write. */
  readonly gained: readonly CarrierDetail[];
  /** Details sent that differ from the book. They stay with the claim and never overwrite the book. */
  readonly differing: readonly CarrierDetail[];
}

/**
 * Details sent with a claim fill in what the firm's book lacks and never overwrite it; an address is one detail. Also
 * returns the details gained and the details that differ.
 * @param entry the book's entry under the same {@link carrierNameKey}, or null when it has none.
 */
export function mergeCarrier(entry: CarrierDetails | null, sent: CarrierDetails): CarrierMerge {
  if (entry === null) {
    return { entry: filled(sent, null), gained: DETAILS.filter((d) => sent[d] !== undefined), differing: [] };
  }
  return {
    entry: filled(entry, sent),
    gained: DETAILS.filter((d) => entry[d] === undefined && sent[d] !== undefined),
    differing: DETAILS.filter(
      (d) => entry[d] !== undefined && sent[d] !== undefined && !sameDetail(d, entry, sent),
    ),
  };
}

/** What the operator sets in an entry of the book: null removes a detail, what is left out stays. */
export type CarrierCorrection = { readonly [D in CarrierDetail]?: CarrierDetails[D] | null };

const identical = (one: CarrierDetails[CarrierDetail], other: CarrierDetails[CarrierDetail]): boolean =>
  typeof one === 'object' && typeof other === 'object'
    ? one.street === other.street &&
      one.city === other.city &&
      one.state === other.state &&
      one.zip === other.zip
    : one === other;

/**
 * The operator replaces, adds or removes details of an entry of the book; claims keep what they sent. Also returns the
 * details that it changes.
 */
export function correctCarrier(
  entry: CarrierDetails,
  correction: CarrierCorrection,
): { readonly entry: CarrierDetails; readonly changed: readonly CarrierDetail[] } {
  const { phone = entry.phone, email = entry.email, address = entry.address } = correction;
  const corrected = {
    name: entry.name,
    ...pick('phone', phone ?? undefined),
    ...pick('email', email ?? undefined),
    ...pick('address', address ?? undefined),
  } satisfies CarrierDetails;
  return { entry: corrected, changed: DETAILS.filter((d) => !identical(entry[d], corrected[d])) };
}

/** Forms show what the claim sent, filled in from the book. */
export const carrierForForms = (sent: CarrierDetails, entry: CarrierDetails | null): CarrierDetails =>
  filled(sent, entry);
