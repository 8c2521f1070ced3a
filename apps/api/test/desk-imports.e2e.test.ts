import { expect, test } from '@jest/globals';
import { LIMITS } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import { cell, workbookOf } from '../../../packages/csv-import/test/workbook-file.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { DAY, expectValidationErrors, listClaims, outcome } from './firm-calls.ts';
import { type ApiResponse, startServiceUnderTest } from './service-under-test.ts';

/** From noon in UTC on: elsewhere the next day has begun. */
const untilNoon = DAY / 2 - (Date.now() % DAY);
const clock = { now: () => Date.now() + untilNoon };
const service = await startServiceUnderTest({ clock });
const firm = await service.firm();
const dispatcher = await service.staff(firm, 'dispatcher');

const HEADER =
  'File ID;Claim #;Adjuster;Date of Loss;Policy #;Carrier;Address;City;State;Zip;Business Name;Phone;Code';
const row = (
  id: string,
  { zip = '08260', adjuster = firm.account.manual }: { zip?: string; adjuster?: string } = {},
): string =>
  `${id};FL-${id};${adjuster};8/27/2026;0087;Palmetto;1 Sea Lane;Sanibel;FL;${zip};Müller & Co;239;x`;
const csvOf = (...rows: string[]): string => [HEADER, ...rows].join('\r\n');

const importing = (body: Readonly<Record<string, unknown>>, as = dispatcher) =>
  service.call('POST', '/firm/v1/imports', {
    as,
    body: { name: 'Monday export', environment: 'test', dry_run: false, ...body },
  });

const outcomesOf = ({ json }: ApiResponse): string[] =>
  json.rows.map((one: { outcome: string }) => one.outcome);

test('a dry run names each problem by row and column and sends nothing, and its columns are remembered', async () => {
  const text = csvOf(row('DRY-1'), row('DRY-2', { zip: '8260' }));
  const columns = {
    ...Object.fromEntries(HEADER.split(';').map((name) => [name, null])),
    'File ID': 'external_id',
  };
  const unmapped = await importing({ text, dry_run: true, columns });
  expect(unmapped.json.problems).toContainEqual({
    ...{ column: null, columns: [], fields: [] },
    detail: expect.stringContaining('required field claim_number'),
  });
  // The columns of the first one: without any that is required.
  const again = await importing({ text, dry_run: true, environment: undefined });
  expect(again.json).toMatchObject({ columns, rows: [], environment: 'live' });
  const dry = await importing({ text, dry_run: true, name: 'Known by name' });
  expect(outcome(dry)).toEqual([200]);
  expect(dry.json).toMatchObject({
    dry_run: true,
    columns: { 'Claim #': 'claim_number', Zip: 'loss_location.zip', Code: null },
    ...{ total_rows: 2, lines: 2, next_row: null, problems: [] },
    rows: [
      { row: 2, external_id: 'DRY-1', outcome: 'valid', claim_id: null, problems: [] },
      {
        row: 3,
        external_id: 'DRY-2',
        outcome: 'invalid',
        problems: [
          {
            ...{ column: 'Zip', field: 'loss_location.zip', code: null },
            detail: expect.stringContaining('first zero'),
          },
        ],
      },
    ],
  });
  expect((await listClaims(service, firm.test, 'external_id=DRY-1')).json.data).toEqual([]);
});

test('a loss may be of the day that has begun first anywhere, and of no later one', async () => {
  const text = csvOf(
    ...[1, 2].map((days) => {
      const date = new Date(clock.now() + days * DAY).toISOString().slice(0, 10);
      return row(`DAY-${days}`).replace('8/27/2026', date);
    }),
  );
  const { json } = await importing({ text, dry_run: true, name: 'Days' });
  expect(json.rows).toMatchObject([
    { outcome: 'valid' },
    { outcome: 'invalid', problems: [{ field: 'loss.date' }] },
  ]);
});

test('rows are sent in parts as the staff member', async () => {
  const text = csvOf(
    ...Array.from({ length: 60 }, (_, n) => row(`RUN-${n}`)),
    row('RUN-X', { adjuster: 'SVC-unknown' }),
    row('RUN-Y', { zip: '1' }),
  );
  const name = 'In parts';
  const first = await importing({ text, name });
  expect(first.json).toMatchObject({ total_rows: 62, next_row: 52 });
  const { id: import_id, next_row: from_row } = first.json;
  const second = await importing({ text, name, import_id, from_row });
  expect(second.json).toMatchObject({ id: import_id, next_row: null });
  const outcomes = [...first.json.rows, ...second.json.rows];
  expect(outcomes.filter(({ outcome: is }) => is === 'sent')).toHaveLength(60);
  expect(outcomes.slice(60)).toMatchObject([
    {
      external_id: 'RUN-X',
      outcome: 'failed',
      problems: [
        {
          column: 'Adjuster',
          field: 'adjuster_svc_id',
          code: 'unknown_osaid',
          detail: expect.stringMatching(/^No adjuster/),
        },
      ],
    },
    { external_id: 'RUN-Y', outcome: 'invalid', problems: [{ column: 'Zip' }] },
  ]);
  const { json: progress } = await service.call('GET', `/firm/v1/imports/${import_id}`, { as: dispatcher });
  expect(progress).toMatchObject({ name, sent: 60, already_sent: 0, failed: 2, next_row: null });
  const [claim] = (await listClaims(service, firm.test, 'external_id=RUN-7')).json.data;
  expect(claim).toMatchObject({ loss: { date: '2026-08-27' }, policy: { number: '0087' }, test: true });
  const { actions } = await operatorOf(service.service.services).audit(firm.id);
  expect(actions.has(`claims.import import:${import_id}`)).toBe(true);
  expect(actions.has(`claim.send claim:${claim.id}`)).toBe(true);
});

test('a dry run names the rows that could not be sent: by their adjuster, or by a claim that exists', async () => {
  const sent = await importing({ text: csvOf(row('DUP-0'), row('DUP-1')), name: 'Existing' });
  const { unknown, paused } = { unknown: 'SVC-unknown', paused: firm.account.paused };
  const text = csvOf(
    ...[unknown, paused, firm.account.new].map((adjuster, n) => row(`ADJ-${n}`, { adjuster })),
    ...[row('DUP-1'), row('DUP-2').replace('FL-DUP-2', 'FL-DUP-0'), row('DUP-3')],
  );
  const { json } = await importing({ text, dry_run: true, name: 'Existing' });
  const problem = (column: string, field: string, code: string) => ({
    outcome: 'invalid',
    claim_id: null,
    problems: [{ column, field, code }],
  });
  expect(json.rows).toMatchObject([
    ...['unknown_osaid', 'adjuster_not_accepting', 'adjuster_not_in_firm'].map((code) =>
      problem('Adjuster', 'adjuster_svc_id', code),
    ),
    { outcome: 'already_sent', claim_id: sent.json.rows[1].claim_id, problems: [] },
    problem('Claim #', 'claim_number', 'duplicate_claim'),
    { outcome: 'valid', problems: [] },
  ]);
});

test('a large file is imported in parts, with its own row numbers, and its rows are counted once', async () => {
  const name = 'Large';
  const parts = [csvOf(row('LARGE-1'), row('LARGE-2')), csvOf(row('LARGE-3'))];
  const options = { name, date_order: 'mdy', file_name: 'Large 2026-11-28.csv' };
  const first = await importing({ ...options, text: parts[0], first_row: 2 });
  const { id: import_id } = first.json;
  for (let times = 0; times < 2; times += 1) {
    const { json } = await importing({ ...options, text: parts[1], import_id, first_row: 4 });
    expect(json).toMatchObject({ id: import_id, next_row: null, rows: [{ row: 4, external_id: 'LARGE-3' }] });
  }
  const { json } = await service.call('GET', `/firm/v1/imports/${import_id}`, { as: dispatcher });
  expect(json).toMatchObject({ total_rows: 3, sent: 3, already_sent: 0, failed: 0 });
  // The list has those that have sent rows, and none of another firm.
  const path = '/firm/v1/imports?environment=test';
  const { json: list } = await service.call('GET', `${path}&limit=1`, { as: dispatcher });
  expect(list).toMatchObject({ data: [json], next_cursor: expect.any(String) });
  const cursor = encodeURIComponent(list.next_cursor);
  const next = await service.call('GET', `${path}&limit=1&cursor=${cursor}`, { as: dispatcher });
  expect(next.json.data[0].id).not.toBe(import_id);
  const live = await importing({ ...options, text: parts[1], import_id, environment: 'live' });
  expectValidationErrors(live, '/import_id');
});

test('the check and the sending of a claim that exists with other content name what differs, and only the same content was sent before', async () => {
  const name = 'Corrected';
  const sent = await importing({ text: csvOf(row('COR-1'), row('COR-2')), name });
  const corrected = csvOf(row('COR-1', { zip: '33931' }), row('COR-2'));
  for (const dry_run of [true, false]) {
    const { json } = await importing({ text: corrected, name, dry_run });
    const { claim_id } = sent.json.rows[0];
    expect(json.rows).toMatchObject([
      {
        ...{ outcome: dry_run ? 'invalid' : 'failed', claim_id },
        problems: [
          {
            column: 'File ID',
            field: 'external_id',
            detail: expect.stringContaining('fields that differ: 1'),
          },
          { column: 'Zip', field: 'loss_location.zip', detail: expect.stringContaining('has "08260" here') },
        ],
      },
      { outcome: 'already_sent', problems: [] },
    ]);
  }
  const [claim] = (await listClaims(service, firm.test, 'external_id=COR-1')).json.data;
  expect(claim.loss_location.zip).toBe('08260');
});

test('a file of the largest number of rows can be sent as rows too', async () => {
  const line = row('MANY').split(';');
  const rows = [
    HEADER.split(';'),
    ...Array.from({ length: LIMITS.importRows }, (_, n) => [`M-${n}`, ...line.slice(1)]),
  ];
  // Like a page, it repeats a 503: a busy machine can miss the deadline of a file this large.
  const dry = await eventually(
    () => importing({ rows, dry_run: true, name: 'As rows' }),
    ({ status }) => status !== 503,
  );
  expect(outcome(dry)).toEqual([200]);
  expect(dry.json).toMatchObject({ total_rows: LIMITS.importRows, problems: [] });
});

test.each([
  [{}, '/text'],
  [{ text: 'a,b', rows: [['a', 'b']] }, '/rows'],
  [{ text: 'a\n1' }, '/text'],
  [{ rows: [] }, '/rows'],
  [{ rows: [['a'], ['1', 2]] }, '/rows/1'],
  [{ text: `a,b\n${`${','.repeat(999)}\n`.repeat(900)}` }, '/text'],
  [{ text: csvOf(row('TITLE-1')), header_row: 99 }, '/header_row'],
  [{ workbook: 'QUJD', text: 'a,b' }, '/workbook'],
  [{ text: 'a,b', sheet: 'Claims' }, '/sheet'],
  [{ workbook: 'a b' }, '/workbook'],
  [{ workbook: 'QUJD' }, '/workbook'],
  [{ text: csvOf(row('GIVE-0')), adjusters: { A: ['2'] } }, '/adjusters/A/0'],
])('a file that cannot be read is an error at its place, as in case %#', async (body, pointer) => {
  expectValidationErrors(await importing(body), pointer);
});

test('a workbook is checked and sent as the CSV file with its table is, from the sheet that is named', async () => {
  const name = 'Workbook';
  const table = csvOf(row('BOOK-1'), row('BOOK-2', { zip: '8260' }))
    .split('\r\n')
    .map((line) => line.split(';'));
  const [header = [], first = [], second = []] = table;
  const day = cell.number('46261', 1);
  const typed = first.map((one, n) => (n === 3 ? day : one));
  const bytes = workbookOf({
    sheets: [
      { name: 'Cover', rows: [['Claims of August', 'Palmetto']] },
      { name: 'Claims', rows: [['Claims of August'], [], header, typed, second] },
    ],
    formats: ['m/d/yyyy'],
  });
  const workbook = Buffer.from(bytes).toString('base64');
  const titled = await importing({ workbook, sheet: 'claims', name, dry_run: true });
  expect(titled.json).toMatchObject({ likely_header_row: 3, rows: [], problems: [{}] });
  const body = { workbook, sheet: 'Claims', header_row: 3, name };
  const asCsv = await importing({
    text: `\r\n\r\n${csvOf(row('BOOK-1'), row('BOOK-2', { zip: '8260' }))}`,
    dry_run: true,
    name: 'As CSV',
  });
  const dry = await importing({ ...body, dry_run: true });
  expect(dry.json.rows).toEqual(asCsv.json.rows);
  expect(dry.json.rows).toMatchObject([
    { row: 4, outcome: 'valid' },
    { row: 5, outcome: 'invalid', problems: [{ column: 'Zip' }] },
  ]);
  const sent = await importing(body);
  expect(sent.json.rows).toMatchObject([{ external_id: 'BOOK-1', outcome: 'sent' }, { outcome: 'invalid' }]);
  expect(outcomesOf(await importing(body))).toEqual(['already_sent', 'invalid']);
  expectValidationErrors(await importing({ workbook, sheet: '__proto__' }), '/sheet');
});

test('claims are checked with any plan, and sent with one that includes that', async () => {
  const as = await service.staff(await service.firm({ plan: 'read_only' }), 'dispatcher');
  const text = csvOf(row('PLAN-1'));
  expect(outcome(await importing({ text, dry_run: true }, as))).toEqual([200]);
  expect(outcome(await importing({ text }, as))).toEqual([403, 'not_in_plan']);
});

test('an adjuster is named as the desk shows them, and a name that several have is a problem', async () => {
  const live = await service.firm();
  const as = await service.staff(live, 'dispatcher');
  const [one, other] = [await service.member(live), await service.member(live)];
  const body = { last_name: 'Of-One-Name' };
  await service.call('PATCH', '/app/v1/me', { as: other.token, body });
  const twin = await service.member(live);
  const named = ['Jean Of-One-Name', `${one.svcId}@EXAMPLE.com`, 'Jean Delacroix', 'Nobody Atall'];
  const text = csvOf(...named.map((adjuster, n) => row(`NAME-${n}`, { adjuster })));
  const { json } = await importing({ text, dry_run: true, name: 'Names', environment: 'live' }, as);
  const detail = expect.stringMatching(`${one.svcId}.*${twin.svcId}`);
  expect(json.rows).toMatchObject([
    { outcome: 'valid' },
    { outcome: 'valid' },
    { outcome: 'invalid', problems: [{ field: 'adjuster_svc_id', detail }] },
    { outcome: 'invalid', problems: [{ column: 'Adjuster', code: 'unknown_osaid' }] },
  ]);
});

test('rows without an adjuster get the one that is given for their number, and are known again once they were sent', async () => {
  const text = csvOf(row('GIVE-1', { adjuster: '' }), row('GIVE-2'), row('GIVE-3', { adjuster: '' }));
  const place = { zip: '08260', state: 'FL', form_type: null };
  const outcomes = async (more: object) => {
    const { json } = await importing({ text, name: 'Given', ...more });
    return json.rows.map((one: { outcome: string; needs_adjuster: unknown }) => [
      one.outcome,
      ...(one.needs_adjuster === null ? [] : [one.needs_adjuster]),
    ]);
  };
  expect(await outcomes({ dry_run: true })).toEqual([['invalid', place], ['valid'], ['invalid', place]]);
  const adjusters = { [firm.account.manual]: [2, 3] };
  expect(await outcomes({ adjusters })).toEqual([['sent'], ['sent'], ['invalid', place]]);
  // By a page that was killed and does not know who got them.
  for (const dry_run of [true, false])
    expect(await outcomes({ dry_run, adjusters: {} })).toEqual([
      ...[['already_sent'], ['already_sent'], ['invalid', place]],
    ]);
  const sent = (await listClaims(service, firm.test, 'external_id=GIVE-1')).json.data;
  expect(sent).toMatchObject([{ assignment: { adjuster_svc_id: firm.account.manual } }]);
});

test('two columns for one field are a question, also for the next file, until a person has answered it', async () => {
  const text = csvOf(row('ASK-1')).replace('Phone', 'Insured Phone').replace('Code', 'Insured Home Phone');
  const question = {
    columns: ['Insured Phone', 'Insured Home Phone'],
    fields: ['policyholder.phone'],
  };
  const name = 'Questions';
  for (let times = 0; times < 2; times += 1) {
    const asked = await importing({ text, dry_run: true, name });
    expect(asked.json).toMatchObject({ problems: [question], rows: [] });
  }
  const { json } = await importing({ text, dry_run: true, name });
  const columns = { ...json.columns, 'Insured Phone': 'policyholder.phone' };
  expect((await importing({ text, dry_run: true, name, columns })).json).toMatchObject({ problems: [] });
  const again = await importing({ text, dry_run: true, name });
  expect(again.json).toMatchObject({
    problems: [],
    columns: { 'Insured Phone': 'policyholder.phone', 'Insured Home Phone': null },
  });
});
