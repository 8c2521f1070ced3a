import { ConfigError, readConfig } from './config.ts';
import { openDatabase } from './container/database.ts';
import { createDemo, walkThrough } from './demo.ts';
import { createLog } from './logging.ts';
import { startService } from './service.ts';

/** Long enough for a balancer that looks twice a second. */
const LINGER_MS = 1000;

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function main(): Promise<void> {
  const config = readConfig(process.env, process.stdout.isTTY === true);
  const log = createLog({ level: config.logLevel, format: config.logFormat });
  if (config.smtpUrl === null)
    say('No SMTP_URL is set: sign-in codes go to the log instead of being mailed.');
  const database = await openDatabase(config, say);
  const service = await startService(config, database.url, log).catch(async (error: unknown) => {
    await database.release();
    throw error;
  });

  say(`Listening on ${service.url}`);
  if (database.embeddedIn !== null) {
    say(`The database is embedded; its data lies in ${database.embeddedIn}`);
    const demo = await createDemo(service.wiring);
    if (demo !== null) say(`\n${walkThrough(service.url, demo)}`);
  }

  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info('shutting down', { signal });
    await service.stop(LINGER_MS);
    await database.release();
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}

main().catch((error: unknown) => {
  say(error instanceof ConfigError ? error.message : `The service did not start: ${describe(error)}`);
  process.exit(1);
});

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as { code?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `PORT ${port} is in use; set PORT to another one, or to 0 for any that is free`;
  return error.message;
}
