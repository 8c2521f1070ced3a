import './offer-summary.css';
import type { AppClaim } from '@svc/contract';
import { Button, Icon } from '@svc/web-app/components/ui';
import { addressLines, addressText, titleOf } from '@svc/web-app/names';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { answers, day, lists, miles, places, wholeMoney } from '../app.ts';
import { mapLink } from '../model/map-link.ts';
import { relatedClaims } from '../model/related.ts';
import { OriginDialog } from './distance.tsx';

type Row = readonly [label: string, value: string | undefined, wide?: boolean];

/** What an adjuster decides by: it fits on a phone's screen together with the answer buttons. */
export function OfferSummary({ claim }: { claim: AppClaim }) {
  const words = allTexts.value;
  const { loss_location: place, loss, building, coverages, carrier } = claim;
  const distance = places.distanceOf.value(claim);
  const [asking, setAsking] = useState(false);
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
  const { fields } = words.record;
  const rows: Row[] = [
    [fields.cause, named(words.cause, loss.cause)],
    [summary.depth, depths.length === 0 ? undefined : depths.join(', ')],
    [fields.date, day(loss.date)],
    [fields.zone, building?.flood_zone],
    [fields.occupancy, named(words.occupancy, building?.occupancy_type)],
    [summary.carrier, carrier.name],
    [summary.limits, limits.length === 0 ? undefined : limits.join(', '), true],
  ];
  const isAsking = places.origin.value === null && places.mayAsk.value;
  const missing = rows.flatMap(([label, value]) => (value === undefined ? label.toLowerCase() : []));
  return (
    <>
      {isAsking && (
        <section class="card" aria-label={words.distance.title}>
          <p>{words.distance.why}</p>
          <div class="row">
            <Button
              kind="primary"
              onClick={() => {
                places.endAsking();
                setAsking(true);
              }}
            >
              {words.distance.title}
            </Button>
            <Button kind="quiet" onClick={places.endAsking}>
              {words.settings.later}
            </Button>
          </div>
        </section>
      )}
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
        <Instructions claim={claim} />
        <dl class="summary-facts">
          {rows.map(
            ([label, value, wide = false]) =>
              value !== undefined && (
                <div key={label} {...(wide && { class: 'wide' })}>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </div>
              ),
          )}
        </dl>
        {missing.length > 0 && <p class="muted">{summary.missing(missing.join(', '))}</p>}
        <Related claim={claim} />
      </section>
      {places.origin.value === null && !isAsking && (
        <p>
          <Button kind="quiet" onClick={() => setAsking(true)}>
            {words.distance.ask}
          </Button>
        </p>
      )}
      {asking && <OriginDialog close={() => setAsking(false)} />}
    </>
  );
}

/** The firm's instructions: the first lines, and all of them after a tap. */
export const Instructions = ({ claim: { instructions } }: { claim: AppClaim }) =>
  instructions === undefined ? null : (
    <details class="instructions">
      <summary>
        <span>
          <span class="strong">{allTexts.value.record.instructions}:</span> {instructions.trim()}
        </span>
      </summary>
    </details>
  );

/** Other claims that belong to the same visit. Links to them would not fit on the screen before it is opened. */
function Related({ claim }: { claim: AppClaim }) {
  const words = allTexts.value.summary;
  const [isOpen, setOpen] = useState(false);
  const others = [...(answers.openOffers.value ?? []), ...(lists.accepted.value ?? [])];
  const { samePolicyholder, near } = relatedClaims(claim, others, places.milesApart);
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
