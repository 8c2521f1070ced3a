import type { AppClaim } from '@svc/contract';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { places, preferences } from '../app.ts';
import { Button } from '../components/ui.tsx';
import { type Cluster, clusters, type Point, project, type View, viewOf, zoomed } from '../model/geo.ts';
import { titleOf, townOf } from '../model/names.ts';
import type { Outlines } from '../model/outlines.ts';
import { MAX_STOPS } from '../model/route-link.ts';
import { draw } from './draw.ts';
import { useGestures } from './gestures.ts';

const MARKER_PX = 44;
const MARGIN_PX = 76;

export interface PlacedClaim {
  readonly claim: AppClaim;
  readonly isOffer: boolean;
}

/** The map, with a marker for the claims at a place. */
export function MapView(props: {
  readonly lines: Outlines;
  readonly placed: readonly PlacedClaim[];
  readonly chosen: readonly string[];
  readonly choose: (ids: readonly string[]) => void;
}) {
  const words = allTexts.value.map;
  const { lines, placed, chosen, choose } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const points = useMemo(
    () =>
      placed.flatMap((item) => {
        const place = places.placeOf(item.claim);
        return place === undefined ? [] : [{ at: project(place), item }];
      }),
    [placed],
  );
  const here = places.origin.value === null ? undefined : project(places.origin.value);
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
          const towns = new Set(cluster.items.map(({ claim }) => townOf(claim.loss_location))).size;
          const offers = cluster.items.filter(({ isOffer }) => isOffer).length;
          const own = ids.length - offers;
          const label =
            ids.length === 1 ? titleOf(first.claim) : words.cluster(ids.length, `${city}, ${state}`);
          const kinds = [offers > 0 && `${words.offers}: ${offers}`, own > 0 && `${words.claims}: ${own}`];
          return (
            <Placed key={ids.join()} at={onScreen(cluster.at)}>
              <button
                type="button"
                class={`marker${offers > 0 ? ' offer' : ''}`}
                aria-label={label}
                title={kinds.filter(Boolean).join(', ')}
                aria-pressed={ids.some((id) => chosen.includes(id))}
                onClick={() => open(cluster)}
              >
                {ids.length > 1 && (offers > 0 && own > 0 ? `${offers}+${own}` : ids.length)}
              </button>
              <span class="map-town" aria-hidden="true">
                ≈ {city}
                {towns > 1 && ` +${towns - 1}`}
              </span>
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
function Placed({ at, children }: { at: { left: number; top: number }; children: ComponentChildren }) {
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
