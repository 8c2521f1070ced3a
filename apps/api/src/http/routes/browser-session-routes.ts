import type { makeSignIn, makeSignOut, makeSignOutEverywhere } from '@svc/application';
import { endpoints } from '@svc/contract';
import { expiredSessionCookie, sessionCookie } from '../adjuster-app/browser-session.ts';
import { deviceNameOf } from '../adjuster-app/device-name.ts';
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
      async ({ body }, { origin, userAgent }) => {
        const deviceName = body.device_name ?? deviceNameOf(userAgent);
        const session = await deps.signIn(toProof(body), origin, deviceName);
        return {
          status: 201,
          json: JSON.stringify({ expires_at: toDateTime(session.expiresAt) }),
          headers: { 'Set-Cookie': sessionCookie(addresses, session.token) },
        };
      },
    ),
    appRoute(
      { ...endpoints.signOut, id: 'closePageSession', path: '/app/session' },
      async (_, { actor, session }) => {
        await deps.signOut(actor, session.tokenHash);
        return signedOut();
      },
    ),
    appRoute(
      { ...endpoints.signOut, id: 'closeAllSessions', path: '/app/sessions' },
      async (_, { actor }) => {
        await deps.signOutEverywhere(actor);
        return signedOut();
      },
    ),
  ];
}
