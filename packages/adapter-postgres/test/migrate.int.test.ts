import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { auditRow, auditText, type ExportedRow, verifyAuditChain } from '@svc/application';
import type { ClaimId, FirmId, Svcid } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { sha256 } from '@svc/testkit/test-secrets';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { onCitus } from '../../../tools/services/citus.ts';
import { createDatabase, withClient } from '../../../tools/services/postgres.ts';
import { connect, distribute, migrate, schemaState } from '../src/index.ts';
import { layoutMisfits, tableLayout } from '../src/schema/distribute.ts';
import { MIGRATIONS, type Migration } from '../src/schema/migrations/index.ts';
import { aClaim, NOW, newId } from './a-firm.ts';
import { type FreshDatabase, freshDatabase } from './fresh-database.ts';

/** As the releases before TypeORM's runner did. */
async function applyAsEarlier(client: pg.ClientBase, migrations: readonly Migration[]): Promise<void> {
  await client.query(`CREATE TABLE schema_migrations (id integer PRIMARY KEY, name text NOT NULL,
    checksum text NOT NULL, applied_at timestamptz(3) NOT NULL DEFAULT clock_timestamp())`);
  for (const { id, name, sql } of migrations) {
    await client.query(sql);
    await client.query('INSERT INTO schema_migrations VALUES ($1, $2, $3)', [id, name, sha256(sql)]);
  }
}

describe('migrations', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  test('the state of an empty database is not current, and reading it writes nothing', async () => {
    expect(await schemaState(database)).toMatchObject({ current: false, applied: [], queue: null });
    const { rows } = await database.sql.query(
      `SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([]);
  });

  test('concurrent migrations are applied once', async () => {
    const applied = (await Promise.all(Array.from({ length: 6 }, () => migrate(database)))).flat();
    expect(applied.slice(0, -1).map(({ id }) => id)).toEqual(MIGRATIONS.map(({ id }) => id));
    expect(applied.at(-1)?.name).toBe('job queue');
    const state = await schemaState(database);
    expect(state).toMatchObject({ current: true, pending: [], unknown: [], changed: [] });
    expect(state.applied.map(({ id }) => id)).toEqual(MIGRATIONS.map(({ id }) => id));
    expect(state.queue).toBeGreaterThanOrEqual(19);
  });

  test('no migration of the job queue stops the queue of an earlier release from starting', async () => {
    await migrate(database);
    const { rows } = await database.sql.query(
      'SELECT id FROM graphile_worker.migrations WHERE breaking AND id > 18',
    );
    expect(rows).toEqual([]);
  });

  test('migrating again changes nothing and keeps the generated secrets', async () => {
    const secret = async () => {
      const stores = await connect({ url: database.url });
      const value = await stores.serviceSecret('cursor_signing');
      await stores.close();
      return value;
    };
    const before = await secret();
    const applied = (await schemaState(database)).applied;
    await migrate(database);
    expect((await schemaState(database)).applied).toEqual(applied);
    expect(before).toHaveLength(32);
    expect(await secret()).toEqual(before);
  });

  test('reports unknown and edited migrations', async () => {
    await database.sql.query(
      `INSERT INTO schema_migrations ("timestamp", name) VALUES (999, 'from the future 0000000000999')`,
    );
    await database.sql.query('INSERT INTO graphile_worker.migrations (id) VALUES (1000)');
    const warned: unknown[] = [];
    const note = (message: string, fields?: object) => warned.push([message, fields]);
    await migrate({ ...database, log: { info: note, warn: note, error: note } });
    expect(warned).toEqual([
      [
        'the database has migrations of a newer release',
        { migrations: ['999 (from the future)', '1000 (job queue)'] },
      ],
    ]);
    expect(await schemaState(database)).toMatchObject({
      current: true,
      unknown: [999],
      queueIsNewer: true,
      changed: [],
    });
    await database.sql.query(`UPDATE schema_migrations SET checksum = 'edited' WHERE id = 1`);
    expect(await schemaState(database)).toMatchObject({ current: false, unknown: [999], changed: [1] });
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
    await other.drop();
  });

  test('a role that may not create the schema gets an error that says to migrate with its owner', async () => {
    const empty = await freshDatabase();
    const role = `svc_${randomBytes(6).toString('hex')}`;
    await empty.sql.query(`CREATE ROLE ${role} LOGIN PASSWORD 'a-password'`);
    const url = new URL(empty.url);
    [url.username, url.password] = [role, 'a-password'];
    const advice = `The schema is not up to date, and the role ${role} does not own it; run svc migrate with MIGRATION_DATABASE_URL.`;
    await expect(migrate({ url: url.href })).rejects.toThrow(advice);
    // Before PostgreSQL 15, everybody may create tables, but not the schema of the job queue.
    await empty.sql.query(`GRANT CREATE ON SCHEMA public TO ${role}`);
    await expect(migrate({ url: url.href })).rejects.toThrow(advice);
    expect(await schemaState(empty)).toMatchObject({ applied: [], queue: null });
    await empty.sql.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await empty.drop();
  });

  async function earlierDatabase(count: number): Promise<FreshDatabase> {
    const earlier = await freshDatabase();
    await applyAsEarlier(earlier.sql, MIGRATIONS.slice(0, count));
    return earlier;
  }

  test('a database of an earlier release keeps its applied migrations and gets only the pending ones', async () => {
    const earlier = await earlierDatabase(2);
    const before = await schemaState(earlier);
    expect(before).toMatchObject({ current: false, unknown: [], changed: [] });
    expect(before.pending.map(({ id }) => id)).toEqual(MIGRATIONS.slice(2).map(({ id }) => id));
    await Promise.all([1, 2, 3].map(() => migrate(earlier)));
    const after = await schemaState(earlier);
    expect(after).toMatchObject({ current: true, pending: [], unknown: [], changed: [] });
    expect(after.applied.slice(0, 2)).toEqual(before.applied);
    expect(after.applied.map(({ id, name }) => ({ id, name }))).toEqual(
      MIGRATIONS.map(({ id, name }) => ({ id, name })),
    );
    // An earlier release that still runs beside this one finds its migrations by these ids.
    const { rows } = await earlier.sql.query('SELECT id FROM schema_migrations ORDER BY id');
    expect(rows).toEqual(MIGRATIONS.map((_, index) => ({ id: index + 1 })));
    await earlier.drop();
  });

  test('a migration that waits for a lock lets others use the table, and is applied once the lock is released', async () => {
    const earlier = await earlierDatabase(2);
    await earlier.sql.query('BEGIN; LOCK TABLE sign_in_codes IN ROW SHARE MODE');
    let retries = 0;
    const warn = () => {
      retries += 1;
    };
    const migrated = migrate({ ...earlier, lockTimeoutMs: 20, log: { info() {}, warn, error() {} } });
    await eventually(() => retries > 0);
    const reader = new pg.Client({ connectionString: earlier.url });
    await reader.connect();
    expect((await reader.query('SELECT * FROM sign_in_codes')).rows).toEqual([]);
    await reader.end();
    await earlier.sql.query('COMMIT');
    await migrated;
    expect(await schemaState(earlier)).toMatchObject({ current: true });
    await earlier.drop();
  });

  test('a migration that deadlocks with a request is applied afterwards, and the request succeeds', async () => {
    const earlier = await earlierDatabase(2);
    // The migration is the one that finds the deadlock.
    await earlier.sql.query(`SET deadlock_timeout = '30s'; BEGIN; LOCK TABLE devices IN ROW SHARE MODE`);
    const migrated = migrate(earlier);
    const watcher = new pg.Client({ connectionString: earlier.url });
    await watcher.connect();
    const waits = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'devices'::regclass`;
    await eventually(async () => (await watcher.query(waits)).rowCount === 1);
    await watcher.end();
    expect((await earlier.sql.query('SELECT * FROM adjusters')).rows).toEqual([]);
    await earlier.sql.query('COMMIT');
    await migrated;
    expect(await schemaState(earlier)).toMatchObject({ current: true });
    await earlier.drop();
  });
});

describe('a database of an earlier release with rows', () => {
  const firmId = newId<FirmId>();
  const erasedId = newId<FirmId>();
  const svcId = newId<Svcid>();
  const claimId = newId<ClaimId>();
  const caller = { actor: 'key:key_1', address: null, requestId: null };
  const event = {
    at: NOW,
    ...caller,
    action: 'claim.read',
    object: `claim:${claimId}`,
    outcome: 'ok',
  } as const;

  /** The first release that could be distributed over a Citus cluster. */
  async function fillAsEarlier(client: pg.ClientBase): Promise<void> {
    await applyAsEarlier(
      client,
      MIGRATIONS.filter(({ id }) => id <= 70),
    );
    const insert = (table: string, values: Record<string, unknown>) =>
      client.query(
        `INSERT INTO ${table} (${Object.keys(values)}) VALUES (${Object.keys(values).map((_, at) => `$${at + 1}`)})`,
        Object.values(values),
      );
    const at = new Date(NOW);
    const text = auditText(auditRow({ chain: firmId, entry: event }));
    const start = sha256(firmId);
    const hash = Buffer.from(sha256(`${start}\n1\n${text}`), 'hex');
    const purged_hash = Buffer.from(start, 'hex');
    const flags = { can_accept_claims: true, accepting_assignments: true };
    await insert('firms', { id: firmId, name: 'Firm', plan: 'standard', created_at: at });
    await insert('firms', { id: erasedId, name: 'Erased firm', plan: 'standard', created_at: at });
    await insert('firm_feeds', { firm_id: firmId, last_stamp: at });
    await insert('audit_log', { firm_id: firmId, seq: 1, at, entry: text, hash });
    await insert('audit_chains', { firm_id: firmId, last_seq: 1, last_hash: hash, purged_hash });
    await insert('adjusters', { svc_id: svcId });
    await insert('memberships', {
      firm_id: firmId,
      svc_id: svcId,
      status: 'active',
      first_known_at: at,
      ...flags,
    });
    await insert('claims', {
      firm_id: firmId,
      id: claimId,
      environment: 'live',
      external_id: 'earlier',
      claim_number: 'earlier',
      carrier_key: 'tidewater',
      carrier: '{"name":"Tidewater"}',
      document: '{"external_id":"earlier"}',
      status: 'pending_acceptance',
      adjuster_svc_id: svcId,
      offered_at: at,
      created_at: at,
      updated_at: at,
    });
  }

  test('is migrated, on Citus while it is distributed, and then takes claims and reads all of them', async () => {
    const { url, drop } = await createDatabase({
      template: 'earlier_release',
      migrate: async (draft) => {
        await withClient(draft, fillAsEarlier);
        await runMigrations({ connectionString: draft });
      },
    });
    await migrate({ url });
    if (onCitus()) {
      const moved = (await distribute({ url })).tables.filter(({ changed }) => changed);
      // The release had moved its tables.
      expect(moved.map(({ table }) => table)).not.toContain('claims');
    }
    const stores = await connect({ url });
    const poll = async () =>
      (await stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 10 })).rows.map(
        ({ id }) => id,
      );
    expect(await poll()).toEqual([claimId]);
    const erasures = (await stores.operatorReads.firms()).map(({ id, erasure }) => [id, erasure]);
    expect(Object.fromEntries(erasures)).toEqual({ [firmId]: null, [erasedId]: 'finished' });

    const sent = aClaim(firmId, svcId);
    await stores.unitOfWork.run(async (tx) => {
      await tx.idempotency.bind({ firmId, environment: 'live', key: 'k' }, 'print', sent.id, NOW);
      await tx.carriers.merge(firmId, sent.carrier);
      await tx.outbox.add({ kind: 'notify_offer', firmId, claimId: sent.id, svcId });
      await tx.audit.record({ chain: firmId, entry: event });
      await tx.claims.add(sent);
    });
    expect(await poll()).toEqual([claimId, sent.id]);
    const offered = await stores.appReads.claimIds(svcId, 'pending_acceptance');
    expect([...offered].sort()).toEqual([claimId, sent.id].sort());
    expect(await verifyAuditChain({ reads: stores.auditReads, sha256 }, firmId)).toMatchObject({
      intact: true,
      rows: 2,
    });
    const done: unknown[] = [];
    stores.startJobs(async (job) => {
      done.push(job);
    });
    await eventually(() => done.length === 1);
    await stores.close();
    await drop();
  });
});

describe('a migration beside the earlier release', () => {
  /** Before the first release no earlier one serves requests. Later ones: see "Migrations" in CONTRIBUTING.md. */
  const BEFORE_FIRST_RELEASE: readonly string[] = [
    '5 checks all rows of api_keys',
    '5 rewrites sessions',
    '5 builds an index of sessions',
    '22 builds an index of claims',
    '30 checks all rows of sessions',
    '40 checks all rows of firms',
    '80 drops audit_chains',
  ];

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
  afterAll(() => database.drop());

  test('rewrites, scans and drops nothing that the earlier release uses', async () => {
    const found: string[] = [];
    for (const { id, sql } of MIGRATIONS)
      for (const hazard of await hazardsOf(database.sql, sql)) found.push(`${id} ${hazard}`);
    expect(found).toEqual(BEFORE_FIRST_RELEASE);
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
  legal_holds: 'firm',
  memberships: 'member',
  request_log: 'request',
  simulated_faults: 'none: what the sandbox is to do with the next requests',
};

test('every table with rows of a firm is exported, or is known not to need it', async () => {
  const database = await freshDatabase();
  await migrate(database);
  const { rows } = await database.sql.query<{ name: string }>(
    `SELECT DISTINCT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT a.attisdropped
        AND (a.attname LIKE '%firm\\_id')`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(EXPORTED));
  await database.drop();
});

describe('the layout on a Citus cluster', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
    await migrate(database);
  });
  afterAll(() => database.drop());

  const query = async <R>(text: string, values: readonly unknown[] = []): Promise<R[]> =>
    (await database.sql.query(text, [...values])).rows as R[];

  test('places every table: by firm where the key starts with it', async () => {
    const layout = await tableLayout(query);
    const at = (placement: string) =>
      layout.filter((one) => one.placement === placement).map(({ table }) => table);
    expect({
      reference: at('reference'),
      distributed: at('distributed'),
      coordinator: at('coordinator'),
    }).toEqual({
      reference: ['firms', 'adjusters', 'adjuster_firms'],
      distributed: [
        'audit_log',
        'carriers',
        'claims',
        'data_keys',
        'firm_feeds',
        'idempotency_records',
        'legal_holds',
        'memberships',
        'request_log',
        'simulated_faults',
      ],
      coordinator: [
        'adjuster_edits',
        'api_keys',
        'deadline_overrides',
        'devices',
        'email_changes',
        'feed_restamps',
        'job_workers',
        'passkeys',
        'registry_version',
        'service_secrets',
        'sessions',
        'sign_in_attempts',
        'sign_in_codes',
        'used_passkey_challenges',
        'graphile_worker._private_jobs',
      ],
    });
  });

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

  test('is refused without the extension, and changes nothing', async () => {
    const layout = await tableLayout(query);
    await expect(distribute(database)).rejects.toThrow(/no Citus extension, so it stays as it is/);
    expect(await tableLayout(query)).toEqual(layout);
    const { rows } = await database.sql.query('SELECT 1 FROM adjuster_firms');
    expect(rows).toEqual([]);
  });
});
