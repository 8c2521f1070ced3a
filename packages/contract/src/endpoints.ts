import { z } from 'zod';
import { adjusterSchema, inviteAdjusterBody, keyInfoSchema } from './adjuster.ts';
import {
  acceptOfferBody,
  appClaimSchema,
  appInvitationSchema,
  availabilitySchema,
  confirmEmailBody,
  deadlineSchema,
  declinedInvitationSchema,
  devicePreferencesBody,
  deviceSchema,
  logContactBody,
  membershipSchema,
  ownSessionSchema,
  passkeyOptionsSchema,
  passkeySchema,
  profileSchema,
  registerDeviceBody,
  registerPasskeyBody,
  rejectClaimBody,
  rejectOfferBody,
  renamePasskeyBody,
  reportErrorBody,
  requestSignInCodeBody,
  sessionSchema,
  signInBody,
  startPasskeySignInBody,
  updateAvailabilityBody,
  updateMembershipBody,
  updateProfileBody,
  updateWorkBody,
} from './app.ts';
import { claimSchema, offerClaimBody, sendClaimBody } from './claim.ts';
import { readinessQuery, readinessSchema } from './desk/readiness.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { fields, headerText, instantParameter, oneOf, text, uuidParameter } from './fields.ts';
import { LIMITS } from './limits.ts';
import { changesOf, pageOf, pageParameters } from './page.ts';
import { externalId, svcId } from './people.ts';
import { responseObject } from './response-schema.ts';
import { departedAdjusterSchema, simulatedFaultsSchema, simulateFaultsBody } from './sandbox.ts';
import { APP_CLAIM_STATUSES, ASSIGNMENT_STATUSES } from './vocabulary.ts';

const ANY_REQUEST = ['validation_failed', 'internal_error', 'service_unavailable'] as const;
const KEY_REQUEST = ['invalid_key', 'rate_limited', ...ANY_REQUEST] as const;
const SCOPED_REQUEST = ['insufficient_scope', 'not_in_plan', ...KEY_REQUEST] as const;
/** Of a session that may be without a passkey where the operator requires one. */
const ANY_SESSION_REQUEST = ['invalid_session', 'rate_limited', ...ANY_REQUEST] as const;
const SESSION_REQUEST = ['passkey_required', ...ANY_SESSION_REQUEST] as const;
const WITH_BODY = ['malformed_request', 'payload_too_large'] as const;
const NAMES_ADJUSTER = [
  'unknown_osaid',
  'environment_mismatch',
  'adjuster_not_in_firm',
  'adjuster_not_accepting',
] as const;

const idempotencyHeaders = z.object({
  'Idempotency-Key': headerText(LIMITS.idempotencyKey, {
    description: `A unique value that you choose for this request. A retry with the same value within ${LIMITS.idempotencyWindowHours} hours returns the existing result.`,
    example: '6f1f4c0e-6c0b-4a2f-9d57-8f3f3f0a1c22',
  }),
});

const claimParams = fields({
  id: uuidParameter(
    {
      description: "The service's id of the claim.",
      example: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10',
    },
    'use the id from the response to sending, or find the claim with GET /v1/claims?external_id=.',
  ),
});

const offeredClaimParams = fields({
  id: uuidParameter({ description: 'Id of the claim.', example: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10' }),
});

const contactParams = fields({
  ...claimParams.shape,
  contact_id: text(LIMITS.contactId, {
    description: 'An id that the app generates for the attempt.',
    example: 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60',
  }),
});

const firmParams = fields({
  firm_id: uuidParameter({ description: 'Id of the firm.', example: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21' }),
});

const passkeyParams = fields({
  passkey_id: uuidParameter({
    description: 'Id of the passkey.',
    example: '1f6a3d0e-7a37-4c3b-8f0a-2b7c5f2f9e11',
  }),
});

const sessionParams = fields({
  session_id: uuidParameter({
    description: 'Id of the session.',
    example: '7c1c9c52-0f0a-4b53-9d57-2f1f7a3c9d44',
  }),
});

const deviceParams = fields({
  device_id: text(LIMITS.deviceId, {
    description: 'An id that the app generates for the device.',
    example: 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60',
  }),
});

const statusFilter = <const Status extends string>(values: readonly Status[], example: Status) =>
  oneOf(values, { description: 'Only claims with this status.', example }).optional();

/** The operations of the firm API. */
export const firmEndpoints = {
  listClaims: endpoint({
    id: 'listClaims',
    method: 'GET',
    path: '/v1/claims',
    auth: 'key',
    scope: 'claims:read',
    write: false,
    summary: 'List claims',
    description:
      'The claims of the firm, ordered by updated_at and id, oldest change first. Poll it with updated_since to get changes, such as the responses of adjusters.',
    query: fields({
      updated_since: instantParameter({
        description: 'Only claims that changed at or after this time.',
        example: '2026-08-29T14:30:00Z',
      }).optional(),
      assignment_status: statusFilter(ASSIGNMENT_STATUSES, 'rejected'),
      external_id: externalId().optional(),
      ...pageParameters(),
    }),
    success: { status: 200, schema: pageOf('ClaimPage', claimSchema, []), description: 'A page of claims.' },
    problems: SCOPED_REQUEST,
  }),
  sendClaim: endpoint({
    id: 'sendClaim',
    method: 'POST',
    path: '/v1/claims',
    auth: 'key',
    scope: 'claims:create',
    write: true,
    summary: 'Send a claim',
    description: 'Creates a claim and offers it to the adjuster, who gets a push notification.',
    headers: idempotencyHeaders,
    body: sendClaimBody,
    success: {
      status: 201,
      schema: claimSchema,
      description: 'The claim; its assignment is pending_acceptance.',
    },
    problems: [
      ...WITH_BODY,
      ...SCOPED_REQUEST,
      'duplicate_claim',
      'idempotency_key_reused',
      ...NAMES_ADJUSTER,
    ],
  }),
  getClaim: endpoint({
    id: 'getClaim',
    method: 'GET',
    path: '/v1/claims/{id}',
    auth: 'key',
    scope: 'claims:read',
    write: false,
    summary: 'Get a claim',
    description: 'The claim as it was sent, with its current assignment.',
    params: claimParams,
    success: { status: 200, schema: claimSchema, description: 'The claim.' },
    problems: [...SCOPED_REQUEST, 'not_found'],
  }),
  offerClaim: endpoint({
    id: 'offerClaim',
    method: 'POST',
    path: '/v1/claims/{id}/assignment',
    auth: 'key',
    scope: 'claims:write',
    write: true,
    summary: 'Offer a claim to another adjuster',
    description: 'Offers a claim that is pending_acceptance, rejected or unassigned to another adjuster.',
    params: claimParams,
    headers: idempotencyHeaders,
    body: offerClaimBody,
    success: {
      status: 200,
      schema: claimSchema,
      description: 'The claim; its assignment is pending_acceptance.',
    },
    problems: [
      ...WITH_BODY,
      ...SCOPED_REQUEST,
      'not_found',
      'claim_already_accepted',
      'claim_closed',
      'idempotency_key_reused',
      ...NAMES_ADJUSTER,
    ],
  }),
  inviteAdjuster: endpoint({
    id: 'inviteAdjuster',
    method: 'POST',
    path: '/v1/adjusters/invitations',
    auth: 'key',
    scope: 'adjusters:write',
    write: true,
    summary: 'Invite an adjuster',
    description: `Invites the adjuster with this SVCID to the firm. The invitation expires after ${LIMITS.invitationExpiryDays} days.`,
    body: inviteAdjusterBody,
    success: { status: 201, schema: adjusterSchema, description: 'The pending invitation.' },
    problems: [
      ...WITH_BODY,
      ...SCOPED_REQUEST,
      'already_member',
      'invitation_pending',
      'unknown_osaid',
      'environment_mismatch',
    ],
  }),
  listAdjusters: endpoint({
    id: 'listAdjusters',
    method: 'GET',
    path: '/v1/adjusters',
    auth: 'key',
    scope: 'adjusters:read',
    write: false,
    summary: 'List adjusters and invitations',
    description: 'All members and invitations of the firm, whatever their status.',
    query: fields(pageParameters()),
    success: {
      status: 200,
      schema: pageOf('AdjusterPage', adjusterSchema, []),
      description: 'A page of adjusters.',
    },
    problems: SCOPED_REQUEST,
  }),
  withdrawInvitation: endpoint({
    id: 'withdrawInvitation',
    method: 'DELETE',
    path: '/v1/adjusters/invitations/{svc_id}',
    auth: 'key',
    scope: 'adjusters:write',
    write: true,
    summary: 'Withdraw an invitation',
    description: 'Withdraws a pending invitation, which can then no longer be accepted.',
    params: fields({ svc_id: svcId() }),
    success: { status: 200, schema: adjusterSchema, description: 'The withdrawn invitation.' },
    problems: [...WITH_BODY, ...SCOPED_REQUEST, 'not_found', 'environment_mismatch'],
  }),
  getKeyInfo: endpoint({
    id: 'getKeyInfo',
    method: 'GET',
    path: '/v1/me',
    auth: 'key',
    scope: null,
    write: false,
    summary: 'Check a key',
    description: 'The API key of the request, its firm and its current scopes.',
    success: { status: 200, schema: keyInfoSchema, description: 'The key.' },
    problems: KEY_REQUEST,
  }),
  getHealth: endpoint({
    id: 'getHealth',
    method: 'GET',
    path: '/v1/health',
    auth: 'none',
    scope: null,
    write: false,
    summary: 'Check the service',
    description: 'Returns 200 while the service accepts requests. Requires no key.',
    success: {
      status: 200,
      schema: responseObject({}).meta({ id: 'Health', description: 'An empty object.' }),
      description: 'The service accepts requests.',
    },
    problems: ANY_REQUEST,
  }),
} as const satisfies Record<string, Endpoint>;

const SANDBOX_REQUEST = [...WITH_BODY, ...SCOPED_REQUEST, 'environment_mismatch'] as const;

const testAccountParams = fields({ svc_id: svcId() });

const sandboxClaim = {
  auth: 'key',
  scope: 'claims:write',
  sandbox: true,
  write: true,
  params: claimParams,
} as const;
const sandboxAdjuster = {
  auth: 'key',
  scope: 'adjusters:write',
  sandbox: true,
  write: true,
  params: testAccountParams,
} as const;
const sandboxFaults = { auth: 'key', scope: null, sandbox: true, write: true } as const;

/** Operations that simulate what adjusters, time and failures do. For test keys only. */
export const sandboxEndpoints = {
  acceptTestClaim: endpoint({
    ...sandboxClaim,
    id: 'acceptTestClaim',
    method: 'POST',
    path: '/v1/test/claims/{id}/acceptance',
    summary: 'Accept an offer as the test account',
    description:
      'The test account that the claim is offered to accepts it now. If its permission was withdrawn, the claim becomes `unassigned` and the error is `offer_not_pending`, as in the app.',
    success: { status: 200, schema: claimSchema, description: 'The accepted claim.' },
    problems: [...SANDBOX_REQUEST, 'not_found', 'offer_not_pending'],
  }),
  rejectTestClaim: endpoint({
    ...sandboxClaim,
    id: 'rejectTestClaim',
    method: 'POST',
    path: '/v1/test/claims/{id}/rejection',
    summary: 'Reject an offer as the test account',
    description: 'The test account that the claim is offered to rejects it now, with or without a reason.',
    body: rejectClaimBody,
    bodyRequired: false,
    success: { status: 200, schema: claimSchema, description: 'The rejected claim.' },
    problems: [...SANDBOX_REQUEST, 'not_found', 'offer_not_pending'],
  }),
  closeTestClaim: endpoint({
    ...sandboxClaim,
    id: 'closeTestClaim',
    method: 'POST',
    path: '/v1/test/claims/{id}/closure',
    summary: 'Close a test claim',
    description:
      'Closes the claim, whatever its status: its claim number is free again, and it can no longer be offered. As with every closed claim, the response does not show it and `updated_at` does not change.',
    success: { status: 200, schema: claimSchema, description: 'The claim.' },
    problems: [...SANDBOX_REQUEST, 'not_found'],
  }),
  acceptTestInvitation: endpoint({
    ...sandboxAdjuster,
    id: 'acceptTestInvitation',
    method: 'POST',
    path: '/v1/test/invitations/{svc_id}/acceptance',
    summary: 'Accept an invitation as the test account',
    description: 'The invited test account joins the firm now.',
    success: { status: 200, schema: adjusterSchema, description: 'The member.' },
    problems: [...SANDBOX_REQUEST, 'not_found'],
  }),
  declineTestInvitation: endpoint({
    ...sandboxAdjuster,
    id: 'declineTestInvitation',
    method: 'POST',
    path: '/v1/test/invitations/{svc_id}/decline',
    summary: 'Decline an invitation as the test account',
    description: 'The invited test account declines now.',
    success: { status: 200, schema: adjusterSchema, description: 'The declined invitation.' },
    problems: [...SANDBOX_REQUEST, 'not_found'],
  }),
  expireTestInvitation: endpoint({
    ...sandboxAdjuster,
    id: 'expireTestInvitation',
    method: 'POST',
    path: '/v1/test/invitations/{svc_id}/expiry',
    summary: 'Let an invitation expire now',
    description: `Ends a pending invitation as if its ${LIMITS.invitationExpiryDays} days had passed.`,
    success: { status: 200, schema: adjusterSchema, description: 'The expired invitation.' },
    problems: [...SANDBOX_REQUEST, 'not_found'],
  }),
  departTestAdjuster: endpoint({
    ...sandboxAdjuster,
    id: 'departTestAdjuster',
    method: 'POST',
    path: '/v1/test/adjusters/{svc_id}/departure',
    summary: 'Let a test account leave the firm',
    description:
      'The test account leaves the firm as an adjuster can in the app: pending offers become `unassigned`, accepted claims stay with it, and the list of adjusters no longer has it. Invite it again to bring it back.',
    success: { status: 200, schema: departedAdjusterSchema, description: 'The account that left.' },
    problems: [...SANDBOX_REQUEST, 'not_found'],
  }),
  pauseTestAdjuster: endpoint({
    ...sandboxAdjuster,
    id: 'pauseTestAdjuster',
    method: 'POST',
    path: '/v1/test/adjusters/{svc_id}/pause',
    summary: 'Pause assignments of a test account',
    description: 'New offers to the test account get `adjuster_not_accepting`. Pending offers stay.',
    success: { status: 200, schema: adjusterSchema, description: 'The member.' },
    problems: [...SANDBOX_REQUEST, 'not_found'],
  }),
  resumeTestAdjuster: endpoint({
    ...sandboxAdjuster,
    id: 'resumeTestAdjuster',
    method: 'POST',
    path: '/v1/test/adjusters/{svc_id}/resume',
    summary: 'Resume assignments of a test account',
    description: 'Ends a pause.',
    success: { status: 200, schema: adjusterSchema, description: 'The member.' },
    problems: [...SANDBOX_REQUEST, 'not_found'],
  }),
  suspendTestAdjuster: endpoint({
    ...sandboxAdjuster,
    id: 'suspendTestAdjuster',
    method: 'POST',
    path: '/v1/test/adjusters/{svc_id}/suspension',
    summary: 'Withdraw the permission to accept claims',
    description:
      'Withdraws the permission of the test account to accept claims: pending offers become `unassigned`, new ones get `adjuster_not_accepting`.',
    success: { status: 200, schema: adjusterSchema, description: 'The member.' },
    problems: [...SANDBOX_REQUEST, 'not_found'],
  }),
  reinstateTestAdjuster: endpoint({
    ...sandboxAdjuster,
    id: 'reinstateTestAdjuster',
    method: 'POST',
    path: '/v1/test/adjusters/{svc_id}/reinstatement',
    summary: 'Restore the permission to accept claims',
    description: 'Ends a suspension.',
    success: { status: 200, schema: adjusterSchema, description: 'The member.' },
    problems: [...SANDBOX_REQUEST, 'not_found'],
  }),
  simulateFaults: endpoint({
    ...sandboxFaults,
    id: 'simulateFaults',
    method: 'PUT',
    path: '/v1/test/faults',
    summary: 'Simulate faults',
    description:
      'The next requests with this key to paths outside of `/v1/test` meet a fault. Replaces faults that were set before.',
    body: simulateFaultsBody,
    success: { status: 200, schema: simulatedFaultsSchema, description: 'The faults of the key.' },
    problems: [...WITH_BODY, ...KEY_REQUEST, 'environment_mismatch'],
  }),
  clearFaults: endpoint({
    ...sandboxFaults,
    id: 'clearFaults',
    method: 'DELETE',
    path: '/v1/test/faults',
    summary: 'End simulated faults',
    description: 'The next requests with this key meet no fault.',
    success: { status: 200, schema: simulatedFaultsSchema, description: 'No faults.' },
    problems: [...WITH_BODY, ...KEY_REQUEST, 'environment_mismatch'],
  }),
  checkReadiness: endpoint({
    id: 'checkReadiness',
    method: 'GET',
    path: '/v1/test/readiness',
    auth: 'key',
    scope: 'claims:read',
    sandbox: true,
    write: false,
    summary: 'Check your integration',
    description:
      'Checks what your program did with this key: retries, Retry-After, back-off, polling, and how it handles duplicates and unknown values. It cannot see what your program does with a response, only what it requests next. A check without evidence is `not_exercised`, and says how to get some.',
    query: readinessQuery,
    success: { status: 200, schema: readinessSchema, description: 'The checks with their findings.' },
    problems: [...SCOPED_REQUEST, 'environment_mismatch'],
  }),
} as const satisfies Record<string, Endpoint>;

const openWrite = { auth: 'none', scope: null, write: true } as const;
const sessionRead = { auth: 'session', scope: null, write: false } as const;
const sessionWrite = { auth: 'session', scope: null, write: true } as const;

/** The operations of the adjuster app. */
export const appEndpoints = {
  requestSignInCode: endpoint({
    ...openWrite,
    id: 'requestSignInCode',
    method: 'POST',
    path: '/app/v1/sign-in-codes',
    summary: 'Request a sign-in code',
    description:
      'Emails a six-digit code that is valid for ten minutes and five attempts. While it is valid, another request with the same `client_secret`, or also without one, sends the same code again. The response is the same whether or not the account exists, and also if too many codes were requested and no email is sent.',
    body: requestSignInCodeBody,
    success: { status: 202, schema: null, description: 'Accepted.' },
    problems: [...WITH_BODY, ...ANY_REQUEST, 'rate_limited'],
  }),
  signIn: endpoint({
    ...openWrite,
    id: 'signIn',
    method: 'POST',
    path: '/app/v1/sessions',
    summary: 'Sign in',
    description:
      'Creates a device session from an emailed code, from the secret of a test account, as in `{"svc_id": "test_mjTZDXoc_manual", "sign_in_secret": "tst_9xQm2LrV4c"}`, or from a passkey. Returns `rate_limited` after too many failed attempts from one IP address (IPv6: one /64), and after too many wrong codes for one account or in total, whether or not the account exists.',
    body: signInBody,
    success: { status: 201, schema: sessionSchema, description: 'The session and its token.' },
    problems: [
      ...WITH_BODY,
      ...ANY_REQUEST,
      'invalid_sign_in',
      'code_not_requested',
      'passkey_required',
      'rate_limited',
    ],
  }),
  signOut: endpoint({
    ...sessionWrite,
    id: 'signOut',
    method: 'DELETE',
    path: '/app/v1/sessions/current',
    beforePasskey: true,
    summary: 'Sign out',
    description: 'Ends the current session.',
    success: { status: 204, schema: null, description: 'Signed out.' },
    problems: [...WITH_BODY, ...ANY_SESSION_REQUEST],
  }),
  startPasskeySignIn: endpoint({
    ...openWrite,
    id: 'startPasskeySignIn',
    method: 'POST',
    path: '/app/v1/passkey-options',
    summary: 'Start a sign-in with a passkey',
    description:
      'Returns options for navigator.credentials.get(). The response of the browser opens one session within five minutes, with the same `client_secret`.',
    body: startPasskeySignInBody,
    success: { status: 200, schema: passkeyOptionsSchema, description: 'The options.' },
    problems: [...WITH_BODY, ...ANY_REQUEST],
  }),
  startPasskeyRegistration: endpoint({
    ...sessionWrite,
    id: 'startPasskeyRegistration',
    method: 'POST',
    path: '/app/v1/passkeys/options',
    beforePasskey: true,
    summary: 'Start adding a passkey',
    description:
      'Returns options for navigator.credentials.create(). The response of the browser adds one passkey within five minutes, in the same session.',
    success: { status: 200, schema: passkeyOptionsSchema, description: 'The options.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'too_many_passkeys'],
  }),
  registerPasskey: endpoint({
    ...sessionWrite,
    id: 'registerPasskey',
    method: 'POST',
    path: '/app/v1/passkeys',
    beforePasskey: true,
    summary: 'Add a passkey',
    description: `Adds a passkey to the account; at most ${LIMITS.passkeysPerAccount}.`,
    body: registerPasskeyBody,
    success: { status: 201, schema: passkeySchema, description: 'The passkey.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'too_many_passkeys'],
  }),
  listPasskeys: endpoint({
    ...sessionRead,
    id: 'listPasskeys',
    method: 'GET',
    path: '/app/v1/passkeys',
    beforePasskey: true,
    summary: 'List own passkeys',
    description: 'The passkeys of the account, oldest first. There is always one page.',
    success: {
      status: 200,
      schema: pageOf('PasskeyPage', passkeySchema, []),
      description: 'The passkeys.',
    },
    problems: ANY_SESSION_REQUEST,
  }),
  renamePasskey: endpoint({
    ...sessionWrite,
    id: 'renamePasskey',
    method: 'PATCH',
    path: '/app/v1/passkeys/{passkey_id}',
    summary: 'Rename a passkey',
    description: 'Changes the name in the list.',
    params: passkeyParams,
    body: renamePasskeyBody,
    success: { status: 200, schema: passkeySchema, description: 'The passkey.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  removePasskey: endpoint({
    ...sessionWrite,
    id: 'removePasskey',
    method: 'DELETE',
    path: '/app/v1/passkeys/{passkey_id}',
    summary: 'Remove a passkey',
    description:
      'Nobody can sign in with it any more. Where the operator requires passkeys, the last one cannot be removed.',
    params: passkeyParams,
    success: { status: 204, schema: null, description: 'The passkey is removed.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  listSessions: endpoint({
    ...sessionRead,
    id: 'listSessions',
    method: 'GET',
    path: '/app/v1/sessions',
    summary: 'List own sessions',
    description:
      'The sessions of the adjuster that have not ended, latest use first; at most ten. There is always one page.',
    success: {
      status: 200,
      schema: pageOf('OwnSessionPage', ownSessionSchema, []),
      description: 'The sessions.',
    },
    problems: SESSION_REQUEST,
  }),
  endSession: endpoint({
    ...sessionWrite,
    id: 'endSession',
    method: 'DELETE',
    path: '/app/v1/sessions/{session_id}',
    summary: 'End a session',
    description:
      'Ends one session of the adjuster, on this or another device. A device that was registered in it gets no more push notifications.',
    params: sessionParams,
    success: { status: 204, schema: null, description: 'The session has ended.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  getProfile: endpoint({
    ...sessionRead,
    id: 'getProfile',
    method: 'GET',
    path: '/app/v1/me',
    beforePasskey: true,
    summary: 'Get the profile',
    description: "The adjuster's account and firms.",
    success: { status: 200, schema: profileSchema, description: 'The profile.' },
    problems: ANY_SESSION_REQUEST,
  }),
  updateProfile: endpoint({
    ...sessionWrite,
    id: 'updateProfile',
    method: 'PATCH',
    path: '/app/v1/me',
    summary: 'Update the profile',
    description:
      'Updates the fields that are sent. The first email address counts at once; a changed one only after confirmEmail with the code that is sent to it, and until then the response shows the old one. The response is the same whether or not another account has the address.',
    body: updateProfileBody,
    success: { status: 200, schema: profileSchema, description: 'The profile.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
  }),
  updateAvailability: endpoint({
    ...sessionWrite,
    id: 'updateAvailability',
    method: 'PATCH',
    path: '/app/v1/me/availability',
    summary: 'Set when offers are taken',
    description:
      'Pauses the offers of all firms, sets times without offers, and limits how many may be pending. It applies to new offers: those already made can still be accepted.',
    body: updateAvailabilityBody,
    success: { status: 200, schema: availabilitySchema, description: 'The availability.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
  }),
  listDeadlines: endpoint({
    ...sessionRead,
    id: 'listDeadlines',
    method: 'GET',
    path: '/app/v1/deadlines',
    summary: 'List deadlines',
    description: 'The deadlines of accepted claims, with those of single events. There is always one page.',
    success: {
      status: 200,
      schema: pageOf('DeadlinePage', deadlineSchema, []),
      description: 'The deadlines.',
    },
    problems: SESSION_REQUEST,
  }),
  confirmEmail: endpoint({
    ...sessionWrite,
    id: 'confirmEmail',
    method: 'POST',
    path: '/app/v1/me/email-confirmation',
    summary: 'Confirm a new email address',
    description:
      'Replaces the email address by the one that the code was sent to. The code is valid for ten minutes and five attempts.',
    body: confirmEmailBody,
    success: { status: 200, schema: profileSchema, description: 'The profile with the new address.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
  }),
  listInvitations: endpoint({
    ...sessionRead,
    id: 'listInvitations',
    method: 'GET',
    path: '/app/v1/invitations',
    summary: 'List pending invitations',
    description: 'Invitations that the adjuster has neither accepted nor declined.',
    query: fields(pageParameters()),
    success: {
      status: 200,
      schema: pageOf('InvitationPage', appInvitationSchema, []),
      description: 'A page of invitations.',
    },
    problems: SESSION_REQUEST,
  }),
  acceptInvitation: endpoint({
    ...sessionWrite,
    id: 'acceptInvitation',
    method: 'POST',
    path: '/app/v1/invitations/{firm_id}/acceptance',
    summary: 'Accept an invitation',
    description: 'Joins the firm. Requires a profile with a first name, a last name and an email address.',
    params: firmParams,
    success: { status: 200, schema: membershipSchema, description: 'The membership.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found', 'profile_incomplete'],
  }),
  declineInvitation: endpoint({
    ...sessionWrite,
    id: 'declineInvitation',
    method: 'POST',
    path: '/app/v1/invitations/{firm_id}/decline',
    summary: 'Decline an invitation',
    description: 'Declines the invitation. The firm can invite the adjuster again.',
    params: firmParams,
    success: { status: 200, schema: declinedInvitationSchema, description: 'The declined invitation.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  updateMembership: endpoint({
    ...sessionWrite,
    id: 'updateMembership',
    method: 'PATCH',
    path: '/app/v1/firms/{firm_id}/membership',
    summary: 'Pause or resume offers',
    description: 'Sets whether the firm can currently offer claims to the adjuster.',
    params: firmParams,
    body: updateMembershipBody,
    success: { status: 200, schema: membershipSchema, description: 'The membership.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  leaveFirm: endpoint({
    ...sessionWrite,
    id: 'leaveFirm',
    method: 'DELETE',
    path: '/app/v1/firms/{firm_id}/membership',
    summary: 'Leave a firm',
    description:
      'Ends the membership. Accepted claims stay with the adjuster; pending offers become unassigned.',
    params: firmParams,
    success: { status: 204, schema: null, description: 'The membership has ended.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  listOfferedClaims: endpoint({
    ...sessionRead,
    id: 'listOfferedClaims',
    method: 'GET',
    path: '/app/v1/claims',
    summary: 'List claims of the adjuster',
    description:
      'Claims offered to or accepted by the adjuster. With updated_since only those that changed, and in `ids` all that are in the list, which shows what has left it.',
    query: fields({
      status: statusFilter(APP_CLAIM_STATUSES, 'pending_acceptance'),
      updated_since: instantParameter({
        description:
          "Only claims that the firm or the adjuster changed at or after this time. Use the service's time of the last request minus one minute.",
        example: '2026-08-29T14:30:00Z',
      }).optional(),
      ...pageParameters(),
    }),
    success: {
      status: 200,
      schema: changesOf('AppClaimPage', appClaimSchema),
      description: 'A page of claims.',
    },
    problems: SESSION_REQUEST,
  }),
  getOfferedClaim: endpoint({
    ...sessionRead,
    id: 'getOfferedClaim',
    method: 'GET',
    path: '/app/v1/claims/{id}',
    summary: 'Get a claim of the adjuster',
    description:
      'A claim offered to or accepted by the adjuster. Returns `not_found` after the adjuster rejected it, the offer was withdrawn, the claim was offered to another adjuster, or the adjuster left the firm and the claim is closed.',
    params: offeredClaimParams,
    success: { status: 200, schema: appClaimSchema, description: 'The claim.' },
    problems: [...SESSION_REQUEST, 'not_found'],
  }),
  acceptClaim: endpoint({
    ...sessionWrite,
    id: 'acceptClaim',
    method: 'POST',
    path: '/app/v1/claims/{id}/acceptance',
    summary: 'Accept a claim',
    description:
      'Accepts an offer. Also returns `offer_not_pending` if the claim was offered again after `offered_at`, or if the permission to accept claims was withdrawn; then the claim is `unassigned`.',
    params: offeredClaimParams,
    body: acceptOfferBody,
    bodyRequired: false,
    success: { status: 200, schema: appClaimSchema, description: 'The accepted claim.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found', 'offer_not_pending'],
  }),
  rejectClaim: endpoint({
    ...sessionWrite,
    id: 'rejectClaim',
    method: 'POST',
    path: '/app/v1/claims/{id}/rejection',
    summary: 'Reject a claim',
    description: 'Rejects an offer, with or without a reason.',
    params: offeredClaimParams,
    body: rejectOfferBody,
    bodyRequired: false,
    success: { status: 200, schema: appClaimSchema, description: 'The rejected claim.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found', 'offer_not_pending'],
  }),
  updateWork: endpoint({
    ...sessionWrite,
    id: 'updateWork',
    method: 'PATCH',
    path: '/app/v1/claims/{id}/work',
    summary: "Update the adjuster's entries",
    description:
      "Updates the adjuster's entries on an accepted claim; null clears a field. What the firm sent does not change.",
    params: offeredClaimParams,
    body: updateWorkBody,
    success: { status: 200, schema: appClaimSchema, description: 'The claim.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found', 'offer_not_pending'],
  }),
  logContact: endpoint({
    ...sessionWrite,
    id: 'logContact',
    method: 'PUT',
    path: '/app/v1/claims/{id}/contacts/{contact_id}',
    summary: 'Log a contact with the policyholder',
    description: `Adds an attempt to reach the policyholder to an accepted claim, or replaces the one with this id. A claim has at most ${LIMITS.contactsPerClaim}; a further one returns \`validation_failed\`. Sending it twice has the same effect as once.`,
    params: contactParams,
    body: logContactBody,
    success: { status: 200, schema: appClaimSchema, description: 'The claim.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found', 'offer_not_pending'],
  }),
  closeClaim: endpoint({
    ...sessionWrite,
    id: 'closeClaim',
    method: 'POST',
    path: '/app/v1/claims/{id}/closure',
    summary: 'Close a claim',
    description: 'Closes an accepted claim.',
    params: offeredClaimParams,
    success: { status: 200, schema: appClaimSchema, description: 'The closed claim.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found', 'offer_not_pending'],
  }),
  reportError: endpoint({
    ...sessionWrite,
    id: 'reportError',
    method: 'POST',
    path: '/app/v1/error-reports',
    summary: 'Report an error of the app',
    description:
      "Adds an error of the app to the operator's log. Of many reports only the first of each minute are logged.",
    body: reportErrorBody,
    success: { status: 204, schema: null, description: 'Received.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
  }),
  getDevice: endpoint({
    ...sessionRead,
    id: 'getDevice',
    method: 'GET',
    path: '/app/v1/devices/{device_id}',
    summary: 'Get a device',
    description:
      'Whether the device is registered, and with which address. A device is removed when the push service has ended its subscription, and with the session that registered it.',
    params: deviceParams,
    success: { status: 200, schema: deviceSchema, description: 'The device.' },
    problems: [...SESSION_REQUEST, 'not_found'],
  }),
  registerDevice: endpoint({
    ...sessionWrite,
    id: 'registerDevice',
    method: 'PUT',
    path: '/app/v1/devices/{device_id}',
    summary: 'Register a device',
    description:
      'Sends push notifications of claims and invitations to this device until the session ends. An endpoint belongs to the device that registered it last: any other device with it, of any account, is removed.',
    params: deviceParams,
    body: registerDeviceBody,
    success: { status: 204, schema: null, description: 'Registered.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
  }),
  setDevicePreferences: endpoint({
    ...sessionWrite,
    id: 'setDevicePreferences',
    method: 'PUT',
    path: '/app/v1/devices/{device_id}/preferences',
    summary: 'Set the preferences of a device',
    description:
      'Sets quiet hours and reminders of a registered device. Notifications of quiet hours come when these end.',
    params: deviceParams,
    body: devicePreferencesBody,
    success: { status: 204, schema: null, description: 'Stored.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  testDevice: endpoint({
    ...sessionWrite,
    id: 'testDevice',
    method: 'POST',
    path: '/app/v1/devices/{device_id}/test-notification',
    summary: 'Send a test notification',
    description:
      'Sends a notification to a registered device, in its quiet hours too. Returns `rate_limited` for another one to the same device within 10 seconds.',
    params: deviceParams,
    success: { status: 202, schema: null, description: 'It will be sent.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  unregisterDevice: endpoint({
    ...sessionWrite,
    id: 'unregisterDevice',
    method: 'DELETE',
    path: '/app/v1/devices/{device_id}',
    summary: 'Unregister a device',
    description: 'Stops push notifications to this device.',
    params: deviceParams,
    success: { status: 204, schema: null, description: 'Unregistered.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
  }),
} as const satisfies Record<string, Endpoint>;

export const endpoints = { ...firmEndpoints, ...sandboxEndpoints, ...appEndpoints } as const;
export type EndpointId = keyof typeof endpoints;
