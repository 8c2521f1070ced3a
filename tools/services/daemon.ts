import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, startWatchdog } from '@svc/embedded-postgres';

export type Daemon = NonNullable<Awaited<ReturnType<typeof startDaemon>>>;

const START_TIMEOUT_MS = 20_000;
const ATTEMPTS = 6;
const LAST_LINES = 15;

/** A server program of this machine, which ends with this process. Null: its port was taken. */
export async function startDaemon({
  command,
  args,
  folder,
  ids = {},
  env = {},
  isReady,
}: {
  readonly command: string;
  readonly args: readonly string[];
  /** Has its log, and is deleted when this process ends. */
  readonly folder: string;
  readonly ids?: { readonly uid?: number; readonly gid?: number };
  readonly env?: Readonly<Record<string, string>>;
  /** Until then it may reject. */
  readonly isReady: (pid: number) => Promise<unknown>;
}) {
  const logFile = join(folder, 'log');
  rmSync(logFile, { force: true });
  const log = openSync(logFile, 'ax');
  const child = spawn(command, args, {
    ...ids,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', ...env },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  // It does not keep a test process running.
  child.unref();
  let ended: string | undefined;
  const exited = new Promise<void>((resolve) => {
    const end = (how: string): void => {
      ended = how;
      resolve();
    };
    child.once('error', ({ message }) => end(message));
    child.once('exit', (code, signal) => end(signal ? `ended by ${signal}` : `exit code ${code}`));
  });
  const { pid = 0 } = child;
  const watchdog = pid === 0 ? undefined : startWatchdog({ pid, signal: 'KILL', folder });
  /** SIGKILL; resolves once it has ended. */
  const kill = async (): Promise<void> => {
    child.ref();
    child.kill('SIGKILL');
    await exited;
    watchdog?.cancel();
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  let problem = 'no response';
  while (ended === undefined && Date.now() < deadline) {
    try {
      await isReady(pid);
      return { pid, signal: (name: NodeJS.Signals) => void child.kill(name), kill };
    } catch (error) {
      problem = (error as Error).message;
      await sleep(20);
    }
  }
  const reason = ended ?? problem;
  await kill();
  const lines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-LAST_LINES).join('\n');
  if (/address already in use/i.test(lines)) return null;
  throw new Error(`${command} did not start (${reason}). Last log lines:\n${lines}`);
}

/** Another process may take a free port before the server does. */
export async function onFreePort(
  start: (port: number) => Promise<Daemon | null>,
  findPort = freePort,
): Promise<{ readonly port: number; readonly daemon: Daemon }> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const port = await findPort();
    const daemon = await start(port);
    if (daemon !== null) return { port, daemon };
  }
  throw new Error(`Found no free port in ${ATTEMPTS} attempts.`);
}
