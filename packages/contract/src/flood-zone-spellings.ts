import { FLOOD_ZONES, type FloodZone } from '@svc/domain/vocabulary';

/**
 * Other spellings of flood zones in FEMA's files: AHB, AOB and the AR dual zones are in the description of
 * ratedFloodZone, the zero-padded numbers in its values.
 * https://www.fema.gov/openfema-data-page/fima-nfip-redacted-claims-v2
 */
const FEMA_SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/^([AV])0([1-9])$/, '$1$2'],
  [/^AHB$/, 'AH'],
  [/^AOB$/, 'AO'],
  [/^AR(\/A([EHO]|0?[1-9]|[12][0-9]|30|1-A?30)?|[AEHO])$/, 'AR'],
];

const zones: ReadonlySet<string> = new Set(FLOOD_ZONES);
const isZone = (value: string): value is FloodZone => zones.has(value);

/** The zone that a known other spelling stands for. Null for anything else: a wrong zone would change what is paid. */
export function suggestedFloodZone(sent: string): FloodZone | null {
  const written = sent.trim().toUpperCase();
  const zone = FEMA_SPELLINGS.reduce(
    (text, [spelling, standard]) => text.replace(spelling, standard),
    written,
  );
  return isZone(zone) ? zone : null;
}
