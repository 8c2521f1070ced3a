import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkLinearizability, type HistoryEntry, type Model } from './linearizability.ts';

type Operation =
  | { readonly type: 'read' }
  | { readonly type: 'write'; readonly value: number }
  | { readonly type: 'cas'; readonly from: number; readonly to: number };
type Entry = HistoryEntry<Operation, number | boolean | null>;

/** A register; `cas` returns whether it changed the value. */
const register = (initial: number): Model<number, Operation, number | boolean | null> => ({
  init: () => initial,
  step(value, operation, result) {
    if (operation.type === 'write') return [operation.value];
    if (operation.type === 'read') return result === undefined || result === value ? [value] : [];
    const succeeds = value === operation.from;
    if (result !== undefined && result !== succeeds) return [];
    return [succeeds ? operation.to : value];
  },
});

const entry = <O, R>(operation: O, invocation: number, completion: number | null, result?: R) => ({
  process: `at ${invocation}`,
  key: 'x',
  operation,
  invocation,
  completion,
  ...(completion !== null && { result: result as R }),
});
const write = (value: number, from: number, to: number | null): Entry =>
  entry({ type: 'write', value }, from, to, null);
const read = (value: number, from: number, to: number | null): Entry =>
  entry({ type: 'read' }, from, to, value);
const cas = (before: number, after: number, result: boolean, from: number, to: number | null): Entry =>
  entry({ type: 'cas', from: before, to: after }, from, to, result);

const isLinearizable = (history: readonly Entry[], initial = 0): boolean =>
  checkLinearizability(history, register(initial)).failures.length === 0;

test.each<[string, boolean, number, Entry[]]>([
  [
    'Porcupine: reads beside a write may show the old and the new value',
    true,
    0,
    [write(100, 0, 100), read(100, 25, 75), read(0, 30, 60)],
  ],
  [
    'Porcupine: no read shows the old value after one showed the new value',
    false,
    0,
    [write(200, 0, 100), read(200, 10, 30), read(0, 40, 90)],
  ],
  [
    'Porcupine: reads that take no time, at one instant, have no order',
    true,
    0,
    [write(100, 0, 100), read(100, 25, 75), read(0, 30, 30), read(0, 30, 30)],
  ],
  ['Knossos: a write with an unknown outcome may never have happened', true, 0, [write(1, 0, null)]],
  ['Knossos: a read of a value that was never written', false, 0, [read(1, 0, 1)]],
  [
    'Knossos bad-analysis: of two reads beside a pending write of 1, one shows 2 and one 3',
    false,
    0,
    [
      write(2, 0, 1),
      entry({ type: 'read' }, 2, null),
      write(4, 3, 4),
      read(4, 5, 6),
      write(0, 7, 8),
      read(0, 9, 11),
      write(1, 10, null),
      read(3, 12, 15),
      read(2, 13, 14),
    ],
  ],
  [
    'Knossos rethink-fail-minimal: a read beside a write of 4 shows 3',
    false,
    -1,
    [write(0, 0, 1), read(3, 2, 4), write(4, 3, 5), read(4, 6, 7)],
  ],
  [
    'a compare-and-set with an unknown outcome explains a later read',
    true,
    0,
    [cas(0, 7, true, 0, null), read(0, 1, 2), read(7, 3, 4)],
  ],
  [
    'two of the same compare-and-set cannot both succeed',
    false,
    0,
    [cas(0, 7, true, 0, 9), cas(0, 7, true, 1, 8)],
  ],
])('register history with a published verdict, %s', (_name, valid, initial, history) => {
  expect(isLinearizable(history, initial)).toBe(valid);
});

test('each object is judged by itself, and a failure names the operation that nothing explains', () => {
  const of = (key: string, entries: Entry[]) => entries.map((each) => ({ ...each, key }));
  const { linearizable, failures } = checkLinearizability(
    [...of('good', [read(1, 1, 4), write(1, 2, 3)]), ...of('bad', [write(1, 0, 1), read(0, 6, 7)])],
    register(0),
  );
  expect({ linearizable, failures: failures.map(({ key }) => key) }).toEqual({
    linearizable: 1,
    failures: ['bad'],
  });
  expect(failures[0]?.text).toContain('completes:\n  [6, 7] process at 6: {"type":"read"} → 0');
});

test('a search that takes too long is undecided, never a violation', () => {
  const history = Array.from({ length: 12 }, (_, n) => write(n, 0, 100));
  expect(checkLinearizability([...history, read(99, 101, 102)], register(0), 50)).toEqual({
    linearizable: 0,
    failures: [],
    undecided: ['x'],
  });
});

test('a model may have several next states', () => {
  // Draws of any number from 1 to 3.
  const model: Model<number, 'draw' | 'sum', number | null> = {
    init: () => 0,
    step: (sum, operation, result) =>
      operation === 'draw'
        ? [sum + 1, sum + 2, sum + 3]
        : result === undefined || result === sum
          ? [sum]
          : [],
  };
  const draws = [entry('draw' as const, 0, 1, null), entry('draw' as const, 2, 3, null)];
  const sums = [1, 2, 3, 4, 5, 6, 7].filter(
    (sum) => checkLinearizability([...draws, entry('sum' as const, 4, 5, sum)], model).linearizable === 1,
  );
  expect(sums).toEqual([2, 3, 4, 5, 6]);
});

test('a history of thousands of operations is decided', () => {
  const history = Array.from({ length: 3_000 }, (_, n) =>
    n % 3 === 0 ? write(n, n * 10, n * 10 + 25) : read(n - (n % 3), n * 10 + 15, n * 10 + 26),
  );
  expect(checkLinearizability(history, register(0)).linearizable).toBe(1);
});

/** Every order of every selection of unknown operations. */
function bruteForce(history: readonly Entry[]): boolean {
  const model = register(0);
  const extend = (state: number, left: readonly Entry[]): boolean => {
    if (left.every(({ completion }) => completion === null)) return true;
    return left.some((next) => {
      const others = left.filter((each) => each !== next);
      if (others.some(({ completion }) => completion !== null && completion < next.invocation)) return false;
      const result = next.completion === null ? undefined : next.result;
      return model.step(state, next.operation, result).some((to) => extend(to, others));
    });
  };
  return extend(0, history);
}

const value = fc.nat(2);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.constant({ type: 'read' as const }),
  fc.record({ type: fc.constant('write' as const), value }),
  fc.record({ type: fc.constant('cas' as const), from: value, to: value }),
);

/** A sequential run, whose intervals were stretched and some of whose outcomes were lost. */
const possibleHistory = (maxLength: number): fc.Arbitrary<Entry[]> =>
  fc
    .array(fc.tuple(operation, fc.nat(40), fc.nat(40), fc.nat(9)), { minLength: 1, maxLength })
    .map((steps) => {
      let state = 0;
      return steps.map(([each, before, after, luck], n) => {
        const at = n * 10;
        const lost = luck === 0;
        const happens = !lost || n % 2 === 0;
        const result = each.type === 'read' ? state : each.type === 'write' ? null : state === each.from;
        if (happens) [state] = register(0).step(state, each, undefined) as [number];
        return entry(each, at - before, lost ? null : at + after, result);
      });
    });

test('a sequential run whose intervals were stretched is always accepted', () => {
  fc.assert(
    fc.property(possibleHistory(40), (history) => isLinearizable(history)),
    { numRuns: 150 },
  );
});

test('small histories with any results are judged as by trying every order', () => {
  const verdicts = { true: 0, false: 0 };
  const changes = fc.array(fc.tuple(fc.nat(5), fc.nat(2)), { maxLength: 3 });
  fc.assert(
    fc.property(possibleHistory(6), changes, (history, changes) => {
      const changed = [...history];
      for (const [which, to] of changes) {
        const each = changed[which];
        if (each === undefined || each.completion === null) continue;
        const result = each.operation.type === 'read' ? to : each.operation.type === 'cas' ? to === 1 : null;
        changed[which] = { ...each, result };
      }
      const expected = bruteForce(changed);
      verdicts[`${expected}`] += 1;
      return isLinearizable(changed) === expected;
    }),
    { numRuns: 500 },
  );
  expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(40);
});
