import type { ServerResponse } from 'node:http';
import { TooManyAttempts, Unavailable, type UnavailableReason } from '@svc/application';
import {
  type Endpoint,
  ERRORS,
  type ErrorCode,
  makeProblem,
  type Problem,
  type ProblemItem,
  STAFF_TITLES,
} from '@svc/contract';
import {
  DomainError,
  type DomainErrorCode,
  FIELD_ERRORS,
  type FieldErrorCode,
  WorkChanged,
} from '@svc/domain';
import { workToWire } from '../serialization/claim.ts';

/** The codes of the domain that the API names differently. */
const WIRE_CODES: Readonly<Record<Exclude<DomainErrorCode, FieldErrorCode | ErrorCode>, ErrorCode>> = {
  missing_permission: 'insufficient_scope',
  account_removed: 'invalid_session',
  // The specification spells this code differently.
  unknown_svcid: 'unknown_osaid',
  sign_in_refused: 'invalid_sign_in',
};

const isFieldError = (code: DomainErrorCode): code is FieldErrorCode =>
  (FIELD_ERRORS as readonly DomainErrorCode[]).includes(code);

const wireCode = (code: Exclude<DomainErrorCode, FieldErrorCode>): ErrorCode =>
  code in WIRE_CODES ? WIRE_CODES[code as keyof typeof WIRE_CODES] : (code as ErrorCode);

/** Where that of the API's code is about keys. */
const TITLES: Partial<Record<DomainErrorCode, string>> = {
  missing_permission: STAFF_TITLES.insufficient_scope,
};

/** An error that is sent as a problem document (RFC 9457). */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  constructor(
    readonly code: ErrorCode,
    readonly extra: {
      readonly title?: string;
      readonly detail?: string;
      readonly errors?: readonly ProblemItem[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly existingClaimId?: string;
      /** The adjuster's entries as they are, for `work_changed`. */
      readonly work?: object;
      /** Not a failure of the service: it is not logged as one. */
      readonly simulated?: boolean;
      /** What the service lacks, for the metrics. */
      readonly unavailable?: UnavailableReason;
    } = {},
  ) {
    super(extra.detail ?? ERRORS[code].title);
  }
}

const UNAVAILABLE_RETRY_SECONDS = '1';

/** Converts any thrown value. Errors not meant for the client become `internal_error`. */
export function asHttpProblem(
  error: unknown,
  { pointers = {} }: Pick<Endpoint, 'pointers'> = {},
): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof DomainError) {
    const { code, message: detail } = error;
    if (isFieldError(code))
      return new HttpProblem('validation_failed', {
        detail,
        errors: [{ detail, pointer: pointers[code] ?? '' }],
      });
    const title = TITLES[code];
    return new HttpProblem(wireCode(code), {
      detail,
      ...(title !== undefined && { title }),
      ...(error instanceof WorkChanged && { work: workToWire(error.work) }),
      ...(error.existingClaimId !== undefined && { existingClaimId: error.existingClaimId }),
    });
  }
  if (error instanceof TooManyAttempts) {
    const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1000));
    return new HttpProblem('rate_limited', {
      detail: error.message,
      headers: { 'Retry-After': String(seconds) },
    });
  }
  if (error instanceof Unavailable) {
    return new HttpProblem('service_unavailable', {
      ...(error.reason === 'clock' && { detail: error.message }),
      headers: { 'Retry-After': UNAVAILABLE_RETRY_SECONDS },
      unavailable: error.reason,
    });
  }
  return new HttpProblem('internal_error');
}

export interface ProblemAddresses {
  readonly baseUrl: string;
  readonly docsUrl: string;
}

export function problemDocument(
  requestId: string,
  { code, extra: { title, detail, errors, existingClaimId, work } }: HttpProblem,
  addresses: ProblemAddresses,
): Problem {
  return makeProblem(code, {
    docsUrl: addresses.docsUrl,
    requestId,
    ...(title !== undefined && { title }),
    ...(detail !== undefined && { detail }),
    ...(errors !== undefined && { errors }),
    ...(work !== undefined && { work }),
    ...(existingClaimId !== undefined && {
      existingClaim: { id: existingClaimId, url: `${addresses.baseUrl}/v1/claims/${existingClaimId}` },
    }),
  });
}

export function sendProblem(
  response: ServerResponse,
  requestId: string,
  problem: HttpProblem,
  addresses: ProblemAddresses,
): void {
  const body = problemDocument(requestId, problem, addresses);
  response.statusCode = body.status;
  for (const [name, value] of Object.entries(problem.extra.headers ?? {})) response.setHeader(name, value);
  if (body.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  response.setHeader('Content-Type', 'application/problem+json');
  response.end(JSON.stringify(body));
}
