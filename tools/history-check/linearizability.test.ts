import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { HistoryEntry } from './history.ts';
import { checkLinearizability, type Model } from './linearizability.ts';
import {
  type QueueOperation,
  queue,
  type RegisterOperation,
  register,
  type SetOperation,
  set,
  type TextOperation,
  text,
} from './models.ts';

type RegisterEntry = HistoryEntry<RegisterOperation, number | boolean | null>;
type QueueEntry = HistoryEntry<QueueOperation, string | null>;

let processes = 0;
function entry<O, R>(
  operation: O,
  invocation: number,
  completion: number | null,
  result?: R,
): HistoryEntry<O, R> {
  processes += 1;
  const base = { process: processes, operation, invocation, completion };
  return completion === null ? { ...base, outcome: 'info' } : { ...base, outcome: 'ok', result: result as R };
}
const write = (value: number, from: number, to: number | null): RegisterEntry =>
  entry({ type: 'write', value }, from, to, null);
const read = (value: number, from: number, to: number | null): RegisterEntry =>
  entry({ type: 'read' }, from, to, value);
const cas = (
  before: number,
  after: number,
  result: boolean,
  from: number,
  to: number | null,
): RegisterEntry => entry({ type: 'cas', from: before, to: after }, from, to, result);
const enqueue = (value: string, from: number, to: number | null): QueueEntry =>
  entry({ type: 'enqueue', value }, from, to, null);
const dequeue = (value: string, from: number, to: number | null): QueueEntry =>
  entry({ type: 'dequeue' }, from, to, value);

describe('queue histories of Herlihy and Wing, figure 1', () => {
  test.each<[string, boolean, QueueEntry[]]>([
    [
      'H1: overlapping enqueues may take effect in either order',
      true,
      [enqueue('x', 0, 3), enqueue('y', 1, 2), dequeue('x', 4, 6), dequeue('y', 5, 7), enqueue('z', 8, null)],
    ],
    [
      'H2: what was enqueued first must be dequeued first',
      false,
      [enqueue('x', 0, 1), enqueue('y', 2, 4), dequeue('y', 3, 5)],
    ],
    ['H3: an enqueue may take effect before it returns', true, [enqueue('x', 0, null), dequeue('x', 1, 2)]],
    [
      'H4: an element is dequeued once',
      false,
      [enqueue('x', 0, 2), enqueue('y', 1, 3), dequeue('y', 4, 6), dequeue('y', 5, 7)],
    ],
  ])('%s', (_name, valid, history) => {
    expect(checkLinearizability(history, queue).valid).toBe(valid);
  });
});

describe('register histories with published verdicts', () => {
  test.each<[string, boolean, number, RegisterEntry[]]>([
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
    [
      'Porcupine: of reads that take no time, a later one cannot show the old value',
      false,
      0,
      [write(200, 0, 100), read(200, 10, 10), read(0, 10.5, 10.5)],
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
  ])('%s', (_name, valid, initial, history) => {
    expect(checkLinearizability(history, register(initial)).valid).toBe(valid);
  });
});

describe('set histories with the verdicts of Porcupine', () => {
  const add = (value: number, from: number, to: number) =>
    entry<SetOperation, readonly number[] | null>({ type: 'add', value }, from, to, null);
  const elements = (values: readonly number[], from: number, to: number | null) =>
    entry<SetOperation, readonly number[] | null>({ type: 'read' }, from, to, values);
  test.each([
    ['a read shows one of two concurrent additions', true, [7], 2],
    ['a read shows both', true, [7, 9], 2],
    ['a read that timed out may have shown nothing', true, [], null],
    ['a read shows an element twice', false, [7, 7, 9], 2],
    ['a read shows an element that nobody added', false, [8], 2],
  ] as const)('%s', (_name, valid, values, to) => {
    const history = [add(7, 0, 4), add(9, 0, 3), elements(values, 1, to)];
    expect(checkLinearizability(history, set).valid).toBe(valid);
  });
});

describe('histories of a key-value store as those of Porcupine', () => {
  const at = (
    key: string,
    process: number,
    from: number,
    operation: TextOperation,
    result: string | null,
  ) => ({
    ...entry(operation, from, from + 10, result),
    key,
    process,
  });
  /** Clients take turns to append to each of ten keys and to read one, three of them at a time. */
  const serve = (clients: number, shown: (list: readonly string[], n: number) => string) => {
    const lists = new Map<string, string[]>();
    return Array.from({ length: 60 + clients * 12 }, (_, n) => {
      const key = `${n % 10}`;
      const list = lists.get(key) ?? [];
      lists.set(key, list);
      if (n % 3 === 0) return at(key, n % clients, n * 4, { type: 'get' }, shown(list, n));
      const value = `x ${n % clients} ${n} y`;
      list.push(value);
      return at(key, n % clients, n * 4, { type: 'append', value }, null);
    });
  };
  test.each([1, 10, 50])('%d clients that read what was appended: valid', (clients) => {
    const history = serve(clients, (list) => list.join(''));
    expect(checkLinearizability(history, text).valid).toBe(true);
  });
  test.each([1, 10, 50])('%d clients of which some read nothing, or an older value: invalid', (clients) => {
    const stale = (list: readonly string[], n: number) => (n % 7 === 0 ? list.slice(0, -2) : list).join('');
    const { valid, failures } = checkLinearizability(serve(clients, stale), text);
    expect(valid).toBe(false);
    const [{ contradiction = [] } = {}] = failures;
    expect(contradiction.length).toBeGreaterThan(0);
    // By themselves they contradict each other, too.
    expect(checkLinearizability(contradiction, text, { stopAtFirstFailure: true }).valid).toBe(false);
  });
});

describe('what is reported', () => {
  test('the operation that completes the contradiction, and the results it consists of', () => {
    const [first, stale, late] = [write(1, 0, 1), read(0, 6, 7), read(5, 8, 9)];
    const history = [write(2, 2, 3), first, read(2, 4, 5), stale, late];
    const { failures, orders } = checkLinearizability(history, register(0));
    expect(orders.size).toBe(0);
    expect(failures).toHaveLength(1);
    expect(failures[0]?.entry).toBe(stale);
    expect(failures[0]?.contradiction).toContain(stale);
    expect(failures[0]?.contradiction).not.toContain(late);
    expect(failures[0]?.longest.length).toBeGreaterThanOrEqual(3);
    expect(failures[0]?.text).toContain('[6, 7] process');
  });

  test('each object by itself, with an order of its operations', () => {
    const of = (key: string, entries: RegisterEntry[]) => entries.map((each) => ({ ...each, key }));
    const good = of('good', [read(1, 1, 4), write(1, 2, 3)]);
    const report = checkLinearizability([...of('bad', [read(1, 1, 4)]), ...good], register(0));
    expect(report.failures.map(({ key }) => key)).toEqual(['bad']);
    expect(report.orders.get('good')).toEqual([good[1], good[0]]);
  });

  test('on request only the first object that is not linearizable', () => {
    const history = ['good', 'bad', 'also bad'].flatMap((key) =>
      [write(1, 0, 1), read(key === 'good' ? 1 : 2, 2, 3)].map((each) => ({ ...each, key })),
    );
    const keysOf = (options?: Parameters<typeof checkLinearizability>[2]) => {
      const { valid, failures } = checkLinearizability(history, register(0), options);
      return [valid, ...failures.map(({ key }) => key)];
    };
    expect(keysOf()).toEqual([false, 'bad', 'also bad']);
    expect(keysOf({ stopAtFirstFailure: true })).toEqual([false, 'bad']);
  });

  test('an operation that failed has not happened', () => {
    const failed: RegisterEntry = { ...write(1, 0, 1), outcome: 'fail' };
    expect(checkLinearizability([failed, read(0, 2, 3)], register(0)).valid).toBe(true);
    expect(checkLinearizability([failed, read(1, 2, 3)], register(0)).valid).toBe(false);
  });

  test('a search that takes too long is unknown, never a violation', () => {
    const history = Array.from({ length: 12 }, (_, n) => write(n, 0, 100));
    const report = checkLinearizability([...history, read(99, 101, 102)], register(0), { maxSteps: 50 });
    expect(report).toMatchObject({ valid: 'unknown', undecided: [''], failures: [] });
  });

  test('a model may have several next states, and decide itself which are equal', () => {
    // Draws of any number from 1 to 3; states are equal modulo 10.
    const model: Model<number, 'draw' | 'sum', number | null> = {
      init: () => 0,
      step: (sum, operation, result) =>
        operation === 'draw'
          ? [sum + 1, sum + 2, sum + 3]
          : result === undefined || result === sum
            ? [sum]
            : [],
      hash: (sum) => String(sum % 10),
      equals: (one, other) => one === other,
    };
    const draws = [entry('draw' as const, 0, 1, null), entry('draw' as const, 2, 3, null)];
    const sums = [1, 2, 3, 4, 5, 6, 7].filter(
      (sum) => checkLinearizability([...draws, entry('sum' as const, 4, 5, sum)], model).valid,
    );
    expect(sums).toEqual([2, 3, 4, 5, 6]);
  });

  test('a history of thousands of operations is decided', () => {
    const history = Array.from({ length: 3_000 }, (_, n) =>
      n % 3 === 0 ? write(n, n * 10, n * 10 + 25) : read(n - (n % 3), n * 10 + 15, n * 10 + 26),
    );
    expect(checkLinearizability(history, register(0)).valid).toBe(true);
  });
});

/** Every order of every selection of unknown operations. */
function bruteForce(history: readonly RegisterEntry[], initial: number): boolean {
  const model = register(initial);
  const happened = history.filter(({ outcome }) => outcome !== 'fail');
  const extend = (state: number, left: readonly RegisterEntry[]): boolean => {
    if (left.every(({ outcome }) => outcome === 'info')) return true;
    return left.some((next) => {
      const others = left.filter((each) => each !== next);
      if (others.some(({ completion }) => completion !== null && completion < next.invocation)) return false;
      const result = next.outcome === 'ok' ? next.result : undefined;
      return model.step(state, next.operation, result).some((to) => extend(to, others));
    });
  };
  return extend(initial, happened);
}

const value = fc.nat(2);
const operation: fc.Arbitrary<RegisterOperation> = fc.oneof(
  fc.constant({ type: 'read' as const }),
  fc.record({ type: fc.constant('write' as const), value }),
  fc.record({ type: fc.constant('cas' as const), from: value, to: value }),
);

/** A sequential run, whose intervals were stretched and some of whose outcomes were lost. */
const possibleHistory = (maxLength: number): fc.Arbitrary<RegisterEntry[]> =>
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
    fc.property(possibleHistory(40), (history) => {
      const { valid, orders } = checkLinearizability(history, register(0));
      const order = orders.get('') ?? [];
      const inTime = order.every((one, n) =>
        order.slice(n + 1).every(({ completion }) => completion === null || completion >= one.invocation),
      );
      return valid === true && inTime;
    }),
    { numRuns: 150 },
  );
});

test('small histories with any results are judged as by trying every order', () => {
  const verdicts = { true: 0, false: 0 };
  fc.assert(
    fc.property(
      possibleHistory(6),
      fc.array(fc.tuple(fc.nat(5), fc.nat(2)), { maxLength: 3 }),
      (history, changes) => {
        const changed = [...history];
        for (const [which, to] of changes) {
          const each = changed[which];
          if (each?.outcome !== 'ok') continue;
          const result =
            each.operation.type === 'read' ? to : each.operation.type === 'cas' ? to === 1 : null;
          changed[which] = { ...each, result };
        }
        const expected = bruteForce(changed, 0);
        const { valid, failures } = checkLinearizability(changed, register(0));
        verdicts[`${expected}`] += 1;
        // What is reported as a contradiction is one, by itself.
        const contradiction = new Set(failures[0]?.contradiction ?? []);
        const forgotten = changed.map((each) =>
          contradiction.has(each) || each.outcome !== 'ok'
            ? each
            : ({ ...each, outcome: 'info', completion: null } as RegisterEntry),
        );
        return valid === expected && (expected || !bruteForce(forgotten, 0));
      },
    ),
    { numRuns: 500 },
  );
  expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(40);
});
