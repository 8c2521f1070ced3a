import type { Clock, DataEncryption, MetricSources, Stores } from '@svc/application';
import type { Instant } from '@svc/domain';
import { citusStatements } from './citus/citus-statements.ts';
import { openTables, runAfterCommit } from './citus/database.ts';
import { groupedClaimWrites } from './claims/claim-writes.ts';
import { MAX_TOGETHER } from './claims/groups.ts';
import { singleServerStatements } from './claims/single-server-statements.ts';
import type { Database, DatabaseOptions } from './driver/database.ts';
import { startDatabaseClock } from './driver/database-clock.ts';
import { type Executor, only, sql } from './driver/executor.ts';
import { checkWrappingKeys, DataKeys, wrappingKeyCounts } from './encryption/data-keys.ts';
import { countPlainRows, encryptExisting, rejectsPlainText } from './encryption/encrypt-existing.ts';
import { Encryption, NO_ENCRYPTION } from './encryption/encryption.ts';
import { type WrappingKeySource, WrappingKeys } from './encryption/wrapping-keys.ts';
import type { StatementsOn } from './firm-statements.ts';
import { readQueueState } from './jobs/job-table.ts';
import type { JobHandler, JobOptions } from './jobs/job-worker.ts';
import { purge } from './jobs/purge.ts';
import { refreshStatistics } from './jobs/refresh-statistics.ts';
import { type RunningJobs, startJobs } from './jobs/start-jobs.ts';
import { SILENT } from './log.ts';
import { pgAccountReads, pgAppReads } from './reads/pg-app-reads.ts';
import { pgBoardReads } from './reads/pg-board-reads.ts';
import { pgCredentials } from './reads/pg-credentials.ts';
import { pgFirmReads } from './reads/pg-firm-reads.ts';
import { pgJobReads } from './reads/pg-job-reads.ts';
import {
  readMaintenanceState,
  readOverdueOffers,
  readReplicationState,
  readWebhookEndpointCounts,
} from './reads/pg-metric-sources.ts';
import { pgOperatorReads } from './reads/pg-operator-reads.ts';
import { serviceSecret } from './reads/pg-service-secrets.ts';
import type { ServiceSecret } from './schema/migrate.ts';
import { pgAuditLog, pgAuditReads } from './stores/pg-audit.ts';
import { pgFaults } from './stores/pg-faults.ts';
import { pgFirmData } from './stores/pg-firm-data.ts';
import { pgOfferHistory } from './stores/pg-offer-history.ts';
import { pgReceiptKeys } from './stores/pg-receipt-keys.ts';
import { pgRequestLog } from './stores/pg-request-log.ts';
import { pgStaffReads } from './stores/pg-staff.ts';
import { pgWebhookQueue, pgWebhookReads } from './stores/pg-webhooks.ts';
import { pgUnitOfWork } from './unit-of-work.ts';

export interface ConnectOptions extends DatabaseOptions {
  /** The time; default: that of the database. */
  readonly clock?: Clock | undefined;
  /** Encrypts personal data with keys that these keys encrypt. Default: stored as plain text. */
  readonly encryption?: WrappingKeySource | null | undefined;
  /** How long closed claims are kept; null or undefined: as long as their firm. */
  readonly closedClaimRetentionMs?: number | null | undefined;
}

/** Everything the application keeps in PostgreSQL. */
export interface PostgresStores extends Stores {
  readonly encryption: DataEncryption;
  /** What processes stamp with. */
  readonly clock: Clock;
  /** How far the clock of the process is ahead of it; negative: behind. */
  clockAheadMs(): number;
  readonly behindPooler: boolean;
  readonly metricSources: Omit<MetricSources, 'clockAheadSeconds' | 'dependencies' | 'redis'>;
  /** @throws Unavailable when PostgreSQL does not respond within this time. */
  ping(timeoutMs: number): Promise<void>;
  /** @throws EncryptionKeyError when data was encrypted with a key that is not configured. */
  checkEncryptionKeys(): Promise<void>;
  serviceSecret(name: ServiceSecret): Promise<Buffer>;
  /** Processes the outbox until stopped. Any number of processes may do so. */
  startJobs(handler: JobHandler, options?: JobOptions): RunningJobs;
  /** Deletes expired rows now. The job queue does so every hour. */
  purge(now: Instant): ReturnType<typeof purge>;
  /** Stops the jobs, waits for running statements, and closes every connection. */
  close(): Promise<void>;
}

const SYSTEM_CLOCK: Clock = { now: () => Date.now() };

/** How often the clock of the process is compared with that of the database. */
const CLOCK_INTERVAL_MS = 10_000;
const READ_TIME = sql('clock', 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms');

export function writeStores(
  database: Pick<Database, 'begin' | 'metrics'>,
  distributed: boolean,
  clock: Clock,
  encryption: Encryption,
) {
  const statements = distributed ? citusStatements : singleServerStatements;
  const statementsOn: StatementsOn = (executor) => statements(executor, clock, encryption);
  return {
    statementsOn,
    unitOfWork: pgUnitOfWork(database, statementsOn, encryption),
    claimWrites: groupedClaimWrites(database, statementsOn, { maxTogether: distributed ? 1 : MAX_TOGETHER }),
    audit: pgAuditLog(database, statementsOn),
  };
}

const readTime = async (reads: Executor): Promise<number> =>
  only(await reads.rows<{ ms: number }>(READ_TIME)).ms;

/** @throws Unavailable when PostgreSQL cannot be reached. Connections lost later are replaced. */
export async function connect(options: ConnectOptions): Promise<PostgresStores> {
  let measureClock = (): void => {};
  const { database, distributed } = await openTables({ ...options, onConnected: () => measureClock() });
  const { reads, maintenance } = database;
  const databaseClock = await startDatabaseClock(() => readTime(reads), SYSTEM_CLOCK).catch(
    async (error: unknown) => {
      await database.close();
      throw error;
    },
  );
  // A new connection may be to another server.
  measureClock = () => void databaseClock.measure();
  const clockTimer = setInterval(measureClock, CLOCK_INTERVAL_MS).unref();
  const clock = options.clock ?? databaseClock;
  const closedClaimRetentionMs = options.closedClaimRetentionMs ?? null;
  const wrappingKeys = options.encryption ? new WrappingKeys(options.encryption) : null;
  const dataKeys = wrappingKeys === null ? null : new DataKeys(database.reserved, wrappingKeys);
  const encryption = dataKeys === null ? NO_ENCRYPTION : new Encryption(dataKeys);
  const { statementsOn, ...writes } = writeStores(database, distributed, clock, encryption);
  const running = new Set<RunningJobs>();
  return {
    ...writes,
    firmReads: pgFirmReads(reads, encryption, distributed ? { maxTogether: 1 } : {}),
    accountReads: pgAccountReads(database, encryption),
    appReads: pgAppReads(database, clock, encryption),
    boardReads: pgBoardReads(reads, maintenance, encryption),
    operatorReads: pgOperatorReads(database, encryption),
    staffReads: pgStaffReads(database, encryption),
    credentials: pgCredentials(reads, maintenance),
    jobReads: pgJobReads(reads, encryption),
    offerHistory: pgOfferHistory(reads, maintenance, encryption),
    receiptKeys: pgReceiptKeys(maintenance),
    requestLog: pgRequestLog(reads, maintenance),
    auditReads: pgAuditReads(maintenance),
    webhookReads: pgWebhookReads(reads, encryption),
    webhookQueue: pgWebhookQueue(database, encryption),
    firmData: pgFirmData(maintenance, encryption),
    faults: pgFaults(maintenance),
    encryption: {
      status: async () => ({
        wrappingKeyId: wrappingKeys?.currentId ?? null,
        dataKeys: await wrappingKeyCounts(maintenance),
        plainRows: await countPlainRows(maintenance),
        rejectsPlainText: await rejectsPlainText(maintenance),
      }),
      rewrap: async (onProgress) => (await dataKeys?.rewrap(onProgress)) ?? 0,
      encryptExisting: (onProgress) => encryptExisting(database, encryption, onProgress),
    },
    clock,
    clockAheadMs: () => (options.clock === undefined ? databaseClock.aheadMs() : 0),
    behindPooler: database.behindPooler,
    metricSources: {
      pools: () => [database.pool(), ...[...running].map((jobs) => jobs.pool())],
      // Not with `maintenance`: these are needed most while every connection waits, for a standby or a lock.
      queue: () => readQueueState(reads),
      overdueOffers: () => readOverdueOffers(reads),
      replication: () => readReplicationState(reads),
      maintenance: () => readMaintenanceState(reads),
      webhookEndpoints: () => readWebhookEndpointCounts(reads),
    },
    ping: (timeoutMs) => database.ping(timeoutMs),
    checkEncryptionKeys: () => checkWrappingKeys(reads, wrappingKeys),
    serviceSecret: (name) => serviceSecret(reads, name),
    startJobs(handler, jobOptions = {}) {
      const jobs = startJobs(
        {
          database,
          log: options.log ?? SILENT,
          purge: async () => {
            await purge(database, statementsOn, clock.now(), closedClaimRetentionMs);
          },
          refreshStatistics: () => refreshStatistics(maintenance),
        },
        distributed ? (job) => runAfterCommit(maintenance, job, handler) : handler,
        jobOptions,
      );
      running.add(jobs);
      return jobs;
    },
    purge: (now) => purge(database, statementsOn, now, closedClaimRetentionMs),
    async close() {
      clearInterval(clockTimer);
      await Promise.all([...running].map((jobs) => jobs.stop()));
      dataKeys?.close();
      await database.close();
    },
  };
}
