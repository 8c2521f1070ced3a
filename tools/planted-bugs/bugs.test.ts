import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { PLANTED_BUGS } from './bugs.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('the catalogue has at least 24 bugs with different names', () => {
  const names = PLANTED_BUGS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(24);
});

test.each(PLANTED_BUGS.map((bug) => [bug.name, bug] as const))(
  '%s: still applies to the code',
  (_name, bug) => {
    const text = readFileSync(`${ROOT}${bug.file}`, 'utf8');
    expect(text.split(bug.from).length - 1).toBe(1);
  },
);
