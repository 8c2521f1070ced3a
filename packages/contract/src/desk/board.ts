import {
  ADJUSTER_STATUSES,
  ADJUSTER_WARNINGS,
  ASSIGNMENT_STATUSES,
  BOARD_ORDERS,
  DELIVERY_OUTCOMES,
  ENVIRONMENTS,
  FORM_TYPES,
  INVITATION_OUTCOMES,
  OFFER_OUTCOMES,
  OFFERER_TYPES,
  REPORT_GROUPS,
} from '@svc/domain/vocabulary';
import { z } from 'zod';
import { adjusterSchema } from '../adjuster.ts';
import { claimSchema, offerClaimBody } from '../claim.ts';
import { sharedCredentialsSchema } from '../credentials.ts';
import { endpoint, named } from '../endpoint.ts';
import { firmEndpoints } from '../endpoints.ts';
import {
  arrayOf,
  dateTime,
  fields,
  headerText,
  instantParameter,
  integer,
  oneOf,
  responseField,
  text,
  timeZone,
  uuidParameter,
} from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { pageOf, pageParameters } from '../page.ts';
import { lossLocation, svcId } from '../people.ts';
import { atDesk, claimParams, STAFF_REQUEST, staffRead, staffWrite, WITH_BODY } from '../requests.ts';
import { openEnum, responseObject } from '../response-schema.ts';

export const offerBoardClaimBody = fields({
  ...offerClaimBody.shape,
  updated_at: dateTime({
    description:
      'The updated_at of the claim as it was seen, compared to the millisecond. If the claim has changed since, the response is claim_changed. Without it, the claim is offered whatever has become of it.',
    example: '2026-08-29T14:52:07.113Z',
  }).optional(),
}).meta({
  id: 'OfferBoardClaimRequest',
  description: 'The adjuster to offer the claim to, and the claim as it was seen.',
});

const seenClaim = {
  updated_at: dateTime({
    description:
      'The updated_at of the claim as it was seen. If the claim has changed since, the response is claim_changed.',
    example: '2026-08-29T14:52:07.113Z',
  }).optional(),
};

export const withdrawOfferBody = fields(seenClaim).meta({
  id: 'WithdrawOfferRequest',
  description: 'The claim as it was seen.',
});

export const closeBoardClaimBody = fields({
  reason: text(LIMITS.closureReason, {
    description: 'Why it is closed, for the people of the firm.',
    example: 'The policyholder has withdrawn the claim.',
  }).optional(),
  ...seenClaim,
}).meta({ id: 'CloseBoardClaimRequest', description: 'The reason, and the claim as it was seen.' });

const environmentParameter = () =>
  oneOf(ENVIRONMENTS, {
    description: 'Live or test claims; live by default.',
    example: 'live',
  }).default('live');

export const environmentQuery = fields({ environment: environmentParameter() });

export const boardQuery = fields({
  environment: environmentParameter(),
  status: oneOf(ASSIGNMENT_STATUSES, {
    description: 'Only claims with this status.',
    example: 'pending_acceptance',
  }).optional(),
  adjuster: svcId()
    .meta({ description: 'Only claims whose latest offer went to the adjuster with this SVCID.' })
    .optional(),
  carrier: text(LIMITS.companyName, {
    description: 'Only claims of carriers whose name has this text, without regard to case.',
    example: 'palmetto',
  }).optional(),
  state: oneOf(lossLocation.shape.state.options, {
    description: 'Only claims with a loss location in this state.',
    example: 'FL',
  }).optional(),
  closed: oneOf(['true', 'false'], {
    description: 'true: only closed claims; false: only open ones, the default.',
    example: 'false',
  }).default('false'),
  q: text(LIMITS.search, {
    description:
      'Only claims whose external_id or claim_number starts with this text, or that have each of its words: in the name of the policyholder, the street, the city, the SVCID or name of the adjuster or the policy number; as the start of the ZIP code or the state; as the end of the external_id, claim_number or policy number; or, of at least three digits, in the phone number of the policyholder. Without regard to case, accents, apostrophes and how a phone number is written.',
    example: 'delgado seagrape',
  }).optional(),
  late: oneOf(['true', 'false'], {
    description: 'true: only pending offers that have waited longer than the firm allows.',
    example: 'false',
  }).default('false'),
  clock_late: oneOf(['true', 'false'], {
    description:
      'true: only accepted claims whose first contact or inspection is late, or was late, where the adjuster shares it.',
    example: 'false',
  }).default('false'),
  order: oneOf(BOARD_ORDERS, {
    description:
      'waiting, the default: open claims that wait; those that were rejected or unassigned and wait for another offer first, in both parts the longest wait first. latest: all claims, the latest change first; the default with q, status=accepted or closed=true; with adjuster, the latest offer first.',
    example: 'waiting',
  }).optional(),
  ...pageParameters(),
}).check(({ value, issues }) => {
  const { status, closed, clock_late } = value;
  if (value.order !== 'waiting' || (status !== 'accepted' && ![closed, clock_late].includes('true'))) return;
  issues.push({
    code: 'custom',
    message: 'Accepted and closed claims do not wait: use order=latest for them.',
    input: value.order,
    path: ['order'],
  });
});
export type BoardQuery = z.output<typeof boardQuery>;

const svcIdField = (description: string) => responseField.text(description, 'SVC-7F3K-Delacroix');
const adjusterName = responseField
  .text("Name from the adjuster's account; null unless they are an active member.", 'Jean Delacroix')
  .nullable();

const placeSchema = responseObject({
  street: responseField.text('Street of the loss location.', '1420 Seagrape Lane'),
  city: responseField.text('City.', 'Fort Myers Beach'),
  state: responseField.text('State.', 'FL'),
  zip: responseField.text('ZIP code.', '33931'),
}).meta({ id: 'BoardPlace', description: 'Where the loss happened.' });

const stepClockSchema = responseObject({
  at: responseField
    .dateTime(
      'When the service received it; null: not yet, or only the date is known.',
      '2026-08-30T15:20:11.402Z',
    )
    .nullable(),
  device_at: responseField
    .dateTime(
      "When it was done, by the clock of the adjuster's device; null as above.",
      '2026-08-30T15:05:00.000Z',
    )
    .nullable(),
  date: responseField
    .date('The date, where the adjuster has entered no time; else null.', '2026-08-30')
    .nullable(),
  due_at: responseField
    .dateTime(
      'When it is or was due; null: it counts from the first contact, and there was none.',
      '2026-08-30T15:04:11.208Z',
    )
    .nullable(),
  late: responseField.flag('Whether it is late, or was done late.', false),
}).meta({ id: 'StepClock', description: 'A step of the adjuster, by consent.' });

export const claimClocksSchema = responseObject({
  first_contact: stepClockSchema,
  inspection: stepClockSchema,
  report_due_at: responseField
    .dateTime('When the preliminary report is due.', '2026-09-13T15:04:11.208Z')
    .nullable(),
}).meta({
  id: 'ClaimClocks',
  description:
    'First contact and inspection of an accepted claim; null if the adjuster does not share them with the firm, which says nothing about them.',
});
export type ClaimClocks = z.output<typeof claimClocksSchema>;

export const boardClaimSchema = responseObject({
  id: responseField.uuid("The service's id of the claim.", '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10'),
  test: responseField.flag('Whether it is a test claim.', false),
  external_id: responseField.text("The firm's id of the claim.", 'CMS-2026-004417'),
  claim_number: responseField.text("The carrier's claim number.", 'FL26-0093184'),
  name: responseField.text('The policyholder: a person, or a company without one.', 'Marisol Delgado'),
  place: placeSchema,
  form_type: openEnum(FORM_TYPES, {
    description: 'Form of the policy; null: it was not sent.',
    example: 'dwelling',
  }).nullable(),
  carrier: responseField.text('Name of the carrier.', 'Palmetto Mutual Insurance'),
  status: openEnum(ASSIGNMENT_STATUSES, {
    description: 'Status of the latest offer.',
    example: 'accepted',
  }),
  adjuster_svc_id: svcIdField('SVCID of the adjuster of the latest offer.'),
  adjuster_name: adjusterName,
  offered_at: responseField.dateTime('When the latest offer was made.', '2026-08-29T14:52:07.113Z'),
  responded_at: responseField
    .dateTime('When the adjuster accepted or rejected; null until then.', '2026-08-29T15:04:11.208Z')
    .nullable(),
  waiting_since: responseField
    .dateTime(
      'Since when the claim waits for a response or, once rejected or unassigned, for another offer; null if it does not.',
      '2026-08-29T14:52:07.113Z',
    )
    .nullable()
    .meta({ example: null }),
  late: responseField.flag('Whether its pending offer has waited longer than the firm allows.', false),
  clocks: claimClocksSchema.nullable(),
  updated_at: responseField.dateTime(
    'Time of the last change of the assignment.',
    '2026-08-29T14:52:07.113Z',
  ),
  closed_at: responseField
    .dateTime('When the claim was closed; null while it is open.', '2026-09-12T20:00:00.000Z')
    .nullable(),
}).meta({ id: 'BoardClaim', description: 'A claim on the board.' });

const atMost = `at most ${LIMITS.boardCount}`;
const boardCountsSchema = responseObject({
  waiting: responseField.integer(`Open claims that wait, ${atMost}.`, 412),
  late: responseField.integer(`Pending offers that wait longer than the firm allows, ${atMost}.`, 7),
  rejected: responseField.integer(`Open claims that were rejected, ${atMost}.`, 3),
  unassigned: responseField.integer(`Open claims that are unassigned, ${atMost}.`, 1),
}).meta({
  id: 'BoardCounts',
  description:
    'Only on the first page: how many claims of the environment wait, whatever the filter. May be a second old.',
});
export type BoardCounts = z.output<typeof boardCountsSchema>;

const boardPageSchema = responseObject({
  ...pageOf('BoardPage', boardClaimSchema).shape,
  counts: boardCountsSchema.optional(),
}).meta({ id: 'BoardPage', description: 'A page of the board.' });

const pushSchema = responseObject({
  channel: responseField.text('mail, or device and a short hash of its id.', 'device:Zt1v3kq9S0'),
  outcome: openEnum(DELIVERY_OUTCOMES, {
    description:
      'delivered: the push or mail service took it. retried: not yet, another attempt follows. gone: the device is no longer registered there. rejected, unauthorized: the service refused it.',
    example: 'delivered',
  }),
  at: responseField.dateTime('When it was attempted last.', '2026-08-29T14:52:08.020Z'),
}).meta({ id: 'OfferPush', description: 'The notification of one device, or the email.' });

const offererSchema = responseObject({
  type: openEnum(OFFERER_TYPES, { description: 'A person of the firm, or an API key.', example: 'staff' }),
  id: responseField.text('Id of the person or of the key.', '7c1f0c8e-52a4-4f0c-9d57-0b6a5a0f2c11'),
  name: responseField
    .text(
      'Name of the person or of the key; null for a person who was removed and a key without a name.',
      'Priya Nair',
    )
    .nullable(),
}).meta({
  id: 'Offerer',
  description: 'Who offered, withdrew or closed it; null if nobody did, or that was not recorded.',
});

export const offerSchema = responseObject({
  adjuster_svc_id: svcIdField('SVCID of the adjuster.'),
  adjuster_name: adjusterName,
  offered_at: responseField.dateTime('When it was sent.', '2026-08-29T14:52:07.113Z'),
  offered_by: offererSchema.nullable(),
  outcome: openEnum(OFFER_OUTCOMES, {
    description:
      'pending; accepted or rejected by the adjuster; unassigned: the adjuster left the firm or lost the permission to accept; withdrawn: the firm withdrew it (withdrawn_by), or offered the claim again first; closed: the claim was closed first.',
    example: 'rejected',
  }),
  pushes: z.array(pushSchema).meta({
    description: 'The latest outcome on each channel; empty until the first attempt.',
    example: [],
  }),
  seen_at: responseField
    .dateTime("When the adjuster's app first fetched it; null if it has not.", '2026-08-29T14:53:40.001Z')
    .nullable(),
  reminded_at: responseField
    .dateTime(
      "When a device of the adjuster first got a reminder at the end of the firm's waiting time; null if none did.",
      '2026-08-29T18:52:07.113Z',
    )
    .nullable(),
  responded_at: responseField
    .dateTime('When the adjuster accepted or rejected; null without a response.', '2026-08-29T15:04:11.208Z')
    .nullable(),
  rejection_reason: responseField
    .text("The adjuster's reason for rejecting; null if there is none.", 'Too far from my other files.')
    .nullable(),
  withdrawn_by: offererSchema.nullable().meta({ example: null }),
  ended_at: responseField
    .dateTime('When it ended; null while it is pending.', '2026-08-29T15:04:11.208Z')
    .nullable(),
}).meta({ id: 'Offer', description: 'An offer of a claim to one adjuster.' });
export type OfferResponse = z.output<typeof offerSchema>;

export const boardClaimDetailsSchema = responseObject({
  claim: claimSchema,
  late: boardClaimSchema.shape.late,
  clocks: boardClaimSchema.shape.clocks,
  waiting_since: boardClaimSchema.shape.waiting_since,
  closed_at: boardClaimSchema.shape.closed_at,
  closed_by: offererSchema.nullable(),
  closure_reason: responseField
    .text('Why it was closed; null without a reason.', 'The policyholder has withdrawn the claim.')
    .nullable(),
  history: z.array(offerSchema).meta({
    description: `The offers, latest first; at most the latest ${LIMITS.offerHistory}.`,
    example: [],
  }),
}).meta({ id: 'BoardClaimDetails', description: 'A claim with its offers.' });
export type BoardClaimDetails = z.output<typeof boardClaimDetailsSchema>;

const closedClaimSchema = responseObject({
  ...claimSchema.shape,
  closed_at: responseField.dateTime('When it was closed.', '2026-09-12T20:00:00.000Z'),
}).meta({ id: 'ClosedClaim', description: 'A claim that is closed.' });

const candidate = {
  distance: responseField
    .integer(
      'Miles from the claim to where the adjuster works, between the centers of the two ZIP codes: within a city a few miles off, in the country up to some tens. null: the adjuster has named no ZIP code or does not share it, or one of the two is unknown.',
      38,
    )
    .nullable(),
  warnings: z
    .array(
      openEnum(ADJUSTER_WARNINGS, {
        description: `license_missing: the adjuster has listed licenses, and none is of the state of the claim. license_expires: those of the state, or the FCN, end within ${LIMITS.licenseWarningDays} days or have ended. fcn_category: their FCN is not for the form of the policy. These three only by what the adjuster has entered and shares; what is unknown warns of nothing. limit_reached: the adjuster has as many pending offers, of all firms, as they want, so that an offer now fails with adjuster_not_accepting.`,
        example: 'limit_reached',
      }),
    )
    .meta({ description: 'What to know before the claim is offered. None rejects the offer.', example: [] }),
};

export const boardAdjusterSchema = responseObject({
  ...adjusterSchema.shape,
  can_accept_claims: responseField.flag('Whether the firm lets the adjuster accept claims.', true),
  accepting_assignments: responseField.flag('Whether the adjuster takes offers of the firm now.', true),
  seen_at: responseField
    .dateTime(
      "When the adjuster's app first got the invitation; null if it has not.",
      '2026-08-20T13:20:00.000Z',
    )
    .nullable(),
  reminded_at: responseField
    .dateTime(
      `When the adjuster was reminded, once, of an invitation that their app had not got within ${LIMITS.invitationReminderHours} hours; null if they were not.`,
      '2026-08-22T13:00:00.000Z',
    )
    .nullable(),
  shares_credentials: responseField.flag('Whether the adjuster lets the firm see their credentials.', true),
  open_offers: responseField.integer('Offers of the firm that wait for a response.', 3),
  open_claims: responseField.integer('Accepted claims of the firm that are not closed.', 41),
  rejected_at: responseField
    .dateTime(
      'With for_claim: when the adjuster rejected an offer of that claim last; null if they have not.',
      '2026-08-29T15:04:11.208Z',
    )
    .nullable(),
  median_answer_seconds: z
    .number()
    .meta({
      description: `Median time to answer of the latest ${LIMITS.answersForMedian} offers of the firm that the adjuster accepted or rejected, in seconds; null without any.`,
      example: 724.095,
    })
    .nullable(),
  ...candidate,
}).meta({
  id: 'BoardAdjuster',
  description: 'A member of the firm, or an invitation, with the work at hand.',
});
export type BoardAdjuster = z.output<typeof boardAdjusterSchema>;

export const spreadClaimsBody = fields({
  adjusters: arrayOf(
    LIMITS.spreadAdjusters,
    fields({
      svc_id: svcId(),
      given: integer(LIMITS.spreadGiven, {
        description: 'How many claims earlier requests of one spread have given them; 0 by default.',
        example: 0,
      }).default(0),
    }).meta({ id: 'AdjusterToSpread', description: 'An active member of the firm.' }),
    'an array of adjusters',
    { description: 'Who gets the claims.', example: [{ svc_id: 'SVC-7F3K-Delacroix', given: 0 }] },
  ),
  claims: arrayOf(
    LIMITS.spreadClaims,
    fields({
      id: text(LIMITS.externalId, {
        description: 'Your id in this request: that of a claim, or the number of a row.',
        example: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10',
      }),
      zip: lossLocation.shape.zip,
      state: text(LIMITS.stateCode, { description: 'State of the loss location.', example: 'FL' }),
      form_type: oneOf(FORM_TYPES, {
        id: 'ClaimToSpreadForm',
        description: 'Form of the policy, for the warning on the FCN.',
        example: 'dwelling',
      }).optional(),
      rejected_by: svcId()
        .meta({ description: 'Who has rejected it: gets it only if nobody else can.' })
        .optional(),
    }).meta({ id: 'ClaimToSpread', description: 'A claim that needs an adjuster.' }),
    'an array of claims',
    { description: 'The claims.', example: [{ id: '2', zip: '33931', state: 'FL' }] },
  ),
}).meta({ id: 'SpreadClaimsRequest', description: 'Claims, and the adjusters who get them.' });

const proposedOfferSchema = responseObject({
  id: responseField.text('The id in the request.', '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10'),
  adjuster_svc_id: svcIdField('SVCID of the adjuster who could get it.'),
  ...candidate,
}).meta({ id: 'ProposedOffer', description: 'An offer that is not made.' });

export const answersReportQuery = fields({
  environment: environmentParameter(),
  since: instantParameter({
    description: `Only offers made at or after this time; ${LIMITS.reportDays.default} days before until by default, at most ${LIMITS.reportDays.max} days before it.`,
    example: '2026-08-01T00:00:00Z',
  }).optional(),
  until: instantParameter({
    description: 'Only offers made before this time; now by default.',
    example: '2026-09-01T00:00:00Z',
  }).optional(),
  by: oneOf(REPORT_GROUPS, {
    description:
      'What the offers are grouped by: the adjuster, the week (from Monday) of the offer, or the carrier.',
    example: 'adjuster',
  }),
  time_zone: timeZone({
    description: 'IANA name of the time zone in which weeks begin; UTC by default.',
    example: 'America/Chicago',
  }).optional(),
});

const seconds = (description: string, example: number) =>
  z
    .number()
    .meta({ description: `${description}, in seconds; null without any.`, example })
    .nullable();
const outcomeCount = (description: string, example: number) => responseField.integer(description, example);

export const answersReportRowSchema = responseObject({
  group: responseField.text('SVCID, first day of the week, or name of the carrier.', 'SVC-7F3K-Delacroix'),
  label: responseField.text('The same to show: for an adjuster the name, if known.', 'Jean Delacroix'),
  offers: outcomeCount('All offers.', 48),
  accepted: outcomeCount('Offers that were accepted.', 40),
  rejected: outcomeCount('Offers that were rejected.', 5),
  unassigned: outcomeCount(
    'Offers that ended because the adjuster left or lost the permission to accept.',
    0,
  ),
  withdrawn: outcomeCount(
    'Offers that ended without a response because the firm withdrew them, or offered the claim again.',
    2,
  ),
  closed: outcomeCount('Offers that ended without a response because the claim was closed.', 0),
  pending: outcomeCount('Offers that wait for a response.', 1),
  median_answer_seconds: seconds('Median time until accepted or rejected', 724.095),
  p90_answer_seconds: seconds('90th percentile of the time until accepted or rejected', 7260),
  contacts_shared: outcomeCount(
    'Accepted claims whose adjusters let the firm see the first contact. The others are in neither of the next two.',
    31,
  ),
  contacts_in_time: outcomeCount('Of these, claims whose policyholder was reached in time.', 28),
  contacts_late: outcomeCount(
    'Of these, claims whose policyholder was reached late, or is not reached and overdue.',
    2,
  ),
  partial: responseField
    .flag('By week only: whether the week begins before since or ends after until.', false)
    .optional(),
}).meta({ id: 'AnswersReportRow', description: 'The offers of one group.' });
export type AnswersReportRow = z.output<typeof answersReportRowSchema>;

export const answersReportSchema = responseObject({
  since: responseField.dateTime('Start of the report.', '2026-08-01T00:00:00.000Z'),
  until: responseField.dateTime('End of the report.', '2026-09-01T00:00:00.000Z'),
  by: openEnum(REPORT_GROUPS, { description: 'What the offers are grouped by.', example: 'adjuster' }),
  time_zone: responseField
    .text('By week only: the time zone in which weeks begin.', 'America/Chicago')
    .optional(),
  total: answersReportRowSchema,
  rows: z.array(answersReportRowSchema).meta({
    description: `The groups: weeks in order of time, others by number of offers; at most ${LIMITS.reportRows}.`,
    example: [],
  }),
}).meta({ id: 'AnswersReport', description: 'Offers by outcome, and the time to answer.' });
export type AnswersReport = z.output<typeof answersReportSchema>;

export const inviteAdjustersBody = fields({
  svc_ids: arrayOf(LIMITS.invitationBatch, svcId(), 'an array of SVCIDs', {
    description: `SVCIDs of the adjusters, at most ${LIMITS.invitationBatch}; case-sensitive.`,
    example: ['SVC-7F3K-Delacroix', 'SVC-2M8Q-Okafor'],
  }),
}).meta({ id: 'InviteAdjustersRequest', description: 'The adjusters to invite.' });

export const invitationResultSchema = responseObject({
  svc_id: svcIdField('The SVCID as it was sent.'),
  outcome: openEnum(INVITATION_OUTCOMES, {
    description:
      'invited; duplicate: earlier in the list; otherwise the error code of inviting this adjuster alone.',
    example: 'invited',
  }),
  status: openEnum(ADJUSTER_STATUSES, {
    description: 'Status of the invitation or membership; absent where there is none.',
    example: 'pending',
  }).optional(),
  detail: responseField
    .text('Why the adjuster was not invited; absent for the others.', 'No adjuster has this SVCID.')
    .optional(),
}).meta({ id: 'InvitationResult', description: 'What became of one SVCID.' });
export type InvitationResult = z.output<typeof invitationResultSchema>;

const invitationResultsSchema = responseObject({
  results: z
    .array(invitationResultSchema)
    .meta({ description: 'One for each SVCID, in the order of the list.', example: [] }),
}).meta({ id: 'InvitationResults', description: 'What became of each SVCID.' });

const invitationEnvironment = fields({
  environment: environmentParameter().meta({
    description: 'live for a real adjuster, the default; test for a test account of the firm.',
    example: 'live',
  }),
});

const offerAtDesk = atDesk(firmEndpoints.offerClaim);

/** The board of claims, its adjusters and reports. */
export const boardEndpoints = named({
  listBoardClaims: endpoint({
    ...staffRead('claims:read'),
    method: 'GET',
    path: '/firm/v1/claims',
    audit: 'claims.read',
    summary: 'List claims on the board',
    description:
      'Reads a bounded number of claims per request: a page may have fewer claims than its limit, or none, and a next_cursor. With q, those found by their ids come first.',
    query: boardQuery,
    success: {
      status: 200,
      schema: boardPageSchema,
      description: 'A page of the board.',
    },
    problems: STAFF_REQUEST,
  }),
  getBoardClaim: endpoint({
    ...staffRead('claims:read'),
    method: 'GET',
    path: '/firm/v1/claims/{id}',
    audit: 'claim.read',
    summary: 'Get a claim with its offers',
    description: 'The claim, live or test, and every offer with what became of it.',
    params: claimParams,
    success: { status: 200, schema: boardClaimDetailsSchema, description: 'The claim.' },
    problems: [...STAFF_REQUEST, 'not_found'],
  }),
  getBoardReceipt: endpoint({
    ...firmEndpoints.getReceipt,
    ...atDesk(firmEndpoints.getReceipt),
    path: '/firm/v1/claims/{id}/receipt',
    description: 'As GET /v1/claims/{id}/receipt, of a live or test claim.',
  }),
  sendBoardClaim: endpoint({
    ...firmEndpoints.sendClaim,
    ...atDesk(firmEndpoints.sendClaim),
    path: '/firm/v1/claims',
    description: 'As POST /v1/claims, in the environment.',
    query: environmentQuery,
  }),
  offerBoardClaim: endpoint({
    ...firmEndpoints.offerClaim,
    ...offerAtDesk,
    path: '/firm/v1/claims/{id}/assignment',
    description:
      'As POST /v1/claims/{id}/assignment, in the environment, which is that of the claim. With updated_at, a claim that has changed since is not offered.',
    query: environmentQuery,
    body: offerBoardClaimBody,
    problems: [...offerAtDesk.problems, 'claim_changed'],
  }),
  withdrawBoardOffer: endpoint({
    ...staffWrite('claims:write'),
    method: 'POST',
    path: '/firm/v1/claims/{id}/withdrawal',
    audit: 'claim.withdraw',
    summary: 'Withdraw a pending offer',
    description:
      'The offer ends and the claim is unassigned; it can be offered again, also to the same adjuster. The app of the adjuster drops it and says that the firm has withdrawn it. With updated_at, a claim that has changed since is left as it is.',
    params: claimParams,
    body: withdrawOfferBody,
    bodyRequired: false,
    success: { status: 200, schema: claimSchema, description: 'The claim, now unassigned.' },
    problems: [
      ...STAFF_REQUEST,
      ...WITH_BODY,
      ...(['not_found', 'claim_already_accepted', 'offer_not_pending', 'claim_changed'] as const),
    ],
  }),
  closeBoardClaim: endpoint({
    ...staffWrite('claims:write'),
    method: 'POST',
    path: '/firm/v1/claims/{id}/closure',
    audit: 'claim.close',
    summary: 'Close a claim',
    description:
      'Frees the claim number and ends offering for good; a pending offer is withdrawn first. Closing itself is not visible under /v1 and does not change updated_at. Closing again has no effect. With updated_at, a claim that has changed since is left as it is.',
    params: claimParams,
    body: closeBoardClaimBody,
    bodyRequired: false,
    success: { status: 200, schema: closedClaimSchema, description: 'The closed claim.' },
    problems: [...STAFF_REQUEST, ...WITH_BODY, 'not_found', 'claim_changed'],
  }),
  listBoardAdjusters: endpoint({
    ...staffRead('adjusters:read'),
    method: 'GET',
    path: '/firm/v1/adjusters',
    audit: 'adjusters.read',
    summary: 'List adjusters with their work',
    description:
      'All members and invitations of the firm, with their open work. test: only the test accounts of the firm. With for_claim, those who have rejected it come last in each page, and each has the distance to it and warnings.',
    query: fields({
      ...environmentQuery.shape,
      for_claim: uuidParameter({
        description:
          'Id of a claim that is going to be offered: says who has rejected an offer of it, how far it is, and what to know.',
        example: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10',
      }).optional(),
      ...pageParameters(),
    }),
    success: {
      status: 200,
      schema: pageOf('BoardAdjusterPage', boardAdjusterSchema),
      description: 'A page of adjusters.',
    },
    problems: [...STAFF_REQUEST, 'not_found'],
  }),
  spreadClaims: endpoint({
    ...staffWrite('claims:write'),
    method: 'POST',
    path: '/firm/v1/adjusters/spread',
    audit: 'adjusters.read',
    summary: 'Spread claims over adjusters',
    description:
      'Proposes who gets which claim, and offers nothing: the numbers of the adjusters differ by at most one, and of the pairs that are left the nearest comes next; unknown distances come last. The same request has the same response, in whatever order, while the distances are the same.',
    query: environmentQuery,
    body: spreadClaimsBody,
    success: {
      status: 200,
      schema: responseObject({
        offers: z
          .array(proposedOfferSchema)
          .meta({ description: 'One for each claim, in the order of the request.', example: [] }),
      }).meta({ id: 'SpreadClaims', description: 'Who could get which claim.' }),
      description: 'The proposal.',
    },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'adjuster_not_in_firm'],
  }),
  getSharedCredentials: endpoint({
    ...staffRead('adjusters:read'),
    method: 'GET',
    path: '/firm/v1/adjusters/{svc_id}/credentials',
    audit: 'credentials.read',
    summary: 'Get the credentials of an adjuster',
    description:
      'The FCN and the licenses of a member who lets the firm see them; of any other adjuster `not_found`.',
    params: fields({ svc_id: svcId() }),
    success: { status: 200, schema: sharedCredentialsSchema, description: 'The credentials.' },
    problems: [...STAFF_REQUEST, 'not_found'],
  }),
  inviteBoardAdjuster: endpoint({
    ...firmEndpoints.inviteAdjuster,
    ...atDesk(firmEndpoints.inviteAdjuster),
    path: '/firm/v1/adjusters/invitations',
    description: 'As POST /v1/adjusters/invitations, in the environment.',
    query: invitationEnvironment,
  }),
  inviteBoardAdjusters: endpoint({
    ...staffWrite('adjusters:write'),
    method: 'POST',
    path: '/firm/v1/adjusters/invitations/batch',
    audit: 'invitation.send',
    summary: 'Invite many adjusters',
    description:
      'Invites each adjuster of the list as POST /firm/v1/adjusters/invitations does; one that cannot be invited is an outcome and does not affect the others. Safe to repeat, also after a request without a response: those who are invited already stay as they are.',
    query: invitationEnvironment,
    body: inviteAdjustersBody,
    success: { status: 200, schema: invitationResultsSchema, description: 'What became of each SVCID.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST],
  }),
  withdrawBoardInvitation: endpoint({
    ...firmEndpoints.withdrawInvitation,
    ...atDesk(firmEndpoints.withdrawInvitation),
    path: '/firm/v1/adjusters/invitations/{svc_id}',
    description: 'As DELETE /v1/adjusters/invitations/{svc_id}, in the environment.',
    query: invitationEnvironment,
  }),
  reportAnswers: endpoint({
    ...staffRead('reports:read'),
    method: 'GET',
    path: '/firm/v1/reports/answers',
    audit: 'report.read',
    summary: 'Report offers and answers',
    description:
      'Offers by outcome, with the median and the 90th percentile of the time to answer. With `Accept: text/csv`, the rows as CSV with the names of the fields as header.',
    query: answersReportQuery,
    headers: z.object({
      Accept: headerText(
        { min: 1, max: 1000 },
        {
          description: 'text/csv for CSV; anything else gets JSON.',
          example: 'text/csv',
        },
      ).optional(),
    }),
    success: { status: 200, schema: answersReportSchema, csv: true, description: 'The report.' },
    problems: STAFF_REQUEST,
  }),
});
