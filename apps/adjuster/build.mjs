// Builds the page and its service worker into dist/. Does nothing when its inputs have not changed, since every start
// runs it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const DIST = join(HERE, 'dist');
const INPUTS_FILE = join(DIST, '.inputs');

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const digestOf = (paths) => {
  const hash = createHash('sha256');
  for (const path of paths)
    hash
      .update(`${relative(HERE, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  return hash.digest('hex');
};

/** What was built from: the hash of the app's files and of those outside of it that the bundler has read. */
const hashOf = (bundled) =>
  digestOf([
    ...filesBelow(join(HERE, 'src')),
    ...filesBelow(join(HERE, 'public')),
    ...['index.html', 'build.mjs', 'vite.config.ts', 'package.json', '../../pnpm-lock.yaml'].map((name) =>
      join(HERE, name),
    ),
    ...bundled.map((path) => join(HERE, path)),
  ]);

/** Files of other packages of the workspace. The lockfile stands for what is in node_modules. */
const bundledFrom = (result) =>
  [result]
    .flat()
    .flatMap(({ output }) => output.flatMap(({ moduleIds = [] }) => moduleIds))
    .map((id) => relative(HERE, id.replace(/\?.*$/, '')).replaceAll('\\', '/'))
    .filter(
      (path) => path.startsWith('../') && !path.includes('node_modules/') && existsSync(join(HERE, path)),
    );

if (!isUpToDate()) await buildAll();

function isUpToDate() {
  if (!existsSync(INPUTS_FILE)) return false;
  const { bundled, hash } = JSON.parse(readFileSync(INPUTS_FILE, 'utf8'));
  return bundled.every((path) => existsSync(join(HERE, path))) && hashOf(bundled) === hash;
}

async function buildAll() {
  // Without this, a build started by a test would contain Preact's development code.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const configFile = join(HERE, 'vite.config.ts');
  rmSync(INPUTS_FILE, { force: true });
  const page = await build({ configFile, build: { outDir: DIST, emptyOutDir: true } });

  const made = filesBelow(DIST).map((path) => relative(DIST, path).replaceAll('\\', '/'));
  const lazy = made.filter((name) => name.endsWith('.bin'));
  const needed = made.filter(
    (name) => (name.startsWith('assets/') && !lazy.includes(name)) || /\.(svg|webmanifest)$/.test(name),
  );
  const worker = await build({
    configFile,
    publicDir: false,
    define: {
      __FILES__: JSON.stringify([...needed, 'icon-192.png', 'badge-96.png']),
      __LAZY_FILES__: JSON.stringify(lazy),
      __VERSION__: JSON.stringify(digestOf(made.map((name) => join(DIST, name))).slice(0, 12)),
    },
    build: {
      outDir: DIST,
      emptyOutDir: false,
      rolldownOptions: { output: { codeSplitting: false } },
      lib: {
        entry: join(HERE, 'src/service-worker.ts'),
        formats: ['iife'],
        name: 'worker',
        fileName: () => 'sw.js',
      },
    },
  });
  const bundled = [...new Set([...bundledFrom(page), ...bundledFrom(worker)])].sort();
  writeFileSync(INPUTS_FILE, JSON.stringify({ bundled, hash: hashOf(bundled) }));
}
