import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Cluster, startCluster } from '../../../tools/cluster/index.ts';
import { claimsOf, countByOutcome, report, serviceAt, startLoad, until } from './cluster-load.ts';
import { acceptClaim, getClaim, invite, offerClaim, outcome, rejectClaim } from './firm-calls.ts';
import { claimBody, sendClaim } from './service-under-test.ts';

// Two processes with about thirty connections share three to PostgreSQL, in transaction pooling mode.
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ processes: 2, pgbouncer: 3 });
}, 150_000);
afterAll(() => cluster?.stop());

test('behind a pooler claims are sent, rejected, offered again and accepted', async () => {
  const firm = await cluster.operator.firm();
  const first = await cluster.operator.member(firm.id);
  const second = await cluster.operator.member(firm.id);
  const service = serviceAt(cluster.url);
  const sent = await sendClaim(service, firm.live, claimBody(first.svcId));
  expect(outcome(sent)).toEqual([201]);
  expect(outcome(await rejectClaim(service, first.token, sent.json.id, 'too far'))).toEqual([200]);
  expect(outcome(await offerClaim(service, firm.live, sent.json.id, second.svcId))).toEqual([200]);
  expect(outcome(await acceptClaim(service, second.token, sent.json.id))).toEqual([200]);
  const read = await getClaim(service, firm.live, sent.json.id);
  expect(read.json.assignment).toMatchObject({ status: 'accepted', adjuster_svc_id: second.svcId });
  expect(outcome(await invite(service, firm.live, first.svcId))).toEqual([409, 'already_member']);
});

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
  const backAfterMs = await until(async () => {
    const before = load.outcomes.length;
    await until(() => load.outcomes.length > before + 20);
    return load.outcomes.slice(before + 6).every(({ status }) => status !== 503);
  });
  const outcomes = await load.stop();
  report('PostgreSQL restarted behind the pooler', { backAfterMs, responses: countByOutcome(outcomes) });
  expect(Object.keys(countByOutcome(outcomes)).sort()).toEqual(['200', '201', '503 service_unavailable']);
});
