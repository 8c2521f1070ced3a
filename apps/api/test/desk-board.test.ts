import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { deskEndpoints, parseRequest } from '@svc/contract';
import { DAY, type Environment, type FirmId } from '@svc/domain';
import { answersFilter, boardFilterOf, sharedFor } from '../src/http/routes/desk-board.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const ALL = { environment: 'live', closed: false, late: false, clockLate: false, order: 'waiting' } as const;

test.each([
  ['', {}],
  ['environment=test', { environment: 'test' }],
  ['order=latest', { order: 'latest' }],
  ['closed=true', { closed: true, order: 'latest' }],
  ['status=accepted', { status: 'accepted', order: 'latest' }],
  ['status=rejected', { status: 'rejected' }],
  ['q=reyes', { text: 'reyes', order: 'latest' }],
  ['q=reyes&order=waiting', { text: 'reyes' }],
  ['late=true', { late: true, status: 'pending_acceptance' }],
  [
    'clock_late=true&late=true',
    { clockLate: true, late: true, status: 'pending_acceptance', order: 'latest' },
  ],
  ['clock_late=true&status=rejected', { clockLate: true, status: 'accepted', order: 'latest' }],
  ['late=true&status=rejected', { late: true, status: 'pending_acceptance' }],
  ['adjuster=SVC-1&carrier=gulf&state=FL', { adjuster: 'SVC-1', carrier: 'gulf', state: 'FL' }],
])('the board with "%s" has the claims of %j, in their order', (search, expected) => {
  const parsed = parseRequest(deskEndpoints.listBoardClaims, { search });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  expect(boardFilterOf(parsed.value.query)).toEqual({ ...ALL, ...expected });
});

test('a report is of the thirty days before its end, now unless it is given, and of 400 days at most', () => {
  const now = 1000 * DAY;
  const asked = { environment: 'live', by: 'week' } as const;
  const utc = { ...asked, timeZone: 'UTC' };
  expect(answersFilter(asked, now)).toEqual({ ...utc, since: 970 * DAY, until: now });
  const until = 500 * DAY;
  expect(answersFilter({ ...asked, until }, now)).toEqual({ ...utc, since: 470 * DAY, until });
  for (const since of [until - 1, until - 400 * DAY])
    expect(answersFilter({ ...asked, since, until, time_zone: 'Pacific/Guam' }, now)).toEqual({
      ...asked,
      ...{ since, until, timeZone: 'Pacific/Guam' },
    });
  for (const since of [until, until + 1, until - 400 * DAY - 1])
    expect(() => answersFilter({ ...asked, since, until }, now)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        extra: expect.objectContaining({ errors: [expect.objectContaining({ parameter: 'since' })] }),
      }),
    );
});

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
