import { FLOOD_ZONES, type FloodZone } from './vocabulary.ts';

/** How many single-character changes turn one text into the other. */
export function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}

function sharedPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/**
 * The candidate that takes the fewest changes. Among equals the one that begins alike and is as long
 * wins, since people get the end of a code wrong more often than its start.
 */
function nearest<Word extends string>(value: string, candidates: readonly [Word, ...Word[]]): Word {
  let best: Word = candidates[0];
  let bestScore = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const score =
      editDistance(value, candidate) * 1_000_000 -
      sharedPrefix(value, candidate) * 1_000 +
      Math.abs(value.length - candidate.length);
    if (score < bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

const zones: ReadonlySet<string> = new Set(FLOOD_ZONES);
const isZone = (value: string): value is FloodZone => zones.has(value);

// Anything longer is no zone with a slip in it; comparing a megabyte with 72 zones would only cost time.
const LONGEST_COMPARED = 24;

const unpadded = (written: string): string => written.replace(/^([AV])0+(?=[1-9])/, '$1');

/** The listed zone that a refused one most likely means. FEMA's own files spell some zones differently. */
export function nearestFloodZone(value: string): FloodZone {
  const written = value.slice(0, LONGEST_COMPARED).toUpperCase();
  const joined = unpadded(written.replace(/[\s-]+/g, ''));
  if (isZone(joined)) return joined;
  // Somebody who writes "Zone X", "X (shaded)" or "AR/AE" has named a zone, whatever all of it together resembles.
  const named = written
    .split(/[^0-9A-Z]+/)
    .map(unpadded)
    .find(isZone);
  if (named !== undefined) return named;
  if (joined === 'AHB') return 'AH';
  if (joined === 'AOB') return 'AO';
  return nearest(joined, FLOOD_ZONES);
}
