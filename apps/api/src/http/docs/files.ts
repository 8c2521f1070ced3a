import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ProblemAddresses } from '../problems/http-problem.ts';
import { type Content, contentOf } from '../static/compression.ts';

export interface DocsAddresses extends ProblemAddresses {
  readonly supportEmail: string;
}

export interface DocsFiles {
  /** By URL path. */
  readonly byPath: ReadonlyMap<string, DocsFile>;
  readonly notFound: DocsFile | undefined;
  /** Content-Security-Policy sources for the inline scripts and styles of the generator. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

interface DocsFile {
  readonly content: Content;
  /** The path changes with the content. */
  readonly immutable: boolean;
}

/** Written by the build of apps/docs. */
interface Manifest {
  readonly version: string;
  /** Placeholders in the files for each address, for the path before `/docs` and for the version. */
  readonly placeholders: Readonly<
    Record<'baseUrl' | 'docsUrl' | 'supportEmail' | 'pathPrefix' | 'version', string>
  >;
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

const BINARY = /\.(ico|png|tgz|woff2)$/;

/** Reads the built site and fills in the addresses of this service; null when it has not been built. */
export function readDocsFiles(
  { baseUrl, docsUrl, supportEmail }: DocsAddresses,
  folder = join(dirname(createRequire(import.meta.url).resolve('@svc/docs/package.json')), 'dist'),
): DocsFiles | null {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(join(folder, 'site.json'), 'utf8')) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const { placeholders, scripts, styles } = manifest;
  const values = {
    baseUrl,
    docsUrl,
    supportEmail,
    pathPrefix: new URL(baseUrl).pathname.replace(/\/$/, ''),
    version: createHash('sha256')
      .update(`${manifest.version} ${baseUrl} ${docsUrl} ${supportEmail}`)
      .digest('hex')
      .slice(0, 12),
  };
  const fill = (text: string): string =>
    (Object.keys(values) as (keyof typeof values)[]).reduce(
      (filled, name) => filled.replaceAll(placeholders[name], () => values[name]),
      text,
    );

  const site = join(folder, 'site');
  const files = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path): [string, DocsFile] => {
      const name = path.slice(site.length + 1).replaceAll('\\', '/');
      const bytes = readFileSync(path);
      const content = contentOf(name, BINARY.test(name) ? bytes : fill(bytes.toString()));
      return [urlPathOf(fill(name)), { content, immutable: name.includes(placeholders.version) }];
    });
  const byPath = new Map(files);
  return { byPath, notFound: byPath.get('/docs/404'), scripts, styles };
}

function urlPathOf(name: string): string {
  if (name === 'index.html') return '/docs';
  if (name === 'llms.txt' || name === 'favicon.ico') return `/${name}`;
  return `/docs/${name.replace(/\.html$/, '').replace(/\/index$/, '/')}`;
}
