import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../src/driver/database.ts';
import { migrate } from '../src/index.ts';
import { WORKER_BEAT_MS, workerHeartbeats } from '../src/jobs/worker-heartbeats.ts';
import { SILENT } from '../src/log.ts';
import { type FreshDatabase, freshDatabase } from './fresh-database.ts';

let database: FreshDatabase;
let opened: Database;
beforeAll(async () => {
  database = await freshDatabase();
  await migrate(database);
  opened = await openDatabase({
    url: database.url,
    poolMax: 2,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 10_000,
    idleInTransactionTimeoutMs: 10_000,
    pooler: undefined,
    log: SILENT,
  });
});
afterAll(async () => {
  await opened.close();
  await database.drop();
});

/** Whether a worker whose last heartbeat was this many intervals ago keeps the job it locked an hour ago. */
async function keepsJob(beats: number): Promise<boolean> {
  const { sql } = database;
  await sql.query('TRUNCATE graphile_worker._private_jobs, job_workers');
  await sql.query(`SELECT graphile_worker.add_job('notify_offer')`);
  await sql.query(
    `UPDATE graphile_worker._private_jobs SET locked_by = 'busy', locked_at = now() - interval '1 hour'`,
  );
  await sql.query(`INSERT INTO job_workers VALUES ('busy', now() - $1 * interval '1 ms')`, [
    Math.round(beats * WORKER_BEAT_MS),
  ]);
  await workerHeartbeats(opened.maintenance).beat(['another']);
  const { rows } = await sql.query('SELECT locked_by FROM graphile_worker.jobs');
  expect(rows).toHaveLength(1);
  return rows[0].locked_by === 'busy';
}

test.each([0, 1, 2, 3])('a worker keeps its job when its heartbeat is %i intervals late', async (late) => {
  expect(await keepsJob(1 + late)).toBe(true);
});

test('a job is unlocked when its worker has missed ten heartbeats', async () => {
  expect(await keepsJob(11)).toBe(false);
});

test('a worker without a heartbeat yet keeps a job it has just locked', async () => {
  const { sql } = database;
  await sql.query('TRUNCATE graphile_worker._private_jobs, job_workers');
  await sql.query(`SELECT graphile_worker.add_job('notify_offer')`);
  await sql.query(
    `UPDATE graphile_worker._private_jobs SET locked_by = 'new', locked_at = now() - $1 * interval '1 ms'`,
    [2 * WORKER_BEAT_MS],
  );
  await workerHeartbeats(opened.maintenance).beat(['another']);
  expect((await sql.query('SELECT locked_by FROM graphile_worker.jobs')).rows).toEqual([
    { locked_by: 'new' },
  ]);
});
