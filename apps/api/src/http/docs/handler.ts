import { INTERFACE_VERSION, openApiDocument } from '@svc/contract';
import type { RequestHandler } from 'express';
import type { RequestTrace } from '../pipeline/request-pipeline.ts';
import { HttpProblem } from '../problems/http-problem.ts';
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

/** Minutes: readers see a new release soon. */
const SHORT = 'public, max-age=300';

const isOurs = (path: string): boolean =>
  path === '/docs' ||
  path.startsWith('/docs/') ||
  path === '/openapi.json' ||
  path === '/llms.txt' ||
  path === '/favicon.ico';

/** `GET /docs` and below, `/openapi.json`, `/llms.txt`, `/favicon.ico`, and `/` for browsers. */
export function docsHandler(addresses: DocsAddresses): RequestHandler {
  // The addresses are known only once the service listens.
  const filesNow = once(addresses, readDocsFiles);
  const openApiNow = once(addresses, (known) =>
    contentOf('.json', JSON.stringify(openApiDocument({ ...known, version: INTERFACE_VERSION }))),
  );

  return async (request, response, next) => {
    const { path, method } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const isVisit = path === '/' && isRead && request.accepts(['json', 'html']) === 'html';
    if (!isOurs(path) && !isVisit) return next();
    const trace = response.locals.trace as RequestTrace;
    trace.route = `GET ${path}`;
    const moved = isVisit ? '/docs' : isRead ? MOVED[path] : undefined;
    if (moved !== undefined) {
      response.setHeader('Cache-Control', SHORT);
      response.redirect(isVisit ? 302 : 308, new URL(addresses.baseUrl).pathname.replace(/\/$/, '') + moved);
      return;
    }
    if (path === '/openapi.json') {
      if (!isRead) throw notAllowed();
      response.setHeader('Cache-Control', SHORT);
      response.setHeader('Access-Control-Allow-Origin', '*');
      return sendContent(openApiNow(), request, response);
    }

    const files = filesNow();
    if (files === null) {
      throw new HttpProblem('not_found', {
        detail: 'The documentation has not been built; the command "npx pnpm build" does that.',
      });
    }
    const twin = files.at.get(path === '/docs' ? '/docs/index.md' : `${path}.md`);
    if (twin !== undefined) response.vary('Accept');
    const asMarkdown = twin !== undefined && request.accepts(['html', 'text/markdown']) === 'text/markdown';
    const found = asMarkdown ? twin : files.at.get(path);
    // Routes are labels of metrics, so there must be few.
    if (found === undefined) trace.route = 'GET /docs/{page}';
    else if (found.immutable) trace.route = 'GET /docs/assets/{name}';
    if (!isRead) throw notAllowed();
    const served = found ?? files.notFound;
    if (served === undefined) throw new HttpProblem('not_found');
    if (found === undefined) response.statusCode = 404;
    else response.setHeader('Cache-Control', served.immutable ? IMMUTABLE : SHORT);
    response.setHeader('Content-Security-Policy', policyOf(files));
    response.setHeader('Referrer-Policy', 'same-origin');
    // Documents for programs may be read by pages of any host: all of it is public.
    if (!path.startsWith('/docs')) response.setHeader('Access-Control-Allow-Origin', '*');
    await sendContent(served.content, request, response);
  };
}

const notAllowed = (): HttpProblem =>
  new HttpProblem('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });

/** Makes it at the first call, and again when an address has changed. */
function once<Made>(addresses: DocsAddresses, make: (addresses: DocsAddresses) => Made): () => Made {
  let last: { readonly of: string; readonly made: Made } | undefined;
  return () => {
    const of = `${addresses.baseUrl} ${addresses.docsUrl}`;
    if (last?.of !== of) last = { of, made: make(addresses) };
    return last.made;
  };
}

const MOVED: Readonly<Record<string, string>> = { '/docs/': '/docs', '/docs/index': '/docs' };
