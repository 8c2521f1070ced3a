import { expect, test } from '@jest/globals';
import { startCluster } from '../../../tools/cluster/index.ts';
import { claimsOf, countByOutcome, startLoad, until } from './cluster-load.ts';

// Two processes with about thirty connections share three to PostgreSQL, in transaction pooling mode.
const cluster = await startCluster({ processes: 2, pgbouncer: 3 });

test('behind a pooler many concurrent requests share few connections', async () => {
  const firm = await cluster.operator.firm();
  const load = startLoad(cluster.urls, firm, { clients: 24, pauseMs: 0 });
  await until(() => load.outcomes.length > 300);
  const outcomes = await load.stop();
  expect(Object.keys(countByOutcome(outcomes)).sort()).toEqual(['200', '201']);
  const sent = outcomes.filter(({ write }) => write).map(({ body }) => body?.external_id);
  expect(await claimsOf(cluster, firm)).toEqual(new Map(sent.map((id) => [id, 1])));
});

test('behind a pooler requests get only 503 while PostgreSQL restarts, and work again afterwards', async () => {
  const firm = await cluster.operator.firm();
  const load = startLoad(cluster.urls, firm, { clients: 6, pauseMs: 20 });
  await until(() => load.outcomes.length > 30);
  await cluster.postgres.stopServer('fast');
  await until(() => load.outcomes.some(({ status }) => status === 503));
  await cluster.postgres.startServer();
  await until(async () => {
    const before = load.outcomes.length;
    await until(() => load.outcomes.length > before + 20);
    return load.outcomes.slice(before + 6).every(({ status }) => status !== 503);
  });
  const outcomes = await load.stop();
  expect(Object.keys(countByOutcome(outcomes)).sort()).toEqual(['200', '201', '503 service_unavailable']);
});
