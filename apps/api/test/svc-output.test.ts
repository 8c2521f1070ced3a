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
/** All but line feeds. */
const CONTROLS = /(?!\n)\p{Cc}/u;

test('no control character of a name reaches the terminal, in fields, tables or JSON', () => {
  for (const print of [
    () => printFields({ name: HOSTILE }),
    () => printTable([{ name: HOSTILE, other: [HOSTILE] }], 'none'),
    () => printJson({ name: HOSTILE }),
  ]) {
    const text = printed(print);
    expect(text).toContain('Gulf');
    expect(text).not.toMatch(CONTROLS);
  }
  expect(printed(() => printFields({ name: HOSTILE }))).toContain(
    '\\u001b[2J\\u009b31m\\u007f\\u000d\\u202e',
  );
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

test('escaped JSON is the same document', () => {
  expect(JSON.parse(printed(() => printJson({ name: HOSTILE })))).toEqual({ name: HOSTILE });
  expect(JSON.parse(jsonLine({ name: HOSTILE }))).toEqual({ name: HOSTILE });
});
