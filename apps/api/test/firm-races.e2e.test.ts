import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import {
  acceptClaim,
  adjusterRecord,
  answerInvitation,
  getClaim,
  invite,
  leaveFirm,
  listClaims,
  offerClaim,
  outcome,
  rejectClaim,
  sentClaim,
  wholeList,
  withdraw,
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
  test('when an offer is accepted and the claim offered to another adjuster', async () => {
    const [first, second] = [await service.member(firm), await service.member(firm)];
    for (const round of rounds) {
      const { id } = await sentClaim(service, firm.live, first.svcId);
      const [accepted, offered] = await both(
        round,
        () => acceptClaim(service, first.token, id),
        () => offerClaim(service, firm.live, id, second.svcId),
      );
      const { assignment } = (await getClaim(service, firm.live, id)).json;
      const seen = await service.call('GET', `/app/v1/claims/${id}`, { as: first.token });
      if (accepted.status === 200) {
        expect(codes(offered)).toBe('409 claim_already_accepted');
        expect([assignment.status, assignment.adjuster_svc_id]).toEqual(['accepted', first.svcId]);
        expect(seen.json.assignment).toEqual(assignment);
      } else {
        expect(codes(accepted, offered)).toBe('404 not_found / 200');
        expect([assignment.status, assignment.adjuster_svc_id]).toEqual(['pending_acceptance', second.svcId]);
        expect(seen.status).toBe(404);
      }
    }
  });

  test('when an offer is rejected and the claim offered to another adjuster', async () => {
    const [first, second] = [await service.member(firm), await service.member(firm)];
    for (const round of rounds) {
      const { id } = await sentClaim(service, firm.live, first.svcId);
      const [rejected, offered] = await both(
        round,
        () => rejectClaim(service, first.token, id, 'no'),
        () => offerClaim(service, firm.live, id, second.svcId),
      );
      // In either order, the new offer remains.
      expect(offered.status).toBe(200);
      expect(['200', '404 not_found']).toContain(codes(rejected));
      expect((await getClaim(service, firm.live, id)).json.assignment).toEqual({
        status: 'pending_acceptance',
        adjuster_svc_id: second.svcId,
        responded_at: null,
        rejection_reason: null,
      });
    }
  });

  test('when the same adjuster accepts and rejects', async () => {
    const first = await service.member(firm);
    for (const round of rounds) {
      const { id } = await sentClaim(service, firm.live, first.svcId);
      const [accepted, rejected] = await both(
        round,
        () => acceptClaim(service, first.token, id),
        () => rejectClaim(service, first.token, id, 'no'),
      );
      const { assignment } = (await getClaim(service, firm.live, id)).json;
      if (accepted.status === 200) {
        expect(codes(rejected)).toBe('409 offer_not_pending');
        expect([assignment.status, assignment.rejection_reason]).toEqual(['accepted', null]);
      } else {
        expect(codes(accepted, rejected)).toBe('409 offer_not_pending / 200');
        expect([assignment.status, assignment.rejection_reason]).toEqual(['rejected', 'no']);
      }
    }
  });

  test('when an adjuster is invited twice', async () => {
    for (const round of rounds) {
      const { svcId } = await service.adjuster();
      const [one, other] = await both(
        round,
        () => invite(service, firm.live, svcId, { note: 'one' }),
        () => invite(service, firm.live, svcId, { note: 'other' }),
      );
      expect([codes(one), codes(other)].sort()).toEqual(['201', '409 invitation_pending']);
      const winner = one.status === 201 ? one : other;
      expect(await adjusterRecord(service, firm.live, svcId)).toEqual(winner.json);
    }
  });

  test('when an adjuster who left is invited by twenty concurrent requests', async () => {
    const member = await service.member(firm);
    await leaveFirm(service, member.token, firm.id);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        invite(service, firm.live, member.svcId, { note: `${index}` }),
      ),
    );
    expect(responses.map((one) => codes(one)).sort()).toEqual([
      '201',
      ...Array.from({ length: 19 }, () => '409 invitation_pending'),
    ]);
  });

  test('when an invitation is accepted and withdrawn', async () => {
    for (const round of rounds) {
      const { svcId, token } = await service.adjuster();
      await invite(service, firm.live, svcId);
      const [accepted, withdrawn] = await both(
        round,
        () => answerInvitation(service, token, firm.id, 'acceptance'),
        () => withdraw(service, firm.live, svcId),
      );
      const { status } = await adjusterRecord(service, firm.live, svcId);
      expect([codes(accepted, withdrawn), status]).toEqual(
        accepted.status === 200 ? ['200 / 404 not_found', 'active'] : ['404 not_found / 200', 'withdrawn'],
      );
    }
  });

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

test('an adjuster who leaves while claims are sent has no pending claims afterwards', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { svcId, token } = await service.member(firm);
    const [sends, left] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => sendClaim(service, firm.live, claimBody(svcId)))),
      leaveFirm(service, token, firm.id),
    ]);
    expect(left.status).toBe(204);
    for (const sent of sends) {
      if (sent.status === 201) {
        const { assignment } = (await getClaim(service, firm.live, sent.json.id)).json;
        expect(assignment.status).toBe('unassigned');
      } else expect(codes(sent)).toBe('422 adjuster_not_in_firm');
    }
    const shown = await service.call('GET', '/app/v1/claims', { as: token });
    expect(shown.json.data).toEqual([]);
  }
});

test('an offer to an adjuster who is leaving does not stay pending', async () => {
  for (let round = 0; round < 10; round += 1) {
    const [first, second] = [await service.member(firm), await service.member(firm)];
    const { id } = await sentClaim(service, firm.live, first.svcId);
    const [offered] = await both(
      round,
      () => offerClaim(service, firm.live, id, second.svcId),
      () => leaveFirm(service, second.token, firm.id),
    );
    const { assignment } = (await getClaim(service, firm.live, id)).json;
    expect([assignment.status, assignment.adjuster_svc_id]).toEqual(
      offered.status === 200 ? ['unassigned', second.svcId] : ['pending_acceptance', first.svcId],
    );
  }
});

test('concurrent offers, rejections and leaving of two adjusters do not deadlock', async () => {
  const [first, second] = [await service.member(firm), await service.member(firm)];
  const claims = await Promise.all(
    Array.from({ length: 6 }, () => sentClaim(service, firm.live, first.svcId)),
  );
  const calls = claims.flatMap(({ id }) => [
    offerClaim(service, firm.live, id, second.svcId),
    offerClaim(service, firm.live, id, first.svcId),
    rejectClaim(service, first.token, id),
    rejectClaim(service, second.token, id),
  ]);
  calls.push(leaveFirm(service, first.token, firm.id), leaveFirm(service, second.token, firm.id));
  for (const response of await Promise.all(calls)) expect(response.status).toBeLessThan(500);
});

describe('concurrent claims with a new carrier', () => {
  test('store every detail that any of twenty claims sent', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { svcId, token } = await service.member(firm);
      const name = `New Carrier ${round}`;
      const details = [
        { phone: '813-555-0100' },
        { email: 'claims@new.example' },
        { address: { street: '1 A St', city: 'Tampa', state: 'FL', zip: '33602' } },
        {},
      ];
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          sentClaim(service, firm.live, svcId, {
            carrier: { name: index % 2 === 0 ? name : `  ${name.toUpperCase()} `, ...details[index % 4] },
          }),
        ),
      );
      const shown = await Promise.all(
        claims.map(({ id }) => service.call('GET', `/app/v1/claims/${id}`, { as: token })),
      );
      for (const { json } of shown) expect(json.carrier).toMatchObject(Object.assign({}, ...details));
    }
  });

  test('store both details when two claims send one each', async () => {
    const { svcId, token } = await service.member(firm);
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        Promise.all(
          [{ phone: `813-555-01${10 + index}` }, { email: `c${index}@x.example` }].map((detail) =>
            sentClaim(service, firm.live, svcId, { carrier: { name: `Pair ${index}`, ...detail } }),
          ),
        ),
      ),
    );
    for (const [index, pair] of sent.entries()) {
      for (const { id } of pair) {
        const { json } = await service.call('GET', `/app/v1/claims/${id}`, { as: token });
        expect(json.carrier).toMatchObject({
          phone: `813-555-01${10 + index}`,
          email: `c${index}@x.example`,
        });
      }
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
  const forty = (
    call: (at: ServiceUnderTest, index: number) => Promise<ApiResponse>,
  ): Promise<ApiResponse[]> =>
    Promise.all(
      Array.from({ length: 40 }, (_, index) => call(index % 2 === 0 ? service : otherService, index)),
    );

  test('forty concurrent sends with one external id create one claim', async () => {
    const own = await service.firm();
    const { svcId } = await service.member(own);
    const responses = await forty((at) =>
      sendClaim(at, own.live, claimBody(svcId, { external_id: 'the-one' })),
    );
    expect(responses.map((one) => codes(one)).sort()).toEqual([
      '201',
      ...Array.from({ length: 39 }, () => '409 duplicate_claim'),
    ]);
  });

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

  test('a key revoked in one is soon rejected by the other', async () => {
    const own = await service.firm();
    expect((await listClaims(otherService, own.live)).status).toBe(200);
    const { json } = await service.call('GET', '/v1/me', { as: own.live });
    await service.service.services.get('operatorUseCases').revokeKey(json.key.id);
    const failed = await eventually(
      () => listClaims(otherService, own.live),
      (response) => response.status !== 200,
    );
    expect(codes(failed)).toBe('401 invalid_key');
  });
});
