import { expect, test } from '@jest/globals';
import { smallestClaim } from '@svc/contract';
import {
  csvOfClaims,
  type Encoding,
  FIELD_PATHS,
  REQUIRED_PATHS,
  readInParts,
  splitCsv,
} from '../src/in-page.ts';
import { CLAIM_FIELDS, importCsv, readCsv } from '../src/index.ts';

const textOf = (bytes: Uint8Array, named?: Encoding): string =>
  readInParts(bytes, named).parts[0].content.text;

test('a page reads a file in the encoding that it shows, or that is named', () => {
  const decoded = [
    [0x4c, 0x6f, 0xed, 0x7a, 0x61],
    [0xef, 0xbb, 0xbf, 0x4c, 0x6f, 0xc3, 0xad, 0x7a, 0x61],
    [0xff, 0xfe, 0x4c, 0, 0x6f, 0, 0xed, 0, 0x7a, 0, 0x61, 0],
    [0x4c, 0x6f, 0xed, 0x7a, 0x61, 0x20, 0x96, 0x80],
  ].map((bytes) => textOf(new Uint8Array(bytes)));
  expect(decoded).toEqual(['Loíza', 'Loíza', 'Loíza', 'Loíza –€']);
  // Bytes that happen to be UTF-8.
  expect(textOf(Uint8Array.of(0xc2, 0xab), 'windows-1252')).toBe('Â«');
  expect(() => textOf(Uint8Array.of(0xed), 'utf-8')).toThrow('The file is not utf-8');
});

test('a file in an unknown encoding is refused, and not one in UTF-8, whatever characters it has', () => {
  expect(() => textOf(Uint8Array.of(0x41, 0x2c, 0x81, 0x0a))).toThrow('neither UTF-8 nor Windows-1252');
  const text = 'a,b\n\u0085,\u00e2\u0080\u0099';
  expect(textOf(Buffer.from(text))).toBe(text);
});

test('a page says where a file has a NUL character, which the service does not take', () => {
  expect(() => textOf(Buffer.from('a,b\r\n1,2\r\n3,\0'))).toThrow('Line 3 has a NUL character');
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
  };
  const claims = [smallestClaim, other];
  const { problems, rows } = importCsv(readCsv(csvOfClaims(claims), { maxRows: 10 }));
  expect(problems).toEqual([]);
  expect(rows).toMatchObject(claims.map((claim) => ({ claim })));
});

test.each(['\n', '\r\n', '\r'])(
  'the parts of a file have all its rows, their numbers and the header (%j)',
  (end) => {
    const rows = ['a;"two\nlines; ""quoted"""', 'b;5" pipe', 'c;"x"', '', 'd;"\r\n"', 'e;'].map(
      (row) => row + end,
    );
    const text = `sep=;\r\n${end}Id;Note${end}${rows.join('').trimEnd()}`;
    const read = (part: string) => readCsv(part.replaceAll('5" pipe', '5 pipe'), { maxRows: 100 });
    const whole = read(text);
    for (const maxRows of [1, 2, 3, 4, 5]) {
      const parts = splitCsv(text, maxRows, 1000);
      const found = parts.flatMap(({ content: { text: part, first_row = 2 } }) => {
        const { header, rows: ofPart } = read(part);
        expect([header, ofPart.length <= maxRows]).toEqual([whole.header, true]);
        return ofPart.map(({ row, cells }) => ({ row: row - 2 + first_row, cells }));
      });
      expect(found).toEqual(whole.rows);
    }
    expect(splitCsv(text, 6, 1000)).toEqual([{ content: { text }, rows: expect.any(Number) }]);
    for (const { content } of splitCsv(text, 6, 60)) expect(content.text.length).toBeLessThanOrEqual(60);
  },
);
