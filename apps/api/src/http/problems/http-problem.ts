import type { ServerResponse } from 'node:http';
import { TooManyAttempts, Unavailable, type UnavailableReason } from '@svc/application';
import {
  ERRORS,
  type ErrorCode,
  makeProblem,
  type Problem,
  type ProblemItem,
  STAFF_TITLES,
} from '@svc/contract';
import { DomainError, type DomainErrorCode, WorkChanged } from '@svc/domain';
import { workToWire } from '../serialization/claim.ts';

/** Maps error codes of the domain to error codes of the API. */
const WIRE_CODES: Readonly<Record<DomainErrorCode, ErrorCode>> = {
  not_found: 'not_found',
  insufficient_scope: 'insufficient_scope',
  missing_permission: 'insufficient_scope',
  account_removed: 'invalid_session',
  import_environment_differs: 'validation_failed',
  not_in_plan: 'not_in_plan',
  duplicate_claim: 'duplicate_claim',
  claim_already_accepted: 'claim_already_accepted',
  claim_closed: 'claim_closed',
  claim_changed: 'claim_changed',
  already_member: 'already_member',
  invitation_pending: 'invitation_pending',
  idempotency_key_reused: 'idempotency_key_reused',
  // The specification spells this code differently.
  unknown_svcid: 'unknown_osaid',
  adjuster_not_in_firm: 'adjuster_not_in_firm',
  adjuster_not_accepting: 'adjuster_not_accepting',
  environment_mismatch: 'environment_mismatch',
  building_pair_refused: 'validation_failed',
  policy_term_reversed: 'validation_failed',
  offer_not_pending: 'offer_not_pending',
  work_changed: 'work_changed',
  contact_log_full: 'validation_failed',
  profile_incomplete: 'profile_incomplete',
  email_taken: 'validation_failed',
  code_refused: 'validation_failed',
  code_not_requested: 'code_not_requested',
  sign_in_refused: 'invalid_sign_in',
  passkey_refused: 'validation_failed',
  passkey_required: 'passkey_required',
  too_many_passkeys: 'too_many_passkeys',
  webhook_url_refused: 'validation_failed',
  too_many_webhooks: 'validation_failed',
  key_revoked: 'validation_failed',
  already_rolled: 'validation_failed',
  too_many_keys: 'validation_failed',
  staff_exists: 'validation_failed',
  too_many_staff: 'validation_failed',
  last_admin: 'last_admin',
};

/** JSON pointers for domain errors that the API reports as `validation_failed`. */
const POINTERS: Partial<Record<DomainErrorCode, string>> = {
  building_pair_refused: '/building/building_type',
  policy_term_reversed: '/policy/expiration_date',
  email_taken: '/email',
  code_refused: '/code',
  passkey_refused: '',
  contact_log_full: '',
  webhook_url_refused: '/url',
  too_many_webhooks: '',
  key_revoked: '',
  already_rolled: '',
  too_many_keys: '',
  import_environment_differs: '/import_id',
  staff_exists: '/email',
  too_many_staff: '',
};

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
export function asHttpProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof DomainError) {
    const pointer = POINTERS[error.code];
    const title = TITLES[error.code];
    return new HttpProblem(WIRE_CODES[error.code], {
      detail: error.message,
      ...(title !== undefined && { title }),
      ...(pointer !== undefined && { errors: [{ detail: error.message, pointer }] }),
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
