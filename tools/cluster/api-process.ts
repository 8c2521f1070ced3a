import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, type Guardian, guard } from '@svc/embedded-postgres';

const SERVER = fileURLToPath(new URL('../../apps/api/dist/server.js', import.meta.url));
const START_TIMEOUT_MS = 60_000;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One process of the service, as `node apps/api/dist/server.js` runs it, on a port that stays its own. */
export interface ApiProcess {
  readonly url: string;
  readonly port: number;
  /** Of the process that runs now, or ran last. */
  readonly pid: number;
  /** Every line printed, over all its lives. */
  readonly printed: readonly string[];
  running(): boolean;
  /** Resolves once the life that runs now has ended. */
  gone(): Promise<Exit>;
  /** Starts it again once it has ended, without waiting for it. */
  begin(): void;
  /** SIGKILL; resolves once it is gone. */
  kill(): Promise<Exit>;
  /** SIGTERM; resolves once it has finished what it was doing and ended. */
  term(): Promise<Exit>;
  /** Starts it again, after ending it in order if it still runs; resolves once it is healthy. */
  restart(): Promise<void>;
  /** Keeps its connections and answers nothing (SIGSTOP). */
  pause(): void;
  resume(): void;
}

interface ApiProcessOptions {
  /** Everything it sees of the environment, beside PATH and where to listen. */
  readonly env: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
}

interface Life {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly gone: Promise<Exit>;
  ended: boolean;
}

/** Without waiting for it; `healthy` does. */
export async function launchApiProcess({ env, onLine }: ApiProcessOptions): Promise<ApiProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const printed: string[] = [];
  const note = (line: string): void => {
    printed.push(line);
    onLine?.(line);
  };

  function begin(): Life {
    const child = spawn(process.execPath, [SERVER], {
      env: { PATH: process.env.PATH, LOG_FORMAT: 'json', ...env, HOST: '127.0.0.1', PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { pid } = child;
    const guardian: Guardian | undefined = pid === undefined ? undefined : guard({ pid, signal: 'KILL' });
    for (const stream of [child.stdout, child.stderr]) inLines(stream.setEncoding('utf8'), note);
    const gone = new Promise<Exit>((resolve) => {
      const end = (exit: Exit): void => {
        guardian?.dismiss();
        started.ended = true;
        resolve(exit);
      };
      child.once('error', (error) => {
        note(error.message);
        end({ code: null, signal: null });
      });
      child.once('close', (code, signal) => end({ code, signal }));
    });
    const started: Life = { child, pid: pid ?? 0, gone, ended: false };
    return started;
  }

  let life = begin();
  const end = (signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit> => {
    life.child.kill(signal);
    return life.gone;
  };
  const api: ApiProcess = {
    url,
    port,
    get pid() {
      return life.pid;
    },
    printed,
    running: () => !life.ended,
    gone: () => life.gone,
    begin() {
      life = begin();
    },
    kill: () => end('SIGKILL'),
    term: () => end('SIGTERM'),
    async restart() {
      if (!life.ended) await end('SIGTERM');
      api.begin();
      await healthy(api);
    },
    pause: () => void life.child.kill('SIGSTOP'),
    resume: () => void life.child.kill('SIGCONT'),
  };
  return api;
}

/** False as well when it does not listen yet, or is frozen. */
export async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(2000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Resolves once the process answers that it is; rejects with its last words when it ended instead. */
export async function healthy(api: ApiProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isHealthy(api.url))) {
    const lastWords = (): string => api.printed.slice(-15).join('\n');
    if (!api.running())
      throw new Error(`A process of the service ended instead of starting:\n${lastWords()}`);
    if (Date.now() > deadline)
      throw new Error(`${api.url} was not healthy after ${START_TIMEOUT_MS} ms:\n${lastWords()}`);
    await sleep(25);
  }
}

function inLines(stream: NodeJS.ReadableStream, tell: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) tell(line);
  });
  stream.on('end', () => {
    if (rest !== '') tell(rest);
  });
}
