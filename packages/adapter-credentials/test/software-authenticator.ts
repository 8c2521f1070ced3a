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

const cborArray = (...items: readonly Buffer[]): Buffer =>
  Buffer.concat([cborHead(4, items.length), ...items]);

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HAS_CREDENTIAL = 64;

interface Site {
  readonly origin: string;
  readonly rpId: string;
  /** Set when the page that asked is embedded in one of another site. */
  readonly embedded?: { readonly crossOrigin?: boolean; readonly topOrigin?: string };
}

interface Attestation {
  /** `none`: without a statement. Others are signed with the key of the credential. */
  readonly format: string;
  /** The certificates of the statement (DER). None: self attestation. */
  certificates?(key: { readonly pem: string; readonly clientDataHash: Buffer }): readonly Buffer[];
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
  const clientData = (
    type: 'webauthn.create' | 'webauthn.get',
    challenge: string,
    { origin, embedded }: Site,
  ): Buffer => Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...embedded }));
  const signed = (data: Buffer, client: Buffer): Buffer =>
    sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
  const statement = ({ format, certificates }: Attestation, data: Buffer, client: Buffer): Buffer => {
    if (format === 'none') return cborMap();
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const chain = certificates?.({ pem, clientDataHash: sha256(client) });
    return cborMap(
      [cborText('alg'), cborInteger(-7)],
      [cborText('sig'), cborBytes(signed(data, client))],
      ...(chain === undefined ? [] : [[cborText('x5c'), cborArray(...chain.map(cborBytes))] as const]),
    );
  };

  return {
    /** The body that adds the passkey, without its name. */
    create({ challenge }: { challenge: string }, site: Site, attestation: Attestation = { format: 'none' }) {
      const length = Buffer.from([0, credentialId.length]);
      const credential = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey]);
      const data = authenticatorData(site.rpId, USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL, credential);
      const client = clientData('webauthn.create', challenge, site);
      const object = cborMap(
        [cborText('fmt'), cborText(attestation.format)],
        [cborText('attStmt'), statement(attestation, data, client)],
        [cborText('authData'), cborBytes(data)],
      );
      return {
        credential_id: base64url(credentialId),
        client_data: base64url(client),
        attestation_object: base64url(object),
        transports: ['internal'],
      };
    },

    /** The `passkey` of a sign-in. */
    get({ challenge }: { challenge: string }, site: Site, verified = true) {
      uses += 1;
      const data = authenticatorData(
        site.rpId,
        verified ? USER_PRESENT | USER_VERIFIED : USER_PRESENT,
        Buffer.alloc(0),
      );
      const client = clientData('webauthn.get', challenge, site);
      return {
        credential_id: base64url(credentialId),
        client_data: base64url(client),
        authenticator_data: base64url(data),
        signature: base64url(signed(data, client)),
      };
    },
  };
}
