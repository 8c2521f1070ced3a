import { type Database, openDatabase } from './composition/database.ts';
import { ConfigError, readConfig } from './config.ts';
import { createDemo, walkThrough } from './demo.ts';
import { createLog, logWhatIsPrinted } from './logging.ts';
import { type Service, startService } from './service.ts';

/** Long enough for a balancer that looks twice a second. */
const LINGER_MS = 1000;

/** What the operator has to know goes where the log goes, in plain lines between its own. */
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const complain = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function main(): Promise<void> {
  const config = readConfig(process.env, process.stdout.isTTY === true);
  const log = createLog({ level: config.logLevel, format: config.logFormat });
  logWhatIsPrinted(log);

  // From the first line on: a start that is broken off must not leave a database behind.
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

  if (config.smtpUrl === null)
    say('No SMTP_URL is set: sign-in codes go to the log instead of being mailed.');
  try {
    database = await openDatabase(config, say);
    service = await startService(config, database.url, log);
  } catch (error) {
    await database?.release();
    throw error;
  }
  say(`Listening on ${service.url}`);
  if (service.metricsUrl !== null) say(`Metrics are at ${service.metricsUrl}`);
  if (database.embeddedIn !== null) {
    say(`The database is embedded; its data lies in ${database.embeddedIn}`);
    const demo = await createDemo(service.wiring);
    if (demo !== null) say(`\n${walkThrough(service.url, demo)}`);
  }
  starting = false;
  if (stopping !== null) await stop();
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  complain(error instanceof ConfigError ? message : `The service did not start: ${message}`);
  process.exit(1);
});
