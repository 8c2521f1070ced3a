import { userInfo } from 'node:os';
import { compose, type DatabaseUrl, migrateDatabase } from '../composition/compose.ts';
import { openDatabase } from '../composition/database.ts';
import type { Services } from '../composition/tokens.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../logging.ts';

let operatorName = '';

/** Names who runs the command: the option, else the variable, else the system user. */
export function nameOperator(option: string | undefined): void {
  operatorName = option || process.env.SVC_OPERATOR || systemUser();
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // a container may run as a user without a name
  }
}

/** Brings the schema up to date and runs `work` with the URL of the role that owns it, without composing the service. */
export async function withDatabase<T>(work: (migrationUrl: DatabaseUrl) => Promise<T>): Promise<T> {
  const { config, log } = settings();
  const database = await openDatabase(config, (line) => process.stderr.write(`${line}\n`));
  try {
    await migrateDatabase(database.url, log, database.migrationUrl);
    return await work(database.migrationUrl);
  } finally {
    await database.release();
  }
}

function settings() {
  const config = readConfig(process.env, false);
  // Standard output carries only the result.
  return { config, log: createLog({ level: 'error', format: config.logFormat, stream: process.stderr }) };
}

/** Composes the service without listening, runs `work`, and closes everything. Migrates first. */
export async function withService<T>(
  work: (services: Services, migrationUrl: DatabaseUrl) => Promise<T>,
): Promise<T> {
  const { config, log } = settings();
  const database = await openDatabase(config, (line) => process.stderr.write(`${line}\n`));
  try {
    await migrateDatabase(database.url, log, database.migrationUrl);
    const wired = await compose({
      config: { ...config, redisUrls: [], dbPoolMax: 2 },
      databaseUrl: database.url,
      log,
      addresses: { baseUrl: '', docsUrl: '', supportEmail: '' },
      isDraining: () => false,
      observe: () => {},
      operator: { name: operatorName },
    });
    try {
      return await work(wired.services, database.migrationUrl);
    } finally {
      await wired.close();
    }
  } finally {
    await database.release();
  }
}
