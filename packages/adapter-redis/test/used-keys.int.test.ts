import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { IDEMPOTENCY_WINDOW_MS, type IdempotencySlot } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { Redis } from 'ioredis';
import { atEnd } from '../../../tools/services/at-end.ts';
import { type Connected, connected, LONG_TIMEOUT, testUrl } from './connected.ts';

const aSlot = (): IdempotencySlot => ({
  firmId: randomUUID() as FirmId,
  environment: 'live',
  key: `order ${randomUUID()}`,
});

describe.each([
  ['Redis', 'TEST_REDIS_URL'],
  ['Redis Cluster', 'TEST_REDIS_CLUSTER_URL'],
] as const)('used idempotency keys in %s', (_, variable) => {
  let here: Connected;
  let there: Connected;

  beforeAll(async () => {
    here = await connected(testUrl(variable), LONG_TIMEOUT);
    there = await connected(testUrl(variable), { ...LONG_TIMEOUT, keyPrefix: here.keyPrefix });
  });

  test('every process knows a key that another one has used', async () => {
    const slot = aSlot();
    expect(await here.usedKeys.has(slot)).toBe(false);
    there.usedKeys.add(slot);
    expect(await eventually(() => here.usedKeys.has(slot))).toBe(true);
  });

  test('are separate by firm, environment and key, for any characters in the key', async () => {
    const slot = aSlot();
    here.usedKeys.add(slot);
    await eventually(() => here.usedKeys.has(slot));
    const others: IdempotencySlot[] = [
      { ...slot, firmId: randomUUID() as FirmId },
      { ...slot, environment: 'test' },
      ...[`${slot.key} `, '{}', '}{', '*\r\n', 'é\u{1F600}', 'x'.repeat(255)].map((key) => ({
        ...slot,
        key,
      })),
    ];
    expect(await Promise.all(others.map((other) => here.usedKeys.has(other)))).toEqual(
      others.map(() => false),
    );
  });
});

test('a used key expires after the idempotency window, and neither it nor its firm can be read', async () => {
  const url = testUrl('TEST_REDIS_URL');
  const client = new Redis(url);
  atEnd(() => client.disconnect());
  const connection = await connected(url, LONG_TIMEOUT);
  const slot = aSlot();
  connection.usedKeys.add(slot);
  await eventually(() => connection.usedKeys.has(slot));
  const keys = await client.keys(`${connection.keyPrefix}used:*`);
  expect(keys).toHaveLength(1);
  expect(keys.join()).not.toContain(slot.key);
  expect(keys.join()).not.toContain(slot.firmId);
  const remainingMs = await client.pttl(keys[0] ?? '');
  expect(remainingMs).toBeLessThanOrEqual(IDEMPOTENCY_WINDOW_MS);
  expect(remainingMs).toBeGreaterThan(IDEMPOTENCY_WINDOW_MS / 2);
});
