import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ExportedRow } from '@svc/application';
import { eventually } from '@svc/testkit/eventually';
import pg from 'pg';
import { onCitus } from '../../../tools/services/citus.ts';
import { layoutMisfits, tableLayout } from '../src/citus/distribute.ts';
import { sql, statementNamed } from '../src/driver/executor.ts';
import { connect, distribute, migrate, schemaState } from '../src/index.ts';
import { MIGRATIONS, type Migration } from '../src/schema/migrations/index.ts';
import { aClaim, addClaim, aFirm } from './a-firm.ts';
import {
  distributedDatabase,
  type FreshDatabase,
  freshDatabase,
  openStores,
  undistributedDatabase,
} from './fresh-database.ts';

/** A release that changes tables which the first one uses. */
const NEXT_RELEASE: readonly Migration[] = [
  ...MIGRATIONS,
  {
    id: 2,
    name: 'more columns',
    sql: `ALTER TABLE claims ADD COLUMN more text;
-- Next statement
ALTER TABLE devices ADD COLUMN more text;
-- Next statement
ALTER TABLE adjusters ADD COLUMN more text`,
  },
];

describe('migrations', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });

  test('the state of an empty database is not current, and reading it writes nothing', async () => {
    expect(await schemaState(database)).toMatchObject({ current: false, applied: [] });
    const { rows } = await database.sql.query(
      `SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([]);
  });

  test('concurrent migrations are applied once', async () => {
    const applied = (await Promise.all(Array.from({ length: 6 }, () => migrate(database)))).flat();
    expect(applied.map(({ id }) => id)).toEqual(MIGRATIONS.map(({ id }) => id));
    const state = await schemaState(database);
    const { server_version: server } = (await database.sql.query('SHOW server_version')).rows[0];
    expect(state).toEqual({
      ...{ server, current: true, pending: [], unknown: [], changed: [] },
      applied: MIGRATIONS.map(({ id, name }) => ({ id, name, at: expect.any(Number) })),
    });
  });

  test('migrating again changes nothing and keeps the generated secrets', async () => {
    const secret = async () => {
      const stores = await connect({ url: database.url });
      const names = ['cursor_signing', 'sign_in_code_hashing'] as const;
      const values = await Promise.all(names.map((name) => stores.serviceSecret(name)));
      await stores.close();
      return values;
    };
    const before = await secret();
    const applied = (await schemaState(database)).applied;
    await migrate(database);
    expect((await schemaState(database)).applied).toEqual(applied);
    expect(before.map(({ length }) => length)).toEqual([32, 32]);
    expect(before[0]).not.toEqual(before[1]);
    expect(await secret()).toEqual(before);
  });

  test('reports unknown and edited migrations', async () => {
    await database.sql.query(
      `INSERT INTO schema_migrations ("timestamp", name) VALUES (999, 'from the future 0000000000999')`,
    );
    const warned: unknown[] = [];
    const note = (message: string, fields?: object) => warned.push([message, fields]);
    await migrate({ ...database, log: { info: note, warn: note, error: note } });
    expect(warned).toEqual([
      ['the database has migrations of a newer release', { migrations: ['999 (from the future)'] }],
    ]);
    expect(await schemaState(database)).toMatchObject({
      current: true,
      unknown: [999],
      changed: [],
    });
    const next = { ...database, migrations: NEXT_RELEASE };
    expect(await schemaState(next)).toMatchObject({
      current: false,
      pending: [{ id: 2, name: 'more columns' }],
    });
    await database.sql.query(
      `INSERT INTO schema_migrations ("timestamp", name, checksum) VALUES (2, 'more columns 0000000000002', 'edited')`,
    );
    expect(await schemaState(next)).toMatchObject({ current: false, unknown: [999], changed: [2] });
  });

  test('a failed migration leaves nothing behind', async () => {
    const other = await freshDatabase();
    // An existing table makes the first migration fail halfway.
    await other.sql.query('CREATE TABLE claims (x int)');
    await expect(migrate(other)).rejects.toThrow('42P07');
    const { rows } = await other.sql.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([{ relname: 'claims' }]);
  });

  test('a role that may not create the schema gets an error that says to migrate with its owner', async () => {
    const empty = await freshDatabase();
    const role = `svc_${randomBytes(6).toString('hex')}`;
    await empty.sql.query(`CREATE ROLE ${role} LOGIN PASSWORD 'a-password'`);
    const url = new URL(empty.url);
    [url.username, url.password] = [role, 'a-password'];
    const advice = `The schema is not up to date, and the role ${role} does not own it; run svc migrate with MIGRATION_DATABASE_URL.`;
    await expect(migrate({ url: url.href })).rejects.toThrow(advice);
    // Before PostgreSQL 15, everybody may create tables.
    await empty.sql.query(`GRANT CREATE ON SCHEMA public TO ${role}`);
    await expect(migrate({ url: url.href })).rejects.toThrow(advice);
    expect(await schemaState(empty)).toMatchObject({ applied: [] });
    await empty.sql.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  test.each([
    ['of another checksum', `UPDATE schema_migrations SET checksum = 'of an earlier build'`],
    ['without the columns of the present table', 'ALTER TABLE schema_migrations DROP "timestamp"'],
  ])('a database of a build before the first release is refused by its name: %s', async (_, change) => {
    const early = await undistributedDatabase();
    await early.sql.query(change);
    await early.sql.query(`UPDATE schema_migrations SET checksum = 'of an earlier build'`);
    const tables = async () => (await early.sql.query('SELECT * FROM schema_migrations')).rows;
    const before = await tables();
    const name = new URL(early.url).pathname.slice(1);
    const refused = `The database ${name} has the tables of a build before the first release, which this one cannot use: create a new database and name it in DATABASE_URL, or name an empty folder in DATA_DIR for the embedded server.`;
    await expect(migrate(early)).rejects.toThrow(refused);
    await expect(schemaState(early)).rejects.toThrow(refused);
    expect(await tables()).toEqual(before);
  });

  test('a database of the earlier release keeps its applied migrations and gets only the pending ones', async () => {
    const earlier = await undistributedDatabase();
    const before = await schemaState(earlier);
    const next = { ...earlier, migrations: NEXT_RELEASE };
    const applied = (await Promise.all([1, 2, 3].map(() => migrate(next)))).flat();
    expect(applied).toEqual([{ id: 2, name: 'more columns' }]);
    const after = await schemaState(next);
    expect(after).toMatchObject({ current: true, pending: [], unknown: [], changed: [] });
    expect(after.applied.slice(0, -1)).toEqual(before.applied);
    // The earlier release starts beside it.
    expect(await migrate(earlier)).toEqual([]);
    expect(await schemaState(earlier)).toMatchObject({ current: true, unknown: [2] });
  });

  test('a migration that waits for a lock lets others use the table, and is applied once the lock is released', async () => {
    const earlier = await undistributedDatabase();
    await earlier.sql.query('BEGIN; LOCK TABLE devices IN ROW SHARE MODE');
    let retries = 0;
    const warn = () => {
      retries += 1;
    };
    const migrated = migrate({
      ...{ ...earlier, migrations: NEXT_RELEASE, lockTimeoutMs: 20 },
      log: { info() {}, warn, error() {} },
    });
    await eventually(() => retries > 0);
    const reader = new pg.Client({ connectionString: earlier.url });
    await reader.connect();
    expect((await reader.query('SELECT * FROM devices')).rows).toEqual([]);
    await reader.end();
    await earlier.sql.query('COMMIT');
    await migrated;
    expect(await schemaState({ ...earlier, migrations: NEXT_RELEASE })).toMatchObject({ current: true });
  });

  test('a migration that deadlocks with a request is applied afterwards, and the request succeeds', async () => {
    const earlier = await undistributedDatabase();
    // The migration is the one that finds the deadlock.
    await earlier.sql.query(`SET deadlock_timeout = '30s'; BEGIN; LOCK TABLE devices IN ROW SHARE MODE`);
    const migrated = migrate({ ...earlier, migrations: NEXT_RELEASE });
    const watcher = new pg.Client({ connectionString: earlier.url });
    await watcher.connect();
    const waits = `SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database AND d.datname = current_database()
       WHERE NOT granted AND relation = 'devices'::regclass`;
    await eventually(async () => (await watcher.query(waits)).rowCount === 1);
    await watcher.end();
    expect((await earlier.sql.query('SELECT * FROM claims')).rows).toEqual([]);
    await earlier.sql.query('COMMIT');
    await migrated;
    expect(await schemaState({ ...earlier, migrations: NEXT_RELEASE })).toMatchObject({ current: true });
  });
});

test('a database with rows is migrated, on Citus while it is distributed, and then takes claims and reads all of them', async () => {
  const { url } = await distributedDatabase();
  const stores = await openStores({ url });
  const { firmId, svcId } = await aFirm(stores);
  const [one, other] = [aClaim(firmId, svcId), aClaim(firmId, svcId)];
  await addClaim(stores, one);
  await migrate({ url, migrations: NEXT_RELEASE });
  await addClaim(stores, other);
  const page = await stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 10 });
  expect(page.rows.map(({ id }) => id)).toEqual([one.id, other.id]);
});

describe('a migration beside the earlier release', () => {
  interface Snapshot {
    /** By name of the table. */
    readonly tables: Readonly<Record<string, { file: number; indexes: string[]; constraints: string[] }>>;
    /** By table.column. */
    readonly columns: Readonly<Record<string, { table: string; type: string; optional: boolean }>>;
  }

  const SNAPSHOT = `WITH t AS (
      SELECT oid, relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p'))
    SELECT (SELECT jsonb_object_agg(name, jsonb_build_object('file', pg_relation_filenode(oid),
        'indexes', (SELECT coalesce(jsonb_agg(indexrelid::regclass), '[]') FROM pg_index WHERE indrelid = t.oid),
        'constraints', (SELECT coalesce(jsonb_agg(conname), '[]') FROM pg_constraint
          WHERE conrelid = t.oid AND contype IN ('c', 'f') AND convalidated))) FROM t) AS tables,
      (SELECT jsonb_object_agg(t.name || '.' || attname, jsonb_build_object('table', t.name,
        'type', format_type(atttypid, atttypmod), 'optional', NOT attnotnull OR atthasdef OR attidentity <> ''))
        FROM pg_attribute JOIN t ON t.oid = attrelid WHERE attnum > 0 AND NOT attisdropped) AS columns`;

  /** What would stop the requests of the earlier release, or make them fail, on tables that exist already. */
  async function hazardsOf(sql: pg.Client, migration: string): Promise<string[]> {
    const snapshot = async (): Promise<Snapshot> => {
      const [{ tables, columns }] = (await sql.query(SNAPSHOT)).rows;
      return { tables: tables ?? {}, columns: columns ?? {} };
    };
    const before = await snapshot();
    await sql.query(migration);
    const after = await snapshot();
    const found: string[] = [];
    for (const [name, old] of Object.entries(before.tables)) {
      const table = after.tables[name];
      if (table === undefined) {
        found.push(`drops ${name}`);
        continue;
      }
      if (table.file !== old.file) found.push(`rewrites ${name}`);
      const added = (kind: 'indexes' | 'constraints') => table[kind].some((one) => !old[kind].includes(one));
      if (added('indexes')) found.push(`builds an index of ${name}`);
      if (added('constraints')) found.push(`checks all rows of ${name}`);
    }
    for (const [name, old] of Object.entries(before.columns)) {
      const column = after.columns[name];
      if (column === undefined) {
        if (old.table in after.tables) found.push(`drops ${name}`);
        continue;
      }
      if (column.type !== old.type) found.push(`changes the type of ${name}`);
      if (old.optional && !column.optional) found.push(`requires ${name}`);
    }
    for (const [name, { table, optional }] of Object.entries(after.columns))
      if (!(name in before.columns) && table in before.tables && !optional) found.push(`requires ${name}`);
    return found;
  }

  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });

  test('rewrites, scans and drops nothing that the earlier release uses', async () => {
    const found: string[] = [];
    for (const { id, sql } of MIGRATIONS)
      for (const hazard of await hazardsOf(database.sql, sql)) found.push(`${id} ${hazard}`);
    expect(found).toEqual([]);
  });

  test.each([
    ['ALTER TABLE firms ADD COLUMN a text, ADD COLUMN b int NOT NULL DEFAULT 1', []],
    ['CREATE TABLE t (id int PRIMARY KEY REFERENCES t (id)); CREATE INDEX ON t (id)', []],
    ['ALTER TABLE firms ADD CHECK (length(id::text) > 0) NOT VALID', []],
    ['ALTER TABLE firms ADD COLUMN c uuid DEFAULT gen_random_uuid()', ['rewrites firms']],
    ['CREATE INDEX ON claims (created_at)', ['builds an index of claims']],
    ['ALTER TABLE firms ADD CHECK (length(name) > 0)', ['checks all rows of firms']],
    ['ALTER TABLE firms ADD COLUMN d text NOT NULL', ['requires firms.d']],
    ['ALTER TABLE firms ALTER COLUMN a SET NOT NULL', ['requires firms.a']],
    ['ALTER TABLE firms RENAME COLUMN b TO e', ['drops firms.b']],
    ['ALTER TABLE firms ALTER COLUMN e TYPE bigint', ['rewrites firms', 'changes the type of firms.e']],
    ['DROP TABLE t', ['drops t']],
  ])('is judged by its effect: %s', async (sql, hazards) => {
    expect(await hazardsOf(database.sql, sql)).toEqual(hazards);
  });
});

/** Tables with rows of a firm: the type of the exported rows, or why there are none. */
const EXPORTED: Readonly<Record<string, ExportedRow['type'] | `none: ${string}`>> = {
  adjuster_firms: 'none: the ids of the memberships, where Citus finds them',
  adjusters: 'member',
  api_keys: 'key',
  audit_log: 'audit',
  carriers: 'carrier',
  claims: 'claim',
  data_keys: 'none: useless without the encryption key, and the export is not encrypted',
  firm_feeds: 'none: the last stamp and the last link of the audit chain, which the rows have',
  idempotency_records: 'none: responses of the last day, with the claims that are exported',
  imports: 'none: names of columns and counts; the claims are exported',
  jobs: 'none: work to be done, with the ids of claims and members that are exported',
  legal_holds: 'firm',
  memberships: 'member',
  offers: 'offer',
  passkeys: 'none: of staff; credentials, like the secrets of keys',
  request_log: 'request',
  sessions: 'none: of staff; credentials, like the secrets of keys',
  simulated_faults: 'none: what the sandbox is to do with the next requests',
  staff: 'staff',
  webhook_deliveries: 'webhook_delivery',
  webhook_endpoints: 'webhook',
};

test('every table with rows of a firm is exported, or is known not to need it', async () => {
  const database = await undistributedDatabase();
  const { rows } = await database.sql.query<{ name: string }>(
    `SELECT DISTINCT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT a.attisdropped
        AND (a.attname LIKE '%firm\\_id')`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(EXPORTED));
});

describe('the layout on a Citus cluster', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await undistributedDatabase();
  });

  const query = async <R>(text: string, values: readonly unknown[] = []): Promise<R[]> =>
    (await database.sql.query(text, [...values])).rows as R[];

  test('is possible with every key and reference of the schema', async () => {
    expect(await layoutMisfits(query, await tableLayout(query))).toEqual([]);
  });

  test('names keys over several firms, and references to tables that are not on every node', async () => {
    await database.sql.query(`CREATE TABLE notes (firm_id uuid, id uuid UNIQUE,
      key_id text CONSTRAINT notes_key REFERENCES api_keys, PRIMARY KEY (firm_id, id))`);
    expect(await layoutMisfits(query, await tableLayout(query))).toEqual([
      'notes_key of notes refers to api_keys, which is not on every node',
      'the unique index notes_id_key of notes does not contain firm_id',
    ]);
    await database.sql.query('DROP TABLE notes');
  });

  test('is not used by a process with a statement that a rule does not fit', async () => {
    // As the extension describes distributed tables.
    const other = await distributedDatabase();
    if (!onCitus())
      await other.sql.query(
        `CREATE TABLE pg_dist_partition AS SELECT 'claims'::regclass AS logicalrelid, 'h' AS partmethod`,
      );
    const { name, text } = statementNamed('memberships_save') ?? { name: '', text: '' };
    sql(name, 'SELECT 1');
    try {
      await expect(connect({ url: other.url })).rejects.toThrow(
        'The statement memberships_save has changed: ',
      );
    } finally {
      sql(name, text);
    }
    if (onCitus()) return;
    const warned: unknown[] = [];
    const log = { info() {}, error() {}, warn: (message: string) => warned.push(message) };
    await openStores({ url: other.url, log });
    expect(warned).toEqual(['the database lacks settings for Citus: run "svc database distribute" again']);
    const database = new URL(other.url).pathname.slice(1);
    await other.sql.query(`ALTER DATABASE ${database} SET citus.multi_shard_modify_mode = 'sequential'`);
    await openStores({ url: other.url, log });
    expect(warned).toHaveLength(1);
  });

  test('is made where transactions commit on every node and nobody uses the tables, and then for new tables alone', async () => {
    const { url, sql: client } = await undistributedDatabase();
    const stores = await connect({ url });
    const { firmId, svcId } = await aFirm(stores);
    await expect(distribute({ url })).rejects.toThrow(/no Citus extension, so it stays as it is/);
    // What the extension provides, as far as it is used here.
    const placing = (name: string, more = '', group = 'NULL') =>
      `CREATE FUNCTION ${name}(t regclass ${more}) RETURNS void LANGUAGE sql AS
         $$ INSERT INTO stub.placed VALUES (DEFAULT, t, false, ${group}) $$`;
    await client.query(`CREATE SCHEMA stub; CREATE TABLE stub.nodes (workers integer, prepared text);
      INSERT INTO stub.nodes VALUES (0, '0');
      CREATE TABLE stub.placed (n serial, logicalrelid regclass, autoconverted boolean, split text);
      INSERT INTO stub.placed VALUES (0, 'passkeys', true, NULL);
      CREATE VIEW pg_dist_partition AS SELECT * FROM stub.placed;
      CREATE VIEW pg_extension AS SELECT 'citus' AS extname, '13.0' AS extversion;
      CREATE FUNCTION citus_get_active_worker_nodes() RETURNS TABLE (node_name text) LANGUAGE sql AS
        $$ SELECT 'worker' FROM generate_series(1, (SELECT workers FROM stub.nodes)) $$;
      CREATE FUNCTION run_command_on_all_nodes(text) RETURNS TABLE (nodeid integer, result text) LANGUAGE sql AS
        $$ VALUES (1, '100'), (2, (SELECT prepared FROM stub.nodes)) $$;
      ${placing('create_reference_table')}; ${placing('citus_add_local_table_to_metadata', '', "'no'")};
      ${placing('create_distributed_table', ', key text, colocate_with text', "key || ' with ' || colocate_with")};
      ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, pg_catalog`);
    await expect(distribute({ url })).rejects.toThrow(/has no workers/);
    await client.query('UPDATE stub.nodes SET workers = 2');
    await expect(distribute({ url })).rejects.toThrow(/max_prepared_transactions is 0 on a node/);
    await client.query(`UPDATE stub.nodes SET prepared = '100'`);
    await expect(distribute({ url })).rejects.toThrow(/stop every process/);
    const placed = async () =>
      (await client.query('SELECT logicalrelid::text AS name, split FROM stub.placed WHERE n > 0 ORDER BY n'))
        .rows;
    expect(await placed()).toEqual([]);
    await stores.close();
    const isUsed = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'claim-%'`;
    await eventually(async () => (await client.query(isUsed)).rowCount === 0);

    const { tables, ...cluster } = await distribute({ url });
    expect(cluster).toEqual({ citus: '13.0', workers: 2 });
    const split = { reference: null, distributed: 'firm_id with default', coordinator: 'no' };
    expect(await placed()).toEqual(
      tables.map(({ table: name, placement }) => ({ name, split: split[placement] })),
    );
    const placements = new Map(tables.map(({ table, placement }) => [table, placement]));
    expect(['firms', 'claims', 'jobs', 'schema_migrations'].map((name) => placements.get(name))).toEqual([
      ...['reference', 'distributed', 'coordinator', undefined],
    ]);
    expect(tables.filter(({ changed }) => !changed)).toEqual([]);
    const filled = await client.query('SELECT firm_id, svc_id FROM adjuster_firms');
    expect(filled.rows).toContainEqual({ firm_id: firmId, svc_id: svcId });
    const settings = await client.query(
      'SELECT setconfig FROM pg_db_role_setting s JOIN pg_database d ON d.oid = setdatabase WHERE datname = current_database()',
    );
    expect(settings.rows[0].setconfig).toEqual(
      expect.arrayContaining(['enable_seqscan=off', 'jit=off', 'citus.multi_shard_modify_mode=sequential']),
    );
    const running = new pg.Client({ connectionString: url, application_name: 'claim-assignment-jobs' });
    await running.connect();
    expect((await distribute({ url })).tables.filter(({ changed }) => changed)).toEqual([]);
    await client.query('CREATE TABLE notes (firm_id uuid, id uuid, PRIMARY KEY (firm_id, id))');
    await expect(distribute({ url })).rejects.toThrow(/stop every process/);
    await running.end();
    await eventually(async () => (await client.query(isUsed)).rowCount === 0);
    const { tables: later } = await distribute({ url });
    expect(later.filter(({ changed }) => changed).map(({ table }) => table)).toEqual(['notes']);
    expect(await placed()).toHaveLength(later.length);
    expect((await placed()).at(-1)).toEqual({
      name: 'notes',
      split: expect.stringMatching(/^firm_id with (?!notes|default)/),
    });
  });
});
