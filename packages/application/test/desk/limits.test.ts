import { expect, test } from '@jest/globals';
import type { ApiKey } from '@svc/application';
import { DAY, DEFAULT_LIMITS, type FirmId, HOUR, type KeyId } from '@svc/domain';
import { errorCodeOf } from '@svc/testkit';
import { makeReadLimits } from '../../src/desk/limits.ts';
import { memoryFixture } from '../memory-fixture.ts';

test('a firm reads what its working keys use, and the limited requests of each of its keys by UTC day', async () => {
  const { newFirm, use, memory, clock } = memoryFixture();
  const firm = await newFirm();
  const create = async (environment: 'live' | 'test', lifetimeMs: number | null = null) => {
    clock.advance(1);
    const properties = { firmId: firm.id, environment, purpose: 'claims', lifetimeMs } as const;
    return (await use.createKey(properties)).key;
  };
  await use.setLimits(firm.id, { requestsPerMinute: 900, writesPerMinute: null, burst: 7 });
  const [revoked, live, test] = [await create('live'), await create('live', 2 * HOUR), await create('test')];
  await use.revokeKey(revoked.id);
  await create('live', HOUR);
  clock.advance(HOUR);
  const today = Math.floor(clock.now() / DAY);
  type Key = Pick<ApiKey, 'id' | 'environment'>;
  const counted = ({ id, environment }: Key, daysAgo: number, count: number) => ({
    ...{ keyId: id, environment, day: today - daysAgo, count },
  });
  const counts = [
    ...[counted(live, 0, 1), counted(live, 13, 64), counted(test, 0, 4), counted(revoked, 0, 8)],
    ...[counted({ id: 'deleted' as KeyId, environment: 'test' }, 0, 16), counted(live, 14, 32)],
  ];
  const [asked, used]: [unknown[], unknown[]] = [[], []];
  const deps: Parameters<typeof makeReadLimits>[0] = {
    operatorReads: memory.operatorReads,
    requestLog: {
      ...memory.requestLog,
      async limitedOf(...query) {
        asked.push(query);
        return { counts, since: 5 };
      },
    },
    rateLimiter: {
      consume: async () => ({ allowed: true }),
      async peek(...query) {
        used.push(query);
        return { requests: used.length, writes: 0 };
      },
    },
    clock,
  };
  const readLimits = makeReadLimits(deps);
  const { keys, days, ...others } = await readLimits(firm.id);
  expect(asked).toEqual([[firm.id, (today - 13) * DAY, 2000]]);
  expect(used).toEqual([
    [test.id, { ...DEFAULT_LIMITS.test, requestsPerMinute: 900, burst: 7 }],
    [live.id, { ...DEFAULT_LIMITS.live, requestsPerMinute: 900, burst: 7 }],
  ]);
  expect(keys).toEqual([
    { key: test, used: { requests: 1, writes: 0 }, limited: 4 },
    { key: live, used: { requests: 2, writes: 0 }, limited: 65 },
  ]);
  const quiet = Array.from({ length: 12 }, (_, n) => ({ at: (today - 12 + n) * DAY, live: 0, test: 0 }));
  expect(days).toEqual([
    { at: (today - 13) * DAY, live: 64, test: 0 },
    ...quiet,
    { at: today * DAY, live: 9, test: 20 },
  ]);
  expect(others).toMatchObject({ countedSince: 5, firm: { id: firm.id } });
  const keyPage: typeof memory.operatorReads.keyPage = async (_, { limit }) => ({
    rows: Array.from({ length: limit }, (_, n) => ({
      ...{ ...live, id: `key_${n}` as KeyId, revokedAt: n < 700 ? 1 : null },
    })),
    next: null,
  });
  const many = makeReadLimits({ ...deps, operatorReads: { ...memory.operatorReads, keyPage } });
  const first200 = Array.from({ length: 200 }, (_, n) => `key_${700 + n}`);
  expect((await many(firm.id)).keys.map(({ key }) => key.id)).toEqual(first200);
  expect(await errorCodeOf(readLimits('no firm' as FirmId))).toBe('not_found');
});
