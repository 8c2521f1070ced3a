import { computed, signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import { createFile } from '@svc/web-app/load-once';
import { type Coordinates, milesBetween } from '@svc/web-app/map/distance';
import type { PlaceOfZip } from '@svc/web-app/map/zip-places';
import type { Origin, Storage } from '../data/storage.ts';

const POSITION_TIMEOUT_MS = 15_000;

/** Where claims are, and where distances are measured from. */
export function createPlaces(storage: Storage, zipPlacesUrl: string) {
  const origin = signal<Origin | null>(null);
  /** Whether the app may still ask for a location by itself. Not before it is known that it has not done so. */
  const mayAsk = signal(false);
  /** Undefined until the file of ZIP codes is loaded, which happens only where distances or the map are wanted. */
  const zipPlaces = signal<PlaceOfZip | undefined>(undefined);
  /** Claims chosen as stops, which stay while the adjuster looks at a claim or follows the route in the maps app. */
  const stops = signal<readonly string[]>([]);
  const readFile = createFile(zipPlacesUrl, (bytes) => bytes);

  async function load(): Promise<PlaceOfZip> {
    if (zipPlaces.value !== undefined) return zipPlaces.value;
    const [bytes, { decodeZipPlaces }] = await Promise.all([
      readFile(),
      import('@svc/web-app/map/zip-places'),
    ]);
    zipPlaces.value = decodeZipPlaces(bytes);
    return zipPlaces.value;
  }
  function endAsking(): void {
    mayAsk.value = false;
    void storage.put('originAsked', true).catch(() => {});
  }
  function setOrigin(value: Origin | null): void {
    origin.value = value;
    endAsking();
    void (value === null ? storage.remove('origin') : storage.put('origin', value)).catch(() => {});
  }
  const placeOf = (claim: AppClaim): Coordinates | undefined => zipPlaces.value?.(claim.loss_location.zip);

  return {
    origin,
    mayAsk,
    endAsking,
    load,
    stops,
    placeOf,
    /** Miles from the adjuster's origin to the claim's ZIP code. */
    distanceOf: computed(() => {
      const from = origin.value;
      const place = zipPlaces.value;
      return (claim: AppClaim): number | undefined => {
        const to = from === null ? undefined : place?.(claim.loss_location.zip);
        return from === null || to === undefined ? undefined : milesBetween(from, to);
      };
    }),
    milesApart(a: AppClaim, b: AppClaim): number | undefined {
      const [from, to] = [placeOf(a), placeOf(b)];
      return from === undefined || to === undefined ? undefined : milesBetween(from, to);
    },
    /** False when the ZIP code is unknown. */
    async setOriginFromZip(zip: string): Promise<boolean> {
      const found = (await load())(zip);
      if (found === undefined) return false;
      setOrigin({ ...found, zip });
      return true;
    },
    /** Rejects with a GeolocationPositionError when the device gives no position. */
    async setOriginFromPosition(): Promise<void> {
      const { coords } = await new Promise<GeolocationPosition>((resolve, reject) =>
        navigator.geolocation.getCurrentPosition(resolve, reject, {
          timeout: POSITION_TIMEOUT_MS,
          maximumAge: 60_000,
        }),
      );
      setOrigin({ latitude: coords.latitude, longitude: coords.longitude });
      await load();
    },
    forgetOrigin: (): void => setOrigin(null),
    setStops(ids: readonly string[]): void {
      stops.value = ids;
      void storage.put('stops', ids).catch(() => {});
    },
    async restoreStops(): Promise<void> {
      const stored = await storage.get('stops').catch(() => undefined);
      if (stored !== undefined && stops.value.length === 0) stops.value = stored;
    },
    async restore(): Promise<void> {
      const [stored, wasAsked] = await storage
        .getAll('origin', 'originAsked')
        .catch((): [undefined, boolean] => [undefined, true]);
      mayAsk.value = stored === undefined && wasAsked !== true;
      if (stored === undefined) return;
      origin.value = stored;
      await load().catch(() => {});
    },
    forget(): void {
      origin.value = null;
      mayAsk.value = true;
      stops.value = [];
    },
  };
}
