import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Job } from '@svc/application';
import type { ClaimId, FirmId, Svcid } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import pg from 'pg';
import { runAfterCommit } from '../src/citus/database.ts';
import type { Executor } from '../src/driver/executor.ts';
import { connect, type DatabaseLog, type PostgresStores } from '../src/index.ts';
import { jobTable } from '../src/jobs/job-table.ts';
import { newId } from './a-firm.ts';
import {
  distributedDatabase,
  type FreshDatabase,
  openStores,
  undistributedDatabase,
} from './fresh-database.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const aJob = (svcId = newId<Svcid>()): Job => ({
  kind: 'notify_offer',
  firmId: newId<FirmId>(),
  claimId: newId<ClaimId>(),
  svcId,
});

describe('jobs', () => {
  let database: FreshDatabase;
  let proxy: TcpProxy;
  let stores: PostgresStores;
  const logged: string[] = [];
  const note = (message: string, fields?: object): void => {
    logged.push(JSON.stringify([message, fields]));
  };
  const log: DatabaseLog = { info: note, warn: note, error: note };

  beforeAll(async () => {
    database = await distributedDatabase();
  });
  beforeEach(async () => {
    logged.length = 0;
    proxy = await startTcpProxy(database.url);
    stores = await openStores({ url: proxy.url, poolMax: 4, connectTimeoutMs: 10_000, log });
  });
  // Jobs that end later find no row.
  afterEach(() => database.sql.query('DELETE FROM jobs'));

  const add = (job: Job, runAt?: number) => stores.unitOfWork.run((tx) => tx.outbox.add(job, runAt));
  const pendingJobs = async (): Promise<number> =>
    (await database.sql.query('SELECT 1 FROM jobs')).rows.length;

  test('several processes share the jobs, and no job runs twice', async () => {
    const done: string[] = [];
    const handler = async (job: Job) => {
      await sleep(1);
      done.push(job.svcId ?? '');
    };
    // A worker that gets no connection cannot record its job, which then runs again: hence the long timeout, which a busy
    // machine does not exceed.
    const processes = await Promise.all(
      [1, 2].map(() => connect({ url: database.url, poolMax: 4, connectTimeoutMs: 60_000 })),
    );
    for (const process of processes) process.startJobs(handler);
    const names = Array.from({ length: 60 }, (_, n) => `A${n}` as Svcid);
    await stores.unitOfWork.run(async (tx) => {
      for (const name of names) await tx.outbox.add(aJob(name));
    });
    await eventually(async () => (await pendingJobs()) === 0);
    await Promise.all(processes.map((process) => process.close()));
    expect([...done].sort()).toEqual([...names].sort());
  });

  test('the queue survives a server restart, and the result of a job that ended during it is recorded', async () => {
    const done: string[] = [];
    let cutting = true;
    stores.startJobs(async (job) => {
      done.push(job.svcId ?? '');
      if (cutting) {
        cutting = false;
        await proxy.cut();
      }
    });
    await add(aJob('first' as Svcid));
    await eventually(() => done.length === 1);
    await sleep(700);
    await proxy.restore();
    await eventually(async () => (await pendingJobs()) === 0);
    await add(aJob('second' as Svcid));
    await eventually(() => done.length === 2);
    expect(done).toEqual(['first', 'second']);
  });

  test('stopping during an outage ends while jobs wait, and none of them is lost', async () => {
    let cut = false;
    const jobs = stores.startJobs(async () => {
      if (!cut) await proxy.cut();
      cut = true;
      await sleep(200);
    });
    await stores.unitOfWork.run(async (tx) => {
      for (let n = 0; n < 60; n += 1) await tx.outbox.add(aJob());
    });
    await eventually(() => cut);
    // They are refreshed again after a minute.
    await eventually(() => logged.join('').includes('statistics could not be refreshed'));
    await jobs.stop();
    expect(await pendingJobs()).toBe(60);
  }, 50_000);

  test('a job whose last attempt fails stays visible, is not run again, and is purged after 30 days', async () => {
    const job = aJob() as Job & { readonly claimId: ClaimId };
    await add(job);
    await database.sql.query('UPDATE jobs SET attempts = 11');
    let tries = 0;
    const jobs = stores.startJobs(async () => {
      tries += 1;
      throw new Error('rejected');
    });
    const state = () => stores.metricSources.queue();
    await eventually(async () => (await state()).failed === 1);
    expect(stores.metricSources.pools().map(({ name }) => name)).toEqual(['requests', 'jobs']);
    expect(await state()).toEqual({ due: 0, scheduled: 0, running: 0, failed: 1, oldestDueSeconds: 0 });
    const ofClaim = await stores.operatorReads.jobsOfClaim(job.claimId);
    expect(ofClaim).toMatchObject([{ kind: job.kind, attempts: 12, failed: true }]);
    await sleep(600);
    expect(tries).toBe(1);
    expect(logged.join('\n')).toContain('a job failed permanently');
    const now = Date.now();
    expect((await stores.purge(now + 29 * 86_400_000)).failedJobs).toBe(0);
    // As the runbook says.
    await database.sql.query(
      'UPDATE jobs SET run_at = now(), attempts = 0, failed_at = NULL WHERE failed_at IS NOT NULL',
    );
    await eventually(() => tries === 2);
    await jobs.stop();
    expect(jobs.pool()).toMatchObject({ max: 2, open: 0 });
    expect(await state()).toMatchObject({ scheduled: 1, failed: 0 });
    await database.sql.query('UPDATE jobs SET failed_at = now()');
    expect((await stores.purge(now + 31 * 86_400_000)).failedJobs).toBe(1);
  });

  test('the queue counts jobs that are due, scheduled and running, and how late the oldest is', async () => {
    for (const runAt of [Date.now() - 90_000, undefined, Date.now() + 60_000]) await add(aJob(), runAt);
    await add(aJob('running' as Svcid));
    await database.sql.query(
      "UPDATE jobs SET locked_until = now() + interval '1 minute' WHERE svc_id = 'running'",
    );
    const { oldestDueSeconds, ...counts } = await stores.metricSources.queue();
    expect(counts).toEqual({ due: 2, scheduled: 1, running: 1, failed: 0 });
    expect(Math.floor(oldestDueSeconds / 30)).toBe(3);
  });

  test('the purge deletes expired rows and nothing else', async () => {
    const now = Date.now();
    const at = (hoursAgo: number) => new Date(now - hoursAgo * 3_600_000);
    await database.sql.query(
      `INSERT INTO idempotency_records
         SELECT gen_random_uuid(), 'live', 'k' || n, 'f', gen_random_uuid(), $1 FROM generate_series(1, 6000) n`,
      [at(25)],
    );
    await database.sql.query(
      `INSERT INTO idempotency_records VALUES (gen_random_uuid(), 'live', 'kept', 'f', gen_random_uuid(), $1)`,
      [at(24.99)],
    );
    await database.sql.query(`INSERT INTO adjusters (svc_id) VALUES ('A'), ('B')`);
    const [over, open] = [new Date(now), new Date(now + 1)];
    await database.sql.query(
      `INSERT INTO email_changes VALUES ('A', 'e', 'h', $1, 3), ('B', 'e', 'h', $2, 3)`,
      [over, open],
    );
    await database.sql.query(`INSERT INTO used_passkey_challenges VALUES ('over', $1), ('open', $2)`, [
      over,
      open,
    ]);
    const ninetyDays = 90 * 24;
    await database.sql.query(
      `INSERT INTO imports (firm_id, id, name, name_key, environment, columns, total_rows, next_uncounted, sent,
           already_sent, failed, created_at, updated_at)
         SELECT gen_random_uuid(), gen_random_uuid(), '', '', 'live', '{}', 0, 0, 0, 0, 0, $1, updated_at
           FROM unnest(ARRAY[$2, $3]::timestamptz[]) AS updated_at`,
      [at(2 * ninetyDays), at(ninetyDays), at(ninetyDays - 1)],
    );
    await database.sql.query(
      `INSERT INTO sessions (token_hash, id, svc_id, created_at, last_used_at, expires_at, ends_at, method)
         SELECT hash, gen_random_uuid(), 'A', $1, $1, expires, $2, 'code'
           FROM (VALUES ('over', $1::timestamptz), ('open', $2)) AS sessions (hash, expires)`,
      [at(1), at(-1)],
    );
    await database.sql.query(
      `INSERT INTO devices (svc_id, device_id, subscription, session_hash, endpoint_hash, registered_at)
         SELECT 'A', 'device ' || hash, '{}', hash, hash, CASE hash WHEN 'new' THEN $2 ELSE $1 END::timestamptz
           FROM unnest(ARRAY['over', 'open', 'unknown', 'new']) AS hash`,
      [at(1), at(0.99)],
    );
    await database.sql.query(`INSERT INTO sign_in_codes VALUES ('a', 'h', $1, 's'), ('b', 'h', $2, 's')`, [
      at(1),
      at(-1),
    ]);
    await database.sql.query(
      `INSERT INTO sign_in_tickets VALUES ('over', '[]', 'code', $1), ('open', '[]', 'code', $2)`,
      [at(1), at(-1)],
    );
    await database.sql.query(
      `INSERT INTO sign_in_attempts VALUES ('over', 3, $1, $1), ('counts', 3, $1, $2)`,
      [at(0), at(-1)],
    );
    await add(aJob());
    const [one, other] = await Promise.all([stores.purge(now), stores.purge(now)]);
    const kinds = Object.keys(one) as (keyof typeof one)[];
    expect(Object.fromEntries(kinds.map((kind) => [kind, one[kind] + other[kind]]))).toEqual({
      ...{ idempotencyRecords: 6000, sessions: 1, devices: 2, signInCodes: 1, signInTickets: 1 },
      ...{ emailChanges: 1, usedChallenges: 1, signInAttempts: 1, imports: 1 },
      ...{ failedJobs: 0, requestLog: 0, webhookDeliveries: 0, closedClaims: 0, audit: 0 },
    });
    expect(await pendingJobs()).toBe(1);
    const { rows } = await database.sql.query('SELECT key FROM idempotency_records');
    expect(rows).toEqual([{ key: 'kept' }]);
    const devices = await database.sql.query('SELECT device_id AS id FROM devices ORDER BY device_id');
    expect(devices.rows).toEqual([{ id: 'device new' }, { id: 'device open' }]);
  });
});

const executorOn = (client: pg.Client): Executor => ({
  rows: async ({ text }, values = []) => (await client.query(text, [...values])).rows,
});

describe('a job, on tables that are not distributed', () => {
  test('is taken in the order of the times, unless its account or firm is left out, and counts for its latest attempt alone', async () => {
    const { sql } = await undistributedDatabase();
    const table = jobTable(executorOn(sql));
    const [firm, busyFirm] = [newId(), newId()];
    const job = (svcId: string, firmId: string | null, minutes: number) =>
      sql.query(`INSERT INTO jobs (payload, run_at) VALUES ($1, now() - make_interval(mins => $2))`, [
        { kind: 'notify_offer', svcId, firmId },
        minutes,
      ]);
    await job('second', firm, 8);
    await job('first', null, 9);
    await job('busy', firm, 10);
    await job('of busy', busyFirm, 11);
    const taken = (limit: number) => table.take(limit, ['busy', busyFirm]);
    const namesOf = (jobs: readonly { readonly job: Job }[]) => jobs.map(({ job: { svcId } }) => svcId);
    expect(namesOf(await taken(1))).toEqual(['first']);
    const [second, ...others] = await taken(9);
    expect([second?.job.svcId, second?.attempt, others]).toEqual(['second', 1, []]);
    if (second === undefined) throw new Error('expected a job');
    const stored = async () =>
      (
        await sql.query(
          `SELECT *, run_at - now() BETWEEN '50 s' AND '60 s' AS later FROM jobs WHERE id = $1`,
          [second.id],
        )
      ).rows[0];
    await sql.query(`UPDATE jobs SET locked_until = now() - interval '1 s' WHERE id = $1`, [second.id]);
    const [again] = await taken(9);
    expect(again).toEqual({ ...second, attempt: 2 });
    await sql.query('UPDATE jobs SET locked_until = now() WHERE id = $1', [second.id]);
    await table.extend([second.id]);
    expect(await taken(9)).toEqual([]);
    const held = await stored();
    for (const end of [table.fail, table.giveBack]) await end(second);
    await table.retry(second, 60_000);
    expect(await stored()).toEqual(held);
    const latest = { ...second, attempt: 2 };
    await table.giveBack(latest);
    await table.extend([second.id]);
    expect(await stored()).toMatchObject({ attempts: 1, locked_until: null, failed_at: null, later: false });
    await table.retry(second, 60_000);
    expect(await stored()).toMatchObject({ attempts: 1, locked_until: null, later: true });
    expect(await taken(9)).toEqual([]);
    await table.fail(second);
    expect(await stored()).toMatchObject({ locked_until: null, failed_at: expect.any(Date) });
    await table.remove([second.id]);
    expect(await stored()).toBeUndefined();
    expect((await sql.query('SELECT 1 FROM jobs')).rowCount).toBe(3);
  });

  test('on Citus, a job of a firm runs after the transaction that adds to its audit trail, other jobs at once', async () => {
    const database = await undistributedDatabase();
    const job = aJob() as Job & { readonly firmId: FirmId };
    await database.sql.query(`INSERT INTO firm_feeds (firm_id, last_stamp) VALUES ($1, 'epoch')`, [
      job.firmId,
    ]);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const executor = executorOn(client);
    const done: Job[] = [];
    const run = (one: Job) => runAfterCommit(executor, one, async (ran) => void done.push(ran));
    await database.sql.query('BEGIN');
    await database.sql.query('UPDATE firm_feeds SET audit_seq = audit_seq + 1 WHERE firm_id = $1', [
      job.firmId,
    ]);
    const other: Job = { kind: 'notify_test', svcId: 'SVC-1' as Svcid, only: 'mail' };
    await run(other);
    const running = run(job);
    await database.lockAwaited();
    expect(done).toEqual([other]);
    await database.sql.query('COMMIT');
    await running;
    expect(done).toEqual([other, job]);
    await client.end();
  });
});
