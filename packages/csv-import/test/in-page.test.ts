import { expect, jest, test } from '@jest/globals';
import { LIMITS, smallestClaim } from '@svc/contract';
import {
  csvOfClaims,
  type Encoding,
  FIELD_PATHS,
  partsOf,
  REQUIRED_PATHS,
  readText,
  readWorkbook,
} from '../src/in-page.ts';
import { CLAIM_FIELDS, importCsv, readCsv } from '../src/index.ts';
import { splitCsv } from '../src/split-csv.ts';
import { inPieces } from '../src/steps.ts';
import { workbookOf } from './workbook-file.ts';

const textOf = (bytes: Uint8Array, named?: Encoding): string => readText(bytes, named).text;

test('a page reads a file in the encoding that it shows, or that is named', () => {
  expect(textOf(Uint8Array.of(0x4c, 0x6f, 0xed, 0x7a, 0x61, 0x20, 0x96, 0x80))).toBe('Loíza –€');
  // Bytes that happen to be UTF-8.
  expect(textOf(Uint8Array.of(0xc2, 0xab), 'windows-1252')).toBe('Â«');
  expect(textOf(Uint8Array.of(0xff, 0xfe, 0x4c), 'windows-1252')).toBe('ÿþL');
  expect(() => textOf(Uint8Array.of(0x81), 'windows-1252')).toThrow('The file is not windows-1252');
  expect(() => textOf(Uint8Array.of(0xed), 'utf-8')).toThrow('The file is not utf-8');
  expect(() => textOf(Uint8Array.of(0xff, 0xfe, 0x4c))).toThrow('The file is not utf-16le');
});

test('a file in UTF-8 is read, whatever characters it has', () => {
  const text = 'a,b\n\u0085,\u00e2\u0080\u0099';
  expect(textOf(Buffer.from(text))).toBe(text);
});

test('a page says where a file has a NUL character, which the service does not take', () => {
  expect(() => textOf(Buffer.from('a,b\r\n1,2\r3,4\n5,\0'))).toThrow('Line 4 has a NUL character');
  expect(textOf(Buffer.alloc(40_000_000, 'x\0')).length).toBe(20_000_000);
  expect(() => textOf(Buffer.alloc(20_000_001, 'x'))).toThrow('more than 20,000,000 characters');
});

test('a page reads the sheet of a workbook that is named', async () => {
  const bytes = workbookOf({ sheets: [{ rows: [['a']] }, { name: ' Two', rows: [['b']] }] });
  const read = [undefined, ' Two'].map(async (sheet) => (await readWorkbook(bytes, sheet)).text);
  expect(await Promise.all(read)).toEqual(['a', 'b']);
});

test('work of a page pauses as often as the time that a piece may take has passed, and not at each step', async () => {
  let clock = 0;
  const pauses: number[] = [];
  function* steps() {
    for (let step = 1; step <= 10; step += 1) {
      clock += 6;
      yield undefined;
    }
    return 'done';
  }
  const spy = jest.spyOn(performance, 'now').mockImplementation(() => clock);
  const done = await inPieces(steps(), 24, async () => {
    pauses.push(clock);
    clock += 100;
  }).finally(() => spy.mockRestore());
  expect([done, pauses]).toEqual(['done', [24, 148]]);
});

test('a page offers the fields of the import, and names those that a file must have', () => {
  expect(FIELD_PATHS).toEqual(CLAIM_FIELDS.map(({ path }) => path));
  expect(REQUIRED_PATHS).toEqual(CLAIM_FIELDS.filter(({ required }) => required).map(({ path }) => path));
});

test('a file that is made of claims is read as the same claims', () => {
  const other = {
    ...smallestClaim,
    external_id: 'CMS-2',
    claim_number: 'FL-2',
    instructions: 'Two\nlines; "quoted", and a comma',
    coverages: { building_deductible: 0 },
  };
  const claims = [smallestClaim, other];
  const { problems, rows } = importCsv(readCsv(csvOfClaims(claims), { maxRows: 10 }));
  expect(problems).toEqual([]);
  expect(rows).toMatchObject(claims.map((claim) => ({ claim })));
});

test.each(['\n', '\r\n', '\r'])(
  'the parts of a file have all its rows, their numbers and the header (%j)',
  (end) => {
    const rows = ['a;"two\n\nlines; ""quoted"""', 'b;5" pipe', 'c;"x\ry"', '', 'd;"\r\n"', 'e;'].map(
      (row) => row + end,
    );
    const text = `sep=;\r\n${end}Id;Note${end}${rows.join('').trimEnd()}`;
    const read = (part: string, firstRow?: number) =>
      readCsv(part, { maxRows: 100, delimiter: 'semicolon', firstRow });
    const whole = readCsv(text, { maxRows: 100 });
    const MAX = { rows: 9, cells: 1000, characters: 1000 };
    // A row larger than a limit is sent alone.
    const limits = [...[1, 2, 3, 4, 5, 9].map((rows) => ({ rows })), { cells: 1 }, { characters: 1 }];
    for (const limit of limits) {
      const parts = splitCsv(text, { ...MAX, ...limit });
      const found = parts.flatMap(({ content, lines, rows: count }) => {
        const { header, rows: ofPart, lines: ofLines } = read(content.text, content.first_row);
        expect([header, ofPart.length, ofLines]).toEqual([whole.header, count, lines]);
        expect(count).toBeLessThanOrEqual('rows' in limit ? limit.rows : 1);
        return ofPart;
      });
      expect(found).toEqual(whole.rows);
    }
    const asOne = { text, delimiter: 'semicolon', header_row: undefined, first_row: undefined };
    expect(splitCsv(text, MAX)).toEqual([{ content: asOne, rows: 5, lines: 8 }]);
    const titled = ['Title', 'a,b', '1,2', '3,4'].join(end);
    expect(splitCsv(titled, { ...MAX, rows: 1 }, { headerRow: 2 })[1]?.content).toMatchObject({
      ...{ text: `a,b${end}3,4`, header_row: undefined, first_row: 4 },
    });
    for (const { content } of splitCsv(text, { ...MAX, characters: 45 }))
      expect(content.text.length).toBeLessThanOrEqual(45);
  },
);

test('the parts of a file have as many rows, cells and characters as the service takes', () => {
  const wide = `${Array.from({ length: 80 }, (_, n) => `c${n}`).join()}\n${`${'1,'.repeat(79)}1\n`.repeat(2000)}`;
  const narrow = `a,b\n${'1,2\n'.repeat(2001)}`;
  // Quotes grow in JSON.
  const quoted = `a,b\n${`1,"${'""x'.repeat(300)}"\n`.repeat(800)}`;
  const { importRows: maxRows, importValues: maxCells } = LIMITS;
  const read = [wide, narrow, quoted].map((text) =>
    partsOf(text, {}).map(({ content }) => {
      expect(content.text.length).toBeLessThanOrEqual(LIMITS.importText.max);
      expect(JSON.stringify(content).length).toBeLessThan(LIMITS.bodyBytes);
      return readCsv(content.text, { maxRows, maxCells }).rows.length;
    }),
  );
  expect(read).toEqual([
    [1249, 751],
    [2000, 1],
    [662, 138],
  ]);
});
