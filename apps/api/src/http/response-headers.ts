import type { ServerResponse } from 'node:http';

/** Two years; subdomains may be other services. */
const STRICT_TRANSPORT_SECURITY = 'max-age=63072000';

/**
 * Headers of every response, as names and values in turn for `writeHead`: set one by one, they cost 3 % of a read's
 * processor time. Pages and files replace some of them. Browsers neither render nor frame the others.
 *
 * @param requestId null: the request is rejected before it has one.
 */
export function commonHeaders(requestId: string | null, { baseUrl }: { readonly baseUrl: string }): string[] {
  const headers = [
    'Cache-Control',
    'no-store',
    'Content-Security-Policy',
    "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options',
    'nosniff',
  ];
  if (baseUrl.startsWith('https:')) headers.push('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY);
  if (requestId !== null) headers.push('X-Request-Id', requestId);
  return headers;
}

/** For a response that is not sent with `writeHead`. */
export function setHeaders(response: Pick<ServerResponse, 'setHeader'>, headers: readonly string[]): void {
  for (let at = 0; at + 1 < headers.length; at += 2)
    response.setHeader(headers[at] as string, headers[at + 1] as string);
}
