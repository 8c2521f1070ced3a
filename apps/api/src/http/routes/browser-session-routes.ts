import {
  type AccountActor,
  type AccountUseCases,
  type AppUseCases,
  type DeskUseCases,
  type FirmChoice,
  type RequestOrigin,
  type Secrets,
  type SignInProof,
  toDateTime,
} from '@svc/application';
import { type Endpoint, endpoints } from '@svc/contract';
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
import { toProof } from './app-routes.ts';
import { toStaffProof } from './desk-staff.ts';
import {
  appRoute,
  jsonResponse,
  type OpenContext,
  openRoute,
  type Route,
  type RouteResponse,
  staffRoute,
} from './route.ts';

interface PageDeps {
  readonly secrets: Secrets;
  readonly addresses: ProblemAddresses;
}

interface BrowserSessionRouteDeps extends PageDeps {
  readonly appUseCases: AppUseCases;
  readonly deskUseCases: DeskUseCases;
}

/** A route of whoever is signed in to the page. */
type SignedInRoute = (
  endpoint: Endpoint,
  handle: (actor: AccountActor, tokenHash: string) => Promise<RouteResponse>,
) => Route;

/** Sign-in and sign-out with a session cookie instead of a token, for the adjuster app and the desk in a browser. */
export function browserSessionRoutes(deps: BrowserSessionRouteDeps): Route[] {
  const { appUseCases, deskUseCases } = deps;
  const app = pageRoutes('app', deps, appUseCases, (endpoint, handle) =>
    appRoute(endpoint, (_, { actor, session }) => handle(actor, session.tokenHash)),
  );
  const firm = pageRoutes('firm', deps, deskUseCases, (endpoint, handle) =>
    staffRoute(endpoint, (_, { actor, session }) => handle(actor, session.tokenHash)),
  );
  return [
    ...app.routes(endpoints.requestSignInCode, endpoints.signOut),
    openRoute(
      { ...endpoints.signIn, id: 'open app session', path: PAGE_PATHS.app.session },
      ({ body }, context) =>
        app.open(
          appUseCases.signIn,
          toProof({ ...body, client_secret: app.secretOf(context) }),
          body,
          context,
        ),
    ),
    ...firm.routes(endpoints.requestStaffSignInCode, endpoints.signOutStaff),
    openRoute(
      { ...endpoints.signInStaff, id: 'open firm session', path: PAGE_PATHS.firm.session },
      ({ body }, context) =>
        firm.open(
          deskUseCases.signIn,
          toStaffProof({ ...body, client_secret: firm.secretOf(context) }),
          body,
          context,
        ),
    ),
  ];
}

function pageRoutes(
  page: Page,
  { addresses, secrets }: PageDeps,
  use: AccountUseCases,
  signedIn: SignedInRoute,
) {
  const paths = PAGE_PATHS[page];
  const { body: _, ...startPasskeySignIn } = endpoints.startPasskeySignIn;
  const signedOut = () => ({
    status: 204,
    headers: { 'Set-Cookie': expiredSessionCookie(page, addresses) },
  });
  /** The secret that binds a sign-in to this browser; a new one if it holds none. */
  const secretOf = ({ cookies }: Pick<OpenContext, 'cookies'>): string => {
    const held = signInSecretOf(page, cookies, addresses);
    const isIssued = held !== null && secrets.hashOf(held, 'client_secret') !== null;
    return isIssued ? held : secrets.issue('client_secret').secret;
  };
  return {
    secretOf,

    async open(
      signIn: (
        proof: SignInProof,
        origin: RequestOrigin,
        deviceName: string | null,
      ) => Promise<{ readonly token: string; readonly expiresAt: number } | FirmChoice>,
      proof: SignInProof,
      { device_name }: { readonly device_name?: string | undefined },
      { origin, userAgent }: OpenContext,
    ): Promise<RouteResponse> {
      const session = await signIn(proof, origin, device_name ?? deviceNameOf(userAgent));
      if ('ticket' in session) return jsonResponse(session);
      return {
        ...jsonResponse({ expires_at: toDateTime(session.expiresAt) }, 201),
        headers: { 'Set-Cookie': sessionCookie(page, addresses, session.token) },
      };
    },

    routes: (
      requestCode: typeof endpoints.requestSignInCode | typeof endpoints.requestStaffSignInCode,
      signOut: Endpoint,
    ): Route[] => [
      openRoute(
        { ...requestCode, id: `request ${page} code`, path: paths.signInCodes },
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
      signedIn({ ...signOut, id: `close ${page} session`, path: paths.session }, async (actor, tokenHash) => {
        await use.signOut(actor, tokenHash);
        return signedOut();
      }),
      signedIn({ ...signOut, id: `close all ${page} sessions`, path: paths.sessions }, async (actor) => {
        await use.signOutEverywhere(actor);
        return signedOut();
      }),
    ],
  };
}
