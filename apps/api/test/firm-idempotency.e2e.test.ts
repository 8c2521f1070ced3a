import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  acceptClaim,
  expectProblem,
  freshKey,
  getClaim,
  leaveFirm,
  listClaims,
  manualClock,
  offerClaim,
  outcome,
  rejectClaim,
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

const clock = manualClock();
let service: ServiceUnderTest;
let firm: TestFirm;
let member: { svcId: string; token: string };
beforeAll(async () => {
  service = await startServiceUnderTest({ clock });
  firm = await service.firm();
  member = await service.member(firm);
});
afterAll(() => service.stop());

const replayed = (response: ApiResponse): string | null => response.headers.get('idempotent-replayed');
const sendRaw = (raw: string, key: string): Promise<ApiResponse> =>
  service.call('POST', '/v1/claims', { as: firm.live, raw, headers: { 'Idempotency-Key': key } });
const count = async (key: string = firm.live): Promise<number> =>
  (await wholeList(service, key, '/v1/claims', { limit: '200' })).length;

describe('a retry of a send', () => {
  test('gets the first response with Idempotent-Replayed, and creates nothing', async () => {
    const [key, body] = [freshKey(), claimBody(member.svcId)];
    const first = await sendClaim(service, firm.live, body, key);
    const before = await count();
    const again = await sendClaim(service, firm.live, body, key);
    expect([first.status, replayed(first)]).toEqual([201, null]);
    expect([again.status, replayed(again), again.text]).toEqual([201, 'true', first.text]);
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(await count()).toBe(before);
  });

  test.each([
    ['accepted', () => (id: string) => acceptClaim(service, member.token, id)],
    ['rejected', () => (id: string) => rejectClaim(service, member.token, id, 'no')],
    [
      'pending_acceptance',
      () => async (id: string) => {
        await rejectClaim(service, member.token, id);
        return offerClaim(service, firm.live, id, (await service.member(firm)).svcId);
      },
    ],
  ])('gets 201 with the current claim: %s', async (status, change) => {
    const [key, body] = [freshKey(), claimBody(member.svcId)];
    const { id } = (await sendClaim(service, firm.live, body, key)).json;
    await change()(id);
    const again = await sendClaim(service, firm.live, body, key);
    expect([again.status, replayed(again), again.json.assignment.status]).toEqual([201, 'true', status]);
    expect(again.text).toBe((await getClaim(service, firm.live, id)).text);
  });

  test('may differ in field order, white space, number formats and escapes', async () => {
    const key = freshKey();
    const body = claimBody(member.svcId, {
      instructions: 'Tür é 🌊 /',
      coverages: { building_limit: 250000, special_limits_cap: 2500 },
      additional_contacts: [{ company_name: 'A' }, { company_name: 'B' }],
    });
    const { id } = (await sendClaim(service, firm.live, body, key)).json;
    const same = {
      reversed: JSON.stringify(Object.fromEntries(Object.entries(body).reverse())),
      spaced: JSON.stringify(body, null, '\t'),
      numbers: JSON.stringify(body).replace('250000', '2.5E+5').replace(':2500', ':2500.0'),
      escaped: JSON.stringify(body).replace('Tür é 🌊 /', 'T\\u00fcr \\u00E9 \\ud83c\\udf0a \\/'),
    };
    for (const [how, raw] of Object.entries(same)) {
      expect(raw).not.toBe(JSON.stringify(body));
      const again = await sendRaw(raw, key);
      expect([how, again.status, again.json.id, replayed(again)]).toEqual([how, 201, id, 'true']);
    }
  });

  test('fails if any value, field or order in a list differs', async () => {
    const key = freshKey();
    const body = claimBody(member.svcId, {
      instructions: 'x',
      building: { number_of_units: 1 },
      additional_contacts: [{ company_name: 'A' }, { company_name: 'B' }],
    });
    await sendClaim(service, firm.live, body, key);
    const { instructions: _, ...without } = body;
    for (const other of [
      { ...body, instructions: 'X' },
      { ...body, instructions: 'x ' },
      { ...body, building: { number_of_units: 2 } },
      { ...body, building: {} },
      { ...body, file_number: '1' },
      { ...body, additional_contacts: [{ company_name: 'B' }, { company_name: 'A' }] },
      { ...body, external_id: 'another' },
      { ...body, adjuster_svc_id: 'SVC-nobody' },
      { ...body, loss: { date: '2024-09-26', peril: 'flood' } },
      without,
    ])
      expectProblem(service, await sendClaim(service, firm.live, other, key), 422, 'idempotency_key_reused');
    expect(outcome(await sendClaim(service, firm.live, body, key))).toEqual([201]);
  });

  test('is validated first', async () => {
    const [key, body] = [freshKey(), claimBody(member.svcId)];
    await sendClaim(service, firm.live, body, key);
    const wrong = await sendClaim(service, firm.live, { ...body, policy: {} }, key);
    expect(outcome(wrong)).toEqual([422, 'validation_failed']);
  });
});

describe('an Idempotency-Key', () => {
  test('is case-sensitive, and inner spaces count', async () => {
    const key = freshKey();
    for (const one of [`${key}a`, `${key}A`, `${key} a`, `${key}  a`])
      expect(replayed(await sendClaim(service, firm.live, claimBody(member.svcId), one))).toBeNull();
  });

  test('that sent a claim cannot offer one, and vice versa', async () => {
    const [one, other] = [freshKey(), freshKey()];
    const { id } = (await sendClaim(service, firm.live, claimBody(member.svcId), one)).json;
    const second = await service.member(firm);
    const reused = [422, 'idempotency_key_reused'];
    expect(outcome(await offerClaim(service, firm.live, id, second.svcId, one))).toEqual(reused);
    expect((await getClaim(service, firm.live, id)).json.assignment.adjuster_svc_id).toBe(member.svcId);
    expect(outcome(await offerClaim(service, firm.live, id, second.svcId, other))).toEqual([200]);
    expect(outcome(await sendClaim(service, firm.live, claimBody(member.svcId), other))).toEqual(reused);
    const next = await sentClaim(service, firm.live, member.svcId);
    expect(outcome(await offerClaim(service, firm.live, next.id, second.svcId, other))).toEqual(reused);
    expect(outcome(await offerClaim(service, firm.live, id, member.svcId, other))).toEqual(reused);
  });

  test.each([
    ['an unknown adjuster', () => ({ adjuster_svc_id: 'SVC-nobody' }), [422, 'unknown_osaid']],
    ['a wrong field', () => ({ policy: {} }), [422, 'validation_failed']],
    ['a test account', () => ({ adjuster_svc_id: firm.account.manual }), [422, 'environment_mismatch']],
  ])('of a request that failed for %s can be used for the corrected one', async (_, wrong, failure) => {
    const [key, body] = [freshKey(), claimBody(member.svcId)];
    expect(outcome(await sendClaim(service, firm.live, { ...body, ...wrong() }, key))).toEqual(failure);
    const corrected = await sendClaim(service, firm.live, body, key);
    expect([corrected.status, replayed(corrected)]).toEqual([201, null]);
  });
});

describe('a retry of an offer', () => {
  test('gets 200 with the current claim, and does not offer it again', async () => {
    const key = freshKey();
    const second = await service.member(firm);
    const { id } = await sentClaim(service, firm.live, member.svcId);
    const first = await offerClaim(service, firm.live, id, second.svcId, key);
    const again = await offerClaim(service, firm.live, id, second.svcId, key);
    expect([again.status, replayed(again), again.text]).toEqual([200, 'true', first.text]);
    await acceptClaim(service, second.token, id);
    const accepted = await offerClaim(service, firm.live, id, second.svcId, key);
    expect([accepted.status, replayed(accepted), accepted.json.assignment.status]).toEqual([
      200,
      'true',
      'accepted',
    ]);
    expect(accepted.text).toBe((await getClaim(service, firm.live, id)).text);
    await leaveFirm(service, second.token, firm.id);
    expect(outcome(await offerClaim(service, firm.live, id, second.svcId, key))).toEqual([200]);
  });

  test.each([
    ['in capitals', (id: string) => id.toUpperCase()],
    ['percent-encoded', (id: string) => id.replace(/[0-9]/g, (digit) => `%3${digit}`)],
  ])('is the same request with the id %s', async (_, respell) => {
    const key = freshKey();
    const second = await service.member(firm);
    const { id } = await sentClaim(service, firm.live, member.svcId);
    const first = await offerClaim(service, firm.live, id, second.svcId, key);
    const again = await offerClaim(service, firm.live, respell(id), second.svcId, key);
    expect([again.status, replayed(again), again.text]).toEqual([200, 'true', first.text]);
  });
});

describe('forty concurrent requests', () => {
  test.each([1, 2, 3])(
    'that are identical create one claim and get equal responses, 39 of them replayed (round %i)',
    async () => {
      const own = await service.firm();
      const { svcId } = await service.member(own);
      const [key, body] = [freshKey(), claimBody(svcId)];
      const responses = await Promise.all(
        Array.from({ length: 40 }, () => sendClaim(service, own.live, body, key)),
      );
      expect(new Set(responses.map((one) => one.status))).toEqual(new Set([201]));
      expect(new Set(responses.map((one) => one.text)).size).toBe(1);
      expect(responses.filter((one) => replayed(one) === null)).toHaveLength(1);
      expect(new Set(responses.map((one) => one.headers.get('x-request-id'))).size).toBe(40);
      expect((await listClaims(service, own.live)).json.data).toHaveLength(1);
    },
  );
});
