import { afterEach, expect, jest, test } from '@jest/globals';
import { jsonLine, printFields, printJson, printTable, progressOf } from '../src/svc/output.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

/** What a command writes. */
function printed(print: () => void): string {
  let text = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((chunk: unknown) => {
    text += String(chunk);
    return true;
  });
  print();
  return text;
}

// ESC, the one-byte CSI, DEL, a carriage return, and a right-to-left override
const HOSTILE = 'Gulf\u001b[2J\u009b31m\u007f\r\u202e Partners';
const SHOWN = 'Gulf\\u001b[2J\\u009b31m\\u007f\\u000d\\u202e Partners';

test('fields and columns are aligned, and no control character of a name reaches the terminal', () => {
  expect(printed(() => printFields({ name: HOSTILE, longer: null }))).toBe(`name    ${SHOWN}\nlonger  -\n`);
  const rows = [
    { name: 'longer', n: 1, last: [HOSTILE, 2] },
    { name: 'a', n: undefined, last: false },
  ];
  const table = `name    n  last\nlonger  1  ${SHOWN} 2\na       -  false\n`;
  expect(printed(() => printTable(rows, 'none'))).toBe(table);
  expect(printed(() => printTable([], 'none'))).toBe('none\n');
});

test('progress is shown every few seconds, however often it is reported', () => {
  let now = 0;
  const lines: unknown[] = [];
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  jest.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(line) > 0);
  const onProgress = progressOf('rows');
  for (; now < 10_000; now += 10) onProgress(now);
  expect(lines).toEqual(['3000 rows\n', '6000 rows\n', '9000 rows\n']);
});

test('JSON is escaped too, and the same document', () => {
  const escaped = '"Gulf\\u001b[2J\\u009b31m\\u007f\\r\u202e Partners"';
  const [text, line] = [printed(() => printJson({ name: HOSTILE })), jsonLine({ name: HOSTILE })];
  expect([text, line]).toEqual([`{\n  "name": ${escaped}\n}\n`, `{"name":${escaped}}\n`]);
  expect([text, line].map((json) => JSON.parse(json))).toEqual(Array(2).fill({ name: HOSTILE }));
});
