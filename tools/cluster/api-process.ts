import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, startWatchdog, type Watchdog } from '@svc/embedded-postgres';

const SERVER = fileURLToPath(new URL('../../apps/api/dist/server.js', import.meta.url));
const START_TIMEOUT_MS = 60_000;

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type ApiProcess = Awaited<ReturnType<typeof launchApiProcess>>;

interface Run {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  ended: boolean;
}

/** NODE_OPTIONS of a process whose clock is `aheadMs` ahead. Timers that count from a start are right. */
export const nodeOptionsOfClock = (aheadMs: number): string =>
  `--import data:text/javascript,const{now}=Date;Date.now=()=>now()+${aheadMs}`;

/** One process of the service (`node apps/api/dist/server.js`) on a fixed port, which may not be healthy yet. */
export async function launchApiProcess({
  env,
  onLine,
  clockAheadMs,
  port: given,
  args = [SERVER],
}: {
  /** Its environment, in addition to PATH and the address to listen on. */
  readonly env: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
  /** How far its clock is ahead, asked at each start. */
  readonly clockAheadMs?: () => number;
  /** Default: a free one. */
  readonly port?: number;
  /** Of Node; default: this checkout's built server. */
  readonly args?: readonly string[];
}) {
  const port = given ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const output: string[] = [];
  const note = (line: string): void => {
    output.push(line);
    onLine?.(line);
  };

  function start(): Run {
    const child = spawn(process.execPath, args, {
      env: {
        ...{ PATH: process.env.PATH, LOG_FORMAT: 'json', ...env, HOST: '127.0.0.1', PORT: String(port) },
        ...(clockAheadMs && { NODE_OPTIONS: nodeOptionsOfClock(clockAheadMs()) }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { pid } = child;
    const watchdog: Watchdog | undefined =
      pid === undefined ? undefined : startWatchdog({ pid, signal: 'KILL' });
    for (const stream of [child.stdout, child.stderr]) readLines(stream.setEncoding('utf8'), note);
    const exited = new Promise<Exit>((resolve) => {
      const end = (exit: Exit): void => {
        watchdog?.cancel();
        started.ended = true;
        resolve(exit);
      };
      child.once('error', (error) => {
        note(error.message);
        end({ code: null, signal: null });
      });
      child.once('close', (code, signal) => end({ code, signal }));
    });
    const started: Run = { child, pid: pid ?? 0, exited, ended: false };
    return started;
  }

  let current = start();
  const end = (signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit> => {
    current.child.kill(signal);
    return current.exited;
  };
  const api = {
    url,
    port,
    /** Of the current or last run. */
    get pid(): number {
      return current.pid;
    },
    /** Every line printed, over all runs. */
    output: output as readonly string[],
    running: (): boolean => !current.ended,
    /** Resolves once the current run has ended. */
    exited: (): Promise<Exit> => current.exited,
    /** Starts it after it has ended, without waiting until it is healthy. */
    start(): void {
      current = start();
    },
    /** SIGKILL; resolves once it has ended. */
    kill: () => end('SIGKILL'),
    /** SIGTERM; resolves once it has shut down gracefully. */
    shutDown: () => end('SIGTERM'),
    /** Shuts it down if it runs, and starts it; resolves once it is healthy. */
    async restart(): Promise<void> {
      if (!current.ended) await end('SIGTERM');
      api.start();
      await waitUntilHealthy(api);
    },
    /** SIGSTOP: connections stay open without responses. */
    pause: () => void current.child.kill('SIGSTOP'),
    resume: () => void current.child.kill('SIGCONT'),
  };
  return api;
}

export async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** Resolves once the process is healthy; rejects with its last output when it ends instead. */
export async function waitUntilHealthy(api: ApiProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isHealthy(api.url))) {
    const lastLines = (): string => api.output.slice(-15).join('\n');
    if (!api.running())
      throw new Error(`A process of the service ended instead of starting:\n${lastLines()}`);
    if (Date.now() > deadline)
      throw new Error(`${api.url} was not healthy after ${START_TIMEOUT_MS} ms:\n${lastLines()}`);
    await sleep(25);
  }
}

function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}
