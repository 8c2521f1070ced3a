import { describe, expect, test } from '@jest/globals';
import {
  type Adjuster,
  ALWAYS_AVAILABLE,
  type Availability,
  acceptInvitation,
  addMember,
  checkAddressee,
  checkInvitable,
  contactForFirm,
  DAY,
  declineInvitation,
  type Environment,
  expireInvitation,
  type FirmId,
  fullName,
  invite,
  isUnseenInvitation,
  leaveFirm,
  MEMBERSHIP_ACTIONS,
  MEMBERSHIP_STATUSES,
  MEMBERSHIP_TRANSITIONS,
  type Membership,
  type MembershipAction,
  type MembershipStatus,
  mayAcceptOffers,
  missingProfileFields,
  NO_NOTES,
  SHARES_NOTHING,
  type Svcid,
  statusAt,
  TEST_ACCOUNTS,
  TEST_BEHAVIORS,
  TEST_REJECTION_REASON,
  TEST_RESPONSE_DELAY_MS,
  withdrawInvitation,
} from '../src/index.ts';
import { codeThrownBy, parseTransitions } from './moves.ts';

const FIRM = '00000000-0000-7000-8000-0000000000f1' as FirmId;
const OTHER_FIRM = '00000000-0000-7000-8000-0000000000f2' as FirmId;
const ANNA: Adjuster = {
  svcId: 'Anna-1' as Svcid,
  firstName: 'Anna',
  lastName: 'Ortiz',
  email: 'anna@example.net',
  testOf: null,
};
const INVITED = 1_756_684_800_000;
const SEVEN_DAYS = 7 * 24 * 60 * 60 * 1000;
const NOTES = { invitedAs: 'A. Ortiz', invitedBy: 'Kim', purpose: 'Helene', note: 'call first' };

const invited = (): Membership =>
  invite(null, { firmId: FIRM, svcId: ANNA.svcId, notes: NOTES, at: INVITED });
const joined = (): Membership => acceptInvitation(invited(), ANNA, INVITED + 1);

/** A record in each status, and a time at which it has that status. */
const recordIn: Record<MembershipStatus, { record: () => Membership; now: number }> = {
  pending: { record: invited, now: INVITED + 10 },
  active: { record: joined, now: INVITED + 10 },
  declined: { record: () => declineInvitation(invited(), INVITED + 1), now: INVITED + 10 },
  expired: { record: invited, now: INVITED + SEVEN_DAYS },
  withdrawn: { record: () => withdrawInvitation(invited(), INVITED + 1), now: INVITED + 10 },
  left: { record: () => leaveFirm(joined(), 'standard', INVITED + 2), now: INVITED + 10 },
};

const perform: Record<MembershipAction, (record: Membership, now: number) => Membership> = {
  invite: (record, at) => invite(record, { firmId: FIRM, svcId: ANNA.svcId, notes: NO_NOTES, at }),
  accept: (record, at) => acceptInvitation(record, ANNA, at),
  decline: declineInvitation,
  withdraw: withdrawInvitation,
  leave: (membership, at) => leaveFirm(membership, 'standard', at),
};

// The interface's table of invitation states; capitals: the error code.
const EXPECTED = `
           invite              accept     decline    withdraw   leave
pending    INVITATION_PENDING  active     declined   withdrawn  NOT_FOUND
active     ALREADY_MEMBER      NOT_FOUND  NOT_FOUND  NOT_FOUND  left
declined   pending             NOT_FOUND  NOT_FOUND  NOT_FOUND  NOT_FOUND
expired    pending             NOT_FOUND  NOT_FOUND  NOT_FOUND  NOT_FOUND
withdrawn  pending             NOT_FOUND  NOT_FOUND  NOT_FOUND  NOT_FOUND
left       pending             NOT_FOUND  NOT_FOUND  NOT_FOUND  NOT_FOUND
`;

const expected = parseTransitions(EXPECTED);
const cases = MEMBERSHIP_STATUSES.flatMap((status) =>
  MEMBERSHIP_ACTIONS.map((action) => ({ status, action, outcome: expected.get(`${status} × ${action}`) })),
);

describe('a membership', () => {
  test('the table covers exactly every status and action', () => {
    expect([...expected.keys()].sort()).toEqual(cases.map((c) => `${c.status} × ${c.action}`).sort());
    expect(Object.keys(MEMBERSHIP_TRANSITIONS).sort()).toEqual([...MEMBERSHIP_STATUSES].sort());
  });

  test.each(cases)('$status × $action: $outcome', ({ status, action, outcome = 'missing' }) => {
    const { record, now } = recordIn[status];
    const before = record();
    expect(statusAt(before, now)).toBe(status);
    if (outcome === outcome.toUpperCase()) {
      expect(codeThrownBy(() => perform[action](before, now))).toBe(outcome.toLowerCase());
    } else {
      expect(statusAt(perform[action](before, now), now)).toBe(outcome);
    }
    expect(before).toEqual(record());
  });
});

describe('an invitation', () => {
  test('is pending for exactly seven days', () => {
    expect(invited().expiresAt).toBe(INVITED + SEVEN_DAYS);
    expect(statusAt(invited(), INVITED)).toBe('pending');
    expect(statusAt(invited(), INVITED + SEVEN_DAYS - 1)).toBe('pending');
    expect(statusAt(invited(), INVITED + SEVEN_DAYS)).toBe('expired');
  });

  test('only a pending record expires, and only at its end', () => {
    expect(statusAt({ ...joined(), expiresAt: INVITED }, INVITED + 10)).toBe('active');
    expect(statusAt({ ...invited(), expiresAt: null }, INVITED + 10 * SEVEN_DAYS)).toBe('pending');
  });

  test.each([
    [{ firstName: null }, ['first_name']],
    [{ lastName: null }, ['last_name']],
    [{ email: null }, ['email']],
    [{ firstName: null, lastName: null, email: null }, ['first_name', 'last_name', 'email']],
    [{ firstName: ' ', lastName: '\u200b\u00a0' }, ['first_name', 'last_name']],
    [{}, []],
  ])('needs a complete profile to be accepted: %j lacks %j', (gaps, missing) => {
    const account = { ...ANNA, ...gaps };
    expect(missingProfileFields(account)).toEqual(missing);
    expect(codeThrownBy(() => acceptInvitation(invited(), account, INVITED + 1))).toBe(
      missing.length === 0 ? null : 'profile_incomplete',
    );
    expect(codeThrownBy(() => acceptInvitation(invited(), account, INVITED + SEVEN_DAYS))).toBe('not_found');
  });

  test('the errors name every missing field, and what the record is not', () => {
    const account = { ...ANNA, firstName: null, email: null };
    expect(() => acceptInvitation(invited(), account, INVITED + 1)).toThrow(
      'Complete your profile first: first_name, email.',
    );
    expect(() => perform.leave(invited(), INVITED + 1)).toThrow('You are not a member of this firm.');
    expect(() => perform.withdraw(joined(), INVITED + 2)).toThrow('There is no pending invitation.');
    expect(() => perform.invite(joined(), INVITED + 2)).toThrow('already a member of the firm');
    expect(() => perform.invite(invited(), INVITED + 2)).toThrow('already has a pending invitation');
  });

  test('fullName is null when either name is missing', () => {
    expect(fullName(ANNA)).toBe('Anna Ortiz');
    expect(fullName({ ...ANNA, firstName: null })).toBeNull();
    expect(fullName({ ...ANNA, lastName: null })).toBeNull();
  });
});

test.each(MEMBERSHIP_STATUSES)('only a pending invitation is unseen, or can be ended early: %s', (status) => {
  const { record, now } = recordIn[status];
  const isPending = status === 'pending';
  expect(isUnseenInvitation({ ...record(), seenAt: null }, INVITED, now)).toBe(isPending);
  expect(isUnseenInvitation({ ...record(), seenAt: INVITED }, INVITED, now)).toBe(false);
  expect(isUnseenInvitation({ ...record(), seenAt: null }, INVITED - 1, now)).toBe(false);
  const ended = () => statusAt(expireInvitation(record(), now), now);
  if (isPending) expect([ended(), statusAt(record(), now)]).toEqual(['expired', 'pending']);
  else expect(codeThrownBy(ended)).toBe('not_found');
});

test.each(MEMBERSHIP_STATUSES)('the firm sees name and email of an active member only: %s', (status) => {
  const visible = { name: 'Anna Ortiz', email: 'anna@example.net' };
  expect(contactForFirm(recordIn[status].record(), ANNA)).toEqual(
    status === 'active' ? visible : { name: null, email: null },
  );
});

test('an action changes exactly this of a membership', () => {
  const set = {
    firstKnownAt: 4,
    readableUntil: 5,
    seenAt: 6,
    remindedAt: 7,
    canAcceptClaims: false,
    acceptingAssignments: false,
  };
  const sharing = { clocks: true, credentials: true, workArea: true };
  const open: Membership = { ...invited(), ...set, sharing };
  const member: Membership = { ...joined(), ...set, sharing };
  const left: Membership = { ...member, status: 'left' };
  const at = INVITED + 9;
  const added = { firmId: FIRM, svcId: ANNA.svcId, at };
  const [invitation, ended] = [
    { ...added, notes: { ...NO_NOTES, note: 'n' } },
    { expiresAt: null, respondedAt: at },
  ];
  const none = { respondedAt: null, seenAt: null, remindedAt: null, sharing: SHARES_NOTHING };
  const anew = { ...left, ...none, acceptingAssignments: true };
  const uninvited = { invitedAt: null, expiresAt: null, notes: NO_NOTES, readableUntil: null };
  expect({
    accept: acceptInvitation(open, ANNA, at),
    decline: declineInvitation(open, at),
    withdraw: withdrawInvitation(open, at),
    expire: expireInvitation(open, at),
    leave: leaveFirm(member, 'read_only', at),
    invite: invite(left, invitation),
    add: addMember(left, added),
    addPaused: addMember(left, { ...added, acceptingAssignments: false }),
  }).toEqual({
    accept: { ...open, ...ended, status: 'active', readableUntil: null },
    decline: { ...open, ...ended, status: 'declined' },
    withdraw: { ...open, status: 'withdrawn', expiresAt: null },
    expire: { ...open, expiresAt: at },
    leave: { ...member, status: 'left', readableUntil: at + 30 * DAY, sharing: SHARES_NOTHING },
    invite: {
      ...anew,
      status: 'pending',
      invitedAt: at,
      expiresAt: at + SEVEN_DAYS,
      notes: invitation.notes,
    },
    add: { ...anew, ...uninvited, status: 'active' },
    addPaused: { ...anew, ...uninvited, status: 'active', acceptingAssignments: false },
  });
});

describe('a member without an invitation', () => {
  const member = { firmId: FIRM, svcId: ANNA.svcId, at: INVITED + SEVEN_DAYS };

  test('has no invitation times and no notes', () => {
    expect(addMember(null, member)).toEqual({
      firmId: FIRM,
      svcId: ANNA.svcId,
      status: 'active',
      seenAt: null,
      remindedAt: null,
      firstKnownAt: member.at,
      invitedAt: null,
      expiresAt: null,
      respondedAt: null,
      notes: NO_NOTES,
      canAcceptClaims: true,
      acceptingAssignments: true,
      readableUntil: null,
      sharing: SHARES_NOTHING,
    });
  });

  test.each(MEMBERSHIP_STATUSES)('can replace a record with status %s, unless active', (status) => {
    const { record } = recordIn[status];
    const add = () => addMember(record(), member);
    expect(codeThrownBy(add)).toBe(status === 'active' ? 'already_member' : null);
    if (status !== 'active') expect(add()).toMatchObject({ status: 'active', firstKnownAt: INVITED });
  });
});

describe('adjusters a key can name', () => {
  const ours: Adjuster = { ...ANNA, testOf: { firmId: FIRM, behavior: 'manual' } };
  const theirs: Adjuster = { ...ANNA, testOf: { firmId: OTHER_FIRM, behavior: 'manual' } };
  const disabled = (adjuster: Adjuster): Adjuster => ({ ...adjuster, disabledAt: 1 });

  const nameable = [
    { who: 'an unknown SVCID', adjuster: null, live: 'unknown_svcid', test: 'unknown_svcid' },
    { who: 'a disabled adjuster', adjuster: disabled(ANNA), live: null, test: 'unknown_svcid' },
    { who: 'its own test account', adjuster: disabled(ours), live: 'environment_mismatch', test: null },
    { who: "another firm's test account", adjuster: theirs, live: 'unknown_svcid', test: 'unknown_svcid' },
  ] as const;

  test.each(nameable)(
    'inviting $who: $live with a live key, $test with a test key',
    ({ adjuster, live, test }) => {
      expect(codeThrownBy(() => checkInvitable(adjuster, FIRM, 'live'))).toBe(live);
      expect(codeThrownBy(() => checkInvitable(adjuster, FIRM, 'test'))).toBe(test);
    },
  );

  const withAvailability = (changes: Partial<Availability>): Adjuster => ({
    ...ANNA,
    availability: { ...ALWAYS_AVAILABLE, ...changes },
  });
  const AWAY = { firstDay: '2025-09-01', lastDay: '2025-09-01', timeZone: 'UTC' };
  const away = withAvailability({ away: [AWAY] });
  const active = (over: Partial<Membership> = {}): Membership => ({ ...joined(), ...over });
  const paused = active({ acceptingAssignments: false });
  const named = { firmId: FIRM, environment: 'live', pendingOffers: 0, at: INVITED + 10 } as const;

  test('are returned, or the error says why they cannot be named', () => {
    expect(checkInvitable(ANNA, FIRM, 'live')).toBe(ANNA);
    const check = (changes: object) => () =>
      checkAddressee({ ...named, adjuster: ANNA, membership: active(), ...changes });
    expect(check({})()).toBe(ANNA);
    const unknown =
      "No adjuster has this SVCID. SVCIDs are case-sensitive; a test key can name only the firm's test accounts.";
    for (const [changes, detail] of [
      [{ adjuster: null }, unknown],
      [{ adjuster: ours }, 'A live key cannot name a test account; use a test key.'],
      [
        { environment: 'test' },
        "A test key cannot name a real adjuster; use one of the firm's test accounts.",
      ],
      [
        { membership: null },
        'This adjuster is not an active member of the firm; they must accept an invitation first.',
      ],
      [{ membership: paused }, 'This adjuster is not accepting claims at the moment.'],
    ] as const)
      expect(check(changes)).toThrow(detail);
  });

  const offer = (over: {
    adjuster?: Adjuster | null;
    membership?: Membership | null;
    environment?: Environment;
    pendingOffers?: number;
    at?: number;
  }) =>
    codeThrownBy(() =>
      checkAddressee({
        ...{ ...named, adjuster: ANNA, membership: active(), ...over },
      }),
    );

  test.each([
    ['an active member', {}, null],
    ['an unknown SVCID', { adjuster: null }, 'unknown_svcid'],
    ['an adjuster outside the firm', { membership: null }, 'adjuster_not_in_firm'],
    [
      'a member without the permission',
      { membership: active({ canAcceptClaims: false }) },
      'adjuster_not_accepting',
    ],
    ['a member who paused', { membership: paused }, 'adjuster_not_accepting'],
    [
      'an adjuster who paused every firm',
      { adjuster: withAvailability({ acceptingAssignments: false }) },
      'adjuster_not_accepting',
    ],
    [
      'an adjuster with fewer offers than they want',
      { adjuster: withAvailability({ maxOpenOffers: 2 }), pendingOffers: 1 },
      null,
    ],
    [
      'an adjuster with as many offers as they want',
      { adjuster: withAvailability({ maxOpenOffers: 2 }), pendingOffers: 2 },
      'adjuster_not_accepting',
    ],
    ['a disabled account', { adjuster: disabled(ANNA) }, 'adjuster_not_accepting'],
    ['an adjuster who is away', { adjuster: away }, 'adjuster_not_accepting'],
    ['an adjuster who was away', { adjuster: away, at: INVITED + 2 * DAY }, null],
    ['its own test account', { adjuster: ours }, 'environment_mismatch'],
    ["another firm's test account", { adjuster: theirs }, 'unknown_svcid'],
  ] as const)('sending with a live key to %s', (_who, over, code) => {
    expect(offer(over)).toBe(code);
  });

  test.each([
    ['an unknown SVCID', { adjuster: null }, 'unknown_svcid'],
    ['a real member', {}, 'adjuster_not_in_firm'],
    ['its own test account', { adjuster: ours }, null],
    ['its own test account that paused', { adjuster: ours, membership: paused }, 'adjuster_not_accepting'],
    ['its own disabled test account', { adjuster: disabled(ours) }, 'adjuster_not_accepting'],
    ['its own test account that is away', { adjuster: { ...away, ...ours } }, 'adjuster_not_accepting'],
    ['its own test account that never joined', { adjuster: ours, membership: null }, 'adjuster_not_in_firm'],
    ["another firm's test account", { adjuster: theirs }, 'unknown_svcid'],
  ] as const)('sending with a test key to %s', (_who, over, code) => {
    expect(offer({ ...over, environment: 'test' })).toBe(code);
  });

  test.each(MEMBERSHIP_STATUSES)('only active members are sent claims and accept them: %s', (status) => {
    const { record, now } = recordIn[status];
    expect(mayAcceptOffers({ ...record(), readableUntil: now + 1 })).toBe(status === 'active');
    expect(offer({ membership: record(), at: now })).toBe(
      status === 'active' ? null : 'adjuster_not_in_firm',
    );
  });

  test('errors are checked in the order unknown, environment, membership, accepting', () => {
    const notPermitted = active({ status: 'declined', canAcceptClaims: false });
    expect(offer({ adjuster: theirs, membership: null })).toBe('unknown_svcid');
    expect(offer({ adjuster: ours, membership: notPermitted })).toBe('environment_mismatch');
    expect(offer({ adjuster: disabled(ANNA), membership: notPermitted })).toBe('adjuster_not_in_firm');
    expect(offer({ membership: active({ canAcceptClaims: false }), environment: 'test' })).toBe(
      'adjuster_not_in_firm',
    );
  });
});

test('test accounts cover every outcome a firm can get', () => {
  const member = { member: true, acceptingAssignments: true };
  const invitee = { member: false, acceptingAssignments: true };
  expect(TEST_ACCOUNTS).toEqual({
    manual: member,
    accepts: { ...member, answersOffer: 'accept' },
    rejects: { ...member, answersOffer: 'reject' },
    paused: { ...member, acceptingAssignments: false },
    new: invitee,
    joins: { ...invitee, answersInvitation: 'accept', answersOffer: 'accept' },
    declines: { ...invitee, answersInvitation: 'decline' },
  });
  expect(Object.keys(TEST_ACCOUNTS)).toEqual([...TEST_BEHAVIORS]);
  expect([TEST_RESPONSE_DELAY_MS, TEST_REJECTION_REASON]).toEqual([
    2000,
    'Test account: rejects every offer.',
  ]);
});
