import { hash } from 'node:crypto';
import type { Endpoint } from '@svc/contract';
import canonicalize from 'canonicalize';

/**
 * Identifies what a request does: SHA-256 over method, path and body. The path is built from the parsed parameters and
 * the body is canonical JSON (RFC 8785), so only differences in value count, not spelling, field order or white space.
 */
export function requestFingerprint(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  params: Readonly<Record<string, string>>,
  body: unknown,
): string {
  const canonicalPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  return hash('sha256', `${method}\n${canonicalPath}\n${canonicalize(body) ?? ''}`);
}
