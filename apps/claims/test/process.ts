import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command line as its package contains it. */
export const MAIN_COMMAND: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL('../dist/claims.mjs', import.meta.url)),
];

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as a process, for signals and closed pipes. */
export function start(
  args: readonly string[],
  { env = {}, stdin }: { env?: Record<string, string>; stdin?: string } = {},
) {
  const [file = '', ...command] = MAIN_COMMAND;
  const { PATH = '' } = process.env;
  const child = spawn(file, [...command, ...args], { env: { PATH, ...env } });
  const output = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      output[name] += chunk;
      for (const look of watchers) look();
    });
  }
  // A command that reads no input may exit before it is written.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return {
    child,
    ended,
    /** Resolves once the output contains the text. */
    shows: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!(output.stdout + output.stderr).includes(text)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
        void ended.then(
          (end) => reject(new Error(`ended without showing ${text}: ${JSON.stringify(end)}`)),
          reject,
        );
      }),
  };
}
