import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Environment, FirmId } from '@svc/domain';
import { sharedFor } from '../src/http/routes/desk-board.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('what is shared is read once by those who ask within its time, apart for each firm and environment, and again after an error', async () => {
  let [reads, isLost] = [0, false];
  const shared = sharedFor(1000, async (firmId, environment) => {
    reads += 1;
    if (isLost) throw new Error('lost');
    return `${firmId} ${environment} ${reads}`;
  });
  const ask = (firm = 'one', environment: Environment = 'live') =>
    shared(firm as FirmId, environment).catch(({ message }: Error) => message);
  expect(await Promise.all([ask(), ask(), ask('two'), ask('one', 'test')])).toEqual([
    ...['one live 1', 'one live 1', 'two live 2', 'one test 3'],
  ]);
  jest.advanceTimersByTime(999);
  expect(await ask()).toBe('one live 1');
  jest.advanceTimersByTime(1);
  isLost = true;
  expect(await ask()).toBe('lost');
  isLost = false;
  expect(await ask()).toBe('one live 5');
});
