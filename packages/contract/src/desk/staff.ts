import { KEY_PURPOSES, STAFF_PERMISSIONS, STAFF_ROLES } from '@svc/domain/vocabulary';
import { z } from 'zod';
import { accountEndpoints } from '../account.ts';
import { firmSchema } from '../adjuster.ts';
import { endpoint, named } from '../endpoint.ts';
import { email, fields, nonBlankText, oneOf, responseField, text, uuidParameter } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { pageOf } from '../page.ts';
import { ANY_SESSION_REQUEST, STAFF_REQUEST, staffRead, staffWrite, WITH_BODY } from '../requests.ts';
import { openEnum, responseObject } from '../response-schema.ts';
import { staffSignInBody } from '../sign-in.ts';

const role = () =>
  oneOf(STAFF_ROLES, { id: 'StaffRoleInput', description: 'What the person may do.', example: 'dispatcher' });
const name = () =>
  nonBlankText(LIMITS.fullName, { description: 'Name of the person.', example: 'Priya Natarajan' });

const staffRole = () =>
  openEnum(STAFF_ROLES, {
    id: 'StaffRole',
    description: 'What the person may do. More values may be added.',
    example: 'dispatcher',
  });

const EXAMPLE_ID = '01980a5e-9b1c-7d2e-8f3a-4b5c6d7e8f90';

const person = {
  id: responseField.uuid('Id of the staff member.', EXAMPLE_ID),
  email: responseField.text('Email address.', 'priya@gulfadjusting.example.com'),
  name: responseField.text('Name.', 'Priya Natarajan'),
  role: staffRole(),
};

export const staffMemberSchema = responseObject({
  ...person,
  invited_at: responseField.dateTime('When the person was invited.', '2026-08-20T13:00:00.000Z'),
  joined_at: responseField
    .dateTime('When the person first signed in with a code; null: not yet.', '2026-08-20T16:41:30.052Z')
    .nullable(),
  working_keys: responseField.integer(
    'Keys of the firm that work and that the person made. They work on when the person is removed.',
    0,
  ),
}).meta({ id: 'StaffMember', description: 'A staff member of the firm.' });
export type StaffMember = z.output<typeof staffMemberSchema>;

export const keyPurpose = openEnum(KEY_PURPOSES, {
  id: 'KeyPurpose',
  description: 'What the key is for. More values may be added.',
  example: 'full_access',
});

const LATE_OFFERS_MAIL = ['off', 'daily'] as const;

const ownStaff = {
  staff: responseObject(person).meta({ id: 'Staff', description: 'The person who is signed in.' }),
  firm: responseObject({
    ...firmSchema.shape,
    plan: responseField.text('What the firm has bought.', 'standard'),
  }).meta({
    id: 'StaffFirm',
    description: 'The firm that the session is for.',
  }),
  permissions: z
    .array(
      openEnum(STAFF_PERMISSIONS, {
        id: 'StaffPermission',
        description: 'A permission. More values may be added.',
        example: 'claims:read',
      }),
    )
    .meta({
      description: 'What the person may do now.',
      example: ['claims:create', 'claims:read', 'claims:write', 'adjusters:read', 'adjusters:write'],
    }),
  key_purposes: responseObject({
    live: z.array(keyPurpose).meta({ description: 'Of live keys.', example: [] }),
    test: z.array(keyPurpose).meta({ description: 'Of test keys.', example: KEY_PURPOSES }),
  }).meta({
    id: 'OwnKeyPurposes',
    description:
      'The purposes of keys that the person may create or replace: a key may do no more than who makes it. Who works with the sandbox may create any test key.',
    example: { live: [], test: KEY_PURPOSES },
  }),
  late_offers_mail: openEnum(LATE_OFFERS_MAIL, {
    id: 'LateOffersMail',
    description:
      'Whether the person is mailed at 12:00 UTC on days with late offers. More values may be added.',
    example: 'off',
  }),
  firms: z.array(firmSchema).meta({
    description:
      'The firms in which this email address is staff, this one included. `PUT /firm/v1/sessions/current` changes to another one.',
    example: [{ id: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21', name: 'Gulf Adjusting Partners' }],
  }),
};

export const ownStaffSchema = responseObject(ownStaff).meta({
  id: 'OwnStaff',
  description: 'The person who is signed in, and their firm.',
});
export type OwnStaff = z.output<typeof ownStaffSchema>;

export const firmChoiceSchema = responseObject({
  firms: z.array(firmSchema).meta({
    description: 'The firms in which the person is staff, in the order in which they joined.',
    example: [{ id: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21', name: 'Gulf Adjusting Partners' }],
  }),
  ticket: responseField.text('Works once, within five minutes.', 'svc_ticket_EXAMPLE'),
}).meta({ id: 'FirmChoice', description: 'What a person of several firms chooses from.' });
export type FirmChoice = z.output<typeof firmChoiceSchema>;

export const staffSessionSchema = responseObject({
  token: responseField.text('The session token; shown only once.', 'svc_staff_EXAMPLE'),
  expires_at: responseField.dateTime(
    'When the session expires unless it is used before.',
    '2026-11-27T14:52:07.113Z',
  ),
  ...ownStaff,
}).meta({ id: 'StaffSession', description: 'A session of a staff member.' });
export type StaffSession = z.output<typeof staffSessionSchema>;

const inviteStaffBody = fields({
  email: email({ description: 'Where sign-in codes are sent.', example: 'priya@gulfadjusting.example.com' }),
  name: name(),
  role: role(),
}).meta({ id: 'InviteStaffRequest', description: 'The person to invite.' });

const updateStaffBody = fields({ name: name().optional(), role: role().optional() }).meta({
  id: 'UpdateStaffRequest',
  description: 'The fields to change. Omitted fields are unchanged.',
});

const staffParams = fields({
  staff_id: uuidParameter({ description: 'Id of the staff member.', example: EXAMPLE_ID }),
});

export const staffAccount = accountEndpoints({
  ...{ root: 'firm', read: staffRead(null), write: staffWrite(null), who: 'Staff', person: 'person' },
});

/** Sign-in to the desk, and the people of the firm. */
export const staffEndpoints = named({
  changeFirm: endpoint({
    ...staffWrite(null),
    method: 'PUT',
    path: '/firm/v1/sessions/current',
    audit: 'session.open',
    summary: 'Change the firm',
    description:
      'The session is then of the other firm, in which the person must be staff with the same email address, and has the role that they have there. Its token stays.',
    body: fields({
      firm_id: text(LIMITS.uuid, {
        description: 'The firm to work for, of `firms` of `GET /firm/v1/me`.',
        example: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21',
      }),
    }).meta({ id: 'ChangeFirmRequest', description: 'The other firm.' }),
    success: { status: 200, schema: ownStaffSchema, description: 'The person and the firm.' },
    problems: [...WITH_BODY, ...ANY_SESSION_REQUEST, 'not_found'],
  }),
  requestStaffSignInCode: staffAccount.requestSignInCode,
  signInStaff: endpoint({
    ...staffAccount.signIn,
    description:
      'Creates a session from an emailed code or from a passkey. A person of several firms gets their names and a ticket, and sends the ticket with the chosen `firm_id`. Returns `rate_limited` after too many failed attempts, as in the adjuster app.',
    body: staffSignInBody,
    success: { status: 201, schema: staffSessionSchema, description: 'The session and its token.' },
    next: {
      status: 200,
      schema: firmChoiceSchema,
      description: 'The firms to choose from, and the ticket to send with the chosen one.',
      example: {
        firms: [
          { id: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21', name: 'Gulf Adjusting Partners' },
          { id: '0c1f5a52-8e0e-4d53-9f57-3f1f7a3c9d11', name: 'Bayou Claims' },
        ],
        ticket: 'svc_ticket_EXAMPLE',
      },
    },
  }),
  signOutStaff: staffAccount.signOut,
  startStaffPasskeySignIn: staffAccount.startPasskeySignIn,
  startStaffPasskeyRegistration: staffAccount.startPasskeyRegistration,
  registerStaffPasskey: staffAccount.registerPasskey,
  listStaffPasskeys: staffAccount.listPasskeys,
  renameStaffPasskey: staffAccount.renamePasskey,
  removeStaffPasskey: staffAccount.removePasskey,
  listStaffSessions: staffAccount.listSessions,
  endStaffSession: staffAccount.endSession,
  getOwnStaff: endpoint({
    ...staffRead(null),
    method: 'GET',
    path: '/firm/v1/me',
    audit: null,
    beforePasskey: true,
    summary: 'Get who is signed in',
    description: 'The person, the firm, and what the person may do now.',
    success: { status: 200, schema: ownStaffSchema, description: 'The person and the firm.' },
    problems: ANY_SESSION_REQUEST,
  }),
  updateOwnStaff: endpoint({
    ...staffWrite('claims:write'),
    method: 'PATCH',
    path: '/firm/v1/me',
    audit: 'staff.settings',
    summary: 'Change own settings',
    description:
      'With `late_offers_mail`, the person is mailed how many offers wait longer than the firm does: at most once a day, on days when there are any.',
    body: fields({
      late_offers_mail: oneOf(LATE_OFFERS_MAIL, {
        id: 'LateOffersMailInput',
        description: 'Whether to mail how many offers are late.',
        example: 'daily',
      }).optional(),
    }).meta({ id: 'UpdateOwnStaffRequest', description: 'The settings to change.' }),
    success: { status: 200, schema: ownStaffSchema, description: 'The person and the firm.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST],
  }),
  listStaff: endpoint({
    ...staffRead('staff:read'),
    method: 'GET',
    path: '/firm/v1/staff',
    audit: 'staff.read',
    summary: 'List the staff',
    description: `The people of the firm, by the time of their invitation; at most ${LIMITS.staffPerFirm}. There is always one page.`,
    success: {
      status: 200,
      schema: pageOf('StaffPage', staffMemberSchema),
      description: 'The staff of the firm.',
    },
    problems: STAFF_REQUEST,
  }),
  inviteStaff: endpoint({
    ...staffWrite('staff:write'),
    method: 'POST',
    path: '/firm/v1/staff',
    audit: 'staff.invite',
    summary: 'Invite a staff member',
    description:
      'Adds a person and emails them the address of the desk. They sign in with a code that is sent to their address.',
    body: inviteStaffBody,
    pointers: { staff_exists: '/email', too_many_staff: '' },
    success: { status: 201, schema: staffMemberSchema, description: 'The staff member.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST],
  }),
  updateStaff: endpoint({
    ...staffWrite('staff:write'),
    method: 'PATCH',
    path: '/firm/v1/staff/{staff_id}',
    audit: 'staff.change',
    summary: 'Change a staff member',
    description: 'A new role is in force within a second. The last administrator keeps the role.',
    params: staffParams,
    body: updateStaffBody,
    success: { status: 200, schema: staffMemberSchema, description: 'The staff member.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'not_found', 'last_admin'],
  }),
  removeStaff: endpoint({
    ...staffWrite('staff:write'),
    method: 'DELETE',
    path: '/firm/v1/staff/{staff_id}',
    audit: 'staff.remove',
    summary: 'Remove a staff member',
    description: 'Ends all sessions of the person within a second. The last administrator cannot be removed.',
    params: staffParams,
    success: { status: 204, schema: null, description: 'Removed.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'not_found', 'last_admin'],
  }),
});
