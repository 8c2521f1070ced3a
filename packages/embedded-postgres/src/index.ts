import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { lock, tryLock } from './lock.ts';
import { dataOf, linkTo, type Place, placeOf } from './place.ts';
import * as server from './server.ts';
import { enter, inUse, leave } from './users.ts';

export { type Account, SELF, unprivilegedAccount } from './account.ts';
export { type Binaries, binariesFor } from './binaries.ts';
export { writeDurably } from './durable-file.ts';
export { lock } from './lock.ts';
export { makeFolders } from './place.ts';
export { identify } from './process-identity.ts';
export { freePort } from './server.ts';
export { createTemporaryFolder } from './temporary-folder.ts';
export { startTemporaryPostgres } from './temporary-server.ts';
export { startWatchdog, type Watchdog } from './watchdog.ts';

export type EmbeddedPostgres = ReturnType<typeof handle>;

/** Longer than the slowest start: crash recovery of a large database. */
const LOCK_TIMEOUT_MS = 180_000;
const CHECK_INTERVAL_MS = 1000;
/** After a failed start, as on a full disk. */
const RETRY_INTERVAL_MS = 10_000;

/**
 * A durable PostgreSQL in its own session, shared by all processes with the same DATA_DIR: each records its pid beside the
 * data, and the last one to stop stops the server. After `kill -9` of all it keeps running, and the next start finds it. If
 * it ends unexpectedly, a process that uses it starts it again on the same port.
 */
export async function startEmbeddedPostgres({
  dataDir,
  log = () => {},
  settings = {},
  binaries,
  restarts = true,
}: {
  readonly dataDir: string;
  readonly log?: (line: string) => void;
  /** PostgreSQL settings; they apply only when this call starts the server. */
  readonly settings?: server.ServerSettings;
  /** Replaces the embedded binaries. */
  readonly binaries?: Binaries | undefined;
  /** Whether the server is started again when it ends unexpectedly; default: true. */
  readonly restarts?: boolean;
}): Promise<EmbeddedPostgres> {
  const place = { ...placeOf(dataDir, log), binaries };
  const acquired = await lock(lockOf(place), LOCK_TIMEOUT_MS);
  try {
    const found = server.recorded(place);
    const shared = found !== undefined && (await server.waitUntilReady(place, found));
    const running = shared ? found : await startServer(place, settings, log);
    try {
      await server.createDatabaseIfMissing(place, running.port);
      await server.createServiceRole(place, running.port);
      const watch = restarts ? restartWhenEnded(place, settings, log) : null;
      return handle(place, running, enter(place), !shared, watch);
    } catch (error) {
      if (!inUse(place)) await server.clear(place);
      throw error;
    }
  } finally {
    acquired.release();
  }
}

async function startServer(place: Place, settings: server.ServerSettings, log: (line: string) => void) {
  await server.clear(place);
  linkTo(place, log);
  if (place.link !== undefined) {
    log(
      `PostgreSQL runs as ${place.account.name}, which cannot reach ${place.link}; its data is in ${place.folder}.`,
    );
  }
  if (!server.isInitialized(place)) {
    log('Setting up the embedded PostgreSQL …');
    server.initialize(place, { durable: true });
  }
  server.checkVersion(place);
  return server.start(place, settings);
}

function restartWhenEnded(place: Place, settings: server.ServerSettings, log: (line: string) => void) {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const restart = async (): Promise<void> => {
    const acquired = await lock(lockOf(place), LOCK_TIMEOUT_MS);
    try {
      // Another process may have started it since, or the last one has stopped it.
      if (isStopped || server.recorded(place) !== undefined) return;
      log('PostgreSQL has ended unexpectedly and is started again.');
      await startServer(place, settings, log);
    } finally {
      acquired.release();
    }
  };
  const check = async (): Promise<void> => {
    let nextMs = CHECK_INTERVAL_MS;
    // The folder is deleted with its data, also while the server runs.
    if (server.recorded(place) === undefined && existsSync(place.folder)) {
      await restart().catch((error: Error) => {
        log(error.message);
        nextMs = RETRY_INTERVAL_MS;
      });
    }
    schedule(nextMs);
  };
  const schedule = (ms: number): void => {
    if (!isStopped) timer = setTimeout(() => void check(), ms).unref();
  };
  schedule(CHECK_INTERVAL_MS);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function handle(
  place: Place,
  running: server.RunningServer,
  user: string,
  started: boolean,
  watch: { stop(): void } | null,
) {
  // A process that exits without stop() stops the server if that needs no waiting.
  const onExit = () => {
    leave(user);
    if (!existsSync(place.folder)) return;
    const acquired = tryLock(lockOf(place));
    if (!('release' in acquired)) return;
    if (!inUse(place)) requestStop(place);
    acquired.release();
  };
  process.once('exit', onExit);

  const end = async () => {
    watch?.stop();
    process.off('exit', onExit);
    if (!existsSync(place.folder)) {
      // The data was deleted under the running server, so no other process uses it.
      server.signalServer(running, 'SIGQUIT');
      return;
    }
    const acquired = await lock(lockOf(place), LOCK_TIMEOUT_MS);
    try {
      leave(user);
      const current = server.recorded(place);
      if (current === undefined || inUse(place)) return;
      server.forget(place);
      await server.stop(current);
    } finally {
      acquired.release();
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    /** Of the database `claims`. Contains the password: do not log it. */
    url: server.urlOf(place, running.port),
    /** Of the same database, with a role that owns nothing and may do only what it was granted. */
    serviceUrl: server.serviceUrlOf(place, running.port),
    /** The data's real path; outside DATA_DIR when the server's account cannot reach DATA_DIR. */
    dataDir: dataOf(place),
    /** False when the server was already running for another process. */
    started,
    /** Stops the server, unless another process still uses it. */
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
}

function requestStop(place: Place): void {
  const current = server.recorded(place);
  if (current === undefined) return;
  server.forget(place);
  server.signalServer(current, 'SIGINT');
}

const lockOf = (place: Place) => join(place.folder, 'lock');
