import './claim-row.css';
import type { AppClaim } from '@svc/contract';
import { TestBadge } from '@svc/web-app/components/ui';
import { titleOf, townOf } from '@svc/web-app/names';
import type { ComponentChildren, JSX } from 'preact';
import { day, miles, now, places, roughDuration, route, shortMoney, texts } from '../app.ts';

// Rows are created while a list scrolls, so they are plain functions with few elements, and their arrow is CSS.

type Part = string | undefined;

/** A line of parts, which breaks only between them and shows no separator at its ends. */
const line = (key: string, parts: readonly Part[]): JSX.Element | null => {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? null : (
    <span key={key} class="line parts">
      {known.map((part) => (
        <span key={part}>{part}</span>
      ))}
    </span>
  );
};

/** The place, how far it is, and what else the row says. */
const lines = (
  claim: AppClaim,
  aside: ComponentChildren,
  facts: readonly Part[],
  more: readonly Part[],
): (JSX.Element | null)[] => {
  const distance = places.distanceOf.value(claim);
  const { loss_location: place } = claim;
  return [
    <span key="top" class="row-top">
      <span class="strong">
        {titleOf(claim)} {claim.test && <TestBadge test />}
      </span>
      {aside}
    </span>,
    line('place', [townOf(place), distance === undefined ? place.street : miles(distance)]),
    line('facts', facts),
    line('more', more),
  ];
};

/** How long the firm still waits for the answer, or how long the offer has been waiting. */
function WaitingTime({ claim }: { claim: AppClaim }) {
  const { offers } = texts.value;
  if (claim.respond_by === undefined)
    return (
      <span class="pill neutral">
        {roughDuration(now.value - Date.parse(claim.offered_at)) ?? offers.new}
      </span>
    );
  const left = roughDuration(Date.parse(claim.respond_by) - now.value);
  return <span class="pill warning">{left === null ? offers.timeIsUp : offers.left(left)}</span>;
}

/** What an adjuster decides by. */
function offerLines(claim: AppClaim): (JSX.Element | null)[] {
  const { shortCause, offers } = texts.value;
  const { loss, building, coverages } = claim;
  const depth = loss.interior_water_depth_inches ?? loss.exterior_water_depth_inches;
  const limits = [coverages?.building_limit, coverages?.contents_limit].filter((one) => one !== undefined);
  return lines(
    claim,
    <WaitingTime claim={claim} />,
    [
      loss.cause === undefined ? undefined : (shortCause[loss.cause] ?? loss.cause),
      depth === undefined ? undefined : offers.depth(depth),
      limits.length === 0 ? undefined : limits.map(shortMoney).join(' + '),
    ],
    [building?.flood_zone, offers.loss(day(loss.date)), claim.firm.name],
  );
}

const link = ({ id }: AppClaim, content: ComponentChildren): JSX.Element => (
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
  link(claim, lines(claim, aside, [], [texts.value.offers.loss(day(claim.loss.date)), claim.firm.name]));
