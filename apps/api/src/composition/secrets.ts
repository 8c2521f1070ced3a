import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { SecretKind, Secrets } from '@svc/application';

const PREFIXES: Readonly<Record<SecretKind, string>> = {
  live_key: 'svc_live_',
  test_key: 'svc_test_',
  app_session: 'svc_app_',
  sign_in_secret: 'svc_signin_',
};

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 256 bits in base62. */
const RANDOM_LENGTH = 43;
const CHECK_LENGTH = 6;
const SHAPE = new RegExp(`^[0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}}$`);

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i += 1) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/** In plain numbers: it runs with every request. */
function checkOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECK_LENGTH; i += 1) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

const sha256 = (text: string): string => hash('sha256', text);

/**
 * Secrets with a prefix that says what they are, 256 random bits, and a checksum: junk is refused without asking any
 * store, and secret scanners can tell a real one. A plain SHA-256 is kept; a slow hash protects weak secrets, and
 * these are not weak.
 *
 * @param codeKey keys the hashes of six-digit sign-in codes and of client addresses, which a plain hash would not
 *   protect.
 */
export function createSecrets(codeKey: Uint8Array): Secrets {
  const hashOfCode = (email: string, code: string): string =>
    createHmac('sha256', codeKey).update(`${email}\n${code}`).digest('hex');
  // As JSON, so that no two lists of parts read the same, nor like a hashed code.
  const keyed = (...parts: readonly string[]): string =>
    createHmac('sha256', codeKey).update(JSON.stringify(parts)).digest('hex');
  return {
    issue(kind) {
      const body = PREFIXES[kind] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), RANDOM_LENGTH);
      const secret = body + checkOf(body);
      return { secret, hash: sha256(secret) };
    },
    hashOf(secret, kind) {
      const prefix = PREFIXES[kind];
      if (!secret.startsWith(prefix) || !SHAPE.test(secret.slice(prefix.length))) return null;
      const body = secret.slice(0, -CHECK_LENGTH);
      return checkOf(body) === secret.slice(-CHECK_LENGTH) ? sha256(secret) : null;
    },
    issueCode(email, seed = randomBytes(16).toString('hex')) {
      // 48 of its bits: what the remainder favors is far below one part in a million.
      const drawn = parseInt(keyed('code', email, seed).slice(0, 12), 16);
      const code = String(drawn % 1_000_000).padStart(6, '0');
      return { code, hash: hashOfCode(email, code), seed };
    },
    hashOfSubject: (...parts) => keyed('subject', ...parts),
    hashOfCode,
    equal(one, other) {
      const [a, b] = [Buffer.from(one), Buffer.from(other)];
      return a.length === b.length && timingSafeEqual(a, b);
    },
    testAccountTag: () => base62(BigInt(`0x${randomBytes(8).toString('hex')}`), 8),
  };
}
