import { type Database, openDatabase } from './composition/database.ts';
import { ConfigError, mailWarning, readConfig } from './config.ts';
import { createDemo, walkThrough } from './demo.ts';
import { createLog, redirectConsoleToLog } from './logging.ts';
import { type Service, startService } from './service.ts';

/** Long enough for a load balancer that checks health twice a second. */
const LINGER_MS = 1000;

/** Messages for the operator are plain lines on standard output, between the lines of the log. */
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const printError = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function main(): Promise<void> {
  const config = readConfig(process.env, process.stdout.isTTY === true);
  const log = createLog({ level: config.logLevel, format: config.logFormat });
  redirectConsoleToLog(log);

  // Signals are handled from here on: an interrupted start must not leave an embedded database running.
  let database: Database | null = null;
  let service: Service | null = null;
  let starting = true;
  let stopping: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    await service?.stop(LINGER_MS);
    await database?.release();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping === null) log.info('shutting down', { signal });
      stopping ??= starting ? Promise.resolve() : stop();
    });
  }

  if (config.smtpUrl === null) {
    // With a database server, somebody reads the log, not the terminal.
    if (config.databaseUrl !== null) log.warn('SMTP_URL is unset: sign-in codes are written to this log');
    else print('No SMTP_URL is set: sign-in codes are logged instead of emailed.');
  }
  const warning = mailWarning(config);
  if (warning !== null) log.warn(warning);
  try {
    database = await openDatabase(config, print);
    const { url, migrationUrl } = database;
    service = await startService({ ...config, migrationDatabaseUrl: migrationUrl }, url, log);
  } catch (error) {
    await database?.release();
    throw error;
  }
  print(`Listening on ${service.url}`);
  if (service.metricsUrl !== null) print(`Metrics are at ${service.metricsUrl}`);
  if (database.embeddedIn !== null) {
    print(`The database is embedded; its data is in ${database.embeddedIn}`);
    const demo = config.createsDemoFirm ? await createDemo(service.services) : null;
    if (demo !== null) print(`\n${walkThrough(service.url, demo, process.env.DATA_DIR)}`);
  }
  starting = false;
  if (stopping !== null) await stop();
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  printError(error instanceof ConfigError ? message : `The service did not start: ${message}`);
  process.exit(1);
});
