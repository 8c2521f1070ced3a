import { describe, expect, test } from '@jest/globals';
import { LIMITS, validationSummary } from '@svc/contract';
import fc from 'fast-check';
import { parseJson } from '../src/http/pipeline/parse-json.ts';
import { HttpProblem } from '../src/http/problems/http-problem.ts';

/** The parsed value, or the detail of the problem. */
function outcome(text: string, maxValues?: number): unknown {
  try {
    return parseJson(Buffer.from(text), maxValues);
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const [item] = error.extra.errors ?? [];
    if (item === undefined) expect(error.code).toBe('malformed_request');
    else
      expect([error.code, item.pointer, error.extra.detail]).toEqual([
        ...['validation_failed', '', validationSummary(1, 1)],
      ]);
    return item?.detail ?? error.extra.detail;
  }
}

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const TOO_DEEP = `The body is nested deeper than ${LIMITS.bodyDepth} levels.`;

test('valid JSON has the same value as with JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2), (value, indent) => {
      expect(outcome(JSON.stringify(value, null, indent))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

describe('nesting', () => {
  test('is accepted up to the limit, and rejected one level deeper, complete or truncated', () => {
    const most = LIMITS.bodyDepth;
    expect(outcome(nested(most))).toEqual(JSON.parse(nested(most)));
    expect(outcome(nested(most + 1))).toBe(TOO_DEEP);
    expect(outcome('['.repeat(most + 1))).toBe(TOO_DEEP);
    expect(outcome(`${'{"a":'.repeat(most)}[]${'}'.repeat(most)}`)).toBe(TOO_DEEP);
  });

  test('counts neither siblings nor brackets in strings and names', () => {
    const siblings = `[${Array.from({ length: 500 }, () => '[{}]').join()}]`;
    expect(outcome(siblings)).toEqual(JSON.parse(siblings));
    const brackets = '[{'.repeat(500);
    for (const text of [
      JSON.stringify({ a: brackets }),
      JSON.stringify({ [brackets]: 1 }),
      JSON.stringify({ a: `"${brackets}` }),
      JSON.stringify({ a: `\\"${brackets}\\` }),
    ])
      expect(outcome(text)).toEqual(JSON.parse(text));
  });
});

describe('a body of too many values', () => {
  const most = LIMITS.bodyValues;
  const TOO_MANY = `Must not hold more than ${most} values.`;
  const members = (count: number): string => Array.from({ length: count }, (_, i) => `"${i}":1`).join();

  test('is not parsed, whatever they are, complete or not', () => {
    expect(Object.keys(outcome(`{${members(most)}}`) as object)).toHaveLength(most);
    const texts = [
      `{${members(most + 1)}}`,
      `{"a":[${'1,'.repeat(most)}1]}`,
      `[${'[{"a":1}],'.repeat(most)}`,
      `[${'1,'.repeat(most)}x`,
    ];
    for (const text of texts) expect(outcome(text)).toBe(TOO_MANY);
  });

  test('may be of more where an operation takes them, but not of more members', () => {
    const values = `[${'1,'.repeat(most)}1]`;
    const tooMany = `Must not hold more than ${most + 1} values, of which ${most} are members.`;
    expect(outcome(values, most + 1)).toEqual(JSON.parse(values));
    expect([
      outcome(`[[],${values.slice(1)}`, most + 1),
      outcome(`{${members(most + 1)}}`, most + 1),
    ]).toEqual([...[tooMany, tooMany]]);
  });

  test('has no commas or brackets of texts among them', () => {
    const text = ',[{'.repeat(most);
    expect(outcome(JSON.stringify({ [text]: text }))).toEqual({ [text]: text });
  });
});

describe('duplicate member names are rejected, with the pointer of the second member', () => {
  test.each([
    ['{"a":1,"a":1}', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"é":1,"\\u00e9":2}', '/é'],
    ['{"a":{"b":1},"c":[0,{"d":1 , "e":"e" , "d" : 3}]}', '/c/1/d'],
    ['[{"a":1},{"a":1,"a":2}]', '/1/a'],
    ['{"a":{},"b":2,"a":[]}', '/a'],
    ['{"a/b~":1,"a/b~":1}', '/a~1b~0'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"":1,"":2}', '/'],
    ['{"1":1,"1":2}', '/1'],
    ['{"\\"\\\\{":1,"\\"\\\\{":2}', '/"\\{'],
    ['{"x":"\\"a\\":1,","a":":{","a":"}"}', '/a'],
  ])('%s', (text, pointer) => {
    expect(outcome(text)).toBe(`The body has a duplicate member: ${pointer}.`);
  });

  test.each([
    ...['{"a":{"a":{"a":1}}}', '[{"a":1},{"a":1}]', '{"a":"a","b":"a"}', '{"a":"\\"a\\":1","b":":::"}'],
    ...['{"A":1,"a":1}', '{"é":1,"e\\u0301":1}'],
  ])('but not in %s', (text) => {
    expect(outcome(text)).toEqual(JSON.parse(text));
  });

  test('also in a body of a megabyte, without the pointer if it is too long', () => {
    const at = (name: string) => outcome(`{"${name}":1,"b":"${name}","${name}":1}`);
    const most = 'x'.repeat(199);
    expect(at(most)).toBe(`The body has a duplicate member: /${most}.`);
    for (const long of [`${most}x`, 'x'.repeat(300_000)])
      expect(at(long)).toBe('The body has a duplicate member.');
    expect(outcome(`{"a":1,"b":"${'\\n'.repeat(500_000)}","a":2}`)).toBe(
      'The body has a duplicate member: /a.',
    );
  });
});

test.each([
  ['', 'empty'],
  [' \n ', 'empty'],
  ['{"a":1,}', 'not valid JSON'],
  ["{'a':1}", 'not valid JSON'],
  ['{"a":None}', 'not valid JSON'],
  ['{"a":"one\ntwo"}', 'not valid JSON'],
  ['{"a":1}\n{"b":2}', 'not valid JSON'],
  ['{"a":"b', 'not valid JSON'],
  ['"a\\', 'not valid JSON'],
])('the error for %j says that the body is %s', (text, what) => {
  expect(outcome(text)).toBe(`The body is ${what}.`);
});
