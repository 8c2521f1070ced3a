import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { type Content, contentOf } from '../static/compression.ts';

export interface AppFile {
  readonly content: Content;
  /** The path changes with the content. */
  readonly immutable: boolean;
}

/** The built adjuster app, by path below `/app/`; null when it has not been built. */
export function readAppFiles(prefix: string): ReadonlyMap<string, AppFile> | null {
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
      // The app is served at /app without a trailing slash, so relative URLs would not resolve.
      const content = name === 'index.html' ? bytes.toString().replaceAll('"./', `"${prefix}/app/`) : bytes;
      return [name, { content: contentOf(name, content), immutable: name.startsWith('assets/') }];
    }),
  );
}
