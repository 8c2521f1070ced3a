/** A mailing address; always whole, never in parts. */
export interface CarrierAddress {
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

/** A carrier as a claim names it. */
export interface CarrierDetails {
  readonly name: string;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly address?: CarrierAddress | undefined;
}

export type CarrierDetail = 'phone' | 'email' | 'address';
const DETAILS: readonly CarrierDetail[] = ['phone', 'email', 'address'];

/**
 * Text as the rules compare it: without regard to capitals, surrounding blanks and the length of runs of blanks.
 * By way of capitals, so that letters with two lower-case forms (ß and ss, σ and ς) fold to one; lower first, because
 * the capital ẞ is its own upper case.
 */
const folded = (text: string): string =>
  text.trim().replace(/\s+/gu, ' ').toLowerCase().toUpperCase().toLowerCase();

/** The name under which a firm's book holds a carrier: equal keys are one carrier, all others are different ones. */
export const carrierNameKey = (name: string): string => folded(name);

/** Phone numbers are one when their ASCII digits are; of eleven digits that start with the country code 1, the 1 goes. */
export function samePhone(one: string, other: string): boolean {
  const digits = (phone: string): string => {
    const all = phone.replace(/[^0-9]/g, '');
    return all.length === 11 && all.startsWith('1') ? all.slice(1) : all;
  };
  return digits(one) === digits(other);
}

export const sameEmail = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Addresses are one when each part is, without regard to capitals and blanks; ZIP+4 is its five-digit ZIP. */
export function sameAddress(one: CarrierAddress, other: CarrierAddress): boolean {
  return (
    folded(one.street) === folded(other.street) &&
    folded(one.city) === folded(other.city) &&
    folded(one.state) === folded(other.state) &&
    one.zip.trim().slice(0, 5) === other.zip.trim().slice(0, 5)
  );
}

function sameDetail(detail: CarrierDetail, one: CarrierDetails, other: CarrierDetails): boolean {
  const [a, b] = [one[detail], other[detail]];
  if (a === undefined || b === undefined) return a === b;
  if (detail === 'phone') return samePhone(a as string, b as string);
  if (detail === 'email') return sameEmail(a as string, b as string);
  return sameAddress(a as CarrierAddress, b as CarrierAddress);
}

/** Takes each detail from the first of the two that has it; an address counts as one piece. */
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
  /** What the firm's book holds from now on. */
  readonly held: CarrierDetails;
  /** Details the book gained; empty when there is nothing to write. */
  readonly gained: readonly CarrierDetail[];
  /** Details sent that differ from the held ones: they stay with their claim and never overwrite the book. */
  readonly differing: readonly CarrierDetail[];
}

/**
 * What a firm's book holds after a claim named a carrier: sent details fill in what is missing and never overwrite.
 *
 * @param held the book's entry under the same {@link carrierNameKey}, or null when it has none.
 */
export function mergeCarrier(held: CarrierDetails | null, sent: CarrierDetails): CarrierMerge {
  if (held === null) {
    return { held: filled(sent, null), gained: DETAILS.filter((d) => sent[d] !== undefined), differing: [] };
  }
  return {
    held: filled(held, sent),
    gained: DETAILS.filter((d) => held[d] === undefined && sent[d] !== undefined),
    differing: DETAILS.filter(
      (d) => held[d] !== undefined && sent[d] !== undefined && !sameDetail(d, held, sent),
    ),
  };
}

/** The carrier as an adjuster's forms print it: what the claim sent, filled from the book where it sent nothing. */
export const carrierForForms = (sent: CarrierDetails, held: CarrierDetails | null): CarrierDetails =>
  filled(sent, held);
