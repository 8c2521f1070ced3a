import type { ErrorCode } from './wire.ts';

/** One thing that is wrong with a request; one of `pointer`, `parameter` and `header` says where. */
export interface ProblemItem {
  readonly detail: string;
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
}

/** Whatever a call can fail with, beside an aborted signal and arguments that make no request. */
export class ClaimsError extends Error {
  override readonly name: string = 'ClaimsError';
  /** How often the request was made. */
  readonly attempts: number;

  constructor(message: string, attempts: number, options?: { readonly cause: unknown }) {
    super(message, options);
    this.attempts = attempts;
  }
}

/** No answer came, or one that is not the service's: the request may or may not have been carried out. */
export class ClaimsConnectionError extends ClaimsError {
  override readonly name: string = 'ClaimsConnectionError';
}

/** No answer came within `timeoutMs`. */
export class ClaimsTimeoutError extends ClaimsConnectionError {
  override readonly name: string = 'ClaimsTimeoutError';
}

/** The service answered, and the answer is a refusal or a failure. */
export class ClaimsApiError extends ClaimsError {
  override readonly name: string = 'ClaimsApiError';
  readonly status: number;
  /** Null when the answer carries no problem document, as from a proxy in front of the service. */
  readonly code: ErrorCode | null;
  readonly title: string | null;
  readonly detail: string | null;
  /** The error's page in the documentation. */
  readonly type: string | null;
  /** What support will ask for. */
  readonly requestId: string | null;
  /** Every place that is wrong; empty unless the code is `validation_failed`. */
  readonly errors: readonly ProblemItem[];
  /** The claim that is in the way of a `duplicate_claim`. */
  readonly existingClaimId: string | null;
  readonly existingClaimUrl: string | null;
  /** How long the service asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(answer: Answer, retryAfterMs: number | null, attempts: number) {
    const problem = isRecord(answer.json) ? answer.json : {};
    const [code, title, detail] = [text(problem.code), text(problem.title), text(problem.detail)];
    super(message(answer.status, code, detail ?? title), attempts);
    this.status = answer.status;
    this.code = code;
    this.title = title;
    this.detail = detail;
    this.type = text(problem.type);
    this.requestId = text(problem.request_id) ?? answer.requestId;
    this.errors = Array.isArray(problem.errors) ? problem.errors.filter(isItem) : [];
    this.existingClaimId = text(problem.existing_claim_id);
    this.existingClaimUrl = text(problem.existing_claim_url);
    this.retryAfterMs = retryAfterMs;
  }
}

export interface Answer {
  readonly status: number;
  /** The body; undefined when it is not JSON. */
  readonly json: unknown;
  readonly requestId: string | null;
}

function message(status: number, code: string | null, said: string | null): string {
  if (code !== null) return said === null ? code : `${code}: ${said}`;
  if (status >= 300 && status < 400) {
    return `status ${status}, a redirect, which is not followed because the key must not go elsewhere; check baseUrl`;
  }
  return `status ${status}, without a problem document`;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isItem = (value: unknown): value is ProblemItem => isRecord(value) && typeof value.detail === 'string';
