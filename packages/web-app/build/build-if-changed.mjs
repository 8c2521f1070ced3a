// Builds a page into its dist/. Does nothing when its inputs have not changed, since every start runs it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const OWN_FILES = ['index.html', 'build.mjs', 'vite.config.mjs', 'package.json', '../../pnpm-lock.yaml'];

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/**
 * @param {string} here the folder of the app
 * @param {(names: string[], version: string) => { entry: string, define: object }} [workerOf] the service worker, if the
 * page has one, from the files that the page was built into and their hash
 */
export async function buildIfChanged(here, workerOf) {
  const dist = join(here, 'dist');
  const inputsFile = join(dist, '.inputs');

  const digestOf = (paths) => {
    const hash = createHash('sha256');
    for (const path of paths)
      hash
        .update(`${relative(here, path)}\0`)
        .update(readFileSync(path))
        .update('\0');
    return hash.digest('hex');
  };

  /** What was built from: the hash of the app's files and of those outside of it that the bundler has read. */
  const hashOf = (bundled) =>
    digestOf([
      ...filesBelow(join(here, 'src')),
      ...filesBelow(join(here, 'public')),
      ...filesBelow(import.meta.dirname),
      // The table of operations is computed from it.
      ...filesBelow(join(here, '../../packages/contract/src')),
      ...[...OWN_FILES, ...bundled].map((path) => join(here, path)),
    ]);

  /** Files of other packages of the workspace. The lockfile stands for what is in node_modules. */
  const bundledFrom = (result) =>
    [result]
      .flat()
      .flatMap(({ output }) => output.flatMap(({ moduleIds = [] }) => moduleIds))
      .map((id) => relative(here, id.replace(/\?.*$/, '')).replaceAll('\\', '/'))
      .filter(
        (path) => path.startsWith('../') && !path.includes('node_modules/') && existsSync(join(here, path)),
      );

  const isUpToDate = () => {
    if (!existsSync(inputsFile)) return false;
    const { bundled, hash } = JSON.parse(readFileSync(inputsFile, 'utf8'));
    return bundled.every((path) => existsSync(join(here, path))) && hashOf(bundled) === hash;
  };
  if (isUpToDate()) return;

  // Without this, a build started by a test would contain Preact's development code.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const configFile = join(here, 'vite.config.mjs');
  rmSync(inputsFile, { force: true });
  const results = [await build({ configFile, build: { outDir: dist, emptyOutDir: true } })];
  if (workerOf !== undefined) {
    const made = filesBelow(dist);
    const names = made.map((path) => relative(dist, path).replaceAll('\\', '/'));
    const { entry, define } = workerOf(names, digestOf(made).slice(0, 12));
    results.push(
      await build({
        configFile,
        publicDir: false,
        define,
        build: {
          outDir: dist,
          emptyOutDir: false,
          rolldownOptions: { output: { codeSplitting: false } },
          lib: { entry: join(here, entry), formats: ['iife'], name: 'worker', fileName: () => 'sw.js' },
        },
      }),
    );
  }
  const bundled = [...new Set(results.flatMap(bundledFrom))].sort();
  writeFileSync(inputsFile, JSON.stringify({ bundled, hash: hashOf(bundled) }));
}
