import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Random nonces, 256 at a time: a call for each one costs as much as encrypting a claim. */
const nonces = Buffer.alloc(NONCE_BYTES * 256);
let nextNonce = nonces.length;

function takeNonce(): Buffer {
  if (nextNonce === nonces.length) {
    randomFillSync(nonces);
    nextNonce = 0;
  }
  const nonce = Buffer.from(nonces.subarray(nextNonce, nextNonce + NONCE_BYTES));
  nextNonce += NONCE_BYTES;
  return nonce;
}

/** @param associatedData bound to the ciphertext: it can only be decrypted with the same one. @returns nonce, ciphertext, tag. */
export function encrypt(key: KeyObject, associatedData: string, plain: string | Uint8Array): Buffer {
  const nonce = takeNonce();
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(Buffer.from(associatedData));
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  const last = cipher.final();
  return Buffer.concat([nonce, body, last, cipher.getAuthTag()]);
}

/** @throws when the ciphertext was changed, or belongs to other associated data or another key. */
export function decrypt(key: KeyObject, associatedData: string, encrypted: Buffer): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, encrypted.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(associatedData));
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
  const body = decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES));
  const last = decipher.final();
  return last.length === 0 ? body : Buffer.concat([body, last]);
}
