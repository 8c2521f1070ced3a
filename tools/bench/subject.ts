import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A server under load. */
export interface Subject {
  readonly name: string;
  readonly url: string;
  /** Where its figures are, if it was told to show them. */
  readonly metricsUrl: string | undefined;
  readonly pid: number;
  stop(): void;
}

/** Starts a server and waits until it says where it listens. */
export function start(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = ROOT,
): Promise<Subject> {
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += String(chunk);
        const url = /Listening on (http:\S+)/.exec(output)?.[1];
        const metricsUrl = /Metrics are at (http:\S+)/.exec(output)?.[1];
        if (url === undefined || (env.METRICS_PORT !== undefined && metricsUrl === undefined)) return;
        resolve({ name, url, metricsUrl, pid: child.pid ?? 0, stop: () => child.kill('SIGKILL') });
      });
    }
    child.once('exit', () => reject(new Error(`${name} did not start:\n${output}`)));
  });
}

/** The built service, its limits out of the way. */
export const startService = (
  databaseUrl: string,
  redisUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Subject> =>
  start('service', ['apps/api/dist/server.js'], {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    PORT: '0',
    EDGE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
    ...env,
  });
