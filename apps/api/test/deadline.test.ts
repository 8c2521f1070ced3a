import { expect, jest, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { createDeadline } from '../src/http/limits/deadline.ts';

const never = new Promise<never>(() => {});

test('work that exceeds its deadline fails as unavailable, and its later rejection is ignored', async () => {
  let fail: (error: Error) => void = () => {};
  const hanging = new Promise<never>((_, reject) => {
    fail = reject;
  });
  await expect(createDeadline(5).within(hanging)).rejects.toThrow(Unavailable);
  fail(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});

test('work that ends before its deadline keeps its result or error', async () => {
  const { within } = createDeadline();
  expect(await within(Promise.resolve('done'))).toBe('done');
  await expect(within(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

test('all steps of a request share one deadline', async () => {
  jest.useFakeTimers();
  try {
    const { within } = createDeadline(200);
    const first = within(new Promise((resolve) => setTimeout(resolve, 150)));
    await jest.advanceTimersByTimeAsync(150);
    await first;
    const failed = expect(within(never)).rejects.toThrow(Unavailable);
    await jest.advanceTimersByTimeAsync(50);
    await failed;
  } finally {
    jest.useRealTimers();
  }
});
