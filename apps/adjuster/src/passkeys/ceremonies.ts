import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import type { RegisterPasskeyBody, SignInBody } from '@svc/contract';
import { call, request } from '../app.ts';

/** Asks the device for a passkey of this site. */
export async function authenticateWithPasskey(): Promise<SignInBody> {
  const { options } = await request(() => call('startPasskeySignIn'));
  const { rawId, response } = await startAuthentication({
    optionsJSON: options as object as PublicKeyCredentialRequestOptionsJSON,
  });
  return {
    passkey: {
      credential_id: rawId,
      client_data: response.clientDataJSON,
      authenticator_data: response.authenticatorData,
      signature: response.signature,
    },
  };
}

/** Creates a passkey on the device and adds it to the account. */
export async function addPasskey(name: string): Promise<void> {
  const { options } = await request(() => call('startPasskeyRegistration'));
  const { rawId, response } = await startRegistration({
    optionsJSON: options as object as PublicKeyCredentialCreationOptionsJSON,
  });
  const body: RegisterPasskeyBody = {
    name,
    credential_id: rawId,
    client_data: response.clientDataJSON,
    attestation_object: response.attestationObject,
    transports: response.transports ?? [],
  };
  await request(() => call('registerPasskey', { body }));
}
