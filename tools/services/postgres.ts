import { randomBytes } from 'node:crypto';
import { startThrowAwayPostgres } from '@svc/embedded-postgres';
import pg from 'pg';
import { postgresBinaries } from './system-postgres.ts';

export interface TestPostgres {
  /** A superuser's: tests create and drop databases of their own. */
  readonly url: string;
  /** Unknown for a server that TEST_DATABASE_URL names. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export async function startPostgres(log?: (line: string) => void): Promise<TestPostgres> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, pid: undefined, stop: async () => {} };
  return startThrowAwayPostgres({ ...(log && { log }), binaries: await postgresBinaries(log) });
}

let ownServer: Promise<TestPostgres> | undefined;

/**
 * An empty, migrated database of the caller's own: for one test file, which can then write what it likes
 * beside all others. `migrate` runs once per test run and process-wide lock, on a template; every further
 * database is a copy of that, and takes some 30 ms.
 */
export async function createDatabase({
  migrate,
  template = 'schema',
}: {
  migrate: (url: string) => Promise<void>;
  /** Names what `migrate` leaves behind, where tests need more than one starting point. */
  template?: string;
}): Promise<TestDatabase> {
  ownServer ??= startPostgres();
  const server = (await ownServer).url;
  const from = `template_${runId()}_${template}`;
  const name = `test_${runId()}_${randomBytes(6).toString('hex')}`;
  await withClient(server, async (client) => {
    await ensureTemplate(client, server, from, migrate);
    await client.query(`CREATE DATABASE ${quote(name)} TEMPLATE ${quote(from)}`);
  });
  return {
    url: inDatabase(server, name),
    // FORCE: a pool that a failed test left open must not fail the next thing as well.
    drop: () => withClient(server, (client) => drop(client, name)),
  };
}

/** What this run left on a server that outlives it. */
export async function dropDatabasesOfThisRun(server: string): Promise<void> {
  await withClient(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      `SELECT datname FROM pg_database WHERE datname LIKE 'test\\_${runId()}\\_%' OR datname LIKE 'template\\_${runId()}\\_%'`,
    );
    for (const { datname } of rows) await drop(client, datname);
  });
}

/** The lock keeps the other test processes waiting while the first one migrates. */
async function ensureTemplate(
  client: pg.Client,
  server: string,
  name: string,
  migrate: (url: string) => Promise<void>,
): Promise<void> {
  const draft = `${name}_draft`;
  await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount) return;
    await drop(client, draft);
    // template0, so that nothing a developer keeps in template1 gets in.
    await client.query(`CREATE DATABASE ${quote(draft)} TEMPLATE template0`);
    await migrate(inDatabase(server, draft));
    // A connection that migrate left open would stand in the way of the rename and of every copy.
    await client.query(
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
      [draft],
    );
    await client.query(`ALTER DATABASE ${quote(draft)} RENAME TO ${quote(name)}`);
  } finally {
    await client.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
  }
}

async function drop(client: pg.Client, name: string): Promise<void> {
  await client.query(`DROP DATABASE IF EXISTS ${quote(name)} WITH (FORCE)`);
}

/** A connection for what a test does behind the service's back. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** One per test run, over all its processes, so that a server that outlives it never offers a stale schema. */
function runId(): string {
  process.env.TEST_RUN_ID ??= randomBytes(4).toString('hex');
  return process.env.TEST_RUN_ID;
}

function inDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
