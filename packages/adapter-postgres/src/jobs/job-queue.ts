import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionPool, Job, JobKind, Metrics } from '@svc/application';
import { Logger, runTaskList, type TaskList, type WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import type { ConnectionFailures } from '../driver/connection-failures.ts';
import { poolClass, poolState } from '../driver/connection-pool.ts';
import { PooledSession } from '../driver/read-connections.ts';
import type { Servers } from '../driver/servers.ts';
import { type Session, sql, type Value } from '../driver/session.ts';
import { beginWithSettings, SERVICE_SETTINGS, type SessionSettings } from '../driver/session-settings.ts';
import { within } from '../driver/within.ts';
import type { DatabaseLog } from '../log.ts';
import { JOB_KINDS } from './job-kinds.ts';

/** Throws when the job should be retried later. */
export type JobHandler = (job: Job) => Promise<void>;

export interface JobOptions {
  /** How often each worker polls for jobs that are due. */
  readonly pollIntervalMs?: number;
  /** A job that takes longer fails and is retried. */
  readonly timeoutMs?: number;
}

export interface RunningJobs {
  /** Its connections. */
  pool(): ConnectionPool;
  /** Takes no new jobs and waits for the running ones. */
  stop(): Promise<void>;
}

interface QueueEnvironment {
  readonly servers: Servers;
  readonly connectTimeoutMs: number;
  readonly behindPooler: boolean;
  readonly connectionFailures: ConnectionFailures;
  readonly log: DatabaseLog;
  readonly metrics: Metrics;
  purge(): Promise<void>;
  refreshStatistics(): Promise<unknown>;
}

/** Concurrent jobs of this process. Most of the time they wait for a push service, which may be slow. */
const WORKERS = 32;
/** For the statements that lock and record jobs. */
const CONNECTIONS = 2;
/** Jobs that a process locks with one statement: after a crash, they wait until they are unlocked. */
const FETCHED_JOBS = 32;
/** Locked jobs that no worker has started by then are returned, for other processes. */
const FETCHED_JOBS_TTL_MS = 1000;
/** Jobs that end within this time are recorded with one statement. */
const COMPLETION_DELAY_MS = 10;
/** More than a push or a mail takes. */
const JOB_TIMEOUT_MS = 45_000;
/** Longer than a job may take: its worker was killed. The queue itself waits four hours. */
const UNLOCK_AFTER_MS = 60_000;
const UNLOCK_INTERVAL_MS = 10_000;
const PURGE_INTERVAL_MS = 3_600_000;
/** A new installation may add thousands of rows in this time. With nothing to do, a call takes less than a millisecond. */
const STATISTICS_INTERVAL_MS = 2000;
/** After a failure: sampling a huge table may take longer than a statement may. */
const STATISTICS_RETRY_MS = 60_000;
const MIN_RETRY_DELAY_MS = 100;
const MAX_RETRY_DELAY_MS = 5000;
const QUERY_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 2000;

const UNLOCK = sql(
  'jobs_unlock',
  `UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL
    WHERE locked_at < now() - interval '${UNLOCK_AFTER_MS} ms'`,
);

/** When graphile-worker retries a failed job: Citus rejects the sum of a column and an interval, which depends on a setting. */
export const RETRY_AT = "greatest(now(), run_at) + (exp(least(attempts, 10)) * interval '1 second')";
const IMMUTABLE_RETRY_AT = `(greatest(now(), run_at) AT TIME ZONE 'UTC' + exp(least(attempts, 10)) * interval '1 second') AT TIME ZONE 'UTC'`;

/** A transaction that adds the first job for a change also adds to the firm's audit trail: it locks this row until its commit. */
const LOCK_FEED = sql('jobs_lock_feed', 'SELECT 1 FROM firm_feeds WHERE firm_id = $1 FOR SHARE');

/**
 * Citus commits on the coordinator, where the jobs are, before it commits on a worker: a job could not find the claim
 * that it is for, and would do nothing. This waits until the transaction that added the job is committed on the worker.
 */
export const afterCommitOnWorkers =
  (session: Session, handler: JobHandler): JobHandler =>
  async (job) => {
    if ('firmId' in job) await session.rows(LOCK_FEED, [job.firmId]);
    await handler(job);
  };

/**
 * Asynchronous commit: a crash only loses that a job was started or completed, and any job may run twice. Waiting for
 * the disk twice for each job would delay the commits of claims. Sorting is off because the jobs table is mostly empty:
 * with such statistics, the planner reads and sorts the whole table even when it holds thousands of jobs.
 */
const QUEUE_SETTINGS: SessionSettings = {
  ...SERVICE_SETTINGS,
  synchronous_commit: 'off',
  enable_sort: 'off',
};

/** Runs the queue until stopped. graphile-worker's cron is not used: when its connection fails, the process ends. */
export function startJobs(
  environment: QueueEnvironment,
  handler: JobHandler,
  { pollIntervalMs = 250, timeoutMs = JOB_TIMEOUT_MS }: JobOptions,
): RunningJobs {
  const { log, metrics, purge, refreshStatistics } = environment;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pool = poolFor(environment);
  const session = new PooledSession(
    pool,
    environment.behindPooler ? beginWithSettings(QUEUE_SETTINGS) : null,
    false,
  );
  const task = (payload: unknown): Promise<void> =>
    within(timeoutMs, handler(payload as Job), 'The job took too long.');
  const events = reportOutcomes(log, metrics);
  let jobsWait = false;
  events.on('localQueue:setMode', ({ newMode }) => {
    jobsWait = newMode === 'WAITING';
  });
  const running = runTaskList(
    {
      preset: {
        worker: {
          events,
          concurrentJobs: WORKERS,
          pollInterval: pollIntervalMs,
          localQueue: { size: FETCHED_JOBS, ttl: FETCHED_JOBS_TTL_MS },
          completeJobBatchDelay: COMPLETION_DELAY_MS,
          // Its messages and errors may quote a job's data.
          logger: new Logger(() => () => {}),
        },
      },
      noHandleSignals: true,
    },
    Object.fromEntries(JOB_KINDS.map((kind) => [kind, task])) as TaskList,
    graphilePool(session, signal, log),
  );
  const maintenance = Promise.all([
    repeat(0, UNLOCK_INTERVAL_MS, signal, () => session.rows(UNLOCK)),
    // Every process does so, after a random delay: most runs then find nothing left to delete.
    repeat(Math.random() * PURGE_INTERVAL_MS, PURGE_INTERVAL_MS, signal, () =>
      purge().catch((error) => log.warn('a purge failed and will be retried', { error: nameOf(error) })),
    ),
    repeat(STATISTICS_INTERVAL_MS, STATISTICS_INTERVAL_MS, signal, () =>
      refreshStatistics().catch((error) => {
        log.warn('statistics could not be refreshed, which will be retried', { error: nameOf(error) });
        return sleep(STATISTICS_RETRY_MS, undefined, { signal, ref: false });
      }),
    ),
  ]);
  const stop = async (): Promise<void> => {
    stopping.abort();
    // graphile-worker 0.17 fails to stop while fetched jobs wait for a worker. They do so for a second at most.
    while (jobsWait) await once(events, 'localQueue:setMode');
    await running.gracefulShutdown();
    await maintenance;
    await Promise.race([pool.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  };
  let stopped: Promise<void> | undefined;
  return {
    pool: () => poolState('jobs', [pool]),
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

function poolFor(environment: QueueEnvironment): pg.Pool {
  const Pool = poolClass(environment.metrics, environment.servers);
  const pool = new Pool({
    application_name: 'claim-assignment-jobs',
    max: CONNECTIONS,
    connectionTimeoutMillis: environment.connectTimeoutMs,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true,
    Client: environment.connectionFailures.clientOf(
      environment.servers,
      environment.behindPooler ? {} : QUEUE_SETTINGS,
    ),
  });
  pool.on('error', () => {}); // the pool has removed the connection; it opens a new one on demand
  return pool;
}

/**
 * What graphile-worker uses of a pool. Its statements are retried until PostgreSQL responds: a worker that could not
 * record the result of its job would end. It gets no connection to LISTEN, the only one it requests with a callback: the
 * outbox sends no NOTIFY.
 */
function graphilePool(session: Session, stopping: AbortSignal, log: DatabaseLog): pg.Pool {
  const query = async ({ name = 'job_queue', text, values }: pg.QueryConfig) => {
    const planned = text.replace(RETRY_AT, IMMUTABLE_RETRY_AT);
    for (let delayMs = MIN_RETRY_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_RETRY_DELAY_MS)) {
      try {
        return { rows: await session.rows({ name, text: planned }, values as Value[]) };
      } catch (error) {
        // An error would end the process. Jobs that stay locked are unlocked as those of a killed process.
        if (stopping.aborted) return { rows: [] };
        if (delayMs === MIN_RETRY_DELAY_MS)
          log.warn('the job queue waits for PostgreSQL', { error: nameOf(error) });
        await sleep(delayMs, undefined, { signal: stopping }).catch(() => {});
      }
    }
  };
  const client = { query, release() {} };
  return { connect: async (callback?: unknown) => (callback === undefined ? client : undefined) } as never;
}

async function repeat(
  firstDelayMs: number,
  intervalMs: number,
  stopping: AbortSignal,
  work: () => Promise<unknown>,
): Promise<void> {
  for (let delayMs = firstDelayMs; !stopping.aborted; delayMs = intervalMs) {
    await sleep(delayMs, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (!stopping.aborted) await work().catch(() => {}); // runs again
  }
}

function reportOutcomes(log: DatabaseLog, metrics: Metrics): WorkerEvents {
  const events = new EventEmitter() as WorkerEvents;
  events.on('job:error', ({ job, error }) => {
    const fields = { kind: job.task_identifier, attempt: job.attempts, error: nameOf(error) };
    const isLast = job.attempts >= job.max_attempts;
    metrics.jobEnded(job.task_identifier as JobKind, isLast ? 'failed' : 'retried');
    if (isLast) log.error('a job failed permanently', fields);
    else log.warn('a job failed and will be retried', fields);
  });
  events.on('job:success', ({ job }) => metrics.jobEnded(job.task_identifier as JobKind, 'completed'));
  return events;
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = (error as Error & { code?: unknown }).code;
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
