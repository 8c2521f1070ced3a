import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { createDeadline } from '../src/http/limits/deadline.ts';

const never = new Promise<never>(() => {});

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => void jest.useRealTimers());

test('work that exceeds its deadline, rounded up to 50 ms, fails as unavailable, and its later rejection is ignored', async () => {
  let fail: (error: Error) => void = () => {};
  const hanging = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const { within, isOver } = createDeadline(55);
  const failed = expect(within(hanging)).rejects.toThrow(Unavailable);
  jest.advanceTimersByTime(99);
  expect(isOver()).toBe(false);
  jest.advanceTimersByTime(1);
  expect(isOver()).toBe(true);
  await failed;
  fail(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});

test('work that ends before its deadline keeps its result or error', async () => {
  const { within } = createDeadline();
  expect(await within(Promise.resolve('done'))).toBe('done');
  await expect(within(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(jest.getTimerCount()).toBe(0);
});

test('all steps of a request share one deadline', async () => {
  const { within } = createDeadline(200);
  const first = within(new Promise((resolve) => setTimeout(resolve, 150)));
  await jest.advanceTimersByTimeAsync(150);
  await first;
  const failed = expect(within(never)).rejects.toThrow(Unavailable);
  await jest.advanceTimersByTimeAsync(50);
  await failed;
});
