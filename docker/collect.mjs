// Copies what runs in production, and nothing that was only needed to make it: node collect.mjs <from> <to>.
// The folders keep their places, for the service finds its pages by them.
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
// Every manifest, since the lockfile is held against all of them.
copy('tools/package.json');
// Built along with the rest, and no part of the API.
const elsewhere = new Set(['testkit', 'client', 'claims']);
for (const room of ['packages', 'apps']) {
  for (const name of readdirSync(join(from, room))) {
    copy(join(room, name, 'package.json'));
    if (!elsewhere.has(name)) copy(join(room, name, 'dist'));
  }
}
