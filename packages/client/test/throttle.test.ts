import { describe, expect, it } from '@jest/globals';
import { EXAMPLES, RATES, smallestClaim } from '@svc/contract';
import type { Claim, Client } from '../src/index.ts';
import {
  countingInFlight,
  createTestClient,
  failureOf,
  html,
  json,
  problem,
  type Reply,
  type Sent,
  START,
  stall,
} from './test-client.ts';

const claim = EXAMPLES.sendClaim.response as Claim;
const created = json(claim, 201);
const refused = (seconds: number) => problem(429, 'rate_limited', {}, { 'Retry-After': String(seconds) });

/** The rate limits of one key: two token buckets, and Retry-After in seconds. */
function limitedService({
  requestsPerMinute,
  writesPerMinute,
  burst,
}: Record<keyof typeof RATES.test, number>) {
  const served = { accepted: [] as Sent[], refused: [] as (Sent & { readonly until: number })[] };
  const bucketOf = (perMinute: number) => {
    let tokens = burst;
    let at = 0;
    return {
      /** Milliseconds until there is a token. */
      waitMs(now: number) {
        tokens = Math.min(burst, tokens + ((now - at) * perMinute) / 60_000);
        at = now;
        return Math.max(0, ((1 - tokens) * 60_000) / perMinute);
      },
      take() {
        tokens -= 1;
      },
    };
  };
  const [requests, writes] = [bucketOf(requestsPerMinute), bucketOf(writesPerMinute)];
  const reply: Reply = (sent, signal) => {
    const buckets = sent.method === 'GET' ? [requests] : [requests, writes];
    const waitMs = Math.max(...buckets.map((bucket) => bucket.waitMs(sent.at)));
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      served.refused.push({ ...sent, until: sent.at + seconds * 1000 });
      return refused(seconds)(sent, signal);
    }
    for (const bucket of buckets) bucket.take();
    served.accepted.push(sent);
    return created(sent, signal);
  };
  return { reply, served };
}

const sendAll = (client: Client, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      client.claims.send({ ...smallestClaim, external_id: `EXT-${i}`, claim_number: `CN-${i}` }),
    ),
  );

const externalId = ({ body }: Sent) => (body as { external_id: string }).external_id;

describe('at the limits of a key', () => {
  it.each([
    // The refill rate sets the minimum time for the 40 writes beyond the burst.
    { environment: 'test', shortest: 80_000, longest: 84_000 },
    { environment: 'live', shortest: 20_000, longest: 24_000 },
  ] as const)(
    'sixty sends at once all arrive in their order, about as fast as a $environment key allows',
    async ({ environment, shortest, longest }) => {
      const { reply, served } = limitedService(RATES[environment]);
      const { client, now, sent } = createTestClient([reply]);
      const begun = now();
      expect(await sendAll(client, 60)).toHaveLength(60);
      expect(served.accepted.map(externalId)).toEqual(Array.from({ length: 60 }, (_, i) => `EXT-${i}`));
      expect(now() - begun).toBeGreaterThanOrEqual(shortest - 1000);
      expect(now() - begun).toBeLessThanOrEqual(longest);
      // After the burst, at most one 429 per accepted request.
      expect(sent.length).toBeLessThanOrEqual(60 + 40 + 40);
    },
  );

  it('no request is sent before Retry-After, and at most three at a time after it', async () => {
    const { reply, served } = limitedService(RATES.test);
    const { client, sent } = createTestClient([reply]);
    await sendAll(client, 60);
    for (const { at, until } of served.refused) {
      expect(sent.filter((other) => other.at > at && other.at < until)).toEqual([]);
    }
    const [start, ...later] = [...new Set(sent.map(({ at }) => at))].map(
      (at) => sent.filter((other) => other.at === at).length,
    );
    // The requests of the burst are in flight at once, and the next ones as soon as those are done.
    expect(start).toBeLessThanOrEqual(2 * RATES.test.burst);
    expect(Math.max(...later)).toBeLessThanOrEqual(3);
  });

  it('reads do not queue behind a batch of writes', async () => {
    const { reply } = limitedService(RATES.test);
    const { client, now } = createTestClient([reply]);
    const begun = now();
    const sending = sendAll(client, 60);
    const withdrawnAt = client.invitations.withdraw('A').then(now);
    await client.claims.get(claim.id);
    expect(now() - begun).toBeLessThanOrEqual(3000);
    await sending;
    expect((await withdrawnAt) - begun).toBeGreaterThan(70_000);
  });

  it('a 429 for a write narrows reads, too', async () => {
    const { client, sent } = createTestClient([refused(1), created]);
    await client.claims.send(smallestClaim);
    const [first, ...others] = Array.from({ length: 9 }, () => client.claims.get(claim.id));
    await first;
    expect(sent.length).toBeLessThanOrEqual(4);
    await Promise.all(others);
  });

  it('pauses get longer while no request is accepted', async () => {
    const { client, sent } = createTestClient(
      [...Array.from({ length: 6 }, () => refused(1)), created],
      {},
      () => 1,
    );
    await client.me();
    const gaps = sent.slice(1).map(({ at }, i) => at - (sent[i]?.at ?? 0));
    expect(gaps).toEqual([1250, 1250, 2000, 4000, 8000, 16_000]);
  });

  it('a response that is no 429 ends the growth of pauses, and a shorter 429 does not shorten one', async () => {
    const delays: number[] = [];
    const onRetry = ({ delayMs }: { readonly delayMs: number }) => delays.push(delayMs);
    const replies = [refused(1), refused(1), refused(1), problem(422, 'validation_failed'), refused(1)];
    const { client } = createTestClient([...replies, created], { onRetry }, () => 1);
    expect(await failureOf(client.me())).toMatchObject({ status: 422 });
    await client.me();
    expect(delays).toEqual([1250, 1250, 2000, 1250]);
    // Neither a failure nor what was accepted during a pause shows that there is room.
    delays.length = 0;
    const failing = [refused(1), refused(1), problem(500, 'internal_error'), refused(1), created];
    await createTestClient(failing, { onRetry }, () => 1).client.me();
    expect(delays.splice(0)).toEqual([1250, 1250, 500, 2000]);
    let paused = (): void => {};
    const isPaused = new Promise<void>((resolve) => {
      paused = resolve;
    });
    const late: Reply = (sent, signal) => isPaused.then(() => created(sent, signal));
    const both = createTestClient(
      [refused(1), late, refused(1), refused(1), created],
      {
        onRetry: (event) => {
          onRetry(event);
          paused();
        },
      },
      () => 1,
    ).client;
    await Promise.all([both.me(), both.claims.get(claim.id)]);
    expect(delays).toEqual([1250, 1250, 2000]);
    const other = createTestClient([refused(5), refused(1), created], {}, () => 0);
    await Promise.all([other.client.me(), other.client.claims.get(claim.id)]);
    expect(other.sent.slice(2).map(({ at }) => at - (other.sent[0]?.at ?? 0))).toEqual([5000, 5000]);
  });

  it('concurrency grows as requests are accepted again', async () => {
    let underWay = 0;
    const most: number[] = [];
    let met = false;
    const slow: Reply = async (sent, signal) => {
      if (!met) {
        met = true;
        return refused(1)(sent, signal);
      }
      most.push(++underWay);
      for (let turn = 0; turn < 100; turn++) await Promise.resolve();
      underWay -= 1;
      return created(sent, signal);
    };
    const { client } = createTestClient([slow]);
    await client.me();
    most.length = 0;
    await sendAll(client, 200);
    expect(most.slice(0, 4)).toEqual([1, 1, 1, 2]);
    expect(Math.max(...most)).toBe(20);
  });

  it.each([1, 3, 20])('at most %d requests are in flight, before and after a 429', async (maxConcurrency) => {
    let inFlight = 0;
    let most = 0;
    let requests = 0;
    const slow: Reply = async (sent, signal) => {
      most = Math.max(most, ++inFlight);
      const turn = ++requests;
      for (let wait = 0; wait < 50; wait++) await Promise.resolve();
      inFlight -= 1;
      return (turn % 40 === 0 ? refused(1) : created)(sent, signal);
    };
    const { client } = createTestClient([slow], { maxConcurrency });
    await sendAll(client, 200);
    expect(most).toBe(maxConcurrency);
  });

  it('a call that is not sent before its deadline, after others, fails without a request', async () => {
    const { client, sent, pendingTimers } = createTestClient([stall], {
      maxConcurrency: 1,
      timeoutMs: 60_000,
      maxRetries: 0,
      deadlineMs: 10_000,
    });
    const first = failureOf(client.claims.get(claim.id, { deadlineMs: 30_000 }));
    expect(await failureOf(client.claims.get(claim.id))).toMatchObject({
      name: 'ClaimsTimeoutError',
      message: 'not sent before its deadline, after other calls: at most 1 are sent at a time',
      attempts: 0,
    });
    expect(await first).toMatchObject({ name: 'ClaimsTimeoutError', attempts: 1 });
    expect(sent).toHaveLength(1);
    expect(pendingTimers()).toBe(0);
  });

  it('a 429 from the edge proxy pauses the client for a minute', async () => {
    const others: Promise<unknown>[] = [];
    const onRetry = () => others.push(client.me(), client.claims.get(claim.id));
    const { client, sent } = createTestClient([html(429), created], { onRetry });
    await client.me();
    await Promise.all(others);
    const [start, ...later] = sent.map(({ at }) => at);
    expect(later).toHaveLength(3);
    for (const at of later) expect(at - (start ?? 0)).toBeGreaterThanOrEqual(60_000);
  });

  it('health does not wait for the rate limit of the key', async () => {
    let health: Promise<void> | undefined;
    const onRetry = () => {
      health = client.health();
    };
    const { client, sent } = createTestClient([refused(100), json({})], { onRetry });
    await client.me();
    await health;
    expect(sent.map(({ url, at }) => `${url.pathname} ${at - (sent[0]?.at ?? 0)}`)).toEqual([
      '/v1/me 0',
      '/v1/health 0',
      '/v1/me 100125',
    ]);
  });
});

describe('a call that cannot be sent before its deadline', () => {
  it('fails as rate_limited with retryAfterMs, also if it was never sent', async () => {
    const { client, now, sent } = createTestClient([refused(60)], { deadlineMs: 10_000 });
    expect(await failureOf(client.me())).toMatchObject({ code: 'rate_limited', attempts: 1 });
    expect(await failureOf(client.claims.send(smallestClaim))).toMatchObject({
      name: 'ClaimsApiError',
      status: 429,
      code: 'rate_limited',
      requestId: 'req-1',
      attempts: 0,
      retryAfterMs: 60_125,
    });
    const before = now();
    // Exactly when the wait ends, no attempt is made.
    expect(await failureOf(client.me({ deadlineMs: 60_125 }))).toMatchObject({ attempts: 0 });
    expect([sent.length, now()]).toEqual([1, before]);
  });

  it('fails by the deadline, and the other calls succeed', async () => {
    const { reply, served } = limitedService(RATES.test);
    const { client, now, pendingTimers } = createTestClient([reply], { deadlineMs: 30_000 });
    const begun = now();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, () => client.claims.send(smallestClaim)),
    );
    const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(now() - begun).toBeLessThanOrEqual(30_000);
    expect(served.accepted.length).toBeGreaterThanOrEqual(20 + 13);
    expect(failed).toHaveLength(60 - served.accepted.length);
    for (const error of failed) expect(error).toMatchObject({ code: 'rate_limited', status: 429 });
    const keyOf = ({ headers }: Sent) => headers.get('idempotency-key') ?? '';
    const arrived = new Set(served.accepted.map(keyOf));
    const attempts = new Map<string, number>();
    for (const key of served.refused.map(keyOf)) attempts.set(key, (attempts.get(key) ?? 0) + 1);
    const made = [...attempts].flatMap(([key, count]) => (arrived.has(key) ? [] : [count]));
    expect(failed.flatMap((error) => error.attempts || []).sort()).toEqual(made.sort());
    expect(pendingTimers()).toBe(0);
  });

  it('a stalled attempt does not block later calls, and makes room for no more once it has ended', async () => {
    const { slow, most } = countingInFlight(created);
    const replies = [refused(1), refused(1), stall, created, created, refused(1), slow];
    const { client, now } = createTestClient(replies, { timeoutMs: 60_000 });
    const begun = now();
    const stalled = client.claims.send(smallestClaim);
    await client.claims.send(smallestClaim);
    expect(now() - begun).toBe(6125);
    expect(await stalled).toEqual(claim);
    expect(now() - begun).toBeGreaterThan(60_000);
    await client.me();
    await sendAll(client, 2);
    expect(most()).toBe(1);
  });

  it('a stalled attempt counts toward the maximum of concurrent requests', async () => {
    const options = { maxConcurrency: 1, timeoutMs: 60_000 };
    const { client, sent } = createTestClient([refused(1), stall, created], options);
    const both = [client.claims.get(claim.id), client.claims.get(claim.id)];
    // The pause has ended before, so nothing says how long to wait.
    const waiting = { status: 429, attempts: 0, retryAfterMs: 0 };
    expect(await failureOf(client.me({ deadlineMs: 30_000 }))).toMatchObject(waiting);
    await Promise.all(both);
    expect(sent.slice(0, 3).map(({ at }) => at - START)).toEqual([0, 1125, 61_125]);
  });

  it('aborting a waiting call lets the next one start', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const waiting: Promise<unknown>[] = [];
    const onRetry = () => {
      waiting.push(
        failureOf(client.claims.send(smallestClaim, { signal })),
        client.claims.send(smallestClaim),
      );
      queueMicrotask(() => controller.abort(new Error('enough')));
    };
    const { client, sent, pendingTimers } = createTestClient([refused(30), created], { onRetry });
    await client.me();
    expect(await Promise.all(waiting)).toEqual([new Error('enough'), claim]);
    expect(sent.map(({ url }) => url.pathname)).toEqual(['/v1/me', '/v1/me', '/v1/claims']);
    expect(pendingTimers()).toBe(0);
  });
});
