import { chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, canReach } from './account.ts';
import { isAlive, thisProcess } from './process-identity.ts';
import * as server from './server.ts';
import { systemFolder } from './system-folder.ts';

/**
 * A temporary folder that the account can enter. Its name identifies its process, so that the next run can
 * remove folders left behind after a power failure or a killed watchdog.
 */
export async function createTemporaryFolder(account: Account): Promise<string> {
  const parent = canReach(account, tmpdir()) ? tmpdir() : systemFolder(account);
  await removeLeftovers(parent);
  const { pid, start } = thisProcess();
  const name = `claims-temporary-${pid}-${start.replace(/[^0-9A-Za-z]/g, '_')}-`;
  const folder = realpathSync(mkdtempSync(join(parent, name)));
  // mkdtemp denies access to other users.
  chmodSync(folder, 0o711);
  return folder;
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const [, pid, start] = /^claims-temporary-([0-9]+)-([0-9A-Za-z_]*)-/.exec(name) ?? [];
    if (pid === undefined || start === undefined) continue;
    const folder = join(parent, name);
    // In a shared folder, any user can create such a name.
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) continue;
    if (isAlive({ pid: Number(pid), start: process.platform === 'linux' ? start : '' })) continue;
    await server.clear({ folder });
    rmSync(folder, { recursive: true, force: true });
  }
}
