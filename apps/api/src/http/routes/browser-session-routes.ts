import type { makeSignIn, makeSignOut, makeSignOutEverywhere } from '@svc/application';
import { endpoints } from '@svc/contract';
import { noSessionCookie, sessionCookie } from '../adjuster-app/browser-session.ts';
import type { ProblemAddresses } from '../problems/http-problem.ts';
import { toDateTime } from '../serialization/time.ts';
import { toProof } from './app-routes.ts';
import { appRoute, openRoute, type Route } from './route.ts';

export interface BrowserSessionRouteDeps {
  readonly signIn: ReturnType<typeof makeSignIn>;
  readonly signOut: ReturnType<typeof makeSignOut>;
  readonly signOutEverywhere: ReturnType<typeof makeSignOutEverywhere>;
  readonly addresses: ProblemAddresses;
}

/** Signing in and out by a cookie: what the app's interface does with a token, for a page that must not hold one. */
export function browserSessionRoutes(deps: BrowserSessionRouteDeps): Route[] {
  const { addresses } = deps;
  const cleared = () => ({ status: 204, headers: { 'Set-Cookie': noSessionCookie(addresses) } });
  return [
    openRoute(
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
        return cleared();
      },
    ),
    appRoute(
      { ...endpoints.signOut, id: 'closeAllSessions', path: '/app/sessions' },
      async (_, { actor }) => {
        await deps.signOutEverywhere(actor.svcId);
        return cleared();
      },
    ),
  ];
}
