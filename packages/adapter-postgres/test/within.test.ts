import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { within } from '../src/driver/within.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('work that ends in time leaves no timer, and work that fails after it is not waited for', async () => {
  expect(await within(1000, Promise.resolve(7), 'too late')).toBe(7);
  await expect(within(1000, Promise.reject(new Error('failed')), 'too late')).rejects.toThrow('failed');
  expect(jest.getTimerCount()).toBe(0);
  let fail = (_: Error): void => {};
  const slow = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const error = within(1000, slow, 'too late').catch((thrown: unknown) => thrown);
  await jest.advanceTimersByTimeAsync(1000);
  expect(await error).toMatchObject({ message: 'too late', reason: 'database_unreachable' });
  fail(new Error('failed'));
});
