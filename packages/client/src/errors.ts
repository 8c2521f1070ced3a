import type { ErrorCode } from './wire.ts';

/** A validation error and its location: one of `pointer`, `parameter` and `header`. */
export interface ProblemItem {
  readonly detail: string;
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
}

/** Base class of all errors of a call, except for an aborted signal and invalid arguments. */
export class ClaimsError extends Error {
  override readonly name: string = 'ClaimsError';
  /** How many times the request was sent. */
  readonly attempts: number;

  constructor(message: string, attempts: number, options?: { readonly cause: unknown }) {
    super(message, options);
    this.attempts = attempts;
  }
}

/** No valid response from the service; the request may or may not have been processed. */
export class ClaimsConnectionError extends ClaimsError {
  override readonly name: string = 'ClaimsConnectionError';
}

/** No response within `timeoutMs`. */
export class ClaimsTimeoutError extends ClaimsConnectionError {
  override readonly name: string = 'ClaimsTimeoutError';
}

/** An error response. */
export class ClaimsApiError extends ClaimsError {
  override readonly name: string = 'ClaimsApiError';
  readonly status: number;
  /** Null if the response is not a problem document, such as from a proxy in front of the service. */
  readonly code: ErrorCode | null;
  readonly title: string | null;
  readonly detail: string | null;
  /** The error's page in the documentation. */
  readonly type: string | null;
  /** Include it when you contact support. */
  readonly requestId: string | null;
  /** The validation errors; empty unless the code is `validation_failed`. */
  readonly errors: readonly ProblemItem[];
  /** The existing claim; only with `duplicate_claim`. */
  readonly existingClaimId: string | null;
  readonly existingClaimUrl: string | null;
  /** The wait that the service requested, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(response: ErrorResponse, retryAfterMs: number | null, attempts: number) {
    const problem = isRecord(response.json) ? response.json : {};
    const [code, title, detail] = [text(problem.code), text(problem.title), text(problem.detail)];
    const errors = Array.isArray(problem.errors) ? problem.errors.filter(isItem) : [];
    super(messageFor(response.status, code, detail ?? title, errors[0]), attempts);
    this.status = response.status;
    this.code = code;
    this.title = title;
    this.detail = detail;
    this.type = text(problem.type);
    this.requestId = text(problem.request_id) ?? response.requestId;
    this.errors = errors;
    this.existingClaimId = text(problem.existing_claim_id);
    this.existingClaimUrl = text(problem.existing_claim_url);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Whether a call failed with an error response that has this code. */
export function isCode<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is ClaimsApiError & { readonly code: Code } {
  return error instanceof ClaimsApiError && error.code === code;
}

export interface ErrorResponse {
  readonly status: number;
  /** The body; undefined if it is not JSON. */
  readonly json: unknown;
  readonly requestId: string | null;
}

/** Whether the service may have processed the request all the same. */
export const maybeProcessed = (error: ClaimsError): boolean =>
  !(error instanceof ClaimsApiError && [425, 429].includes(error.status));

function messageFor(
  status: number,
  code: string | null,
  explanation: string | null,
  first: ProblemItem | undefined,
): string {
  const location = first?.pointer ?? first?.parameter ?? first?.header;
  const example =
    first === undefined ? '' : ` ${location === undefined ? '' : `${location}: `}${first.detail}`;
  if (code !== null) return explanation === null ? code : `${code}: ${explanation}${example}`;
  if (status >= 300 && status < 400) {
    return `status ${status}: a redirect, not followed because it would send the key to another URL; check baseUrl`;
  }
  return `status ${status} without a problem document`;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isItem = (value: unknown): value is ProblemItem => isRecord(value) && typeof value.detail === 'string';
