import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('`pnpm test:unit <path> <path>` runs the unit tests below these paths, of any package, and nothing else', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const listed = execFileSync(
    '/bin/sh',
    ['-c', `${scripts['test:unit']} "$@"`, 'sh', 'packages/domain', 'apps/claims/test/s', '--listTests'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH}` },
    },
  );
  const files = listed
    .split('\n')
    .filter((line) => line.endsWith('.test.ts'))
    .map((line) => relative(ROOT, line));
  expect(files.filter((file) => !/^(packages\/domain\/|apps\/claims\/test\/s)/.test(file))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining(['packages/domain/test/carrier.test.ts', 'apps/claims/test/send.test.ts']),
  );
  expect(files.filter((file) => /\.(int|e2e)\.test\.ts$/.test(file))).toEqual([]);
});
