import './map.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../components/ui.tsx';
import type { Coordinates } from './distance.ts';
import { draw } from './draw.ts';
import { type Cluster, clusters, type Point, project, type View, viewOf, zoomed } from './geo.ts';
import { useGestures } from './gestures.ts';
import type { Outlines } from './outlines.ts';

const MARKER_PX = 48;
const MARGIN_PX = 76;

/** A claim on the map. */
export interface Marker {
  readonly id: string;
  readonly place: Coordinates;
  readonly isOffer: boolean;
  readonly title: string;
  readonly city: string;
  readonly state: string;
}

interface MapWords {
  readonly label: string;
  readonly offers: string;
  readonly claims: string;
  readonly you: string;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly showAll: string;
  cluster(count: number, place: string): string;
}

/** The map, with a marker for the claims at a place. */
export function MapView(props: {
  readonly lines: Outlines;
  readonly markers: readonly Marker[];
  readonly chosen: readonly string[];
  readonly choose: (ids: readonly string[]) => void;
  /** Where distances are measured from. */
  readonly from?: Coordinates | null;
  /** A tap on a marker of more claims zooms in, too. */
  readonly maxListed: number;
  /** Changes with the colors. */
  readonly scheme: string;
  readonly words: MapWords;
}) {
  const { lines, markers, chosen, choose, scheme, words } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const points = useMemo(() => markers.map((item) => ({ at: project(item.place), item })), [markers]);
  const here = props.from == null ? undefined : project(props.from);
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
  const open = (cluster: Cluster<Marker>) => {
    choose(cluster.items.map(({ id }) => id));
    if (cluster.items.length > props.maxListed) setMoved({ center: cluster.at, scale: view.scale * 3 });
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
          const ids = cluster.items.map(({ id }) => id);
          const { city, state } = first;
          const towns = new Set(cluster.items.map((item) => `${item.city}, ${item.state}`)).size;
          const offers = cluster.items.filter(({ isOffer }) => isOffer).length;
          const own = ids.length - offers;
          const count = offers > 0 && own > 0 ? `${offers}+${own}` : String(ids.length);
          const label =
            ids.length === 1 ? first.title : `${words.cluster(ids.length, `${city}, ${state}`)}: ${count}`;
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
                {ids.length > 1 && count}
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
