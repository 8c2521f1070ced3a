import { getEventListeners } from 'node:events';
import { createRequire } from 'node:module';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ERRORS, EXAMPLES, smallestClaim } from '@svc/contract';
import {
  type ApiPromise,
  type CallOptions,
  type Claim,
  type ClaimFilters,
  ClaimsApiError,
  ClaimsConnectionError,
  ClaimsError,
  ClaimsTimeoutError,
  type Client,
  createClient,
  type Hooks,
  isCode,
  type LogLevel,
  type PageOptions,
  type RequestEvent,
  type RetryEvent,
  VERSION,
} from '../src/index.ts';
import {
  collect,
  createTestClient,
  failureOf,
  html,
  json,
  problem,
  type Reply,
  stall,
  stallIgnoringAbort,
  unreachable,
} from './test-client.ts';

const claim = EXAMPLES.sendClaim.response as Claim;
const adjuster = EXAMPLES.inviteAdjuster.response as Record<string, unknown>;
const ID = claim.id;
const sent = json(claim, 201);
const calls: [string, (client: Client, options?: CallOptions) => ApiPromise<unknown>][] = [
  ['claims.send', ({ claims }, options) => claims.send(smallestClaim, options)],
  ['claims.get', ({ claims }, options) => claims.get(ID, options)],
  ['claims.offer', ({ claims }, options) => claims.offer(ID, { adjuster_svc_id: 'A' }, options)],
  ['claims.list', ({ claims }, options) => claims.list({}, options)],
  ['adjusters.list', ({ adjusters }, options) => adjusters.list({}, options)],
  ['adjusters.invite', ({ adjusters }, options) => adjusters.invite({ svc_id: 'A' }, options)],
  ['invitations.withdraw', ({ invitations }, options) => invitations.withdraw('A', options)],
  ['claims.receipt', ({ claims }, options) => claims.receipt(ID, options)],
  ...(
    [
      ...(['acceptClaim', 'rejectClaim', 'closeClaim', 'leaveFirm', 'acceptInvitation'] as const),
      ...(['declineInvitation', 'expireInvitation', 'pauseAdjuster', 'resumeAdjuster'] as const),
      ...(['suspendAdjuster', 'reinstateAdjuster'] as const),
    ] as const
  ).map((name): (typeof calls)[number] => [
    `sandbox.${name}`,
    ({ sandbox }, options) => sandbox[name](ID, options),
  ]),
  [
    'sandbox.simulateFaults',
    ({ sandbox }, options) => sandbox.simulateFaults({ kind: 'dropped', count: 1 }, options),
  ],
  ['sandbox.clearFaults', ({ sandbox }, options) => sandbox.clearFaults(options)],
  ['sandbox.checkReadiness', ({ sandbox }, options) => sandbox.checkReadiness(options)],
  ['request', ({ request }, options) => request({ operation: 'getKeyInfo' }, options)],
  ['me', ({ me }, options) => me(options)],
  ['health', ({ health }, options) => health(options)],
];
const keysOf = (requests: readonly { headers: Headers }[]) =>
  requests.map(({ headers }) => headers.get('idempotency-key'));

describe('a request', () => {
  it('has the key, the unchanged body and an Accept header', async () => {
    const { client, sent: requests } = createTestClient([sent]);
    expect(await client.claims.send(smallestClaim)).toEqual(claim);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST', body: smallestClaim, redirect: 'manual' });
    expect(requests[0]?.url.href).toBe('https://claims.example.com/v1/claims');
    expect(Object.fromEntries(requests[0]?.headers ?? [])).toEqual({
      accept: 'application/json, application/problem+json',
      authorization: 'Bearer svc_test_0123456789',
      'content-type': 'application/json',
      'idempotency-key': 'key-1',
      'user-agent': `svc-client/${VERSION}`,
    });
  });

  it('has the version of the package and the name of the program as User-Agent', async () => {
    const { client, sent: requests } = createTestClient([sent], { userAgent: 'intake/2.1 (batch)' });
    await client.claims.get(ID);
    const manifest = createRequire(import.meta.url)('../package.json') as { version: string };
    expect(requests[0]?.headers.get('user-agent')).toBe(`svc-client/${manifest.version} intake/2.1 (batch)`);
  });

  it('has no body and no idempotency key where the operation takes none', async () => {
    const { client, sent: requests } = createTestClient([json(claim)]);
    await client.request({ operation: 'getClaim', params: { id: ID }, idempotencyKey: 'k' });
    await client.invitations.withdraw('SVC 1/2');
    await client.sandbox.checkReadiness({ since: '2026-08-29' });
    expect(requests.map(({ method, url }) => `${method} ${url.pathname}${url.search}`)).toEqual([
      `GET /v1/claims/${ID}`,
      'DELETE /v1/adjusters/invitations/SVC%201%2F2',
      'GET /v1/test/readiness?since=2026-08-29',
    ]);
    for (const { headers } of requests) {
      expect(headers.has('idempotency-key')).toBe(false);
      expect(headers.has('content-type')).toBe(false);
    }
  });

  it('for health has no key and is not retried by default', async () => {
    const unavailable = problem(503, 'service_unavailable');
    const { client, sent: requests } = createTestClient([unavailable, unavailable, html(200)]);
    await expect(client.health()).rejects.toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(requests).toHaveLength(1);
    expect(await client.health({ maxRetries: 1 })).toBeUndefined();
    expect(requests).toHaveLength(3);
    expect(requests[0]?.headers.has('authorization')).toBe(false);
  });

  it('keeps the path of the base URL', async () => {
    const { client, sent: requests } = createTestClient([json(EXAMPLES.getKeyInfo.response)], {
      baseUrl: 'https://gateway.example.com/claims//',
    });
    await client.me();
    expect(requests[0]?.url.href).toBe('https://gateway.example.com/claims/v1/me');
  });

  it.each(['', '.', '..', undefined, 7])(
    'is not sent for the id %j, which would change the path',
    async (id) => {
      const { client, sent: requests } = createTestClient([json(claim)]);
      expect(await failureOf(client.claims.get(id as string))).toBeInstanceOf(TypeError);
      expect(await failureOf(client.invitations.withdraw(id as string))).toBeInstanceOf(TypeError);
      expect(await failureOf(client.claims.offer(id as string, { adjuster_svc_id: 'A' }))).toBeInstanceOf(
        TypeError,
      );
      expect(requests).toEqual([]);
    },
  );

  it.each(['', ' a', 'a ', 'a\nb', 'ключ', 'x'.repeat(256), 7])(
    'is not sent with the idempotency key %j, which is not a valid header value',
    async (idempotencyKey) => {
      const { client, sent: requests } = createTestClient([sent]);
      const options = { idempotencyKey: idempotencyKey as string };
      expect(await failureOf(client.claims.send(smallestClaim, options))).toBeInstanceOf(TypeError);
      expect(requests).toEqual([]);
    },
  );
});

it('a request is sent with the global fetch of the moment, called on its object, unless another is given', async () => {
  const { client } = createTestClient([], { fetch: undefined });
  const spy = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(claim));
  const got = await client.claims.get(ID);
  const [calls, onGlobal] = [spy.mock.calls, spy.mock.contexts.map((one) => one === globalThis)];
  spy.mockRestore();
  expect([got, onGlobal]).toEqual([claim, [true]]);
  expect(calls).toEqual([
    [`https://claims.example.com/v1/claims/${ID}`, expect.objectContaining({ method: 'GET' })],
  ]);
});

describe('the idempotency key', () => {
  it('differs between calls', async () => {
    const { client, sent: requests } = createTestClient([sent]);
    await client.claims.send(smallestClaim);
    await client.claims.send(smallestClaim);
    await client.claims.offer(ID, { adjuster_svc_id: 'SVC-2' });
    expect(keysOf(requests)).toEqual(['key-1', 'key-2', 'key-3']);
    expect(requests[2]?.body).toEqual({ adjuster_svc_id: 'SVC-2' });
  });

  it('is the given one, retries included', async () => {
    const { client, sent: requests } = createTestClient([unreachable, sent]);
    await client.claims.send(smallestClaim, { idempotencyKey: 'my key' });
    await client.claims.offer(ID, { adjuster_svc_id: 'SVC-2' }, { idempotencyKey: 'x'.repeat(255) });
    const request = { operation: 'sendClaim', body: smallestClaim } as const;
    await client.request({ ...request, idempotencyKey: 'k' });
    await client.request(request);
    expect(keysOf(requests)).toEqual(['my key', 'my key', 'x'.repeat(255), 'k', 'key-1']);
  });
});

describe('a failure', () => {
  const passing: [string, Reply][] = [
    ['no connection', unreachable],
    ['a timeout', stall],
    ['a timeout of a fetch that ignores its signal', stallIgnoringAbort],
    ['a body that breaks off', () => brokenBody(201)],
    ['201 without JSON', html(201)],
    ['201 with JSON that is not an object', json([], 201)],
    ['429 with a problem', problem(429, 'rate_limited', {}, { 'Retry-After': '1' })],
    ['429 from the edge', html(429)],
    ...[500, 502, 503, 504, 599].map((status): [string, Reply] => [`${status} without JSON`, html(status)]),
    ['500 with a problem', problem(500, 'internal_error')],
    ['503 with a problem', problem(503, 'service_unavailable', {}, { 'Retry-After': '2' })],
  ];

  it.each(passing)('that may be temporary is retried: %s', async (_, reply) => {
    const { client, sent: requests } = createTestClient([reply, reply, sent]);
    expect(await client.claims.send(smallestClaim)).toEqual(claim);
    expect(requests).toHaveLength(3);
    expect(keysOf(requests)).toEqual(['key-1', 'key-1', 'key-1']);
    expect(requests.map(({ body }) => body)).toEqual([smallestClaim, smallestClaim, smallestClaim]);
  });

  it.each(passing)('that persists is thrown after the last attempt: %s', async (name, reply) => {
    // A 429 is no attempt that failed.
    const limits = [[0], [undefined, 0], ...(name.startsWith('429') ? [] : [[3]])];
    for (const [ofClient, ofCall] of limits) {
      const { client, sent: requests } = createTestClient([reply], { maxRetries: ofClient });
      const error = await failureOf(client.claims.send(smallestClaim, { maxRetries: ofCall }));
      expect(error).toBeInstanceOf(ClaimsError);
      const attempts = 1 + (ofCall ?? ofClient ?? 0);
      expect([(error as ClaimsError).attempts, requests.length]).toEqual([attempts, attempts]);
    }
  });

  const final = Object.entries(ERRORS)
    .filter(([, { status }]) => status < 500 && ![408, 429].includes(status))
    .map(([code, { status }]): [number, string] => [status, code]);

  it.each([...final, [423, 'a_code_of_tomorrow']] as [number, string][])(
    'with another 4xx is never retried: %d %s',
    async (status, code) => {
      const { client, sent: requests } = createTestClient([
        problem(status, code, {}, { 'Retry-After': '1' }),
        sent,
      ]);
      const error = await failureOf(client.claims.send(smallestClaim));
      expect(error).toBeInstanceOf(ClaimsApiError);
      expect(error).toMatchObject({ status, code, attempts: 1 });
      expect(requests).toHaveLength(1);
    },
  );

  it.each([400, 401, 403, 404, 409, 413, 422, 300, 301, 307, 304])(
    'without a JSON body is handled by its status: %d',
    async (status) => {
      const reply: Reply = () =>
        new Response(status === 304 ? null : '<h1>no</h1>', {
          status,
          headers: { 'X-Request-Id': 'from-header' },
        });
      const { client, sent: requests } = createTestClient([reply, sent]);
      const error = await failureOf(client.claims.send(smallestClaim));
      expect(error).toMatchObject({
        name: 'ClaimsApiError',
        status,
        code: null,
        ...{ requestId: 'from-header', errors: [], existingClaimId: null, existingClaimUrl: null },
        message: expect.stringMatching(status < 400 ? /redirect.*check baseUrl/ : /without a problem/),
      });
      expect(requests).toHaveLength(1);
    },
  );

  it('has all fields of the problem document', async () => {
    const errors = [
      { detail: 'Must be a date.', pointer: '/loss/date' },
      { detail: 'Required.', header: 'Idempotency-Key', hint: 'of tomorrow' },
      ...['no item at all', null, { pointer: '/a' }, { detail: 7, pointer: '/b' }, [{ detail: 'c' }]],
    ];
    const existing = { existing_claim_id: ID, existing_claim_url: `https://x.test/v1/claims/${ID}` };
    const more = { errors, request_id: 'req-9', ...existing };
    const { client } = createTestClient([problem(422, 'validation_failed', more)]);
    const error = await failureOf(client.claims.send(smallestClaim));
    expect(error).toMatchObject({
      status: 422,
      code: 'validation_failed',
      title: 'T',
      detail: 'D',
      type: 'https://x.test/errors#validation_failed',
      requestId: 'req-9',
      errors: errors.slice(0, 2),
      existingClaimId: ID,
      existingClaimUrl: existing.existing_claim_url,
      retryAfterMs: null,
      message: 'validation_failed: D /loss/date: Must be a date.',
    });
  });

  it.each([
    [{ errors: [{ detail: 'No.', parameter: 'limit' }] }, 'c: D limit: No.'],
    [{ errors: [{ detail: 'No.', header: 'Idempotency-Key' }] }, 'c: D Idempotency-Key: No.'],
    [{ errors: [{ detail: 'No.' }], detail: null }, 'c: T No.'],
    [{ detail: null, title: null }, 'c'],
  ])('with %j has a message with what there is', async (more, message) => {
    expect(await failureOf(createTestClient([problem(422, 'c', more)]).client.me())).toMatchObject({
      message,
    });
  });

  it('has a class each for an error response, no connection and a timeout', async () => {
    const kindOf = async (reply: Reply) => {
      const error = await failureOf(createTestClient([reply], { maxRetries: 1 }).client.me());
      return [ClaimsApiError, ClaimsConnectionError, ClaimsTimeoutError].map((kind) => error instanceof kind);
    };
    expect(await kindOf(problem(500, 'internal_error'))).toEqual([true, false, false]);
    expect(await kindOf(unreachable)).toEqual([false, true, false]);
    expect(await kindOf(stall)).toEqual([false, true, true]);
  });

  it('is thrown after five retries, of thirty seconds each, by default', async () => {
    expect(await failureOf(createTestClient([stall]).client.me())).toMatchObject({
      attempts: 6,
      message: 'no response within 30000 ms',
    });
  });

  it.each([
    [new Error('socket', { cause: new Error('connect ECONNREFUSED') }), 'connect ECONNREFUSED'],
    // Of a host with IPv4 and IPv6 addresses.
    [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new AggregateError([]), 'AggregateError'],
    ['aborted', 'aborted'],
    [{}, 'the request failed'],
  ])(
    'of the network by %s has the root cause in its message and the error of fetch as cause',
    async (cause, root) => {
      const thrown = new TypeError('fetch failed', { cause });
      const fetch = () => Promise.reject(thrown);
      const error = await failureOf(createTestClient([], { maxRetries: 0, fetch }).client.me());
      expect(error).toMatchObject({ message: `no response: ${root}`, cause: thrown });
    },
  );

  it.each([
    [html(201), 'status 201 with a body that is no JSON'],
    [json([]), 'status 200 with a body that is not a JSON object'],
  ])('that is a success without a JSON object says so', async (reply, message) => {
    const { client } = createTestClient([reply], { maxRetries: 0 });
    expect(await failureOf(client.me())).toMatchObject({ name: 'ClaimsConnectionError', message });
  });

  it('that persists is thrown when the next attempt would start after the deadline', async () => {
    for (const [, reply] of passing) {
      const { client, now } = createTestClient([reply], {
        maxRetries: Number.POSITIVE_INFINITY,
        deadlineMs: 200_000,
      });
      const begun = now();
      expect(await failureOf(client.claims.send(smallestClaim))).toBeInstanceOf(ClaimsError);
      expect(now() - begun).toBeLessThanOrEqual(200_000);
      // The longest wait is one minute, for the edge proxy.
      expect(now() - begun).toBeGreaterThan(130_000);
    }
  });

  it.each([...passing, ['401', problem(401, 'invalid_key')] as [string, Reply]])(
    'never contains the key: %s',
    async (_, reply) => {
      const events: unknown[] = [];
      const note = (event: unknown) => events.push(event);
      const hooks = { onRequest: note, onResponse: note, onRetry: note };
      const fixture = createTestClient([reply], { maxRetries: 1, ...hooks });
      const error = (await failureOf(fixture.client.claims.send(smallestClaim))) as Error;
      const recorded = `${error.stack} ${JSON.stringify(error)} ${JSON.stringify(events)}`;
      expect(recorded).not.toContain(fixture.apiKey);
    },
  );
});

describe('the wait before a retry', () => {
  const waits = async (replies: readonly Reply[], random: number, options = {}) => {
    const delays: number[] = [];
    const onRetry = ({ delayMs }: RetryEvent) => delays.push(delayMs);
    const fixture = createTestClient([...replies, json(claim)], { ...options, onRetry }, () => random);
    await fixture.client.claims.get(ID);
    const gaps = fixture.sent.slice(1).map(({ at }, i) => at - (fixture.sent[i]?.at ?? 0));
    expect(gaps.map(Math.round)).toEqual(delays.map(Math.round));
    return delays;
  };

  it('grows, with full jitter', async () => {
    const failing = Array.from({ length: 5 }, () => problem(500, 'internal_error'));
    expect(await waits(failing, 0.5)).toEqual([250, 500, 1000, 2000, 4000]);
    expect(await waits(failing, 0)).toEqual([0, 0, 0, 0, 0]);
    const most = await waits([...failing, ...failing], 1, { maxRetries: 10 });
    expect(most.slice(4)).toEqual([8000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  });

  it('can be configured, 0 included', async () => {
    const failing = [unreachable, unreachable, unreachable];
    expect(await waits(failing, 1, { backoff: { baseMs: 0 } })).toEqual([0, 0, 0]);
    expect(await waits(failing, 1, { backoff: { maxMs: 600 } })).toEqual([500, 600, 600]);
    expect(await waits(failing, 1, { backoff: { baseMs: 100, maxMs: 150 } })).toEqual([100, 150, 150]);
  });

  it.each([429, 503])('after %d is at least Retry-After, plus a small jitter', async (status) => {
    const withRetryAfter = problem(status, 'c', {}, { 'Retry-After': '7' });
    expect(await waits([withRetryAfter], 0)).toEqual([7000]);
    expect(await waits([withRetryAfter], 0.999)).toEqual([expect.closeTo(7249.75, 2)]);
  });

  it('after 503 grows beyond a constant Retry-After', async () => {
    const withRetryAfter = problem(503, 'service_unavailable', {}, { 'Retry-After': '1' });
    expect(await waits([withRetryAfter, withRetryAfter, withRetryAfter, withRetryAfter], 1)).toEqual([
      1250, 1250, 2000, 4000,
    ]);
  });

  it('is skipped when it would end at the deadline or later, and the error has its length', async () => {
    const withRetryAfter = problem(429, 'rate_limited', {}, { 'Retry-After': '300' });
    const onRetry = jest.fn();
    const { client, sent: requests } = createTestClient([withRetryAfter], { onRetry }, () => 0);
    expect(await failureOf(client.me())).toMatchObject({ status: 429, retryAfterMs: 300_000, attempts: 1 });
    expect([requests.length, onRetry.mock.calls]).toEqual([1, []]);
    const short = createTestClient([problem(429, 'rate_limited', {}, { 'Retry-After': '1' })]);
    const failure = await failureOf(short.client.me({ deadlineMs: 900 }));
    expect(failure).toMatchObject({ retryAfterMs: 1000, attempts: 1 });
    const withinFiveMinutes = problem(429, 'rate_limited', {}, { 'Retry-After': '299' });
    expect(await waits([withinFiveMinutes], 0)).toEqual([299_000]);
  });

  it.each([429, 503])('after %d may exceed the maximum delay of a timer', async (status) => {
    const month = 31 * 24 * 3600;
    const withRetryAfter = problem(status, 'c', {}, { 'Retry-After': String(month) });
    expect(await waits([withRetryAfter], 0, { deadlineMs: 0 })).toEqual([month * 1000]);
  });
});

describe('a timeout', () => {
  it('applies to each attempt, and leaves no timer', async () => {
    const fixture = createTestClient([stall, stall, json(claim)], { timeoutMs: 1000 }, () => 0);
    await fixture.client.claims.get(ID);
    expect(fixture.sent.map(({ at }) => at - (fixture.sent[0]?.at ?? 0))).toEqual([0, 1000, 2000]);
    expect(fixture.pendingTimers()).toBe(0);
  });

  it('covers the headers and the body of a response', async () => {
    const stalling: Reply = (_, signal) =>
      new Response(failing((fail) => signal.addEventListener('abort', () => fail(signal.reason))));
    const { client } = createTestClient([stalling], { maxRetries: 0, timeoutMs: 1000 });
    expect(await failureOf(client.me())).toMatchObject({
      name: 'ClaimsTimeoutError',
      message: 'no response within 1000 ms',
    });
  });

  it('of 0 sets no timer', async () => {
    const timers: number[] = [];
    const look: Reply = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      timers.push(fixture.pendingTimers());
      return Response.json(claim);
    };
    let fixture = createTestClient([look], { timeoutMs: 0, deadlineMs: 0 });
    expect(await fixture.client.claims.get(ID)).toEqual(claim);
    fixture = createTestClient([look]);
    await fixture.client.claims.get(ID, { timeoutMs: 0, deadlineMs: 0 });
    expect(timers).toEqual([0, 0]);
  });

  it('may exceed the maximum delay of a timer', async () => {
    const options = { timeoutMs: 2 ** 32, deadlineMs: 0, maxRetries: 0 };
    const { client, now } = createTestClient([stall], options);
    const begun = now();
    expect(await failureOf(client.me())).toBeInstanceOf(ClaimsTimeoutError);
    expect(now() - begun).toBe(2 ** 31 - 1);
  });

  it('never exceeds the time until the deadline', async () => {
    const options = { deadlineMs: 2500, maxRetries: 9 };
    const { client, sent: requests } = createTestClient([stall], { ...options, timeoutMs: 1000 }, () => 0);
    expect(await failureOf(client.me())).toMatchObject({ message: 'no response within 500 ms', attempts: 3 });
    expect(requests).toHaveLength(3);
    const untimed = createTestClient([stall], { ...options, timeoutMs: 0 }, () => 0);
    expect(await failureOf(untimed.client.me())).toMatchObject({ message: 'no response within 2500 ms' });
  });
});

describe('an abort', () => {
  const reason = new Error('the user has left');
  const aborted = () => {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  };

  it.each(calls)('before the call prevents the request of %s', async (_, call) => {
    const { client, sent: requests } = createTestClient([json({ data: [] })]);
    const controller = new AbortController();
    const onRequest = jest.fn(() => controller.abort(reason));
    expect(await failureOf(call(client, { signal: aborted(), onRequest }))).toBe(reason);
    expect(onRequest).not.toHaveBeenCalled();
    expect(await failureOf(call(client, { signal: controller.signal, onRequest }))).toBe(reason);
    expect(requests).toEqual([]);
  });

  it.each(calls)('during a request cancels %s immediately, and makes room for another', async (_, call) => {
    for (const reply of [stall, stallIgnoringAbort]) {
      const controller = new AbortController();
      const onRetry = jest.fn();
      const fixture = createTestClient(
        [
          (request, signal) => {
            queueMicrotask(() => controller.abort(reason));
            return reply(request, signal);
          },
          json({ data: [] }),
        ],
        { timeoutMs: 0, maxConcurrency: 1, onRetry },
      );
      expect(await failureOf(call(fixture.client, { signal: controller.signal }))).toBe(reason);
      expect(fixture.sent).toHaveLength(1);
      expect(onRetry).not.toHaveBeenCalled();
      await call(fixture.client);
    }
  });

  it.each(calls.slice(0, -1))('between two attempts cancels %s without another one', async (_, call) => {
    const controller = new AbortController();
    const fixture = createTestClient([html(429)], {
      onRetry: () => queueMicrotask(() => controller.abort(reason)),
    });
    expect(await failureOf(call(fixture.client, { signal: controller.signal }))).toBe(reason);
    expect(fixture.sent).toHaveLength(1);
    expect(fixture.pendingTimers()).toBe(0);
  });

  it('leaves no listener on the signal, also of a call that has waited for another', async () => {
    const { signal } = new AbortController();
    const add = jest.spyOn(signal, 'addEventListener');
    const { client } = createTestClient([unreachable, unreachable, json(claim)], { maxConcurrency: 1 });
    await Promise.all([client.claims.get(ID, { signal }), client.claims.get(ID, { signal })]);
    expect([add.mock.calls.length, getEventListeners(signal, 'abort')]).toEqual([7, []]);
  });
});

describe('the response of a call', () => {
  it('comes with the result, with what a later version adds, for the attempt that succeeded', async () => {
    const future = { ...claim, priority: 'high', assignment: { ...claim.assignment, status: 'on_hold' } };
    const replayed = json(future, 201, { 'Idempotent-Replayed': 'true', 'RateLimit-Policy': 'p' });
    const { client, sent: requests } = createTestClient([html(502), replayed]);
    const { headers, ...response } = await client.claims.send(smallestClaim).withResponse();
    expect(response).toEqual({ data: future, status: 201, requestId: 'req-1', replayed: true });
    expect(headers.get('ratelimit-policy')).toBe('p');
    expect(requests).toHaveLength(2);
  });

  it.each(calls)('is offered by %s, whichever 2xx it is', async (_, call) => {
    const { client } = createTestClient([json({ data: [] }, 299, { 'Idempotent-Replayed': 'false' })]);
    const response = await call(client).withResponse();
    expect(response).toMatchObject({ status: 299, requestId: 'req-1', replayed: false });
  });

  it('that is an error of its operation is reported once, to the caller of withResponse', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const operations: string[] = [];
    const onRequest = ({ operation }: RequestEvent) => operations.push(operation);
    const { client } = createTestClient([problem(404, 'not_found')], { onRequest });
    for (const [, call] of calls) {
      expect(isCode(await failureOf(call(client).withResponse()), 'not_found')).toBe(true);
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(operations).toEqual([
      ...['sendClaim', 'getClaim', 'offerClaim', 'listClaims', 'listAdjusters', 'inviteAdjuster'],
      ...['withdrawInvitation', 'getReceipt', 'acceptTestClaim', 'rejectTestClaim', 'closeTestClaim'],
      ...['departTestAdjuster', 'acceptTestInvitation', 'declineTestInvitation', 'expireTestInvitation'],
      ...['pauseTestAdjuster', 'resumeTestAdjuster', 'suspendTestAdjuster', 'reinstateTestAdjuster'],
      ...['simulateFaults', 'clearFaults', 'checkReadiness', 'getKeyInfo', 'getKeyInfo', 'getHealth'],
    ]);
  });
});

describe('the log', () => {
  const unavailable = problem(503, 'service_unavailable');
  const logged = async (
    logLevel: LogLevel | undefined,
    replies = [unavailable, unavailable, json(claim)],
    call = (client: Client): PromiseLike<unknown> =>
      client.claims.offer(ID, { adjuster_svc_id: 'SVC-7F3K-Delacroix' }),
  ): Promise<string[]> => {
    const lines: string[] = [];
    const spies = (['warn', 'info', 'debug'] as const).map((level) =>
      jest.spyOn(console, level).mockImplementation((line) => void lines.push(`${level} ${line}`)),
    );
    await call(createTestClient(replies, { logLevel }, () => 0.4321).client);
    for (const spy of spies) spy.mockRestore();
    return lines;
  };
  const attempt = (number: number) => `claims: offerClaim (attempt ${number}, key key-1)`;
  const warnings = [217, 433].map(
    (ms, index) => `warn ${attempt(index + 1)} failed: service_unavailable, request req-1; waiting ${ms} ms`,
  );

  it('is off by default, names the call, and has no URL, detail or API key at any level', async () => {
    expect(await logged(undefined)).toEqual([]);
    expect(await logged('warn')).toEqual(warnings);
    const [failed, succeeded] = [503, 200].map(
      (status) => `info claims: offerClaim ${status} in 0 ms, request req-1`,
    );
    expect(await logged('info')).toEqual([failed, warnings[0], failed, warnings[1], succeeded]);
    expect(await logged('debug')).toEqual([
      ...[`debug ${attempt(1)}`, failed, warnings[0]],
      ...[`debug ${attempt(2)}`, failed, warnings[1]],
      ...[`debug ${attempt(3)}`, succeeded],
    ]);
  });

  it('says what there is of a proxy, of no response, of a replay and of a call without a key', async () => {
    const replayed = json(claim, 200, { 'Idempotent-Replayed': 'true' });
    expect(await logged('info', [html(502), unreachable, replayed], ({ me }) => me())).toEqual([
      'info claims: getKeyInfo 502 in 0 ms, request null',
      'warn claims: getKeyInfo (attempt 1) failed: status 502, request null; waiting 217 ms',
      'warn claims: getKeyInfo (attempt 2) failed: no response: connect ECONNREFUSED; waiting 433 ms',
      'info claims: getKeyInfo 200 (replayed) in 0 ms, request req-1',
    ]);
  });
});

describe('hooks', () => {
  it('are called for each request, response and retry, on the client and on the call', async () => {
    const recorded: string[] = [];
    const about = ({ operation, method, url, attempt, idempotencyKey }: RequestEvent) =>
      `${operation} ${method} ${new URL(url).pathname} ${attempt} ${idempotencyKey}`;
    const note = (source: string): Hooks => ({
      onRequest: (event) => void recorded.push(`${source} request ${about(event)}`),
      onResponse: ({ status, requestId, replayed, ...event }) =>
        void recorded.push(`${source} response ${about(event)} ${status} ${requestId} ${replayed}`),
      onRetry: ({ error, delayMs, ...event }) =>
        void recorded.push(`${source} waits ${about(event)} ${delayMs} for ${error.message}`),
    });
    const replayed = json(claim, 201, { 'Idempotent-Replayed': 'true' });
    const { client } = createTestClient(
      [unreachable, problem(500, 'internal_error'), replayed],
      note('client'),
    );
    await client.claims.send(smallestClaim, note('call'));
    const attempt = (n: number) => `sendClaim POST /v1/claims ${n} key-1`;
    const expected = [
      `request ${attempt(1)}`,
      `waits ${attempt(1)} 250 for no response: connect ECONNREFUSED`,
      `request ${attempt(2)}`,
      `response ${attempt(2)} 500 req-1 false`,
      `waits ${attempt(2)} 500 for internal_error: D`,
      `request ${attempt(3)}`,
      `response ${attempt(3)} 201 req-1 true`,
    ];
    expect(recorded).toEqual(expected.flatMap((line) => [`client ${line}`, `call ${line}`]));
  });

  it('get how long each attempt took, without the waits before it', async () => {
    let isRepeated = (): void => {};
    const repeated = new Promise<void>((resolve) => {
      isRepeated = resolve;
    });
    const durations: number[] = [];
    const again: Reply = (request, signal) => {
      isRepeated();
      return json(claim)(request, signal);
    };
    const late: Reply = (request, signal) => repeated.then(() => json(claim)(request, signal));
    const onResponse: Hooks['onResponse'] = ({ durationMs }) => durations.push(durationMs);
    const options = { timeoutMs: 0, deadlineMs: 0, onResponse };
    const { client } = createTestClient([html(502), late, again], options, () => 0.4321);
    await Promise.all([client.claims.get(ID), client.claims.get(ID)]);
    expect(durations.sort()).toEqual([0, 0, 216]);
  });
});

describe('a list', () => {
  const page = (ids: readonly string[], next: unknown): Reply =>
    json({ data: ids.map((id) => ({ id })), next_cursor: next });

  it('is iterated to its end, with the same filters and options on each page', async () => {
    const { client, sent: requests } = createTestClient([
      page(['a', 'b'], 'c/1+='),
      page([], 'c2'),
      page(['c'], ''),
    ]);
    const filters = {
      updated_since: new Date('2026-08-29T16:30:00+02:00'),
      assignment_status: 'rejected',
      external_id: 'Ä & B',
      limit: 2,
    } as const;
    const onResponse = jest.fn();
    const ids = (await collect(client.claims.list(filters, { onResponse }))).map(({ id }) => id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(onResponse).toHaveBeenCalledTimes(3);
    expect(requests.map(({ url }) => Object.fromEntries(url.searchParams))).toEqual(
      [{}, { cursor: 'c/1+=' }, { cursor: 'c2' }].map((cursor) => ({
        updated_since: '2026-08-29T14:30:00.000Z',
        assignment_status: 'rejected',
        external_id: 'Ä & B',
        limit: '2',
        ...cursor,
      })),
    );
  });

  it('passes on a filter that it does not know, so that the service rejects a typo', async () => {
    const { client, sent: requests } = createTestClient([page([], null)]);
    const typo = { status: 'rejected' };
    await client.claims.list(typo as ClaimFilters);
    await client.adjusters.list(typo as PageOptions);
    expect(requests.map(({ url }) => url.search)).toEqual(['?status=rejected', '?status=rejected']);
  });

  it('can be iterated by page, with unknown fields kept', async () => {
    const first = json({ data: [adjuster], next_cursor: 'c', total: 2 });
    const { client } = createTestClient([first, json({ data: [] })]);
    expect(await collect(client.adjusters.list({ limit: 1 }).pages())).toMatchObject([
      { items: [adjuster], next_cursor: 'c', total: 2 },
      { items: [], next_cursor: null },
    ]);
  });

  it('requests no page that is not iterated', async () => {
    const { client, sent: requests } = createTestClient([page(['a', 'b'], 'c')]);
    for await (const { id } of client.claims.list()) if (id === 'b') break;
    expect(requests).toHaveLength(1);
  });

  it('starts again with each iteration, and at a given cursor', async () => {
    const { client, sent: requests } = createTestClient([page(['a'], null)]);
    const list = client.claims.list({ cursor: 'kept' });
    await collect(list);
    await collect(list);
    expect(requests.map(({ url }) => url.search)).toEqual(['?cursor=kept', '?cursor=kept']);
  });

  it('is awaited for its first page, which leads to the next ones with the same filters', async () => {
    const { client, sent: requests } = createTestClient([page(['a'], 'c'), page(['b'], null)]);
    const list = client.claims.list({ limit: 1 });
    expect(requests).toEqual([]);
    const first = await list;
    expect(first).toMatchObject({ items: [{ id: 'a' }], next_cursor: 'c', hasNextPage: true });
    const last = await first.getNextPage();
    expect(last).toMatchObject({ items: [{ id: 'b' }], next_cursor: null, hasNextPage: false });
    expect(() => last.getNextPage()).toThrow(TypeError);
    expect(await list).toBe(first);
    expect((await list.withResponse()).requestId).toBe('req-1');
    const onEnd = jest.fn();
    expect(await list.finally(onEnd)).toBe(first);
    expect(onEnd).toHaveBeenCalledTimes(1);
    const refused = createTestClient([problem(403, 'c')]).client.claims.list();
    expect(await refused.catch(({ code }) => code)).toBe('c');
    expect(requests.map(({ url }) => url.search)).toEqual(['?limit=1', '?limit=1&cursor=c']);
  });

  it('retries the page that failed and no other', async () => {
    const { client, sent: requests } = createTestClient([page(['a'], 'c'), html(502), page(['b'], null)]);
    expect((await collect(client.claims.list())).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(requests.map(({ url }) => url.searchParams.get('cursor'))).toEqual([null, 'c', 'c']);
  });

  it.each([
    ['a cursor that leads to the same page', page(['a'], 'c')],
    ['a document that is not a page', json({ status: 'ok' })],
  ])('fails on %s', async (_, reply) => {
    const { client } = createTestClient([reply]);
    const failure = { name: 'ClaimsConnectionError', attempts: 1 };
    expect(await failureOf(collect(client.claims.list()))).toMatchObject(failure);
  });
});

describe('an invitation, which takes no idempotency key', () => {
  const invitation = { svc_id: 'SVC-7F3K-Delacroix', invited_as: 'Jean Delacroix' };
  const notes = { invited_by: null, purpose: null, note: null };
  const pending = { ...adjuster, ...invitation, ...notes, status: 'pending' };
  const listed = (...data: unknown[]) => json({ data, next_cursor: null });
  const refused = problem(409, 'invitation_pending');
  const limited = problem(429, 'rate_limited', {}, { 'Retry-After': '1' });
  const missing = problem(404, 'not_found');

  it.each([unreachable, stall, html(502)])('whose response was lost is found on its page', async (lost) => {
    const first = json({ data: [{ svc_id: 'other' }], next_cursor: 'c' });
    const last = json({ data: [{}, pending] }, 200, { 'X-Request-Id': 'req-2' });
    const { client, sent: requests } = createTestClient([lost, refused, first, last]);
    const onRequest = jest.fn();
    const inviting = client.adjusters.invite(invitation, { onRequest }).withResponse();
    expect(await inviting).toMatchObject({ data: pending, status: 200, requestId: 'req-2' });
    expect(requests.slice(2).map(({ url }) => url.search)).toEqual(['?limit=200', '?limit=200&cursor=c']);
    expect(onRequest).toHaveBeenCalledTimes(4);
  });

  it('whose response was lost is found although a later attempt was rate limited', async () => {
    const { client } = createTestClient([unreachable, limited, refused, listed(pending)]);
    expect(await client.adjusters.invite(invitation)).toEqual(pending);
  });

  it('is neither found after another error, nor when the call is aborted', async () => {
    const denied = createTestClient([unreachable, problem(403, 'insufficient_scope'), listed(pending)]);
    expect(await failureOf(denied.client.adjusters.invite(invitation))).toMatchObject({ status: 403 });
    const controller = new AbortController();
    const aborting: Reply = (request, signal) => {
      controller.abort(new Error('enough'));
      return stall(request, signal);
    };
    const { signal } = controller;
    const inviting = createTestClient([unreachable, refused, aborting]).client.adjusters;
    expect(await failureOf(inviting.invite(invitation, { signal }))).toEqual(new Error('enough'));
  });

  it.each([
    ['that was sent before', [refused, listed(pending)]],
    ['that was only rate limited', [limited, refused, listed(pending)]],
    ...['invited_as', 'invited_by', 'purpose', 'note'].map((name): [string, Reply[]] => [
      `with another ${name}`,
      [unreachable, refused, listed({ ...pending, [name]: 'by a colleague' })],
    ]),
    ...['declined', 'active', 'withdrawn'].map((status): [string, Reply[]] => [
      `that is ${status}`,
      [unreachable, refused, listed({ ...pending, status })],
    ]),
    ['that is not there', [unreachable, refused, listed()]],
    ['that cannot be looked up', [unreachable, refused, problem(403, 'insufficient_scope')]],
  ])('%s is an error', async (_, replies) => {
    const inviting = createTestClient(replies).client.adjusters.invite(invitation);
    expect(await failureOf(inviting)).toMatchObject({ code: 'invitation_pending' });
  });

  it('is withdrawn even when the response was lost', async () => {
    const withdrawn = { ...pending, status: 'withdrawn' };
    const { client } = createTestClient([unreachable, missing, listed(withdrawn)]);
    expect(await client.invitations.withdraw(invitation.svc_id)).toEqual(withdrawn);
  });

  it.each([
    ['was withdrawn before', [missing, listed({ ...pending, status: 'withdrawn' })]],
    ['is active', [unreachable, missing, listed({ ...pending, status: 'active' })]],
    ['is pending again', [unreachable, missing, listed(pending)]],
  ])('that %s cannot be withdrawn', async (_, replies) => {
    const withdrawing = createTestClient(replies).client.invitations.withdraw(invitation.svc_id);
    expect(await failureOf(withdrawing)).toMatchObject({ code: 'not_found' });
  });
});

it.each([{ timeoutMs: -1 }, { maxRetries: 1.5 }, { deadlineMs: Number.NaN }])(
  'a call with %j is not sent',
  async (wrong) => {
    const { client, sent: requests } = createTestClient([sent]);
    const error = await failureOf(client.claims.send(smallestClaim, wrong));
    expect(error).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(Object.keys(wrong).join()),
    });
    expect(requests).toEqual([]);
  },
);

describe('a client', () => {
  const good = { baseUrl: 'http://127.0.0.1:3000', apiKey: 'svc_test_x' };

  it.each([
    { baseUrl: '' },
    { baseUrl: 'claims.example.com' },
    { baseUrl: 'ftp://claims.example.com' },
    { baseUrl: 'https://user:secret@claims.example.com' },
    ...['?a=b', '#a'].map((end) => ({ baseUrl: `https://claims.example.com/${end}` })),
    { baseUrl: 'https://:secret@claims.example.com' },
    { timeoutMs: -1 },
    { timeoutMs: Number.NaN },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
    { deadlineMs: -1 },
    { deadlineMs: Number.NaN },
    { backoff: { baseMs: -5 } },
    { backoff: { maxMs: -5 } },
    { logLevel: 'verbose' as LogLevel },
    ...['', ' a', 'a\nb', 'é'].map((userAgent) => ({ userAgent })),
    ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY].map((maxConcurrency) => ({ maxConcurrency })),
  ])('is not created with %j', (wrong) => {
    expect(() => createClient({ ...good, ...wrong })).toThrow(TypeError);
  });

  it.each(['', ' svc_test_x', 'svc_test_x\n', 'svc test', 'ключ'])(
    'is not created with the key %j, which the error does not quote',
    (apiKey) => {
      let message = '';
      try {
        createClient({ ...good, apiKey });
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toContain('apiKey must be');
      if (apiKey) expect(message).not.toContain(apiKey);
    },
  );

  describe('whose URL and key are left out', () => {
    const { env } = process;
    afterEach(() => {
      process.env = env;
    });

    it('reads them from CLAIMS_URL and CLAIMS_API_KEY', async () => {
      process.env = { CLAIMS_URL: 'https://env.example.com', CLAIMS_API_KEY: 'svc_live_env' };
      const { client, sent: requests } = createTestClient([json({})], {
        baseUrl: undefined,
        apiKey: undefined,
      });
      await client.me();
      expect(client.environment).toBe('live');
      expect(requests[0]?.url.host).toBe('env.example.com');
      expect(requests[0]?.headers.get('authorization')).toBe('Bearer svc_live_env');
      expect(createClient(good).environment).toBe('test');
      expect(createClient({ ...good, apiKey: 'svc_test' }).environment).toBe('live');
    });

    it.each([
      [{ CLAIMS_API_KEY: 'k' }, 'baseUrl is missing: .* CLAIMS_URL'],
      [{ CLAIMS_URL: 'https://a.test', CLAIMS_API_KEY: '' }, 'apiKey is missing: .* CLAIMS_API_KEY'],
      [{ CLAIMS_URL: 'a.test', CLAIMS_API_KEY: 'k' }, '^CLAIMS_URL must be'],
      [{ CLAIMS_URL: 'https://a.test', CLAIMS_API_KEY: 'a key' }, '^CLAIMS_API_KEY must be'],
    ])('is not created with the variables %j, and the error names the wrong one', (variables, message) => {
      process.env = variables;
      expect(() => createClient()).toThrow(new RegExp(message));
    });
  });
});

function brokenBody(status: number): Response {
  return new Response(
    failing((fail) => fail(new TypeError('terminated'))),
    { status },
  );
}

const failing = (start: (fail: (reason: unknown) => void) => void) =>
  new ReadableStream({ start: (body) => start((reason) => body.error(reason)) });
