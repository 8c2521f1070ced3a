import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withClient } from '../../../tools/services/postgres.ts';
import { changeSlowly, startPoller, versionOf } from './feed-poller.ts';
import {
  acceptClaim,
  getClaim,
  leaveFirm,
  listClaims,
  offerClaim,
  outcome,
  rejectClaim,
  sentClaim,
  wholeList,
} from './firm-calls.ts';
import { type ServiceUnderTest, startServiceUnderTest, type TestFirm } from './service-under-test.ts';

/** Two instances of the service on one database: one writes, the other is polled. */
let service: ServiceUnderTest;
let otherService: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
  otherService = await startServiceUnderTest({ databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await otherService.stop();
  await service.stop();
});

interface Row {
  readonly id: string;
  readonly updated_at: string;
  readonly assignment: { readonly status: string };
}

const pollerOf = (key: string, query = '') =>
  startPoller<Row>(async (from) => {
    const page = await listClaims(otherService, key, `limit=7${from}${query}`);
    expect(outcome(page)).toEqual([200]);
    return page.json;
  });

/** Locks the firm's feed repeatedly, as slow transactions do. */
function startSlowTransactions(firm: TestFirm) {
  let stopped = false;
  const running = withClient(service.databaseUrl, async (client) => {
    while (!stopped) {
      await client.query('BEGIN');
      await client.query('SELECT last_stamp FROM firm_feeds WHERE firm_id = $1 FOR UPDATE', [firm.id]);
      await pause(60);
      await client.query('COMMIT');
      await pause(20);
    }
  });
  return async (): Promise<void> => {
    stopped = true;
    await running;
  };
}

describe('a poller without overlap', () => {
  test('misses no change of concurrent writers and slow transactions', async () => {
    const firm = await service.firm();
    const writers = await Promise.all(Array.from({ length: 8 }, () => service.member(firm)));
    const poller = pollerOf(firm.live);
    const pending = pollerOf(firm.live, '&assignment_status=pending_acceptance');
    const stopSlow = startSlowTransactions(firm);
    await Promise.all(
      writers.map(async ({ svcId, token }, index) => {
        const at = index % 2 === 0 ? service : otherService;
        for (let round = 0; round < 12; round += 1) {
          const { id } = await sentClaim(at, firm.live, svcId);
          const next = writers[(index + 1) % writers.length] as { svcId: string; token: string };
          if (round % 4 === 0) await acceptClaim(at, token, id);
          if (round % 4 === 1) await rejectClaim(at, token, id, 'no');
          if (round % 4 === 2) await offerClaim(at, firm.live, id, next.svcId);
          if (round % 4 === 3) await changeSlowly(service.databaseUrl, firm.id, id, () => pause(15));
        }
      }),
    );
    const leaver = writers[0] as { token: string };
    await leaveFirm(service, leaver.token, firm.id);
    await stopSlow();
    await Promise.all([poller.stop(), pending.stop()]);

    const rows: Row[] = await wholeList(service, firm.live, '/v1/claims', { limit: '200' });
    expect(rows).toHaveLength(96);
    const versions = new Set(poller.seen.map(versionOf));
    expect(rows.filter((row) => !versions.has(versionOf(row)))).toEqual([]);
    expect(versions.size).toBe(poller.seen.length);
    expect(new Set(rows.map((row) => row.updated_at)).size).toBe(rows.length);
    const stillPending = rows.filter((row) => row.assignment.status === 'pending_acceptance');
    const seenPending = new Set(pending.seen.map(versionOf));
    expect(stillPending.filter((row) => !seenPending.has(versionOf(row)))).toEqual([]);
    expect(poller.polls()).toBeGreaterThan(3);
  });

  test('sees every intermediate state if it polls after each change', async () => {
    const firm = await service.firm();
    const [first, second] = [await service.member(firm), await service.member(firm)];
    const states: string[] = [];
    let since = '';
    const poll = async (): Promise<void> => {
      const { data } = (
        await listClaims(otherService, firm.live, since === '' ? '' : `updated_since=${since}`)
      ).json;
      for (const row of data as Row[]) {
        states.push(row.assignment.status);
        since = new Date(Date.parse(row.updated_at) + 1).toISOString();
      }
    };
    const { id } = await sentClaim(service, firm.live, first.svcId);
    await poll();
    for (const change of [
      () => rejectClaim(service, first.token, id),
      () => offerClaim(service, firm.live, id, second.svcId),
      () => leaveFirm(service, second.token, firm.id),
      () => offerClaim(service, firm.live, id, first.svcId),
      () => acceptClaim(service, first.token, id),
      () => service.call('POST', `/app/v1/claims/${id}/closure`, { as: first.token }),
    ]) {
      await change();
      await poll();
    }
    expect(states).toEqual([
      'pending_acceptance',
      'rejected',
      'pending_acceptance',
      'unassigned',
      'pending_acceptance',
      'accepted',
    ]);
  });
});

test('a change waits while the feed is locked, and then gets a later timestamp', async () => {
  const firm = await service.firm();
  const member = await service.member(firm);
  const [held, other] = [
    await sentClaim(service, firm.live, member.svcId),
    await sentClaim(service, firm.live, member.svcId),
  ];
  let responded = false;
  let quick: Promise<void> = Promise.resolve();
  await changeSlowly(service.databaseUrl, firm.id, held.id, async () => {
    quick = acceptClaim(otherService, member.token, other.id).then((response) => {
      expect(outcome(response)).toEqual([200]);
      responded = true;
    });
    await pause(100);
    expect(responded).toBe(false);
  });
  await quick;
  const rows: Row[] = await wholeList(service, firm.live, '/v1/claims');
  expect(rows.map((row) => row.id)).toEqual([held.id, other.id]);
});

test('a slow transaction of a firm blocks neither other firms nor readers', async () => {
  // Created first, so that its id comes first where locks are taken in the order of ids.
  const free = await service.firm();
  const slow = await service.firm();
  const [slowMember, freeMember] = [await service.member(slow), await service.member(free)];
  const claim = await sentClaim(service, slow.live, slowMember.svcId);
  await withClient(service.databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM firm_feeds WHERE firm_id = $1 FOR UPDATE', [slow.id]);
    // This would deadlock if it waited for the lock, which is held until it returns.
    await sentClaim(service, free.live, freeMember.svcId);
    expect((await getClaim(service, slow.live, claim.id)).json).toEqual(claim);
    expect((await listClaims(service, slow.live)).json.data).toEqual([claim]);
    await listClaims(service, free.live);
    // The reads of both firms are recorded together.
    const recorded = service.service.services.get('auditBatch').flush();
    await pause(100);
    await sentClaim(service, free.live, freeMember.svcId);
    await client.query('COMMIT');
    await recorded;
  });
});
