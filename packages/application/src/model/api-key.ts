import {
  type Environment,
  type FirmId,
  type Instant,
  type KeyId,
  keyPurposesOf,
  type LimitOverrides,
  type Plan,
  type Purpose,
  type StaffId,
  type StaffMember,
} from '@svc/domain';

/** The current permissions and limits of a key. */
export interface KeyGrant {
  readonly keyId: KeyId;
  readonly firmId: FirmId;
  readonly firmName: string;
  readonly environment: Environment;
  readonly purpose: Purpose;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
}

export interface ApiKey {
  readonly id: KeyId;
  readonly firmId: FirmId;
  /** By which people tell keys apart; null: none was given. */
  readonly name: string | null;
  readonly environment: Environment;
  readonly purpose: Purpose;
  /** The staff member who made it, and their name then; null: the operator. */
  readonly madeBy: StaffId | null;
  readonly madeByName: string | null;
  readonly secretHash: string;
  readonly createdAt: Instant;
  /** Exclusive; null: does not expire. */
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** From its creation, for the key that replaces it: rolling shortens `expiresAt`. Null: without end. */
  readonly lifetimeMs: number | null;
  /** Written in batches, up to a minute late. */
  readonly lastUsedAt: Instant | null;
}

export const isWorkingKey = (
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: Instant,
): boolean => revokedAt === null && (expiresAt === null || now < expiresAt);

export const endOfLifetime = ({ createdAt, lifetimeMs }: Pick<ApiKey, 'createdAt' | 'lifetimeMs'>) =>
  lifetimeMs === null ? null : createdAt + lifetimeMs;

/** Replacing a key always shortens `expiresAt`. */
export const isReplacedKey = (key: Pick<ApiKey, 'createdAt' | 'lifetimeMs' | 'expiresAt'>): boolean =>
  key.expiresAt !== endOfLifetime(key);

/** Why an administrator should look at a key. */
export type KeyAttention = 'maker_removed' | 'maker_role_changed';

export interface KeyMaker {
  readonly kind: 'staff' | 'operator';
  readonly staffId: StaffId | null;
  readonly name: string | null;
}

/** Who made a key, and whether that needs attention: it works, and who made it could not make it today. */
export function makerOf(
  key: ApiKey,
  staff: readonly StaffMember[],
  now: Instant,
): { readonly maker: KeyMaker; readonly attention: KeyAttention | null } {
  if (key.madeBy === null) return { maker: { kind: 'operator', staffId: null, name: null }, attention: null };
  const member = staff.find(({ staffId }) => staffId === key.madeBy);
  const maker: KeyMaker = { kind: 'staff', staffId: key.madeBy, name: member?.name ?? key.madeByName };
  if (!isWorkingKey(key, now)) return { maker, attention: null };
  if (member === undefined) return { maker, attention: 'maker_removed' };
  const mayMake = keyPurposesOf(member.role, key.environment).includes(key.purpose);
  return { maker, attention: mayMake ? null : 'maker_role_changed' };
}
