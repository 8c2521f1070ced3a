import { expect, test } from '@jest/globals';
import { z } from 'zod';
import * as field from '../src/fields.ts';

const META = { description: 'D.', example: 'E' };
const BOUNDS = { min: 2, max: 1500 };
const LONG = 'a'.repeat(1501);
const NUMBER = '; received a number';
const QUOTED = `${NUMBER}; send it in quotes`;
const UNQUOTED = '; send the number without quotes';
const NO_URL = 'Must be a URL that starts with https://, without whitespace.';
const NO_PUSH = 'Must be an absolute URL that starts with https://, in printable ASCII without spaces.';
const NO_BASE64 = 'Must be base64: only letters, digits, + and /, without line breaks.';
const NO_BASE64URL = 'Must be base64url: only letters, digits, - and _.';
const INVISIBLE = 'Must not contain invisible characters, such as';
const UNUSABLE = 'Must not contain U+0000 or an unpaired surrogate.';
const TOO_MANY = 'Must have at most 1,000 items; received 1,001.';

type Cases = Readonly<Record<string, readonly unknown[]>>;
const text = field.text(BOUNDS, META);
const texts = field.arrayOf(1000, z.string(), 'an array of texts', META);
const whole = field.integer({ min: -1, max: 100_000 }, META);
const yesOrNo = field.flag(META);
const push = field.pushServiceUrl(BOUNDS, META);
const local = ['http://localhost/x', 'http://127.0.0.1:80/x', 'http://[::1]/x'];
const noPush = [
  ...['http://10.0.0.1/x', 'http://localhost.example/x', 'http://127.0.0.1', 'https://a:b', 'https://'],
  ...['https:///x', 'push.example', 'file:///etc/passwd', 'https://x/x\r\nHost: y', 'https://x\t.example/x'],
];

// The values that each error is of: a whole one, or what is added to what the value must be.
test.each<[what: string, z.ZodType, Cases]>([
  ['a string of 2 to 1,500 characters', text, { taken: ['aa'], '': ['a', LONG], [UNUSABLE]: ['a\0'] }],
  ['a string of 2 to 1,500 characters', text, { [QUOTED]: [12], [NUMBER]: [1] }],
  ['a string of 2 characters', field.text({ min: 2, max: 2 }, META), { taken: ['aa'], '': ['a', 'aaa'] }],
  ['a phone number of 1 to 40 characters', field.phone(META), { taken: ['1'], [QUOTED]: [5] }],
  ['a phone number of 2 to 1,500 characters', field.phone(META, BOUNDS), { taken: ['12'], '': ['1'] }],
  ['an email address of 3 to 255 characters', field.email(META), { '': ['a@'], [NUMBER]: [555] }],
  [
    'an email address of 3 to 255 characters',
    field.email(META),
    { [`${INVISIBLE} U+0007 here.`]: ['\u0007@b'] },
  ],
  [
    'an email address of 3 to 255 characters',
    field.email(META),
    { [`${INVISIBLE} U+E0061 here.`]: ['\u{e0061}@b'] },
  ],
  [
    'a URL of 2 to 1,500 characters',
    field.url(BOUNDS, META),
    { taken: ['HTTP://x'], [NO_URL]: ['ftp://x', 'https://x y', 'x https://x'] },
  ],
  [
    'a base64url string of 2 to 1,500 characters',
    field.base64url(BOUNDS, META),
    { taken: ['b-_', 'b=='], [NO_BASE64URL]: ['b===', 'a+b', 'b\n'] },
  ],
  [
    'a base64 string of 2 to 1,500 characters',
    field.base64(BOUNDS, META),
    { taken: ['b+/', 'b=='], [NO_BASE64]: ['b===', 'a-b', 'a_b', 'b\n'] },
  ],
  [
    'an https URL of 2 to 1,500 characters',
    push,
    { taken: ['HTTPS://p.example', ...local], [NO_PUSH]: noPush },
  ],
  [
    'one of a_b, c',
    field.oneOf(['a_b', 'c'], META),
    { taken: ['a_b'], '; did you mean a_b?': ['A B'], '': ['d'], [NUMBER]: [1] },
  ],
  ['a letter', field.oneOf(['a_b', 'c'], META, 'a letter'), { '': ['d'] }],
  [
    'true or false',
    yesOrNo,
    { '; send true without quotes': ['true'], '; send false without quotes': ['false'] },
  ],
  [
    'an integer from -1 to 100,000',
    whole,
    { taken: [-1], '': [1.5, -2, '01', '1.', '1e'], [UNQUOTED]: ['-1', ' 2.5 ', '1e3'] },
  ],
  ['an integer from -1 to 100,000', whole, { '; received a boolean': [true] }],
  ['an object', field.fields({ a: z.string().optional() }), { taken: [{}, { a: 'a' }], '': ['x'] }],
  ['an array of texts', texts, { taken: [Array(1000).fill('a')], [TOO_MANY]: [Array(1001).fill('a')] }],
  ['a UUID', field.uuidParameter(META, 'use the other one.'), { '; use the other one': ['1'] }],
  [
    'an integer from 1 to 2,000',
    field.integerParameter({ min: 1, max: 2000 }, META),
    { '': ['0', '2001', '1.0'] },
  ],
])('a field that takes %s says what is wrong with any other value', (what, schema, cases) => {
  const needed = `This field is required: ${what}.`;
  const notNull = `Must be ${what}, not null. If the field is optional, omit it instead.`;
  const all = Object.entries<readonly unknown[]>({ ...cases, [needed]: [undefined], [notNull]: [null] });
  const errorOf = (value: unknown) =>
    schema
      .safeParse(value)
      .error?.issues.map(({ message }) => message)
      .join();
  const wanted = (detail: string) =>
    /^[MT]/.test(detail) ? detail : `Must be ${what}${detail}.`.replace('?.', '?');
  const found = all.flatMap(([detail, values]) => values.map((value) => [detail, value, errorOf(value)]));
  expect(found).toEqual(
    found.map(([detail, value]) => [detail, value, detail === 'taken' ? undefined : wanted(String(detail))]),
  );
});
