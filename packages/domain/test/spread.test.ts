import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Svcid, spreadEvenly } from '../src/index.ts';

const ids = (letter: string, max: number, minLength = 1) =>
  fc.uniqueArray(
    fc.nat(999).map((n) => `${letter}${n}`),
    { minLength, maxLength: max },
  );
const COSTS = fc.func(fc.nat(500_000));
const MANY = { numRuns: 300 };
const none = (names: readonly string[]): ReadonlyMap<Svcid, number> =>
  new Map(names.map((name) => [name as Svcid, 0]));

describe('claims spread over adjusters', () => {
  test('each goes to one of them, and also in parts one after the other as many to each, or one more', () => {
    fc.assert(
      fc.property(ids('c', 60, 0), ids('A', 12), fc.nat(60), COSTS, (claims, adjusters, cut, cost) => {
        const counts = new Map(none(adjusters));
        for (const part of [claims.slice(0, cut), claims.slice(cut)]) {
          const spread = spreadEvenly(part, new Map(counts), cost);
          expect([...spread.keys()].sort()).toEqual([...part].sort());
          for (const adjuster of spread.values()) counts.set(adjuster, (counts.get(adjuster) ?? 0) + 1);
        }
        expect([...counts.keys()].sort()).toEqual([...adjusters].sort());
        expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(1);
      }),
      MANY,
    );
  });

  test('who had more before gets none until the others have as many', () => {
    const before = new Map<Svcid, number>([
      ['A1' as Svcid, 3],
      ['A2' as Svcid, 0],
      ['A3' as Svcid, 1],
    ]);
    const spread = spreadEvenly(['c1', 'c2', 'c3'], before, () => 0);
    expect([...spread.values()].sort()).toEqual(['A2', 'A2', 'A3']);
  });

  test('the same ones go to the same adjusters, in whatever order both are given', () => {
    fc.assert(
      fc.property(ids('c', 40), ids('A', 8), COSTS, (claims, adjusters, cost) => {
        const spread = spreadEvenly(claims, none(adjusters), cost);
        const repeated = [...claims, ...claims.slice(0, 3)].reverse();
        const other = spreadEvenly(repeated, none([...adjusters].reverse()), cost);
        expect(new Map(other)).toEqual(new Map(spread));
      }),
      MANY,
    );
  });

  test('no two of them would be nearer to the adjuster of the other one', () => {
    fc.assert(
      fc.property(ids('c', 25), ids('A', 6), COSTS, (claims, adjusters, cost) => {
        const spread = spreadEvenly(claims, none(adjusters), cost);
        const costs = [...spread].map(([claim, adjuster]) => ({
          ...{ claim, adjuster, cost: cost(claim, adjuster) },
        }));
        const swaps = costs.flatMap((one) =>
          costs.filter(
            (other) =>
              cost(one.claim, other.adjuster) < Math.min(one.cost, other.cost) &&
              cost(other.claim, one.adjuster) < Math.min(one.cost, other.cost),
          ),
        );
        expect(swaps).toEqual([]);
      }),
      MANY,
    );
  });

  test('the nearest one gets it while all get as many', () => {
    const miles: Readonly<Record<string, number>> = {
      c1A1: 5,
      c1A2: 40,
      c2A1: 10,
      c2A2: 90,
      c3A1: 30,
      c3A2: 20,
    };
    const spread = spreadEvenly(
      ['c1', 'c2', 'c3'],
      none(['A2', 'A1']),
      (claim, one) => miles[claim + one] ?? 0,
    );
    expect(Object.fromEntries(spread)).toEqual({ c1: 'A1', c2: 'A1', c3: 'A2' });
  });

  test('nobody gets any where nobody is chosen', () => {
    expect(spreadEvenly(['c1'], new Map(), () => 0).size).toBe(0);
  });
});
