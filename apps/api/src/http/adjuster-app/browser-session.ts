import type { Request } from 'express';
import type { ProblemAddresses } from '../problems/http-problem.ts';

/** Other sites cannot send this header: it needs a CORS preflight, which the service never allows. */
const APP_HEADER = 'x-claims-page';

/** Only for the cookie; the session itself ends ninety days after its last use. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;

const isSecure = (addresses: ProblemAddresses): boolean => addresses.baseUrl.startsWith('https:');

/** The `__Host-` prefix keeps other hosts of the same domain from setting this cookie. */
const nameOf = (addresses: ProblemAddresses): string =>
  isSecure(addresses) ? '__Host-svc-session' : 'svc-session';

const cookie = (addresses: ProblemAddresses, value: string, maxAgeSeconds: number): string =>
  `${nameOf(addresses)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure(addresses) ? '; Secure' : ''}`;

/** Stores the session token where no script can read it. */
export const sessionCookie = (addresses: ProblemAddresses, token: string): string =>
  cookie(addresses, token, MAX_AGE_SECONDS);

export const expiredSessionCookie = (addresses: ProblemAddresses): string => cookie(addresses, '', 0);

export function sessionOf(request: Request, addresses: ProblemAddresses): string | null {
  const prefix = `${nameOf(addresses)}=`;
  const found = request.headers.cookie?.split(/;\s*/).find((pair) => pair.startsWith(prefix));
  const token = found?.slice(prefix.length) ?? '';
  return /^[!-~]+$/.test(token) ? token : null;
}

/** Whether a document of this origin made the request, according to its browser. */
export function isSameOrigin(request: Request, addresses: ProblemAddresses): boolean {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return true;
  return origin === new URL(addresses.baseUrl).origin || origin.replace(/^https?:\/\//, '') === host;
}

/** Whether the adjuster app's script made the request; protects against cross-site request forgery. */
export const isFromApp = (request: Request, addresses: ProblemAddresses): boolean =>
  request.headers[APP_HEADER] !== undefined && isSameOrigin(request, addresses);
