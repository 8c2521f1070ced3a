import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createEdgeLimiter, networkOf } from '../src/edge-limiter.ts';

const MINUTE = 60_000;
const START = 1_800_000_000_123;

function underTest(perMinute: number, addressesPerMinute?: number) {
  const clock = { time: START, now: () => clock.time };
  const edge = createEdgeLimiter({ perMinute, clock, ...(addressesPerMinute && { addressesPerMinute }) });
  const allowed = (address: string, times: number) =>
    Array.from({ length: times }, () => edge.allow(address)).filter(Boolean).length;
  return { clock, edge, allowed };
}

describe('the edge limiter', () => {
  test('is off with a limit of 0', () => {
    const { allowed, edge } = underTest(0);
    expect(allowed('192.0.2.1', 10_000)).toBe(10_000);
    expect(edge.size).toBe(0);
  });

  test.each([0, 1, 100, 59_876, 59_877, 59_999])(
    'accepts an address that waits a minute after a denied request, %i ms into the minute',
    (offset) => {
      const { allowed, clock } = underTest(600);
      clock.time += offset;
      expect(allowed('192.0.2.1', 601)).toBe(600);
      clock.time += MINUTE;
      expect(allowed('192.0.2.1', 1)).toBe(1);
    },
  );

  test('counts what an address sent late in a minute in the next one, however early its first request was', () => {
    const { allowed, clock } = underTest(600);
    const start = Math.ceil(START / MINUTE) * MINUTE;
    clock.time = start;
    allowed('192.0.2.1', 1);
    clock.time = start + MINUTE - 1;
    expect(allowed('192.0.2.1', 600)).toBe(599);
    clock.time = start + 1.5 * MINUTE;
    expect(allowed('192.0.2.1', 600)).toBe(300);
  });

  test('does not count denied requests', () => {
    const { edge, clock } = underTest(60);
    let inside = 0;
    // Ten per second for ten minutes.
    for (let n = 0; n < 6000; n++) {
      clock.time += 100;
      if (edge.allow('192.0.2.1')) inside += 1;
    }
    expect(inside).toBeGreaterThanOrEqual(60 * 9);
    expect(inside).toBeLessThanOrEqual(60 * 11);
  });

  test('accepts at most the limit in a clock minute, and at most twice the limit in any minute', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.nat({ max: 20_000 }), { maxLength: 80 }),
        (perMinute, pauses) => {
          const { edge, clock } = underTest(perMinute);
          const inside: number[] = [];
          for (const pause of pauses) {
            clock.time += pause;
            if (edge.allow('192.0.2.1')) inside.push(clock.time);
          }
          const mostIn = (sameMinute: (at: number, from: number) => boolean): number =>
            Math.max(0, ...inside.map((from) => inside.filter((at) => sameMinute(at, from)).length));
          expect(
            mostIn((at, from) => Math.floor(at / MINUTE) === Math.floor(from / MINUTE)),
          ).toBeLessThanOrEqual(perMinute);
          expect(mostIn((at, from) => at >= from && at < from + MINUTE)).toBeLessThanOrEqual(2 * perMinute);
        },
      ),
    );
  });

  test('never denies a steady client just under the limit', () => {
    const { edge, clock } = underTest(600);
    let denied = 0;
    for (let n = 0; n < 6000; n++) {
      clock.time += 101;
      if (!edge.allow('192.0.2.1')) denied += 1;
    }
    expect(denied).toBe(0);
  });

  test('recovers after the clock was set back', () => {
    const { allowed, clock } = underTest(10);
    allowed('192.0.2.1', 20);
    clock.time -= 60 * MINUTE;
    expect(allowed('192.0.2.1', 20)).toBe(10);
  });

  test('drops idle addresses after two minutes and holds at most the given number', () => {
    const { edge, clock } = underTest(600, 1000);
    for (let n = 0; n < 5_000; n++) edge.allow(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    expect(edge.size).toBe(1000);
    const { edge: byDefault } = underTest(600);
    for (let n = 0; n <= 100_000; n++) byDefault.allow(`${n}`);
    expect(byDefault.size).toBe(100_000);
    clock.time += 2 * MINUTE;
    edge.allow('192.0.2.1');
    expect(edge.size).toBe(1);
  });

  test('beyond that number forgets the address seen first, and limits the others', () => {
    const { allowed } = underTest(1, 2);
    const [first, second, third] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
    for (const address of [first, second, third]) expect(allowed(address, 1)).toBe(1);
    expect([second, third, first].map((address) => allowed(address, 1))).toEqual([0, 0, 1]);
  });
});

describe('the network of an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:3:ffff:c000:201', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['', ''],
    ['unknown', 'unknown'],
  ])('%s: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test('counts the addresses of one /64 together', () => {
    const { allowed } = underTest(10);
    expect(allowed('2001:db8::1', 6)).toBe(6);
    expect(allowed('2001:db8::2', 6)).toBe(4);
    expect(allowed('2001:db8:0:1::2', 6)).toBe(6);
  });
});
