import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { type Content, contentOf } from '../static/compression.ts';

export interface PageFile {
  readonly content: Content;
  /** Its name holds a digest of what is in it. */
  readonly immutable: boolean;
}

/** What the build of the page left, by path below `/app/`; null when it was not built. */
export function readPageFiles(prefix: string): ReadonlyMap<string, PageFile> | null {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@svc/adjuster/package.json')), 'dist');
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const files = names.filter((name) => extname(name) !== '');
  if (!files.includes('index.html')) return null;
  return new Map(
    files.map((file) => {
      const name = file.replaceAll('\\', '/');
      const bytes = readFileSync(join(folder, file));
      // The page is served at /app, without a slash at the end, so its own addresses have to be whole.
      const served = name === 'index.html' ? bytes.toString().replaceAll('"./', `"${prefix}/app/`) : bytes;
      return [name, { content: contentOf(name, served), immutable: name.startsWith('assets/') }];
    }),
  );
}
