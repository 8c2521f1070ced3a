import { afterEach, expect, jest, test } from '@jest/globals';
import { NO_METRICS } from '@svc/application';
import { eventually } from '@svc/testkit/eventually';
import pg from 'pg';
import { startJobs } from '../src/jobs/start-jobs.ts';

afterEach(() => void jest.restoreAllMocks());

test('jobs have connections of their own, with their settings behind a pooler too, and end once with the purge that runs', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const [logged, steps]: [unknown[], string[]] = [[], []];
  const due = [{ id: '1', job: { kind: 'notify_test', svcId: 'SVC-1', only: 'mail' }, attempt: 1 }];
  const query = jest.fn(async (given: unknown) => ({ rows: typeof given === 'string' ? [] : due.splice(0) }));
  const end = async () => void steps.push('ended');
  const connect = async () => ({ query, release() {} });
  const openPool = jest.fn(() => Object.assign(new pg.Pool({ max: 2 }), { connect, end }));
  const note = (...entry: unknown[]) => void logged.push(entry);
  let failPurge = (_: Error): void => {};
  const maintained = jest.fn(async () => {});
  const purge = () =>
    new Promise<void>((_, reject) => {
      maintained();
      failPurge = reject;
    });
  const jobs = startJobs(
    {
      ...{ database: { behindPooler: true, metrics: NO_METRICS, openPool }, purge },
      ...{ log: { info: note, warn: note, error: note }, refreshStatistics: maintained },
    },
    () => new Promise(() => {}),
    { pollIntervalMs: 5, timeoutMs: 5 },
  );
  await eventually(() => logged.length === 1);
  const fields = { kind: 'notify_test', attempt: 1, error: 'Unavailable' };
  expect(logged.splice(0)).toEqual([['a job failed and will be retried', fields]]);
  const settings = expect.objectContaining({ synchronous_commit: 'off', enable_sort: 'off' });
  const connections = { application_name: 'claim-assignment-jobs', max: 2, query_timeout: 5000 };
  expect(openPool.mock.calls).toEqual([[connections, settings]]);
  const begin = /^BEGIN;.* SET LOCAL synchronous_commit = off; SET LOCAL enable_sort = off$/;
  expect(query.mock.calls[0]).toEqual([expect.stringMatching(begin)]);
  expect(jobs.pool()).toMatchObject({ name: 'jobs', max: 2, open: 0 });
  const before = maintained.mock.calls.length;
  const stopping = Promise.all([jobs.stop(), jobs.stop()]).then(() => steps.push('stopped'));
  await new Promise(setImmediate);
  expect(steps).toEqual([]);
  failPurge(new Error('rows of jane.doe@example.net'));
  await stopping;
  expect([steps, maintained.mock.calls.length]).toEqual([['ended', 'stopped'], before]);
  expect(logged).toEqual([['a purge failed and will be retried', { error: 'Error' }]]);
});
