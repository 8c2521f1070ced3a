import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { type Client, createClient, type NewClaim } from '@svc/client';
import { openfema } from './command.ts';
import { exitCode, importClaims, noClaims } from './import-claims.ts';
import { readFile, UnreadableFile } from './read-rows.ts';
import { textReport } from './report.ts';

const SAMPLE = fileURLToPath(new URL('./sample.csv', import.meta.url));
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLAIMS = 17;

describe('the file', () => {
  const text = (...lines: string[]): Readable => Readable.from([`${lines.join('\n')}\n`]);
  const head = 'id,state,reportedZipCode,dateOfLoss';

  async function read(input: Readable, client: Client | null = null) {
    const failures: unknown[] = [];
    const bodies: NewClaim[] = [];
    const values: string[] = [];
    const tally = await importClaims(
      await readFile(input),
      { adjuster: 'SVC-1', concurrency: 1, client },
      {
        noted: (_row, { value }) => values.push(value),
        mapped: (_row, body) => bodies.push(body),
        failed: (row, _id, { errors }) => failures.push({ row, errors }),
        counted: () => {},
      },
    );
    return { tally, bodies, values, failures };
  }

  test('a row with another number of values is skipped, and later rows are read', async () => {
    const { tally, values } = await read(
      text(head, 'a,FL,33931', 'b,FL,33931,2022-09-28,x', '', 'c,FL,33931,2022-09-28'),
    );
    expect(tally).toMatchObject({ rows: 3, sent: 1, skipped: 2, skippedRows: [1, 2] });
    expect(values).toEqual(['3 values', '5 values']);
  });

  test('quotes, line breaks in cells, a byte order mark and CRLF are read', async () => {
    const lines = `\ufeff${head},reportedCity\r\na,FL,33931,2022-09-28,"Houston, ""City"" of"\r\n"b",FL,33931,2022-09-28,"A\nB"\r\n`;
    const { bodies } = await read(Readable.from([lines]));
    expect(bodies.map(({ loss_location }) => loss_location.city)).toEqual(['Houston, "City" of', 'A\nB']);
  });

  test('a truncated file stops the run, and the claims before it are counted', async () => {
    // More than the parser reads ahead.
    const rows = Array.from({ length: 1000 }, (_, index) => `${index},FL,33931,2022-09-28\n`);
    const { tally, bodies } = await read(Readable.from([`${head}\n`, ...rows, 'b,"FL,33931,2022-09-28\n']));
    expect(tally.stopped).toContain('cannot be read');
    expect(tally.sent).toBeGreaterThan(0);
    expect(tally.sent).toBe(bodies.length);
  });

  test('a rejected claim is reported with its row and the fields that the error names, and later claims are sent', async () => {
    let sent = 0;
    const client = createClient({
      baseUrl: 'http://service.test',
      apiKey: 'svc_test_x',
      async fetch() {
        sent += 1;
        if (sent > 1) return new Response('{}', { status: 201 });
        const errors = [{ detail: 'Must be a calendar date.', pointer: '/loss/date' }];
        return new Response(JSON.stringify({ code: 'validation_failed', errors }), { status: 422 });
      },
    });
    const rows = text(head, 'a,FL,,2022-09-28', 'b,FL,33931,2022-09-28', 'c,FL,33931,2022-09-28');
    const { tally, failures } = await read(rows, client);
    expect(failures).toEqual([
      { row: 2, errors: [{ where: '/loss/date', detail: 'Must be a calendar date.' }] },
    ]);
    expect(tally).toMatchObject({ rows: 3, sent: 1, failed: 1, skipped: 1, stopped: null });
  });

  test('without a header or a required column nothing is sent', async () => {
    await expect(readFile(Readable.from([]))).rejects.toThrow(UnreadableFile);
    await expect(readFile(text('id,state,dateOfLoss', 'a,FL,2022-09-28'))).rejects.toThrow(/reportedZipCode/);
    await expect(readFile(createReadStream('/there/is/no/such.csv'))).rejects.toThrow(/cannot be read/);
  });
});

test.each([
  [{ sent: 3, existing: 2 }, false, 0],
  [{ sent: 3, skipped: 1 }, false, 1],
  [{ sent: 3, skipped: 1 }, true, 0],
  [{ sent: 3, failed: 1 }, true, 1],
  [{ sent: 3, stopped: 'interrupted' }, true, 2],
] as const)('the exit code of %j with skips allowed %p is %d', (parts, allowSkips, code) => {
  expect(exitCode({ ...noClaims(), ...parts }, allowSkips)).toBe(code);
});

describe('the report', () => {
  const linesOf = (tell: (report: ReturnType<typeof textReport>) => void): string[] => {
    const lines: string[] = [];
    tell(textReport((line) => lines.push(line)));
    return lines;
  };

  test('names row, column and value, and each error of a claim that was not sent', () => {
    const errors = [
      { where: '/loss/date', detail: 'Must be a calendar date.' },
      { where: '', detail: 'Must be an object.' },
    ];
    const lines = linesOf((report) => {
      report.noted(2, { column: 'ratedFloodZone', value: 'A08', action: 'normalized', what: 'sent as A8' });
      report.failed(3, 'X-1', { code: 'validation_failed', detail: 'Not valid.', errors });
    });
    expect(lines).toEqual([
      'row 2: ratedFloodZone "A08": normalized: sent as A8',
      'row 3: claim X-1 NOT SENT: validation_failed: Not valid.',
      'row 3:   /loss/date: Must be a calendar date.',
      'row 3:   (the whole body): Must be an object.',
    ]);
  });

  test('sums losses by column in descending order, lists skipped rows, and starts with why the run stopped', () => {
    const tally = {
      ...noClaims(),
      rows: 40,
      withLosses: 8,
      losses: new Map([
        ['waterDepth', 2],
        ['causeOfDamage', 7],
      ]),
      skipped: 25,
      skippedRows: Array.from({ length: 25 }, (_, index) => index + 1),
      stopped: 'interrupted',
    };
    const lines = linesOf((report) => report.summary(tally, { seconds: 2, dryRun: false }));
    expect(lines[1]).toBe('STOPPED after 40 rows: interrupted');
    expect(lines.join('\n')).toContain('8 (causeOfDamage 7, waterDepth 2)');
    expect(lines.join('\n')).toMatch(/skipped +25: row 1, 2, .*20 and 5 more/);
  });
});

describe('the command', () => {
  async function command(args: readonly string[], { input = '' }: { input?: string } = {}) {
    const written = { out: '', err: '' };
    const stream = (name: 'out' | 'err') => ({
      write(text: string) {
        written[name] += text;
      },
    });
    const code = await openfema(args, {
      env: {},
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
      ...['--import', 'tsx', '--conditions=source', MAIN],
      ...[SAMPLE, '--dry-run'],
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

  test.each([
    ['no key', [SAMPLE, '--url', 'http://127.0.0.1:9', '--adjuster', 'SVC-1'], /CLAIMS_API_KEY/],
    ['no url', [SAMPLE, '--adjuster', 'SVC-1'], /--url/],
    ['no adjuster', [SAMPLE, '--url', 'http://127.0.0.1:9'], /--adjuster/],
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
