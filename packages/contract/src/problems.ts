import { z } from 'zod';
import { shown } from './fields.ts';
import { LIMITS } from './limits.ts';
import { openEnum, responseObject } from './response-schema.ts';

interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  readonly cause: string;
  readonly fix: string;
}

/** For people; sizes here are powers of 1,024. */
export const sizeInWords = (bytes: number): string =>
  bytes < 2 ** 20 ? `${bytes / 2 ** 10} kB` : `${bytes / 2 ** 20} MB`;

/** Every error the service can answer with. The documentation's error pages are printed from this table. */
export const ERRORS = {
  malformed_request: {
    status: 400,
    title: 'The request body cannot be read',
    cause: `The body is empty, is not valid JSON, is not UTF-8, is nested deeper than ${LIMITS.bodyDepth} levels, has two members of one name in an object, or was sent with a Content-Type other than application/json; or the header Host or Idempotency-Key was sent twice.`,
    fix: 'Send one JSON document in UTF-8 with the header Content-Type: application/json, and each member and header once.',
  },
  invalid_key: {
    status: 401,
    title: 'The API key is not valid',
    cause:
      'The Authorization header is missing or malformed, or names a key that is unknown, revoked or expired.',
    fix: 'Send Authorization: Bearer followed by a current key of your firm. Ask for a new key if yours was rolled or revoked.',
  },
  invalid_session: {
    status: 401,
    title: 'The session is not valid',
    cause:
      'The Authorization header is missing or malformed, or the device session it names is unknown, ended or expired.',
    fix: 'Sign in again on this device.',
  },
  invalid_sign_in: {
    status: 401,
    title: 'Sign-in failed',
    cause:
      'The code is wrong, was already used, is older than ten minutes or was tried too often; or the test account and its secret do not belong together.',
    fix: 'Ask for a new code and enter it within ten minutes. For a test account, copy the secret shown when the firm was created.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The key lacks a permission',
    cause: 'The purpose of this key does not include the permission that the operation needs.',
    fix: 'Use a key made for this purpose. GET /v1/me lists what a key may do.',
  },
  not_in_plan: {
    status: 403,
    title: "The firm's plan lacks this capability",
    cause: "The key's purpose includes the permission, but the firm's current plan does not.",
    fix: 'Have the plan changed; the same key works as soon as the plan includes the capability.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    cause:
      'The path is unknown, the id does not exist in your firm, a test key asked for a real claim, or there is no pending invitation to withdraw or answer.',
    fix: 'Check the path and the id, and that the key belongs to the environment in which the record was made.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    cause: 'The path exists, but not with this method.',
    fix: 'Use one of the methods listed in the Allow header of the response.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    cause: 'The headers or the body of the request did not arrive in time, so the connection was closed.',
    fix: 'Send the whole request at once, on a new connection. The same Idempotency-Key may be used.',
  },
  duplicate_claim: {
    status: 409,
    title: 'The claim was already sent',
    cause:
      'Your firm already sent a claim with this external_id in this environment, or has an open claim with this claim_number. existing_claim_id names it.',
    fix: 'Read the existing claim instead of sending it again. A claim that is new needs its own external_id and claim_number.',
  },
  claim_already_accepted: {
    status: 409,
    title: 'The claim was already accepted',
    cause: 'An adjuster accepted the claim, so it cannot be offered to anybody else.',
    fix: 'Read the claim to see who accepted it.',
  },
  claim_closed: {
    status: 409,
    title: 'The claim is closed',
    cause:
      'The claim was closed before an adjuster accepted it, so it cannot be offered. A closed claim that had been accepted returns claim_already_accepted.',
    fix: 'If the loss needs more work, send it as a new claim with a new external_id.',
  },
  already_member: {
    status: 409,
    title: 'The adjuster is already in the firm',
    cause: 'The adjuster accepted an invitation of your firm earlier and is still a member.',
    fix: 'No invitation is needed: send claims to this adjuster.',
  },
  invitation_pending: {
    status: 409,
    title: 'An invitation is already pending',
    cause: 'The adjuster has an unanswered invitation of your firm.',
    fix: 'Wait for the answer, or withdraw the pending invitation and invite again to change its notes.',
  },
  offer_not_pending: {
    status: 409,
    title: 'The offer is no longer pending',
    cause:
      'The offer was already answered, the claim is closed, or it is not at the stage that this step needs.',
    fix: 'Reload the claim and go on from the status it shows.',
  },
  profile_incomplete: {
    status: 409,
    title: 'The profile is incomplete',
    cause:
      'An invitation can be accepted only once the profile holds a first name, a last name and an email.',
    fix: 'Fill in the profile fields that the invitation lists as missing, then accept again.',
  },
  payload_too_large: {
    status: 413,
    title: 'The request body is too large',
    cause: `The body is larger than ${sizeInWords(LIMITS.bodyBytes)}, or, where no key is needed, than ${sizeInWords(LIMITS.openBodyBytes)}.`,
    fix: 'Shorten the body. Documents and photographs do not belong in a claim.',
  },
  validation_failed: {
    status: 422,
    title: 'The request is not valid',
    cause:
      'A field, parameter or header is missing, unknown, of the wrong type, outside its bounds, or contradicts another one.',
    fix: 'Correct each place listed in errors and send the request again. The same Idempotency-Key may be used.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key belongs to another request',
    cause: 'Within the last 24 hours this Idempotency-Key was used with a different method, path or body.',
    fix: 'Make a new key for each new request, and keep a key only for retries of the very same request.',
  },
  unknown_osaid: {
    status: 422,
    title: 'No adjuster has this SVCID',
    cause:
      "No account has the SVCID. With a test key, only the firm's own test accounts exist. Capital and small letters differ.",
    fix: 'Ask the adjuster for the SVCID exactly as their app shows it, or use one of your test accounts with a test key.',
  },
  adjuster_not_in_firm: {
    status: 422,
    title: 'The adjuster is not in the firm',
    cause:
      'The adjuster is not an active member of your firm: not invited, not yet accepted, or gone. With a test key, every real adjuster counts as such.',
    fix: 'Invite the adjuster and wait for the acceptance; GET /v1/adjusters shows it as active.',
  },
  adjuster_not_accepting: {
    status: 422,
    title: 'The adjuster is not accepting claims',
    cause:
      'The adjuster is in the firm but may not accept claims or has paused assignments. This cannot be checked in advance.',
    fix: 'Send the claim to another adjuster, or later to the same one.',
  },
  environment_mismatch: {
    status: 422,
    title: 'Live and test do not mix',
    cause: 'A live key named a test account, or tried to offer a test claim.',
    fix: 'Use a test key for test accounts and test claims.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    cause: 'More requests came in than the limit allows.',
    fix: 'Wait for the number of seconds in the Retry-After header, then send the request again.',
  },
  headers_too_large: {
    status: 431,
    title: 'The request headers are too large',
    cause: 'The request line and the headers together are larger than 16 KB.',
    fix: 'Shorten the address and the headers. Cookies of other services do not belong here.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    cause: 'The service failed while it handled the request.',
    fix: 'Retry with the same Idempotency-Key, waiting longer each time. If it persists, report the request_id.',
  },
  service_unavailable: {
    status: 503,
    title: 'The service is not available',
    cause:
      'The service is starting, stopping, cannot reach its database, or is receiving more data than it can hold.',
    fix: 'Wait for the number of seconds in the Retry-After header, then retry with the same Idempotency-Key.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** One thing that is wrong with a request, and the one place where it is wrong. */
export type ProblemItem =
  | { readonly detail: string; readonly pointer: string; readonly parameter?: never; readonly header?: never }
  | { readonly detail: string; readonly parameter: string; readonly pointer?: never; readonly header?: never }
  | {
      readonly detail: string;
      readonly header: string;
      readonly pointer?: never;
      readonly parameter?: never;
    };

const problemItem = responseObject({
  detail: shown.text('What is wrong and what is allowed; wording may change.', 'Must be a calendar date.'),
  pointer: shown.text('JSON Pointer to the body field.', '/loss/date').optional(),
  parameter: shown.text('Name of the query or path parameter.', 'limit').optional(),
  header: shown.text('Name of the header.', 'Idempotency-Key').optional(),
}).meta({
  description: 'One problem of the request, with exactly one of pointer, parameter and header.',
  oneOf: [{ required: ['pointer'] }, { required: ['parameter'] }, { required: ['header'] }],
  example: { detail: 'Must be a calendar date.', pointer: '/loss/date' },
});

/** The body of every error, RFC 9457. */
export const problemSchema = responseObject({
  type: shown.text(
    "Link to the error's page in the documentation.",
    'https://example.com/docs/errors#not_found',
    {
      format: 'uri',
    },
  ),
  title: shown.text('Short summary; wording may change.', 'Not found'),
  status: shown.integer('The HTTP status of the response.', 404),
  detail: shown.text('Explanation of this occurrence; wording may change.', 'No claim has this id.'),
  code: openEnum(ERROR_CODES, {
    description: 'Stable code to match on. New codes may be added; treat an unknown one by its status.',
    example: 'not_found',
  }),
  request_id: shown.text('Equals the X-Request-Id header.', '01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55'),
  errors: z
    .array(problemItem)
    .meta({
      description: `The problems of the request, ${LIMITS.problemErrors} at most; only with validation_failed.`,
      example: [{ detail: 'Must be a calendar date.', pointer: '/loss/date' }],
    })
    .optional(),
  existing_claim_id: shown
    .uuid('The claim that is in the way; only with duplicate_claim.', '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10')
    .optional(),
  existing_claim_url: shown
    .text(
      'Where to read that claim; only with duplicate_claim.',
      'https://example.com/v1/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10',
      { format: 'uri' },
    )
    .optional(),
}).meta({ id: 'Problem', description: 'An error, as application/problem+json.' });

/** A problem as this service writes it. A client reads `problemSchema`, which tolerates codes to come. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly request_id: string;
  readonly errors?: readonly ProblemItem[];
  readonly existing_claim_id?: string;
  readonly existing_claim_url?: string;
}

export interface ProblemContext {
  readonly docsUrl: string;
  readonly requestId: string;
  /** What happened this time; the cause in general where nothing more can be said. */
  readonly detail?: string;
  readonly errors?: readonly ProblemItem[];
  readonly existingClaim?: { readonly id: string; readonly url: string };
}

export function makeProblem(code: ErrorCode, context: ProblemContext): Problem {
  const { status, title, cause } = ERRORS[code];
  return {
    type: problemType(code, context.docsUrl),
    title,
    status,
    detail: context.detail ?? cause,
    code,
    request_id: context.requestId,
    ...(context.errors && { errors: context.errors }),
    ...(context.existingClaim && {
      existing_claim_id: context.existingClaim.id,
      existing_claim_url: context.existingClaim.url,
    }),
  };
}

const problemType = (code: ErrorCode, docsUrl: string): string => `${docsUrl}/errors#${code}`;
