import { expect, test } from '@jest/globals';
import { createErrorReports } from '../src/http/adjuster-app/error-reports.ts';

test('of many error reports of the app the first thirty of each minute are logged', () => {
  const logged: string[] = [];
  const ignore = () => {};
  const log = { error: ignore, info: ignore, debug: ignore, warn: (message: string) => logged.push(message) };
  let now = 0;
  const report = createErrorReports({ log, clock: { now: () => now } });
  for (let n = 0; n < 1000; n += 1) report({ screen: 'claim', error: 'TypeError' });
  expect(logged).toHaveLength(31);
  expect(logged.at(-1)).toBe('more errors in the adjuster app are not logged this minute');
  now = 60_000;
  report({ screen: 'claim', error: 'TypeError' });
  expect(logged).toHaveLength(32);
});
