import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LIMITS } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import { cell, sheetXml, workbookOf } from '../../../packages/csv-import/test/workbook-file.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { expectValidationErrors, listClaims, outcome } from './firm-calls.ts';
import { expectProblem } from './problem-shape.ts';
import { type ServiceUnderTest, startServiceUnderTest, type TestFirm } from './service-under-test.ts';

let service: ServiceUnderTest;
let firm: TestFirm;
let dispatcher: string;
beforeAll(async () => {
  service = await startServiceUnderTest();
  firm = await service.firm();
  dispatcher = await tokenOf('dispatcher');
});
afterAll(() => service?.stop());

const tokenOf = async (role: 'dispatcher' | 'auditor' | 'developer', of = firm): Promise<string> =>
  (await operatorOf(service.service.services).staff(of.id, role)).token;

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
  const name = 'Known by name';
  const dry = await importing({ text, dry_run: true, name });
  expect(outcome(dry)).toEqual([200]);
  expect(dry.json).toMatchObject({
    dry_run: true,
    columns: { 'Claim #': 'claim_number', Zip: 'loss_location.zip', Code: null },
    total_rows: 2,
    next_row: null,
    problems: [],
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
  // Another file with the name has what it remembers of its columns, and the rest by name.
  const remembered = { 'Policy #': null, a: 'claim_number' };
  await importing({ text: 'Policy #|a\n1|2', dry_run: true, name: 'Other', columns: remembered });
  const other = await importing({ text, dry_run: true, name: 'Other' });
  expect(other.json.columns).toMatchObject({
    'Policy #': null,
    'Claim #': 'claim_number',
    Zip: 'loss_location.zip',
  });
  // The columns of the first one: without any that is required.
  const again = await importing({ text, dry_run: true });
  expect(again.json).toMatchObject({ columns, rows: [] });
  const live = await importing({ text, dry_run: true, environment: undefined });
  expect(live.json.environment).toBe('live');
});

test('rows are sent in parts as the staff member, and nothing is sent twice', async () => {
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
  const repeated = await importing({ text, name });
  expect(repeated.json.rows).toHaveLength(50);
  expect(repeated.json.rows).toEqual(
    first.json.rows.map((each: object) => ({ ...each, outcome: 'already_sent' })),
  );
  const [claim] = (await listClaims(service, firm.test, 'external_id=RUN-7')).json.data;
  expect(claim).toMatchObject({ loss: { date: '2026-08-27' }, policy: { number: '0087' }, test: true });
  const { actions } = await operatorOf(service.service.services).audit(firm.id);
  expect(actions.has(`claims.import import:${import_id}`)).toBe(true);
  expect(actions.has(`claim.send claim:${claim.id}`)).toBe(true);
});

test('two pages that send the same file at the same time, and a third that is killed, send each claim once', async () => {
  const text = csvOf(...Array.from({ length: 40 }, (_, n) => row(`TWICE-${n}`)));
  const killed = new AbortController();
  const body = JSON.stringify({ name: 'Killed', environment: 'test', dry_run: false, text });
  const headers = { Authorization: `Bearer ${dispatcher}`, 'Content-Type': 'application/json' };
  const sending = fetch(`${service.url}/firm/v1/imports`, {
    ...{ method: 'POST', headers, body, signal: killed.signal },
  });
  await eventually(
    () => listClaims(service, firm.test, 'external_id=TWICE-0'),
    ({ json }) => json.data.length === 1,
  );
  killed.abort();
  // It may have had its response by then.
  await sending.catch(() => {});
  const pages = await Promise.all([importing({ text, name: 'One' }), importing({ text, name: 'Two' })]);
  const rows = pages.flatMap(({ json }) => json.rows);
  expect(rows.filter(({ outcome: is }) => is !== 'sent' && is !== 'already_sent')).toEqual([]);
  expect(rows.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect(new Set(rows.map(({ claim_id }) => claim_id)).size).toBe(40);
  const another = await importing({ text, name: 'Three' });
  expect(new Set(another.json.rows.map(({ outcome: is }: { outcome: string }) => is))).toEqual(
    new Set(['already_sent']),
  );
});

test('a dry run names the rows whose adjuster could not be offered a claim', async () => {
  const named = ['SVC-unknown', firm.account.paused, firm.account.new, firm.account.manual];
  const text = csvOf(...named.map((adjuster, n) => row(`ADJ-${n}`, { adjuster })));
  const { json } = await importing({ text, dry_run: true, name: 'Adjusters' });
  const problem = (code: string) => ({
    outcome: 'invalid',
    problems: [{ column: 'Adjuster', field: 'adjuster_svc_id', code }],
  });
  expect(json.rows).toMatchObject([
    problem('unknown_osaid'),
    problem('adjuster_not_accepting'),
    problem('adjuster_not_in_firm'),
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
  const stranger = await tokenOf('dispatcher', await service.firm());
  expect((await service.call('GET', path, { as: stranger })).json.data).toEqual([]);
  const unclear = await importing({ name, text: parts[1], import_id, first_row: 4, dry_run: true });
  expect(unclear.json.rows).toMatchObject([{ outcome: 'invalid', problems: [{ field: 'loss.date' }] }]);
  const live = await importing({ ...options, text: parts[1], import_id, environment: 'live' });
  expectProblem(live, 422, 'validation_failed');
  expect(live.json.errors).toMatchObject([{ pointer: '/import_id' }]);
});

test('a dry run tells which external ids and open claim numbers exist', async () => {
  const sent = await importing({ text: csvOf(row('DUP-0'), row('DUP-1')), name: 'Existing' });
  const again = row('DUP-2').replace('FL-DUP-2', 'FL-DUP-0');
  const dry = await importing({
    text: csvOf(row('DUP-1'), again, row('DUP-3')),
    name: 'Existing',
    dry_run: true,
  });
  expect(dry.json.rows).toMatchObject([
    { outcome: 'already_sent', claim_id: sent.json.rows[1].claim_id, problems: [] },
    {
      outcome: 'invalid',
      claim_id: null,
      problems: [{ column: 'Claim #', code: 'duplicate_claim' }],
    },
    { outcome: 'valid' },
  ]);
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
  // A second carrier that also numbers from 1001.
  const other = row('COR-1')
    .replace('FL-COR-1', 'TX-9')
    .replace('Palmetto', 'Bayou')
    .replace('1 Sea Lane', '9 Bay Rd');
  const { json } = await importing({ text: csvOf(other), name, dry_run: true });
  expect(json.rows).toMatchObject([{ outcome: 'invalid' }]);
  expect(json.rows[0].problems.map(({ column }: { column: string }) => column)).toEqual([
    ...['File ID', 'Carrier', 'Address', 'Claim #'],
  ]);
  const [claim] = (await listClaims(service, firm.test, 'external_id=COR-1')).json.data;
  expect(claim.loss_location.zip).toBe('08260');
  // Sent by another system, the same content is the same claim.
  const { id, test, created_at, updated_at, assignment, ...content } = claim;
  const body = { ...content, external_id: 'COR-3', claim_number: 'FL-COR-3' };
  await service.call('POST', '/v1/claims', {
    as: firm.test,
    headers: { 'Idempotency-Key': 'COR-3' },
    body: { ...body, adjuster_svc_id: firm.account.manual },
  });
  const third = await importing({ text: csvOf(row('COR-3')), name });
  expect(third.json.rows).toMatchObject([{ outcome: 'already_sent', problems: [] }]);
});

test('a file of the largest number of rows can be sent as rows too', async () => {
  const line = row('MANY').split(';');
  const rows = [
    HEADER.split(';'),
    ...Array.from({ length: LIMITS.importRows }, (_, n) => [`M-${n}`, ...line.slice(1)]),
  ];
  const dry = await importing({ rows, dry_run: true, name: 'As rows' });
  expect(outcome(dry)).toEqual([200]);
  expect(dry.json).toMatchObject({ total_rows: LIMITS.importRows, problems: [] });
});

test('a file that is no table, or neither text nor rows, is an error that says what to change', async () => {
  for (const [body, pointer] of [
    [{}, '/text'],
    [{ text: 'a,b', rows: [['a', 'b']] }, '/rows'],
    [{ text: 'a\n1' }, '/text'],
    [{ rows: [] }, '/rows'],
    [{ rows: [['a'], ['1', 2]] }, '/rows/1'],
    [{ text: `a,b\n${`${','.repeat(999)}\n`.repeat(900)}` }, '/text'],
  ] as const) {
    const response = await importing(body);
    expectProblem(response, 422, 'validation_failed');
    expect(response.json.errors).toMatchObject([{ pointer }]);
  }
  const rows = [
    ['a;b', 'b "quoted"'],
    ['1', '2\n3'],
  ];
  expect((await importing({ rows, dry_run: true })).json).toMatchObject({ header: rows[0], total_rows: 1 });
  const text = 'a;b,c,d\n1;2';
  const named = await importing({ text, delimiter: 'semicolon', dry_run: true });
  expect([named.json.header, (await importing({ text, dry_run: true })).json.header]).toEqual([
    ['a', 'b,c,d'],
    ['a;b', 'c', 'd'],
  ]);
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
  const again = await importing(body);
  expect(again.json.rows).toMatchObject([{ outcome: 'already_sent' }, {}]);
  const [claim] = (await listClaims(service, firm.test, 'external_id=BOOK-1')).json.data;
  expect(claim).toMatchObject({ loss: { date: '2026-08-27' }, policy: { number: '0087' } });

  for (const [wrong, pointer] of [
    [{ workbook, text: 'a,b' }, '/workbook'],
    [{ text: 'a,b', sheet: 'Claims' }, '/sheet'],
    [{ workbook, sheet: '__proto__' }, '/sheet'],
    [{ workbook: 'a b' }, '/workbook'],
    [{ workbook: 'QUJD' }, '/workbook'],
    [{ workbook: Buffer.from('%PDF').toString('base64') }, '/workbook'],
  ] as const) {
    const response = await importing(wrong);
    expectProblem(response, 422, 'validation_failed');
    expect(response.json.errors).toMatchObject([{ pointer }]);
  }
});

test('a workbook that becomes large once it is unpacked is refused, and other requests are served in between', async () => {
  const xml = sheetXml([]).replace('</sheetData>', `${' '.repeat(20_000_000)}</sheetData>`);
  const bomb = Buffer.from(workbookOf({ sheets: [{ xml }] })).toString('base64');
  let isOver = false;
  const bombs = Promise.all([bomb, bomb].map((workbook) => importing({ workbook }))).finally(() => {
    isOver = true;
  });
  let served = 0;
  while (!isOver) {
    expect(outcome(await service.call('GET', '/firm/v1/me', { as: dispatcher }))).toEqual([200]);
    served += 1;
  }
  expect(served).toBeGreaterThan(0);
  for (const response of await bombs)
    expect(response.json.errors).toMatchObject([
      { pointer: '/workbook', detail: expect.stringContaining('unpacked') },
    ]);
});

test('an import belongs to its firm, and needs the permission and a plan with which claims are sent', async () => {
  const { json } = await importing({ text: csvOf(row('OWN-1')), dry_run: true });
  const other = await service.firm({ plan: 'read_only' });
  const stranger = await tokenOf('dispatcher', other);
  const path = `/firm/v1/imports/${json.id}`;
  expectProblem(await service.call('GET', path, { as: stranger }), 404, 'not_found');
  const text = csvOf(row('OWN-2'));
  expectProblem(await importing({ text, dry_run: true, import_id: json.id }, stranger), 404, 'not_found');
  expectProblem(await importing({ text }, stranger), 403, 'not_in_plan');
  expectProblem(await importing({ text }, await tokenOf('developer')), 403, 'insufficient_scope');
  const auditor = await tokenOf('auditor');
  expect(outcome(await service.call('GET', path, { as: auditor }))).toEqual([200]);
  expectProblem(await importing({ text }, auditor), 403, 'insufficient_scope');
});

test('an adjuster is named as the desk shows them, and a name that several have is a problem', async () => {
  const live = await service.firm();
  const as = await tokenOf('dispatcher', live);
  const [one, first, second] = [
    await service.member(live),
    await service.member(live),
    await service.member(live),
  ];
  const { json: list } = await service.call('GET', '/firm/v1/adjusters?environment=live', { as });
  const contactOf = ({ svcId }: { svcId: string }) =>
    list.data.find(({ svc_id }: { svc_id: string }) => svc_id === svcId);
  const { name, email } = contactOf(one);
  const isShared = contactOf(first).name === contactOf(second).name;
  const named = [name, email.toUpperCase(), one.svcId, 'Nobody Atall'];
  const text = csvOf(...named.map((adjuster, n) => row(`NAME-${n}`, { adjuster })));
  const { json } = await importing({ text, dry_run: true, name: 'Names', environment: 'live' }, as);
  const unknown = { outcome: 'invalid', problems: [{ column: 'Adjuster', code: 'unknown_osaid' }] };
  const named1 = isShared
    ? {
        outcome: 'invalid',
        problems: [{ field: 'adjuster_svc_id', detail: expect.stringContaining(one.svcId) }],
      }
    : { outcome: 'valid' };
  expect(json.rows).toMatchObject([named1, { outcome: 'valid' }, { outcome: 'valid' }, unknown]);
});

test('rows without an adjuster get the one that is given for their number, and are known again once they were sent', async () => {
  const text = csvOf(row('GIVE-1', { adjuster: '' }), row('GIVE-2'), row('GIVE-3', { adjuster: '' }));
  const outcomes = async (more: object) => {
    const { json } = await importing({ text, name: 'Given', ...more });
    return json.rows.map((one: { outcome: string; needs_adjuster: unknown }) => [
      one.outcome,
      one.needs_adjuster,
    ]);
  };
  const place = { zip: expect.stringMatching(/^\d{5}$/), state: 'FL', form_type: null };
  expect(await outcomes({ dry_run: true })).toEqual([
    ['invalid', place],
    ['valid', null],
    ['invalid', place],
  ]);
  const adjusters = { [firm.account.manual]: [2, 3] };
  expect(await outcomes({ dry_run: true, adjusters })).toEqual([
    ['valid', null],
    ['valid', null],
    ['invalid', place],
  ]);
  expect(await outcomes({ adjusters })).toEqual([
    ['sent', null],
    ['sent', null],
    ['invalid', place],
  ]);
  // By a page that was killed and does not know who got them.
  for (const dry_run of [true, false])
    expect(await outcomes({ dry_run, adjusters: {} })).toEqual([
      ['already_sent', null],
      ['already_sent', null],
      ['invalid', place],
    ]);
  const other = { [firm.account.accepts]: [2, 4] };
  expect(await outcomes({ adjusters: other })).toEqual([
    ['already_sent', null],
    ['already_sent', null],
    ['sent', null],
  ]);
  const sent = (await listClaims(service, firm.test, 'external_id=GIVE-1')).json.data;
  expect(sent).toMatchObject([{ assignment: { adjuster_svc_id: firm.account.manual } }]);
  expectValidationErrors(await importing({ text, adjusters: { A: ['2'] } }), '/adjusters/A/0');
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

test('a quote that swallows rows, and titles above the header, are seen in the check', async () => {
  const lines = [row('Q-1'), row('Q-2'), row('Q-3'), row('Q-4')];
  const [first = '', second = '', third = '', fourth = ''] = lines;
  const quoted = [first, second.replace('Müller', '"Müller'), third.replace('Müller & Co', '6"'), fourth];
  const { json } = await importing({ text: csvOf(...quoted), dry_run: true, name: 'Quotes' });
  expect([json.lines, json.total_rows]).toEqual([4, 3]);
  expect(json.rows).toMatchObject([
    { external_id: 'Q-1', outcome: 'valid' },
    { external_id: 'Q-2', problems: [{ detail: expect.stringContaining('one of them looks like a row') }] },
    { external_id: 'Q-4', outcome: 'valid' },
  ]);
  const titled = `Claims; of August\r\n\r\n${csvOf(...lines)}`;
  const unclear = await importing({ text: titled, dry_run: true, name: 'Titles' });
  expect(unclear.json).toMatchObject({ likely_header_row: 3, rows: [], problems: [{}] });
  const chosen = await importing({ text: titled, dry_run: true, name: 'Titles', header_row: 3 });
  expect(chosen.json).toMatchObject({ total_rows: 4, problems: [], rows: [{ row: 4 }, { row: 5 }, {}, {}] });
  for (const file of [{ text: titled }, { rows: [['Claims'], ['a', 'b']] }])
    expectValidationErrors(
      await importing({ ...file, dry_run: true, name: 'Titles', header_row: 99 }),
      '/header_row',
    );
});
