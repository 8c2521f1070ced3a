import { expect, test } from '@jest/globals';
import { z } from 'zod';
import * as field from '../src/fields.ts';

const META = { description: 'D.', example: 'E' };
const BOUNDS = { min: 2, max: 1500 };
const OF = 'of 2 to 1,500 characters';
const NUMBER = '; received a number';
const QUOTED = `${NUMBER}; send it in quotes`;
const UNQUOTED = '; send the number without quotes';
const NO_URL = 'Must be a URL that starts with https://, without whitespace.';
const NO_PUSH = 'Must be an absolute URL that starts with https://, in printable ASCII without spaces.';
const NO_BASE64 = 'Must be base64: only letters, digits, + and /, without line breaks.';
const NO_BASE64URL = 'Must be base64url: only letters, digits, - and _.';
const [CONTROL, TAG] = ['U+0007', 'U+E0061'].map(
  (code) => `Must not contain invisible characters, such as ${code} here.`,
) as [string, string];
const UNUSABLE = 'Must not contain U+0000 or an unpaired surrogate.';
const NO_VISIBLE = 'Must contain at least one visible character.';
const NO_PRINT = 'Must be printable text with at least one visible character.';
const OUTER = 'Must not start or end with whitespace or contain a line break.';
const ZONE = 'the IANA name of a time zone, such as America/Chicago';
const MEANT = '2026-08-29T14:30:00Z';
const INSTANT = `an RFC 3339 date-time with an offset, such as ${MEANT}`;
const AMOUNT = 'an amount in US dollars from 0 to 9,999,999,999.99 with at most two decimals';
const TOO_MANY = 'Must have at most 1,000 items; received 1,001.';

const text = field.text(BOUNDS, META);
const email = field.email(META);
const push = field.pushServiceUrl(BOUNDS, META);
const letters = field.oneOf(['a_b', 'c'], META);
const texts = field.arrayOf(1000, z.string(), 'an array of texts', META);
const whole = field.integer({ min: -1, max: 100_000 }, META);
const object = field.fields({ a: z.string().optional() });
const [uuid, limit] = [
  field.uuidParameter(META, 'use the other one.'),
  field.integerParameter({ min: 1, max: 2000 }, META),
];
const MANY = Array(1001).fill('a');
const local = ['HTTPS://p.example', 'http://localhost/x', 'http://127.0.0.1:80/x', 'http://[::1]/x'];
const noPush = [
  ...['http://10.0.0.1/x', 'http://localhost.example/x', 'http://127.0.0.1', 'https://a:b', 'https://'],
  ...['https:///x', 'push.example', 'file:///etc/passwd', 'https://x/x\r\nHost: y', 'https://x\t.example/x'],
];

// Which values get which error: a whole one, or what is added to what they must be; null: none.
test.each<[what: string, z.ZodType, ...(readonly [error: string | null, ...unknown[]])[]]>([
  [`a string ${OF}`, text, [null, 'aa'], ['', 'a', 'a'.repeat(1501)], [UNUSABLE, 'a\0'], [QUOTED, 12]],
  ['a string of 2 characters', field.text({ min: 2, max: 2 }, META), [null, 'aa'], ['', 'a', 'aaa']],
  ['a phone number of 1 to 40 characters', field.phone(META), [null, '1'], [QUOTED, 5]],
  [`a string ${OF}`, field.nonBlankText(BOUNDS, META), [null, ' a'], [NO_VISIBLE, '  ', '\u200b\u00ad']],
  [
    `a string ${OF}`,
    field.identifier(BOUNDS, META),
    [null, 'a b'],
    [OUTER, ' a', 'a ', 'a\nb'],
    [QUOTED, 12],
  ],
  [`printable text ${OF}`, field.headerText(BOUNDS, META), [null, ' a'], [NO_PRINT, '  ', 'a\tb']],
  ['a string of exactly 5 digits', field.digits(5, META), [null, '00501'], ['', '1234'], [QUOTED, 12345]],
  ['one letter', field.matching('one letter', /^[a-z]$/, META), [null, 'a'], ['', 'A', 'ab']],
  [
    'a time from 00:00 to 23:59 (HH:MM)',
    field.timeOfDay(META),
    [null, '00:00', '04:30', '19:59', '23:59'],
    ['', '24:00', '23:60', '4:30', '04:30:00', '04:30\n', '0430', ''],
    [NUMBER, 930],
  ],
  [ZONE, field.timeZone(META), [null, 'UTC'], ['', 'Mars/Base', '+05:00', '', 'A'.repeat(65)], [NUMBER, 5]],
  [INSTANT, field.dateTime(META), [null, MEANT], [`; did you mean ${MEANT}?`, '2026-08-29 14:30'], ['', 'x']],
  [INSTANT, field.instantParameter(META), [`; did you mean ${MEANT}?`, '2026-08-29 14:30'], ['', 'x']],
  [AMOUNT, field.amount(META), [null, 0, 0.29], ['', -1, 0.001], [UNQUOTED, '5']],
  ['a fraction from 0 to 1, such as 0.07 for 7%', field.rate(META), [null, 0, 1], ['', 7], [UNQUOTED, '1']],
  [`a phone number ${OF}`, field.phone(META, BOUNDS), [null, '12'], ['', '1']],
  ['an email address of 3 to 255 characters', email, ['', 'a@'], [CONTROL, '\u0007@b'], [TAG, '\u{e0061}@b']],
  [
    `a URL ${OF}`,
    field.url(BOUNDS, META),
    [null, 'HTTP://x'],
    [NO_URL, 'ftp://x', 'http://x y', 'x http://x'],
  ],
  [
    `a base64url string ${OF}`,
    field.base64url(BOUNDS, META),
    [null, 'b-_', 'b=='],
    [NO_BASE64URL, 'b===', 'a+b'],
  ],
  [
    `a base64 string ${OF}`,
    field.base64(BOUNDS, META),
    [null, 'b+/', 'b=='],
    [NO_BASE64, 'b===', 'a-b', 'b\n'],
  ],
  [`an https URL ${OF}`, push, [null, ...local], [NO_PUSH, ...noPush]],
  ['one of a_b, c', letters, [null, 'a_b'], ['; did you mean a_b?', 'A B'], ['', 'd'], [NUMBER, 1]],
  ['a letter', field.oneOf(['a_b', 'c'], META, 'a letter'), ['', 'd']],
  ['true or false', field.flag(META), ['; send true without quotes', 'true'], ['', 'yes'], [NUMBER, 1]],
  [
    'an integer from -1 to 100,000',
    whole,
    [null, -1],
    ['', 1.5, -2, '01', '1.'],
    [UNQUOTED, '0', '-1', ' 2.5 ', '1e3'],
  ],
  ['an object', object, [null, {}, { a: 'a' }], ['', 'x'], ['; received an array', []]],
  ['an array of texts', texts, [null, MANY.slice(1)], [TOO_MANY, MANY], ['; received an object', {}]],
  ['a UUID', uuid, ['; use the other one', '1']],
  [
    'an integer from 1 to 2,000',
    limit,
    [null, '1', '50', '2000'],
    ['', '0', '2001', '-1', '1.0', '1e1', '0x10', '050', '', 'ten', '+5', '1 ', '9'.repeat(20)],
  ],
])('a field that takes %s says what is wrong with any other value', (what, schema, ...cases) => {
  const missing = `This field is required: ${what}.`;
  const isNull = `Must be ${what}, not null. If the field is optional, omit it instead.`;
  const all = [...cases, [missing, undefined], [isNull, null]].flatMap(([error, ...values]) =>
    values.map((value) => ({ error: error as string | null, value })),
  );
  const whole = (error: string | null) =>
    error === null || /^[MT]/.test(error) ? error : `Must be ${what}${error}.`.replace('?.', '?');
  const found = all.map(({ value }) => schema.safeParse(value).error?.issues.map(({ message }) => message));
  expect(found.map((each) => each?.join() ?? null)).toEqual(all.map(({ error }) => whole(error)));
});
