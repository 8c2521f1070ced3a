import { spawnSync } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { endpoints, parseRequest } from '@svc/contract';
import { readFile, UnreadableFile } from './read-rows.ts';

const HEAD = 'id,state,reportedZipCode,dateOfLoss';
const text = (...lines: string[]): Readable => Readable.from([`${lines.join('\n')}\n`]);

async function read(input: Readable) {
  const read: { number: number; values: number; city: string | undefined }[] = [];
  for await (const { number, row, values } of (await readFile(input)).rows)
    read.push({ number, values, city: row?.('city')?.value });
  return read;
}

test('every valid row is printed as a valid claim, and the others are reported with exit code 1', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...['--import', 'tsx', '--conditions=source', fileURLToPath(new URL('main.ts', import.meta.url))],
      ...['-', '--adjuster', 'SVC-7F3K-Delacroix'],
    ],
    { encoding: 'utf8', input: readFileSync(new URL('sample.csv', import.meta.url)) },
  );
  const bodies = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  const parsed = bodies.map((body) =>
    parseRequest(endpoints.sendClaim, { headers: { 'idempotency-key': 'openfema' }, body }),
  );
  expect(parsed.filter(({ ok }) => ok)).toHaveLength(17);
  expect(stderr).toContain('row 13: reportedZipCode "": skipped');
  expect(stderr).toContain('row 2: ratedFloodZone "A08": normalized');
  expect(stderr).toContain('Columns without a field in a claim: numberOfFloors');
  expect(stderr).toContain('17 of 18 rows are claims');
  expect(status).toBe(1);
});

test('quotes, line breaks in cells, a byte order mark, CRLF and rows of another length are read', async () => {
  const lines = `\ufeff${HEAD},reportedCity\r\na,FL,33931,2022-09-28,"Houston, ""City"" of"\r\n"b",FL,33931,2022-09-28,"A\nB"\r\nc,FL\r\n`;
  expect(await read(Readable.from([lines]))).toEqual([
    { number: 1, values: 5, city: 'Houston, "City" of' },
    { number: 2, values: 5, city: 'A\nB' },
    { number: 3, values: 2, city: undefined },
  ]);
});

test('a file that is empty, missing, truncated or without a required column is an error', async () => {
  await expect(read(Readable.from([]))).rejects.toThrow(UnreadableFile);
  await expect(read(createReadStream('/there/is/no/such.csv'))).rejects.toThrow(/cannot be read/);
  await expect(read(text('id,state,dateOfLoss', 'a,FL,2022-09-28'))).rejects.toThrow(/reportedZipCode/);
  await expect(read(text(HEAD, 'a,"FL,33931,2022-09-28'))).rejects.toThrow(/cannot be read/);
});
