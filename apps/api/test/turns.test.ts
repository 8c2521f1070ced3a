import { expect, test } from '@jest/globals';
import type { NextPiece } from '@svc/application';
import { later } from '@svc/testkit/eventually';
import { createTurns, type LongWork } from '../src/http/limits/turns.ts';
import { asHttpProblem } from '../src/http/problems/http-problem.ts';

const wanted = (caller: string, more: Partial<LongWork> = {}): LongWork => ({
  ...{ caller, isWanted: () => true, kind: 'search' as const },
  ...more,
});
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => asHttpProblem(error).code,
  );

test('one piece runs at a time, and callers take turns, whatever number of works each has', async () => {
  const { run } = createTurns();
  const pieces: string[] = [];
  let running = 0;
  let most = 0;
  const work = (name: string) => async (nextPiece: NextPiece) => {
    for (let piece = 1; piece <= 2; piece += 1) {
      await nextPiece();
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      pieces.push(`${name}${piece}`);
      running -= 1;
    }
  };
  await Promise.all([
    ...['a', 'b', 'c'].map((name) => run(wanted('large firm'), work(name))),
    run(wanted('small firm'), work('s')),
  ]);
  expect(most).toBe(1);
  expect(pieces.indexOf('s2')).toBeLessThan(5);
  expect(pieces.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 's1', 's2']);
});

test('a page that has begun ends before another of its caller begins, and callers still take turns', async () => {
  const { run } = createTurns();
  const pieces: string[] = [];
  const page = (caller: string, name: string) =>
    run(wanted(caller, { kind: 'page' }), async (nextPiece) => {
      for (const piece of [1, 2, 3]) {
        await nextPiece();
        pieces.push(`${name}${piece}`);
      }
    });
  await Promise.all([page('firm', 'a'), page('firm', 'b'), page('other firm', 'c')]);
  expect(pieces.filter((piece) => !piece.startsWith('c'))).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3']);
  expect(pieces.indexOf('c3')).toBeLessThan(7);
});

test('what has arrived during a piece runs before the next one', async () => {
  const { run } = createTurns();
  const order: string[] = [];
  await run(wanted('firm'), async (nextPiece) => {
    for (const piece of ['first', 'second']) {
      await nextPiece();
      order.push(piece);
      setImmediate(() => order.push(`request after the ${piece}`));
    }
  });
  expect(order.slice(0, 3)).toEqual(['first', 'request after the first', 'second']);
});

test('work that nobody waits for any longer ends before its next piece, and others go on', async () => {
  const { run } = createTurns();
  let isConnected = true;
  let pieces = 0;
  const left = run(wanted('firm', { isWanted: () => isConnected }), async (nextPiece) => {
    for (let piece = 1; piece <= 10; piece += 1) {
      await nextPiece();
      pieces += 1;
      if (pieces === 3) isConnected = false;
    }
  });
  const other = run(wanted('firm'), (nextPiece) => nextPiece());
  expect(await codeOf(left)).toBe('malformed_request');
  await other;
  expect(pieces).toBe(3);
});

test('work learns when the time of its request is over, and pages have no limit of their number', async () => {
  let now = 0;
  const { run } = createTurns(() => now);
  const pages = Array.from({ length: 100 }, () =>
    run(wanted('firm', { kind: 'page' }), async (nextPiece) => {
      const hadTime = [await nextPiece()];
      for (const at of [2499, 2500]) {
        now = Math.max(now, at);
        hadTime.push(await nextPiece());
      }
      return hadTime;
    }),
  );
  const [first, second] = await Promise.all(pages);
  expect([first, second]).toEqual([
    [true, true, false],
    [false, false, false],
  ]);
});

test.each([
  ['search', 32],
  ['report', 32],
  ['workbook', 4],
  ['verification', 1],
] as const)(
  'of a %s, a caller has %d at once, besides works of other kinds and callers',
  async (kind, most) => {
    const { run } = createTurns();
    const { promise, resolve } = later();
    const start = (caller: string, of: LongWork['kind'] = kind) =>
      codeOf(run(wanted(caller, { kind: of }), () => promise));
    const own = Array.from({ length: most + 1 }, () => start('firm'));
    const detail = expect.stringContaining(
      most === 1 ? `Another ${kind} of your` : `At most ${most} requests of this kind (${kind})`,
    );
    await expect(run(wanted('firm', { kind }), () => promise)).rejects.toMatchObject({ extra: { detail } });
    const others = [start('other firm'), start('firm', kind === 'report' ? 'verification' : 'report')];
    resolve();
    const done = Array(most).fill('done');
    expect(await Promise.all([...own, ...others])).toEqual([...done, 'rate_limited', 'done', 'done']);
    await expect(run(wanted('firm', { kind }), () => Promise.reject(new Error('lost')))).rejects.toThrow(
      'lost',
    );
    expect(await start('firm')).toBe('done');
  },
);
