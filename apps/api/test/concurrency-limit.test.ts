import { EventEmitter } from 'node:events';
import { expect, jest, test } from '@jest/globals';
import { endpoints } from '@svc/contract';
import type { FaultKind } from '@svc/domain';
import { later } from '@svc/testkit/eventually';
import fc from 'fast-check';
import {
  type ConcurrencyLimit,
  createConcurrencyLimit,
  type Permit,
  type Waiting,
} from '../src/http/limits/concurrency-limit.ts';
import { createLargeResponses } from '../src/http/limits/large-responses.ts';
import type { LongWorkKind } from '../src/http/limits/turns.ts';
import { createPipeline, type PipelineDeps } from '../src/http/pipeline/request-pipeline.ts';
import { asHttpProblem, type HttpProblem } from '../src/http/problems/http-problem.ts';
import type { RequestTrace } from '../src/http/request-log.ts';
import { agentRoute, firmRoute, jsonResponse, openRoute, type Route } from '../src/http/routes/route.ts';

const PERMITS = 3;

/** Promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A limit on a simulated clock, and the outcome of each request. */
function simulated() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const changes: unknown[] = [];
  const limit = createConcurrencyLimit({
    permits: PERMITS,
    changed: (change) => changes.push(change),
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  });
  const working: Permit[] = [];
  /** Oldest first. */
  const queue = new Set<Waiting>();
  /** What waits for its client, oldest first. */
  const paused: { readonly permit: Permit; readonly resume: () => void; hasEnded: boolean }[] = [];
  let longestWait = 0;
  return {
    changes,
    working,
    waiting: () => queue.size,
    paused: () => paused.length,
    longestWait: () => longestWait,
    now: () => now,
    async acquire(): Promise<'works' | 'waits' | 'rejected'> {
      const arrived = now;
      try {
        const acquired = limit.acquire();
        if (!('permit' in acquired)) {
          working.push(acquired);
          return 'works';
        }
        queue.add(acquired);
        acquired.permit
          .then((permit) => void working.push(permit))
          .catch(() => {})
          .finally(() => {
            queue.delete(acquired);
            longestWait = Math.max(longestWait, now - arrived);
          });
        return 'waits';
      } catch (error) {
        expect((error as HttpProblem).extra.unavailable).toBe('overload');
        return 'rejected';
      }
    },
    async release(): Promise<void> {
      working.shift()?.release();
      await settle();
    },
    /** Cancels the oldest in the queue. */
    async cancel(): Promise<void> {
      const [oldest] = queue;
      oldest?.cancel();
      await settle();
    },
    /** The oldest at work waits for its client. */
    async pause(): Promise<void> {
      const permit = working.shift();
      if (permit === undefined) return;
      const { promise: client, resolve: resume } = later();
      const waits = { permit, resume, hasEnded: false };
      paused.push(waits);
      void permit.releaseWhile(client).then(() => waits.hasEnded || working.push(permit));
      await settle();
    },
    /** The one that has waited longest for its client continues. */
    async resume(): Promise<void> {
      paused.shift()?.resume();
      await settle();
    },
    /** Its request ends, though its work goes on. */
    async expire(): Promise<void> {
      const waits = paused.find(({ hasEnded }) => !hasEnded);
      if (waits === undefined) return;
      waits.hasEnded = true;
      waits.permit.release();
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
        await settle();
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
  while ((await limit.acquire()) !== 'rejected') {
    await limit.pass(50);
    if (limit.now() % 100 === 0) await limit.release();
  }
  return limit;
}

test('a burst waits and is processed in order of arrival, and not before the permits beyond the limit are released', async () => {
  const limit = simulated();
  const outcomes = [];
  for (let n = 0; n < 10; n += 1) outcomes.push(await limit.acquire());
  expect(outcomes).toEqual([...Array(3).fill('works'), ...Array(7).fill('waits')]);
  for (let n = 0; n < 7; n += 1) {
    await limit.release();
    expect([limit.working.length, limit.waiting()]).toEqual([3, 6 - n]);
  }
  await limit.pause();
  expect([await limit.acquire(), await limit.acquire()]).toEqual(['works', 'waits']);
  await limit.resume();
  await limit.release();
  expect([limit.working.length, limit.waiting()]).toEqual([3, 1]);
  expect(limit.changes).toEqual([]);
});

test('when requests have waited for a second without a break, further ones are rejected at once', async () => {
  const limit = await overloaded();
  expect(limit.now()).toBeGreaterThanOrEqual(1000);
  expect(limit.changes).toEqual([{ isOver: false, rejected: 0 }]);
  // Also when those that waited have been processed.
  while (limit.waiting() > 0) await limit.release();
  expect([await limit.acquire(), limit.working.length]).toEqual(['rejected', PERMITS]);
});

test('when nothing was rejected for two seconds, requests may wait again', async () => {
  const limit = await overloaded();
  while (limit.waiting() > 0) await limit.release();
  await limit.pass(1600);
  expect(await limit.acquire()).toBe('rejected');
  await limit.pass(1600);
  expect(limit.changes).toHaveLength(1);
  await limit.pass(400);
  expect(limit.changes).toEqual([
    { isOver: false, rejected: 0 },
    { isOver: true, rejected: 2 },
  ]);
  expect(await limit.acquire()).toBe('waits');
});

test('more than ten that wait for each permit are rejected at once, which is reported with their number', async () => {
  const limit = simulated();
  // A later overload is reported as the first one.
  for (const before of [0, 2]) {
    for (let n = 0; n < 33; n += 1) expect(await limit.acquire()).not.toBe('rejected');
    expect(limit.changes).toHaveLength(before);
    expect(await limit.acquire()).toBe('rejected');
    expect(limit.changes.slice(before)).toEqual([{ isOver: false, rejected: 0 }]);
    await limit.release();
    expect(await limit.acquire()).toBe('waits');
    while (limit.working.length > 0) await limit.release();
    await limit.pass(2000);
    expect(limit.changes.slice(before + 1)).toEqual([{ isOver: true, rejected: 1 }]);
  }
});

test('requests rejected after two seconds in the queue are reported with their number', async () => {
  const limit = simulated();
  for (let n = 0; n < 5; n += 1) await limit.acquire();
  await limit.pass(1999);
  expect(limit.changes).toEqual([]);
  await limit.pass(1);
  expect([limit.waiting(), limit.changes]).toEqual([0, [{ isOver: false, rejected: 0 }]]);
  await limit.pass(2000);
  expect(limit.changes.slice(1)).toEqual([{ isOver: true, rejected: 2 }]);
});

test('a canceled request leaves the queue, and is not counted in its length, its time or the rejections', async () => {
  const limit = simulated();
  for (let n = 0; n < 33; n += 1) await limit.acquire();
  await limit.cancel();
  expect([await limit.acquire(), limit.waiting()]).toEqual(['waits', 30]);
  await limit.pass(900);
  while (limit.waiting() > 0) await limit.cancel();
  await limit.pass(100);
  // The queue was empty, so nothing has waited for a second.
  expect([await limit.acquire(), await limit.acquire()]).toEqual(['waits', 'waits']);
  await limit.release();
  expect([limit.working.length, limit.waiting()]).toEqual([PERMITS, 1]);
  await limit.pass(4000);
  expect(limit.changes.at(-1)).toEqual({ isOver: true, rejected: 1 });
});

test('a permit that was granted is released when its request is canceled afterwards', async () => {
  const limit = createConcurrencyLimit({ permits: 1, now: () => 0, after: () => () => {} });
  const first = limit.acquire() as Permit;
  const second = limit.acquire() as Waiting;
  first.release();
  second.cancel();
  expect(limit.acquire()).toHaveProperty('release');
  expect(limit.acquire()).toHaveProperty('permit');
});

test('unless set, the time of the process counts', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  try {
    const limit = createConcurrencyLimit({ permits: 1 });
    const [, waits] = [limit.acquire(), limit.acquire() as Waiting];
    const late = expect(waits.permit).rejects.toMatchObject({ extra: { unavailable: 'overload' } });
    jest.advanceTimersByTime(1000);
    expect(() => limit.acquire()).toThrow();
    jest.advanceTimersByTime(1000);
    await late;
  } finally {
    jest.useRealTimers();
  }
});

test('whatever arrives, permits are used, exceeded only after a wait for a client, nothing waits over two seconds, and afterwards all are free', async () => {
  const action = fc.oneof(
    { weight: 4, arbitrary: fc.constant('acquire' as const) },
    { weight: 2, arbitrary: fc.constant('release' as const) },
    { weight: 2, arbitrary: fc.constantFrom('cancel' as const, 'pause' as const, 'resume' as const) },
    { weight: 1, arbitrary: fc.constant('expire' as const) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 900 }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 120 }), async (actions) => {
      const limit = simulated();
      const broken: string[] = [];
      let before = 0;
      const check = (resumed: number): void => {
        if (limit.working.length > Math.max(PERMITS, before + resumed)) broken.push('more than the permits');
        if (limit.waiting() > 0 && limit.working.length < PERMITS) broken.push('waits beside a free permit');
        if (limit.longestWait() > 2000) broken.push('waited too long');
        before = limit.working.length;
      };
      for (const action of actions) {
        const resumed = action === 'resume' && limit.paused() > 0 ? 1 : 0;
        if (typeof action === 'number') await limit.pass(action);
        else if (action !== 'acquire') await limit[action]();
        else if ((await limit.acquire()) !== 'works' && limit.working.length < PERMITS)
          broken.push('not admitted');
        check(resumed);
      }
      while (limit.paused() > 0) await limit.resume();
      while (limit.working.length > 0) await limit.release();
      check(0);
      for (let n = 0; n < PERMITS; n += 1)
        if ((await limit.acquire()) !== 'works') broken.push('a permit is lost');
      if ((await limit.acquire()) === 'works') broken.push('a permit too many');
      expect(broken).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

/** A read that is processed when it is released. */
function blockedRead() {
  const { promise, resolve: release } = later();
  const read = firmRoute(endpoints.getKeyInfo, async () => {
    await promise;
    return jsonResponse({});
  });
  return { read, release };
}

type Handle = ReturnType<typeof createPipeline>['handle'];

/** A pipeline with one permit for reads and one for writes. */
function pipelineWithLimits({
  allowed = true,
  faults = [],
  limit = () => createConcurrencyLimit({ permits: 1, after: () => () => {}, now: () => 0 }),
}: {
  allowed?: boolean;
  /** Taken one by one, with a test key. */
  faults?: FaultKind[];
  /** By default time stands still: requests wait while the queue is not full. */
  limit?: () => ConcurrencyLimit;
} = {}) {
  const steps: string[] = [];
  const grant = {
    firmId: 'firm',
    keyId: 'key',
    environment: faults.length > 0 ? 'test' : 'live',
    purpose: 'full_access',
    plan: 'standard',
    limits: { requestsPerMinute: null, writesPerMinute: null, burst: null },
  };
  const { promise: pace, resolve: paced } = later();
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
    faults: { take: async () => faults.shift() ?? null },
    readLimit: limit(),
    writeLimit: limit(),
  } as unknown as PipelineDeps;
  const slowed = later();
  const responses = {
    ...createLargeResponses(),
    checkReader: (reader: string) => void steps.push(`reader ${reader}`),
  };
  const { handle } = createPipeline(deps, responses, () => {
    steps.push('slowed');
    return slowed.promise;
  });
  const request = (route: Route, connection = new EventEmitter()) => {
    const sent = {
      url: '/',
      headers: { authorization: 'Bearer svc_live_x' },
      rawHeaders: [],
    } as unknown as Parameters<Handle>[2];
    const trace: RequestTrace = { requestId: 'request', clientAddress: '192.0.2.1' };
    return handle({ route, params: {} }, '', sent, connection as Parameters<Handle>[3], trace).then(
      ({ status }) => status,
      (error: unknown) => {
        const { code, extra } = asHttpProblem(error);
        return extra.unavailable ?? code;
      },
    );
  };
  return { request, steps, paced, endPause: slowed.resolve };
}

test('a read that gets no permit is rejected before authentication, and health responds', async () => {
  const { request, steps } = pipelineWithLimits();
  const { read, release } = blockedRead();
  const health = openRoute(endpoints.getHealth, async () => jsonResponse({ status: 'ok' }));
  const served = Array.from({ length: 11 }, () => request(read));
  expect(await request(read)).toBe('overload');
  expect(steps.toSorted()).toEqual(['authenticated', 'paced ']);
  expect(await request(health)).toBe(200);
  release();
  expect(await Promise.all(served)).toEqual(Array(11).fill(200));
  expect(await request(read)).toBe(200);
});

test('a message that reads has a permit for reads, and counts against the reader of its response', async () => {
  const { request, steps } = pipelineWithLimits();
  const { promise, resolve: release } = later();
  const list = firmRoute(endpoints.listAdjusters, async () => {
    await promise;
    return jsonResponse({});
  });
  const input = { params: {}, search: '', headers: {}, body: {} };
  const write = { ...endpoints.getKeyInfo, method: 'POST' } as const;
  const messages = Array.from({ length: 3 }, () =>
    request(agentRoute(write, (_, { perform }) => perform(list, input))),
  );
  await settle();
  // The first holds the only permit for reads; the others wait for it, and leave that for writes.
  expect(await request(firmRoute(write, async () => jsonResponse({})))).toBe(200);
  expect(steps.filter((step) => step.startsWith('reader'))).toEqual(['reader firm firm']);
  release();
  expect(await Promise.all(messages)).toEqual([200, 200, 200]);
  expect(await request(list)).toBe(200);
  const info = firmRoute(endpoints.getKeyInfo, async () => jsonResponse({}));
  expect(await request(agentRoute(write, (_, { perform }) => perform(info, input)))).toBe(200);
  expect(steps.filter((step) => step.startsWith('reader'))).toEqual(Array(4).fill('reader firm firm'));
});

test('long work waits for its turn without a permit, and ends when its client leaves', async () => {
  const { request } = pipelineWithLimits();
  const connection = Object.assign(new EventEmitter(), { closed: false });
  const endless = firmRoute(endpoints.getKeyInfo, (_, { longWork }) =>
    longWork('search', async (nextPiece) => {
      for (;;) await nextPiece();
    }),
  );
  const long = request(endless, connection);
  const read = firmRoute(endpoints.getKeyInfo, async () => jsonResponse({}));
  expect(await request(read)).toBe(200);
  connection.closed = true;
  expect(await long).toBe('malformed_request');
  expect(await request(read)).toBe(200);
});

test('long work waits for none of other kinds, except that searches and verifications take turns', async () => {
  const { request } = pipelineWithLimits({ limit: () => createConcurrencyLimit({ permits: 9 }) });
  const { promise, resolve } = later();
  const began: LongWorkKind[] = [];
  const kinds = ['search', 'page', 'report', 'workbook'] as const;
  const ends = [...kinds, ...kinds, 'verification' as const].map((kind) =>
    request(
      firmRoute(endpoints.getKeyInfo, (_, { longWork }) =>
        longWork(kind, async (nextPiece) => {
          await nextPiece();
          began.push(kind);
          await promise;
          return jsonResponse({});
        }),
      ),
    ),
  );
  for (let times = 0; times < 9; times += 1) await settle();
  expect(began).toEqual(kinds);
  resolve();
  expect(await Promise.all(ends)).toEqual(Array(9).fill(200));
  expect(began).toContain('verification');
});

test('a report has a signal that its connection aborts, and other long work has none', async () => {
  const { request } = pipelineWithLimits();
  const connection = new EventEmitter();
  const signals: (AbortSignal | undefined)[] = [];
  for (const kind of ['search', 'report'] as const) {
    const work = firmRoute(endpoints.getKeyInfo, (_, { longWork }) =>
      longWork(kind, async (_nextPiece, signal) => {
        signals.push(signal);
        return jsonResponse({});
      }),
    );
    expect(await request(work, connection)).toBe(200);
  }
  expect(signals.map((signal) => signal?.aborted)).toEqual([undefined, false]);
  connection.emit('close');
  expect(signals[1]?.aborted).toBe(true);
});

test('a request whose deadline ends while it waits, for a turn or for the permit of an operation, leaves its permit to the next', async () => {
  const { request } = pipelineWithLimits();
  const { promise: turn, resolve: goOn } = later();
  const { promise: counted, resolve: count } = later();
  const read = firmRoute(endpoints.getKeyInfo, async () => jsonResponse({}));
  const search = firmRoute(endpoints.getKeyInfo, (_, { longWork }) =>
    longWork('search', async (nextPiece) => {
      await nextPiece();
      await turn;
      for (;;) await nextPiece();
    }),
  );
  const write = { ...endpoints.getKeyInfo, method: 'POST' } as const;
  const input = { params: {}, search: '', headers: {}, body: {} };
  const message = agentRoute(write, async (_, { perform }) => {
    await counted;
    return perform(read, input);
  });
  const connections = [0, 1, 2].map(() => Object.assign(new EventEmitter(), { closed: false }));
  jest.useFakeTimers({ now: 0, doNotFake: ['setImmediate'] });
  try {
    const late = [
      request(search, connections[0]),
      request(search, connections[1]),
      request(message, connections[2]),
    ];
    await settle();
    jest.advanceTimersByTime(5050);
    expect(await Promise.all(late)).toEqual(Array(3).fill('deadline'));
    for (const connection of connections) connection.closed = true;
    goOn();
    count();
    await settle();
    await settle();
    await settle();
    expect(await request(read)).toBe(200);
  } finally {
    jest.useRealTimers();
  }
});

test('clients over their rate limit wait for the rejection without a permit', async () => {
  const { request, steps, paced } = pipelineWithLimits({ allowed: false });
  const read = firmRoute(endpoints.getKeyInfo, async () => jsonResponse({}));
  const rejected = Array.from({ length: 11 }, () => request(read));
  await settle();
  expect(steps.filter((step) => step === 'paced key')).toHaveLength(11);
  paced();
  expect(await Promise.all(rejected)).toEqual(Array(11).fill('rate_limited'));
});

test('a request whose connection is closed while it waits is not authenticated, and the next gets the permit', async () => {
  const { request, steps } = pipelineWithLimits();
  const { read, release } = blockedRead();
  const first = request(read);
  const connection = Object.assign(new EventEmitter(), { closed: true });
  const closed = request(read, connection);
  const next = request(read);
  connection.emit('close');
  expect(await closed).toBe('malformed_request');
  release();
  expect(await Promise.all([first, next])).toEqual([200, 200]);
  expect(steps).toEqual(['authenticated', 'authenticated']);
});

test('a connection that is closed after the wait releases no permit that is in use', async () => {
  const { request, steps } = pipelineWithLimits();
  const [first, second] = [blockedRead(), blockedRead()];
  const connection = new EventEmitter();
  const responses = [request(first.read), request(second.read, connection), request(second.read)];
  first.release();
  expect(await responses[0]).toBe(200);
  await settle();
  connection.emit('close');
  await settle();
  expect(steps).toEqual(['authenticated', 'authenticated']);
  second.release();
  expect(await Promise.all(responses)).toEqual([200, 200, 200]);
});

test('a request whose deadline ends while it waits cancels its wait', async () => {
  const canceled: string[] = [];
  const wait = { permit: new Promise<Permit>(() => {}), cancel: () => void canceled.push('wait') };
  const { request, steps } = pipelineWithLimits({ limit: () => ({ acquire: () => wait }) });
  jest.useFakeTimers({ now: 0 });
  try {
    const late = request(blockedRead().read);
    jest.advanceTimersByTime(5000);
    expect([await late, canceled, steps]).toEqual(['deadline', ['wait'], ['paced ']]);
  } finally {
    jest.useRealTimers();
  }
});

test('a request with the fault slow has a permit while it is processed, and none during the pause', async () => {
  const { request, steps, endPause } = pipelineWithLimits({ faults: ['slow'] });
  const slow = blockedRead();
  const slowed = request(slow.read);
  const next = request(firmRoute(endpoints.getKeyInfo, async () => jsonResponse({})));
  await settle();
  expect(steps).toEqual(['authenticated']);
  slow.release();
  expect(await next).toBe(200);
  expect(steps).toEqual(['authenticated', 'slowed', 'authenticated']);
  endPause();
  expect(await slowed).toBe(200);
});

test('a request with the fault dropped has a permit while it is processed', async () => {
  const { request, steps } = pipelineWithLimits({ faults: ['dropped'] });
  const dropped = blockedRead();
  const responses = [request(dropped.read), request(dropped.read)];
  await settle();
  expect(steps).toEqual(['authenticated']);
  dropped.release();
  expect(await Promise.all(responses)).toEqual([500, 200]);
  const write = { ...endpoints.getKeyInfo, method: 'POST', write: true } as const;
  const other = pipelineWithLimits({ faults: ['dropped_write'] });
  expect(await other.request(firmRoute(write, async () => jsonResponse({})))).toBe(500);
});
