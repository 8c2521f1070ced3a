import { type Coordinates, milesBetween, radians } from './distance.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Web Mercator on a square of side 1. */
export function project({ latitude, longitude }: Coordinates): Point {
  const y = Math.log(Math.tan(Math.PI / 4 + radians(latitude) / 2));
  return { x: (longitude + 180) / 360, y: 0.5 - y / (2 * Math.PI) };
}

/** The visible part of the projected square: its center, and pixels per side of the square. */
export interface View {
  readonly center: Point;
  readonly scale: number;
}

const MIN_SCALE = 512;
const MAX_SCALE = 4_000_000;

/** The view that shows all points with a margin; the contiguous states when there is none. */
export function viewOf(
  points: readonly Point[],
  size: { readonly width: number; readonly height: number },
  marginPx: number,
): View {
  const shown =
    points.length > 0
      ? points
      : [project({ latitude: 49, longitude: -125 }), project({ latitude: 25, longitude: -67 })];
  const [xs, ys] = [shown.map(({ x }) => x), shown.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const fit = (px: number, extent: number): number => Math.max(px - 2 * marginPx, 1) / Math.max(extent, 1e-9);
  // A single place is shown with its surroundings.
  const scale = Math.min(fit(size.width, right - left), fit(size.height, bottom - top), 120_000);
  return { center: { x: (left + right) / 2, y: (top + bottom) / 2 }, scale: Math.max(scale, MIN_SCALE) };
}

/** Zooms by a factor around a point of the screen, which stays where it is. */
export function zoomed(
  view: View,
  factor: number,
  at: Point,
  size: { readonly width: number; readonly height: number },
): View {
  const scale = Math.min(Math.max(view.scale * factor, MIN_SCALE), MAX_SCALE);
  const dx = at.x - size.width / 2;
  const dy = at.y - size.height / 2;
  return {
    scale,
    center: {
      x: view.center.x + dx / view.scale - dx / scale,
      y: view.center.y + dy / view.scale - dy / scale,
    },
  };
}

export interface Cluster<Item> {
  readonly at: Point;
  readonly items: readonly Item[];
}

/** Joins items until no two groups are closer on the screen than a fingertip is wide. */
export function clusters<Item>(
  items: readonly { readonly at: Point; readonly item: Item }[],
  scale: number,
  distancePx: number,
): Cluster<Item>[] {
  let made: Cluster<Item>[] = items.map(({ at, item }) => ({ at, items: [item] }));
  for (;;) {
    // A group moves with each item that joins it, so that it can come close to another one.
    const joined = joinNear(made, distancePx / scale);
    if (joined.length === made.length) return joined;
    made = joined;
  }
}

function joinNear<Item>(groups: readonly Cluster<Item>[], distance: number): Cluster<Item>[] {
  const made: { at: Point; items: Item[] }[] = [];
  for (const { at, items } of groups) {
    const near = made.find((other) => Math.hypot(other.at.x - at.x, other.at.y - at.y) < distance);
    if (near === undefined) {
      made.push({ at, items: [...items] });
      continue;
    }
    const share = items.length / (near.items.length + items.length);
    near.at = { x: near.at.x + (at.x - near.at.x) * share, y: near.at.y + (at.y - near.at.y) * share };
    near.items.push(...items);
  }
  return made;
}

/** Orders stops by always going to the nearest one that is left. */
export function nearestFirst<Stop extends Coordinates>(from: Coordinates, stops: readonly Stop[]): Stop[] {
  const [nearest, ...left] = [...stops].sort((a, b) => milesBetween(from, a) - milesBetween(from, b));
  return nearest === undefined ? [] : [nearest, ...nearestFirst(nearest, left)];
}
