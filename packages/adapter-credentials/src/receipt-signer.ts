import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import type { ReceiptKey, ReceiptKeys, ReceiptSigner } from '@svc/application';

/** An Ed25519 private key is any 32 bytes. */
export const RECEIPT_KEY_BYTES = 32;

/** The private key in base64, as RECEIPT_KEY has it. */
export const createReceiptKey = (): string => randomBytes(RECEIPT_KEY_BYTES).toString('base64');

/** What precedes the 32 bytes in PKCS #8 (RFC 8410). */
const PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex');

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/**
 * Signs with this installation's key, and lists the public keys of all: each process adds its own before it signs.
 *
 * @param privateKey the 32 bytes; called on first use, so that a command that signs nothing generates no key.
 */
export function createReceiptSigner(deps: {
  readonly privateKey: () => Uint8Array;
  readonly keys: ReceiptKeys;
}): ReceiptSigner {
  type Signing = ReceiptKey & { readonly key: KeyObject };
  let signing: Promise<Signing> | undefined;
  const load = async (): Promise<Signing> => {
    const der = Buffer.concat([PKCS8_START, deps.privateKey()]);
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
    const thumbprint = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`);
    const publicKey = { kid: thumbprint.digest('base64url'), x };
    await deps.keys.add(publicKey);
    return { ...publicKey, key };
  };
  const loaded = (): Promise<Signing> => {
    signing ??= load().catch((error: unknown) => {
      signing = undefined;
      throw error;
    });
    return signing;
  };
  return {
    async sign(payload) {
      const { kid, key } = await loaded();
      const header = { alg: 'EdDSA', kid, typ: 'offer-receipt+jwt' };
      const signed = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}`;
      return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
    },
    async publicKeys() {
      await loaded();
      return deps.keys.all();
    },
  };
}
