import { expect, test } from '@jest/globals';
import { NO_METRICS, Unavailable } from '@svc/application';
import type { Transaction } from '../src/driver/transaction.ts';
import { inSharedTransactions, type Settled } from '../src/stores/shared-transactions.ts';

interface Request {
  readonly name: string;
  readonly keys: readonly string[];
  /** Left out by its group. */
  readonly isAlone?: boolean;
}

const nextTick = () => new Promise(setImmediate);

/** Ends each group and each request that is saved alone when the test says so. */
function heldTransactions() {
  const running = new Map<string, () => void>();
  const hold = (name: string) => new Promise<void>((resolve) => running.set(name, resolve));
  const transaction = { rollback: async () => {} } as Transaction;
  const run = inSharedTransactions<Request, string>(
    { begin: async () => transaction, metrics: NO_METRICS },
    {
      keysOf: ({ keys }) => keys,
      async saveTogether(_, requests) {
        await hold(requests.map(({ name }) => name).join(' '));
        const settled: Settled<Request, string> = new Map();
        for (const each of requests) if (!each.isAlone) settled.set(each, () => `${each.name} together`);
        return settled;
      },
      async oneByOne({ name }) {
        await hold(`${name} alone`);
        return `${name} alone`;
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
  const { run, running, end } = heldTransactions();
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
  const { run, running, end } = heldTransactions();
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

test.each([
  new Unavailable('PostgreSQL is temporarily unable to run responses_save (55P03).', 'database_busy'),
  new Unavailable('The data key of a firm is not available.'),
  new Error('PostgreSQL rejected responses_save: 23514.'),
])('requests whose transaction was rolled back are saved one by one: $message', async (failure) => {
  const run = inSharedTransactions<string, string>(
    { begin: async () => ({ rollback: async () => {} }) as Transaction, metrics: NO_METRICS },
    {
      keysOf: (name) => [name],
      saveTogether: () => Promise.reject(failure),
      oneByOne: async (name) => `${name} alone`,
    },
  );
  expect(await Promise.all(['a', 'b'].map(run))).toEqual(['a alone', 'b alone']);
});
