import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Clock, RateLimiter } from '@svc/application';
import { DEFAULT_LIMITS, type KeyLimits, MINUTE } from '@svc/domain';
import fc from 'fast-check';

export interface RateLimiterUnderTest {
  readonly limiter: RateLimiter;
  close?(): Promise<void>;
}

/** An instant like the real ones, so that large numbers are part of every test. */
const START = Date.UTC(2026, 0, 31, 23, 59, 58, 765);

const READ = { write: false };
const WRITE = { write: true };
const ALLOWED = { allowed: true };
const refused = (retryAfterMs: number) => ({ allowed: false, retryAfterMs });

/** What every rate limiter does. @param make the limiter on the given clock, which then stands in for the store's own. */
export function rateLimiterSuite(
  name: string,
  make: (clock: Clock) => Promise<RateLimiterUnderTest>,
  { runs = 100 }: { readonly runs?: number } = {},
): void {
  describe(`${name} limits requests`, () => {
    let now = START;
    let underTest: RateLimiterUnderTest;
    let limiter: RateLimiter;

    beforeAll(async () => {
      underTest = await make({ now: () => now });
      limiter = underTest.limiter;
    });
    afterAll(() => underTest?.close?.());

    const allowedOf = async (
      subject: string,
      limits: KeyLimits,
      request: { write: boolean },
      times: number,
    ) => {
      const spendings = await Promise.all(
        Array.from({ length: times }, () => limiter.consume(subject, limits, request)),
      );
      return spendings.filter(({ allowed }) => allowed).length;
    };

    test.each([
      ['test', READ],
      ['test', WRITE],
      ['live', READ],
      ['live', WRITE],
    ] as const)('25 at once with a %s key, %j: 20 are accepted', async (environment, request) => {
      expect(await allowedOf(fresh(), DEFAULT_LIMITS[environment], request, 25)).toBe(20);
    });

    test('what comes one after another in the same instant is refused from the 21st on', async () => {
      const subject = fresh();
      const answers: boolean[] = [];
      for (let n = 0; n < 25; n++) {
        answers.push((await limiter.consume(subject, DEFAULT_LIMITS.test, READ)).allowed);
      }
      expect(answers).toEqual([...Array(20).fill(true), ...Array(5).fill(false)]);
    });

    test.each([
      ['live', READ, 200],
      ['live', WRITE, 500],
      ['test', READ, 1000],
      ['test', WRITE, 2000],
    ] as const)(
      'after a burst a %s key gets one more, %j, each %i ms',
      async (environment, request, interval) => {
        const subject = fresh();
        const limits = DEFAULT_LIMITS[environment];
        await allowedOf(subject, limits, request, 20);
        for (let n = 0; n < 3; n++) {
          expect(await limiter.consume(subject, limits, request)).toEqual(refused(interval));
          now += interval - 1;
          expect(await limiter.consume(subject, limits, request)).toEqual(refused(1));
          now += 1;
          expect(await limiter.consume(subject, limits, request)).toEqual(ALLOWED);
        }
      },
    );

    test('one subject leaves the others alone', async () => {
      const [one, other] = [fresh(), fresh()];
      expect(await allowedOf(one, DEFAULT_LIMITS.live, WRITE, 25)).toBe(20);
      expect(await allowedOf(other, DEFAULT_LIMITS.live, WRITE, 25)).toBe(20);
    });

    test.each(['a}b', '{}', '{', '', 'é\u{1F600}\n', 'x'.repeat(300)])(
      'a subject may be called %j',
      async (text) => {
        const subject = `${fresh()}${text}`;
        expect(await allowedOf(subject, DEFAULT_LIMITS.live, READ, 21)).toBe(20);
      },
    );

    test('a refused write spends no request', async () => {
      const subject = fresh();
      const limits = { requestsPerMinute: 60, writesPerMinute: 1, burst: 3 };
      await allowedOf(subject, limits, WRITE, 3);
      now += 3000;
      expect(await allowedOf(subject, limits, WRITE, 5)).toBe(0);
      expect(await allowedOf(subject, limits, READ, 5)).toBe(3);
    });

    test('a write that the request bucket refuses spends no write', async () => {
      const subject = fresh();
      const limits = { requestsPerMinute: 60, writesPerMinute: 1, burst: 5 };
      expect(await allowedOf(subject, limits, READ, 5)).toBe(5);
      expect(await allowedOf(subject, limits, WRITE, 5)).toBe(0);
      now += 5000;
      expect(await allowedOf(subject, limits, WRITE, 9)).toBe(5);
    });

    test('reads go on while writes are used up', async () => {
      const subject = fresh();
      const limits = { requestsPerMinute: 600, writesPerMinute: 1, burst: 3 };
      expect(await allowedOf(subject, limits, WRITE, 3)).toBe(3);
      now += 300;
      expect(await limiter.consume(subject, limits, WRITE)).toEqual(refused(MINUTE - 300));
      expect(await allowedOf(subject, limits, READ, 5)).toBe(3);
    });

    test('a lowered limit counts at once and holds a key no longer than one interval', async () => {
      const subject = fresh();
      const wide = { requestsPerMinute: 1000, writesPerMinute: 1000, burst: 1000 };
      await allowedOf(subject, wide, WRITE, 1000);
      const narrow = { requestsPerMinute: 60, writesPerMinute: 30, burst: 5 };
      expect(await limiter.consume(subject, narrow, WRITE)).toEqual(refused(2000));
      now += 2000;
      expect(await limiter.consume(subject, narrow, WRITE)).toEqual(ALLOWED);
      expect((await limiter.consume(subject, narrow, WRITE)).allowed).toBe(false);
    });

    test('a raised limit counts at once', async () => {
      const subject = fresh();
      const narrow = { requestsPerMinute: 1, writesPerMinute: 1, burst: 5 };
      await allowedOf(subject, narrow, WRITE, 5);
      const wide = { requestsPerMinute: 60_000, writesPerMinute: 60_000, burst: 8 };
      expect(await allowedOf(subject, wide, WRITE, 10)).toBe(3);
      now += 1;
      expect(await allowedOf(subject, wide, WRITE, 10)).toBe(1);
    });

    test('a clock set back neither refuses for long nor gives anything away', async () => {
      const subject = fresh();
      await allowedOf(subject, DEFAULT_LIMITS.live, READ, 20);
      now -= 3_600_000;
      expect(await limiter.consume(subject, DEFAULT_LIMITS.live, READ)).toEqual(refused(200));
      now += 200;
      expect(await allowedOf(subject, DEFAULT_LIMITS.live, READ, 5)).toBe(1);
    });

    test.each([
      { requestsPerMinute: 1_000_000, writesPerMinute: 1_000_000, burst: 1 },
      { requestsPerMinute: 1, writesPerMinute: 1, burst: 1 },
      { requestsPerMinute: 7, writesPerMinute: 11, burst: 1_000_000 },
      { requestsPerMinute: 1_000_000, writesPerMinute: 1, burst: 1_000_000 },
    ])('the extremes: %j', async (limits) => {
      const subject = fresh();
      const tries = Math.min(limits.burst + 1, 50);
      const expected = Math.min(limits.burst, tries);
      expect(await allowedOf(subject, limits, WRITE, tries)).toBe(expected);
      now += 1000 * MINUTE * 60;
      expect(await allowedOf(subject, limits, WRITE, tries)).toBe(expected);
    });

    test('does as an exact token bucket does, for any limits and any pauses', () =>
      fc.assert(
        fc.asyncProperty(anyLimits, anySteps, async (limits, steps) => {
          const subject = fresh();
          const model = new TokenBuckets(limits, now);
          const expected: unknown[] = [];
          const actual: unknown[] = [];
          for (const { pause, write, times } of steps) {
            now += pause;
            for (let n = 0; n < times; n++) {
              const wait = model.spend(now, write);
              expected.push(wait === 0 ? ALLOWED : refused(wait));
              actual.push(await limiter.consume(subject, limits, { write }));
            }
          }
          // One comparison per run: an `expect` for each step takes ten times as long as the steps.
          expect(actual).toEqual(expected);
        }),
        { numRuns: runs },
      ));

    test('never accepts more than the burst and what the time gives back, in any window', () =>
      fc.assert(
        fc.asyncProperty(anyLimits, anySteps, async (limits, steps) => {
          const subject = fresh();
          const accepted: { at: number; write: boolean }[] = [];
          for (const { pause, write, times } of steps) {
            now += pause;
            const at = now;
            const count = await allowedOf(subject, limits, { write }, times);
            for (let n = 0; n < count; n++) accepted.push({ at, write });
          }
          expectWithin(accepted, limits.burst, limits.requestsPerMinute);
          expectWithin(
            accepted.filter(({ write }) => write),
            limits.burst,
            limits.writesPerMinute,
          );
        }),
        { numRuns: runs },
      ));

    test('says truly how long to wait: then it is accepted, a millisecond earlier it is not', () =>
      fc.assert(
        fc.asyncProperty(anyLimits, anySteps, fc.boolean(), async (limits, steps, write) => {
          const subject = fresh();
          for (const step of steps) {
            now += step.pause;
            await allowedOf(subject, limits, { write: step.write }, step.times);
          }
          let answer = await limiter.consume(subject, limits, { write });
          while (answer.allowed) answer = await limiter.consume(subject, limits, { write });
          expect(Number.isInteger(answer.retryAfterMs)).toBe(true);
          now += answer.retryAfterMs - 1;
          if (answer.retryAfterMs > 1) {
            expect(await limiter.consume(subject, limits, { write })).toEqual(refused(1));
          }
          now += 1;
          expect(await limiter.consume(subject, limits, { write })).toEqual(ALLOWED);
        }),
        { numRuns: runs },
      ));

    test('keeps a key waiting for one interval at the most, whatever limits it had before', () =>
      fc.assert(
        fc.asyncProperty(anyLimits, anyLimits, fc.nat({ max: 60 }), async (before, after, times) => {
          const subject = fresh();
          await allowedOf(subject, before, WRITE, times);
          const answer = await limiter.consume(subject, after, WRITE);
          const interval = MINUTE / Math.min(after.requestsPerMinute, after.writesPerMinute);
          expect(answer.allowed ? 0 : answer.retryAfterMs).toBeLessThanOrEqual(Math.ceil(interval));
        }),
        { numRuns: runs },
      ));
  });
}

let subjects = 0;
const fresh = (): string => `subject-${subjects++}`;

const aRate = fc.oneof(
  fc.constantFrom(1, 7, 30, 60, 120, 300, 100_000, 1_000_000),
  fc.integer({ min: 1, max: 1_000_000 }),
  fc.integer({ min: 1, max: 1000 }),
);
/** Bursts that a test can use up. */
const anyLimits: fc.Arbitrary<KeyLimits> = fc.record({
  requestsPerMinute: aRate,
  writesPerMinute: aRate,
  burst: fc.integer({ min: 1, max: 40 }),
});
const anySteps = fc.array(
  fc.record({
    pause: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 2500 }), fc.nat({ max: 10 * MINUTE })),
    write: fc.boolean(),
    times: fc.integer({ min: 1, max: 12 }),
  }),
  { maxLength: 12 },
);

/** The reference: tokens as exact fractions with the denominator 60,000, refilled at every look. */
class TokenBuckets {
  private readonly full: bigint;
  private readonly tokens: { requests: bigint; writes: bigint };
  private at: number;

  constructor(
    private readonly limits: KeyLimits,
    now: number,
  ) {
    this.full = BigInt(limits.burst) * BigInt(MINUTE);
    this.tokens = { requests: this.full, writes: this.full };
    this.at = now;
  }

  /** Milliseconds to wait; 0 when it was accepted. */
  spend(now: number, write: boolean): number {
    const elapsed = BigInt(now - this.at);
    this.at = now;
    const rates = {
      requests: BigInt(this.limits.requestsPerMinute),
      writes: BigInt(this.limits.writesPerMinute),
    };
    const buckets = write ? (['requests', 'writes'] as const) : (['requests'] as const);
    for (const bucket of ['requests', 'writes'] as const) {
      const refilled = this.tokens[bucket] + elapsed * rates[bucket];
      this.tokens[bucket] = refilled < this.full ? refilled : this.full;
    }
    let longest = 0n;
    for (const bucket of buckets) {
      const missing = BigInt(MINUTE) - this.tokens[bucket];
      if (missing > 0n) {
        const wait = (missing + rates[bucket] - 1n) / rates[bucket];
        if (wait > longest) longest = wait;
      }
    }
    if (longest === 0n) for (const bucket of buckets) this.tokens[bucket] -= BigInt(MINUTE);
    return Number(longest);
  }
}

/** Accepted requests of every window against `burst + elapsed / interval`. */
function expectWithin(accepted: readonly { at: number }[], burst: number, perMinute: number): void {
  for (let first = 0; first < accepted.length; first++) {
    for (let past = first + 1; past <= accepted.length; past++) {
      const elapsed = (accepted[past - 1]?.at ?? 0) - (accepted[first]?.at ?? 0);
      if ((past - first) * MINUTE > burst * MINUTE + elapsed * perMinute) {
        throw new Error(`${past - first} accepted within ${elapsed} ms`);
      }
    }
  }
}
