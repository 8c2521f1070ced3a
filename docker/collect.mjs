// Copies only the files that production needs: node collect.mjs <from> <to>.
// Paths stay the same, since the service finds its pages by relative path.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) throw new Error('usage: collect.mjs <from> <to>');

rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
const copy = (path) => {
  if (existsSync(join(from, path))) cpSync(join(from, path), join(to, path), { recursive: true });
};

for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.mjs', '.npmrc'])
  copy(file);
// Every manifest, since pnpm compares the lockfile with all of them.
copy('tools/package.json');
// The API computes distances with it.
copy('packages/web-app/src/map/zip-places.bin');
// Built, but not part of the API.
const excluded = new Set(['client', 'claims']);
for (const folder of ['packages', 'apps']) {
  for (const name of readdirSync(join(from, folder))) {
    copy(join(folder, name, 'package.json'));
    if (!excluded.has(name)) copy(join(folder, name, 'dist'));
  }
}
