// Called some fifty times per claim; in Jest each look-up of a global goes through its sandbox.
const { floor, imul } = Math;

/** Numbers that look random and are not: the same seed and index give the same ones on every machine. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** Spreads whatever differs in the two numbers over all 32 bits. */
function mixed(one: number, other: number): number {
  let bits = imul(one ^ 0x9e3779b9, 0x85ebca6b) ^ imul(other + 0x7f4a7c15, 0xc2b2ae35);
  bits = imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}

/** Past 32 bits an index must not begin again from the front. */
const high = (value: number): number => floor(value / 0x1_0000_0000) >>> 0;

/** sfc32, begun from the seed and the index: no claim depends on the claims before it. */
export function randomAt(seed: number, index: number): Random {
  let a = mixed(seed, index);
  let b = mixed(high(seed) ^ 0x243f6a88, high(index) ^ a);
  let c = mixed(index, seed ^ 0x85a308d3);
  let counter = 1;
  const bits = (): number => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  // The first few still show how alike neighbouring seeds are.
  for (let round = 0; round < 8; round++) bits();

  const next = (): number => bits() / 0x1_0000_0000;
  const whole = (min: number, max: number): number => min + floor(next() * (max - min + 1));
  return {
    next,
    whole,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[whole(0, items.length - 1)];
      if (item === undefined) throw new RangeError('there is nothing to pick from');
      return item;
    },
  };
}

/** Picks by weight; the sums are made once, since this is asked for every claim. */
export function weighted<Item>(entries: readonly (readonly [Item, number])[]): (random: Random) => Item {
  const items = entries.map(([item]) => item);
  const ends: number[] = [];
  let total = 0;
  for (const [, weight] of entries) {
    total += weight;
    ends.push(total);
  }
  return (random) => {
    const at = random.next() * total;
    const place = ends.findIndex((end) => at < end);
    return items[place] as Item;
  };
}
