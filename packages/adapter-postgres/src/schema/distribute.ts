import pg from 'pg';
import { DatabaseError, translateError } from '../driver/errors.ts';
import { Servers } from '../driver/servers.ts';
import { PLAN_SETTINGS } from '../driver/session-settings.ts';
import { SILENT } from '../log.ts';
import type { MigrateOptions } from './migrate.ts';

/** What a table became: copied to every node, split by firm, or kept on the coordinator as part of the cluster. */
export type TablePlacement = 'reference' | 'distributed' | 'coordinator';

export interface Distribution {
  readonly workers: number;
  /** Every table of the layout; `changed` when this call has moved it. */
  readonly tables: readonly {
    readonly table: string;
    readonly placement: TablePlacement;
    readonly changed: boolean;
  }[];
}

/** Small, rarely written, and joined with the tables of every firm. */
const REFERENCE_TABLES = ['firms', 'adjusters'];

/**
 * A job commits in the transaction of the claim that causes it. Citus does so, in two phases, only if it knows the
 * table; otherwise a crash between a worker's commit and the coordinator's loses jobs.
 */
const COORDINATOR_TABLES = ['graphile_worker._private_jobs'];

/** Tables whose primary key starts with firm_id. */
const FIRM_TABLES = `SELECT c.relname AS name FROM pg_index i
  JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = current_schema()::regnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
 WHERE i.indisprimary AND a.attname = 'firm_id' ORDER BY c.relname = 'firm_feeds' DESC, c.relname`;

const KNOWN_TABLES = `SELECT table_name::text AS name, citus_table_type AS type FROM citus_tables
  UNION ALL SELECT logicalrelid::text, 'coordinator' FROM pg_dist_partition
    WHERE partmethod = 'n' AND repmodel = 's' AND NOT autoconverted`;

const APPLICATION_NAME = 'claim-assignment-distribute';
const CONNECT_TIMEOUT_MS = 5000;

/**
 * Lays out the tables over a Citus cluster: `firms` and `adjusters` on every node, tables of firms split by `firm_id` and
 * colocated, the job queue's table known to Citus, all others on the coordinator. Repeating it moves only new tables.
 * Needs a migrated database, and nothing that writes to it.
 *
 * @throws {DatabaseError} without the extension or without workers.
 */
export async function distribute({ url, connectTimeoutMs }: MigrateOptions): Promise<Distribution> {
  const servers = new Servers(url, SILENT, connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
  await servers.locate();
  const client = new pg.Client({
    connectionString: servers.url(),
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => {}); // a lost connection fails its statement
  const names = async (text: string, values: string[] = []): Promise<string[]> =>
    (await client.query<{ name: string }>(text, values)).rows.map(({ name }) => name);
  try {
    await client.connect();
    const [extension] = await names(`SELECT extversion AS name FROM pg_extension WHERE extname = 'citus'`);
    if (extension === undefined) {
      throw new DatabaseError(
        'DATABASE_URL points to a database without the Citus extension: run CREATE EXTENSION citus on every node first.',
      );
    }
    const workers = await names('SELECT node_name AS name FROM citus_get_active_worker_nodes()');
    if (workers.length === 0) {
      throw new DatabaseError('The Citus cluster has no workers: add them with citus_add_node first.');
    }
    const known = new Set(await names(KNOWN_TABLES));
    const tables: { table: string; placement: TablePlacement; changed: boolean }[] = [];
    const place = async (table: string, placement: TablePlacement, statement: string): Promise<void> => {
      const changed = !known.has(table);
      if (changed) await client.query(statement, [table]);
      tables.push({ table, placement, changed });
    };
    for (const table of REFERENCE_TABLES) {
      await place(table, 'reference', 'SELECT create_reference_table($1::regclass)');
    }
    const firmTables = await names(FIRM_TABLES);
    for (const table of firmTables) {
      const colocation = table === firmTables[0] ? 'default' : firmTables[0];
      await place(
        table,
        'distributed',
        `SELECT create_distributed_table($1::regclass, 'firm_id', colocate_with => '${colocation}')`,
      );
    }
    for (const table of COORDINATOR_TABLES) {
      await place(table, 'coordinator', 'SELECT citus_add_local_table_to_metadata($1::regclass)');
    }
    await setOnEveryNode(client);
    return { workers: workers.length, tables };
  } catch (error) {
    throw translateError(error, 'distribute');
  } finally {
    client.end().catch(() => {});
  }
}

/** Settings of a session do not reach the workers, so the role has them. Citus repeats ALTER ROLE on every node. */
async function setOnEveryNode(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('ALTER ROLE %I IN DATABASE %I SET %I = %L', current_user, current_database(), name, value) AS statement
       FROM unnest($1::text[], $2::text[]) AS settings (name, value)`,
    [Object.keys(PLAN_SETTINGS), Object.values(PLAN_SETTINGS)],
  );
  for (const { statement } of rows) await client.query(statement);
}
