import { rmSync } from 'node:fs';
import { unprivilegedAccount } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { Place } from './place.ts';
import * as server from './server.ts';
import { createTemporaryFolder } from './temporary-folder.ts';
import { startWatchdog } from './watchdog.ts';

/** A server for tests, used by this process only, removed when it ends, without durability. */
export async function startTemporaryPostgres({
  log = () => {},
  binaries,
  settings = {},
}: {
  log?: (line: string) => void;
  /** Replaces the embedded binaries. */
  binaries?: Binaries | undefined;
  /** Besides those that make the server fast. */
  settings?: server.ServerSettings;
} = {}) {
  const account = unprivilegedAccount(log);
  const folder = await createTemporaryFolder(account);
  const place: Place = { folder, account, link: undefined, binaries };
  try {
    server.initialize(place, { durable: false });
    const running = await server.start(place, { ...server.TEMPORARY_SETTINGS, ...settings });
    // SIGQUIT is PostgreSQL's immediate shutdown: no checkpoint, but shared memory is released.
    const watchdog = startWatchdog({ pid: running.pid, signal: 'QUIT', folder });
    await server.createDatabaseIfMissing(place, running.port);
    const url = server.urlOf(place, running.port);
    let stopped: Promise<void> | undefined;
    const end = async () => {
      server.signalServer(running, 'SIGQUIT');
      await server.stop(running);
      rmSync(folder, { recursive: true, force: true });
      watchdog.cancel();
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
