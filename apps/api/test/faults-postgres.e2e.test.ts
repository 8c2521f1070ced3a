import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startCluster } from '../../../tools/cluster/index.ts';
import { claimsOf, countByOutcome, type Load, retrySend, startLoad, until } from './cluster-load.ts';
import { callHttp, claimBody, type TestFirm } from './service-under-test.ts';

const cluster = await startCluster({ processes: 2 });

let firm: TestFirm;
let load: Load;
beforeEach(async () => {
  firm = await cluster.operator.firm();
  load = startLoad(cluster.urls, firm, { clients: 6, pauseMs: 50 });
  await until(() => load.outcomes.length > 40);
});
afterEach(() => load.stop());

const health = (url: string): Promise<number> =>
  callHttp(url, 'GET', '/v1/health').then(({ status }) => status);
const healthStatuses = (): Promise<number[]> => Promise.all(cluster.urls.map(health));

/** Waits until every process serves reads and writes again. */
const waitForRecovery = (): Promise<unknown> =>
  until(async () => {
    const probe = startLoad(cluster.urls, firm, { clients: 4 });
    await until(() => probe.outcomes.length >= 8, 5);
    return Object.keys(countByOutcome(await probe.stop())).every((one) => one === '200' || one === '201');
  }, 20);

/** Expects only successes and 503 with Retry-After, and after retries exactly one claim for each send. */
async function expectRecovered(): Promise<void> {
  const outcomes = await load.stop();
  const failed = outcomes.filter(({ write, status }) => status !== (write ? 201 : 200));
  expect(countByOutcome(failed.filter(({ code }) => code !== 'service_unavailable'))).toEqual({});
  expect(failed.filter(({ status, retryAfter }) => status !== 503 || retryAfter !== '1')).toEqual([]);
  const unknown = failed.filter(({ write }) => write);
  const again = await Promise.all(unknown.map((one) => retrySend(cluster.url, firm, one)));
  expect(again.map(({ status }) => status)).toEqual(unknown.map(() => 201));
  const found = await claimsOf(cluster, firm);
  const sent = outcomes.filter(({ write }) => write).map(({ body }) => String(body?.external_id));
  expect(sent.filter((id) => found.get(id) !== 1)).toEqual([]);
}

test('while PostgreSQL is down, requests and health get 503 with Retry-After, and work again afterwards', async () => {
  const { token } = await cluster.operator.staff(firm.id);
  // Counts that several boards share are read again after they have failed.
  const boardsReturn = (expected: number) => async () => {
    const boards = cluster.urls.map((url) => callHttp(url, 'GET', '/firm/v1/claims', { as: token }));
    return (await Promise.all(boards)).every(({ status }) => status === expected);
  };
  await until(boardsReturn(200));
  await cluster.postgres.stopServer('kill');
  const startedAt = load.outcomes.length;
  await until(boardsReturn(503));
  await until(async () => (await healthStatuses()).every((status) => status === 503));
  await until(() => load.outcomes.length > startedAt + 40);
  await cluster.postgres.startServer();
  await waitForRecovery();
  await until(boardsReturn(200));
  await until(async () => (await healthStatuses()).every((status) => status === 200));
  await expectRecovered();
});

test('while PostgreSQL is frozen, every request gets 503, and requests work again afterwards', async () => {
  cluster.postgres.pause();
  const startedAt = load.outcomes.length;
  try {
    await until(async () => (await healthStatuses()).every((status) => status === 503));
    // Each of the six clients has a response.
    await until(() => load.outcomes.slice(startedAt).filter(({ status }) => status === 503).length >= 6);
  } finally {
    cluster.postgres.resume();
  }
  await waitForRecovery();
  await expectRecovered();
});

test('while connections are terminated repeatedly, a revoked key stays rejected by all processes, and no request gets 500', async () => {
  const key = await cluster.operator.key(firm.id);
  const statuses = () =>
    Promise.all(
      cluster.urls.map(async (url) => (await callHttp(url, 'GET', '/v1/me', { as: key.secret })).status),
    );
  // The key is in the caches.
  expect(await statuses()).toEqual(cluster.urls.map(() => 200));
  let stopping = false;
  const storm = (async () => {
    for (; !stopping; await sleep(150)) await cluster.postgres.endConnections();
  })();
  try {
    // The operator's connection is terminated as well.
    await until(() =>
      cluster.operator.revoke(key.id).then(
        () => true,
        () => false,
      ),
    );
    await until(async () => (await statuses()).every((status) => status === 401));
    for (let n = 0; n < 10; n += 1) {
      expect((await statuses()).filter((status) => status < 400)).toEqual([]);
      await sleep(50);
    }
  } finally {
    stopping = true;
    await storm;
  }
  await waitForRecovery();
  await expectRecovered();
});

test('a send whose commit is not confirmed by every server gets 503, and a retry finds the claim with its job done', async () => {
  await load.stop();
  const claim = claimBody(firm.account.accepts, { external_id: 'UNCONFIRMED' });
  const send = () =>
    callHttp(cluster.url, 'POST', '/v1/claims', {
      as: firm.test,
      body: claim,
      headers: { 'Idempotency-Key': 'unconfirmed' },
    });
  const sql = await cluster.postgres.connect();
  const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
  const names = async (): Promise<string> =>
    (await sql.query('SHOW synchronous_standby_names')).rows[0].synchronous_standby_names;
  const waitForNoStandby = async (): Promise<void> => {
    await sql.query('ALTER SYSTEM RESET synchronous_standby_names');
    await sql.query('SELECT pg_reload_conf()');
  };
  await sql.query(`ALTER SYSTEM SET synchronous_standby_names = 'missing'`);
  // The server reports it in a warning, which must not be hidden.
  await sql.query(`ALTER SYSTEM SET client_min_messages = 'error'`);
  await sql.query('SELECT pg_reload_conf()');
  await until(async () => (await names()) === 'missing');
  try {
    let isSettled = false;
    const attempt = () => {
      isSettled = false;
      return send().finally(() => {
        isSettled = true;
      });
    };
    let first = attempt();
    const { workers } = cluster.postgres;
    if (workers.length === 0) {
      let cancelled = 0;
      // All that wait, and again: commits of jobs wait too, perhaps before the send and with a lock that it needs.
      await until(async () => {
        cancelled +=
          (await sql.query(`SELECT pg_cancel_backend(pid) FROM (${waiting}) AS waiting`)).rowCount ?? 0;
        // A busy machine can miss a send's deadline before its commit.
        if (isSettled && cancelled === 0) first = attempt();
        return isSettled;
      });
    } else {
      await until(async () => (await sql.query(waiting)).rowCount !== 0);
      // The workers have prepared the transaction, and the coordinator cannot commit it there.
      for (const worker of workers) await worker.endConnections();
      await waitForNoStandby();
    }
    expect(await first).toMatchObject({ status: 503, json: { code: 'service_unavailable' } });
  } finally {
    await sql.query('ALTER SYSTEM RESET client_min_messages');
    await waitForNoStandby();
    await sql.end();
  }
  // The coordinator's connections to the workers, which the operator uses too, fail once.
  await until(() =>
    cluster.operator.firm().then(
      () => true,
      () => false,
    ),
  );

  await until(async () => (await send()).status === 201, 250);
  expect((await claimsOf(cluster, firm)).get('UNCONFIRMED')).toBe(1);
  const { json } = await send();
  await until(async () => {
    const now = await callHttp(cluster.url, 'GET', `/v1/claims/${json.id}`, { as: firm.test });
    return now.json.assignment?.status === 'accepted';
  }, 50);
});
