import { expect, test } from '@jest/globals';
import { parseTime } from '../src/svc/arguments.ts';

test('a time is accepted as RFC 3339 and as PostgreSQL writes it, always with an offset', () => {
  const at = Date.parse('2026-11-26T17:06:25Z');
  for (const text of ['2026-11-26T17:06:25.000Z', '2026-11-26T17:06:25+00:00', '2026-11-26 19:06:25+02'])
    expect(parseTime(text)).toBe(at);
  for (const text of ['2026-11-26 17:06:25', '2026-11-26', '2026-13-26T17:06:25Z', ''])
    expect(() => parseTime(text)).toThrow('Allowed: a date-time');
});
