import { expect, jest, test } from '@jest/globals';
import { signal } from '@preact/signals';
import { durationText } from '../src/duration.ts';
import { isResponseOf } from '../src/endpoints.ts';
import { createFormat } from '../src/format.ts';
import { createFile } from '../src/load-once.ts';
import { addressText, isPoBox, nameOf, titleOf, townOf } from '../src/names.ts';
import { type CommonTexts, commonEn } from '../src/texts/en.ts';
import { commonEs } from '../src/texts/es.ts';
import type { Language } from '../src/texts/languages.ts';

test.each([
  [0.99, null, null],
  [1, '1 min', '1 min'],
  [59, '59 min', '59 min'],
  [60, '1 h', '1 h'],
  [1439, '23 h 59 min', '23 h'],
  [1440, '1 day', '24 h'],
  [2879, '1 day 23 h', '47 h'],
  [2880, '2 days', '2 days'],
  [2940, '2 days 1 h', '2 days'],
  [4319, '2 days 23 h', '2 days'],
  [4380, '3 days', '3 days'],
])('%d minutes are %s, and roughly %s', (minutes, text, rough) => {
  const written = ({ duration }: Pick<CommonTexts, 'duration'>) =>
    [false, true].map((isRough) => durationText(minutes * 60_000, duration, isRough));
  expect(written(commonEn)).toEqual([text, rough]);
  expect(written(commonEs)).toEqual([text, rough].map((one) => one?.replace('day', 'día') ?? null));
});

test('an instant is of the day and hour of the device, in the language of now, and a date is of no time zone', () => {
  const language = signal<Language>('en');
  const evening = '2026-09-06T02:05:09Z';
  const format = createFormat(signal(commonEn as CommonTexts), language, signal(Date.parse(evening)));
  const { today, day, dayOf, dateTime, dateTimeSeconds, timeOfDay, since } = format;
  const written = () =>
    [
      today(),
      day('2026-01-31'),
      dayOf(evening),
      dateTime(evening),
      dateTimeSeconds(evening),
      timeOfDay('16:30'),
    ]
      .map((text) => text.replace(/\s/g, ' '))
      .concat(since('2026-09-06T00:00:00Z') ?? '');
  const english =
    '2026-09-05 | Jan 31, 2026 | Sep 5, 2026 | Sep 5, 2026, 9:05 PM | Sep 5, 2026, 9:05:09 PM | 4:30 PM | 2 h 5 min';
  expect(written()).toEqual(english.split(' | '));
  // A line may break only between the day and the time.
  expect([dateTime(evening), dateTimeSeconds(evening)].map((text) => text.split(' ').length)).toEqual([2, 2]);
  language.value = 'es';
  expect(written()[5]).toMatch(/^4:30 p/);
});

test('a name is that of the person, or of the company, and an address is one line', () => {
  const names = [{ first_name: 'Ana', last_name: 'Reyes', company_name: 'Bay' }, { last_name: 'Reyes' }];
  expect([...names, { company_name: 'Bay' }, {}].map(nameOf)).toEqual(['Ana Reyes', 'Reyes', 'Bay', '']);
  const place = { street: '1 Bay St', city: 'Tampa', state: 'FL', zip: '33601' };
  expect([place, { ...place, street2: 'Apt 2' }].map(addressText)).toEqual([
    ...['1 Bay St, Tampa, FL 33601', '1 Bay St, Apt 2, Tampa, FL 33601'],
  ]);
  expect([townOf(place), titleOf({ policyholder: { company_name: 'Bay' } })]).toEqual(['Tampa, FL', 'Bay']);
});

test.each([
  ...['PO Box 12', 'P. O. Box 12', 'p.o.box 12', 'Post Office Box 1', 'Postal Box 1', 'Apartado 12'].map(
    (street) => [street, true] as const,
  ),
  ...['12 Poboxer Street', '1 Boxwood Lane', '3 Apartadora', '1 Post Road'].map(
    (street) => [street, false] as const,
  ),
])('“%s” is a box at a post office: %s', (street, expected) => expect(isPoBox({ street })).toBe(expected));

test.each([
  ['its own', 200, { id: 'aB', name: '' }, true],
  ['another success of it', 202, { ticket: 't' }, true],
  ['one without a field', 200, { id: 'ab' }, false],
  ['one about another thing', 200, { id: 'a2', name: '' }, false],
  ['the fields of another success', 202, { id: 'Ab', name: '' }, false],
  ['an unknown success', 201, { id: 'Ab', name: '' }, false],
  ['no object', 200, null, false],
])('a response is that of an operation by its status, fields and ids: %s', (_, status, body, isTaken) => {
  const route = 'GET v1/things/{id} 200 id name | 202 ticket';
  expect(isResponseOf(route, { params: { id: 'Ab' } }, status, body)).toBe(isTaken);
});

test('a list has rows, and what has no body has none', () => {
  const isTaken = (route: string, body: unknown) => isResponseOf(route, {}, 200, body);
  expect([[], {}].map((data) => isTaken('GET v1/a 200 data', { data }))).toEqual([true, false]);
  expect([undefined, {}].map((body) => isTaken('GET v1/a 200', body))).toEqual([true, false]);
});

test('a page in place of a file is not taken for it, and is asked for again', async () => {
  const fetching = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('ab'));
  const headers = { 'Content-Type': 'text/html; charset=utf-8' };
  for (const init of [{ headers }, { status: 404 }])
    fetching.mockResolvedValueOnce(new Response('<html>', init));
  const file = createFile('/file', (bytes) => bytes.length);
  for (let n = 0; n < 2; n += 1) await expect(file()).rejects.toThrow();
  expect([await file(), await file(), fetching.mock.calls]).toEqual([2, 2, Array(3).fill(['/file'])]);
  fetching.mockRestore();
});
