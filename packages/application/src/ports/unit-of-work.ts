import type { Adjusters } from './adjusters.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Carriers } from './carriers.ts';
import type { Claims } from './claims.ts';
import type { Deadlines } from './deadlines.ts';
import type { Devices } from './devices.ts';
import type { EmailChanges } from './email-changes.ts';
import type { Feeds } from './feeds.ts';
import type { Firms } from './firms.ts';
import type { Imports } from './imports.ts';
import type { Keys } from './keys.ts';
import type { Memberships } from './memberships.ts';
import type { Outbox } from './outbox.ts';
import type { Passkeys } from './passkeys.ts';
import type { Sessions } from './sessions.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';
import type { SignInCodes } from './sign-in-codes.ts';
import type { SignInTickets } from './sign-in-tickets.ts';
import type { Staff } from './staff.ts';
import type { UsedChallenges } from './used-challenges.ts';
import type { Webhooks } from './webhooks.ts';

/**
 * Runs one transaction: commits when `work` returns, rolls back when it throws.
 *
 * After a conflict with a concurrent transaction (unique key, deadlock) `work` runs again, so it must have no side
 * effects outside of `tx`.
 */
export interface UnitOfWork {
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** The stores within one transaction. Writes may be deferred until its next read or its end. */
export interface Tx {
  readonly claims: Claims;
  readonly carriers: Carriers;
  readonly adjusters: Adjusters;
  readonly memberships: Memberships;
  readonly staff: Staff;
  readonly firms: Firms;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly signInCodes: SignInCodes;
  readonly signInTickets: SignInTickets;
  readonly signInAttempts: SignInAttempts;
  readonly emailChanges: EmailChanges;
  readonly passkeys: Passkeys;
  readonly usedChallenges: UsedChallenges;
  readonly devices: Devices;
  readonly deadlines: Deadlines;
  readonly feeds: Feeds;
  readonly webhooks: Webhooks;
  readonly imports: Imports;
  readonly outbox: Outbox;
  readonly audit: AuditTrail;
}
