import type { AppClaim } from '@svc/contract';
import { parsePhone } from '@svc/web-app/phone';

const normalized = (text: string | undefined): string =>
  (text ?? '').trim().replace(/\s+/g, ' ').toLowerCase();

type Policyholder = AppClaim['policyholder'];

/** With the same phone or email, or with the same name unless both have a phone, or both an email, and they differ. */
function isSamePolicyholder(one: Policyholder, other: Policyholder): boolean {
  const phones = [one.phone, other.phone].map((phone) => parsePhone(phone ?? '')?.number ?? '');
  const emails = [one.email, other.email].map(normalized);
  const contacts = [phones, emails].filter((pair) => pair.every((contact) => contact !== ''));
  if (contacts.length > 0) return contacts.some(([first, second]) => first === second);
  const names = ['first_name', 'last_name', 'company_name'] as const;
  return (
    names.some((name) => one[name] !== undefined) &&
    names.every((name) => normalized(one[name]) === normalized(other[name]))
  );
}

/** Other offers and accepted claims that the adjuster would handle in the same visit; near is the same ZIP code or a mile. */
export function relatedClaims(
  claim: AppClaim,
  others: readonly AppClaim[],
  milesBetween: (a: AppClaim, b: AppClaim) => number | undefined,
) {
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
