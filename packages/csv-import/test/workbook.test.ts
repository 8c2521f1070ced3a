import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isWorkbook } from '../src/in-page.ts';
import {
  atOnce,
  importCsv,
  readCsv,
  readWorkbookInSteps,
  UnreadableCsv,
  type WorkbookOptions,
  type WorkbookText,
} from '../src/index.ts';
import { numberFormat } from '../src/number-formats.ts';
import { quotedCsv } from '../src/write-csv.ts';
import { cell, partsOf, sheetXml, type WorkbookOf, workbookOf, zipped } from './workbook-file.ts';

const { number, typed, xml } = cell;
const MAX = { maxRows: 2000 };
const read = (bytes: Uint8Array, options: WorkbookOptions = {}): WorkbookText =>
  atOnce(readWorkbookInSteps(bytes, options));
const csvOf = (text: string, headerRow?: number) => readCsv(text, { ...MAX, delimiter: 'tab', headerRow });
const readRows = (rows: WorkbookOf['sheets'][number]['rows'], more: Partial<WorkbookOf> = {}) =>
  csvOf(read(workbookOf({ sheets: [{ rows: rows ?? [] }], ...more })).text);
const failure = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof UnreadableCsv) return error.message;
    throw error;
  }
  return 'was read';
};

const HEADER = [
  ...'File ID,Claim #,Adjuster,Date of Loss,Time of Loss,Policy #,Carrier,Loss Address,Loss City'.split(','),
  ...'Loss State,Loss Zip,Insured First Name,Insured Last Name,Insured Phone,Building Limit'.split(','),
  ...['estimate.contents_tax_rate', 'Notes'],
];
const ROW = [
  ...'CMS-1,FL-1,SVC-1,2026-08-27,14:30,0087,Palmetto & Sons,1 Sea Lane,Sanibel,FL,08260'.split(','),
  ...['Ana', 'Núñez', '2395550142', '250000.5', '0.065', 'gate 5\nsays "call"'],
];
type Cells = NonNullable<WorkbookOf['sheets'][number]['rows']>[number];
const FORMATS = ['m/d/yyyy', 'h:mm AM/PM', '00000', '0.0%'];
/** The text of a cell. */
const textOf = (one: Cells[number], more: Partial<WorkbookOf>): string | undefined =>
  readRows(
    [
      ['a', 'b'],
      ['x', one],
    ],
    more,
  ).rows[0]?.cells[1];
/** A claim whose cells in these columns are others. */
const claimWith = (changes: Readonly<Record<string, Cells[number]>>, more: Partial<WorkbookOf> = {}) => {
  const rows = [HEADER, HEADER.map((name, n) => changes[name] ?? ROW[n] ?? '')];
  const [row] = importCsv(readRows(rows, { formats: FORMATS, ...more })).rows;
  return row !== undefined && 'claim' in row ? row.claim : row?.problems;
};

const RELATIONSHIPS = 'xl/_rels/workbook.xml.rels';

describe('a workbook', () => {
  const folder = new URL('workbooks/', import.meta.url);

  test.each(readdirSync(folder))(
    'that another program has written has the claims that were typed: %s',
    (name) => {
      const { rows, problems } = importCsv(csvOf(read(readFileSync(new URL(name, folder))).text));
      expect(problems).toEqual([]);
      expect(rows).toEqual(
        [1, 2].map((n) => ({
          row: n + 1,
          externalId: `CMS-${n}`,
          claim: {
            external_id: `CMS-${n}`,
            claim_number: `FL-${n}`,
            adjuster_svc_id: 'SVC-1',
            loss: { date: `2026-08-${26 + n}`, time: '14:30' },
            policy: { number: '0087' },
            carrier: { name: 'Palmetto & Sons' },
            loss_location: { street: `${n} Sea Lane`, city: 'Sanibel', state: 'FL', zip: '08260' },
            policyholder: { first_name: 'Ana', last_name: 'Núñez', phone: '2395550142' },
            coverages: { building_limit: 250000.5 },
            instructions: 'gate 5\nsays "call"',
          },
        })),
      );
    },
  );

  test('and a CSV file with the same table have the same claims and problems by row and column', () => {
    const anyOf = (letters: string) =>
      fc.string({ unit: fc.constantFrom(...letters.split('')), maxLength: 8 });
    const text = anyOf('ab1 ,;\t"=\'#é_x000D_-&<>');
    const cells = fc.record({ id: text, zip: text, note: anyOf('ab, \t"\n\r_x00D'), limit: text });
    fc.assert(
      fc.property(fc.array(fc.option(cells, { nil: null, freq: 6 }), { maxLength: 8 }), (rows) => {
        const table = [
          HEADER,
          ...rows.map((one, n) => {
            if (one === null) return HEADER.map(() => '');
            const changed = new Map([
              ['File ID', `CMS-${n}${one.id}`],
              ['Loss Zip', one.zip],
              ['Building Limit', one.limit],
              ['Notes', one.note],
            ]);
            return HEADER.map((name, at) => changed.get(name) ?? ROW[at] ?? '');
          }),
        ];
        const shared = table.flat().map((one) => `<si><r><t xml:space="preserve">${xmlOf(one)}</t></r></si>`);
        const asShared = table.map((row, n) => row.map((_, at) => typed('s', String(n * row.length + at))));
        const ofCsv = importCsv(readCsv(quotedCsv(table), { ...MAX, delimiter: 'comma' }));
        expect(importCsv(readRows(table.map((row) => row.map((one) => inline(one)))))).toEqual(ofCsv);
        expect(importCsv(readRows(asShared, { shared: shared.join('') }))).toEqual(ofCsv);
      }),
      { numRuns: 60 },
    );
  });

  test('has the row numbers that Excel shows, whatever rows are empty, and its header below titles', () => {
    const xmlOfRows = sheetXml([
      ['Claims of August'],
      HEADER,
      ROW,
      ROW.map((one, n) => (n < 2 ? `${one}0` : one)),
    ])
      .replace('<row>', '<row r="2">')
      .replace('<row>', '<row r="5">')
      .replace('<row>', '<row r="6"/><row r="7" hidden="1"><c r="A7"/></row><row r="9" hidden="true">')
      .replace('<row>', '<row hidden="1">');
    const { text, hiddenRows } = read(workbookOf({ sheets: [{ xml: xmlOfRows }] }));
    expect(hiddenRows).toBe(2);
    expect(importCsv(csvOf(text)).problems).toMatchObject([
      { detail: expect.stringContaining('row 5 does: choose') },
    ]);
    expect(importCsv(csvOf(text, 5)).rows).toMatchObject([
      { row: 9, externalId: 'CMS-1' },
      { row: 10, externalId: 'CMS-10' },
    ]);
  });

  test('is read from the first sheet that is not hidden, or from the one that is named', () => {
    const bytes = workbookOf({
      sheets: [
        { name: 'Old', state: 'veryHidden', rows: [['a', 'b']] },
        { name: 'Claims & more', rows: [['c', 'd']] },
        { name: '__proto__', rows: [['e', 'f']] },
        { name: 'OLD', rows: [['g', 'h']] },
      ],
    });
    expect(read(bytes)).toEqual({
      ...{ text: 'c\td', sheet: 'Claims & more', hiddenRows: 0 },
      sheets: ['Old', 'Claims & more', '__proto__', 'OLD'],
    });
    const named = (sheet: string) => read(bytes, { sheet }).text;
    expect(['CLAIMS & MORE', 'old', '__proto__', 'OLD'].map(named)).toEqual([
      ...['c\td', 'a\tb', 'e\tf', 'g\th'],
    ]);
    const hidden = { state: 'hidden', rows: [['a', 'b']] } as const;
    expect(read(workbookOf({ sheets: [hidden, hidden] })).sheet).toBe('Sheet1');
    const { [RELATIONSHIPS]: related, ...others } = partsOf({ sheets: [hidden, { rows: [['c', 'd']] }] });
    const chart = related?.replace('/worksheet"', '/chartsheet"');
    expect(read(zipped({ ...others, [RELATIONSHIPS]: chart })).sheets).toEqual(['Sheet2']);
    expect(failure(() => named('constructor'))).toBe(
      'The workbook has no sheet with this name. Its sheets: Old, Claims & more, __proto__, OLD.',
    );
  });

  test('may have columns with the names of properties of objects', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const file = readRows([
      [...HEADER, ...names],
      [...ROW, 'x', 'y', 'z'],
    ]);
    expect(file.header.slice(-3)).toEqual(names);
    expect(importCsv(file).rows).toMatchObject([{ claim: { external_id: 'CMS-1' } }]);
  });

  test('has every letter of long texts, and no more than 1000 sheets', () => {
    const long = '東'.repeat(30_000);
    expect(read(workbookOf({ sheets: [{ rows: [['a', long]] }] })).text).toBe(`a\t${long}`);
    const withSheets = (count: number) => workbookOf({ sheets: Array(count).fill({ rows: [['a']] }) });
    expect(read(withSheets(1000)).sheets).toHaveLength(1000);
    expect(failure(() => read(withSheets(1001)))).toContain('more than 1000 sheets');
  });

  test('is read with sizes as ZIP64 has them, each or some, and with notes of its packer', () => {
    const bytes = Buffer.from(zipped(partsOf({ sheets: [{ rows: [['a', 'b']] }], shared: '' })));
    const end = bytes.length - 22;
    const begin = bytes.readUInt32LE(end + 16);
    const entries: Buffer[] = [];
    for (let at = begin; at < end; ) {
      const after = at + 46 + bytes.readUInt16LE(at + 28);
      const entry = Buffer.from(bytes.subarray(at, after));
      // Size, compressed size, and where the part is.
      const moved = [[24, 20, 42], [24], [20, 42]][entries.length % 3] ?? [];
      const sizes = Uint32Array.from(moved.flatMap((place) => [entry.readUInt32LE(place), 0]));
      for (const place of moved) entry.writeUInt32LE(0xffffffff, place);
      const extra = Buffer.of(0x55, 0x54, 1, 0, 0, 1, 0, sizes.byteLength, 0, ...Buffer.from(sizes.buffer));
      entry.writeUInt16LE(extra.length, 30);
      entry.writeUInt16LE(4, 32);
      entries.push(Buffer.concat([entry, extra, Buffer.from('note')]));
      at = after;
    }
    const packed = Buffer.concat([bytes.subarray(0, begin), ...entries, bytes.subarray(end)]);
    expect(read(packed).text).toBe('a\tb');
  });

  test('of strict OOXML, with prefixes, other names of its parts, Windows paths and UTF-16 is read', () => {
    const parts = partsOf({ sheets: [{ rows: [['a', 'é']] }] });
    const { 'xl/workbook.xml': main = '', 'xl/worksheets/sheet1.xml': sheet = '', ...others } = parts;
    const prefixed = sheet.replace(/<(\/?)(\w)/g, '<$1x:$2').replace('xmlns=', 'xmlns:x=');
    const strict = main
      .replaceAll('http://schemas.openxmlformats.org/', 'http://purl.oclc.org/ooxml/')
      .replaceAll(/\br:id|(?<=xmlns:)r\b/g, (name) => name.replace('r', 'rel'));
    const renamed = zipped({
      ...others,
      '_rels/.rels': others['_rels/.rels']?.replace('xl/workbook.xml', '/XL/./other/../Book.xml'),
      'xl\\book.xml': strict,
      'xl/_rels/Book.xml.rels': others['xl/_rels/workbook.xml.rels'],
      'XL\\worksheets\\Sheet1.xml': prefixed,
    });
    expect(read(renamed).text).toBe('a\té');
    const bytes = new Uint8Array(Buffer.from(`\ufeff${sheet}`, 'utf16le'));
    expect(read(zipped({ ...parts, 'xl/worksheets/sheet1.xml': bytes })).text).toBe('a\té');
  });
});

const xmlOf = (text: string): string =>
  text
    // As Excel does where a text has the same form.
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[&<>\r]/g, (one) => `&#${one.charCodeAt(0)};`);
const inline = (text: string) => xml(`<c t="inlineStr"><is><t>${xmlOf(text)}</t></is></c>`);

describe('a cell', () => {
  test.each<[string, Cells[number], string]>([
    ['an amount', number('250000.5'), '250000.5'],
    ['a sum of binary fractions', number('0.30000000000000004'), '0.3'],
    ['a number as Excel writes small ones', number('1E-3'), '0.001'],
    ['a number with 15 digits', number('123456789012345'), '123456789012345'],
    ['a number with 16 digits, which is rounded', number('-1234567890123456'), '-1.23456789012346E+15'],
    ['the first number that has 16 digits', number('1000000000000000'), '1.00000000000000E+15'],
    ['a percentage as the fraction that it is', number('0.065', 4), '0.065'],
    ['a date', number('46261', 1), '2026-08-27'],
    ['a date whose format shows no time', number('46261.6', 1), '2026-08-27'],
    ['a date and a time', number('46261.604166666664', 7), '2026-08-27 14:30'],
    ['a midnight', number('46261', 7), '2026-08-27'],
    ['a time', number('0.604166666666667', 2), '14:30'],
    ['a time with seconds', number('0.604340277777778', 2), '14:30:15'],
    ['a time a moment before midnight', number('46260.9999999999', 1), '2026-08-27'],
    ['a duration', number('1.5', 8), '36:00'],
    ['the day zero', number('0', 1), '1899-12-31'],
    ['a duration in minutes and seconds', number('1.5', 12), '36:00'],
    ['a day of 1900 before the one that was none', number('59', 1), '1900-02-28'],
    ['the day that was none', number('60', 1), '1900-02-29'],
    ['the day after it', number('61', 1), '1900-03-01'],
    ['the last day', number('2958465', 1), '9999-12-31'],
    ['a day before the first', number('-1', 1), '########'],
    ['a day after the last', number('2958466', 1), '########'],
    ['zeros before a ZIP code', number('8260', 3), '08260'],
    ['a number below zero in a format of zeros', number('-82', 3), '-82'],
    ['more digits than zeros', number('123456', 3), '123456'],
    ['a ZIP code with four more digits', number('82601234', 5), '08260-1234'],
    ['a number in groups of digits', number('12345678', 13), '012 34 5678'],
    ['a format in another language', number('46261', 6), '2026-08-27'],
    ['a format with a text of letters', number('12', 9), '12'],
    ['a format with colors and conditions', number('12', 10), '12'],
    ['a month', number('46235', 11), '2026-08-01'],
    ['a yes', typed('b', '1'), 'TRUE'],
    ['a no', typed('b', '0'), 'FALSE'],
    ['an error', typed('e', '#N/A'), '#N/A'],
    ['a date as ISO text', typed('d', '2026-08-27T00:00:00.000Z'), '2026-08-27'],
    ['a stored value of a formula', xml('<c><f>A1+1</f><v>12</v></c>'), '12'],
    ['a stored text of a formula', xml('<c t="str"><f>A1</f><v>_x0041_b</v></c>'), 'Ab'],
    ['no stored value of a formula', xml('<c><f>A1&amp;B1</f><v/></c>'), '=\ufffd'],
    ['an empty text of a formula', xml('<c t="str"><f>""</f><v></v></c>'), ''],
    ['text in several fonts', xml('<c t="s"><v>0</v></c>'), 'Pal metto'],
    ['text without how it is pronounced', xml('<c t="s"><v>1</v></c>'), '東京'],
    ['a section of characters', xml('<c t="s"><v>2</v></c>'), 'a<b'],
    ['an empty text of several cells', xml('<c t="s"><v>3</v></c>'), ''],
    ['escaped control characters', inlineXml('a_x000D_\nb_x0000_c_xD800_'), 'a\r\nb\ufffdc\ufffd'],
    ['an escaped escape', inlineXml('_x005F_x0041_'), '_x0041_'],
    ['a number that is none', number('12x'), '12x'],
    ['a number that is blank', number(' '), ''],
    ['a fraction in a format of zeros', number('82.5', 3), '82.5'],
    ['a style that is none', number('12', 999), '12'],
    ['a style with the name of a property', xml('<c s="__proto__"><v>1</v></c>'), '1'],
  ])('with %s', (_, one, expected) => {
    const formats = [
      ...FORMATS,
      '00000\\-0000',
      '[$-80A]d" de "mmmm" de "yyyy;@',
      'yyyy-mm-dd hh:mm',
      '[h]:mm',
      '0 "days; each"',
      '[Red][<=9999999]###\\-####;\\(###\\)_)',
      'mmm-yy',
      ...['[mm]:ss', '000 00 0000'],
    ];
    const shared =
      '<si><r><rPr><b/></rPr><t xml:space="preserve">Pal </t></r><r><t>metto</t></r></si>' +
      '<si><t>東_x4EAC_</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si><si><t><![CDATA[a<b]]></t></si><si><t/></si>';
    expect(textOf(one, { formats, shared })).toBe(expected);
  });

  test.each([
    [14, 'mm-dd-yy'],
    [15, 'd-mmm-yy'],
    [16, 'd-mmm'],
    [17, 'mmm-yy'],
    [18, 'h:mm AM/PM'],
    [19, 'h:mm:ss AM/PM'],
    [20, 'h:mm'],
    [21, 'h:mm:ss'],
    [22, 'm/d/yy h:mm'],
    [45, 'mm:ss'],
    [46, '[h]:mm:ss'],
    [47, 'mmss.0'],
    [27, '[$-404]e/m/d'],
    [32, 'h"時"mm"分"'],
  ] as const)('with the built-in format %d is read as with its code, %s', (id, code) => {
    expect(numberFormat(id, new Map())).toEqual(numberFormat(200, new Map([[200, code]])));
  });

  test('with a format of letters that are no parts of a date shows a number, with one of them or an elapsed time a date', () => {
    const kindsOf = (codes: readonly string[]) =>
      codes.map((code) => numberFormat(200, new Map([[200, code]])).kind);
    const numbers = [...'0_d *d0 0\\d 0"d" [dd]0'.split(' '), `${' '.repeat(255)}d`];
    expect(kindsOf(numbers)).toEqual(numbers.map(() => 'number'));
    expect(kindsOf('[ss] [H]:mm mmmm \\;d'.split(' '))).toEqual(Array(4).fill('date'));
  });

  test('with a built-in format of a date or a time shows one, and with no other', () => {
    const ids = [...Array(200).keys()].filter((id) => numberFormat(id, new Map()).kind === 'date');
    const range = (from: number, to: number) => [...Array(to + 1).keys()].slice(from);
    expect(numberFormat(14, new Map([[14, '000']]))).toEqual({ kind: 'digits', mask: '000' });
    expect(ids).toEqual([...range(14, 22), ...range(27, 36), ...range(45, 47), ...range(50, 58)]);
  });

  test.each([
    ['date1904="1"', '2026-08-27'],
    ['date1904="true"', '2026-08-27'],
    ['date1904="on"', '2026-08-27'],
    ['date1904="0"', '2022-08-26'],
  ])('with a date in a workbook with %s has its day', (properties, day) => {
    expect(textOf(number('44799', 1), { properties, formats: FORMATS })).toBe(day);
  });

  test('has nothing of the cell before it', () => {
    const formula = xml('<c><f>A1+1</f><v>2</v></c>');
    const row = [formula, xml('<c/>'), number('7'), xml('<c><f>B2</f></c>')];
    expect(readRows([['a', 'b', 'c', 'd'], row]).rows[0]?.cells).toEqual(['2', '', '7', '=\ufffd']);
  });

  test('that is merged with others has its text in the first one alone, as in CSV', () => {
    const merged = sheetXml([
      ['a', 'b'],
      ['x', cell.xml('<c/>')],
    ]).replace('</sheetData>', '</sheetData><mergeCells count="1"><mergeCell ref="A2:B2"/></mergeCells>');
    expect(read(workbookOf({ sheets: [{ xml: merged }] })).text).toBe('a\tb\r\nx\t');
  });

  test.each<[string, string, Cells[number], string]>([
    ['a ZIP code that has lost its zero', 'Loss Zip', number('8260'), 'first zero'],
    ['a policy number that has lost digits', 'Policy #', number('1234567890123456'), 'Is a rounded number'],
    ['a policy number that became a day', 'Policy #', number('46261', 1), 'Is a day (2026-08-27)'],
    ['an error as a name', 'Carrier', typed('e', '#N/A'), 'error of a spreadsheet'],
    ['an error as a date', 'Date of Loss', typed('e', '#REF!'), 'error of a spreadsheet'],
    ['an error as a long text', 'Notes', typed('e', '#VALUE!'), 'error of a spreadsheet'],
    ['a formula without a value', 'Policy #', xml('<c><f>B2</f></c>'), 'Is a formula'],
    ['a formula without a value as a long text', 'Notes', xml('<c><f>B2</f></c>'), 'Is a formula'],
    ['the day that was none', 'Date of Loss', number('60', 1), 'Must be a valid'],
    ['a time of day in a date', 'Date of Loss', number('46261.5', 5), 'Must be a valid'],
    ['a yes as a limit', 'Building Limit', typed('b', '1'), 'Must be a number'],
  ])('with %s is a problem of its row and column', (_, column, one, detail) => {
    const formats = [...FORMATS, 'm/d/yyyy h:mm'];
    expect(claimWith({ [column]: one }, { formats })).toMatchObject([
      { column, detail: expect.stringContaining(detail) },
    ]);
  });
});

function inlineXml(text: string): Cells[number] {
  return xml(`<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`);
}

describe('a file that is no workbook to read', () => {
  const ROWS = [
    ['a', 'b'],
    ['1', '2'],
  ];
  const parts = partsOf({ sheets: [{ rows: ROWS }] });
  const SHEET = 'xl/worksheets/sheet1.xml';
  const withSheet = (sheet: string | Uint8Array): Uint8Array => zipped({ ...parts, [SHEET]: sheet });
  const withRows = (rows: string): Uint8Array =>
    withSheet(sheetXml([]).replace('</sheetData>', `${rows}</sheetData>`));
  const oldFile = (text: string): Uint8Array =>
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from(text, 'utf16le')]);
  const external = parts[RELATIONSHIPS]?.replace(
    '"worksheets/sheet1.xml',
    '"http://a/" TargetMode="External',
  );
  const numbers = (count: number): number[] => [...Array(count).keys()];
  const rowWith = (count: number): string =>
    `<row${numbers(count)
      .map((n) => ` a${n}=""`)
      .join('')}/>`;

  test.each<[string, Uint8Array]>([
    ['This is an old Excel workbook (.xls)', oldFile('Workbook')],
    ['The workbook has a password', oldFile('EncryptedPackage')],
    ['a binary Excel workbook (.xlsb)', zipped({ ...parts, 'xl/workbook.bin': 'x' })],
    ['an OpenDocument file (.ods)', zipped({ 'content.xml': 'x' })],
    ['a Numbers file', zipped({ 'Index/Document.iwa': 'x' })],
    ['This is a Word document', zipped({ ...parts, 'word/document.xml': 'x' })],
    ['a ZIP file without a workbook', zipped({ 'a.txt': 'x' })],
    ['a ZIP file without a workbook', zipped({})],
    ['its sheet is missing', zipped({ ...parts, [SHEET]: undefined })],
    ['no sheet with rows', zipped({ ...parts, [RELATIONSHIPS]: '<Relationships/>' })],
    ['no sheet with rows', zipped({ ...parts, [RELATIONSHIPS]: external })],
    ['its end is missing', zipped(parts).subarray(0, 900)],
    ['is damaged', zipped(parts).subarray(40)],
    ['a part is in it twice', zipped({ ...parts, 'XL/workbook.xml': 'x' })],
    ['a ZIP file without a workbook', zipped(Object.fromEntries(numbers(2000).map((n) => [`${n}`, ''])))],
    ['more than 2000 parts', zipped(Object.fromEntries(numbers(2001).map((n) => [`${n}`, ''])))],
  ])('is said in words: %s', (message, bytes) => {
    expect(failure(() => read(bytes))).toContain(message);
  });

  test.each([
    ['its directory is wrong', 0, 0],
    ['The workbook has a password', 8, 1],
    ['compressed in another way', 10, 99],
    ['wrong checksum', 16, 7],
    ['ends too early', 20, 0xffff],
    ['larger than it says', 24, 3],
    ['wrong checksum', 24, 0xffff],
    ['not where it should be', 42, 0xffff],
  ])('is said in words where its directory is changed: %s', (message, at, value) => {
    const bytes = Buffer.from(zipped(parts, 0));
    bytes.writeUInt16LE(value, bytes.readUInt32LE(bytes.length - 6) + at);
    expect(failure(() => read(bytes))).toContain(message);
  });

  test.each([
    ['a document type (DTD)', `<!DOCTYPE x [<!ENTITY a "b">]>${sheetXml(ROWS)}`],
    ['a document type (DTD)', `<!DOCTYPE x SYSTEM "file:///etc/passwd">${sheetXml(ROWS)}`],
    ['a part is not XML', sheetXml([['a', xml('<c><v>&a;</v></c>')]])],
    ['a part is not XML', 'a,b'],
    ['a part is not XML', '<worksheet><sheetData>'],
    ['not Unicode', Uint8Array.of(0x3c, 0x61, 0xff, 0xfe)],
    ['not Unicode', Buffer.concat([Buffer.from(sheetXml(ROWS)), Uint8Array.of(0xc3)])],
    ['The sheet is empty.', sheetXml([[' ', '']])],
  ])('is said in words where its sheet is other XML: %s', (message, sheet) => {
    expect(failure(() => read(withSheet(sheet)))).toContain(message);
  });

  test.each([
    ['nested too deep', '<a>'.repeat(99)],
    ['The sheet is empty', `${'<a>'.repeat(98)}${'</a>'.repeat(98)}`],
    ['too many attributes', rowWith(201)],
    ['The sheet is empty', rowWith(200)],
    ['rows are not in order', '<row r="3"/><row r="2"/>'],
    ['rows are not in order', '<row r="3"/><row r="3"/>'],
    ['rows are not in order', '<row r="1048577"/>'],
    ['cells are not in order', '<row r="3"><c r="B3"/><c r="B3"/></row>'],
    ['cells are not in order', '<row r="3"><c r="B4"/></row>'],
    ['cells are not in order', '<row r="3"><c r="XFE3"/></row>'],
    ['a text is missing', '<row><c t="s"><v>7</v></c></row>'],
    ['longer than a cell can be', `<row><c t="str"><v>${'x'.repeat(100_001)}</v></c></row>`],
    ['was read', `<row><c t="str"><v>${'x'.repeat(100_000)}</v></c></row>`],
    ['was read', '<row r="20001"><c r="A20001"><v>1</v></c></row>'],
    ['was read', '<row r="15002"><c><v>1</v></c></row><row r="15003"><c><v>1</v></c></row>'],
    ['was read', '<row r="3"><c r="$B$3"><v>1</v></c></row>'],
    ['was read', '<row r="3"><c r="ALL3"><v>1</v></c></row>'],
    ['The cell ALM3 is behind', '<row r="3"><c r="ALM3"><v>1</v></c></row>'],
    ['Before row 20002, more than 20,000', '<row r="20002"><c r="A20002"><v>1</v></c></row>'],
    ['The cell XFD3 is behind the 1,000 columns', '<row r="3"><c r="XFD3"><v>1</v></c></row>'],
    ['Before row 1048576, more than 20,000', '<row r="1048576"><c r="A1048576"><v>1</v></c></row>'],
    [
      'Before row 30002, more than 20,000',
      '<row><c><v>1</v></c></row><row r="15002"><c><v>1</v></c></row><row r="30002"><c><v>1</v></c></row>',
    ],
  ])('is said in words where its rows are others: %s', (message, rows) => {
    expect(failure(() => read(withRows(rows)))).toContain(message);
  });

  test('ends at its limits, whatever sizes it declares', () => {
    const bytes = withRows('<row/>'.repeat(2_000_000));
    expect(bytes.length).toBeLessThan(50_000);
    let [most, steps, before] = [0, 0, performance.now()];
    const reading = readWorkbookInSteps(bytes, { maxBytes: 4 * 2 ** 20 });
    expect(
      failure(() => {
        for (;;) {
          const { done } = reading.next();
          most = Math.max(most, performance.now() - before);
          before = performance.now();
          steps += 1;
          if (done) return;
        }
      }),
    ).toContain('too large once it is unpacked');
    // Pieces of 16 KB.
    expect(steps).toBeGreaterThan(250);
    expect(most).toBeGreaterThan(0);
    const texts = `<si><t>${'x'.repeat(32_000)}</t></si>`;
    const repeated = Array.from({ length: 40 }, () => Array<Cells[number]>(100).fill(typed('s', '0')));
    const repeating = workbookOf({ sheets: [{ rows: repeated }], shared: texts });
    expect(failure(() => read(repeating))).toContain('more than 20,000,000 characters');
    // Each cell with what separates it from the next.
    const small = (maxCharacters: number) => read(zipped(parts), { maxCharacters });
    expect([small(8).text, failure(() => small(7))]).toEqual([
      'a\tb\r\n1\t2',
      expect.stringContaining('more than 7 characters'),
    ]);
    const unpacked = Object.values(parts).join('').length;
    const within = (maxBytes: number) => failure(() => read(zipped(parts), { maxBytes }));
    expect([within(unpacked), within(unpacked - 1)]).toEqual([
      'was read',
      expect.stringContaining('too large once it is unpacked'),
    ]);
    const styles = parts['xl/styles.xml']?.replace('<cellXfs>', `<cellXfs>${'<xf/>'.repeat(70_000)}`);
    expect(failure(() => read(zipped({ ...parts, 'xl/styles.xml': styles })))).toContain('too many formats');
    const shared = `<sst>${'<si/>'.repeat(2_000_001)}</sst>`;
    expect(failure(() => read(zipped({ ...parts, 'xl/sharedStrings.xml': shared })))).toContain(
      'too many texts',
    );
  });

  test('is recognized by its first bytes', () => {
    const others = ['PK,Claim #', '', 'PX\x03\x04', 'XK\x03\x04'].map((text) => Buffer.from(text));
    expect([zipped(parts), zipped({}), ...others].map(isWorkbook)).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });

  test('never fails in another way, whatever bytes are changed', () => {
    const bytes = zipped(parts);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.nat(bytes.length),
        (changes, cut) => {
          const copy = Uint8Array.from(bytes);
          for (const [at, byte] of changes) copy[at] = byte;
          failure(() => read(copy));
          failure(() => read(copy.subarray(0, cut)));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('leaves macros, links to other files and unknown parts alone', () => {
    const others = Object.fromEntries(
      [
        'xl/vbaProject.bin',
        'xl/externalLinks/externalLink1.xml',
        '../../etc/passwd',
        'xl/media/a.svg',
        '__proto__',
      ].map((name) => [name, '<!DOCTYPE x SYSTEM "http://example.org/">']),
    );
    const bytes = zipped({ ...parts, ...others });
    expect(read(bytes).text).toBe('a\tb\r\n1\t2');
    const commented = (length: number) => Buffer.concat([bytes, Buffer.alloc(length, 'comment')]);
    expect(read(commented(65_535)).text).toBe('a\tb\r\n1\t2');
    expect(failure(() => read(commented(65_537)))).toContain('its end is missing');
  });
});
