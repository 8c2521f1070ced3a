import { computed, signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import { type Origin, storage } from '../data/storage.ts';
import zipPlacesUrl from '../map/zip-places.bin?url';
import { type Coordinates, milesBetween } from '../model/distance.ts';
import { decodeZipPlaces, type PlaceOfZip } from '../model/zip-places.ts';
import { session } from './session.ts';

export const origin = signal<Origin | null>(null);
/** Undefined until the file of ZIP codes is loaded, which happens only where distances or the map are wanted. */
const zipPlaces = signal<PlaceOfZip | undefined>(undefined);

let loading: Promise<PlaceOfZip> | undefined;

export function loadZipPlaces(): Promise<PlaceOfZip> {
  loading ??= fetch(zipPlacesUrl)
    .then(async (response) => {
      if (!response.ok) throw new Error(`${response.status}`);
      const decoded = decodeZipPlaces(new Uint8Array(await response.arrayBuffer()));
      zipPlaces.value = decoded;
      return decoded;
    })
    .catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

export const placeOf = (claim: AppClaim): Coordinates | undefined =>
  zipPlaces.value?.(claim.loss_location.zip);

/** Miles from the adjuster's origin to the claim's ZIP code. */
export const distanceOf = computed(() => {
  const from = origin.value;
  const place = zipPlaces.value;
  return (claim: AppClaim): number | undefined => {
    const to = from === null ? undefined : place?.(claim.loss_location.zip);
    return from === null || to === undefined ? undefined : milesBetween(from, to);
  };
});

export function milesApart(a: AppClaim, b: AppClaim): number | undefined {
  const [from, to] = [placeOf(a), placeOf(b)];
  return from === undefined || to === undefined ? undefined : milesBetween(from, to);
}

function setOrigin(value: Origin | null): void {
  origin.value = value;
  void (value === null ? storage.remove('origin') : storage.put('origin', value)).catch(() => {});
}

/** False when the ZIP code is unknown. */
export async function setOriginFromZip(zip: string): Promise<boolean> {
  const found = (await loadZipPlaces())(zip);
  if (found === undefined) return false;
  setOrigin({ ...found, zip });
  return true;
}

const POSITION_TIMEOUT_MS = 15_000;

/** Rejects with a GeolocationPositionError when the device gives no position. */
export async function setOriginFromPosition(): Promise<void> {
  const { coords } = await new Promise<GeolocationPosition>((resolve, reject) =>
    navigator.geolocation.getCurrentPosition(resolve, reject, {
      timeout: POSITION_TIMEOUT_MS,
      maximumAge: 60_000,
    }),
  );
  setOrigin({ latitude: coords.latitude, longitude: coords.longitude });
  await loadZipPlaces();
}

export const forgetOrigin = (): void => setOrigin(null);

export async function restoreOrigin(): Promise<void> {
  const stored = await storage.get('origin').catch(() => undefined);
  if (stored === undefined) return;
  origin.value = stored;
  await loadZipPlaces().catch(() => {});
}

session.onForget.push(() => {
  origin.value = null;
});
