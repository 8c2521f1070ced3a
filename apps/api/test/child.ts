import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../../../tools/services/build.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

type Env = Readonly<Record<string, string>>;

/** The built program, with only the environment variables that the test sets. */
async function program(
  name: 'server' | 'svc',
  args: readonly string[],
  env: Env,
  under: readonly string[] = [],
): Promise<ChildProcess> {
  await build();
  const command = [...under, process.execPath, join(ROOT, `apps/api/dist/${name}.js`), ...args];
  const [file = '', ...rest] = command;
  return spawn(file, rest, {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', TMPDIR: tmpdir(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const collectOutput = (child: ChildProcess): Promise<CommandResult> =>
  new Promise((resolve) => {
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });

/** Runs the operator's command line. */
export const svc = async (args: readonly string[], env: Env): Promise<CommandResult> =>
  collectOutput(await program('svc', args, env));

/** Kills the operator's command line as soon as the condition holds. */
export async function killedSvc(
  args: readonly string[],
  env: Env,
  condition: () => Promise<unknown>,
): Promise<NodeJS.Signals | null> {
  const child = await program('svc', args, env);
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('exit', (_, signal) => resolve(signal)),
  );
  await condition();
  child.kill('SIGKILL');
  return ended;
}

/** Runs the operator's command line with a standard output that its reader has closed. */
export async function svcWithClosedStdout(args: readonly string[], env: Env): Promise<CommandResult> {
  const child = await program('svc', args, env);
  child.stdout?.destroy();
  return collectOutput(child);
}

/**
 * Runs a server that cannot start. One that hangs may ignore signals, so it is killed before the test times out; not
 * sooner, since loading the program takes two seconds of CPU and the machine may be busy.
 */
export async function runFailingServer(env: Env): Promise<CommandResult> {
  const child = await program('server', [], env);
  const late = setTimeout(() => child.kill('SIGKILL'), 100_000);
  return collectOutput(child).finally(() => clearTimeout(late));
}

/** A command that starts another one with a limit of open files. */
export const withOpenFiles = (limit: number): readonly string[] => [
  '/bin/sh',
  '-c',
  `ulimit -n ${limit}; exec "$0" "$@"`,
];

/** @param under the command that starts it, with the program as its last arguments. */
export async function startServer(env: Env, { under }: { readonly under?: readonly string[] } = {}) {
  const child = await program('server', [], { PORT: '0', ...env }, under);
  let output = '';
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  const url = await new Promise<string>((resolve, reject) => {
    const collect = (text: string): void => {
      output += text;
      const found = /^Listening on (\S+)$/m.exec(output);
      if (found?.[1] !== undefined) resolve(found[1]);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', collect);
    child.once('close', (code) => reject(new Error(`the server exited with ${code}:\n${output}`)));
  });
  // Log lines are JSON; all other output is for people.
  const lines = (isLog: boolean): string[] =>
    output.split('\n').filter((line) => line.startsWith('{"') === isLog);
  return {
    url,
    child,
    /** Its output other than the log. */
    output: () => lines(false).join('\n'),
    /** The lines of its log. */
    logged: () => lines(true).map((line) => JSON.parse(line) as Record<string, unknown>),
    /** Sends the signal and waits for the process to exit. */
    end(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}
