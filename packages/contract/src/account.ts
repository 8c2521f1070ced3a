import { ownSessionSchema, passkeyOptionsSchema, passkeySchema } from './app.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { fields, uuidParameter } from './fields.ts';
import { LIMITS } from './limits.ts';
import { pageOf } from './page.ts';
import { ANY_REQUEST, ANY_SESSION_REQUEST, openWrite, SESSION_REQUEST, WITH_BODY } from './requests.ts';
import {
  registerPasskeyBody,
  renamePasskeyBody,
  requestSignInCodeBody,
  startPasskeySignInBody,
} from './sign-in.ts';

const passkeyParams = fields({
  passkey_id: uuidParameter({
    description: 'Id of the passkey.',
    example: '1f6a3d0e-7a37-4c3b-8f0a-2b7c5f2f9e11',
  }),
});

const sessionParams = fields({
  session_id: uuidParameter({
    description: 'Id of the session.',
    example: '7c1c9c52-0f0a-4b53-9d57-2f1f7a3c9d44',
  }),
});

type Access = Pick<Endpoint, 'auth' | 'scope' | 'permission' | 'write'>;

/** How adjusters, and the staff of firms, sign in, and what they do with their passkeys and sessions. */
export const accountEndpoints = <
  Root extends 'app' | 'firm',
  const Read extends Access,
  const Write extends Access,
  Who extends '' | 'Staff',
>({
  root,
  read,
  write,
  who,
  person,
}: {
  readonly root: Root;
  readonly read: Read;
  readonly write: Write;
  /** In the ids, which are unique among all operations. */
  readonly who: Who;
  /** In the descriptions. */
  readonly person: string;
}) => ({
  requestSignInCode: endpoint({
    ...openWrite,
    id: `request${who}SignInCode`,
    method: 'POST',
    path: `/${root}/v1/sign-in-codes`,
    audit: 'sign_in',
    repeatable: false,
    summary: 'Request a sign-in code',
    description:
      'Emails a six-digit code that is valid for ten minutes and five attempts. While it is valid, another request with the same `client_secret`, or also without one, sends the same code again. The response is the same whether or not the account exists, and also if too many codes were requested and no email is sent.',
    body: requestSignInCodeBody,
    success: { status: 202, schema: null, description: 'Accepted.' },
    problems: [...WITH_BODY, ...ANY_REQUEST, 'rate_limited'],
  }),
  /** Without the proofs and the session, which differ. */
  signIn: {
    ...openWrite,
    id: `signIn${who}`,
    method: 'POST',
    path: `/${root}/v1/sessions`,
    audit: 'sign_in',
    repeatable: false,
    summary: 'Sign in',
    problems: [
      ...WITH_BODY,
      ...ANY_REQUEST,
      'invalid_sign_in',
      'code_not_requested',
      'passkey_required',
      'rate_limited',
    ],
    example: { body: { email: 'jean.delacroix@example.com', code: '402913' } },
  } as const,
  signOut: endpoint({
    ...write,
    id: `signOut${who}`,
    method: 'DELETE',
    path: `/${root}/v1/sessions/current`,
    audit: 'session.end',
    beforePasskey: true,
    summary: 'Sign out',
    description: 'Ends the current session.',
    success: { status: 204, schema: null, description: 'Signed out.' },
    problems: [...WITH_BODY, ...ANY_SESSION_REQUEST],
  }),
  startPasskeySignIn: endpoint({
    ...openWrite,
    id: `start${who}PasskeySignIn`,
    method: 'POST',
    path: `/${root}/v1/passkey-options`,
    audit: 'sign_in',
    repeatable: false,
    summary: 'Start a sign-in with a passkey',
    description:
      'Returns options for navigator.credentials.get(). The response of the browser opens one session within five minutes, with the same `client_secret`.',
    body: startPasskeySignInBody,
    success: { status: 200, schema: passkeyOptionsSchema, description: 'The options.' },
    problems: [...WITH_BODY, ...ANY_REQUEST],
  }),
  startPasskeyRegistration: endpoint({
    ...write,
    id: `start${who}PasskeyRegistration`,
    method: 'POST',
    path: `/${root}/v1/passkeys/options`,
    audit: 'passkey.add',
    repeatable: false,
    beforePasskey: true,
    summary: 'Start adding a passkey',
    description:
      'Returns options for navigator.credentials.create(). The response of the browser adds one passkey within five minutes, in the same session.',
    success: { status: 200, schema: passkeyOptionsSchema, description: 'The options.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'too_many_passkeys'],
  }),
  registerPasskey: endpoint({
    ...write,
    id: `register${who}Passkey`,
    method: 'POST',
    path: `/${root}/v1/passkeys`,
    audit: 'passkey.add',
    beforePasskey: true,
    summary: 'Add a passkey',
    description: `Adds a passkey to the account; at most ${LIMITS.passkeysPerAccount}.`,
    body: registerPasskeyBody,
    pointers: { passkey_refused: '' },
    success: { status: 201, schema: passkeySchema, description: 'The passkey.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'too_many_passkeys'],
  }),
  listPasskeys: endpoint({
    ...read,
    id: `list${who}Passkeys`,
    method: 'GET',
    path: `/${root}/v1/passkeys`,
    audit: null,
    beforePasskey: true,
    summary: 'List own passkeys',
    description: 'The passkeys of the account, oldest first. There is always one page.',
    success: { status: 200, schema: pageOf('PasskeyPage', passkeySchema), description: 'The passkeys.' },
    problems: ANY_SESSION_REQUEST,
  }),
  renamePasskey: endpoint({
    ...write,
    id: `rename${who}Passkey`,
    method: 'PATCH',
    path: `/${root}/v1/passkeys/{passkey_id}`,
    audit: 'passkey.rename',
    summary: 'Rename a passkey',
    description: 'Changes the name in the list.',
    params: passkeyParams,
    body: renamePasskeyBody,
    success: { status: 200, schema: passkeySchema, description: 'The passkey.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  removePasskey: endpoint({
    ...write,
    id: `remove${who}Passkey`,
    method: 'DELETE',
    path: `/${root}/v1/passkeys/{passkey_id}`,
    audit: 'passkey.remove',
    summary: 'Remove a passkey',
    description:
      'Nobody can sign in with it any more. Where the operator requires passkeys, the last one cannot be removed.',
    params: passkeyParams,
    success: { status: 204, schema: null, description: 'The passkey is removed.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  listSessions: endpoint({
    ...read,
    id: `list${who}Sessions`,
    method: 'GET',
    path: `/${root}/v1/sessions`,
    audit: null,
    summary: 'List own sessions',
    description: `The sessions of the ${person} that have not ended, latest use first; at most ten. There is always one page.`,
    success: {
      status: 200,
      schema: pageOf('OwnSessionPage', ownSessionSchema),
      description: 'The sessions.',
    },
    problems: SESSION_REQUEST,
  }),
  endSession: endpoint({
    ...write,
    id: `end${who}Session`,
    method: 'DELETE',
    path: `/${root}/v1/sessions/{session_id}`,
    audit: 'session.end',
    summary: 'End a session',
    description: `Ends one session of the ${person}, on this or another device.`,
    params: sessionParams,
    success: { status: 204, schema: null, description: 'The session has ended.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
});
