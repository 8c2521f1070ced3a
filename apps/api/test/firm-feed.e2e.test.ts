import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withClient } from '../../../tools/services/postgres.ts';
import { getClaim, listClaims, sentClaim } from './firm-calls.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.stop());

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
