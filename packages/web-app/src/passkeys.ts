import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import type { RegisterPasskeyBody, SignInBody } from '@svc/contract';

/** Asks the device for a passkey of this site. @param options as the service sent them */
export async function authenticateWithPasskey(
  options: object,
): Promise<Extract<SignInBody, { readonly passkey: object }>> {
  const { rawId, response } = await startAuthentication({
    optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
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

/** Creates a passkey on the device. @param options as the service sent them */
export async function createPasskey(options: object, name: string): Promise<RegisterPasskeyBody> {
  const { rawId, response } = await startRegistration({
    optionsJSON: options as PublicKeyCredentialCreationOptionsJSON,
  });
  return {
    name,
    credential_id: rawId,
    client_data: response.clientDataJSON,
    attestation_object: response.attestationObject,
    transports: response.transports ?? [],
  };
}
