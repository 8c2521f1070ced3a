import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openfema } from './command.ts';
import { type FakeService, type FaultInjector, sendProblem, startFakeService } from './fake-service.ts';
import { exitCode, type ImportOptions, importClaims, type Listener, type Tally } from './import-claims.ts';
import type { Note } from './map-row.ts';
import { readFile, UnreadableFile } from './read-rows.ts';
import { SAMPLE_CASES, SAMPLE_HEADER } from './sample-cases.ts';
import { makeSender, type SenderOptions } from './send-claim.ts';

const SAMPLE = fileURLToPath(new URL('./sample.csv', import.meta.url));
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KEY = 'svc_test_made-up';
const CLAIMS = 17;

const started: FakeService[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) await service.close();
});

async function fake(injectFault?: FaultInjector): Promise<FakeService> {
  const service = await startFakeService(injectFault);
  started.push(service);
  return service;
}

interface Heard {
  readonly tally: Tally;
  readonly notes: readonly (Note & { row: number })[];
  readonly refused: readonly { row: number; where: string[] }[];
  readonly undelivered: readonly number[];
  readonly waits: readonly number[];
}

async function run(
  url: string,
  options: {
    input?: Readable;
    adjuster?: string;
    sender?: Partial<SenderOptions>;
    concurrency?: number;
    signal?: AbortSignal;
    onMapped?: (row: number) => void;
  } = {},
): Promise<Heard> {
  const notes: (Note & { row: number })[] = [];
  const refused: { row: number; where: string[] }[] = [];
  const undelivered: number[] = [];
  const waits: number[] = [];
  const send = makeSender({
    url,
    key: KEY,
    pauseMs: 2,
    longestPauseMs: 10,
    onWait: (milliseconds) => waits.push(milliseconds),
    ...options.sender,
  });
  const listener: Listener = {
    noted: (row, note) => notes.push({ row, ...note }),
    mapped: (row) => options.onMapped?.(row),
    refused: (row, _id, { errors }) => refused.push({ row, where: errors.map(({ where }) => where) }),
    undelivered: (row) => undelivered.push(row),
    counted: () => {},
  };
  const importing: ImportOptions = {
    adjuster: options.adjuster ?? 'SVC-1',
    concurrency: options.concurrency ?? 4,
    send,
    ...(options.signal && { signal: options.signal }),
  };
  const file = await readFile(options.input ?? createReadStream(SAMPLE));
  const tally = await importClaims(file, importing, listener);
  return { tally, notes, refused, undelivered, waits };
}

const keysOf = (service: FakeService): Map<string, Set<string>> => {
  const keys = new Map<string, Set<string>>();
  for (const { externalId, key } of service.received)
    keys.set(externalId, (keys.get(externalId) ?? new Set()).add(key));
  return keys;
};

test('the sample file contains the rows of the sample cases', () => {
  const lines = readFileSync(SAMPLE, 'utf8').trimEnd().split('\n');
  expect(lines).toEqual([SAMPLE_HEADER, ...SAMPLE_CASES.map(({ line }) => line)]);
});

describe('delivery', () => {
  test('each row becomes one claim, and retries use the same idempotency key', async () => {
    let requests = 0;
    const service = await fake((_asked, response, times) => {
      requests += 1;
      if (times > 3) return null;
      switch (requests % 7) {
        case 0:
          sendProblem(response, 'internal_error');
          return 'done';
        case 1:
          return 'lost after';
        case 2:
          return 'lost before';
        case 3:
          return 'cut off';
        case 4:
          response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
          return 'done';
        default:
          return null;
      }
    });
    const { tally, undelivered } = await run(service.url);
    expect(undelivered).toEqual([]);
    expect(tally).toMatchObject({
      rows: 18,
      sent: CLAIMS,
      existing: 0,
      refused: 0,
      skipped: 1,
      stopped: null,
    });
    expect(service.claims.size).toBe(CLAIMS);
    for (const keys of keysOf(service).values()) expect(keys.size).toBe(1);
    expect(new Set(service.received.map(({ key }) => key)).size).toBe(CLAIMS);
    expect(service.received.length).toBeGreaterThan(CLAIMS);
    expect(service.received.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(true);
  });

  test('after a 429, all requests wait for Retry-After, and the row is sent', async () => {
    let limitedAt = 0;
    const service = await fake(({ at }, response) => {
      if (limitedAt !== 0) return null;
      limitedAt = at;
      sendProblem(response, 'rate_limited', {}, { 'retry-after': '1' });
      return 'done';
    });
    const { tally, waits } = await run(service.url, { concurrency: 2 });
    expect(tally).toMatchObject({ sent: CLAIMS, undelivered: 0 });
    expect(waits).toEqual([1000]);
    // A concurrent request may have been sent before the 429.
    const early = service.received.slice(1).filter(({ at }) => at - limitedAt < 950);
    expect(early.length).toBeLessThanOrEqual(1);
    expect(service.received).toHaveLength(CLAIMS + 1);
  });

  test('a 429 does not count as a failed attempt', async () => {
    const service = await fake((_asked, response, times) => {
      if (times > 4) return null;
      sendProblem(response, 'rate_limited', {}, { 'retry-after': '0.02' });
      return 'done';
    });
    const { tally } = await run(service.url, { sender: { maxAttempts: 2 } });
    expect(tally).toMatchObject({ sent: CLAIMS, undelivered: 0, stopped: null });
  });

  test('a 429 without Retry-After means a longer wait', async () => {
    let blocked = false;
    const service = await fake((_asked, response) => {
      if (blocked) return null;
      blocked = true;
      response.writeHead(429, { 'content-type': 'text/html' }).end('<h1>Too many requests</h1>');
      return 'done';
    });
    const { tally, waits } = await run(service.url, { sender: { edgeBlockMs: 80 }, concurrency: 1 });
    expect(waits).toEqual([80]);
    expect(tally.sent).toBe(CLAIMS);
  });

  test('a service that does not respond times out', async () => {
    const service = await fake(() => 'done');
    const { tally } = await run(service.url, { sender: { timeoutMs: 20, maxAttempts: 1 }, concurrency: 5 });
    expect(tally.sent).toBe(0);
    expect(tally.stopped).toContain('no response in time');
  });

  test('a claim that keeps failing is undelivered, and the others are sent', async () => {
    const unlucky = SAMPLE_CASES[4]?.line.split(',')[0];
    const service = await fake(({ externalId }, response) => {
      if (externalId !== unlucky) return null;
      sendProblem(response, 'internal_error');
      return 'done';
    });
    const { tally, undelivered } = await run(service.url, { sender: { maxAttempts: 3 } });
    expect(undelivered).toEqual([5]);
    expect(tally).toMatchObject({ sent: CLAIMS - 1, undelivered: 1, stopped: null });
    expect(service.received.filter(({ externalId }) => externalId === unlucky)).toHaveLength(3);
    expect(exitCode(tally, true)).toBe(1);
  });

  test('the run stops when the service is down', async () => {
    const { tally } = await run('http://127.0.0.1:9', { sender: { maxAttempts: 2 }, concurrency: 1 });
    expect(tally).toMatchObject({ sent: 0, undelivered: 5 });
    expect(tally.stopped).toContain('cannot be reached');
    expect(exitCode(tally, true)).toBe(2);
  });

  test('requests do not exceed the given concurrency', async () => {
    const service = await fake();
    await run(service.url, { concurrency: 3 });
    expect(service.maxConcurrent()).toBeGreaterThan(1);
    expect(service.maxConcurrent()).toBeLessThanOrEqual(3);
  });
});

describe('a repeated run', () => {
  test('creates nothing and counts every claim as existing', async () => {
    const service = await fake();
    expect((await run(service.url)).tally.sent).toBe(CLAIMS);
    const { tally } = await run(service.url);
    expect(tally).toMatchObject({ sent: 0, existing: CLAIMS, refused: 0 });
    for (const keys of keysOf(service).values()) expect(keys.size).toBe(1);
  });

  test('creates nothing for another adjuster', async () => {
    const service = await fake();
    await run(service.url);
    const { tally } = await run(service.url, { adjuster: 'SVC-2' });
    expect(tally).toMatchObject({ sent: 0, existing: CLAIMS, refused: 0 });
    expect([...service.claims.values()].every((claim) => claim.adjuster_svc_id === 'SVC-1')).toBe(true);
  });

  test('sends the rest after an interruption', async () => {
    const service = await fake();
    const interrupted = new AbortController();
    const first = await run(service.url, {
      concurrency: 1,
      signal: interrupted.signal,
      onMapped: (row) => {
        if (row === 9) interrupted.abort();
      },
    });
    expect(first.tally.stopped).toBe('interrupted');
    expect(exitCode(first.tally, true)).toBe(2);
    const { sent, notSent, rows } = first.tally;
    expect(sent + notSent).toBe(rows);
    expect(service.claims.size).toBe(sent);
    const second = await run(service.url);
    expect(second.tally).toMatchObject({ sent: CLAIMS - sent, existing: sent });
  });
});

describe('rejected claims', () => {
  test('a rejected claim is reported with the fields that the error names', async () => {
    const service = await fake((received, response) => {
      if (received.externalId !== SAMPLE_CASES[0]?.line.split(',')[0]) return null;
      const errors = [{ detail: 'Must be a calendar date.', pointer: '/loss/date' }];
      sendProblem(response, 'validation_failed', { errors });
      return 'done';
    });
    const { tally, refused } = await run(service.url);
    expect(refused).toEqual([{ row: 1, where: ['/loss/date'] }]);
    expect(tally).toMatchObject({ sent: CLAIMS - 1, refused: 1, stopped: null });
    expect(service.received).toHaveLength(CLAIMS);
  });

  test.each([
    'invalid_key',
    'insufficient_scope',
    'not_in_plan',
    'unknown_osaid',
    'adjuster_not_in_firm',
    'adjuster_not_accepting',
    'environment_mismatch',
    'not_found',
  ] as const)('%s awaits every further claim, so the run stops', async (code) => {
    const service = await fake((_asked, response) => {
      sendProblem(response, code);
      return 'done';
    });
    const { tally } = await run(service.url, { concurrency: 1 });
    expect(tally.stopped).toMatch(code === 'not_found' ? /404/ : new RegExp(code));
    expect(tally).toMatchObject({ sent: 0, refused: 0 });
    expect(service.received).toHaveLength(1);
  });
});

describe('the file', () => {
  const text = (...lines: string[]): Readable => Readable.from([`${lines.join('\n')}\n`]);
  const head = 'id,state,reportedZipCode,dateOfLoss';

  test('a row with another number of values is skipped, and later rows are sent', async () => {
    const service = await fake();
    const { tally, notes } = await run(service.url, {
      input: text(head, 'a,FL,33931', 'b,FL,33931,2022-09-28,x', '', 'c,FL,33931,2022-09-28'),
    });
    expect(tally).toMatchObject({ rows: 3, sent: 1, skipped: 2, skippedRows: [1, 2] });
    expect(notes.map(({ value }) => value)).toEqual(['3 values', '5 values']);
  });

  test('quotes, line breaks in cells, a byte order mark and CRLF are read', async () => {
    const service = await fake();
    const lines = `\ufeff${head},reportedCity\r\na,FL,33931,2022-09-28,"Houston, ""City"" of"\r\n"b",FL,33931,2022-09-28,"A\nB"\r\n`;
    const { tally } = await run(service.url, { input: Readable.from([lines]) });
    expect(tally).toMatchObject({ rows: 2, sent: 2 });
    expect(service.claims.get('a')?.loss_location.city).toBe('Houston, "City" of');
    expect(service.claims.get('b')?.loss_location.city).toBe('A\nB');
  });

  test('a truncated file stops the run, and sent claims are counted', async () => {
    const service = await fake();
    // More than the parser reads ahead.
    const rows = Array.from({ length: 1000 }, (_, index) => `${index},FL,33931,2022-09-28\n`);
    const { tally } = await run(service.url, {
      input: Readable.from([`${head}\n`, ...rows, 'b,"FL,33931,2022-09-28\n']),
    });
    expect(tally.stopped).toContain('cannot be read');
    expect(tally.sent).toBeGreaterThan(0);
    expect(tally.sent).toBe(service.claims.size);
    expect(exitCode(tally, true)).toBe(2);
  });

  test('without a header or a required column nothing is sent', async () => {
    await expect(readFile(Readable.from([]))).rejects.toThrow(UnreadableFile);
    await expect(readFile(text('id,state,dateOfLoss', 'a,FL,2022-09-28'))).rejects.toThrow(/reportedZipCode/);
    await expect(readFile(createReadStream('/there/is/no/such.csv'))).rejects.toThrow(/cannot be read/);
  });

  test('the same row twice is one claim', async () => {
    const service = await fake();
    const row = 'a,FL,33931,2022-09-28';
    const { tally } = await run(service.url, { input: text(head, row, row), concurrency: 1 });
    expect(tally).toMatchObject({ rows: 2, sent: 1, existing: 1 });
  });
});

describe('the command', () => {
  async function command(
    args: readonly string[],
    { key, input = '' }: { key?: string; input?: string } = {},
  ) {
    const written = { out: '', err: '' };
    const stream = (name: 'out' | 'err') => ({
      write(text: string) {
        written[name] += text;
      },
    });
    const code = await openfema(args, {
      env: { CLAIMS_API_KEY: key },
      folder: ROOT,
      stdin: Readable.from([input]),
      stdout: stream('out'),
      stderr: stream('err'),
      onInterrupt: () => {},
    });
    return { code, ...written };
  }

  test('checks a file without sending anything, and exits with 1 for a skipped row', async () => {
    // As a process; the other tests run the command in this one.
    const child = spawn(process.execPath, [
      '--import',
      'tsx',
      '--conditions=source',
      MAIN,
      SAMPLE,
      '--dry-run',
    ]);
    const ended = once(child, 'exit');
    const out = await readAll(child.stdout);
    expect(await ended).toEqual([1, null]);
    expect(out).toContain('row 13: reportedZipCode is empty: NO CLAIM');
    expect(out).toMatch(/would be sent +17/);
    expect((await command([SAMPLE, '--dry-run', '--allow-skips'])).code).toBe(0);
  });

  test('prints JSON lines, in a dry run with each claim', async () => {
    const { out } = await command(['-', '--dry-run', '--json'], { input: readFileSync(SAMPLE, 'utf8') });
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.filter(({ type }) => type === 'claim')).toHaveLength(CLAIMS);
    expect(lines.at(0)).toMatchObject({ type: 'header', columns_without_a_field: ['numberOfFloors'] });
    expect(lines.at(-1)).toMatchObject({
      type: 'summary',
      rows: 18,
      sent: CLAIMS,
      losses: { floodEvent: 1, waterDepth: 1, originalConstructionDate: 1 },
      skipped_rows: [13],
    });
  });

  test('sends with the key from the environment or a file', async () => {
    const service = await fake();
    const target = [SAMPLE, '--url', service.url, '--adjuster', 'SVC-1'];
    const first = await command([...target, '--allow-skips'], { key: KEY });
    expect(first).toMatchObject({ code: 0 });
    expect(service.claims.size).toBe(CLAIMS);

    const folder = mkdtempSync(join(tmpdir(), 'openfema-key-'));
    writeFileSync(join(folder, 'key'), 'svc_test_of-a-file\n', { mode: 0o600 });
    const second = await command([...target, '--key-file', join(folder, 'key')], { key: KEY });
    rmSync(folder, { recursive: true });
    expect(second.code).toBe(1);
    expect(second.out).toMatch(/existing +17/);
    expect(service.received.at(-1)?.authorization).toBe('Bearer svc_test_of-a-file');
  });

  test.each([
    ['no key', [SAMPLE, '--url', 'http://127.0.0.1:9', '--adjuster', 'SVC-1'], /CLAIMS_API_KEY/],
    ['no url', [SAMPLE, '--adjuster', 'SVC-1'], /--url/],
    ['no adjuster', [SAMPLE, '--url', 'http://127.0.0.1:9'], /CLAIMS_API_KEY|--adjuster/],
    ['no file', ['no-such.csv', '--dry-run'], /File not found/],
    [
      'a key file that is not there',
      [SAMPLE, '--url', 'http://x', '--adjuster', 'S', '--key-file', 'gone'],
      /key file/,
    ],
  ])('with %s the command names it and exits with 2', async (_what, args, message) => {
    const { code, err } = await command(args);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });
});
