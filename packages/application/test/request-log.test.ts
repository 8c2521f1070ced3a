import { expect, test } from '@jest/globals';
import { type LoggedRequest, latestRequestFirst } from '../src/index.ts';

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
