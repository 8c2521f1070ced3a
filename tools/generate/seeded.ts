import { randomAt } from './random.ts';

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

export function chanceFrom(seed: string): Chance {
  const { next: fraction, whole, chance: happens, pick: one } = randomAt(hash(seed), 0);
  return {
    fraction,
    whole,
    happens,
    one,
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
