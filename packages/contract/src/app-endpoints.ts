import { CREDENTIAL_REMINDER_DAYS } from '@svc/domain/limits';
import { APP_CLAIM_STATUSES } from '@svc/domain/vocabulary';
import { accountEndpoints } from './account.ts';
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
  profileSchema,
  registerDeviceBody,
  rejectOfferBody,
  reportErrorBody,
  sessionSchema,
  sharingSchema,
  updateAvailabilityBody,
  updateMembershipBody,
  updateProfileBody,
  updateSharingBody,
  updateWorkBody,
  workProblemSchema,
} from './app.ts';
import { credentialsExample, credentialsSchema, saveCredentialsBody } from './credentials.ts';
import { endpoint, named } from './endpoint.ts';
import { fields, instantParameter, text, uuidParameter } from './fields.ts';
import { LIMITS } from './limits.ts';
import { changesOf, pageOf, pageParameters } from './page.ts';
import { receiptSchema } from './receipt.ts';
import { ANY_SESSION_REQUEST, claimParams, SESSION_REQUEST, statusFilter, WITH_BODY } from './requests.ts';
import { signInBody } from './sign-in.ts';

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

const deviceParams = fields({
  device_id: text(LIMITS.deviceId, {
    description: 'An id that the app generates for the device.',
    example: 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60',
  }),
});

const sessionRead = { auth: 'session', scope: null, write: false } as const;
const sessionWrite = { auth: 'session', scope: null, write: true } as const;

export const appAccount = accountEndpoints({
  ...{ root: 'app', read: sessionRead, write: sessionWrite, who: '', person: 'adjuster' },
});

/** The operations of the adjuster app. */
export const appEndpoints = named({
  ...appAccount,
  signIn: endpoint({
    ...appAccount.signIn,
    description:
      'Creates a device session from an emailed code, from the secret of a test account, as in `{"svc_id": "test_mjTZDXoc_manual", "sign_in_secret": "tst_9xQm2LrV4c"}`, or from a passkey. Returns `rate_limited` after too many failed attempts from one IP address (IPv6: one /64), and after too many wrong codes for one account or in total, whether or not the account exists.',
    body: signInBody,
    success: { status: 201, schema: sessionSchema, description: 'The session and its token.' },
  }),
  endSession: endpoint({
    ...appAccount.endSession,
    description:
      'Ends one session of the adjuster, on this or another device. A device that was registered in it gets no more push notifications.',
  }),
  getProfile: endpoint({
    ...sessionRead,
    method: 'GET',
    path: '/app/v1/me',
    audit: null,
    beforePasskey: true,
    summary: 'Get the profile',
    description: "The adjuster's account and firms.",
    success: { status: 200, schema: profileSchema, description: 'The profile.' },
    problems: ANY_SESSION_REQUEST,
  }),
  updateProfile: endpoint({
    ...sessionWrite,
    method: 'PATCH',
    path: '/app/v1/me',
    audit: 'profile.change',
    repeatable: false,
    summary: 'Update the profile',
    description:
      'Updates the fields that are sent. The first email address counts at once; a changed one only after confirmEmail with the code that is sent to it, and until then the response shows the old one. The response is the same whether or not another account has the address.',
    body: updateProfileBody,
    pointers: { email_taken: '/email' },
    success: { status: 200, schema: profileSchema, description: 'The profile.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
    example: { body: { first_name: 'Jean' } },
  }),
  updateAvailability: endpoint({
    ...sessionWrite,
    method: 'PATCH',
    path: '/app/v1/me/availability',
    audit: 'availability.change',
    summary: 'Set when offers are taken',
    description:
      'Pauses the offers of all firms, sets times without offers, and limits how many may be pending. It applies to new offers: those already made can still be accepted.',
    body: updateAvailabilityBody,
    success: { status: 200, schema: availabilitySchema, description: 'The availability.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
  }),
  getCredentials: endpoint({
    ...sessionRead,
    method: 'GET',
    path: '/app/v1/me/credentials',
    audit: null,
    summary: 'Get the credentials',
    description: "The adjuster's own FCN and licenses, with the version that a change names.",
    success: { status: 200, schema: credentialsSchema, description: 'The credentials.' },
    problems: SESSION_REQUEST,
  }),
  saveCredentials: endpoint({
    ...sessionWrite,
    method: 'PUT',
    path: '/app/v1/me/credentials',
    audit: 'credentials.change',
    summary: 'Replace the credentials',
    description: `Replaces the FCN and the licenses; what is omitted is removed. The adjuster is reminded ${CREDENTIAL_REMINDER_DAYS.join(' and ')} days before one of them ends. Sending it twice has the same effect as once.`,
    body: saveCredentialsBody,
    success: { status: 200, schema: credentialsSchema, description: 'The credentials.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'credentials_changed'],
    example: { body: credentialsExample },
  }),
  listDeadlines: endpoint({
    ...sessionRead,
    method: 'GET',
    path: '/app/v1/deadlines',
    audit: null,
    summary: 'List deadlines',
    description: 'The deadlines of accepted claims, with those of single events. There is always one page.',
    success: {
      status: 200,
      schema: pageOf('DeadlinePage', deadlineSchema),
      description: 'The deadlines.',
    },
    problems: SESSION_REQUEST,
  }),
  confirmEmail: endpoint({
    ...sessionWrite,
    method: 'POST',
    path: '/app/v1/me/email-confirmation',
    audit: 'email.confirm',
    summary: 'Confirm a new email address',
    description:
      'Replaces the email address by the one that the code was sent to. The code is valid for ten minutes and five attempts.',
    body: confirmEmailBody,
    pointers: { code_refused: '/code' },
    success: { status: 200, schema: profileSchema, description: 'The profile with the new address.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
  }),
  listInvitations: endpoint({
    ...sessionRead,
    method: 'GET',
    path: '/app/v1/invitations',
    audit: null,
    summary: 'List pending invitations',
    description: 'Invitations that the adjuster has neither accepted nor declined.',
    query: fields(pageParameters()),
    success: {
      status: 200,
      schema: pageOf('InvitationPage', appInvitationSchema),
      description: 'A page of invitations.',
    },
    problems: SESSION_REQUEST,
  }),
  acceptInvitation: endpoint({
    ...sessionWrite,
    method: 'POST',
    path: '/app/v1/invitations/{firm_id}/acceptance',
    audit: 'invitation.accept',
    summary: 'Accept an invitation',
    description: 'Joins the firm. Requires a profile with a first name, a last name and an email address.',
    params: firmParams,
    success: { status: 200, schema: membershipSchema, description: 'The membership.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found', 'profile_incomplete'],
  }),
  declineInvitation: endpoint({
    ...sessionWrite,
    method: 'POST',
    path: '/app/v1/invitations/{firm_id}/decline',
    audit: 'invitation.decline',
    summary: 'Decline an invitation',
    description: 'Declines the invitation. The firm can invite the adjuster again.',
    params: firmParams,
    success: { status: 200, schema: declinedInvitationSchema, description: 'The declined invitation.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  updateMembership: endpoint({
    ...sessionWrite,
    method: 'PATCH',
    path: '/app/v1/firms/{firm_id}/membership',
    audit: 'member.change',
    summary: 'Pause or resume offers',
    description: 'Sets whether the firm can currently offer claims to the adjuster.',
    params: firmParams,
    body: updateMembershipBody,
    success: { status: 200, schema: membershipSchema, description: 'The membership.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  getSharing: endpoint({
    ...sessionRead,
    method: 'GET',
    path: '/app/v1/firms/{firm_id}/sharing',
    audit: null,
    summary: 'Get what a firm sees',
    description: 'What the adjuster lets this firm see. All of it is off until the adjuster turns it on.',
    params: firmParams,
    success: { status: 200, schema: sharingSchema, description: 'What the firm sees.' },
    problems: [...SESSION_REQUEST, 'not_found'],
  }),
  updateSharing: endpoint({
    ...sessionWrite,
    method: 'PUT',
    path: '/app/v1/firms/{firm_id}/sharing',
    audit: 'member.sharing',
    summary: 'Set what a firm sees',
    description:
      'Gives or withdraws the consent; only of a member. It takes effect at once, and ends when the adjuster leaves the firm or is removed.',
    params: firmParams,
    body: updateSharingBody,
    success: { status: 200, schema: sharingSchema, description: 'What the firm sees.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  leaveFirm: endpoint({
    ...sessionWrite,
    method: 'DELETE',
    path: '/app/v1/firms/{firm_id}/membership',
    audit: 'member.leave',
    summary: 'Leave a firm',
    description:
      'Ends the membership. Accepted claims stay with the adjuster; pending offers become unassigned.',
    params: firmParams,
    success: { status: 204, schema: null, description: 'The membership has ended.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  listOfferedClaims: endpoint({
    ...sessionRead,
    method: 'GET',
    path: '/app/v1/claims',
    audit: 'claims.read',
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
    method: 'GET',
    path: '/app/v1/claims/{id}',
    audit: 'claim.read',
    summary: 'Get a claim of the adjuster',
    description:
      'A claim offered to or accepted by the adjuster. Returns `not_found` after the adjuster rejected it, the offer was withdrawn, the claim was offered to another adjuster, or the adjuster left the firm and the claim is closed.',
    params: offeredClaimParams,
    success: { status: 200, schema: appClaimSchema, description: 'The claim.' },
    problems: [...SESSION_REQUEST, 'not_found'],
  }),
  getOfferReceipt: endpoint({
    ...sessionRead,
    method: 'GET',
    path: '/app/v1/claims/{id}/receipt',
    audit: 'claim.read',
    summary: 'Get a receipt of an offer',
    description:
      'A signed record of the latest offer of the claim to this adjuster, or of an earlier one; also after it was rejected, the claim went to somebody else, or the adjuster has left the firm.',
    params: offeredClaimParams,
    query: fields({
      offered_at: instantParameter({
        description: "The offer's `offered_at`; default: the latest offer to this adjuster.",
        example: '2026-08-29T14:52:07.113Z',
      }).optional(),
    }),
    success: { status: 200, schema: receiptSchema, description: 'The receipt.' },
    problems: [...SESSION_REQUEST, 'not_found'],
  }),
  acceptClaim: endpoint({
    ...sessionWrite,
    method: 'POST',
    path: '/app/v1/claims/{id}/acceptance',
    audit: 'claim.accept',
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
    method: 'POST',
    path: '/app/v1/claims/{id}/rejection',
    audit: 'claim.reject',
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
    method: 'PATCH',
    path: '/app/v1/claims/{id}/work',
    audit: 'claim.work',
    summary: "Update the adjuster's entries",
    description:
      "Updates the adjuster's entries on an accepted claim; null clears a field. What the firm sent does not change. Sending it twice has the same effect as once, also with `based_on`.",
    params: offeredClaimParams,
    body: updateWorkBody,
    success: { status: 200, schema: appClaimSchema, description: 'The claim.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found', 'offer_not_pending', 'work_changed'],
    problemSchema: workProblemSchema,
  }),
  logContact: endpoint({
    ...sessionWrite,
    method: 'PUT',
    path: '/app/v1/claims/{id}/contacts/{contact_id}',
    audit: 'claim.work',
    summary: 'Log a contact with the policyholder',
    description: `Adds an attempt to reach the policyholder to an accepted claim, or replaces the one with this id. A claim has at most ${LIMITS.contactsPerClaim}; a further one returns \`validation_failed\`. Sending it twice has the same effect as once.`,
    params: contactParams,
    body: logContactBody,
    pointers: { contact_log_full: '' },
    success: { status: 200, schema: appClaimSchema, description: 'The claim.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found', 'offer_not_pending'],
  }),
  closeClaim: endpoint({
    ...sessionWrite,
    method: 'POST',
    path: '/app/v1/claims/{id}/closure',
    audit: 'claim.close',
    summary: 'Close a claim',
    description: 'Closes an accepted claim.',
    params: offeredClaimParams,
    success: { status: 200, schema: appClaimSchema, description: 'The closed claim.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found', 'offer_not_pending'],
  }),
  reportError: endpoint({
    ...sessionWrite,
    method: 'POST',
    path: '/app/v1/error-reports',
    audit: null,
    repeatable: false,
    summary: 'Report an error of the app',
    description:
      "Adds an error of the app to the operator's log. Of many reports only the first of each minute are logged.",
    body: reportErrorBody,
    success: { status: 204, schema: null, description: 'Received.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
  }),
  getDevice: endpoint({
    ...sessionRead,
    method: 'GET',
    path: '/app/v1/devices/{device_id}',
    audit: null,
    summary: 'Get a device',
    description:
      'Whether the device is registered, and with which address. A device is removed when the push service has ended its subscription, and with the session that registered it.',
    params: deviceParams,
    success: { status: 200, schema: deviceSchema, description: 'The device.' },
    problems: [...SESSION_REQUEST, 'not_found'],
  }),
  registerDevice: endpoint({
    ...sessionWrite,
    method: 'PUT',
    path: '/app/v1/devices/{device_id}',
    audit: null,
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
    method: 'PUT',
    path: '/app/v1/devices/{device_id}/preferences',
    audit: null,
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
    method: 'POST',
    path: '/app/v1/devices/{device_id}/test-notification',
    audit: null,
    repeatable: false,
    summary: 'Send a test notification',
    description:
      'Sends a notification to a registered device, in its quiet hours too. Returns `rate_limited` for another one to the same device within 10 seconds.',
    params: deviceParams,
    success: { status: 202, schema: null, description: 'It will be sent.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST, 'not_found'],
  }),
  unregisterDevice: endpoint({
    ...sessionWrite,
    method: 'DELETE',
    path: '/app/v1/devices/{device_id}',
    audit: null,
    summary: 'Unregister a device',
    description: 'Stops push notifications to this device.',
    params: deviceParams,
    success: { status: 204, schema: null, description: 'Unregistered.' },
    problems: [...WITH_BODY, ...SESSION_REQUEST],
  }),
});
