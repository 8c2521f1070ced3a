import { hash } from 'node:crypto';
import { SECRET_PREFIXES, type Secrets, type Sha256 } from '@svc/application';

export const sha256: Sha256 = (text, encoding = 'utf8') => hash('sha256', Buffer.from(text, encoding));

/** Sequential instead of random secrets, so that failures are reproducible. */
export function createTestSecrets(): Secrets {
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };
  const hashOfCode = (email: string, code: string): string => sha256(`${email}:${code}`);
  return {
    issue(kind) {
      const secret = `${SECRET_PREFIXES[kind]}${next()}`;
      return { secret, hash: sha256(secret) };
    },
    hashOf: (secret, kind) => (secret.startsWith(SECRET_PREFIXES[kind]) ? sha256(secret) : null),
    issueCode(email, seed = String(next())) {
      const code = seed.padStart(6, '0').slice(-6);
      return { code, hash: hashOfCode(email, code), seed };
    },
    hashOfSubject: (...parts) => sha256(JSON.stringify(parts)),
    hashOfCode,
    equal: (one, other) => one === other,
    webhookSecret: () => `whsec_${Buffer.from(String(next()).padStart(32, '0')).toString('base64')}`,
    testAccountTag: () => `Tag${next()}`,
  };
}
