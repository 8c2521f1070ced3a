import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withClient } from '../../../tools/services/postgres.ts';
import {
  acceptClaim,
  adjusterRecord,
  answerInvitation,
  getClaim,
  invite,
  listClaims,
  offerClaim,
  outcome,
  sentClaim,
  wholeList,
} from './firm-calls.ts';
import {
  type ApiResponse,
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

let service: ServiceUnderTest;
/** A second instance of the service on the same database. */
let otherService: ServiceUnderTest;
let firm: TestFirm;
beforeAll(async () => {
  service = await startServiceUnderTest();
  otherService = await startServiceUnderTest({ databaseUrl: service.databaseUrl });
  firm = await service.firm();
});
afterAll(async () => {
  await otherService.stop();
  await service.stop();
});

const ROUNDS = 10;
const rounds = Array.from({ length: ROUNDS }, (_, index) => index);
/** Runs both concurrently, in alternating order, so that neither always starts first. */
const both = async (
  round: number,
  one: () => Promise<ApiResponse>,
  other: () => Promise<ApiResponse>,
): Promise<[ApiResponse, ApiResponse]> => {
  if (round % 2 === 0) return Promise.all([one(), other()]);
  const [second, first] = await Promise.all([other(), one()]);
  return [first, second];
};
const codes = (...responses: ApiResponse[]): string =>
  responses.map((one) => outcome(one).join(' ')).join(' / ');

describe('exactly one of two concurrent requests wins', () => {
  test('when an invitation is accepted and declined', async () => {
    for (const round of rounds) {
      const { svcId, token } = await service.adjuster();
      await invite(service, firm.live, svcId);
      const [accepted, declined] = await both(
        round,
        () => answerInvitation(service, token, firm.id, 'acceptance'),
        () => answerInvitation(service, token, firm.id, 'decline'),
      );
      const { status } = await adjusterRecord(service, firm.live, svcId);
      expect([codes(accepted, declined), status]).toEqual(
        accepted.status === 200 ? ['200 / 404 not_found', 'active'] : ['404 not_found / 200', 'declined'],
      );
    }
  });
});

test('concurrent claims with one claim number are created or get the id of a created one', async () => {
  const { svcId } = await service.member(firm);
  const responses = await Promise.all(
    Array.from({ length: 20 }, () =>
      sendClaim(service, firm.live, claimBody(svcId, { claim_number: 'CLM-together' })),
    ),
  );
  const createdIds = responses.filter((one) => one.status === 201).map((one) => one.json.id);
  expect(createdIds.length).toBeGreaterThanOrEqual(1);
  for (const one of responses) {
    if (one.status === 201) continue;
    expect(codes(one)).toBe('409 duplicate_claim');
    expect(createdIds).toContain(one.json.existing_claim_id);
  }
  const rows = await wholeList(service, firm.live, '/v1/claims', { limit: '200' });
  expect(rows.filter((row) => row.claim_number === 'CLM-together')).toHaveLength(createdIds.length);
});

describe('with two processes', () => {
  test('one of a concurrent acceptance and offer wins', async () => {
    const [first, second] = [await service.member(firm), await service.member(firm)];
    for (const round of rounds) {
      const { id } = await sentClaim(service, firm.live, first.svcId);
      const [accepted, offered] = await both(
        round,
        () => acceptClaim(service, first.token, id),
        () => offerClaim(otherService, firm.live, id, second.svcId),
      );
      expect(['200 / 409 claim_already_accepted', '404 not_found / 200']).toContain(codes(accepted, offered));
      const { assignment } = (await getClaim(otherService, firm.live, id)).json;
      expect(assignment).toMatchObject(
        accepted.status === 200
          ? { status: 'accepted', adjuster_svc_id: first.svcId }
          : { status: 'pending_acceptance', adjuster_svc_id: second.svcId },
      );
    }
  });

  test('paging can continue with the other process', async () => {
    const own = await service.firm();
    const { svcId } = await service.member(own);
    for (let index = 0; index < 3; index += 1) await sentClaim(service, own.live, svcId);
    const first = (await listClaims(service, own.live, 'limit=1')).json;
    const rest = (await listClaims(otherService, own.live, `cursor=${encodeURIComponent(first.next_cursor)}`))
      .json;
    expect(rest.data).toHaveLength(2);
  });
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
    const recorded = service.service.services.get('auditBuffer').flush();
    await pause(100);
    await sentClaim(service, free.live, freeMember.svcId);
    await client.query('COMMIT');
    await recorded;
  });
});
