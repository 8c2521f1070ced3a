import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { migrate } from '@svc/adapter-postgres';
import { eventually } from '@svc/testkit/eventually';
import { rolldown } from 'rolldown';
import { startTcpProxy } from '../../../packages/adapter-postgres/test/tcp-proxy.ts';
import { openStateReader } from '../../../tools/chaos/state-reader.ts';
import { atEnd } from '../../../tools/services/at-end.ts';
import { build } from '../../../tools/services/build.ts';
import { openOperator } from '../../../tools/services/operator.ts';
import { createDatabase } from '../../../tools/services/postgres.ts';
import { type Prepared, perform, WRITE_OPERATIONS, type WriteOperation } from './crash-operations.ts';
import { startCrashingHost } from './crashing-host.ts';
import type { ApiResponse } from './service-under-test.ts';

const database = await createDatabase({ migrate: (url) => migrate({ url }) });
const reader = await openStateReader(database.url);
const operator = await openOperator(database.url);
/** A process without crashes: runs the preparation and, like a process started after a crash, the retries. */
const healthyHost = await startCrashingHost({ databaseUrl: database.url, at: async () => {} });
for (const opened of [reader, operator, healthyHost]) atEnd(() => opened.close());

const stateOf = (firmId: string): Promise<string[]> => reader.stateOf(firmId);

/** The state without ids, hashes and times, so that it is equal for two runs of one operation. */
function normalized(state: readonly string[]): string[] {
  return state
    .map((row) =>
      row
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'an id')
        .replace(/[0-9a-f]{64}/g, 'a hash')
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)/g, 'a time')
        .replace(/\b1[0-9]{12}\b/g, 'a time')
        .replace(/\b(SVC|EXT|CLM|key)-\d{5}/g, '$1')
        .replace(/test_[0-9A-Za-z]+_/g, 'test_'),
    )
    .sort();
}

/** Drops the points before a call that directly follow another call, since nothing happens in between. */
const crashPointsIn = (points: readonly string[]): number[] =>
  points.flatMap((point, index) =>
    point.startsWith('before') && points[index - 1]?.startsWith('after') ? [] : [index],
  );

interface UndisturbedRun {
  readonly points: readonly string[];
  readonly after: readonly string[];
}

const undisturbedRuns = new Map<WriteOperation, Promise<UndisturbedRun>>();

/** Runs each operation once, for all tests. */
function runWithoutCrash(operation: WriteOperation): Promise<UndisturbedRun> {
  const found = undisturbedRuns.get(operation) ?? recordRun(operation);
  undisturbedRuns.set(operation, found);
  return found;
}

async function recordRun(operation: WriteOperation): Promise<UndisturbedRun> {
  const points: string[] = [];
  const host = await startCrashingHost({
    databaseUrl: database.url,
    at: async (point) => void points.push(point),
  });
  const prepared = await operation.prepare(operator, healthyHost.url);
  const response = await perform(host.url, prepared);
  expect(response.status).toBe(operation.successStatus);
  await host.close();
  return { points, after: normalized(await stateOf(prepared.firmId)) };
}

/** Expects that the operation has taken effect once and completely, after the crash and a retry. */
async function expectExactlyOnce(
  operation: WriteOperation,
  prepared: Prepared,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const left = await stateOf(prepared.firmId);
  const untouched = JSON.stringify(left) === JSON.stringify(before);
  if (!untouched) expect(normalized(left)).toEqual(after);

  const retry = await perform(healthyHost.url, prepared);
  const { successStatus, retryError = successStatus, takesKey } = operation;
  expect(retry.json?.code ?? retry.status).toBe(untouched ? successStatus : retryError);
  expect(retry.headers.get('Idempotent-Replayed')).toBe(untouched || !takesKey ? null : 'true');
  const end = await stateOf(prepared.firmId);
  expect(normalized(end)).toEqual(after);
  // If the operation had completed, the retry changes nothing.
  if (!untouched) expect(end).toEqual(left);
}

/** A simulated process that crashes at a point and is running again for the next request. */
interface CrashingProcess {
  /** Sends the request and, at the point with this index, ends its connections and stops it forever. */
  crashAt(index: number, prepared: Prepared): Promise<string>;
  close(): Promise<void>;
}

async function startCrashingProcess(redisUrl?: string): Promise<CrashingProcess> {
  const tcpProxy = await startTcpProxy(database.url);
  let left = Number.POSITIVE_INFINITY;
  let onCrash: (point: string) => void = () => {};
  const host = await startCrashingHost({
    databaseUrl: tcpProxy.url,
    ...(redisUrl !== undefined && { redisUrl }),
    async at(point) {
      left -= 1;
      if (left >= 0) return;
      if (left === -1) {
        await tcpProxy.cut();
        onCrash(point);
      }
      await new Promise(() => {});
    },
  });
  return {
    async crashAt(index, prepared) {
      const crash = new Promise<string>((resolve) => {
        onCrash = resolve;
      });
      left = index;
      const abortController = new AbortController();
      perform(host.url, prepared, abortController.signal).catch(() => {});
      const point = await crash;
      abortController.abort();
      await tcpProxy.restore();
      return point;
    },
    async close() {
      await tcpProxy.cut();
      // Not awaited, since the stopped requests never release their connections.
      void host.close().catch(() => {});
    },
  };
}

const BEFORE_COMMIT = /end of the work|before claimWrites\./;

describe.each(WRITE_OPERATIONS)('$id', (operation) => {
  test('takes effect once and completely if its process crashes between any two awaits', async () => {
    const { points, after } = await runWithoutCrash(operation);
    expect(points).toContainEqual(expect.stringMatching(BEFORE_COMMIT));
    expect(points).toContainEqual(expect.stringMatching(/^after the commit$|^after claimWrites\./));
    const crashing = await startCrashingProcess();
    for (const index of crashPointsIn(points)) {
      const prepared = await operation.prepare(operator, healthyHost.url);
      const before = await stateOf(prepared.firmId);
      const point = await crashing.crashAt(index, prepared);
      try {
        await expectExactlyOnce(operation, prepared, before, after);
      } catch (error) {
        throw new Error(`crashed ${point}: ${(error as Error).message}`, { cause: error });
      }
    }
    await crashing.close();
  });
});

/** One of each way to save: in a group of requests, and in a unit of work. */
const WAYS_TO_SAVE = WRITE_OPERATIONS.filter(({ id }) =>
  ['sendClaim', 'offerClaim', 'acceptClaim', 'leaveFirm'].includes(id),
);

describe.each(WAYS_TO_SAVE)('$id', (operation) => {
  test.each([
    ['COMMIT never arrives', 'before'],
    ['the response to COMMIT is lost', 'after'],
  ] as const)('takes effect once and completely if %s', async (_, when) => {
    const { after } = await runWithoutCrash(operation);
    const prepared = await operation.prepare(operator, healthyHost.url);
    const before = await stateOf(prepared.firmId);
    const tcpProxy = await startTcpProxy(database.url);
    const host = await startCrashingHost({
      databaseUrl: tcpProxy.url,
      at: async (point) => {
        if (BEFORE_COMMIT.test(point)) tcpProxy.cutOn('COMMIT', when);
      },
    });
    const response: ApiResponse = await perform(host.url, prepared);
    expect([response.status, response.json.code]).toEqual([503, 'service_unavailable']);
    await expectExactlyOnce(operation, prepared, before, after);
    await tcpProxy.cut();
    void host.close().catch(() => {});
  });
});

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const DIST = at('../dist/crashing-server');

/** Bundles the program: to find and load its modules one by one, each start takes 2.9 s of processor time. */
async function bundleServer(): Promise<void> {
  await build();
  const bundle = await rolldown({
    input: at('crashing-server.ts'),
    platform: 'node',
    resolve: { conditionNames: ['source'] },
    external: ['@svc/embedded-postgres'],
  });
  await bundle.write({ dir: DIST, format: 'esm' });
  await bundle.close();
}

/** Starts a real process that kills itself at the point while it runs the operation. */
async function killedAt(point: string, prepared: Prepared): Promise<void> {
  const child = spawn(process.execPath, [`${DIST}/crashing-server.js`], {
    env: { ...process.env, DATABASE_URL: database.url, CRASH_AT: point },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const tooEarly = ended.then(([code]) => Promise.reject(new Error(`The process ended with ${code}.`)));
  const [line] = (await Promise.race([once(child.stdout, 'data'), tooEarly])) as [Buffer];
  const response = await perform(String(line).trim(), prepared).catch(() => null);
  expect(response).toBeNull();
  expect((await ended)[1]).toBe('SIGKILL');
}

test('an operation takes effect once and completely if its process is really killed', async () => {
  await bundleServer();
  const cases = [
    ['sendClaim', 'after claimWrites.send'],
    ['offerClaim', 'before claimWrites.offer'],
    ['leaveFirm', 'after the commit'],
  ].flatMap(([id, point = '']) =>
    WRITE_OPERATIONS.filter((operation) => operation.id === id).map((operation) => ({
      operation,
      point,
    })),
  );
  const runs = cases.map(({ operation, point }) => async () => {
    const { after } = await runWithoutCrash(operation);
    const prepared = await operation.prepare(operator, healthyHost.url);
    const before = await stateOf(prepared.firmId);
    await killedAt(point, prepared);
    await expectExactlyOnce(operation, prepared, before, after);
  });
  // Two at a time, since most of the time is spent on starting the process.
  const worker = async (): Promise<void> => {
    for (let run = runs.shift(); run !== undefined; run = runs.shift()) await run();
  };
  await Promise.all([worker(), worker()]);
});

describe('with Redis', () => {
  const redisUrl = process.env.TEST_REDIS_URL ?? '';

  test.each(WRITE_OPERATIONS.filter(({ takesKey }) => takesKey))(
    'a retry completes $id when its process crashed while it held the lock of the Idempotency-Key',
    async (operation) => {
      const { points, after } = await runWithoutCrash(operation);
      const restarted = await startCrashingHost({ databaseUrl: database.url, redisUrl, at: async () => {} });
      const indexes = points.flatMap((point, index) =>
        /commit|usedKeys|claimWrites\./i.test(point) ? [index] : [],
      );
      // Concurrently, since each retry waits for the lease of the crashed process to expire.
      await Promise.all(
        indexes.map(async (index) => {
          const prepared = await operation.prepare(operator, healthyHost.url);
          const crashing = await startCrashingProcess(redisUrl);
          await crashing.crashAt(index, prepared);
          await crashing.close();
          // Like a client, it repeats a 503: the other processes, which start now, can delay it past its deadline.
          const retry = await eventually(
            () => perform(restarted.url, prepared),
            ({ status }) => status !== 503,
          );
          expect(retry.status).toBe(operation.successStatus);
          expect(normalized(await stateOf(prepared.firmId))).toEqual(after);
        }),
      );
      await restarted.close();
    },
  );
});
