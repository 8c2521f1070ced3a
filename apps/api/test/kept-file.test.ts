import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { keptFile } from '../src/composition/kept-file.ts';

test('a secret of an installation is generated once, readable only by its owner, and reused', () => {
  const dataDir = temporaryFolder();
  const read = (n: number): string => keptFile(dataDir, 'secret', () => `secret ${n}`);
  expect([1, 2, 3].map(read)).toEqual(['secret 1', 'secret 1', 'secret 1']);
  expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe('secret 1');
  expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(0o600);
  // Of two processes that start at once.
  const create = () => {
    writeFileSync(join(dataDir, 'new/other'), 'the first');
    return 'the second';
  };
  expect(keptFile(join(dataDir, 'new'), 'other', create)).toBe('the first');
  mkdirSync(join(dataDir, 'folder'));
  expect(() => keptFile(dataDir, 'folder', () => 'secret')).toThrow('EISDIR');
});
