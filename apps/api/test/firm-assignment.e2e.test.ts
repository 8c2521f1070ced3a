import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  acceptClaim,
  DATE_TIME,
  expectProblem,
  expectValidationErrors,
  freshKey,
  getClaim,
  leaveFirm,
  offerClaim,
  outcome,
  rejectClaim,
  sentClaim,
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
let firm: TestFirm;
beforeAll(async () => {
  service = await startServiceUnderTest();
  firm = await service.firm();
});
afterAll(() => service.stop());

type Status = 'pending_acceptance' | 'accepted' | 'rejected' | 'unassigned';
interface ClaimWithAdjuster {
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
  readonly claim: any;
  readonly first: { svcId: string; token: string };
}

/** Creates a claim and brings it to this status through the API. */
async function claimIn(status: Status): Promise<ClaimWithAdjuster> {
  const first = await service.member(firm);
  const { id } = await sentClaim(service, firm.live, first.svcId);
  if (status === 'accepted') await acceptClaim(service, first.token, id);
  if (status === 'rejected') await rejectClaim(service, first.token, id, 'too far');
  if (status === 'unassigned') await leaveFirm(service, first.token, firm.id);
  const claim = (await getClaim(service, firm.live, id)).json;
  expect(claim.assignment.status).toBe(status);
  return { claim, first };
}

const now = async (id: string) => (await getClaim(service, firm.live, id)).json;

describe('an assignment', () => {
  test.each<[Status, boolean, string | null]>([
    ['pending_acceptance', false, null],
    ['accepted', true, null],
    ['rejected', true, 'too far'],
    ['unassigned', false, null],
  ])('that is %s has its response time and reason', async (status, responded, reason) => {
    const { claim, first } = await claimIn(status);
    expect(claim.assignment).toEqual({
      status,
      adjuster_svc_id: first.svcId,
      responded_at: responded ? expect.stringMatching(DATE_TIME) : null,
      rejection_reason: reason,
    });
  });
});

describe('updated_at', () => {
  test('starts as created_at, and changes with each offer, acceptance, rejection and unassignment', async () => {
    const [first, second, third] = [
      await service.member(firm),
      await service.member(firm),
      await service.member(firm),
    ];
    const sent = await sentClaim(service, firm.live, first.svcId);
    expect(sent.updated_at).toBe(sent.created_at);
    const timestamps = [sent.updated_at];
    const step = async (call: Promise<ApiResponse>) => {
      expect((await call).status).toBeLessThan(300);
      timestamps.push((await now(sent.id)).updated_at);
    };
    await step(rejectClaim(service, first.token, sent.id));
    await step(offerClaim(service, firm.live, sent.id, second.svcId));
    await step(leaveFirm(service, second.token, firm.id));
    await step(offerClaim(service, firm.live, sent.id, third.svcId));
    await step(acceptClaim(service, third.token, sent.id));
    expect(timestamps).toEqual([...new Set(timestamps)].sort());
    expect(timestamps).toHaveLength(6);
    expect((await now(sent.id)).created_at).toBe(sent.created_at);
  });

  test('and the claim do not change with work entries, failed calls, replays or closing', async () => {
    const { claim, first } = await claimIn('accepted');
    const app = (method: string, path: string, body?: unknown) =>
      service.call(method, `/app/v1/claims/${claim.id}${path}`, {
        as: first.token,
        ...(body !== undefined && { body }),
      });
    const work = { contact_date: '2024-10-02', inspection_date: '2024-10-03', notes: 'wet' };
    expect(outcome(await app('PATCH', '/work', work))).toEqual([200]);
    expect(outcome(await app('POST', '/acceptance'))).toEqual([409, 'offer_not_pending']);
    expect(outcome(await offerClaim(service, firm.live, claim.id, first.svcId))).toEqual([
      409,
      'claim_already_accepted',
    ]);
    expect(outcome(await app('POST', '/closure'))).toEqual([200]);
    expect(await now(claim.id)).toEqual(claim);
  });
});

test('a response that names an earlier offer fails, in any spelling of the time; without a time it is to the latest', async () => {
  const member = await service.member(firm);
  const { id } = await sentClaim(service, firm.live, member.svcId);
  const offeredAt = async (): Promise<string> =>
    (await service.call('GET', `/app/v1/claims/${id}`, { as: member.token })).json.offered_at;
  const [earlier] = [await offeredAt(), await offerClaim(service, firm.live, id, member.svcId)];
  const reject = (body: unknown) =>
    service.call('POST', `/app/v1/claims/${id}/rejection`, { as: member.token, body });
  expect(outcome(await acceptClaim(service, member.token, id, earlier))).toEqual([409, 'offer_not_pending']);
  expect(outcome(await reject({ offered_at: earlier }))).toEqual([409, 'offer_not_pending']);
  expect(outcome(await reject({ offered_at: 'yesterday' }))).toEqual([422, 'validation_failed']);
  expect((await now(id)).assignment.status).toBe('pending_acceptance');
  const spelled = (await offeredAt()).replace('Z', '999+00:00');
  expect(outcome(await reject({ offered_at: spelled }))).toEqual([200]);
  await offerClaim(service, firm.live, id, member.svcId);
  expect(outcome(await acceptClaim(service, member.token, id))).toEqual([200]);
});

describe('an offer to another adjuster', () => {
  test.each<Status>(['pending_acceptance', 'rejected', 'unassigned'])(
    'of a claim that is %s makes it pending for the new one, and clears the earlier response',
    async (status) => {
      const { claim, first } = await claimIn(status);
      const second = await service.member(firm);
      const response = await offerClaim(service, firm.live, claim.id, second.svcId);
      expect(response.status).toBe(200);
      expect(response.headers.get('idempotent-replayed')).toBeNull();
      expect(response.json).toEqual({
        ...claim,
        updated_at: response.json.updated_at,
        assignment: {
          status: 'pending_acceptance',
          adjuster_svc_id: second.svcId,
          responded_at: null,
          rejection_reason: null,
        },
      });
      expect(response.json.updated_at > claim.updated_at).toBe(true);
      expect(await now(claim.id)).toEqual(response.json);
      // The first adjuster can no longer respond.
      expect(outcome(await acceptClaim(service, first.token, claim.id))).toEqual([404, 'not_found']);
      expect(outcome(await rejectClaim(service, first.token, claim.id))).toEqual([404, 'not_found']);
      expect(await now(claim.id)).toEqual(response.json);
      expect(outcome(await acceptClaim(service, second.token, claim.id))).toEqual([200]);
    },
  );

  test('can also go to the same adjuster, who can then respond again', async () => {
    const { claim, first } = await claimIn('rejected');
    expect((await offerClaim(service, firm.live, claim.id, first.svcId)).json.assignment.status).toBe(
      'pending_acceptance',
    );
    expect(outcome(await acceptClaim(service, first.token, claim.id))).toEqual([200]);
  });

  test('reports all errors in path, query, header and body at once', async () => {
    const call = (
      path: string,
      body: unknown,
      headers: Record<string, string> = { 'Idempotency-Key': freshKey() },
    ) => service.call('POST', path, { as: firm.live, body, headers });
    const { claim, first } = await claimIn('rejected');
    const path = `/v1/claims/${claim.id}/assignment`;
    expectValidationErrors(await call(path, {}), '/adjuster_svc_id');
    expectValidationErrors(await call(path, { adjuster_svc_id: null }), '/adjuster_svc_id');
    expectValidationErrors(await call(path, { adjuster_svc_id: '' }), '/adjuster_svc_id');
    expectValidationErrors(await call(path, { adjuster_svc_id: 'x'.repeat(129) }), '/adjuster_svc_id');
    expectValidationErrors(await call(path, { adjuster_svc_id: first.svcId }, {}), 'Idempotency-Key');
    expectValidationErrors(
      await call('/v1/claims/not-a-uuid/assignment?force=1', { adjuster: 'x' }, {}),
      'id',
      'force',
      '/adjuster',
      '/adjuster_svc_id',
      'Idempotency-Key',
    );
    expect(await now(claim.id)).toEqual(claim);
  });
});

describe.each<[string, (svcId: unknown) => Promise<ApiResponse>]>([
  ['a new claim', (svcId) => sendClaim(service, firm.live, claimBody(svcId as string))],
  [
    'an offer',
    async (svcId) => {
      const first = await service.member(firm);
      const { id } = await sentClaim(service, firm.live, first.svcId);
      return offerClaim(service, firm.live, id, svcId);
    },
  ],
])('%s', (_, to) => {
  test('to an unknown SVCID fails', async () => {
    expect(outcome(await to('SVC-nobody'))).toEqual([422, 'unknown_osaid']);
  });
  test('to an SVCID in another case or with a space fails', async () => {
    const { svcId } = await service.member(firm);
    expect(outcome(await to(svcId.toLowerCase()))).toEqual([422, 'unknown_osaid']);
    expect(outcome(await to(` ${svcId}`))).toEqual([422, 'unknown_osaid']);
  });
  test('to an adjuster whom the firm never invited fails', async () => {
    expect(outcome(await to((await service.adjuster()).svcId))).toEqual([422, 'adjuster_not_in_firm']);
  });
  test('to an adjuster who left fails', async () => {
    const member = await service.member(firm);
    await leaveFirm(service, member.token, firm.id);
    expect(outcome(await to(member.svcId))).toEqual([422, 'adjuster_not_in_firm']);
  });
  test('to an adjuster who paused assignments fails until they resume', async () => {
    const member = await service.member(firm);
    const set = (accepting_assignments: boolean) =>
      service.call('PATCH', `/app/v1/firms/${firm.id}/membership`, {
        as: member.token,
        body: { accepting_assignments },
      });
    await set(false);
    expect(outcome(await to(member.svcId))).toEqual([422, 'adjuster_not_accepting']);
    await set(true);
    expect((await to(member.svcId)).status).toBeLessThan(300);
  });
  test('to an adjuster without the permission to accept claims fails until it is granted', async () => {
    const member = await service.member(firm);
    const set = service.service.services.get('operatorUseCases').setMember;
    await set(firm.id, member.svcId, false);
    expect(outcome(await to(member.svcId))).toEqual([422, 'adjuster_not_accepting']);
    await set(firm.id, member.svcId, true);
    expect((await to(member.svcId)).status).toBeLessThan(300);
  });
});

describe('an external id', () => {
  test('is permanent, even when the claim is closed, and the error links to its claim', async () => {
    const { claim, first } = await claimIn('accepted');
    const again = () =>
      sendClaim(service, firm.live, claimBody(first.svcId, { external_id: claim.external_id }));
    const response = await again();
    expectProblem(service, response, 409, 'duplicate_claim', {
      existing_claim_id: claim.id,
      existing_claim_url: `${service.url}/v1/claims/${claim.id}`,
    });
    const existing = await fetch(response.json.existing_claim_url, {
      headers: { Authorization: `Bearer ${firm.live}` },
    });
    expect(await existing.json()).toEqual(claim);
    await service.service.services.get('operatorUseCases').closeClaimAsOperator(claim.id);
    expect(outcome(await again())).toEqual([409, 'duplicate_claim']);
  });

  test('is checked before the claim number, and both before the adjuster', async () => {
    const [one, other] = [await claimIn('accepted'), await claimIn('rejected')];
    const both = await sendClaim(
      service,
      firm.live,
      claimBody('SVC-nobody', { external_id: one.claim.external_id, claim_number: other.claim.claim_number }),
    );
    expect([...outcome(both), both.json.existing_claim_id]).toEqual([409, 'duplicate_claim', one.claim.id]);
    const number = await sendClaim(
      service,
      firm.live,
      claimBody('SVC-nobody', { claim_number: other.claim.claim_number }),
    );
    expect([...outcome(number), number.json.existing_claim_id]).toEqual([
      409,
      'duplicate_claim',
      other.claim.id,
    ]);
  });
});

test('existing_claim_url and type use the configured public addresses', async () => {
  const behindProxy = await startServiceUnderTest({
    env: { BASE_URL: 'https://claims.example.com/', DOCS_URL: 'https://docs.example.com/' },
  });
  try {
    const own = await behindProxy.firm();
    const { svcId } = await behindProxy.member(own);
    const claim = await sentClaim(behindProxy, own.live, svcId);
    const { external_id } = claim;
    const response = await sendClaim(behindProxy, own.live, claimBody(svcId, { external_id }));
    expect(response.json).toMatchObject({
      type: 'https://docs.example.com/errors#duplicate_claim',
      existing_claim_url: `https://claims.example.com/v1/claims/${claim.id}`,
    });
  } finally {
    await behindProxy.stop();
  }
});
