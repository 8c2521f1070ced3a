import { expect, test } from '@jest/globals';
import { startCluster } from '../../../tools/cluster/index.ts';
import { claimsOf, countByOutcome, retrySend, startLoad, until } from './cluster-load.ts';

// All processes start concurrently on an empty database; their lists are read over the proxy, page by page.
const cluster = await startCluster({ processes: 2 });

test('replacing processes one by one behind the proxy fails no request', async () => {
  const firm = await cluster.operator.firm();
  const load = startLoad([cluster.url], firm, { clients: 4, pauseMs: 25 });
  await until(() => load.outcomes.length > 40);
  for (const one of cluster.processes) {
    expect(await one.shutDown()).toEqual({ code: 0, signal: null });
    await one.restart();
    // Wait until the proxy routes to it again.
    await until(async () => (await cluster.proxy.healthy()).every(Boolean));
  }
  const before = load.outcomes.length;
  await until(() => load.outcomes.length > before + 40);
  const outcomes = await load.stop();
  const wrong = outcomes.filter(({ write, status }) => status !== (write ? 201 : 200));
  expect(countByOutcome(wrong)).toEqual({});
  const sent = outcomes.filter(({ write }) => write);
  expect(await claimsOf(cluster, firm)).toEqual(new Map(sent.map(({ body }) => [body?.external_id, 1])));
});

test('killing a process under load only fails its own requests, and retries create no duplicates', async () => {
  const firm = await cluster.operator.firm();
  const [killed] = cluster.processes;
  // Bypasses the proxy, to see which process failed a request.
  const load = startLoad(cluster.urls, firm, { clients: 12, pauseMs: 5 });
  await until(() => load.outcomes.length > 150);
  expect(await killed?.kill()).toEqual({ code: null, signal: 'SIGKILL' });
  const killedAt = load.outcomes.length;
  await until(() => load.outcomes.length > killedAt + 150);
  const outcomes = await load.stop();
  const wrong = outcomes.filter(({ write, status }) => status !== (write ? 201 : 200));
  expect(wrong.length).toBeGreaterThan(0);
  expect(wrong.map(({ process, status }) => [process, status])).toEqual(wrong.map(() => [0, 0]));

  const unknown = wrong.filter(({ write }) => write);
  const again = await Promise.all(unknown.map((one) => retrySend(cluster.url, firm, one)));
  expect(again.map(({ status }) => status)).toEqual(unknown.map(() => 201));
  const sent = outcomes.filter(({ write }) => write);
  expect(await claimsOf(cluster, firm)).toEqual(new Map(sent.map(({ body }) => [body?.external_id, 1])));
});
