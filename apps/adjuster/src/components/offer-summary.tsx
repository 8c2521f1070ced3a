import type { AppClaim } from '@svc/contract';
import { useState } from 'preact/hooks';
import { addressLines, addressText, dateTime, day, miles, since, titleOf, wholeMoney } from '../format.ts';
import { mapLink } from '../model/map-link.ts';
import { relatedClaims } from '../model/related.ts';
import { openOffers } from '../state/answers.ts';
import { texts } from '../state/language.ts';
import { lists } from '../state/lists.ts';
import { distanceOf, milesApart } from '../state/places.ts';
import { Icon } from './ui.tsx';

type Row = readonly [label: string, value: string, wide?: boolean];

/** What an adjuster decides by: it fits on a phone's screen together with the answer buttons. */
export function OfferSummary({ claim }: { claim: AppClaim }) {
  const words = texts.value;
  const { loss_location: place, loss, building, coverages, carrier, instructions } = claim;
  const distance = distanceOf.value(claim);
  const { summary } = words;
  const named = (names: Readonly<Record<string, string>>, value: string | undefined) =>
    value === undefined ? undefined : (names[value] ?? value);
  const depths = [
    loss.exterior_water_depth_inches === undefined
      ? undefined
      : summary.outside(loss.exterior_water_depth_inches),
    loss.interior_water_depth_inches === undefined
      ? undefined
      : summary.inside(loss.interior_water_depth_inches),
  ].filter((part) => part !== undefined);
  const limits = [
    coverages?.building_limit === undefined
      ? undefined
      : summary.building(wholeMoney(coverages.building_limit)),
    coverages?.contents_limit === undefined
      ? undefined
      : summary.contents(wholeMoney(coverages.contents_limit)),
  ].filter((part) => part !== undefined);
  const rows: (Row | null)[] = [
    row(words.claim.fields.cause, named(words.cause, loss.cause)),
    row(summary.depth, depths.length === 0 ? undefined : depths.join(' · ')),
    row(words.claim.fields.date, day(loss.date)),
    row(words.claim.fields.zone, building?.flood_zone),
    row(words.claim.fields.occupancy, named(words.occupancy, building?.occupancy_type)),
    row(summary.carrier, carrier.name),
    row(summary.limits, limits.length === 0 ? undefined : limits.join(' · '), true),
  ];
  return (
    <section class="card summary">
      <p class="summary-place">
        <a href={mapLink(addressText(place))} rel="noreferrer">
          <Icon name="map" />
          <span>
            {addressLines({ ...place, zip: place.zip.slice(0, 5) }).map((line) => (
              <span class="line" key={line}>
                {line}
              </span>
            ))}
          </span>
        </a>
        {distance !== undefined && <span class="strong">{miles(distance)}</span>}
      </p>
      {instructions !== undefined && (
        <p class="summary-instructions">
          <span>
            <span class="strong">{words.claim.instructions}:</span> {instructions.trim()}
          </span>
        </p>
      )}
      <dl class="summary-facts">
        {rows.map(
          (one) =>
            one !== null && (
              <div key={one[0]} {...(one[2] === true && { class: 'wide' })}>
                <dt>{one[0]}</dt>
                <dd>{one[1]}</dd>
              </div>
            ),
        )}
      </dl>
      <Related claim={claim} />
    </section>
  );
}

const row = (label: string, value: string | undefined, wide = false): Row | null =>
  value === undefined ? null : [label, value, wide];

/** Other claims that belong to the same visit. Links to them would not fit on the screen before it is opened. */
function Related({ claim }: { claim: AppClaim }) {
  const words = texts.value.summary;
  const [isOpen, setOpen] = useState(false);
  const others = [...(openOffers.value ?? []), ...(lists.accepted.value ?? [])];
  const { samePolicyholder, near } = relatedClaims(claim, others, milesApart);
  const related = [...samePolicyholder, ...near];
  if (related.length === 0) return null;
  const counts = [
    samePolicyholder.length > 0 && words.samePolicyholder(samePolicyholder.length),
    near.length > 0 && words.near(near.length),
  ];
  return (
    <details class="summary-related" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {words.related}: {counts.filter(Boolean).join(' · ')}
      </summary>
      {isOpen && (
        <ul>
          {related.map((other) => (
            <li key={other.id}>
              <a href={`#/claims/${other.id}`}>{titleOf(other)}</a> {addressText(other.loss_location)}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

/** How long the offer has been waiting. */
export const WaitingPill = ({ claim }: { claim: AppClaim }) => {
  const age = since(claim.offered_at);
  const { offers } = texts.value;
  return (
    <p class="pill warning">
      <Icon name="clock" />
      {age === null ? offers.new : offers.offeredAgo(age)}
      {claim.respond_by !== undefined && ` · ${offers.respondBy(dateTime(claim.respond_by))}`}
    </p>
  );
};
