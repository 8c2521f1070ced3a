import type { DeskUseCases } from '@svc/application';
import { deskEndpoints } from '@svc/contract';
import { ownSessionToWire, passkeyToWire } from '../serialization/adjuster.ts';
import { toRegistration } from './app-routes.ts';
import { jsonResponse, openRoute, type Route, staffRoute } from './route.ts';

/** Passkeys and sessions of the person who is signed in to the desk. */
export function deskAccountRoutes({ deskUseCases: use }: { readonly deskUseCases: DeskUseCases }): Route[] {
  return [
    openRoute(deskEndpoints.startStaffPasskeySignIn, async ({ body }) =>
      jsonResponse({ options: await use.startPasskeySignIn(body.client_secret) }),
    ),

    staffRoute(deskEndpoints.startStaffPasskeyRegistration, async (_, { actor, session }) =>
      jsonResponse({ options: await use.startPasskeyRegistration(actor, session) }),
    ),

    staffRoute(deskEndpoints.registerStaffPasskey, async ({ body }, { actor, session }) =>
      jsonResponse(passkeyToWire(await use.registerPasskey(actor, session, toRegistration(body))), 201),
    ),

    staffRoute(deskEndpoints.listStaffPasskeys, async (_, { actor }) => {
      const passkeys = await use.listPasskeys(actor);
      return jsonResponse({ data: passkeys.map(passkeyToWire), next_cursor: null });
    }),

    staffRoute(deskEndpoints.renameStaffPasskey, async ({ params, body }, { actor }) =>
      jsonResponse(passkeyToWire(await use.renamePasskey(actor, params.passkey_id, body.name))),
    ),

    staffRoute(deskEndpoints.removeStaffPasskey, async ({ params }, { actor }) => {
      await use.removePasskey(actor, params.passkey_id);
      return { status: 204 };
    }),

    staffRoute(deskEndpoints.listStaffSessions, async (_, { actor, session }) => {
      const sessions = await use.listSessions(actor);
      const data = sessions.map((own) => ownSessionToWire(own, session.sessionId));
      return jsonResponse({ data, next_cursor: null });
    }),

    staffRoute(deskEndpoints.endStaffSession, async ({ params }, { actor }) => {
      await use.endSession(actor, params.session_id);
      return { status: 204 };
    }),
  ];
}
