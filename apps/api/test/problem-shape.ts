import { expect } from '@jest/globals';
import { ERRORS, type ErrorCode } from '@svc/contract';
import { hasApiPolicy, undocumentedInProblem } from './documented-responses.ts';
import type { ApiResponse } from './service-under-test.ts';

const MEMBERS = new Set([
  'type',
  'title',
  'status',
  'detail',
  'code',
  'request_id',
  'errors',
  'existing_claim_id',
  'existing_claim_url',
  'work',
]);

/** How a response differs from a valid problem; null if it does not. */
export function problemMismatch(
  status: number,
  header: (name: string) => string | null | undefined,
  text: string,
): string | null {
  if (header('content-type') !== 'application/problem+json') return `Content-Type ${header('content-type')}`;
  if (!hasApiPolicy(header)) return 'no Content-Security-Policy or nosniff';
  const problem = JSON.parse(text) as Record<string, unknown>;
  const unknown = Object.keys(problem).filter((name) => !MEMBERS.has(name));
  if (unknown.length > 0) return `unknown members ${unknown.join()}`;
  const code = String(problem.code);
  if (!(code in ERRORS)) return `unknown code ${code}`;
  if (problem.status !== status || ERRORS[code as ErrorCode].status !== status)
    return `${code} with status ${status}`;
  if (problem.request_id === undefined || problem.request_id !== header('x-request-id'))
    return 'request ids differ';
  if (!String(problem.type).endsWith(`/docs/errors#${code}`)) return `type ${String(problem.type)}`;
  if (typeof problem.title !== 'string' || typeof problem.detail !== 'string') return 'no title or detail';
  if ((problem.errors !== undefined) !== (code === 'validation_failed')) return `errors with ${code}`;
  for (const item of (problem.errors ?? []) as Record<string, unknown>[]) {
    const { detail, ...places } = item;
    const [place, ...more] = Object.keys(places);
    if (typeof detail !== 'string' || more.length > 0) return `item ${JSON.stringify(item)}`;
    if (place !== 'pointer' && place !== 'parameter' && place !== 'header')
      return `item ${JSON.stringify(item)}`;
    if (typeof places[place] !== 'string') return `item ${JSON.stringify(item)}`;
  }
  if ((problem.existing_claim_id !== undefined) !== (code === 'duplicate_claim')) return `claim with ${code}`;
  if ((problem.work !== undefined) !== (code === 'work_changed')) return `work with ${code}`;
  return undocumentedInProblem(problem);
}

/** Expects this problem, in the documented shape. */
export function expectProblem(response: ApiResponse, status: number, code: ErrorCode): void {
  const shown = { status: response.status, code: response.json?.code, text: response.text.slice(0, 300) };
  expect(shown).toMatchObject({ status, code });
  expect(problemMismatch(response.status, (name) => response.headers.get(name), response.text)).toBeNull();
}
