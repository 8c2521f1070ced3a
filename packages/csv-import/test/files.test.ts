import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { LIMITS } from '@svc/contract';
import { nameOfFile, partsOf, readText, shownFileName } from '../src/in-page.ts';
import {
  type CsvImport,
  decode,
  type ImportOptions,
  importCsv,
  importCsvInSteps,
  inSteps,
  readCsv,
  readCsvInSteps,
  spreadsheetCsv,
  UncertainEncoding,
} from '../src/index.ts';

const MAX = { maxRows: 2000 };
const FIELDS = {
  'File ID': 'CMS-1',
  'Claim #': 'FL-1',
  Adjuster: 'SVC-1',
  'Date of Loss': '8/27/2026',
  'Policy #': '0087',
  Carrier: 'Palmetto',
  'Loss Address': '1 Sea Lane',
  'Loss City': 'Sanibel',
  'Loss State': 'FL',
  'Loss Zip': '33957',
  'Insured First Name': 'Ana',
  'Insured Last Name': 'Reyes',
  'Insured Phone': '239-555-0142',
  Notes: '',
};
type Cells = Readonly<Record<string, string>>;

/** A file of these rows as they are written, each with what differs from a claim without problems; null: no such column. */
function fileOf(rows: readonly Readonly<Record<string, string | null>>[], separator = ','): string {
  const names = [...new Set([...Object.keys(FIELDS), ...rows.flatMap((row) => Object.keys(row))])].filter(
    (name) => rows.every((row) => row[name] !== null),
  );
  const lines = rows.map((row, n) => {
    const own: Cells = { ...FIELDS, 'File ID': `CMS-${n + 1}`, 'Claim #': `FL-${n + 1}` };
    return names.map((name) => row[name] ?? own[name] ?? '').join(separator);
  });
  return [names.join(separator), ...lines].join('\r\n');
}
const imported = (text: string, options?: ImportOptions): CsvImport => importCsv(readCsv(text, MAX), options);
const found = (text: string, options?: ImportOptions) =>
  imported(text, options).rows.map((row) =>
    'claim' in row ? row.externalId : row.problems.map(({ detail }) => detail).join(),
  );
const claimsOf = (text: string, options?: ImportOptions) =>
  imported(text, options).rows.flatMap((row) => ('claim' in row ? [row.claim] : []));

describe('a quote', () => {
  test.each([',', ';', '|', '\t'])(
    'that is not closed never swallows the rows up to the next inch mark: %s',
    (by) => {
      const rows = [
        ...[{}, { Notes: '"call before' }, {}, {}, { Notes: 'water of 6"' }],
        ...[{ 'Insured Last Name': '"Delgado' }, { 'Insured Last Name': 'Smith"' }, {}],
      ];
      const text = fileOf(rows, by);
      const file = readCsv(text, MAX);
      expect(file.lines).toBe(8);
      expect(found(text)).toEqual([
        'CMS-1',
        expect.stringContaining('makes 4 lines of the file one row, and one of them looks like a row'),
        expect.stringContaining('makes 2 lines of the file one row'),
        'CMS-8',
      ]);
      expect(file.rows.map(({ lines }) => lines)).toEqual([1, 4, 2, 1]);
    },
  );

  test.each([
    ['in the same column of the next row', { Notes: '"gate 5' }, { Notes: '6"' }],
    ['with an inch mark between other words', { Notes: '"gate 5' }, { Notes: '6" of water' }],
    ['that is never closed', { Notes: '"gate 5' }, {}],
    ['in the name', { 'Insured Last Name': '"Reyes' }, { 'Insured Last Name': 'O"' }],
    ['before a row with quoted cells', { Notes: '"gate' }, { Carrier: '"A, B"', Notes: '"x"' }],
    ['before a row with doubled quotes', { Notes: '"gate 5' }, { Carrier: '""A""', Notes: '6"' }],
    ['before a separator in quotes', { Notes: '"gate 5' }, { Notes: '6"', 'Loss Description': '"a, b"' }],
    ['before a row with several lines', { Notes: '"gate' }, { Notes: '"one\r\ntwo"' }],
  ])('that is opened by mistake is a problem, and no row has the cells of another: %s', (_, one, other) => {
    const claims = claimsOf(fileOf([one, other, {}]));
    // The last line is a row, unless it is within a quote.
    expect(claims.length).toBeLessThanOrEqual(2);
    for (const { external_id, claim_number, instructions = '' } of claims) {
      expect(claim_number).toBe(external_id.replace('CMS', 'FL'));
      expect(instructions).not.toContain('CMS');
    }
    expect(found(fileOf([one, other, {}])).join()).toMatch(/quote/);
  });

  test('is a part of the text where that is certain, and otherwise all such rows are found at once', () => {
    const text = fileOf([
      { Notes: '6" of water' },
      { Notes: '"6" of ""salt"" water"' },
      { 'Insured First Name': 'Bob "Bud"' },
      { Notes: '"6" of water"', Fax: ' "239"', Two: '"1\n2"', Three: '"7" b"' },
      { Notes: '\t "space before, and after"\t ' },
      { Notes: '"he said ""yes"", twice"' },
      { Notes: '"6" of water, and 2" of mud"' },
      { 'Insured Last Name': '"two\r\nlines"', Notes: '"6" deep' },
      {},
    ]);
    expect(
      claimsOf(text).map(({ instructions, policyholder }) => instructions ?? policyholder.first_name),
    ).toEqual([
      '6" of water',
      '6" of "salt" water',
      'Bob "Bud"',
      '6" of water',
      'space before, and after',
      'he said "yes", twice',
      'Ana',
    ]);
    expect(found(text).slice(6)).toEqual([
      expect.stringContaining('A quote is within a cell that begins with one'),
      expect.stringContaining('A quote is within a cell that begins with one'),
      'CMS-9',
    ]);
  });

  test.each(['"He said "hi", then left"', '"He said \\"hi\\", then left"', '"a "b", c "d", e"'])(
    'within a cell that may end at another one is a problem, also if the last column is empty: %s',
    (text) => {
      const files = [{}, { Fax: '' }].map((last) => fileOf([{}, { Notes: text, ...last }, {}]));
      for (const csv of [...files, ...files.map((one) => one.replaceAll(',', ';'))])
        expect(found(csv)).toEqual([
          'CMS-1',
          expect.stringContaining('A quote is within a cell that begins with one'),
          'CMS-3',
        ]);
    },
  );

  test('before a row is found where only the header or only the rows end with separators', () => {
    const [header, ...lines] = fileOf([{ Notes: '"gate' }, {}, { Notes: '6"' }]).split('\r\n');
    const looksLikeARow = [expect.stringContaining('looks like a row')];
    expect(found([`${header},,`, ...lines].join('\r\n'))).toEqual(looksLikeARow);
    expect(found([header, ...lines.map((line) => `${line},,`)].join('\r\n'))).toEqual(looksLikeARow);
  });

  test('allows line breaks in a long text, and in no other field', () => {
    const text = `"one\r\ntwo${', three'.repeat(20)}"`;
    const [claim] = claimsOf(fileOf([{ Notes: text, 'Loss Description': text }]));
    const written = JSON.parse(text.replace('\r\n', '\\r\\n'));
    expect([claim?.instructions, claim?.loss.description]).toEqual([written, written]);
    expect(found(fileOf([{ 'Loss City': '"Sani\nbel"' }, { 'Insured Phone': '"1\r2"' }]))).toEqual(
      Array(2).fill(expect.stringContaining('Has a line break')),
    );
    const withRow = `one\r\n${Object.values(FIELDS).join(',')}\r\ntwo`;
    expect(found(fileOf([{ Notes: `"${withRow}"` }]))).toEqual([expect.stringContaining('looks like a row')]);
  });
});

describe('a separator', () => {
  test.each([
    ['in one row', [{}, { Notes: 'call first, gate 5' }, {}], ['CMS-1', 'shifted', 'CMS-3']],
    ['without a space in a later row', [{}, {}, { Notes: 'call,wait' }], ['CMS-1', 'CMS-2', 'shifted']],
    ['in every row', [{ Notes: 'call, wait' }, { Notes: 'call, go' }], ['shifted', 'shifted']],
    ['in the only row', [{ Notes: 'call, wait' }], ['shifted']],
  ])('within a cell without quotes never moves cells to other columns: %s', (_, rows, expected) => {
    const text = fileOf(rows.map((row) => ({ ...row, Fax: '' })));
    const shifted = expect.stringMatching(/^The row has 1[67] cells, .* that is not in quotes\?$/);
    expect(found(text)).toEqual(expected.map((one) => (one === 'shifted' ? shifted : one)));
    const ending = text.replaceAll('\r\n', ',\r\n');
    expect(found(`${ending},`)).toEqual(expected.map((one) => (one === 'shifted' ? shifted : one)));
  });

  test('may be in a row so often that it has more cells than are read', () => {
    const wide = ','.repeat(1000);
    const text = fileOf([{}, { Notes: wide }, { 'File ID': '', Notes: wide }, { Notes: 'x,' }]);
    const detail = 'The row has more than 1,000 cells.';
    expect([found(text), imported(text).rows.map(({ externalId }) => externalId)]).toEqual([
      ['CMS-1', detail, detail, expect.stringContaining('more than the header')],
      ['CMS-1', 'CMS-2', null, 'CMS-4'],
    ]);
  });

  test.each([
    ['the header', 1],
    ['the rows', 2],
    ['both', 3],
  ])('at the end of %s is no cell', (_, which) => {
    const lines = fileOf([{ Notes: 'x' }, {}]).split('\r\n');
    const text = lines.map((line, n) => ((n === 0 ? 1 : 2) & which ? `${line},` : line)).join('\r\n');
    // A space before the first cell says nothing of the others.
    expect(found(text.replaceAll('\r\n', '\r\n '))).toEqual(['CMS-1', 'CMS-2']);
    for (const comma of [',', ', ']) {
      for (const blank of ['', `\r\n${','.repeat(13)}`])
        expect(found(`${text}${blank}`.replaceAll(',', comma))).toEqual(['CMS-1', 'CMS-2']);
      for (const other of ['', ','.repeat(1000)])
        expect(found(`${text}\r\nx${other}`.replaceAll(',', comma)).slice(0, -1)).toEqual(['CMS-1', 'CMS-2']);
    }
  });
});

describe('two columns for one field', () => {
  const NO_PARTS = { 'Insured First Name': null, 'Insured Last Name': null };

  test.each([
    ['an exact name before a general one', { Address: 'PO Box 1' }],
    ['a whole name before its parts', { 'Insured Name': 'X' }],
    ['a general name beside the only address', { 'Loss City': null, City: 'Sanibel' }],
  ])('are certain with %s', (_, more) => {
    const [claim] = claimsOf(fileOf([more]));
    expect(claim).toMatchObject({
      loss_location: { street: '1 Sea Lane' },
      policyholder: { last_name: 'Reyes' },
    });
  });

  test.each<[string, readonly (readonly [string[], string[]])[], Parameters<typeof fileOf>[0][number]]>([
    [
      'two exact names',
      [[['Loss Address', 'Property Address'], ['loss_location.street']]],
      { 'Property Address': 'x' },
    ],
    [
      'two general names, and one name for a whole name',
      [
        [['Notes', 'Comments'], ['instructions']],
        [['Insured Name'], ['policyholder.last_first_name', 'policyholder.company_name']],
      ],
      { ...NO_PARTS, Comments: 'x', 'Insured Name': 'x' },
    ],
    [
      'an address beside general names of its parts',
      ['City', 'County', 'State', 'Zip', 'Address 2'].map((name) => [
        [name],
        [`loss_location.${name === 'Address 2' ? 'street2' : name.toLowerCase()}`],
      ]),
      {
        ...{ Address: 'x', 'Loss City': null, 'Loss State': null, 'Loss Zip': null },
        ...{ City: 'x', County: 'x', State: 'x', Zip: 'x', 'Address 2': 'x' },
      },
    ],
  ])('are a question with %s, and no row is read', (_, questions, row) => {
    const { problems, rows, columns } = imported(fileOf([row]));
    expect([problems.map(({ columns: of, fields }) => [of, fields]), rows]).toEqual([questions, []]);
    expect(problems.map(({ detail }) => detail)).toEqual(
      questions.map(([of, [field = '', other]]) => {
        const shown = of.map((name) => JSON.stringify(name)).join(', ');
        if (of.length > 1)
          return `Each of the columns ${shown} may have the field ${field}: give it to one of them, and leave out the others.`;
        return other === undefined
          ? `The column ${shown} may be of another address: give it the field ${field}, or leave it out.`
          : `The column ${shown} has whole names: give it the field ${field} (such as REYES, ANA) or ${other}.`;
      }),
    );
    for (const [names] of questions) for (const name of names) expect(columns).not.toHaveProperty(name);
  });

  test('of one name are a question, too', () => {
    const text = 'File ID,Phone,Phone\n1,2,3';
    expect(imported(text).problems).toContainEqual({
      column: null,
      columns: ['Phone (1)', 'Phone (2)'],
      fields: ['policyholder.phone'],
      detail: expect.stringContaining('leave out the others'),
    });
  });

  test('are no question any more once a person has said which it is', () => {
    const text = fileOf([{ Comments: 'x', Notes: 'y' }]);
    const remembered = { Notes: null, Comments: 'instructions' };
    expect(claimsOf(text, { remembered })).toMatchObject([{ instructions: 'x' }]);
  });

  test('a whole name is divided at its only comma, and nothing else is', () => {
    const others =
      'LLC,L.L.C.,Inc,inc.,Incorporated,Corp,Co.,Company,LP,LLP,Ltd,Trust,Trustee,Estate,Jr,Sr.,II,III,IV,et al,etal,';
    const names = [
      ...['"REYES, ANA"', 'Ana Reyes', '"Reyes, Ana, Jr"', '", Ana"'],
      ...others.split(',').map((other) => `"Reyes, ${other}"`),
    ];
    const text = fileOf(names.map((name) => ({ ...NO_PARTS, 'Insured Name': name })));
    const options = { remembered: { 'Insured Name': 'policyholder.last_first_name' } };
    expect(claimsOf(text, options)).toMatchObject([
      { policyholder: { last_name: 'REYES', first_name: 'ANA' } },
    ]);
    expect(found(text, options).slice(1)).toEqual(
      names.slice(1).map(() => expect.stringContaining('Must be a last name, a comma')),
    );
    const damaged = fileOf([{ ...NO_PARTS, 'Insured Name': '"PE?A, ANA"' }]);
    expect(imported(damaged, options).rows).toMatchObject([
      { problems: [{ column: 'Insured Name', detail: expect.stringContaining('damaged') }, {}] },
    ]);
  });
});

describe('damaged text', () => {
  test.each([
    ['8.7E+09', 'rounded number'],
    ...['8,7E+09', '8E+09', '-8.7e-09'].map((text) => [text, 'rounded number']),
    ['########', 'error of a spreadsheet'],
    ['#N/A', 'error of a spreadsheet'],
    ['#REF!', 'error of a spreadsheet'],
    ['nan', 'missing value'],
    ['NULL', 'missing value'],
    ['None', 'missing value'],
    ...[
      ...['undefined', '[object Object]', '-nan', 'null', 'none', 'nil', 'NaT', 'nat', '<NA>', '<null>'],
      ...['(null)', '(blank)', '\\N', 'n/a', 'N/A', 'NAN', 'NONE', 'NIL', 'UNDEFINED', 'NAT'],
    ].map((text) => [text, 'missing value']),
    ...['8704421973.0', '8704421973,0'].map((text) => [text, 'number with decimals']),
    ['FL\u200b1', 'invisible characters, such as U+200B'],
    ['FL\u00a01', 'invisible characters, such as U+00A0'],
    ['FL\u202e1', 'invisible characters, such as U+202E'],
    ['Jos\ufffd', 'damaged when the file was saved'],
    ...['JosÃ©', '12Â°'].map((text) => [text, 'damaged when the file was saved']),
    ["'0087", 'Starts with an apostrophe'],
    ['#¡REF!', 'error of a spreadsheet'],
    ['Err:502', 'error of a spreadsheet'],
    ['Loading...', 'error of a spreadsheet'],
    ['=VLOOKUP(A2;B:C;2)', 'Is a formula'],
    ...'Jan Feb MAR Apr May Jun Jul Aug Sep Oct Nov Dec ENE Abr Ago Dic'
      .split(' ')
      .flatMap((month) => [`10-${month}`, `${month}-02`].map((text) => [text, 'Is a day'])),
    ...['3/10/2026', '05/31/1999', '29/19/2026', '1-Oct'].map((text) => [text, 'Is a day']),
    ['8,704,421,973', 'number with separators'],
    ['8,704,421,973.00', 'number with separators'],
    ['2026-03-10 00:00:00', 'Is a day'],
    ['2026-03-10', 'Is a day'],
    ['Oâ€™Brien', 'damaged when the file was saved'],
    ['ï»¿FL-1', 'damaged when the file was saved'],
    ['FL&#x2d;1', 'damaged when the file was made'],
    ...['#N/D', '#N/V', '#GETTING_DATA', '#¿NOMBRE?'].map((text) => [text, 'error of a spreadsheet']),
    [`[object ${'x'.repeat(60)}]`, `Is [object ${'x'.repeat(32)}…, which stands for`],
    ['?', 'no letter and no digit'],
    ...['FL&#45;1', '1&frac12;'].map((text) => [text, 'damaged when the file was made']),
  ])('is a problem in identifiers: %s', (text, detail) => {
    for (const column of ['File ID', 'Claim #', 'Policy #', 'CAT Code', 'FICO #'])
      expect(found(fileOf([{ [column]: `"${text}"` }]))).toEqual([expect.stringContaining(detail)]);
  });

  test.each(['8.7E+09', '####', '#N/A', 'nan', '2395550142.0', "'239", '[object Object]', 'Jos\ufffd'])(
    'is a problem in phones and numbers: %s',
    (text) => {
      const limit = text === '2395550142.0' ? 'nan' : text;
      const rows = [{ 'Insured Phone': text }, { 'Cell Phone': text }, { 'Building Limit': limit }];
      for (const row of rows) expect(imported(fileOf([row])).rows).toMatchObject([{ problems: [{}] }]);
    },
  );

  test.each([
    ...['nan', 'NaN', 'null', 'None', '#N/A', '[object Object]', '####', 'N/A', '#¡VALOR!', '#NOMBRE?'],
    ...['#ERROR!', '-', '.', 'Pe?a', 'Pe&ntilde;a', '=B2', 'Pe\u200ba', '#DIV/0!'],
  ])('is a problem in names: %s', (text) => {
    for (const column of ['Insured Last Name', 'Insured First Name', 'Carrier', 'Loss City'])
      expect(imported(fileOf([{ [column]: text }])).rows).toMatchObject([{ problems: [{ column }] }]);
  });

  test('is not what other fields may have', () => {
    const row = { Carrier: '10-Mar', 'Loss City': '"1,250"', Notes: '8.7E+09', 'Building Limit': '250000.0' };
    const [long] = claimsOf(fileOf([{ Notes: '=B2' }, { Notes: '-' }]));
    expect([long?.instructions, claimsOf(fileOf([row]))]).toMatchObject([
      '=B2',
      [
        {
          ...{ carrier: { name: '10-Mar' }, loss_location: { city: '1,250' }, instructions: '8.7E+09' },
          coverages: { building_limit: 250_000 },
        },
      ],
    ]);
  });

  test('is not what people are really named', () => {
    const named = ([first = '', last = '']: readonly string[]) => ({
      'Insured First Name': first,
      'Insured Last Name': last,
    });
    const names = [
      ['Nan', 'Reyes'],
      ['Jennifer', 'Null'],
      ['JENNIFER', 'NULL'],
      ['NAN', 'REYES'],
      ['Nat', 'True'],
      ['Ana\u00a0María', 'Reyes'],
      ['D’Bo', "'t Hooft & Co. #5"],
    ];
    expect(
      claimsOf(fileOf(names.map(named))).map(({ policyholder: of }) => [of.first_name, of.last_name]),
    ).toEqual(names);
    const missing = [
      ['NULL', 'Reyes'],
      ['Nan', 'Nan'],
      ['NULL', 'NULL'],
      ['', 'Null'],
    ];
    expect(found(fileOf(missing.map(named)))).toEqual(
      missing.map(() => expect.stringContaining('stands for a missing value')),
    );
    expect(found(fileOf([{ 'agent.last_name': 'Null' }]))[0]).toContain('stands for a missing value');
    // Each first name is that beside the last name.
    const agent = { 'agent.first_name': 'JENNIFER', 'agent.last_name': 'NULL' };
    expect(claimsOf(fileOf([agent]))).toMatchObject([{ agent: { last_name: 'NULL' } }]);
  });
});

describe('the bytes of a file', () => {
  const bytesOf = (text: string, letters: Readonly<Record<string, number>>): Uint8Array =>
    Uint8Array.from([...text].map((letter) => letters[letter] ?? letter.charCodeAt(0)));
  const MAC = { é: 0x8e, ó: 0x97, ñ: 0x96, í: 0x92, á: 0x87, '’': 0xd5 };
  const DOS = { é: 0x82, ó: 0xa2, ñ: 0xa4, í: 0xa1, Ñ: 0xa5, É: 0x90 };
  const WINDOWS = { '’': 0x92, '–': 0x96, '•': 0x95, '…': 0x85 };

  test.each([
    ['Windows', 'José Núñez, Bayamón, O’Brien', WINDOWS, 'windows-1252'],
    ['Windows in capitals', 'NUÑEZ, MARÍA JOSÉ', WINDOWS, 'windows-1252'],
    ['Windows with a short word', 'Año', WINDOWS, 'windows-1252'],
    ['Windows with many words', 'José Núñez, '.repeat(999), WINDOWS, 'windows-1252'],
    ['Windows with dashes', 'Müller – Miami–Dade', WINDOWS, 'windows-1252'],
    ['Windows with an apostrophe alone', 'O’Brien', WINDOWS, 'windows-1252'],
    ['Windows with a bullet and a dash', '• call – gate', WINDOWS, 'windows-1252'],
    ['Windows with an ellipsis', 'call…', WINDOWS, 'windows-1252'],
    ['an old Mac with one word', 'Bayamón', MAC, 'macintosh'],
    ['an old Mac', 'José García, Bayamón', MAC, 'macintosh'],
    ['DOS', 'José Ibáñez NUÑEZ'.replace('á', 'a'), DOS, 'ibm850'],
    ['DOS in capitals', 'JOSÉ', DOS, 'ibm850'],
  ])('of %s are read as they were written', (_, text, letters, encoding) => {
    expect(decode(bytesOf(text, letters))).toEqual({ text, encoding });
  });

  test('of Windows may have every letter of names, and each mark where it may stand', () => {
    const letters = 'áâäãåçéèêëíîïñóôöøúûüýÿæœ';
    const marks = { '€': 0x80, '‘': 0x91, '“': 0x93, '”': 0x94, '—': 0x97, '™': 0x99 };
    const bytes = { ...WINDOWS, ...marks, Œ: 0x8c, œ: 0x9c, Ÿ: 0x9f };
    const words = [
      ...[...`${letters}ß`].map((one) => `a${one}a`),
      ...[...letters.toUpperCase()].map((one) => `A${one}A`),
      ...['Ana—Bo', 'a\u00a0b', ...'\u00a0‘’“”–—…•·½¼¾°®©™€§¿¡º´'],
    ];
    // The apostrophe is one in no other encoding.
    const texts = words.map((word) => `O’Brien, ${word}`);
    const read = texts.map((text) => decode(bytesOf(text, bytes)));
    expect(read).toEqual(texts.map((text) => ({ text, encoding: 'windows-1252' })));
  });

  // Of the characters from 0x80 to 0xff, as the Unicode Consortium maps them.
  test.each([
    ['windows-1252', '8df215c206c16c15'],
    ['macintosh', '18c67b7d813eaeb1'],
    ['ibm850', '4ca3112428df72e8'],
  ] as const)('in %s have every character of it', (encoding, digest) => {
    const characterOf = (byte: number): string => {
      try {
        return decode(Uint8Array.of(0x41, byte), encoding).text.slice(1);
      } catch {
        return '\ufffd';
      }
    };
    const table = Array.from({ length: 128 }, (_, n) => characterOf(0x80 + n)).join('');
    expect(createHash('sha256').update(table).digest('hex').slice(0, 16)).toBe(digest);
  });

  test('that are text in several encodings are a question with a sample of each', () => {
    // The mark is the same in both.
    const bytes = bytesOf('©Ana,García', { ...MAC, '©': 0xa9 });
    const asked = () => decode(bytes);
    expect(asked).toThrow(UncertainEncoding);
    expect(asked).toThrow('windows-1252 (Garc’a), macintosh (García).');
    expect(readCsv(bytes, { ...MAX, encoding: 'macintosh' }).header).toEqual(['©Ana', 'García']);
    expect(() => decode(bytesOf('NU–EZ, a\x81b', WINDOWS))).toThrow(
      'text: macintosh (NUñEZ · aÅb), ibm850 (NUûEZ · aüb).',
    );
    expect(() => decode(bytesOf('NU–EZ, \x81\xf0', WINDOWS))).toThrow('text: ibm850 (NUûEZ · ü\xad).');
    const words = ['García', 'García', 'María', 'Díaz', 'Ríos'].join();
    expect(() => decode(bytesOf(words, MAC))).toThrow('macintosh (García · María · Díaz).');
  });

  const UTF_8 = ['José', 'O’Brien', 'Šimon', 'ASCII after a mark'];
  test.each(UTF_8)(
    'of which one row is in another encoding than UTF-8 damage that row, and not %s',
    (name) => {
      const sent = [{ 'Insured Last Name': name }, { 'Insured Last Name': 'XX' }, {}];
      const text = (name === UTF_8[3] ? '\ufeff' : '') + fileOf(sent);
      const bytes = Buffer.from(text.replace('XX', 'Ni\u0001o'));
      bytes[bytes.indexOf(1)] = 0xf1;
      const { rows } = importCsv(readCsv(bytes, MAX));
      expect(rows).toMatchObject([
        { claim: { policyholder: { last_name: name } } },
        { problems: [{ column: 'Insured Last Name', detail: expect.stringContaining('damaged') }] },
        { externalId: 'CMS-3' },
      ]);
    },
  );

  test.each([
    ['\xd0\xcf\x11\xe0abc', 'This is an old Excel workbook'],
    ['%PDF-1.7', 'This is a PDF file'],
    ['{\\rtf1\\ansi', 'This is a Word document'],
    ['<table border="0">', 'This is a web page or XML'],
    ['<html><table>', 'This is a web page'],
    ['\xef\xbb\xbf<!DOCTYPE html>', 'This is a web page'],
    ['\r\n <?xml version="1.0"?><Workbook>', 'This is a web page or XML'],
  ])('of another kind of file are named: %j', (bytes, message) => {
    expect(() => readText(Buffer.from(bytes, 'latin1'))).toThrow(message);
    expect(() => readCsv(Buffer.from(bytes, 'latin1'), MAX)).toThrow(message);
  });
});

describe('a header', () => {
  const file = fileOf([{}, {}]);

  test.each([
    ['one title', 'Claims of August\r\n', 2],
    [
      'titles with commas and blank lines',
      'Palmetto Mutual, Claims Department\r\n\r\nAs of 8/27/2026,,,\r\n',
      4,
    ],
    ['a title as wide as the table', `Report${','.repeat(13)}\r\n`, 2],
  ])('below %s is chosen by its row', (_, titles, headerRow) => {
    const { problems } = imported(titles + file);
    const detail = expect.stringContaining(`Row 1 does not look like the header, and row ${headerRow} does:`);
    expect(problems).toMatchObject([{ detail }]);
    const { rows } = importCsv(readCsv(titles + file, { ...MAX, headerRow }));
    expect(rows).toMatchObject([
      { row: headerRow + 1, externalId: 'CMS-1' },
      { row: headerRow + 2, externalId: 'CMS-2' },
    ]);
    const [whole] = partsOf(titles + file, { headerRow });
    expect([whole.content.header_row, whole.rows]).toEqual([headerRow, 2]);
  });

  test('is known behind any separator, and with titles that have others', () => {
    for (const separator of [';', '\t', '|'])
      for (const table of [fileOf([{}], separator), `City${separator}Zip${separator}Phone\n1`])
        for (const headerRow of [undefined, 1])
          expect(readCsv(`a${separator}b\n${table}`, { ...MAX, headerRow })).toMatchObject({
            likelyHeaderRow: headerRow === undefined ? 2 : null,
          });
  });

  test('is one of the first twenty rows with at least three known names', () => {
    const likely = (titles: number, names: string) =>
      readCsv(`${'x,y,z\n'.repeat(titles)}${names}\n1,2,3`, MAX).likelyHeaderRow;
    const names = 'City,Zip,Insured';
    expect([likely(19, names), likely(20, names), likely(1, 'City,Zip,x')]).toEqual([20, null, null]);
    expect(readCsv(`${names}\n1,2,3\n${names}`, MAX).likelyHeaderRow).toBeNull();
  });

  test('in another language has the separator of the row that is chosen, and not that of a title', () => {
    const text = 'Informe de siniestros, Palmetto\r\nSiniestro;Póliza;Teléfono\r\n1;2;3\r\n';
    const file = readCsv(text, { ...MAX, headerRow: 2 });
    expect([file.delimiter, file.header]).toEqual(['semicolon', ['Siniestro', 'Póliza', 'Teléfono']]);
    expect(partsOf(text, { headerRow: 2 })[0].content.delimiter).toBe('semicolon');
    expect(partsOf(text, { headerRow: 2, delimiter: 'pipe' })[0].content.delimiter).toBe('pipe');
  });

  test('in a row after the last one is another problem than an empty file', () => {
    const problem = 'No row has text from row 4 on: choose the row of the header (header_row).';
    const options = { ...MAX, headerRow: 4 };
    expect(() => readCsv('a,b\n1,2\n\n \n', options)).toThrow(problem);
    for (const empty of ['', ' , \n\n']) expect(() => readCsv(empty, options)).toThrow('The file is empty');
  });

  test('alone, and nothing at all, is said in words', () => {
    expect(imported(Object.keys(FIELDS).join(',')).problems).toMatchObject([
      { detail: 'The file has a header and no rows.' },
    ]);
    for (const empty of ['', '\r\n\r\n', '\ufeff', ' , , '])
      expect(() => readCsv(empty, MAX)).toThrow('The file is empty');
    expect(() => readText(Buffer.from(' \r\n'))).toThrow('The file is empty');
  });
});

describe('a date', () => {
  const datesOf = (dates: readonly string[], column = 'Date of Loss', options?: ImportOptions) =>
    imported(fileOf(dates.map((date) => ({ [column]: date }))), options).rows.map((row) =>
      'claim' in row ? (row.claim.building?.construction_date ?? row.claim.loss.date) : 'problem',
    );

  test('with a year of two digits is read where the column shows that the month is first', () => {
    expect(datesOf(['8/27/26', '8/9/26'])).toEqual(['2026-08-27', '2026-08-09']);
    expect(datesOf(['8/9/26', '8/9/26'])).toEqual(['problem', 'problem']);
    // The day of 2026, or the year 2027.
    expect(datesOf(['27/8/26'])).toEqual(['problem']);
    expect(datesOf(['27/8/26'], 'Date of Loss', { dateOrder: 'dmy' })).toEqual(['2026-08-27']);
    expect(datesOf(['8/27/26'], 'Date built')).toEqual(['problem']);
  });

  test('is read from the number of a day where the whole column has them', () => {
    expect(datesOf(['46261', '46235.0'])).toEqual(['2026-08-27', '2026-08-01']);
    expect(datesOf(['46261', 'x'])).toEqual(['problem', 'problem']);
    expect(datesOf(['2026'])).toEqual(['problem']);
  });

  test('of a loss is not in the future, nor before the flood program', () => {
    const options = { today: '2026-11-28' };
    expect(
      datesOf(
        ['2027-08-27', '2026-11-29', '2026-11-28', '1900-01-01', '1899-12-30'],
        'Date of Loss',
        options,
      ),
    ).toEqual(['problem', 'problem', '2026-11-28', 'problem', 'problem']);
  });
});

test('a mark of DOS at the end of a file is no row', () => {
  const text = fileOf([{}, {}]);
  const quoted = text.replace('File ID', '"File ID"');
  expect(readCsv(`\ufeff${quoted}\r\n\u001a\u001a`, MAX)).toEqual(readCsv(text, MAX));
  const within = fileOf([{ Notes: 'a\u001ab' }, {}]);
  expect(readCsv(within, MAX).rows).toHaveLength(2);
});

test('the name of a file is cut to the length that the service takes', () => {
  const long = '🌊'.repeat(300);
  const lengths = [nameOfFile(long), shownFileName(long)].map((name) => [...name].length);
  expect(lengths).toEqual([LIMITS.importName.max, LIMITS.importFileName.max]);
  const cut = 'a'.repeat(LIMITS.importName.max - 1);
  const names = ['Mon.Late_2026-08-27.csv', '2026-08-27.csv', `${cut} b.csv`].map(nameOfFile);
  expect(names).toEqual(['Mon Late', 'CSV', cut]);
});

test.each([
  ['=1', "'=1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@x', "'@x"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠x', "'＠x"],
  [' =1', " '=1"],
  ["'=1", "''=1"],
  ['\t=1', `"'\t'=1"`],
  ['\r1', `"'\r1"`],
  ['x;=1|+2', `"x;'=1|'+2"`],
  ['x;"=1', `"x;""'=1"`],
  ['x\t=1', `"x\t'=1"`],
  ['x|@1', `"x|'@1"`],
  ['x\n=1', `"x\n'=1"`],
  ['x; ＝1', `"x; '＝1"`],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['a=1', 'a=1'],
  ['a-1', 'a-1'],
])('a text that a spreadsheet would calculate is exported as text: %j', (text, cell) => {
  expect(spreadsheetCsv([[null], [text, -1, 0]])).toBe(`\r\n${cell},-1,0\r\n`);
});

test.each([
  ['within a cell', `a,b\n${'"x'.repeat(400_000)}`],
  ['that open a cell in each row', `a,b\n${'1,"x\n'.repeat(150_000)}`],
  ['that open and close in another row', `a,b\n${'1,"x\n"\n'.repeat(100_000)}`],
  ['alone', `a,b\n1,${'"'.repeat(800_000)}`],
])('a large file of quotes %s is read once, and not once for each', (_, text) => {
  expect(readCsv(text, { maxRows: 200_000 }).rows.length).toBeGreaterThan(0);
});

test('the largest files are read in steps of a few milliseconds, and a file of empty cells is not read to its end', async () => {
  const rows = Array.from({ length: 1990 }, (_, n) => ({ Notes: `${n} ${'x'.repeat(250)}` }));
  const text = fileOf(rows);
  const empty = `${Array.from({ length: 1000 }, (_, n) => `c${n}`).join(',')}\n${`${','.repeat(999)}\n`.repeat(880)}`;
  const counted = async (csv: string): Promise<number> => {
    let steps = 0;
    const pause = async (): Promise<void> => {
      steps += 1;
    };
    const file = await inSteps(readCsvInSteps(csv, { ...MAX, maxCells: 100_000 }), pause);
    await inSteps(importCsvInSteps(file), pause);
    return steps;
  };
  await expect(counted(empty)).rejects.toThrow('more than 100,000 cells');
  expect(await counted(text)).toBeGreaterThan(1990);
});

test('a long line with many quotes within cells is not searched to its end for each of them', () => {
  const columns = Array.from({ length: 991 }, (_, n) => `c${n}`).join(',');
  const line = '"a"b",'.repeat(990) + 'x'.repeat(30_000_000);
  expect(readCsv(`${columns}\n${line}`, MAX).rows[0]?.cells).toHaveLength(991);
}, 20_000);
