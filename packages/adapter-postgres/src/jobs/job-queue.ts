import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '@svc/application';
import {
  Logger,
  runTaskList,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
  type WorkerPoolOptions,
} from 'graphile-worker';
import pg from 'pg';
import type { ConnectionFailures } from '../driver/connection-failures.ts';
import {
  beginWithSettings,
  PLAN_SETTINGS,
  type SessionSettings,
  urlWithSettings,
} from '../driver/session-settings.ts';
import { inTransaction } from '../driver/single-statement.ts';
import type { DatabaseLog } from '../log.ts';
import { JOB_KINDS } from './job-kinds.ts';
import { WORKER_BEAT_MS, type WorkerHeartbeats } from './worker-heartbeats.ts';

/** Throws when the job should be retried later. */
export type JobHandler = (job: Job) => Promise<void>;

export interface JobOptions {
  /** How often each worker polls for jobs that are due. */
  readonly pollIntervalMs?: number;
}

export interface RunningJobs {
  /** Takes no new jobs and waits for the running ones. */
  stop(): Promise<void>;
}

interface QueueEnvironment {
  readonly url: string;
  readonly connectTimeoutMs: number;
  readonly behindPooler: boolean;
  readonly connectionFailures: ConnectionFailures;
  readonly log: DatabaseLog;
  readonly workers: WorkerHeartbeats;
  purge(): Promise<void>;
}

/** Concurrent jobs of this process. */
const WORKERS = 4;
const PURGE_INTERVAL_MS = 3_600_000;
const MIN_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 5000;
/** How long a run that ends may take to record its last jobs on a server that may be unreachable. */
const SHUTDOWN_TIMEOUT_MS = 2000;
/** The restart delay starts from its minimum again after a run of at least this long. */
const STABLE_RUN_MS = 30_000;

/**
 * Runs the queue until stopped. A graphile-worker worker that cannot record its job's result, because its connection
 * failed, ends. A run that loses a worker is therefore stopped and a new one started, with growing delays while
 * PostgreSQL is down.
 *
 * graphile-worker's cron is not used: when its connection fails, an unhandled rejection ends the process.
 */
export function startJobs(
  environment: QueueEnvironment,
  handler: JobHandler,
  options: JobOptions,
): RunningJobs {
  const { log, workers } = environment;
  const stopping = new AbortController();
  const activeJobs = new Set<Promise<void>>();
  const taskList = tasksFor((job) => {
    const work = handler(job).finally(() => activeJobs.delete(work));
    activeJobs.add(work);
    return work;
  });
  /** Workers of runs that have ended, until their jobs are unlocked. */
  const ended = new Set<string>();
  const releaseEnded = async (): Promise<void> => {
    const ids = [...ended];
    if (ids.length === 0) return;
    await workers.release(ids);
    for (const id of ids) ended.delete(id);
  };

  const runUntilStoppedOrBroken = async (): Promise<void> => {
    const events = new EventEmitter() as WorkerEvents;
    const workerIds = new Set<string>();
    let onWorkerLost: () => void = () => {};
    const workerLost = new Promise<void>((resolve) => {
      onWorkerLost = resolve;
    });
    events.on('worker:create', ({ worker }) => workerIds.add(worker.workerId));
    events.on('worker:fatalError', () => onWorkerLost());
    events.on('job:error', ({ job, error }) => {
      const permanently = job.attempts >= job.max_attempts;
      const fields = { kind: job.task_identifier, attempt: job.attempts, error: nameOf(error) };
      if (permanently) log.error('a job failed permanently', fields);
      else log.warn('a job failed and will be retried', fields);
    });
    const pool = poolFor(environment);
    let running: WorkerPool | undefined;
    let heartbeat: NodeJS.Timeout | undefined;
    try {
      await pool.query('SELECT 1'); // runTaskList reports no error without a server
      running = runTaskList(
        poolOptions(environment, options, events),
        taskList,
        poolForQueue(pool, environment.behindPooler),
      );
      const beat = (): void => {
        Promise.all([workers.beat([...workerIds]), releaseEnded()]).catch((error) => {
          log.warn('the heartbeat of the job workers failed', { error: nameOf(error) });
        });
      };
      beat();
      heartbeat = setInterval(beat, WORKER_BEAT_MS);
      heartbeat.unref();
      const stopped = new Promise<void>((resolve) => {
        if (stopping.signal.aborted) resolve();
        stopping.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([running.promise, stopped, workerLost]);
    } finally {
      clearInterval(heartbeat);
      await Promise.race([
        running?.gracefulShutdown().catch(() => {}), // it may have stopped already
        Promise.allSettled(activeJobs).then(() => sleep(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false })),
      ]);
      for (const id of workerIds) ended.add(id);
      await releaseEnded().catch(() => {}); // retried by the next run; other processes detect the missing heartbeat
      await Promise.race([pool.end(), sleep(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false })]);
    }
  };

  const supervise = async (): Promise<void> => {
    for (let delayMs = MIN_RESTART_DELAY_MS; !stopping.signal.aborted; ) {
      const startedAtMs = Date.now();
      let reason = 'a worker was lost';
      try {
        await runUntilStoppedOrBroken();
      } catch (error) {
        reason = nameOf(error);
      }
      if (stopping.signal.aborted) return;
      if (Date.now() - startedAtMs > STABLE_RUN_MS) delayMs = MIN_RESTART_DELAY_MS;
      log.warn('the job queue restarts', { reason, pauseMs: delayMs });
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
      delayMs = Math.min(delayMs * 2, MAX_RESTART_DELAY_MS);
    }
  };

  const done = Promise.all([supervise(), purgeRepeatedly(environment, stopping.signal)]);
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

/** Every process does so, starting after a random delay: most runs then find nothing left to delete. */
async function purgeRepeatedly({ purge, log }: QueueEnvironment, stopping: AbortSignal): Promise<void> {
  for (let delayMs = Math.random() * PURGE_INTERVAL_MS; !stopping.aborted; delayMs = PURGE_INTERVAL_MS) {
    await sleep(delayMs, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    await purge().catch((error) => log.warn('a purge failed and will be retried', { error: nameOf(error) }));
  }
}

function tasksFor(handler: JobHandler): TaskList {
  const tasks: TaskList = {};
  for (const kind of JOB_KINDS) tasks[kind] = (payload) => handler(payload as Job);
  return tasks;
}

/**
 * Asynchronous commit: a crash only loses that a job was started or completed, and any job may run twice. Waiting for
 * the disk twice for each job would delay the commits of claims. Sorting is off because the jobs table is mostly empty:
 * with such statistics, the planner reads and sorts the whole table even when it holds thousands of jobs.
 */
const QUEUE_SETTINGS: SessionSettings = { ...PLAN_SETTINGS, synchronous_commit: 'off', enable_sort: 'off' };

const BEGIN_QUEUE_STATEMENT = beginWithSettings(QUEUE_SETTINGS);

function poolFor(environment: QueueEnvironment): pg.Pool {
  const pool = new pg.Pool({
    connectionString: environment.behindPooler
      ? environment.url
      : urlWithSettings(environment.url, QUEUE_SETTINGS),
    application_name: 'claim-assignment-jobs',
    // Workers need a connection only before and after a job.
    max: WORKERS / 2,
    connectionTimeoutMillis: environment.connectTimeoutMs,
    query_timeout: 10_000,
    keepAlive: true,
    Client: environment.connectionFailures.Client,
  });
  pool.on('error', () => {}); // the pool has removed the connection; it opens a new one on demand
  return pool;
}

/**
 * Denies graphile-worker its LISTEN connection, the only one it requests with a callback: the outbox sends no NOTIFY,
 * and if that connection fails during shutdown it is released twice, which ends the process.
 *
 * Behind a pooler, each statement runs in a transaction with its settings; graphile-worker itself begins none.
 */
function poolForQueue(pool: pg.Pool, behindPooler: boolean): pg.Pool {
  const connectWorker = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    if (!behindPooler) return client;
    const query = (statement: pg.QueryConfig) => inTransaction(client, BEGIN_QUEUE_STATEMENT, statement);
    return Object.create(client, { query: { value: query } });
  };
  const connect = (callback?: unknown) => (callback === undefined ? connectWorker() : undefined);
  return Object.create(pool, { connect: { value: connect } });
}

function poolOptions(
  { behindPooler, log }: QueueEnvironment,
  options: JobOptions,
  events: WorkerEvents,
): WorkerPoolOptions {
  return {
    events,
    concurrency: WORKERS,
    pollInterval: options.pollIntervalMs ?? 250,
    noHandleSignals: true,
    noPreparedStatements: behindPooler,
    logger: new Logger(() => (level, _message, meta) => {
      // Messages and errors may quote a job's data, so only the name of the error is logged.
      if (level !== 'error' || meta?.failure) return;
      log.warn('the job queue reported an error', { error: nameOf(meta?.error ?? meta?.fatalError) });
    }),
  };
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = (error as Error & { code?: unknown }).code;
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
