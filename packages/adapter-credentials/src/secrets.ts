import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SECRET_PREFIXES, type Secrets, type Sha256 } from '@svc/application';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 256 bits in base62. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i += 1) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/** In base62. Without bigint, which is slow: this runs for every request. */
function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Hexadecimal; also links the rows of the audit trail. */
export const sha256: Sha256 = (text, encoding = 'utf8') =>
  hash('sha256', encoding === 'utf8' ? text : Buffer.from(text, encoding));

/**
 * Secrets of a prefix for their kind, 256 random bits and a checksum, by which malformed secrets are rejected without a
 * query and secret scanners recognize real ones. Stored as plain SHA-256: a slow hash only helps weak secrets.
 *
 * @param codeKey HMAC key for sign-in codes and client addresses, which have too few values for a plain hash.
 */
export function createSecrets(codeKey: Uint8Array): Secrets {
  const hashOfCode = (email: string, code: string): string =>
    createHmac('sha256', codeKey).update(`${email}\n${code}`).digest('hex');
  // JSON is unambiguous: no two lists of parts have the same text, and none has that of a hashed code.
  const hmac = (...parts: readonly string[]): string =>
    createHmac('sha256', codeKey).update(JSON.stringify(parts)).digest('hex');
  return {
    issue(kind) {
      const body =
        SECRET_PREFIXES[kind] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), RANDOM_LENGTH);
      const secret = body + checksumOf(body);
      return { secret, hash: sha256(secret) };
    },
    hashOf(secret, kind) {
      const prefix = SECRET_PREFIXES[kind];
      if (!secret.startsWith(prefix) || !SHAPE.test(secret.slice(prefix.length))) return null;
      const body = secret.slice(0, -CHECKSUM_LENGTH);
      return checksumOf(body) === secret.slice(-CHECKSUM_LENGTH) ? sha256(secret) : null;
    },
    issueCode(email, seed = randomBytes(16).toString('hex')) {
      // 48 bits: the modulo bias is far below one in a million.
      const value = parseInt(hmac('code', email, seed).slice(0, 12), 16);
      const code = String(value % 1_000_000).padStart(6, '0');
      return { code, hash: hashOfCode(email, code), seed };
    },
    hashOfSubject: (...parts) => hmac('subject', ...parts),
    hashOfCode,
    equal(one, other) {
      const [a, b] = [Buffer.from(one), Buffer.from(other)];
      return a.length === b.length && timingSafeEqual(a, b);
    },
    webhookSecret: () => `whsec_${randomBytes(32).toString('base64')}`,
    testAccountTag: () => base62(BigInt(`0x${randomBytes(8).toString('hex')}`), 8),
  };
}
