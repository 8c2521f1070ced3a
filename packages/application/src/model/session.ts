import type { Instant } from '@svc/domain';
import type { AccountRef } from './account.ts';

/** How a session was opened. A session that added a passkey counts as opened with it. */
export type SessionMethod = 'code' | 'secret' | 'passkey' | 'operator';

export interface Session {
  /** Public, unlike the token. */
  readonly id: string;
  readonly tokenHash: string;
  readonly account: AccountRef;
  /** As named by the client, or derived from its browser; null: unknown. */
  readonly deviceName: string | null;
  readonly createdAt: Instant;
  /** Written in batches, up to a minute late. */
  readonly lastUsedAt: Instant;
  /** 90 days after its last use, but not after `endsAt`. */
  readonly expiresAt: Instant;
  readonly endsAt: Instant;
  readonly method: SessionMethod;
}
