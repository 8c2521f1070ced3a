import { accountExamples } from './account-examples.ts';
import type {
  AppClaim,
  AppInvitation,
  Availability,
  Deadline,
  Device,
  DevicePreferencesBody,
  Membership,
  Profile,
  ReportErrorBody,
  Session,
  UpdateAvailabilityBody,
} from './app.ts';
import { type Credentials, credentialsExample } from './credentials.ts';
import { boardExamples } from './desk/board-examples.ts';
import { DESK_EXAMPLES } from './desk/examples.ts';
import { firmEndpoints, sandboxEndpoints } from './endpoints.ts';
import type { Example } from './example.ts';
import {
  acceptedClaim,
  activeAdjuster,
  claimPath,
  FIRM,
  idempotencyHeader,
  pendingAdjuster,
  rejectedClaim,
  sentClaim,
  surgeClaim,
} from './example-values.ts';
import type { EndpointId } from './operations.ts';
import { makeProblem, type Problem } from './problems.ts';
import { EXAMPLE_RECEIPT } from './receipt.ts';

const membership = {
  firm_id: FIRM.id,
  firm_name: FIRM.name,
  can_accept_claims: true,
  accepting_assignments: true,
} satisfies Membership;

const profile = {
  svc_id: 'SVC-7F3K-Delacroix',
  test: false,
  first_name: 'Jean-Luc',
  last_name: 'Delacroix',
  email: 'jean.delacroix@example.com',
  firms: [membership],
  availability: { accepting_assignments: true, away: [], max_open_offers: null, work_zip: null },
} satisfies Profile;

const account = accountExamples({
  email: profile.email,
  deviceName: 'Safari on iPhone',
  passkey: { name: 'iPhone', last_used_at: '2026-08-29T14:52:07.113Z' },
});

const ownCredentials = {
  version: 'Rk1gT3mVbQ2xYz0a',
  ...credentialsExample,
} satisfies Credentials;

const invitation = {
  firm_id: FIRM.id,
  firm_name: FIRM.name,
  invited_as: 'Jean Delacroix',
  invited_at: '2026-08-20T13:00:00.000Z',
  expires_at: '2026-08-27T13:00:00.000Z',
  missing_profile_fields: ['email'],
} satisfies AppInvitation;

const offeredClaim = {
  ...sentClaim,
  firm: FIRM,
  offered_at: '2026-08-29T14:52:07.113Z',
  work: { version: '6f1bW5m8Qx0pTz2c' },
  closed_at: null,
} satisfies AppClaim;

const acceptedAppClaim = {
  ...offeredClaim,
  updated_at: acceptedClaim.updated_at,
  assignment: acceptedClaim.assignment,
} satisfies AppClaim;

const claimWithWork = {
  ...acceptedAppClaim,
  work: {
    version: 'q1ZKTs4sSVWyUjIy',
    contact_date: '2026-08-30',
    inspection_date: '2026-09-02',
    notes: 'Water line 14 inches in the den.',
  },
} satisfies AppClaim;

const firmPath = { firm_id: FIRM.id };
const devicePath = { device_id: 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60' };

/** Those that stand on their operations. */
const examplesOf = <Id extends string>(
  operations: {
    readonly [K in Id]: { readonly example: Example };
  },
): { readonly [K in Id]: Example } =>
  Object.fromEntries(
    Object.entries<{ readonly example: Example }>(operations).map(([id, { example }]) => [id, example]),
  ) as { [K in Id]: Example };

/** A request and its response for each operation. */
export const EXAMPLES: { readonly [Id in EndpointId]: Example } = {
  ...DESK_EXAMPLES,
  ...boardExamples({
    body: surgeClaim,
    headers: idempotencyHeader,
    sent: sentClaim,
    invited: pendingAdjuster,
    member: activeAdjuster,
    receipt: { receipt: EXAMPLE_RECEIPT },
  }),
  ...examplesOf(firmEndpoints),
  ...examplesOf(sandboxEndpoints),
  ...account,
  signIn: {
    ...account.signIn,
    response: {
      token: 'svc_app_EXAMPLE',
      expires_at: '2026-11-27T14:52:07.113Z',
      adjuster: profile,
    } satisfies Session,
  },
  getProfile: { response: profile },
  updateProfile: { body: { first_name: 'Jean-Luc' }, response: profile },
  updateAvailability: {
    body: {
      away: [{ first_day: '2026-09-07', last_day: '2026-09-11', time_zone: 'America/Chicago' }],
      max_open_offers: 10,
      work_zip: '33931',
    } satisfies UpdateAvailabilityBody,
    response: {
      accepting_assignments: true,
      away: [{ first_day: '2026-09-07', last_day: '2026-09-11', time_zone: 'America/Chicago' }],
      max_open_offers: 10,
      work_zip: '33931',
    } satisfies Availability,
  },
  getCredentials: { response: ownCredentials },
  saveCredentials: { body: credentialsExample, response: ownCredentials },
  listDeadlines: {
    response: {
      data: [
        {
          kind: 'proof_of_loss',
          from: 'loss',
          hours: 1440,
          source: 'Standard Flood Insurance Policy, VII.G',
          events: [{ cat_code: 'FL26-09', hours: 8760, source: 'FEMA bulletin W-26009' }],
        } satisfies Deadline,
      ],
      next_cursor: null,
    },
  },
  confirmEmail: { body: { code: '402913' }, response: profile },
  listInvitations: { response: { data: [invitation], next_cursor: null } },
  acceptInvitation: { params: firmPath, response: membership },
  declineInvitation: {
    params: firmPath,
    response: {
      firm_id: FIRM.id,
      firm_name: FIRM.name,
      status: 'declined',
      responded_at: '2026-08-20T16:41:30.052Z',
    },
  },
  updateMembership: {
    params: firmPath,
    body: { accepting_assignments: false },
    response: { ...membership, accepting_assignments: false } satisfies Membership,
  },
  getSharing: { params: firmPath, response: { clocks: true, credentials: false, work_area: false } },
  updateSharing: {
    params: firmPath,
    body: { clocks: true },
    response: { clocks: true, credentials: false, work_area: false },
  },
  leaveFirm: { params: firmPath },
  listOfferedClaims: {
    search: 'status=pending_acceptance',
    response: { data: [offeredClaim], next_cursor: null },
  },
  getOfferedClaim: { params: claimPath, response: offeredClaim },
  getOfferReceipt: { params: claimPath, response: { receipt: EXAMPLE_RECEIPT } },
  acceptClaim: {
    params: claimPath,
    body: { offered_at: offeredClaim.offered_at },
    response: acceptedAppClaim,
  },
  rejectClaim: {
    params: claimPath,
    body: { reason: 'Too far from my other files.', offered_at: offeredClaim.offered_at },
    response: { ...offeredClaim, assignment: rejectedClaim.assignment } satisfies AppClaim,
  },
  updateWork: {
    params: claimPath,
    body: {
      based_on: offeredClaim.work.version,
      contact_date: '2026-08-30',
      inspection_date: '2026-09-02',
      notes: 'Water line 14 inches in the den.',
    },
    response: claimWithWork,
  },
  logContact: {
    params: { ...claimPath, contact_id: 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60' },
    body: { at: '2026-08-30T15:05:00.000Z', result: 'left_message', note: 'Call back after 5 p.m.' },
    response: {
      ...claimWithWork,
      work: {
        ...claimWithWork.work,
        contacts: [
          {
            id: 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60',
            at: '2026-08-30T15:05:00.000Z',
            result: 'left_message',
            note: 'Call back after 5 p.m.',
          },
        ],
      },
    } satisfies AppClaim,
  },
  closeClaim: {
    params: claimPath,
    response: { ...claimWithWork, closed_at: '2026-09-14T20:10:44.731Z' } satisfies AppClaim,
  },
  reportError: {
    body: {
      screen: 'claim',
      error: 'TypeError',
      places: 'index-Crw7ccqE.js:1:4711',
    } satisfies ReportErrorBody,
  },
  getDevice: {
    params: devicePath,
    response: {
      device_id: devicePath.device_id,
      endpoint: 'https://push.example.net/send/c1KrmpTuRm',
    } satisfies Device,
  },
  registerDevice: {
    params: devicePath,
    body: {
      subscription: {
        endpoint: 'https://push.example.net/send/c1KrmpTuRm',
        expirationTime: null,
        keys: {
          p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
          auth: 'tBHItJI5svbpez7KI4CCXg',
        },
      },
    },
  },
  setDevicePreferences: {
    params: devicePath,
    body: {
      time_zone: 'America/Chicago',
      quiet_hours: { start: '21:00', end: '06:30' },
      deadline_reminders: true,
    } satisfies DevicePreferencesBody,
  },
  testDevice: { params: devicePath },
  unregisterDevice: { params: devicePath },
};

/** A rejected claim with several validation errors. */
export const EXAMPLE_PROBLEM: Problem = makeProblem('validation_failed', {
  docsUrl: 'https://example.com/docs',
  requestId: '01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55',
  errors: [
    {
      detail: 'This header is required: printable text of 1 to 255 characters.',
      header: 'Idempotency-Key',
    },
    {
      detail: 'Must be a valid calendar date (YYYY-MM-DD).',
      pointer: '/loss/date',
    },
    {
      detail: 'Must be one of the 72 flood zones, in uppercase without leading zeros; did you mean A8?',
      pointer: '/building/flood_zone',
    },
  ],
});
