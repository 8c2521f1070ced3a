import { type Database, openDatabase } from './composition/database.ts';
import { ConfigError, mailWarning, readConfig } from './config.ts';
import { createDemo, walkThrough } from './demo.ts';
import { createLog, redirectConsoleToLog } from './logging.ts';
import { type Service, startService } from './service.ts';

/** Long enough for a load balancer that checks health twice a second. */
const LINGER_MS = 1000;

/** What a server uses of its process. */
interface Host {
  readonly env: Parameters<typeof readConfig>[0];
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
  readonly signals: NodeJS.EventEmitter;
  exit(code: number): void;
}

const PARTS = { openDatabase, startService, redirectConsoleToLog };

/** Runs the service until a signal. */
export async function serve(host: Host, parts = PARTS): Promise<void> {
  try {
    await start(host, parts);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const text = error instanceof ConfigError ? message : `The service did not start: ${message}`;
    host.stderr.write(`${text}\n`);
    host.exit(1);
  }
}

async function start(
  { env, stdout, signals, exit }: Host,
  { openDatabase, startService, redirectConsoleToLog }: typeof PARTS,
): Promise<void> {
  const config = readConfig(env, stdout.isTTY === true);
  const log = createLog({ level: config.logLevel, format: config.logFormat, stream: stdout });
  redirectConsoleToLog(log);
  /** Messages for the operator are plain lines, between the lines of the log. */
  const print = (line: string): void => void stdout.write(`${line}\n`);

  // Signals are handled from here on: an interrupted start must not leave an embedded database running.
  let database: Database | null = null;
  let service: Service | null = null;
  let starting = true;
  let stopping: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    await service?.stop(LINGER_MS);
    await database?.release();
    exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    signals.on(signal, () => {
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
    if (demo !== null) print(`\n${walkThrough(service.url, demo, env.DATA_DIR)}`);
  }
  starting = false;
  if (stopping !== null) await stop();
}
