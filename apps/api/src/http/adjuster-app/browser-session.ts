import type { IncomingMessage } from 'node:http';
import { HttpProblem, type ProblemAddresses } from '../problems/http-problem.ts';

/** Endpoints with a cookie instead of a token, for the app in a browser only. */
export const PAGE_PATHS = {
  session: '/app/session',
  sessions: '/app/sessions',
  signInCodes: '/app/sign-in-codes',
  passkeyOptions: '/app/passkey-options',
} as const;

const PAGE_PATH_SET: ReadonlySet<string> = new Set(Object.values(PAGE_PATHS));

/** Other sites cannot send this header: it needs a CORS preflight, which the service never allows. */
const APP_HEADER = 'x-claims-page';

/** Only for the cookie; the session itself ends ninety days after its last use. */
const SESSION_MAX_AGE_SECONDS = 400 * 24 * 60 * 60;
/** Longer than a code is valid. */
const SIGN_IN_MAX_AGE_SECONDS = 30 * 60;

const isSecure = (addresses: ProblemAddresses): boolean => addresses.baseUrl.startsWith('https:');

type CookieName = 'svc-session' | 'svc-sign-in';

/** The `__Host-` prefix keeps other hosts of the same domain from setting the cookie. */
const nameOf = (addresses: ProblemAddresses, name: CookieName): string =>
  isSecure(addresses) ? `__Host-${name}` : name;

const cookie = (
  addresses: ProblemAddresses,
  name: CookieName,
  value: string,
  maxAgeSeconds: number,
): string =>
  `${nameOf(addresses, name)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure(addresses) ? '; Secure' : ''}`;

/** Stores the session token where no script can read it. */
export const sessionCookie = (addresses: ProblemAddresses, token: string): string =>
  cookie(addresses, 'svc-session', token, SESSION_MAX_AGE_SECONDS);

export const expiredSessionCookie = (addresses: ProblemAddresses): string =>
  cookie(addresses, 'svc-session', '', 0);

/** Stores the secret that binds a sign-in to this browser. */
export const signInCookie = (addresses: ProblemAddresses, clientSecret: string): string =>
  cookie(addresses, 'svc-sign-in', clientSecret, SIGN_IN_MAX_AGE_SECONDS);

export const sessionOf = (request: IncomingMessage, addresses: ProblemAddresses): string | null =>
  cookieValue('svc-session', request.headers.cookie, addresses);

export const signInSecretOf = (cookies: string | undefined, addresses: ProblemAddresses): string | null =>
  cookieValue('svc-sign-in', cookies, addresses);

function cookieValue(
  name: CookieName,
  cookies: string | undefined,
  addresses: ProblemAddresses,
): string | null {
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

/** Whether the adjuster app's script made the request; protects against cross-site request forgery. */
const isFromApp = (request: IncomingMessage, addresses: ProblemAddresses): boolean =>
  request.headers[APP_HEADER] !== undefined && isSameOrigin(request, addresses);

/**
 * Turns the session cookie of the app's own requests into a bearer token, so that they are handled like those of a native app.
 * @throws HttpProblem `invalid_session` when anything else calls an endpoint of the app in a browser.
 */
export function useSessionCookie(request: IncomingMessage, path: string, addresses: ProblemAddresses): void {
  const isPagePath = PAGE_PATH_SET.has(path);
  if (!isPagePath && !path.startsWith('/app/v1/')) return;
  const fromApp = isFromApp(request, addresses);
  if (isPagePath && !fromApp) {
    throw new HttpProblem('invalid_session', {
      detail: `Only the adjuster app at ${addresses.baseUrl} may call this endpoint, from a browser.`,
    });
  }
  const token = fromApp ? sessionOf(request, addresses) : null;
  if (request.headers.authorization === undefined && token !== null) {
    request.headers.authorization = `Bearer ${token}`;
  }
}
