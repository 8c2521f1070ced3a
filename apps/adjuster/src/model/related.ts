import type { AppClaim } from '@svc/contract';
import { parsePhone } from './phone.ts';

const key = (text: string | undefined): string => (text ?? '').trim().replace(/\s+/g, ' ').toLowerCase();

function isSamePolicyholder(one: AppClaim['policyholder'], other: AppClaim['policyholder']): boolean {
  if (one.phone !== undefined && other.phone !== undefined) {
    const number = parsePhone(one.phone).number;
    if (number !== '' && number === parsePhone(other.phone).number) return true;
  }
  if (one.email !== undefined && key(one.email) === key(other.email)) return true;
  const names = ['first_name', 'last_name', 'company_name'] as const;
  return names.some((name) => one[name] !== undefined) && names.every((n) => key(one[n]) === key(other[n]));
}

export interface RelatedClaims {
  readonly samePolicyholder: readonly AppClaim[];
  /** At most a mile away; without coordinates of streets, those with the same ZIP code. */
  readonly near: readonly AppClaim[];
}

/** Other offers and own claims that an adjuster would handle in the same visit. */
export function relatedClaims(
  claim: AppClaim,
  others: readonly AppClaim[],
  milesBetween: (a: AppClaim, b: AppClaim) => number | undefined,
): RelatedClaims {
  const samePolicyholder: AppClaim[] = [];
  const near: AppClaim[] = [];
  for (const other of others) {
    if (other.id === claim.id) continue;
    if (isSamePolicyholder(claim.policyholder, other.policyholder)) samePolicyholder.push(other);
    else {
      const isSameZip = other.loss_location.zip.slice(0, 5) === claim.loss_location.zip.slice(0, 5);
      if (isSameZip || (milesBetween(claim, other) ?? Number.MAX_VALUE) <= 1) near.push(other);
    }
  }
  return { samePolicyholder, near };
}
