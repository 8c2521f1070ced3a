import type { IncomingMessage } from 'node:http';
import { HttpProblem, type ProblemAddresses } from './problems/http-problem.ts';

/** A page whose session is a cookie: the adjuster app, or the firm's desk. */
export type Page = 'app' | 'firm';

/** Endpoints with a cookie instead of a token, for the page in a browser only. */
const pathsOf = <const P extends Page>(page: P) =>
  ({
    session: `/${page}/session`,
    sessions: `/${page}/sessions`,
    signInCodes: `/${page}/sign-in-codes`,
    passkeyOptions: `/${page}/passkey-options`,
  }) as const;

export const PAGE_PATHS = { app: pathsOf('app'), firm: pathsOf('firm') } as const;

const PAGE_PATH_SETS: Readonly<Record<Page, ReadonlySet<string>>> = {
  app: new Set(Object.values(PAGE_PATHS.app)),
  firm: new Set(Object.values(PAGE_PATHS.firm)),
};

/** Other sites cannot send this header: it needs a CORS preflight, which the service never allows. */
export const PAGE_HEADER = 'x-claims-page';

/** Only for the cookie; the session itself ends ninety days after its last use. */
const SESSION_MAX_AGE_SECONDS = 400 * 24 * 60 * 60;
/** Longer than a code is valid. */
const SIGN_IN_MAX_AGE_SECONDS = 30 * 60;

const isSecure = (addresses: ProblemAddresses): boolean => addresses.baseUrl.startsWith('https:');

/** Separate for each page: the same browser may be signed in to both. */
const COOKIES = {
  app: { session: 'svc-session', signIn: 'svc-sign-in' },
  firm: { session: 'svc-staff-session', signIn: 'svc-staff-sign-in' },
} as const;

/** The `__Host-` prefix keeps other hosts of the same domain from setting the cookie. */
const nameOf = (addresses: ProblemAddresses, name: string): string =>
  isSecure(addresses) ? `__Host-${name}` : name;

const cookie = (addresses: ProblemAddresses, name: string, value: string, maxAgeSeconds: number): string =>
  `${nameOf(addresses, name)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure(addresses) ? '; Secure' : ''}`;

/** Stores the session token where no script can read it. */
export const sessionCookie = (page: Page, addresses: ProblemAddresses, token: string): string =>
  cookie(addresses, COOKIES[page].session, token, SESSION_MAX_AGE_SECONDS);

export const expiredSessionCookie = (page: Page, addresses: ProblemAddresses): string =>
  cookie(addresses, COOKIES[page].session, '', 0);

/** Stores the secret that binds a sign-in to this browser. */
export const signInCookie = (page: Page, addresses: ProblemAddresses, clientSecret: string): string =>
  cookie(addresses, COOKIES[page].signIn, clientSecret, SIGN_IN_MAX_AGE_SECONDS);

export const sessionOf = (page: Page, request: IncomingMessage, addresses: ProblemAddresses): string | null =>
  cookieValue(COOKIES[page].session, request.headers.cookie, addresses);

export const signInSecretOf = (
  page: Page,
  cookies: string | undefined,
  addresses: ProblemAddresses,
): string | null => cookieValue(COOKIES[page].signIn, cookies, addresses);

function cookieValue(name: string, cookies: string | undefined, addresses: ProblemAddresses): string | null {
  const prefix = `${nameOf(addresses, name)}=`;
  const found = cookies?.split(/;\s*/).find((pair) => pair.startsWith(prefix));
  const token = found?.slice(prefix.length) ?? '';
  return /^[!-~]+$/.test(token) ? token : null;
}

/** Whether a document of this origin made the request, according to its browser. */
export function isSameOrigin(request: IncomingMessage, addresses: ProblemAddresses): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  // Not compared with Host, which the client sends too.
  return origin === undefined || origin === new URL(addresses.baseUrl).origin;
}

/** Whether a script of the page made the request; protects against cross-site request forgery. */
const isFromPage = (request: IncomingMessage, addresses: ProblemAddresses): boolean =>
  request.headers[PAGE_HEADER] !== undefined && isSameOrigin(request, addresses);

const PAGE_NAMES: Readonly<Record<Page, string>> = { app: 'adjuster app', firm: "firm's desk" };

/**
 * Turns the session cookie of the page's own requests into a bearer token, so that they are handled like those of other clients.
 * @throws HttpProblem `invalid_session` when anything else calls an endpoint of the page in a browser.
 */
export function useSessionCookie(request: IncomingMessage, path: string, addresses: ProblemAddresses): void {
  const page: Page = path.startsWith('/firm/') ? 'firm' : 'app';
  const isPagePath = PAGE_PATH_SETS[page].has(path);
  if (!isPagePath && !path.startsWith(`/${page}/v1/`)) return;
  const fromPage = isFromPage(request, addresses);
  if (isPagePath && !fromPage) {
    throw new HttpProblem('invalid_session', {
      detail: `Only the ${PAGE_NAMES[page]} at ${addresses.baseUrl} may call this endpoint, from a browser.`,
    });
  }
  const token = fromPage ? sessionOf(page, request, addresses) : null;
  if (request.headers.authorization === undefined && token !== null) {
    request.headers.authorization = `Bearer ${token}`;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The page names the firm that it shows: in another tab, the session of the browser may have been given to another firm.
 * @throws HttpProblem `invalid_session` when it shows another firm than the session's.
 */
export function checkFirmOfPage({ headers }: IncomingMessage, firmId: string): void {
  const shown = headers[PAGE_HEADER];
  if (typeof shown === 'string' && UUID.test(shown) && shown !== firmId)
    throw new HttpProblem('invalid_session', {
      detail: 'The session is of another firm than the one that this page shows. Load the page again.',
    });
}
