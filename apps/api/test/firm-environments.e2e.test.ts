import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  acceptClaim,
  adjusterRecord,
  expectProblem,
  getClaim,
  invite,
  offerClaim,
  outcome,
  sentClaim,
  wholeList,
} from './firm-calls.ts';
import {
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

let service: ServiceUnderTest;
let firm: TestFirm;
let other: TestFirm;
let member: { svcId: string; token: string };
beforeAll(async () => {
  service = await startServiceUnderTest();
  firm = await service.firm();
  other = await service.firm();
  member = await service.member(firm);
});
afterAll(() => service.stop());

type Key = 'live' | 'test';
const BEHAVIORS = ['manual', 'accepts', 'rejects', 'paused', 'new', 'joins', 'declines'] as const;

/** SVCIDs that a request can contain, by their relation to the firm. */
const NAMED: Record<string, () => Promise<string> | string> = {
  'a member': () => member.svcId,
  'a real adjuster who is not a member': async () => (await service.adjuster()).svcId,
  'an unknown SVCID': () => 'SVC-nobody',
  'a test account': () => firm.account.manual,
  'a test account that is not a member': () => firm.account.new,
  'a paused test account': () => firm.account.paused,
  "another firm's test account": () => other.account.manual,
};

describe('a claim for', () => {
  const TABLE: [string, Key, unknown[]][] = [
    ['a member', 'live', [201]],
    ['a member', 'test', [422, 'adjuster_not_in_firm']],
    ['a real adjuster who is not a member', 'live', [422, 'adjuster_not_in_firm']],
    ['a real adjuster who is not a member', 'test', [422, 'adjuster_not_in_firm']],
    ['an unknown SVCID', 'live', [422, 'unknown_osaid']],
    ['an unknown SVCID', 'test', [422, 'unknown_osaid']],
    ['a test account', 'live', [422, 'environment_mismatch']],
    ['a test account', 'test', [201]],
    ['a test account that is not a member', 'live', [422, 'environment_mismatch']],
    ['a test account that is not a member', 'test', [422, 'adjuster_not_in_firm']],
    ['a paused test account', 'live', [422, 'environment_mismatch']],
    ['a paused test account', 'test', [422, 'adjuster_not_accepting']],
    ["another firm's test account", 'live', [422, 'unknown_osaid']],
    ["another firm's test account", 'test', [422, 'unknown_osaid']],
  ];
  test.each(TABLE)('%s can be sent with a %s key only if allowed', async (who, key, expected) => {
    const named = (await NAMED[who]?.()) as string;
    expect(outcome(await sendClaim(service, firm[key], claimBody(named)))).toEqual(expected);
  });
  test.each(TABLE)('%s can be offered again with a %s key only if allowed', async (who, key, expected) => {
    const named = (await NAMED[who]?.()) as string;
    const first = key === 'live' ? member.svcId : firm.account.manual;
    const claim = await sentClaim(service, firm[key], first);
    const response = await offerClaim(service, firm[key], claim.id, named);
    expect(outcome(response)).toEqual(expected[0] === 201 ? [200] : expected);
    const after = (await getClaim(service, firm[key], claim.id)).json;
    if (response.status === 200) expect(after.assignment.adjuster_svc_id).toBe(named);
    else expect(after).toEqual(claim);
  });
});

describe('an invitation for', () => {
  test.each<[string, Key, unknown[]]>([
    ['a member', 'live', [409, 'already_member']],
    ['a member', 'test', [422, 'unknown_osaid']],
    ['a real adjuster who is not a member', 'live', [201]],
    ['a real adjuster who is not a member', 'test', [422, 'unknown_osaid']],
    ['an unknown SVCID', 'live', [422, 'unknown_osaid']],
    ['an unknown SVCID', 'test', [422, 'unknown_osaid']],
    ['a test account', 'live', [422, 'environment_mismatch']],
    ['a test account', 'test', [409, 'already_member']],
    ['a test account that is not a member', 'live', [422, 'environment_mismatch']],
    ['a test account that is not a member', 'test', [201]],
    ["another firm's test account", 'live', [422, 'unknown_osaid']],
    ["another firm's test account", 'test', [422, 'unknown_osaid']],
  ])('%s with a %s key succeeds only if allowed', async (who, key, expected) => {
    expect(outcome(await invite(service, firm[key], await NAMED[who]?.()))).toEqual(expected);
  });

  test('any test account with a live key fails and changes nothing', async () => {
    const own = await service.firm();
    const list = await wholeList(service, own.live, '/v1/adjusters');
    for (const behavior of BEHAVIORS) {
      const response = await invite(service, own.live, own.account[behavior]);
      expectProblem(service, response, 422, 'environment_mismatch');
    }
    expect(await wholeList(service, own.live, '/v1/adjusters')).toEqual(list);
  });
});

describe('a test claim', () => {
  test('is marked as test in every response, and a live one is not', async () => {
    const own = await service.firm();
    const real = await service.member(own);
    const [test_, live] = [
      await sentClaim(service, own.test, own.account.manual),
      await sentClaim(service, own.live, real.svcId),
    ];
    expect([test_.test, live.test]).toEqual([true, false]);
    await acceptClaim(service, await service.session(own.account.manual), test_.id);
    await acceptClaim(service, real.token, live.id);
    for (const key of [own.live, own.test])
      expect((await getClaim(service, key, test_.id)).json).toMatchObject({
        test: true,
        assignment: { status: 'accepted' },
      });
    const rows = await wholeList(service, own.live, '/v1/claims');
    expect(rows.map((row) => [row.id, row.test])).toEqual([
      [test_.id, true],
      [live.id, false],
    ]);
  });

  test('can be read with a live key, but not offered', async () => {
    const claim = await sentClaim(service, firm.test, firm.account.manual);
    expect((await getClaim(service, firm.live, claim.id)).json).toEqual(claim);
    for (const named of [member.svcId, firm.account.manual, firm.account.rejects])
      expectProblem(
        service,
        await offerClaim(service, firm.live, claim.id, named),
        422,
        'environment_mismatch',
      );
    expect((await getClaim(service, firm.test, claim.id)).json).toEqual(claim);
  });
});

describe('a test key', () => {
  test('sees an initial member without times or notes, with name and email', async () => {
    const record = await adjusterRecord(service, firm.test, firm.account.manual);
    expect(record).toEqual({
      svc_id: firm.account.manual,
      status: 'active',
      test: true,
      name: expect.stringMatching(/\S/),
      email: expect.stringMatching(/@/),
      invited_at: null,
      expires_at: null,
      responded_at: null,
      invited_as: null,
      invited_by: null,
      purpose: null,
      note: null,
    });
  });

  test('gets its environment from /v1/me, as does a live one', async () => {
    for (const key of ['live', 'test'] as const) {
      const { json } = await service.call('GET', '/v1/me', { as: firm[key] });
      expect(json).toEqual({
        key: { id: expect.stringMatching(/\S/), environment: key },
        firm: { id: firm.id, name: 'Gulf Adjusting Partners' },
        scopes: ['claims:create', 'claims:read', 'claims:write', 'adjusters:read', 'adjusters:write'],
      });
      expect(firm[key].startsWith(`svc_${key}_`)).toBe(true);
    }
  });
});
