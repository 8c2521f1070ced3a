import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Relative to the root. */
const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (/^(node_modules|dist|\.git|\.data)$/.test(entry.name)) return [];
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
/** The lines that match, each with the path of its file. */
const linesWith = (pattern: RegExp, paths: readonly string[]): string[] =>
  paths.flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );

test('no page, help text or example installs a package by its name, which anybody could register', () => {
  const pages = filesIn('.').filter(
    (path) => /\.(md|ts|tsx|mjs|ya?ml|json|cfg)$/.test(path) && !/\.test\.ts$|pnpm-lock/.test(path),
  );
  const commands = /\b(npx|bunx|(npm|pnpm|yarn|bun)\s+(i|install|add|exec|dlx|x))\s.*@svc\//;
  expect(linesWith(commands, pages)).toEqual([]);
});

test.each(['apps/claims', 'packages/client', 'packages/contract', 'packages/domain'])(
  'the README of %s installs the file of its version that the service offers',
  (folder) => {
    const { name, version } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    const readme = readFileSync(join(ROOT, folder, 'README.md'), 'utf8');
    const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    const offered = 'https://claims\\.example\\.com/docs/packages/';
    expect(readme.match(/^npm install .*$/gm)).toEqual([
      // A package of the service may need another one.
      expect.stringMatching(
        new RegExp(`^npm install (--global )?(${offered}svc-[a-z]+-${version}\\.tgz )?${offered}${file}$`),
      ),
    ]);
  },
);

test('workflows name the commit of each action, since a tag can be moved', () => {
  const workflows = filesIn('.github');
  const actions = linesWith(/^\s*-?\s*uses:/, workflows);
  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((line) => !/uses: [\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/.test(line))).toEqual([]);
});
