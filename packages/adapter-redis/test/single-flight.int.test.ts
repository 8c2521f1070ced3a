import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Attempt, IDEMPOTENCY_WINDOW_MS, type IdempotencySlot } from '@svc/application';
import type { ClaimId, FirmId } from '@svc/domain';
import { singleFlightSuite } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { Redis } from 'ioredis';
import { type Connected, connected, LONG_TIMEOUT, testUrl } from './connected.ts';

for (const [name, variable] of [
  ['Redis', 'TEST_REDIS_URL'],
  ['Redis Cluster', 'TEST_REDIS_CLUSTER_URL'],
] as const) {
  singleFlightSuite(`${name}, with three processes,`, async () => {
    const keyPrefix = `test:${randomUUID()}:`;
    const one = await connected(testUrl(variable), { ...LONG_TIMEOUT, keyPrefix });
    const others = await Promise.all(
      [1, 2].map(() => connected(testUrl(variable), { ...LONG_TIMEOUT, keyPrefix })),
    );
    const all = [one, ...others];
    return {
      processes: [one.singleFlight, ...others.map(({ singleFlight }) => singleFlight)],
      async close() {
        expect(all.map((connection) => connection.state().failures)).toEqual([0, 0, 0]);
        await Promise.all(all.map((connection) => connection.close()));
      },
    };
  });
}

describe('single flight in Redis', () => {
  let client: Redis;
  let here: Connected;
  let there: Connected;

  const aSlot = (): IdempotencySlot => ({
    firmId: randomUUID() as FirmId,
    environment: 'live',
    key: `order ${randomUUID()}`,
  });
  const created = (): Attempt => ({ claimId: randomUUID() as ClaimId, replayed: false });
  const never = async (): Promise<Attempt> => {
    throw new Error('No attempt should have been made.');
  };
  const keys = () => client.keys(`${here.keyPrefix}single-flight:*`);

  beforeAll(async () => {
    client = new Redis(testUrl('TEST_REDIS_URL'));
    here = await connected(testUrl('TEST_REDIS_URL'), LONG_TIMEOUT);
    there = await connected(testUrl('TEST_REDIS_URL'), { ...LONG_TIMEOUT, keyPrefix: here.keyPrefix });
  });
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    client?.disconnect();
  });

  test('every process replays or rejects a later duplicate without an attempt', async () => {
    const slot = aSlot();
    const outcome = await here.singleFlight.run(slot, 'print', async () => created());
    expect(await here.singleFlight.run(slot, 'print', never)).toEqual({
      claimId: outcome.claimId,
      replayed: true,
    });
    expect(await there.singleFlight.run(slot, 'print', never)).toEqual({
      claimId: outcome.claimId,
      replayed: true,
    });
    for (const { singleFlight } of [here, there]) {
      await expect(singleFlight.run(slot, 'other print', never)).rejects.toMatchObject({
        code: 'idempotency_key_reused',
      });
    }
  });

  test('an outcome expires 24 hours after its attempt began', async () => {
    await client.del(...(await keys()), 'x');
    const [seconds] = await client.time();
    await here.singleFlight.run(aSlot(), 'print', async () => created());
    // Replies on one connection are in order.
    await here.rateLimiter.consume(
      'after',
      { requestsPerMinute: 1, writesPerMinute: 1, burst: 1 },
      { write: false },
    );
    const [key = ''] = await keys();
    const until = Number(await client.call('PEXPIRETIME', key));
    const [now] = await client.time();
    expect(until).toBeGreaterThanOrEqual(Number(seconds) * 1000 + IDEMPOTENCY_WINDOW_MS);
    expect(until).toBeLessThanOrEqual((Number(now) + 1) * 1000 + IDEMPOTENCY_WINDOW_MS);
  });

  test('a replayed outcome of unknown age is not stored', async () => {
    const slot = aSlot();
    const found = { ...created(), replayed: true };
    await here.singleFlight.run(slot, 'print', async () => found);
    let attempts = 0;
    await here.singleFlight.run(slot, 'print', async () => {
      attempts += 1;
      return found;
    });
    expect(attempts).toBe(1);
  });

  test("neither a client's key nor its firm can be read in Redis", async () => {
    const slot = aSlot();
    await here.singleFlight.run(slot, 'print', async () => created());
    const all = (await keys()).join();
    expect(all).not.toContain(slot.key);
    expect(all).not.toContain(slot.firmId);
  });

  test('when the process that holds the slot dies, a duplicate in another process runs its attempt', async () => {
    const killed = await connected(testUrl('TEST_REDIS_URL'), { ...LONG_TIMEOUT, keyPrefix: here.keyPrefix });
    const slot = aSlot();
    let begun = false;
    void killed.singleFlight.run(slot, 'print', () => {
      begun = true;
      return new Promise(() => {});
    });
    await eventually(() => begun);
    await killed.close();
    const outcome = created();
    expect(await there.singleFlight.run(slot, 'print', async () => outcome)).toEqual(outcome);
  });

  test('an attempt longer than the lease keeps its slot', async () => {
    const slot = aSlot();
    const outcome = created();
    let begun = false;
    let finish: (outcome: Attempt) => void = () => {};
    const long = here.singleFlight.run(slot, 'print', () => {
      begun = true;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    await eventually(() => begun);
    const [key = ''] = (await Promise.all((await keys()).map(async (k) => [k, await client.get(k)] as const)))
      .filter(([, value]) => value?.startsWith('in-progress'))
      .map(([k]) => k);
    // The lease decreases and increases when it is renewed.
    const first = await client.pttl(key);
    let lowest = first;
    await eventually(async () => {
      const left = await client.pttl(key);
      lowest = Math.min(lowest, left);
      return left > lowest;
    });
    await expect(there.singleFlight.run(slot, 'other', never)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    finish(outcome);
    expect(await long).toEqual(outcome);
  });

  test('when Redis loses its data during an attempt, each attempt runs and gets its result', async () => {
    const slot = aSlot();
    const outcomes = [created(), created()] as const;
    const second = here.singleFlight.run(slot, 'print', async () => {
      await client.del(...(await keys()), 'x');
      const inner = await there.singleFlight.run(slot, 'print', async () => outcomes[0]);
      expect(inner).toEqual(outcomes[0]);
      return outcomes[1];
    });
    expect(await second).toEqual(outcomes[1]);
  });

  test('an invalid slot value lets the attempt run or rejects it', async () => {
    const slot = aSlot();
    await here.singleFlight.run(slot, 'print', async () => created());
    for (const key of await keys()) {
      await client.del(key);
      await client.hset(key, 'not', 'a string');
    }
    const outcome = created();
    expect(await there.singleFlight.run(slot, 'print', async () => outcome)).toEqual(outcome);
    await client.del(...(await keys()), 'x');
  });
});
