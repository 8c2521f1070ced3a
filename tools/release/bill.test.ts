import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { BUNDLED, billOfMaterials, fullName } from './bill.ts';

const sourcesOf = (folder: string): string => fileURLToPath(new URL(`../../${folder}/src`, import.meta.url));

test('the bill of materials has the packages of servers and pages, and none that only tests or builds use', () => {
  const { components, dependencies } = billOfMaterials('--lockfile-only');
  const names = components.map(fullName);
  const bundled = Object.values(BUNDLED).flat();
  expect(names).toEqual(expect.arrayContaining(['express', 'pg', 'typeorm', 'commander', ...bundled]));
  const tools = /jest|istanbul|^@babel\/|^(vite|rollup|esbuild|typescript|playwright-core)$/;
  expect(names.filter((name) => tools.test(name))).toEqual([]);
  const excluded = components.filter(({ scope }) => scope === 'excluded').map(fullName);
  expect(excluded).toEqual([]);
  const page = dependencies.find(({ ref }) => ref.includes('%40svc/adjuster@'));
  expect(page?.dependsOn).toContainEqual(expect.stringMatching(/^pkg:npm\/preact@/));
});

test.each(['adjuster', 'desk'] as const)(
  'every package that the page of %s imports is in the bill of materials',
  (app) => {
    const imported = [`apps/${app}`, 'packages/web-app']
      .flatMap((folder) => readdirSync(sourcesOf(folder), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .flatMap((entry) => [
        ...readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(
          /(?:from|import\() ?'([a-z@][^']*)'/g,
        ),
      ])
      .map(([, path = '']) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
      .filter((name) => !name.startsWith('@svc/'));
    expect(imported).toContain('preact');
    expect(BUNDLED[`@svc/${app}`]).toEqual(expect.arrayContaining([...new Set(imported)]));
  },
);
