import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lock } from '@svc/embedded-postgres';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/claims-build');
/** Holds the ID of the test run that built last, so that a run builds once for all its files. */
const MARK = join(CACHE, 'run');
// On a busy machine a build can take minutes.
const BUILD_TIMEOUT_MS = 600_000;

let built: Promise<void> | undefined;

/** Runs `pnpm build`, one process at a time, because they write the same files. */
export function build(): Promise<void> {
  built ??= compile();
  return built;
}

function lastBuiltRun(): string | undefined {
  try {
    return readFileSync(MARK, 'utf8');
  } catch {
    return undefined;
  }
}

async function compile(): Promise<void> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { build: string };
  };
  const run = process.env.TEST_BUILD_FOR_EACH_FILE ? undefined : process.env.TEST_RUN_ID;
  const isDone = (): boolean => run !== undefined && lastBuiltRun() === run;
  if (isDone()) return;
  const held = await lock(join(CACHE, 'lock'), BUILD_TIMEOUT_MS);
  const PATH = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`;
  try {
    if (isDone()) return;
    rmSync(MARK, { force: true });
    await new Promise<void>((resolve, reject) => {
      execFile(
        '/bin/sh',
        ['-c', scripts.build],
        { cwd: ROOT, env: { ...process.env, PATH }, timeout: BUILD_TIMEOUT_MS },
        (error, stdout, stderr) => {
          if (error === null) resolve();
          else reject(new Error(`The build failed:\n${stdout}${stderr}`.trim()));
        },
      );
    });
    if (run !== undefined) writeFileSync(MARK, run);
  } finally {
    held.release();
  }
}
