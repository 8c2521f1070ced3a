import type { RequestHandler } from 'express';
import { IMMUTABLE, sendContent } from '../static/compression.ts';
import { HttpProblem } from '../problems/http-problem.ts';
import type { RequestTrace } from '../pipeline/request-pipeline.ts';
import type { DocsAddresses } from './pages.ts';
import { createSite, type Site } from './site.ts';

const policy = (styles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const STRICT = policy('');
const WITH_INLINE_STYLES = policy(" 'unsafe-inline'");

/** A few minutes: whoever reads while a new release comes up sees it soon. */
const SHORT = 'public, max-age=300';

const isOurs = (path: string): boolean =>
  path === '/docs' || path.startsWith('/docs/') || path === '/openapi.json' || path === '/llms.txt';

/** `GET /docs` and below, `/openapi.json`, `/llms.txt`. Everything else is passed on. */
export function docsHandler(addresses: DocsAddresses): RequestHandler {
  let site: { readonly of: string; readonly site: Site } | undefined;
  const current = (): Site => {
    const of = `${addresses.baseUrl} ${addresses.docsUrl}`;
    if (site?.of !== of) site = { of, site: createSite({ ...addresses }) };
    return site.site;
  };

  return async (request, response, next) => {
    const { path } = request;
    if (!isOurs(path)) return next();
    const trace = response.locals.trace as RequestTrace;
    const moved = MOVED[path];
    const served = current().at(moved ?? path);
    if (served === undefined) {
      throw new HttpProblem('not_found', { detail: 'The documentation has no such page.' });
    }
    trace.route = path.startsWith('/docs/assets/') ? 'GET /docs/assets/{name}' : `GET ${moved ?? path}`;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new HttpProblem('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
    }
    response.setHeader('Cache-Control', served.immutable ? IMMUTABLE : SHORT);
    if (moved !== undefined) {
      const prefix = new URL(addresses.baseUrl).pathname.replace(/\/$/, '');
      response.statusCode = 308;
      response.setHeader('Location', `${prefix}${moved}`);
      response.end();
      return;
    }
    response.setHeader('Content-Security-Policy', served.inlineStyles ? WITH_INLINE_STYLES : STRICT);
    response.setHeader('Referrer-Policy', 'same-origin');
    // Documents for programs may be read by pages of any host: nothing in them is anybody's.
    if (!path.startsWith('/docs')) response.setHeader('Access-Control-Allow-Origin', '*');
    await sendContent(served.content, request, response);
  };
}

/** Where people look as well. */
const MOVED: Readonly<Record<string, string>> = { '/docs/': '/docs', '/docs/index': '/docs' };
