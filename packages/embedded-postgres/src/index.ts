import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { lock, tryLock } from './lock.ts';
import { dataOf, linkTo, type Place, placeOf } from './place.ts';
import * as server from './server.ts';
import { enter, inUse, leave } from './users.ts';

export { type Account, SELF, unprivilegedAccount } from './account.ts';
export type { Binaries } from './binaries.ts';
export { type Guardian, guard } from './guardian.ts';
export { lock } from './lock.ts';
export { makeFolders } from './place.ts';
export { identify } from './process-identity.ts';
export { freePort } from './server.ts';
export { startThrowAwayPostgres, type ThrowAwayPostgres } from './throw-away.ts';
export { createThrowAwayFolder } from './throw-away-folder.ts';

export interface EmbeddedPostgres {
  /** Of the database `claims`. Holds the password: not for a log. */
  readonly url: string;
  /** Where the data really lies; not below the requested DATA_DIR when the server's account cannot reach it. */
  readonly dataDir: string;
  /** False when a server was already running for another process, and is now shared. */
  readonly started: boolean;
  /** Stops the server, unless another process still uses it. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log?: (line: string) => void;
  /** PostgreSQL's own settings; they count only when this call starts the server. */
  readonly settings?: server.ServerSettings;
  /** Of another PostgreSQL than the embedded one. */
  readonly binaries?: Binaries | undefined;
}

/** Longer than the slowest start: a large database recovering from a crash. */
const LOCK_TIMEOUT_MS = 180_000;

/**
 * A real PostgreSQL for DATA_DIR, durable, shared by every process that asks for the same DATA_DIR.
 *
 * The server runs in a session of its own and belongs to no process; each one that uses it leaves its pid
 * beside the data, and the last to stop stops the server. After `kill -9` of its users the server runs on,
 * is found by the next start, and stops with that one.
 */
export async function startEmbeddedPostgres({
  dataDir,
  log = () => {},
  settings = {},
  binaries,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const place = { ...placeOf(dataDir, log), binaries };
  const held = await lock(lockOf(place), LOCK_TIMEOUT_MS);
  try {
    const found = server.recorded(place);
    const shared = found !== undefined && (await server.answers(place, found));
    const running = shared ? found : await begin(place, settings, log);
    try {
      await server.createDatabaseIfMissing(place, running.port);
      return handle(place, running, enter(place), !shared);
    } catch (error) {
      if (!inUse(place)) await server.clear(place);
      throw error;
    }
  } finally {
    held.release();
  }
}

async function begin(place: Place, settings: server.ServerSettings, log: (line: string) => void) {
  await server.clear(place);
  linkTo(place, log);
  if (place.link !== undefined) {
    log(
      `PostgreSQL runs as ${place.account.name}, which cannot reach ${place.link}; its data lies in ${place.folder}.`,
    );
  }
  if (!server.isInitialised(place)) {
    log('Setting up the embedded PostgreSQL …');
    server.initialise(place, { durable: true });
  }
  return server.start(place, settings);
}

function handle(
  place: Place,
  running: server.RunningServer,
  user: string,
  started: boolean,
): EmbeddedPostgres {
  // A process that ends without stop() takes the server along if it can do so without waiting.
  const onExit = () => {
    leave(user);
    if (!existsSync(place.folder)) return;
    const held = tryLock(lockOf(place));
    if (!('release' in held)) return;
    if (!inUse(place)) endSoon(place);
    held.release();
  };
  process.once('exit', onExit);

  const end = async () => {
    process.off('exit', onExit);
    if (!existsSync(place.folder)) {
      // The data was deleted under the running server; there is nobody left to share it with.
      server.signalServer(running, 'SIGQUIT');
      return;
    }
    const held = await lock(lockOf(place), LOCK_TIMEOUT_MS);
    try {
      leave(user);
      const now = server.recorded(place);
      if (now === undefined || inUse(place)) return;
      server.forget(place);
      await server.stop(now);
    } finally {
      held.release();
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    url: server.urlOf(place, running.port),
    dataDir: dataOf(place),
    started,
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
}

function endSoon(place: Place): void {
  const now = server.recorded(place);
  if (now === undefined) return;
  server.forget(place);
  server.signalServer(now, 'SIGINT');
}

const lockOf = (place: Place) => join(place.folder, 'lock');
