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

/** Throws when trying again later may help. */
export type JobHandler = (job: Job) => Promise<void>;

export interface JobOptions {
  /** How often each worker looks for a job whose time has come. */
  readonly pollIntervalMs?: number;
}

export interface RunningJobs {
  /** Takes no more jobs and lets those under way finish. */
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

/** Jobs at once in this process. */
const WORKERS = 4;
const PURGE_EVERY_MS = 3_600_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** How long a run that ends may take to tell a server, which may be gone, of its last jobs. */
const REPORT_MS = 2000;
/** A run that held this long was a good one: the next failure is a new one. */
const GOOD_RUN_MS = 30_000;

/**
 * Runs the queue for as long as it is wanted. A worker that cannot report its job, since a connection failed at the
 * wrong moment, ends itself. So a run that loses a worker is stopped and a new one started, with growing pauses while
 * PostgreSQL is away.
 *
 * The queue's own timetable is not used: when its connection fails, it leaves a rejection that nobody can handle, and
 * that ends the process.
 */
export function startJobs(
  surroundings: QueueEnvironment,
  handler: JobHandler,
  options: JobOptions,
): RunningJobs {
  const { log, workers } = surroundings;
  const stopping = new AbortController();
  const underway = new Set<Promise<void>>();
  const taskList = tasksFor((job) => {
    const work = handler(job).finally(() => underway.delete(work));
    underway.add(work);
    return work;
  });
  /** Workers of runs that have ended, until it could be told that they are gone. */
  const departed = new Set<string>();
  const reportDeparted = async (): Promise<void> => {
    const ids = [...departed];
    if (ids.length === 0) return;
    await workers.release(ids);
    for (const id of ids) departed.delete(id);
  };

  const untilStoppedOrBroken = async (): Promise<void> => {
    const events = new EventEmitter() as WorkerEvents;
    const own = new Set<string>();
    let broken: () => void = () => {};
    const breakdown = new Promise<void>((resolve) => {
      broken = resolve;
    });
    events.on('worker:create', ({ worker }) => own.add(worker.workerId));
    events.on('worker:fatalError', () => broken());
    events.on('job:error', ({ job, error }) => {
      const last = job.attempts >= job.max_attempts;
      const fields = { kind: job.task_identifier, attempt: job.attempts, error: nameOf(error) };
      if (last) log.error('a job failed for good', fields);
      else log.warn('a job failed and will be tried again', fields);
    });
    const pool = poolFor(surroundings);
    let running: WorkerPool | undefined;
    let beat: NodeJS.Timeout | undefined;
    try {
      await pool.query('SELECT 1'); // what follows would go on without a server, and say nothing
      running = runTaskList(
        poolOptions(surroundings, options, events),
        taskList,
        poolForQueue(pool, surroundings.behindPooler),
      );
      const show = (): void => {
        Promise.all([workers.beat([...own]), reportDeparted()]).catch((error) => {
          log.warn('the job queue could not show that it lives', { error: nameOf(error) });
        });
      };
      show();
      beat = setInterval(show, WORKER_BEAT_MS);
      beat.unref();
      const stopped = new Promise<void>((resolve) => {
        if (stopping.signal.aborted) resolve();
        stopping.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([running.promise, stopped, breakdown]);
    } finally {
      clearInterval(beat);
      await Promise.race([
        running?.gracefulShutdown().catch(() => {}), // it may have stopped by itself
        Promise.allSettled(underway).then(() => sleep(REPORT_MS, undefined, { ref: false })),
      ]);
      for (const id of own) departed.add(id);
      await reportDeparted().catch(() => {}); // the next run will, or others find out
      await Promise.race([pool.end(), sleep(REPORT_MS, undefined, { ref: false })]);
    }
  };

  const supervise = async (): Promise<void> => {
    for (let pause = FIRST_PAUSE_MS; !stopping.signal.aborted; ) {
      const begun = Date.now();
      let reason = 'a worker was lost';
      try {
        await untilStoppedOrBroken();
      } catch (error) {
        reason = nameOf(error);
      }
      if (stopping.signal.aborted) return;
      if (Date.now() - begun > GOOD_RUN_MS) pause = FIRST_PAUSE_MS;
      log.warn('the job queue starts again', { reason, pauseMs: pause });
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  };

  const done = Promise.all([supervise(), purgeNowAndThen(surroundings, stopping.signal)]);
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

/** Every process does so, at a time of its own: they take turns at the rows, and the later one finds nothing to do. */
async function purgeNowAndThen({ purge, log }: QueueEnvironment, stopping: AbortSignal): Promise<void> {
  for (let pause = Math.random() * PURGE_EVERY_MS; !stopping.aborted; pause = PURGE_EVERY_MS) {
    await sleep(pause, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    await purge().catch((error) =>
      log.warn('a purge failed and will be tried again', { error: nameOf(error) }),
    );
  }
}

function tasksFor(handler: JobHandler): TaskList {
  const tasks: TaskList = {};
  for (const kind of JOB_KINDS) tasks[kind] = (payload) => handler(payload as Job);
  return tasks;
}

/**
 * What a crash takes back is only that a job was begun or done, and any job may run twice: waiting for the disk twice a
 * job would hold up the commits that matter. And the table of jobs is mostly empty, so that its statistics say, amid
 * thousands of jobs, that reading and sorting all of it is the way to find the next one.
 */
const QUEUE_SETTINGS: SessionSettings = { ...PLAN_SETTINGS, synchronous_commit: 'off', enable_sort: 'off' };

const BEGIN_QUEUE_STATEMENT = beginWithSettings(QUEUE_SETTINGS);

function poolFor(surroundings: QueueEnvironment): pg.Pool {
  const pool = new pg.Pool({
    connectionString: surroundings.behindPooler
      ? surroundings.url
      : urlWithSettings(surroundings.url, QUEUE_SETTINGS),
    application_name: 'claim-assignment-jobs',
    // The workers share them, for they need one only before and after a job.
    max: WORKERS / 2,
    connectionTimeoutMillis: surroundings.connectTimeoutMs,
    query_timeout: 10_000,
    keepAlive: true,
    Client: surroundings.connectionFailures.Client,
  });
  pool.on('error', () => {}); // the pool has dropped the connection; the queue notices by itself
  return pool;
}

/**
 * The queue would keep a connection to be told of new jobs, which nobody tells here. When that connection fails while
 * the queue is being stopped, it is given back twice, and that ends the process. It alone is asked for with a callback.
 *
 * Behind a pooler, each statement of the queue carries its settings in a transaction; the queue opens none itself.
 */
function poolForQueue(pool: pg.Pool, behindPooler: boolean): pg.Pool {
  const connected = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    if (!behindPooler) return client;
    const query = (statement: pg.QueryConfig) => inTransaction(client, BEGIN_QUEUE_STATEMENT, statement);
    return Object.create(client, { query: { value: query } });
  };
  const connect = (callback?: unknown) => (callback === undefined ? connected() : undefined);
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
      // The queue's own words quote errors, and those may quote a job: only that something happened is passed on.
      if (level !== 'error' || meta?.failure) return;
      log.warn('the job queue met an error', { error: nameOf(meta?.error ?? meta?.fatalError) });
    }),
  };
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = (error as Error & { code?: unknown }).code;
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
