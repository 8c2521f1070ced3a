import { CONTACT_RESULTS, DEADLINE_KINDS, DEADLINE_STARTS, PROFILE_FIELDS } from '@svc/domain/vocabulary';
import { z } from 'zod';
import { firmSchema } from './adjuster.ts';
import { claimSchema } from './claim.ts';
import {
  arrayOf,
  base64url,
  calendarDate,
  dateTime,
  expected,
  fields,
  flag,
  integer,
  matching,
  nonBlankText,
  oneOf,
  pushServiceUrl,
  responseField,
  text,
  timeOfDay,
  timeZone,
  zip,
} from './fields.ts';
import { LIMITS } from './limits.ts';
import { problemSchema } from './problems.ts';
import { openEnum, responseFields, responseObject } from './response-schema.ts';
import { accountEmail, signInCode } from './sign-in.ts';

export const updateProfileBody = fields({
  first_name: nonBlankText(LIMITS.personName, { description: 'First name.', example: 'Jean' }).optional(),
  last_name: nonBlankText(LIMITS.personName, { description: 'Last name.', example: 'Delacroix' }).optional(),
  email: accountEmail().optional(),
}).meta({
  id: 'UpdateProfileRequest',
  description: 'The profile fields to change. Omitted fields are unchanged.',
});

export const confirmEmailBody = fields({
  code: signInCode(),
}).meta({ id: 'ConfirmEmail', description: 'The code that was sent to the new email address.' });

export const updateMembershipBody = fields({
  accepting_assignments: flag({
    description: 'Whether the adjuster currently accepts offers from this firm.',
    example: false,
  }),
}).meta({ id: 'UpdateMembershipRequest', description: 'Pauses or resumes offers from a firm.' });

const awayFields = {
  first_day: calendarDate({ description: 'First day without offers.', example: '2026-09-07' }),
  last_day: calendarDate({ description: 'Last day without offers.', example: '2026-09-11' }),
  time_zone: timeZone({
    description: 'IANA name of the time zone in which the days begin and end.',
    example: 'America/Chicago',
  }),
};
const EXAMPLE_AWAY = [{ first_day: '2026-09-07', last_day: '2026-09-11', time_zone: 'America/Chicago' }];

const awayPeriod = fields(awayFields)
  .check(({ value, issues }) => {
    if (value.last_day < value.first_day)
      issues.push({
        code: 'custom',
        message: 'Must not be earlier than first_day.',
        input: value.last_day,
        path: ['last_day'],
      });
  })
  .meta({ id: 'AwayPeriodInput', description: 'Days without offers, both included.' });

const MAX_OPEN_OFFERS = {
  description: 'With this many pending offers, of all firms together, there are no new ones; null: no limit.',
  example: 10,
};

const WORK_ZIP = {
  description:
    'The ZIP code in which the adjuster works, or null. Of the firms that the adjuster shares the work area with, each sees how many miles it is from a claim, and not the code.',
  example: '33931',
};

export const updateAvailabilityBody = fields({
  accepting_assignments: flag({
    description: 'Whether the adjuster takes offers at all; each firm can also be paused separately.',
    example: true,
  }).optional(),
  away: arrayOf(LIMITS.awayPeriods, awayPeriod, 'an array of away periods', {
    description: 'Times without offers; replaces those before.',
    example: EXAMPLE_AWAY,
  }).optional(),
  max_open_offers: integer(LIMITS.openOffers, MAX_OPEN_OFFERS).nullable().optional(),
  work_zip: zip(WORK_ZIP).nullable().optional(),
}).meta({
  id: 'UpdateAvailabilityRequest',
  description: 'When the adjuster takes offers, and where. Omitted fields are unchanged.',
});
export type UpdateAvailabilityBody = z.output<typeof updateAvailabilityBody>;

export const devicePreferencesBody = fields({
  time_zone: timeZone({
    description: 'IANA name of the time zone of the device.',
    example: 'America/Chicago',
  }),
  quiet_hours: fields({
    start: timeOfDay({ description: 'From this time on.', example: '21:00' }),
    end: timeOfDay({ description: 'Until this time; on the next day if it is earlier.', example: '06:30' }),
  })
    .meta({
      id: 'QuietHoursInput',
      description: 'Times without notifications, which come when the quiet hours end.',
      example: { start: '21:00', end: '06:30' },
    })
    .nullable(),
  deadline_reminders: flag({
    description: 'Whether the device is notified once a day when something is due.',
    example: true,
  }),
}).meta({ id: 'DevicePreferencesRequest', description: 'Preferences of a registered device.' });

export const rejectClaimBody = fields({
  reason: text(LIMITS.rejectionReason, {
    description: 'Reason for rejecting; shown to the firm.',
    example: 'Too far from my other files.',
  }).optional(),
}).meta({ id: 'RejectClaimRequest', description: 'An optional reason.' });

const seenOffer = {
  offered_at: dateTime({
    description:
      "The claim's `offered_at` as the adjuster saw it, compared to the millisecond. If the claim was offered again since, the response is `offer_not_pending`. Without it, the response is to the latest offer.",
    example: '2026-08-29T14:52:07.113Z',
  }).optional(),
  answered_at: dateTime({
    description:
      "When the adjuster answered, by the device's clock, which the app corrects by its offset to the service's. For the receipt alone: what counts is when the service receives the answer.",
    example: '2026-08-29T15:02:41.020Z',
  }).optional(),
  kept_offline_since: dateTime({
    description: "Since when the app has kept the answer for lack of a network, by the device's clock.",
    example: '2026-08-29T15:02:46.300Z',
  }).optional(),
};
export const acceptOfferBody = fields(seenOffer).meta({
  id: 'AcceptOfferRequest',
  description: 'The offer that the adjuster saw.',
});
export type AcceptOfferBody = z.output<typeof acceptOfferBody>;
export const rejectOfferBody = fields({ ...rejectClaimBody.shape, ...seenOffer }).meta({
  id: 'RejectOfferRequest',
  description: 'An optional reason, and the offer that the adjuster saw.',
});

const EXAMPLE_WORK_VERSION = 'q1ZKTs4sSVWyUjIy';

const workEntries = {
  contact_date: calendarDate({
    description: 'Date on which the adjuster contacted the policyholder.',
    example: '2026-08-30',
  }),
  inspection_date: calendarDate({
    description: 'Date on which the adjuster inspected the property.',
    example: '2026-09-02',
  }),
  planned_visit_date: calendarDate({
    description: 'Date on which the adjuster plans to visit the property.',
    example: '2026-09-01',
  }),
  planned_visit_time: timeOfDay({
    description: 'Time of the planned visit, on the clock at the property.',
    example: '10:30',
  }),
  preliminary_report_date: calendarDate({
    description: 'Date on which the adjuster sent the preliminary report.',
    example: '2026-09-04',
  }),
  proof_of_loss_date: calendarDate({
    description: 'Date on which the proof of loss was sent.',
    example: '2026-09-20',
  }),
  notes: text(LIMITS.workNotes, {
    description: "The adjuster's notes.",
    example: 'Water line 14 inches in the den.',
  }),
};

/** Null clears it. */
const clearable = <Field extends z.ZodType>(field: Field) => field.nullable().optional();

export const updateWorkBody = fields({
  based_on: text(LIMITS.workVersion, {
    description:
      'The `version` of the entries that were edited. If they have changed since, the response is `work_changed`, unless they already are as requested. Without it, the last request counts.',
    example: EXAMPLE_WORK_VERSION,
  }).optional(),
  contact_date: clearable(workEntries.contact_date),
  inspection_date: clearable(workEntries.inspection_date),
  planned_visit_date: clearable(workEntries.planned_visit_date),
  planned_visit_time: clearable(workEntries.planned_visit_time),
  preliminary_report_date: clearable(workEntries.preliminary_report_date),
  proof_of_loss_date: clearable(workEntries.proof_of_loss_date),
  notes: clearable(workEntries.notes),
}).meta({
  id: 'UpdateWorkRequest',
  description: "The adjuster's entries to change. Omitted fields are unchanged; null clears a field.",
});

export const logContactBody = fields({
  at: dateTime({
    description: "When the adjuster tried, by the device's clock.",
    example: '2026-08-30T15:05:00.000Z',
  }),
  result: oneOf(CONTACT_RESULTS, {
    description: 'What came of it; inspected: the property was inspected.',
    example: 'left_message',
  }).meta({
    id: 'ContactResult',
  }),
  note: text(LIMITS.contactNote, {
    description: "The adjuster's note.",
    example: 'Call back after 5 p.m.',
  }).optional(),
}).meta({ id: 'LogContactRequest', description: 'An attempt to reach the policyholder.' });
export type LogContactBody = z.output<typeof logContactBody>;

// The format of PushSubscription.toJSON() in browsers.
export const registerDeviceBody = fields({
  subscription: fields({
    endpoint: pushServiceUrl(LIMITS.pushEndpoint, {
      description: "URL of the browser's push service.",
      example: 'https://push.example.net/send/c1KrmpTuRm',
    }),
    expirationTime: z
      .number(expected('a Unix time in milliseconds, or null'))
      .nullable()
      .meta({ description: 'When the subscription expires; null if it does not expire.', example: null })
      .optional(),
    keys: fields({
      p256dh: base64url(LIMITS.pushKey, {
        description: 'Public key of the subscription.',
        example: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
      }),
      auth: base64url(LIMITS.pushKey, {
        description: 'Authentication secret of the subscription.',
        example: 'tBHItJI5svbpez7KI4CCXg',
      }),
    }).meta({ id: 'PushSubscriptionKeysInput', description: 'Keys for encrypting messages.' }),
  }).meta({
    id: 'PushSubscriptionInput',
    description: "The browser's push subscription, as returned by its toJSON().",
  }),
}).meta({
  id: 'RegisterDeviceRequest',
  description: 'Push subscription for notifications of claims and invitations.',
});

export const deviceSchema = responseObject({
  device_id: responseField.text('The id that the app has generated.', 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60'),
  endpoint: responseField.text(
    'The address that push messages to this device are sent to.',
    'https://push.example.net/send/c1KrmpTuRm',
  ),
}).meta({ id: 'Device', description: 'A device that is registered for push notifications.' });
export type Device = z.output<typeof deviceSchema>;

export const reportErrorBody = fields({
  screen: matching('1 to 20 lowercase letters', /^[a-z]{1,20}$/, {
    description: 'The screen that could not be shown.',
    example: 'claim',
  }),
  error: matching('1 to 40 letters', /^[A-Za-z]{1,40}$/, {
    description: 'The name of the error. Messages are not sent, since they may quote data of a claim.',
    example: 'TypeError',
  }),
  places: matching(
    'at most 10 places in files of the app, such as index-Crw7ccqE.js:1:4711, separated by spaces',
    /^([A-Za-z0-9_-]{1,60}\.js:[0-9]{1,6}:[0-9]{1,8}( |$)){1,10}$/,
    { description: 'Where in the files of the app it occurred.', example: 'index-Crw7ccqE.js:1:4711' },
  ).optional(),
}).meta({ id: 'ReportErrorRequest', description: 'An error of the app, without personal data.' });
export type ReportErrorBody = z.output<typeof reportErrorBody>;

const FIRM_ID = '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21';
const FIRM_NAME = 'Gulf Adjusting Partners';

export const membershipSchema = responseObject({
  firm_id: responseField.uuid('Id of the firm.', FIRM_ID),
  firm_name: responseField.text('Name of the firm.', FIRM_NAME),
  can_accept_claims: responseField.flag(
    'Whether the adjuster has permission to accept claims of this firm.',
    true,
  ),
  accepting_assignments: responseField.flag(
    'Whether the adjuster currently accepts offers from this firm; set by the adjuster.',
    true,
  ),
}).meta({ id: 'Membership', description: 'Membership of the adjuster in a firm.' });
export type Membership = z.output<typeof membershipSchema>;

const sharing = {
  clocks: flag({
    description:
      'Whether the firm sees when the adjuster first reached the policyholder and inspected the property; never notes, numbers called or places.',
    example: true,
  }),
  credentials: flag({ description: "Whether the firm sees the adjuster's credentials.", example: false }),
  work_area: flag({
    description: 'Whether the firm sees how far a claim is from the ZIP code in which the adjuster works.',
    example: false,
  }),
};

export const updateSharingBody = fields(sharing).partial().meta({
  id: 'UpdateSharingRequest',
  description: 'What the firm may see. Omitted fields are unchanged.',
});

export const sharingSchema = responseObject(responseFields(sharing)).meta({
  id: 'Sharing',
  description:
    'What the adjuster lets a firm see: nothing until the adjuster says so, nor after leaving the firm.',
});
export type Sharing = z.output<typeof sharingSchema>;

export const availabilitySchema = responseObject({
  accepting_assignments: responseField.flag('Whether the adjuster takes offers at all.', true),
  away: z
    .array(
      responseObject(responseFields(awayFields)).meta({
        id: 'AwayPeriod',
        description: 'Days without offers, both included.',
      }),
    )
    .meta({ description: 'Times without offers.', example: EXAMPLE_AWAY }),
  max_open_offers: responseField.integer(MAX_OPEN_OFFERS.description, MAX_OPEN_OFFERS.example).nullable(),
  work_zip: responseField.text(WORK_ZIP.description, WORK_ZIP.example).nullable(),
}).meta({
  id: 'Availability',
  description:
    'When the adjuster takes offers, and where. Firms see nothing of when, only that the limit is reached: an offer outside of it fails with adjuster_not_accepting.',
  example: { accepting_assignments: true, away: [], max_open_offers: null, work_zip: null },
});
export type Availability = z.output<typeof availabilitySchema>;

export const deadlineSchema = responseObject({
  kind: openEnum(DEADLINE_KINDS, { description: 'What is due.', example: 'proof_of_loss' }),
  from: openEnum(DEADLINE_STARTS, {
    description: "Counted from the adjuster's acceptance, or from the end of the date of loss.",
    example: 'loss',
  }),
  hours: responseField.integer('Hours until it is due.', 1440),
  source: responseField.text('Where the deadline is written.', 'Standard Flood Insurance Policy, VII.G'),
  events: z
    .array(
      responseObject({
        cat_code: responseField.text('Catastrophe code of the event.', 'FL26-09'),
        hours: responseField.integer('Hours until it is due.', 8760),
        source: responseField.text('Where the deadline is written.', 'FEMA bulletin W-26009'),
      }).meta({ id: 'EventDeadline', description: 'Another deadline for the claims of one event.' }),
    )
    .meta({ description: 'Events with another deadline.', example: [] }),
}).meta({ id: 'Deadline', description: 'A deadline of accepted claims.' });
export type Deadline = z.output<typeof deadlineSchema>;

export const profileSchema = responseObject({
  svc_id: responseField.text("The adjuster's SVCID; the adjuster gives it to firms.", 'SVC-7F3K-Delacroix'),
  test: responseField.flag('Whether this is a test account.', false),
  first_name: responseField.text('First name; null if not set.', 'Jean').nullable(),
  last_name: responseField.text('Last name; null if not set.', 'Delacroix').nullable(),
  email: responseField.text('Email address; null if not set.', 'jean.delacroix@example.com').nullable(),
  firms: z.array(membershipSchema).meta({
    description: 'The firms the adjuster is an active member of.',
    example: [
      { firm_id: FIRM_ID, firm_name: FIRM_NAME, can_accept_claims: true, accepting_assignments: true },
    ],
  }),
  availability: availabilitySchema,
}).meta({ id: 'Profile', description: "The adjuster's account." });
export type Profile = z.output<typeof profileSchema>;

export const sessionSchema = responseObject({
  token: responseField.text('The session token; shown only once.', 'svc_app_EXAMPLE'),
  expires_at: responseField.dateTime(
    'When the session expires unless it is used before.',
    '2026-11-27T14:52:07.113Z',
  ),
  adjuster: profileSchema,
}).meta({ id: 'Session', description: 'A device session.' });
export type Session = z.output<typeof sessionSchema>;

export const ownSessionSchema = responseObject({
  id: responseField.uuid('Id of the session.', '7c1c9c52-0f0a-4b53-9d57-2f1f7a3c9d44'),
  device_name: responseField.text('Name of the device; null if unknown.', 'Safari on iPhone').nullable(),
  current: responseField.flag('Whether it is the session of this request.', true),
  created_at: responseField.dateTime('When the session was opened.', '2026-08-20T13:00:00.000Z'),
  last_used_at: responseField.dateTime('Last request, up to a minute late.', '2026-08-29T14:52:07.113Z'),
  expires_at: responseField.dateTime(
    'When the session expires unless it is used before.',
    '2026-11-27T14:52:07.113Z',
  ),
}).meta({ id: 'OwnSession', description: 'A session of the account.' });
export type OwnSession = z.output<typeof ownSessionSchema>;

export const passkeySchema = responseObject({
  id: responseField.uuid('Id of the passkey.', '1f6a3d0e-7a37-4c3b-8f0a-2b7c5f2f9e11'),
  name: responseField.text('Name of the passkey.', 'iPhone'),
  created_at: responseField.dateTime('When it was added.', '2026-08-20T13:00:00.000Z'),
  last_used_at: responseField
    .dateTime('Last sign-in with it; null if it was not used.', '2026-08-29T14:52:07.113Z')
    .nullable(),
}).meta({ id: 'Passkey', description: 'A passkey (WebAuthn credential) of the account.' });
export type Passkey = z.output<typeof passkeySchema>;

export const passkeyOptionsSchema = responseObject({
  options: z.record(z.string(), z.unknown()).meta({
    description:
      'Options for navigator.credentials, in the JSON format of WebAuthn: PublicKeyCredentialCreationOptionsJSON to add a passkey, PublicKeyCredentialRequestOptionsJSON to sign in.',
    example: { challenge: 'MDE5ODBhNWU', rpId: 'claims.example.com', userVerification: 'required' },
  }),
}).meta({ id: 'PasskeyOptions', description: 'Options for the WebAuthn API of the browser.' });
export type PasskeyOptions = z.output<typeof passkeyOptionsSchema>;

export const appInvitationSchema = responseObject({
  firm_id: responseField.uuid('Id of the firm that sent the invitation.', FIRM_ID),
  firm_name: responseField.text('Name of the firm that sent the invitation.', FIRM_NAME),
  invited_as: responseField
    .text("The firm's name for the adjuster; null if not sent.", 'Jean Delacroix')
    .nullable(),
  invited_at: responseField.dateTime('Time of the invitation.', '2026-08-20T13:00:00.000Z'),
  expires_at: responseField.dateTime('When the invitation expires.', '2026-08-27T13:00:00.000Z'),
  missing_profile_fields: z
    .array(
      openEnum(PROFILE_FIELDS, {
        description: 'An empty profile field.',
        example: 'email',
      }),
    )
    .meta({
      description: 'Profile fields that are required to accept the invitation and are empty.',
      example: ['email'],
    }),
}).meta({ id: 'Invitation', description: 'A pending invitation, as shown to the adjuster.' });
export type AppInvitation = z.output<typeof appInvitationSchema>;

export const declinedInvitationSchema = responseObject({
  firm_id: responseField.uuid('Id of the firm that sent the invitation.', FIRM_ID),
  firm_name: responseField.text('Name of the firm that sent the invitation.', FIRM_NAME),
  status: openEnum(['declined'], { description: 'Status of the invitation.', example: 'declined' }),
  responded_at: responseField.dateTime('When the adjuster declined.', '2026-08-20T16:41:30.052Z'),
}).meta({ id: 'DeclinedInvitation', description: 'A declined invitation.' });
export type DeclinedInvitation = z.output<typeof declinedInvitationSchema>;

const workSchema = responseObject({
  version: responseField.text(
    'Stands for the entries without the contacts, which have ids: equal entries have equal versions. Send it as `based_on` with a change.',
    EXAMPLE_WORK_VERSION,
  ),
  ...responseFields(fields(workEntries).partial().shape),
  contacts: z
    .array(
      responseObject({
        id: responseField.text('The id that the app generated.', 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60'),
        ...responseFields(logContactBody.shape),
        received_at: responseField
          .dateTime(
            'When the service received this time and result; absent in earlier entries.',
            '2026-08-30T15:20:11.402Z',
          )
          .optional(),
      }).meta({ id: 'ContactAttempt', description: 'An attempt to reach the policyholder.' }),
    )
    .meta({ description: 'Attempts to reach the policyholder, oldest first.', example: [] })
    .optional(),
}).meta({
  id: 'Work',
  description: "The adjuster's entries. Fields without an entry are omitted.",
  example: { version: EXAMPLE_WORK_VERSION, contact_date: '2026-08-30' },
});
export type Work = z.output<typeof workSchema>;

/** The error of a change of entries. */
export const workProblemSchema = responseObject({
  ...problemSchema.shape,
  work: workSchema
    .meta({ description: "The adjuster's entries as they are now; only with work_changed." })
    .optional(),
}).meta({ id: 'WorkProblem', description: 'An error (RFC 9457) of a change of entries.' });

export const appClaimSchema = responseObject({
  ...claimSchema.shape,
  firm: firmSchema.meta({ description: 'The firm that sent the claim.' }),
  offered_at: responseField.dateTime(
    'When the claim was offered to this adjuster.',
    '2026-08-29T14:52:07.113Z',
  ),
  respond_by: responseField
    .dateTime(
      'Until when the firm waits for the answer to this offer; omitted if the firm has set no limit.',
      '2026-08-29T18:52:07.113Z',
    )
    .optional(),
  clocks: responseObject({
    contact_hours: responseField
      .integer('Within how many hours of the acceptance the policyholder is to be reached.', 12)
      .optional(),
    inspection_hours: responseField
      .integer('Within how many hours of the first contact the property is to be inspected.', 48)
      .optional(),
    report_days: responseField
      .integer('Within how many days of the acceptance the preliminary report is due.', 3)
      .optional(),
    time_zone: responseField.text('Time zone on whose calendar the days are counted.', 'America/Chicago'),
  })
    .meta({
      id: 'AppClaimClocks',
      description:
        'What the firm owes this carrier; instead of a time that is omitted, that of the program applies. Omitted if the firm has set nothing.',
      example: { contact_hours: 12, time_zone: 'America/Chicago' },
    })
    .optional(),
  work: workSchema,
  closed_at: responseField
    .dateTime('When the claim was closed; null while it is open.', '2026-09-14T20:10:44.731Z')
    .nullable(),
}).meta({
  id: 'AppClaim',
  description:
    'A claim as shown to its adjuster: as sent, with the carrier details and the special limits cap that are printed on the forms.',
});
export type AppClaim = z.output<typeof appClaimSchema>;
