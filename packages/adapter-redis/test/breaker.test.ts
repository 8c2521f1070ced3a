import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Breaker, createBreaker } from '../src/breaker.ts';

const TIMEOUT = 50;
const noReply = () => new Promise<never>(() => {});
const failure = () => Promise.reject(new Error('MISCONF disk full'));

describe('the circuit breaker', () => {
  let breaker: Breaker;
  let redisWorks: boolean;
  let probes: number;
  let reconnects: number;
  const log = { warn: jest.fn(), info: jest.fn() };
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
  const status = () => breaker.state().status;

  const created = () =>
    createBreaker({
      timeoutMs: TIMEOUT,
      log,
      reconnect: () => {
        reconnects += 1;
      },
      probe: () => {
        probes += 1;
        return redisWorks ? Promise.resolve() : noReply();
      },
    });

  beforeEach(async () => {
    jest.useFakeTimers();
    log.warn.mockClear();
    log.info.mockClear();
    redisWorks = true;
    probes = 0;
    reconnects = 0;
    breaker = created();
    breaker.onConnected();
    await pass(1);
    // Longer than STABLE_AFTER_MS.
    await pass(10_000);
  });
  afterEach(async () => {
    breaker.stop();
    // A probe in progress ends without help.
    await pass(TIMEOUT);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  test('the first timeout opens it and releases all callers, and no further command is sent', async () => {
    redisWorks = false;
    const first = breaker.run(noReply);
    await pass(30);
    const later = breaker.run(noReply);
    await pass(TIMEOUT - 30 + 1);
    expect(await Promise.all([first, later])).toEqual([undefined, undefined]);
    const command = jest.fn(async () => 42);
    expect(await breaker.run(command)).toBeUndefined();
    expect(command).not.toHaveBeenCalled();
    expect(breaker.state()).toEqual({ status: 'down', timeouts: 1, failures: 0, outages: 1 });
  });

  test('replies in time keep it closed', async () => {
    for (let n = 0; n < 100; n++) {
      const reply = breaker.run(() => new Promise((resolve) => setTimeout(resolve, TIMEOUT - 10, n)));
      await pass(TIMEOUT - 10);
      expect(await reply).toBe(n);
    }
    expect(breaker.state()).toMatchObject({ status: 'up', timeouts: 0 });
  });

  test('a timeout is detected among any number of replies', async () => {
    redisWorks = false;
    const unreplied = breaker.run(noReply);
    for (let n = 0; n < 6; n++) {
      await pass(10);
      await breaker.run(async () => n);
    }
    expect(await unreplied).toBeUndefined();
    expect(breaker.state().timeouts).toBe(1);
  });

  test('a reply after the caller was released has no effect', async () => {
    redisWorks = false;
    let reply: (value: number) => void = () => {};
    let isAwaited: () => boolean = () => false;
    const pendingRun = breaker.run((awaited) => {
      isAwaited = awaited;
      return new Promise<number>((resolve) => {
        reply = resolve;
      });
    });
    expect(isAwaited()).toBe(true);
    await pass(TIMEOUT + 1);
    expect(isAwaited()).toBe(false);
    reply(42);
    expect(await pendingRun).toBeUndefined();
    expect(status()).toBe('down');
  });

  test('single errors affect single requests, three in a row open it', async () => {
    for (let n = 0; n < 10; n++) {
      expect(await breaker.run(failure)).toBeUndefined();
      expect(await breaker.run(failure)).toBeUndefined();
      expect(await breaker.run(async () => n)).toBe(n);
    }
    expect(status()).toBe('up');
    for (let n = 0; n < 3; n++) await breaker.run(failure);
    expect(breaker.state()).toEqual({ status: 'down', timeouts: 0, failures: 23, outages: 1 });
    expect(log.warn).toHaveBeenCalledWith(expect.any(String), { reason: 'MISCONF disk full' });
  });

  test.each<[string, () => void]>([
    ['a lost connection', () => breaker.onConnectionLost('closed')],
    ['the end of the process', () => breaker.stop()],
  ])('%s opens it at once, and releases all callers', async (_, end) => {
    const pendingRuns = [breaker.run(noReply), breaker.run(noReply)];
    end();
    expect(await Promise.all(pendingRuns)).toEqual([undefined, undefined]);
    expect(breaker.state()).toMatchObject({ status: 'down', timeouts: 0 });
  });

  test('a connection that is lost after the end of the process is no outage', () => {
    breaker.stop();
    breaker.onConnectionLost('closed');
    expect([log.warn.mock.calls, breaker.state().outages]).toEqual([[], 0]);
  });

  test('only a probe closes it', async () => {
    redisWorks = false;
    breaker.onConnectionLost('closed');
    await pass(3000);
    expect(status()).toBe('down');
    expect(probes).toBeGreaterThan(3);
    redisWorks = true;
    await pass(400);
    expect(status()).toBe('up');
    expect(await breaker.run(async () => 42)).toBe(42);
  });

  test('each outage is logged once when it begins and once when it ends', async () => {
    for (let outage = 1; outage <= 2; outage += 1) {
      redisWorks = false;
      breaker.onConnectionLost('closed');
      for (let n = 0; n < 20; n++) {
        breaker.onConnectionLost('refused');
        await pass(200);
      }
      redisWorks = true;
      await pass(1000);
      expect(log.warn.mock.calls).toEqual(Array(outage).fill([expect.any(String), { reason: 'closed' }]));
      expect(log.info).toHaveBeenCalledTimes(outage);
      const [, { awayMs }] = log.info.mock.calls.at(-1) as [string, { awayMs: number }];
      expect(Math.floor(awayMs / 1000)).toBe(4);
    }
  });

  test('a connection that never replies is replaced after twenty failed probes, counted from zero in each outage', async () => {
    for (const outage of [1, 2]) {
      redisWorks = false;
      breaker.onConnectionLost('closed');
      // The first probe is made at once.
      await pass(19 * (250 + TIMEOUT) + TIMEOUT - 1);
      expect(reconnects).toBe(outage - 1);
      await pass(1);
      expect(reconnects).toBe(outage);
      redisWorks = true;
      await pass(10_000);
    }
  });

  test('a first connection that never replies is replaced after as many, and is no outage', async () => {
    redisWorks = false;
    const other = created();
    await pass(20 * (250 + TIMEOUT) - 1);
    expect(reconnects).toBe(0);
    await pass(1);
    expect([reconnects, other.state().outages, log.warn.mock.calls]).toEqual([1, 0, []]);
    other.stop();
  });

  test('a Redis that keeps failing is probed less and less often, until it has worked for a while', async () => {
    const downMs: number[] = [];
    for (let outage = 0; outage < 7; outage += 1) {
      for (let n = 0; n < 3; n += 1) await breaker.run(failure);
      let passed = 0;
      for (; status() === 'down'; passed += 10) await pass(10);
      downMs.push(passed);
    }
    expect(downMs).toEqual([10, 250, 500, 1000, 2000, 4000, 4000]);
    await pass(5001);
    breaker.onConnectionLost('closed');
    await pass(1);
    expect(status()).toBe('up');
  });

  test.each([1, 2])(
    'a late timer extends the timeout once, since a reply may have arrived unread; after a reply, again (%s)',
    async (times) => {
      for (let n = 0; n < times; n += 1) {
        const pendingRun = breaker.run(() => new Promise((resolve) => setTimeout(resolve, 80, 42)));
        // The process was busy: the clock advanced, the timers did not run.
        const now = performance.now.bind(performance);
        const late = jest.spyOn(performance, 'now').mockImplementation(() => now() + 40);
        await pass(TIMEOUT + 1);
        late.mockRestore();
        expect(status()).toBe('up');
        await pass(40);
        expect(await pendingRun).toBe(42);
        expect(breaker.state().timeouts).toBe(0);
        await pass(2 * TIMEOUT);
      }
    },
  );

  test('a second late timer extends nothing while there is no reply', async () => {
    redisWorks = false;
    const unreplied = breaker.run(noReply);
    const now = performance.now.bind(performance);
    let lateMs = 0;
    const late = jest.spyOn(performance, 'now').mockImplementation(() => now() + lateMs);
    for (const expected of ['up', 'down']) {
      lateMs += 40;
      await pass(TIMEOUT + 1);
      expect(status()).toBe(expected);
    }
    late.mockRestore();
    expect([await unreplied, breaker.state().timeouts]).toEqual([undefined, 1]);
  });
});
