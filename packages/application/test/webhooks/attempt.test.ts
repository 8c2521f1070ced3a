import { expect, test } from '@jest/globals';
import { DAY, type FirmId, HOUR, SECOND } from '@svc/domain';
import fc from 'fast-check';
import type { WebhookDelivery, WebhookResult } from '../../src/index.ts';
import {
  attemptOf,
  scheduled,
  WEBHOOK_DELIVERIES_KEPT,
  WEBHOOK_DELIVERIES_KEPT_MS,
} from '../../src/webhooks/attempt.ts';

const delivery = (attemptCount: number): WebhookDelivery => ({
  firmId: 'firm' as FirmId,
  id: 'delivery',
  endpointId: 'endpoint',
  type: 'claims.changed',
  createdAt: 0,
  changesAfter: null,
  changesUntil: null,
  status: 'pending',
  nextAttemptAt: 0,
  attemptCount,
  attempts: [{ at: 1, status: 500, error: null, durationMs: 1 }],
});
const response = (status: number, retryAfterMs: number | null = null): WebhookResult => ({
  status,
  retryAfterMs,
  body: '',
});
const TIMEOUT: WebhookResult = { error: 'timeout' };

test.each([
  [response(199), DAY, 'retried'],
  [response(200), DAY, 'delivered'],
  [response(299), 4 * DAY, 'delivered'],
  [response(300), DAY, 'retried'],
  [response(410), DAY, 'gone'],
  [response(500), 3 * DAY - 1, 'retried'],
  [TIMEOUT, 3 * DAY - 1, 'retried'],
  [TIMEOUT, 3 * DAY, 'failed'],
] as const)('after %j at %d ms, a delivery is %s', (result, now, outcome) => {
  expect(scheduled(delivery(0), result, now, 0).outcome).toBe(outcome);
  const expected =
    'error' in result ? { status: null, error: 'timeout' } : { status: result.status, error: null };
  expect(attemptOf(result, now, now + 84)).toEqual({ at: now, ...expected, durationMs: 84 });
  // A clock that was set back.
  expect(attemptOf(result, now, now - 1).durationMs).toBe(0);
});

test('waits double from two seconds to an hour and a quarter, as long as Retry-After asks, within three days', () => {
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  const asked = fc.option(fc.integer({ min: 0, max: DAY }));
  fc.assert(
    fc.property(fc.nat(40), asked, fc.nat(3 * DAY - 1), fc.boolean(), random, (...given) => {
      const [attempts, askedMs, now, isError, random] = given;
      const next = scheduled(delivery(attempts), isError ? TIMEOUT : response(503, askedMs), now, random);
      const least = Math.min(2 * SECOND * 2 ** attempts, HOUR);
      const retryAfter = isError ? 0 : Math.min(askedMs ?? 0, HOUR);
      const at = 'nextAttemptAt' in next ? next.nextAttemptAt : Number.NaN;
      const within = (waitMs: number): number => Math.min(now + waitMs, 3 * DAY);
      expect(at).toBe(within(Math.max(Math.round(least * (1 + random / 4)), retryAfter)));
    }),
  );
});

test('five hundred deliveries of an endpoint are kept, for fourteen days', () => {
  expect([WEBHOOK_DELIVERIES_KEPT, WEBHOOK_DELIVERIES_KEPT_MS]).toEqual([500, 14 * DAY]);
});
