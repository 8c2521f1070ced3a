import type { Coordinates } from './distance.ts';
import { numberReader, writeNumber } from './leb128.ts';

/** Degrees per step of the stored coordinates: at most a quarter mile from the exact value. */
const STEPS_PER_DEGREE = 200;

type ZipPlace = Coordinates & { readonly zip: number };

/**
 * The file of ZIP centroids: the columns ZIP code, latitude and longitude, one after the other. Each is delta-encoded,
 * because that compresses best.
 */
export function encodeZipPlaces(places: readonly ZipPlace[]): Uint8Array {
  const sorted = [...places].sort((a, b) => a.zip - b.zip);
  const bytes: number[] = [];
  writeNumber(bytes, sorted.length);
  const columns: ((place: ZipPlace) => number)[] = [
    ({ zip }) => zip,
    ({ latitude }) => Math.round(latitude * STEPS_PER_DEGREE),
    ({ longitude }) => Math.round(longitude * STEPS_PER_DEGREE),
  ];
  for (const column of columns) {
    let before = 0;
    for (const place of sorted) {
      writeNumber(bytes, column(place) - before);
      before = column(place);
    }
  }
  return new Uint8Array(bytes);
}

export type PlaceOfZip = (zip: string) => Coordinates | undefined;

export function decodeZipPlaces(bytes: Uint8Array): PlaceOfZip {
  const read = numberReader(bytes);
  const count = read();
  const column = (): Int32Array => {
    const values = new Int32Array(count);
    let before = 0;
    for (let index = 0; index < count; index += 1) {
      before += read();
      values[index] = before;
    }
    return values;
  };
  const [zips, latitudes, longitudes] = [column(), column(), column()];
  return (zip) => {
    const wanted = Number(zip.slice(0, 5));
    let [low, high] = [0, count - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = zips[middle] ?? 0;
      if (found === wanted) {
        const [latitude = 0, longitude = 0] = [latitudes[middle], longitudes[middle]];
        return { latitude: latitude / STEPS_PER_DEGREE, longitude: longitude / STEPS_PER_DEGREE };
      }
      if (found < wanted) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  };
}
