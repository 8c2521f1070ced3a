import { chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canReach, unprivilegedAccount } from './account.ts';
import { guard } from './guardian.ts';
import type { Place } from './place.ts';
import { isAlive, thisProcess } from './process-identity.ts';
import * as server from './server.ts';
import { systemFolder } from './system-folder.ts';

export interface ThrowAwayPostgres {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const PREFIX = 'claims-throw-away-';

/** A server for tests: this process's alone, gone with it however it ends, and careless of its data. */
export async function startThrowAwayPostgres({
  log = () => {},
}: {
  log?: (line: string) => void;
} = {}): Promise<ThrowAwayPostgres> {
  const account = unprivilegedAccount(log);
  const parent = canReach(account, tmpdir()) ? tmpdir() : systemFolder(account);
  await removeLeftovers(parent);
  const { pid, start } = thisProcess();
  const folder = realpathSync(
    mkdtempSync(join(parent, `${PREFIX}${pid}-${start.replace(/[^0-9A-Za-z]/g, '_')}-`)),
  );
  // mkdtemp bars everybody else; the server's account has to pass through.
  chmodSync(folder, 0o711);
  const place: Place = { folder, account, link: undefined };
  try {
    server.initialise(place, { durable: false });
    const running = await server.start(place, server.THROW_AWAY_SETTINGS);
    // SIGQUIT is PostgreSQL's immediate shutdown: no checkpoint, but its shared memory is given back.
    const guardian = guard({ pid: running.pid, signal: 'QUIT', folder });
    await server.createDatabaseIfMissing(place, running.port);
    const url = server.urlOf(place, running.port);
    let stopped: Promise<void> | undefined;
    const end = async () => {
      server.signalServer(running, 'SIGQUIT');
      await server.stop(running);
      rmSync(folder, { recursive: true, force: true });
      guardian.dismiss();
    };
    return {
      url,
      pid: running.pid,
      stop() {
        stopped ??= end();
        return stopped;
      },
    };
  } catch (error) {
    await server.clear(place);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** After a power cut, or where even the guardian was killed. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const [, pid, start] = /^claims-throw-away-([0-9]+)-([0-9A-Za-z_]*)-/.exec(name) ?? [];
    if (pid === undefined || start === undefined) continue;
    const folder = join(parent, name);
    // In a folder for everybody, a name proves nothing.
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) continue;
    if (isAlive({ pid: Number(pid), start: process.platform === 'linux' ? start : '' })) continue;
    await server.clear({ folder });
    rmSync(folder, { recursive: true, force: true });
  }
}
