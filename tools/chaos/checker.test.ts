import { describe, expect, test } from '@jest/globals';
import { checkHistory, RULE_NAMES } from './checker.ts';
import type {
  Call,
  ClaimView,
  DeskView,
  Fault,
  History,
  OfferView,
  ReceiptView,
  RowView,
  Signal,
} from './history.ts';

const timestamp = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

const claimView = (changes: Partial<ClaimView> = {}): ClaimView => ({
  id: 'c1',
  externalId: 'tag1x-1',
  test: false,
  status: 'pending_acceptance',
  adjuster: 'anna',
  respondedAt: null,
  reason: null,
  createdAt: timestamp(0),
  updatedAt: timestamp(0),
  ...changes,
});
const accepted = (changes: Partial<ClaimView> = {}): ClaimView =>
  claimView({ status: 'accepted', respondedAt: timestamp(5), updatedAt: timestamp(5), ...changes });
const rejected = (changes: Partial<ClaimView> = {}): ClaimView =>
  claimView({
    status: 'rejected',
    respondedAt: timestamp(3),
    updatedAt: timestamp(3),
    reason: 'far',
    ...changes,
  });

type Draft = Partial<Call> & Pick<Call, 'operation'>;

/** Sequential calls, 10 ms apart; by default each belongs to a separate task. */
function calls(...drafts: Draft[]): Call[] {
  return drafts.map((draft, n) => ({
    n,
    firm: 'tag1x',
    actor: draft.operation,
    task: n,
    attempt: 1,
    process: 0,
    intent: {},
    startedAt: n * 10,
    endedAt: n * 10 + 5,
    status: 200,
    seen: [],
    ...draft,
  }));
}

const send: Draft = {
  operation: 'send',
  status: 201,
  idempotencyKey: 'k1',
  intent: { externalId: 'tag1x-1', adjuster: 'anna' },
  seen: [claimView()],
};
const poll = (...claims: ClaimView[]): Draft => ({ operation: 'poll', seen: claims });
const accept: Draft = {
  operation: 'accept',
  firm: null,
  intent: { claimId: 'c1', adjuster: 'anna' },
  seen: [accepted()],
};
const offer = (adjuster: string, changes: Partial<Call> = {}): Draft => ({
  ...{ operation: 'offer', idempotencyKey: 'k2', intent: { claimId: 'c1', adjuster } },
  ...changes,
});
const TAKEN = { status: 409, code: 'claim_already_accepted' };

const audit = (problem: string | null, ...actions: string[]): History['audit'] =>
  new Map([['tag1x', { problem, actions: new Set(actions), rows: new Map() }]]);
const ACTIONS = ['send', 'offer', 'accept', 'reject'].map((action) => `claim.${action} claim:c1`);

const history = (recorded: Call[], final: ClaimView[], changes: Partial<History> = {}): History => ({
  seed: 's',
  processes: 1,
  calls: recorded,
  faults: [],
  localBuckets: [],
  final: new Map([['tag1x', final]]),
  audit: audit(null, ...ACTIONS),
  limited: [],
  desks: new Map(),
  autoResponding: new Set(),
  ...changes,
});

const violatedRules = (of: History): string[] => [
  ...new Set(checkHistory(of).violations.map(({ rule }) => rule)),
];

const leave: Draft = { operation: 'leave', status: 204, firm: null, intent: { adjuster: 'anna' } };
const membershipCall = (operation: 'invite' | 'join' | 'permit' | 'enable'): Draft => ({
  operation,
  intent: { adjuster: 'anna' },
});

const file = (...rows: RowView[]): Draft => ({
  operation: 'import',
  intent: { rows: [{ externalId: 'tag1x-1', adjuster: 'anna' }] },
  rows,
});
const row = (outcome: string, changes: Partial<RowView> = {}): RowView => ({
  ...{ externalId: 'tag1x-1', outcome, claimId: 'c1', codes: [] },
  ...changes,
});
const desk = (changes: Partial<DeskView>): Partial<History> => ({
  desks: new Map([['tag1x', { test: false, signals: [], receipts: [], offers: new Map(), ...changes }]]),
  timeOrigin: Date.parse(timestamp(0)),
});
const SIGNAL: Signal = { id: 's1', at: 1_000, updatedSince: timestamp(0), answered: 204 };
const signals = (...all: Signal[]): History =>
  history(calls(send, poll(claimView())), [claimView()], desk({ signals: all }));
const RECEIPT: ReceiptView = {
  ...{ claimId: 'c1', adjuster: 'anna', status: 'pending_acceptance', answeredAt: null },
  audit: { seq: 1, hash: 'h' },
};
const receipt = (changes: Partial<ReceiptView>, about = 'claim:c1'): History =>
  history(calls(send, poll(claimView())), [claimView()], {
    ...desk({ signals: [SIGNAL], receipts: [{ ...RECEIPT, ...changes }] }),
    audit: new Map([
      [
        'tag1x',
        {
          ...{ problem: null, actions: new Set(ACTIONS) },
          rows: new Map([[1, { hash: 'h', objects: new Set([about]) }]]),
        },
      ],
    ]),
  });
const OFFER: OfferView = { adjuster: 'anna', outcome: 'pending', reason: null };
const offers = (...all: OfferView[]): History =>
  history(
    calls(send, poll(claimView())),
    [claimView()],
    desk({ signals: [SIGNAL], offers: new Map([['c1', all]]) }),
  );

/** For each rule, the smallest histories that break it. */
const VIOLATIONS_BY_RULE: Readonly<Record<string, readonly History[]>> = {
  'every acknowledged claim exists exactly once': [
    history(calls({ ...send }), []),
    history(calls(send, poll(claimView())), [
      claimView(),
      claimView({ id: 'c2', updatedAt: timestamp(1), createdAt: timestamp(1) }),
    ]),
    history(calls(send, poll(claimView())), [claimView({ externalId: 'tag1x-2' })]),
  ],
  'an idempotency key gives one claim': [
    history(
      calls(send, { ...send, seen: [claimView({ id: 'c2' })] }, poll(claimView(), claimView({ id: 'c2' }))),
      [claimView(), claimView({ id: 'c2' })],
    ),
  ],
  'all retries give the same result': [
    history(calls({ ...send, status: null, seen: [] }), []),
    history(calls({ ...send, status: 503, code: 'service_unavailable', seen: [] }), []),
    history(
      calls(
        { ...send, task: 7 },
        { ...send, task: 7, attempt: 2, status: 409, code: 'duplicate_claim', seen: [] },
        poll(claimView()),
      ),
      [claimView()],
    ),
  ],
  'every error has a reason': [
    history(calls({ operation: 'get', status: 500, code: 'internal_error' }), []),
    history(calls({ operation: 'get', status: 404, code: 'not_found' }), []),
    history(calls({ operation: 'get', status: 429, code: 'rate_limited' }), []),
    history(calls({ operation: 'get', status: 200, malformed: 'no X-Request-Id' }), []),
    history(calls({ operation: 'send', status: 422, code: 'adjuster_not_in_firm' }), []),
    history(calls({ operation: 'send', status: 201, intent: { expectedError: 'duplicate_claim' } }), []),
    history(
      calls({
        operation: 'send',
        status: 409,
        code: 'duplicate_claim',
        existingClaimId: 'c9',
        intent: { expectedError: 'duplicate_claim', claimId: 'c1' },
      }),
      [],
    ),
  ],
  'every row of a file is one claim or none': [
    history(calls(file(row('sent')), poll(claimView())), [claimView({ id: 'c2' })]),
    history(calls(file(row('sent')), file(row('sent')), poll(claimView())), [claimView()]),
    history(calls(file(row('invalid'))), []),
    history(calls(file(row('failed', { codes: ['duplicate_claim'] }))), []),
    history(calls(file(row('sent', { externalId: 'tag1x-2' }))), []),
  ],
  'every change is signalled, with a signature': [
    signals(),
    signals({ ...SIGNAL, answered: 503 }),
    signals({ ...SIGNAL, updatedSince: timestamp(1) }),
    signals({ ...SIGNAL, at: -1_000 }),
    signals(SIGNAL, { ...SIGNAL, forged: 'no signature matches' }),
  ],
  'receipts agree with the claim and the audit trail': [
    receipt({ adjuster: 'ben' }),
    receipt({ status: 'accepted' }),
    receipt({ status: 'withdrawn' }),
    receipt({ answeredAt: timestamp(5) }),
    receipt({ audit: { seq: 1, hash: 'other' } }),
    receipt({ audit: null }),
    receipt({}, 'claim:c2'),
  ],
  'offers are in the history of their claim': [
    offers(),
    offers(OFFER, OFFER),
    offers({ ...OFFER, outcome: 'accepted' }),
    offers({ ...OFFER, adjuster: 'ben' }),
  ],
  'claims are linearizable': [
    history(calls(poll(claimView())), [claimView()]),
    history(
      calls(
        send,
        poll(claimView()),
        offer('anna', {
          ...{ status: 409, code: 'claim_changed' },
          intent: { claimId: 'c1', adjuster: 'anna', basedOn: timestamp(0) },
        }),
      ),
      [claimView()],
    ),
    history(calls(send, poll(accepted())), [accepted()]),
    history(
      calls(
        send,
        { operation: 'reject', intent: { claimId: 'c1', adjuster: 'anna', reason: 'near' } },
        poll(rejected()),
      ),
      [rejected()],
    ),
    history(calls(send, accept, poll(accepted(), claimView({ updatedAt: timestamp(9) }))), [
      claimView({ updatedAt: timestamp(9) }),
    ]),
    history(calls(send, poll(claimView({ adjuster: 'ben' }))), [claimView()]),
    history(calls(send, poll(claimView({ respondedAt: timestamp(0) }))), [
      claimView({ respondedAt: timestamp(0) }),
    ]),
    history(calls(send, poll(claimView({ status: 'lost' }))), [claimView({ status: 'lost' })]),
    history(calls(poll(accepted({ updatedAt: timestamp(0) }))), [accepted({ updatedAt: timestamp(0) })]),
    // Two versions without a request to change the claim.
    history(calls(send, poll(claimView({ updatedAt: timestamp(4) }))), [
      claimView({ updatedAt: timestamp(4) }),
    ]),
    history(calls(send, accept, { operation: 'get', seen: [claimView()] }, poll(accepted())), [accepted()]),
    history(calls(send, accept, poll(claimView())), [claimView()]),
    history(calls(send, { ...accept, seen: [claimView()] }, poll(claimView())), [claimView()]),
    history(calls(send, poll(claimView()), { operation: 'get', seen: [claimView({ id: 'c2' })] }), [
      claimView(),
    ]),
    history(calls(send, leave, poll(claimView())), [claimView()]),
    // Rejected, although only this request can have assigned the claim to this adjuster.
    history(
      calls(
        send,
        offer('ben', TAKEN),
        { ...accept, intent: { claimId: 'c1', adjuster: 'ben' }, seen: [accepted({ adjuster: 'ben' })] },
        poll(accepted({ adjuster: 'ben' })),
      ),
      [accepted({ adjuster: 'ben' })],
    ),
    history(calls(send, offer('ben', TAKEN), poll(claimView())), [claimView()]),
  ],
  'the change feed is strictly serializable': [
    history(calls(send, poll()), [claimView()]),
    history(calls(send, poll(claimView()), accept), [accepted()]),
    history(calls(send, accept, poll(accepted()), poll(claimView({ id: 'c2' }))), [accepted()]),
    history(calls(send, poll(claimView())), [claimView(), claimView({ id: 'c2', externalId: 'tag1x-2' })]),
    history(calls(send, { operation: 'get', seen: [claimView({ id: 'c2' })] }), [], { isPartial: true }),
  ],
  'no job is lost': [
    history(calls(send, poll(claimView())), [claimView()], { autoResponding: new Set(['anna']) }),
  ],
  'test accounts respond to the latest offer': [
    history(calls(send, poll(accepted())), [accepted()], {
      autoResponding: new Set(['anna']),
      timeOrigin: Date.parse(timestamp(0)),
    }),
  ],
  'no offer waits for an adjuster who may not accept it': [
    // Sent before the adjuster left, offered afterwards, and offered without the permission.
    history(calls(send, leave, poll(claimView())), [claimView()]),
    history(calls(leave, send, poll(claimView())), [claimView()]),
    history(calls({ ...leave, operation: 'suspend' }, send, poll(claimView())), [claimView()]),
    history(calls({ ...leave, operation: 'disable' }, send, poll(claimView())), [claimView()]),
    history(calls(leave, send, membershipCall('join'), poll(claimView())), [claimView()]),
    history(calls(leave, send, membershipCall('invite'), poll(claimView())), [claimView()]),
  ],
  'no firm sees data of another': [
    history(calls({ ...send, foreign: ['tag2x'] }, poll(claimView())), [claimView()]),
  ],
  'rate limits hold within the documented approximation': [
    history(calls(...Array.from({ length: 25 }, () => ({ operation: 'limited' as const }))), [], {
      limited: [{ actor: 'limited', requestsPerMinute: 60, burst: 20 }],
    }),
  ],
  'audit chains are intact and have every acknowledged action': [
    history([], [], { audit: audit('row 7 is missing') }),
    history(calls(send, accept, poll(accepted())), [accepted()], {
      audit: audit(null, 'claim.send claim:c1'),
    }),
  ],
};

describe('the checker of a chaos run:', () => {
  test('every rule has a history that violates it', () => {
    expect(Object.keys(VIOLATIONS_BY_RULE).sort()).toEqual([...RULE_NAMES].sort());
  });

  for (const [rule, violatingHistories] of Object.entries(VIOLATIONS_BY_RULE)) {
    test.each(violatingHistories.map((recorded, n) => [n + 1, recorded] as const))(
      `a violation of "${rule}" is found (%i)`,
      (_n, recorded) => {
        expect(violatedRules(recorded)).toContain(rule);
      },
    );
  }

  test('test claims need no signal to an endpoint of live claims', () => {
    const claim = claimView({ test: true });
    const recorded = calls({ ...send, seen: [claim] }, poll(claim));
    expect(violatedRules(history(recorded, [claim], desk({ signals: [] })))).toEqual([]);
  });

  test('a valid run violates no rule', () => {
    const ofLeaver = offer('ben', {
      intent: { claimId: 'c1', adjuster: 'ben', mayHaveLeft: true },
      seen: [claimView({ adjuster: 'ben', updatedAt: timestamp(6) })],
    });
    const unassigned = claimView({ adjuster: 'ben', status: 'unassigned', updatedAt: timestamp(7) });
    const reoffered = claimView({ updatedAt: timestamp(8) });
    const acceptedAgain = accepted({ updatedAt: timestamp(9), respondedAt: timestamp(9) });
    const valid = history(
      calls(
        { ...send, task: 1, status: null, seen: [] },
        { ...send, task: 1, attempt: 2, status: 503, code: 'service_unavailable', seen: [] },
        { ...send, task: 1, attempt: 3, replayed: true },
        {
          operation: 'reject',
          firm: null,
          intent: { claimId: 'c1', adjuster: 'anna', reason: 'far' },
          seen: [rejected()],
        },
        poll(rejected()),
        ofLeaver,
        { operation: 'leave', firm: null, status: 204, intent: { adjuster: 'ben' } },
        poll(unassigned),
        { ...ofLeaver, task: 50, idempotencyKey: 'k3', status: 422, code: 'adjuster_not_in_firm', seen: [] },
        offer('anna', { idempotencyKey: 'k4', seen: [reoffered] }),
        { ...accept, seen: [acceptedAgain] },
        offer('cleo', { idempotencyKey: 'k5', ...TAKEN }),
        {
          operation: 'send',
          status: 409,
          code: 'duplicate_claim',
          existingClaimId: 'c1',
          intent: { expectedError: 'duplicate_claim', claimId: 'c1', externalId: 'tag1x-1' },
        },
        poll(acceptedAgain),
      ),
      [acceptedAgain],
    );
    expect(checkHistory(valid).violations).toEqual([]);
  });

  test('an offer that the firm withdraws ends once, and not one that was accepted; a closed claim is offered no more', () => {
    const withdraw: Draft = {
      operation: 'withdraw offer',
      intent: { claimId: 'c1', basedOn: timestamp(0) },
      seen: [claimView({ status: 'unassigned', updatedAt: timestamp(4) })],
    };
    const [unassigned = claimView()] = withdraw.seen ?? [];
    const refused = (code: string): Draft => ({ ...withdraw, status: 409, code, seen: [] });
    const close: Draft = { operation: 'close at desk', intent: { claimId: 'c1' }, seen: [unassigned] };
    const toBen = offer('ben', { seen: [claimView({ adjuster: 'ben', updatedAt: timestamp(6) })] });
    const audited = { audit: audit(null, ...ACTIONS, 'claim.withdraw claim:c1', 'claim.close claim:c1') };
    const rulesOf = (final: ClaimView, ...drafts: Draft[]) =>
      violatedRules(history(calls(send, ...drafts, poll(final)), [final], audited));
    const lost: Draft = { ...withdraw, status: null, seen: [] };
    const late: Draft = { ...accept, status: 409, code: 'offer_not_pending', seen: [] };
    const notLinear = ['claims are linearizable'];
    expect([
      rulesOf(unassigned, withdraw, refused('offer_not_pending'), late, close),
      rulesOf(unassigned, { ...lost, task: 9 }, { ...refused('offer_not_pending'), task: 9, attempt: 2 }),
      rulesOf(accepted(), accept, refused('claim_already_accepted')),
      rulesOf(unassigned, close, { ...toBen, status: 409, code: 'claim_closed', seen: [] }),
    ]).toEqual([[], [], [], []]);
    expect([
      rulesOf(unassigned, accept, { ...withdraw, intent: { claimId: 'c1' } }),
      rulesOf(unassigned, withdraw, { ...withdraw, actor: 'another' }),
      rulesOf(claimView(), refused('offer_not_pending')),
      rulesOf(claimView(), { ...close, seen: [claimView()] }),
      rulesOf(claimView({ adjuster: 'ben', updatedAt: timestamp(6) }), close, toBen),
    ]).toEqual(Array(5).fill(expect.arrayContaining(notLinear)));
  });

  test('an adjuster who may have come back may have pending offers', () => {
    const withoutResponse = { status: null, intent: { adjuster: 'anna' } };
    const rule = 'no offer waits for an adjuster who may not accept it';
    const mayHaveReturned: Call[][] = [
      calls(leave, membershipCall('invite'), membershipCall('join'), send, poll(claimView())),
      calls(
        membershipCall('invite'),
        leave,
        { operation: 'invite', ...withoutResponse },
        { operation: 'join', ...withoutResponse },
        send,
      ),
      calls(
        { operation: 'invite', ...withoutResponse },
        { operation: 'join', ...withoutResponse },
        leave,
        send,
        poll(claimView()),
      ),
      calls({ ...leave, operation: 'suspend' }, membershipCall('permit'), send, poll(claimView())),
      calls({ ...leave, operation: 'disable' }, membershipCall('enable'), send, poll(claimView())),
      calls({ ...leave, status: null }, send, poll(claimView())),
      // Another device joined again before the response to the leaving arrived.
      calls(
        { ...leave, endedAt: 27 },
        membershipCall('invite'),
        membershipCall('join'),
        send,
        poll(claimView()),
      ),
      // A closed claim keeps the status pending_acceptance.
      calls(send, { operation: 'close', intent: { claimId: 'c1' } }, leave, poll(claimView())),
    ];
    for (const recorded of mayHaveReturned)
      expect(violatedRules(history(recorded, [claimView()]))).not.toContain(rule);
  });

  test('a test account may respond two seconds after the latest offer, and to one that replaced it', () => {
    const rule = 'test accounts respond to the latest offer';
    const reaction = (atMs: number, ...drafts: Draft[]): History => {
      const response = accepted({ respondedAt: timestamp(atMs), updatedAt: timestamp(atMs) });
      return history(calls(send, ...drafts, poll(response)), [response], {
        autoResponding: new Set(['anna']),
        timeOrigin: Date.parse(timestamp(0)),
      });
    };
    const seen = [claimView({ updatedAt: timestamp(1_001) })];
    const reoffer = offer('anna', { startedAt: 1_000, endedAt: 1_005, seen });
    expect(violatedRules(reaction(2_000))).not.toContain(rule);
    expect(violatedRules(reaction(2_000, reoffer))).toContain(rule);
    expect(violatedRules(reaction(3_000, reoffer))).not.toContain(rule);
    expect(violatedRules(reaction(2_000, { ...reoffer, status: null, seen: [] }))).not.toContain(rule);
    expect(violatedRules({ ...reaction(5), autoResponding: new Set() })).not.toContain(rule);
  });

  test('files, webhooks, receipts and offers that agree with the claims violate nothing', () => {
    const lost = { ...file(), task: 7, status: null };
    const again = { ...file(row('already_sent')), task: 7, attempt: 2 };
    const imported = history(calls(lost, again, poll(claimView())), [claimView()], {
      audit: audit(null),
    });
    for (const sound of [imported, signals(SIGNAL), receipt({}), offers(OFFER)])
      expect(checkHistory(sound).violations).toEqual([]);
  });

  test('a partial history may lack responses and changes that arrive later', () => {
    const unfinished = calls(send, { ...send, task: 9, idempotencyKey: 'k9', status: null, seen: [] });
    expect(violatedRules(history(unfinished, [claimView()])).length).toBeGreaterThan(0);
    const running = { isPartial: true, autoResponding: new Set(['anna']) } as const;
    expect(violatedRules(history(unfinished, [], running))).toEqual([]);
    expect(violatedRules(history(calls(send, accept, poll(claimView())), [], running))).toEqual([
      'claims are linearizable',
      'the change feed is strictly serializable',
    ]);
  });

  test('a key may exceed its rate limit only if Redis lost its data or a process counted locally', () => {
    const recorded = (count: number, changes: Partial<History>): History =>
      history(calls(...Array.from({ length: count }, () => ({ operation: 'limited' as const }))), [], {
        limited: [{ actor: 'limited', requestsPerMinute: 60, burst: 20 }],
        ...changes,
      });
    const fault = (kind: Fault['kind']): Partial<History> => ({
      faults: [{ kind, startedAt: 100, endedAt: 200, recoveredAfter: 0 }],
    });
    const localCounting = { localBuckets: [{ startedAt: 100, endedAt: 200 }] };
    const rule = 'rate limits hold within the documented approximation';
    expect(checkHistory(recorded(41, fault('redis flushed'))).violations).toEqual([]);
    expect(checkHistory(recorded(41, localCounting)).violations).toEqual([]);
    expect(violatedRules(recorded(41, fault('postgres killed')))).toEqual([rule]);
    expect(violatedRules(recorded(45, fault('redis flushed')))).toEqual([rule]);
    expect(violatedRules(recorded(45, localCounting))).toEqual([rule]);
  });

  test('requests with 429, 503 or no response do not count against a rate limit', () => {
    const recorded = calls(
      ...Array.from({ length: 20 }, () => ({ operation: 'limited' as const })),
      { operation: 'limited', status: 429, code: 'rate_limited' },
      { operation: 'limited', status: null },
      { operation: 'limited', status: 503, code: 'service_unavailable' },
    );
    const limited = [{ actor: 'limited', requestsPerMinute: 60, burst: 20 }];
    expect(checkHistory(history(recorded, [], { limited })).violations).toEqual([]);
  });
});

test('leaving a firm is judged only for claims that may be pending with the adjuster', () => {
  const operationsWith = (...drafts: Draft[]): number =>
    checkHistory(history(calls(...drafts), [accepted()])).counts.operations;
  const before = operationsWith(send, accept, poll(accepted()));
  expect(operationsWith(leave, send, accept, poll(accepted()), leave, leave)).toBe(before);
  expect(operationsWith(send, leave, accept, poll(accepted()))).toBe(before + 1);
  // Without a response that shows the acceptance.
  expect(operationsWith(send, { ...accept, status: null, seen: [] }, leave)).toBe(before);
  // An offer without a response has had its effect, if any, before the first of them.
  const lostOffer = offer('anna', { status: null });
  const laterLeaves = [1, 2, 3].map((n) => ({ ...leave, startedAt: n * 200_000, endedAt: n * 200_000 + 5 }));
  const withoutLeaves = operationsWith(send, accept, poll(accepted()), lostOffer);
  expect(operationsWith(send, accept, poll(accepted()), lostOffer, ...laterLeaves)).toBe(withoutLeaves + 1);
});
