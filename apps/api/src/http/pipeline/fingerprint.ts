import { createHash } from 'node:crypto';
import type { Endpoint } from '@svc/contract';
import canonicalize from 'canonicalize';

/**
 * What a request amounts to: SHA-256 over method, path and body. The path is written from its parsed parameters and the
 * body in canonical JSON (RFC 8785), so that the spelling of an id, the order of fields, blanks and the spelling of
 * numbers do not matter and every difference in value does.
 */
export function requestFingerprint(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  params: Readonly<Record<string, string>>,
  body: unknown,
): string {
  const canonicalPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  return createHash('sha256')
    .update(`${method}\n${canonicalPath}\n${canonicalize(body) ?? ''}`)
    .digest('hex');
}
