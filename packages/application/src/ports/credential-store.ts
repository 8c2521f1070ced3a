import type { Instant, KeyId } from '@svc/domain';
import type { StaffGrant } from '../model/account.ts';
import type { KeyGrant } from '../model/api-key.ts';
import type { Session } from '../model/session.ts';

export interface StoredSession extends Omit<Session, 'tokenHash' | 'deviceName' | 'createdAt'> {
  /** Of a staff member; a session of one who was removed does not exist. */
  readonly staff?: StaffGrant;
}

export interface CredentialStore {
  /** Null when no key of a firm that is not erased has this hash. Also returns revoked and expired keys, which the caller must check. */
  keyByHash(secretHash: string): Promise<KeyGrant | null>;
  sessionByHash(tokenHash: string): Promise<StoredSession | null>;
  /**
   * Those of the tokens whose sessions have not ended, with the staff member that each belongs to; null: to an adjuster, or to
   * one who was removed. At most two statements for all open streams of a process.
   */
  openSessions(
    tokenHashes: readonly string[],
    now: Instant,
  ): Promise<ReadonlyMap<string, Pick<StaffGrant, 'staffId' | 'role'> | null>>;
  /** A number that changes with every change to a key, a plan or a firm's limits. */
  version(): Promise<string>;
  /** Stores when keys and sessions were last used; in batches, outside of requests. */
  recordUse(use: {
    keys: ReadonlyMap<KeyId, Instant>;
    sessions: ReadonlyMap<string, Instant>;
  }): Promise<void>;
}
