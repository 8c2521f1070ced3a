import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, canReach } from './account.ts';

const NAME = 'claim-assignment-service';

/**
 * Where root keeps what the server's account must reach and the checkout hides from it. /var/lib is the
 * place for it; the others serve where that is read-only, and there anybody may have put the name first,
 * so a folder counts only when root owns it and nobody else can write to it.
 */
export function systemFolder(account: Account): string {
  const refusals: string[] = [];
  for (const parent of ['/var/lib', '/var/tmp', tmpdir()]) {
    const folder = join(parent, NAME);
    try {
      mkdirSync(folder, { mode: 0o755 });
      // mkdir subtracts the umask.
      chmodSync(folder, 0o755);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        refusals.push(`${folder}: ${(error as Error).message}`);
        continue;
      }
    }
    const found = lstatSync(folder);
    if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
      refusals.push(`${folder}: belongs to someone else, or others can write to it`);
    } else if (!canReach(account, folder)) {
      refusals.push(`${folder}: out of reach for ${account.name}`);
    } else {
      return folder;
    }
  }
  throw new Error(`Found no folder in which ${account.name} can run PostgreSQL. ${refusals.join('; ')}`);
}
