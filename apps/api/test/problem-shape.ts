import { expect } from '@jest/globals';
import type { ErrorCode } from '@svc/contract';
import { hasApiPolicy, undocumentedProblem } from '../../../tools/services/documented-responses.ts';
import type { ApiResponse } from './service-under-test.ts';

/** How a response differs from a valid problem; null if it does not. */
export function problemMismatch(...response: Parameters<typeof undocumentedProblem>): string | null {
  const [, header] = response;
  return hasApiPolicy(header) ? undocumentedProblem(...response) : 'no Content-Security-Policy or nosniff';
}

/** Expects this problem, in the documented shape. */
export function expectProblem(response: ApiResponse, status: number, code: ErrorCode): void {
  const shown = { status: response.status, code: response.json?.code, text: response.text.slice(0, 300) };
  expect(shown).toMatchObject({ status, code });
  expect(problemMismatch(response.status, (name) => response.headers.get(name), response.text)).toBeNull();
}
