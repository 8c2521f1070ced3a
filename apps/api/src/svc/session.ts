import { userInfo } from 'node:os';
import { byOperator } from '@svc/application';
import type { AuditAction } from '@svc/domain';
import { compose } from '../composition/compose.ts';
import type { Services } from '../composition/container.ts';
import {
  backUpDatabase,
  type Database,
  type DatabaseUrl,
  distributeDatabase,
  migrateDatabase,
  type NamedMigration,
  openDatabase,
  readRoleRights,
  readSchemaState,
  recordDatabaseAction,
  restoreDatabase,
} from '../composition/database.ts';
import { addressOf, type Config, ConfigError, readConfig } from '../config.ts';
import { createLog, type Log } from '../logging.ts';
import { allowedLine, isLine, OPERATOR_NAME } from './arguments.ts';

let operatorName = '';

/** Names who runs the command: the option, else the variable, else the system user. */
export function nameOperator(option: string | undefined): void {
  const variable = process.env.SVC_OPERATOR || undefined;
  if (option === undefined && variable !== undefined && !isLine(variable, OPERATOR_NAME))
    throw new ConfigError(
      `SVC_OPERATOR holds ${JSON.stringify(variable.slice(0, 100))}; allowed: ${allowedLine(OPERATOR_NAME)}`,
    );
  operatorName = option ?? variable ?? systemUser();
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // a container may run as a user without a name
  }
}

interface Migrated {
  /** What was just applied. */
  readonly migrations: readonly NamedMigration[];
  readonly config: Config;
  readonly log: Log;
  readonly database: Database;
}

export const thisOperator = () => byOperator(operatorName);

/** What commands open and call. */
const PARTS = {
  ...{ openDatabase, migrateDatabase, recordDatabaseAction, compose },
  ...{ backUpDatabase, distributeDatabase, readRoleRights, readSchemaState, restoreDatabase },
};
type Parts = typeof PARTS;

/** Brings the schema up to date and runs `work`. */
async function withMigrated<T>(
  { openDatabase, migrateDatabase }: Parts,
  work: (migrated: Migrated) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env, false);
  if (config.databaseUrl === null)
    process.stderr.write(`DATABASE_URL is unset: using the embedded database in ${config.dataDir}\n`);
  // Standard output carries only the result.
  const log = createLog({ level: 'error', format: config.logFormat, stream: process.stderr });
  const database = await openDatabase(config, (line) => process.stderr.write(`${line}\n`));
  try {
    const { url, migrationUrl } = database;
    const migrations = await migrateDatabase(url, log, { migrationUrl, caller: thisOperator() });
    return await work({ migrations, config, log, database });
  } finally {
    await database.release();
  }
}

/**
 * Runs `work` with the URL of the role that owns the schema, without composing the service, which would need the encryption
 * key. Migrates first.
 */
const withDatabase = <T>(
  parts: Parts,
  work: (
    migrationUrl: DatabaseUrl,
    migrations: readonly NamedMigration[],
    record: (action: AuditAction) => Promise<void>,
  ) => Promise<T>,
): Promise<T> =>
  withMigrated(parts, ({ database: { url, migrationUrl }, migrations, log }) =>
    work(migrationUrl, migrations, (action) => parts.recordDatabaseAction(url, log, thisOperator(), action)),
  );

async function composed<T>(
  { compose }: Parts,
  { config, log, database }: Migrated,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const { services, close } = await compose({
    config: { ...config, redisUrls: [], dbPoolMax: 2 },
    databaseUrl: database.url,
    log,
    addresses: {
      baseUrl: addressOf(config),
      docsUrl: config.docsUrl ?? `${addressOf(config)}/docs`,
      supportEmail: '',
    },
    operator: thisOperator(),
  });
  try {
    return await work(services);
  } finally {
    await close();
  }
}

/** Composes the service without listening, runs `work`, and closes everything. Migrates first. */
const withService = <T>(parts: Parts, work: (services: Services) => Promise<T>): Promise<T> =>
  withMigrated(parts, (migrated) => composed(parts, migrated, work));

/** What commands run in. */
export const createSessions = (changes: Partial<Parts> = {}) => {
  const parts = { ...PARTS, ...changes };
  return {
    parts,
    withDatabase: <T>(work: Parameters<typeof withDatabase<T>>[1]) => withDatabase(parts, work),
    withService: <T>(work: (services: Services) => Promise<T>) => withService(parts, work),
  };
};
export type Sessions = ReturnType<typeof createSessions>;
