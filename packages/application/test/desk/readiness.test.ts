import { expect, test } from '@jest/globals';
import { type ClaimId, type FirmId, type KeyId, MINUTE } from '@svc/domain';
import fc from 'fast-check';
import {
  type ClientBehavior,
  type Evidence,
  gradeIntegration,
  isReady,
  type LoggedRequest,
  makeCheckReadiness,
  type ReadinessCheckId,
} from '../../src/index.ts';

const START = Date.UTC(2026, 7, 29);
const ID = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10' as ClaimId;

let count = 0;
/** @param at milliseconds after the start. */
function request(
  at: number,
  operation: string,
  status: number | null,
  behavior: Partial<ClientBehavior> = {},
  code: string | null = null,
): LoggedRequest {
  count += 1;
  return {
    requestId: String(count).padStart(12, '0'),
    at: START + at,
    firmId: 'firm' as FirmId,
    keyId: 'key' as KeyId,
    route: operation,
    status,
    code,
    places: [],
    durationMs: 0,
    behavior: { operation, ...behavior },
  };
}
const SEND = 'POST /v1/claims';
const OFFER = 'POST /v1/claims/{id}/assignment';
const LIST = 'GET /v1/claims';
const send = (at: number, status: number | null, more: Partial<ClientBehavior> = {}) =>
  request(at, SEND, status, { idempotencyKey: 'send', subject: 'claim', ...more });
/** A poll for changes since a time that has read up to another; the last page unless `next` is set. */
const poll = (at: number, since: number, to: number | null, more: Partial<ClientBehavior> = {}, next = '') =>
  request(at, LIST, 200, {
    page: {
      since: START + since,
      from: START + since,
      to: to === null ? null : START + to,
      next: next || null,
      isFiltered: false,
    },
    ...more,
  });
const claim = (status: Evidence['claims'][number]['status'], updatedAt: number) => ({
  id: ID,
  status,
  updatedAt: START + updatedAt,
});

/** Each check with its state. */
function statesOf(requests: LoggedRequest[], claims: Evidence['claims'] = [], now = 60 * MINUTE) {
  const checks = gradeIntegration({ requests, claims, now: START + now });
  return Object.fromEntries(checks.map(({ check, state }) => [check, state]));
}
const stateOf = (check: ReadinessCheckId, ...evidence: Parameters<typeof statesOf>) =>
  statesOf(...evidence)[check];

test('a program that follows the guides passes every check, and fails none with less evidence', () => {
  const answered = { claimId: ID };
  const requests = [
    poll(0, -60_000, null),
    ...[0, 500, 1500, 3500, 7500].map((ms) => send(1000 + ms, 500)),
    send(17_500, 429, { retryAfterMs: 1000 }),
    send(18_600, null),
    send(19_000, 201, answered),
    poll(20_000, -60_000, 19_000, { unknownValue: 'received' }, 'next'),
    poll(20_100, -60_000, 19_000, { cursor: 'next' }),
    request(40_000, OFFER, 200, { idempotencyKey: 'offer', subject: 'offer', ...answered }),
    poll(80_000, -41_000, 70_000),
  ];
  const claims = [claim('accepted', 70_000)];
  expect(isReady(gradeIntegration({ requests, claims, now: START + 60 * MINUTE }))).toBe(true);
  for (const length of requests.keys()) {
    const now = (requests[length]?.at ?? 0) - START;
    const some = statesOf(requests.slice(0, length), now < 70_000 ? [] : claims, now);
    expect(Object.values(some)).not.toContain('failed');
  }
});

test('of nothing, no check passes', () => {
  expect(new Set(Object.values(statesOf([])))).toEqual(new Set(['not_exercised']));
});

test('waits that double with a jitter of up to a half pass, whatever the first wait', () => {
  const retries = fc.record({
    firstMs: fc.integer({ min: 100, max: 2000 }),
    jitters: fc.array(fc.double({ min: 0.5, max: 1, noNaN: true }), { minLength: 4, maxLength: 8 }),
  });
  fc.assert(
    fc.property(retries, ({ firstMs, jitters }) => {
      let at = 0;
      const times = jitters.map((jitter, attempt) => {
        at += firstMs * 2 ** attempt * jitter;
        return at;
      });
      expect(
        stateOf(
          'back_off',
          [0, ...times].map((ms) => send(ms, 500)),
        ),
      ).toBe('passed');
    }),
  );
});

test.each([
  ['every 20 ms, four times', [20, 40, 60, 80], 'failed'],
  ['every few ms, six times', [1, 3, 6, 10, 30, 60], 'failed'],
  ['every second, six times', [1, 2, 3, 4, 5, 6].map((s) => s * 1000), 'failed'],
  ['every second, five times', [1, 2, 3, 4, 5].map((s) => s * 1000), 'not_exercised'],
  ['every half hour', [1, 2, 3, 4, 5, 6].map((n) => n * 30 * MINUTE), 'not_exercised'],
  ['every minute, as polls do', [1, 2, 3, 4, 5, 6].map((n) => n * MINUTE), 'passed'],
] as const)('retries %s: back-off %s', (_, times, state) => {
  expect(
    stateOf(
      'back_off',
      [0, ...times].map((ms) => request(ms, LIST, 503)),
    ),
  ).toBe(state);
});

test('waits for Retry-After are no back-off, and requests that were sent before the response do not ignore it', () => {
  const limited = [0, 1000, 2000, 3000, 4000, 5000, 6000].map((ms) =>
    request(ms, LIST, 503, { retryAfterMs: 1000 }),
  );
  expect(stateOf('back_off', limited)).toBe('not_exercised');
  const slow = { ...request(0, LIST, 429, { retryAfterMs: 2000 }), durationMs: 500 };
  const concurrent = request(400, LIST, 200);
  expect(stateOf('retry_after', [slow, concurrent])).toBe('not_exercised');
  expect(stateOf('retry_after', [slow, concurrent, request(2450, LIST, 200)])).toBe('passed');
  expect(stateOf('retry_after', [slow, concurrent, request(2350, LIST, 200)])).toBe('failed');
});

test('a write that was limited before its body was read is known by its Idempotency-Key', () => {
  const limited = request(0, SEND, 429, { idempotencyKey: 'send', retryAfterMs: 1000 });
  expect(stateOf('lost_writes', [limited, send(1000, 201)])).toBe('passed');
  expect(stateOf('lost_writes', [limited])).toBe('not_exercised');
  expect(stateOf('retry_after', [limited, send(500, 201)])).toBe('failed');
});

test('an outcome is read by a poll that covers it or by a later request for its claim', () => {
  const accepted = [claim('accepted', 5000)];
  const unread = (...requests: LoggedRequest[]) => stateOf('unread_changes', requests, accepted);
  expect(unread(poll(6000, 0, 5000))).toBe('passed');
  expect(unread(poll(6000, 0, 4000, {}, 'next'))).toBe('failed');
  expect(unread(poll(6000, 5001, null))).toBe('failed');
  expect(unread(poll(4000, 0, null))).toBe('failed');
  expect(unread(request(6000, 'GET /v1/claims/{id}', 200, { claimId: ID }))).toBe('passed');
  expect(unread(request(4000, 'GET /v1/claims/{id}', 200, { claimId: ID }))).toBe('failed');
  expect(unread(request(6000, 'GET /v1/claims/{id}', 503, { claimId: ID }))).toBe('failed');
  expect(stateOf('unread_changes', [], [claim('pending_acceptance', 5000)])).toBe('not_exercised');
});

test('an outcome is read if another key of the firm polls, whichever key is graded', () => {
  const evidence = { requests: [send(0, 201)], claims: [claim('accepted', 5000)], now: START + 60 * MINUTE };
  const unread = (more: Partial<Evidence>) =>
    gradeIntegration({ ...evidence, ...more }).find(({ check }) => check === 'unread_changes')?.state;
  expect(unread({})).toBe('failed');
  expect(unread({ reads: [send(0, 201), { ...poll(6000, 0, 5000), keyId: 'other' as KeyId }] })).toBe(
    'passed',
  );
});

test('at most an hour of requests at the limit is checked, and says from when', async () => {
  const sent = Array.from({ length: 4000 }, (_, n) => request(n * 1000, 'GET /v1/me', 200)).toReversed();
  const asked: unknown[] = [];
  const check = makeCheckReadiness({
    requestLog: {
      behaviorOf: async (_, since, limit) => sent.filter(({ at }) => at >= since).slice(0, limit),
    },
    firmReads: {
      async claims(_, environment, { updatedSince }) {
        asked.push([environment, updatedSince]);
        return { rows: [], next: null };
      },
    },
    clock: { now: () => START + 4_000_000 },
  });
  const earliest = sent[3599]?.at;
  expect(await check('firm' as FirmId, { since: START })).toMatchObject({
    ...{ complete: false, requests: 3600, since: earliest, ready: false },
  });
  const since = START + 3_990_000;
  expect(await check('firm' as FirmId, { since })).toMatchObject({ complete: true, requests: 10, since });
  expect(asked).toEqual([
    ['test', earliest],
    ['test', since],
  ]);
});

test('polls leave no gap if a poll that failed is repeated from the same position', () => {
  const first = poll(0, -60_000, null);
  const failed = request(60_000, LIST, 500);
  expect(stateOf('poll_gaps', [first, failed, poll(120_000, -60_000, null)])).toBe('passed');
  expect(stateOf('poll_gaps', [first, failed, poll(120_000, 60_000, null)])).toBe('failed');
  // Only the first page was read, up to 10 s.
  const part = poll(0, -60_000, -10_000, {}, 'next');
  expect(stateOf('poll_gaps', [part, poll(60_000, -5000, null)])).toBe('failed');
});

test('a position in whole seconds, or a first poll of old claims, does not look like a page that was not processed', () => {
  const received = { unknownValue: 'received' } as const;
  const unknown = (...requests: LoggedRequest[]) => stateOf('unknown_values', requests);
  const moved = poll(90_000, 30_000, null);
  expect(unknown(poll(0, 0, 0), poll(1000, 0, 700, received), poll(2000, 0, 700), moved)).not.toBe('failed');
  expect(unknown(poll(0, 0, 0, received), poll(1000, 0, 0), moved)).not.toBe('failed');
  expect(unknown(poll(0, 0, 0), poll(3000, 0, 2500, received), poll(4000, 0, 2500), moved)).toBe('failed');
  expect(unknown(poll(0, 0, 0), poll(3000, 0, 2500, received))).toBe('failed');
});

test('a program that offers a claim a third time processes second outcomes, whatever a person decides later', () => {
  const offer = (at: number, idempotencyKey: string) =>
    request(at, OFFER, 200, { idempotencyKey, subject: 'offer', claimId: ID });
  const twice = [offer(1000, 'one'), offer(3000, 'two'), poll(6000, 0, 5000)];
  expect(stateOf('second_outcomes', twice, [claim('rejected', 5000)])).toBe('not_exercised');
  expect(
    stateOf('second_outcomes', [offer(1000, 'one'), poll(6000, 0, 5000)], [claim('rejected', 5000)]),
  ).toBe('failed');
});
