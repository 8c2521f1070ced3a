import type { AppClaim } from '@svc/contract';
import { searchText } from '@svc/domain';

export const GROUPINGS = ['none', 'place', 'firm'] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const ORDERS = ['age', 'reply', 'distance', 'loss'] as const;
export type Order = (typeof ORDERS)[number];

export interface Arrangement {
  readonly grouping: Grouping;
  readonly order: Order;
  readonly search: string;
}

export const DEFAULT_ARRANGEMENT: Arrangement = { grouping: 'none', order: 'age', search: '' };

interface ClaimGroup {
  readonly key: string;
  /** Empty when claims are not grouped. */
  readonly title: string;
  readonly claims: readonly AppClaim[];
}

/** Miles from the adjuster; undefined when the place or the adjuster's position is unknown. */
export type DistanceOf = (claim: AppClaim) => number | undefined;

const searchTexts = new WeakMap<AppClaim, string>();

function textOf(claim: AppClaim): string {
  const known = searchTexts.get(claim);
  if (known !== undefined) return known;
  const { policyholder, loss_location: place, policy, carrier, firm, loss } = claim;
  const text = searchText(
    [
      policyholder.first_name,
      policyholder.last_name,
      policyholder.company_name,
      place.street,
      place.city,
      place.state,
      place.zip,
      place.county,
      claim.claim_number,
      claim.file_number,
      policy.number,
      carrier.name,
      firm.name,
      loss.cat_code,
    ]
      .filter(Boolean)
      .join('\n'),
  );
  searchTexts.set(claim, text);
  return text;
}

/** Whether each word of the search occurs in the claim's names, places or numbers. */
export function matches(claim: AppClaim, search: string): boolean {
  const text = textOf(claim);
  return searchText(search)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byOffer = (a: AppClaim, b: AppClaim): number =>
  byText(a.offered_at, b.offered_at) || byText(a.id, b.id);

function comparison(order: Order, distanceOf: DistanceOf): (a: AppClaim, b: AppClaim) => number {
  if (order === 'loss') return (a, b) => byText(a.loss.date, b.loss.date) || byOffer(a, b);
  if (order === 'age') return byOffer;
  // Offers that a firm waits for without a limit come last.
  if (order === 'reply') return (a, b) => byText(a.respond_by ?? '~', b.respond_by ?? '~') || byOffer(a, b);
  const miles = (claim: AppClaim): number => distanceOf(claim) ?? Number.MAX_VALUE;
  return (a, b) => miles(a) - miles(b) || byOffer(a, b);
}

/** Two firms may have the same name, and a place may be written in several ways. */
function groupOf({ loss_location: { city, state }, firm }: AppClaim, grouping: Grouping) {
  if (grouping === 'firm') return { key: firm.id, title: firm.name };
  const title = grouping === 'place' ? `${city}, ${state}` : '';
  return { key: searchText(title), title };
}

/** Filters, sorts and groups; a group comes where its first claim would. */
export function arrange(
  claims: readonly AppClaim[],
  { grouping, order, search }: Arrangement,
  distanceOf: DistanceOf,
): ClaimGroup[] {
  const found = search.trim() === '' ? [...claims] : claims.filter((claim) => matches(claim, search));
  found.sort(comparison(order, distanceOf));
  const groups = new Map<string, { key: string; title: string; claims: AppClaim[] }>();
  for (const claim of found) {
    const { key, title } = groupOf(claim, grouping);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { key, title, claims: [claim] });
    else group.claims.push(claim);
  }
  return [...groups.values()];
}

/** The claims after this one in the arranged list, from the start again after the last. */
export function claimsAfter(groups: readonly ClaimGroup[], id: string): AppClaim[] {
  const ordered = groups.flatMap(({ claims }) => claims);
  const index = ordered.findIndex((claim) => claim.id === id);
  return [...ordered.slice(index + 1), ...ordered.slice(0, Math.max(index, 0))];
}
