import { createHash, randomBytes } from 'node:crypto';
import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { translateError } from '../driver/errors.ts';
import { JOB_KINDS } from '../jobs/job-kinds.ts';
import { type DatabaseLog, SILENT } from '../log.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';

export interface MigrateOptions {
  readonly url: string;
  readonly log?: DatabaseLog | undefined;
  readonly connectTimeoutMs?: number | undefined;
}

export interface SchemaState {
  /** Version of the server, such as `18.4`. */
  readonly server: string;
  /** Every migration is there, as this code knows it, and the job queue's as well. */
  readonly current: boolean;
  readonly applied: readonly { readonly id: number; readonly name: string; readonly at: number }[];
  readonly pending: readonly { readonly id: number; readonly name: string }[];
  /** Applied by a newer release than this one. */
  readonly unknown: readonly number[];
  /** Applied in another wording than this release has. */
  readonly changed: readonly number[];
  /** The job queue's own migrations; null before its first. */
  readonly queue: number | null;
}

/** Any number will do, as long as it stays the same for ever: whoever migrates this database waits for it. */
const MIGRATION_LOCK = '7262811543019264';

const GENERATED_SECRETS = ['cursor_signing', 'sign_in_code_hashing'] as const;
/** What a service may need to keep for itself across restarts and share between its processes. */
export type ServiceSecret = (typeof GENERATED_SECRETS)[number];
const SECRET_BYTES = 32;

const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  id integer PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
)`;

const checksum = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex');

const quiet = new Logger(() => () => {});

function clientFor(options: MigrateOptions): pg.Client {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'claim-assignment-migrate',
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5000,
    keepAlive: true,
  });
  // A connection that breaks fails the statement under way; the event must not end the process as well.
  client.on('error', () => {});
  return client;
}

async function connected<T>(options: MigrateOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = clientFor(options);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw translateError(error, 'migrate');
  } finally {
    client.end().catch(() => {});
  }
}

/**
 * Brings the schema up to date: all or nothing, and any number of processes at once. The lock ends with the
 * transaction, so it works through a pooler and cannot be left behind. Its holder also lets the job queue migrate
 * itself, on a connection of its own: that one does not bear company.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const log = options.log ?? SILENT;
  await connected(options, async (client) => {
    // In one message, so that no pooler's or server's default can cut a long migration short.
    await client.query(
      `BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
       SET LOCAL idle_in_transaction_session_timeout = 0`,
    );
    await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await client.query(LEDGER);
    const { rows } = await client.query<{ id: number }>('SELECT id FROM schema_migrations');
    const applied = new Set(rows.map(({ id }) => id));
    for (const migration of MIGRATIONS.filter(({ id }) => !applied.has(id))) {
      await client.query(migration.sql);
      await client.query('INSERT INTO schema_migrations (id, name, checksum) VALUES ($1, $2, $3)', [
        migration.id,
        migration.name,
        checksum(migration),
      ]);
      log.info('migrated', { migration: migration.id, name: migration.name });
    }
    for (const name of GENERATED_SECRETS) {
      const values = [name, randomBytes(SECRET_BYTES)];
      await client.query(
        'INSERT INTO service_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        values,
      );
    }
    await migrateQueue(options);
    await client.query(
      'INSERT INTO graphile_worker._private_tasks (identifier) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
      [JOB_KINDS],
    );
    await client.query('COMMIT');
  });
}

async function migrateQueue({ url, connectTimeoutMs }: MigrateOptions): Promise<void> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: connectTimeoutMs ?? 5000,
  });
  pool.on('error', () => {});
  try {
    await runMigrations({ pgPool: pool, logger: quiet });
  } finally {
    await pool.end();
  }
}

/** What the operator wants to know of the schema; changes nothing. */
export function schemaState(options: MigrateOptions): Promise<SchemaState> {
  return connected(options, async (client) => {
    const {
      rows: [found],
    } = await client.query<{ server: string; ledger: string | null; queue: string | null }>(
      `SELECT current_setting('server_version') AS server, to_regclass('schema_migrations')::text AS ledger,
         to_regclass('graphile_worker.migrations')::text AS queue`,
    );
    type Entry = { id: number; name: string; checksum: string; at: Date };
    const entries = found?.ledger
      ? (
          await client.query<Entry>(
            'SELECT id, name, checksum, applied_at AS at FROM schema_migrations ORDER BY id',
          )
        ).rows
      : [];
    const queue = found?.queue
      ? (await client.query<{ id: number | null }>('SELECT max(id) AS id FROM graphile_worker.migrations'))
          .rows
      : [];
    const known = new Map(MIGRATIONS.map((migration) => [migration.id, migration]));
    const appliedIds = new Set(entries.map(({ id }) => id));
    const pending = MIGRATIONS.filter(({ id }) => !appliedIds.has(id)).map(({ id, name }) => ({ id, name }));
    const unknown = entries.filter(({ id }) => !known.has(id)).map(({ id }) => id);
    const changed = entries
      .filter((entry) => {
        const migration = known.get(entry.id);
        return migration !== undefined && checksum(migration) !== entry.checksum;
      })
      .map(({ id }) => id);
    const queueVersion = queue[0]?.id ?? null;
    return {
      server: found?.server ?? 'unknown',
      current: pending.length === 0 && changed.length === 0 && queueVersion !== null,
      applied: entries.map(({ id, name, at }) => ({ id, name, at: at.getTime() })),
      pending,
      unknown,
      changed,
      queue: queueVersion,
    };
  });
}
