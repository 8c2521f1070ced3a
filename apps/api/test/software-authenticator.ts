import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

// A WebAuthn authenticator with one ES256 credential, as a browser would report its responses (W3C Web Authentication).

const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array): string => Buffer.from(data).toString('base64url');

/** The head of a CBOR item (RFC 8949) of less than 65,536 bytes or entries. */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
const cborInteger = (value: number): Buffer => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value));
const cborBytes = (value: Uint8Array): Buffer => Buffer.concat([cborHead(2, value.length), value]);
const cborText = (value: string): Buffer => Buffer.concat([cborHead(3, value.length), Buffer.from(value)]);
const cborMap = (...entries: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HAS_CREDENTIAL = 64;

interface Site {
  readonly origin: string;
  readonly rpId: string;
}

export function createSoftwareAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(16);
  let uses = 0;

  const coseKey = cborMap(
    [cborInteger(1), cborInteger(2)],
    [cborInteger(3), cborInteger(-7)],
    [cborInteger(-1), cborInteger(1)],
    [cborInteger(-2), cborBytes(Buffer.from(x, 'base64url'))],
    [cborInteger(-3), cborBytes(Buffer.from(y, 'base64url'))],
  );
  const authenticatorData = (rpId: string, flags: number, credential: Uint8Array): Buffer => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(uses);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, credential]);
  };
  const clientData = (type: 'webauthn.create' | 'webauthn.get', challenge: string, origin: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  return {
    /** The body that adds the passkey, without its name. */
    create({ challenge }: { challenge: string }, { origin, rpId }: Site) {
      const length = Buffer.from([0, credentialId.length]);
      const credential = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey]);
      const data = authenticatorData(rpId, USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL, credential);
      const attestation = cborMap(
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap()],
        [cborText('authData'), cborBytes(data)],
      );
      return {
        credential_id: base64url(credentialId),
        client_data: base64url(clientData('webauthn.create', challenge, origin)),
        attestation_object: base64url(attestation),
        transports: ['internal'],
      };
    },

    /** The `passkey` of a sign-in. */
    get({ challenge }: { challenge: string }, { origin, rpId }: Site, verified = true) {
      uses += 1;
      const data = authenticatorData(
        rpId,
        verified ? USER_PRESENT | USER_VERIFIED : USER_PRESENT,
        Buffer.alloc(0),
      );
      const client = clientData('webauthn.get', challenge, origin);
      return {
        credential_id: base64url(credentialId),
        client_data: base64url(client),
        authenticator_data: base64url(data),
        signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
      };
    },
  };
}
