import { describe, expect, test } from '@jest/globals';
import {
  ASSIGNMENT_ACTIONS,
  ASSIGNMENT_STATUSES,
  ASSIGNMENT_TRANSITIONS,
  type AssignmentAction,
  type AssignmentStatus,
  acceptClaim,
  acceptOrUnassign,
  addMember,
  assignmentAfter,
  type Claim,
  type ClaimAsSent,
  type ClaimId,
  type ClaimWork,
  checkOfferable,
  closeAcceptedClaim,
  closeClaim,
  DAY,
  DECIDING_RULES,
  DomainError,
  decidingRule,
  type FirmId,
  HOUR,
  type Instant,
  isFinal,
  isReadableBy,
  isShownTo,
  leaveFirm,
  logContact,
  MAX_CONTACTS,
  type Membership,
  offerClaim,
  offerStatus,
  PLAN_RETENTION,
  recordWork,
  rejectClaim,
  type Svcid,
  sendClaim,
  unassignPendingOffer,
  withdrawOffer,
} from '../src/index.ts';
import { codeThrownBy, parseTransitions } from './moves.ts';

const ANNA = 'anna' as Svcid;
const BEN = 'ben' as Svcid;
const SENT = 1_000;
const STAFF = 'staff:priya';
const CLOSURE = { by: STAFF, reason: 'Duplicate of another claim' };

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

const member = addMember(null, { firmId: sent().firmId, svcId: ANNA, at: SENT });

/** A claim offered to Anna in each status. */
const claimIn: Record<AssignmentStatus, () => Claim> = {
  pending_acceptance: sent,
  accepted: () => acceptClaim(sent(), { by: ANNA, at: SENT + 1 }),
  rejected: () => rejectClaim(sent(), { by: ANNA, at: SENT + 1, reason: 'too far' }),
  unassigned: () => unassignPendingOffer(sent()) as Claim,
};

/** The rule of each action. Null: the claim is unchanged. */
const perform: Record<AssignmentAction, (claim: Claim) => Claim | null> = {
  offer: (claim) => offerClaim(claim, { adjuster: BEN, at: SENT + 9 }),
  accept: (claim) => acceptClaim(claim, { by: ANNA, at: SENT + 9 }),
  reject: (claim) => rejectClaim(claim, { by: ANNA, at: SENT + 9, reason: null }),
  withdraw: (claim) => withdrawOffer(claim, STAFF),
  adjuster_leaves: (claim) => unassignPendingOffer(claim),
};

// The interface's table of states: a new status, an error code in capitals, or "-" for no change.
const EXPECTED = `
                    offer                   accept              reject              withdraw                adjuster_leaves
pending_acceptance  pending_acceptance      accepted            rejected            unassigned              unassigned
accepted            CLAIM_ALREADY_ACCEPTED  OFFER_NOT_PENDING   OFFER_NOT_PENDING   CLAIM_ALREADY_ACCEPTED  -
rejected            pending_acceptance      OFFER_NOT_PENDING   OFFER_NOT_PENDING   OFFER_NOT_PENDING       -
unassigned          pending_acceptance      OFFER_NOT_PENDING   OFFER_NOT_PENDING   OFFER_NOT_PENDING       -
`;

const expected = parseTransitions(EXPECTED);
const cases = ASSIGNMENT_STATUSES.flatMap((status) =>
  ASSIGNMENT_ACTIONS.map((action) => ({ status, action, outcome: expected.get(`${status} × ${action}`) })),
);

describe('the assignment of a claim', () => {
  test('the table covers exactly every status and action', () => {
    expect([...expected.keys()].sort()).toEqual(cases.map((c) => `${c.status} × ${c.action}`).sort());
    expect(Object.keys(ASSIGNMENT_TRANSITIONS).sort()).toEqual([...ASSIGNMENT_STATUSES].sort());
  });

  test.each(cases)(
    'a claim whose status is $status has the outcome $outcome after $action',
    ({ status, action, outcome = 'missing' }) => {
      const before = claimIn[status]();
      const table = () => assignmentAfter(status, action);
      const rule = () => perform[action](before);
      if (outcome === '-') {
        expect(ASSIGNMENT_TRANSITIONS[status][action]).toEqual({ unchanged: true });
        expect(table()).toBeNull();
        expect(rule()).toBeNull();
      } else if (outcome === outcome.toUpperCase()) {
        expect(codeThrownBy(table)).toBe(outcome.toLowerCase());
        expect(codeThrownBy(rule)).toBe(outcome.toLowerCase());
      } else {
        expect(table()).toBe(outcome);
        expect(rule()?.assignment.status).toBe(outcome);
      }
      expect(before).toEqual(claimIn[status]());
    },
  );

  test('a new offer drops the earlier response', () => {
    const again = (by: object) =>
      offerClaim(claimIn.rejected(), { adjuster: BEN, at: SENT + 5, ...by }).assignment;
    const offered = { ...sent().assignment, adjuster: BEN, offeredAt: SENT + 5 };
    expect([again({}), again({ by: STAFF })]).toEqual([
      ...[
        { ...offered, offeredBy: null },
        { ...offered, offeredBy: STAFF },
      ],
    ]);
  });

  test('an offer in the same millisecond as the one before, or on a clock behind, has a later time', () => {
    for (const at of [SENT, SENT - 5])
      expect(offerClaim(sent(), { adjuster: BEN, at }).assignment.offeredAt).toBe(SENT + 1);
  });

  test('a response stores its time, and a rejection its reason', () => {
    expect(claimIn.accepted().assignment).toMatchObject({ respondedAt: SENT + 1, rejectionReason: null });
    expect(claimIn.rejected().assignment).toMatchObject({
      respondedAt: SENT + 1,
      rejectionReason: 'too far',
    });
    // On a clock behind that of the offer.
    const withoutReason = rejectClaim(sent(), { by: ANNA, at: SENT - 5, reason: null });
    expect(withoutReason.assignment).toMatchObject({ respondedAt: SENT, rejectionReason: null });
    expect(acceptClaim(sent(), { by: ANNA, at: SENT - 5 }).assignment.respondedAt).toBe(SENT);
  });

  test('a response to an earlier offer is rejected, also when the same adjuster has the new one', () => {
    const again = offerClaim(sent(), { adjuster: ANNA, at: SENT + 5 });
    for (const respond of [acceptClaim, rejectClaim]) {
      const to = (offeredAt?: number) =>
        codeThrownBy(() => respond(again, { by: ANNA, at: SENT + 9, offeredAt, reason: null }));
      expect([to(SENT), to(SENT + 5), to()]).toEqual(['offer_not_pending', null, null]);
    }
    const late = { by: ANNA, at: SENT + 9, offeredAt: SENT };
    expect(codeThrownBy(() => acceptOrUnassign(again, null, late))).toBe('offer_not_pending');
  });

  test('a response, an offer or an edit that is refused gets the reason', () => {
    const closed = closeClaim(sent(), SENT, CLOSURE);
    const again = offerClaim(sent(), { adjuster: ANNA, at: SENT + 5 });
    const accept = (claim: Claim, changes: object = {}) =>
      acceptClaim(claim, { by: ANNA, at: SENT + 9, offeredAt: claim.assignment.offeredAt, ...changes });
    const detailOf = (run: () => unknown) => {
      expect(run).toThrow(DomainError);
      try {
        return run();
      } catch (error) {
        return (error as Error).message;
      }
    };
    const edit = { by: ANNA, at: SENT + 9, edits: {} };
    const refused = [
      ...[() => accept(sent(), { by: BEN }), () => accept(closed), () => accept(again, { offeredAt: SENT })],
      ...[() => accept(withdrawOffer(sent(), STAFF)), () => accept(claimIn.accepted())],
      ...[() => offerClaim(claimIn.accepted(), { adjuster: BEN, at: 1 }), () => withdrawOffer(closed, STAFF)],
      ...[() => checkOfferable(closed, 'live'), () => checkOfferable(closed, 'test')],
      ...[() => recordWork(sent(), member, edit), () => recordWork(sent(), null, edit)],
    ];
    expect(refused.map(detailOf)).toEqual([
      ...[
        'No such claim.',
        'This claim is closed.',
        'The claim was offered again after the offer of offered_at.',
      ],
      ...['The firm has withdrawn this offer.', 'This offer is no longer pending.'],
      'An adjuster has accepted this claim; its offer cannot be replaced or withdrawn.',
      ...['This claim is closed.', 'This claim was closed before it was accepted and cannot be offered.'],
      'A live key cannot offer a test claim; use a test key.',
      ...['You can only edit an open claim that you accepted.', 'No such claim.'],
    ]);
  });

  test.each(ASSIGNMENT_STATUSES)('only the adjuster of the offer can respond to a %s claim', (status) => {
    for (const respond of [acceptClaim, rejectClaim]) {
      expect(codeThrownBy(() => respond(claimIn[status](), { by: BEN, at: SENT + 9, reason: null }))).toBe(
        'not_found',
      );
    }
  });

  test('an offer that ended keeps its adjuster and has no response', () => {
    expect(claimIn.unassigned().assignment).toEqual({ ...sent().assignment, status: 'unassigned' });
  });

  test('a claim is shown to the adjuster of the latest offer until it is rejected or ends', () => {
    expect(ASSIGNMENT_STATUSES.filter((status) => isShownTo(claimIn[status](), ANNA))).toEqual([
      'pending_acceptance',
      'accepted',
    ]);
    expect(ASSIGNMENT_STATUSES.filter((status) => isShownTo(claimIn[status](), BEN))).toEqual([]);
  });

  test('a member reads pending and accepted claims, a former member only open accepted ones', () => {
    const readable = (membership: Membership, closed: boolean) =>
      ASSIGNMENT_STATUSES.filter((status) => {
        const claim = closed ? closeClaim(claimIn[status](), SENT + 20, CLOSURE) : claimIn[status]();
        expect(isReadableBy(claim, BEN, member, SENT + 100)).toBe(false);
        return isReadableBy(claim, ANNA, membership, SENT + 100);
      });
    for (const closed of [false, true])
      expect(readable(member, closed)).toEqual(['pending_acceptance', 'accepted']);
    const former = leaveFirm(member, 'standard', SENT + 5);
    expect(readable(former, false)).toEqual(['accepted']);
    expect(readable(former, true)).toEqual([]);
  });

  test('an adjuster who never joined the firm reads none of its claims', () => {
    const claims = ASSIGNMENT_STATUSES.map((status) => claimIn[status]());
    expect(claims.filter((claim) => isReadableBy(claim, ANNA, null, SENT + 100))).toEqual([]);
  });

  test('a former member reads an accepted claim for the time that the plan of the firm allows', () => {
    const { readableAfterLeavingMs } = PLAN_RETENTION.read_only;
    const left = leaveFirm(member, 'read_only', SENT + 5);
    const end = SENT + 5 + readableAfterLeavingMs;
    const [before, after] = [end - 1, end].map((now) => isReadableBy(claimIn.accepted(), ANNA, left, now));
    const unlimited = { ...left, readableUntil: null };
    expect(isReadableBy(claimIn.accepted(), ANNA, unlimited, end)).toBe(true);
    expect([before, after]).toEqual([true, false]);
    const edits = { notes: 'Late' };
    expect(recordWork(claimIn.accepted(), left, { by: ANNA, at: end - 1, edits }).work.notes).toBe('Late');
    for (const attempt of [
      () => recordWork(claimIn.accepted(), left, { by: ANNA, at: end, edits }),
      () => closeAcceptedClaim(claimIn.accepted(), left, { by: ANNA, at: end }),
    ])
      expect(codeThrownBy(attempt)).toBe('not_found');
  });

  test('accepting without the permission makes the claim unassigned', () => {
    const response = { by: ANNA, at: SENT + 1 };
    expect(acceptOrUnassign(sent(), member, response)).toEqual(claimIn.accepted());
    const paused = { ...member, acceptingAssignments: false };
    expect(acceptOrUnassign(sent(), paused, response)).toEqual(claimIn.accepted());
    for (const notPermitted of [
      { ...member, canAcceptClaims: false },
      leaveFirm(member, 'standard', SENT),
      null,
    ])
      expect(acceptOrUnassign(sent(), notPermitted, response)).toEqual(claimIn.unassigned());
    expect(codeThrownBy(() => acceptOrUnassign(claimIn.rejected(), member, response))).toBe(
      'offer_not_pending',
    );
  });
});

describe('withdrawing an offer', () => {
  test('names who did it until the claim is offered again', () => {
    const withdrawn = withdrawOffer(sent(), STAFF);
    expect(withdrawn.assignment).toEqual({ ...sent().assignment, status: 'unassigned', withdrawnBy: STAFF });
    const again = offerClaim(withdrawn, { adjuster: ANNA, at: SENT + 5 });
    expect(again.assignment).not.toHaveProperty('withdrawnBy');
    expect(offerStatus(again.assignment)).toBe('pending_acceptance');
  });

  test('ends no offer of a closed claim', () => {
    const code = (status: AssignmentStatus) =>
      codeThrownBy(() => withdrawOffer(closeClaim(claimIn[status](), SENT, CLOSURE), STAFF));
    expect(ASSIGNMENT_STATUSES.map((status) => [status, code(status)])).toEqual([
      ['pending_acceptance', 'offer_not_pending'],
      ['accepted', 'claim_already_accepted'],
      ['rejected', 'offer_not_pending'],
      ['unassigned', 'offer_not_pending'],
    ]);
  });
});

describe('closing a claim', () => {
  const closed = (status: AssignmentStatus): Claim => closeClaim(claimIn[status](), SENT + 20, CLOSURE);
  const codeOfClosing = (claim: Claim, membership: Membership | null = member, by = ANNA) =>
    codeThrownBy(() => closeAcceptedClaim(claim, membership, { by, at: SENT + 20 }));

  test.each(ASSIGNMENT_STATUSES)(
    'the firm and the operator can close a %s claim, and closing again keeps the time and who it was',
    (status) => {
      expect(closed(status).closedAt).toBe(SENT + 20);
      expect(closed(status).closure).toBe(CLOSURE);
      const again = closeClaim(closed(status), SENT + 30, { by: 'operator:root', reason: null });
      expect(again).toEqual(closed(status));
      expect(closed(status).assignment).toEqual(claimIn[status]().assignment);
    },
  );

  test.each(ASSIGNMENT_STATUSES)(
    'a closed %s claim can be neither offered, accepted nor rejected',
    (status) => {
      expect(codeThrownBy(() => checkOfferable(closed(status), 'live'))).toBe(
        status === 'accepted' ? 'claim_already_accepted' : 'claim_closed',
      );
      for (const respond of [acceptClaim, rejectClaim])
        expect(codeThrownBy(() => respond(closed(status), { by: ANNA, at: SENT + 21, reason: null }))).toBe(
          'offer_not_pending',
        );
    },
  );

  test.each(ASSIGNMENT_STATUSES)('a closed %s claim is unchanged when its adjuster leaves', (status) => {
    expect(unassignPendingOffer(closed(status))).toBeNull();
  });

  test.each([
    ['pending_acceptance', 'offer_not_pending'],
    ['accepted', null],
    ['rejected', 'not_found'],
    ['unassigned', 'not_found'],
  ] as const)('an adjuster can close only accepted claims: %s → %s', (status, code) => {
    expect(codeOfClosing(claimIn[status]())).toBe(code);
  });

  test('closing again has no effect', () => {
    const once = closeAcceptedClaim(claimIn.accepted(), member, { by: ANNA, at: SENT + 20 });
    expect(once).toEqual({ ...claimIn.accepted(), closedAt: SENT + 20 });
    expect(closeAcceptedClaim(once, member, { by: ANNA, at: SENT + 25 })).toEqual(once);
  });

  test('after leaving, an adjuster can close an accepted claim, and learns nothing of a closed one', () => {
    const left = leaveFirm(member, 'standard', SENT + 5);
    expect(closeAcceptedClaim(claimIn.accepted(), left, { by: ANNA, at: SENT + 20 }).closedAt).toBe(
      SENT + 20,
    );
    for (const claim of [closed('accepted'), closed('pending_acceptance')])
      for (const membership of [left, null]) expect(codeOfClosing(claim, membership)).toBe('not_found');
  });

  test('another adjuster cannot close a claim, open or closed, nor its own one that was closed while pending', () => {
    for (const claim of [claimIn.accepted(), closed('accepted')])
      expect(codeOfClosing(claim, member, BEN)).toBe('not_found');
    expect(codeOfClosing(closed('pending_acceptance'))).toBe('offer_not_pending');
  });
});

describe('offering a claim again', () => {
  const testClaim: Claim = { ...sent(), environment: 'test' };

  test('a live key cannot offer a test claim, open or closed', () => {
    expect(codeThrownBy(() => checkOfferable(testClaim, 'live'))).toBe('environment_mismatch');
    expect(codeThrownBy(() => checkOfferable(closeClaim(testClaim, SENT, CLOSURE), 'live'))).toBe(
      'environment_mismatch',
    );
    expect(codeThrownBy(() => checkOfferable(testClaim, 'test'))).toBeNull();
  });

  test('an accepted claim cannot be offered, any other open one can', () => {
    expect(
      ASSIGNMENT_STATUSES.map((status) => codeThrownBy(() => checkOfferable(claimIn[status](), 'live'))),
    ).toEqual(ASSIGNMENT_STATUSES.map((status) => (status === 'accepted' ? 'claim_already_accepted' : null)));
  });
});

describe("the adjuster's dates and notes", () => {
  const work = { contactDate: '2026-09-02', inspectionDate: null, notes: 'water line at 14 in' };
  const BY_ANNA = { by: ANNA, at: SENT + 20 };
  const codeOfWork = (claim: Claim, by = ANNA) =>
    codeThrownBy(() => recordWork(claim, member, { ...BY_ANNA, by, edits: work }));

  test('a missing field is unchanged, null clears it, and nothing visible to the firm changes', () => {
    const first = recordWork(claimIn.accepted(), member, { by: ANNA, at: SENT + 20, edits: work });
    const second = recordWork(first, member, { by: ANNA, at: SENT + 21, edits: { notes: null } });
    expect(second.work).toEqual({ ...work, notes: null });
    expect({ ...second, work: null }).toEqual({
      ...claimIn.accepted(),
      work: null,
      workChangedAt: SENT + 21,
    });
  });

  test('keep what was entered before when only some of the details are sent', () => {
    const planned = { plannedVisitDate: '2026-09-01', plannedVisitTime: '10:30' };
    const first = recordWork(claimIn.accepted(), member, { ...BY_ANNA, edits: { details: planned } });
    const second = recordWork(first, member, {
      ...BY_ANNA,
      edits: { details: { proofOfLossDate: '2026-09-20' } },
    });
    expect(second.work.details).toEqual({ ...planned, proofOfLossDate: '2026-09-20' });
  });

  test('log each contact once, in order of time, and none beyond the limit', () => {
    const attempt = (id: string, at: number, note?: string) =>
      ({ id, at, result: 'no_answer', ...(note !== undefined && { note }) }) as const;
    const first = logContact(claimIn.accepted(), member, { ...BY_ANNA, attempt: attempt('b', 2) });
    const second = logContact(first, member, { ...BY_ANNA, attempt: attempt('a', 1) });
    const received = (...of: Parameters<typeof attempt>) => ({ ...attempt(...of), receivedAt: BY_ANNA.at });
    expect(second.work.details?.contacts).toEqual([received('a', 1), received('b', 2)]);
    const replaced = logContact(second, member, { ...BY_ANNA, attempt: attempt('b', 2, 'Gate is locked.') });
    expect(replaced.work.details?.contacts).toEqual([received('a', 1), received('b', 2, 'Gate is locked.')]);
    let full = claimIn.accepted();
    for (let n = 0; n < MAX_CONTACTS; n += 1)
      full = logContact(full, member, { ...BY_ANNA, attempt: attempt(`${n}`, n) });
    expect(full.work.details?.contacts?.length).toBe(MAX_CONTACTS);
    const further = { ...BY_ANNA, attempt: attempt('further', 1) };
    expect(codeThrownBy(() => logContact(full, member, further))).toBe('contact_log_full');
    const corrected = logContact(full, member, { ...BY_ANNA, attempt: attempt('0', 0, 'Gate is locked.') });
    expect(corrected.work.details?.contacts?.length).toBe(MAX_CONTACTS);
    expect(corrected.work.details?.contacts?.[0]).toEqual(received('0', 0, 'Gate is locked.'));
    const stranger = { ...further, by: 'SVC-stranger' as Svcid };
    expect(codeThrownBy(() => logContact(full, member, stranger))).toBe('not_found');
    expect(
      codeThrownBy(() =>
        logContact(claimIn.pending_acceptance(), member, { ...BY_ANNA, attempt: attempt('a', 1) }),
      ),
    ).toBe('offer_not_pending');
  });

  test('keep when the service received a contact, until its time or result is another', () => {
    const attempt = { id: 'a', at: BY_ANNA.at - HOUR, result: 'reached' } as const;
    const logAt = (claim: Claim, at: Instant, changes: object = {}) =>
      logContact(claim, member, { by: BY_ANNA.by, at, attempt: { ...attempt, ...changes } });
    const receivedAt = (claim: Claim) => claim.work.details?.contacts?.[0]?.receivedAt;
    const first = logAt(claimIn.accepted(), BY_ANNA.at);
    const later = BY_ANNA.at + HOUR;
    expect([{}, { note: 'Call back.' }].map((same) => receivedAt(logAt(first, later, same)))).toEqual([
      BY_ANNA.at,
      BY_ANNA.at,
    ]);
    // An earlier time that is claimed afterwards shows.
    for (const changes of [{ at: BY_ANNA.at - DAY }, { result: 'no_answer' }])
      expect(receivedAt(logAt(first, later, changes))).toBe(later);
  });

  test('are not recorded where the work is another than they were made from, unless they already are', () => {
    const planned = { plannedVisitTime: '10:30' };
    const now = recordWork(claimIn.accepted(), member, { ...BY_ANNA, edits: { ...work, details: planned } });
    const record = (edits: Partial<ClaimWork>) =>
      recordWork(now, member, { ...BY_ANNA, edits, isBase: () => false }).work;
    for (const edits of [
      { notes: 'other' },
      { notes: null },
      { ...work, inspectionDate: '2026-09-03' },
      { ...work, details: { plannedVisitTime: '11:00' } },
      { details: { plannedVisitDate: '2026-09-01' } },
    ])
      expect(() => record(edits)).toThrow(expect.objectContaining({ code: 'work_changed', work: now.work }));
    for (const edits of [{}, work, { details: planned }, { details: { proofOfLossDate: null } }])
      expect(record(edits)).toMatchObject({ ...work, details: planned });
    const isBase = (found: ClaimWork): boolean => found === now.work;
    expect(recordWork(now, member, { ...BY_ANNA, edits: { notes: null }, isBase }).work.notes).toBeNull();
  });

  test.each([
    ['pending_acceptance', 'offer_not_pending'],
    ['rejected', 'not_found'],
    ['unassigned', 'not_found'],
  ] as const)('cannot be recorded on a %s claim: %s', (status, code) => {
    expect(codeOfWork(claimIn[status]())).toBe(code);
  });

  test('cannot be recorded on a closed claim or by another adjuster', () => {
    expect(codeOfWork(closeClaim(claimIn.accepted(), 9_000, CLOSURE))).toBe('offer_not_pending');
    expect(codeOfWork(claimIn.accepted(), BEN)).toBe('not_found');
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

  test('creates an open, pending offer without work in the environment of the key', () => {
    expect(sendClaim(facts, { ...terms, asSent, by: STAFF })).toEqual({
      ...{ id: 'x', firmId: 'f', environment: 'test', ...facts, asSent: '{}' },
      assignment: {
        ...{ status: 'pending_acceptance', adjuster: ANNA, offeredAt: SENT, offeredBy: STAFF },
        ...{ respondedAt: null, rejectionReason: null },
      },
      work: { contactDate: null, inspectionDate: null, notes: null },
      createdAt: SENT,
      updatedAt: SENT,
      closedAt: null,
    });
  });

  test.each([
    ['building_pair_refused', { occupancyType: 'single_family_home', buildingType: 'barn' }],
    ['policy_term_reversed', { policyEffective: '2026-05-02', policyExpiration: '2026-05-01' }],
  ] as const)('fails with %s if it has %j', (code, others) => {
    expect(codeThrownBy(() => sendClaim({ ...facts, ...others }, { ...terms, asSent }))).toBe(code);
  });
});

test('a claim is final when it is closed, or when no action leads to another status', () => {
  const isStuck = (status: AssignmentStatus) =>
    ASSIGNMENT_ACTIONS.every((action) => !('to' in ASSIGNMENT_TRANSITIONS[status][action]));
  for (const status of ASSIGNMENT_STATUSES) {
    const claim = claimIn[status]();
    expect([status, isFinal(claim)]).toEqual([status, isStuck(status)]);
    expect(isFinal(closeClaim(claim, SENT + 9, CLOSURE))).toBe(true);
  }
});

test('each outcome of an offer names the rule that decided it', () => {
  const outcomes = ['pending_acceptance', 'accepted', 'rejected', 'unassigned', 'withdrawn'] as const;
  const answered = ['first_answer_while_pending', 'first_answer_while_pending'];
  const rest = [...answered, 'adjuster_may_not_accept', 'offered_again'];
  const rulesAt = (closedAt: number | null) =>
    outcomes.map((status) => {
      const { rule, text } = decidingRule({ status }, closedAt);
      expect(text).toBe(DECIDING_RULES[rule]);
      return rule;
    });
  const words = Object.entries(DECIDING_RULES).map(([rule, text]) => `${rule}: … ${text.split(' ').at(-1)}`);
  expect(words.join(' ')).toBe(
    'awaiting_answer: … it. first_answer_while_pending: … count. adjuster_may_not_accept: … claims. withdrawn_by_firm: … claim. offered_again: … again. claim_closed: … closed.',
  );
  expect(rulesAt(null)).toEqual(['awaiting_answer', ...rest]);
  expect(rulesAt(1)).toEqual(['claim_closed', ...rest]);
  for (const status of ['unassigned', 'withdrawn'] as const) {
    const withdrawn = { status, withdrawnBy: STAFF };
    expect([null, 1].map((closedAt) => decidingRule(withdrawn, closedAt).rule)).toEqual(
      Array(2).fill('withdrawn_by_firm'),
    );
    expect(offerStatus(withdrawn)).toBe('withdrawn');
  }
});
