import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
}
const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  readonly forbidden: readonly Rule[];
};

/** Imports of other rules than those of rooms, by the file that has them. */
const OTHERS: Readonly<Record<string, { readonly imports: string; readonly rule: string }>> = {
  'apps/api/src/one.ts': { imports: 'apps/api/src/two.ts', rule: 'no cycles' },
  'tools/bench/one.ts': { imports: 'tools/bench/two.ts', rule: 'no cycles' },
  'packages/testkit/src/lost.ts': { imports: 'packages/testkit/src/nowhere.ts', rule: 'everything resolves' },
  'apps/api/src/service.ts': {
    imports: 'packages/adapter-redis/src/limiter.ts',
    rule: 'only the composition root imports adapters and Inversify',
  },
  'tools/outside.ts': { imports: 'apps/adjuster/src/screen.ts', rule: 'no app is imported from outside' },
  'packages/embedded-postgres/src/tested.ts': {
    imports: 'packages/testkit/src/fixture.ts',
    rule: 'the testkit stays out of the product',
  },
  'packages/contract/src/rule.ts': {
    imports: 'packages/domain/src/claim.ts',
    rule: 'contract reaches only what it may',
  },
  'packages/domain/src/vocabulary.ts': {
    imports: 'packages/domain/src/claim.ts',
    rule: 'words of the domain import nothing',
  },
  'packages/adapter-postgres/src/stores/store.ts': {
    imports: 'packages/adapter-postgres/src/citus/rules.ts',
    rule: 'statements and the driver know nothing of Citus',
  },
  'apps/claims/src/tool.ts': { imports: 'tools/chaos/run.ts', rule: 'the product stays out of tools' },
};

const ROOM = / reaches only what it may$/;
/** Each room has a file that imports one outside of every room. */
const ROOMS = Object.fromEntries(
  forbidden
    .filter(({ name }) => ROOM.test(name))
    .map(({ name, from }) => [
      `${from.path?.replace('^', '')}planted.ts`,
      { imports: 'apps/outside.ts', rule: name },
    ]),
);

const importing = (from: string, to: string): string =>
  `import type { value } from '${relative(dirname(from), to).replace(/^(?!\.)/, './')}';\nexport type Value = typeof value;\n`;

/** What the build writes, and removes, while the checks run. */
const GENERATED: readonly string[] = [
  'apps/docs/.vitepress/.temp/app.js',
  'apps/docs/.vitepress/config.ts.timestamp-1-2.mjs',
  'apps/docs/dist/build.js',
];

/** A small workspace with the same folders. */
const PLANTED: Readonly<Record<string, string>> = {
  'apps/outside.ts': 'export const value = 1;',
  'apps/api/src/two.ts': importing('apps/api/src/two.ts', 'apps/api/src/one.ts'),
  'tools/bench/two.ts': importing('tools/bench/two.ts', 'tools/bench/one.ts'),
  'packages/adapter-redis/src/limiter.ts': 'export const value = 1;',
  'packages/testkit/src/fixture.ts': 'export const value = 1;',
  'packages/domain/src/claim.ts': 'export const value = 1;',
  'apps/adjuster/src/screen.ts': 'export const value = 1;',
  'packages/adapter-postgres/src/citus/rules.ts': 'export const value = 1;',
  'tools/chaos/run.ts': 'export const value = 1;',
  ...Object.fromEntries(
    Object.entries({ ...OTHERS, ...ROOMS }).map(([path, { imports }]) => [path, importing(path, imports)]),
  ),
  ...Object.fromEntries(GENERATED.map((path) => [path, "import './nowhere.js';"])),
};

let violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
beforeAll(() => {
  const workspace = temporaryFolder();
  for (const [path, text] of Object.entries(PLANTED)) {
    mkdirSync(join(workspace, dirname(path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  writeFileSync(join(workspace, 'tsconfig.json'), '{ "compilerOptions": { "module": "NodeNext" } }');
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      ...[
        '--config',
        join(ROOT, '.dependency-cruiser.cjs'),
        '--output-type',
        'json',
        'packages',
        'apps',
        'tools',
      ],
    ],
    { cwd: workspace, encoding: 'utf8' },
  );
  violations = JSON.parse(stdout).summary.violations;
});

test('every dependency rule reports a planted violation', () => {
  const found = new Set(violations.map(({ from, rule }) => `${from}: ${rule.name}`));
  const planted = Object.entries({ ...OTHERS, ...ROOMS });
  const missed = planted.filter(([path, { rule }]) => !found.has(`${path}: ${rule}`));
  expect(missed).toEqual([]);
  expect(new Set(planted.map(([, { rule }]) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)));
});

test('no check reads what the build writes while they run', () => {
  expect(violations.filter(({ from }) => GENERATED.includes(from))).toEqual([]);
  // The linter checks what git does not ignore.
  const ignored = execFileSync('git', ['check-ignore', ...GENERATED], { cwd: ROOT, encoding: 'utf8' });
  expect(ignored.trim().split('\n')).toEqual(GENERATED);
});
