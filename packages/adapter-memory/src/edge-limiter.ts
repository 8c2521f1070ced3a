import { isIPv6 } from 'node:net';
import type { Clock, EdgeLimiter } from '@svc/application';
import { type Instant, MINUTE } from '@svc/domain';

interface RequestCount {
  count: number;
  latestAt: Instant;
}

/** Bounds memory; beyond it the address seen first in the current minute is dropped. */
const ADDRESSES_PER_MINUTE = 100_000;

/**
 * Sliding window of one minute per address: the current minute's count plus the part of the previous minute's count that
 * the window still covers. Rotating two maps drops idle addresses without a timer.
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
}): EdgeLimiter & { readonly size: number } {
  let minute = Number.NEGATIVE_INFINITY;
  let current = new Map<string, RequestCount>();
  let previous = new Map<string, RequestCount>();

  function rotateTo(newMinute: number): void {
    if (newMinute === minute) return;
    previous = newMinute === minute + 1 ? current : new Map();
    current = new Map();
    minute = newMinute;
  }

  return {
    /** Addresses held in memory. */
    get size() {
      return current.size + previous.size;
    },

    allow(address) {
      if (perMinute === 0) return true;
      const now = clock.now();
      rotateTo(Math.floor(now / MINUTE));
      const network = networkOf(address);
      const currentCount = current.get(network);
      const previousCount = previous.get(network);
      // In request-milliseconds, so that the comparison is between integers. The share of the previous minute is an
      // estimate; it is zero for an address that has sent nothing for a full minute.
      const coveredMs = MINUTE - (now - minute * MINUTE);
      const carried =
        previousCount && previousCount.latestAt > now - MINUTE ? previousCount.count * coveredMs : 0;
      if (((currentCount?.count ?? 0) + 1) * MINUTE + carried > perMinute * MINUTE) return false;
      if (currentCount) {
        currentCount.count += 1;
        currentCount.latestAt = now;
        return true;
      }
      if (current.size >= addressesPerMinute) {
        const [first] = current.keys();
        if (first !== undefined) current.delete(first);
      }
      current.set(network, { count: 1, latestAt: now });
      return true;
    },
  };
}

/**
 * The network that is limited as one client: an IPv4 address, or the /64 of an IPv6 address, since one customer has a
 * whole /64. IPv4-mapped IPv6 (`::ffff:192.0.2.1`, as a dual-stack socket reports it) counts as IPv4.
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
