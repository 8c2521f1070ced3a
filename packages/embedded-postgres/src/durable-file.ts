import fs from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a small file that must survive a crash of the machine: whole under another name, synced, then given its name, and
 * its folder synced. A reader finds what was there before, or all of it.
 * @param replaces false: a file that exists stays as it is.
 */
export function writeDurably(
  path: string,
  content: string,
  { mode, replaces = true }: { readonly mode: number; readonly replaces?: boolean },
): void {
  const draft = `${path}-${process.pid}`;
  fs.rmSync(draft, { force: true });
  try {
    const file = fs.openSync(draft, 'wx', mode);
    try {
      // Whatever the umask.
      fs.fchmodSync(file, mode);
      fs.writeFileSync(file, content);
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
    if (replaces) fs.renameSync(draft, path);
    else linkUnlessExists(draft, path);
  } finally {
    fs.rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
}

/** link(2) fails if the file exists: of two processes that write at once one wins. */
function linkUnlessExists(draft: string, path: string): void {
  try {
    fs.linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Until then a new name in it may be lost. */
export function syncFolder(folder: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const opened = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(opened);
  } finally {
    fs.closeSync(opened);
  }
}
