import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { EDGE_REQUESTS_PER_MINUTE, LIMITS, SESSION_REQUESTS_PER_MINUTE } from '../src/index.ts';

test('the limits that protect the service or that people are promised are these numbers', () => {
  const limits = { ...LIMITS, session: SESSION_REQUESTS_PER_MINUTE, edge: EDGE_REQUESTS_PER_MINUTE };
  const shown = Object.entries(limits).map(
    ([name, one]) => `${name} ${Object.values(Object(one)).join('/') || one}`,
  );
  const file = readFileSync(new URL('limits.txt', import.meta.url), 'utf8');
  expect(shown).toEqual(file.trim().split('\n'));
});
