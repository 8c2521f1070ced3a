import { isIPv6 } from 'node:net';
import type { Clock } from '@svc/application';
import { type Instant, MINUTE } from '@svc/domain';

export interface EdgeLimiter {
  /** Whether a request from this address may come in. One that is refused does not count. */
  allow(address: string): boolean;
  /** Addresses held in memory. */
  readonly size: number;
}

interface Seen {
  count: number;
  latest: Instant;
}

/** Enough for any honest minute; beyond it the address that came first in the minute is forgotten. */
const ADDRESSES_PER_MINUTE = 100_000;

/**
 * Requests of one address over a sliding minute: the current minute's count and the part of the last one's that the
 * window still covers. Two maps that change places forget every idle address without a timer.
 * @param perMinute 0 turns it off.
 */
export function createEdgeLimiter({
  perMinute,
  clock,
  addressesPerMinute = ADDRESSES_PER_MINUTE,
}: {
  readonly perMinute: number;
  readonly clock: Clock;
  readonly addressesPerMinute?: number;
}): EdgeLimiter {
  let minute = Number.NEGATIVE_INFINITY;
  let current = new Map<string, Seen>();
  let last = new Map<string, Seen>();

  function turnTo(now: number): void {
    if (now === minute) return;
    last = now === minute + 1 ? current : new Map();
    current = new Map();
    minute = now;
  }

  return {
    get size() {
      return current.size + last.size;
    },

    allow(address) {
      if (perMinute === 0) return true;
      const now = clock.now();
      turnTo(Math.floor(now / MINUTE));
      const network = networkOf(address);
      const here = current.get(network);
      const before = last.get(network);
      // Counted in whole request-milliseconds, so that the comparison is exact. The share of the last minute is an
      // estimate; whoever has kept quiet for a minute owes none of it, wherever in the minute he had stopped.
      const covered = MINUTE - (now - minute * MINUTE);
      const carried = before && before.latest > now - MINUTE ? before.count * covered : 0;
      if (((here?.count ?? 0) + 1) * MINUTE + carried > perMinute * MINUTE) return false;
      if (here) {
        here.count += 1;
        here.latest = now;
        return true;
      }
      if (current.size >= addressesPerMinute) {
        const [first] = current.keys();
        if (first !== undefined) current.delete(first);
      }
      current.set(network, { count: 1, latest: now });
      return true;
    },
  };
}

/**
 * Whom an address stands for: itself with IPv4, its /64 with IPv6, where one customer holds 2^64 addresses.
 * IPv4 in IPv6's clothes (`::ffff:192.0.2.1`, as a dual-stack socket reports it) is IPv4.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [bare = ''] = address.split('%');
  const [head = '', tail] = bare.split('::');
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const zeros = new Array<number>(8 - left.length - right.length).fill(0);
  const groups = [...left, ...zeros, ...right];
  const [, , , , , marker, high = 0, low = 0] = groups;
  if (marker === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

const groupsOf = (text: string): number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => {
        if (!group.includes('.')) return [Number.parseInt(group, 16)];
        const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
        return [(a << 8) | b, (c << 8) | d];
      });
