import { expect, test } from '@jest/globals';
import { DAY } from '@svc/domain';
import { type LoggedRequest, latestRequestFirst, REQUEST_LOG_RETENTION_MS } from '../src/index.ts';

test('the request log is kept for 14 days', () => {
  expect(REQUEST_LOG_RETENTION_MS).toBe(14 * DAY);
});

test('requests are sorted by time and then by id, latest first', () => {
  const sorted = [
    { at: 2, requestId: 'b' },
    { at: 2, requestId: 'a' },
    { at: 1, requestId: 'c' },
  ] as LoggedRequest[];
  for (const mixed of [sorted, sorted.toReversed()])
    expect(mixed.toSorted(latestRequestFirst)).toEqual(sorted);
  const sign = (one: number, other: number) =>
    Math.sign(latestRequestFirst(sorted[one] as LoggedRequest, sorted[other] as LoggedRequest));
  const places = [...sorted.keys()];
  for (const one of places)
    expect(places.map((other) => sign(one, other))).toEqual(places.map((other) => Math.sign(one - other)));
});
