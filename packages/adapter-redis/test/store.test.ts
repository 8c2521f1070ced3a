import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { IDEMPOTENCY_WINDOW_MS } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { Cluster, Redis } from 'ioredis';
import { createRedisRateLimiter } from '../src/rate-limiter.ts';
import { type Operation, SCRIPT } from '../src/scripts.ts';
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

  async evalsha(sha: string, count: number, ...rest: unknown[]) {
    expect(sha).toBe(SCRIPT.sha);
    const keys = rest.slice(0, count);
    const deadline = Number(rest[count]);
    this.deadlines.push(deadline);
    if (deadline > 0 && this.clock > deadline) throw new Error(`LATE ${this.clock}`);
    return keys.map((key) => (key === 'corrupt' ? new Error('WRONGTYPE') : key));
  }

  async eval(...given: unknown[]): Promise<unknown> {
    return given;
  }

  disconnect() {}
}

const SILENT = { warn() {}, info() {} };
const lookUp = (key: string): Operation => ({ name: 'hasUsed', key, args: [] });

/** A store on this Redis that is up. */
async function storeOn(redis: FakeRedis, options: Partial<Parameters<typeof createStore>[0]> = {}) {
  const client = redis as unknown as Redis;
  const store = createStore({ client, keyPrefix: '', commandTimeoutMs: 60_000, log: SILENT, ...options });
  redis.emit('ready');
  while (store.state().status !== 'up') await new Promise((resolve) => setImmediate(resolve));
  return store;
}

describe('a store of operations', () => {
  let redis: FakeRedis;
  let store: Store;

  beforeEach(async () => {
    redis = new FakeRedis();
    store = await storeOn(redis);
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
    // Where all of them fail, Redis does.
    for (const _ of [1, 2, 3]) expect(await store.run(lookUp('corrupt'))).toBeUndefined();
    expect(store.state()).toMatchObject({ status: 'down', failures: 4 });
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
    const disconnect = jest.spyOn(redis, 'disconnect');
    store.runLater(lookUp('a'));
    await store.close();
    expect([redis.deadlines.length, disconnect.mock.calls]).toEqual([1, [[]]]);
    expect(store.state().status).toBe('down');
  });

  test('decisions and what is used are those of Redis, which is told all limits and what is counted', async () => {
    const operations: Operation[] = [];
    let reply: unknown = 0;
    const run = async (operation: Operation) => {
      operations.push(operation);
      return reply;
    };
    const failing = () => Promise.reject(new Error('not asked'));
    const limiter = createRedisRateLimiter({
      ...{ store: { ...store, run }, fallback: { consume: failing, peek: failing } },
    });
    const limits = { requestsPerMinute: 3, writesPerMinute: 2, burst: 1 };
    const counted = [0, 1, 2, 0];
    for (const [n, write] of [false, true, true, false].entries())
      expect(await limiter.consume('k', limits, { write, isCounted: n > 1 })).toEqual({ allowed: true });
    reply = 7;
    expect(await limiter.consume('k', limits, { write: false })).toEqual({ allowed: false, retryAfterMs: 7 });
    reply = [4, 5];
    expect(await limiter.peek('k', limits)).toEqual({ requests: 4, writes: 5 });
    const key = 'limit:{k}';
    expect(operations).toEqual([
      ...[...counted, 0].map((count) => ({ name: 'consume', key, args: [3, 2, 1, count] })),
      { name: 'peek', key, args: [3, 2, 1] },
    ]);
  });

  test('a script that Redis has lost is sent whole, with the prefixed keys and all arguments', async () => {
    const sent: unknown[][] = [];
    const lost = jest.spyOn(redis, 'evalsha').mockRejectedValue(new Error('NOSCRIPT No matching script.'));
    jest.spyOn(redis, 'eval').mockImplementation(async (...given) => {
      sent.push(given);
      return ['x', 'y'];
    });
    const clock = { now: () => 99 };
    const prefixed = await storeOn(redis, { keyPrefix: 'p:', clock });
    // A probe writes, as a replica would not.
    const probe = ['consume', 1e6, 1e6, 1e6, 0];
    expect(sent.splice(0)).toEqual([[SCRIPT.lua, 1, 'p:limit:{probe}', 0, 99, ...probe]]);
    const operation: Operation = { name: 'consume', key: 'b', args: [1, 2, 3, 0] };
    expect(await Promise.all([prefixed.run(lookUp('a')), prefixed.run(operation)])).toEqual(['x', 'y']);
    expect(sent).toEqual([
      [SCRIPT.lua, 2, 'p:a', 'p:b', 0, 99, 'hasUsed', '', '', '', '', 'consume', 1, 2, 3, 0],
    ]);
    lost.mockRejectedValue(new Error('ERR other'));
    expect(await prefixed.run(operation)).toBeUndefined();
    expect([sent.length, prefixed.state().failures]).toEqual([1, 1]);
    await prefixed.close();
  });

  test.each([
    ['close', null, 'the connection was closed'],
    ['error', new Error('refused'), 'refused'],
    // Of all addresses of a name.
    ['error', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    ['error', 'a text', 'a text'],
  ])('the event %s of the connection begins an outage, with its reason: %p', async (event, error, reason) => {
    const warn = jest.fn();
    const watched = await storeOn(redis, { log: { ...SILENT, warn } });
    redis.emit(event, error);
    expect(watched.state()).toEqual({ status: 'down', timeouts: 0, failures: 0, outages: 1 });
    expect(warn.mock.calls).toEqual([[expect.stringContaining('Redis is unavailable'), { reason }]]);
    await watched.close();
  });

  test('in a cluster each operation is a command of its own, in time by the clock furthest ahead', async () => {
    const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });
    const nodes = [7000, 9000, 8000].map((ms) => {
      const node = new Redis({ lazyConnect: true });
      jest.spyOn(node, 'time').mockResolvedValue([ms / 1000, 0]);
      return node;
    });
    const masters = jest.spyOn(cluster, 'nodes').mockReturnValue([]);
    const refresh = jest.spyOn(cluster, 'refreshSlotsCache').mockImplementation(() => {});
    const sent: unknown[][] = [];
    jest.spyOn(cluster, 'evalsha').mockImplementation(async (...given: unknown[]) => {
      sent.push(given);
      return [given[2]];
    });
    const onCluster = createStore({ client: cluster, keyPrefix: '', commandTimeoutMs: 60_000, log: SILENT });
    cluster.status = 'ready';
    cluster.emit('ready');
    await new Promise((resolve) => setTimeout(resolve));
    expect([onCluster.state().status, masters.mock.calls[0]]).toEqual(['down', ['master']]);
    expect(refresh).toHaveBeenCalled();
    masters.mockReturnValue(nodes);
    cluster.emit('ready');
    while (onCluster.state().status !== 'up') await new Promise((resolve) => setImmediate(resolve));
    sent.length = 0;
    expect(await Promise.all(['a', 'b'].map((key) => onCluster.run(lookUp(key))))).toEqual(['a', 'b']);
    expect(sent.map(([, count, key]) => [count, key])).toEqual([
      [1, 'a'],
      [1, 'b'],
    ]);
    for (const [, , , deadline] of sent) {
      expect(Number(deadline)).toBeGreaterThanOrEqual(9000 + 120_000);
      expect(Number(deadline)).toBeLessThan(9000 + 180_000);
    }
    await onCluster.close();
    for (const node of nodes) node.disconnect();
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
