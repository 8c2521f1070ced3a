import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Plan, Purpose } from '@svc/domain';
import { createFixedClock } from '@svc/testkit';
import { freshKey, offerClaim, outcome, sentClaim } from './firm-calls.ts';
import { expectProblem } from './problem-shape.ts';
import { type ApiResponse, type Call, claimBody, startServiceUnderTest } from './service-under-test.ts';

const clock = createFixedClock(Date.now());
const service = await startServiceUnderTest({ clock });
const firms = {
  standard: await service.firm(),
  claims_only: await service.firm({ plan: 'claims_only' }),
  read_only: await service.firm({ plan: 'read_only' }),
};
const member = await service.member(firms.standard);

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly scope: string;
  /** Without it. */
  readonly purpose: Purpose;
  readonly plan: Plan;
  readonly call?: () => Call;
  /** The outcome if the call is allowed; it changes nothing. */
  readonly allowed: unknown[];
}

const keyed = (body: unknown): Call => ({ body, headers: { 'Idempotency-Key': freshKey() } });
/** Every operation is checked by one function; its scope is tested in the contract. */
const OPERATIONS: Operation[] = [
  {
    ...{ method: 'GET', path: '/v1/adjusters', scope: 'adjusters:read', allowed: [200] },
    ...{ purpose: 'claims', plan: 'claims_only' },
  },
  {
    ...{ method: 'POST', path: '/v1/claims', scope: 'claims:create' },
    ...{ purpose: 'read_only', plan: 'read_only' },
    call: () => keyed(claimBody('SVC-nobody')),
    allowed: [422, 'unknown_osaid'],
  },
];
const run = ({ method, path, call = () => ({}) }: Omit<Operation, 'purpose' | 'plan'>, as: string) =>
  service.call(method, path, { ...call(), as });

describe('with a key of each environment', () => {
  test.each(OPERATIONS)('$path needs $scope in purpose and plan', async ({ purpose, plan, ...operation }) => {
    for (const environment of ['live', 'test'] as const) {
      const withPurpose = (purpose: Purpose) => service.key(firms.standard, { purpose, environment });
      const unscoped = await run(operation, await withPurpose(purpose));
      expectProblem(unscoped, 403, 'insufficient_scope');
      const unplanned = await run(operation, await service.key(firms[plan], { environment }));
      expectProblem(unplanned, 403, 'not_in_plan');
      expect(outcome(await run(operation, await withPurpose('full_access')))).toEqual(operation.allowed);
    }
  });

  test('/v1/me has its environment, firm and current scopes', async () => {
    for (const environment of ['live', 'test'] as const) {
      const key = await service.key(firms.claims_only, { environment });
      expect(key.startsWith(`svc_${environment}_`)).toBe(true);
      expect((await service.call('GET', '/v1/me', { as: key })).json).toEqual({
        key: { id: expect.stringMatching(/\S/), environment },
        firm: { id: firms.claims_only.id, name: 'Gulf Adjusting Partners' },
        scopes: ['claims:create', 'claims:read', 'claims:write'],
      });
    }
  });
});

test('the scheme of the key is not case-sensitive, and a key in the query is ignored', async () => {
  const { live } = firms.standard;
  for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
    const headers = { Authorization: `${scheme} ${live}` };
    expect((await service.call('GET', '/v1/me', { headers })).status).toBe(200);
  }
  expect(outcome(await service.call('GET', `/v1/me?api_key=${live}`))).toEqual([401, 'invalid_key']);
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
    expectProblem(over, 429, 'rate_limited');
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
    expectProblem(await post(key, HUGE), 413, 'payload_too_large');
    expectProblem(await post(key, `{${HUGE}`), 413, 'payload_too_large');
    expectProblem(await post(key, '{'), 400, 'malformed_request');
    const wrong = await post(key, '{}');
    expect(outcome(wrong)).toEqual([422, 'validation_failed']);
    const where = wrong.json.errors.map((one: Record<string, string>) => one.parameter ?? one.header);
    expect(where).toEqual(expect.arrayContaining(['nonsense', 'Idempotency-Key']));
  });

  test('then the Idempotency-Key, then the existence of the claim', async () => {
    const { live } = firms.standard;
    const claim = await sentClaim(service, live, member.svcId);
    const offer = (id: string, adjuster: string, key: string) => offerClaim(service, live, id, adjuster, key);
    const key = freshKey();
    expect(outcome(await offer(claim.id, member.svcId, key))).toEqual([200]);
    const nowhere = randomUUID();
    expect(outcome(await offer(nowhere, '', key))).toEqual([422, 'validation_failed']);
    expect(outcome(await offer(nowhere, member.svcId, key))).toEqual([422, 'idempotency_key_reused']);
    expect(outcome(await offer(nowhere, 'SVC-nobody', freshKey()))).toEqual([404, 'not_found']);
  });
});
