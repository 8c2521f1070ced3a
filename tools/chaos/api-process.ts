import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, type Guardian, guard } from '@svc/adapter-postgres/embedded';

const SERVER = fileURLToPath(new URL('../../apps/api/dist/server.js', import.meta.url));

/** One process of the service, on a port of its own; whoever ends it, it is started again, as in production. */
export interface ApiProcess {
  readonly port: number;
  readonly url: string;
  /** Everything it has printed, over all its lives. */
  readonly printed: string[];
  /** When each of its lives began to answer, on the clock of this process. */
  readonly listeningSince: readonly number[];
  /** How it ended when nobody had asked for it: the code or signal, and its last words. */
  readonly deaths: readonly string[];
  kill(): void;
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function startApiProcess(environment: Readonly<Record<string, string>>): Promise<ApiProcess> {
  const port = await freePort();
  const printed: string[] = [];
  let child: ChildProcess | undefined;
  let guardian: Guardian | undefined;
  let stopped = false;
  let killed = false;
  const deaths: string[] = [];
  const listeningSince: number[] = [];
  let gone: Promise<void> = Promise.resolve();

  function launch(): void {
    killed = false;
    const started = spawn(process.execPath, [SERVER], {
      env: { PATH: process.env.PATH, PORT: String(port), LOG_FORMAT: 'json', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    const said: string[] = [];
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        printed.push(text);
        if (text.includes('Listening on')) listeningSince.push(performance.now());
        if (stream === started.stderr) said.push(text);
        // A start that found no database says so and ends, and is tried again: no death.
        if (text.includes('The service did not start')) killed = true;
      });
    }
    if (started.pid !== undefined) guardian = guard({ pid: started.pid, signal: 'KILL' });
    const mine = guardian;
    gone = new Promise((resolve) => {
      started.once('close', (code, signal) => {
        mine?.dismiss();
        if (!killed && !stopped) deaths.push(`${signal ?? code}: ${said.join('').slice(-3000)}`);
        if (!stopped) setTimeout(() => !stopped && launch(), 100);
        resolve();
      });
    });
  }
  launch();
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    printed,
    listeningSince,
    deaths,
    kill() {
      killed = true;
      child?.kill('SIGKILL');
    },
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    async stop() {
      stopped = true;
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      const late = setTimeout(() => child?.kill('SIGKILL'), 5_000);
      await gone;
      clearTimeout(late);
    },
  };
}

/** Resolves once the process answers that it is healthy. */
export async function isHealthy(url: string, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      const { status } = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(1_000) });
      if (status === 200) return;
    } catch {
      // Not listening yet, or frozen.
    }
    if (Date.now() > deadline) throw new Error(`${url} was not healthy within ${withinMs} ms.`);
    await sleep(20);
  }
}
