import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { systemFolder } from '../src/system-folder.ts';

const NOBODY = { name: 'nobody', ids: { uid: 65_534, gid: 65_534 } };

/** A parent that everybody may enter, and the folder in it as these have prepared it. */
function prepared(...prepare: readonly ((folder: string) => void)[]): { parent: string; folder: string } {
  const parent = temporaryFolder();
  chmodSync(parent, 0o755);
  const folder = join(parent, 'claim-assignment-service');
  for (const change of prepare) change(folder);
  return { parent, folder };
}
const withMode = (mode: number) => (folder: string) => {
  mkdirSync(folder);
  chmodSync(folder, mode);
};

// Only for root: other users use their DATA_DIR directly.
const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot.each<[string, (folder: string) => void, reason: RegExp]>([
  ['of another user', (it) => [mkdirSync(it), chownSync(it, 1, 0)], /not owned by root/],
  ['that a group can write to', withMode(0o775), /writable by others/],
  ['that everyone can write to', withMode(0o757), /writable by others/],
  ['that is a file', (it) => writeFileSync(it, ''), /not owned by root/],
  ['that is a link', (it) => symlinkSync(prepared(withMode(0o755)).folder, it), /not owned by root/],
  ['that its account cannot enter', withMode(0o700), /not accessible to nobody/],
  ['below one that it cannot enter', (it) => chmodSync(join(it, '..'), 0o700), /not accessible to nobody/],
])('a server is never run from a folder %s, but from the next one', (_, prepare, reason) => {
  const { parent } = prepared(prepare);
  expect(() => systemFolder(NOBODY, [parent, join(parent, 'missing')])).toThrow(reason);
  const existing = prepared(withMode(0o755));
  expect(systemFolder(NOBODY, [join(parent, 'missing'), parent, existing.parent])).toBe(existing.folder);
  const umask = process.umask(0o077);
  try {
    const added = prepared();
    expect(systemFolder(NOBODY, [parent, added.parent])).toBe(added.folder);
    expect(statSync(added.folder).mode & 0o777).toBe(0o755);
  } finally {
    process.umask(umask);
  }
});
