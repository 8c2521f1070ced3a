import { ownSessionSchema, passkeyOptionsSchema, passkeySchema } from '../app.ts';
import { endpoint } from '../endpoint.ts';
import { LIMITS } from '../limits.ts';
import { pageOf } from '../page.ts';
import {
  ANY_REQUEST,
  ANY_STAFF_REQUEST,
  type DeskEndpoint,
  openWrite,
  passkeyParams,
  STAFF_ACCOUNT_REQUEST,
  sessionParams,
  staffRead,
  staffWrite,
  WITH_BODY,
} from '../requests.ts';
import { registerPasskeyBody, renamePasskeyBody, startPasskeySignInBody } from '../sign-in.ts';

/** Passkeys and sessions of the person who is signed in, as in the adjuster app. */
export const accountEndpoints = {
  startStaffPasskeySignIn: endpoint({
    ...openWrite,
    id: 'startStaffPasskeySignIn',
    method: 'POST',
    path: '/firm/v1/passkey-options',
    summary: 'Start a sign-in with a passkey',
    description:
      'Returns options for navigator.credentials.get(). The response of the browser opens one session within five minutes, with the same `client_secret`.',
    body: startPasskeySignInBody,
    success: { status: 200, schema: passkeyOptionsSchema, description: 'The options.' },
    problems: [...WITH_BODY, ...ANY_REQUEST],
  }),
  startStaffPasskeyRegistration: endpoint({
    ...staffWrite(null),
    id: 'startStaffPasskeyRegistration',
    method: 'POST',
    path: '/firm/v1/passkeys/options',
    beforePasskey: true,
    summary: 'Start adding a passkey',
    description:
      'Returns options for navigator.credentials.create(). The response of the browser adds one passkey within five minutes, in the same session.',
    success: { status: 200, schema: passkeyOptionsSchema, description: 'The options.' },
    problems: [...WITH_BODY, ...STAFF_ACCOUNT_REQUEST, 'too_many_passkeys'],
  }),
  registerStaffPasskey: endpoint({
    ...staffWrite(null),
    id: 'registerStaffPasskey',
    method: 'POST',
    path: '/firm/v1/passkeys',
    beforePasskey: true,
    summary: 'Add a passkey',
    description: `Adds a passkey to the account; at most ${LIMITS.passkeysPerAccount}.`,
    body: registerPasskeyBody,
    success: { status: 201, schema: passkeySchema, description: 'The passkey.' },
    problems: [...WITH_BODY, ...STAFF_ACCOUNT_REQUEST, 'too_many_passkeys'],
  }),
  listStaffPasskeys: endpoint({
    ...staffRead(null),
    id: 'listStaffPasskeys',
    method: 'GET',
    path: '/firm/v1/passkeys',
    beforePasskey: true,
    summary: 'List own passkeys',
    description: 'The passkeys of the account, oldest first. There is always one page.',
    success: { status: 200, schema: pageOf('PasskeyPage', passkeySchema, []), description: 'The passkeys.' },
    problems: ANY_STAFF_REQUEST,
  }),
  renameStaffPasskey: endpoint({
    ...staffWrite(null),
    id: 'renameStaffPasskey',
    method: 'PATCH',
    path: '/firm/v1/passkeys/{passkey_id}',
    summary: 'Rename a passkey',
    description: 'Changes the name in the list.',
    params: passkeyParams,
    body: renamePasskeyBody,
    success: { status: 200, schema: passkeySchema, description: 'The passkey.' },
    problems: [...WITH_BODY, ...STAFF_ACCOUNT_REQUEST, 'not_found'],
  }),
  removeStaffPasskey: endpoint({
    ...staffWrite(null),
    id: 'removeStaffPasskey',
    method: 'DELETE',
    path: '/firm/v1/passkeys/{passkey_id}',
    summary: 'Remove a passkey',
    description:
      'Nobody can sign in with it any more. Where the operator requires passkeys, the last one cannot be removed.',
    params: passkeyParams,
    success: { status: 204, schema: null, description: 'The passkey is removed.' },
    problems: [...WITH_BODY, ...STAFF_ACCOUNT_REQUEST, 'not_found'],
  }),
  listStaffSessions: endpoint({
    ...staffRead(null),
    id: 'listStaffSessions',
    method: 'GET',
    path: '/firm/v1/sessions',
    summary: 'List own sessions',
    description:
      'The sessions of the person that have not ended, latest use first; at most ten. There is always one page.',
    success: {
      status: 200,
      schema: pageOf('OwnSessionPage', ownSessionSchema, []),
      description: 'The sessions.',
    },
    problems: STAFF_ACCOUNT_REQUEST,
  }),
  endStaffSession: endpoint({
    ...staffWrite(null),
    id: 'endStaffSession',
    method: 'DELETE',
    path: '/firm/v1/sessions/{session_id}',
    summary: 'End a session',
    description: 'Ends one session of the person, on this or another device.',
    params: sessionParams,
    success: { status: 204, schema: null, description: 'The session has ended.' },
    problems: [...WITH_BODY, ...STAFF_ACCOUNT_REQUEST, 'not_found'],
  }),
} as const satisfies Record<string, DeskEndpoint>;
