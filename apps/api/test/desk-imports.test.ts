import { expect, test } from '@jest/globals';
import { endpoints, LIMITS } from '@svc/contract';
import { DomainError } from '@svc/domain';
import { type WorkbookOf, workbookOf } from '../../../packages/csv-import/test/workbook-file.ts';
import type { Services } from '../src/composition/container.ts';
import { requestFingerprint } from '../src/http/pipeline/fingerprint.ts';
import { deskImportRoutes } from '../src/http/routes/desk-imports.ts';
import { application, type Callers, FIRM, NOW, type Results } from './application.ts';

const VALUES: Readonly<Record<string, string>> = {
  ...{ external_id: 'X-1', claim_number: 'C-1', adjuster_svc_id: 'SVC-1', 'loss.date': '2026-08-27' },
  ...{
    'policy.number': 'P-1',
    'policy.form_type': '',
    'carrier.name': 'Bayou',
    'loss_location.street': '1 Elm St',
  },
  ...{ 'loss_location.city': 'Tampa', 'loss_location.state': 'FL', 'loss_location.zip': '33602' },
  ...{ 'policyholder.company_name': 'Reyes Inc', 'policyholder.phone': '813-555-0100' },
};
const HEADER = Object.keys(VALUES);
const COLUMNS = Object.fromEntries(HEADER.map((name) => [name, name]));
const SHEETS = [{ rows: [['a']] }, { name: 'S', rows: [HEADER, Object.values(VALUES)] }];
const base64Of = (one: WorkbookOf) => Buffer.from(workbookOf(one)).toString('base64');
const WORKBOOK = base64Of({ sheets: SHEETS });
const shared = `<si><t>${'x'.repeat(32_000)}</t></si>`;
const LONG = base64Of({ shared, sheets: [{ rows: [Array(126).fill({ xml: '<c t="s"><v>0</v></c>' })] }] });
const rowsOf = (count: number, width: number) => Array<string[]>(count).fill(Array(width).fill('a'));
const MANY = [rowsOf(LIMITS.importRows + 2, 2), rowsOf(LIMITS.importValues / 100 + 1, 100)];
const TOO_MANY = MANY.flatMap((rows): [string, object][] => [
  ['/text', { rows: undefined, text: rows.join('\n') }],
  ['/workbook', { rows: undefined, workbook: base64Of({ sheets: [{ rows }] }) }],
]);
const LARGE = base64Of({ shared: ' '.repeat(LIMITS.importWorkbookBytes), sheets: SHEETS.slice(1) });
const IMPORT_ID = '01980a5e-9b1c-7d2e-8f3a-4b5c6d7e8f91';
const IMPORT = {
  ...{ id: 'import', name: 'Monday', fileName: null, environment: 'live' },
  ...{ columns: {}, totalRows: 9, nextRow: 1 },
};

/** What an import of rows with these changes asks of the services, and responds. */
async function imported(
  changes: readonly Record<string, string>[],
  more: object = {},
  results: Results = {},
  staff: NonNullable<Callers['staff']> = {},
  now = NOW,
) {
  const ask = application<Services>(
    (use) => ({ routes: deskImportRoutes(Object.assign(use, { clock: { now: () => now } })) }),
    {
      ...{
        startImport: IMPORT,
        rememberedColumns: {},
        checkExisting: [],
        checkAdjusters: new Map(),
        sendImported: [],
      },
      ...results,
    },
    { staff },
  );
  const rows = [HEADER, ...changes.map((row) => Object.values({ ...VALUES, ...row }))];
  const body = { name: 'Monday', dry_run: true, rows, columns: COLUMNS, ...more };
  const { status, json, calls } = await ask('POST', '/firm/v1/imports', {
    headers: { authorization: 'Bearer staff' },
    body,
  });
  return {
    status,
    json,
    sent: (name: string) => calls.filter(([called]) => called === name).map(([, ...of]) => of),
  };
}

const actor = (environment: string) => ({
  ...{ firmId: FIRM, environment },
  origin: { requestId: expect.any(String), address: '192.0.2.1', staffId: 'staff-1' },
});
const row = (n: number, outcome: string, claim_id: string | null = null, problems: object[] = []) => ({
  ...{ row: n + 1, external_id: `X-${n}`, outcome, claim_id, problems, needs_adjuster: null },
});
const ids = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ external_id: `X-${n + 1}`, claim_number: `C-${n + 1}` }));
const refused = (code: ConstructorParameters<typeof DomainError>[0]) => ({
  outcome: 'failed',
  error: new DomainError(code, 'No.'),
});
const DIFFERENCES = Array.from({ length: 6 }, (_, n) => ({
  path: n === 0 ? 'loss.date' : `p${n}`,
  existing: n === 1 ? null : 'x'.repeat(80 + n),
}));
const other = (name: string, column: string | null, existing: string) => ({
  ...{
    column,
    field: name,
    code: null,
    detail: `The claim with this external_id exists, and has ${existing} here.`,
  },
});
const DIFFERENT = [
  {
    ...{ column: 'external_id', field: 'external_id', code: null },
    detail:
      'Another claim has this external_id, or this claim was sent with other content (fields that differ: 6). It stays as it is.',
  },
  other('loss.date', 'loss.date', 'x'.repeat(80)),
  { ...other('p1', null, ''), detail: 'The claim with this external_id exists, and has nothing here.' },
  ...[2, 3, 4].map((n) => other(`p${n}`, null, `${'x'.repeat(80)}…`)),
];
const failure = (code: string, field: string): object[] => [
  { column: COLUMNS[field] ?? null, field, code, detail: 'No.' },
];

test('rows of an import have the outcomes of their claims, and each claim has another key', async () => {
  const outcomes = [
    ...[
      { outcome: 'sent', claimId: '1' },
      { outcome: 'already_sent', claimId: '2' },
    ],
    { outcome: 'different', claimId: '3', differences: DIFFERENCES },
    ...[refused('unknown_svcid'), refused('environment_mismatch'), refused('adjuster_not_accepting')],
    ...[refused('duplicate_claim'), refused('not_found'), undefined],
  ];
  const { json, sent } = await imported(
    ids(9),
    { dry_run: false, environment: 'test', file_name: 'a.csv', import_id: IMPORT_ID },
    { sendImported: outcomes },
  );
  expect(json.rows).toEqual([
    ...[row(1, 'sent', '1'), row(2, 'already_sent', '2'), row(3, 'failed', '3', DIFFERENT)],
    ...['unknown_osaid', 'environment_mismatch', 'adjuster_not_accepting'].map((code, n) =>
      row(n + 4, 'failed', null, failure(code, 'adjuster_svc_id')),
    ),
    row(7, 'failed', null, failure('duplicate_claim', 'claim_number')),
    ...[row(8, 'failed', null, failure('not_found', '')), row(9, 'failed')],
  ]);
  const [[by, { commands, ...range }]] = sent('sendImported') as [
    [object, { commands: { fingerprint: string; asSent: string }[] }],
  ];
  expect([by, range]).toEqual([actor('test'), { id: 'import', fromRow: 2, untilRow: 11, nextRow: null }]);
  const claims = commands.map(({ asSent }) => JSON.parse(asSent));
  expect(claims.map(({ external_id, claim_number }) => [external_id, claim_number])).toEqual(
    ids(9).map((one) => Object.values(one)),
  );
  const { external_id, ...others } = claims[0];
  const { peril, ...loss } = others.loss;
  expect(peril).toBe('flood');
  const first = requestFingerprint(
    endpoints.sendClaim,
    {},
    { external_id, ...others, loss, adjuster_svc_id: 'SVC-1' },
  );
  expect(commands[0]).toMatchObject({
    fingerprint: first,
    idempotencyKey: `import-${first}`,
    adjuster: 'SVC-1',
  });
  expect(new Set(commands.map(({ fingerprint }) => fingerprint)).size).toBe(9);
  expect(sent('startImport')).toEqual([
    [
      actor('test'),
      { id: IMPORT_ID, isDryRun: false, name: 'Monday', fileName: 'a.csv', columns: COLUMNS, totalRows: 9 },
    ],
  ]);
  const { rows: _rows, ...result } = json;
  expect(result).toEqual({
    ...{
      id: 'import',
      name: 'Monday',
      file_name: null,
      environment: 'live',
      columns: COLUMNS,
      total_rows: 9,
    },
    ...{ next_row: null, dry_run: false, header: HEADER, problems: [], lines: 9, likely_header_row: null },
  });
});

test('a check says what would become of each row, and sends nothing', async () => {
  const existing = [
    undefined,
    { outcome: 'already_sent', claimId: '2' },
    { outcome: 'different', claimId: '3', differences: [] },
  ];
  const { json, sent } = await imported(
    ids(5).map((one, n) => ({ ...one, adjuster_svc_id: n < 2 ? 'SVC-1' : `SVC-${Math.max(n, 3)}` })),
    { first_row: 5, import_id: IMPORT_ID },
    {
      checkExisting: existing,
      checkAdjusters: new Map([['SVC-3', new DomainError('adjuster_not_in_firm', 'No.')]]),
    },
  );
  const outcome = (one: ReturnType<typeof row>) => [one.row, one.outcome, one.claim_id].join(' ');
  expect(json.rows.map(outcome)).toEqual([
    ...['5 valid ', '6 already_sent 2', '7 invalid 3', '8 invalid ', '9 valid '],
  ]);
  expect(json.rows[3].problems).toEqual(failure('adjuster_not_in_firm', 'adjuster_svc_id'));
  expect(sent('sendImported')).toEqual([]);
  expect(sent('checkAdjusters').at(-1)).toEqual([
    actor('live'),
    ['SVC-1', 'SVC-1', 'SVC-3', 'SVC-3', 'SVC-4'],
  ]);
  expect(sent('startImport')).toMatchObject([
    [actor('live'), { id: IMPORT_ID, isDryRun: true, fileName: null, totalRows: 8 }],
  ]);
});

test('an adjuster is found by name where one alone has it', async () => {
  const names = ['Ana RÉYES', 'Two Names', 'No One', 'known@example.com', 'Known,Ana', 'SVC-1'];
  const unknown = (name: string) => [name, new DomainError('unknown_svcid', 'No.')] as const;
  const rows = names.map((name, n) => ({ ...ids(n + 1).at(-1), adjuster_svc_id: name }));
  const results = {
    checkAdjusters: (_: object, asked: string[]) =>
      new Map(asked.filter((name) => /^[A-Z].* /.test(name)).map(unknown)),
    adjustersByName: new Map([
      ['ana reyes', ['SVC-A']],
      ['two names', ['SVC-B', 'SVC-C']],
      ['svc-1', ['SVC-D']],
    ]),
  };
  const { json, sent } = await imported(rows, {}, results);
  expect(json.rows.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'valid',
    'invalid',
    'invalid',
    ...['valid', 'valid', 'valid'],
  ]);
  const detail = 'Several adjusters have this name: SVC-B, SVC-C. Give the SVCID of one.';
  expect(json.rows[1].problems).toEqual([{ column: null, field: 'adjuster_svc_id', detail, code: null }]);
  expect(sent('checkAdjusters').map(([, asked]) => asked)).toEqual([
    names.slice(0, 5),
    ['SVC-A', ...names.slice(2)],
  ]);
  const real = await imported(rows, { dry_run: false, environment: 'test' }, results);
  expect(real.sent('adjustersByName')).toEqual([[actor('test')]]);
  expect(real.sent('sendImported')).toMatchObject([
    [{}, { commands: ['SVC-A', undefined, ...names.slice(2)].map((adjuster) => adjuster && { adjuster }) }],
  ]);
});

test('a firm has four workbooks read at once, and waits with others', async () => {
  const services = { startImport: IMPORT, checkExisting: [], checkAdjusters: new Map() };
  const ask = application<Services>((use) => ({ routes: deskImportRoutes(use) }), services);
  const body = { name: 'Monday', dry_run: true, workbook: WORKBOOK, sheet: 'S', columns: COLUMNS };
  const sent = { headers: { authorization: 'Bearer staff' }, body };
  const all = await Promise.all(Array.from({ length: 5 }, () => ask('POST', '/firm/v1/imports', sent)));
  expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429]);
});

test('any plan that has imports checks them, and they are sent with one that includes claims', async () => {
  const reading = async (more: object) => (await imported(ids(1), more, {}, { plan: 'read_only' })).json;
  expect((await reading({})).rows[0].outcome).toBe('valid');
  expect((await reading({ dry_run: false })).code).toBe('not_in_plan');
});

test('rows without an adjuster get the one that is given for their number', async () => {
  const rows = ids(4).map((one) => ({ ...one, adjuster_svc_id: '' }));
  const given = { adjusters: { 'SVC-9': [3, 5], 'SVC-8': [4] } };
  const { json, sent } = await imported(rows, given);
  expect(json.rows).toMatchObject([{ outcome: 'invalid' }, ...Array(3).fill({ outcome: 'valid' })]);
  expect(sent('checkAdjusters').at(-1)).toEqual([actor('live'), ['SVC-9', 'SVC-8', 'SVC-9']]);
  const claims = [undefined, ...['SVC-9', 'SVC-8', 'SVC-9'].map((adjuster) => ({ adjuster }))];
  expect(sent('checkExisting')).toMatchObject([
    [actor('live'), claims],
    [actor('live'), [{ facts: { externalId: 'X-1' } }, undefined, undefined, undefined]],
  ]);
  const real = await imported(
    rows,
    { ...given, dry_run: false, environment: 'test' },
    { sendImported: [undefined, { outcome: 'sent', claimId: '3' }] },
  );
  expect(real.sent('checkExisting')[0]?.[0]).toEqual(actor('test'));
  expect(real.json.rows).toMatchObject([null, '3', null, null].map((claim_id) => ({ claim_id })));
  expect(real.sent('sendImported')).toMatchObject([[{}, { commands: claims, fromRow: 2, untilRow: 6 }]]);
  const { adjuster_svc_id: _, ...columns } = COLUMNS;
  const none = await imported(rows, { columns, adjusters: {} });
  expect(none.json).toMatchObject({ problems: [], rows: Array(4).fill({ needs_adjuster: { state: 'FL' } }) });
});

test('a row without an adjuster says where its claim is, unless it was sent with one before', async () => {
  const without = { adjuster_svc_id: '', 'loss_location.zip': '33931' };
  const needs = { zip: '33931', state: 'FL', form_type: null };
  const problems = [{ field: 'adjuster_svc_id', code: null }];
  const lacking = { outcome: 'invalid', claim_id: null, needs_adjuster: needs, problems };
  const { json } = await imported([without, { ...without, ...ids(2)[1], 'policy.form_type': 'rcbap' }]);
  expect(json.rows).toMatchObject([lacking, { needs_adjuster: { ...needs, form_type: 'rcbap' } }]);
  for (const dry_run of [true, false]) {
    const again = async (outcome: string) => {
      const found = [{ outcome, claimId: '1', differences: [] }];
      const checkExisting = (_: object, [claim]: object[]) => (claim ? found : []);
      return (await imported([without], { dry_run }, { checkExisting })).json.rows;
    };
    expect(await again('already_sent')).toEqual([row(1, 'already_sent', '1')]);
    expect(await again('different')).toMatchObject([lacking]);
  }
});

test('a date may be that of the day that has begun anywhere', async () => {
  const dates = ids(3).map((one, n) => ({ ...one, 'loss.date': `2026-09-0${n + 1}` }));
  // Kiritimati is 14 hours ahead of UTC.
  const midnight = Date.parse('2026-09-01T10:00:00Z');
  for (const [now, last] of [
    [midnight - 1, 'invalid'],
    [midnight, 'valid'],
  ] as const) {
    const { json } = await imported(dates, {}, {}, {}, now);
    const outcomes = json.rows.map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes).toEqual(['valid', last, 'invalid']);
  }
});

test('a part of a file does not decide in which order its dates are', async () => {
  for (const [more, outcome] of [
    [{}, 'valid'],
    [{ first_row: 5 }, 'invalid'],
    [{ first_row: 5, date_order: 'dmy' }, 'valid'],
  ] as const)
    expect((await imported([{ 'loss.date': '27/08/2026' }], more)).json.rows[0].outcome).toBe(outcome);
});

test('of a file so many rows are checked or sent at once, from the row that is asked for', async () => {
  for (const [dry_run, count] of [
    [true, LIMITS.importCheckedRows],
    [false, LIMITS.importSentRows],
  ] as const) {
    const { json, sent } = await imported(ids(count + 3), { dry_run, from_row: 3 });
    expect([json.rows.length, json.rows[0].row, json.next_row]).toEqual([count, 3, count + 3]);
    if (!dry_run)
      expect(sent('sendImported')).toMatchObject([
        [{}, { fromRow: 3, untilRow: count + 3, nextRow: count + 3 }],
      ]);
  }
  const { sent: afterEnd } = await imported(ids(1), { dry_run: false, from_row: 9 });
  expect(afterEnd('sendImported')).toMatchObject([[{}, { fromRow: 9, untilRow: 10, nextRow: null }]]);
  expect((await imported(ids(LIMITS.importRows))).json.lines).toBe(LIMITS.importRows);
  const text = `${HEADER}\n${Object.values({ ...VALUES, 'carrier.name': '"A\nB\nC"' })}`;
  const { json: broken } = await imported([], { rows: undefined, text });
  expect([broken.lines, broken.rows[0].row]).toEqual([3, 2]);
  const wrong = { 'loss.date': 'x', 'loss_location.state': 'x', 'loss_location.zip': 'x', claim_number: ' ' };
  const { json } = await imported(Array(LIMITS.importCheckedRows).fill(wrong));
  expect(json.rows.flatMap((one: { problems: object[] }) => one.problems)).toHaveLength(
    LIMITS.importProblems,
  );
});

test.each<[pointer: string, object]>([
  ['/text', { rows: undefined }],
  ['/rows', { text: 'a' }],
  ['/workbook', { rows: undefined, text: 'a', workbook: 'AA==' }],
  ['/sheet', { sheet: 'S' }],
  ['/workbook', { rows: undefined, workbook: 'AA==' }],
  ['/workbook', { rows: undefined, workbook: LONG }],
  ['/text', { rows: undefined, text: '' }],
  ['/rows', { rows: [] }],
  ['/header_row', { header_row: 99 }],
  ['/sheet', { rows: undefined, workbook: WORKBOOK, sheet: 'T' }],
  ['/rows', { rows: Array(LIMITS.importRows + 2).fill(['a']) }],
  ...TOO_MANY,
  ['/workbook', { rows: undefined, workbook: LARGE }],
])('an import is refused at %s for what is wrong there', async (pointer, more) => {
  const { json } = await imported(ids(1), more);
  expect([json.code, json.errors.map((one: { pointer: string }) => one.pointer)]).toEqual([
    'validation_failed',
    [pointer],
  ]);
});

test('columns are those that are remembered by its name where none are given', async () => {
  const more = { columns: undefined, file_name: 'a.csv' };
  const { json, sent } = await imported(ids(1), more, { rememberedColumns: COLUMNS });
  expect([sent('rememberedColumns'), json.columns, json.rows[0].outcome]).toEqual([
    [[FIRM, 'Monday']],
    COLUMNS,
    'valid',
  ]);
  expect((await imported(ids(1))).sent('rememberedColumns')).toEqual([]);
});

test('a file is read by its header, delimiter and sheet, with values for all rows, and a question is no answer to remember', async () => {
  const { 'loss.date': _, ...columns } = COLUMNS;
  const text = [HEADER, Object.values(VALUES)].map((cells) => cells.join(';')).join('\n');
  const titled = `Report;\n${text}`;
  const rows = [['Report'], HEADER, Object.values(VALUES)];
  const titles = [{ text: titled }, { rows }, { workbook: base64Of({ sheets: [{ rows }] }) }];
  const zips = [...HEADER, '', 'Zip', 'Zip Code'].filter((name) => name !== 'loss_location.zip');
  const found = await Promise.all(
    [
      ...[{ text: titled }, { text: titled, header_row: 2 }, { text, delimiter: 'comma' }],
      ...[{ workbook: WORKBOOK }, { workbook: WORKBOOK, sheet: 'S', delimiter: 'comma' }],
      { text, columns, values: { 'loss.date': '2026-08-27' } },
      ...titles.map((one) => ({ ...one, header_row: 2, first_row: 7 })),
      { rows: [zips, zips], columns: undefined },
    ].map((more) => imported([], { rows: undefined, ...more })),
  );
  const first = ({ row: n, outcome }: { row: number; outcome: string }) => `${n} ${outcome}`;
  expect(found.map(({ json }) => json.rows?.map(first)[0] ?? json.likely_header_row ?? json.code)).toEqual([
    ...[2, '3 valid', 'validation_failed', 'validation_failed', '2 valid', '2 valid'],
    ...['7 valid', '7 valid', '7 valid', undefined],
  ]);
  const { json, sent } = found.at(-1) ?? {};
  expect(json.problems).toMatchObject([{ columns: ['Zip', 'Zip Code'], fields: ['loss_location.zip'] }]);
  const named = zips.filter((name) => name !== '');
  expect(json.columns).toEqual(Object.fromEntries(named.map((name) => [name, COLUMNS[name] ?? null])));
  const { 'loss_location.zip': __, ...remembered } = COLUMNS;
  expect(sent?.('startImport')[0]?.[1]).toHaveProperty('columns', remembered);
});
