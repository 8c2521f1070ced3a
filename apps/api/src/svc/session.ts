import { compose, migrateDatabase } from '../composition/compose.ts';
import { openDatabase } from '../composition/database.ts';
import type { Services } from '../composition/tokens.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../logging.ts';

/** Composes the service without listening, runs `work`, and closes everything. Migrates first. */
export async function withService<T>(
  work: (services: Services, databaseUrl: string) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env, false);
  // Standard output carries only the result.
  const log = createLog({ level: 'error', format: config.logFormat, stream: process.stderr });
  const database = await openDatabase(config, (line) => process.stderr.write(`${line}\n`));
  try {
    await migrateDatabase(database.url, log);
    const wired = await compose({
      config: { ...config, redisUrls: [], dbPoolMax: 2 },
      databaseUrl: database.url,
      log,
      addresses: { baseUrl: '', docsUrl: '', supportEmail: '' },
      isDraining: () => false,
      observe: () => {},
    });
    try {
      return await work(wired.services, database.url);
    } finally {
      await wired.close();
    }
  } finally {
    await database.release();
  }
}
