import { type Point, project } from './geo.ts';
import { numberReader, writeNumber } from './leb128.ts';

const STEPS_PER_DEGREE = 250;

type Position = readonly [longitude: number, latitude: number];

/** Lines of the map, projected: the land, borders between states, and borders between counties. */
export interface Outlines {
  readonly land: readonly (readonly Point[])[];
  readonly states: readonly (readonly Point[])[];
  readonly counties: readonly (readonly Point[])[];
}

const LAYERS = ['land', 'states', 'counties'] as const;

/** Delta-encoded grid points in signed LEB128, layer by layer. */
export function encodeOutlines(
  layers: Readonly<Record<(typeof LAYERS)[number], readonly (readonly Position[])[]>>,
): Uint8Array {
  const bytes: number[] = [];
  let [previousX, previousY] = [0, 0];
  for (const layer of LAYERS) {
    writeNumber(bytes, layers[layer].length);
    for (const line of layers[layer]) {
      const steps = line
        .map(([longitude, latitude]) => [
          Math.round(longitude * STEPS_PER_DEGREE),
          Math.round(latitude * STEPS_PER_DEGREE),
        ])
        .filter(
          ([x, y], index, points) =>
            index === 0 || x !== points[index - 1]?.[0] || y !== points[index - 1]?.[1],
        );
      writeNumber(bytes, steps.length);
      for (const [x = 0, y = 0] of steps) {
        writeNumber(bytes, x - previousX);
        writeNumber(bytes, y - previousY);
        [previousX, previousY] = [x, y];
      }
    }
  }
  return new Uint8Array(bytes);
}

export function decodeOutlines(bytes: Uint8Array): Outlines {
  const read = numberReader(bytes);
  let [x, y] = [0, 0];
  const point = (): Point => {
    x += read();
    y += read();
    return project({ longitude: x / STEPS_PER_DEGREE, latitude: y / STEPS_PER_DEGREE });
  };
  const line = (): Point[] => Array.from({ length: read() }, point);
  const layer = (): Point[][] => Array.from({ length: read() }, line);
  return { land: layer(), states: layer(), counties: layer() };
}
