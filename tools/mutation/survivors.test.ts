import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { SURVIVORS } from './survivors.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('each listed survivor is in the code and has a reason', () => {
  const stale = SURVIVORS.filter(({ file, line, reason }) => {
    const lines = readFileSync(`${ROOT}${file}`, 'utf8').split('\n');
    return reason === '' || !lines.some((each) => each.trim() === line);
  });
  expect(stale).toEqual([]);
});
