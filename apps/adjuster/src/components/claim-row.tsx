import type { AppClaim } from '@svc/contract';
import type { ComponentChildren } from 'preact';
import { addressLines, day, miles, since, titleOf } from '../format.ts';
import { route } from '../navigation.ts';
import { texts } from '../state/language.ts';
import { distanceOf } from '../state/places.ts';
import { Icon, TestBadge } from './ui.tsx';

/** What a row says besides name and place; the parts that are known. */
const Parts = ({ parts }: { parts: readonly (string | undefined)[] }) => (
  <span class="line muted">{parts.filter((part) => part !== undefined).join(' · ')}</span>
);

function RowText({
  claim,
  aside,
  parts,
}: {
  readonly claim: AppClaim;
  readonly aside: ComponentChildren;
  readonly parts: readonly (string | undefined)[];
}) {
  return (
    <span class="row-main">
      <span class="row-top">
        <span class="strong">
          {titleOf(claim)} <TestBadge test={claim.test} />
        </span>
        {aside}
      </span>
      <span class="line">{addressLines(claim.loss_location).join(', ')}</span>
      <Parts parts={parts} />
    </span>
  );
}

function offerParts(claim: AppClaim): (string | undefined)[] {
  const { cause, offers } = texts.value;
  const distance = distanceOf.value(claim);
  return [
    distance === undefined ? undefined : miles(distance),
    claim.loss.cause === undefined ? undefined : (cause[claim.loss.cause] ?? claim.loss.cause),
    claim.building?.flood_zone,
    offers.loss(day(claim.loss.date)),
    claim.firm.name,
  ];
}

const Waiting = ({ claim }: { claim: AppClaim }) => (
  <span class="pill warning">{since(claim.offered_at) ?? texts.value.offers.new}</span>
);

const isCurrent = ({ id }: AppClaim): boolean => route.value.screen === 'claim' && route.value.id === id;

/** An offer in a list. */
export const OfferRow = ({ claim }: { claim: AppClaim }) => (
  <a class="claim-row" href={`#/claims/${claim.id}`} {...(isCurrent(claim) && { 'aria-current': 'true' })}>
    <RowText claim={claim} aside={<Waiting claim={claim} />} parts={offerParts(claim)} />
    <Icon name="next" />
  </a>
);

/** An offer that is being selected. */
export const SelectableRow = (props: {
  readonly claim: AppClaim;
  readonly selected: boolean;
  readonly toggle: () => void;
}) => (
  <label class="claim-row">
    <input type="checkbox" checked={props.selected} onChange={props.toggle} />
    <RowText claim={props.claim} aside={<Waiting claim={props.claim} />} parts={offerParts(props.claim)} />
  </label>
);

/** An own claim in a list, with what is due next or when it was closed. */
export const ClaimRow = ({ claim, aside }: { claim: AppClaim; aside: ComponentChildren }) => (
  <a class="claim-row" href={`#/claims/${claim.id}`} {...(isCurrent(claim) && { 'aria-current': 'true' })}>
    <RowText
      claim={claim}
      aside={aside}
      parts={[
        distanceOf.value(claim) === undefined ? undefined : miles(distanceOf.value(claim) ?? 0),
        texts.value.offers.loss(day(claim.loss.date)),
        claim.firm.name,
      ]}
    />
    <Icon name="next" />
  </a>
);
