import { INTERFACE_VERSION, type OpenApiOptions, openApiDocument } from '@svc/contract';
import type { RequestHandler } from 'express';
import { HttpProblem } from '../problems/http-problem.ts';
import type { RequestTrace } from '../request-log.ts';
import { contentOf, IMMUTABLE, sendContent } from '../static/compression.ts';
import { type DocsAddresses, type DocsFiles, readDocsFiles } from './files.ts';

const policyOf = ({ scripts, styles }: DocsFiles): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self'",
    ["style-src-attr 'unsafe-hashes'", ...styles].join(' '),
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Short, so that readers see a new release within minutes. */
const FIVE_MINUTES = 'public, max-age=300';

const isDocsPath = (path: string): boolean =>
  path === '/docs' ||
  path.startsWith('/docs/') ||
  Object.hasOwn(OPENAPI_DOCUMENTS, path) ||
  path === '/llms.txt' ||
  path === '/favicon.ico';

const OPENAPI_DOCUMENTS: Readonly<Record<string, OpenApiOptions>> = {
  '/openapi.json': {},
  '/openapi-3.0.json': { openapi: '3.0' },
  '/app/openapi.json': { api: 'app' },
  '/firm/openapi.json': { api: 'desk' },
};

/** `GET /docs` and below, the OpenAPI documents, `/llms.txt`, `/favicon.ico`, and `/` for browsers. */
export function docsHandler(addresses: DocsAddresses): RequestHandler {
  // The addresses are known only once the service listens.
  const currentFiles = memoize(addresses, readDocsFiles);
  const openApiDocuments = new Map(
    Object.entries(OPENAPI_DOCUMENTS).map(([path, options]) => [
      path,
      memoize(addresses, (urls) =>
        contentOf('.json', JSON.stringify(openApiDocument({ ...urls, version: INTERFACE_VERSION }, options))),
      ),
    ]),
  );

  return async (request, response, next) => {
    const { path, method } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    // A client that asks for JSON alone gets the problem of an unknown path, which also names the documentation.
    const isRoot = path === '/' && isRead && request.accepts(['html', 'json']) === 'html';
    if (path === '/') response.vary('Accept');
    if (!isDocsPath(path) && !isRoot) return next();
    const trace = response.locals.trace as RequestTrace;
    trace.route = `GET ${path}`;
    const redirectTo = isRoot ? '/docs' : isRead ? REDIRECTS[path] : undefined;
    if (redirectTo !== undefined) {
      response.setHeader('Cache-Control', FIVE_MINUTES);
      response.redirect(
        isRoot ? 302 : 308,
        new URL(addresses.baseUrl).pathname.replace(/\/$/, '') + redirectTo,
      );
      return;
    }
    const currentOpenApi = openApiDocuments.get(path);
    if (currentOpenApi !== undefined) {
      if (!isRead) throw notAllowed();
      response.setHeader('Cache-Control', FIVE_MINUTES);
      response.setHeader('Access-Control-Allow-Origin', '*');
      return sendContent(currentOpenApi(), request, response);
    }

    const files = currentFiles();
    if (files === null) {
      trace.route = 'GET /docs/{page}';
      throw new HttpProblem('not_found', {
        detail: 'The documentation has not been built. Run "npx pnpm@12.21.0 build".',
      });
    }
    const page = path === '/docs' || path.endsWith('/') ? `${path.replace(/\/$/, '')}/index` : path;
    const markdown = files.byPath.get(`${page}.md`);
    if (markdown !== undefined) response.vary('Accept');
    const asMarkdown =
      markdown !== undefined && request.accepts(['html', 'text/markdown']) === 'text/markdown';
    const file = asMarkdown ? markdown : files.byPath.get(path);
    // Routes are metric labels, so their number must be small.
    if (file === undefined) trace.route = 'GET /docs/{page}';
    else if (file.immutable) trace.route = 'GET /docs/assets/{name}';
    if (!isRead) throw notAllowed();
    const served = file ?? files.notFound;
    if (served === undefined) throw new HttpProblem('not_found');
    if (file === undefined) response.statusCode = 404;
    else response.setHeader('Cache-Control', served.immutable ? IMMUTABLE : FIVE_MINUTES);
    response.setHeader('Content-Security-Policy', policyOf(files));
    response.setHeader('Referrer-Policy', 'same-origin');
    // Documents for programs are public, so pages of any origin may read them.
    if (!path.startsWith('/docs')) response.setHeader('Access-Control-Allow-Origin', '*');
    await sendContent(served.content, request, response);
  };
}

const notAllowed = (): HttpProblem =>
  new HttpProblem('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });

/** Computes the value at the first call, and again when an address has changed. */
function memoize<T>(addresses: DocsAddresses, compute: (addresses: DocsAddresses) => T): () => T {
  let cached: { readonly key: string; readonly value: T } | undefined;
  return () => {
    const key = JSON.stringify(addresses);
    if (cached?.key !== key) cached = { key, value: compute(addresses) };
    return cached.value;
  };
}

const REDIRECTS: Readonly<Record<string, string>> = {
  '/docs/': '/docs',
  '/docs/index': '/docs',
  '/docs/packages': '/docs/packages/',
};
