import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { REQUIRED_PATHS } from '../src/field-paths.ts';
import {
  atOnce,
  CLAIM_FIELDS,
  type Columns,
  type CsvFile,
  type CsvImport,
  columnsToRemember,
  fileOfRows,
  type ImportOptions,
  importCsv,
  readCsv,
  suggestColumns,
  UnreadableCsv,
} from '../src/index.ts';

const MAX = { maxRows: 1000 };
const suggestedColumns = (header: readonly string[], remembered?: Columns): Columns =>
  suggestColumns(header, remembered).columns;
const HEADER =
  'File ID,Claim #,Adjuster,Date of Loss,Policy Number,Carrier,Address,City,State,Zip,Business Name,Phone';
const ROW = 'CMS-1,FL-1,SVC-1,2026-08-27,0087,Palmetto,88 Court,Sanibel,FL,08260,Rentals,239'.split(',');
/** A file with a row for each of these changes, by number of the column. */
const fileOf = (...rows: readonly Readonly<Record<number, string>>[]): string =>
  [HEADER, ...rows.map(rowWith)].join('\n');
const rowWith = (changes: Readonly<Record<number, string>>): string =>
  ROW.map((cell, n) => changes[n] ?? cell).join(',');
const imported = (text: string, options?: ImportOptions): CsvImport => importCsv(readCsv(text, MAX), options);
const rowsOf = (text: string, options?: ImportOptions) => imported(text, options).rows;
const problemsOf = (text: string, options?: ImportOptions) =>
  rowsOf(text, options).map((row) =>
    'problems' in row ? row.problems.map(({ column, detail }) => `${column}: ${detail}`) : 'valid',
  );

describe('rows without an adjuster', () => {
  // The fourth has the claim number of the first, and the last one an adjuster that is none.
  const none = { 0: 'e', 1: 'e', 2: '#N/A' };
  const text = fileOf(
    { 2: '' },
    { 0: 'b', 1: 'b' },
    { 0: 'c', 1: 'c', 2: '', 9: '1' },
    { 0: 'd', 2: '' },
    none,
  );
  const lacking = (rows: CsvImport['rows']) =>
    rows.map((row) => ('problems' in row ? row.withoutAdjuster?.adjuster_svc_id : row.claim.adjuster_svc_id));

  test('are known where nothing else is wrong, and get the adjuster of their number, which others keep', () => {
    expect(lacking(rowsOf(text))).toEqual(['none', 'SVC-1', undefined, undefined, undefined]);
    expect(problemsOf(text)[0]).toEqual([expect.stringMatching(/^Adjuster: /)]);
    const adjusters = new Map([
      [2, 'SVC-8'],
      [3, 'SVC-9'],
      [4, 'SVC-8'],
    ]);
    expect(lacking(rowsOf(text, { adjusters })).slice(0, 3)).toEqual(['SVC-8', 'SVC-1', undefined]);
    expect(problemsOf(text, { adjusters })[2]).toEqual([expect.stringMatching(/^Zip: /)]);
  });

  test('need no column for it once adjusters are given by number', () => {
    const without = text.replaceAll(/^(([^,]*,){2})[^,]*,/gm, '$1');
    expect(imported(without).problems).toMatchObject([
      { detail: expect.stringContaining('adjuster_svc_id') },
    ]);
    const lackingWith = (adjusters: ReadonlyMap<number, string>) => lacking(rowsOf(without, { adjusters }));
    expect(lackingWith(new Map([[3, 'SVC-9']])).slice(0, 3)).toEqual(['none', 'SVC-9', undefined]);
    expect(lackingWith(new Map()).slice(0, 3)).toEqual(['none', 'none', undefined]);
  });
});

describe('a file', () => {
  const bytesOf = (text: string, encoding: BufferEncoding): Buffer => Buffer.from(text, encoding);
  const text = 'Name;Town\nMüller – Söhne;Köln\n';

  test.each([
    ['UTF-8', bytesOf(text, 'utf8'), 'utf-8'],
    ['UTF-8 with a byte order mark', bytesOf(`\ufeff${text}`, 'utf8'), 'utf-8'],
    ['UTF-16 with a byte order mark', bytesOf(`\ufeff${text}`, 'utf16le'), 'utf-16le'],
    ['UTF-16 without one', bytesOf(text, 'utf16le'), 'utf-16le'],
    ['UTF-16, the high byte first', bytesOf(text, 'utf16le').swap16(), 'utf-16be'],
    ['the same with a byte order mark', bytesOf(`\ufeff${text}`, 'utf16le').swap16(), 'utf-16be'],
    ['Windows-1252', bytesOf(text.replace('–', '\x96'), 'latin1'), 'windows-1252'],
  ])('in %s is recognized', (_, bytes, encoding) => {
    expect(readCsv(bytes, MAX)).toMatchObject({
      encoding,
      delimiter: 'semicolon',
      header: ['Name', 'Town'],
      rows: [{ row: 2, cells: ['Müller – Söhne', 'Köln'] }],
    });
  });

  test.each([
    ['a,b\r\n1,2\r\n', 'comma'],
    ['a;b\n1;2', 'semicolon'],
    ['a\tb\n1\t2', 'tab'],
    ['a|b\n1|2', 'pipe'],
    ['sep=;\r\na;b\r\n1;2\r\n', 'semicolon'],
    ['\ufeffSEP=;\na,x,y;b\n1;2\n', 'semicolon'],
    ['sep=:\na;b\n1;2\n', 'semicolon'],
    ['"x, y";b\n1;2', 'semicolon'],
    ['\n\na,b\r1,2\r', 'comma'],
  ])('with its separator and line ends is recognized: %j', (csv, delimiter) => {
    const file = readCsv(csv, MAX);
    expect([file.delimiter, file.rows.map(({ cells }) => cells)]).toEqual([delimiter, [['1', '2']]]);
  });

  test.each([
    ['', 'empty'],
    ['a\n1\n', 'one column'],
    ['a,a,a (1)\n1,2,3', 'has the column "a (1)" twice'],
    ['"a,b\n1,2', 'The header: A cell begins with a quote that is not closed'],
    [`a,b\n${'1,2\n'.repeat(1001)}`, 'more than 1,000 rows'],
    [
      `${Array.from({ length: 1001 }, (_, n) => n).join(',')}\n`,
      'The header: The row has more than 1,000 cells',
    ],
  ])('that is not a table is an error that says why: %#', (csv, message) => {
    expect(() => readCsv(csv, MAX)).toThrow(UnreadableCsv);
    expect(() => readCsv(csv, MAX)).toThrow(message);
  });

  test('is read up to its limits of rows and cells, without titles and blank rows', () => {
    const rows = (count: number) => `T,1\n\na,b\n${'1,2\n'.repeat(count)}\n,\n`;
    const read = (count: number, limits = {}) =>
      readCsv(rows(count), { maxRows: 9, headerRow: 3, ...limits }).rows.length;
    expect([read(9), read(9, { maxCells: 26 })]).toEqual([9, 9]);
    expect(() => read(10)).toThrow('more than 9 rows');
    expect(() => read(9, { maxCells: 25 })).toThrow('more than 25 cells');
  });

  test.each([{}, { headerRow: 2 }, { headerRow: 8 }, { firstRow: 2002 }, { maxRows: 3 }, { maxRows: 4 }])(
    'that is sent as rows is read as the same text is: %j',
    (options) => {
      const table = [
        ['', ''],
        ['T', 'x'],
        ['a', 'a'],
        [' 1 ', '="02"'],
        [' ', ''],
        ['3', '4'],
        ['5', '6'],
      ];
      const read = (file: () => CsvFile) => {
        try {
          return file();
        } catch (error) {
          return String(error);
        }
      };
      const sent = read(() => atOnce(fileOfRows(table, { ...MAX, ...options })));
      const text = table.map((row) => row.join(',')).join('\n');
      expect(sent).toEqual(read(() => readCsv(text, { ...MAX, ...options })));
    },
  );

  test('that is sent as rows has a header of at most 1,000 cells', () => {
    const read = (count: number) => atOnce(fileOfRows([Array(count).fill('').with(0, 'a'), ['1']], MAX));
    expect(read(1000).header).toHaveLength(1000);
    expect(() => read(1001)).toThrow('The header: The row has more than 1,000 cells.');
  });

  test('has a text that Excel was to keep as it is without its formula', () => {
    const csv = '="Zip",Number,A,B\n="08260","=""FL-1""","=""a""&""b""",",=""b"",=""c"""\n';
    const { header, rows } = readCsv(csv, MAX);
    expect([header[0], rows[0]?.cells]).toEqual(['Zip', ['08260', 'FL-1', '="a"&"b"', ',="b",="c"']]);
  });

  test('keeps every cell as it was written, whatever characters it has', () => {
    const cell = fc
      .string({ unit: 'binary' })
      .map((value) => value.replace(/\0|\ufeff|[\ud800-\udfff]/g, ''));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), (rows) => {
        const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
        const csv = [['first', 'second'], ...rows].map((row) => row.map(quoted).join(',')).join('\r\n');
        const kept = rows.map((row) => row.map((value) => value.trim()));
        expect(readCsv(Buffer.from(csv), MAX).rows.map(({ cells }) => cells)).toEqual(
          kept.filter((row) => row.some((value) => value !== '')),
        );
      }),
    );
  });
});

describe('columns', () => {
  // Those of a field, and after the bar those of something more general.
  const HEADERS = `
external_id: Claim ID, FILE_ID, Internal Id, Assignment ID | ID, Reference, Reference No.; claim_number: Claim #, CARRIER_CLAIM_NO, Insurer Claim Number, Company
Claim #, CLAIM_NO. | Claim; adjuster_svc_id: Adjuster ID, SVCID, SVC ID | Adjuster, Field Adjuster, Assigned Adjuster, Adjuster Name, Adjuster Email; file_number:
File No., Our File #, Firm File Number; instructions: Special Instructions | Notes, Comments, Remarks; reported_date: Date Reported, Date Received, Received Date,
Report Date, Date of Notice; contact_date: Date Contacted, Contacted Date, First Contact; inspection_date: Date Inspected, Inspected Date; loss.date: Date-Of-Loss,
Loss Date, DOL; loss.time: Time of Loss, LOSS_TIME; loss.description: Loss Description, Description of Loss, Facts of Loss | Description; loss.cause: Cause of Loss,
Loss Cause; loss.cat_code: CAT Code, CAT #, eventDesignationNumber | Cat, Catastrophe; loss.fico_number: FICO # | FICO; loss.exterior_water_depth_inches: Exterior Water Depth;
loss.interior_water_depth_inches: Interior Water Depth | Water Depth; loss.water_duration_hours: Flood Water Duration; policy.number: Policy #, policy.number |
Policy, Policy ID; policy.naic_number: NAIC #, NAIC Code | NAIC; policy.effective_date: Policy Effective Date, Policy Start, Policy From | Effective Date;
policy.original_effective_date: Original Effective Date, originalNBDate; policy.expiration_date: Policy Expiration Date, Policy End, Policy To | Expiration Date; carrier.name:
Carrier, Carrier Name, Insurance Company, Insurer, WYO | Company, Client; loss_location.street: Loss Address, Loss Address 1, Loss Street, Loss Location, Property
Address, Risk Address | Address, Address 1, Street, Street Address, Insured Address; loss_location.street2: Loss Address 2, Property Address 2, Risk Address 2 |
Address 2; loss_location.city: Loss City, Property City, Risk City, reportedCity | City; loss_location.county: Loss County, Property County, Risk County | County;
loss_location.state: Loss State, Property State, Risk State | State; loss_location.zip: Loss Zip, Loss Zip Code, Property Zip, Property Zip Code, Risk Zip, reportedZipCode | Zip,
Zip Code, Postal Code; policyholder.first_name: Insured First Name, Insured First | First Name; policyholder.last_name: Insured Last Name, Insured Last | Last Name;
policyholder.company_name: Insured Company, Insured Business | Business Name, Organization; policyholder.phone: Insured Phone, Insured Home Phone | Phone, Phone
Number, Home Phone, Primary Phone; policyholder.alternate_phone: Alternate Phone, Insured Cell Phone | Cell, Cell Phone, Mobile, Mobile Phone, Work Phone;
policyholder.email: Insured Email | Email, E-mail, Email Address; building.flood_zone: Rated Flood Zone | Flood Zone, Zone; building.occupancy_type: Occupancy;
building.construction_date: Date Built, Date of Construction, originalConstructionDate; building.community_number: Community #, nfipRatedCommunityNumber | Community,
nfipCommunityNumberCurrent; building.number_of_units: Number of Units | Units; coverages.building_limit: Building Coverage, Coverage A, Building Limit, totalBuildingInsuranceCoverage;
coverages.contents_limit: Contents Coverage, Coverage B, Contents Limit, totalContentsInsuranceCoverage; coverages.building_deductible: Building Deductible, Deductible A;
coverages.contents_deductible: Contents Deductible, Deductible B; coverages.building_reserve: Building Reserve, Reserve A; coverages.contents_reserve: Contents
Reserve, Reserve B; coverages.icc_limit: ICC Limit, iccCoverage | ICC; coverages.building_replacement_cost: Building RCV, buildingReplacementCost; coverages.contents_replacement_cost: Contents RCV, contentsReplacementCost;
coverages.building_actual_cash_value: Building ACV, buildingPropertyValue; coverages.contents_actual_cash_value: Contents ACV, contentsPropertyValue`;

  test('of claims systems and of FEMA have the field that they name, whatever their case, and general ones only where no other has it', () => {
    for (const line of HEADERS.trim().replaceAll('\n', ' ').split('; ')) {
      const [path = '', names = ''] = line.split(': ');
      const [exact = [], general = []] = names.split(' | ').map((part) => part.split(', '));
      const all = [...exact, ...general];
      expect(all.map((name) => suggestedColumns([name]))).toEqual(all.map((name) => ({ [name]: path })));
      const beside = (name: string) => suggestedColumns([name, exact[0] ?? '']);
      expect(general.map(beside)).toEqual(general.map((name) => ({ [name]: null, [exact[0] ?? '']: path })));
      // No exact name comes before another.
      const others = exact.slice(1);
      expect(others.map(beside)).toEqual(others.map(() => ({})));
    }
    expect(suggestedColumns(['Agent Code', ''])).toEqual({ 'Agent Code': null });
    const wholes = 'Name, Full Name, Insured, Insured Name, Named Insured, Policyholder, Policyholder Name';
    for (const whole of wholes.split(', '))
      expect(suggestColumns([whole]).questions).toEqual([
        { columns: [whole], fields: ['policyholder.last_first_name', 'policyholder.company_name'] },
      ]);
  });

  test('of the form for paper are known by name, with all that a claim needs', () => {
    const page = readFileSync(new URL('../../../docs/guides/paper.md', import.meta.url), 'utf8');
    const header = /```text\n(.*)\n```/.exec(page)?.[1]?.split(',') ?? [];
    const { columns, questions } = suggestColumns(header);
    expect(questions).toEqual([]);
    expect(Object.values(columns)).not.toContain(null);
    expect(Object.values(columns)).toEqual(
      expect.arrayContaining([...REQUIRED_PATHS, 'policyholder.last_name', 'policyholder.phone']),
    );
  });

  test('with the same name are numbered, and those without a name have one if they have text', () => {
    const { header } = readCsv('City,Zip,,City,,\nSanibel,08260,,Naples,x,\nMiami,33101,,,,\n', MAX);
    expect(header).toEqual(['City (1)', 'Zip', '', 'City (2)', 'Column 5', '']);
  });

  test('are those that are remembered, and for the rest those known by name, each field once', () => {
    const header = ['Claim #', 'Zip', 'Loss Zip', 'Phone', 'Code'];
    const remembered = { 'Claim #': 'file_number', 'Loss Zip': 'loss_location.zip', Phone: null };
    const expected = { ...remembered, Zip: null, Code: null };
    expect(suggestedColumns(header, remembered)).toEqual(expected);
    expect(columnsToRemember(expected, header)).toEqual({ ...remembered, Zip: null });
    // Of files that have the column, and with one part of a name, nobody is asked for the whole.
    expect(suggestedColumns(['Zip'], remembered)).toEqual({ ...remembered, Zip: 'loss_location.zip' });
    for (const field of ['first_name', 'last_name', 'last_first_name', 'company_name'])
      expect(suggestColumns(['A', 'Insured Name'], { A: `policyholder.${field}` }).questions).toEqual([]);
    expect(suggestColumns(['Insured Company', 'Insured Name']).questions).toEqual([]);
  });

  test('that are missing, unknown or doubled are problems of the file, and no row is read', () => {
    const columns = {
      ...suggestedColumns(HEADER.split(',')),
      Zip: 'loss_location.zipp',
      Phone: 'claim_number',
      City: null,
      'Of other files': 'zip',
    };
    const { problems, rows, nextRow } = imported(fileOf({}), { columns });
    expect([rows, nextRow]).toEqual([[], null]);
    expect(problems.flatMap(({ columns: asked, fields }) => [...asked, ...fields])).toEqual([]);
    expect(problems.map(({ column, detail }) => `${column}: ${detail}`)).toEqual([
      'Zip: "loss_location.zipp" is not a field of a claim.',
      'Phone: The column "Claim #" has the field claim_number already.',
      'Of other files: "zip" is not a field of a claim.',
      expect.stringContaining('required field loss_location.city'),
      expect.stringContaining('required field loss_location.zip'),
    ]);
  });

  test('may be left out for fields that have one value in all rows', () => {
    // A column of other files has the field, too.
    const columns = { 'Claim No.': 'claim_number', ...suggestedColumns(HEADER.split(',')), Carrier: null };
    const [row] = rowsOf(fileOf({}), { columns, values: { 'carrier.name': 'One Mutual' } });
    expect(row).toMatchObject({ claim: { carrier: { name: 'One Mutual' } } });
    const text = fileOf({}, { 0: 'b', 1: 'b', 5: '' });
    expect(rowsOf(text, { values: { 'carrier.name': 'One Mutual' } })).toMatchObject(
      ['Palmetto', 'One Mutual'].map((name) => ({ claim: { carrier: { name } } })),
    );
    const dated = ['46261', '8/9/2026', '8/27/26', '27 Aug 26', '27 Aug 2026'].map((date) => {
      // An order that was chosen is that of columns.
      const [one] = rowsOf(fileOf({ 3: '' }), { values: { 'loss.date': date }, dateOrder: 'mdy' });
      return one !== undefined && 'claim' in one;
    });
    expect(dated).toEqual([false, false, false, false, true]);
    expect(imported(text, { values: { 'carrier.nam': 'x' } }).problems).toMatchObject([
      { detail: '"carrier.nam" is not a field of a claim.' },
    ]);
    const halves = { ...suggestedColumns(HEADER.split(',')), Phone: 'policyholder.first_name' };
    const twice = { ...halves, 'Business Name': 'policyholder.last_first_name' };
    const thrice = { ...twice, Phone: null, State: 'policyholder.last_name' };
    expect([twice, thrice].map((columns) => imported(text, { columns }).problems)).toMatchObject([
      [{ detail: 'The column "Business Name" has the field policyholder.first_name already.' }],
      [
        { detail: 'The column "State" has the field policyholder.last_name already.' },
        { detail: expect.stringContaining('required field loss_location.state') },
      ],
    ]);
  });
});

describe('a row', () => {
  test('becomes a claim whose texts keep their leading zeros', () => {
    expect(rowsOf(fileOf({}))).toEqual([
      {
        row: 2,
        externalId: 'CMS-1',
        claim: {
          external_id: 'CMS-1',
          claim_number: 'FL-1',
          adjuster_svc_id: 'SVC-1',
          loss: { date: '2026-08-27' },
          policy: { number: '0087' },
          carrier: { name: 'Palmetto' },
          loss_location: { street: '88 Court', city: 'Sanibel', state: 'FL', zip: '08260' },
          policyholder: { company_name: 'Rentals', phone: '239' },
        },
      },
    ]);
  });

  test('without any value of an object names its columns', () => {
    expect(rowsOf(fileOf({ 0: '' }))).toMatchObject([{ externalId: null }]);
    expect(problemsOf(fileOf({ 3: '', 5: '', 10: '', 11: '' }))).toEqual([
      [
        'Date of Loss: This field is required: a valid calendar date (YYYY-MM-DD).',
        expect.stringMatching(/^Carrier: This field is required/),
        expect.stringMatching(/^null: A name is required/),
        expect.stringMatching(/^null: Contact details are required/),
      ],
    ]);
  });

  test('with problems names each of them by row and column', () => {
    const short = rowWith({ 0: 'CMS-2', 1: 'FL-2' }).replace(/,239$/, '');
    const csv = `${HEADER}\n\n${rowWith({ 9: '1234', 3: '2026-02-30', 11: '' })}\n${rowWith({})},x\n${short}`;
    expect(problemsOf(`${HEADER},\n${short}`)[0]?.[0]).toBe('null: The row has 11 cells, the header 12.');
    expect(rowsOf(csv).map(({ row }) => row)).toEqual([3, 4, 5]);
    expect(problemsOf(csv)).toEqual([
      [
        'Date of Loss: Must be a valid calendar date (YYYY-MM-DD).',
        'Zip: Must be a ZIP code of five digits, or ZIP+4 such as 33901-1234; write the first zero if the code begins with one.',
        expect.stringContaining('Contact details are required'),
      ],
      [
        'null: The row has 13 cells, the header 12.',
        'File ID: Row 3 has the same external_id and other content.',
      ],
      ['null: The row has 11 cells, the header 12.', expect.stringContaining('Contact details are required')],
    ]);
  });

  test('is checked as a claim that is sent, with what two fields together must be', () => {
    const header = `${HEADER},policy.effective_date,policy.expiration_date,agent.address.zip,building.building_type`;
    const [problems = []] = problemsOf(`${header}\n${rowWith({})},2026-08-01,2026-07-01,1,barn`);
    // An agent has more fields that are required, which no column has.
    expect([...problems].filter((problem) => !problem.startsWith('null: '))).toEqual([
      expect.stringMatching(/^agent.address.zip: Must be a ZIP code/),
      expect.stringMatching(/^building.building_type: barn does not match/),
      expect.stringMatching(/^policy.expiration_date: /),
    ]);
  });

  test('with the external_id of an earlier row and other content is a problem, and one that is repeated is not', () => {
    // Not a letter is another, but where the cells are divided.
    expect(problemsOf(fileOf({}, {}, { 6: '88 CourtS', 7: 'anibel' }))).toEqual([
      'valid',
      'valid',
      [expect.stringContaining('Row 2 has the same external_id')],
    ]);
  });

  test('with the claim number of an earlier row of another claim is a problem, as it is when it is sent', () => {
    const rows = [
      {},
      {},
      { 0: 'CMS-2' },
      { 0: 'CMS-3', 1: 'FL-3' },
      { 0: 'CMS-4', 1: '' },
      { 0: 'CMS-5', 1: '' },
    ];
    expect(problemsOf(fileOf(...rows))).toEqual([
      'valid',
      'valid',
      [expect.stringContaining('Row 2 has the same claim_number and another external_id.')],
      'valid',
      ...Array(2).fill([expect.stringMatching(/^Claim #: This field is required/)]),
    ]);
  });

  test('has numbers as US systems write them, and none that is not certain', () => {
    const certain = { 250000: 250_000, '1234.56': 1234.56, $1250: 1250, '$ 7.5': 7.5, 0: 0, '0.500': 0.5 };
    const grouped = { '$1,250,000.50': 1_250_000.5, '250,000': 250_000, '1,250': 1250 };
    const wrong =
      '12,5 12,50 1,23 1,2345 12,34,567 ,500 1,250, 1.250.000 1.250,50 1,250.5.0 1e5 -5 +5 25% 5. .5 €5 5$ 0x5 -';
    const points = { '1.250': '1250, or 1.25.', '250.000': '250000, or 250.', '$12.500': '12500, or 12.5.' };
    const separators = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };
    for (const [delimiter, separator] of Object.entries(separators)) {
      const read = (text: string) => {
        const csv = `${HEADER},Building Limit\n${rowWith({})},X`
          .replaceAll(',', separator)
          .replace('X', `"${text}"`);
        const file = readCsv(csv, MAX);
        const [row] = importCsv(file).rows;
        return [
          file.delimiter,
          row && 'claim' in row ? row.claim.coverages?.building_limit : row?.problems[0]?.detail,
        ];
      };
      // A comma may be a decimal point where it does not separate US columns.
      const isGrouped = delimiter !== 'semicolon';
      const none = 'Must be a number, such as 250000 or 1234.56.';
      const expected = { ...certain, ...(isGrouped && grouped) };
      const refused = [...wrong.split(' '), ...(isGrouped ? [] : Object.keys(grouped))];
      expect(Object.keys(expected).map(read)).toEqual(
        Object.values(expected).map((value) => [delimiter, value]),
      );
      expect(refused.map((text) => [text, ...read(text)])).toEqual(
        refused.map((text) => [text, delimiter, none]),
      );
      expect(Object.keys(points).map(read)).toEqual(
        Object.values(points).map((text) => [delimiter, `The point may be that of thousands: write ${text}`]),
      );
    }
  });

  test('has a value for all rows in the same way, whatever separates its columns', () => {
    const values = {
      ...{ 'coverages.building_limit': '250,000', 'coverages.contents_limit': '$1,250.50' },
      ...{ 'agent.first_name': 'Ana', 'agent.last_name': 'Reyes' },
    };
    for (const separator of [',', ';', '\t', '|']) {
      const [row] = rowsOf(fileOf({}).replaceAll(',', separator), { values });
      expect([separator, row]).toMatchObject([
        separator,
        { claim: { coverages: { building_limit: 250_000, contents_limit: 1250.5 } } },
      ]);
    }
  });

  test('has choices in any case, with spaces or hyphens, and no other choice in place of a wrong one', () => {
    const wrong = `${HEADER},Cause of loss\n${rowWith({})},Volcano`;
    expect(problemsOf(wrong)).toEqual([[expect.stringMatching(/^Cause of loss: Must be one of tidal/)]]);
    const csv = `${HEADER},Cause of loss,Occupancy\n${rowWith({})},Tidal Water Overflow,single-family HOME`;
    expect(rowsOf(csv)).toMatchObject([
      {
        claim: {
          loss: { cause: 'tidal_water_overflow' },
          building: { occupancy_type: 'single_family_home' },
        },
      },
    ]);
  });
});

describe('a date', () => {
  const datesOf = (dates: readonly string[], options?: ImportOptions) =>
    rowsOf(fileOf(...dates.map((date, n) => ({ 0: `CMS-${n}`, 1: `FL-${n}`, 3: date }))), options).map(
      (row) => ('claim' in row ? row.claim.loss.date : row.problems.map(({ detail }) => detail).join()),
    );

  test('that can be read in two ways, or not at all, is a problem', () => {
    expect(datesOf(['8/9/26'])).toEqual([
      'In this column the month may be first or second: choose month first (mdy) or day first (dmy), or write 2026-MM-DD.',
    ]);
    expect(datesOf(['8/27/2026', '27/8/2026'])).toEqual(
      Array(2).fill(expect.stringContaining('month first (mdy) or day first (dmy)')),
    );
    for (const [date, first] of Object.entries({ '2/30/2026': 'month', '30/2/2026': 'day' }))
      expect(datesOf([date])).toEqual([`Is not a date with the ${first} first, as in this column.`]);
    // One of them is the number of a day only in a column of such numbers.
    expect(datesOf(['8/27/2026', '46261'])).toEqual([
      '2026-08-27',
      expect.stringContaining('valid calendar date'),
    ]);
  });
});

test('a slice of a file is read alone, with what the whole file says of dates and repeated ids', () => {
  const dates = ['8/9/2026', '8/10/2026', '8/27/2026'];
  const rows = dates.map((date, n) => ({ 0: `CMS-${n % 2}`, 3: date }));
  const csv = fileOf(...rows).replace('\nCMS-1', '\n\nCMS-1');
  const first = imported(csv, { slice: { from: 2, count: 2 } });
  expect(first).toMatchObject({
    nextRow: 5,
    rows: [{ claim: { loss: { date: '2026-08-09' } } }, { row: 4 }],
  });
  const rest = imported(csv, { slice: { from: first.nextRow ?? 0, count: 2 } });
  expect(rest).toMatchObject({ nextRow: null, rows: [{ row: 5, problems: [{ field: 'external_id' }] }] });
});

test('a slice ends with the row that brings its problems to the number asked for', () => {
  const csv = fileOf(...[0, 1, 2, 3].map((n) => ({ 0: `CMS-${n}`, 1: `FL-${n}`, 9: 'x', 3: 'x' })));
  const slice = { from: 2, count: 4, problems: 4 };
  const { rows, nextRow } = imported(csv, { slice });
  expect([rows.map(({ row }) => row), nextRow]).toEqual([[2, 3], 4]);
});

test('a part of a file has the numbers of the whole file, and says nothing certain of the order of dates', () => {
  const csv = fileOf({ 3: '8/27/2026' }, { 0: 'CMS-2', 1: 'FL-2', 3: '2026-08-27' });
  const part = readCsv(csv, { ...MAX, firstRow: 2002 });
  const titled = readCsv('a,b,c\nCity,Zip,Phone', { ...MAX, firstRow: 2002 });
  expect(titled.likelyHeaderRow).toBeNull();
  expect(importCsv(part, { isPart: true })).toMatchObject({
    rows: [
      { row: 2002, problems: [{ field: 'loss.date' }] },
      { row: 2003, externalId: 'CMS-2' },
    ],
  });
  const named = importCsv(part, { isPart: true, dateOrder: 'mdy', slice: { from: 2003, count: 1 } });
  expect(named).toMatchObject({ rows: [{ row: 2003, claim: {} }], nextRow: null });
});

test('of a map one column for each field is remembered, whatever else it names', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`Column ${n}`, 'claim_number']));
  const columns = { ...many, A: 'claim_number', B: 'claim_number', C: null, D: 'none', E: 'external_id' };
  expect(columnsToRemember(columns, ['A', 'B', 'C', 'D', 'E', 'constructor'])).toEqual({
    A: 'claim_number',
    E: 'external_id',
  });
  const leftOut = ['Insured Name', ...Array.from({ length: 500 }, (_, n) => `City (${n})`)];
  const kept = Object.keys(columnsToRemember({}, leftOut));
  expect(kept).toEqual(leftOut.slice(0, CLAIM_FIELDS.length));
});

test('each row is joined once, however often its external_id is repeated', () => {
  let joins = 0;
  const counting = (cells: readonly string[]): readonly string[] =>
    Object.assign([...cells], {
      join(separator?: string) {
        joins += 1;
        return cells.join(separator);
      },
    });
  const rows = Array.from({ length: 500 }, (_, n) => ({
    row: n + 2,
    lines: 1,
    problem: null,
    cells: counting(ROW.map((cell, at) => (at === 1 ? `FL-${n}` : cell))),
  }));
  const file = { ...readCsv(HEADER, MAX), rows };
  const { rows: found } = importCsv(file, { slice: { from: 501, count: 1 } });
  expect(found).toMatchObject([{ row: 501, problems: [{ field: 'external_id' }] }]);
  expect(joins).toBe(500);
});
