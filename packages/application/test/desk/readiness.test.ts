import { expect, test } from '@jest/globals';
import {
  type ClaimId,
  DAY,
  type FirmId,
  type KeyId,
  MINUTE,
  READINESS_CHECKS,
  type ReadinessCheckId,
} from '@svc/domain';
import { aLoggedRequest } from '@svc/testkit';
import fc from 'fast-check';
import {
  AT_ONCE,
  CHECK_TEXTS,
  type ClientBehavior,
  type Evidence,
  gradeInPieces,
  isReady,
  type LoggedRequest,
  makeCheckReadiness,
} from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

/** All pieces at once. */
function gradeIntegration(evidence: Evidence) {
  const grading = gradeInPieces(evidence);
  let step = grading.next();
  while (step.done !== true) step = grading.next();
  return step.value;
}

const START = Date.UTC(2026, 7, 29);
const ID = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10' as ClaimId;

/** @param at milliseconds after the start. */
const request = (
  at: number,
  operation: string,
  status: number | null,
  behavior: Partial<ClientBehavior> = {},
  code: string | null = null,
): LoggedRequest =>
  aLoggedRequest({
    ...{ at: START + at, keyId: 'key' as KeyId, route: operation, status, code, places: [], durationMs: 0 },
    behavior: { operation, ...behavior },
  });
const SEND = 'POST /v1/claims';
const OFFER = 'POST /v1/claims/{id}/assignment';
const [LIST, READ] = ['GET /v1/claims', 'GET /v1/claims/{id}'];
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
/** A write that failed, and its retries after these waits. */
const retries = (...waits: number[]) =>
  [0, ...waits.map((_, n) => waits.slice(0, n + 1).reduce((sum, wait) => sum + wait))].map((at) =>
    send(at, 500),
  );
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

/** Of a program that follows the guides. */
function carefulRequests(): LoggedRequest[] {
  const answered = { claimId: ID };
  return [
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
}

test('a program that follows the guides passes every check, and fails none with less evidence', () => {
  const requests = carefulRequests();
  const claims = [claim('accepted', 70_000)];
  expect(isReady(gradeIntegration({ requests, claims, now: START + 60 * MINUTE }))).toBe(true);
  for (const length of requests.keys()) {
    const now = (requests[length]?.at ?? 0) - START;
    const some = { requests: requests.slice(0, length), claims: now < 70_000 ? [] : claims };
    const checks = gradeIntegration({ ...some, now: START + now });
    expect([isReady(checks), checks.filter(({ state }) => state === 'failed')]).toEqual([false, []]);
  }
});

test('of nothing, no check passes', () => {
  expect(new Set(Object.values(statesOf([])))).toEqual(new Set(['not_exercised']));
});

/** Whether failed requests back off that are sent again after these waits. */
const backOffOf = (waits: readonly number[]) => stateOf('back_off', retries(...waits));
const jitters = (least: number, most: number, minLength: number) =>
  fc.array(fc.double({ min: least, max: most, noNaN: true }), { minLength, maxLength: 20 });

test('waits that double up to a cap, with a jitter of up to a half, pass, whatever the first wait', () => {
  const first = fc.integer({ min: 100, max: 2000 });
  fc.assert(
    fc.property(first, fc.integer({ min: 2, max: 15 }), jitters(0.5, 1, 4), (firstMs, doublings, all) => {
      const cap = Math.min(firstMs * 2 ** doublings, 30_000);
      const waits = all.map((jitter, attempt) => Math.min(firstMs * 2 ** attempt, cap) * jitter);
      expect(backOffOf(waits)).toBe('passed');
    }),
  );
});

test('constant waits fail with any jitter of up to 20 % or 50 ms, also after a retry without a wait', () => {
  const waits = fc.oneof(
    fc
      .record({ ms: fc.integer({ min: 160, max: 8000 }), all: jitters(0.8, 1.2, 6) })
      .map(({ ms, all }) => all.map((jitter) => ms * jitter)),
    fc
      .record({ ms: fc.integer({ min: 125, max: 8000 }), all: jitters(0, 50, 6) })
      .map(({ ms, all }) => all.map((noiseMs) => ms + noiseMs)),
  );
  fc.assert(
    fc.property(waits, fc.boolean(), (all, atOnce) => {
      expect(backOffOf(atOnce ? [2, ...all] : all)).toBe('failed');
    }),
  );
});

test('at most an hour of requests at the limit is checked, and says from when', async () => {
  const sent = Array.from({ length: 4000 }, (_, n) => request(n * 1000, 'GET /v1/me', 200)).toReversed();
  const asked: unknown[] = [];
  const check = makeCheckReadiness({
    requestLog: {
      async behaviorOf(firmId, since, limit, nextPiece) {
        expect([firmId, nextPiece]).toEqual(['firm', AT_ONCE]);
        return sent.filter(({ at }) => at >= since).slice(0, limit);
      },
    },
    firmReads: {
      async claims(firmId, environment, { updatedSince }) {
        asked.push([firmId, environment, updatedSince]);
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
    ['firm', 'test', earliest],
    ['firm', 'test', since],
  ]);
});

test('a program is ready only if all its requests and claims were graded', async () => {
  const { newOffer, memory } = memoryFixture();
  const { firm } = await newOffer();
  const { rows } = await memory.firmReads.claims(firm.id, 'live', {}, { after: null, limit: 1 });
  const changes = { id: ID, createdAt: 0, updatedAt: START + 70_000 };
  const accepted = rows.map((row) => ({
    ...row,
    ...changes,
    assignment: { ...row.assignment, status: 'accepted' as const },
  }));
  const check = (requests: number, claims: number, since = START, id = ID, log = carefulRequests()) =>
    makeCheckReadiness({
      requestLog: {
        behaviorOf: async () => [
          ...log.toReversed(),
          ...Array.from({ length: requests }, () => request(0, 'GET /v1/me', 200)),
        ],
      },
      firmReads: {
        claims: async () => ({
          rows: Array.from({ length: claims }, () => accepted.map((row) => ({ ...row, id }))).flat(),
          next: claims < 1000 ? null : { at: START, id: ID },
        }),
      },
      clock: { now: () => START + 60 * MINUTE },
    })(firm.id, { since, keyId: 'key' as KeyId });
  expect(await check(0, 1)).toMatchObject({ ready: true, complete: true });
  // An outcome is read if another key of the firm polls, whichever key is graded.
  const unread = async (log: LoggedRequest[]) =>
    (await check(0, 1, START, ID, log)).checks.find((one) => one.check === 'unread_changes')?.state;
  const written = carefulRequests().filter(({ route }) => route === OFFER);
  const polled = { ...poll(80_000, -41_000, 70_000), ...OTHER_KEY };
  expect([await unread(written), await unread([...written, polled])]).toEqual(['failed', 'passed']);
  expect(await check(3600 - carefulRequests().length, 1)).toMatchObject({ ready: false, complete: false });
  expect(await check(0, 1000)).toMatchObject({ ready: false, complete: false });
  // The send of a claim may have left the log; without it, the claim is not one of the program's.
  const other = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d11' as ClaimId;
  const full = 3600 - carefulRequests().length;
  expect(await check(full, 1, START + 1, other)).toMatchObject({ ready: false, complete: false });
  expect(await check(0, 1, START + 1, other)).toMatchObject({ complete: true, claims: 0 });
  expect(await check(full, 1, START + 1)).toMatchObject({ complete: true, claims: 1 });
  // The log has no earlier requests.
  expect(await check(0, 1, START - 20 * DAY)).toMatchObject({ ready: true, complete: false });
});

const OTHER_KEY = { keyId: 'other' as KeyId };
const offered = (at: number, status: number, idempotencyKey: string) =>
  request(at, OFFER, status, { idempotencyKey, subject: 'offer', claimId: ID });
const limited = (at: number, retryAfterMs: number) => request(at, LIST, 429, { retryAfterMs });
const limitedSend = (at: number) => send(at, 429, { retryAfterMs: 2000 });
/** Of another claim. */
const otherSend = (at: number) => send(at, 201, { idempotencyKey: `send ${at}`, subject: `claim ${at}` });
const duplicate = (at: number) => request(at, SEND, 409, { subject: 'claim' }, 'duplicate_claim');
const byStatus = (at: number, since: number): LoggedRequest => {
  const { behavior, ...rest } = poll(at, since, null);
  if (behavior?.page === undefined) return rest;
  return { ...rest, behavior: { ...behavior, page: { ...behavior.page, isFiltered: true } } };
};
const PAGE = { since: START - 60_000, from: null, to: null, next: null, isFiltered: false };
const RECEIVED = { unknownValue: 'received' } as const;
/** What a check says of these requests. */
interface Row extends Pick<Evidence, 'claims'> {
  readonly check: ReadinessCheckId;
  readonly passed: number;
  /** Part of the detail, and the requests that show it, by their place in the evidence. */
  readonly findings: readonly { readonly detail: string; readonly requests: readonly number[] }[];
  readonly requests: readonly LoggedRequest[];
  readonly claimId: ClaimId | null;
  readonly now: number;
}
type More = Partial<Pick<Row, 'claims' | 'now' | 'claimId'>>;
const OTHERS = { claims: [], now: 60 * MINUTE, claimId: null };
const right = (check: ReadinessCheckId, passed: number, requests: LoggedRequest[], more: More = {}): Row => ({
  ...{ check, passed, requests, findings: [], ...OTHERS },
  ...more,
});
const wrong = (
  check: ReadinessCheckId,
  detail: string,
  shown: readonly number[],
  requests: LoggedRequest[],
  more: More = {},
): Row => ({ ...right(check, 0, requests, more), findings: [{ detail, requests: shown }] });
const GRACE = 10 * MINUTE;
const [ACCEPTED, REJECTED] = [[claim('accepted', 5000)], [claim('rejected', 5000)]];
const slow = { ...limited(0, 2000), durationMs: 500 };
const read = (at: number, status = 200) => request(at, READ, status, { claimId: ID });
const withoutBody = request(0, SEND, 429, { idempotencyKey: 'send', retryAfterMs: 1000 });
const slowly = (one: LoggedRequest) => ({ ...one, durationMs: 1 });
const refused = (behavior: Partial<ClientBehavior>, code = 'validation_failed', operation = SEND) =>
  request(0, operation, 422, behavior, code);
const AGAIN = [0, 1, 2, 3];
const ROWS: readonly Row[] = [
  ...[null, 408, 425, 500].map((status) =>
    wrong(
      'idempotency_keys',
      'with another Idempotency-Key',
      [0, 1],
      [send(0, status), send(1000, 201, { idempotencyKey: 'new' })],
    ),
  ),
  right('idempotency_keys', 1, [send(0, 500), send(1000, 201)]),
  right('idempotency_keys', 0, [send(0, 400), send(1000, 201, { idempotencyKey: 'new' })]),
  wrong(
    'idempotency_keys',
    'with another request',
    [0],
    [request(0, SEND, 422, {}, 'idempotency_key_reused')],
  ),
  wrong(
    'idempotency_keys',
    'no valid Idempotency-Key',
    [0],
    [{ ...request(0, SEND, 400), places: ['Idempotency-Key:'] }],
  ),
  right('lost_writes', 0, [slowly(send(0, 503))], { now: GRACE + 1 }),
  wrong('lost_writes', 'never sent again', [0], [send(0, 503)], { now: GRACE + 1 }),
  wrong('lost_writes', 'never sent again', [0], [offered(0, 503, 'offer')], { claimId: ID }),
  // The same key with another claim is no retry.
  wrong('lost_writes', 'never sent again', [0], [send(0, 503), send(1000, 422, { subject: 'other' })]),
  right('lost_writes', 1, [send(0, 429), send(1000, 201)]),
  right('lost_writes', 0, [request(0, SEND, 500), request(1000, SEND, 500)]),
  right('lost_writes', 0, [request(0, LIST, 500, { subject: 'claim' })]),
  right('duplicates', 1, [send(0, null), send(1000, 201)]),
  right('duplicates', 0, [send(0, 201)]),
  right('duplicates', 0, [send(0, 500)]),
  wrong('duplicates', 'exists already', [0, 2], [send(0, 201), send(500, 200), duplicate(1000)]),
  wrong('duplicates', 'exists already', [0], [duplicate(0)]),
  wrong('duplicates', 'exists already', [0, 1], [send(0, null), duplicate(1000)]),
  right('retry_after', 1, [limited(0, 2000), request(1900, LIST, 200)]),
  wrong(
    'retry_after',
    'Retry-After was 2 s; the next request came after 1.899 s.',
    [0, 1],
    [limited(0, 2000), ...[1899, 5000].map((at) => request(at, LIST, 200))],
  ),
  wrong('retry_after', 'after 0 s', [0, 1], [slow, request(499, LIST, 200)]),
  right('retry_after', 0, [slow, request(498, LIST, 200)]),
  right('retry_after', 0, [limited(0, 2000), { ...request(500, LIST, 200), ...OTHER_KEY }]),
  right('retry_after', 0, [limited(0, 2000), request(500, 'GET /v1/me', 200), send(600, 201)]),
  right('retry_after', 0, [request(0, READ, 429, { retryAfterMs: 2000 }), read(500)]),
  wrong(
    'retry_after',
    'Retry-After was 2 s; the key sent 3 other requests before',
    [0, 3, 4, 5],
    [limitedSend(0), { ...otherSend(10), status: 429 }, otherSend(249), ...[250, 260, 1899].map(otherSend)],
  ),
  right('retry_after', 0, [limitedSend(0), otherSend(249), otherSend(250), otherSend(260), otherSend(1900)]),
  right('retry_after', 0, [
    limitedSend(0),
    ...[300, 310, 320].flatMap((at) => [{ ...otherSend(at), ...OTHER_KEY }, read(at)]),
  ]),
  right('retry_after', 0, [send(0, 503, { retryAfterMs: 2000 }), ...[300, 310, 320].map(otherSend)]),
  {
    // Its response comes when the first pause ends.
    ...right('retry_after', 0, [
      ...[limitedSend(0), { ...send(1850, 429, { subject: 'b', retryAfterMs: 2000 }), durationMs: 50 }],
      ...[2200, 2210, 2220].map(otherSend),
    ]),
    findings: [{ detail: 'the key sent 3 other requests', requests: [1, 2, 3, 4] }],
  },
  // One finding for a 429 that was ignored in both ways.
  wrong(
    'retry_after',
    'the next request came after 0.3 s.',
    [0, 1],
    [limitedSend(0), send(300, 429, { retryAfterMs: 2000 }), ...[560, 570, 580].map(otherSend)],
  ),
  right('back_off', 0, retries(1, 1, 1)),
  wrong('back_off', 'sent 4 more times, 1 ms apart', [0, 1, 2, 3, 4], retries(1, 1, 1, 1)),
  right('back_off', 0, retries(99, 98, 151, 151)),
  right('back_off', 1, retries(99, 99, 151, 151)),
  right('back_off', 1, retries(100, 100, 100, 170, 170)),
  right('back_off', 1, retries(100, 100, 100, 300, 100, 100)),
  right('back_off', 0, retries(100, 200, 150, 150)),
  right('back_off', 1, retries(49, 50, 200, 400)),
  right('back_off', 1, retries(10_000, 10_000, 10_000, 10_000, 10_000, 10_000)),
  right('back_off', 1, retries(120_001, 120_001, 120_001, 120_001).map(slowly)),
  right('back_off', 0, retries(120_001, 120_001, 120_001, 120_001)),
  // Of a program that gives up before the response; what follows a success is another request.
  wrong(
    'back_off',
    ' 0 ms apart',
    [...AGAIN, 4],
    [...AGAIN, 4].map((n) => slowly(request(n / 2, LIST, 500))),
  ),
  right('back_off', 0, [...retries(1, 1), send(3, 201), send(4, 500), send(5, 500)]),
  right('cursors', 1, [poll(0, 0, 10, {}, 'a'), poll(1000, 0, null, { cursor: 'a' })]),
  wrong('cursors', 'never requested', [0, 1], [poll(0, 0, 10, {}, 'a'), poll(1000, 0, null)], { now: 1000 }),
  right('cursors', 0, [poll(0, 0, 10, {}, 'a'), poll(1000, 0, null, { cursor: 'b' })], { now: 1000 }),
  right('cursors', 0, [slowly(poll(0, 0, 10, {}, 'a'))], { now: GRACE + 1 }),
  ...[null, 399, 408, 425, 429, 500].map((status) =>
    right('cursors', 0, [poll(0, 0, 10, {}, 'a'), request(1, LIST, status, { cursor: 'a' })]),
  ),
  wrong(
    'cursors',
    'never requested',
    [0],
    [poll(0, 0, 10, {}, 'a'), { ...poll(1000, 0, null, { cursor: 'a' }), ...OTHER_KEY }],
  ),
  // A cursor without the filters of the first page is rejected.
  wrong(
    'cursors',
    'rejected with validation_failed: a cursor needs the same filters',
    [0, 1],
    [
      poll(0, 0, 10, {}, 'a'),
      request(100, LIST, 400, { cursor: 'a' }, 'validation_failed'),
      poll(1000, 0, null),
    ],
  ),
  wrong('cursors', 'with 400:', [0, 1], [poll(0, 0, 10, {}, 'a'), request(1, LIST, 400, { cursor: 'a' })]),
  right('cursors', 1, [
    poll(0, 0, 10, {}, 'a'),
    request(100, LIST, 400, { cursor: 'a' }),
    poll(200, 0, null, { cursor: 'a' }),
  ]),
  // The page was lost to an outage, and the poll was repeated.
  right('cursors', 1, [
    poll(0, 0, 10, {}, 'a'),
    request(100, LIST, 503, { cursor: 'a' }),
    poll(1000, 0, 10, {}, 'b'),
    poll(1100, 0, null, { cursor: 'b' }),
  ]),
  right('poll_overlap', 2, [
    poll(0, -120_000, 0, {}, 'a'),
    poll(100, -120_000, 0, { cursor: 'a' }),
    ...[poll(1000, -60_000, -50_000), poll(2000, -50_000, null)],
  ]),
  right('poll_overlap', 1, [poll(0, -120_000, 0), poll(1000, -30_000, 0)]),
  wrong(
    'poll_overlap',
    'updated_since was 29.999 s before the latest updated_at that was read.',
    [0, 1],
    [poll(0, -120_000, 0), poll(1000, -29_999, 0)],
  ),
  {
    ...right('poll_overlap', 1, [
      ...[poll(0, -120_000, 0), poll(1000, 0, 500), poll(2000, 500, 900), poll(3000, -60_000, 900)],
    ]),
    findings: [
      [0, 1],
      [1, 2],
    ].map((requests) => ({ detail: 'updated_since was 0 s before', requests })),
  },
  wrong(
    'poll_overlap',
    'later than the latest updated_at that was read, 2026-08-29T00:00:00.000Z',
    [0, 1],
    [poll(0, -120_000, 0), poll(1000, 1, null)],
  ),
  // Nothing was read yet, or nothing new.
  wrong(
    'poll_overlap',
    'moved on although nothing new was read',
    [0, 1, 2],
    [poll(0, -60_000, null), poll(60_000, 0, null), poll(120_000, 60_000, null)],
  ),
  right(
    'poll_overlap',
    0,
    [-60_000, -60_000, 0, 0].map((since, n) => poll(n * 1000, since, null)),
  ),
  // A program that started a moment ago.
  right('poll_overlap', 0, [poll(0, 0, null), poll(1000, 0, 900), poll(2000, 0, 900)]),
  right('poll_overlap', 0, [
    poll(0, -120_000, 0, {}, 'a'),
    { ...poll(1000, 0, null), ...OTHER_KEY },
    byStatus(1500, 0),
  ]),
  ...[
    ...['malformed_request', 'validation_failed', 'unknown_osaid', 'environment_mismatch'],
    ...['insufficient_scope', 'claim_closed', 'claim_already_accepted'],
  ].map((code) =>
    wrong(
      'rejected_requests',
      `rejected with ${code} was sent 3 more times`,
      AGAIN,
      AGAIN.map((n) => request(n, OFFER, 422, { subject: 'claim', idempotencyKey: `k${n}` }, code)),
    ),
  ),
  ...['claim_closed', 'claim_already_accepted'].map((code) =>
    wrong(
      'rejected_requests',
      `rejected with ${code} was sent 3 more times`,
      AGAIN,
      AGAIN.map((n) => request(n, OFFER, 409, { subject: `offer ${n}`, claimId: ID }, code)),
      { claimId: ID },
    ),
  ),
  ...[
    [refused({ subject: 'a' }), refused({ subject: 'b' })],
    [refused({ subject: 'a' }), refused({ subject: 'a' }, 'malformed_request')],
    [refused({ subject: 'a' }), refused({ subject: 'a' }, 'validation_failed', OFFER)],
    [refused({ subject: 'a' }), { ...refused({ subject: 'a' }), ...OTHER_KEY }],
    [refused({ subject: 'a' }), { ...refused({ subject: 'a' }), places: ['/loss/date'] }],
    [refused({ idempotencyKey: 'a' }), refused({ idempotencyKey: 'b' })],
    [refused({ cursor: 'a' }), refused({ cursor: 'b' })],
    [refused({ claimId: ID }, 'claim_closed'), refused({}, 'claim_closed')],
  ].map((pair) => right('rejected_requests', 0, [...pair, ...pair])),
  right('rejected_requests', 1, [
    ...[0, 1, 2].map((n) => request(n, SEND, 422, { subject: 'claim' }, 'validation_failed')),
    // It may accept later.
    ...AGAIN.map((n) => request(n, OFFER, 422, { subject: 'offer' }, 'adjuster_not_accepting')),
    send(9000, 201),
  ]),
  right('poll_gaps', 3, [
    ...[poll(0, -60_000, null), poll(100, -60_000, -50_000, {}, 'a')],
    ...[poll(1000, 0, 1010), poll(2000, 1010, null)],
  ]),
  wrong(
    'poll_gaps',
    'between 2026-08-29T00:00:00.000Z and 2026-08-29T00:00:00.001Z',
    [0, 1],
    [poll(0, -60_000, null), poll(1000, 1, null)],
  ),
  right('poll_gaps', 1, [
    poll(0, -60_000, -10, {}, 'a'),
    poll(100, -10, null, { cursor: 'a' }),
    poll(200, 100, null),
  ]),
  wrong(
    'poll_gaps',
    'between',
    [1, 2],
    [
      poll(0, -60_000, -10, {}, 'a'),
      poll(100, 0, null, { cursor: 'a', page: { ...PAGE, from: START - 9 } }),
      poll(200, 100, null),
    ],
  ),
  wrong(
    'poll_gaps',
    'between',
    [0, 2],
    [poll(0, -60_000, null), byStatus(100, -60_000), poll(200, 100, null)],
  ),
  wrong(
    'unread_changes',
    'The claim became accepted at 2026-08-29T00:00:05.000Z',
    [1, 3],
    [poll(4000, 0, null), poll(5000, 0, null), send(5500, 201), byStatus(6000, 0), byStatus(7000, 0)],
    { claims: ACCEPTED, claimId: ID },
  ),
  right('unread_changes', 1, [poll(5001, 5000, null)], { claims: ACCEPTED }),
  right('unread_changes', 1, [read(5000)], { claims: ACCEPTED }),
  right('unread_changes', 0, [], { claims: [claim('accepted', 0)], now: GRACE }),
  right('second_outcomes', 1, [offered(5000, 200, 'one'), poll(6000, 0, null)], { claims: ACCEPTED }),
  right('second_outcomes', 0, [offered(5001, 200, 'one'), poll(6000, 0, null)], { claims: ACCEPTED }),
  right('second_outcomes', 0, [offered(1000, 500, 'one'), poll(6000, 0, null)], { claims: ACCEPTED }),
  right('second_outcomes', 0, [offered(1000, 200, 'one'), poll(6000, 0, null)], {
    claims: [claim('pending_acceptance', 5000)],
  }),
  wrong(
    'second_outcomes',
    'became rejected at 2026-08-29T00:00:05.000Z; no unfiltered poll',
    [0],
    [offered(1000, 200, 'one')],
    { claims: REJECTED, claimId: ID },
  ),
  wrong(
    'second_outcomes',
    'That was read, and nothing followed',
    [1, 2],
    [offered(1000, 200, 'one'), offered(2000, 200, 'one'), poll(6000, 0, null)],
    { claims: REJECTED, claimId: ID },
  ),
  right('second_outcomes', 0, [offered(1000, 200, 'one'), slowly(poll(6000, 0, null))], {
    claims: REJECTED,
    now: 6001 + GRACE,
  }),
  right('second_outcomes', 1, [offered(1000, 200, 'one'), poll(6000, 0, null), offered(7000, 409, 'two')], {
    claims: REJECTED,
  }),
  wrong('unknown_values', 'sent back', [0], [request(0, LIST, 400, { unknownValue: 'sent' })]),
  wrong(
    'unknown_values',
    'succeeded, with an unknown value',
    [0, 1],
    [send(0, 201, RECEIVED), send(1000, 201)],
  ),
  right('unknown_values', 0, [
    send(0, 500),
    send(500, 201, RECEIVED),
    send(1000, 201, { idempotencyKey: 'new' }),
  ]),
  right('unknown_values', 0, [send(0, 201), send(500, 201, RECEIVED)]),
  right('unknown_values', 0, [send(0, 500, RECEIVED), send(1000, 201)]),
  right('unknown_values', 0, [request(0, READ, 200, RECEIVED), poll(1000, 0, null)]),
  wrong(
    'unknown_values',
    'no successful poll followed',
    [0],
    [poll(0, 0, 10, RECEIVED, 'a'), poll(1, 0, 20, { cursor: 'b' })],
  ),
  wrong(
    'unknown_values',
    'as if the page had not been processed',
    [1, 2],
    [poll(0, 0, 0), poll(3000, 0, 1001, RECEIVED), poll(4000, 0, null), poll(5000, 9, null)],
  ),
  right('unknown_values', 1, [poll(0, 0, 0), poll(3000, 0, 1001, RECEIVED), poll(4000, 9, null)]),
  right('unknown_values', 1, [poll(0, 0, 0), poll(3000, 0, 1001, RECEIVED), poll(4000, 0, null)]),
  right('unknown_values', 1, [
    ...[poll(0, -9, 0), poll(3000, 0, 1001, RECEIVED, 'a')],
    ...[poll(3100, 0, null, { cursor: 'a' }), poll(5000, 0, null)],
  ]),
  right('unknown_values', 0, [
    poll(0, 0, 0),
    poll(3000, 0, 1000, RECEIVED),
    poll(4000, 0, null),
    poll(5000, 9, null),
  ]),
  // 2xx alone is a success.
  ...[199, 300].flatMap((status) => [
    right('duplicates', 0, [send(0, 500), send(1000, status)]),
    right('unknown_values', 0, [send(0, status, RECEIVED), send(1000, 201)]),
  ]),
  wrong('duplicates', 'exists already', [1, 2], [send(0, null), send(500, 201), duplicate(1000)]),
  right('poll_gaps', 1, [poll(0, -60_000, -10, {}, 'a'), poll(60_000, -10, null)]),
  right('poll_gaps', 0, [
    request(0, LIST, 200, { page: { since: null, from: null, to: null, next: null, isFiltered: false } }),
    poll(60_000, 5000, null),
  ]),
  right('unread_changes', 1, [poll(5500, 0, 5000, {}, 'a')], { claims: ACCEPTED }),
  right('unread_changes', 0, [request(6000, LIST, 200)], { claims: ACCEPTED, now: 6000 }),
  // To read a claim is no reaction to its outcome.
  wrong(
    'second_outcomes',
    'nothing followed',
    [0, 1],
    [offered(4999, 200, 'one'), read(6000), poll(7000, 0, null), read(8000)],
    { claims: REJECTED, claimId: ID },
  ),
  wrong(
    'second_outcomes',
    'nothing followed',
    [2, 3],
    [...[1, 2, 3].map((at) => offered(at, 200, 'one')), poll(6000, 0, null), read(7000), poll(8000, 0, null)],
    { claims: [claim('unassigned', 5000)], claimId: ID },
  ),
  wrong(
    'unknown_values',
    'no successful poll followed',
    [2],
    [
      { ...poll(0, 0, 0), ...OTHER_KEY },
      poll(1, 0, 0),
      poll(3000, 0, 2500, RECEIVED),
      { ...poll(4000, 9, null), ...OTHER_KEY },
    ],
  ),

  right('back_off', 0, retries(1000, 1000, 1000, 1000, 1000)),
  wrong('back_off', 'sent 6 more times', [0, 1, 2, 3, 4, 5, 6], retries(1, 2, 3, 4, 20, 30)),
  // Waits for Retry-After are another check.
  right(
    'back_off',
    0,
    [0, 1, 2, 3, 4, 5, 6].map((s) => request(s * 1000, LIST, 503, { retryAfterMs: 1000 })),
  ),
  // The second was sent before the response to the first.
  right('retry_after', 1, [slow, request(400, LIST, 200), request(2450, LIST, 200)]),
  wrong(
    'retry_after',
    'after 1.85 s',
    [0, 2],
    [{ ...slow, durationMs: 500.4 }, request(400, LIST, 200), request(2350, LIST, 200)],
  ),
  right('lost_writes', 1, [withoutBody, send(1000, 201)]),
  right('lost_writes', 0, [withoutBody]),
  wrong('retry_after', 'after 0.5 s', [0, 1], [withoutBody, send(500, 201)]),
  wrong('retry_after', 'after 0 s', [0, 1], [withoutBody, request(0, SEND, 429, { idempotencyKey: 'send' })]),
  right('unread_changes', 1, [poll(6000, 0, 5000)], { claims: ACCEPTED }),
  right('unread_changes', 1, [request(6000, LIST, 200, { page: { ...PAGE, since: null } })], {
    claims: ACCEPTED,
  }),
  right('unread_changes', 0, [], { claims: [claim('pending_acceptance', 5000)] }),
  // Nor one that is answered after the change alone.
  ...[
    poll(6000, 0, 4000, {}, 'next'),
    poll(6000, 5001, null),
    { ...poll(4990, 0, null), durationMs: 20 },
  ].map((one) =>
    wrong('unread_changes', 'no unfiltered poll', [0], [one], { claims: ACCEPTED, claimId: ID }),
  ),
  ...[read(4000), read(6000, 503)].map((one) =>
    wrong('unread_changes', 'no read of the claim', [], [one], { claims: ACCEPTED, claimId: ID }),
  ),
  right('poll_gaps', 1, [poll(0, -60_000, null), request(60_000, LIST, 500), poll(120_000, -60_000, null)]),
  wrong('poll_gaps', 'between', [0, 1], [poll(0, -60_000, -10_000, {}, 'next'), poll(60_000, -5000, null)]),
  // Of what was read before the first page of the evidence, nothing is said.
  right('poll_gaps', 1, [poll(0, 0, 10, { cursor: 'c' }), poll(60_000, 100, 200), poll(120_000, 150, 200)]),
  right('unknown_values', 0, [poll(0, 0, 0, RECEIVED), poll(1000, 0, 0), poll(90_000, 30_000, null)]),
  // It reacts to second outcomes, whatever a person decides later.
  right('second_outcomes', 0, [offered(1000, 200, 'one'), offered(3000, 200, 'two'), poll(6000, 0, 5000)], {
    claims: REJECTED,
  }),
];

test.each(ROWS.map((row, n) => ({ n, ...row })))(
  'evidence $n, latest request first: $check is right $passed times, and each finding names its requests',
  ({ check, passed, findings, requests, claims, claimId, now }) => {
    const { behavior: _none, ...outside } = request(2, LIST, 500);
    const graded = gradeIntegration({
      requests: [...requests.toReversed(), outside],
      claims,
      now: START + now,
    }).find((result) => result.check === check);
    const found = graded?.findings.map((finding) => ({
      ...finding,
      requests: finding.requests.map(({ requestId }) =>
        requests.findIndex((shown) => shown.requestId === requestId),
      ),
    }));
    expect({ passed: graded?.passed, found }).toEqual({
      passed,
      found: findings.map(({ detail, requests: shown }) => ({
        detail: expect.stringContaining(detail),
        requests: shown,
        claimId,
      })),
    });
  },
);

test('each check has its title, its change and its exercise', () => {
  const shown = READINESS_CHECKS.map((check) => {
    const { title, change, exercise } = CHECK_TEXTS[check];
    for (const text of [title, `${change}.`, exercise]) expect(text).toMatch(/^[A-Z].*[a-z_.]$/);
    const [firstOfTitle, firstOfChange] = [title, change].map((text) => text.split(' ', 2).join(' '));
    return [check, firstOfTitle, firstOfChange, / fault (\w+)/.exec(exercise)?.[1]].join(': ');
  });
  expect(shown).toEqual([
    'idempotency_keys: Retries have: Derive the: dropped',
    'lost_writes: Every write: Keep a: service_unavailable',
    'duplicates: No claim: Record a: dropped',
    'retry_after: Retry-After is: Pause all: rate_limited',
    'back_off: Retries back: Double the: internal_error',
    'cursors: Polls follow: Request the: short_page',
    'poll_gaps: Polls leave: Poll with: ',
    'poll_overlap: Polls overlap: Set updated_since: ',
    'unread_changes: Every outcome: Poll GET: ',
    'second_outcomes: A second: Skip a: ',
    'unknown_values: Unknown values: Ignore unknown: unknown_value',
    'rejected_requests: Rejected requests: After a: ',
  ]);
});

test('of one key its requests are graded, with some thousand claims of the firm; without requests, no claims', async () => {
  const { newOffer, memory } = memoryFixture();
  const { firm } = await newOffer();
  const { rows } = await memory.firmReads.claims(firm.id, 'live', {}, { after: null, limit: 1 });
  const [{ id } = { id: ID }] = rows;
  // Sent before the period, and not a claim that another key could not offer.
  const earlier = [send(-2 * DAY, null, { claimId: id }), request(-2 * DAY, OFFER, 409, { claimId: ID })];
  const sent = [request(1, LIST, 503), { ...request(0, LIST, 200), ...OTHER_KEY }, ...earlier];
  let pages = 0;
  const check = makeCheckReadiness({
    requestLog: { behaviorOf: async (_, since) => sent.filter(({ at }) => at >= since) },
    firmReads: {
      async claims(_firmId, _environment, _filter, { after, limit }) {
        expect([limit, after === null]).toEqual([200, pages === 0]);
        pages += 1;
        const some = Array.from({ length: limit }, () => rows).flat();
        if (pages === uploadedAt) return { rows: some.map((row) => ({ ...row, id: ID })), next: null };
        return { rows: some, next: pages === endAt ? null : { at: START, id: ID } };
      },
    },
    clock: { now: () => START + 60 * MINUTE },
  });
  let endAt = 5;
  let uploadedAt = 0;
  const key = { keyId: 'key' as KeyId };
  const all = { complete: true, requests: 1, claims: 1000 };
  expect(await check(firm.id, { since: START, ...key })).toMatchObject(all);
  pages = 0;
  endAt = 6;
  expect(await check(firm.id, { since: undefined, ...OTHER_KEY })).toMatchObject({
    ...{ ...all, complete: false, since: START + 60 * MINUTE - DAY },
  });
  expect(pages).toBe(5);
  pages = 0;
  const none = { keyId: 'none' as KeyId };
  expect(await check(firm.id, { since: START, ...none })).toMatchObject({ requests: 0, claims: 0 });
  pages = 0;
  endAt = 1;
  // Older requests are deleted.
  expect(await check(firm.id, { since: 0 })).toMatchObject({ complete: false, requests: 4, claims: 200 });
  pages = 0;
  uploadedAt = 1;
  expect(await check(firm.id, { since: START })).toMatchObject({ requests: 2, claims: 0 });
});
