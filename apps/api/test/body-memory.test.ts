import { expect, test } from '@jest/globals';
import { createBodyMemory } from '../src/http/limits/body-memory.ts';

const memoryOf = (perCallerBytes: number, now = () => 0) => {
  const limits = { totalBytes: 100, reservedForSmallBytes: 30, smallBodyBytes: 10, perCallerBytes };
  const memory = createBodyMemory({ ...limits, smallChunksPerSecond: 3 }, now);
  return (caller: string) => {
    const held = memory.hold();
    held.setCaller(caller);
    return held;
  };
};

test('the bodies of all requests share one memory limit, and release their memory when done', () => {
  const hold = memoryOf(100);
  const [one, other] = [hold('a'), hold('b')];
  expect([one.add(40), other.add(30), other.add(1), one.add(1)]).toEqual([true, true, false, false]);
  one.release();
  one.release();
  expect([other.add(40), other.add(1)]).toEqual([true, false]);
  other.release();
  expect(hold('a').add(70)).toBe(true);
});

test('when large bodies have used their part, small bodies are still accepted', () => {
  const hold = memoryOf(100);
  expect(hold('a').add(70)).toBe(true);
  expect([hold('b').add(11), hold('b').add(10), hold('c').add(10), hold('d').add(10)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(hold('e').add(1)).toBe(false);
});

test('one caller cannot use the memory of the others, with large or with small bodies', () => {
  const hold = memoryOf(40);
  const own = Array.from({ length: 5 }, () => hold('a'));
  expect(own.map((held) => held.add(10))).toEqual([true, true, true, true, false]);
  expect(hold('b').add(30)).toBe(true);
  own[0]?.release();
  expect(hold('a').add(10)).toBe(true);
});

test('a caller may send a number of small chunks in a second, in all its bodies; others are not affected', () => {
  let now = 0;
  const hold = memoryOf(100, () => now);
  const [one, same, other] = [hold('a'), hold('a'), hold('b')];
  expect([one.addChunks(2), same.addChunks(1), one.addChunks(1), other.addChunks(3)]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  now = 999;
  expect(same.addChunks(1)).toBe(false);
  now = 1000;
  expect(one.addChunks(3)).toBe(true);
});

test('unless set, a caller holds 24 MB of 96 MB, of which large bodies leave 32 MB, and sends 131,072 small chunks in a second', () => {
  const memory = createBodyMemory(undefined, () => 0);
  expect([131_072, 1].map((count) => memory.hold().addChunks(count))).toEqual([true, false]);
  const heldBy = (caller: string, bytes: number) =>
    Array.from({ length: 500 }, memory.hold).filter((held) => {
      held.setCaller(caller);
      return held.add(bytes);
    }).length;
  expect(['a', 'b', 'c'].map((caller) => heldBy(caller, 2 ** 20))).toEqual([24, 24, 16]);
  expect(['a', 'c', 'd', 'e'].map((caller) => heldBy(caller, 2 ** 16))).toEqual([0, 128, 384, 0]);
});
