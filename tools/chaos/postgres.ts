import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createThrowAwayFolder,
  type EmbeddedPostgres,
  type Guardian,
  guard,
  startEmbeddedPostgres,
  unprivilegedAccount,
} from '@svc/adapter-postgres/embedded';
import pg from 'pg';

/** A PostgreSQL that may be ended in any way and keeps what it has committed. */
export interface FragilePostgres {
  readonly url: string;
  /** Ends every connection but our own. */
  endConnections(): Promise<number>;
  /**
   * `restart`: in order, connections broken off. `crash`: the immediate shutdown, as after a failure of the machine.
   * `kill`: SIGKILL to the postmaster.
   */
  end(how: 'restart' | 'crash' | 'kill'): Promise<void>;
  /** Back on the same port. */
  begin(): Promise<void>;
  stop(): Promise<void>;
}

const SIGNALS = { restart: 'SIGINT', crash: 'SIGQUIT', kill: 'SIGKILL' } as const;

/** No waiting for the disk: the system keeps what a killed process has written. Everything else is as in earnest. */
const SETTINGS = { fsync: 'off', max_connections: '200' };

export async function startFragilePostgres(): Promise<FragilePostgres> {
  const folder = await createThrowAwayFolder(unprivilegedAccount(() => {}));
  const dataDir = join(folder, 'chaos');
  const handles: EmbeddedPostgres[] = [];
  let guardian: Guardian | undefined;

  const pidOf = ({ dataDir }: EmbeddedPostgres): number =>
    Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);

  async function begin(): Promise<void> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      try {
        const handle = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
        handles.push(handle);
        guardian?.dismiss();
        guardian = guard({ pid: pidOf(handle), signal: 'QUIT', folder });
        return;
      } catch (error) {
        // The children of a killed postmaster let go of its memory a moment later.
        if (Date.now() > deadline) throw error;
        await sleep(50);
      }
    }
  }
  await begin();
  const [first] = handles;
  if (first === undefined) throw new Error('PostgreSQL did not start.');
  const { url } = first;
  return {
    url,
    begin,
    async endConnections() {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      try {
        const ended = await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        );
        return ended.rowCount ?? 0;
      } finally {
        await client.end();
      }
    },
    async end(how) {
      const pid = pidOf(first);
      process.kill(pid, SIGNALS[how]);
      const deadline = Date.now() + 20_000;
      while (isRunning(pid)) {
        if (Date.now() > deadline) throw new Error('PostgreSQL does not end.');
        await sleep(10);
      }
    },
    async stop() {
      for (const handle of handles) await handle.stop();

      rmSync(folder, { recursive: true, force: true });
      guardian?.dismiss();
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2] !== 'Z';
  } catch {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }
}
