import type { Instant } from '@svc/domain';
import type { AccountRef } from '../model/account.ts';
import type { Passkey } from '../model/passkey.ts';
import type { Session } from '../model/session.ts';

/** What an account is signed in with. */
export interface AccountReads {
  /** Oldest first. */
  passkeys(of: AccountRef): Promise<Passkey[]>;
  /** Sessions that have not ended at `now`, latest use first. */
  sessions(of: AccountRef, now: Instant): Promise<Session[]>;
}
