import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ZipDistance } from '@svc/application';
import { milesBetween } from '@svc/web-app/map/distance';
import { decodeZipPlaces, type PlaceOfZip } from '@svc/web-app/map/zip-places';

/** By the file of the maps, which is read when a distance is first asked for. */
export function createZipDistance(): ZipDistance {
  let placeOf: PlaceOfZip | undefined;
  return (from, to) => {
    placeOf ??= decodeZipPlaces(
      readFileSync(createRequire(import.meta.url).resolve('@svc/web-app/map/zip-places.bin')),
    );
    const [one, other] = [placeOf(from), placeOf(to)];
    return one === undefined || other === undefined ? null : Math.round(milesBetween(one, other));
  };
}
