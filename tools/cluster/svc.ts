import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(new URL('../../apps/api/dist/svc.js', import.meta.url));
const run = promisify(execFile);

/** The parsed output of `svc ... --json` with the environment of a server, by default of this checkout. */
export async function runSvc(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program = PROGRAM,
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
): Promise<any> {
  const options = { env: { PATH: process.env.PATH, ...env } };
  const { stdout } = await run(process.execPath, [program, ...args, '--json'], options);
  return JSON.parse(stdout);
}
