import { describe, expect, test } from '@jest/globals';
import {
  ASSIGNMENT_ACTIONS,
  ASSIGNMENT_STATUSES,
  ASSIGNMENT_TRANSITIONS,
  type AssignmentAction,
  type AssignmentStatus,
  acceptClaim,
  acceptOrLapse,
  addMember,
  assignmentAfter,
  type Claim,
  type ClaimAsSent,
  type ClaimId,
  checkOfferable,
  closeAcceptedClaim,
  closeClaimAsOperator,
  type FirmId,
  isReadableBy,
  isShownTo,
  leaveFirm,
  type Membership,
  offerClaim,
  recordWork,
  rejectClaim,
  type Svcid,
  sendClaim,
  unassignPendingOffer,
} from '../src/index.ts';
import { expectedMoves, refusalOf } from './moves.ts';

const ANNA = 'anna' as Svcid;
const BEN = 'ben' as Svcid;
const SENT = 1_000;

const sent = (): Claim =>
  sendClaim(
    { externalId: 'ext-1', claimNumber: 'CN-1', carrier: { name: 'Gulf Mutual' } },
    {
      id: '00000000-0000-7000-8000-000000000001' as ClaimId,
      firmId: '00000000-0000-7000-8000-0000000000f1' as FirmId,
      environment: 'live',
      adjuster: ANNA,
      asSent: '{"external_id":"ext-1"}' as ClaimAsSent,
      at: SENT,
    },
  );

/** A claim in each status, offered to Anna, reached the way claims get there. */
const claimIn: Record<AssignmentStatus, () => Claim> = {
  pending_acceptance: sent,
  accepted: () => acceptClaim(sent(), { by: ANNA, at: SENT + 1 }),
  rejected: () => rejectClaim(sent(), { by: ANNA, at: SENT + 1, reason: 'too far' }),
  unassigned: () => unassignPendingOffer(sent()) as Claim,
};

/** Each action as its rule is called. Null: the rule left the claim as it was. */
const perform: Record<AssignmentAction, (claim: Claim) => Claim | null> = {
  offer: (claim) => offerClaim(claim, { adjuster: BEN, at: SENT + 9 }),
  accept: (claim) => acceptClaim(claim, { by: ANNA, at: SENT + 9 }),
  reject: (claim) => rejectClaim(claim, { by: ANNA, at: SENT + 9, reason: null }),
  adjuster_leaves: (claim) => unassignPendingOffer(claim),
};

// Written from the interface's table of states, not from the code's: a status is reached, a word in capitals is
// refused, "-" changes nothing.
const EXPECTED = `
                    offer                   accept              reject              adjuster_leaves
pending_acceptance  pending_acceptance      accepted            rejected            unassigned
accepted            CLAIM_ALREADY_ACCEPTED  OFFER_NOT_PENDING   OFFER_NOT_PENDING   -
rejected            pending_acceptance      OFFER_NOT_PENDING   OFFER_NOT_PENDING   -
unassigned          pending_acceptance      OFFER_NOT_PENDING   OFFER_NOT_PENDING   -
`;

const expected = expectedMoves(EXPECTED);
const cases = ASSIGNMENT_STATUSES.flatMap((status) =>
  ASSIGNMENT_ACTIONS.map((action) => ({ status, action, outcome: expected.get(`${status} × ${action}`) })),
);

describe('the assignment of a claim', () => {
  test('has an expectation for every status and action, and none besides', () => {
    expect([...expected.keys()].sort()).toEqual(cases.map((c) => `${c.status} × ${c.action}`).sort());
    expect(Object.keys(ASSIGNMENT_TRANSITIONS).sort()).toEqual([...ASSIGNMENT_STATUSES].sort());
  });

  test.each(cases)('$status × $action: $outcome', ({ status, action, outcome = 'missing' }) => {
    const before = claimIn[status]();
    const table = () => assignmentAfter(status, action);
    const rule = () => perform[action](before);
    if (outcome === '-') {
      expect(table()).toBeNull();
      expect(rule()).toBeNull();
    } else if (outcome === outcome.toUpperCase()) {
      expect(refusalOf(table)).toBe(outcome.toLowerCase());
      expect(refusalOf(rule)).toBe(outcome.toLowerCase());
    } else {
      expect(table()).toBe(outcome);
      expect(rule()?.assignment.status).toBe(outcome);
    }
    expect(before).toEqual(claimIn[status]());
  });

  test('a new offer shows nothing of the earlier answer', () => {
    const again = offerClaim(claimIn.rejected(), { adjuster: BEN, at: SENT + 5 });
    expect(again.assignment).toEqual({
      status: 'pending_acceptance',
      adjuster: BEN,
      offeredAt: SENT + 5,
      respondedAt: null,
      rejectionReason: null,
    });
  });

  test('an answer keeps when it was given, and a rejection its reason', () => {
    expect(claimIn.accepted().assignment).toMatchObject({ respondedAt: SENT + 1, rejectionReason: null });
    expect(claimIn.rejected().assignment).toMatchObject({
      respondedAt: SENT + 1,
      rejectionReason: 'too far',
    });
    const silent = rejectClaim(sent(), { by: ANNA, at: SENT + 1, reason: null });
    expect(silent.assignment.rejectionReason).toBeNull();
  });

  test.each(ASSIGNMENT_STATUSES)(
    'nobody but the adjuster it was offered to can answer a %s claim',
    (status) => {
      for (const answer of [acceptClaim, rejectClaim]) {
        expect(refusalOf(() => answer(claimIn[status](), { by: BEN, at: SENT + 9, reason: null }))).toBe(
          'not_found',
        );
      }
    },
  );

  test('a lapsed offer keeps the adjuster it was made to, without an answer', () => {
    expect(claimIn.unassigned().assignment).toEqual({
      status: 'unassigned',
      adjuster: ANNA,
      offeredAt: SENT,
      respondedAt: null,
      rejectionReason: null,
    });
  });

  test('a claim is of the adjuster offered it last, until they reject it or the offer lapses', () => {
    expect(ASSIGNMENT_STATUSES.filter((status) => isShownTo(claimIn[status](), ANNA))).toEqual([
      'pending_acceptance',
      'accepted',
    ]);
    expect(ASSIGNMENT_STATUSES.filter((status) => isShownTo(claimIn[status](), BEN))).toEqual([]);
  });

  test('a member reads what waits for them and what they accepted, a leaver only what is accepted and open', () => {
    const member = addMember(null, { firmId: sent().firmId, svcId: ANNA, at: SENT });
    const readable = (membership: Membership | null, closed: boolean) =>
      ASSIGNMENT_STATUSES.filter((status) => {
        const claim = closed ? closeClaimAsOperator(claimIn[status](), SENT + 20) : claimIn[status]();
        expect(isReadableBy(claim, BEN, { ...member, svcId: BEN })).toBe(false);
        return isReadableBy(claim, ANNA, membership);
      });
    for (const closed of [false, true])
      expect(readable(member, closed)).toEqual(['pending_acceptance', 'accepted']);
    for (const gone of [leaveFirm(member, SENT + 5), null]) {
      expect(readable(gone, false)).toEqual(['accepted']);
      expect(readable(gone, true)).toEqual([]);
    }
  });

  test('an acceptance without permission lets the offer lapse', () => {
    const member = addMember(null, { firmId: sent().firmId, svcId: ANNA, at: SENT });
    const answer = { by: ANNA, at: SENT + 1 };
    expect(acceptOrLapse(sent(), member, answer)).toEqual(claimIn.accepted());
    expect(acceptOrLapse(sent(), { ...member, acceptingAssignments: false }, answer)).toEqual(
      claimIn.accepted(),
    );
    for (const barred of [{ ...member, canAcceptClaims: false }, leaveFirm(member, SENT), null])
      expect(acceptOrLapse(sent(), barred, answer)).toEqual(claimIn.unassigned());
    expect(refusalOf(() => acceptOrLapse(claimIn.rejected(), member, answer))).toBe('offer_not_pending');
  });
});

describe('closing a claim', () => {
  const closed = (status: AssignmentStatus): Claim => closeClaimAsOperator(claimIn[status](), SENT + 20);

  test.each(ASSIGNMENT_STATUSES)('the operator can close a %s claim, once', (status) => {
    expect(closed(status).closedAt).toBe(SENT + 20);
    expect(closeClaimAsOperator(closed(status), SENT + 30).closedAt).toBe(SENT + 20);
    expect(closed(status).assignment).toEqual(claimIn[status]().assignment);
  });

  test.each(ASSIGNMENT_STATUSES)('a closed %s claim can be neither offered nor answered', (status) => {
    expect(refusalOf(() => checkOfferable(closed(status), 'live'))).toBe(
      status === 'accepted' ? 'claim_already_accepted' : 'claim_closed',
    );
    expect(refusalOf(() => acceptClaim(closed(status), { by: ANNA, at: SENT + 21 }))).toBe(
      'offer_not_pending',
    );
    expect(refusalOf(() => rejectClaim(closed(status), { by: ANNA, at: SENT + 21, reason: null }))).toBe(
      'offer_not_pending',
    );
  });

  test.each(ASSIGNMENT_STATUSES)('a closed %s claim stays as it is when its adjuster leaves', (status) => {
    expect(unassignPendingOffer(closed(status))).toBeNull();
  });

  test.each([
    ['pending_acceptance', 'offer_not_pending'],
    ['accepted', null],
    ['rejected', 'not_found'],
    ['unassigned', 'not_found'],
  ] as const)('an adjuster closes only what they accepted: %s → %s', (status, refusal) => {
    expect(refusalOf(() => closeAcceptedClaim(claimIn[status](), { by: ANNA, at: SENT + 20 }))).toBe(refusal);
  });

  test('closing twice is closing once', () => {
    const once = closeAcceptedClaim(claimIn.accepted(), { by: ANNA, at: SENT + 20 });
    expect(closeAcceptedClaim(once, { by: ANNA, at: SENT + 25 })).toEqual(once);
  });

  test('another adjuster cannot close a claim, open or closed', () => {
    expect(refusalOf(() => closeAcceptedClaim(claimIn.accepted(), { by: BEN, at: SENT + 20 }))).toBe(
      'not_found',
    );
    expect(refusalOf(() => closeAcceptedClaim(closed('accepted'), { by: BEN, at: SENT + 20 }))).toBe(
      'not_found',
    );
  });
});

describe('what a key may offer again', () => {
  const testClaim: Claim = { ...sent(), environment: 'test' };

  test('a live key cannot offer a test claim, even one that is closed or accepted', () => {
    expect(refusalOf(() => checkOfferable(testClaim, 'live'))).toBe('environment_mismatch');
    expect(refusalOf(() => checkOfferable(closeClaimAsOperator(testClaim, SENT), 'live'))).toBe(
      'environment_mismatch',
    );
    expect(refusalOf(() => checkOfferable(testClaim, 'test'))).toBeNull();
  });

  test.each([
    ['pending_acceptance', null],
    ['accepted', 'claim_already_accepted'],
    ['rejected', null],
    ['unassigned', null],
  ] as const)('%s: %s', (status, refusal) => {
    expect(refusalOf(() => checkOfferable(claimIn[status](), 'live'))).toBe(refusal);
  });
});

describe("the adjuster's own work", () => {
  const work = { contactDate: '2026-09-02', inspectionDate: null, notes: 'water line at 14 in' };

  test('a field left out stays, null empties it, and nothing the firm sees moves', () => {
    const first = recordWork(claimIn.accepted(), ANNA, work);
    const second = recordWork(first, ANNA, { notes: null });
    expect(second.work).toEqual({ ...work, notes: null });
    expect({ ...second, work: null }).toEqual({ ...claimIn.accepted(), work: null });
  });

  test.each([
    ['pending_acceptance', 'offer_not_pending'],
    ['rejected', 'not_found'],
    ['unassigned', 'not_found'],
  ] as const)('a %s claim takes no work: %s', (status, refusal) => {
    expect(refusalOf(() => recordWork(claimIn[status](), ANNA, work))).toBe(refusal);
  });

  test('neither a closed claim nor another adjuster’s takes work', () => {
    expect(refusalOf(() => recordWork(closeClaimAsOperator(claimIn.accepted(), 9_000), ANNA, work))).toBe(
      'offer_not_pending',
    );
    expect(refusalOf(() => recordWork(claimIn.accepted(), BEN, work))).toBe('not_found');
  });
});

describe('sending a claim', () => {
  const terms = {
    id: 'x' as ClaimId,
    firmId: 'f' as FirmId,
    environment: 'test',
    adjuster: ANNA,
    at: SENT,
  } as const;
  const facts = { externalId: 'e', claimNumber: 'c', carrier: { name: 'Gulf Mutual' } };
  const asSent = '{}' as ClaimAsSent;

  test('starts as an unanswered offer, open, with no work, in the environment of the key', () => {
    expect(sendClaim(facts, { ...terms, asSent })).toEqual({
      ...{ id: 'x', firmId: 'f', environment: 'test', ...facts, asSent: '{}' },
      assignment: {
        status: 'pending_acceptance',
        adjuster: ANNA,
        offeredAt: SENT,
        respondedAt: null,
        rejectionReason: null,
      },
      work: { contactDate: null, inspectionDate: null, notes: null },
      createdAt: SENT,
      updatedAt: SENT,
      closedAt: null,
    });
  });

  test('refuses a building type of the other class', () => {
    const building = { occupancyType: 'single_family_home', buildingType: 'barn' } as const;
    expect(refusalOf(() => sendClaim({ ...facts, ...building }, { ...terms, asSent }))).toBe(
      'building_pair_refused',
    );
  });

  test('refuses a policy that expires before it takes effect', () => {
    const policy = { policyEffective: '2026-05-02', policyExpiration: '2026-05-01' };
    expect(refusalOf(() => sendClaim({ ...facts, ...policy }, { ...terms, asSent }))).toBe(
      'policy_term_reversed',
    );
  });
});
