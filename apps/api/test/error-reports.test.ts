import { expect, test } from '@jest/globals';
import { createErrorReports } from '../src/http/adjuster-app/error-reports.ts';

test('of many error reports of the app the first thirty of each minute are logged', () => {
  const logged: unknown[] = [];
  const ignore = () => {};
  const log = { error: ignore, info: ignore, debug: ignore, warn: (...line: unknown[]) => logged.push(line) };
  let now = 0;
  const report = createErrorReports({ log, clock: { now: () => now } });
  for (let n = 0; n < 1000; n += 1) report({ screen: 'claim', error: 'TypeError' });
  expect(logged.slice(0, 30)).toEqual(
    Array(30).fill(['error in the adjuster app', { screen: 'claim', error: 'TypeError' }]),
  );
  expect(logged.slice(30)).toEqual([['more errors in the adjuster app are not logged this minute']]);
  now = 59_999;
  report({ screen: 'claim', error: 'TypeError' });
  now = 60_000;
  for (let n = 0; n < 1000; n += 1) report({ screen: 'claim', error: 'TypeError' });
  expect(logged).toHaveLength(62);
});
