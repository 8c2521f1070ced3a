import {
  type Clock,
  type CredentialStore,
  type Job,
  SESSION_LIFETIME_MS,
  type StaffGrant,
  type Stores,
} from '@svc/application';
import type { Instant } from '@svc/domain';
import { createMemoryFaults } from './faults.ts';
import { appendEvent, memoryAuditReads } from './memory-audit.ts';
import { memoryBoardReads, onlyOnPostgres } from './memory-board-reads.ts';
import { memoryClaimWrites } from './memory-claim-writes.ts';
import { memoryFirmData } from './memory-firm-data.ts';
import { memoryOfferHistory, memoryReceiptKeys } from './memory-offer-history.ts';
import {
  memoryAccountReads,
  memoryAppReads,
  memoryFirmReads,
  memoryJobReads,
  memoryOperatorReads,
  memoryStaffReads,
} from './memory-reads.ts';
import { type MemoryTx, type MemoryUnitOfWork, memoryTx } from './memory-tx.ts';
import { memoryWebhookQueue, memoryWebhookReads } from './memory-webhooks.ts';
import {
  createDatabase,
  type Database,
  keyOf,
  UniqueViolation,
  type WritableTables,
  type Write,
} from './tables.ts';

/** The job queue filled by the outbox. */
interface MemoryJobs {
  /** Committed jobs that have not run, in the order in which they will run. */
  pending(): Promise<{ readonly job: Job; readonly runAt: Instant }[]>;
  /**
   * Runs every due job, including those added while it runs. A job whose handler throws stays in the queue, and the
   * error is rethrown.
   * @returns the number of jobs run.
   */
  runDue(now: Instant, handler: (job: Job) => Promise<void>): Promise<number>;
}

export interface MemoryStores extends Stores {
  readonly unitOfWork: MemoryUnitOfWork;
  readonly jobs: MemoryJobs;
}

const systemClock: Clock = { now: () => Date.now() };
/** A collision that persists on a retry is a bug, not a race. */
const MAX_ATTEMPTS = 3;

/**
 * All stores in memory. Units of work run one at a time; uncommitted changes are invisible to others.
 * @param options.everyUnitTwice runs and rolls back each unit once before it runs for real, as after a conflict, to
 *   find work that cannot be repeated.
 */
export function createMemoryStores(options: { clock?: Clock; everyUnitTwice?: boolean } = {}): MemoryStores {
  const { clock = systemClock, everyUnitTwice = false } = options;
  const database = createDatabase();
  const exclusively = createMutex();

  const attempt = async <T>(work: (tables: WritableTables) => Promise<T>, keep = true): Promise<T> => {
    const draft = database.draft();
    const result = await work(draft.tables);
    if (keep) draft.commit();
    return result;
  };
  const write = <T>(work: (tables: WritableTables) => Promise<T>): Promise<T> =>
    exclusively(() => attempt(work));
  const inTx =
    <T>(work: (tx: MemoryTx) => Promise<T>) =>
    async (tables: WritableTables): Promise<T> => {
      const { tx, end } = memoryTx(tables, clock, database.nextNumber);
      try {
        return await work(tx);
      } finally {
        end();
      }
    };

  const unitOfWork: MemoryUnitOfWork = {
    run: (work) =>
      exclusively(async () => {
        if (everyUnitTwice) await attempt(inTx(work), false);
        for (let attemptsLeft = MAX_ATTEMPTS - 1; ; attemptsLeft--) {
          try {
            return await attempt(inTx(work));
          } catch (error) {
            if (!(error instanceof UniqueViolation) || attemptsLeft === 0) throw error;
          }
        }
      }),
  };

  return {
    unitOfWork,
    claimWrites: memoryClaimWrites(unitOfWork),
    firmReads: memoryFirmReads(database.committed),
    accountReads: memoryAccountReads(database.committed),
    appReads: memoryAppReads(database.committed, clock),
    boardReads: memoryBoardReads(database.committed),
    operatorReads: memoryOperatorReads(database.committed),
    staffReads: memoryStaffReads(database.committed),
    credentials: memoryCredentials(database, write),
    jobReads: memoryJobReads(database.committed),
    offerHistory: memoryOfferHistory(database.committed, write),
    receiptKeys: memoryReceiptKeys(),
    faults: createMemoryFaults(),
    jobs: memoryJobs(database, write),
    audit: {
      append: (events) =>
        write(async (tables) => {
          for (const event of events) appendEvent(tables, event);
        }),
    },
    auditReads: memoryAuditReads(database.committed),
    requestLog: {
      async append() {},
      pageOf: async () => [],
      requestsOf: onlyOnPostgres,
      behaviorOf: onlyOnPostgres,
      limitedOf: onlyOnPostgres,
      busiestKeys: onlyOnPostgres,
    },
    webhookReads: memoryWebhookReads(database.committed),
    webhookQueue: memoryWebhookQueue(write),
    firmData: memoryFirmData(database.committed, write),
  };
}

function memoryCredentials({ committed }: Database, write: Write): CredentialStore {
  return {
    async keyByHash(secretHash) {
      const key = committed.keys.all().find((key) => key.secretHash === secretHash);
      const firm = key && committed.firms.get(keyOf(key.firmId));
      if (key === undefined || firm?.erasure !== null) return null;
      const { id: keyId, firmId, environment, purpose, expiresAt, revokedAt } = key;
      const { name: firmName, plan, limits } = firm;
      return { keyId, firmId, firmName, environment, purpose, plan, limits, expiresAt, revokedAt };
    },
    async sessionByHash(tokenHash) {
      const session = committed.sessions.get(keyOf(tokenHash));
      if (session === undefined) return null;
      const { id, account, lastUsedAt, expiresAt, endsAt, method } = session;
      const stored = { id, account, lastUsedAt, expiresAt, endsAt, method };
      if ('svcId' in account) return stored;
      const { firmId, staffId } = account;
      const member = committed.staff.get(keyOf(firmId, staffId));
      const firm = committed.firms.get(keyOf(firmId));
      if (member === undefined || firm?.erasure !== null) return null;
      const { role } = member;
      return { ...stored, staff: { firmId, staffId, role, firmName: firm.name, plan: firm.plan } };
    },
    async openSessions(tokenHashes, now) {
      const open = new Map<string, Pick<StaffGrant, 'staffId' | 'role'> | null>();
      for (const hash of tokenHashes) {
        const session = committed.sessions.get(keyOf(hash));
        if (session === undefined || session.expiresAt <= now) continue;
        const { account } = session;
        const member =
          'staffId' in account ? committed.staff.get(keyOf(account.firmId, account.staffId)) : null;
        open.set(hash, member ? { staffId: member.staffId, role: member.role } : null);
      }
      return open;
    },
    async version() {
      return String(committed.counters.get(keyOf('credentials'))?.value ?? 0);
    },
    recordUse: ({ keys, sessions }) =>
      write(async (tables) => {
        for (const [id, at] of keys) {
          const key = tables.keys.get(keyOf(id));
          if (key !== undefined) tables.keys.put({ ...key, lastUsedAt: Math.max(at, key.lastUsedAt ?? at) });
        }
        for (const [tokenHash, at] of sessions) {
          const session = tables.sessions.get(keyOf(tokenHash));
          if (session === undefined || at <= session.lastUsedAt) continue;
          const expiresAt = Math.min(at + SESSION_LIFETIME_MS, session.endsAt);
          tables.sessions.put({ ...session, lastUsedAt: at, expiresAt });
        }
      }),
  };
}

function memoryJobs({ committed }: Database, write: Write): MemoryJobs {
  const sorted = () => committed.jobs.all().sort((a, b) => a.runAt - b.runAt || a.number - b.number);
  return {
    async pending() {
      return sorted().map(({ job, runAt }) => ({ job, runAt }));
    },
    async runDue(now, handler) {
      for (let count = 0; ; count++) {
        const due = sorted().find(({ runAt }) => runAt <= now);
        if (due === undefined) return count;
        await handler(due.job);
        await write(async (tables) => tables.jobs.delete(keyOf(due.number)));
      }
    },
  };
}

/** Runs one piece of work at a time, in the order of the calls. */
function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
