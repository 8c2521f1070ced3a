import type { IncomingMessage } from 'node:http';
import type { KeyRejection } from '@svc/application';
import { HttpProblem } from '../problems/http-problem.ts';

const BEARER = /^Bearer +([!-~]+) *$/i;
const KEY_PREFIX = /svc_(live|test)_/;

/** Null without exactly one well-formed header. */
export const bearerToken = (request: IncomingMessage): string | null =>
  isRepeated('authorization', request)
    ? null
    : (BEARER.exec(request.headers.authorization ?? '')?.[1] ?? null);

const REJECTIONS: Readonly<Record<Exclude<KeyRejection, 'malformed'>, string>> = {
  unknown: 'No API key has this value. Copy the key again, or request a new one.',
  revoked: 'This API key was revoked. Use its successor, or request a new key.',
  expired: 'This API key has expired. Use its successor, or request a new key.',
};

/** The error of a request without a valid key. It repeats nothing of what was sent. */
export function invalidKey(request: IncomingMessage, rejected: KeyRejection | null): HttpProblem {
  const detail =
    rejected === null || rejected === 'malformed' ? detailOfHeader(request) : REJECTIONS[rejected];
  return new HttpProblem('invalid_key', { detail });
}

const USAGE = 'Send Authorization: Bearer followed by your API key.';

function detailOfHeader(request: IncomingMessage): string {
  const { authorization } = request.headers;
  if (isRepeated('authorization', request)) return 'The Authorization header was sent twice.';
  if (authorization === undefined || authorization.trim() === '') {
    return request.headers['x-api-key'] === undefined
      ? `The Authorization header is missing. ${USAGE}`
      : `The Authorization header is missing; X-Api-Key is not read. ${USAGE}`;
  }
  const token = bearerToken(request);
  if (token !== null) return detailOfToken(token);
  if (/^Bearer *$/i.test(authorization)) return `The Authorization header has no key after Bearer. ${USAGE}`;
  if (/^Bearer /i.test(authorization))
    return `The Authorization header has more than one value after Bearer. ${USAGE}`;
  if (/^svc_/.test(authorization)) return `The word Bearer is missing before the key. ${USAGE}`;
  return `The Authorization header has another scheme than Bearer. ${USAGE}`;
}

function detailOfToken(token: string): string {
  if (token.startsWith('svc_app_'))
    return 'This is a session token of the adjuster app. Use an API key of your firm.';
  const prefix = KEY_PREFIX.exec(token);
  if (prefix === null)
    return 'The value after Bearer is not an API key: keys start with svc_live_ or svc_test_.';
  return prefix.index === 0
    ? 'The API key is incomplete or has a wrong character. Copy the whole key again.'
    : 'The value after Bearer does not start with the key. Send the key without quotes or other text.';
}

/** Node joins repeated headers or keeps the first one, so this looks at the raw headers. */
export function isRepeated(name: string, { rawHeaders }: IncomingMessage): boolean {
  let found = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at];
    if (header?.length !== name.length || header.toLowerCase() !== name) continue;
    if (found) return true;
    found = true;
  }
  return false;
}
