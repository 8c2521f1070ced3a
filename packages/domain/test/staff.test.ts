import { describe, expect, test } from '@jest/globals';
import {
  checkKeyPurpose,
  checkNotLastAdmin,
  checkPermission,
  ENVIRONMENTS,
  type Environment,
  HOUR,
  KEY_PURPOSES,
  keyPurposesOf,
  mayGetLateOffersMail,
  nextLateOffersMail,
  PLANS,
  type Purpose,
  permissionsOf,
  STAFF_PERMISSIONS,
  STAFF_ROLES,
  type StaffId,
  type StaffPermission,
  type StaffRole,
} from '../src/index.ts';
import { codeThrownBy } from './moves.ts';

const codeOf = (run: () => void): string => codeThrownBy(run) ?? 'ok';

// By permission: who has it, of admin, dispatcher, developer and auditor.
const MATRIX: Readonly<Record<StaffPermission, string>> = {
  'claims:create': 'admin dispatcher',
  'claims:read': 'admin dispatcher auditor',
  'claims:write': 'admin dispatcher',
  'adjusters:read': 'admin dispatcher auditor',
  'adjusters:write': 'admin dispatcher',
  'reports:read': 'admin dispatcher auditor',
  'imports:read': 'admin dispatcher auditor',
  'imports:write': 'admin dispatcher',
  'clocks:write': 'admin',
  'keys:read': 'admin developer auditor',
  'keys:write': 'admin developer',
  'requests:read': 'admin developer auditor',
  'webhooks:read': 'admin developer auditor',
  'webhooks:write': 'admin developer',
  'sandbox:write': 'admin developer',
  'readiness:read': 'admin developer auditor',
  'audit:read': 'admin auditor',
  'staff:read': 'admin',
  'staff:write': 'admin',
};

// By role, then by environment: the purposes of the keys that it may create. Test keys reach the sandbox alone.
const KEY_MATRIX: Readonly<Record<StaffRole, Readonly<Record<Environment, readonly Purpose[]>>>> = {
  admin: {
    live: ['full_access', 'claims', 'adjusters', 'read_only'],
    test: ['full_access', 'claims', 'adjusters', 'read_only'],
  },
  dispatcher: { live: [], test: [] },
  developer: { live: [], test: ['full_access', 'claims', 'adjusters', 'read_only'] },
  auditor: { live: [], test: [] },
};

describe('a role of the desk', () => {
  test('creates exactly the keys that may do no more than it may itself', () => {
    const allowed = STAFF_ROLES.map((role) => [
      role,
      Object.fromEntries(
        ENVIRONMENTS.map((environment) => [environment, keyPurposesOf(role, environment)] as const),
      ),
    ]);
    expect(Object.fromEntries(allowed)).toEqual(KEY_MATRIX);
    for (const role of STAFF_ROLES)
      for (const environment of ENVIRONMENTS)
        for (const purpose of KEY_PURPOSES) {
          const isAllowed = KEY_MATRIX[role][environment].includes(purpose);
          const code = codeOf(() => checkKeyPurpose(role, environment, purpose));
          expect([role, environment, purpose, code]).toEqual([
            ...[role, environment, purpose],
            isAllowed ? 'ok' : 'missing_permission',
          ]);
        }
  });

  test('is named with what it lacks when it may not create a key', () => {
    expect(() => checkKeyPurpose('developer', 'live', 'read_only')).toThrow(
      'The role developer does not have claims:read, adjusters:read, which a live key of the purpose read_only needs.',
    );
  });

  test('is told what it lacks when it may not do something, or has no keys at all', () => {
    expect(() => checkKeyPurpose('auditor', 'live', 'read_only')).toThrow(
      'The role auditor does not have keys:write, which',
    );
    expect(() => checkPermission('staff:write', 'auditor', 'read_only')).toThrow(
      'This needs the permission staff:write, which the role auditor does not have.',
    );
    expect(() => checkPermission('claims:write', 'admin', 'read_only')).toThrow(
      "This needs the permission claims:write, which the firm's plan does not include.",
    );
    expect(STAFF_ROLES.filter(mayGetLateOffersMail)).toEqual(['admin', 'dispatcher']);
  });

  test('has exactly its permissions', () => {
    const allowed = STAFF_PERMISSIONS.map((permission) => [
      permission,
      STAFF_ROLES.filter((role) => codeOf(() => checkPermission(permission, role, 'standard')) === 'ok').join(
        ' ',
      ),
    ]);
    expect(Object.fromEntries(allowed)).toEqual(MATRIX);
    const codes = STAFF_ROLES.flatMap((role) =>
      STAFF_PERMISSIONS.map((permission) => codeOf(() => checkPermission(permission, role, 'standard'))),
    );
    expect(new Set(codes)).toEqual(new Set(['ok', 'missing_permission']));
  });

  test('cannot do what the plan of the firm does not include', () => {
    const missing = PLANS.map((plan) => [
      plan,
      STAFF_PERMISSIONS.filter((one) => codeOf(() => checkPermission(one, 'admin', plan)) === 'not_in_plan'),
    ]);
    expect(Object.fromEntries(missing)).toEqual({
      standard: [],
      claims_only: ['adjusters:read', 'adjusters:write'],
      read_only: ['claims:create', 'claims:write', 'adjusters:write'],
    });
    for (const plan of PLANS)
      for (const role of STAFF_ROLES)
        expect(permissionsOf(role, plan)).toEqual(
          STAFF_PERMISSIONS.filter((one) => codeOf(() => checkPermission(one, role, plan)) === 'ok'),
        );
    expect(codeOf(() => checkPermission('adjusters:read', 'developer', 'claims_only'))).toBe(
      'missing_permission',
    );
  });
});

test('the only administrator of a firm stays', () => {
  const member = (id: string, role: StaffRole) => ({ staffId: id as StaffId, role });
  const [one, two, auditor] = [member('1', 'admin'), member('2', 'admin'), member('3', 'auditor')];
  expect(codeOf(() => checkNotLastAdmin([one, auditor], one))).toBe('last_admin');
  expect(codeOf(() => checkNotLastAdmin([one, two, auditor], one))).toBe('ok');
  expect(codeOf(() => checkNotLastAdmin([one, auditor], auditor))).toBe('ok');
});

test('mails about late offers are due at noon UTC', () => {
  const hours = [0, 11, 12, 35, 36].map((hour) => nextLateOffersMail(hour * HOUR) / HOUR);
  expect(hours).toEqual([12, 12, 36, 36, 60]);
});
