import type { Tx, UnitOfWork } from '@svc/application';
import type { AssignmentStatus } from '@svc/domain';
import type { Database } from './driver/database.ts';
import { ConcurrencyConflict } from './driver/errors.ts';
import type { TransactionExecutor } from './driver/executor.ts';
import { repeatOnConflict } from './driver/transaction.ts';
import type { Encryption } from './encryption/encryption.ts';
import type { FirmStatements, StatementsOn } from './firm-statements.ts';
import { pgOutbox } from './jobs/job-table.ts';
import { pgAdjusters } from './stores/pg-adjusters.ts';
import { type EventSubjects, type PgAuditTrail, pgAuditTrail } from './stores/pg-audit.ts';
import { pgCarriers } from './stores/pg-carriers.ts';
import { pgClaims } from './stores/pg-claims.ts';
import { pgDeadlines } from './stores/pg-deadlines.ts';
import { pgDevices } from './stores/pg-devices.ts';
import { pgEmailChanges } from './stores/pg-email-changes.ts';
import { pgFeeds } from './stores/pg-feeds.ts';
import { pgFirms } from './stores/pg-firms.ts';
import { pgImports } from './stores/pg-imports.ts';
import { pgKeys } from './stores/pg-keys.ts';
import { pgMemberships } from './stores/pg-memberships.ts';
import { pgPasskeys, pgUsedChallenges } from './stores/pg-passkeys.ts';
import { pgSessions } from './stores/pg-sessions.ts';
import { pgSignInAttempts } from './stores/pg-sign-in-attempts.ts';
import { pgSignInCodes } from './stores/pg-sign-in-codes.ts';
import { pgSignInTickets } from './stores/pg-sign-in-tickets.ts';
import { pgStaff } from './stores/pg-staff.ts';
import { pgWebhooks } from './stores/pg-webhooks.ts';

const storesOn = (
  executor: TransactionExecutor,
  statements: FirmStatements,
  encryption: Encryption,
  changed: AssignmentStatus[],
  subjects: EventSubjects,
  audit: PgAuditTrail,
): Tx => ({
  claims: pgClaims(executor, statements, encryption, changed, subjects),
  carriers: pgCarriers(executor, encryption),
  adjusters: pgAdjusters(executor, encryption),
  memberships: pgMemberships(executor, encryption),
  firms: pgFirms(executor),
  keys: pgKeys(executor, encryption),
  staff: pgStaff(executor, encryption),
  sessions: pgSessions(executor, encryption),
  signInCodes: pgSignInCodes(executor),
  signInTickets: pgSignInTickets(executor),
  signInAttempts: pgSignInAttempts(executor),
  emailChanges: pgEmailChanges(executor, encryption),
  passkeys: pgPasskeys(executor, encryption),
  usedChallenges: pgUsedChallenges(executor),
  devices: pgDevices(executor, encryption),
  deadlines: pgDeadlines(executor),
  feeds: pgFeeds(executor),
  webhooks: pgWebhooks(executor, encryption),
  imports: pgImports(executor, encryption),
  outbox: pgOutbox(executor),
  audit,
});

/**
 * Transactions at READ COMMITTED: a statement that waited for a lock sees what its holder committed. Conflicts that
 * locks cannot prevent throw ConcurrencyConflict, and the work runs again.
 */
export function pgUnitOfWork(
  database: Pick<Database, 'begin' | 'metrics'>,
  statementsOn: StatementsOn,
  encryption: Encryption,
): UnitOfWork {
  const attempt = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const transaction = await database.begin();
    const changed: AssignmentStatus[] = [];
    const subjects: EventSubjects = { ended: [], late: [] };
    let result: T;
    try {
      const statements = statementsOn(transaction);
      const audit = pgAuditTrail(transaction, statements, subjects);
      result = await work(storesOn(transaction, statements, encryption, changed, subjects, audit));
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
