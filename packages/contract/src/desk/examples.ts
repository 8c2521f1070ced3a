import type { Example } from '../example.ts';
import type { boardEndpoints } from './board.ts';
import type { deskEndpoints } from './index.ts';
import { READINESS_EXAMPLE } from './readiness.ts';
import type { OwnStaff, StaffMember, StaffSession } from './staff.ts';
import { WEBHOOK_EXAMPLES } from './webhooks.ts';

const FIRM = { id: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21', name: 'Gulf Adjusting Partners' } as const;

const member = {
  id: '01980a5e-9b1c-7d2e-8f3a-4b5c6d7e8f90',
  email: 'priya@gulfadjusting.example.com',
  name: 'Priya Natarajan',
  role: 'dispatcher',
  invited_at: '2026-08-20T13:00:00.000Z',
  joined_at: '2026-08-20T16:41:30.052Z',
} satisfies StaffMember;

const ownStaff = {
  staff: { id: member.id, email: member.email, name: member.name, role: member.role },
  firm: { ...FIRM, plan: 'standard' },
  permissions: ['claims:create', 'claims:read', 'claims:write', 'adjusters:read', 'adjusters:write'],
  firms: [FIRM],
} satisfies OwnStaff;

const memberPath = { staff_id: member.id };

export const DESK_EXAMPLES: {
  readonly [Id in Exclude<keyof typeof deskEndpoints, keyof typeof boardEndpoints>]: Example;
} = {
  requestStaffSignInCode: { body: { email: member.email } },
  signInStaff: {
    body: { email: member.email, code: '402913' },
    response: {
      token: 'svc_staff_EXAMPLE',
      expires_at: '2026-11-27T14:52:07.113Z',
      ...ownStaff,
    } satisfies StaffSession,
  },
  signOutStaff: {},
  getOwnStaff: { response: ownStaff },
  listStaff: { response: { data: [member], next_cursor: null } },
  inviteStaff: {
    body: { email: member.email, name: member.name, role: 'dispatcher' },
    response: { ...member, joined_at: null } satisfies StaffMember,
  },
  updateStaff: {
    params: memberPath,
    body: { role: 'auditor' },
    response: { ...member, role: 'auditor' } satisfies StaffMember,
  },
  removeStaff: { params: memberPath },
  getFirmReadiness: { response: READINESS_EXAMPLE },
  ...WEBHOOK_EXAMPLES,
};
