import { describe, expect, test } from '@jest/globals';
import type { ClaimId, FirmId } from '@svc/domain';
import { twinsSuite } from '@svc/testkit';
import { createMemoryTwins } from '../src/single-flight.ts';

twinsSuite('the memory adapter', async () => ({ processes: [createMemoryTwins()] }));

describe('the memory of the twins', () => {
  test('holds nothing once an attempt is over, however it ended', async () => {
    const twins = createMemoryTwins();
    const slot = { firmId: 'firm' as FirmId, environment: 'live', key: 'k' } as const;
    const success = Promise.all(
      [1, 2, 3].map(() => twins.once(slot, 'a', async () => ({ claimId: 'c' as ClaimId, replayed: false }))),
    );
    expect(twins.size).toBe(1);
    await success;
    expect(twins.size).toBe(0);
    await Promise.allSettled(
      [1, 2, 3].map(() => twins.once(slot, 'a', () => Promise.reject(new Error('no')))),
    );
    expect(twins.size).toBe(0);
  });
});
