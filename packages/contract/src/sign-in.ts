import type { z } from 'zod';
import { arrayOf, base64url, digits, email, fields, nonBlankText, presenceRule, text } from './fields.ts';
import { LIMITS } from './limits.ts';
import { svcId } from './people.ts';

// What adjusters and the staff of firms sign in with.

export const accountEmail = () =>
  email({ description: "The account's email address.", example: 'jean.delacroix@example.com' });

export const signInCode = () => digits(6, { description: 'The code from the email.', example: '402913' });

/** Binds a sign-in to the client that started it. */
const requiredClientSecret = () =>
  base64url(LIMITS.clientSecret, {
    description:
      'A random value that the client generates for one sign-in and keeps to itself. A code or passkey options that were requested with it work only together with it. Without it, a code works on any client that sends none.',
    example: 'p3mE0vS2kQ8xT5rWzN1cYb7LhGdJf4Ua',
  });
export const clientSecret = () => requiredClientSecret().optional();

export const startPasskeySignInBody = fields({ client_secret: requiredClientSecret() }).meta({
  id: 'PasskeySignInOptionsRequest',
  description: 'The client that signs in.',
});

export const requestSignInCodeBody = fields({ email: accountEmail(), client_secret: clientSecret() }).meta({
  id: 'SignInCodeRequest',
  description: 'The email address to send a sign-in code to.',
});
export type RequestSignInCodeBody = z.output<typeof requestSignInCodeBody>;

const credentialId = () =>
  base64url(LIMITS.credentialId, {
    description: "The credential's id (PublicKeyCredential.rawId).",
    example: 'Zt1v3kq9S0mW5p2sQeX7Hw',
  });
const clientData = () =>
  base64url(LIMITS.clientData, {
    description: 'AuthenticatorResponse.clientDataJSON.',
    example: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  });

export const deviceName = () =>
  nonBlankText(LIMITS.deviceName, {
    description: 'Name of the device for the list of sessions. Default: derived from the User-Agent header.',
    example: 'Pixel 9',
  }).optional();

const passkeyAssertionFields = fields({
  credential_id: credentialId(),
  client_data: clientData(),
  authenticator_data: base64url(LIMITS.authenticatorData, {
    description: 'AuthenticatorAssertionResponse.authenticatorData.',
    example: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
  }),
  signature: base64url(LIMITS.passkeySignature, {
    description: 'AuthenticatorAssertionResponse.signature.',
    example: 'MEUCIQDpHcG5vS3oW9Q',
  }),
});
type PasskeyAssertionBody = z.output<typeof passkeyAssertionFields>;

const passkeyAssertion = passkeyAssertionFields.meta({
  id: 'PasskeyAssertion',
  description: 'What the browser returned for the options of a sign-in with a passkey.',
});

/** A sign-in method has its own fields, and none of another one. */
type Method<Of> = Of & {
  [Field in Exclude<
    'email' | 'code' | 'svc_id' | 'sign_in_secret' | 'passkey' | 'ticket' | 'firm_id',
    keyof Of
  >]?: never;
} & { client_secret?: string; device_name?: string };

/** Sign-in methods: an emailed code, the secret of a test account, or a passkey. */
export type SignInBody =
  | Method<{ email: string; code: string }>
  | Method<{ svc_id: string; sign_in_secret: string }>
  | Method<{ passkey: PasskeyAssertionBody }>;

/** Sign-in methods of staff: an emailed code, a passkey, or the ticket of one of them and the firm. */
export type StaffSignInBody =
  | Method<{ email: string; code: string; firm_id?: string }>
  | Method<{ passkey: PasskeyAssertionBody; firm_id?: string }>
  | Method<{ ticket: string; firm_id: string }>;

/**
 * One of several sign-in methods, with all of its fields.
 *
 * @param needed by the first field of a method: a field that other methods may have, too.
 */
const exactlyOneOf = (
  methods: readonly (readonly string[])[],
  allowed: string,
  needed: Readonly<Record<string, string>> = {},
) =>
  presenceRule((isPresent) => {
    const [method, ...others] = methods.filter((names) => names.some(isPresent));
    if (others.length > 0) return [{ path: [], detail: `Only one sign-in method is allowed. ${allowed}` }];
    if (method === undefined) return [{ path: [], detail: `A sign-in method is required. ${allowed}` }];
    return [...method, ...method.flatMap((name) => needed[name] ?? [])]
      .filter((name) => !isPresent(name))
      .map((name) => ({ path: [name], detail: `This field is required. ${allowed}` }));
  });

// The casts state what exactlyOneOf checks; the type of the object does not include it.
export const signInBody = exactlyOneOf(
  [['email', 'code'], ['svc_id', 'sign_in_secret'], ['passkey']],
  'Send email and code, or svc_id and sign_in_secret, or passkey.',
)(
  fields({
    email: accountEmail().optional(),
    code: signInCode().optional(),
    svc_id: svcId().optional(),
    sign_in_secret: text(LIMITS.signInSecret, {
      description: 'Sign-in secret of a test account.',
      example: 'tst_9xQm2LrV4c',
    }).optional(),
    passkey: passkeyAssertion.optional(),
    client_secret: clientSecret(),
    device_name: deviceName(),
  }),
).meta({
  id: 'SignInRequest',
  description: 'An email address and the code sent to it, or a test account and its secret, or a passkey.',
}) as unknown as z.ZodType<SignInBody>;

export const staffSignInBody = exactlyOneOf(
  [['email', 'code'], ['passkey'], ['ticket']],
  'Send email and code, or passkey, or ticket and firm_id.',
  { ticket: 'firm_id' },
)(
  fields({
    email: accountEmail().optional(),
    code: signInCode().optional(),
    passkey: passkeyAssertion.optional(),
    firm_id: text(LIMITS.uuid, {
      description:
        'The firm to work for, where the address is staff of several. Required with a ticket; without it, a code or a passkey of a person of several firms gets a ticket.',
      example: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21',
    }).optional(),
    ticket: text(LIMITS.signInTicket, {
      description:
        'From the response to a code or a passkey. It works once, within five minutes, with the same client_secret.',
      example: 'svc_ticket_EXAMPLE',
    }).optional(),
    client_secret: clientSecret(),
    device_name: deviceName(),
  }),
).meta({
  id: 'StaffSignInRequest',
  description: 'An email address and the code sent to it, or a passkey, or a ticket and the firm.',
}) as unknown as z.ZodType<StaffSignInBody>;

const passkeyName = () =>
  nonBlankText(LIMITS.passkeyName, { description: 'Name of the passkey in the list.', example: 'iPhone' });

export const registerPasskeyBody = fields({
  name: passkeyName(),
  credential_id: credentialId(),
  client_data: clientData(),
  attestation_object: base64url(LIMITS.attestationObject, {
    description: 'AuthenticatorAttestationResponse.attestationObject.',
    example: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVik',
  }),
  transports: arrayOf(
    LIMITS.passkeyTransports,
    text(LIMITS.passkeyTransport, { description: 'A transport of the authenticator.', example: 'internal' }),
    'an array of transports',
    { description: 'AuthenticatorAttestationResponse.getTransports().', example: ['internal'] },
  ).optional(),
}).meta({
  id: 'RegisterPasskeyRequest',
  description: 'What the browser returned for the options of a registration. Binary values are in base64url.',
});
export type RegisterPasskeyBody = z.output<typeof registerPasskeyBody>;

export const renamePasskeyBody = fields({ name: passkeyName() }).meta({
  id: 'RenamePasskeyRequest',
  description: 'The new name.',
});
