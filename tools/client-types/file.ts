import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { clientTypes } from './types.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const CLIENT_TYPES_FILE = fileURLToPath(
  new URL('../../packages/client/src/generated.ts', import.meta.url),
);

/** Formatted like all sources. */
export const formattedClientTypes = (): string =>
  execFileSync('node_modules/.bin/biome', ['format', `--stdin-file-path=${CLIENT_TYPES_FILE}`], {
    cwd: ROOT,
    input: clientTypes(),
    encoding: 'utf8',
  });
