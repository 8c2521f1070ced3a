import { PLAN_SCOPES, type Plan, PURPOSE_SCOPES } from './access.ts';
import { DomainError } from './errors.ts';
import { DAY, type FirmId, HOUR, type Instant, type StaffId } from './ids.ts';
import {
  type Environment,
  KEY_PURPOSES,
  type Purpose,
  SCOPES,
  type Scope,
  STAFF_PERMISSIONS,
  type StaffPermission,
  type StaffRole,
} from './vocabulary.ts';

/** Who reads everything but secrets does not manage people, so the list of staff is for administrators. */
export const ROLE_PERMISSIONS = {
  admin: STAFF_PERMISSIONS,
  dispatcher: [...SCOPES, 'reports:read', 'imports:read', 'imports:write'],
  developer: [
    'keys:read',
    'keys:write',
    'requests:read',
    'webhooks:read',
    'webhooks:write',
    'sandbox:write',
    'readiness:read',
  ],
  auditor: [
    'claims:read',
    'adjusters:read',
    'reports:read',
    'imports:read',
    'keys:read',
    'requests:read',
    'webhooks:read',
    'readiness:read',
    'audit:read',
  ],
} as const satisfies Record<StaffRole, readonly StaffPermission[]>;

/** A person of one firm; the same person in another firm is another one. */
export interface StaffRef {
  readonly firmId: FirmId;
  readonly staffId: StaffId;
}

export interface StaffMember extends StaffRef {
  readonly name: string;
  readonly email: string;
  readonly role: StaffRole;
  readonly invitedAt: Instant;
  /** When the person first entered a code that was sent to the address; null: not yet. */
  readonly joinedAt: Instant | null;
  /** When the next mail about late offers is due; null: the person wishes none. */
  readonly lateOffersMailAt: Instant | null;
}

/** Of the UTC day: the morning of the United States. */
const LATE_OFFERS_MAIL_TIME = 12 * HOUR;

/** Mails about late offers are due at 12:00 UTC. */
export const nextLateOffersMail = (after: Instant): Instant =>
  (Math.floor((after - LATE_OFFERS_MAIL_TIME) / DAY) + 1) * DAY + LATE_OFFERS_MAIL_TIME;

/** Who may offer claims again may be mailed about late offers. */
export const mayGetLateOffersMail = (role: StaffRole): boolean => hasPermission(role, 'claims:write');

const isScope = (permission: StaffPermission): permission is Scope =>
  (SCOPES as readonly string[]).includes(permission);

const isInPlan = (permission: StaffPermission, plan: Plan): boolean =>
  !isScope(permission) || (PLAN_SCOPES[plan] as readonly Scope[]).includes(permission);

const hasPermission = (role: StaffRole, permission: StaffPermission): boolean =>
  (ROLE_PERMISSIONS[role] as readonly StaffPermission[]).includes(permission);

/**
 * A staff member has the permissions of their role; those that are scopes of keys only where the firm's plan includes
 * them.
 */
export const permissionsOf = (role: StaffRole, plan: Plan): StaffPermission[] =>
  ROLE_PERMISSIONS[role].filter((permission) => isInPlan(permission, plan));

/**
 * An operation of the desk needs its permission; the role is checked before the plan of the firm.
 * @throws `missing_permission`, `not_in_plan`
 */
export function checkPermission(permission: StaffPermission, role: StaffRole, plan: Plan): void {
  if (!hasPermission(role, permission))
    throw new DomainError(
      'missing_permission',
      `This needs the permission ${permission}, which the role ${role} does not have.`,
    );
  if (!isInPlan(permission, plan))
    throw new DomainError(
      'not_in_plan',
      `This needs the permission ${permission}, which the firm's plan does not include.`,
    );
}

/** What the role may do with the data of an environment. The sandbox is test data alone, all of it. */
const scopesOfRole = (role: StaffRole, environment: Environment): readonly Scope[] =>
  environment === 'test' && hasPermission(role, 'sandbox:write')
    ? SCOPES
    : SCOPES.filter((scope) => hasPermission(role, scope));

/**
 * A person may create or replace keys with no scope that their role lacks. Who works with the sandbox may do everything
 * with test data.
 */
export function keyPurposesOf(role: StaffRole, environment: Environment): Purpose[] {
  if (!hasPermission(role, 'keys:write')) return [];
  const own = scopesOfRole(role, environment);
  return KEY_PURPOSES.filter((purpose) => PURPOSE_SCOPES[purpose].every((scope) => own.includes(scope)));
}

/**
 * Throws unless the role may create such a key, or see the secret of one that replaces it.
 * @throws `missing_permission`
 */
export function checkKeyPurpose(role: StaffRole, environment: Environment, purpose: Purpose): void {
  if (keyPurposesOf(role, environment).includes(purpose)) return;
  const own = scopesOfRole(role, environment);
  const lacking = PURPOSE_SCOPES[purpose].filter((scope) => !own.includes(scope));
  throw new DomainError(
    'missing_permission',
    `A key may do no more than the person who makes it. The role ${role} does not have ${lacking.join(', ') || 'keys:write'}, which a ${environment} key of the purpose ${purpose} needs. Ask an administrator for the key.`,
  );
}

/** The only administrator of a firm cannot be removed or get another role. @throws `last_admin` */
export function checkNotLastAdmin(
  all: readonly Pick<StaffMember, 'staffId' | 'role'>[],
  changed: Pick<StaffMember, 'staffId' | 'role'>,
): void {
  const hasOther = all.some(({ staffId, role }) => role === 'admin' && staffId !== changed.staffId);
  if (changed.role === 'admin' && !hasOther)
    throw new DomainError(
      'last_admin',
      'This is the only administrator of the firm. Make somebody else an administrator first.',
    );
}
