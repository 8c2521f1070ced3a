import type { AppClaim } from '@svc/contract';
import type { ComponentChildren, JSX } from 'preact';
import { addressText, day, miles, since, titleOf } from '../format.ts';
import { route } from '../navigation.ts';
import { texts } from '../state/language.ts';
import { distanceOf } from '../state/places.ts';
import { TestBadge } from './ui.tsx';

// Rows are created while a list scrolls, so they are plain functions with few elements, and their arrow is CSS.

/** The parts that are known. */
const joined = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(' · ');

const distance = (claim: AppClaim): string | undefined => {
  const known = distanceOf.value(claim);
  return known === undefined ? undefined : miles(known);
};

/** Name, place and what else the row says. */
const lines = (claim: AppClaim, aside: ComponentChildren, more: string): JSX.Element[] => [
  <span key="top" class="row-top">
    <span class="strong">
      {titleOf(claim)} {claim.test && <TestBadge test />}
    </span>
    {aside}
  </span>,
  <span key="place" class="line">
    {addressText(claim.loss_location)}
  </span>,
  <span key="more" class="line muted">
    {more}
  </span>,
];

function offerLines(claim: AppClaim): JSX.Element[] {
  const { cause, offers } = texts.value;
  return lines(
    claim,
    <span class="pill warning">{since(claim.offered_at) ?? offers.new}</span>,
    joined(
      distance(claim),
      claim.loss.cause === undefined ? undefined : (cause[claim.loss.cause] ?? claim.loss.cause),
      claim.building?.flood_zone,
      offers.loss(day(claim.loss.date)),
      claim.firm.name,
    ),
  );
}

const link = ({ id }: AppClaim, content: JSX.Element[]): JSX.Element => (
  <a
    class="claim-row"
    href={`#/claims/${id}`}
    {...(route.value.screen === 'claim' && route.value.id === id && { 'aria-current': 'true' })}
  >
    {content}
  </a>
);

/** An offer in a list. */
export const offerRow = (claim: AppClaim): JSX.Element => link(claim, offerLines(claim));

/** An offer that is being selected. */
export const selectableRow = (
  claim: AppClaim,
  selected: boolean,
  toggle: (id: string) => void,
): JSX.Element => (
  <label class="claim-row">
    <input type="checkbox" checked={selected} onChange={() => toggle(claim.id)} />
    <span class="row-main">{offerLines(claim)}</span>
  </label>
);

/** An accepted claim in a list, with what is due next or when it was closed. */
export const claimRow = (claim: AppClaim, aside: ComponentChildren): JSX.Element =>
  link(
    claim,
    lines(
      claim,
      aside,
      joined(distance(claim), texts.value.offers.loss(day(claim.loss.date)), claim.firm.name),
    ),
  );
