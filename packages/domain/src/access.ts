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

/** A key has the scopes of its purpose that the firm's plan includes. */
export const scopesOf = (purpose: Purpose, plan: Plan): Scope[] =>
  PURPOSE_SCOPES[purpose].filter((scope) => includes(PLAN_SCOPES[plan], scope));

/**
 * An operation needs its scope; the purpose of the key is checked before the plan of the firm, since another plan would
 * not help the key.
 * @throws `insufficient_scope`, `not_in_plan`
 */
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

/** The sandbox changes test data and simulates faults, so a live key may not call it. @throws `environment_mismatch` */
export function checkSandboxKey(environment: Environment): void {
  if (environment === 'live') {
    throw new DomainError('environment_mismatch', 'The sandbox is for test keys; this is a live key.');
  }
}

/** A live key reads live and test claims, a test key only test claims. */
export const isClaimVisible = (claim: { readonly environment: Environment }, key: Environment): boolean =>
  key === 'live' || claim.environment === 'test';

/** A live key reads real adjusters and test accounts, a test key only test accounts. */
export const isAdjusterVisible = (adjuster: Pick<Adjuster, 'testOf'>, key: Environment): boolean =>
  key === 'live' || adjuster.testOf !== null;

/** Rate limits of a key. Each bucket refills evenly; `burst` is how many requests it accepts at once. */
export interface KeyLimits {
  readonly requestsPerMinute: number;
  readonly writesPerMinute: number;
  readonly burst: number;
}

/**
 * At most so many keys of a firm and environment work at a time. Keys that were replaced and work until their overlap
 * ends are not counted: a firm with as many keys as it may have can replace each of them.
 * @throws `too_many_keys`
 */
export function checkKeyCount(environment: Environment, working: number, maxKeys: number): void {
  if (working < maxKeys) return;
  throw new DomainError(
    'too_many_keys',
    `At most ${maxKeys} ${environment} keys of the firm work at a time. Revoke one that is not used, or have the operator raise the limit.`,
  );
}

/** At most as many keys that were replaced still work. @throws `too_many_keys` */
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

/**
 * A firm's own limits replace the defaults of the environment one by one: requests per minute, writes per minute, and
 * `burst`, how many are accepted at the same instant.
 */
export function limitsOf(environment: Environment, overrides: LimitOverrides): KeyLimits {
  const defaults = DEFAULT_LIMITS[environment];
  return {
    requestsPerMinute: overrides.requestsPerMinute ?? defaults.requestsPerMinute,
    writesPerMinute: overrides.writesPerMinute ?? defaults.writesPerMinute,
    burst: overrides.burst ?? defaults.burst,
  };
}
