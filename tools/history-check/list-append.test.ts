import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkListAppend, type Element, type ListTransaction, type MicroOperation } from './list-append.ts';

/** `ax1 ry12`: append 1 to x, read y = [1 2]; `rz` reads an empty list. */
function transaction(text: string, changes: Partial<ListTransaction> = {}): ListTransaction {
  const micros = text.split(' ').map((micro): [MicroOperation, Element[] | null] => {
    const [type, key = '', ...digits] = micro;
    const elements = digits.map(Number);
    return type === 'a' ? [['append', key, elements[0] ?? 0], null] : [['read', key], elements];
  });
  return {
    process: 0,
    operation: micros.map(([operation]) => operation),
    result: micros.map(([, list]) => list),
    invocation: 0,
    completion: 1,
    outcome: 'ok',
    ...changes,
  };
}
const failed = (text: string): ListTransaction => transaction(text, { outcome: 'fail' });
const unknown = (text: string): ListTransaction => transaction(text, { outcome: 'info', completion: null });
/** All of them at the same time. */
const concurrent = (...texts: string[]): ListTransaction[] => texts.map((text) => transaction(text));
/** One after another. */
const sequential = (...texts: string[]): ListTransaction[] =>
  texts.map((text, n) => transaction(text, { process: n, invocation: n * 10, completion: n * 10 + 5 }));

const anomalies = (...args: Parameters<typeof checkListAppend>): string[] =>
  checkListAppend(...args).findings.map(({ anomaly }) => anomaly);

describe('histories of Elle and of Adya, Liskov and O’Neil', () => {
  test.each<[string, string[], ListTransaction[]]>([
    ['serializable (Adya et al., figure 3)', [], concurrent('az1 ax1 ay1', 'rx1 ay2', 'ry12 az3', 'rz13')],
    ['an empty history', [], []],
    ['reads of nothing', [], concurrent('rx', 'ry rx')],
    ['appends that nobody reads', [], concurrent('ax1', 'ax2', 'rx')],
    ['G0: a cycle of writes', ['G0'], concurrent('ax1 ay1', 'ax2 ay2', 'rx12 ry21')],
    ['G1c: circular flow of information', ['G1c'], concurrent('ax1 ry1', 'ax2 ay1', 'rx12')],
    ['G2: write skew', ['G2'], concurrent('rx ay1', 'ry ax1', 'rx1 ry1')],
    ['G2 without a later read', ['G2'], concurrent('rx ay1', 'ry ax1')],
    ['G1a: aborted reads', ['G1a'], [...concurrent('rx1 ax2', 'rx12 ry3', 'ay3'), failed('ax1')]],
    [
      'G1b: an intermediate read',
      ['G1b', 'G-single'],
      concurrent('rx1', 'rx12 ry3', 'ax1 ax2', 'rx123', 'ax3 ay3'),
    ],
    ['an own intermediate state may be read', [], concurrent('ax1 rx1 ax2')],
    ['internal: a consistent transaction', [], concurrent('ry56 ax3 rx123 ax4 rx1234', 'ax1 ax2', 'ay5 ay6')],
    ['internal: a read without the own append', ['internal'], concurrent('rx12 ax3 rx12', 'ax1 ax2')],
    ['internal: a read with another beginning', ['internal'], concurrent('rx12 ax3 rx023', 'ax1 ax2', 'ax0')],
    [
      'internal: an element that came in between',
      ['internal'],
      concurrent('rx12 ax3 rx1234', 'ax1 ax2', 'ax4'),
    ],
    [
      'internal: a read that is shorter than the one before',
      ['internal'],
      concurrent('rx12 ax3 rx1', 'ax1 ax2'),
    ],
    ['internal: an element after the own append', ['internal'], concurrent('ax3 rx1234', 'ax1 ax2', 'ax4')],
    [
      'future read: an element that the transaction appends after the read, between those of others',
      ['future read'],
      concurrent('rx123 ax2', 'ax1', 'ax3'),
    ],
    [
      'future read: before the end that the transaction has appended itself',
      ['future read'],
      concurrent('ay1 ry21 ay2 ay3'),
    ],
    ['future read: at the end of the list', ['future read'], concurrent('rx12 ay5 ax2', 'ax1')],
    ['a read of the own append, after it', [], concurrent('ax1', 'rx1 ax2 rx12')],
    ['an append to another list of the same element', [], concurrent('rx1 ay1', 'ax1')],
    ['internal: FaunaDB, the own append is missing', ['internal'], concurrent('ax6 rx')],
    [
      'an unknown outcome says nothing about its reads',
      [],
      [unknown('ax2 ry'), ...concurrent('ax1 ay1', 'rx12 ry1')],
    ],
    [
      'an append with an unknown outcome may be seen, or not',
      [],
      [unknown('ax1'), unknown('ax2'), ...concurrent('rx1')],
    ],
    [
      'G-single: TiDB retried a transaction without reading again',
      ['G-single'],
      concurrent('az1', 'az2', 'rz21 ax5 az4', 'az5', 'rz2154').map((each, n) =>
        n === 0 ? { ...each, invocation: 2, completion: 3 } : each,
      ),
    ],
    [
      'G-single: the example of the Elle paper',
      ['G-single'],
      [
        [
          'append 253 1',
          'append 253 3',
          'append 253 4',
          'append 255 2',
          'append 255 3',
          'append 255 4',
        ].concat('append 255 5', 'append 256 1', 'append 256 2'),
        ['append 255 8', 'read 253 1 3 4'],
        ['append 256 4', 'read 255 2 3 4 5 8', 'read 256 1 2 4', 'read 253 1 3 4'],
        ['append 250 10', 'read 253 1 3 4', 'read 255 2 3 4 5', 'append 256 3'],
      ].map((micros) => {
        const parts = micros.map((micro) => micro.split(' '));
        return {
          ...transaction('rx'),
          operation: parts.map(
            ([type, key = '', first]): MicroOperation =>
              type === 'append' ? ['append', key, Number(first)] : ['read', key],
          ),
          result: parts.map(([type, , ...list]) => (type === 'append' ? null : list.map(Number))),
        };
      }),
    ],
    [
      'G-single: a read of nothing beside a later write',
      ['G-single'],
      concurrent('ax1 ay1', 'ax2 ry', 'rx12'),
    ],
    [
      'reads in two orders of appends that depend on each other',
      ['incompatible order', 'G1c'],
      concurrent('ax1 ry1', 'ax2', 'ax3 ay1', 'rx13', 'rx123'),
    ],
    ['a duplicate element', ['duplicate elements'], concurrent('ax1', 'rx11')],
    ['an element that nobody appended', ['unknown element'], concurrent('rx7')],
    ['reads in two orders', ['incompatible order'], concurrent('ax1', 'ax2', 'rx12', 'rx2')],
  ])('%s', (_name, expected, history) => {
    expect([...new Set(anomalies(history))]).toEqual(expected);
  });
});

describe('real time', () => {
  test.each<[string, string[], string]>([
    ['a stale read', ['G-single-realtime'], 'ax1,ax2,rx1,rx12'],
    ['a read of nothing after an append', ['G-single-realtime'], 'ax1,rx,rx1'],
    ['an append that took effect before it was invoked', ['G1c-realtime'], 'rx1,ax1'],
    ['appends in the order in which they did not happen', ['G0-realtime'], 'ax1,ax2,rx21'],
    ['an append that every later read misses', ['lost append'], 'ax1,ax2,rx1,rx1'],
  ])('%s is %s, though serializable', (_name, expected, texts) => {
    const history = sequential(...texts.split(','));
    expect([...new Set(anomalies(history))]).toEqual(expected);
    expect(anomalies(history, { model: 'serializable' })).toEqual([]);
  });

  test('two anti-dependencies that are not adjacent and the order of time are G2-realtime', () => {
    const history = [
      transaction('rx rz1', { invocation: 0, completion: 9 }),
      transaction('ax1', { invocation: 1, completion: 2 }),
      transaction('rz', { invocation: 3, completion: 4 }),
      transaction('az1', { invocation: 0, completion: 9 }),
    ];
    expect(anomalies(history)).toEqual(['G2-realtime']);
    expect(anomalies(history, { model: 'serializable' })).toEqual([]);
  });

  test('an append beside all reads may be missing from them', () => {
    const history = sequential('ax1', 'rx1').concat(transaction('ax2', { invocation: 2, completion: 99 }));
    expect(anomalies(history)).toEqual([]);
  });

  test('a transaction with an unknown outcome may take effect at any later time', () => {
    const late = { ...unknown('ax1'), invocation: 0 };
    expect(anomalies([late, ...sequential('rx', 'rx', 'rx1')])).toEqual([]);
  });
});

test('a cycle is explained step by step', () => {
  const [finding] = checkListAppend(concurrent('ax1 ry1', 'ax2 ay1', 'rx12')).findings;
  expect(finding?.text).toBe(
    [
      'G1c:',
      '  T1 = process 0 [0, 1] ok: append 2 to x, append 1 to y',
      '  T2 = process 0 [0, 1] ok: append 1 to x, read y = [1]',
      '  T1 precedes T2, because T2 read y ending with 1, which T1 appended.',
      '  However, T2 precedes T1, because T2 appended 1 to x, and T1 appended 2 after it.',
    ].join('\n'),
  );
});

test('an element appended twice is an error of the history, not a finding', () => {
  expect(() => checkListAppend(concurrent('ax1', 'ax1 ry'))).toThrow('1 is appended to x more than once');
});

interface Planned {
  readonly micros: readonly (readonly [append: boolean, key: string])[];
  readonly before: number;
  readonly after: number;
  readonly luck: number;
}
const planned: fc.Arbitrary<Planned> = fc.record({
  micros: fc.array(fc.tuple(fc.boolean(), fc.constantFrom('x', 'y', 'z')), { minLength: 1, maxLength: 4 }),
  before: fc.nat(50),
  after: fc.nat(50),
  luck: fc.nat(11),
});

/** A serial run, whose intervals were stretched, with some outcomes lost and some failures. */
function serialRun(plan: readonly Planned[]): ListTransaction[] {
  const lists = new Map<string, readonly Element[]>();
  let element = 0;
  return plan.map(({ micros, before, after, luck }, n) => {
    const own = new Map([...lists].map(([key, list]): [string, readonly Element[]] => [key, list]));
    const parts = micros.map(([append, key]): [MicroOperation, Element[] | null] => {
      const list = own.get(key) ?? [];
      if (!append) return [['read', key], [...list]];
      element += 1;
      own.set(key, [...list, element]);
      return [['append', key, element], null];
    });
    const outcome = luck === 0 ? 'fail' : luck < 3 ? 'info' : 'ok';
    if (luck > 1) for (const [key, list] of own) lists.set(key, list);
    return {
      process: n,
      operation: parts.map(([operation]) => operation),
      ...(outcome === 'ok' && { result: parts.map(([, list]) => list) }),
      invocation: n * 10 - before,
      completion: outcome === 'info' ? null : n * 10 + after,
      outcome,
    };
  });
}

test('a serial run whose intervals were stretched has no anomaly', () => {
  fc.assert(
    fc.property(fc.array(planned, { maxLength: 40 }), (plan) => checkListAppend(serialRun(plan)).valid),
    { numRuns: 150 },
  );
});

/** Whether some serial order of the transactions explains all reads. */
function bruteForce(history: readonly ListTransaction[]): boolean {
  const extend = (
    lists: ReadonlyMap<string, readonly Element[]>,
    left: readonly ListTransaction[],
  ): boolean => {
    if (left.every(({ outcome }) => outcome === 'info')) return true;
    return left.some((next) => {
      const others = left.filter((each) => each !== next);
      if (others.some(({ completion, outcome }) => outcome === 'ok' && (completion ?? 0) < next.invocation))
        return false;
      const after = new Map(lists);
      const explained = next.operation.every((micro, index) => {
        const list = after.get(micro[1]) ?? [];
        if (micro[0] === 'append') after.set(micro[1], [...list, micro[2]]);
        else if (next.result) return JSON.stringify(next.result[index]) === JSON.stringify(list);
        return true;
      });
      return explained && extend(after, others);
    });
  };
  return extend(
    new Map(),
    history.filter(({ outcome }) => outcome !== 'fail'),
  );
}

/** At the end: shows the order of all appends. */
const READ_ALL: Planned = {
  micros: ['x', 'y', 'z'].map((key) => [false, key]),
  before: 0,
  after: 0,
  luck: 11,
};

test('small histories with a changed read are judged as by trying every order', () => {
  let invalid = 0;
  fc.assert(
    fc.property(
      fc.array(planned, { minLength: 2, maxLength: 5 }),
      fc.nat(20),
      fc.nat(4),
      (plan, which, change) => {
        const history = serialRun([...plan, READ_ALL]);
        const reads = history
          .slice(0, -1)
          .flatMap(({ result }, at) =>
            (result ?? []).flatMap((list, micro) => (list ? [[at, micro] as const] : [])),
          );
        const [at, micro] = reads[which % Math.max(1, reads.length)] ?? [0, 0];
        const list = history[at]?.result?.[micro] ?? [];
        // The next append to this list is often one of the same transaction.
        const later = history
          .slice(at)
          .flatMap(({ operation }, n) => (n === 0 ? operation.slice(micro) : operation))
          .find(([type, key]) => type === 'append' && key === history[at]?.operation[micro]?.[1]);
        const changed =
          [
            list.slice(0, -1),
            [...list].reverse(),
            [...list, 99],
            list.slice(1),
            later?.[0] === 'append' ? [...list, later[2]] : list,
          ][change] ?? [];
        const mutated = history.map((each, n) =>
          n === at && each.result
            ? { ...each, result: each.result.map((old, m) => (m === micro && old ? changed : old)) }
            : each,
        );
        const expected = bruteForce(mutated);
        if (!expected) invalid += 1;
        return checkListAppend(mutated).valid === expected;
      },
    ),
    { numRuns: 400 },
  );
  expect(invalid).toBeGreaterThan(40);
});
