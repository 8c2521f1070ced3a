import { expect, test } from '@jest/globals';
import {
  type AssignmentStatus,
  type ClaimId,
  DAY,
  type FirmId,
  HOUR,
  MAX_COUNTED_CLAIMS,
  MINUTE,
  NO_CLOCKS,
  type Svcid,
} from '@svc/domain';
import { createFixedClock } from '@svc/testkit';
import fc from 'fast-check';
import {
  type AdjusterView,
  type BoardClaim,
  type BoardFilter,
  type BoardReads,
  type BoardRow,
  isLate,
  type KeysetPosition,
  makeCountBoard,
  makeListBoard,
  waitingSince,
} from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

const FIRM = '00000000-0000-7000-8000-0000000000f1' as FirmId;
const SUMMARY = { name: 'María Lee', street: '1 Bay Road', city: 'Tampa', zip: '33601', carrier: 'Acme' };
const NO_STEPS = { contact: null, inspection: null };
const STATUSES = ['pending_acceptance', 'accepted', 'rejected', 'unassigned'] as const;
const [ANN, BEN] = ['ad_1' as Svcid, 'ad_2' as Svcid];

/** Claims whose times repeat often, so that pages end between claims of the same time. */
const claims = fc
  .array(
    fc.record({
      status: fc.constantFrom<AssignmentStatus>(...STATUSES),
      environment: fc.constantFrom('live' as const, 'test' as const),
      adjuster: fc.constantFrom(ANN, BEN),
      offeredAt: fc.integer({ min: 1, max: 4 }),
      updatedAt: fc.integer({ min: 1, max: 4 }),
      closed: fc.boolean(),
      externalId: fc.constantFrom('X-1', 'X-2', 'Y-1X-'),
      name: fc.constantFrom('José Ångström', 'Maria Lee', 'X-Lee'),
    }),
    // Of few claims, too few are of one filter.
    { maxLength: 25, size: 'max' },
  )
  .map((all) =>
    all.map(
      ({ closed, externalId, name, ...claim }, n): BoardClaim => ({
        ...claim,
        // Also later than the offer: in a burst, or after a restore.
        updatedAt: Math.max(claim.offeredAt, claim.updatedAt),
        id: `00000000-0000-7000-8000-${String((n * 7919) % 1000).padStart(12, '0')}` as ClaimId,
        externalId: `${externalId}${n}`,
        claimNumber: `N-${n % 3}`,
        respondedAt: claim.status === 'rejected' ? claim.updatedAt : null,
        closedAt: closed ? claim.updatedAt : null,
        summary: { ...SUMMARY, name, state: 'FL' },
        steps: NO_STEPS,
      }),
    ),
  );

const listOf = (boardReads: BoardReads, clock = createFixedClock()) =>
  makeListBoard({ boardReads, jobReads: { deadlineOverrides: async () => [] }, clock });

const ABSENT = { nil: undefined, freq: 2 };
const filters = fc.record({
  environment: fc.constantFrom('live' as const, 'test' as const),
  closed: fc.boolean(),
  order: fc.constantFrom('waiting' as const, 'latest' as const),
  status: fc.option(fc.constantFrom<AssignmentStatus>(...STATUSES), ABSENT),
  adjuster: fc.option(fc.constantFrom(ANN, BEN), ABSENT),
  text: fc.option(
    fc.constantFrom('X-1', 'X-', 'N-1', '  jose  ANG', 'lee', 'bay tampa', 'lee jose', ' '),
    ABSENT,
  ),
});

/** The claims of an array as a store reads them, and how many were read. */
function readsOf(all: readonly BoardClaim[], offerWaitHours: number | null = null) {
  const counted = { claims: 0 };
  const reads: Pick<BoardReads, 'claims' | 'claimsByIdPrefix' | 'clocks' | 'members' | 'offerWaitHours'> = {
    async claims(_, scan, after, count) {
      const isDown = scan.by === 'latest' || (scan.by === 'adjuster' && scan.latestFirst);
      const sign = isDown ? -1 : 1;
      const at = (claim: BoardClaim) => (scan.by === 'adjuster' ? claim.offeredAt : claim.updatedAt);
      const order = (one: KeysetPosition, other: KeysetPosition) =>
        sign * (one.at - other.at || (one.id === other.id ? 0 : one.id < other.id ? -1 : 1));
      const position = (claim: BoardClaim) => ({ at: at(claim), id: claim.id });
      const isScanned = (claim: BoardClaim): boolean => {
        if (scan.by === 'adjuster')
          return (
            claim.adjuster === scan.adjuster &&
            claim.status === scan.status &&
            (claim.closedAt !== null) === scan.closed
          );
        if (scan.by === 'latest') return scan.status === undefined || claim.status === scan.status;
        return (
          claim.environment === scan.environment && claim.status === scan.status && claim.closedAt === null
        );
      };
      const found = all
        .filter((claim) => isScanned(claim) && order(position(claim), after) > 0)
        .sort((one, other) => order(position(one), position(other)))
        .slice(0, count);
      counted.claims += found.length;
      return found;
    },
    async claimsByIdPrefix(_, environment, prefix, count) {
      const own = all.filter((claim) => claim.environment === environment);
      return [
        ...own.filter(({ externalId }) => externalId.startsWith(prefix)).slice(0, count),
        ...own
          .filter(({ claimNumber, closedAt }) => closedAt === null && claimNumber.startsWith(prefix))
          .slice(0, count),
      ];
    },
    members: async () => [],
    clocks: async () => NO_CLOCKS,
    offerWaitHours: async () => offerWaitHours,
  };
  return { reads: reads as BoardReads, counted };
}

/** @param passesMs between two pages. */
async function pagesOf(
  reads: BoardReads,
  filter: BoardFilter,
  limit: number,
  { maxBytes, now, passesMs = 0 }: { maxBytes?: number; now?: number; passesMs?: number } = {},
) {
  const clock = createFixedClock(now);
  const pages: (readonly BoardRow[])[] = [];
  for (let after: KeysetPosition | null | undefined; after !== null; ) {
    const page = await listOf(reads, clock)(FIRM, filter, { after: after ?? null, limit, maxBytes });
    clock.advance(passesMs);
    expect(pages.push(page.rows)).toBeLessThan(100);
    after = page.next;
  }
  return pages;
}

/** Whether the claim is one that a person who fills in the filter expects. */
function isExpected(claim: BoardClaim, filter: BoardFilter): boolean {
  const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const { text } = filter;
  const { name, street, city } = claim.summary;
  const words =
    text === undefined
      ? []
      : plain(text)
          .split(' ')
          .filter((word) => word !== '');
  const { zip, state } = claim.summary;
  const hasWord = (word: string): boolean =>
    plain(`${name} ${street} ${city} ${claim.adjuster}`).includes(word) ||
    zip.startsWith(word) ||
    state.toLowerCase() === word ||
    [claim.externalId, claim.claimNumber].some((id) => id.toLowerCase().endsWith(word));
  const hasWords = words.length > 0 && words.every(hasWord);
  const startsWith = (id: string): boolean => text !== undefined && id.startsWith(text);
  return (
    claim.environment === filter.environment &&
    (claim.closedAt !== null) === filter.closed &&
    (filter.status === undefined || claim.status === filter.status) &&
    (filter.adjuster === undefined || claim.adjuster === filter.adjuster) &&
    (filter.order === 'latest' || claim.status !== 'accepted') &&
    (text === undefined || hasWords || startsWith(claim.externalId) || startsWith(claim.claimNumber))
  );
}

const waits = fc.constantFrom(
  { hours: null, passesMs: 0 },
  { hours: 1, passesMs: 0 },
  // Offers become late between two pages.
  { hours: 1, passesMs: 1 },
);

test('the pages of a board together have each claim of the filter once, in its order, and what waits for another offer before what waits for an answer', async () => {
  const limits = fc.integer({ min: 1, max: 6 });
  await fc.assert(
    fc.asyncProperty(claims, filters, limits, waits, async (all, filter, limit, { hours, passesMs }) => {
      // Claims that wait are open.
      fc.pre(filter.order === 'latest' || !filter.closed);
      const now = HOUR + 2;
      const pages = await pagesOf(readsOf(all, hours).reads, filter, limit, { now, passesMs });
      const rows = pages.flat();
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
      const expected = all.filter((claim) => isExpected(claim, filter));
      expect(rows.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
      if (filter.text !== undefined) return;
      const at = ({ status, offeredAt, updatedAt }: BoardRow) =>
        filter.adjuster !== undefined && (filter.order === 'latest' || status === 'pending_acceptance')
          ? offeredAt
          : updatedAt;
      const sign = filter.order === 'latest' ? -1 : 1;
      const comesFirst = ({ status }: BoardRow) =>
        Number(filter.order === 'waiting' && status !== 'pending_acceptance');
      const inOrder = [...rows].sort(
        (one, other) =>
          comesFirst(other) - comesFirst(one) || sign * (at(one) - at(other) || (one.id < other.id ? -1 : 1)),
      );
      expect(rows.map(({ id }) => id)).toEqual(inOrder.map(({ id }) => id));
    }),
    { numRuns: 600 },
  );
});

const claimAt = (n: number, state = 'FL'): BoardClaim => ({
  id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}` as ClaimId,
  ...{ environment: 'live', externalId: `X-${n}`, claimNumber: `N-${n}`, status: 'pending_acceptance' },
  ...{ adjuster: ANN, offeredAt: n, respondedAt: null, updatedAt: n, closedAt: null },
  summary: { ...SUMMARY, state },
  steps: NO_STEPS,
});
const LIVE = { environment: 'live', closed: false, order: 'latest' } as const;

const SHARING = { status: 'active', sharing: { clocks: true } };
const ANN_SHARES: Partial<BoardReads> = {
  clocks: async () => ({ ...NO_CLOCKS, rules: [{ contactHours: 1 }] }),
  members: async () => [{ membership: SHARING, adjuster: { svcId: ANN } } as AdjusterView],
};
const contactedAt = (at: number): Partial<BoardClaim> => ({
  ...{ status: 'accepted', respondedAt: HOUR },
  steps: { contact: { at, deviceAt: at, date: null }, inspection: null },
});

test.each<[Partial<BoardFilter>, Partial<BoardClaim>, Partial<BoardClaim>]>([
  [{ order: 'waiting' }, {}, contactedAt(HOUR)],
  [{ adjuster: BEN, order: 'waiting' }, { adjuster: BEN, status: 'rejected' }, { status: 'rejected' }],
  [{ state: 'LA' }, { summary: { ...SUMMARY, state: 'LA' } }, {}],
  [{ carrier: 'other' }, { summary: { ...SUMMARY, state: 'FL', carrier: 'Óther' } }, {}],
  [{ late: true }, { offeredAt: HOUR }, { offeredAt: 3 * HOUR }],
  [{ clockLate: true, closed: true }, { ...contactedAt(3 * HOUR), closedAt: 9 }, contactedAt(3 * HOUR)],
  [{ clockLate: true }, contactedAt(3 * HOUR), contactedAt(2 * HOUR)],
  [{ clockLate: true }, contactedAt(3 * HOUR), { ...contactedAt(3 * HOUR), adjuster: BEN }],
])('of two claims, %p finds the first alone, also with a text or an adjuster', async (filter, ...changes) => {
  const all = changes.map((change, n) => ({ ...claimAt(n + 1), ...change }));
  for (const more of [{}, { text: 'X-' }, { text: 'lee' }, { adjuster: ANN }]) {
    const asked = { ...LIVE, ...more, ...filter };
    const pages = await pagesOf({ ...readsOf(all, 1).reads, ...ANN_SHARES }, asked, 2, { now: 3 * HOUR });
    expect([more, ...pages.flat().map(({ id }) => id)]).toEqual([more, claimAt(1).id]);
  }
});

test('a claim is found by its adjuster in a later piece, also where the first has more of one kind than of the other', async () => {
  const status = (n: number): BoardClaim['status'] => (n % 3 === 2 ? 'unassigned' : 'rejected');
  const adjuster = (n: number) => (n === 4 ? BEN : ANN);
  const all = [1, 2, 3, 4, 5].map((n) => ({ ...claimAt(n), status: status(n), adjuster: adjuster(n) }));
  const named = { svcId: BEN, firstName: 'Ben', lastName: 'Orr' };
  const ben = { membership: SHARING, adjuster: named } as AdjusterView;
  const members: BoardReads['members'] = async (_, svcIds) => (svcIds.includes(BEN) ? [ben] : []);
  const asked = { ...LIVE, order: 'waiting', text: 'orr' } as const;
  expect((await pagesOf({ ...readsOf(all).reads, members }, asked, 1)).flat()).toHaveLength(1);
});

test('only late offers are listed, whenever they were made, and nothing after them is read', async () => {
  const now = 10 * HOUR;
  // The one of 9:00 is written a minute later, after two offers that are not late.
  const offered = [9.5, 8, 1, 9, 3].map((hours, n) => ({
    ...claimAt(n),
    ...{ offeredAt: hours * HOUR, updatedAt: hours * HOUR + (hours === 9 ? MINUTE : 5) },
  }));
  const others = Array.from({ length: 900 }, (_, n) => ({
    ...claimAt(100 + n),
    offeredAt: now,
    updatedAt: now,
  }));
  const before = [1, 2].map((ms) => ({
    ...claimAt(10 + ms),
    ...{ offeredAt: 9 * HOUR + ms, updatedAt: 9 * HOUR + ms },
  }));
  const all = [...offered, ...before, ...others, { ...claimAt(9), status: 'rejected' as const }];
  const { reads, counted } = readsOf(all, 1);
  const late = { ...LIVE, order: 'waiting', status: 'pending_acceptance', late: true } as const;
  for (const limit of [1, 2, 50]) {
    const rows = (await pagesOf(reads, late, limit, { now })).flat();
    expect(rows.map((claim) => [claim.offeredAt / HOUR, claim.late])).toEqual(
      [1, 3, 8, 9].map((hours) => [hours, true]),
    );
  }
  counted.claims = 0;
  await pagesOf(reads, late, 50, { now });
  expect(counted.claims).toBe(51);
  expect((await pagesOf(readsOf(all).reads, late, 50, { now })).flat()).toEqual([]);
  const waiting = { ...late, late: undefined };
  expect((await pagesOf(reads, waiting, 500, { now })).flat()).toHaveLength(all.length - 1);
  expect((await pagesOf(reads, { ...late, order: 'latest' }, 50, { now })).flat()).toHaveLength(4);
});

test('a page reads a bounded number of claims, however many do not match', async () => {
  const all = Array.from({ length: 9000 }, (_, n) => claimAt(n, n === 0 ? 'LA' : 'FL'));
  const { reads, counted } = readsOf(all);
  const list = listOf(reads);
  const page = await list(FIRM, { ...LIVE, state: 'LA' }, { after: null, limit: 50 });
  expect(page.rows).toEqual([]);
  expect(page.next).not.toBeNull();
  expect(counted.claims).toBe(2051);
  // Of claims that match, one more than the page has.
  counted.claims = 0;
  await list(FIRM, LIVE, { after: null, limit: 50 });
  expect(counted.claims).toBe(51);
  expect((await pagesOf(reads, { ...LIVE, state: 'LA' }, 50)).flat()).toHaveLength(1);
  // Also where what waits for another offer has all of them.
  const rejected = all.slice(1, 2001).map((claim) => ({ ...claim, status: 'rejected' as const }));
  const parts = readsOf([...rejected, ...all.slice(2001)]);
  await listOf(parts.reads)(FIRM, { ...LIVE, order: 'waiting', state: 'LA' }, { after: null, limit: 50 });
  expect(parts.counted.claims).toBe(2000);
});

test('a long page reads nothing before its turn, and nothing at all when its client has gone; a short one needs no turn', async () => {
  const all = Array.from({ length: 300 }, (_, n) => claimAt(n));
  const { reads, counted } = readsOf([{ ...claimAt(300), status: 'rejected' }, ...all]);
  const list = listOf(reads);
  const readBefore: number[] = [];
  const hasNoTime = async () => {
    readBefore.push(counted.claims);
    return false;
  };
  const long = await list(FIRM, LIVE, { after: null, limit: 200 }, hasNoTime);
  expect([long.rows.length, readBefore]).toEqual([200, [0]]);
  counted.claims = 0;
  const gone = Promise.reject(new Error('The connection was closed.'));
  await expect(list(FIRM, LIVE, { after: null, limit: 200 }, () => gone)).rejects.toThrow('closed');
  expect(counted.claims).toBe(0);
  for (const order of ['latest', 'waiting'] as const) {
    const { rows } = await list(FIRM, { ...LIVE, order }, { after: null, limit: 50 }, () => gone);
    expect(rows).toHaveLength(50);
  }
});

test('a page ends at its bytes, and the next one begins with the first claim that did not fit', async () => {
  const all = Array.from({ length: 7 }, (_, n) => claimAt(n));
  // 50 of each row: of its summary, with an escape, its ids and its adjuster.
  const pages = await pagesOf(readsOf(all).reads, LIVE, 50, { maxBytes: 100 });
  expect(pages.map((page) => page.length)).toEqual([2, 2, 2, 1]);
  expect(await pagesOf(readsOf(all).reads, LIVE, 50, { maxBytes: 99 })).toHaveLength(7);
  expect(pages.flat().map(({ updatedAt }) => updatedAt)).toEqual([6, 5, 4, 3, 2, 1, 0]);
});

/** Two claims with what the board searches, and who they are offered to. */
async function searched() {
  const { memory, newFirm, newMember, newAdjuster, invite, use } = memoryFixture();
  const firm = await newFirm();
  const { svcId } = await newAdjuster({ firstName: 'Odalys', lastName: 'Muñiz' });
  await invite(firm, svcId);
  await use.acceptInvitation({ svcId }, firm.id);
  const summary = { name: 'Zoë Peña', street: '31 Dune Rd', city: 'Westerly' };
  const one: BoardClaim = {
    ...{ ...claimAt(1), externalId: 'A-0044-17', claimNumber: 'N-A', adjuster: svcId },
    summary: {
      ...{ ...summary, state: 'FL', zip: '33931', carrier: 'Bayou  State' },
      ...{ phone: '(352) 555-0142 ext. 7', policyNumber: 'RL00-8812' },
    },
  };
  const two: BoardClaim = {
    ...{ ...claimAt(2), externalId: 'B-009900', claimNumber: 'N-B', adjuster: await newMember(firm) },
    summary: {
      ...{ ...summary, state: 'LA', zip: '70112', carrier: 'Bayou' },
      ...{ phone: '+1 985 555 0188', policyNumber: '8704421973' },
    },
  };
  const { reads } = readsOf([one, two], 4);
  const list = listOf({ ...reads, members: (_, svcIds) => memory.boardReads.members(firm.id, svcIds) });
  const find = async (filter: Partial<BoardFilter>) =>
    (await list(FIRM, { ...LIVE, ...filter }, { after: null, limit: 50 })).rows;
  return { firm, use, svcId, one, two, find };
}

test('claims are found by words of name and place, the start of ids, the end of numbers, the phone, the state and the adjuster', async () => {
  const { firm, use, svcId, one, two, find } = await searched();
  const search = async (text: string) => (await find({ text })).map(({ id }) => id).toSorted();
  const expected: readonly [found: string[], texts: string[]][] = [
    [
      [one.id],
      ['4417', '0044-17', 'a-0044-17', 'A-00', 'N-A', '(352)', '3525550142', '352.555/0142', '0142'],
    ],
    [[one.id], ['1-352-555-0142', '1(352)555-0142', '+13525550142', 'rl00-8812', '8812', '00-88', '008812']],
    [
      [one.id],
      [
        '33931',
        '339',
        'odalys muniz',
        'MUÑIZ',
        svcId,
        'peña\t33931',
        'zoë 0142',
        'fl pena',
        '014',
        '-A',
        '352555014',
      ],
    ],
    [[two.id], ['9855550188', '0188', '8704421973', '1973', '442', '701', two.adjuster, 'la dune', '9900']],
    [
      [one.id, two.id],
      [' dune  PENA ', '555', 'N-', 'westerly 31', 'zo'],
    ],
    [
      [],
      ['0143', '99312', 'odalys 0188', '42 ext', '044-1', 'n-', '3931', 'f', '52', '50', 'x0142', '%', ' '],
    ],
    [[], ['113525550142', 'a-0044', '0090', '1555', 'bayou', 'peña 0142 la']],
  ];
  const found = [];
  for (const [, texts] of expected) found.push([await Promise.all(texts.map(search)), texts]);
  expect(found).toEqual(expected.map(([ids, texts]) => [texts.map(() => ids), texts]));
  // Of those who left, the firm sees the SVCID alone.
  await use.leaveFirm({ svcId }, firm.id);
  expect([await search('odalys'), await search(svcId)]).toEqual([[], [one.id]]);
});

test('a row has what the board shows of its claim, with the name of the adjuster while they are a member', async () => {
  const { firm, use, svcId, one, two, find } = await searched();
  const { steps: _, ...claim } = one;
  const row = { ...claim, waitingSince: 1, late: true, clocks: null };
  for (const adjusterName of ['Odalys Muñiz', null]) {
    expect(await find({ carrier: 'bayou state ' })).toEqual([{ ...row, adjusterName }]);
    await use.leaveFirm({ svcId }, firm.id).catch(() => {});
  }
  const idsOf = async (filter: Partial<BoardFilter>) => (await find(filter)).map(({ id }) => id);
  expect([await idsOf({ carrier: 'ou  st' }), await idsOf({ carrier: 'BAYOU' })]).toEqual([
    [one.id],
    [two.id, one.id],
  ]);
});

test('clocks are seen of accepted claims alone, and of active members who share just these', async () => {
  const people = [['active', true] as const, ['active', false], ['left', true]] as const;
  const members = people.map(([status, clocks], n) => ({
    membership: { status, sharing: { clocks, credentials: !clocks, workArea: !clocks } },
    adjuster: { svcId: `ad_${n}`, firstName: 'Ann', lastName: 'Lee' },
  })) as object[] as AdjusterView[];
  const of = (n: number, status: AssignmentStatus) => ({ adjuster: `ad_${n}` as Svcid, status });
  const all = [...[0, 1, 2, 3].map((n) => of(n, 'accepted')), ...STATUSES.map((status) => of(0, status))];
  const claims = all.map((changes, n) => ({ ...claimAt(n), ...changes, respondedAt: 1 }));
  const [rows = []] = await pagesOf({ ...readsOf(claims).reads, members: async () => members }, LIVE, 100);
  const seen = rows.filter(({ clocks }) => clocks !== null).map(({ id }) => id);
  expect(seen).toEqual([claimAt(5).id, claimAt(0).id]);
});

test('claims whose ids start with a text come first in their order, each once, unless there are too many of them', async () => {
  // One is found by both of its ids.
  const all = Array.from({ length: 60 }, (_, n) => ({ ...claimAt(n), claimNumber: n === 0 ? 'X-0' : 'N' }));
  /** Found by a word of the name. */
  const named = (n: number, status: AssignmentStatus = 'pending_acceptance'): BoardClaim => {
    const { summary, ...claim } = claimAt(n);
    return { ...claim, status, externalId: 'Y', summary: { ...summary, name: 'X-Lee' } };
  };
  const others = [-3, -2, 99].map((n) => named(n));
  const asked: unknown[] = [];
  const listed = async (count: number, limit: number) => {
    const { reads } = readsOf([...others, ...all.slice(0, count)]);
    const claimsByIdPrefix: BoardReads['claimsByIdPrefix'] = (...query) => {
      asked.push(query);
      return reads.claimsByIdPrefix(...query);
    };
    const pages = await pagesOf({ ...reads, claimsByIdPrefix }, { ...LIVE, text: 'X-' }, limit);
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(limit);
    return pages.flat().map(({ updatedAt }) => updatedAt);
  };
  for (const [count, limit] of [
    [50, 52],
    [51, 100],
    [60, 7],
    [7, 7],
  ] as const) {
    const ids = Array.from({ length: count }, (_, n) => count - 1 - n);
    const first = count <= Math.min(limit, 50) ? [...ids, 99] : [99, ...ids];
    expect(await listed(count, limit)).toEqual([...first, -2, -3]);
  }
  expect(asked).toEqual([51, 51, 8, 8].map((count) => [FIRM, 'live', 'X-', count]));
  // A page ends among the ids, among what waits for another offer, and among what waits for an answer.
  const waiting = [claimAt(9), named(1, 'rejected'), named(2, 'rejected'), named(3), named(4), named(5)];
  const pages = await pagesOf(readsOf(waiting).reads, { ...LIVE, order: 'waiting', text: 'X-' }, 2);
  expect(pages.map((page) => page.map(({ updatedAt }) => updatedAt))).toEqual([
    [9, 1],
    [2, 3],
    [4, 5],
  ]);
});

test.each([
  [null, { offeredUntil: 0, updatedUntil: MINUTE }],
  [1, { offeredUntil: 2 * HOUR, updatedUntil: 2 * HOUR + MINUTE }],
  [4, { offeredUntil: 0, updatedUntil: MINUTE }],
])(
  'claims that wait are counted; with a wait of %p hours, offers are late if they were made until %p',
  async (hours, until) => {
    const asked: unknown[] = [];
    let counts = { pending: 4, late: 3, rejected: 2, unassigned: 1 };
    const { reads } = readsOf([], hours);
    const count = makeCountBoard({
      boardReads: {
        ...reads,
        async counts(...query) {
          asked.push(query);
          return counts;
        },
      },
      clock: createFixedClock(3 * HOUR),
    });
    expect(await count(FIRM, 'test')).toEqual({ waiting: 7, late: 3, rejected: 2, unassigned: 1 });
    expect(asked).toEqual([[FIRM, 'test', until]]);
    counts = { ...counts, pending: MAX_COUNTED_CLAIMS - 2 };
    expect((await count(FIRM, 'test')).waiting).toBe(MAX_COUNTED_CLAIMS);
  },
);

test.each<[AssignmentStatus, number | null, number | null]>([
  ['pending_acceptance', null, 1],
  ['rejected', null, 2],
  ['unassigned', null, 3],
  ['accepted', null, null],
  ['pending_acceptance', 4, null],
  ['rejected', 4, null],
])('a claim that is %s and closed at %p waits since %p', (status, closedAt, since) => {
  expect(waitingSince({ status, closedAt, offeredAt: 1, respondedAt: 2, updatedAt: 3 })).toBe(since);
});

test('an open offer is late from the hour on that the firm has set, and never without one', () => {
  const offer = { status: 'pending_acceptance', offeredAt: DAY, closedAt: null } as const;
  expect(isLate(offer, 2, DAY + 2 * HOUR)).toBe(true);
  expect(isLate(offer, 2, DAY + 2 * HOUR - 1)).toBe(false);
  expect(isLate(offer, null, DAY + 99 * HOUR)).toBe(false);
  expect(isLate({ ...offer, closedAt: DAY }, 2, DAY + 3 * HOUR)).toBe(false);
  expect(isLate({ ...offer, status: 'rejected' }, 2, DAY + 3 * HOUR)).toBe(false);
});
