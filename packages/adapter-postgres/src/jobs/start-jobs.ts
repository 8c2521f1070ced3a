import { setTimeout as sleep } from 'node:timers/promises';
import { poolState } from '../driver/connection-pool.ts';
import type { Database } from '../driver/database.ts';
import { PooledExecutor } from '../driver/read-connections.ts';
import { beginWithSettings, SERVICE_SETTINGS, type SessionSettings } from '../driver/session-settings.ts';
import type { DatabaseLog } from '../log.ts';
import { jobTable } from './job-table.ts';
import { type JobHandler, type JobOptions, nameOf, startWorker } from './job-worker.ts';

export type RunningJobs = ReturnType<typeof startJobs>;

interface JobsEnvironment {
  readonly database: Pick<Database, 'behindPooler' | 'metrics' | 'openPool'>;
  readonly log: DatabaseLog;
  purge(): Promise<void>;
  refreshStatistics(): Promise<unknown>;
}

/** For the statements that lock and record jobs. */
const CONNECTIONS = 2;
const PURGE_INTERVAL_MS = 3_600_000;
/** A new installation may add thousands of rows in this time. With nothing to do, a call takes less than a millisecond. */
const STATISTICS_INTERVAL_MS = 2000;
/** After a failure: sampling a huge table may take longer than a statement may. */
const STATISTICS_RETRY_MS = 60_000;
const QUERY_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 2000;

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

/** Runs jobs and maintenance until stopped. Any number of processes may do so. */
export function startJobs(environment: JobsEnvironment, handler: JobHandler, options: JobOptions) {
  const { database, log, purge, refreshStatistics } = environment;
  const pool = database.openPool(
    { application_name: 'claim-assignment-jobs', max: CONNECTIONS, query_timeout: QUERY_TIMEOUT_MS },
    QUEUE_SETTINGS,
  );
  const begin = database.behindPooler ? beginWithSettings(QUEUE_SETTINGS) : null;
  const table = jobTable(new PooledExecutor(pool, begin));
  const worker = startWorker({ table, log, metrics: database.metrics }, handler, options);
  const stopping = new AbortController();
  const { signal } = stopping;
  const maintenance = Promise.all([
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
    await Promise.all([worker.stop(), maintenance]);
    await Promise.race([pool.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  };
  let stopped: Promise<void> | undefined;
  return {
    /** Its connections. */
    pool: () => poolState('jobs', [pool]),
    /** Takes no new jobs and waits for the running ones. */
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
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
