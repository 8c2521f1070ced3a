import type { OwnSession, Passkey, PasskeyOptions } from './app.ts';
import type { RegisterPasskeyBody } from './sign-in.ts';

const passkeyOptions = {
  options: { challenge: 'MDE5ODBhNWU', rpId: 'claims.example.com', userVerification: 'required' },
} satisfies PasskeyOptions;

/** Of `accountEndpoints`, whose session is that of the app or of the desk. */
export function accountExamples({
  email,
  deviceName,
  ...of
}: {
  readonly email: string;
  readonly deviceName: string;
  readonly passkey: Pick<Passkey, 'name' | 'last_used_at'>;
}) {
  const passkey = {
    id: '1f6a3d0e-7a37-4c3b-8f0a-2b7c5f2f9e11',
    created_at: '2026-08-20T13:00:00.000Z',
    ...of.passkey,
  } satisfies Passkey;
  const { name } = passkey;
  const params = { passkey_id: passkey.id };
  const session = {
    id: '7c1c9c52-0f0a-4b53-9d57-2f1f7a3c9d44',
    device_name: deviceName,
    current: true,
    created_at: '2026-08-20T13:00:00.000Z',
    last_used_at: '2026-08-29T14:52:07.113Z',
    expires_at: '2026-11-27T14:52:07.113Z',
  } satisfies OwnSession;
  return {
    requestSignInCode: { body: { email } },
    signIn: { body: { email, code: '402913' } },
    signOut: {},
    startPasskeySignIn: {
      body: { client_secret: 'p3mE0vS2kQ8xT5rWzN1cYb7LhGdJf4Ua' },
      response: passkeyOptions,
    },
    startPasskeyRegistration: { response: passkeyOptions },
    registerPasskey: {
      body: {
        name,
        credential_id: 'Zt1v3kq9S0mW5p2sQeX7Hw',
        client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
        attestation_object: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVik',
        transports: ['internal'],
      } satisfies RegisterPasskeyBody,
      response: passkey,
    },
    listPasskeys: { response: { data: [passkey], next_cursor: null } },
    renamePasskey: { params, body: { name }, response: passkey },
    removePasskey: { params },
    listSessions: { response: { data: [session], next_cursor: null } },
    endSession: { params: { session_id: session.id } },
  };
}
