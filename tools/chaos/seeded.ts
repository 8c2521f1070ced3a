/** Chance that can be had again: the same seed gives the same draws. */
export interface Chance {
  /** From 0 up to, but not including, 1. */
  fraction(): number;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  /** True with this probability. */
  happens(probability: number): boolean;
  one<T>(of: readonly T[]): T;
  shuffled<T>(of: readonly T[]): T[];
  /** A source of its own, so that what one client draws does not depend on how fast the others are. */
  child(name: string): Chance;
}

/** mulberry32 over a hash of the seed. */
export function chanceFrom(seed: string): Chance {
  let state = hash(seed);
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number): number => min + Math.floor(fraction() * (max - min + 1));
  return {
    fraction,
    whole,
    happens: (probability) => fraction() < probability,
    one(of) {
      if (of.length === 0) throw new Error('nothing to choose from');
      return of[whole(0, of.length - 1)] as (typeof of)[number];
    },
    shuffled(of) {
      const left = [...of];
      for (let at = left.length - 1; at > 0; at -= 1) {
        const other = whole(0, at);
        [left[at], left[other]] = [left[other] as (typeof left)[number], left[at] as (typeof left)[number]];
      }
      return left;
    },
    child: (name) => chanceFrom(`${seed}/${name}`),
  };
}

function hash(text: string): number {
  let value = 2166136261;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 16777619);
  return value >>> 0;
}
