import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Job, type Metrics, NO_METRICS } from '@svc/application';
import type { ClaimId, FirmId, Svcid } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import type { JobTable, TakenJob } from '../src/jobs/job-table.ts';
import { type JobHandler, startWorker } from '../src/jobs/job-worker.ts';
import { type DatabaseLog, SILENT } from '../src/log.ts';

interface Row extends TakenJob {
  readonly locked: boolean;
}

/** The queue's table in memory, without time: a retried job is due again at once. */
function memoryTable(jobs: readonly Job[], attempts = 0) {
  const rows = new Map<string, Row>(
    jobs.map((job, at) => [`${at}`, { id: `${at}`, job, attempt: attempts, locked: false }]),
  );
  const failed: Job[] = [];
  const change = async ({ id }: TakenJob, changes: Partial<Row>) => {
    const row = rows.get(id);
    if (row !== undefined) rows.set(id, { ...row, ...changes });
  };
  const delays: number[] = [];
  const table: JobTable = {
    async take(limit, except) {
      const isOpen = ({ job, locked }: Row) =>
        !locked && !except.includes(job.svcId ?? '') && !('firmId' in job && except.includes(job.firmId));
      const taken = [...rows.values()].filter(isOpen).slice(0, limit);
      for (const row of taken) await change(row, { locked: true, attempt: row.attempt + 1 });
      return taken.map(({ id }) => rows.get(id) as Row);
    },
    extend: async () => {},
    async remove(ids) {
      const sent = [...ids];
      await sleep(20); // time in which other jobs end
      for (const id of sent) rows.delete(id);
    },
    async retry(taken, delayMs) {
      delays.push(delayMs);
      await change(taken, { locked: false });
    },
    async fail({ id, job }) {
      rows.delete(id);
      failed.push(job);
    },
    giveBack: (taken) => change(taken, { locked: false, attempt: taken.attempt - 1 }),
  };
  return { table, rows, failed, delays };
}

const jobOf = (firm: string, svcId: string): Job => ({
  kind: 'notify_offer',
  firmId: firm as FirmId,
  claimId: 'c' as ClaimId,
  svcId: svcId as Svcid,
});
const MAIL: Job = { kind: 'mail_webhook_paused', firmId: 'flooding' as FirmId, endpointId: 'e' };
const countedIn = (outcomes: string[]): Metrics => ({
  ...NO_METRICS,
  jobEnded: (kind, outcome) => void outcomes.push(`${kind} ${outcome}`),
});
const start = (table: JobTable, handler: JobHandler, outcomes: string[] = [], log: DatabaseLog = SILENT) =>
  startWorker({ table, log, metrics: countedIn(outcomes) }, handler, { pollIntervalMs: 20 });

/** A handler whose jobs run until they are released. */
function heldJobs() {
  const running: string[] = [];
  let releases: (() => void)[] = [];
  return {
    running,
    handler: async (job: Job) => {
      running.push(job.svcId ?? '');
      await new Promise<void>((resolve) => releases.push(resolve));
    },
    release(count = Number.POSITIVE_INFINITY) {
      for (const release of releases.slice(0, count)) release();
      releases = releases.slice(count);
    },
  };
}

describe('the job worker', () => {
  test.each<[string, error: string, () => Promise<void>]>([
    ['fails', 'Error', () => Promise.reject(new Error('could not reach jane.doe@example.net'))],
    ['fails with a code', 'Error EDNS', () => Promise.reject(Object.assign(new Error(), { code: 'EDNS' }))],
    ['fails without an error', 'unknown', () => Promise.reject('could not reach jane.doe@example.net')],
    ['does not end', 'Unavailable', () => new Promise(() => {})],
  ])('retries a job that %s, and its log quotes neither the job nor its error', async (_, error, fail) => {
    const { table, rows, delays } = memoryTable([jobOf('firm', 'S3CRET')]);
    const logged: unknown[] = [];
    const outcomes: string[] = [];
    const note = (...entry: unknown[]) => void logged.push(entry);
    const worker = startWorker(
      { table, log: { info: note, warn: note, error: note }, metrics: countedIn(outcomes) },
      () => (delays.length === 0 ? fail() : Promise.resolve()),
      { pollIntervalMs: 20, timeoutMs: 100 },
    );
    await eventually(() => rows.size === 0);
    await worker.stop();
    expect(delays).toHaveLength(1);
    expect(outcomes).toEqual(['notify_offer retried', 'notify_offer completed']);
    const fields = { kind: 'notify_offer', attempt: 1, error };
    expect(logged).toEqual([['a job failed and will be retried', fields]]);
  });

  test.each([
    ['account', 8, 'flooding', () => jobOf('flooding', 'flooded')],
    ['firm', 24, 'other', (n: number) => jobOf('flooding', `A${n}`)],
    ['firm', 24, 'other', () => MAIL],
  ])(
    'runs at most so many jobs of a flooding %s at once: %i, uses no attempt for those that wait, and runs all',
    async (_, most, firm, flood) => {
      const jobs = [...Array.from({ length: 200 }, (_, n) => flood(n)), jobOf(firm, 'waits for nobody')];
      const { table, rows } = memoryTable(jobs);
      const { running, handler, release } = heldJobs();
      const worker = start(table, handler);
      await eventually(() => running.length === most + 1);
      expect(running.at(-1)).toBe('waits for nobody');
      // One ends, so one more starts.
      release(1);
      await eventually(() => running.length === most + 2);
      const releasing = setInterval(release, 5);
      await eventually(() => rows.size === 0);
      clearInterval(releasing);
      await worker.stop();
      expect(running).toHaveLength(201);
    },
  );

  test.each([
    [8, 'account', () => jobOf('firm', 'one')],
    [32, 'process', (n: number) => jobOf(`F${n}`, `A${n}`)],
  ])('when it stops, it has started at most %i jobs of one %s and keeps no other', async (most, _, make) => {
    const { table, rows } = memoryTable(Array.from({ length: most + 4 }, (_, n) => make(n)));
    const { running, handler, release } = heldJobs();
    const worker = start(table, handler);
    await eventually(() => running.length === most);
    const stopped = worker.stop();
    release();
    await stopped;
    expect(running).toHaveLength(most);
    expect([...rows.values()].map(({ locked, attempt }) => [locked, attempt])).toEqual(
      Array(4).fill([false, 0]),
    );
  });

  test('retries a job twelve times, each later than the last, and keeps the job that failed', async () => {
    const { table, failed, delays } = memoryTable([jobOf('firm', 'one')]);
    const [outcomes, logged]: [string[], unknown[]] = [[], []];
    const log: DatabaseLog = { ...SILENT, error: (...entry) => void logged.push(entry) };
    const worker = start(table, () => Promise.reject(new Error('rejected')), outcomes, log);
    await eventually(() => failed.length === 1);
    await worker.stop();
    expect(outcomes).toEqual([...Array(11).fill('notify_offer retried'), 'notify_offer failed']);
    const fields = { kind: 'notify_offer', attempt: 12, error: 'Error' };
    expect(logged).toEqual([['a job failed permanently', fields]]);
    const [least, most] = [1, 1.25].map((factor) =>
      delays.map((_, at) => Math.exp(Math.min(at + 1, 10)) * 1000 * factor),
    );
    delays.forEach((delay, at) => {
      expect(delay).toBeGreaterThanOrEqual(least?.[at] ?? 0);
      expect(delay).toBeLessThanOrEqual(most?.[at] ?? 0);
    });
  });

  test('does not run a job again that it still runs, when its lock has ended in an outage', async () => {
    const { table, rows } = memoryTable([jobOf('firm', 'one')]);
    const { running, handler, release } = heldJobs();
    let isOutage = true;
    let takenAgain = 0;
    const worker = start(
      {
        ...table,
        async take(...given) {
          const [job] = rows.values();
          const taken = await table.take(...given);
          if (taken.length > 0 || job === undefined || !isOutage) return taken;
          takenAgain += 1;
          return [{ ...job, attempt: job.attempt + takenAgain }];
        },
      },
      handler,
    );
    await eventually(() => takenAgain > 2);
    isOutage = false;
    release();
    await worker.stop();
    expect([running, rows.size]).toEqual([['one'], 0]);
  });

  test('repeats what it takes and records until PostgreSQL responds, and logs once that it waits', async () => {
    const { table, rows } = memoryTable([jobOf('firm', 'one')]);
    const [outcomes, logged]: [string[], unknown[]] = [[], []];
    const failingTwice = <A extends unknown[], R>(work: (...given: A) => Promise<R>) => {
      let calls = 0;
      return async (...given: A): Promise<R> => {
        calls += 1;
        if (calls < 3) throw new Error('connect to db.internal refused');
        return work(...given);
      };
    };
    const late = { ...table, take: failingTwice(table.take), remove: failingTwice(table.remove) };
    const log: DatabaseLog = { ...SILENT, warn: (...entry) => void logged.push(entry) };
    const worker = start(late, async () => {}, outcomes, log);
    await eventually(() => rows.size === 0);
    await worker.stop();
    expect(outcomes).toEqual(['notify_offer completed']);
    expect(logged).toEqual(Array(2).fill(['the job queue waits for PostgreSQL', { error: 'Error' }]));
  });

  test('does not run a job whose process ended in every attempt', async () => {
    const { table, failed } = memoryTable([jobOf('firm', 'poison')], 12);
    let runs = 0;
    const worker = start(table, async () => {
      runs += 1;
    });
    await eventually(() => failed.length === 1);
    await worker.stop();
    expect(runs).toBe(0);
  });

  test('extends the locks of its jobs until they have ended, also while it stops', async () => {
    const { table, rows } = memoryTable([jobOf('firm', 'slow'), MAIL]);
    const extended: (readonly string[])[] = [];
    const { running, handler, release } = heldJobs();
    const worker = startWorker(
      {
        table: {
          ...table,
          async extend(ids) {
            extended.push(ids);
            throw new Error('no connection');
          },
        },
        log: SILENT,
        metrics: NO_METRICS,
      },
      async (job) => (job === MAIL ? undefined : handler(job)),
      { pollIntervalMs: 20, extendIntervalMs: 5 },
    );
    await eventually(() => running.length === 1 && rows.size === 1);
    extended.length = 0;
    const stopped = worker.stop();
    const before = extended.length;
    await eventually(() => extended.length > before);
    release();
    await stopped;
    expect(new Set(extended.flat())).toEqual(new Set(['0']));
  });
});
