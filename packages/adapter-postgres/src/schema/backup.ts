import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@svc/application';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { isBehindPooler } from '../driver/pooler.ts';
import { type DatabaseUrl, Servers } from '../driver/servers.ts';
import { SILENT } from '../log.ts';
import { SCHEMA_CHECKSUM } from './migrate.ts';

/** Rows by table. */
export type CopiedRows = Readonly<Record<string, number>>;

type Progress = (rows: number) => void;

interface Header {
  readonly format: 'claims-backup-1';
  /** Of the release; a backup is restored by the release that made it. */
  readonly schema: string;
  /** Version of the server, such as `18.4`. */
  readonly server: string;
  /** When it was made, an RFC 3339 date-time. */
  readonly at: string;
}

interface Table {
  readonly table: string;
  readonly columns: string;
}

interface Footer {
  readonly rows: CopiedRows;
  readonly sequences: readonly { readonly name: string; readonly last: string }[];
}

/** Every table but those of PostgreSQL and its extensions, with the columns that are not generated. */
const TABLES = `SELECT format('%I.%I', n.nspname, c.relname) AS table,
    string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relkind = 'r' AND n.nspname !~ '^(pg_|information_schema$)'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  GROUP BY n.nspname, c.relname ORDER BY 1`;

const REFERENCES = `SELECT DISTINCT format('%I.%I', n.nspname, c.relname) AS from, format('%I.%I', fn.nspname, f.relname) AS to
  FROM pg_constraint k
  JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_class f ON f.oid = k.confrelid JOIN pg_namespace fn ON fn.oid = f.relnamespace
  WHERE k.contype = 'f' AND k.conrelid <> k.confrelid`;

/** Without those of Citus in pg_catalog, which another database need not have. */
const SEQUENCES = `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS last
  FROM pg_sequences WHERE last_value IS NOT NULL AND schemaname !~ '^pg_' ORDER BY 1`;

/**
 * Those of clients, and of Citus itself, have a user. The state is null where this role may not see it. Unused: no statement
 * since `$1`.
 */
const OTHER_CONNECTIONS = `SELECT usename AS "user", application_name AS program, state,
    host(client_addr) AS address, coalesce(state = 'idle' AND state_change < $1, false) AS "isUnused"
  FROM pg_stat_activity
  WHERE datname = current_database() AND usesysid IS NOT NULL
    AND application_name NOT ILIKE 'citus%' AND pid <> pg_backend_pid()
  ORDER BY backend_start`;

interface OtherConnection {
  readonly user: string;
  readonly program: string;
  readonly state: string | null;
  readonly address: string | null;
  readonly isUnused: boolean;
}

/** For connections that were closed just before, such as that of the migration. */
const DISCONNECT_TIMEOUT_MS = 2000;
/** Each process of the service runs a statement at least once a second. */
const OBSERVED_POOLER_MS = 4000;
const NAMED_CONNECTIONS = 5;

/** For this transaction only: behind a pooler, the connection is used by others afterwards. */
const TRANSACTION_SETTINGS = `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL lock_timeout = 10000; SET LOCAL datestyle = iso`;

/** Twice the largest document, and escapes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** COPY's end mark. No row is equal to it, since COPY escapes backslashes. */
const END_OF_ROWS = '\\.\n';

/**
 * All rows at one moment, as lines of text that every later version of PostgreSQL reads: a header, each table with its
 * rows in COPY's text format, a footer. Contains personal data and hashed secrets as the database does.
 * @param isMove nobody may write while it runs, and afterwards into the old database.
 */
export async function* backUp(
  url: DatabaseUrl,
  { isMove = false, onProgress = () => {} }: { isMove?: boolean; onProgress?: Progress } = {},
): AsyncGenerator<Buffer, void, undefined> {
  const client = await connected(url);
  try {
    const tables = await tablesInOrder(client);
    if (isMove) await refuseOthers(client, url, 'Moving the database');
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${TRANSACTION_SETTINGS}`);
    if (isMove) {
      // Before the snapshot, which the first other statement takes.
      await client.query(`LOCK TABLE ${tables.map(({ table }) => table).join(', ')} IN SHARE MODE`);
    }
    const {
      rows: [{ server, at }],
    } = await client.query("SELECT current_setting('server_version') AS server, clock_timestamp() AS at");
    yield line({
      format: 'claims-backup-1',
      schema: SCHEMA_CHECKSUM,
      server,
      at: at.toISOString(),
    } satisfies Header);
    const rows: Record<string, number> = {};
    let copied = 0;
    for (const { table, columns } of tables) {
      yield line({ table, columns } satisfies Table);
      const stream = client.query(copyStreams.to(`COPY ${table} (${columns}) TO STDOUT`));
      for await (const chunk of stream) yield chunk;
      rows[table] = stream.rowCount;
      copied += stream.rowCount;
      onProgress(copied);
      yield Buffer.from(END_OF_ROWS);
    }
    const sequences = (await client.query(SEQUENCES)).rows;
    await client.query('COMMIT');
    yield line({ rows, sequences } satisfies Footer);
  } finally {
    await client.end();
  }
}

/**
 * Fills an empty database whose schema is that of this release, in one transaction.
 *
 * @throws OperatorError when the backup is of another release or incomplete, or the database is not empty.
 */
export async function restoreBackup(
  url: DatabaseUrl,
  backup: AsyncIterable<Uint8Array>,
  onProgress: Progress = () => {},
): Promise<{ readonly rows: CopiedRows; readonly at: string }> {
  const lines = splitLines(backup);
  try {
    return await restoreLines(url, lines, onProgress);
  } finally {
    // Also ends the transaction that a failed restore was reading from.
    await lines.return();
  }
}

async function restoreLines(
  url: DatabaseUrl,
  lines: AsyncGenerator<Buffer, void, undefined>,
  onProgress: Progress,
): Promise<{ readonly rows: CopiedRows; readonly at: string }> {
  const header = await nextJson<Header>(lines);
  if (header?.format !== 'claims-backup-1') throw new OperatorError('this is no backup of the service');
  if (header.schema !== SCHEMA_CHECKSUM)
    throw new OperatorError('the backup is of another release of the service: restore it with that release');
  const client = await connected(url);
  try {
    await refuseOthers(client, url, 'Restoring a backup');
    await client.query(`BEGIN; ${TRANSACTION_SETTINGS}`);
    const tables = new Map((await tablesInOrder(client)).map(({ table, columns }) => [table, columns]));
    const names = [...tables.keys()].join(', ');
    await client.query(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE`);
    const [found] = (
      await client.query(
        "(SELECT 'firm ' || name AS row FROM firms LIMIT 1) UNION ALL (SELECT 'adjuster ' || svc_id FROM adjusters LIMIT 1)",
      )
    ).rows;
    if (found !== undefined)
      throw new OperatorError(
        `the database is not empty (it has the ${found.row}); restore into a new one, such as an empty DATA_DIR`,
      );
    // Not TRUNCATE, which the owner has taken from itself for the audit trail.
    for (const table of [...tables.keys()].reverse()) await client.query(`DELETE FROM ${table}`);
    const rows: Record<string, number> = {};
    let copied = 0;
    for (;;) {
      const next = await nextJson<Partial<Table & Footer>>(lines);
      if (next === null) throw new OperatorError('the backup is incomplete: it ends too early');
      const { table } = next;
      if (table === undefined) {
        const complete = Object.keys(rows).length === tables.size && Array.isArray(next.sequences);
        if (!complete || JSON.stringify(next.rows) !== JSON.stringify(rows))
          throw new OperatorError('the backup is damaged: it has other rows than its end says');
        await setSequences(client, next.sequences ?? []);
        break;
      }
      // Nothing of the file becomes SQL.
      const columns = tables.get(table);
      if (columns === undefined || columns !== next.columns || table in rows)
        throw new OperatorError('the backup is damaged: it has other tables than this release');
      const stream = client.query(copyStreams.from(`COPY ${table} (${columns}) FROM STDIN`));
      await pipeline(Readable.from(rowsOf(lines), { objectMode: true }), stream);
      rows[table] = stream.rowCount;
      copied += stream.rowCount;
      onProgress(copied);
    }
    await client.query('COMMIT');
    await client.query('ANALYZE');
    return { rows, at: header.at };
  } finally {
    await client.end();
  }
}

const APPLICATION_NAME = 'claim-assignment-backup';
const CONNECT_TIMEOUT_MS = 5000;

async function connected(url: DatabaseUrl): Promise<pg.Client> {
  const servers = new Servers(url, SILENT, CONNECT_TIMEOUT_MS);
  await servers.locate();
  const client = new pg.Client({
    connectionString: servers.url(),
    application_name: APPLICATION_NAME,
  });
  client.on('error', () => {}); // a lost connection fails its statement
  await client.connect();
  return client;
}

/**
 * A pooler keeps connections that nobody uses, and opens those of a process when it needs them. So those count that do
 * something while they are observed, as a running process would.
 */
async function refuseOthers(client: pg.Client, url: DatabaseUrl, act: string): Promise<void> {
  const behindPooler = await isBehindPooler(new Servers(url, SILENT, CONNECT_TIMEOUT_MS), APPLICATION_NAME);
  // In one transaction, or each look would use another connection of the pooler.
  await client.query(`BEGIN; ${TRANSACTION_SETTINGS}`);
  const startedAt = performance.now();
  const { since } = (await client.query('SELECT clock_timestamp() AS since')).rows[0];
  let others: OtherConnection[] = [];
  for (;;) {
    const elapsedMs = performance.now() - startedAt;
    await client.query('SELECT pg_stat_clear_snapshot()');
    others = (await client.query<OtherConnection>(OTHER_CONNECTIONS, [since])).rows;
    if (others.length === 0 && !behindPooler) break;
    if (elapsedMs >= (behindPooler ? OBSERVED_POOLER_MS : DISCONNECT_TIMEOUT_MS)) break;
    await sleep(50);
  }
  await client.query('COMMIT');
  const counted = others.filter(({ isUnused }) => !(behindPooler && isUnused));
  if (counted.length === 0) return;
  const named = counted
    .slice(0, NAMED_CONNECTIONS)
    .map(
      ({ user, program, address, state }) =>
        `${program || 'a program without a name'} as ${user}${address === null ? '' : ` from ${address}`} (${state ?? 'its state is visible only with pg_monitor'})`,
    )
    .concat(counted.length > NAMED_CONNECTIONS ? [`${counted.length - NAMED_CONNECTIONS} more`] : []);
  const connections = counted.length === 1 ? 'connection' : 'connections';
  throw new OperatorError(
    `${act} needs the database for itself, and it has ${counted.length} other ${connections}: ${named.join(', ')}. Stop the service first; a pooler keeps idle connections open for minutes after it`,
  );
}

/** A table after those that it references. */
async function tablesInOrder(client: pg.Client): Promise<Table[]> {
  const tables: Table[] = (await client.query(TABLES)).rows;
  const references: { from: string; to: string }[] = (await client.query(REFERENCES)).rows;
  const ordered = new Set<Table>();
  const add = (table: Table): void => {
    for (const { from, to } of references) {
      const referenced = from === table.table && tables.find((other) => other.table === to);
      if (referenced && !ordered.has(referenced)) add(referenced);
    }
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}

async function setSequences(client: pg.Client, sequences: Footer['sequences']): Promise<void> {
  for (const { name, last } of sequences) await client.query('SELECT setval($1::regclass, $2)', [name, last]);
}

const line = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

/** Each line with its line break. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let started: Uint8Array[] = [];
  let startedBytes = 0;
  for await (const chunk of chunks) {
    const text = Buffer.from(chunk);
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      yield Buffer.concat([...started, text.subarray(from, end + 1)]);
      started = [];
      startedBytes = 0;
      from = end + 1;
    }
    started.push(text.subarray(from));
    startedBytes += text.length - from;
    if (startedBytes > MAX_LINE_BYTES)
      throw new OperatorError('the backup is damaged: it has too long a row');
  }
  if (startedBytes > 0) yield Buffer.concat(started);
}

async function nextJson<Value>(lines: AsyncGenerator<Buffer, void, undefined>): Promise<Value | null> {
  const { value, done } = await lines.next();
  if (done || value === undefined) return null;
  try {
    const parsed: unknown = JSON.parse(value.toString('utf8'));
    if (typeof parsed === 'object' && parsed !== null) return parsed as Value;
  } catch {
    // Not JSON.
  }
  throw new OperatorError('this is no backup of the service, or it is damaged');
}

async function* rowsOf(lines: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Buffer> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done || value === undefined) throw new OperatorError('the backup is incomplete: it ends too early');
    if (value.toString('latin1') === END_OF_ROWS) return;
    yield value;
  }
}
