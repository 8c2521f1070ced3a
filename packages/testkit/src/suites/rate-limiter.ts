import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Clock, CountedRequest, RateLimiter } from '@svc/application';
import { DEFAULT_LIMITS, type KeyLimits, MINUTE } from '@svc/domain';
import fc from 'fast-check';

interface RateLimiterUnderTest {
  readonly limiter: RateLimiter;
  close?(): Promise<void>;
}

/** A realistic time, so that every test uses large numbers. */
const START = Date.UTC(2026, 0, 31, 23, 59, 58, 765);

const READ = { write: false };
const WRITE = { write: true };
/** Of a request that is counted already. */
const COUNTED_WRITE = { write: true, isCounted: true };
const ALLOWED = { allowed: true };
const rejected = (retryAfterMs: number) => ({ allowed: false, retryAfterMs });

/** The guarantees of every rate limiter. @param make a limiter that uses the given clock. */
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
      const decisions = await Promise.all(
        Array.from({ length: times }, () => limiter.consume(subject, limits, request)),
      );
      return decisions.filter(({ allowed }) => allowed).length;
    };

    test.each(['a}b', '{}', '{', '', 'é\u{1F600}\n', 'x'.repeat(300)])(
      'a subject can contain %j',
      async (text) => {
        const subject = `${fresh()}${text}`;
        expect(await allowedOf(subject, DEFAULT_LIMITS.live, READ, 21)).toBe(20);
      },
    );

    test('a rejection under lower limits changes nothing for the higher ones after it', async () => {
      const subject = fresh();
      const wide = { requestsPerMinute: 1000, writesPerMinute: 1000, burst: 10 };
      const narrow = { requestsPerMinute: 1, writesPerMinute: 1, burst: 5 };
      expect(await allowedOf(subject, wide, WRITE, 10)).toBe(10);
      expect(await limiter.consume(subject, narrow, WRITE)).toEqual(rejected(60_000));
      expect(await allowedOf(subject, wide, WRITE, 3)).toBe(0);
      now += 300;
      expect(await limiter.consume(subject, narrow, WRITE)).toEqual(rejected(59_700));
      expect(await allowedOf(subject, wide, WRITE, 10)).toBe(5);
    });

    test('a raised limit applies immediately', async () => {
      const subject = fresh();
      const narrow = { requestsPerMinute: 1, writesPerMinute: 1, burst: 5 };
      await allowedOf(subject, narrow, WRITE, 5);
      const wide = { requestsPerMinute: 60_000, writesPerMinute: 60_000, burst: 8 };
      expect(await allowedOf(subject, wide, WRITE, 10)).toBe(3);
      now += 1;
      expect(await allowedOf(subject, wide, WRITE, 10)).toBe(1);
    });

    test('reading what is used consumes nothing, and shows the refill and other limits', async () => {
      const subject = fresh();
      const limits = DEFAULT_LIMITS.live;
      expect(await limiter.peek(subject, limits)).toEqual({ requests: 0, writes: 0 });
      await allowedOf(subject, limits, WRITE, 4);
      await allowedOf(subject, limits, READ, 14);
      for (let n = 0; n < 30; n++)
        expect(await limiter.peek(subject, limits)).toEqual({ requests: 18, writes: 4 });
      expect(await limiter.peek(subject, { ...limits, burst: 5 })).toEqual({ requests: 5, writes: 4 });
      expect(await allowedOf(subject, limits, READ, 5)).toBe(2);
      now += 500;
      expect(await limiter.peek(subject, limits)).toEqual({ requests: 18, writes: 3 });
      now += MINUTE;
      expect(await limiter.peek(subject, limits)).toEqual({ requests: 0, writes: 0 });
    });

    test('a clock set back neither blocks for long nor allows extra requests', async () => {
      const subject = fresh();
      await allowedOf(subject, DEFAULT_LIMITS.live, READ, 20);
      now -= 3_600_000;
      expect(await limiter.consume(subject, DEFAULT_LIMITS.live, READ)).toEqual(rejected(200));
      now += 200;
      expect(await allowedOf(subject, DEFAULT_LIMITS.live, READ, 5)).toBe(1);
    });

    test.each([
      { requestsPerMinute: 1_000_000, writesPerMinute: 1_000_000, burst: 1 },
      { requestsPerMinute: 1, writesPerMinute: 1, burst: 1 },
      { requestsPerMinute: 7, writesPerMinute: 11, burst: 1_000_000 },
      { requestsPerMinute: 1_000_000, writesPerMinute: 1, burst: 1_000_000 },
    ])('extreme limits work: %j', async (limits) => {
      const subject = fresh();
      const tries = Math.min(limits.burst + 1, 50);
      const expected = Math.min(limits.burst, tries);
      expect(await allowedOf(subject, limits, WRITE, tries)).toBe(expected);
      now += 1000 * MINUTE * 60;
      expect(await allowedOf(subject, limits, WRITE, tries)).toBe(expected);
    });

    test('matches an exact token bucket for any limits and pauses', () =>
      fc.assert(
        fc.asyncProperty(anyLimits, anySteps, async (limits, steps) => {
          const subject = fresh();
          const model = new TokenBuckets(limits, now);
          const expected: unknown[] = [];
          const actual: unknown[] = [];
          for (const { pause, request, times } of steps) {
            now += pause;
            for (let n = 0; n < times; n++) {
              const wait = model.consume(now, request);
              expected.push(wait === 0 ? ALLOWED : rejected(wait));
              actual.push(await limiter.consume(subject, limits, request));
            }
            expected.push(model.used(now));
            actual.push(await limiter.peek(subject, limits));
          }
          // One comparison per run: an `expect` per step would take ten times as long.
          expect(actual).toEqual(expected);
        }),
        { numRuns: runs },
      ));

    test('blocks a key for at most one interval after any change of limits', () =>
      fc.assert(
        fc.asyncProperty(anyLimits, anyLimits, fc.nat({ max: 60 }), async (before, after, times) => {
          const subject = fresh();
          await allowedOf(subject, before, WRITE, times);
          const decision = await limiter.consume(subject, after, WRITE);
          const interval = MINUTE / Math.min(after.requestsPerMinute, after.writesPerMinute);
          expect(decision.allowed ? 0 : decision.retryAfterMs).toBeLessThanOrEqual(Math.ceil(interval));
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
/** With bursts that a test can use up. */
const anyLimits: fc.Arbitrary<KeyLimits> = fc.record({
  requestsPerMinute: aRate,
  writesPerMinute: aRate,
  burst: fc.integer({ min: 1, max: 40 }),
});
const anySteps = fc.array(
  fc.record({
    pause: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 2500 }), fc.nat({ max: 10 * MINUTE })),
    request: fc.constantFrom(READ, WRITE, COUNTED_WRITE),
    times: fc.integer({ min: 1, max: 12 }),
  }),
  { maxLength: 12 },
);

/** Reference model: tokens as exact fractions with denominator 60,000. */
class TokenBuckets {
  private readonly full: bigint;
  private tokens: { requests: bigint; writes: bigint };
  private at: number;

  constructor(
    private readonly limits: KeyLimits,
    now: number,
  ) {
    this.full = BigInt(limits.burst) * BigInt(MINUTE);
    this.tokens = { requests: this.full, writes: this.full };
    this.at = now;
  }

  private refilled(now: number) {
    const elapsed = BigInt(now - this.at);
    const level = (tokens: bigint, perMinute: number): bigint => {
      const refilled = tokens + elapsed * BigInt(perMinute);
      return refilled < this.full ? refilled : this.full;
    };
    const { requestsPerMinute, writesPerMinute } = this.limits;
    return {
      requests: level(this.tokens.requests, requestsPerMinute),
      writes: level(this.tokens.writes, writesPerMinute),
    };
  }

  used(now: number) {
    const { requests, writes } = this.refilled(now);
    const used = (tokens: bigint): number => this.limits.burst - Number(tokens / BigInt(MINUTE));
    return { requests: used(requests), writes: used(writes) };
  }

  /** Milliseconds to wait; 0 when accepted. */
  consume(now: number, { write, isCounted = false }: CountedRequest): number {
    this.tokens = this.refilled(now);
    this.at = now;
    const rates = {
      requests: BigInt(this.limits.requestsPerMinute),
      writes: BigInt(this.limits.writesPerMinute),
    };
    const buckets = (['requests', 'writes'] as const).filter((bucket) =>
      bucket === 'writes' ? write : !isCounted,
    );
    let longestWait = 0n;
    for (const bucket of buckets) {
      const missing = BigInt(MINUTE) - this.tokens[bucket];
      if (missing > 0n) {
        const wait = (missing + rates[bucket] - 1n) / rates[bucket];
        if (wait > longestWait) longestWait = wait;
      }
    }
    if (longestWait === 0n) for (const bucket of buckets) this.tokens[bucket] -= BigInt(MINUTE);
    return Number(longestWait);
  }
}
