import type { Clock, Tx, UnitOfWork } from '@svc/application';
import type { AssignmentStatus } from '@svc/domain';
import type { Database } from './driver/database.ts';
import { ConcurrencyConflict } from './driver/errors.ts';
import type { TxSession } from './driver/session.ts';
import { repeatOnConflict } from './driver/transaction.ts';
import type { Encryption } from './encryption/encryption.ts';
import { pgOutbox } from './jobs/job-table.ts';
import { pgAdjusters } from './stores/pg-adjusters.ts';
import { type PgAuditTrail, pgAuditTrail } from './stores/pg-audit.ts';
import { pgCarriers } from './stores/pg-carriers.ts';
import { pgClaims } from './stores/pg-claims.ts';
import { pgDeadlines } from './stores/pg-deadlines.ts';
import { pgDevices } from './stores/pg-devices.ts';
import { pgEmailChanges } from './stores/pg-email-changes.ts';
import { pgFeeds } from './stores/pg-feeds.ts';
import { pgFirms } from './stores/pg-firms.ts';
import { pgKeys } from './stores/pg-keys.ts';
import { pgMemberships } from './stores/pg-memberships.ts';
import { pgPasskeys, pgUsedChallenges } from './stores/pg-passkeys.ts';
import { pgSessions } from './stores/pg-sessions.ts';
import { pgSignInAttempts } from './stores/pg-sign-in-attempts.ts';
import { pgSignInCodes } from './stores/pg-sign-in-codes.ts';

const storesOn = (
  session: TxSession,
  clock: Clock,
  encryption: Encryption,
  changed: AssignmentStatus[],
  audit: PgAuditTrail,
): Tx => ({
  claims: pgClaims(session, clock, encryption, changed),
  carriers: pgCarriers(session, encryption),
  adjusters: pgAdjusters(session, encryption),
  memberships: pgMemberships(session, encryption),
  firms: pgFirms(session),
  keys: pgKeys(session),
  sessions: pgSessions(session, encryption),
  signInCodes: pgSignInCodes(session),
  signInAttempts: pgSignInAttempts(session),
  emailChanges: pgEmailChanges(session, encryption),
  passkeys: pgPasskeys(session, encryption),
  usedChallenges: pgUsedChallenges(session),
  devices: pgDevices(session, encryption),
  deadlines: pgDeadlines(session),
  feeds: pgFeeds(session),
  outbox: pgOutbox(session),
  audit,
});

/**
 * Transactions at READ COMMITTED: a statement that waited for a lock sees what its holder committed. Conflicts that
 * locks cannot prevent throw ConcurrencyConflict, and the work runs again.
 */
export function pgUnitOfWork(
  database: Pick<Database, 'begin' | 'metrics'>,
  clock: Clock,
  encryption: Encryption,
): UnitOfWork {
  const attempt = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const transaction = await database.begin();
    const changed: AssignmentStatus[] = [];
    let result: T;
    try {
      const audit = pgAuditTrail(transaction);
      result = await work(storesOn(transaction, clock, encryption, changed, audit));
      await audit.write();
    } catch (error) {
      await transaction.rollback();
      // The work may have caught the statement's error and thrown another one.
      throw transaction.failure instanceof ConcurrencyConflict ? transaction.failure : error;
    }
    try {
      await transaction.commit();
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    database.metrics.transactionCommitted(transaction.commitSeconds, changed);
    return result;
  };

  return { run: (work) => repeatOnConflict(() => attempt(work)) };
}
