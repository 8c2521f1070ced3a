import { expect, test } from '@jest/globals';
import { createBodyMemory } from '../src/http/pipeline/body-memory.ts';

test('the bodies of all requests share one memory limit, and release their memory when done', () => {
  const memory = createBodyMemory(100);
  const [one, other] = [memory.hold(), memory.hold()];
  expect([one.add(60), other.add(40), other.add(1), one.add(1)]).toEqual([true, true, false, false]);
  one.release();
  one.release();
  expect([other.add(60), other.add(1)]).toEqual([true, false]);
  other.release();
  expect(memory.hold().add(100)).toBe(true);
});
