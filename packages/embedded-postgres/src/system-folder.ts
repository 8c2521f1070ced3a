import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, canReach } from './account.ts';

const NAME = 'claim-assignment-service';
const PARENTS: readonly string[] = ['/var/lib', '/var/tmp', tmpdir()];

/**
 * The folder for files that the server's account cannot reach in the checkout: in /var/lib, or where that is
 * read-only in a temporary folder. Any user could have created it there, so it is used only if root owns it
 * and no one else can write to it.
 */
export function systemFolder(account: Account, parents = PARENTS): string {
  const rejections: string[] = [];
  for (const parent of parents) {
    const folder = join(parent, NAME);
    try {
      mkdirSync(folder, { mode: 0o755 });
      // mkdir subtracts the umask.
      chmodSync(folder, 0o755);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        rejections.push(`${folder}: ${(error as Error).message}`);
        continue;
      }
    }
    const found = lstatSync(folder);
    if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
      rejections.push(`${folder}: not owned by root, or writable by others`);
    } else if (!canReach(account, folder)) {
      rejections.push(`${folder}: not accessible to ${account.name}`);
    } else {
      return folder;
    }
  }
  throw new Error(`There is no folder in which ${account.name} can run PostgreSQL. ${rejections.join('; ')}`);
}
