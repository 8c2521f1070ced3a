import type { Adjuster } from './adjuster.ts';
import { DomainError } from './errors.ts';
import { DAY } from './ids.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { type Environment, type Purpose, SCOPES, type Scope } from './vocabulary.ts';

/** What a firm has bought. */
export const PLAN_SCOPES = {
  standard: SCOPES,
  claims_only: ['claims:create', 'claims:read', 'claims:write'],
  read_only: ['claims:read', 'adjusters:read'],
} as const satisfies Record<string, readonly Scope[]>;

/** What the purpose of a key includes. */
export const PURPOSE_SCOPES = {
  full_access: SCOPES,
  claims: ['claims:create', 'claims:read', 'claims:write'],
  adjusters: ['adjusters:read', 'adjusters:write'],
  read_only: ['claims:read', 'adjusters:read'],
} as const satisfies Record<Purpose, readonly Scope[]>;

export type Plan = keyof typeof PLAN_SCOPES;
export const PLANS = Object.keys(PLAN_SCOPES) as readonly Plan[];

/** How long data stays, in milliseconds. */
export interface Retention {
  /** Accepted, open claims stay readable this long for an adjuster who left the firm. */
  readonly readableAfterLeavingMs: number;
  readonly auditMs: number;
}

const YEAR = 365 * DAY;

export const PLAN_RETENTION: Readonly<Record<Plan, Retention>> = {
  standard: { readableAfterLeavingMs: 90 * DAY, auditMs: 7 * YEAR },
  claims_only: { readableAfterLeavingMs: 90 * DAY, auditMs: 7 * YEAR },
  read_only: { readableAfterLeavingMs: 30 * DAY, auditMs: 7 * YEAR },
};

/** The database's function `purge_audit` deletes nothing younger, whatever it is asked for. */
export const SHORTEST_AUDIT_RETENTION_MS = Math.min(
  ...Object.values(PLAN_RETENTION).map(({ auditMs }) => auditMs),
);

const includes = (scopes: readonly Scope[], scope: Scope): boolean => scopes.includes(scope);

/** The scopes of a key: those of its purpose that the firm's plan includes. */
export const scopesOf = (purpose: Purpose, plan: Plan): Scope[] =>
  PURPOSE_SCOPES[purpose].filter((scope) => includes(PLAN_SCOPES[plan], scope));

/** Throws unless the key has the scope. The purpose is checked before the plan: a plan change would not help the key. */
export function checkScope(scope: Scope, purpose: Purpose, plan: Plan): void {
  if (!includes(PURPOSE_SCOPES[purpose], scope)) {
    throw new DomainError(
      'insufficient_scope',
      `This needs the scope ${scope}, which the key does not have.`,
    );
  }
  if (!includes(PLAN_SCOPES[plan], scope)) {
    throw new DomainError(
      'not_in_plan',
      `This needs the scope ${scope}, which the firm's plan does not include.`,
    );
  }
}

/** The sandbox changes test data and simulates faults, so a live key may not call it. */
export function checkSandboxKey(environment: Environment): void {
  if (environment === 'live') {
    throw new DomainError('environment_mismatch', 'The sandbox is for test keys; this is a live key.');
  }
}

/** Whether a key of this environment may read the claim: a live key also reads test data, a test key nothing else. */
export const isClaimVisible = (claim: { readonly environment: Environment }, key: Environment): boolean =>
  key === 'live' || claim.environment === 'test';

/** Whether a key of this environment may read the adjuster; test accounts are test data. */
export const isAdjusterVisible = (adjuster: Pick<Adjuster, 'testOf'>, key: Environment): boolean =>
  key === 'live' || adjuster.testOf !== null;

/** Rate limits of a key. Each bucket refills evenly; `burst` is how many requests it accepts at once. */
export interface KeyLimits {
  readonly requestsPerMinute: number;
  readonly writesPerMinute: number;
  readonly burst: number;
}

/**
 * Throws unless one more key may work. Keys that were replaced and work until their overlap ends are not counted here: a firm
 * with as many keys as it may have can replace each of them.
 */
export function checkKeyCount(environment: Environment, working: number, maxKeys: number): void {
  if (working < maxKeys) return;
  throw new DomainError(
    'too_many_keys',
    `At most ${maxKeys} ${environment} keys of the firm work at a time. Revoke one that is not used, or have the operator raise the limit.`,
  );
}

/** Throws unless one more key may go on working besides the one that replaces it. */
export function checkReplacedKeyCount(environment: Environment, replaced: number, maxKeys: number): void {
  if (replaced < maxKeys) return;
  throw new DomainError(
    'too_many_keys',
    `At most ${maxKeys} replaced ${environment} keys of the firm work at a time. Revoke one of them, or replace this key without an overlap.`,
  );
}

/** A firm's own limits; null means the default of the key's environment. */
export type LimitOverrides = { readonly [L in keyof KeyLimits]: KeyLimits[L] | null };
export const NO_OVERRIDES: LimitOverrides = { requestsPerMinute: null, writesPerMinute: null, burst: null };

export function limitsOf(environment: Environment, overrides: LimitOverrides): KeyLimits {
  const defaults = DEFAULT_LIMITS[environment];
  return {
    requestsPerMinute: overrides.requestsPerMinute ?? defaults.requestsPerMinute,
    writesPerMinute: overrides.writesPerMinute ?? defaults.writesPerMinute,
    burst: overrides.burst ?? defaults.burst,
  };
}
