import { DatabaseError } from '../driver/errors.ts';
import { Servers } from '../driver/servers.ts';
import { PLAN_SETTINGS, type SessionSettings } from '../driver/session-settings.ts';
import { SILENT } from '../log.ts';
import type { MigrateOptions } from '../schema/migrate.ts';
import { CITUS_SETTINGS } from './settings.ts';

/**
 * Where a table is: copied to every node, split by firm, or on the coordinator as a table that Citus knows. A transaction
 * commits in two phases on all of these; with a table that Citus does not know, a crash between the commit of a worker
 * and that of the coordinator would lose the rows of that table, such as the jobs of a claim.
 */
export type TablePlacement = 'reference' | 'distributed' | 'coordinator';

export interface PlacedTable {
  readonly table: string;
  readonly placement: TablePlacement;
}

/** Small, rarely written, and read together with the tables of every firm. */
const REFERENCE_TABLES: readonly string[] = ['firms', 'adjusters', 'adjuster_firms'];

/** Read and written by migrations alone. Citus cannot remove a table with an identity column again. */
const UNKNOWN_TO_CITUS: readonly string[] = ['schema_migrations'];

const TABLES = `SELECT c.relname AS name, coalesce((
    SELECT a.attname = 'firm_id' FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
     WHERE i.indrelid = c.oid AND i.indisprimary), false) AS "byFirm"
  FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  ORDER BY c.relname`;

/** What Citus cannot keep in a table that is split by firm: keys over several firms, and references to such tables. */
const MISFITS = `SELECT format('the unique index %s of %s does not contain firm_id', i.indexrelid::regclass, c.relname) AS misfit
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
   WHERE i.indisunique AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1::text[])
     AND NOT EXISTS (SELECT FROM pg_attribute a
                      WHERE a.attrelid = c.oid AND a.attname = 'firm_id' AND a.attnum = ANY (i.indkey))
  UNION ALL
  SELECT format('%s of %s refers to %s, which is not on every node', f.conname, f.conrelid::regclass, f.confrelid::regclass)
    FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class target ON target.oid = f.confrelid
   WHERE f.contype = 'f' AND c.relnamespace = current_schema()::regnamespace
     AND (c.relname = ANY ($1::text[]) OR c.relname = ANY ($2::text[])) AND target.relname <> ALL ($2::text[])
  ORDER BY 1`;

const KNOWN_TABLES = `SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE NOT autoconverted`;

const APPLICATION_NAME = 'claim-assignment-distribute';
const CONNECT_TIMEOUT_MS = 5000;

/** Processes of the service would go on with statements for tables that are not distributed. */
const RUNNING_PROCESSES = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND application_name IN ('claim-assignment', 'claim-assignment-jobs')`;

const WITHOUT_PREPARED_TRANSACTIONS = `SELECT nodeid FROM run_command_on_all_nodes('SHOW max_prepared_transactions')
  WHERE result = '0'`;

const FILL_ADJUSTER_FIRMS =
  'INSERT INTO adjuster_firms (svc_id, firm_id) SELECT svc_id, firm_id FROM memberships ON CONFLICT DO NOTHING';

type Query = <R>(text: string, values?: readonly unknown[]) => Promise<R[]>;

/** The placement of every table, from the catalog: tables whose primary key starts with firm_id are split by it. */
export async function tableLayout(query: Query): Promise<PlacedTable[]> {
  const tables = (await query<{ name: string; byFirm: boolean }>(TABLES)).filter(
    ({ name }) => !UNKNOWN_TO_CITUS.includes(name),
  );
  const others = tables.filter(({ name }) => !REFERENCE_TABLES.includes(name));
  const placed = (placement: TablePlacement, names: readonly string[]): PlacedTable[] =>
    names.map((table) => ({ table, placement }));
  const namesOf = (byFirm: boolean): string[] =>
    others.filter((table) => table.byFirm === byFirm).map(({ name }) => name);
  return [
    ...placed('reference', REFERENCE_TABLES),
    ...placed('distributed', namesOf(true)),
    ...placed('coordinator', namesOf(false)),
  ];
}

/** Why this layout is impossible; empty when it is possible. */
export async function layoutMisfits(query: Query, layout: readonly PlacedTable[]): Promise<string[]> {
  const at = (placement: TablePlacement): string[] =>
    layout.filter((table) => table.placement === placement).map(({ table }) => table);
  const found = await query<{ misfit: string }>(MISFITS, [at('distributed'), at('reference')]);
  return found.map(({ misfit }) => misfit);
}

/**
 * Lays out the tables of a migrated database over a Citus cluster. Repeating it moves only new tables, and
 * writes the settings again.
 * @throws {DatabaseError} without the extension or workers, when a table does not fit, or while the service runs.
 */
export const distribute = ({ url, connectTimeoutMs }: MigrateOptions) =>
  new Servers(url, SILENT, connectTimeoutMs ?? CONNECT_TIMEOUT_MS).onConnection(
    'distribute',
    { application_name: APPLICATION_NAME },
    async (client) => {
      const query: Query = async (text, values = []) => (await client.query(text, [...values])).rows;
      const [extension] = await query<{ version: string }>(
        `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`,
      );
      if (extension === undefined)
        throw new DatabaseError(
          'This database has no Citus extension, so it stays as it is: to distribute it, install Citus on every node and run CREATE EXTENSION citus in this database.',
        );
      const workers = await query('SELECT node_name FROM citus_get_active_worker_nodes()');
      if (workers.length === 0)
        throw new DatabaseError('The Citus cluster has no workers: add them with citus_add_node first.');
      const layout = await tableLayout(query);
      const misfits = await layoutMisfits(query, layout);
      if (misfits.length > 0)
        throw new DatabaseError(`The tables do not fit a Citus cluster: ${misfits.join('; ')}.`);
      if ((await query(WITHOUT_PREPARED_TRANSACTIONS)).length > 0)
        throw new DatabaseError(
          'max_prepared_transactions is 0 on a node, so a transaction could be committed on some nodes only: raise it to at least max_connections on every node.',
        );
      const known = new Set((await query<{ name: string }>(KNOWN_TABLES)).map(({ name }) => name));
      const isNew = ({ table }: PlacedTable): boolean => !known.has(table);
      if (layout.some(isNew) && (await query(RUNNING_PROCESSES)).length > 0)
        throw new DatabaseError('The service is running: stop every process of it before tables are moved.');
      if (!known.has('adjuster_firms')) await query(FILL_ADJUSTER_FIRMS);
      // In one colocation group, Citus keeps all rows of a firm on one node, also when its shard count has been changed.
      const group = layout.find((placed) => placed.placement === 'distributed' && !isNew(placed))?.table;
      for (const placed of layout.filter(isNew)) await place(query, placed, group ?? 'default');
      await setOnEveryNode(query);
      const tables = layout.map((placed) => ({ ...placed, changed: isNew(placed) }));
      return { citus: extension.version, workers: workers.length, tables };
    },
  );

async function place(query: Query, { table, placement }: PlacedTable, group: string): Promise<void> {
  if (placement === 'reference') await query('SELECT create_reference_table($1::regclass)', [table]);
  else if (placement === 'coordinator')
    await query('SELECT citus_add_local_table_to_metadata($1::regclass)', [table]);
  else
    await query(`SELECT create_distributed_table($1::regclass, 'firm_id', colocate_with => $2)`, [
      table,
      group,
    ]);
}

const SETTINGS: SessionSettings = {
  ...PLAN_SETTINGS,
  ...CITUS_SETTINGS,
};

/** Settings of a session do not reach the workers, so the database has them. Citus repeats the statement on every node. */
async function setOnEveryNode(query: Query): Promise<void> {
  const statements = await query<{ statement: string }>(
    `SELECT format('ALTER DATABASE %I SET %s = %L', current_database(), name, value) AS statement
       FROM unnest($1::text[], $2::text[]) AS settings (name, value)`,
    [Object.keys(SETTINGS), Object.values(SETTINGS)],
  );
  for (const { statement } of statements) await query(statement);
}
