// Runs `pnpm build` unless its inputs are those of the last build that this program ran.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Each build removes it (`apps/api/build.mjs`). */
const BUILT_FROM = join(ROOT, 'node_modules/.cache/claims-build/built-from');
const OUTPUTS = new Set(['node_modules', 'dist', 'test', 'coverage']);
/** The build writes them. */
const GENERATED = ['packages/client/src/generated.ts', 'packages/domain/RULES.md'].map((path) =>
  join(ROOT, path),
);

function* filesIn(folder, isRoot = false) {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isFile() && !GENERATED.includes(path)) yield path;
    else if (entry.isDirectory() && !isRoot && !OUTPUTS.has(entry.name)) yield* filesIn(path);
  }
}

const hash = createHash('sha256');
const folders = ['apps', 'docs', 'packages', 'tools/prepare'].map((name) => join(ROOT, name));
for (const file of [...filesIn(ROOT, true), ...folders.flatMap((folder) => [...filesIn(folder)])])
  hash
    .update(`${relative(ROOT, file)}\0`)
    .update(readFileSync(file))
    .update('\0');
const inputs = hash.digest('hex');

let builtFrom = '';
try {
  builtFrom = readFileSync(BUILT_FROM, 'utf8');
} catch {
  // Nothing was built.
}
if (builtFrom !== inputs) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  mkdirSync(dirname(BUILT_FROM), { recursive: true });
  writeFileSync(BUILT_FROM, inputs);
}
