import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { keptFile } from '../src/composition/kept-file.ts';

test('a secret of an installation is generated once, readable only by its owner, and reused', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kept-'));
  const read = (n: number): string => keptFile(dataDir, 'secret', () => `secret ${n}`);
  expect([1, 2, 3].map(read)).toEqual(['secret 1', 'secret 1', 'secret 1']);
  expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe('secret 1');
  expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(0o600);
  rmSync(dataDir, { recursive: true });
});
