import { signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { OriginDialog } from '../components/distance.tsx';
import { ActionBar, Button, EmptyState, ScreenHeader } from '../components/ui.tsx';
import { storage } from '../data/storage.ts';
import { addressText, miles, titleOf } from '../format.ts';
import outlinesUrl from '../map/outlines.bin?url';
import {
  type Cluster,
  clusters,
  nearestFirst,
  type Point,
  project,
  type View,
  viewOf,
  zoomed,
} from '../model/geo.ts';
import { decodeOutlines, type Outlines } from '../model/outlines.ts';
import { keptStops, MAX_STOPS, routeLink } from '../model/route-link.ts';
import { openOffers } from '../state/answers.ts';
import { listedClaims, lists } from '../state/lists.ts';
import { moreTexts, texts } from '../state/more-texts.ts';
import { distanceOf, loadZipPlaces, origin, placeOf } from '../state/places.ts';
import { preferences } from '../state/preferences.ts';
import { session } from '../state/session.ts';
import { showError } from '../state/toast.ts';

const MARKER_PX = 44;
const MARGIN_PX = 56;
const MIN_SCALE_WITH_COUNTIES = 12_000;

interface PlacedClaim {
  readonly claim: AppClaim;
  readonly isOffer: boolean;
}

/** Claims chosen as stops, which stay while the adjuster looks at a claim or follows the route in the maps app. */
const stops = signal<readonly string[]>([]);

function setStops(ids: readonly string[]): void {
  stops.value = ids;
  void storage.put('stops', ids).catch(() => {});
}

async function restoreStops(): Promise<void> {
  const stored = await storage.get('stops').catch(() => undefined);
  if (stored !== undefined && stops.value.length === 0) stops.value = stored;
}

session.onForget.push(() => {
  stops.value = [];
});

let outlines: Promise<Outlines> | undefined;

function loadOutlines(): Promise<Outlines> {
  outlines ??= fetch(outlinesUrl)
    .then(async (response) => {
      if (!response.ok) throw new Error(`${response.status}`);
      return decodeOutlines(new Uint8Array(await response.arrayBuffer()));
    })
    .catch((error: unknown) => {
      outlines = undefined;
      throw error;
    });
  return outlines;
}

/** Offers and accepted claims on a map, and a route to several of them. */
export function MapScreen() {
  const words = moreTexts.value.map;
  const [lines, setLines] = useState<Outlines>();
  const [asking, setAsking] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useEffect(() => {
    void restoreStops();
    Promise.all([loadOutlines(), loadZipPlaces()]).then(([loaded]) => setLines(loaded), showError);
  }, []);
  const list = useRef<HTMLUListElement>(null);
  const pressed = useRef<HTMLElement | null>(null);
  // On a phone the claims of a marker are below the map and the menu.
  useEffect(() => list.current?.firstElementChild?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const [offers, own] = [openOffers.value ?? [], lists.accepted.value ?? []];
  const all: PlacedClaim[] = [
    ...offers.map((claim) => ({ claim, isOffer: true })),
    ...own.map((claim) => ({ claim, isOffer: false })),
  ];
  const placed = lines === undefined ? [] : all.filter(({ claim }) => placeOf(claim) !== undefined);
  const shown = all.filter(({ claim }) => chosen.includes(claim.id));
  const unplaced = all.filter((one) => !placed.includes(one));
  const kept = keptStops(stops.value, listedClaims());
  const isFull = kept.length >= MAX_STOPS;
  const route = inOrder(kept.flatMap((id) => all.find(({ claim }) => claim.id === id) ?? []));
  const isStop = (id: string): boolean => kept.includes(id);
  const toggleStop = (id: string) =>
    setStops(isStop(id) ? kept.filter((stop) => stop !== id) : [...kept, id]);
  // With the first stop a bar appears, which must not cover the button that was pressed. Its height is known a frame later.
  useEffect(() => {
    const scroll = () => pressed.current?.scrollIntoView({ block: 'nearest' });
    requestAnimationFrame(() => requestAnimationFrame(scroll));
  }, [route.length > 0]);
  return (
    <>
      <ScreenHeader title={texts.value.map.title} back="#/" />
      {all.length === 0 ? (
        <EmptyState title={words.none} />
      ) : lines === undefined ? (
        <p class="muted map-loading">{words.loading}</p>
      ) : (
        <>
          <MapView lines={lines} placed={placed} chosen={chosen} choose={setChosen} />
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
          {origin.value === null
            ? texts.value.distance.title
            : texts.value.distance.from(origin.value.zip ?? null)}
        </Button>
      </div>
      {shown.length > 0 && (
        <ul class="list rows" aria-label={texts.value.map.title} ref={list}>
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
                <Distance claim={claim} />
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

function Distance({ claim }: { claim: AppClaim }) {
  const distance = distanceOf.value(claim);
  return distance === undefined ? null : <span class="line muted">{miles(distance)}</span>;
}

/** The stops in an order that starts near the adjuster, or at the first one. Those without a place come last. */
function inOrder(stops: readonly PlacedClaim[]): PlacedClaim[] {
  const places = stops.flatMap((stop) => {
    const place = placeOf(stop.claim);
    return place === undefined ? [] : [{ ...place, stop }];
  });
  const from = origin.value ?? places[0];
  const route = from === undefined ? [] : nearestFirst(from, places).map(({ stop }) => stop);
  return [...route, ...stops.filter((stop) => !route.includes(stop))];
}

function MapView(props: {
  readonly lines: Outlines;
  readonly placed: readonly PlacedClaim[];
  readonly chosen: readonly string[];
  readonly choose: (ids: readonly string[]) => void;
}) {
  const words = moreTexts.value.map;
  const { lines, placed, chosen, choose } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const points = useMemo(
    () =>
      placed.flatMap((item) => {
        const place = placeOf(item.claim);
        return place === undefined ? [] : [{ at: project(place), item }];
      }),
    [placed],
  );
  const here = origin.value === null ? undefined : project(origin.value);
  const everything = () =>
    viewOf([...points.map(({ at }) => at), ...(here === undefined ? [] : [here])], size, MARGIN_PX);
  const [moved, setMoved] = useState<View | null>(null);
  const view = moved ?? everything();
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const { scheme } = preferences.value;
  useEffect(() => {
    if (canvas.current !== null && size.width > 0) draw(canvas.current, lines, view, size);
  }, [
    lines,
    view.scale,
    view.center.x,
    view.center.y,
    size,
    scheme,
    document.documentElement.dataset.scheme,
  ]);
  const onScreen = ({ x, y }: Point) => ({
    left: (x - view.center.x) * view.scale + size.width / 2,
    top: (y - view.center.y) * view.scale + size.height / 2,
  });
  const zoom = (factor: number, at?: Point) =>
    setMoved(zoomed(view, factor, at ?? { x: size.width / 2, y: size.height / 2 }, size));
  const gestures = useGestures(view, size, setMoved);
  const groups = clusters(points, view.scale, MARKER_PX).filter(({ at }) => {
    const { left, top } = onScreen(at);
    return left > 0 && top > 0 && left < size.width && top < size.height;
  });
  const open = (cluster: Cluster<PlacedClaim>) => {
    choose(cluster.items.map(({ claim }) => claim.id));
    if (cluster.items.length > MAX_STOPS) setMoved({ center: cluster.at, scale: view.scale * 3 });
  };
  return (
    <section class="map" aria-label={words.label}>
      <div class="map-box" ref={box} {...gestures}>
        <canvas ref={canvas} />
        {here !== undefined && (
          <Placed at={onScreen(here)}>
            <span class="map-here" role="img" aria-label={words.you} />
          </Placed>
        )}
        {groups.map((cluster) => {
          const [first] = cluster.items;
          if (first === undefined) return null;
          const ids = cluster.items.map(({ claim }) => claim.id);
          const { city, state } = first.claim.loss_location;
          const label =
            ids.length === 1 ? titleOf(first.claim) : words.cluster(ids.length, `${city}, ${state}`);
          return (
            <Placed key={ids.join()} at={onScreen(cluster.at)}>
              <button
                type="button"
                class={`marker${cluster.items.some(({ isOffer }) => isOffer) ? ' offer' : ''}`}
                aria-label={label}
                aria-pressed={ids.some((id) => chosen.includes(id))}
                onClick={() => open(cluster)}
              >
                {ids.length > 1 && ids.length}
              </button>
            </Placed>
          );
        })}
      </div>
      <div class="map-buttons">
        <Button aria-label={words.zoomIn} onClick={() => zoom(2)}>
          +
        </Button>
        <Button aria-label={words.zoomOut} onClick={() => zoom(0.5)}>
          −
        </Button>
        <Button onClick={() => setMoved(null)}>{words.showAll}</Button>
      </div>
      <p class="row">
        <span>
          <span class="map-key offer" aria-hidden="true" />
          {words.offers}
        </span>
        <span>
          <span class="map-key" aria-hidden="true" />
          {words.claims}
        </span>
      </p>
    </section>
  );
}

/** Placed through the style object, since the page's Content-Security-Policy forbids style attributes. */
function Placed({ at, children }: { at: { left: number; top: number }; children: preact.ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    element.current?.style.setProperty('transform', `translate(${at.left}px, ${at.top}px)`);
  }, [at.left, at.top]);
  return (
    <div class="placed" ref={element}>
      {children}
    </div>
  );
}

type Size = { readonly width: number; readonly height: number };

/** Drag with one finger, pinch with two, or use the wheel. */
function useGestures(view: View, size: Size, move: (view: View) => void) {
  const touches = useRef(new Map<number, Point>());
  const pointOf = (event: PointerEvent | WheelEvent): Point => {
    const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  return {
    onPointerDown(event: PointerEvent) {
      if ((event.target as HTMLElement).closest('button') !== null) return;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      touches.current.set(event.pointerId, pointOf(event));
    },
    onPointerMove(event: PointerEvent) {
      const before = touches.current.get(event.pointerId);
      if (before === undefined) return;
      const now = pointOf(event);
      const [other] = [...touches.current].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      touches.current.set(event.pointerId, now);
      if (other === undefined) {
        const { center, scale } = view;
        move({
          scale,
          center: { x: center.x - (now.x - before.x) / scale, y: center.y - (now.y - before.y) / scale },
        });
        return;
      }
      const spread = (at: Point): number => Math.max(Math.hypot(at.x - other.x, at.y - other.y), 1);
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      move(zoomed(view, spread(now) / spread(before), middle, size));
    },
    onPointerUp: (event: PointerEvent) => void touches.current.delete(event.pointerId),
    onPointerCancel: (event: PointerEvent) => void touches.current.delete(event.pointerId),
    onWheel(event: WheelEvent) {
      event.preventDefault();
      move(zoomed(view, event.deltaY < 0 ? 1.3 : 1 / 1.3, pointOf(event), size));
    },
  };
}

function draw(
  canvas: HTMLCanvasElement,
  lines: Outlines,
  { center, scale }: View,
  { width, height }: Size,
): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (context === null) return;
  const style = getComputedStyle(canvas);
  const color = (name: string): string => style.getPropertyValue(name);
  context.scale(ratio, ratio);
  const trace = (line: readonly Point[]): void => {
    for (const [index, { x, y }] of line.entries()) {
      const [left, top] = [(x - center.x) * scale + width / 2, (y - center.y) * scale + height / 2];
      if (index === 0) context.moveTo(left, top);
      else context.lineTo(left, top);
    }
  };
  const path = (layer: Outlines['land']): void => {
    context.beginPath();
    for (const line of layer) trace(line);
  };
  context.fillStyle = color('--water');
  context.fillRect(0, 0, width, height);
  path(lines.land);
  context.fillStyle = color('--surface');
  context.fill('evenodd');
  if (scale >= MIN_SCALE_WITH_COUNTIES) {
    path(lines.counties);
    context.strokeStyle = color('--line');
    context.lineWidth = 1;
    context.stroke();
  }
  for (const layer of [lines.states, lines.land]) {
    path(layer);
    context.strokeStyle = color('--edge');
    context.lineWidth = 1.2;
    context.stroke();
  }
}
