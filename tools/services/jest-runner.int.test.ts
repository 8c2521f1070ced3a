import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('a test that fails or does not end, and a file that does not load or ends its process, fail the run', () => {
  const rootDir = temporaryFolder();
  const files = {
    passes: "let ran = 0; beforeEach(() => { ran += 1; }); test('passes', () => expect(ran).toBe(1));",
    fails: "describe('a block', () => test('fails', () => expect(1).toBe(2)));",
    hangs: "test('hangs', () => new Promise(() => setInterval(() => {}, 1000)));",
    setup: "beforeAll(() => { throw new Error('no setup'); }); test('is not set up', () => {});",
    broken: "import './missing.ts';",
    exits: 'process.exit(0);',
  };
  for (const [name, text] of Object.entries(files))
    writeFileSync(
      join(rootDir, `${name}.test.ts`),
      `import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';\n${text}`,
    );
  writeFileSync(join(rootDir, 'package.json'), '{"type":"module"}');
  const runner = join(ROOT, 'tools/services/jest-runner.mjs');
  const config = { rootDir, runner, testMatch: ['**/*.test.ts'], testTimeout: 200 };
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/jest/bin/jest.js'), '--config', JSON.stringify(config), '--json', '-w', '2'],
    { cwd: ROOT, encoding: 'utf8' },
  );
  const { testResults } = JSON.parse(stdout) as {
    testResults: {
      name: string;
      status: string;
      assertionResults: { fullName: string; status: string }[];
    }[];
  };
  expect(status).toBe(1);
  const found = testResults.map(({ name, status, assertionResults }) => [
    relative(rootDir, name).replace('.test.ts', ''),
    status,
    ...assertionResults.map((each) => `${each.fullName}: ${each.status}`),
  ]);
  expect(found.sort()).toEqual([
    ['broken', 'failed'],
    ['exits', 'failed'],
    ['fails', 'failed', 'a block fails: failed'],
    ['hangs', 'failed', 'hangs: failed'],
    ['passes', 'passed', 'passes: passed'],
    ['setup', 'failed', 'is not set up: failed'],
  ]);
});
