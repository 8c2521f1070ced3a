import { describe, expect, test } from '@jest/globals';
import { milesBetween } from '../src/map/distance.ts';
import { clusters, nearestFirst, project, viewOf, zoomed } from '../src/map/geo.ts';
import { gesturesOn } from '../src/map/gestures.ts';
import { numberReader, writeNumber } from '../src/map/leb128.ts';
import { decodeOutlines, encodeOutlines } from '../src/map/outlines.ts';
import { decodeZipPlaces, encodeZipPlaces } from '../src/map/zip-places.ts';

const MIAMI = { latitude: 25.7617, longitude: -80.1918 };
const TAMPA = { latitude: 27.9506, longitude: -82.4572 };

test('the earth is a square, with the equator in its middle', () => {
  const [north, west] = [85.051129, -90];
  expect(project({ latitude: 0, longitude: west })).toEqual({ x: 0.25, y: 0.5 });
  expect(project({ latitude: north, longitude: 180 })).toEqual({ x: 1, y: expect.closeTo(0, 6) });
});

describe('distances', () => {
  test('are great-circle miles', () => {
    const north = { ...MIAMI, latitude: MIAMI.latitude + 1 };
    expect(milesBetween(MIAMI, north)).toBeCloseTo(69.1, 1);
    expect(milesBetween(MIAMI, TAMPA)).toBeCloseTo(205.6, 0);
    expect(milesBetween(MIAMI, MIAMI)).toBe(0);
  });

  test('order the stops of a route, the nearest next', () => {
    const at = (latitude: number) => ({ latitude, longitude: -80 });
    // South is nearer than the last stop to the start, but not to the stop before it.
    const [near, middle, far, south] = [at(26.5), at(27), at(27.5), at(24.6)];
    expect(nearestFirst(MIAMI, [far, south, near, middle])).toEqual([near, middle, far, south]);
    expect(nearestFirst(MIAMI, [])).toEqual([]);
  });
});

describe('the map', () => {
  const SIZE = { width: 390, height: 500 };
  const onScreen = (view: ReturnType<typeof viewOf>, at: { x: number; y: number }) => ({
    x: (at.x - view.center.x) * view.scale + SIZE.width / 2,
    y: (at.y - view.center.y) * view.scale + SIZE.height / 2,
  });

  test('shows all claims within its margin, and a single one with its surroundings', () => {
    const points = [project(MIAMI), project(TAMPA)];
    const view = viewOf(points, SIZE, 40);
    const outside = points
      .map((point) => onScreen(view, point))
      .filter(({ x, y }) => x < 39 || y < 39 || x > SIZE.width - 39 || y > SIZE.height - 39);
    expect(outside).toEqual([]);
    // As large as the narrower side allows.
    expect(onScreen(view, project(TAMPA)).x).toBeCloseTo(40);
    expect(viewOf([project(MIAMI), project(TAMPA)], { width: 4000, height: 300 }, 40)).toEqual({
      ...view,
      scale: 220 / (project(MIAMI).y - project(TAMPA).y),
    });
    expect(viewOf(points, { width: 10, height: 10 }, 40).scale).toBe(512);
    expect(viewOf([project(MIAMI)], SIZE, 40)).toEqual({ center: project(MIAMI), scale: 120_000 });
    const states = viewOf([], SIZE, 40);
    const inside = [MIAMI, { latitude: 47.6, longitude: -122.3 }].map((at) => onScreen(states, project(at)));
    expect(inside.filter(({ x, y }) => x > 40 && y > 40 && x < 350 && y < 460)).toEqual(inside);
  });

  test('keeps the point under the finger when it zooms', () => {
    const view = viewOf([project(MIAMI), project(TAMPA)], SIZE, 40);
    const at = onScreen(view, project(TAMPA));
    const after = onScreen(zoomed(view, 3, at, SIZE), project(TAMPA));
    expect(after.x).toBeCloseTo(at.x, 6);
    expect(after.y).toBeCloseTo(at.y, 6);
    expect([1e-9, 1e9].map((factor) => zoomed(view, factor, at, SIZE).scale)).toEqual([512, 4_000_000]);
  });

  test('follows a finger, is zoomed between two and by the wheel where it points, and not by one that has left', () => {
    const start = { center: { x: 0.5, y: 0.5 }, scale: 1000 };
    let view = start;
    let prevented = 0;
    const touches = new Map<number, { x: number; y: number }>();
    const captured = new Set<number>();
    const currentTarget = Object.assign(new EventTarget(), {
      getBoundingClientRect: () => ({ left: 10, top: 20 }),
      setPointerCapture: (id: number) => captured.add(id),
    });
    const gestures = () =>
      gesturesOn(touches, view, SIZE, (moved) => {
        view = moved;
      });
    const at = (x: number, y: number, pointerId = 1, button: object | null = null) => ({
      ...{ pointerId, clientX: x + 10, clientY: y + 20, currentTarget },
      target: Object.assign(new EventTarget(), { closest: () => button }),
    });
    // A marker is pressed.
    gestures().onPointerDown(at(100, 100, 1, {}));
    gestures().onPointerMove(at(150, 100));
    expect([view, captured.size]).toEqual([start, 0]);
    gestures().onPointerDown(at(100, 100));
    for (const y of [100, 80]) gestures().onPointerMove(at(150, y));
    const { x, y } = onScreen(view, start.center);
    expect([Math.round(x), Math.round(y), [...captured]]).toEqual([195 + 50, 250 - 20, [1]]);
    const dragged = view;
    gestures().onPointerDown(at(50, 80, 2));
    gestures().onPointerMove(at(250, 80));
    expect(view).toEqual(zoomed(dragged, 2, { x: 150, y: 80 }, SIZE));
    const pinched = view;
    gestures().onPointerUp(at(250, 80));
    gestures().onPointerMove(at(300, 80));
    gestures().onPointerMove(at(60, 80, 2));
    expect(view.scale).toBe(pinched.scale);
    gestures().onPointerCancel(at(60, 80, 2));
    const before = view;
    gestures().onPointerMove(at(90, 80, 2));
    expect(view).toBe(before);
    const preventDefault = () => {
      prevented += 1;
    };
    gestures().onWheel({ ...at(30, 40), deltaY: -1, preventDefault });
    expect([view, prevented]).toEqual([zoomed(before, 1.3, { x: 30, y: 40 }, SIZE), 1]);
    gestures().onWheel({ ...at(30, 40), deltaY: 1, preventDefault });
    expect(view.scale).toBeCloseTo(before.scale);
  });

  test('has the lines of each layer where they are, in steps of 1/250 degree', () => {
    const at = (latitude: number, longitude: number) => [longitude, latitude] as const;
    const layers = {
      land: [
        [at(25.7617, -80.1918), at(25.7618, -80.1918), at(26, -80.1918), at(-14.2781, -170.7025)],
        [at(13.4443, 144.7863)],
      ],
      states: [[at(31, -85)]],
      counties: [[at(30.5, -84.5)]],
    };
    const placed = (points: readonly (readonly [number, number])[]) =>
      points.map(([longitude, latitude]) => project({ latitude, longitude }));
    expect(decodeOutlines(encodeOutlines(layers))).toEqual({
      land: [
        placed([at(25.76, -80.192), at(26, -80.192), at(-14.28, -170.704)]),
        placed([at(13.444, 144.788)]),
      ],
      states: [placed([at(31, -85)])],
      counties: [placed([at(30.5, -84.5)])],
    });
  });

  test('joins claims that are closer than a fingertip, and no others', () => {
    const items = [
      { at: { x: 0.1, y: 0.1 }, item: 'a' },
      { at: { x: 0.1001, y: 0.1 }, item: 'b' },
      { at: { x: 0.2, y: 0.1 }, item: 'c' },
    ];
    expect(clusters(items, 1000, 40).map((cluster) => cluster.items)).toEqual([['a', 'b'], ['c']]);
    expect(clusters(items, 1_000_000, 40)).toHaveLength(3);
    const apart = (px: number) =>
      clusters(
        [0, px].map((x) => ({ at: { x, y: 0 }, item: x })),
        1,
        40,
      ).length;
    expect([39, 40].map(apart)).toEqual([1, 2]);
    // A marker moves with the claims that join it, and may come near another one.
    const moving = [0, 45, 30].map((x) => ({ at: { x, y: 0 }, item: x }));
    expect(clusters(moving, 1, 40)).toEqual([{ at: { x: 25, y: 0 }, items: [0, 30, 45] }]);
  });
});

test('a number is read as it was written, and takes no more bytes than it needs', () => {
  const sizes = [0, -1, 63, -64, 64, -65, -127, 8191, -8192, 8192, -8193, 2 ** 31 - 1, -(2 ** 31)].map(
    (number) => {
      const bytes: number[] = [];
      writeNumber(bytes, number);
      expect(numberReader(Uint8Array.from(bytes))()).toBe(number);
      return bytes.length;
    },
  );
  expect(sizes.join('')).toBe('1111222223355');
});

test('the file of ZIP centroids gives each place within half a step, and nothing for an unknown ZIP code', () => {
  const places = [
    { zip: 772, latitude: 18.4291, longitude: -65.8771 },
    { zip: 33931, latitude: 26.4489, longitude: -81.9393 },
    { zip: 96910, latitude: 13.4443, longitude: 144.7863 },
    { zip: 96799, latitude: -14.2781, longitude: -170.7025 },
  ];
  const placeOf = decodeZipPlaces(encodeZipPlaces(places));
  const errors = places.map(({ zip, latitude, longitude }) => {
    const found = placeOf(String(zip).padStart(5, '0'));
    return Math.max(
      Math.abs((found?.latitude ?? 99) - latitude),
      Math.abs((found?.longitude ?? 999) - longitude),
    );
  });
  expect(Math.max(...errors)).toBeLessThanOrEqual(0.005001);
  expect(placeOf('33931-1234')).toEqual(placeOf('33931'));
  expect(['99999', '00001', '50000', ''].map(placeOf)).toEqual(Array(4).fill(undefined));
});
