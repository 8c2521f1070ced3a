import { randomBytes } from 'node:crypto';
import { distribute, migrate as migrateSchema } from '@svc/adapter-postgres';
import { startTemporaryPostgres } from '@svc/embedded-postgres';
import pg from 'pg';
import { atEnd } from './at-end.ts';
import { joinNodes, nodesOf, onCitus, startCitus } from './citus.ts';
import { postgresBinaries } from './system-postgres.ts';

interface TestPostgres {
  /** With a superuser, because tests create and drop databases. */
  readonly url: string;
  /** Undefined for the server at TEST_DATABASE_URL. */
  readonly pid: number | undefined;
  readonly workers?: readonly string[];
  stop(): Promise<void>;
}

export type TestDatabase = Awaited<ReturnType<typeof createDatabase>>;

/** @param settings of a server for this process; other servers keep theirs. */
export async function startPostgres(
  log?: (line: string) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestPostgres> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, pid: undefined, stop: async () => {} };
  if (process.env.TEST_POSTGRES === 'citus') return startCitus(log);
  return startTemporaryPostgres({ ...(log && { log }), binaries: await postgresBinaries(log), settings });
}

let startedServer: Promise<TestPostgres> | undefined;

/**
 * A migrated database without rows. `migrate` runs once per test run, on a template; each database is a copy of the
 * template and takes about 30 ms. In a test until the end of the test or file.
 */
export async function createDatabase({
  migrate = (url) => migrateSchema({ url }),
  template = 'schema',
}: {
  migrate?: (url: string) => Promise<unknown>;
  /** The template's name, where tests need another schema. */
  template?: string;
} = {}) {
  const server = await serverUrl();
  const from = `template_${runId()}_${template}`;
  const name = `test_${runId()}_${randomBytes(6).toString('hex')}`;
  await withClient(server, (client) => ensureTemplate(client, server, from, migrate));
  await onNodes(server, (client) => client.query(`CREATE DATABASE ${quote(name)} TEMPLATE ${quote(from)}`));
  const url = inDatabase(server, name);
  // The settings of a database are not copied.
  if (onCitus()) await distributeTables(url);
  const dropDatabase = () => onNodes(server, (client) => drop(client, name));
  atEnd(dropDatabase);
  return { url, drop: dropDatabase };
}

/** A role for the service, as long as the database. On Citus every node has it and connects to the others with it. */
export async function createRole(
  database: TestDatabase,
  { name, password, attributes = '' }: { name: string; password: string; attributes?: string },
): Promise<void> {
  const server = await serverUrl();
  await onNodes(server, (node) =>
    node.query(`CREATE ROLE ${quote(name)} LOGIN ${attributes} PASSWORD '${password}'`),
  );
  atEnd(async () => {
    await database.drop();
    await onNodes(server, (node) => node.query(`DROP ROLE ${quote(name)}`));
  });
  if (!onCitus()) return;
  for (const node of nodesOf(server))
    await withClient(inDatabase(node, new URL(database.url).pathname.slice(1)), (client) =>
      client.query(`INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo) VALUES (0, $1, $2)`, [
        name,
        `password=${password}`,
      ]),
    );
}

async function serverUrl(): Promise<string> {
  startedServer ??= startPostgres();
  return (await startedServer).url;
}

/** The lock lets one test process migrate while the others wait. */
async function ensureTemplate(
  client: pg.Client,
  server: string,
  name: string,
  migrate: (url: string) => Promise<unknown>,
): Promise<void> {
  const draft = `${name}_draft`;
  await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount) return;
    await onNodes(server, async (node) => {
      await drop(node, draft);
      // template1 may hold a developer's own objects.
      await node.query(`CREATE DATABASE ${quote(draft)} TEMPLATE template0`);
    });
    const drafts = nodesOf(server).map((node) => inDatabase(node, draft));
    if (onCitus()) await joinNodes(drafts);
    await migrate(drafts[0] as string);
    if (onCitus()) await distributeTables(drafts[0] as string);
    // An open connection would block the rename and every copy.
    await onNodes(server, async (node) => {
      await node.query(`ALTER DATABASE ${quote(draft)} ALLOW_CONNECTIONS false`);
      await node.query(
        'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
        [draft],
      );
    });
    await onNodes(server, (node) => node.query(`ALTER DATABASE ${quote(draft)} RENAME TO ${quote(name)}`));
  } finally {
    await client.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
  }
}

/** Leaves a database without the service's tables as it is. */
async function distributeTables(url: string): Promise<void> {
  const { rows } = await withClient(url, (client) => client.query(`SELECT to_regclass('claims') AS claims`));
  if (rows[0].claims !== null) await distribute({ url });
}

/** Retried, because PostgreSQL waits only five seconds for the connections it ends: too short on a busy machine. */
async function drop(client: pg.Client, name: string): Promise<void> {
  for (let retriesLeft = 10; ; retriesLeft -= 1) {
    try {
      await client.query(`DROP DATABASE IF EXISTS ${quote(name)} WITH (FORCE)`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55006' || retriesLeft === 0) throw error;
    }
  }
}

/** Runs SQL on the server; on Citus, on every node. */
async function onNodes(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  for (const node of nodesOf(server)) await withClient(node, work);
}

/** Runs SQL without the service. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // fails the statement
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** One per test run, shared by its processes, so that a later run never uses an outdated template. */
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
