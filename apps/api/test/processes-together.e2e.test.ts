import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Cluster, startCluster } from '../../../tools/cluster/index.ts';
import { countRows } from '../../../tools/services/count-rows.ts';
import { at, inForce, report, spread, until } from './cluster-load.ts';
import { freshKey, listClaims, outcome } from './firm-calls.ts';
import { type Answer, callHttp, claimBody, type TestFirm } from './service-under-test.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ env: { LOG_LEVEL: 'info' } });
});
afterAll(() => cluster?.stop());

const urlOf = (n: number): string => cluster.urls[n] ?? '';
const statuses = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe('limits', () => {
  /** A test key gets a request back every second, and a write every two. */
  const REFILL_MS = 1000;
  const told = (what: string): number[] =>
    cluster.processes.map(({ printed }) => printed.filter((line) => line.includes(what)).length);

  /** In a round that Redis served throughout, and in which no bucket was refilled: a busy machine may want several. */
  async function in25(request: (url: string, firm: TestFirm) => Promise<Answer>): Promise<Answer[]> {
    for (;;) {
      const firm = await cluster.operator.firm({ limited: true });
      const away = told('Redis is unavailable');
      const begun = performance.now();
      const answers = await spread(cluster.urls, 25, (url) => request(url, firm));
      const short = performance.now() - begun < REFILL_MS;
      // What a process says arrives after its answers.
      await sleep(500);
      const undisturbed =
        `${told('Redis is unavailable')}` === `${away}` &&
        `${told('Redis is available again')}` === `${away}`;
      if (short && undisturbed) return answers;
    }
  }

  test('of 25 requests at once with one test key, spread over three processes, 20 are accepted and five are not', async () => {
    const answers = await in25((url, firm) => callHttp(url, 'GET', '/v1/me', { as: firm.test }));
    expect(statuses(answers)).toEqual({ 200: 20, 429: 5 });
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(answer.json.code).toBe('rate_limited');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
  });

  test('of 25 writes at once the same', async () => {
    const answers = await in25((url, firm) =>
      callHttp(url, 'POST', '/v1/claims', {
        as: firm.test,
        body: claimBody(firm.account.manual),
        headers: { 'Idempotency-Key': freshKey() },
      }),
    );
    expect(statuses(answers)).toEqual({ 201: 20, 429: 5 });
  });
});

describe('one Idempotency-Key', () => {
  test('forty identical sends at once, spread over three processes, make one claim and get forty equal answers', async () => {
    const firm = await cluster.operator.firm();
    const before = await countRows(cluster.postgres.url);
    const body = claimBody(firm.account.manual);
    const answers = await spread(cluster.urls, 40, (url) =>
      callHttp(url, 'POST', '/v1/claims', { as: firm.test, body, headers: { 'Idempotency-Key': 'forty' } }),
    );
    expect(statuses(answers)).toEqual({ 201: 40 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    const after = await countRows(cluster.postgres.url);
    const added = (table: string): number => (after[table] ?? 0) - (before[table] ?? 0);
    expect([added('public.claims'), added('public.idempotency_records')]).toEqual([1, 1]);
  });

  test('with two bodies at once makes one claim for one of them, and everything else is refused', async () => {
    const firm = await cluster.operator.firm();
    for (let round = 0; round < 5; round += 1) {
      const bodies = [claimBody(firm.account.manual), claimBody(firm.account.manual)];
      const answers = await spread(cluster.urls, 12, (url, n) =>
        callHttp(url, 'POST', '/v1/claims', {
          as: firm.test,
          body: bodies[n % 2],
          headers: { 'Idempotency-Key': `contested-${round}` },
        }),
      );
      const taken = answers.filter(({ status }) => status === 201);
      expect(new Set(taken.map(({ json }) => json.id)).size).toBe(1);
      const refused = answers
        .filter(({ status }) => status !== 201)
        .map((answer) => outcome(answer).join(' '));
      expect(new Set(refused)).toEqual(new Set(['422 idempotency_key_reused']));
      const { data } = await listClaims(at(cluster.url), firm.test, 'limit=200').then(({ json }) => json);
      expect(data).toHaveLength(round + 1);
    }
  });

  test('that is being used is refused by every process for a different request', async () => {
    const firm = await cluster.operator.firm();
    const body = claimBody(firm.account.manual);
    const send = (url: string, sent: unknown): Promise<Answer> =>
      callHttp(url, 'POST', '/v1/claims', {
        as: firm.test,
        body: sent,
        headers: { 'Idempotency-Key': 'held' },
      });
    const holder = await cluster.postgres.session();
    try {
      await holder.query('BEGIN; LOCK TABLE claims IN EXCLUSIVE MODE');
      const first = send(urlOf(0), body);
      // The first request has got as far as its claim.
      await until(async () => {
        await holder.query('SELECT pg_stat_clear_snapshot()');
        const waiting = await holder.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
        return waiting.rowCount === 1;
      });
      const others = await Promise.all(cluster.urls.map((url) => send(url, claimBody(firm.account.manual))));
      expect(others.map(outcome)).toEqual(cluster.urls.map(() => [422, 'idempotency_key_reused']));
      const twins = cluster.urls.map((url) => send(url, body));
      await holder.query('ROLLBACK');
      const answers = await Promise.all([first, ...twins]);
      expect(statuses(answers)).toEqual({ 201: 4 });
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    } finally {
      await holder.end();
    }
  });

  test('is answered by a process that never saw the first request, also after Redis forgot it', async () => {
    const firm = await cluster.operator.firm();
    const body = claimBody(firm.account.manual);
    const send = (url: string): Promise<Answer> =>
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

describe('what the operator changes is in force everywhere', () => {
  test('a revoked key', async () => {
    const { id } = await cluster.operator.firm();
    const key = await cluster.operator.key(id);
    const ms = await inForce(
      cluster.urls,
      () => cluster.svc('key', 'revoke', key.id),
      key.secret,
      (answer) => answer.status === 401,
    );
    report('a revoked key was last accepted, ms after svc had ended', { ms });
  });

  test('a plan', async () => {
    const firm = await cluster.operator.firm();
    const ms = await inForce(
      cluster.urls,
      () => cluster.svc('firm', 'set-plan', firm.id, 'read_only'),
      firm.live,
      (answer) => answer.json.scopes?.every((scope: string) => scope.endsWith(':read')),
    );
    report('a changed plan was last unknown, ms after svc had ended', { ms });
  });

  test('limits', async () => {
    const firm = await cluster.operator.firm();
    const ms = await inForce(
      cluster.urls,
      () =>
        cluster.svc(
          ...['firm', 'set-limits', firm.id],
          ...['--requests-per-minute', '1', '--writes-per-minute', '1', '--burst', '1'],
        ),
      firm.live,
      (answer) => answer.status === 429,
    );
    report('raised limits were last in force, ms after svc had ended', { ms });
  });
});

test('jobs run by three processes take effect once: a test account answers each offer one time', async () => {
  const firm = await cluster.operator.firm();
  const sent = await spread(cluster.urls, 24, (url) =>
    callHttp(url, 'POST', '/v1/claims', {
      as: firm.test,
      body: claimBody(firm.account.accepts),
      headers: { 'Idempotency-Key': freshKey() },
    }),
  );
  expect(statuses(sent)).toEqual({ 201: 24 });
  const list = async (): Promise<{ id: string; updated_at: string; assignment: { status: string } }[]> =>
    (await at(cluster.url).call('GET', '/v1/claims?limit=200', { as: firm.test })).json.data;
  await until(async () => (await list()).every(({ assignment }) => assignment.status === 'accepted'), 100);
  const settled = await list();
  expect(settled).toHaveLength(24);
  // A second answer to the same offer would show as a later change.
  await until(
    async () => (await countRows(cluster.postgres.url))['graphile_worker._private_jobs'] === 0,
    100,
  );
  expect(await list()).toEqual(settled);
});
