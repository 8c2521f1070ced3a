import { randomBytes } from 'node:crypto';
import { eventually } from '@svc/testkit/eventually';
import pg from 'pg';
import { atEnd } from '../../../tools/services/at-end.ts';
import { onCitus } from '../../../tools/services/citus.ts';
import { createDatabase } from '../../../tools/services/postgres.ts';
import { connect, migrate, type PostgresStores } from '../src/index.ts';

export type FreshDatabase = Awaited<ReturnType<typeof inspected>>;

const connected = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  atEnd(() => client.end());
  return client;
};

async function inspected(url: string) {
  const sql = await connected(url);
  return {
    url,
    /** A connection besides those of the adapter, to inspect and change its data. */
    sql,
    /** Until another transaction of the database waits for a lock. */
    lockAwaited: (): Promise<unknown> =>
      eventually(async () => {
        // Within a transaction, the activity would be that of its first look.
        await sql.query('SELECT pg_stat_clear_snapshot()');
        const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return (await sql.query(waiting)).rowCount !== 0;
      }),
  };
}

/** A new, empty database on the test server, until the end of the test or file, as all of these. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined) throw new Error('TEST_DATABASE_URL is not set');
  const name = `adapter_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const admin = await connected(server);
  await admin.query(`CREATE DATABASE ${name}`);
  atEnd(() => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
  return inspected(url.href);
}

/** A new database with all tables and no rows. On Citus its tables are not distributed, so tests may use any SQL. */
export async function undistributedDatabase(): Promise<FreshDatabase> {
  if (!onCitus()) return distributedDatabase();
  const database = await freshDatabase();
  await migrate(database);
  return database;
}

/** Like {@link undistributedDatabase}, but on Citus its tables are distributed. */
export async function distributedDatabase(): Promise<FreshDatabase> {
  return inspected((await createDatabase()).url);
}

/** Stores that are closed at the end of the test or file. A connection may take as long as a busy machine needs. */
export async function openStores(options: Parameters<typeof connect>[0]): Promise<PostgresStores> {
  const stores = await connect({ connectTimeoutMs: 60_000, ...options });
  atEnd(() => stores.close());
  return stores;
}
