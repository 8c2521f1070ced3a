import { expect, test } from '@jest/globals';
import { type GroupFailure, NO_METRICS, Unavailable } from '@svc/application';
import { inGroups, MAX_TOGETHER, type Settled, type WriteTransaction } from '../src/claims/groups.ts';
import { ConcurrencyConflict } from '../src/driver/errors.ts';

interface Request {
  readonly name: string;
  readonly keys: readonly string[];
  /** Left out by its group. */
  readonly isAlone?: boolean;
}

const nextTick = () => new Promise(setImmediate);

/** Ends each group and each request that is saved alone when the test says so. */
function pausedTransactions(maxTogether = MAX_TOGETHER) {
  const running = new Map<string, () => void>();
  const hold = (name: string) => new Promise<void>((resolve) => running.set(name, resolve));
  const transaction: WriteTransaction = { rollback: async () => {}, commitSeconds: 0 };
  const run = inGroups<WriteTransaction, Request, string>(
    { begin: async () => transaction, metrics: NO_METRICS },
    {
      maxTogether,
      keysOf: ({ keys }) => keys,
      async save(_, requests, whenLocked) {
        const names = requests.map(({ name }) => name).join(' ');
        const how = whenLocked === 'wait' ? 'alone' : 'together';
        await hold(whenLocked === 'wait' ? `${names} alone` : names);
        const settled: Settled<Request, string> = new Map();
        for (const each of requests)
          if (whenLocked === 'wait' || !each.isAlone) settled.set(each, () => `${each.name} ${how}`);
        return settled;
      },
    },
  );
  return {
    run,
    async running(): Promise<string[]> {
      await nextTick();
      await nextTick();
      return [...running.keys()];
    },
    end(name: string): void {
      running.get(name)?.();
      running.delete(name);
    },
  };
}

test('of requests with a key in common, each runs only after the one before has its result', async () => {
  const { run, running, end } = pausedTransactions();
  const results = [
    run({ name: 'first', keys: ['x', 'a'] }),
    run({ name: 'left-out', keys: ['y'], isAlone: true }),
    run({ name: 'second', keys: ['a', 'b'] }),
    run({ name: 'after-left-out', keys: ['y', 'c'] }),
  ];
  expect(await running()).toEqual(['first left-out']);
  end('first left-out');
  expect(await running()).toEqual(['left-out alone', 'second']);
  end('second');
  // The transactions are over, and still nothing else starts.
  expect(await running()).toEqual(['left-out alone']);
  end('left-out alone');
  expect(await running()).toEqual(['after-left-out']);
  end('after-left-out');
  expect(await Promise.all(results)).toEqual([
    'first together',
    'left-out alone',
    'second together',
    'after-left-out together',
  ]);
});

test('two groups run at a time, of up to 50 requests each, in the order of arrival', async () => {
  const { run, running, end } = pausedTransactions();
  const names = Array.from({ length: 120 }, (_, n) => `${n}`);
  const groups = [names.slice(0, 50), names.slice(50, 100), names.slice(100)].map((of) => of.join(' '));
  const results = names.map((name) => run({ name, keys: [name] }));
  expect(await running()).toEqual(groups.slice(0, 2));
  end(groups[1] as string);
  expect(await running()).toEqual([groups[0], groups[2]]);
  end(groups[0] as string);
  end(groups[2] as string);
  expect(await Promise.all(results)).toEqual(names.map((name) => `${name} together`));
});

test('where each request has its own transaction, none waits for another but for one with the same key', async () => {
  const { run, running, end } = pausedTransactions(1);
  const results = ['a', 'b', 'c', 'a'].map((key, n) => run({ name: `${key}${n}`, keys: [key] }));
  expect(await running()).toEqual(['a0 alone', 'b1 alone', 'c2 alone']);
  end('a0 alone');
  expect(await running()).toEqual(['b1 alone', 'c2 alone', 'a3 alone']);
  for (const name of ['b1', 'c2', 'a3']) end(`${name} alone`);
  expect(await Promise.all(results)).toEqual(['a0 alone', 'b1 alone', 'c2 alone', 'a3 alone']);
});

const CONFLICT = new ConcurrencyConflict('responses_save: 40P01');

/** Two requests that are saved together, then alone; the tries with these numbers fail. */
async function triesWhere(
  isFailing: (attempt: number) => boolean,
  failure: Error,
  maxTogether = MAX_TOGETHER,
) {
  const tries: string[] = [];
  const failed: GroupFailure[] = [];
  const metrics = { ...NO_METRICS, groupFailed: (reason: GroupFailure) => failed.push(reason) };
  const transaction: WriteTransaction = { rollback: async () => {}, commitSeconds: 0 };
  const run = inGroups<WriteTransaction, string, string>(
    { begin: async () => transaction, metrics },
    {
      maxTogether,
      keysOf: (name) => [name],
      async save(_, names, whenLocked) {
        tries.push(`${names.join(' ')} ${whenLocked}`);
        if (isFailing(tries.length)) throw failure;
        return new Map(names.map((name) => [name, () => name]));
      },
    },
  );
  const ends = await Promise.allSettled(['a', 'b'].map(run));
  return { tries, failed, ends: ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason)) };
}

test.each<[GroupFailure, Error]>([
  ['unavailable', new Unavailable('PostgreSQL is temporarily unable to run it (55P03).', 'database_busy')],
  ['unavailable', new Unavailable('The data key of a firm is not available.')],
  ['rejected', new Error('PostgreSQL rejected responses_save: 23514.')],
  ['conflict', CONFLICT],
])(
  'requests whose transaction is rolled back (%s: %p) are saved alone, and wait',
  async (reason, failure) => {
    const { tries, failed, ends } = await triesWhere((attempt) => attempt === 1, failure);
    expect(tries).toEqual(['a b skip', 'a wait', 'b wait']);
    expect([failed, ends]).toEqual([[reason], ['a', 'b']]);
  },
);

test('after a commit of unknown outcome, none of its requests is saved again', async () => {
  const unknown = new Unavailable('The connection was lost during a commit.', 'database_unreachable');
  const { tries, ends } = await triesWhere(() => true, unknown);
  expect(tries).toEqual(['a b skip']);
  expect(ends).toEqual([unknown, unknown]);
  expect((await triesWhere(() => true, unknown, 1)).tries).toEqual(['a wait', 'b wait']);
});

test('a request that is saved alone runs again after a conflict, five times at most, and after no other error', async () => {
  const failure = new Error('PostgreSQL rejected responses_save: 23514.');
  expect((await triesWhere(() => true, failure)).ends).toEqual([failure, failure]);
  expect(await triesWhere((attempt) => attempt <= 3, CONFLICT)).toMatchObject({ ends: ['a', 'b'] });
  const { tries, ends } = await triesWhere(() => true, CONFLICT);
  expect(tries).toHaveLength(1 + 5 + 5);
  expect(ends).toMatchObject([{ reason: 'conflicts' }, { reason: 'conflicts' }]);
});
