import { z } from 'zod';
import { claimSchema } from './claim.ts';
import {
  base64url,
  calendarDate,
  digits,
  email,
  fields,
  flag,
  nonBlankText,
  presence,
  pushAddress,
  shown,
  text,
  wanted,
} from './fields.ts';
import { LIMITS } from './limits.ts';
import { svcId } from './people.ts';
import { openEnum, responseObject } from './response-schema.ts';
import { PROFILE_FIELDS } from './vocabulary.ts';

// What the adjuster's app asks and is told.

const accountEmail = () =>
  email({ description: "The account's email address.", example: 'jean.delacroix@example.com' });

export const requestSignInCodeBody = fields({ email: accountEmail() }).meta({
  id: 'RequestSignInCode',
  description: 'Where to send a sign-in code.',
});
export type RequestSignInCodeBody = z.output<typeof requestSignInCodeBody>;

/** The two ways in: a mailed code, or the secret of a test account. */
export type SignInBody =
  | { email: string; code: string; svc_id?: never; sign_in_secret?: never }
  | { svc_id: string; sign_in_secret: string; email?: never; code?: never };

const EMAIL_PAIR = ['email', 'code'] as const;
const SECRET_PAIR = ['svc_id', 'sign_in_secret'] as const;
const BOTH_WAYS = 'Send email and code, or svc_id and sign_in_secret.';

const onePair = presence((present) => {
  const [byEmail, bySecret] = [EMAIL_PAIR.filter(present), SECRET_PAIR.filter(present)];
  if (byEmail.length > 0 && bySecret.length > 0)
    return [{ path: [], detail: `Must hold one way to sign in, not both. ${BOTH_WAYS}` }];
  const begun = byEmail.length > 0 ? EMAIL_PAIR : bySecret.length > 0 ? SECRET_PAIR : null;
  if (begun === null) return [{ path: [], detail: `Must hold a way to sign in. ${BOTH_WAYS}` }];
  return begun
    .filter((name) => !present(name))
    .map((name) => ({ path: [name], detail: `This field is required. ${BOTH_WAYS}` }));
});

// The rule lets through exactly the two pairs, which the type of the object alone cannot tell.
export const signInBody = onePair(
  fields({
    email: accountEmail().optional(),
    code: digits(6, { description: 'The code from the mail.', example: '402913' }).optional(),
    svc_id: svcId().optional(),
    sign_in_secret: text(LIMITS.signInSecret, {
      description: 'Secret of a test account.',
      example: 'tst_9xQm2LrV4c',
    }).optional(),
  }),
).meta({
  id: 'SignIn',
  description: 'A mailed code with the email it went to, or a test account with its secret.',
  oneOf: [{ required: [...EMAIL_PAIR] }, { required: [...SECRET_PAIR] }],
}) as unknown as z.ZodType<SignInBody>;

export const updateProfileBody = fields({
  first_name: nonBlankText(LIMITS.personName, { description: 'First name.', example: 'Jean' }).optional(),
  last_name: nonBlankText(LIMITS.personName, { description: 'Last name.', example: 'Delacroix' }).optional(),
  email: accountEmail().optional(),
}).meta({ id: 'UpdateProfile', description: 'The profile fields to change; the others stay.' });
export type UpdateProfileBody = z.output<typeof updateProfileBody>;

export const updateMembershipBody = fields({
  accepting_assignments: flag({
    description: 'Whether the firm may offer claims to this adjuster now.',
    example: false,
  }),
}).meta({ id: 'UpdateMembership', description: 'Pauses or resumes offers from this firm.' });
export type UpdateMembershipBody = z.output<typeof updateMembershipBody>;

export const rejectClaimBody = fields({
  reason: text(LIMITS.rejectionReason, {
    description: 'Why; shown to the firm.',
    example: 'Too far from my other files.',
  }).optional(),
}).meta({ id: 'RejectClaim', description: 'An optional reason.' });
export type RejectClaimBody = z.output<typeof rejectClaimBody>;

export const updateWorkBody = fields({
  contact_date: calendarDate({
    description: 'The day the adjuster reached the policyholder.',
    example: '2026-08-30',
  })
    .nullable()
    .optional(),
  inspection_date: calendarDate({
    description: 'The day the adjuster inspected the property.',
    example: '2026-09-02',
  })
    .nullable()
    .optional(),
  notes: text(LIMITS.workNotes, {
    description: "The adjuster's own notes.",
    example: 'Water line 14 inches in the den.',
  })
    .nullable()
    .optional(),
}).meta({
  id: 'UpdateWork',
  description: "The adjuster's own entries to change. A field left out stays; null clears it.",
});
export type UpdateWorkBody = z.output<typeof updateWorkBody>;

// The names inside are those of the W3C's PushSubscription, as a browser's toJSON() writes them.
export const registerDeviceBody = fields({
  subscription: fields({
    endpoint: pushAddress(LIMITS.pushEndpoint, {
      description: "Address of the browser's push service.",
      example: 'https://push.example.net/send/c1KrmpTuRm',
    }),
    expirationTime: z
      .number(wanted('milliseconds since 1970, or null'))
      .nullable()
      .meta({ description: 'When the subscription lapses; null when it does not.', example: null })
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
    }).meta({
      description: 'Keys that a message is encrypted with.',
      example: {
        p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
        auth: 'tBHItJI5svbpez7KI4CCXg',
      },
    }),
  }).meta({
    description: "The browser's push subscription, as its toJSON() writes it.",
    example: {
      endpoint: 'https://push.example.net/send/c1KrmpTuRm',
      expirationTime: null,
      keys: {
        p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
        auth: 'tBHItJI5svbpez7KI4CCXg',
      },
    },
  }),
}).meta({ id: 'RegisterDevice', description: 'Where to push news of claims and invitations.' });
export type RegisterDeviceBody = z.output<typeof registerDeviceBody>;

const FIRM_ID = '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21';
const FIRM_NAME = 'Gulf Adjusting Partners';

export const membershipSchema = responseObject({
  firm_id: shown.uuid('Id of the firm.', FIRM_ID),
  firm_name: shown.text('Name of the firm.', FIRM_NAME),
  can_accept_claims: shown.flag('Whether the firm lets this adjuster accept claims.', true),
  accepting_assignments: shown.flag('Whether the adjuster takes offers now; the adjuster decides.', true),
}).meta({ id: 'Membership', description: 'The adjuster in one firm.' });
export type Membership = z.output<typeof membershipSchema>;

export const profileSchema = responseObject({
  svc_id: shown.text("The adjuster's SVCID, to be passed on to firms.", 'SVC-7F3K-Delacroix'),
  test: shown.flag("Whether this is a firm's test account.", false),
  first_name: shown.text('First name; null until filled in.', 'Jean').nullable(),
  last_name: shown.text('Last name; null until filled in.', 'Delacroix').nullable(),
  email: shown.text('Email address; null until filled in.', 'jean.delacroix@example.com').nullable(),
  firms: z.array(membershipSchema).meta({
    description: 'The firms the adjuster is an active member of.',
    example: [
      { firm_id: FIRM_ID, firm_name: FIRM_NAME, can_accept_claims: true, accepting_assignments: true },
    ],
  }),
}).meta({ id: 'Profile', description: "The adjuster's own account." });
export type Profile = z.output<typeof profileSchema>;

export const sessionSchema = responseObject({
  token: shown.text('The session token; shown this once.', 'svc_app_EXAMPLE'),
  expires_at: shown.dateTime('When the session ends if it is not used before.', '2026-11-27T14:52:07.113Z'),
  adjuster: profileSchema,
}).meta({ id: 'Session', description: 'A device session.' });
export type Session = z.output<typeof sessionSchema>;

export const appInvitationSchema = responseObject({
  firm_id: shown.uuid('Id of the firm that invites.', FIRM_ID),
  firm_name: shown.text('Name of the firm that invites.', FIRM_NAME),
  invited_as: shown
    .text("The firm's name for the adjuster; null when not given.", 'Jean Delacroix')
    .nullable(),
  invited_at: shown.dateTime('When the firm invited.', '2026-08-20T13:00:00.000Z'),
  expires_at: shown.dateTime('When the invitation lapses.', '2026-08-27T13:00:00.000Z'),
  missing_profile_fields: z
    .array(
      openEnum(PROFILE_FIELDS, {
        description: 'A profile field that is empty.',
        example: 'email',
      }),
    )
    .meta({
      description: 'Profile fields to fill in before the invitation can be accepted.',
      example: ['email'],
    }),
}).meta({ id: 'Invitation', description: 'A pending invitation, as the adjuster sees it.' });
export type AppInvitation = z.output<typeof appInvitationSchema>;

export const declinedInvitationSchema = responseObject({
  firm_id: shown.uuid('Id of the firm that had invited.', FIRM_ID),
  firm_name: shown.text('Name of the firm that had invited.', FIRM_NAME),
  status: openEnum(['declined'], { description: 'Where the invitation stands now.', example: 'declined' }),
  responded_at: shown.dateTime('When the adjuster declined.', '2026-08-20T16:41:30.052Z'),
}).meta({ id: 'DeclinedInvitation', description: 'An invitation that was just declined.' });
export type DeclinedInvitation = z.output<typeof declinedInvitationSchema>;

const workSchema = responseObject({
  contact_date: shown.date('The day the adjuster reached the policyholder.', '2026-08-30').optional(),
  inspection_date: shown.date('The day the adjuster inspected the property.', '2026-09-02').optional(),
  notes: shown.text("The adjuster's own notes.", 'Water line 14 inches in the den.').optional(),
}).meta({
  description: "The adjuster's own entries; what was never entered is left out.",
  example: { contact_date: '2026-08-30' },
});
export type Work = z.output<typeof workSchema>;

export const appClaimSchema = responseObject({
  ...claimSchema.shape,
  firm: responseObject({
    id: shown.uuid('Id of the firm.', FIRM_ID),
    name: shown.text('Name of the firm.', FIRM_NAME),
  }).meta({ description: 'The firm that sent the claim.', example: { id: FIRM_ID, name: FIRM_NAME } }),
  offered_at: shown.dateTime('When the claim was offered to this adjuster.', '2026-08-29T14:52:07.113Z'),
  work: workSchema,
  closed_at: shown
    .dateTime('When the claim was closed; null while it is open.', '2026-09-14T20:10:44.731Z')
    .nullable(),
}).meta({
  id: 'AppClaim',
  description:
    "A claim as its adjuster sees it: as sent, with the carrier's details and the special limits cap that the forms print.",
});
export type AppClaim = z.output<typeof appClaimSchema>;
