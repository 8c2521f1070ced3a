import { afterEach, beforeEach, jest } from '@jest/globals';

/** In the tests of this file. */
export function fakeTime(): void {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
}

/**
 * Lets what is under way go on until nothing changes. IndexedDB takes several turns; imports are resolved by another thread, one
 * after the other.
 */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 200; turns += 1) {
    if (turns % 100 === 50) await import(import.meta.url);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export async function after(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  await settled();
}
