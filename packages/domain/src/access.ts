import { DomainError } from './errors.ts';
import type { Environment } from './ids.ts';

export const SCOPES = [
  'claims:create',
  'claims:read',
  'claims:write',
  'adjusters:read',
  'adjusters:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** What a firm has bought. */
export const PLAN_SCOPES = {
  standard: SCOPES,
  claims_only: ['claims:create', 'claims:read', 'claims:write'],
  read_only: ['claims:read', 'adjusters:read'],
} as const satisfies Record<string, readonly Scope[]>;

/** What a key was made for. */
export const PURPOSE_SCOPES = {
  full_access: SCOPES,
  claims: ['claims:create', 'claims:read', 'claims:write'],
  adjusters: ['adjusters:read', 'adjusters:write'],
  read_only: ['claims:read', 'adjusters:read'],
} as const satisfies Record<string, readonly Scope[]>;

export type Plan = keyof typeof PLAN_SCOPES;
export type Purpose = keyof typeof PURPOSE_SCOPES;
export const PLANS = Object.keys(PLAN_SCOPES) as readonly Plan[];
export const PURPOSES = Object.keys(PURPOSE_SCOPES) as readonly Purpose[];

const includes = (scopes: readonly Scope[], scope: Scope): boolean => scopes.includes(scope);

/** What a key may do now: its purpose, cut to the firm's plan. */
export const scopesOf = (purpose: Purpose, plan: Plan): Scope[] =>
  PURPOSE_SCOPES[purpose].filter((scope) => includes(PLAN_SCOPES[plan], scope));

/** The purpose is asked first: a key that was never meant for this learns so, whatever the firm's plan. */
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

/** Requests a key may make. Each rate refills evenly; `burst` is how many are accepted in one instant. */
export interface KeyLimits {
  readonly requestsPerMinute: number;
  readonly writesPerMinute: number;
  readonly burst: number;
}

export const DEFAULT_LIMITS: Readonly<Record<Environment, KeyLimits>> = {
  live: { requestsPerMinute: 300, writesPerMinute: 120, burst: 20 },
  test: { requestsPerMinute: 60, writesPerMinute: 30, burst: 20 },
};

/** A firm's own limits; what is null follows the default of the key's environment. */
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
