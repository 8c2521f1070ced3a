import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { sheetXml, workbookOf } from '../../../packages/csv-import/test/workbook-file.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { claimJson, claimLine, claims, jsonLines, jsonResponse, recording } from './environment.ts';

const folder = temporaryFolder();

const HEADER =
  'File ID;Claim #;Adjuster;Date of Loss;Policy #;Address;City;State;Zip;Last Name;First Name;Phone;Code';
const row = (id: string, changes: { date?: string; zip?: string } = {}): string =>
  `${id};FL-${id};SVC-1;${changes.date ?? '8/27/2026'};0087;1 Sea Lane;Sanibel;FL;${changes.zip ?? '08260'};Müller;Ann;239;x`;

const COLUMNS = {
  ...{ 'File ID': 'external_id', 'Claim #': 'claim_number', Adjuster: 'adjuster_svc_id' },
  ...{ 'Date of Loss': 'loss.date', 'Policy #': 'policy.number', Address: 'loss_location.street' },
  ...{ City: 'loss_location.city', State: 'loss_location.state', Zip: 'loss_location.zip' },
  ...{ 'Last Name': 'policyholder.last_name', 'First Name': 'policyholder.first_name' },
  ...{ Phone: 'policyholder.phone', Code: null },
};

async function fileOf(name: string, ...rows: string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, Buffer.from([HEADER, ...rows].join('\r\n'), 'latin1'));
  return path;
}

const service = () => recording(({ body }) => jsonResponse(201, claimJson(body)));

it('claims import writes the columns that it knows, and sends the rows once they were checked', async () => {
  const file = await fileOf('claims.csv', row('A-1'), row('A-2'));
  const columns = join(folder, 'columns.json');
  const { service: reply, requests } = service();
  const args = ['import', file, '--columns', columns, '--set', 'carrier.name=Palmetto'];
  const first = await claims(args, { service: reply });
  expect([first.code, requests.length]).toEqual([0, 0]);
  expect(first.stderr).toContain('check them, and run the command again');
  expect(JSON.parse(await readFile(columns, 'utf8'))).toEqual(COLUMNS);
  // A file of another day has a column more.
  const { Zip: _, ...known } = JSON.parse(await readFile(columns, 'utf8'));
  await writeFile(columns, JSON.stringify(known));
  const second = await claims(args, { service: reply });
  expect([second.code, second.stderr, second.stdout]).toEqual([0, '', expect.stringContaining('2 sent')]);
  expect(JSON.parse(await readFile(columns, 'utf8'))).toEqual(known);
  expect(requests.map(({ body }) => body)).toMatchObject([
    {
      external_id: 'A-1',
      loss: { date: '2026-08-27' },
      loss_location: { zip: '08260' },
      policyholder: { last_name: 'Müller' },
    },
    { external_id: 'A-2', carrier: { name: 'Palmetto' } },
  ]);
  await claims(args, { service: reply });
  const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
  expect(keys.slice(2)).toEqual(keys.slice(0, 2));
});

it('a dry run names every problem by row and column, needs no key, and sends nothing', async () => {
  const file = await fileOf(
    'problems.csv',
    row('B-1'),
    row('B-2', { zip: '8260' }),
    row('B-3', { date: '2/30/2026', zip: '1' }),
  );
  const { service: reply, requests } = service();
  const args = ['import', file, '--set', 'carrier.name=Palmetto'];
  const dry = await claims([...args, '--dry-run', '--json'], { service: reply, env: {} });
  expect([dry.code, dry.stderr]).toEqual([1, '']);
  const zip = {
    ...{ column: 'Zip', field: 'loss_location.zip' },
    detail: expect.stringMatching(/^Must be a ZIP code of five digits/),
  };
  const detail = 'Is not a date with the month first, as in this column.';
  expect(JSON.parse(dry.stdout)).toEqual({
    ...{ columns: COLUMNS, problems: [], lines: 3, rows: 3 },
    invalid_rows: [
      { row: 3, external_id: 'B-2', problems: [zip] },
      { row: 4, external_id: 'B-3', problems: [{ column: 'Date of Loss', field: 'loss.date', detail }, zip] },
    ],
  });
  const refused = await claims(args, { service: reply });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Nothing was sent')]);
  expect(refused.stdout).toMatch(
    /\nrow 3 {2}B-2\n {2}Zip → loss_location\.zip: Must be a ZIP code.*\nrow 4 {2}B-3\n {2}Date of Loss → .*\n {2}Zip → .*\n1 of 3 rows are claims without problems\n$/s,
  );
  const isSame = { code: 1, stdout: dry.stdout };
  for (const more of [[], ['--dry-run', '--skip-invalid']])
    expect(await claims([...args, '--json', ...more], { service: reply })).toMatchObject(isSame);
  expect(requests).toEqual([]);
  const skipping = await claims([...args, '--skip-invalid'], { service: reply });
  const json = await claims([...args, '--skip-invalid', '--json'], { service: reply });
  const outcomes = jsonLines(json.stdout).map(
    ({ line, external_id: id, outcome }) => `${line} ${id} ${outcome}`,
  );
  expect(outcomes).toEqual(['2 B-1 sent', '3 B-2 failed', '4 B-3 failed']);
  expect([skipping.code, skipping.stdout]).toEqual([1, expect.stringContaining('1 sent, 2 failed')]);
  expect(skipping.stdout).toMatch(
    /^row 2 {2}sent .*\nrow 3 {2}failed {8}B-2\n {2}Zip → loss_location\.zip: .*\nrow 4 .*\n {2}Date of Loss → loss\.date: .*; Zip → /,
  );
});

it.each([
  [['--set', 'carrier'], 'Must be a field and its value'],
  [['--set', '=Palmetto'], 'Must be a field and its value'],
  [['--columns', 'broken.json'], 'broken.json must be a JSON object with the field of each column'],
  [['--columns', 'list.json'], 'list.json must be a JSON object with the field of each column'],
  [['--encoding', 'utf-8'], 'is not utf-8'],
  [['--delimiter', 'comma'], 'usage.csv: The header has one column'],
])('wrong usage is an error of its own: %j', async (more, message) => {
  const file = await fileOf('usage.csv', row('C-1'));
  await writeFile(join(folder, 'broken.json'), '{"Claim #": 1, "Zip": null}');
  await writeFile(join(folder, 'list.json'), '["claim_number"]');
  const args = more.map((arg) => (arg.endsWith('.json') ? join(folder, arg) : arg));
  const { code, stderr } = await claims(['import', file, ...args], { service: service().service });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it('the order of dates is the one that is named, and no loss is later than today anywhere', async () => {
  const { service: reply, requests } = service();
  const file = await fileOf('dates.csv', row('T-1', { date: '8/7/2026' }));
  const args = ['import', file, '--set', 'carrier.name=Palmetto'];
  for (const order of ['mdy', 'dmy']) await claims([...args, '--dates', order], { service: reply });
  expect(requests.map(({ body }) => body.loss.date)).toEqual(['2026-08-07', '2026-07-08']);
  const dates = ['8/30/2026', '8/31/2026'].map((date, n) => row(`T-${n}`, { date }));
  // It is August 30 in Kiritimati from now on.
  const now = () => Date.UTC(2026, 7, 29, 10);
  const late = await claims(args.with(1, await fileOf('late.csv', ...dates)).concat('--dry-run', '--json'), {
    now,
  });
  expect(JSON.parse(late.stdout).invalid_rows).toMatchObject([
    { row: 3, problems: [{ detail: 'Is in the future.' }] },
  ]);
  const more = ['--set', 'policyholder.email=a@b', '--set', 'instructions=a=b', '--dates', 'mdy'];
  await claims([...args, ...more], { service: reply });
  expect(requests.at(-1)?.body).toMatchObject({
    ...{ carrier: { name: 'Palmetto' }, policyholder: { email: 'a@b' }, instructions: 'a=b' },
  });
});

it('a dry run shows the field of each column, and that cells have line breaks', async () => {
  const path = join(folder, 'breaks.csv');
  await writeFile(path, `${HEADER};Notes\n${row('F-1')};"two\nlines"`);
  const args = ['import', path, '--set', 'carrier.name=Palmetto', '--dry-run'];
  const { stdout } = await claims(args, { env: {} });
  const unfit = await claims([...args, '--set', 'policyholder.email=x'], { env: {} });
  expect(unfit.stdout).toContain('\nrow 2  F-1\n  policyholder.email: Must be an email');
  expect(stdout.split('\n').slice(-7)).toEqual([
    ...['Phone         policyholder.phone', 'Notes         instructions', 'Code          (left out)', ''],
    '2 lines with text are 1 rows: some cells have line breaks',
    ...['1 of 1 rows are claims without problems', ''],
  ]);
  await writeFile(path, `${HEADER}\n${row('')}`);
  expect((await claims(args, { env: {} })).stdout).toContain('\nrow 2\n  File ID → external_id: ');
  const unnamed = await claims([...args, '--json'], { env: {} });
  expect(JSON.parse(unnamed.stdout).invalid_rows[0].external_id).toBeNull();
  await writeFile(path, `${HEADER}\n${row('F-2')};y`);
  expect((await claims(args, { env: {} })).stdout).toContain('\nrow 2  F-2\n  The row has 14 cells, ');
  const columns = join(folder, 'wrong.json');
  await writeFile(columns, '{"Zip\\u001b": "zipp"}');
  const wrong = await claims([...args, '--columns', columns], { env: {} });
  expect(wrong.stdout).toContain('Zip\ufffd: "zipp" is not a field of a claim.\n');
});

it('a file has at most 32 MB and 50,000 rows', async () => {
  const refused = async (stdin: string) =>
    (await claims(['import', '-', '--dry-run'], { stdin, env: {} })).stderr;
  const files = [0, 1].flatMap((more) => [
    `a,b\n${'1,2\n'.repeat(50_000 + more)}`,
    'x'.repeat(32 * 2 ** 20 + more),
  ]);
  expect(await Promise.all(files.map(refused))).toEqual([
    '',
    expect.stringContaining('one column'),
    expect.stringContaining('more than 50,000 rows'),
    'claims: - is larger than 32 MB: split it\n',
  ]);
});

it('what the file does not show is asked, with how to answer it', async () => {
  const path = join(folder, 'questions.csv');
  const header = `${HEADER};Insured Phone;Insured Home Phone`.replace('Phone;Code', 'Tel;Code');
  await writeFile(path, `Claims of August\r\n${header}\r\n${row('D-1')};239;305`);
  const args = ['import', path, '--set', 'carrier.name=Palmetto', '--dry-run'];
  const { service: reply } = service();
  const titled = await claims(args, { service: reply, env: {} });
  expect([titled.code, titled.stdout]).toEqual([1, expect.stringMatching(/\nRow 1 .* row 2 does: choose/)]);
  const skipping = await claims(args.with(-1, '--skip-invalid'), { service: reply });
  expect([skipping.code, skipping.stdout]).toEqual([1, titled.stdout]);
  expect(skipping.stderr).toMatch(/^Nothing was sent/);
  const asked = await claims([...args, '--header-row', '2'], { service: reply, env: {} });
  expect([asked.code, asked.stdout, asked.stdout, asked.stderr]).toEqual([
    1,
    expect.not.stringContaining('rows are claims'),
    expect.stringContaining('"Insured Phone", "Insured Home Phone" may have the field policyholder.phone'),
    expect.stringContaining('named with --columns'),
  ]);
  const { stdout, stderr } = await claims([...args, '--header-row', '2', '--json'], { env: {} });
  const phones = { columns: ['Insured Phone', 'Insured Home Phone'], fields: ['policyholder.phone'] };
  expect([JSON.parse(stdout).problems, stderr]).toEqual([[expect.objectContaining(phones)], asked.stderr]);
  const columns = join(folder, 'answers.json');
  const unanswered = await claims([...args, '--header-row', '2', '--columns', columns], { env: {} });
  expect(unanswered.stderr).toContain(`write the field of each column into ${columns}, and null`);
  expect(JSON.parse(await readFile(columns, 'utf8'))).toEqual({ ...COLUMNS, Phone: undefined, Tel: null });
  await writeFile(columns, '{"Insured Phone": "policyholder.phone", "Insured Home Phone": null}');
  const answered = await claims([...args, '--header-row', '2', '--columns', columns], {
    service: reply,
    env: {},
  });
  expect([answered.code, answered.stdout]).toEqual([0, expect.stringContaining('1 of 1 rows are claims')]);
});

it('an encoding that is not certain is asked with a sample of each', async () => {
  const path = join(folder, 'mac.csv');
  await writeFile(
    path,
    Buffer.from([HEADER, row('E-1').replace('Müller', 'Garc\x92a')].join('\r\n'), 'latin1'),
  );
  const args = ['import', path, '--set', 'carrier.name=Palmetto', '--dry-run'];
  const asked = await claims(args, { service: service().service, env: {} });
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringMatching(/macintosh \(García\).*--encoding/)]);
  const named = await claims([...args, '--encoding', 'macintosh'], { service: service().service, env: {} });
  expect(named.code).toBe(0);
});

it('a workbook is read as its table in CSV is, from the sheet that is named, and hidden rows are said', async () => {
  const lines = ['Claims;of August', HEADER, row('W-1').replace(/x$/, 'a\nb'), row('W-2', { zip: '8260' })];
  const table = lines.map((line) => line.split(';'));
  const xml = sheetXml(table).replace(/<row>(?=(?:(?!<row>).)*$)/, '<row hidden="1">');
  const path = join(folder, 'claims.xlsx');
  await writeFile(
    path,
    workbookOf({
      sheets: [
        { name: 'Cover', rows: [['a', 'b']] },
        { name: 'August', xml },
      ],
    }),
  );
  const args = ['import', path, '--set', 'carrier.name=Palmetto', '--dry-run', '--json', '--header-row', '2'];
  const { service: reply, requests } = service();
  const dry = await claims([...args, '--sheet', 'August', '--delimiter', 'comma'], {
    service: reply,
    env: {},
  });
  expect([dry.code, dry.stderr]).toEqual([1, 'Rows that Excel hides are read like the others: 1.\n']);
  const csv = join(folder, 'same.csv');
  await writeFile(csv, table.map((cells) => cells.join(',').replace(/a\nb/, '"$&"')).join('\n'));
  const same = await claims(args.with(1, csv), { service: reply, env: {} });
  // Of a workbook each row counts as one line.
  expect({ ...JSON.parse(dry.stdout), lines: 3 }).toEqual(JSON.parse(same.stdout));
  const invalid = { lines: 2, rows: 2, invalid_rows: [{ row: 4, external_id: 'W-2' }] };
  expect(JSON.parse(dry.stdout)).toMatchObject(invalid);
  const refused = await claims([...args.toSpliced(4, 1), '--sheet', 'August'], { service: reply });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Rows .*\nNothing was/) });
  expect(requests).toEqual([]);
  const unknown = await claims([...args, '--sheet', 'July'], { service: reply, env: {} });
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Its sheets: Cover, August.')]);
  const wrong = await claims([...args.with(1, csv), '--sheet', 'July'], { service: reply, env: {} });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--sheet is for Excel workbooks')]);
});

it('claims are sent as concurrently as is said, and by default four at a time', async () => {
  const file = await fileOf('many.csv', ...Array.from({ length: 12 }, (_, n) => row(`M-${n}`)));
  const lines = Array.from({ length: 12 }, (_, n) => claimLine(n)).join('\n');
  const most = async (expected: number, ...args: string[]): Promise<number> => {
    let [now, found] = [0, 0];
    let allowResponses = () => {};
    const canRespond = new Promise<void>((resolve) => {
      allowResponses = resolve;
      // Fewer requests than expected get their responses, too.
      setTimeout(resolve, 10_000).unref();
    });
    await claims(args, {
      stdin: lines,
      async service({ body }) {
        found = Math.max(found, ++now);
        if (found >= expected) allowResponses();
        await canRespond;
        for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return jsonResponse(201, claimJson(body));
      },
    });
    return found;
  };
  const more = ['--concurrency', '7'];
  const importing = ['import', file, '--set', 'carrier.name=Palmetto'];
  const found = [
    most(4, 'send', '-'),
    most(7, 'send', '-', ...more),
    most(4, ...importing),
    most(7, ...importing, ...more),
  ];
  expect(await Promise.all(found)).toEqual([4, 7, 4, 7]);
});
