import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders } from '@svc/embedded-postgres';

/** A file of DATA_DIR that is generated once. It holds a secret, so only its owner reads it. */
export function keptFile(dataDir: string, name: string, create: () => string): string {
  makeFolders(dataDir);
  const path = join(dataDir, name);
  const existing = read(path);
  if (existing !== null) return existing;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, create(), { mode: 0o600 });
  try {
    // link(2) fails if the file exists: of two processes that start at once one wins, and both read its file.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const created = read(path);
  if (created === null) throw new Error(`${path} cannot be read although it was just written`);
  return created;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
