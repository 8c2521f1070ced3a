import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { IDEMPOTENCY_WINDOW_MS } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { Redis } from 'ioredis';
import { createRedisRateLimiter } from '../src/rate-limiter.ts';
import type { Operation } from '../src/scripts.ts';
import { createStore, type Store } from '../src/store.ts';
import { createRedisUsedKeys } from '../src/used-keys.ts';

/**
 * A Redis whose clock can be set forward. Its script replies with the keys of its operations, and with an error for a
 * corrupt one, if it was in time.
 */
class FakeRedis extends EventEmitter {
  readonly status = 'ready';
  clock = 1_800_000_000_000;
  /** ARGV[1] of every script. */
  readonly deadlines: number[] = [];

  async time() {
    return [Math.floor(this.clock / 1000), (this.clock % 1000) * 1000];
  }

  async evalsha(_sha: string, count: number, ...rest: unknown[]) {
    const keys = rest.slice(0, count);
    const deadline = Number(rest[count]);
    this.deadlines.push(deadline);
    if (deadline > 0 && this.clock > deadline) throw new Error(`LATE ${this.clock}`);
    return keys.map((key) => (key === 'corrupt' ? new Error('WRONGTYPE') : key));
  }

  disconnect() {}
}

const SILENT = { warn() {}, info() {} };
const lookUp = (key: string): Operation => ({ name: 'hasUsed', key, args: [] });

describe('a store of operations', () => {
  let redis: FakeRedis;
  let store: Store;

  beforeEach(async () => {
    redis = new FakeRedis();
    store = createStore({
      client: redis as unknown as Redis,
      keyPrefix: '',
      commandTimeoutMs: 60_000,
      log: SILENT,
    });
    redis.emit('ready');
    while (store.state().status !== 'up') await new Promise((resolve) => setImmediate(resolve));
    redis.deadlines.length = 0;
  });
  afterEach(() => store.close());

  test('operations of one turn are one command with one deadline, and each gets its own reply', async () => {
    expect(await Promise.all(['a', 'b', 'c'].map((key) => store.run(lookUp(key))))).toEqual(['a', 'b', 'c']);
    expect(redis.deadlines).toHaveLength(1);
  });

  test('an operation that fails does not affect others of its turn', async () => {
    const keys = ['a', 'corrupt', 'c'];
    expect(await Promise.all(keys.map((key) => store.run(lookUp(key))))).toEqual(['a', undefined, 'c']);
    expect(store.state()).toMatchObject({ status: 'up', failures: 1 });
  });

  test('after the clock of Redis was set forward, operations are sent again and no request fails', async () => {
    redis.clock += 3_600_000;
    expect(await Promise.all([store.run(lookUp('a')), store.run(lookUp('b'))])).toEqual(['a', 'b']);
    expect(redis.deadlines).toEqual([expect.any(Number), 0]);
    expect(await store.run(lookUp('c'))).toBe('c');
    expect(redis.deadlines).toHaveLength(3);
    expect(redis.deadlines[2]).toBeGreaterThan(redis.clock);
    expect(store.state()).toMatchObject({ status: 'up', failures: 0 });
  });

  test('a server that has become a replica is connected to again, since its name may lead to another one', async () => {
    const client = new Redis({ lazyConnect: true });
    let isReplica = false;
    jest.spyOn(client, 'time').mockImplementation(() => redis.time());
    jest
      .spyOn(client, 'evalsha')
      .mockImplementation(async (...given: unknown[]) =>
        Array.from({ length: Number(given[1]) }, () => (isReplica ? new Error('READONLY') : 0)),
      );
    const disconnect = jest.spyOn(client, 'disconnect').mockImplementation(() => {});
    const onClient = createStore({ client, keyPrefix: '', commandTimeoutMs: 60_000, log: SILENT });
    client.status = 'ready';
    client.emit('ready');
    while (onClient.state().status !== 'up') await new Promise((resolve) => setImmediate(resolve));
    expect(await onClient.run(lookUp('a'))).toBe(0);
    expect(disconnect).not.toHaveBeenCalled();
    isReplica = true;
    expect(await onClient.run(lookUp('a'))).toBeUndefined();
    expect(disconnect.mock.calls).toEqual([[true]]);
    await onClient.close();
  });

  test('what no request awaits is sent before the connection is closed', async () => {
    store.runLater(lookUp('a'));
    await store.close();
    expect(redis.deadlines).toHaveLength(1);
    expect(store.state().status).toBe('down');
  });

  test('while Redis does not reply, the limits of the process apply, and what is used of them is shown', async () => {
    const asked: unknown[] = [];
    const [decision, used] = [{ allowed: false, retryAfterMs: 7 } as const, { requests: 2, writes: 1 }];
    const note = <T>(result: T) => {
      return async (...given: readonly unknown[]): Promise<T> => {
        asked.push(given);
        return result;
      };
    };
    const limiter = createRedisRateLimiter({
      store: { ...store, run: async () => undefined },
      fallback: { consume: note(decision), peek: note(used) },
    });
    const limits = { requestsPerMinute: 3, writesPerMinute: 2, burst: 1 };
    expect(await limiter.consume('k', limits, { write: true })).toEqual(decision);
    expect(await limiter.peek('k', limits)).toEqual(used);
    expect(asked).toEqual([
      ['k', limits, { write: true }],
      ['k', limits],
    ]);
  });

  test('a used key is kept for its time, under a hash that no other firm, environment or key has', async () => {
    const operations: Operation[] = [];
    const keep = (operation: Operation) => operations.push(operation);
    const usedKeys = createRedisUsedKeys({ ...store, run: async (one) => keep(one), runLater: keep });
    const slot = { firmId: 'firm' as FirmId, environment: 'live', key: 'order' } as const;
    expect(await usedKeys.has(slot)).toBe(true);
    usedKeys.add(slot);
    const others = [{ firmId: 'other' as FirmId }, { environment: 'test' as const }, { key: 'other' }];
    for (const other of others) expect(await usedKeys.has({ ...slot, ...other })).toBe(false);
    const [{ key } = lookUp(''), ...rest] = operations;
    expect(key).toMatch(/^used:\{[\w-]{43}\}$/);
    expect(rest[0]).toEqual({ name: 'addUsed', key, args: [IDEMPOTENCY_WINDOW_MS] });
    expect(new Set(operations.map((operation) => operation.key)).size).toBe(4);
  });
});
