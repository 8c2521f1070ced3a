import { describe, expect, test } from '@jest/globals';
import {
  checkScope,
  DEFAULT_LIMITS,
  DomainError,
  limitsOf,
  NO_OVERRIDES,
  PLANS,
  type Plan,
  PURPOSES,
  type Purpose,
  SCOPES,
  scopesOf,
} from '../src/index.ts';

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

const cases = PLANS.flatMap((plan) => PURPOSES.map((purpose) => ({ plan, purpose })));

describe('what a key may do', () => {
  test('has an expectation for every plan and purpose', () => {
    expect([...PLANS].sort()).toEqual(Object.keys(SCOPES_OF_PLAN).sort());
    expect([...PURPOSES].sort()).toEqual(Object.keys(SCOPES_OF_PURPOSE).sort());
  });

  test.each(cases)('plan $plan, purpose $purpose: what both allow', ({ plan, purpose }) => {
    const both = SCOPES_OF_PURPOSE[purpose]
      .split(' ')
      .filter((scope) => SCOPES_OF_PLAN[plan].split(' ').includes(scope));
    expect(scopesOf(purpose, plan)).toEqual(both);
  });

  test.each(cases)(
    'plan $plan, purpose $purpose: the purpose is asked before the plan',
    ({ plan, purpose }) => {
      for (const scope of SCOPES) {
        const expected = !SCOPES_OF_PURPOSE[purpose].split(' ').includes(scope)
          ? 'insufficient_scope'
          : !SCOPES_OF_PLAN[plan].split(' ').includes(scope)
            ? 'not_in_plan'
            : 'allowed';
        let outcome = 'allowed';
        try {
          checkScope(scope, purpose, plan);
        } catch (error) {
          outcome = (error as DomainError).code;
        }
        expect([scope, outcome]).toEqual([scope, expected]);
      }
    },
  );

  test('what it is told it may do is exactly what it may do', () => {
    for (const { plan, purpose } of cases) {
      const told = scopesOf(purpose, plan);
      for (const scope of SCOPES) {
        if (told.includes(scope)) expect(() => checkScope(scope, purpose, plan)).not.toThrow();
        else expect(() => checkScope(scope, purpose, plan)).toThrow(DomainError);
      }
    }
  });
});

describe('how often a key may ask', () => {
  test('300 requests and 120 writes a minute live, 60 and 30 in test, 20 in one instant', () => {
    expect(DEFAULT_LIMITS).toEqual({
      live: { requestsPerMinute: 300, writesPerMinute: 120, burst: 20 },
      test: { requestsPerMinute: 60, writesPerMinute: 30, burst: 20 },
    });
  });

  test('a firm without limits of its own has the defaults; each of its own replaces one', () => {
    expect(limitsOf('live', NO_OVERRIDES)).toEqual(DEFAULT_LIMITS.live);
    for (const limit of ['requestsPerMinute', 'writesPerMinute', 'burst'] as const) {
      expect(limitsOf('test', { ...NO_OVERRIDES, [limit]: 7 })).toEqual({
        ...DEFAULT_LIMITS.test,
        [limit]: 7,
      });
    }
  });
});
