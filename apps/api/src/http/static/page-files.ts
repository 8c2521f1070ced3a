import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { HttpProblem, type ProblemAddresses } from '../problems/http-problem.ts';
import { type PageRoute, pageRoute } from '../routes/page-route.ts';
import { type Content, contentOf, IMMUTABLE, sendContent } from './compression.ts';

interface PageFile {
  readonly content: Content;
  /** The path changes with the content. */
  readonly immutable: boolean;
}

interface Page {
  /** The package that builds it into its `dist`. */
  readonly package: string;
  /** Where it is served; its files are below. */
  readonly path: string;
  readonly permissionsPolicy: string;
}

/** No inline code and nothing from other origins. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page at its path, and its files below, read once. */
export function pageFiles(page: Page, addresses: ProblemAddresses): PageRoute[] {
  let files: { readonly prefix: string; readonly byPath: ReadonlyMap<string, PageFile> } | undefined;
  const prefixOf = (): string => new URL(addresses.baseUrl).pathname.replace(/\/$/, '');
  const find = (path: string): PageFile | undefined => {
    const prefix = prefixOf();
    if (files?.prefix !== prefix) files = { prefix, byPath: readFiles(page, prefix) };
    const name = path.slice(page.path.length + 1);
    return files.byPath.get(name === '' ? 'index.html' : name);
  };
  const serve: PageRoute['serve'] = async (request, response, trace) => {
    const file = find(request.path);
    if (file === undefined) throw new HttpProblem('not_found');
    trace.route = `GET ${page.path}${file.immutable ? '/assets/{name}' : ''}`;
    // The scope of a service worker is the page, which is above its own folder.
    if (request.path === `${page.path}/sw.js`)
      response.setHeader('Service-Worker-Allowed', prefixOf() + page.path);
    // A file without a digest in its name is revalidated each time.
    response.setHeader('Cache-Control', file.immutable ? IMMUTABLE : 'no-cache');
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    response.setHeader('Permissions-Policy', page.permissionsPolicy);
    response.setHeader('Referrer-Policy', 'no-referrer');
    await sendContent(file.content, request, response);
  };
  return [
    pageRoute(page.path, serve),
    pageRoute(`${page.path}/{+file}`, serve, { has: (path) => find(path) !== undefined }),
  ];
}

function readFiles(page: Page, prefix: string): ReadonlyMap<string, PageFile> {
  const folder = join(
    dirname(createRequire(import.meta.url).resolve(`${page.package}/package.json`)),
    'dist',
  );
  const names = namesIn(folder);
  if (!names.includes('index.html')) {
    throw new HttpProblem('not_found', {
      detail: 'This page has not been built. Run "npx pnpm@12.21.0 build".',
    });
  }
  return new Map(
    names.map((file) => {
      const name = file.replaceAll('\\', '/');
      const bytes = readFileSync(join(folder, file));
      // A page is served without a trailing slash, so relative URLs would not resolve.
      const content =
        name === 'index.html' ? bytes.toString().replaceAll('"./', `"${prefix}${page.path}/`) : bytes;
      return [name, { content: contentOf(name, content), immutable: name.startsWith('assets/') }];
    }),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => extname(name) !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
