import type { DatabaseUrl } from '@svc/adapter-postgres';
import { startEmbeddedPostgres } from '@svc/embedded-postgres';
import { type Config, ConfigError } from '../config.ts';

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
