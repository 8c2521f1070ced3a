import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * What a request amounts to: SHA-256 over method, path and body, the body in canonical JSON (RFC 8785), so that the
 * order of fields, blanks and the spelling of numbers do not matter and every difference in value does.
 */
export const requestFingerprint = (method: string, path: string, body: unknown): string =>
  createHash('sha256')
    .update(`${method}\n${path}\n${canonicalize(body) ?? ''}`)
    .digest('hex');
