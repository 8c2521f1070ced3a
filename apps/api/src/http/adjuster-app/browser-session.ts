import type { Request } from 'express';
import type { ProblemAddresses } from '../problems/http-problem.ts';

/** What a page of another site cannot send: naming it makes a browser ask us first, and we never agree. */
const PAGE_HEADER = 'x-claims-page';

/** Browsers forget a cookie after its age; the session itself ends ninety days after its last use. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;

const isSecure = (addresses: ProblemAddresses): boolean => addresses.baseUrl.startsWith('https:');

/** The prefix keeps neighbouring hosts of the same domain from planting a cookie of this name. */
const nameOf = (addresses: ProblemAddresses): string =>
  isSecure(addresses) ? '__Host-svc-session' : 'svc-session';

const cookie = (addresses: ProblemAddresses, value: string, age: number): string =>
  `${nameOf(addresses)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${isSecure(addresses) ? '; Secure' : ''}`;

/** Holds the session where no script can read it. */
export const sessionCookie = (addresses: ProblemAddresses, token: string): string =>
  cookie(addresses, token, MAX_AGE_SECONDS);

export const noSessionCookie = (addresses: ProblemAddresses): string => cookie(addresses, '', 0);

export function sessionOf(request: Request, addresses: ProblemAddresses): string | null {
  const wanted = `${nameOf(addresses)}=`;
  const found = request.headers.cookie?.split(/;\s*/).find((pair) => pair.startsWith(wanted));
  const token = found?.slice(wanted.length) ?? '';
  return /^[!-~]+$/.test(token) ? token : null;
}

/** Whether a request was made by a document of this very origin, as far as its browser tells. */
export function isSameOrigin(request: Request, addresses: ProblemAddresses): boolean {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return true;
  return origin === new URL(addresses.baseUrl).origin || origin.replace(/^https?:\/\//, '') === host;
}

/** Whether a request was made by the page's own script: nothing a forged request can look like. */
export const isFromPage = (request: Request, addresses: ProblemAddresses): boolean =>
  request.headers[PAGE_HEADER] !== undefined && isSameOrigin(request, addresses);
