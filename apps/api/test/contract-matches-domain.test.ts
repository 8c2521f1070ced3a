// Contract and domain have separate lists, so that a rename in the domain cannot change the API. These tests compare them.
import { expect, test } from '@jest/globals';
import * as application from '@svc/application';
import * as contract from '@svc/contract';
import * as domain from '@svc/domain';

test.each([
  ['environments', contract.ENVIRONMENTS, domain.ENVIRONMENTS],
  ['scopes', contract.SCOPES, domain.SCOPES],
  ['purposes of keys', contract.KEY_PURPOSES, domain.PURPOSES],
  ['roles of staff', contract.STAFF_ROLES, domain.STAFF_ROLES],
  ['permissions of staff', contract.STAFF_PERMISSIONS, domain.STAFF_PERMISSIONS],
  ['actions of the audit trail', contract.AUDIT_ACTIONS, application.AUDIT_ACTIONS],
  ['reasons of a pause', contract.WEBHOOK_PAUSE_REASONS, application.WEBHOOK_PAUSE_REASONS],
  ['statuses of a delivery', contract.WEBHOOK_STATUSES, application.WEBHOOK_STATUSES],
  ['errors of a delivery', contract.WEBHOOK_ERRORS, application.WEBHOOK_ERRORS],
  ['webhooks', Object.keys(contract.webhooks), application.WEBHOOK_TYPES],
  ['statuses of an assignment', contract.ASSIGNMENT_STATUSES, domain.ASSIGNMENT_STATUSES],
  ['kinds of deadlines', contract.DEADLINE_KINDS, domain.DEADLINE_KINDS],
  // Firms do not see adjusters who left.
  ['statuses of an adjuster', [...contract.ADJUSTER_STATUSES, 'left'], domain.MEMBERSHIP_STATUSES],
] as const)('contract and domain have the same %s', (_, sent, known) => {
  expect([...sent].sort()).toEqual([...known].sort());
});

test('the documented and the enforced number of passkeys are the same', () => {
  expect(contract.LIMITS.passkeysPerAccount).toBe(application.MAX_PASSKEYS_PER_ACCOUNT);
});

test('the documented and the enforced number of staff are the same', () => {
  expect(contract.LIMITS.staffPerFirm).toBe(domain.MAX_STAFF_PER_FIRM);
  expect(contract.LIMITS.workingKeys).toBe(domain.DEFAULT_MAX_KEYS);
});

test('the documented and the longest period that is verified are the same', () => {
  expect(contract.LIMITS.auditVerificationDays * domain.DAY).toBe(application.MAX_VERIFIED_MS);
});

test('the documented and the enforced limits of webhooks are the same', () => {
  expect(contract.LIMITS.webhooksPerEnvironment).toBe(application.MAX_WEBHOOKS);
  expect(contract.LIMITS.webhookUrl.max).toBe(application.MAX_WEBHOOK_URL_LENGTH);
});

test('the documented checks of an integration are those that are made, in this order', () => {
  expect(contract.READINESS_CHECKS).toEqual(application.READINESS_CHECKS);
});

test("the documented and the enforced sizes of the desk's history and reports are the same", () => {
  const { answersForMedian, offerHistory, reportRows, boardCount } = contract.LIMITS;
  expect([answersForMedian, offerHistory, reportRows, boardCount]).toEqual([
    application.ANSWERS_FOR_MEDIAN,
    application.MAX_OFFERS_READ,
    application.MAX_ANSWERS_GROUPS,
    application.MAX_COUNTED_CLAIMS,
  ]);
});

test('the documented and the enforced number of contacts of a claim are the same', () => {
  expect(contract.LIMITS.contactsPerClaim).toBe(domain.MAX_CONTACTS);
});

test('contract and domain treat the same characters as blank', () => {
  // Whitespace and invisible characters are all in the Basic Multilingual Plane, apart from tags (U+E0000 and up).
  const points = [0, 0xe0000].flatMap((start) =>
    Array.from({ length: 0x10000 }, (_, index) => start + index),
  );
  const characters = points.map((point) => String.fromCodePoint(point));
  expect(characters.filter(contract.isBlank)).toEqual(characters.filter(domain.isBlank));
});

test('the documented rate limits are the default limits of keys', () => {
  expect(domain.DEFAULT_LIMITS).toEqual(contract.RATES);
});

test('contract and domain classify buildings and occupancies in the same way', () => {
  const classed = (residential: readonly string[], nonResidential: readonly string[]): object =>
    Object.fromEntries([
      ...residential.map((name) => [name, 'residential']),
      ...nonResidential.map((name) => [name, 'non_residential']),
    ]);
  expect(domain.BUILDING_TYPE_CLASSES).toEqual(
    classed(contract.RESIDENTIAL_BUILDING_TYPES, contract.NON_RESIDENTIAL_BUILDING_TYPES),
  );
  expect(domain.OCCUPANCY_CLASSES).toEqual(
    classed(contract.RESIDENTIAL_OCCUPANCY_TYPES, contract.NON_RESIDENTIAL_OCCUPANCY_TYPES),
  );
});
