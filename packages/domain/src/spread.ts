import type { Svcid } from './ids.ts';

/**
 * Spreads claims over adjusters with as many claims as they got before, so that the numbers differ by at most one
 * unless they did before. Of the pairs that are left, the one with the lowest cost, a whole number, comes next. The
 * order of both makes no difference.
 */
export function spreadEvenly(
  claims: readonly string[],
  adjusters: ReadonlyMap<Svcid, number>,
  costOf: (claim: string, adjuster: Svcid) => number,
): ReadonlyMap<string, Svcid> {
  if (adjusters.size === 0) return new Map();
  const rows = [...new Set(claims)].sort();
  const columns = [...adjusters.keys()].sort();
  const pairCount = rows.length * columns.length;
  // Cost and pair in one number: sorting numbers takes a tenth of the time of sorting with a function.
  const pairs = new Float64Array(pairCount);
  for (const [row, claim] of rows.entries())
    for (const [column, adjuster] of columns.entries()) {
      const pair = row * columns.length + column;
      pairs[pair] = costOf(claim, adjuster) * pairCount + pair;
    }
  pairs.sort();
  const counts = new Map(adjusters);
  const spread = new Map<string, Svcid>();
  const missingTo = (level: number): number =>
    [...adjusters.values()].reduce((sum, count) => sum + Math.max(level - count, 0), 0);
  let even = Math.min(...adjusters.values());
  while (missingTo(even + 1) <= rows.length) even += 1;
  /** So many get one more. */
  let extra = rows.length - missingTo(even);
  for (const sorted of pairs) {
    const pair = sorted % pairCount;
    const claim = rows[Math.floor(pair / columns.length)] ?? '';
    const adjuster = columns[pair % columns.length];
    if (adjuster === undefined || spread.has(claim)) continue;
    const count = counts.get(adjuster) ?? 0;
    if (count > even || (count === even && extra === 0)) continue;
    if (count === even) extra -= 1;
    counts.set(adjuster, count + 1);
    spread.set(claim, adjuster);
  }
  return spread;
}
