import { z } from 'zod';
import { responseField } from './fields.ts';
import { LIMITS } from './limits.ts';
import { openEnum, responseObject } from './response-schema.ts';

interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  readonly cause: string;
  readonly fix: string;
}

/** Formats a size for an error text; 1 kB is 1,024 bytes. */
export const formatSize = (bytes: number): string =>
  bytes < 2 ** 20 ? `${bytes / 2 ** 10} kB` : `${bytes / 2 ** 20} MB`;

/** Every error that the service returns. The documentation's error pages are generated from this table. */
export const ERRORS = {
  malformed_request: {
    status: 400,
    title: 'The request is malformed',
    cause: `The body is empty, is not valid JSON, is not UTF-8, is nested deeper than ${LIMITS.bodyDepth} levels, has an object with a duplicate name, or was sent with a Content-Type other than application/json; or the Host or Idempotency-Key header was sent more than once.`,
    fix: 'Send one JSON document in UTF-8 with the header Content-Type: application/json, and send each name and header only once.',
  },
  invalid_key: {
    status: 401,
    title: 'The API key is not valid',
    cause: 'The Authorization header is missing or malformed, or its key is unknown, revoked or expired.',
    fix: 'Send Authorization: Bearer followed by a current key of your firm. Request a new key if yours was rolled or revoked.',
  },
  invalid_session: {
    status: 401,
    title: 'The session is not valid',
    cause:
      'The Authorization header is missing or malformed, or its session token is unknown, signed out or expired.',
    fix: 'Sign in again on this device.',
  },
  invalid_sign_in: {
    status: 401,
    title: 'Sign-in failed',
    cause:
      'The code is wrong, was already used, is older than ten minutes or was tried too often; or the sign-in secret is not the secret of this test account.',
    fix: 'Request a new code and enter it within ten minutes. For a test account, copy the secret that was shown when the firm was created.',
  },
  code_not_requested: {
    status: 401,
    title: 'No code was requested here',
    cause:
      'A code works only in the browser, or with the client_secret, that requested it. Nothing was requested there for this email address within the last ten minutes, or its code was already used.',
    fix: 'Request a new code and enter it in the same browser, or with the same client_secret.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The key does not have the required scope',
    cause: 'The purpose of this key does not include the scope that the operation requires.',
    fix: "Use a key with the required scope. GET /v1/me lists the scopes of a key. At the firm's desk, the role of the staff member does not include the permission: ask an administrator of your firm for another role.",
  },
  not_in_plan: {
    status: 403,
    title: "The firm's plan does not include the required scope",
    cause: "The key's purpose includes the scope, but the firm's current plan does not.",
    fix: 'Request a change of plan. The same key works as soon as the plan includes the scope.',
  },
  passkey_required: {
    status: 403,
    title: 'A passkey is required',
    cause:
      'The operator requires passkeys. The account has a passkey and signed in without it, or has none yet and may only add one; or this is its last passkey, which it cannot remove.',
    fix: 'Sign in with the passkey. If the account has none, add one: until then, only the profile and the passkeys can be used. If the passkey is lost, ask the operator to remove it.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    cause:
      'The path is unknown, the id does not exist in your firm, a test key requested a live claim, or there is no pending invitation.',
    fix: 'Check the path and the id, and that the key belongs to the environment in which the record was created.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    cause: 'The path does not support this method.',
    fix: 'Use one of the methods listed in the Allow header of the response.',
  },
  request_timeout: {
    status: 408,
    title: 'The request timed out',
    cause: 'The headers or the body of the request did not arrive in time, so the connection was closed.',
    fix: 'Send the whole request without pauses, on a new connection. You can use the same Idempotency-Key.',
  },
  duplicate_claim: {
    status: 409,
    title: 'The claim was already sent',
    cause:
      'Your firm already sent a claim with this external_id in this environment, or has an open claim with this claim_number. existing_claim_id is the id of that claim.',
    fix: 'Read the existing claim instead of sending it again. A new claim needs a new external_id and claim_number.',
  },
  claim_already_accepted: {
    status: 409,
    title: 'The claim was already accepted',
    cause: 'An adjuster accepted the claim, so its offer can no longer be replaced or withdrawn.',
    fix: 'Read the claim to see who accepted it.',
  },
  claim_changed: {
    status: 409,
    title: 'The claim has changed',
    cause:
      'The claim was offered, answered or unassigned after the updated_at that the request named. The detail says who offered it, and to whom.',
    fix: 'Read the claim again. If it should still be offered to another adjuster, send the request with its current updated_at and a new Idempotency-Key.',
  },
  clocks_changed: {
    status: 409,
    title: 'The clocks have changed',
    cause:
      'The rules are no longer those of based_on: somebody else has changed them. Nothing of the request was saved.',
    fix: 'Read the rules again, and send your change of them with their version.',
  },
  claim_closed: {
    status: 409,
    title: 'The claim is closed',
    cause:
      'The claim was closed before an adjuster accepted it, so it cannot be offered. A claim that was accepted before it was closed returns claim_already_accepted.',
    fix: 'If the loss needs more work, send it as a new claim with a new external_id.',
  },
  already_member: {
    status: 409,
    title: 'The adjuster is already in the firm',
    cause: 'The adjuster is a member of your firm.',
    fix: 'No invitation is needed. You can send claims to this adjuster.',
  },
  invitation_pending: {
    status: 409,
    title: 'An invitation is already pending',
    cause: 'The adjuster has a pending invitation from your firm.',
    fix: 'Wait for the adjuster to respond. To change the notes, withdraw the invitation and invite again.',
  },
  offer_not_pending: {
    status: 409,
    title: 'The offer is no longer pending',
    cause:
      'The offer was already accepted or rejected, the claim was offered again since offered_at, the claim is closed, or its status does not allow this operation.',
    fix: 'Reload the claim and continue from its current status.',
  },
  work_changed: {
    status: 409,
    title: 'The entries have changed',
    cause:
      "The adjuster's entries are no longer those of based_on: they were changed on another device or in another tab. Nothing of the request was saved.",
    fix: 'Merge your changes with the entries in work, and send them again based on its version.',
  },
  credentials_changed: {
    status: 409,
    title: 'The credentials have changed',
    cause:
      'The credentials of the adjuster are no longer those of based_on: they were changed on another device. Nothing of the request was saved.',
    fix: 'Read the credentials again, and send what they should be based on their version.',
  },
  profile_incomplete: {
    status: 409,
    title: 'The profile is incomplete',
    cause: 'Accepting an invitation requires a profile with a first name, a last name and an email address.',
    fix: 'Complete the profile fields listed in missing_profile_fields of the invitation, then accept again.',
  },
  too_many_passkeys: {
    status: 409,
    title: 'The account has too many passkeys',
    cause: `An account has at most ${LIMITS.passkeysPerAccount} passkeys.`,
    fix: 'Remove a passkey that is no longer used, then add the new one.',
  },
  last_admin: {
    status: 409,
    title: 'The firm needs an administrator',
    cause: 'The only administrator of a firm cannot be removed or get another role.',
    fix: 'Make somebody else an administrator first.',
  },
  payload_too_large: {
    status: 413,
    title: 'The request body is too large',
    cause: `The body is larger than ${formatSize(LIMITS.bodyBytes)}, for an operation without authentication larger than ${formatSize(LIMITS.openBodyBytes)}, or as a message of an AI agent larger than ${formatSize(LIMITS.messageBytes)}.`,
    fix: 'Shorten the body. Do not include documents or photos.',
  },
  validation_failed: {
    status: 422,
    title: 'The request is not valid',
    cause: `A field, parameter or header is missing, unknown, of the wrong type, out of range, or inconsistent with another one; or the body holds more than ${LIMITS.bodyValues} values.`,
    fix: 'Correct everything listed in errors and send the request again. You can use the same Idempotency-Key.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    cause: 'Within the last 24 hours this Idempotency-Key was used with a different method, path or body.',
    fix: 'Generate a new Idempotency-Key for each new request. Use the same one only to retry the same request.',
  },
  unknown_osaid: {
    status: 422,
    title: 'No adjuster has this SVCID',
    cause:
      "No account has the SVCID, or it is another firm's test account. An invitation with a test key also returns this code for a real adjuster; sending and offering return adjuster_not_in_firm. SVCIDs are case-sensitive. The code has the SVCID's former name, OSAID, and keeps it.",
    fix: 'Copy the SVCID exactly as the app shows it to the adjuster. With a test key, use one of your test accounts.',
  },
  adjuster_not_in_firm: {
    status: 422,
    title: 'The adjuster is not in the firm',
    cause:
      'The adjuster is not an active member of your firm: never invited, invitation not accepted, or no longer a member. With a test key, this includes every real adjuster.',
    fix: 'Invite the adjuster and wait until GET /v1/adjusters shows the status active.',
  },
  adjuster_not_accepting: {
    status: 422,
    title: 'The adjuster is not accepting claims',
    cause:
      'The adjuster is in the firm but has paused assignments or does not have permission to accept claims. This cannot be checked in advance.',
    fix: 'Send the claim to another adjuster, or try the same adjuster later.',
  },
  environment_mismatch: {
    status: 422,
    title: 'A live key cannot use test data',
    cause: 'A live key named a test account, tried to change a test claim, or called the sandbox.',
    fix: 'Use a test key for test accounts, test claims and the sandbox.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    cause: 'The rate limit was exceeded.',
    fix: 'Wait for the number of seconds in the Retry-After header, then retry.',
  },
  headers_too_large: {
    status: 431,
    title: 'The request headers are too large',
    cause: 'The request line and the headers together are larger than 16 KB.',
    fix: 'Shorten the URL and the headers. Do not send cookies.',
  },
  internal_error: {
    status: 500,
    title: 'Internal server error',
    cause: 'An unexpected error occurred in the service.',
    fix: 'Retry with the same Idempotency-Key and exponential backoff. If the error persists, contact support with the request_id.',
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    cause: 'The service is starting or stopping, cannot reach its database, or is overloaded.',
    fix: 'Wait for the number of seconds in the Retry-After header, then retry with the same Idempotency-Key.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** One validation error and its location: exactly one of `pointer`, `parameter` and `header`. */
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
  detail: responseField.text(
    'What is wrong and what is allowed; wording may change.',
    'Must be a valid calendar date (YYYY-MM-DD).',
  ),
  pointer: responseField.text('JSON Pointer to the body field.', '/loss/date').optional(),
  parameter: responseField.text('Name of the query or path parameter.', 'limit').optional(),
  header: responseField.text('Name of the header.', 'Idempotency-Key').optional(),
}).meta({
  id: 'ValidationError',
  description: 'A validation error, with exactly one of pointer, parameter and header.',
  example: { detail: 'Must be a valid calendar date (YYYY-MM-DD).', pointer: '/loss/date' },
});

/** The body of every error response, RFC 9457. */
export const problemSchema = responseObject({
  type: responseField.text(
    "Link to the error's page in the documentation.",
    'https://example.com/docs/errors#not_found',
    {
      format: 'uri',
    },
  ),
  title: responseField.text('Short summary; wording may change.', 'Not found'),
  status: responseField.integer('The HTTP status of the response.', 404),
  detail: responseField.text('Explanation of this occurrence; wording may change.', 'No claim has this id.'),
  code: openEnum(ERROR_CODES, {
    id: 'ErrorCode',
    description:
      'Stable error code; branch on it. New codes may be added: handle an unknown code by its status.',
    example: 'not_found',
  }),
  request_id: responseField.text('Equals the X-Request-Id header.', '01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55'),
  errors: z
    .array(problemItem)
    .meta({
      description: `The validation errors, at most ${LIMITS.problemErrors}; only with validation_failed.`,
      example: [{ detail: 'Must be a valid calendar date (YYYY-MM-DD).', pointer: '/loss/date' }],
    })
    .optional(),
  existing_claim_id: responseField
    .uuid('Id of the existing claim; only with duplicate_claim.', '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10')
    .optional(),
  existing_claim_url: responseField
    .text(
      'URL of the existing claim; only with duplicate_claim.',
      'https://example.com/v1/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10',
      { format: 'uri' },
    )
    .optional(),
}).meta({ id: 'Problem', description: 'An error (RFC 9457), sent as application/problem+json.' });

/** A problem as the service creates it. Clients parse `problemSchema`, which also accepts future codes. */
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
  readonly work?: object;
}

export interface ProblemContext {
  readonly docsUrl: string;
  readonly requestId: string;
  /** Instead of the general one. */
  readonly title?: string;
  /** Explains this occurrence; defaults to the general cause. */
  readonly detail?: string;
  readonly errors?: readonly ProblemItem[];
  /** The adjuster's entries as they are, for `work_changed`. */
  readonly work?: object;
  readonly existingClaim?: { readonly id: string; readonly url: string };
}

/** Of errors at the firm's desk, where they are about people instead of keys. */
export const STAFF_TITLES = {
  insufficient_scope: 'Your role does not include the required permission',
} as const;

export function makeProblem(code: ErrorCode, context: ProblemContext): Problem {
  const { status, title, cause } = ERRORS[code];
  return {
    type: problemType(code, context.docsUrl),
    title: context.title ?? title,
    status,
    detail: context.detail ?? cause,
    code,
    request_id: context.requestId,
    ...(context.errors && { errors: context.errors }),
    ...(context.work && { work: context.work }),
    ...(context.existingClaim && {
      existing_claim_id: context.existingClaim.id,
      existing_claim_url: context.existingClaim.url,
    }),
  };
}

/** The `detail` of `validation_failed`, with `count` errors of which the first `listed` are in the response. */
export function validationSummary(count: number, listed: number): string {
  if (count === 1) return '1 validation error.';
  const all = `${count} validation errors.`;
  return listed === count ? all : `${all} The first ${listed} are listed; there are ${count - listed} more.`;
}

export const problemType = (code: ErrorCode, docsUrl: string): string => `${docsUrl}/errors#${code}`;
