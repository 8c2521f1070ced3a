import { FLOOD_ZONES, type FloodZone } from './vocabulary.ts';

/**
 * How FEMA's files spell zones that are listed otherwise: AHB, AOB and the AR dual zones stand in the description of
 * ratedFloodZone, the zero-padded numbers in its values.
 * https://www.fema.gov/openfema-data-page/fima-nfip-redacted-claims-v2
 */
const FEMA_SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/^([AV])0([1-9])$/, '$1$2'],
  [/^AHB$/, 'AH'],
  [/^AOB$/, 'AO'],
  [/^AR(\/A.*|[AEHO])$/, 'AR'],
];

const zones: ReadonlySet<string> = new Set(FLOOD_ZONES);
const isZone = (value: string): value is FloodZone => zones.has(value);

/**
 * The listed zone that a known spelling stands for. Null for anything else: a wrong zone is rated and paid as written,
 * so resemblance is no reason to name one.
 */
export function intendedFloodZone(sent: string): FloodZone | null {
  const written = sent.trim().toUpperCase();
  const zone = FEMA_SPELLINGS.reduce((text, [spelling, listed]) => text.replace(spelling, listed), written);
  return isZone(zone) ? zone : null;
}
