import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { RELEASE_SLOT } from '../src/scripts.ts';
import { createStore, type Store } from '../src/store.ts';

/** A Redis whose clock can be set forward, with scripts that return whether they were in time. */
class FakeRedis extends EventEmitter {
  readonly status = 'ready';
  clock = 1_800_000_000_000;
  /** ARGV[1] of every script. */
  readonly deadlines: number[] = [];

  async time() {
    return [Math.floor(this.clock / 1000), (this.clock % 1000) * 1000];
  }

  async evalsha(_sha: string, _keys: number, _key: string, deadline: number) {
    this.deadlines.push(deadline);
    if (deadline > 0 && this.clock > deadline) throw new Error(`LATE ${this.clock}`);
    return 'done';
  }

  disconnect() {}
}

describe('the deadline of a command', () => {
  let redis: FakeRedis;
  let store: Store;

  beforeEach(async () => {
    redis = new FakeRedis();
    store = createStore({
      client: redis as unknown as Redis,
      keyPrefix: '',
      commandTimeoutMs: 60_000,
      log: { warn() {}, info() {} },
    });
    redis.emit('ready');
    while (store.state().status !== 'up') await new Promise((resolve) => setImmediate(resolve));
    redis.deadlines.length = 0;
  });
  afterEach(() => store.close());

  test('is a time by the clock of Redis', async () => {
    expect(await store.run(RELEASE_SLOT, 'k', [])).toBe('done');
    expect(redis.deadlines).toHaveLength(1);
    expect(redis.deadlines[0]).toBeGreaterThan(redis.clock);
  });

  test('after the clock of Redis was set forward, one command is retried and no request fails', async () => {
    redis.clock += 3_600_000;
    expect(await store.run(RELEASE_SLOT, 'k', [])).toBe('done');
    expect(redis.deadlines).toEqual([expect.any(Number), 0]);
    expect(await store.run(RELEASE_SLOT, 'k', [])).toBe('done');
    expect(redis.deadlines).toHaveLength(3);
    expect(redis.deadlines[2]).toBeGreaterThan(redis.clock);
    expect(store.state()).toMatchObject({ status: 'up', failures: 0 });
  });
});
