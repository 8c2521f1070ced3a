import { expect, test } from '@jest/globals';
import {
  parseAuditLink,
  parseBoolean,
  parseDuration,
  parseEmail,
  parseIntegerWithin,
  parseLifetime,
  parseNewSvcId,
  parsePositiveInteger,
  parseText,
  parseTime,
  parseUuid,
} from '../src/svc/arguments.ts';

test('a time is accepted as RFC 3339 and as PostgreSQL writes it, always with an offset', () => {
  const at = Date.parse('2026-11-26T17:06:25Z');
  const offsets = ['2026-11-26T17:06:25+00:00', '2026-11-26 13:36:25-03:30', '2026-11-26 19:06:25+02'];
  for (const text of ['2026-11-26T17:06:25.000Z', ...offsets]) expect(parseTime(text)).toBe(at);
  for (const text of ['2026-11-26 17:06:25', '2026-11-26', '2026-13-26T17:06:25Z', ''])
    expect(() => parseTime(text)).toThrow('Allowed: a date-time');
});

const HASH = '0123456789abcdef'.repeat(4);
const UUID = '01890000-0000-7000-8000-00000000abcd';
const LONGEST = 'é'.repeat(128);

test.each<[(text: string) => unknown, accepted: string[], values: unknown[], refused: string[]]>([
  [
    parseDuration,
    ['45s', '30m', '24h', '90d', '0s'],
    [45e3, 18e5, 864e5, 7776e6, 0],
    ['90', 'd', '1w', '-1h'],
  ],
  [parseLifetime, ['1s'], [1000], ['0s', '0d', '1000000s']],
  [parseIntegerWithin({ min: 0, max: 24 }), ['0', '24'], [0, 24], ['25', '-1', '01', '1e1', '', ' 2']],
  [parsePositiveInteger, ['1', '9999999'], [1, 9_999_999], ['0', '10000000']],
  [parseAuditLink, [`1042:${HASH}`], [{ seq: 1042, hash: HASH }], [`0:${HASH}`, HASH, `1:${HASH}a`]],
  [parseUuid, [UUID.toUpperCase()], [UUID], ['', `${UUID}a`, ` ${UUID}`, UUID.replaceAll('-', '')]],
  [parseText({ min: 2, max: 4 }), ['ab', '🌊🌊🌊🌊'], ['ab', '🌊🌊🌊🌊'], ['a', 'abcde', '  ', 'a\tb']],
  [
    parseNewSvcId,
    [LONGEST, '...'],
    [LONGEST, '...'],
    ['.', '..', ' S', 'S ', `${LONGEST}e`, '東'.repeat(86), '\ud800'],
  ],
  [parseEmail, ['A@x.example'], ['A@x.example'], ['a', 'a@', 'a @x.example', '']],
  [parseBoolean, ['true', 'false'], [true, false], ['TRUE', '1', '']],
])('an argument is read exactly within its bounds: case %#', (parse, accepted, values, refused) => {
  expect(accepted.map(parse)).toEqual(values);
  for (const text of refused) expect(() => parse(text)).toThrow('Allowed: ');
});
