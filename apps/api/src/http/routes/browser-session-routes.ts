import { type AppUseCases, type Secrets, toDateTime } from '@svc/application';
import { endpoints } from '@svc/contract';
import {
  expiredSessionCookie,
  PAGE_PATHS,
  sessionCookie,
  signInCookie,
  signInSecretOf,
} from '../adjuster-app/browser-session.ts';
import { deviceNameOf } from '../adjuster-app/device-name.ts';
import type { ProblemAddresses } from '../problems/http-problem.ts';
import { toProof } from './app-routes.ts';
import { appRoute, jsonResponse, publicRoute, type Route } from './route.ts';

export interface BrowserSessionRouteDeps {
  readonly appUseCases: AppUseCases;
  readonly secrets: Secrets;
  readonly addresses: ProblemAddresses;
}

/** Sign-in and sign-out with a session cookie instead of a token, for the adjuster app in a browser. */
export function browserSessionRoutes(deps: BrowserSessionRouteDeps): Route[] {
  const { addresses, appUseCases: use } = deps;
  const { body: _, ...startPasskeySignIn } = endpoints.startPasskeySignIn;
  const signedOut = () => ({ status: 204, headers: { 'Set-Cookie': expiredSessionCookie(addresses) } });
  /** The secret that binds a sign-in to this browser; a new one if it holds none. */
  const secretOf = (cookies: string | undefined): string => {
    const held = signInSecretOf(cookies, addresses);
    const isIssued = held !== null && deps.secrets.hashOf(held, 'client_secret') !== null;
    return isIssued ? held : deps.secrets.issue('client_secret').secret;
  };
  return [
    publicRoute(
      { ...endpoints.requestSignInCode, id: 'requestPageCode', path: PAGE_PATHS.signInCodes },
      async ({ body }, { origin, cookies }) => {
        const clientSecret = secretOf(cookies);
        await use.requestSignInCode(body.email, origin.address, clientSecret);
        return { status: 202, headers: { 'Set-Cookie': signInCookie(addresses, clientSecret) } };
      },
    ),
    publicRoute(
      { ...startPasskeySignIn, id: 'startPagePasskey', path: PAGE_PATHS.passkeyOptions },
      async (_, { cookies }) => {
        const clientSecret = secretOf(cookies);
        return {
          ...jsonResponse({ options: await use.startPasskeySignIn(clientSecret) }),
          headers: { 'Set-Cookie': signInCookie(addresses, clientSecret) },
        };
      },
    ),
    publicRoute(
      { ...endpoints.signIn, id: 'openPageSession', path: PAGE_PATHS.session },
      async ({ body }, { origin, userAgent, cookies }) => {
        const deviceName = body.device_name ?? deviceNameOf(userAgent);
        const session = await use.signIn(
          toProof({ ...body, client_secret: secretOf(cookies) }),
          origin,
          deviceName,
        );
        return {
          ...jsonResponse({ expires_at: toDateTime(session.expiresAt) }, 201),
          headers: { 'Set-Cookie': sessionCookie(addresses, session.token) },
        };
      },
    ),
    appRoute(
      { ...endpoints.signOut, id: 'closePageSession', path: PAGE_PATHS.session },
      async (_, { actor, session }) => {
        await use.signOut(actor, session.tokenHash);
        return signedOut();
      },
    ),
    appRoute(
      { ...endpoints.signOut, id: 'closeAllSessions', path: PAGE_PATHS.sessions },
      async (_, { actor }) => {
        await use.signOutEverywhere(actor);
        return signedOut();
      },
    ),
  ];
}
