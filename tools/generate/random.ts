// Called about fifty times per claim; in Jest each lookup of a global goes through its sandbox.
const { floor, imul } = Math;

/** Pseudo-random numbers: the same seed and index give the same ones on every machine. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** An integer from `min` to `max`, both inclusive. */
  integer(min: number, max: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** A shuffled copy. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** A generator seeded with text, from which independent generators can be derived by name. */
interface SeededRandom extends Random {
  /** Independent of how many numbers are drawn from this one. */
  fork(name: string): SeededRandom;
}

/** Mixes two numbers into 32 bits. */
function mix(one: number, other: number): number {
  let bits = imul(one ^ 0x9e3779b9, 0x85ebca6b) ^ imul(other + 0x7f4a7c15, 0xc2b2ae35);
  bits = imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}

/** The bits above the lower 32, so that larger seeds and indexes do not repeat smaller ones. */
const high = (value: number): number => floor(value / 0x1_0000_0000) >>> 0;

/** sfc32, seeded with both numbers, so that each index is independent of those before it. */
export function randomAt(seed: number, index: number): Random {
  let a = mix(seed, index);
  let b = mix(high(seed) ^ 0x243f6a88, high(index) ^ a);
  let c = mix(index, seed ^ 0x85a308d3);
  let counter = 1;
  const bits = (): number => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  // The first outputs of neighboring seeds are still similar.
  for (let round = 0; round < 8; round++) bits();

  const next = (): number => bits() / 0x1_0000_0000;
  const integer = (min: number, max: number): number => min + floor(next() * (max - min + 1));
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new RangeError('cannot pick from an empty list');
      return item;
    },
    shuffle<Item>(items: readonly Item[]): Item[] {
      const shuffled = [...items];
      for (let i = shuffled.length - 1; i > 0; i -= 1) {
        const other = integer(0, i);
        [shuffled[i], shuffled[other]] = [shuffled[other] as Item, shuffled[i] as Item];
      }
      return shuffled;
    },
  };
}

export function seededRandom(seed: string): SeededRandom {
  return { ...randomAt(hash(seed), 0), fork: (name) => seededRandom(`${seed}/${name}`) };
}

/** FNV-1a */
function hash(text: string): number {
  let value = 2166136261;
  for (let at = 0; at < text.length; at += 1) value = imul(value ^ text.charCodeAt(at), 16777619);
  return value >>> 0;
}
