import type { Environment, FirmId, Instant, KeyId, LimitOverrides, Plan, Purpose } from '@svc/domain';

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
  readonly environment: Environment;
  readonly purpose: Purpose;
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
