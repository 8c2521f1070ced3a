import { describe, expect, test } from '@jest/globals';
import type { ClaimId, FirmId } from '@svc/domain';
import { singleFlightSuite } from '@svc/testkit';
import { createMemorySingleFlight } from '../src/single-flight.ts';

singleFlightSuite('the memory adapter', async () => ({ processes: [createMemorySingleFlight()] }));

describe('the in-memory single flight', () => {
  test('keeps nothing after an attempt, whether it succeeded or failed', async () => {
    const singleFlight = createMemorySingleFlight();
    const slot = { firmId: 'firm' as FirmId, environment: 'live', key: 'k' } as const;
    const success = Promise.all(
      [1, 2, 3].map(() =>
        singleFlight.run(slot, 'a', async () => ({ claimId: 'c' as ClaimId, replayed: false })),
      ),
    );
    expect(singleFlight.size).toBe(1);
    await success;
    expect(singleFlight.size).toBe(0);
    await Promise.allSettled(
      [1, 2, 3].map(() => singleFlight.run(slot, 'a', () => Promise.reject(new Error('no')))),
    );
    expect(singleFlight.size).toBe(0);
  });
});
