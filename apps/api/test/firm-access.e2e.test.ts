import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Plan, Purpose } from '@svc/domain';
import {
  acceptClaim,
  DAY,
  expectProblem,
  expectValidationErrors,
  freshKey,
  getClaim,
  listClaims,
  manualClock,
  outcome,
  sentClaim,
} from './firm-calls.ts';
import {
  type ApiResponse,
  type Call,
  claimBody,
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

const clock = manualClock();
let service: ServiceUnderTest;
let firms: Record<Plan, TestFirm>;
let member: { svcId: string; token: string };
beforeAll(async () => {
  service = await startServiceUnderTest({ clock });
  firms = {
    standard: await service.firm(),
    claims_only: await service.firm({ plan: 'claims_only' }),
    read_only: await service.firm({ plan: 'read_only' }),
  };
  member = await service.member(firms.standard);
});
afterAll(() => service.stop());

const PURPOSES = ['full_access', 'claims', 'adjusters', 'read_only'] as const;
const PLANS = ['standard', 'claims_only', 'read_only'] as const;

const BY_PURPOSE: Record<Purpose, string[]> = {
  full_access: ['claims:create', 'claims:read', 'claims:write', 'adjusters:read', 'adjusters:write'],
  claims: ['claims:create', 'claims:read', 'claims:write'],
  adjusters: ['adjusters:read', 'adjusters:write'],
  read_only: ['claims:read', 'adjusters:read'],
};
const BY_PLAN: Record<Plan, string[]> = {
  standard: ['claims:create', 'claims:read', 'claims:write', 'adjusters:read', 'adjusters:write'],
  claims_only: ['claims:create', 'claims:read', 'claims:write'],
  read_only: ['claims:read', 'adjusters:read'],
};

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly scope: string;
  readonly call?: () => Call;
  /** The outcome if the call is allowed; it changes nothing. */
  readonly allowed: unknown[];
}

const keyed = (body: unknown): Call => ({ body, headers: { 'Idempotency-Key': freshKey() } });
const OPERATIONS: Operation[] = [
  { method: 'GET', path: '/v1/claims', scope: 'claims:read', allowed: [200] },
  { method: 'GET', path: `/v1/claims/${randomUUID()}`, scope: 'claims:read', allowed: [404, 'not_found'] },
  {
    method: 'POST',
    path: '/v1/claims',
    scope: 'claims:create',
    call: () => keyed(claimBody('SVC-nobody')),
    allowed: [422, 'unknown_osaid'],
  },
  {
    method: 'POST',
    path: `/v1/claims/${randomUUID()}/assignment`,
    scope: 'claims:write',
    call: () => keyed({ adjuster_svc_id: 'SVC-nobody' }),
    allowed: [404, 'not_found'],
  },
  { method: 'GET', path: '/v1/adjusters', scope: 'adjusters:read', allowed: [200] },
  {
    method: 'POST',
    path: '/v1/adjusters/invitations',
    scope: 'adjusters:write',
    call: () => ({ body: { svc_id: 'SVC-nobody' } }),
    allowed: [422, 'unknown_osaid'],
  },
  {
    method: 'DELETE',
    path: '/v1/adjusters/invitations/SVC-nobody',
    scope: 'adjusters:write',
    allowed: [404, 'not_found'],
  },
];
const run = ({ method, path, call }: Operation, as?: string): Promise<ApiResponse> =>
  service.call(method, path, { ...call?.(), ...(as !== undefined && { as }) });
const named = OPERATIONS.map((one): [string, Operation] => [
  `${one.method} ${one.path.replace(/[0-9a-f-]{36}/, '{id}')}`,
  one,
]);

describe.each(PLANS)('with the plan %s', (plan) => {
  describe.each(PURPOSES)('a key with the purpose %s', (purpose) => {
    let keys: string[];
    beforeAll(async () => {
      keys = [
        await service.key(firms[plan], { purpose }),
        await service.key(firms[plan], { purpose, environment: 'test' }),
      ];
    });

    test('gets its current scopes from /v1/me', async () => {
      for (const key of keys) {
        const { status, json } = await service.call('GET', '/v1/me', { as: key });
        expect([status, json.scopes]).toEqual([
          200,
          BY_PURPOSE[purpose].filter((scope) => BY_PLAN[plan].includes(scope)),
        ]);
      }
    });

    test.each(named)('can call %s if purpose and plan allow it', async (_, operation) => {
      for (const key of keys) {
        const response = await run(operation, key);
        if (!BY_PURPOSE[purpose].includes(operation.scope))
          expectProblem(service, response, 403, 'insufficient_scope');
        else if (!BY_PLAN[plan].includes(operation.scope))
          expectProblem(service, response, 403, 'not_in_plan');
        else expect(outcome(response)).toEqual(operation.allowed);
      }
    });
  });
});

describe('the next request sees the change', () => {
  const listOutcome = async (key: string): Promise<unknown[]> => outcome(await listClaims(service, key));
  const keyId = async (key: string) => (await service.call('GET', '/v1/me', { as: key })).json.key.id;

  test('of a plan', async () => {
    const firm = await service.firm();
    const setPlan = service.service.services.get('operatorUseCases').setPlan;
    const invitation = () =>
      service.call('POST', '/v1/adjusters/invitations', { as: firm.live, body: { svc_id: 'SVC-nobody' } });
    expect(outcome(await invitation())).toEqual([422, 'unknown_osaid']);
    await setPlan(firm.id, 'claims_only');
    expect(outcome(await invitation())).toEqual([403, 'not_in_plan']);
    expect((await service.call('GET', '/v1/me', { as: firm.live })).json.scopes).toEqual(BY_PLAN.claims_only);
    await setPlan(firm.id, 'standard');
    expect(outcome(await invitation())).toEqual([422, 'unknown_osaid']);
  });

  test('of a revoked key, and other keys are unaffected', async () => {
    const firm = await service.firm();
    const second = await service.key(firm);
    expect(await listOutcome(second)).toEqual([200]);
    await service.service.services.get('operatorUseCases').revokeKey(await keyId(second));
    expect(await listOutcome(second)).toEqual([401, 'invalid_key']);
    expect(await listOutcome(firm.live)).toEqual([200]);
  });

  test('of a rolled key: both keys work during the overlap', async () => {
    const firm = await service.firm();
    const rolled = await service.service.services
      .get('operatorUseCases')
      .rollKey(await keyId(firm.live), DAY);
    expect([await listOutcome(firm.live), await listOutcome(rolled.secret)]).toEqual([[200], [200]]);
    clock.advance(DAY - 1);
    expect(await listOutcome(firm.live)).toEqual([200]);
    clock.advance(1);
    expect([await listOutcome(firm.live), await listOutcome(rolled.secret)]).toEqual([
      [401, 'invalid_key'],
      [200],
    ]);
  });

  test('of a key rolled without an overlap', async () => {
    const firm = await service.firm();
    const claim = await sentClaim(service, firm.test, firm.account.manual);
    const rolled = await service.service.services.get('operatorUseCases').rollKey(await keyId(firm.test), 0);
    expect(await listOutcome(firm.test)).toEqual([401, 'invalid_key']);
    expect((await getClaim(service, rolled.secret, claim.id)).json).toEqual(claim);
    const { json } = await service.call('GET', '/v1/me', { as: rolled.secret });
    expect([json.key.environment, json.firm.id]).toEqual(['test', firm.id]);
  });

  test('of an expired key', async () => {
    const firm = await service.firm();
    const { secret } = await service.service.services.get('operatorUseCases').createKey({
      firmId: firm.id,
      environment: 'live',
      purpose: 'full_access',
      lifetimeMs: 90 * DAY,
    });
    clock.advance(90 * DAY - 1);
    expect(await listOutcome(secret)).toEqual([200]);
    clock.advance(1);
    expect(await listOutcome(secret)).toEqual([401, 'invalid_key']);
  });
});

describe('without a valid key', () => {
  const everything = [
    ...named,
    ['GET /v1/me', { method: 'GET', path: '/v1/me', scope: '', allowed: [] }] as [string, Operation],
  ];

  test.each(everything)('%s gets 401', async (_, operation) => {
    const response = await run(operation);
    expectProblem(service, response, 401, 'invalid_key');
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('health is available, with an empty body', async () => {
    const response = await service.call('GET', '/v1/health');
    expect([response.status, response.json]).toEqual([200, {}]);
    expect(response.headers.get('x-request-id')).toMatch(/\S/);
    expectValidationErrors(await service.call('GET', '/v1/health?deep=1'), 'deep');
  });

  const HEADERS: [string, () => string][] = [
    ['an empty value', () => ''],
    ['the scheme alone', () => 'Bearer'],
    ['the scheme and a space', () => 'Bearer '],
    ['the key alone', () => firms.standard.live],
    ['another scheme', () => `Basic ${Buffer.from(`${firms.standard.live}:`).toString('base64')}`],
    ['no space after the scheme', () => `Bearer${firms.standard.live}`],
    ['two keys', () => `Bearer ${firms.standard.live} ${firms.standard.live}`],
    ['a list of keys', () => `Bearer ${firms.standard.live}, Bearer ${firms.standard.live}`],
    ['a key in quotes', () => `Bearer "${firms.standard.live}"`],
    ['a key in upper case', () => `Bearer ${firms.standard.live.toUpperCase()}`],
    ['a key without its last character', () => `Bearer ${firms.standard.live.slice(0, -1)}`],
    ['a key with one more character', () => `Bearer ${firms.standard.live}x`],
    ['the prefix of the other environment', () => `Bearer ${firms.standard.live.replace('live', 'test')}`],
    ['a key that was never issued', () => `Bearer svc_live_${'a'.repeat(49)}`],
    ["an adjuster's session", () => `Bearer ${member.token}`],
    ['a very long key', () => `Bearer svc_live_${'a'.repeat(8000)}`],
  ];
  test.each(HEADERS)('%s is an invalid key', async (_, value) => {
    const response = await service.call('GET', '/v1/me', { headers: { Authorization: value() } });
    expectProblem(service, response, 401, 'invalid_key');
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('the scheme is not case-sensitive', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer'])
      expect(
        (
          await service.call('GET', '/v1/me', {
            headers: { Authorization: `${scheme} ${firms.standard.live}` },
          })
        ).status,
      ).toBe(200);
  });

  test('a key in the query is ignored', async () => {
    const response = await service.call('GET', `/v1/me?api_key=${firms.standard.live}`);
    expect(outcome(response)).toEqual([401, 'invalid_key']);
  });
});

describe('the order of checks', () => {
  const HUGE = `{"external_id":"${'x'.repeat(1_048_576)}"}`;
  const post = (as: string | undefined, raw: string, path = '/v1/claims?nonsense=1'): Promise<ApiResponse> =>
    service.call('POST', path, { raw, ...(as !== undefined && { as }) });

  test('the key is checked first', async () => {
    for (const raw of [HUGE, '{', '{}'])
      expect(outcome(await post('svc_live_nonsense', raw))).toEqual([401, 'invalid_key']);
  });

  test('then the limits, which requests without the scope consume as well', async () => {
    const firm = await service.firm({ limited: true });
    const key = await service.key(firm, { purpose: 'adjusters' });
    for (let index = 0; index < 20; index += 1)
      expect(outcome(await post(key, '{'))).toEqual([403, 'insufficient_scope']);
    const over = await post(key, HUGE);
    expectProblem(service, over, 429, 'rate_limited');
    expect(over.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect([...over.headers.keys()].filter((name) => /rate-?limit/.test(name))).toEqual([]);
    // Each key has separate limits.
    expect((await service.call('GET', '/v1/me', { as: firm.live })).status).toBe(200);
  });

  test('then purpose and plan', async () => {
    const key = await service.key(firms.standard, { purpose: 'read_only' });
    for (const raw of [HUGE, '{', '{}'])
      expect(outcome(await post(key, raw))).toEqual([403, 'insufficient_scope']);
    for (const raw of [HUGE, '{', '{}'])
      expect(outcome(await post(firms.read_only.live, raw))).toEqual([403, 'not_in_plan']);
    const response = await service.call('GET', '/v1/claims/no-uuid?x=1', {
      as: await service.key(firms.standard, { purpose: 'adjusters' }),
    });
    expect(outcome(response)).toEqual([403, 'insufficient_scope']);
  });

  test('then the size of the body, then its JSON syntax, then all fields', async () => {
    const key = firms.standard.live;
    expectProblem(service, await post(key, HUGE), 413, 'payload_too_large');
    expectProblem(service, await post(key, `{${HUGE}`), 413, 'payload_too_large');
    expectProblem(service, await post(key, '{'), 400, 'malformed_request');
    const wrong = await post(key, '{}');
    expect(outcome(wrong)).toEqual([422, 'validation_failed']);
    const where = wrong.json.errors.map((one: Record<string, string>) => one.parameter ?? one.header);
    expect(where).toEqual(expect.arrayContaining(['nonsense', 'Idempotency-Key']));
  });

  test('then the Idempotency-Key, then the existence of the claim, then the rules', async () => {
    const { live } = firms.standard;
    const claim = await sentClaim(service, live, member.svcId);
    const offer = (id: string, body: unknown, key: string) =>
      service.call('POST', `/v1/claims/${id}/assignment`, {
        as: live,
        body,
        headers: { 'Idempotency-Key': key },
      });
    const key = freshKey();
    expect(outcome(await offer(claim.id, { adjuster_svc_id: member.svcId }, key))).toEqual([200]);
    const nowhere = randomUUID();
    expect(outcome(await offer(nowhere, { adjuster_svc_id: '' }, key))).toEqual([422, 'validation_failed']);
    expect(outcome(await offer(nowhere, { adjuster_svc_id: 'SVC-nobody' }, key))).toEqual([
      422,
      'idempotency_key_reused',
    ]);
    expect(outcome(await offer(nowhere, { adjuster_svc_id: 'SVC-nobody' }, freshKey()))).toEqual([
      404,
      'not_found',
    ]);
    expect(outcome(await offer(claim.id, { adjuster_svc_id: 'SVC-nobody' }, freshKey()))).toEqual([
      422,
      'unknown_osaid',
    ]);
    // The clock of this file has advanced by more than the lifetime of a session.
    expect(outcome(await acceptClaim(service, await service.session(member.svcId), claim.id))).toEqual([200]);
    expect(outcome(await offer(claim.id, { adjuster_svc_id: 'SVC-nobody' }, freshKey()))).toEqual([
      409,
      'claim_already_accepted',
    ]);
  });
});
