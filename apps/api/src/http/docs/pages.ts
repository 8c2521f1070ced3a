import { INTERFACE_VERSION, type OpenApiOptions, openApiDocument } from '@svc/contract';
import { HttpProblem } from '../problems/http-problem.ts';
import { unknownPath } from '../problems/unknown-path.ts';
import { type PageRoute, pageRoute } from '../routes/page-route.ts';
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

const OPENAPI_DOCUMENTS: Readonly<Record<string, OpenApiOptions>> = {
  '/openapi.json': {},
  '/openapi-3.0.json': { openapi: '3.0' },
  '/app/openapi.json': { api: 'app' },
  '/firm/openapi.json': { api: 'desk' },
};

/** The documentation, where `/` leads, with the OpenAPI documents. */
export function docsPages(
  { addresses }: { readonly addresses: DocsAddresses },
  read = readDocsFiles,
): PageRoute[] {
  const redirectTo = (path: string): string => new URL(addresses.baseUrl).pathname.replace(/\/$/, '') + path;
  // The addresses are known only once the service listens.
  const currentFiles = memoize(addresses, read);
  const openApi = ([path, options]: [string, OpenApiOptions]): PageRoute => {
    const current = memoize(addresses, (urls) =>
      contentOf('.json', JSON.stringify(openApiDocument({ ...urls, version: INTERFACE_VERSION }, options))),
    );
    return pageRoute(path, (request, response) => {
      response.setHeader('Cache-Control', FIVE_MINUTES);
      response.setHeader('Access-Control-Allow-Origin', '*');
      return sendContent(current(), request, response);
    });
  };
  const root = pageRoute('/', async (request, response) => {
    response.vary('Accept');
    // A client that asks for JSON alone gets the problem of an unknown path, which also names the documentation.
    if (request.accepts(['html', 'json']) !== 'html') throw unknownPath(addresses);
    response.setHeader('Cache-Control', FIVE_MINUTES);
    response.redirect(302, redirectTo('/docs'));
  });
  const document: PageRoute['serve'] = async (request, response, trace) => {
    const { path } = request;
    const moved = REDIRECTS[path];
    if (moved !== undefined) {
      response.setHeader('Cache-Control', FIVE_MINUTES);
      response.redirect(308, redirectTo(moved));
      return;
    }
    const files = currentFiles();
    if (files === null)
      throw new HttpProblem('not_found', {
        detail: 'The documentation has not been built. Run "npx pnpm@12.21.0 build".',
      });
    const page = path === '/docs' || path.endsWith('/') ? `${path.replace(/\/$/, '')}/index` : path;
    const markdown = files.byPath.get(`${page}.md`);
    if (markdown !== undefined) response.vary('Accept');
    const asMarkdown =
      markdown !== undefined && request.accepts(['html', 'text/markdown']) === 'text/markdown';
    const file = asMarkdown ? markdown : files.byPath.get(path);
    // Routes are metric labels, so their number must be small.
    if (file !== undefined) trace.route = file.immutable ? 'GET /docs/assets/{name}' : `GET ${path}`;
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
  return [
    root,
    ...Object.entries(OPENAPI_DOCUMENTS).map(openApi),
    ...['/docs', '/docs/{+page}', '/llms.txt', '/favicon.ico'].map((path) => pageRoute(path, document)),
  ];
}

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
