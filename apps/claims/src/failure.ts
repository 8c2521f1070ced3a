import { ClaimsApiError, ClaimsError, type ProblemItem } from '@svc/client';
import { UsageError } from './environment.ts';
import { sanitized } from './output.ts';

/** An error as `--json` prints it. */
export interface Failure {
  readonly code: string;
  readonly detail: string;
  readonly status?: number;
  readonly request_id?: string;
  readonly errors?: readonly ProblemItem[];
  readonly existing_claim_id?: string;
}

export function failureFrom(error: unknown): Failure {
  if (error instanceof ClaimsApiError) {
    return {
      code: error.code ?? `http_${error.status}`,
      detail: error.detail ?? error.message,
      status: error.status,
      ...(error.requestId !== null && { request_id: error.requestId }),
      ...(error.errors.length > 0 && { errors: error.errors }),
      ...(error.existingClaimId !== null && { existing_claim_id: error.existingClaimId }),
    };
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof ClaimsError) return { code: 'no_answer', detail };
  return { code: error instanceof UsageError || error instanceof TypeError ? 'usage' : 'failed', detail };
}

/** The error with its locations and the request id. */
export function failureLines({
  code,
  detail,
  status,
  errors = [],
  existing_claim_id,
  request_id,
}: Failure): string[] {
  const locationOf = ({ pointer, parameter, header }: ProblemItem): string =>
    pointer ?? parameter ?? header ?? '';
  const width = Math.max(0, ...errors.map((item) => locationOf(item).length));
  return [
    // Without a status, the code is one of this program and only for --json.
    status === undefined ? detail : `${code}: ${detail}`,
    ...errors.map((item) => `  ${locationOf(item).padEnd(width)}  ${item.detail}`),
    ...(existing_claim_id === undefined ? [] : [`  existing claim ${existing_claim_id}`]),
    ...(request_id === undefined ? [] : [`  request ${request_id}`]),
  ].map(sanitized);
}
