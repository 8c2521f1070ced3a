import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lock } from '@svc/adapter-postgres/embedded';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILD_TIMEOUT_MS = 120_000;

let built: Promise<void> | undefined;

/** What `pnpm build` does; one process at a time, since all of them write the same files. */
export function build(): Promise<void> {
  built ??= compile();
  return built;
}

async function compile(): Promise<void> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { build: string };
  };
  const held = await lock(join(ROOT, 'node_modules/.cache/claims-build'), BUILD_TIMEOUT_MS);
  const PATH = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`;
  try {
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
  } finally {
    held.release();
  }
}
