import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '@svc/adapter-postgres';
import { aWire } from '../../../packages/adapter-postgres/test/tcp-proxy.ts';
import { openStateReader, type StateReader } from '../../../tools/chaos/state-reader.ts';
import { type OpenOperator, openOperator } from '../../../tools/services/operator.ts';
import { createDatabase, type TestDatabase } from '../../../tools/services/postgres.ts';
import { type Prepared, perform, WRITE_OPERATIONS, type WriteOperation } from './crash-operations.ts';
import { type CrashingHost, startCrashingHost } from './crashing-host.ts';
import type { Answer } from './service-under-test.ts';

let database: TestDatabase;
let reader: StateReader;
let operator: OpenOperator;
/** A process without crashes: runs the preparation and, like a process started after a crash, the retries. */
let sound: CrashingHost;

beforeAll(async () => {
  database = await createDatabase({ migrate: (url) => migrate({ url }) });
  reader = await openStateReader(database.url);
  operator = await openOperator(database.url);
  sound = await startCrashingHost({ databaseUrl: database.url, at: async () => {} });
});
afterAll(async () => {
  await sound.close();
  await operator.close();
  await reader.close();
  await database.drop();
});

const stateOf = (firmId: string): Promise<string[]> => reader.stateOf(firmId);

/** The state without ids, hashes and times, so that it is equal for two runs of one operation. */
function likeness(state: readonly string[]): string[] {
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
const placesIn = (points: readonly string[]): number[] =>
  points.flatMap((point, index) =>
    point.startsWith('before') && points[index - 1]?.startsWith('after') ? [] : [index],
  );

interface Undisturbed {
  readonly points: readonly string[];
  readonly after: readonly string[];
}

async function undisturbed(operation: WriteOperation): Promise<Undisturbed> {
  const points: string[] = [];
  const host = await startCrashingHost({
    databaseUrl: database.url,
    at: async (point) => void points.push(point),
  });
  const prepared = await operation.prepare(operator, sound.url);
  const answer = await perform(host.url, prepared);
  expect(answer.status).toBe(operation.done);
  await host.close();
  return { points, after: likeness(await stateOf(prepared.firmId)) };
}

/** Expects that the operation has taken effect once and completely, after the crash and a retry. */
async function judge(
  operation: WriteOperation,
  prepared: Prepared,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const left = await stateOf(prepared.firmId);
  const untouched = JSON.stringify(left) === JSON.stringify(before);
  if (!untouched) expect(likeness(left)).toEqual(after);

  const retry = await perform(sound.url, prepared);
  expect(untouched ? [operation.done] : operation.again).toContain(retry.json?.code ?? retry.status);
  expect(retry.headers.get('Idempotent-Replayed')).toBe(
    untouched || retry.status >= 400 || operation.name === 'close' ? null : 'true',
  );
  const end = await stateOf(prepared.firmId);
  expect(likeness(end)).toEqual(after);
  // If the operation had completed, the retry changes nothing.
  if (!untouched) expect(end).toEqual(left);
}

/** A simulated process that crashes at a point and is running again for the next request. */
interface Mortal {
  /** Sends the request and, at the point with this index, ends its connections and stops it forever. */
  dieAt(index: number, prepared: Prepared): Promise<string>;
  close(): Promise<void>;
}

async function startMortal(redisUrl?: string): Promise<Mortal> {
  const wire = await aWire(database.url);
  let left = Number.POSITIVE_INFINITY;
  let died: (point: string) => void = () => {};
  const host = await startCrashingHost({
    databaseUrl: wire.url,
    ...(redisUrl !== undefined && { redisUrl }),
    async at(point) {
      left -= 1;
      if (left >= 0) return;
      if (left === -1) {
        await wire.cut();
        died(point);
      }
      await new Promise(() => {});
    },
  });
  return {
    async dieAt(index, prepared) {
      const death = new Promise<string>((resolve) => {
        died = resolve;
      });
      left = index;
      const gone = new AbortController();
      perform(host.url, prepared, gone.signal).catch(() => {});
      const point = await death;
      gone.abort();
      await wire.mend();
      return point;
    },
    async close() {
      await wire.close();
      // Not awaited, since the stopped requests never release their connections.
      void host.close().catch(() => {});
    },
  };
}

describe.each(WRITE_OPERATIONS)('$name', (operation) => {
  test('takes effect once and completely if its process crashes between any two awaits', async () => {
    const { points, after } = await undisturbed(operation);
    expect(points).toContain('before the commit');
    expect(points).toContain('after the commit');
    const mortal = await startMortal();
    for (const index of placesIn(points)) {
      const prepared = await operation.prepare(operator, sound.url);
      const before = await stateOf(prepared.firmId);
      const point = await mortal.dieAt(index, prepared);
      try {
        await judge(operation, prepared, before, after);
      } catch (error) {
        throw new Error(`crashed ${point}: ${(error as Error).message}`, { cause: error });
      }
    }
    await mortal.close();
  });

  test('takes effect once and completely if the response to COMMIT is lost', async () => {
    const { after } = await undisturbed(operation);
    const prepared = await operation.prepare(operator, sound.url);
    const before = await stateOf(prepared.firmId);
    const wire = await aWire(database.url);
    const host = await startCrashingHost({
      databaseUrl: wire.url,
      at: async (point) => {
        if (point === 'before the commit') wire.cutOn('COMMIT', 'after');
      },
    });
    const answer: Answer = await perform(host.url, prepared);
    expect([answer.status, answer.json.code]).toEqual([503, 'service_unavailable']);
    await judge(operation, prepared, before, after);
    await wire.close();
    void host.close().catch(() => {});
  });
});

const SERVER = fileURLToPath(new URL('crashing-server.ts', import.meta.url));

/** Starts a real process that kills itself at the point while it runs the operation. */
async function killedAt(point: string, prepared: Prepared): Promise<void> {
  const child = spawn(process.execPath, ['--conditions=source', '--no-warnings', '--import', 'tsx', SERVER], {
    env: { ...process.env, DATABASE_URL: database.url, CRASH_AT: point },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const answer = await perform(String(line).trim(), prepared).catch(() => null);
  expect(answer).toBeNull();
  expect((await ended)[1]).toBe('SIGKILL');
}

test('an operation takes effect once and completely if its process is really killed', async () => {
  const cases = [
    ['send', 'before the commit'],
    ['send', 'after the commit'],
    ['leave', 'after the commit'],
  ].flatMap(([name, point = '']) =>
    WRITE_OPERATIONS.filter((operation) => operation.name === name).map((operation) => ({
      operation,
      point,
    })),
  );
  const runs = cases.map(({ operation, point }) => async () => {
    const { after } = await undisturbed(operation);
    const prepared = await operation.prepare(operator, sound.url);
    const before = await stateOf(prepared.firmId);
    await killedAt(point, prepared);
    await judge(operation, prepared, before, after);
  });
  // Two at a time, since most of the time is spent on starting the process.
  const worker = async (): Promise<void> => {
    for (let run = runs.shift(); run !== undefined; run = runs.shift()) await run();
  };
  await Promise.all([worker(), worker()]);
});

describe('with Redis', () => {
  const redisUrl = process.env.TEST_REDIS_URL ?? '';

  test.each(WRITE_OPERATIONS.filter(({ name }) => name === 'send' || name === 'offer'))(
    'a retry completes a $name whose process crashed while it held the lock of the Idempotency-Key',
    async (operation) => {
      const { points, after } = await undisturbed(operation);
      const restarted = await startCrashingHost({ databaseUrl: database.url, redisUrl, at: async () => {} });
      const indexes = points.flatMap((point, index) =>
        /attempt|commit|twins|claims\./.test(point) ? [index] : [],
      );
      // Concurrently, since each retry waits for the lease of the crashed process to expire.
      await Promise.all(
        indexes.map(async (index) => {
          const prepared = await operation.prepare(operator, sound.url);
          const mortal = await startMortal(redisUrl);
          await mortal.dieAt(index, prepared);
          await mortal.close();
          const retry = await perform(restarted.url, prepared);
          expect(retry.status).toBe(operation.done);
          expect(likeness(await stateOf(prepared.firmId))).toEqual(after);
        }),
      );
      await restarted.close();
    },
  );
});
