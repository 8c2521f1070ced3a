import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Cluster, startCluster } from '../../../tools/cluster/index.ts';
import { countRows } from '../../../tools/services/count-rows.ts';
import { measurePropagation, report, sendConcurrently, serviceAt, until } from './cluster-load.ts';
import { freshKey, outcome } from './firm-calls.ts';
import { type ApiResponse, callHttp, claimBody, type TestFirm } from './service-under-test.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ env: { LOG_LEVEL: 'info' } });
});
afterAll(() => cluster?.stop());

const urlOf = (n: number): string => cluster.urls[n] ?? '';
const statuses = (responses: readonly ApiResponse[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe('limits', () => {
  /** A test key is refilled by one request a second, and one write every two seconds. */
  const REFILL_MS = 1000;
  const countPrinted = (what: string): number[] =>
    cluster.processes.map(({ output }) => output.filter((line) => line.includes(what)).length);

  /** Repeats the round until Redis was available throughout and no bucket was refilled, as may happen on a busy machine. */
  async function send25Concurrently(
    request: (url: string, firm: TestFirm) => Promise<ApiResponse>,
  ): Promise<ApiResponse[]> {
    for (;;) {
      const firm = await cluster.operator.firm({ limited: true });
      const outages = countPrinted('Redis is unavailable');
      const startedAt = performance.now();
      const responses = await sendConcurrently(cluster.urls, 25, (url) => request(url, firm));
      const short = performance.now() - startedAt < REFILL_MS;
      // The output of a process arrives after its responses.
      await sleep(500);
      const undisturbed =
        `${countPrinted('Redis is unavailable')}` === `${outages}` &&
        `${countPrinted('Redis is available again')}` === `${outages}`;
      if (short && undisturbed) return responses;
    }
  }

  test('of 25 concurrent requests with one test key over three processes, five get 429', async () => {
    const responses = await send25Concurrently((url, firm) =>
      callHttp(url, 'GET', '/v1/me', { as: firm.test }),
    );
    expect(statuses(responses)).toEqual({ 200: 20, 429: 5 });
    for (const response of responses.filter(({ status }) => status === 429)) {
      expect(response.json.code).toBe('rate_limited');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
  });
});

describe('an Idempotency-Key', () => {
  test('of forty concurrent identical sends over three processes gives one claim and equal responses', async () => {
    const firm = await cluster.operator.firm();
    const before = await countRows(cluster.postgres.url);
    const body = claimBody(firm.account.manual);
    const responses = await sendConcurrently(cluster.urls, 40, (url) =>
      callHttp(url, 'POST', '/v1/claims', { as: firm.test, body, headers: { 'Idempotency-Key': 'forty' } }),
    );
    expect(statuses(responses)).toEqual({ 201: 40 });
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    const after = await countRows(cluster.postgres.url);
    const added = (table: string): number => (after[table] ?? 0) - (before[table] ?? 0);
    expect([added('public.claims'), added('public.idempotency_records')]).toEqual([1, 1]);
  });

  test('in use is rejected by its process for a different request, and duplicates in all processes wait', async () => {
    const firm = await cluster.operator.firm();
    const body = claimBody(firm.account.manual);
    const send = (url: string, sent: unknown): Promise<ApiResponse> =>
      callHttp(url, 'POST', '/v1/claims', {
        as: firm.test,
        body: sent,
        headers: { 'Idempotency-Key': 'held' },
      });
    const holder = await cluster.postgres.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE claims IN EXCLUSIVE MODE');
      const first = send(urlOf(0), body);
      // The first request now waits for the lock.
      await until(async () => {
        await holder.query('SELECT pg_stat_clear_snapshot()');
        const waiting = await holder.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
        return waiting.rowCount === 1;
      });
      const other = await send(urlOf(0), claimBody(firm.account.manual));
      expect(outcome(other)).toEqual([422, 'idempotency_key_reused']);
      const duplicates = cluster.urls.map((url) => send(url, body));
      await holder.query('ROLLBACK');
      const responses = await Promise.all([first, ...duplicates]);
      expect(statuses(responses)).toEqual({ 201: 4 });
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    } finally {
      await holder.end();
    }
  });

  test('is replayed by other processes, also after Redis has lost its data', async () => {
    const firm = await cluster.operator.firm();
    const body = claimBody(firm.account.manual);
    const send = (url: string): Promise<ApiResponse> =>
      callHttp(url, 'POST', '/v1/claims', { as: firm.test, body, headers: { 'Idempotency-Key': 'later' } });
    const first = await send(urlOf(0));
    const replayed = await send(urlOf(1));
    await cluster.redis.restart();
    const afterwards = await send(urlOf(2));
    expect([first, replayed, afterwards].map(({ status, text }) => [status, text])).toEqual(
      Array(3).fill([201, first.text]),
    );
  });
});

describe('all processes see the change of the operator', () => {
  test('of a revoked key', async () => {
    const { id } = await cluster.operator.firm();
    const key = await cluster.operator.key(id);
    const ms = await measurePropagation(
      cluster.urls,
      () => cluster.svc('key', 'revoke', key.id),
      key.secret,
      (response) => response.status === 401,
    );
    report('a revoked key was last accepted, ms after svc had ended', { ms });
  });
});

test('with three processes, a test account responds to each offer once', async () => {
  const firm = await cluster.operator.firm();
  const sent = await sendConcurrently(cluster.urls, 24, (url) =>
    callHttp(url, 'POST', '/v1/claims', {
      as: firm.test,
      body: claimBody(firm.account.accepts),
      headers: { 'Idempotency-Key': freshKey() },
    }),
  );
  expect(statuses(sent)).toEqual({ 201: 24 });
  const list = async (): Promise<{ id: string; updated_at: string; assignment: { status: string } }[]> =>
    (await serviceAt(cluster.url).call('GET', '/v1/claims?limit=200', { as: firm.test })).json.data;
  await until(async () => (await list()).every(({ assignment }) => assignment.status === 'accepted'), 100);
  const settled = await list();
  expect(settled).toHaveLength(24);
  // A second response to the same offer would show as a later change.
  await until(async () => (await countRows(cluster.postgres.url))['public.jobs'] === 0, 100);
  expect(await list()).toEqual(settled);
});
