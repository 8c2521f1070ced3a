import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Environment, FirmId } from '@svc/domain';
import type { Services } from '../src/composition/container.ts';
import { deskBoardRoutes, sharedFor } from '../src/http/routes/desk-board.ts';
import { application, FIRM } from './application.ts';

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

test('boards that are read within a second share the counts of their claims', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  const ask = application<Services>((use) => ({ routes: deskBoardRoutes(use) }), {
    ...{ countBoard: async () => 'COUNTS', listBoard: { rows: [], next: null } },
  });
  const headers = { authorization: 'Bearer staff' };
  const counted = async (afterMs: number) => {
    jest.advanceTimersByTime(afterMs);
    const { json, calls } = await ask('GET', '/firm/v1/claims', { headers });
    return [json.counts, ...calls.filter(([name]) => name === 'countBoard')];
  };
  const first = ['COUNTS', ['countBoard', FIRM, 'live']];
  expect([await counted(0), await counted(999), await counted(1)]).toEqual([first, ['COUNTS'], first]);
});
