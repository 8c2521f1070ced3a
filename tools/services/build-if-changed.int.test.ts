import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from './temporary-folder.ts';

const PROGRAM = 'tools/services/build-if-changed.mjs';

let root: string;
beforeEach(() => {
  root = temporaryFolder();
  for (const folder of ['tools/services', 'tools/prepare', 'apps/api/src', 'apps/api/dist', 'docs'])
    mkdirSync(join(root, folder), { recursive: true });
  mkdirSync(join(root, 'packages/client/src'), { recursive: true });
  cpSync(fileURLToPath(new URL(`../../${PROGRAM}`, import.meta.url)), join(root, PROGRAM));
  const build = 'echo built | tee -a apps/api/dist/builds packages/client/src/generated.ts';
  write('package.json', JSON.stringify({ scripts: { build } }));
  write('apps/api/src/server.ts', 'one');
});

const write = (file: string, text: string) => writeFileSync(join(root, file), text);
/** How often it was built until now. */
function builds(): number {
  execFileSync(process.execPath, [join(root, PROGRAM)]);
  return readFileSync(join(root, 'apps/api/dist/builds'), 'utf8').trim().split('\n').length;
}

test('a command is built before its first use and after a change, and otherwise starts at once', () => {
  expect([builds(), builds()]).toEqual([1, 1]);
  write('apps/api/src/server.ts', 'two');
  expect([builds(), builds()]).toEqual([2, 2]);
  write('apps/api/src/new.ts', '');
  expect([builds(), builds()]).toEqual([3, 3]);
});

test('a build that failed is repeated', () => {
  write('package.json', JSON.stringify({ scripts: { build: 'false' } }));
  expect(() => builds()).toThrow();
  expect(() => builds()).toThrow();
});
