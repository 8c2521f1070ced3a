import {
  backUp,
  type CopiedRows,
  connect,
  type DatabaseUrl,
  distribute,
  migrate,
  type NamedMigration,
  type PostgresStores,
  type RoleRights,
  reportServers,
  restoreBackup,
  roleRights,
  SchemaError,
  type SchemaState,
  schemaState,
  type TablePlacement,
} from '@svc/adapter-postgres';
import {
  type AuditCaller,
  BY_SERVICE,
  type Firm,
  type ReplicationState,
  recordAction,
  SERVICE_CHAIN,
} from '@svc/application';
import type { AuditAction } from '@svc/domain';
import { startEmbeddedPostgres } from '@svc/embedded-postgres';
import { type Config, ConfigError } from '../config.ts';
import type { Log } from '../logging.ts';

export interface Database {
  /** With the service's role. */
  readonly url: DatabaseUrl;
  /** With the role that owns the schema. */
  readonly migrationUrl: DatabaseUrl;
  /** The data folder of the embedded server; null for the database in DATABASE_URL. */
  readonly embeddedIn: string | null;
  release(): Promise<void>;
}

/** The database in DATABASE_URL or, without it, an embedded server in DATA_DIR. */
export async function openDatabase(config: Config, log: (line: string) => void): Promise<Database> {
  if (config.databaseUrl !== null) {
    const migrationUrl = config.migrationDatabaseUrl ?? config.databaseUrl;
    return { url: config.databaseUrl, migrationUrl, embeddedIn: null, release: async () => {} };
  }
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log }).catch((error: unknown) => {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === 'mkdir') {
      throw new ConfigError(
        `DATA_DIR holds ${JSON.stringify(config.dataDir)}; allowed: a folder that exists or can be created (${code})`,
      );
    }
    throw error;
  });
  return {
    url: embedded.serviceUrl,
    migrationUrl: embedded.url,
    embeddedIn: embedded.dataDir,
    release: () => embedded.stop(),
  };
}

/**
 * Brings the schema up to date; safe when several processes do so at once. The start connects here first, so the error
 * names the database.
 */
export async function migrateDatabase(
  url: DatabaseUrl,
  log: Log,
  {
    migrationUrl = url,
    variable = migrationUrl === url ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL',
    caller = BY_SERVICE,
  }: {
    readonly migrationUrl?: DatabaseUrl | undefined;
    readonly variable?: string;
    /** Whom the audit trail names. */
    readonly caller?: AuditCaller;
  } = {},
  { migrate: apply, recordDatabaseAction: record } = { migrate, recordDatabaseAction },
): Promise<readonly NamedMigration[]> {
  const applied = await apply({
    url: migrationUrl,
    log,
    ...(migrationUrl !== url && { serviceUrl: url }),
  }).catch((error: Error) => {
    if (error instanceof SchemaError) throw error;
    const text = typeof migrationUrl === 'string' ? migrationUrl : migrationUrl();
    // Without the password, which may contain `@`, and the parameters; several hosts are no URL for the parser.
    const where = text
      .replace(/^[a-z]+:\/\//i, '')
      .replace(/\?.*$/, '')
      .replace(/:[^/]*@/, '@');
    throw new Error(`${error.message} ${variable} points to ${where}.`, { cause: error });
  });
  for (const { id } of applied) await record(url, log, caller, 'database.migrate', `migration:${id}`);
  return applied;
}

/** Records an action on the whole database, which belongs to no firm. Needs no encryption key. */
export const recordDatabaseAction = (
  url: DatabaseUrl,
  log: Log,
  caller: AuditCaller,
  action: AuditAction,
  object: string | null = null,
): Promise<void> =>
  withStores({ url, log }, ({ unitOfWork, clock }) =>
    unitOfWork.run((tx) => recordAction(tx, SERVICE_CHAIN, caller, { at: clock.now(), action, object })),
  );

export type { DatabaseUrl, NamedMigration, RoleRights, SchemaState, TablePlacement };
export const readSchemaState = (url: DatabaseUrl) => schemaState({ url });
export const distributeDatabase = (url: DatabaseUrl) => distribute({ url });
export {
  backUp as backUpDatabase,
  type CopiedRows,
  restoreBackup as restoreDatabase,
  roleRights as readRoleRights,
};

/** Connects for one question, without composing the service. */
async function withStores<T>(
  options: Pick<Parameters<typeof connect>[0], 'url' | 'log' | 'encryption'>,
  ask: (stores: PostgresStores) => Promise<T>,
): Promise<T> {
  const stores = await connect({ ...options, poolMax: 1 });
  try {
    return await ask(stores);
  } finally {
    await stores.close();
  }
}

/** Whether the database responds. */
export const probeDatabase = (url: DatabaseUrl, log: Log): Promise<void> =>
  withStores({ url, log }, (stores) => stores.ping(2000));

/** What is wrong with each server of PostgreSQL. */
export { reportServers };

/** @throws EncryptionKeyError when data in the database is encrypted with a key that is not configured. */
export const probeEncryption = ({ encryption }: Config, url: DatabaseUrl, log: Log): Promise<void> =>
  withStores({ url, log, encryption }, (stores) => stores.checkEncryptionKeys());

/** Null where the role may not see it. */
export const readReplication = (url: DatabaseUrl, log: Log): Promise<ReplicationState | null> =>
  withStores({ url, log }, (stores) => stores.metricSources.replication());

/** How far the clock of this machine is ahead of that of the database. */
export const readClockAheadMs = (url: DatabaseUrl, log: Log): Promise<number> =>
  withStores({ url, log }, async (stores) => stores.clockAheadMs());

export const readFirms = (url: DatabaseUrl, log: Log): Promise<readonly Firm[]> =>
  withStores({ url, log }, (stores) => stores.operatorReads.firms());
