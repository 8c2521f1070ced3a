import { describe, expect, test } from '@jest/globals';
import type { SecretKind } from '@svc/application';
import { createSecrets, sha256 } from '../src/secrets.ts';

const secrets = createSecrets(Buffer.alloc(32, 1));
const PREFIXES: Record<SecretKind, string> = {
  live_key: 'svc_live_',
  test_key: 'svc_test_',
  app_session: 'svc_app_',
  staff_session: 'svc_staff_',
  sign_in_secret: 'svc_signin_',
  client_secret: 'svc_client_',
  sign_in_ticket: 'svc_ticket_',
};
const KINDS = Object.keys(PREFIXES) as SecretKind[];

describe.each(KINDS)('a secret of the kind %s', (kind) => {
  test('has the prefix of its kind, and is recognized by its hash', () => {
    const { secret, hash } = secrets.issue(kind);
    expect(secret).toMatch(new RegExp(`^${PREFIXES[kind]}[0-9A-Za-z]{49}$`));
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toContain(secret);
    expect(secrets.hashOf(secret, kind)).toBe(hash);
  });

  test('is invalid as another kind', () => {
    const { secret } = secrets.issue(kind);
    for (const other of KINDS) if (other !== kind) expect(secrets.hashOf(secret, other)).toBeNull();
    for (const other of KINDS) {
      if (other === kind) continue;
      const renamed = PREFIXES[other] + secret.slice(PREFIXES[kind].length);
      expect(secrets.hashOf(renamed, other)).toBeNull();
    }
  });

  test('is invalid with any character changed, missing or added', () => {
    const { secret } = secrets.issue(kind);
    const changed = ['a', ' ', '\n'].flatMap((more) => [secret + more, more + secret]);
    for (let at = 0; at < secret.length; at++) {
      const letter = secret[at] === 'a' ? 'b' : 'a';
      changed.push(secret.slice(0, at) + letter + secret.slice(at + 1));
      changed.push(secret.slice(0, at) + secret.slice(at + 1));
    }
    expect(changed.filter((text) => secrets.hashOf(text, kind) !== null)).toEqual([]);
  });

  test('is never issued twice', () => {
    expect(new Set(Array.from({ length: 500 }, () => secrets.issue(kind).secret)).size).toBe(500);
  });
});

test('other text is an invalid secret of every kind', () => {
  for (const invalid of [
    '',
    'svc_live_',
    'svc_live_\0',
    `svc_live_${'é'.repeat(49)}`,
    '__proto__',
    `svc_live_${'0'.repeat(49)}`,
  ])
    for (const kind of KINDS) expect(secrets.hashOf(invalid, kind)).toBeNull();
});

test('a sign-in code has six digits, and its hash depends on the address', () => {
  const codes = Array.from({ length: 500 }, () => secrets.issueCode('a@b').code);
  expect(codes.filter((code) => !/^[0-9]{6}$/.test(code))).toEqual([]);
  const { code, hash } = secrets.issueCode('a@b');
  expect(secrets.hashOfCode('a@b', code)).toBe(hash);
  expect(secrets.hashOfCode('c@d', code)).not.toBe(hash);
  // As a process of another release derives it.
  expect(secrets.issueCode('a@b', 'seed')).toEqual({
    code: '652931',
    hash: 'f0fe92c5f0dd075e8fb697902b22a98d20b6a1eb24f948317114d27738ba735a',
    seed: 'seed',
  });
  const seeded = ['a', 'b', 'c', 'd'].map((seed) => secrets.issueCode('a@b', seed).code);
  expect(new Set([...seeded, secrets.issueCode('c@d', 'a').code]).size).toBe(5);
  // Without a key, hashing all million codes would reveal each code.
  expect(createSecrets(Buffer.alloc(32, 2)).hashOfCode('a@b', code)).not.toBe(hash);
});

test('only equal hashes compare as equal', () => {
  const hash = secrets.issue('live_key').hash;
  expect(secrets.equal(hash, hash)).toBe(true);
  expect(secrets.equal(hash, hash.slice(1))).toBe(false);
  expect(secrets.equal(hash, '')).toBe(false);
  expect(secrets.equal(hash, `${hash.slice(0, -1)}${hash.endsWith('0') ? '1' : '0'}`)).toBe(false);
});

test('the tags in the SVCIDs of test accounts are eight random letters and digits', () => {
  const tags = Array.from({ length: 1000 }, () => secrets.testAccountTag());
  expect(tags.filter((tag) => !/^[0-9A-Za-z]{8}$/.test(tag))).toEqual([]);
  expect(new Set(tags).size).toBe(1000);
});

test('hashes of subjects depend on the key and on where each part ends, and are those of no code', () => {
  const { hashOfSubject } = secrets;
  const hashes = [['a', 'b'], ['ab'], ['a', 'b', ''], ['b', 'a']].map((parts) => hashOfSubject(...parts));
  hashes.push(createSecrets(Buffer.alloc(32, 2)).hashOfSubject('a', 'b'), secrets.hashOfCode('a', 'b'));
  expect(new Set(hashes).size).toBe(6);
  const ofOtherRelease = '593b5cf6d0ed7c3de53bacc51662833d506ad35641db1d49266af65ae8f54f9a';
  expect([hashOfSubject('a', 'b'), hashes[0]]).toEqual([ofOtherRelease, ofOtherRelease]);
});

test('texts, and the bytes that they stand for, are hashed with SHA-256; webhooks are signed with 32 random bytes', () => {
  // FIPS 180-2, appendix B.1.
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect([sha256('abc'), sha256('616263', 'hex')]).toEqual([abc, abc]);
  const [one, other] = [secrets.webhookSecret(), secrets.webhookSecret()];
  expect([one === other, one]).toEqual([false, expect.stringMatching(/^whsec_[\w+/]{43}=$/)]);
});
