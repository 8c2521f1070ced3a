import type { AppClaim } from '@svc/contract';
import { ActionBar, Button, EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { loadOutlines } from '@svc/web-app/map/files';
import { nearestFirst } from '@svc/web-app/map/geo';
import { MapView, type Marker } from '@svc/web-app/map/map-view';
import type { Outlines } from '@svc/web-app/map/outlines';
import { addressText, isPoBox, titleOf } from '@svc/web-app/names';
import { useEffect, useRef, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { answers, lists, miles, places, preferences, showError } from '../app.ts';
import { OriginDialog } from '../components/distance.tsx';
import { keptStops, MAX_STOPS, routeLink } from '../model/route-link.ts';

interface PlacedClaim {
  readonly claim: AppClaim;
  readonly isOffer: boolean;
}

/** Offers and accepted claims on a map, and a route to several of them. */
export function MapScreen() {
  const words = allTexts.value.map;
  const [lines, setLines] = useState<Outlines>();
  const [asking, setAsking] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useEffect(() => {
    void places.restoreStops();
    Promise.all([loadOutlines(), places.load()]).then(([loaded]) => setLines(loaded), showError);
  }, []);
  const list = useRef<HTMLUListElement>(null);
  const pressed = useRef<HTMLElement | null>(null);
  // On a phone the claims of a marker are below the map and the menu.
  useEffect(() => list.current?.firstElementChild?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const [offers, own] = [answers.openOffers.value ?? [], lists.accepted.value ?? []];
  const all: PlacedClaim[] = [
    ...offers.map((claim) => ({ claim, isOffer: true })),
    ...own.map((claim) => ({ claim, isOffer: false })),
  ];
  const markers = all.flatMap(({ claim, isOffer }): Marker[] => {
    const place = lines === undefined ? undefined : places.placeOf(claim);
    const { city, state } = claim.loss_location;
    return place === undefined ? [] : [{ id: claim.id, place, isOffer, title: titleOf(claim), city, state }];
  });
  const shown = all.filter(({ claim }) => chosen.includes(claim.id));
  const unplaced = all.filter(({ claim }) => !markers.some(({ id }) => id === claim.id));
  const kept = keptStops(places.stops.value, lists.listedClaims());
  const isFull = kept.length >= MAX_STOPS;
  const route = inOrder(kept.flatMap((id) => all.find(({ claim }) => claim.id === id) ?? []));
  const isStop = (id: string): boolean => kept.includes(id);
  const toggleStop = (id: string) =>
    places.setStops(isStop(id) ? kept.filter((stop) => stop !== id) : [...kept, id]);
  // With the first stop a bar appears, which must not cover the button that was pressed. Its height is known a frame later.
  useEffect(() => {
    const scroll = () => pressed.current?.scrollIntoView({ block: 'nearest' });
    requestAnimationFrame(() => requestAnimationFrame(scroll));
  }, [route.length > 0]);
  return (
    <>
      <ScreenHeader title={allTexts.value.nav.map} back="#/" />
      {all.length === 0 ? (
        <EmptyState title={words.none} />
      ) : lines === undefined ? (
        <p class="muted map-loading">{words.loading}</p>
      ) : (
        <>
          <MapView
            {...{ lines, markers, chosen, words }}
            choose={setChosen}
            from={places.origin.value}
            maxListed={MAX_STOPS}
            scheme={preferences.value.scheme}
          />
          {unplaced.length > 0 && (
            <p class="muted">
              {words.unknown(unplaced.length)}{' '}
              <Button kind="quiet" onClick={() => setChosen(unplaced.map(({ claim }) => claim.id))}>
                {words.showUnknown}
              </Button>
            </p>
          )}
        </>
      )}
      <div class="row tools">
        <Button kind="quiet" onClick={() => setAsking(true)}>
          {places.origin.value === null
            ? allTexts.value.distance.title
            : allTexts.value.distance.from(places.origin.value.zip ?? null)}
        </Button>
      </div>
      {shown.length > 0 && (
        <ul class="list rows" aria-label={allTexts.value.nav.map} ref={list}>
          {shown.map(({ claim, isOffer }) => (
            <li key={claim.id} class="claim-row">
              <span class="row-main">
                <span class="row-top">
                  <a class="strong" href={`#/claims/${claim.id}`}>
                    {titleOf(claim)}
                  </a>
                  <span class={`pill ${isOffer ? 'warning' : 'neutral'}`}>
                    {isOffer ? words.offers : words.claims}
                  </span>
                </span>
                <span class="line">{addressText(claim.loss_location)}</span>
                <Place claim={claim} />
                <Button
                  aria-pressed={isStop(claim.id)}
                  disabled={!isStop(claim.id) && isFull}
                  onClick={({ currentTarget }) => {
                    pressed.current = currentTarget;
                    toggleStop(claim.id);
                  }}
                >
                  {isStop(claim.id) ? words.removeStop : words.addStop}
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {route.length > 0 && (
        <section class="card" aria-labelledby="stops">
          <h2 id="stops">{words.stops}</h2>
          <p class="muted">{words.stopsLead}</p>
          <ol class="points">
            {route.map(({ claim }) => (
              <li key={claim.id}>
                <a class="strong" href={`#/claims/${claim.id}`}>
                  {titleOf(claim)}
                </a>
                <span class="line">{addressText(claim.loss_location)}</span>
                <Button
                  kind="quiet"
                  aria-label={`${words.removeStop}: ${titleOf(claim)}`}
                  onClick={() => toggleStop(claim.id)}
                >
                  {words.removeStop}
                </Button>
              </li>
            ))}
          </ol>
        </section>
      )}
      {isFull && <p class="muted">{words.maxStops(MAX_STOPS)}</p>}
      <p class="muted">
        {words.lead} {words.source}.
      </p>
      {asking && <OriginDialog close={() => setAsking(false)} />}
      {route.length > 0 && (
        <ActionBar shows="route">
          <a
            class="button primary"
            href={routeLink(route.map(({ claim }) => addressText(claim.loss_location)))}
            rel="noreferrer"
          >
            {words.route(route.length)}
          </a>
        </ActionBar>
      )}
    </>
  );
}

/** How far the claim is, and how exact its place on the map. */
function Place({ claim }: { claim: AppClaim }) {
  const words = allTexts.value.map;
  const { loss_location: place } = claim;
  const distance = places.distanceOf.value(claim);
  return (
    <span class="line muted">
      {distance !== undefined && `${miles(distance)} · `}
      {places.placeOf(claim) !== undefined && words.approximate(place.zip.slice(0, 5))}
      {isPoBox(place) && <strong class="line">{words.poBox}</strong>}
    </span>
  );
}

/** The stops in an order that starts near the adjuster, or at the first one. Those without a place come last. */
function inOrder(stops: readonly PlacedClaim[]): PlacedClaim[] {
  const placed = stops.flatMap((stop) => {
    const place = places.placeOf(stop.claim);
    return place === undefined ? [] : [{ ...place, stop }];
  });
  const from = places.origin.value ?? placed[0];
  const route = from === undefined ? [] : nearestFirst(from, placed).map(({ stop }) => stop);
  return [...route, ...stops.filter((stop) => !route.includes(stop))];
}
