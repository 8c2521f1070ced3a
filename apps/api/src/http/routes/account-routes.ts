import {
  type Account,
  type AccountReads,
  type AccountUseCases,
  type Clock,
  type MemberUseCases,
  type Secrets,
  type SignInProof,
  type SignInUseCases,
  toDateTime,
} from '@svc/application';
import {
  appAccount,
  endpoints,
  type RegisterPasskeyBody,
  type SignInBody,
  type StaffSignInBody,
  staffAccount,
} from '@svc/contract';
import type { FirmId, Svcid } from '@svc/domain';
import { deviceNameOf } from '../adjuster-app/device-name.ts';
import {
  expiredSessionCookie,
  PAGE_PATHS,
  type Page,
  sessionCookie,
  signInCookie,
  signInSecretOf,
} from '../browser-session.ts';
import type { ProblemAddresses } from '../problems/http-problem.ts';
import { passkeyToWire, profileToWire, sessionToWire } from '../serialization/adjuster.ts';
import { ownStaffToWire } from '../serialization/staff.ts';
import {
  type AccountRoute,
  appRoute,
  jsonResponse,
  type OpenContext,
  openRoute,
  type Route,
  type RouteResponse,
  staffRoute,
} from './route.ts';

interface AccountRouteDeps extends AccountUseCases, Pick<MemberUseCases, 'readOwnStaff'> {
  readonly accountReads: AccountReads;
  readonly secrets: Secrets;
  readonly addresses: ProblemAddresses;
  readonly clock: Clock;
}

/** What differs between adjusters and the staff of firms. */
interface AccountKind<A extends Account> {
  readonly page: Page;
  readonly account: typeof appAccount | typeof staffAccount;
  readonly signIn: typeof endpoints.signIn | typeof endpoints.signInStaff;
  readonly signedInRoute: AccountRoute;
  readonly use: SignInUseCases<A>;
  /** Beside the token of a session. */
  readonly profileOf: (account: A) => Promise<object>;
}

/** Sign-in, passkeys and sessions of adjusters and of staff, for clients with a token and for the pages with a cookie. */
export function accountRoutes(deps: AccountRouteDeps): Route[] {
  return [
    ...routesOf(deps, {
      page: 'app',
      account: appAccount,
      signIn: endpoints.signIn,
      signedInRoute: appRoute,
      use: deps.adjusterSignIn,
      profileOf: async (account) => ({ adjuster: profileToWire(await deps.readProfile(account)) }),
    }),
    ...routesOf(deps, {
      page: 'firm',
      account: staffAccount,
      signIn: endpoints.signInStaff,
      signedInRoute: staffRoute,
      use: deps.staffSignIn,
      profileOf: async (account) => ownStaffToWire(await deps.readOwnStaff(account)),
    }),
  ];
}

function routesOf<A extends Account>(
  { accountReads, secrets, addresses, clock }: AccountRouteDeps,
  { page, account, signIn, signedInRoute, use, profileOf }: AccountKind<A>,
): Route[] {
  const open = (body: SignInBody | StaffSignInBody, { origin, userAgent }: OpenContext) =>
    use.signIn(toProof(body), origin, body.device_name ?? deviceNameOf(userAgent));
  return [
    openRoute(account.requestSignInCode, async ({ body }, { origin }) => {
      await use.requestSignInCode(body.email, origin.address, body.client_secret);
      return { status: 202 };
    }),

    openRoute(signIn, async ({ body }, context) => {
      const opened = await open(body, context);
      if ('ticket' in opened) return jsonResponse(opened);
      const { token, expiresAt } = opened;
      const profile = await profileOf(opened.account);
      return jsonResponse({ token, expires_at: toDateTime(expiresAt), ...profile }, 201);
    }),

    signedInRoute(account.signOut, async (_, { actor, session }) => {
      await use.signOut(actor, session.tokenHash);
      return { status: 204 };
    }),

    signedInRoute(account.listSessions, async (_, { actor, session }) => {
      const sessions = await accountReads.sessions(actor, clock.now());
      const data = sessions.map((own) => ({ ...sessionToWire(own), current: own.id === session.sessionId }));
      return jsonResponse({ data, next_cursor: null });
    }),

    signedInRoute(account.endSession, async ({ params }, { actor }) => {
      await use.endSession(actor, params.session_id);
      return { status: 204 };
    }),

    openRoute(account.startPasskeySignIn, async ({ body }) =>
      jsonResponse({ options: await use.startPasskeySignIn(body.client_secret) }),
    ),

    signedInRoute(account.startPasskeyRegistration, async (_, { actor, session }) =>
      jsonResponse({ options: await use.startPasskeyRegistration(actor, session) }),
    ),

    signedInRoute(account.registerPasskey, async ({ body }, { actor, session }) =>
      jsonResponse(passkeyToWire(await use.registerPasskey(actor, session, toRegistration(body))), 201),
    ),

    signedInRoute(account.listPasskeys, async (_, { actor }) => {
      const passkeys = await accountReads.passkeys(actor);
      return jsonResponse({ data: passkeys.map(passkeyToWire), next_cursor: null });
    }),

    signedInRoute(account.renamePasskey, async ({ params, body }, { actor }) =>
      jsonResponse(passkeyToWire(await use.renamePasskey(actor, params.passkey_id, body.name))),
    ),

    signedInRoute(account.removePasskey, async ({ params }, { actor }) => {
      await use.removePasskey(actor, params.passkey_id);
      return { status: 204 };
    }),

    ...cookieRoutes(),
  ];

  /** With a session cookie instead of a token, for the page in a browser. */
  function cookieRoutes(): Route[] {
    const paths = PAGE_PATHS[page];
    const { body: _, ...startPasskeySignIn } = account.startPasskeySignIn;
    const { signOut } = account;
    const signedOut = (): RouteResponse => ({
      status: 204,
      headers: { 'Set-Cookie': expiredSessionCookie(page, addresses) },
    });
    /** The secret that binds a sign-in to this browser; a new one if it holds none. */
    const secretOf = ({ cookies }: OpenContext): string => {
      const held = signInSecretOf(page, cookies, addresses);
      const isIssued = held !== null && secrets.hashOf(held, 'client_secret') !== null;
      return isIssued ? held : secrets.issue('client_secret').secret;
    };
    return [
      openRoute(
        { ...account.requestSignInCode, id: `request ${page} code`, path: paths.signInCodes },
        async ({ body }, context) => {
          const clientSecret = secretOf(context);
          await use.requestSignInCode(body.email, context.origin.address, clientSecret);
          return { status: 202, headers: { 'Set-Cookie': signInCookie(page, addresses, clientSecret) } };
        },
      ),
      openRoute(
        { ...startPasskeySignIn, id: `start ${page} passkey`, path: paths.passkeyOptions },
        async (_, context) => {
          const clientSecret = secretOf(context);
          return {
            ...jsonResponse({ options: await use.startPasskeySignIn(clientSecret) }),
            headers: { 'Set-Cookie': signInCookie(page, addresses, clientSecret) },
          };
        },
      ),
      openRoute({ ...signIn, id: `open ${page} session`, path: paths.session }, async ({ body }, context) => {
        const opened = await open({ ...body, client_secret: secretOf(context) }, context);
        if ('ticket' in opened) return jsonResponse(opened);
        return {
          ...jsonResponse({ expires_at: toDateTime(opened.expiresAt) }, 201),
          headers: { 'Set-Cookie': sessionCookie(page, addresses, opened.token) },
        };
      }),
      signedInRoute(
        { ...signOut, id: `close ${page} session`, path: paths.session },
        async (_, { actor, session }) => {
          await use.signOut(actor, session.tokenHash);
          return signedOut();
        },
      ),
      signedInRoute(
        { ...signOut, id: `close all ${page} sessions`, path: paths.sessions },
        async (_, { actor }) => {
          await use.signOutEverywhere(actor);
          return signedOut();
        },
      ),
    ];
  }
}

const toRegistration = (body: RegisterPasskeyBody) => ({
  name: body.name,
  response: {
    credentialId: body.credential_id,
    clientData: body.client_data,
    attestationObject: body.attestation_object,
    transports: body.transports ?? [],
  },
});

export const firmIdOf = (id: string): FirmId => id.toLowerCase() as FirmId;

function toProof(body: SignInBody | StaffSignInBody): SignInProof {
  const { client_secret: clientSecret } = body;
  if (body.ticket !== undefined) return { ticket: body.ticket, firmId: firmIdOf(body.firm_id), clientSecret };
  const firm = body.firm_id === undefined ? {} : { firmId: firmIdOf(body.firm_id) };
  if (body.code !== undefined) return { email: body.email, code: body.code, clientSecret, ...firm };
  if (body.passkey === undefined) return { svcId: body.svc_id as Svcid, signInSecret: body.sign_in_secret };
  const { credential_id, client_data, authenticator_data, signature } = body.passkey;
  return {
    passkey: {
      credentialId: credential_id,
      clientData: client_data,
      authenticatorData: authenticator_data,
      signature,
    },
    // No options are issued without one, so they cannot be answered without one.
    clientSecret: clientSecret ?? '',
    ...firm,
  };
}
