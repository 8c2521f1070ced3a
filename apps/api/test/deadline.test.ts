import { expect, jest, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { ANSWER_WITHIN_MS, createDeadlines } from '../src/http/pipeline/deadline.ts';

const never = new Promise<never>(() => {});

test('work that does not end is given up as unavailable, and what comes of it later disturbs nobody', async () => {
  let fail: (error: Error) => void = () => {};
  const hanging = new Promise<never>((_, reject) => {
    fail = reject;
  });
  await expect(createDeadlines(5)().within(hanging)).rejects.toThrow(Unavailable);
  fail(new Error('too late for anyone'));
  await new Promise((resolve) => setImmediate(resolve));
});

test('work that ends in time is handed on as it ended', async () => {
  const { within } = createDeadlines()();
  expect(await within(Promise.resolve('done'))).toBe('done');
  await expect(within(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
});

test('the steps of a request share its time', async () => {
  jest.useFakeTimers();
  try {
    const { within } = createDeadlines(200)();
    const first = within(new Promise((resolve) => setTimeout(resolve, 150)));
    await jest.advanceTimersByTimeAsync(150);
    await first;
    const refused = expect(within(never)).rejects.toThrow(Unavailable);
    // It is looked every tenth of a second.
    await jest.advanceTimersByTimeAsync(100);
    await refused;
  } finally {
    jest.useRealTimers();
  }
});

test('a request has an answer within what a client waits for', () => {
  expect(ANSWER_WITHIN_MS).toBeLessThanOrEqual(10_000);
});
