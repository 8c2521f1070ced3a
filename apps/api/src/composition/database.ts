import { startEmbeddedPostgres } from '@svc/embedded-postgres';
import { type Config, ConfigError } from '../config.ts';

export interface Database {
  readonly url: string;
  /** Null for a database of the operator's own. */
  readonly embeddedIn: string | null;
  release(): Promise<void>;
}

/** The database that was named, or one of our own under DATA_DIR. */
export async function openDatabase(config: Config, say: (line: string) => void): Promise<Database> {
  if (config.databaseUrl !== null) {
    return { url: config.databaseUrl, embeddedIn: null, release: async () => {} };
  }
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log: say }).catch(
    (error: unknown) => {
      const { code, syscall } = error as NodeJS.ErrnoException;
      if (syscall === 'mkdir') {
        throw new ConfigError(
          `DATA_DIR holds ${JSON.stringify(config.dataDir)}; allowed: a folder that is there or can be made (${code})`,
        );
      }
      throw error;
    },
  );
  return { url: embedded.url, embeddedIn: embedded.dataDir, release: () => embedded.stop() };
}
