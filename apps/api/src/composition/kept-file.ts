import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders, writeDurably } from '@svc/embedded-postgres';

/** A file of DATA_DIR that is generated once. It holds a secret, so only its owner reads it. */
export function keptFile(dataDir: string, name: string, create: () => string): string {
  makeFolders(dataDir);
  const path = join(dataDir, name);
  const existing = read(path);
  if (existing !== null) return existing;
  // Of two processes that start at once one wins, and both read its file.
  writeDurably(path, create(), { mode: 0o600, replaces: false });
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
