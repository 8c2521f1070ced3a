import { expect, test } from '@jest/globals';
import { endpoints } from '@svc/contract';
import fc from 'fast-check';
import { createConcurrencyLimit, type Place } from '../src/http/pipeline/concurrency-limit.ts';
import { createLargeResponses } from '../src/http/pipeline/large-responses.ts';
import {
  createPipeline,
  type PipelineDeps,
  type RequestTrace,
} from '../src/http/pipeline/request-pipeline.ts';
import type { HttpProblem } from '../src/http/problems/http-problem.ts';
import { firmRoute, jsonResponse, publicRoute, type Route } from '../src/http/routes/route.ts';

const PLACES = 3;

/** A limit on a simulated clock, and what became of each request. */
function simulated() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const changes: unknown[] = [];
  const limit = createConcurrencyLimit({
    places: PLACES,
    changed: (change) => changes.push(change),
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  });
  /** Promises settle. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const working: Place[] = [];
  let waiting = 0;
  let longestWait = 0;
  return {
    changes,
    working,
    waiting: () => waiting,
    longestWait: () => longestWait,
    now: () => now,
    async enter(): Promise<'works' | 'waits' | 'rejected'> {
      const arrived = now;
      const waited = (): void => {
        waiting -= 1;
        longestWait = Math.max(longestWait, now - arrived);
      };
      try {
        const entered = limit.enter();
        if (!(entered instanceof Promise)) {
          working.push(entered);
          return 'works';
        }
        waiting += 1;
        entered
          .then((place) => void working.push(place))
          .catch(() => {})
          .finally(waited);
        return 'waits';
      } catch (error) {
        expect((error as HttpProblem).extra.unavailable).toBe('overload');
        return 'rejected';
      }
    },
    async leave(): Promise<void> {
      working.shift()?.leave();
      await settle();
    },
    async pass(ms: number): Promise<void> {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
      await settle();
    },
  };
}

type Simulated = ReturnType<typeof simulated>;

/** Requests arrive faster than they are processed, until some are rejected. */
async function overloaded(): Promise<Simulated> {
  const limit = simulated();
  while ((await limit.enter()) !== 'rejected') {
    await limit.pass(50);
    if (limit.now() % 100 === 0) await limit.leave();
  }
  return limit;
}

test('a burst waits and is processed in order of arrival', async () => {
  const limit = simulated();
  const outcomes = [];
  for (let n = 0; n < 10; n += 1) outcomes.push(await limit.enter());
  expect(outcomes).toEqual([...Array(3).fill('works'), ...Array(7).fill('waits')]);
  for (let n = 0; n < 7; n += 1) {
    await limit.leave();
    expect([limit.working.length, limit.waiting()]).toEqual([3, 6 - n]);
  }
  expect(limit.changes).toEqual([]);
});

test('when requests have waited for a second without a break, further ones are rejected at once', async () => {
  const limit = await overloaded();
  expect(limit.now()).toBeGreaterThanOrEqual(1000);
  expect(limit.changes).toEqual([{ isOver: false, rejected: 0 }]);
  // Also when those that waited have been processed.
  while (limit.waiting() > 0) await limit.leave();
  expect([await limit.enter(), limit.working.length]).toEqual(['rejected', PLACES]);
});

test('during an overload a request works at once when there is a place', async () => {
  const limit = await overloaded();
  while (limit.waiting() > 0) await limit.leave();
  await limit.leave();
  expect([await limit.enter(), await limit.enter()]).toEqual(['works', 'rejected']);
});

test('when nothing was rejected for two seconds, requests may wait again', async () => {
  const limit = await overloaded();
  while (limit.waiting() > 0) await limit.leave();
  await limit.pass(1600);
  expect(await limit.enter()).toBe('rejected');
  await limit.pass(1600);
  expect(limit.changes).toHaveLength(1);
  await limit.pass(400);
  expect(limit.changes).toEqual([
    { isOver: false, rejected: 0 },
    { isOver: true, rejected: 2 },
  ]);
  expect(await limit.enter()).toBe('waits');
});

test('more than ten that wait for each place are rejected at once', async () => {
  const limit = simulated();
  for (let n = 0; n < 33; n += 1) expect(await limit.enter()).not.toBe('rejected');
  expect(await limit.enter()).toBe('rejected');
});

test('while a request waits for its client, another has its place, and it goes on without waiting', async () => {
  const limit = simulated();
  for (let n = 0; n < 4; n += 1) await limit.enter();
  let received = (_: string): void => {};
  const [first] = limit.working;
  const body = first?.outside(
    new Promise<string>((resolve) => {
      received = resolve;
    }),
  );
  await limit.pass(0);
  expect(limit.working).toHaveLength(4);
  received('body');
  expect(await body).toBe('body');
  await limit.enter();
  // One more than there are places, so none is free for the next when the first leaves.
  await limit.leave();
  expect([limit.working.length, limit.waiting()]).toEqual([3, 1]);
  await limit.leave();
  expect([limit.working.length, limit.waiting()]).toEqual([3, 0]);
});

test('whatever arrives, places are used, never exceeded, nothing waits over two seconds, and afterwards all are free', async () => {
  const action = fc.oneof(
    { weight: 4, arbitrary: fc.constant('enter' as const) },
    { weight: 2, arbitrary: fc.constant('leave' as const) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 900 }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 120 }), async (actions) => {
      const limit = simulated();
      const broken: string[] = [];
      const check = (): void => {
        if (limit.working.length > PLACES) broken.push('more than the places');
        if (limit.waiting() > 0 && limit.working.length < PLACES) broken.push('waits beside a free place');
        if (limit.longestWait() > 2000) broken.push('waited too long');
      };
      for (const action of actions) {
        if (action === 'leave') await limit.leave();
        else if (action !== 'enter') await limit.pass(action);
        else if ((await limit.enter()) !== 'works' && limit.working.length < PLACES)
          broken.push('not admitted');
        check();
      }
      while (limit.working.length > 0) await limit.leave();
      check();
      for (let n = 0; n < PLACES; n += 1)
        if ((await limit.enter()) !== 'works') broken.push('a place is lost');
      expect(broken).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

type Handle = ReturnType<typeof createPipeline>['handle'];

/** A pipeline with one place for reads and one for writes. */
function pipelineWithLimits({ allowed = true }: { allowed?: boolean } = {}) {
  const steps: string[] = [];
  const grant = {
    firmId: 'firm',
    keyId: 'key',
    environment: 'live',
    purpose: 'full_access',
    plan: 'standard',
    limits: { requestsPerMinute: null, writesPerMinute: null, burst: null },
  };
  let paced = (): void => {};
  const pace = new Promise<void>((resolve) => {
    paced = resolve;
  });
  // Overloaded from the first rejection: nothing may wait.
  const limit = () => createConcurrencyLimit({ places: 1, after: () => () => {}, now: () => 0 });
  const deps = {
    apiKeyAuthenticator: {
      async check() {
        steps.push('authenticated');
        return { grant };
      },
    },
    rateLimiter: { consume: async () => ({ allowed, retryAfterMs: 1000 }) },
    rejectionPace: {
      next(caller: string) {
        steps.push(`paced ${caller}`);
        return caller === 'key' ? pace : Promise.resolve();
      },
    },
    faults: { take: async () => null },
    readLimit: limit(),
    writeLimit: limit(),
  } as unknown as PipelineDeps;
  const { handle } = createPipeline(deps, createLargeResponses());
  const request = (route: Route) => {
    const sent = {
      url: '/',
      headers: { authorization: 'Bearer svc_live_x' },
      rawHeaders: [],
    } as unknown as Parameters<Handle>[2];
    const trace: RequestTrace = { requestId: 'request', clientAddress: '192.0.2.1' };
    return handle(route, {}, sent, {} as Parameters<Handle>[3], trace).then(
      ({ status }) => status,
      ({ code, extra }: HttpProblem) => extra.unavailable ?? code,
    );
  };
  return { request, steps, paced };
}

test('a read that finds no place is rejected before authentication, and health responds', async () => {
  const { request, steps } = pipelineWithLimits();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const read = firmRoute(endpoints.getKeyInfo, async () => {
    await released;
    return jsonResponse({});
  });
  const health = publicRoute(endpoints.getHealth, async () => jsonResponse({ status: 'ok' }));
  const served = Array.from({ length: 11 }, () => request(read));
  expect(await request(read)).toBe('overload');
  expect(steps.toSorted()).toEqual(['authenticated', 'paced ']);
  expect(await request(health)).toBe(200);
  release();
  expect(await Promise.all(served)).toEqual(Array(11).fill(200));
  expect(await request(read)).toBe(200);
});

test('clients over their rate limit wait for the rejection without a place', async () => {
  const { request, steps, paced } = pipelineWithLimits({ allowed: false });
  const read = firmRoute(endpoints.getKeyInfo, async () => jsonResponse({}));
  const rejected = Array.from({ length: 11 }, () => request(read));
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps.filter((step) => step === 'paced key')).toHaveLength(11);
  paced();
  expect(await Promise.all(rejected)).toEqual(Array(11).fill('rate_limited'));
});
