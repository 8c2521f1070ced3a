import { createReadStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { OperatorError, toDateTime } from '@svc/application';
import type { Command } from 'commander';
import type { CopiedRows, DatabaseUrl, TablePlacement } from '../composition/database.ts';
import { ConfigError, checkReadable, readConfig } from '../config.ts';
import { createLog } from '../logging.ts';
import { addCommand, addGroup, type OutputOptions } from './command.ts';
import { checkSchema, diagnose } from './doctor.ts';
import { printJson, printTable, progressOf } from './output.ts';
import { type Sessions, thisOperator } from './session.ts';

const PLACEMENTS: Readonly<Record<TablePlacement, string>> = {
  reference: 'a copy on every node',
  distributed: 'split by firm over the workers',
  coordinator: 'on the coordinator',
};

export function addDatabaseCommands(program: Command, { withDatabase, parts }: Sessions): void {
  addCommand(program, 'migrate', 'bring the schema up to date').action(async (options: OutputOptions) => {
    // withDatabase migrates before it calls this.
    const { state, now } = await withDatabase(async (migrationUrl, now) => ({
      state: await parts.readSchemaState(migrationUrl),
      now,
    }));
    const applied = state.applied.map((migration) => ({ ...migration, at: toDateTime(migration.at) }));
    const check = checkSchema(state);
    if (options.json) printJson({ ...state, applied, applied_now: now });
    else if (now.length > 0)
      process.stdout.write(`Applied: ${now.map(({ id, name }) => `${id} (${name})`).join(', ')}.\n`);
    else process.stdout.write('Nothing to apply.\n');
    if (check.state === 'wrong') throw new OperatorError(`the schema was ${check.detail}`);
    if (!options.json)
      process.stdout.write(`The schema ${check.state === 'ok' ? 'is ' : ''}${check.detail}.\n`);
  });

  const database = addGroup(program, 'database', 'where the tables are; a copy of them');
  addCommand(database, 'backup <file>', 'write all rows to a file, also while the service runs').action(
    async (file: string, options: OutputOptions) => {
      const rows = await withDatabase(async (url, _, record) => {
        const written = await writeBackup(parts.backUpDatabase(url, { onProgress: progress() }), file);
        await record('database.backup');
        return written;
      });
      if (options.json) return printJson({ file, bytes: statSync(file).size, rows });
      process.stdout.write(`Wrote ${statSync(file).size} bytes to ${file}.\n`);
    },
  );
  addCommand(
    database,
    'restore <file>',
    'fill an empty database with a backup of this release; on a server, with MIGRATION_DATABASE_URL',
  ).action(async (file: string, options: OutputOptions) => {
    checkReadable('FILE holds ', file);
    const { rows, at } = await withDatabase(async (url, _, record) => {
      await requireOwner(parts, url, 'Restoring a backup');
      const restored = await parts.restoreDatabase(url, readBackup(file), progress());
      await record('database.restore');
      return restored;
    });
    if (options.json) return printJson({ file, at, rows });
    printRows(rows);
    process.stdout.write(
      `Restored ${file}. Before the service starts, run svc feed restamp --since ${at}; with encryption, also svc encryption apply.\n`,
    );
  });
  addCommand(database, 'move', 'copy all rows to an empty database on a server; stop the service first')
    .requiredOption('--to <url>', 'postgres://… of the role that will own the schema')
    .action(async ({ to, ...options }: OutputOptions & { readonly to: string }) => {
      const target = targetUrl(to);
      const log = createLog({ level: 'error', format: 'json', stream: process.stderr });
      const { rows } = await withDatabase(async (url, _, record) => {
        await requireOwner(parts, url, 'Moving the database');
        await parts.migrateDatabase(target, log, { variable: '--to', caller: thisOperator() });
        // Before the copy, which has it too.
        await record('database.move');
        return parts.restoreDatabase(target, parts.backUpDatabase(url, { isMove: true }), progress());
      });
      if (options.json) return printJson({ rows });
      printRows(rows);
      process.stdout.write(
        'Moved. The old database is unchanged. Before the service starts, set DATABASE_URL, and with two roles also MIGRATION_DATABASE_URL to the one of --to; then run svc migrate, which grants the role of DATABASE_URL what it needs. With encryption, also run svc encryption apply there.\n',
      );
    });
  addCommand(
    database,
    'distribute',
    'lay out the tables over a Citus cluster, by firm; again after each upgrade, for new tables',
  ).action(async (options: OutputOptions) => {
    const { citus, workers, tables } = await withDatabase(async (url, _, record) => {
      const distributed = await parts.distributeDatabase(url);
      await record('database.distribute');
      return distributed;
    });
    if (options.json) return printJson({ citus, workers, tables });
    printTable(
      tables.map(({ table, placement, changed }) => ({
        table,
        placement: PLACEMENTS[placement],
        moved: changed ? 'now' : 'before',
      })),
      'no tables',
    );
    process.stdout.write(`Citus ${citus}, ${workers} workers.\n`);
  });

  addCommand(program, 'doctor', 'check connections, versions and configuration').action(
    async (options: OutputOptions) => {
      const report = await diagnose();
      if (options.json) printJson(report);
      else printTable(report.checks, 'no checks');
      if (!report.ok) throw new OperatorError('some checks failed; see above');
    },
  );
}

const progress = () => progressOf('rows');

const printRows = (rows: CopiedRows): void =>
  printTable(
    Object.entries(rows).map(([table, count]) => ({ table, rows: count })),
    'no tables',
  );

/** Before the first statement that would fail without a hint. */
async function requireOwner(parts: Sessions['parts'], url: DatabaseUrl, act: string): Promise<void> {
  const { role, ownsTables } = await parts.readRoleRights(url);
  if (!ownsTables)
    throw new OperatorError(
      `${act} needs the role that owns the schema, and ${role} does not own it: set MIGRATION_DATABASE_URL`,
    );
}

/** Checked as DATABASE_URL is. */
function targetUrl(to: string): string {
  try {
    const url = readConfig({ DATABASE_URL: to }, false).databaseUrl;
    if (typeof url === 'string') return url;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.message.replace('DATABASE_URL', '--to'));
  }
  throw new OperatorError('--to takes the URL of a server, postgres://…');
}

/** Under another name until it is complete. Returns the rows that its last line counts. */
async function writeBackup(backup: AsyncIterable<Buffer>, file: string): Promise<CopiedRows> {
  if (existsSync(file)) throw new OperatorError(`${file} exists; name a new file`);
  const draft = `${file}.${process.pid}.part`;
  // Opened first: a stream would open it after a backup that failed at once, and leave it.
  const opened = await open(draft, 'wx', 0o600);
  let last: Buffer = Buffer.alloc(0);
  async function* remembered() {
    for await (const chunk of backup) {
      last = chunk;
      yield chunk;
    }
  }
  try {
    await pipeline(Readable.from(remembered()), createGzip(), opened.createWriteStream({ flush: true }));
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return JSON.parse(last.toString('utf8')).rows;
}

async function* readBackup(file: string): AsyncGenerator<Buffer, void, undefined> {
  const unzipped = createGunzip();
  // The iteration below throws the error of either.
  pipeline(createReadStream(file), unzipped).catch(() => {});
  try {
    yield* unzipped;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `${file} cannot be read: ${code?.startsWith('Z_') ? 'it is damaged, or no backup of the service' : message}`,
    );
  }
}
