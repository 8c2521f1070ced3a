import { beforeEach, expect, test } from '@jest/globals';
import {
  type AuditEvent,
  auditEvent,
  BY_SERVICE,
  type KeyedResult,
  NO_METRICS,
  type OfferedClaim,
  type SendFacts,
} from '@svc/application';
import {
  ALWAYS_AVAILABLE,
  type Claim,
  type ClaimAsSent,
  type ClaimId,
  type FirmId,
  type Svcid,
} from '@svc/domain';
import { groupedClaimWrites } from '../src/claims/claim-writes.ts';
import type { ClaimStatements, Decided, Facts } from '../src/firm-statements.ts';
import { aClaim, aMembership, NOW, newId } from './a-firm.ts';

const FIRM = newId<FirmId>();
const [ANA, LIMITED] = ['ANA', 'LIMITED'] as [Svcid, Svcid];
const named = { firstName: 'A', lastName: 'B', email: null, testOf: null };
const ADJUSTERS = new Map([
  [ANA, { ...named, svcId: ANA, availability: ALWAYS_AVAILABLE }],
  [LIMITED, { ...named, svcId: LIMITED, availability: { ...ALWAYS_AVAILABLE, maxOpenOffers: 5 } }],
]);

/** The statements in their order, each with what it is for; a group finds nothing of what others have locked. */
let called: string[];
let committed: (readonly string[])[];
let written: Decided[];
let locked: Set<string>;
let stored: Map<string, Claim>;
/** By the key of its request. */
let facts: Map<string, Partial<Facts>>;
beforeEach(() => {
  [called, committed, written] = [[], [], []];
  [locked, stored, facts] = [new Set(), new Map(), new Map()];
});

const saved = (decided: readonly Decided[], whenLocked = 'wait'): ReadonlyMap<ClaimId, number> => {
  const free = decided.filter(({ claim }) => whenLocked === 'wait' || !locked.has(`feed ${claim.firmId}`));
  written.push(...free);
  return new Map(free.map(({ claim }, n) => [claim.id, NOW + 1 + n]));
};
const STATEMENTS: ClaimStatements = {
  async lockMemberships(requests, whenLocked) {
    called.push(`memberships ${whenLocked} ${requests.map(({ slot }) => slot.key)}`);
    return requests.map(({ slot, adjuster }) =>
      whenLocked === 'skip' && locked.has(slot.key) ? null : aMembership(slot.firmId, adjuster),
    );
  },
  lockClaims: async (requests, whenLocked) =>
    requests.map(({ claimId = '' }) =>
      whenLocked === 'skip' && locked.has(claimId) ? null : (stored.get(claimId) ?? null),
    ),
  async facts(requests) {
    return requests.map(({ slot, adjuster }) => ({
      ...{ bound: null, duplicate: null, adjuster: ADJUSTERS.get(adjuster) ?? null },
      ...facts.get(slot.key),
    }));
  },
  async lockAndCountPending(svcId) {
    called.push(`count ${svcId}`);
    facts.set('limited', { duplicate: { id: newId(), by: 'claim_number' } });
    return 3;
  },
  async lockOffered(responses, whenLocked) {
    called.push(`offered ${whenLocked} ${responses.map(({ svcId }) => svcId)}`);
    return responses.flatMap(({ id }) => {
      const claim = stored.get(id);
      return claim === undefined || (whenLocked === 'skip' && locked.has(id)) ? [] : [offeredOf(claim)];
    });
  },
  async add(decided) {
    called.push(`add ${decided.map(({ request }) => request?.slot.key)}`);
    return saved(decided);
  },
  async save(decided, whenLocked) {
    called.push(`save ${whenLocked} ${decided.map(({ claim }) => claim.externalId)}`);
    return saved(decided, whenLocked);
  },
};
const forms = { firm: { id: FIRM, name: 'Gulf' }, offerWaitHours: 4, clocks: null, bookCarrier: null };
const membership = { status: 'active', canAcceptClaims: true, readableUntil: null } as const;
const offeredOf = (claim: Claim): OfferedClaim => ({ claim, membership, forms });

const writes = groupedClaimWrites(
  {
    begin: async () => ({ rollback: async () => {}, commitSeconds: 2 }),
    metrics: {
      ...NO_METRICS,
      transactionCommitted: (seconds, statuses) => void committed.push([`${seconds}`, ...statuses]),
    },
  },
  () => STATEMENTS,
  { maxTogether: 50 },
);

const eventOf = (claim: Claim): AuditEvent =>
  auditEvent(claim.firmId, BY_SERVICE, { at: NOW, action: 'claim.send', object: null });
const requestOf = (key: string, adjuster = ANA, firmId = FIRM) => ({
  ...{ slot: { firmId, environment: 'live' as const, key }, fingerprint: 'f', at: NOW, adjuster },
});
const told: Record<string, SendFacts> = {};
/** Sends a claim under the key that is its external id. */
const send = (claim: Claim, key = claim.externalId, adjuster = ANA) =>
  writes.send(
    {
      ...requestOf(key, adjuster, claim.firmId),
      externalId: claim.externalId,
      claimNumber: claim.claimNumber,
    },
    (known) => {
      told[key] = known;
      if (key === 'rejected') throw new Error('by a rule');
      return { claim, jobs: [], event: eventOf(claim) };
    },
  );
const claimOf = (externalId: string, changes: Partial<Claim> = {}) =>
  aClaim(FIRM, ANA, { externalId, ...changes });

test('claims are sent together, except one that must wait, or whose document is long', async () => {
  const document = (length: number) => ({ asSent: 'x'.repeat(length) as ClaimAsSent });
  const [short, long] = [claimOf('short', document(16_384)), claimOf('long', document(16_385))];
  const [bound, other]: [KeyedResult, ClaimId] = [{ claimId: newId(), replayed: true }, newId()];
  for (const fingerprint of ['f', 'g'])
    facts.set(`bound ${fingerprint}`, { bound: { fingerprint, ...bound } });
  const duplicate = { id: other, by: 'external_id' } as const;
  facts.set('locked duplicate', { duplicate });
  locked = new Set(['locked', 'locked duplicate']);
  const ends = await Promise.allSettled([
    send(short),
    ...['bound f', 'bound g', 'rejected', 'locked duplicate', 'locked'].map((key) => send(claimOf(key))),
    ...[
      send(long),
      send(claimOf('limited'), 'limited', LIMITED),
      send(claimOf('none'), 'none', 'NONE' as Svcid),
    ],
  ]);
  const at = NOW + 1;
  expect(ends).toMatchObject([
    { value: { ...short, createdAt: at, updatedAt: at } },
    { value: bound },
    ...['idempotency_key_reused', undefined].map((code) => ({ reason: code === undefined ? {} : { code } })),
    ...[
      { value: { updatedAt: at + 1 } },
      { value: { updatedAt: at } },
      { value: { ...long, createdAt: at, updatedAt: at } },
    ],
    ...[{ value: { updatedAt: at } }, { value: { updatedAt: at + 2 } }],
  ]);
  const all = 'short,bound f,bound g,rejected,locked duplicate,locked,long,limited,none';
  expect(called.splice(0, 2)).toEqual([`memberships skip ${all}`, 'add short,locked duplicate,none']);
  const alone = ['locked', 'long', 'limited'].flatMap((key) => [`add ${key}`, `memberships wait ${key}`]);
  expect(called.toSorted()).toEqual([...alone, `count ${LIMITED}`].toSorted());
  expect(committed).toEqual([3, 1, 1, 1].map((count) => ['2', ...Array(count).fill('pending_acceptance')]));
  expect(told['locked duplicate']).toMatchObject({ membership: null, duplicate, pendingOffers: 0 });
  expect(told.locked).toMatchObject({ membership: { firmId: FIRM, svcId: ANA }, duplicate: null });
  // What the account's lock has waited for is known too.
  expect(told.limited).toMatchObject({ pendingOffers: 3, duplicate: { by: 'claim_number' } });
});

test.each<[string, Partial<Claim>, key: string, together?: boolean]>([
  ['key', {}, 'one'],
  ['external id', { externalId: 'one' }, 'other'],
  ['claim number', { claimNumber: 'number' }, 'other'],
  ['firm', {}, 'other', true],
  ['external id in another firm', { externalId: 'one', firmId: newId() }, 'one', true],
])(
  'claims share a transaction unless they have a key, an external id or a number in common: one %s',
  async (_, changes, key, together = false) => {
    const first = claimOf('one', { claimNumber: 'number' });
    const second = claimOf('other', changes);
    await Promise.all([send(first), send(second, key)]);
    expect(called.filter((name) => name.startsWith('add'))).toHaveLength(together ? 1 : 2);
  },
);

test('a claim is offered again with the end of its offer before; one that is not found is looked for alone', async () => {
  const claim = claimOf('one');
  stored.set(claim.id, claim);
  const waiting = claimOf('two');
  stored.set(waiting.id, waiting);
  locked.add(waiting.id);
  const assignment = { ...claim.assignment, offeredAt: NOW + 9 };
  const offer = (claimId: string, key: string) =>
    writes.offer({ ...requestOf(key), claimId: claimId as ClaimId }, (known) => {
      expect(known).toMatchObject({ membership: { svcId: ANA }, pendingOffers: 0, adjuster: { svcId: ANA } });
      return { assignment, jobs: [], event: eventOf(known.claim) };
    });
  const again = { claimId: claim.id, replayed: true };
  facts.set('c', { bound: { fingerprint: 'f', claimId: claim.id } });
  const offers = [
    offer(claim.id.toUpperCase(), 'a'),
    offer(newId(), 'b'),
    offer(newId(), 'c'),
    offer(waiting.id, 'd'),
  ];
  expect(await Promise.all(offers)).toEqual([
    ...[
      { ...claim, assignment, updatedAt: NOW + 1 },
      null,
      again,
      { ...waiting, assignment, updatedAt: NOW + 1 },
    ],
  ]);
  expect(called).toEqual([
    ...[
      'memberships skip a,b,c,d',
      'save wait one',
      'memberships wait b',
      'memberships wait d',
      'save wait two',
    ],
  ]);
  const ended = {
    claim,
    end: { status: 'withdrawn', respondedAt: null, rejectionReason: null, endedAt: NOW + 9 },
  };
  expect(written[0]).toMatchObject({
    claim: { ...claim, assignment },
    request: { slot: { key: 'a' } },
    ended,
  });
  called.length = 0;
  await Promise.all([offer(claim.id, 'e'), offer(claim.id, 'f')]);
  expect(called.filter((name) => name.startsWith('save'))).toHaveLength(2);
});

test('responses share a transaction; what others have locked waits alone, and what is not offered is null', async () => {
  const [one, held, ofHeldFirm] = [claimOf('one'), claimOf('held'), claimOf('of held', { firmId: newId() })];
  for (const claim of [one, held, ofHeldFirm]) stored.set(claim.id, claim);
  locked = new Set([held.id, `feed ${ofHeldFirm.firmId}`]);
  const accepted = { ...one.assignment, status: 'accepted' } as const;
  const respond = (id: string) =>
    writes.respond(ANA, id as ClaimId, ({ claim }) => ({ assignment: accepted, event: eventOf(claim) }));
  const ids = [one.id.toUpperCase(), held.id, ofHeldFirm.id, newId<string>(), 'no uuid'];
  expect(await Promise.all(ids.map(respond))).toEqual([
    ...[one, held, ofHeldFirm].map((claim) => ({
      ...claim,
      ...forms,
      assignment: accepted,
      updatedAt: NOW + 1,
    })),
    ...[null, null],
  ]);
  expect(called.slice(0, 2)).toEqual(['offered skip ANA,ANA,ANA,ANA', 'save skip one,of held']);
  expect(called.slice(2).toSorted()).toEqual([
    ...['offered wait ANA', 'offered wait ANA', 'offered wait ANA', 'save wait held', 'save wait of held'],
  ]);
  expect(committed[0]).toEqual(['2', 'accepted']);
});
