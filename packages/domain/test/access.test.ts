import { describe, expect, test } from '@jest/globals';
import {
  checkKeyCount,
  checkReplacedKeyCount,
  checkSandboxKey,
  checkScope,
  DAY,
  DEFAULT_LIMITS,
  ENVIRONMENTS,
  type Environment,
  type FirmId,
  isAdjusterVisible,
  isClaimVisible,
  KEY_PURPOSES,
  limitsOf,
  NO_OVERRIDES,
  PLAN_RETENTION,
  PLANS,
  type Plan,
  type Purpose,
  SCOPES,
  scopesOf,
} from '../src/index.ts';
import { codeThrownBy } from './moves.ts';

const SCOPES_OF_PLAN: Record<Plan, string> = {
  standard: 'claims:create claims:read claims:write adjusters:read adjusters:write',
  claims_only: 'claims:create claims:read claims:write',
  read_only: 'claims:read adjusters:read',
};
const SCOPES_OF_PURPOSE: Record<Purpose, string> = {
  full_access: 'claims:create claims:read claims:write adjusters:read adjusters:write',
  claims: 'claims:create claims:read claims:write',
  adjusters: 'adjusters:read adjusters:write',
  read_only: 'claims:read adjusters:read',
};

const cases = PLANS.flatMap((plan) => KEY_PURPOSES.map((purpose) => ({ plan, purpose })));

describe('scopes of a key', () => {
  test.each(cases)(
    'plan $plan, purpose $purpose: the scopes that both include; the purpose is checked before the plan',
    ({ plan, purpose }) => {
      const [ofPurpose, ofPlan] = [SCOPES_OF_PURPOSE[purpose].split(' '), SCOPES_OF_PLAN[plan].split(' ')];
      expect(scopesOf(purpose, plan)).toEqual(ofPurpose.filter((scope) => ofPlan.includes(scope)));
      const missing = (scope: string) => (ofPurpose.includes(scope) ? 'not_in_plan' : 'insufficient_scope');
      for (const scope of SCOPES) {
        const isIncluded = ofPurpose.includes(scope) && ofPlan.includes(scope);
        const outcome = codeThrownBy(() => checkScope(scope, purpose, plan));
        expect([scope, outcome]).toEqual([scope, isIncluded ? null : missing(scope)]);
      }
    },
  );
});

describe('data visible to a key', () => {
  test('a live key reads live and test data, a test key only test data', () => {
    const real = { testOf: null };
    const testAccount = { testOf: { firmId: 'f' as FirmId, behavior: 'manual' } } as const;
    const visibleTo = (key: Environment) => [
      ...ENVIRONMENTS.filter((environment) => isClaimVisible({ environment }, key)),
      ...[real, testAccount].map((adjuster) => isAdjusterVisible(adjuster, key)),
    ];
    expect(visibleTo('live')).toEqual(['live', 'test', true, true]);
    expect(visibleTo('test')).toEqual(['test', false, true]);
  });
});

test('only a test key may use the sandbox', () => {
  expect(codeThrownBy(() => checkSandboxKey('live'))).toBe('environment_mismatch');
  expect(codeThrownBy(() => checkSandboxKey('test'))).toBeNull();
});

test('plans keep claims readable for 90 or 30 days after leaving, and the audit log for seven years', () => {
  expect(PLAN_RETENTION).toEqual({
    standard: { readableAfterLeavingMs: 90 * DAY, auditMs: 2_555 * DAY },
    claims_only: { readableAfterLeavingMs: 90 * DAY, auditMs: 2_555 * DAY },
    read_only: { readableAfterLeavingMs: 30 * DAY, auditMs: 2_555 * DAY },
  });
});

test('one more key may work, and one more be replaced, while they are fewer than the limit', () => {
  for (const check of [checkKeyCount, checkReplacedKeyCount])
    expect([2, 3, 4].map((count) => codeThrownBy(() => check('live', count, 3)))).toEqual([
      ...[null, 'too_many_keys', 'too_many_keys'],
    ]);
  expect(() => checkKeyCount('test', 7, 5)).toThrow('At most 5 test keys of the firm work at a time.');
  expect(() => checkReplacedKeyCount('live', 7, 5)).toThrow('At most 5 replaced live keys of the firm');
});

describe('rate limits of a key', () => {
  test('default to 300 requests and 120 writes per minute live, 60 and 30 in test, and a burst of 20', () => {
    expect(DEFAULT_LIMITS).toEqual({
      live: { requestsPerMinute: 300, writesPerMinute: 120, burst: 20 },
      test: { requestsPerMinute: 60, writesPerMinute: 30, burst: 20 },
    });
  });

  test('each limit set for the firm replaces one default', () => {
    expect(NO_OVERRIDES).toEqual({ requestsPerMinute: null, writesPerMinute: null, burst: null });
    expect(limitsOf('live', NO_OVERRIDES)).toEqual(DEFAULT_LIMITS.live);
    for (const limit of ['requestsPerMinute', 'writesPerMinute', 'burst'] as const) {
      expect(limitsOf('test', { ...NO_OVERRIDES, [limit]: 7 })).toEqual({
        ...DEFAULT_LIMITS.test,
        [limit]: 7,
      });
    }
  });
});
