import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startCluster } from '../../../tools/cluster/index.ts';
import { claimsOf, countByOutcome, sendConcurrently, startLoad, until } from './cluster-load.ts';
import { callHttp, claimBody, type TestFirm } from './service-under-test.ts';

/** Long enough for every process to encounter the fault many times. */
const FAULT_MS = 600;

const cluster = await startCluster();

/** Whether the processes share limits: of 25 concurrent requests over all of them, 20 are allowed. */
async function limitsAreShared(): Promise<boolean> {
  const firm = await cluster.operator.firm({ limited: true });
  const responses = await sendConcurrently(cluster.urls, 25, (url) =>
    callHttp(url, 'GET', '/v1/me', { as: firm.test }),
  );
  expect(responses.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  return responses.filter(({ status }) => status === 200).length === 20;
}

async function expectOneClaim(firm: TestFirm): Promise<void> {
  const body = claimBody(firm.account.manual);
  const responses = await sendConcurrently(cluster.urls, 30, (url) =>
    callHttp(url, 'POST', '/v1/claims', {
      as: firm.test,
      body,
      headers: { 'Idempotency-Key': String(body.external_id) },
    }),
  );
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
}

describe('Redis under load', () => {
  const faults: [string, () => unknown][] = [
    ['is frozen', () => cluster.redis.pause()],
    ['is resumed', () => cluster.redis.resume()],
    ['loses all data', () => cluster.redis.flush()],
    ['is killed', () => cluster.redis.kill()],
    ['is restarted empty', () => cluster.redis.restart()],
  ];
  let load: ReturnType<typeof startLoad>;
  let limitedLoad: ReturnType<typeof startLoad>;
  let firm: TestFirm;
  let limitedFirm: TestFirm;
  beforeAll(async () => {
    firm = await cluster.operator.firm();
    limitedFirm = await cluster.operator.firm({ limited: true });
    load = startLoad(cluster.urls, firm, { clients: 6, pauseMs: 40 });
    // After its first twenty requests, a test key may send one request a second and one write every two.
    limitedLoad = startLoad(cluster.urls, limitedFirm, { clients: 1, pauseMs: 1000 });
    await until(() => load.outcomes.length > 30);
  });
  afterAll(() => Promise.all([load.stop(), limitedLoad.stop()]));

  test.each(faults)('%s: no request fails, and concurrent duplicates create one claim', async (_, fault) => {
    const startedAt = load.outcomes.length;
    await fault();
    await expectOneClaim(firm);
    await sleep(FAULT_MS);
    await expectOneClaim(firm);
    const during = load.outcomes.slice(startedAt);
    expect(during.length).toBeGreaterThan(0);
    expect(Object.keys(countByOutcome([...during, ...limitedLoad.outcomes])).sort()).toEqual(['200', '201']);
  });

  test('afterwards the limits are shared again, and every claim exists once', async () => {
    await until(limitsAreShared, 50);
    const outcomes = await load.stop();
    await limitedLoad.stop();
    const sent = outcomes.filter(({ write }) => write).map(({ body }) => body?.external_id);
    const found = await claimsOf(cluster, firm);
    expect([...found.values()].every((count) => count === 1)).toBe(true);
    // The claims of the load, and two for each fault.
    expect(found.size).toBe(sent.length + 2 * faults.length);
    expect(sent.filter((id) => !found.has(String(id)))).toEqual([]);
  });
});
