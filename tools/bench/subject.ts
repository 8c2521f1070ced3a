import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const START_MS = 60_000;

export interface Server {
  readonly name: string;
  readonly url: string;
  /** URL of its metrics, if enabled. */
  readonly metricsUrl?: string | undefined;
  readonly pid: number;
  stop(): void;
}

/** Starts a server and waits until it listens. */
export function start(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Server> {
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  return new Promise((resolve, reject) => {
    const late = setTimeout(stop, START_MS);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += String(chunk);
        const url = /Listening on (http:\S+)/.exec(output)?.[1];
        const metricsUrl = /Metrics are at (http:\S+)/.exec(output)?.[1];
        if (url === undefined || (env.METRICS_PORT !== undefined && metricsUrl === undefined)) return;
        clearTimeout(late);
        resolve({ name, url, metricsUrl, pid: child.pid ?? 0, stop });
      });
    }
    child.once('exit', () => {
      clearTimeout(late);
      process.removeListener('exit', stop);
      reject(new Error(`${name} did not start:\n${output}`));
    });
  });
}

/** The built service without rate limits. */
export const startService = (
  databaseUrl: string,
  redisUrl: string,
  env: Readonly<Record<string, string>> = {},
  server = 'apps/api/dist/server.js',
): Promise<Server> =>
  start('service', [server], {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    PORT: '0',
    EDGE_LIMIT_PER_MINUTE: '0',
    SESSION_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
    ...env,
  });
