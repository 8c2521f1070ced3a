import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Metrics } from '@svc/application';
import { within } from '../driver/within.ts';
import type { DatabaseLog } from '../log.ts';
import { type JobTable, LOCK_MS, type TakenJob } from './job-table.ts';

/** Throws when the job should be retried later. */
export type JobHandler = (job: Job) => Promise<void>;

export interface JobOptions {
  /** How often each process polls for jobs that are due. */
  readonly pollIntervalMs?: number;
  /** A job that takes longer fails and is retried. */
  readonly timeoutMs?: number;
  /** How often the locks of its jobs are extended. */
  readonly extendIntervalMs?: number;
}

/** Running jobs of this process. Most of the time they wait for a push service, which may be slow. */
const MAX_RUNNING = 32;
/** Of one account and of one firm, so that jobs of others need not wait for theirs. */
const MAX_RUNNING_PER_ACCOUNT = 8;
const MAX_RUNNING_PER_FIRM = 24;
/** Jobs that are locked with one statement. */
const MAX_TAKEN = 16;
/** The last attempt is about a day after the first. */
const MAX_ATTEMPTS = 12;
/** Jobs that end within this time are removed with one statement, and those after them are taken with one. */
const GROUP_MS = 10;
/** More than a push or a mail takes. */
const JOB_TIMEOUT_MS = 45_000;
const MIN_RETRY_DELAY_MS = 100;
const MAX_RETRY_DELAY_MS = 5000;

/** Runs due jobs until stopped, which takes no new ones and waits for those that run. */
export function startWorker(
  { table, log, metrics }: { readonly table: JobTable; readonly log: DatabaseLog; readonly metrics: Metrics },
  handler: JobHandler,
  { pollIntervalMs = 250, timeoutMs = JOB_TIMEOUT_MS, extendIntervalMs = LOCK_MS / 3 }: JobOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  /** The ids of all jobs that this process has locked. */
  const lockedIds = new Set<string>();
  /** Those that wait since their account or firm has as many running as it may: no more of it are taken. */
  let waiting: TakenJob[] = [];
  /** How many run, by what they count against. */
  const running = new Map<string, number>();
  /** Ids of jobs that ended, until they are removed. */
  let ended: string[] = [];
  const unfinished = new Set<Promise<void>>();
  /** Whether jobs may be due that the last statement did not take. */
  let moreDue = false;
  let pause = new AbortController();

  const extending = setInterval(() => {
    if (lockedIds.size > 0) table.extend([...lockedIds]).catch(() => {}); // it is repeated before the locks end
  }, extendIntervalMs);
  const taking = takeJobs();

  return {
    async stop() {
      stopping.abort();
      pause.abort();
      await taking;
      for (const { id } of waiting) lockedIds.delete(id);
      await Promise.all(waiting.map((taken) => persist(() => table.giveBack(taken))));
      while (unfinished.size > 0) await Promise.all(unfinished);
      clearInterval(extending);
    },
  };

  async function takeJobs(): Promise<void> {
    while (!stopping.signal.aborted) {
      moreDue = true;
      pause = new AbortController();
      const limit = Math.min(MAX_RUNNING - runningOf(ALL), MAX_TAKEN);
      const limits = waiting.flatMap(({ job }) => limitsOf(job));
      const except = limits.flatMap(([key, max]) => (runningOf(key) < max ? [] : [key]));
      const taken = limit > 0 ? ((await persist(() => table.take(limit, except))) ?? []) : [];
      // After an outage, a job that runs here may be due again.
      waiting.push(...taken.filter(({ id }) => !lockedIds.has(id)));
      for (const { id } of taken) lockedIds.add(id);
      startWaiting();
      moreDue = taken.length === limit || except.length > 0;
      if (limit > 0 && taken.length === limit) continue;
      // A job that ended since the statement was sent has ended the pause.
      if (!moreDue) pause = new AbortController();
      await sleep(pollIntervalMs, undefined, { signal: pause.signal }).catch(() => sleep(GROUP_MS));
    }
  }

  /** @returns whether it started any. */
  function startWaiting(): boolean {
    const before = waiting.length;
    waiting = waiting.filter((taken) => {
      const mayRun = limitsOf(taken.job).every(([key, max]) => runningOf(key) < max);
      if (stopping.signal.aborted || !mayRun) return true;
      count(taken.job, 1);
      track(run(taken));
      return false;
    });
    return waiting.length < before;
  }

  async function run(taken: TakenJob): Promise<void> {
    const { id, job, attempt } = taken;
    try {
      if (attempt > MAX_ATTEMPTS) throw new Error('The process ended during every attempt.');
      await within(timeoutMs, handler(job), 'The job took too long.');
      metrics.jobEnded(job.kind, 'completed');
      if (ended.push(id) === 1) track(removeEnded());
    } catch (error) {
      const isLast = attempt >= MAX_ATTEMPTS;
      const fields = { kind: job.kind, attempt, error: nameOf(error) };
      metrics.jobEnded(job.kind, isLast ? 'failed' : 'retried');
      if (isLast) log.error('a job failed permanently', fields);
      else log.warn('a job failed and will be retried', fields);
      await persist(() => (isLast ? table.fail(taken) : table.retry(taken, backoffMs(attempt))));
      lockedIds.delete(id);
    }
    count(job, -1);
    if (!startWaiting() && moreDue) pause.abort();
  }

  async function removeEnded(): Promise<void> {
    await sleep(GROUP_MS);
    const ids = ended;
    ended = [];
    await persist(() => table.remove(ids));
    for (const id of ids) lockedIds.delete(id);
  }

  /** Repeats a statement until PostgreSQL responds; while stopping, jobs become free when their lock ends. */
  async function persist<T>(statement: () => Promise<T>): Promise<T | undefined> {
    for (let delayMs = MIN_RETRY_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_RETRY_DELAY_MS)) {
      try {
        return await statement();
      } catch (error) {
        if (stopping.signal.aborted) return undefined;
        if (delayMs === MIN_RETRY_DELAY_MS)
          log.warn('the job queue waits for PostgreSQL', { error: nameOf(error) });
        await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  function runningOf(key: string): number {
    return running.get(key) ?? 0;
  }

  function count(job: Job, change: 1 | -1): void {
    for (const [key] of limitsOf(job)) {
      const now = runningOf(key) + change;
      if (now === 0) running.delete(key);
      else running.set(key, now);
    }
  }

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => unfinished.delete(tracked));
    unfinished.add(tracked);
  }
}

const ALL = '';
/** What a job counts against, each with how many may run. */
const limitsOf = (job: Job): readonly (readonly [key: string, max: number])[] => [
  [ALL, MAX_RUNNING],
  ...(job.svcId === undefined ? [] : [[job.svcId, MAX_RUNNING_PER_ACCOUNT] as const]),
  ...('firmId' in job ? [[job.firmId, MAX_RUNNING_PER_FIRM] as const] : []),
];

/** e, e², e³ … seconds after each attempt, and up to a quarter more, so that jobs that failed together run apart. */
const backoffMs = (attempt: number): number =>
  Math.exp(Math.min(attempt, 10)) * 1000 * (1 + Math.random() / 4);

/** Without its message, which may quote a job's data. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = (error as Error & { code?: unknown }).code;
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
