import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { IDEMPOTENCY_WINDOW_MS, type IdempotencySlot } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { Redis } from 'ioredis';
import { atEnd } from '../../../tools/services/at-end.ts';
import { connected, LONG_TIMEOUT, testUrl } from './connected.ts';

const aSlot = (): IdempotencySlot => ({
  firmId: randomUUID() as FirmId,
  environment: 'live',
  key: `order ${randomUUID()}`,
});

test.each([
  ['Redis', 'TEST_REDIS_URL'],
  ['Redis Cluster', 'TEST_REDIS_CLUSTER_URL'],
] as const)('every process knows an idempotency key that another one has used in %s', async (_, variable) => {
  const here = await connected(testUrl(variable), LONG_TIMEOUT);
  const there = await connected(testUrl(variable), { ...LONG_TIMEOUT, keyPrefix: here.keyPrefix });
  const slot = aSlot();
  expect(await here.usedKeys.has(slot)).toBe(false);
  there.usedKeys.add(slot);
  expect(await eventually(() => here.usedKeys.has(slot))).toBe(true);
});

test('a used key expires after the idempotency window', async () => {
  const url = testUrl('TEST_REDIS_URL');
  const client = new Redis(url);
  atEnd(() => client.disconnect());
  const connection = await connected(url, LONG_TIMEOUT);
  const slot = aSlot();
  connection.usedKeys.add(slot);
  await eventually(() => connection.usedKeys.has(slot));
  const keys = await client.keys(`${connection.keyPrefix}used:*`);
  expect(keys).toHaveLength(1);
  const remainingMs = await client.pttl(keys[0] ?? '');
  expect(remainingMs).toBeLessThanOrEqual(IDEMPOTENCY_WINDOW_MS);
  expect(remainingMs).toBeGreaterThan(IDEMPOTENCY_WINDOW_MS / 2);
});
