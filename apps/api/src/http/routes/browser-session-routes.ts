import type { makeSignIn, makeSignOut, makeSignOutEverywhere } from '@svc/application';
import { endpoints } from '@svc/contract';
import { expiredSessionCookie, sessionCookie } from '../adjuster-app/browser-session.ts';
import type { ProblemAddresses } from '../problems/http-problem.ts';
import { toDateTime } from '../serialization/time.ts';
import { toProof } from './app-routes.ts';
import { appRoute, publicRoute, type Route } from './route.ts';

export interface BrowserSessionRouteDeps {
  readonly signIn: ReturnType<typeof makeSignIn>;
  readonly signOut: ReturnType<typeof makeSignOut>;
  readonly signOutEverywhere: ReturnType<typeof makeSignOutEverywhere>;
  readonly addresses: ProblemAddresses;
}

/** Sign-in and sign-out with a session cookie instead of a token, for the adjuster app in a browser. */
export function browserSessionRoutes(deps: BrowserSessionRouteDeps): Route[] {
  const { addresses } = deps;
  const signedOut = () => ({ status: 204, headers: { 'Set-Cookie': expiredSessionCookie(addresses) } });
  return [
    publicRoute(
      { ...endpoints.signIn, id: 'openPageSession', path: '/app/session' },
      async ({ body }, { clientAddress }) => {
        const session = await deps.signIn(toProof(body), clientAddress);
        return {
          status: 201,
          json: JSON.stringify({ expires_at: toDateTime(session.expiresAt) }),
          headers: { 'Set-Cookie': sessionCookie(addresses, session.token) },
        };
      },
    ),
    appRoute(
      { ...endpoints.signOut, id: 'closePageSession', path: '/app/session' },
      async (_, { session }) => {
        await deps.signOut(session.tokenHash);
        return signedOut();
      },
    ),
    appRoute(
      { ...endpoints.signOut, id: 'closeAllSessions', path: '/app/sessions' },
      async (_, { actor }) => {
        await deps.signOutEverywhere(actor.svcId);
        return signedOut();
      },
    ),
  ];
}
