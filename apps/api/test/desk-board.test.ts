import { afterEach, expect, jest, test } from '@jest/globals';
import { DomainError } from '@svc/domain';
import { later } from '@svc/testkit/eventually';
import type { Services } from '../src/composition/container.ts';
import { deskBoardRoutes } from '../src/http/routes/desk-board.ts';
import { application } from './application.ts';

afterEach(() => void jest.useRealTimers());

test('counts are read once for boards that ask within a second, apart for each firm and environment, and again after an error', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  let [reads, isLost] = [0, false];
  const { promise: slow, resolve } = later();
  const ask = application<Services>((use) => ({ routes: deskBoardRoutes(use) }), {
    listBoard: { rows: [], next: null },
    async countBoard(firmId: string, environment: string) {
      reads += 1;
      if (isLost) throw new DomainError('not_found', 'lost');
      if (reads === 5) await slow;
      return `${firmId} ${environment} ${reads}`;
    },
    'sessionAuthenticator.authenticateStaff': async (firmId: string) => ({
      ...{ sessionId: firmId, tokenHash: firmId, mayOnlyAddPasskey: false },
      staff: { firmId, staffId: 'staff', role: 'admin', plan: 'standard' },
    }),
  });
  const counts = async (firm = 'one', environment = 'live') => {
    const headers = { authorization: `Bearer ${firm}` };
    const { json } = await ask('GET', `/firm/v1/claims?environment=${environment}`, { headers });
    return json.counts ?? json.detail;
  };
  expect(await Promise.all([counts(), counts(), counts('two'), counts('one', 'test')])).toEqual([
    ...['one live 1', 'one live 1', 'two live 2', 'one test 3'],
  ]);
  jest.advanceTimersByTime(999);
  expect(await counts()).toBe('one live 1');
  jest.advanceTimersByTime(1);
  isLost = true;
  expect(await counts()).toBe('lost');
  isLost = false;
  // A slow read is shared until its result, and from then on.
  const slowly = counts();
  await new Promise(setImmediate);
  jest.advanceTimersByTime(1000);
  setImmediate(resolve);
  expect(await Promise.all([slowly, counts()])).toEqual(['one live 5', 'one live 5']);
});
