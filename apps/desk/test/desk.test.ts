import { describe, expect, test } from '@jest/globals';
import { EXAMPLES, LIMITS } from '@svc/contract';
import { ApiError, NetworkError } from '@svc/web-app/api-error';
import type { RequestParts } from '@svc/web-app/endpoints';
import type { EventHandlers } from '@svc/web-app/event-stream';
import { workbookOf } from '../../../packages/csv-import/test/workbook-file.ts';
import { after, fakeTime, settled } from '../../adjuster/test/fake-time.ts';
import { createDesk } from '../src/create-desk.ts';
import type {
  ApiKey,
  BoardAdjuster,
  BoardClaim,
  Call,
  CallId,
  Delivery,
  ImportBody,
  OwnStaff,
  SpreadBody,
} from '../src/endpoints.ts';
import { createDeskNavigation } from '../src/navigation.ts';
import { startOfDay, verifiedPeriod } from '../src/periods.ts';
import { VIEWS } from '../src/state/board.ts';
import { ruleOf, type TypedRule, typedRule } from '../src/state/clock-rules.ts';
import { healthOf } from '../src/state/deliveries.ts';
import { createInvitations, needsCorrection } from '../src/state/invitations.ts';
import { isKeyOver, makersOf } from '../src/state/keys.ts';
import {
  ACT_KINDS,
  type Act,
  byWork,
  CAN,
  type CandidateOrder,
  candidates,
  displayName,
  outcomeOf,
  outcomeText,
} from '../src/state/offers.ts';
import { proposeOffers } from '../src/state/spread.ts';
import { type ChosenFile, createUpload } from '../src/state/upload.ts';
import { en, type Texts } from '../src/texts/en.ts';
import { es } from '../src/texts/es.ts';
import { adjuster, boardClaim, DISPATCHER } from './claims.ts';

fakeTime();

const browser = (hash = '') => {
  const location = { hash };
  const replaceState = (_: unknown, __: string, hash = location.hash): void => {
    location.hash = String(hash);
  };
  const history = { scrollRestoration: 'auto' as const, state: 0, replaceState, go: () => {} };
  return { location, history, scrollY: 0, addEventListener: () => {} };
};

const keptIn = (kept: Record<string, string>) => ({
  read: (key: string) => kept[key],
  write: (key: string, text: string) => void Object.assign(kept, { [key]: text }),
});

/** A service, and a desk that is open in a browser. */
async function opened(
  /** With what the tab and the browser keep. */
  given: Partial<Record<'drafts' | 'choices', Record<string, string>>> &
    Partial<{ profile: OwnStaff | Error; claims: BoardClaim[]; isHidden: boolean; hash: string }> = {},
) {
  const state = {
    profile: given.profile ?? DISPATCHER,
    claims: given.claims ?? [],
    adjusters: [] as BoardAdjuster[],
    /** What a reading of a list meets. */
    listing: undefined as Error | undefined,
    visible: given.isHidden !== true,
    /** Whether events arrive. */
    alive: true,
    random: 0,
    drafts: { ...given.drafts },
    choices: { ...given.choices },
    /** How often other tabs were told of another firm. */
    told: 0,
    /** What calls meet, in turn; then they succeed. */
    meets: {} as Partial<Record<CallId, unknown[]>>,
  };
  const calls: { readonly id: CallId; readonly parts: RequestParts }[] = [];
  const responses: Partial<Record<CallId, (parts: RequestParts) => unknown>> = {
    getOwnStaff: () => state.profile,
    listBoardAdjusters: () => ({ data: state.adjusters, next_cursor: null }),
    listBoardClaims({ query }) {
      const start = Number(query?.cursor ?? 0);
      const end = start + 100;
      const data = state.claims.slice(start, end);
      const counts = { waiting: state.claims.length, late: 0, rejected: 0, unassigned: 0 };
      const next_cursor = end < state.claims.length ? String(end) : null;
      return { data, next_cursor, ...(start === 0 && { counts }) };
    },
    offerBoardClaim: ({ body }) => ({ assignment: { adjuster_svc_id: Object(body).adjuster_svc_id } }),
  };
  const call = (async (id: CallId, parts: RequestParts = {}) => {
    calls.push({ id, parts });
    await Promise.resolve();
    if (id === 'closeSession' || id === 'closeAllSessions')
      state.profile = new ApiError(401, 'invalid_session');
    const met = await (state.meets[id]?.shift() ??
      (id.startsWith('list') ? state.listing : undefined) ??
      responses[id]?.(parts) ?? { data: [], next_cursor: null });
    if (met instanceof Error) throw met;
    return met;
  }) as Call;
  const events: Partial<EventHandlers> = {};
  const streams: string[] = [];
  let shown = (): void => {};
  const navigation = createDeskNavigation(browser(given.hash));
  const desk = createDesk({
    api: { call, now: Date.now, isTimeKnown: () => true },
    choices: keptIn(state.choices),
    drafts: keptIn(state.drafts),
    deviceLanguage: () => 'en',
    navigation,
    openEvents(handlers) {
      Object.assign(events, handlers);
      return {
        open: () => void streams.push('open'),
        close: () => void streams.push('close'),
        isAlive: () => state.alive,
      };
    },
    page: {
      isVisible: () => state.visible,
      onVisibility: (listener) => {
        shown = listener;
      },
    },
    onFirmChanged: () => {
      state.told += 1;
    },
    random: () => state.random,
  });
  await desk.start();
  await settled();
  const sent = (id: CallId) => calls.filter((one) => one.id === id).map(({ parts }) => parts);
  const keys = () => sent('offerBoardClaim').map(({ headers }) => headers?.['Idempotency-Key']);
  const seen = () => sent('offerBoardClaim').map(({ body }) => Object(body).updated_at);
  const reads = () => sent('listBoardClaims').length;
  return { desk, navigation, state, events, streams, sent, keys, seen, reads, shown: () => shown() };
}

const rowsOf = ({ board }: ReturnType<typeof createDesk>) => board.list.rows.value?.map(({ id }) => id);
const messageOf = ({ toasts }: ReturnType<typeof createDesk>) => {
  const { kind, lines = [] } = toasts.toast.value ?? {};
  return [kind, ...lines.map((line) => (typeof line === 'string' ? line : line()))];
};

describe('offers', () => {
  const claim = boardClaim();
  const [one, other] = [adjuster('SVC-1'), adjuster('SVC-2')];

  test('keep their key when they are sent again, in another page, too; another adjuster or a changed claim has another one', async () => {
    const { desk, state, keys } = await opened();
    state.meets.offerBoardClaim = [new NetworkError('timeout')];
    await desk.offers.offer([claim], one);
    expect(desk.offers.acts.value).toMatchObject([{ state: 'unknown' }]);
    await desk.offers.retry();
    const again = await opened();
    await again.desk.offers.offer([claim], one);
    expect(new Set([...keys(), ...again.keys()]).size).toBe(1);
    expect(desk.offers.acts.value).toMatchObject([{ state: 'done' }]);
    await desk.offers.offer([claim], other);
    await desk.offers.offer([{ ...claim, updated_at: '2026-08-30T00:00:00.000Z' }], one);
    expect(new Set(keys()).size).toBe(3);
  });

  test('say which claim was seen, also when they are sent again, and that it has changed', async () => {
    const { desk, state, seen } = await opened();
    const detail =
      'The claim has changed since it was read: Priya Nair offered it to Jean Delacroix (SVC-9).';
    const claims = [claim, boardClaim(), boardClaim({ updated_at: '2026-08-30T00:00:00.000Z' })];
    state.meets.offerBoardClaim = [
      new NetworkError('timeout'),
      new ApiError(409, 'claim_changed', [], detail),
    ];
    await desk.offers.offer(claims, one);
    expect(desk.offers.acts.value.map((act) => outcomeText(act, en))).toEqual([
      en.offer.unknown,
      detail,
      en.offer.done.offer('SVC-1'),
    ]);
    const refused: Act = { ...Object(desk.offers.acts.value[1]), claim };
    expect(outcomeText(refused, es)).toMatch(/^La reclamación cambió .* Jean Delacroix \(SVC-9\)\.$/);
    expect(outcomeText({ ...refused, code: 'of_a_later_release' }, en)).toBe('of_a_later_release');
    expect(outcomeText({ ...refused, state: 'sending' }, en)).toBe(en.offer.sending);
    // It was made, and then somebody offered the claim to another adjuster.
    state.meets.offerBoardClaim = [Promise.resolve({ assignment: { adjuster_svc_id: 'SVC-9' } })];
    await desk.offers.retry();
    expect(outcomeText(Object(desk.offers.acts.value[0]), en)).toBe(en.refusals.claim_changed);
    expect(seen()).toEqual([...claims, claim].map(({ updated_at }) => updated_at));
  });

  test('that are withdrawn can be made again, a withdrawal whose response was lost was done, and a claim is closed for a reason', async () => {
    const { desk, state, seen, sent } = await opened();
    const changed = { updated_at: '2026-08-30T00:00:00.000Z', assignment: { status: 'unassigned' } };
    const claims = ['A', 'B', null].map((adjuster_name) =>
      boardClaim({ adjuster_svc_id: `SVC-${adjuster_name}`, adjuster_name }),
    );
    const [lost, , accepted] = claims as [BoardClaim, BoardClaim, BoardClaim];
    const notPending = new ApiError(409, 'offer_not_pending');
    state.meets.withdrawBoardOffer = [
      new NetworkError('timeout'),
      changed,
      new ApiError(409, 'claim_already_accepted'),
    ];
    await desk.offers.end('withdraw', claims, '');
    expect(messageOf(desk)).toEqual([
      'error',
      '1 of 3 withdrawn from A, B, SVC-null',
      `${lost.claim_number}: ${en.offer.unknown}`,
      `${accepted.claim_number}: ${en.refusals.claim_already_accepted}`,
    ]);
    state.meets.withdrawBoardOffer = [notPending];
    state.meets.getBoardClaim = [{ claim: changed, history: [{ outcome: 'withdrawn' }] }];
    const closing = boardClaim({ adjuster_name: 'D' });
    state.meets.closeBoardClaim = [new NetworkError('timeout')];
    await desk.offers.end('close', [closing], 'Sent twice.');
    await desk.offers.retry();
    expect(messageOf(desk)).toEqual(['success', '1 of 1 closed']);
    const parts = ({ id, updated_at }: BoardClaim, why: object = {}) => ({
      ...{ params: { id }, body: { updated_at, ...why } },
    });
    expect(sent('closeBoardClaim')).toEqual(Array(2).fill(parts(closing, { reason: 'Sent twice.' })));
    expect(sent('withdrawBoardOffer')).toEqual([...claims, lost].map((each) => parts(each)));
    expect(sent('getBoardClaim')).toEqual([{ params: { id: lost.id } }]);
    expect(desk.offers.acts.value.map((act) => act.state)).toEqual(['done', 'done', 'refused', 'done']);
    await desk.offers.undo();
    expect(desk.offers.acts.value.map((act) => outcomeText(act, en))).toEqual([
      en.refusals.claim_already_accepted,
      en.offer.done.close(''),
      en.offer.done.offer('A'),
      en.offer.done.offer('B'),
    ]);
    // As they are after the withdrawal.
    expect(seen()).toEqual([changed.updated_at, changed.updated_at]);
    expect(desk.offers.acts.value.map((act) => act.claim.status)).toEqual([
      ...['pending_acceptance', 'pending_acceptance', 'unassigned', 'unassigned'],
    ]);
    state.meets.withdrawBoardOffer = [notPending];
    const history = [{ outcome: 'rejected' }, { outcome: 'withdrawn' }];
    state.meets.getBoardClaim = [{ claim: changed, history }];
    await desk.offers.end('withdraw', [boardClaim()], '');
    expect(outcomeText(Object(desk.offers.acts.value.at(-1)), en)).toBe(en.refusals.offer_not_pending);
    const detail = 'The claim has changed since it was read: Priya Nair closed it.';
    state.meets.withdrawBoardOffer = [new ApiError(409, 'claim_changed', [], detail)];
    state.meets.closeBoardClaim = [new ApiError(409, 'claim_changed', [], detail)];
    for (const kind of ['withdraw', 'close'] as const) {
      await desk.offers.end(kind, [boardClaim()], '');
      expect(messageOf(desk)[2]).toContain(detail);
    }
  });

  test('of many claims have an outcome each, which a message says, and only those of unknown outcome are sent again', async () => {
    const { desk, state, keys } = await opened();
    const claims = Array.from({ length: 6 }, (_, index) => boardClaim({ claim_number: `FL-${index}` }));
    state.meets.offerBoardClaim = [
      new ApiError(409, 'adjuster_not_accepting'),
      new NetworkError('connection'),
    ];
    state.listing = new NetworkError('connection');
    await desk.offers.offer(claims, one);
    await settled();
    const outcomes = () => desk.offers.acts.value.map((act) => act.state);
    expect(outcomes()).toEqual(['refused', 'unknown', 'done', 'done', 'done', 'done']);
    expect(messageOf(desk)).toEqual([
      'error',
      '4 of 6 offered to SVC-1',
      `${claims[0]?.claim_number}: ${en.refusals.adjuster_not_accepting}`,
      `${claims[1]?.claim_number}: ${en.offer.unknown}`,
    ]);
    await Promise.all([desk.offers.retry(), desk.offers.retry()]);
    expect(messageOf(desk)).toEqual(['success', '1 of 1 offered to SVC-1']);
    expect(outcomes()).toEqual(['refused', 'done', 'done', 'done', 'done', 'done']);
    expect(keys()).toHaveLength(7);
    const [refused, ...done] = desk.offers.acts.value as [Act, ...Act[]];
    const lastLine = (count: number) =>
      outcomeOf([...Array<Act>(count).fill(refused), ...done], en).lines.at(-1);
    expect([lastLine(5), lastLine(7)]).toEqual([expect.stringMatching(/^FL-0: /), '+2']);
    const named = (count: number) =>
      outcomeOf(
        Array.from({ length: count }, (_, n) => ({ ...(done[0] as Act), adjuster: adjuster(`S${n}`) })),
        en,
      ).lines[0];
    expect([named(5), named(6)]).toEqual([
      '5 of 5 offered to S0, S1, S2, S3, S4',
      `6 of 6 offered to ${en.spread.adjusters(6)}`,
    ]);
  });

  test('go to active adjusters, those who take offers first, in the order that was chosen, and who rejected the claim last', () => {
    const all = [
      adjuster('SVC-invited', { status: 'pending' }),
      adjuster('SVC-rejected', { name: 'Abe', distance: 0, median_answer_seconds: 1 }),
      adjuster('SVC-paused', { name: 'Abby', distance: 1, accepting_assignments: false }),
      adjuster('SVC-unknown', { name: 'Bea', distance: null, median_answer_seconds: 0, open_claims: 3 }),
      adjuster('SVC-near', { name: 'Cal', distance: 0, median_answer_seconds: null, open_offers: 2 }),
      adjuster('SVC-far', { name: 'Ana', distance: 90, median_answer_seconds: 60, open_claims: 1 }),
    ];
    const found = (order: CandidateOrder, typed = '') =>
      candidates(all, typed, (svcId) => svcId === 'SVC-rejected', order).map(({ svc_id }) => svc_id.slice(4));
    expect(found('work')).toEqual(['far', 'near', 'unknown', 'paused', 'rejected']);
    expect(found('distance')).toEqual(['near', 'far', 'unknown', 'paused', 'rejected']);
    expect(found('answer')).toEqual(['unknown', 'far', 'near', 'paused', 'rejected']);
    expect(found('name')).toEqual(['far', 'unknown', 'near', 'paused', 'rejected']);
    expect(found('work', 'svc-f ana')).toEqual(['far']);
    const [email, invited, none] = ['x@example.com', null, null];
    const busy = adjuster('SVC-busy', { name: null, invited_as: 'Dee', email, open_offers: 4 });
    const free = adjuster('SVC-free', { name: invited, invited_as: none, open_offers: 1, open_claims: 1 });
    const noClaims = adjuster('SVC-barred', { can_accept_claims: false });
    const more = [busy, noClaims, free];
    expect(candidates(more, '').map(displayName)).toEqual(['SVC-free', 'Dee', 'SVC-barred']);
    expect([noClaims, busy].toSorted(byWork)).toEqual([busy, noClaims]);
    expect(candidates(more, 'DEE x@').map(displayName)).toEqual(['Dee']);
  });

  test('of a plan go on in a page that was loaded again, as they were seen, and the plan ends once each has an outcome', async () => {
    const first = await opened();
    const claims = [boardClaim(), boardClaim({ updated_at: '2026-08-30T00:00:00.000Z' })];
    const planned = claims.map((each, n) => ({
      ...{ id: each.id, claim: each, adjuster_svc_id: `SVC-${n + 1}`, distance: 3, warnings: [] },
    }));
    const made = claims.map((each, n) => ({ claim: each, adjuster: n === 0 ? one : other }));
    first.desk.offers.draft.value = { kind: 'offer', from: 'spread', ids: [], typed: '', plan: planned };
    first.state.meets.offerBoardClaim = [new NetworkError('timeout'), new Promise(() => {})];
    void first.desk.offers.offerPlan(made);
    await settled();
    const again = await opened({ drafts: first.state.drafts });
    first.desk.offers.dismiss();
    expect(first.desk.offers.draft.value).toBeUndefined();
    expect(again.desk.offers.draft.value?.plan).toEqual(planned);
    expect(again.desk.offers.isPlanStarted.value).toBe(false);
    again.state.meets.offerBoardClaim = [new NetworkError('timeout'), new ApiError(409, 'claim_changed')];
    await again.desk.offers.offerPlan(made);
    expect([again.desk.offers.isPlanStarted.value, again.desk.offers.draft.value?.plan]).toEqual([
      ...[true, planned],
    ]);
    await again.desk.offers.retry();
    expect(again.desk.offers.draft.value).toBeUndefined();
    expect(again.desk.offers.acts.value.map(({ state }) => state)).toEqual(['done', 'refused']);
    expect(again.keys().slice(0, 2)).toEqual(first.keys());
    expect(again.seen()).toEqual([...first.seen(), claims[0]?.updated_at]);
  });

  test('go to adjusters of the environment, and what is known of another one is forgotten', async () => {
    const { desk, state, sent, streams } = await opened({ claims: [claim] });
    const tester = adjuster('SVC-test', { test: true });
    state.adjusters = [one, tester];
    await desk.readAdjusters();
    state.meets.listBoardAdjusters = [new NetworkError('timeout')];
    // What is known is shown when it cannot be read again.
    await desk.readAdjusters();
    expect([desk.adjusters.rows.value, messageOf(desk)]).toEqual([[one], ['error', en.network.needed]]);
    desk.board.toggle(claim.id);
    desk.offers.prepare('board', [claim]);
    desk.chooseEnvironment('test');
    expect([desk.adjusters.rows.value, desk.board.selected.value.size, desk.offers.draft.value]).toEqual([
      ...[undefined, 0, undefined],
    ]);
    expect(streams).toEqual(['open', 'close', 'open']);
    await desk.readAdjusters();
    expect(desk.adjusters.rows.value).toEqual([tester]);
    const offered = [boardClaim({ test: true }), boardClaim()];
    for (const each of offered) await desk.offers.offer([each], one);
    expect(sent('offerBoardClaim')).toEqual(
      offered.map(({ id, test, updated_at }) => ({
        ...{ params: { id }, query: { environment: test ? 'test' : 'live' } },
        headers: { 'Idempotency-Key': expect.stringContaining(id) },
        body: { adjuster_svc_id: 'SVC-1', updated_at },
      })),
    );
    // Of the environment of the claim, whatever is shown.
    state.meets.listBoardAdjusters = [
      { data: [one], next_cursor: 'more' },
      { data: [tester], next_cursor: null },
    ];
    expect([...(await desk.readCandidates({ id: 'c1', test: false })).values()]).toEqual([one, tester]);
    desk.chooseEnvironment('live');
    await desk.readCandidates({ id: 'c2', test: true });
    // Those of the list, too, are of all pages, once each.
    state.meets.listBoardAdjusters = [
      { data: [one], next_cursor: 'p2' },
      { data: [one, other], next_cursor: null },
    ];
    await desk.readAdjusters();
    await desk.adjusters.more();
    expect(desk.adjusters.rows.value).toEqual([one, other]);
    const [live, test] = ['live', 'test'].map((environment) => ({ environment, limit: 200 }));
    const asked = [live, live, test, { ...live, for_claim: 'c1' }];
    expect(sent('listBoardAdjusters').map(({ query }) => query)).toEqual([
      ...[...asked, { ...live, for_claim: 'c1', cursor: 'more' }, { ...test, for_claim: 'c2' }],
      ...[live, { ...live, cursor: 'p2' }],
    ]);
  });

  test('are four at a time, none of a claim with which something is under way, and the board is read when all have an outcome', async () => {
    const { desk, state, sent, reads } = await opened();
    const waiting: ((met: unknown) => void)[] = [];
    state.meets.offerBoardClaim = Array.from(
      { length: 5 },
      () => new Promise((resolve) => waiting.push(resolve)),
    );
    const claims = Array.from({ length: 5 }, () => boardClaim());
    await desk.offers.offer([], one);
    expect(messageOf(desk)).toEqual([undefined]);
    const offering = desk.offers.offer(claims, one);
    await settled();
    expect(messageOf(desk)).toEqual(['neutral', en.offer.sending]);
    await desk.offers.end('close', [...claims.slice(0, 1), boardClaim()], '');
    const ended = sent('closeBoardClaim').map(({ body }) => Object.keys(Object(body)));
    expect([sent('offerBoardClaim').length, ended]).toEqual([4, [['updated_at']]]);
    desk.offers.prepare('claim', claims.slice(0, 1), 'close');
    desk.offers.dismiss();
    expect(desk.offers.acts.value.map((act) => act.state)).toEqual(Array(5).fill('sending'));
    expect(desk.offers.draft.value?.ids).toEqual([claims[0]?.id]);
    const before = [reads(), desk.changes.value];
    for (const respond of waiting) respond({ assignment: { adjuster_svc_id: 'SVC-1' } });
    await offering;
    await settled();
    expect([reads(), desk.changes.value]).toEqual(before.map((count) => count + 1));
    desk.offers.dismiss();
    expect(desk.offers.acts.value).toEqual([]);
  });

  test('are possible with claims that are not accepted, and nothing is with a closed one', () => {
    const statuses = ['pending_acceptance', 'rejected', 'unassigned', 'accepted'];
    const possible = (closed_at: string | null) =>
      ACT_KINDS.map((kind) => statuses.filter((status) => CAN[kind]({ status, closed_at })));
    expect(possible(null)).toEqual([statuses.slice(0, 3), statuses.slice(0, 1), statuses]);
    expect(possible('2026-08-30T00:00:00.000Z')).toEqual([[], [], []]);
  });

  test('that are spread are asked for in parts, each with what those before it gave', async () => {
    const items = Array.from({ length: LIMITS.spreadClaims + 1 }, (_, n) => ({
      ...{ id: `c${n}`, label: 'Ana', zip: '', state: 'FL', form_type: n === 0 ? 'dwelling' : 'a later one' },
      rejected_by: n === 0 ? 'b' : undefined,
    }));
    const bodies: SpreadBody[] = [];
    const offers = await proposeOffers(
      async (body) => {
        bodies.push(body);
        return {
          offers: body.claims.map(({ id }) => ({ id, adjuster_svc_id: 'b', distance: null, warnings: [] })),
        };
      },
      items,
      ['a', 'b'],
    );
    expect(offers.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
    const given = (count: number) => [
      { svc_id: 'a', given: 0 },
      { svc_id: 'b', given: count },
    ];
    expect(bodies.map(({ adjusters }) => adjusters)).toEqual([given(0), given(LIMITS.spreadClaims)]);
    expect(bodies.map(({ claims: [first] }) => first)).toEqual([
      { id: 'c0', zip: '', state: 'FL', form_type: 'dwelling', rejected_by: 'b' },
      { id: `c${LIMITS.spreadClaims}`, zip: '', state: 'FL', form_type: undefined },
    ]);
  });
});

const REASON = 'Must be a number, such as 250000 or 1234.56.';
test.each([
  [
    'validation_failed',
    new ApiError(422, 'validation_failed', [], REASON),
    ({ refusals, ofService }: Texts) => `${refusals.validation_failed} ${ofService(REASON)}`,
  ],
  ['a refusal', new ApiError(409, 'claim_closed', [], 'No.'), ({ refusals }: Texts) => refusals.claim_closed],
  ['an unknown code', new ApiError(409, 'of_a_later_release', [], 'No.'), () => 'of_a_later_release'],
  ['the end of the session', new ApiError(401, 'invalid_session'), () => undefined],
  ['a failure', new NetworkError('service'), ({ network }: Texts) => network.failed],
])(
  '%s is said in words of the page, and a failure of what is read again by itself is not',
  async (_, error, saidIn) => {
    const { desk } = await opened();
    desk.showRefusal(error);
    expect(messageOf(desk)[1]).toBe(error instanceof NetworkError ? undefined : saidIn(en));
    desk.showError(error);
    expect(messageOf(desk)[1]).toBe(saidIn(en));
    desk.language.choose('es');
    await settled();
    expect(messageOf(desk)[1]).toBe(saidIn(es));
  },
);

test('a claim is shown with its own data, and one that is read late does not change the data of another screen', async () => {
  const { desk, navigation, state, sent } = await opened();
  const shown: string[] = [];
  for (const [hash, test] of [
    ['#/claims/c2', true],
    ['#/', true],
    ['#/claims/c1', true],
    ['#/', false],
    ['#/claims/c1', false],
  ] as const) {
    state.meets.getBoardClaim = [{ claim: { test } }];
    navigation.go('#/claims/c1');
    const reading = desk.readClaim('c1');
    navigation.go(hash);
    expect(await reading).toEqual({ claim: { test } });
    shown.push(desk.environment.value);
  }
  expect(shown).toEqual(['live', 'live', 'test', 'test', 'live']);
  state.meets.getBoardReceipt = [{ receipt: 'a.b.c' }];
  expect(await desk.readReceipt('c2')).toBe('a.b.c');
  expect([sent('getBoardClaim')[0], ...sent('getBoardReceipt')]).toEqual(
    ['c1', 'c2'].map((id) => ({ params: { id } })),
  );
});

test.each([
  ['', { screen: 'board' }],
  ['#/claims/c1?view=late', { screen: 'claim', id: 'c1' }],
  ['#/claims/', { screen: 'board' }],
  ['#/requests/r1', { screen: 'requests', id: 'r1' }],
  ['#/requests?code=a/b', { screen: 'requests' }],
  ['#/readiness/2026-08-29T14:00:00.000Z', { screen: 'readiness', id: '2026-08-29T14:00:00.000Z' }],
  ['#/toString', { screen: 'board' }],
])('the address %s leads to %j, and a list takes back the focus from a claim', (hash, route) => {
  const navigation = createDeskNavigation(browser());
  navigation.go(hash);
  expect(navigation.route.value).toEqual(route);
  navigation.go('#/other');
  const left = hash.startsWith('#/claims/') ? hash.replace('?view=late', '') : undefined;
  expect(navigation.returnItem()).toBe(left);
});

test('the address of the board and of a claim keeps the filters, and that of another screen is as it is', async () => {
  const { desk, navigation, reads } = await opened();
  const seen: unknown[] = [];
  const long = 'x'.repeat(LIMITS.companyName.max);
  for (const hash of [
    ...['#/?view=late&state=FL', '#/claims/c1', '#/requests?code=x', '#/claims/c2?view=late&state=FL'],
    ...[`#/?carrier=${long}y`, '#/'],
  ]) {
    navigation.go(hash);
    await after(0);
    const { view, state, carrier } = desk.board.filters.value;
    seen.push([navigation.currentHash.value, view, state, carrier, reads()]);
  }
  const [late, gulf] = [
    ['late', 'FL', '', 2],
    ['waiting', '', long, 3],
  ];
  expect(seen).toEqual([
    ['#/?view=late&state=FL', ...late],
    ['#/claims/c1?view=late&state=FL', ...late],
    ['#/requests?code=x', ...late],
    ['#/claims/c2?view=late&state=FL', ...late],
    [`#/?carrier=${long}`, ...gulf],
    [`#/?carrier=${long}`, ...gulf],
  ]);
  const again = await opened({ hash: '#/claims/c1?view=late&state=FL' });
  expect(again.sent('listBoardClaims')).toMatchObject([{ query: { late: 'true', state: 'FL' } }]);
});

test.each([
  ['/firm', ''],
  ['/firm/', ''],
  ['/firm/index.html', ''],
  ['/firm-a/firm', '/firm-a'],
])('the page at %s has the service at %j', async (pathname, base) => {
  const { location } = globalThis;
  Object.assign(globalThis, { location: { pathname, origin: 'https://x.test' } });
  try {
    expect({ ...(await import(`../src/root.ts?of=${pathname}`)) }).toEqual({
      ...{ ROOT: `${base}/firm/`, DOCS: `${base}/docs/`, SERVICE_URL: `https://x.test${base}` },
    });
  } finally {
    Object.assign(globalThis, { location });
  }
});

describe('the board', () => {
  const claims = (count: number) => Array.from({ length: count }, () => boardClaim());

  test('shows what changed, in order, once in three seconds however many changes there are', async () => {
    const { desk, state, events, reads } = await opened({ claims: claims(3) });
    for (let n = 0; n < 2; n += 1) events.changed?.('r1');
    await after(5000);
    expect(reads()).toBe(1);
    state.claims = [...claims(1), ...state.claims.slice(1)];
    events.changed?.('r2');
    events.changed?.('r3');
    await after(0);
    events.changed?.('r4');
    await after(2900);
    expect([reads(), rowsOf(desk)]).toEqual([2, state.claims.map(({ id }) => id)]);
    await after(100);
    expect(reads()).toBe(3);
    // A change during a reading is read after it.
    let answer = (_: unknown): void => {};
    state.meets.listBoardClaims = [
      new Promise((resolve) => {
        answer = resolve;
      }),
    ];
    events.changed?.('r5');
    await after(3000);
    events.changed?.('r6');
    await after(3000);
    expect([reads(), desk.changes.value]).toEqual([4, 3]);
    answer({ data: [], next_cursor: null });
    await settled();
    await after(3000);
    expect(reads()).toBe(5);
    // Pages that hear of a change at the same moment read at different ones.
    await after(5000);
    state.random = 0.5;
    events.changed?.('r7');
    await after(749);
    expect(reads()).toBe(5);
    await after(1);
    expect(reads()).toBe(6);
  });

  test('keeps what is selected under another filter, and sorts what is shown by a column', async () => {
    const rows = ['Ortega', 'Delgado', 'Ärlig', 'Reyes'].map((name, n) =>
      boardClaim({
        ...{ name, claim_number: `C-${11 - n}`, carrier: `Carrier ${(n * 7) % 4}`, adjuster_svc_id: `A${n}` },
        ...{
          adjuster_name: [null, 'C', null, 'B'][n] ?? null,
          status: n === 1 ? 'rejected' : 'pending_acceptance',
        },
        waiting_since: `2026-08-0${9 - n}T00:00:00.000Z`,
      }),
    );
    const { desk, state } = await opened({ claims: rows });
    const { board } = desk;
    const [ortega = boardClaim(), delgado = boardClaim()] = rows;
    board.toggle(ortega.id);
    board.toggle(delgado.id);
    state.claims = rows.slice(1);
    board.filter({ q: 'another' });
    await after(0);
    expect(board.chosen.value).toEqual([delgado, ortega]);
    // A claim that was closed since cannot be offered.
    state.claims = [{ ...delgado, closed_at: '2026-08-30T00:00:00.000Z' }, ...rows.slice(2)];
    await board.list.refresh();
    expect(board.chosen.value).toEqual([ortega]);
    board.clearSelection();
    expect(board.chosen.value).toEqual([]);
    const names = () => board.rows.value?.map(({ name }) => name);
    for (const [by, ...expected] of [
      ['name', 'Ärlig', 'Delgado', 'Reyes'],
      ['name', 'Reyes', 'Delgado', 'Ärlig'],
      ['ids', 'Reyes', 'Ärlig', 'Delgado'],
      ['name', 'Ärlig', 'Delgado', 'Reyes'],
      ['name', 'Reyes', 'Delgado', 'Ärlig'],
      ['name', 'Delgado', 'Ärlig', 'Reyes'],
      ['carrier', 'Reyes', 'Ärlig', 'Delgado'],
      ['adjuster', 'Ärlig', 'Reyes', 'Delgado'],
      ['state', 'Reyes', 'Ärlig', 'Delgado'],
    ] as const) {
      board.sortBy(by);
      expect(names()).toEqual(expected);
    }
  });

  test('shows the counts of the first page, asks for the claims of each view, and is searched once the typing pauses', async () => {
    const { desk, state, sent } = await opened({ claims: claims(150) });
    const { board } = desk;
    expect(board.counts.value).toEqual({ waiting: 150, late: 0, rejected: 0, unassigned: 0 });
    await board.list.more();
    expect([board.counts.value?.waiting, rowsOf(desk)]).toEqual([150, state.claims.map(({ id }) => id)]);
    const asked: unknown[] = [];
    for (const view of VIEWS) {
      board.filter({ view });
      await after(0);
      const { environment, limit, cursor, ...query } = sent('listBoardClaims').at(-1)?.query ?? {};
      asked.push([environment, limit, cursor, query]);
    }
    const statuses = VIEWS.slice(3, -1).map((status) => ({ status }));
    expect(asked).toEqual(
      [{}, { late: 'true' }, { clock_late: 'true' }, ...statuses, { closed: 'true' }].map((query) => [
        ...['live', 100, undefined, query],
      ]),
    );
    expect([board.counts.value?.waiting, board.isFiltered.value]).toEqual([150, false]);
    board.filter({ carrier: ' ' });
    await after(0);
    expect([board.isFiltered.value, sent('listBoardClaims').at(-1)?.query]).toEqual([
      ...[false, expect.not.objectContaining({ carrier: expect.anything() })],
    ]);
    board.filter({ state: 'FL', carrier: ' Gulf ', q: 'Ana', adjuster: 'SVC-1' });
    expect([board.isFiltered.value, board.withFilters('#/claims/c1?view=late')]).toEqual([
      ...[true, '#/claims/c1?view=closed&state=FL&carrier=Gulf'],
    ]);
    await after(0);
    expect(sent('listBoardClaims').at(-1)?.query).toMatchObject({
      ...{ state: 'FL', carrier: 'Gulf', q: 'Ana', adjuster: 'SVC-1' },
    });
    const { length: before } = sent('listBoardClaims');
    for (const q of ['del', 'delgado']) board.filter({ q }, true);
    await after(299);
    expect(sent('listBoardClaims')).toHaveLength(before);
    await after(1);
    expect(sent('listBoardClaims').slice(before)).toMatchObject([
      { query: { q: 'delgado', environment: 'live' } },
    ]);
  });

  test('keeps its rows when they cannot be read again, and reads them once the service responds, without another change', async () => {
    const { desk, state, events } = await opened({ claims: claims(2) });
    const before = rowsOf(desk);
    events.changed?.('r1');
    state.listing = new NetworkError('service');
    state.claims = claims(1);
    events.changed?.('r2');
    await after(5000);
    expect([rowsOf(desk), desk.session.connection.value]).toEqual([before, 'problem']);
    // The page says it, and no message does.
    expect(messageOf(desk)).toEqual([undefined]);
    state.listing = undefined;
    state.visible = false;
    await after(30_000);
    expect(rowsOf(desk)).toEqual(before);
    state.visible = true;
    await after(30_000);
    expect(rowsOf(desk)).toEqual(state.claims.map(({ id }) => id));
  });

  test('selects one row, all, or those between two, and none that is closed', async () => {
    const closed_at = '2026-08-30T00:00:00.000Z';
    const rows = [...claims(3), boardClaim({ closed_at }), ...claims(2)];
    const { desk } = await opened({ claims: rows });
    const { board } = desk;
    const chosen = () => board.chosen.value.map(({ id }) => rows.findIndex((row) => row.id === id));
    const toggle = (index: number, ...range: [isRange?: boolean]) =>
      board.toggle(rows[index]?.id ?? '', ...range);
    toggle(3);
    toggle(4, true);
    toggle(1, true);
    expect(chosen()).toEqual([1, 2, 4]);
    board.toggleAll();
    expect(chosen()).toEqual([0, 1, 2, 4, 5]);
    board.toggleAll();
    expect(chosen()).toEqual([]);
    toggle(0);
    expect(chosen()).toEqual([0]);
    toggle(2, true);
    expect(chosen()).toEqual([0, 1, 2]);
    toggle(0, true);
    // The last one does not end at a row that cannot be selected.
    for (const index of [5, 5, 3]) toggle(index, index === 3);
    expect(chosen()).toEqual([]);
    const permissions = DISPATCHER.permissions.filter((one) => one !== 'claims:write');
    const auditor = await opened({ claims: rows, profile: { ...DISPATCHER, permissions } });
    expect(auditor.desk.board.selectable.value).toEqual([]);
  });

  test('turns late, and the course of the open claim goes on, about once a minute without an event, only while it is shown', async () => {
    const { desk, state, streams, reads } = await opened({ claims: claims(1) });
    state.claims = state.claims.map((claim) => ({ ...claim, late: true }));
    for (let minutes = 0; minutes < 4; minutes += 0.5) {
      state.visible = minutes < 2;
      await after(29_000);
      await after(1000);
    }
    expect(desk.board.list.rows.value).toMatchObject([{ late: true }]);
    // And the times since then go on.
    expect([desk.changes.value, reads(), desk.now.value, streams]).toEqual([2, 3, Date.now(), ['open']]);
  });

  test('is not read while the page is hidden, and at once when it is shown again', async () => {
    const { state, events, streams, shown, reads } = await opened({ isHidden: true });
    shown();
    expect(streams).toEqual(['close']);
    state.visible = true;
    shown();
    await after(3000);
    expect([streams.at(-1), reads()]).toEqual(['open', 2]);
    // Hidden while a reading waits.
    events.changed?.('r1');
    events.changed?.('r2');
    state.visible = false;
    shown();
    state.visible = true;
    shown();
    events.changed?.('r3');
    await after(5000);
    expect(reads()).toBe(3);
  });

  test('is read when events arrive again, and at each look while none do', async () => {
    const { state, events, streams, reads } = await opened();
    events.connected?.();
    events.changed?.('r1');
    await after(5000);
    expect(reads()).toBe(1);
    events.connected?.();
    await after(5000);
    expect(reads()).toBe(2);
    state.alive = false;
    for (let n = 0; n < 2; n += 1) await after(30_000);
    expect([reads(), streams]).toEqual([4, ['open', 'close', 'open', 'close', 'open']]);
  });
});

describe('a session', () => {
  test('that the service has ended leaves nothing of the firm on the page, and the same person finds what they typed, selected and offered again', async () => {
    const { desk, state, events, reads } = await opened({ claims: [boardClaim(), boardClaim()] });
    const [claim = boardClaim(), other = boardClaim()] = state.claims;
    // Readings that are to come end with it.
    for (const revision of ['r1', 'r2']) events.changed?.(revision);
    desk.sandbox.key.value = desk.sandbox.rehearsedSince.value = 'svc_test_x';
    await desk.readAdjusters();
    desk.typedClocks.value = { basedOn: 'v1', rules: [] };
    desk.secret.value = { title: 'Your new key', text: 'svc_test_x' };
    desk.board.open('#/?view=rejected&state=Atlantis&carrier=Gulf');
    desk.board.filter({ adjuster: 'SVC-1', q: 'Delgado' });
    desk.board.toggle(other.id);
    state.meets.offerBoardClaim = [new ApiError(401, 'invalid_session')];
    state.profile = state.listing = new ApiError(401, 'invalid_session');
    await desk.offers.offer([claim], adjuster('SVC-1'));
    desk.offers.prepare('board', [other]);
    events.signedOut?.();
    const before = reads();
    await after(5000);
    expect(reads()).toBe(before);
    expect([desk.session.profile.value, desk.session.endedBecause.value]).toEqual([null, 'expired']);
    const { adjusters, sandbox, secret, board } = desk;
    const left = [rowsOf(desk), board.chosen.value, adjusters.rows.value, board.counts.value, secret.value];
    expect(left).toEqual([undefined, [], undefined, undefined, undefined]);
    expect([...board.selected.value]).toEqual([[other.id, undefined]]);
    expect([sandbox.key.value, sandbox.rehearsedSince.value]).toEqual([undefined, undefined]);
    state.profile = DISPATCHER;
    state.listing = undefined;
    await desk.signIn({ email: 'a@example.com', code: '123456' });
    await settled();
    const filters = { view: 'rejected', state: '', carrier: 'Gulf', adjuster: 'SVC-1', q: 'Delgado' };
    expect(board.filters.value).toEqual(filters);
    expect([board.chosen.value, desk.offers.draft.value?.ids]).toEqual([[other], [other.id]]);
    // Whether it was made is not known, and it is sent again with its key.
    expect(desk.offers.acts.value).toMatchObject([{ state: 'unknown' }]);
    desk.chooseEnvironment('test');
    const uploads = desk.openUploads(createUpload);
    const invitations = desk.openInvitations(createInvitations);
    invitations.notice.value = { kind: 'left_out', text: 'Name' };
    await uploads.choose(new File(['Claim #,Code\n1,a\n'], 'Monday.csv'));
    events.signedOut?.();
    expect(uploads.file.value?.name).toBe('Monday');
    state.profile = { ...DISPATCHER, staff: { ...DISPATCHER.staff, id: 'another' } };
    await desk.signIn({ email: 'b@example.com', code: '123456' });
    expect(board.filters.value).toEqual({ ...filters, adjuster: '', q: '' });
    expect([board.selected.value.size, desk.offers.draft.value, desk.offers.acts.value]).toEqual([
      ...[0, undefined, []],
    ]);
    expect([desk.environment.value, desk.typedClocks.value]).toEqual(['live', undefined]);
    expect([uploads.file.value, invitations.notice.value]).toEqual([undefined, undefined]);
  });

  test('finds what was typed, selected and prepared after a reload of the page, and nobody does after it was signed out', async () => {
    const { desk, state } = await opened({ claims: [boardClaim(), boardClaim()] });
    const [claim = boardClaim(), other = boardClaim()] = state.claims;
    desk.chooseEnvironment('test');
    await settled();
    desk.board.filter({ q: 'Delgado', adjuster: 'SVC-1' }, true);
    desk.board.sortBy('name');
    desk.board.toggle(other.id);
    desk.offers.prepare('board', [other]);
    desk.openInvitations(createInvitations).typed.value = 'SVC-1\nSVC-2';
    desk.typedClocks.value = { basedOn: 'v1', rules: [{ report_days: '3' }] };
    desk.chooseScheme('dark');
    desk.candidateOrder.choose('name');
    desk.language.choose('es');
    await settled();
    const { drafts } = state;
    const again = await opened({ claims: state.claims, drafts, choices: state.choices });
    const { board, environment, offers } = again.desk;
    const chosen = [again.desk.scheme.value, again.desk.candidateOrder.choice.value];
    expect([environment.value, ...chosen, again.desk.language.choice.value, board.sort.value]).toEqual([
      ...['test', 'dark', 'name', 'es', { by: 'name', isDown: false }],
    ]);
    expect(again.sent('listBoardClaims').map(({ query }) => query)).toEqual([
      { environment: 'test', q: 'Delgado', adjuster: 'SVC-1', limit: 100 },
    ]);
    expect([board.chosen.value, offers.draft.value]).toEqual([
      [other],
      { kind: 'offer', from: 'board', ids: [other.id], typed: '' },
    ]);
    const invitations = again.desk.openInvitations(createInvitations);
    expect(again.desk.typedClocks.value?.rules).toEqual([{ report_days: '3' }]);
    expect(invitations.list.value.entries).toHaveLength(2);
    expect(JSON.stringify([drafts, state.choices])).not.toContain(claim.name);
    const profile = { ...DISPATCHER, firm: { ...DISPATCHER.firm, id: 'another' } };
    const stranger = await opened({ claims: state.claims, drafts, profile });
    expect([stranger.desk.board.filters.value.q, stranger.desk.offers.draft.value]).toEqual(['', undefined]);
    expect(stranger.desk.openInvitations(createInvitations).typed.value).toBe('');
    again.state.meets.closeSession = [new NetworkError('timeout')];
    await expect(again.desk.signOut(false)).rejects.toThrow('timeout');
    expect([offers.draft.value?.ids, again.desk.session.profile.value]).toEqual([[other.id], DISPATCHER]);
    for (const [page, isEverywhere] of [
      [again, true],
      [stranger, false],
    ] as const) {
      page.navigation.go('#/settings');
      await page.desk.signOut(isEverywhere);
      const ended = [page.sent('closeAllSessions').length, page.sent('closeSession').length];
      expect([...ended, page.navigation.currentHash.value]).toEqual([isEverywhere ? 1 : 0, 1, '#/']);
    }
    expect([Object.values(again.state.drafts), invitations.typed.value]).toEqual([[''], '']);
  });

  test('is kept through an outage at the start, and opens once the service responds', async () => {
    const { desk, state } = await opened({ profile: new NetworkError('service') });
    expect([desk.session.profile.value, desk.startFailed.value]).toEqual([undefined, true]);
    state.profile = DISPATCHER;
    await after(30_000);
    expect([desk.session.profile.value, desk.startFailed.value]).toEqual([DISPATCHER, false]);
    const back = await opened({ profile: new NetworkError('connection') });
    back.state.profile = DISPATCHER;
    for (const isVisible of [false, true]) {
      back.state.visible = isVisible;
      back.shown();
      await settled();
      expect(back.sent('getOwnStaff')).toHaveLength(isVisible ? 2 : 1);
    }
    expect(back.desk.session.profile.value).toEqual(DISPATCHER);
  });

  test('that is refused when it is to open leads to the sign-in, and says why', async () => {
    const { desk } = await opened({ profile: new ApiError(403, 'insufficient_scope') });
    const { session, startFailed } = desk;
    expect([session.profile.value, session.endedBecause.value, startFailed.value]).toEqual([
      ...[null, null, false],
    ]);
    expect(messageOf(desk)[1]).toBe(en.refusals.insufficient_scope);
  });

  test('is changed to another firm without data of the former one, other tabs hear of it, and a refusal changes nothing', async () => {
    const { desk, navigation, state, streams, sent, reads } = await opened({ claims: [boardClaim()] });
    const [claim = boardClaim()] = state.claims;
    desk.chooseEnvironment('test');
    await settled();
    navigation.go('#/reports');
    desk.board.toggle(claim.id);
    desk.board.sortBy('name');
    desk.offers.prepare('board', [claim]);
    state.meets.changeFirm = [new ApiError(403, 'insufficient_scope')];
    await expect(desk.changeFirm('f2')).rejects.toThrow('insufficient_scope');
    const { board, offers, session } = desk;
    const shown = () => [
      ...[session.profile.value?.firm.id, desk.environment.value, navigation.currentHash.value],
      ...[board.selected.value.size, board.sort.value?.by, offers.draft.value?.from, state.told],
    ];
    expect(shown()).toEqual([DISPATCHER.firm.id, 'test', '#/reports', 1, 'name', 'board', 0]);
    state.meets.changeFirm = [{ ...DISPATCHER, firm: { ...DISPATCHER.firm, id: 'f2' } }];
    const before = reads();
    await desk.changeFirm('f2');
    await settled();
    expect(shown()).toEqual(['f2', 'live', '#/', 0, undefined, undefined, 1]);
    expect([sent('changeFirm').at(-1), reads() - before, streams.slice(-2)]).toEqual([
      ...[{ body: { firm_id: 'f2' } }, 1, ['close', 'open']],
    ]);
    expect(Object.values(state.drafts).join()).not.toContain(claim.id);
  });

  test('whose role has changed, as the end of its events may mean, shows what the new role may see, and not a role of the session before', async () => {
    const { desk, state, events, streams, shown, reads } = await opened({ claims: [boardClaim()] });
    const rows = rowsOf(desk);
    desk.board.toggle(rows?.[0] ?? '');
    const roles = [['claims:read'], ['keys:read']] as const;
    const seen: unknown[] = [];
    for (const permissions of roles) {
      state.profile = { ...DISPATCHER, permissions: [...permissions] };
      events.disconnected?.(false);
      await settled();
      const { size } = desk.board.selected.value;
      seen.push([desk.can('claims:read'), desk.can('keys:read'), rowsOf(desk), size]);
    }
    expect(seen).toEqual([
      [true, false, rows, 1],
      [false, true, undefined, 0],
    ]);
    shown();
    await after(60_000);
    expect([reads(), streams]).toEqual([1, ['open', 'close']]);
    const without = await opened({ profile: state.profile });
    expect([without.reads(), without.streams]).toEqual([0, []]);
    const answers: ((met: unknown) => void)[] = [];
    state.meets.getOwnStaff = [new Promise((resolve) => answers.push(resolve))];
    events.disconnected?.(false);
    await settled();
    events.signedOut?.();
    state.profile = DISPATCHER;
    await desk.signIn({ email: 'a@example.com', code: '123456' });
    answers[0]?.({ ...DISPATCHER, permissions: [] });
    await settled();
    expect(desk.session.profile.value).toEqual(DISPATCHER);
  });
});

test('of deliveries the last that arrived, what waits and what failed last is said, and of keys whose maker has left', () => {
  const attempt = (at: string, status: number | null) => ({ at, status, error: null, duration_ms: 1 });
  const delivery = (status: string, next_attempt_at: string | null, ...attempts: readonly object[]) =>
    ({ id: 'd', type: 'claims.changed', created_at: 'made', status, next_attempt_at, attempts }) as Delivery;
  const waiting = [
    ...[delivery('pending', null), delivery('pending', '05')],
    delivery('pending', '03', attempt('01', 500), attempt('02', 503)),
  ];
  const delivered = delivery('delivered', null, attempt('01', 503), attempt('04', 204));
  expect(healthOf([...waiting, delivered, delivery('delivered', null, attempt('00', 204))])).toEqual({
    ...{ deliveredAt: '04', waiting: 3, failed: attempt('02', 503), next: '03' },
  });
  expect(healthOf([delivery('delivered', null), delivery('failed', null, attempt('01', 401))])).toEqual({
    ...{ deliveredAt: 'made', waiting: 0, failed: attempt('01', 401), next: undefined },
  });
  const [key] = (EXAMPLES.listKeys.response as { data: [ApiKey] }).data;
  const made = (staff_id: string | null, attention: string | null, name: string | null = 'Ana') =>
    ({ ...key, attention, created_by: { ...key.created_by, staff_id, name } }) as ApiKey;
  const keys = [
    made('a', 'maker_removed'),
    made('b', null),
    made(null, 'maker_removed'),
    made('a', 'maker_removed'),
  ];
  expect(makersOf([...keys, made('c', 'maker_role_changed', null)])).toEqual([
    { staff_id: 'a', name: 'Ana', reason: 'maker_removed', count: 2 },
    { staff_id: 'c', name: 'c', reason: 'maker_role_changed', count: 1 },
  ]);
  const [now, at] = [1000, (ms: number) => new Date(ms).toISOString()];
  const isOver = (expires_at: string | null, revoked_at: string | null = null) =>
    isKeyOver({ ...key, expires_at, revoked_at }, now);
  expect([isOver(null), isOver(at(now)), isOver(at(now - 1)), isOver(null, at(0))]).toEqual([
    ...[false, false, true, true],
  ]);
});

test('a rule of clocks is sent with numbers as numbers, and what is none of them as it was typed', () => {
  const names = ['carrier', 'cat_code', 'contact_hours', 'inspection_hours', 'report_days'];
  const rule = (values: readonly unknown[]) => Object.fromEntries(names.map((name, n) => [name, values[n]]));
  const typed = [
    [' 42 ', '7', ' 12 ', '48', '03'],
    ['Gulf', ' ', '3.5', 'doce', ''],
  ].map((texts) => ruleOf(rule(texts) as TypedRule));
  expect(typed).toEqual([
    rule(['42', '7', 12, 48, 3]),
    { carrier: 'Gulf', contact_hours: '3.5', inspection_hours: 'doce' },
  ]);
  expect(typedRule({ carrier: 'Gulf', report_days: 3 })).toEqual({ carrier: 'Gulf', report_days: '3' });
});

test('a verification is of no more days than the service verifies', () => {
  const at = (time: string): number => Date.parse(time);
  const now = at('2026-03-09T12:00:00.000Z');
  const longest = LIMITS.auditVerificationDays * 86_400_000;
  expect(
    [{}, { since: '2026-03-07' }, { since: '2020-01-01', until: '2026-03-08' }].map((days) =>
      verifiedPeriod(days, now),
    ),
  ).toEqual([
    { since: now - longest, until: now },
    { since: at('2026-03-07T06:00:00Z'), until: now },
    { since: at('2026-03-09T05:00:00Z') - longest, until: at('2026-03-09T05:00:00Z') },
  ]);
  // Of the day here, also over the change of the clocks.
  expect([0, 2].map((days) => startOfDay(at('2026-03-10T03:00:00Z'), days))).toEqual([
    ...['2026-03-09T05:00:00.000Z', '2026-03-07T06:00:00.000Z'],
  ]);
});

describe('an upload', () => {
  /** A file on a disk, where it may change. */
  const fileOf = (name: string, text: string) => {
    const bytes = { value: Buffer.from(text) as Uint8Array | Error };
    const file: ChosenFile = {
      name,
      async arrayBuffer() {
        if (bytes.value instanceof Error) throw bytes.value;
        return Uint8Array.from(bytes.value).buffer;
      },
    };
    return { file, bytes };
  };
  const TEXT = 'Claim #,Code\n1,a\n2,b\n3,c\n4,d\n';
  const { file: FILE } = fileOf('Monday 11-28.csv', TEXT);
  const columns = { 'Claim #': 'claim_number', Code: null };
  const result = (from: number, next_row: number | null, dry_run: boolean, outcome: string) => ({
    ...{ id: 'i1', environment: 'live', dry_run, columns, problems: [], total_rows: 5, next_row, lines: 4 },
    likely_header_row: null,
    rows: [0, 1].map((n) => ({ row: from + n, external_id: null, outcome, claim_id: null, problems: [] })),
  });

  /** An upload of a checked file that gets these responses, and what it sends. */
  const uploading = async (responses: (object | undefined)[]) => {
    const { desk, navigation, state, sent } = await opened();
    state.meets.importClaims = [result(2, null, true, 'valid'), ...responses];
    const uploads = desk.openUploads(createUpload);
    // Without a file there is nothing to check or to send.
    for (const act of [uploads.send, uploads.resume, () => uploads.change({})]) await act();
    await uploads.choose(FILE);
    const bodies = () => sent('importClaims').flatMap(({ body }, n) => (n === 0 ? [] : (body as ImportBody)));
    return { desk, navigation, bodies, uploads };
  };

  test('goes on to the last row, waits as long as the service asks, and after a lost response sends the same rows once more', async () => {
    const { desk, bodies, uploads } = await uploading([
      { ...result(2, 4, false, 'sent'), columns: { ...columns, 'Column 2': 'file_number' } },
      new NetworkError('service', 20_000),
      new NetworkError('timeout'),
      result(4, 6, false, 'already_sent'),
      result(6, null, false, 'sent'),
    ]);
    for (let taps = 0; taps < 2; taps += 1) void uploads.send();
    await settled();
    await after(19_999);
    expect([bodies().length, uploads.upload.value?.kind]).toEqual([2, 'sending']);
    await uploads.change({ date_order: 'mdy' });
    await after(1);
    expect([uploads.upload.value?.kind, uploads.canResume()]).toEqual(['stopped', true]);
    expect(messageOf(desk)).toEqual(['error', en.network.needed]);
    const resuming = uploads.resume();
    expect(uploads.upload.value).toMatchObject({ kind: 'sending', counts: { sent: 2 } });
    await resuming;
    expect([uploads.upload.value, uploads.canResume()]).toMatchObject([
      ...[{ kind: 'sent', counts: { sent: 4, already_sent: 2 } }, false],
    ]);
    // With the columns of the check and of every part, whatever others import under the same name.
    const sent = bodies().map((body) => `${body.from_row} ${Object.keys(body.columns ?? {})}`);
    const repeated = Array(3).fill('4 Claim #,Column 2');
    expect(sent).toEqual(['undefined Claim #', ...repeated, '6 Claim #,Column 2']);
    expect(bodies().at(-1)).toEqual({
      ...{ name: 'Monday', file_name: 'Monday 11-28.csv', text: TEXT, delimiter: 'comma', adjusters: {} },
      ...{ environment: 'live', dry_run: false, import_id: 'i1', from_row: 6 },
      columns: { 'Claim #': 'claim_number', 'Column 2': 'file_number' },
    });
  });

  test('of several parts goes from one to the next, and no further than a problem of the whole file', async () => {
    const rows = Array.from({ length: 2001 }, (_, n) => `${n},a\n`);
    const { file } = fileOf('Large.csv', `Claim #,Code\n${rows.join('')}`);
    const wrong = { columns: [], fields: [], detail: 'No.', column: null };
    const { desk, navigation, uploads, bodies } = await uploading([
      { ...result(2, null, true, 'valid'), problems: [wrong] },
      ...[result(2, null, true, 'valid'), result(2002, null, true, 'valid')],
      ...[result(2, 4, false, 'sent'), result(4, null, false, 'sent'), result(2002, null, false, 'sent')],
    ]);
    navigation.go('#/upload');
    await uploads.choose(file);
    expect([bodies().length, uploads.upload.value?.kind]).toEqual([1, 'checked']);
    await uploads.change({ date_order: 'dmy' });
    await uploads.send();
    const last = `Claim #,Code\n${rows.at(-1)}`;
    const sent = bodies().map((body) => [
      ...[body.first_row, body.from_row, body.import_id, body.dry_run, body.text === last, body.date_order],
    ]);
    expect(sent).toEqual([
      [2, undefined, undefined, true, false, undefined],
      [2, undefined, undefined, true, false, 'dmy'],
      [2002, 2002, 'i1', true, true, 'dmy'],
      [2, undefined, undefined, false, false, 'dmy'],
      [2, 4, 'i1', false, false, 'dmy'],
      [2002, 2002, 'i1', false, true, 'dmy'],
    ]);
    expect([uploads.upload.value?.counts, uploads.progress.value]).toEqual([
      ...[{ sent: 6 }, { done: 6, lines: 2001, total: 2001 }],
    ]);
    // The screen itself says it.
    expect(messageOf(desk)).toEqual([undefined]);
  });

  test('goes on while another screen or the other data is shown, takes no other file until then, and says when it is over', async () => {
    const { desk, bodies, uploads } = await uploading([
      result(2, 4, false, 'sent'),
      new NetworkError('service', 1000),
      new NetworkError('service', 1000),
      result(4, null, false, 'sent'),
    ]);
    void uploads.send();
    await settled();
    desk.chooseEnvironment('test');
    await uploads.choose(fileOf('Tuesday.csv', 'a,b').file);
    // As the service counts them.
    expect([uploads.isSending.value, uploads.progress.value]).toEqual([
      ...[true, { done: 2, lines: 4, total: 5 }],
    ]);
    for (let wait = 0; wait < 2; wait += 1) await after(1000);
    desk.chooseEnvironment('test');
    expect(uploads.upload.value?.kind).toBe('sent');
    // A file was checked for the data that was shown.
    desk.chooseEnvironment('live');
    expect([uploads.file.value, uploads.upload.value]).toEqual([undefined, undefined]);
    expect(bodies().map(({ environment, name }) => `${environment} ${name}`)).toEqual(
      Array(4).fill('live Monday'),
    );
    expect(uploads.isSending.value).toBe(false);
    expect(messageOf(desk)).toEqual(['success', 'Upload: sent: 4']);
  });

  test('counts every problem of every part, and keeps as many as the memory of a page takes', async () => {
    const problems = Array.from({ length: 150_000 }, () => ({ column: null, detail: 'No.' }));
    const [one, other] = result(2, 3, true, 'invalid').rows;
    const rows = [
      { ...one, external_id: 'EXT-1', problems, needs_adjuster: {} },
      { ...other, needs_adjuster: null },
    ];
    const { uploads } = await uploading([3, null].map((next) => ({ ...result(2, next, true, ''), rows })));
    await uploads.choose(FILE);
    const { problems: kept = [], problemCount, unassigned, counts } = uploads.upload.value ?? {};
    expect([kept.length, problemCount, kept.at(-1), unassigned?.map(({ row }) => row), counts]).toEqual([
      ...[200_000, 300_000, { row: 2, external_id: 'EXT-1', column: null, detail: 'No.' }],
      ...[[2, 2], { invalid: 4 }],
    ]);
  });

  test('sends the file as it was checked: one that has changed on the disk is checked again, and one that is gone is said', async () => {
    const { file, bytes } = fileOf('Monday.csv', 'Claim #,Code\n1,a\n');
    const { uploads, bodies } = await uploading([
      result(2, null, true, 'valid'),
      result(2, null, true, 'valid'),
      result(2, null, false, 'sent'),
    ]);
    await uploads.choose(file);
    uploads.choices.value = { date_order: 'dmy' };
    bytes.value = Buffer.from('Claim #,Code\n1,corrected\n');
    await uploads.send();
    expect([uploads.notice.value, uploads.upload.value?.kind]).toEqual([{ kind: 'changed' }, 'checked']);
    await uploads.send();
    expect([uploads.notice.value, uploads.upload.value?.kind]).toEqual([undefined, 'sent']);
    expect(
      bodies().map((body) => `${body.dry_run} ${body.text?.includes('corrected')} ${body.date_order}`),
    ).toEqual(['true false undefined', 'true true dmy', 'false true dmy']);
    bytes.value = new DOMException('changed', 'NotReadableError');
    await uploads.send();
    expect([uploads.notice.value, uploads.upload.value, bodies().length]).toEqual([
      ...[{ kind: 'gone' }, undefined, 3],
    ]);
  });

  test('of a file whose encoding is not certain waits for the person to say which text is right', async () => {
    const { file } = fileOf('Monday.csv', '');
    const mac = {
      ...file,
      arrayBuffer: async () => Uint8Array.from(Buffer.from('Claim #,Garc\x92a\n1,2', 'latin1')).buffer,
    };
    const { desk, uploads, bodies } = await uploading([
      ...[result(2, null, true, 'valid'), result(2, null, false, 'sent')],
    ]);
    await uploads.choose(mac);
    expect([uploads.notice.value, uploads.upload.value]).toMatchObject([
      { kind: 'encoding', samples: [{ sample: 'Garc’a' }, { encoding: 'macintosh', sample: 'García' }] },
      undefined,
    ]);
    await uploads.choose(mac, { encoding: 'macintosh' });
    expect([uploads.notice.value, bodies().map(({ text }) => text)]).toEqual([
      undefined,
      ['Claim #,García\n1,2'],
    ]);
    await uploads.send();
    expect([uploads.notice.value, bodies().map(({ text, dry_run }) => [text, dry_run])]).toEqual([
      undefined,
      [true, false].map((isCheck) => ['Claim #,García\n1,2', isCheck]),
    ]);
    await uploads.choose(mac, { encoding: 'utf-8' });
    expect([uploads.notice.value, uploads.file.value]).toMatchObject([
      ...[{ kind: 'unreadable' }, { encoding: 'macintosh' }],
    ]);
    desk.chooseEnvironment('test');
    expect([uploads.notice.value, uploads.file.value]).toEqual([undefined, undefined]);
  });

  test('of two files that are read at the same time is of the last one', async () => {
    const slow: (() => void)[] = [];
    const { desk, uploads, bodies } = await uploading([result(2, null, true, 'valid')]);
    const { file, bytes } = fileOf('Last.csv', 'a,b\n1,2\n');
    const waits = new Promise<void>((resolve) => slow.push(resolve));
    const first = uploads.choose({
      name: 'Slow.csv',
      arrayBuffer: () => waits.then(() => file.arrayBuffer()),
    });
    const second = uploads.choose(file);
    expect(uploads.isReading.value).toBe(true);
    await second;
    slow[0]?.();
    await first;
    expect([uploads.isReading.value, bodies().length]).toEqual([false, 1]);
    expect(uploads.file.value).toEqual({
      ...{ name: 'Last', fileName: 'Last.csv', text: 'a,b\n1,2\n', encoding: 'utf-8', chosen: file },
    });
    // While it is read again, the other data is chosen, for which it is not checked.
    bytes.value = Buffer.from('a,b\n3,4\n');
    const sending = uploads.send();
    desk.chooseEnvironment('test');
    await sending;
    expect(bodies()).toHaveLength(1);
  });

  test('that goes on while a file is read keeps its own file, and no row is sent twice', async () => {
    const waiting: ((met: object) => void)[] = [];
    const lost = new NetworkError('timeout');
    const pending = [0, 1].map(() => new Promise<object>((resolve) => waiting.push(resolve)));
    const { uploads, bodies } = await uploading([lost, ...pending]);
    await Promise.all([uploads.send(), uploads.send()]);
    for (const act of [() => uploads.choose(fileOf('Other.csv', 'a,b\n1,2\n').file), uploads.send]) {
      const reading = act();
      void uploads.resume();
      await reading;
      waiting.shift()?.(lost);
      await settled();
    }
    expect([uploads.file.value?.name, bodies().length]).toEqual(['Monday', 3]);
  });

  test('that is refused is not resumed, one whose session has ended is, and one with rows that failed says so', async () => {
    const { desk, uploads } = await uploading([
      new ApiError(401, 'invalid_session'),
      new ApiError(422, 'validation_failed'),
      result(2, null, false, 'failed'),
    ]);
    await uploads.send();
    expect([uploads.upload.value?.kind, uploads.canResume()]).toEqual(['stopped', true]);
    await uploads.resume();
    expect([uploads.upload.value?.kind, uploads.canResume()]).toEqual(['stopped', false]);
    expect(messageOf(desk)).toEqual(['error', en.refusals.validation_failed]);
    await uploads.send();
    expect(messageOf(desk)).toEqual(['neutral', expect.stringMatching(/^Upload: .*: 2$/)]);
  });

  test('keeps the adjusters of rows until the rows have other numbers', async () => {
    const { uploads, bodies } = await uploading(Array(9).fill(result(2, null, true, 'valid')));
    await uploads.assign([2, 3].map((row) => ({ id: String(row), adjuster_svc_id: 'SVC-1' })));
    await uploads.assign([{ id: '4', adjuster_svc_id: 'SVC-1' }]);
    await uploads.change({ date_order: 'dmy' });
    await uploads.change({ header_row: 2 });
    await uploads.assign([{ id: '2', adjuster_svc_id: 'SVC-1' }]);
    await uploads.change({ delimiter: 'comma' });
    // The columns are recognized again.
    expect(bodies().map(({ adjusters, columns }) => columns ?? adjusters)).toEqual([
      ...[{ 'SVC-1': [2, 3] }, { 'SVC-1': [2, 3, 4] }, { 'SVC-1': [2, 3, 4] }, {}],
      ...[{ 'SVC-1': [2] }, {}],
    ]);
    await uploads.assign([{ id: '2', adjuster_svc_id: 'SVC-1' }]);
    await uploads.choose(fileOf('Other.csv', 'id\n1\n2\n').file);
    const { adjusters, header_row, date_order } = bodies().at(-1) ?? {};
    expect([adjusters, header_row, date_order]).toEqual([{}, undefined, 'dmy']);
  });

  test('of a workbook sends the sheet that was chosen, and reads it again like any file before it sends', async () => {
    const sheets = [
      { name: 'Cover', rows: [['Claims of August', 'Palmetto']] },
      { name: 'Claims', rows: [['Claim #', 'Code'], ['1', 'a "b"'], [], ['2', 'c']] },
    ];
    const { file, bytes } = fileOf('Claims.xlsx', '');
    bytes.value = workbookOf({ sheets });
    const checks = Array(3).fill(result(2, null, true, 'valid'));
    const { uploads, bodies } = await uploading([...checks, result(2, null, false, 'sent')]);
    await uploads.choose(file);
    await uploads.change({ header_row: 1 });
    expect(uploads.file.value?.workbook).toEqual({
      ...{ sheet: 'Cover', sheets: ['Cover', 'Claims'], hiddenRows: 0 },
    });
    await uploads.choose(file, { sheet: 'Gone' });
    // What was checked is still there.
    expect([uploads.notice.value, uploads.upload.value, uploads.file.value]).toMatchObject([
      ...[{ kind: 'unreadable' }, { kind: 'checked' }, { workbook: { sheet: 'Cover' } }],
    ]);
    await uploads.choose(file, { sheet: 'Claims' });
    const text = 'Claim #\tCode\r\n1\t"a ""b"""\r\n\r\n2\tc';
    expect(bodies().at(-1)).toMatchObject({ dry_run: true, text, delimiter: 'tab', header_row: undefined });
    await uploads.send();
    expect(bodies().at(-1)).toMatchObject({ dry_run: false, text, delimiter: 'tab' });
    bytes.value = workbookOf({ sheets: sheets.slice(0, 1) });
    await uploads.send();
    expect([uploads.notice.value, uploads.upload.value, bodies().length]).toEqual([
      { kind: 'unreadable', detail: expect.stringContaining('Its sheets: Cover.') },
      undefined,
      4,
    ]);
  });

  test('checks every row again for another choice, and another file without the columns of the one before', async () => {
    const answers: ((met: object) => void)[] = [];
    const [first, last, late] = [0, 1, 2].map(() => new Promise<object>((resolve) => answers.push(resolve)));
    const { desk, bodies, uploads } = await uploading([
      ...[first, result(2, null, true, 'valid'), new NetworkError('service', 1000), last, late],
    ]);
    const values = { 'carrier.name': 'Gulf' };
    const changing = uploads.change({ columns: { 'Claim #': 'claim_number', Code: null }, values });
    await settled();
    const { kind, counts } = uploads.upload.value ?? {};
    expect([kind, counts, uploads.isSending.value]).toEqual(['checking', {}, false]);
    await uploads.choose(FILE);
    answers[0]?.(result(2, null, true, 'invalid'));
    await changing;
    expect(uploads.upload.value).toMatchObject({ kind: 'checked', counts: { valid: 2 } });
    const common = {
      ...{ name: 'Monday', file_name: 'Monday 11-28.csv', text: TEXT, delimiter: 'comma', adjusters: {} },
      ...{ environment: 'live', dry_run: true, values },
    };
    expect(bodies()).toEqual([{ ...common, columns: { 'Claim #': 'claim_number' } }, common]);
    // A check that the service could not process yet is not repeated for the file of before.
    void uploads.change({ date_order: 'dmy' });
    await settled();
    const choosing = uploads.choose(FILE);
    await settled();
    expect(uploads.upload.value).toBeUndefined();
    await after(1000);
    answers[1]?.(result(2, null, true, 'valid'));
    await choosing;
    expect([bodies().length, uploads.upload.value?.kind, messageOf(desk)]).toEqual([
      ...[4, 'checked', [undefined]],
    ]);
    void uploads.change({ date_order: 'mdy' });
    desk.chooseEnvironment('test');
    answers[2]?.(result(2, null, true, 'valid'));
    await settled();
    expect([uploads.upload.value, uploads.choices.value, uploads.canResume()]).toEqual([
      undefined,
      {},
      false,
    ]);
  });
});

describe('a list of invitations', () => {
  const results = (from: number, to: number, outcome = 'invited') => ({
    results: Array.from({ length: to - from }, (_, n) => ({ svc_id: `SVC-${from + n}`, outcome })),
  });
  const listing = async (responses: readonly (object | Error)[], typed: string) => {
    const { desk, state, sent } = await opened();
    state.meets.inviteBoardAdjusters = [...responses];
    const invitations = desk.openInvitations(createInvitations);
    invitations.typed.value = typed;
    const lists = () => sent('inviteBoardAdjusters').map(({ body }) => Object(body).svc_ids);
    return { desk, invitations, lists, sent };
  };
  const many = Array.from({ length: 120 }, (_, n) => `SVC-${n}`).join('\n');

  test('is sent in parts, waits as long as the service asks, and after a stop is sent again as a whole', async () => {
    const { desk, invitations, lists, sent } = await listing(
      [
        results(0, 50),
        new NetworkError('service', 5000),
        new NetworkError('timeout'),
        results(0, 50, 'invitation_pending'),
        results(50, 100),
        results(100, 120),
      ],
      many,
    );
    void invitations.send();
    void invitations.send();
    await settled();
    const invited = Array.from({ length: 50 }, (_, n) => ({
      ...{ row: n + 1, svcId: `SVC-${n}`, outcome: 'invited' },
    }));
    const part = { environment: 'live', total: 120, done: invited };
    expect(invitations.run.value).toEqual({ ...part, kind: 'sending' });
    await after(5000);
    expect([invitations.run.value, invitations.typed.value]).toEqual([{ ...part, kind: 'stopped' }, many]);
    // Those who were invited are among the adjusters.
    expect([messageOf(desk), sent('listBoardAdjusters').length]).toEqual([['error', en.network.needed], 1]);
    await invitations.send();
    expect(lists().map(({ length, 0: first }) => `${length} ${first}`)).toEqual([
      ...['50 SVC-0', '50 SVC-50', '50 SVC-50'],
      ...['50 SVC-0', '50 SVC-50', '20 SVC-100'],
    ]);
    expect(invitations.run.value?.done).toHaveLength(120);
    expect([invitations.run.value?.kind, invitations.typed.value]).toEqual(['sent', '']);
  });

  test('leaves what has to be corrected, whatever the response has, and sends nothing that cannot be an SVCID', async () => {
    const outcomes = ['invited', 'unknown_osaid', 'already_member', 'an_outcome_of_later'];
    const response = { results: outcomes.map((outcome) => ({ outcome })) };
    const [longest, long] = ['😀'.repeat(128), 'x'.repeat(129)];
    const typed = ['SVC-1', 'svc-2', 'SVC-1', long, 'SVC\ud800', 'SVC-3', 'SVC-4', longest, 'S\0'].join('\n');
    const { invitations, lists } = await listing([response], typed);
    await invitations.send();
    expect(lists()).toEqual([['SVC-1', 'svc-2', 'SVC-3', 'SVC-4', longest]]);
    const failed = invitations.run.value?.done.filter(needsCorrection);
    expect(invitations.run.value?.total).toBe(9);
    expect(failed?.map(({ row, outcome }) => `${row} ${outcome}`).sort()).toEqual([
      ...['2 unknown_osaid', '4 invalid', '5 invalid', '7 an_outcome_of_later', '8 unknown', '9 invalid'],
    ]);
    expect(invitations.typed.value).toBe(typed);
    invitations.correct();
    expect(invitations.typed.value.split('\n').sort()).toEqual([
      ...['S\0', 'SVC-4', 'SVC\ud800', 'svc-2', long, longest],
    ]);
    expect(invitations.run.value).toBeUndefined();
  });

  test('goes to the environment in which it was started, and one that was left behind changes nothing', async () => {
    const given: ((met: unknown) => void)[] = [];
    const { desk, invitations, sent } = await listing(
      [
        new Promise((resolve) => given.push(resolve)),
        ...[results(50, 100), results(100, 120), results(0, 50), new NetworkError('service', 1000)],
      ],
      many,
    );
    desk.chooseEnvironment('test');
    const sending = invitations.send();
    await settled();
    desk.chooseEnvironment('live');
    given[0]?.(results(0, 50));
    await sending;
    expect(sent('inviteBoardAdjusters').map(({ query }) => query?.environment)).toEqual(
      Array(3).fill('test'),
    );
    expect(sent('listBoardAdjusters')).toHaveLength(1);
    invitations.typed.value = many;
    for (let runs = 0; runs < 2; runs += 1) {
      void invitations.send();
      await (runs === 0 ? undefined : settled());
      invitations.forget();
      await after(1000);
    }
    expect([invitations.run.value, messageOf(desk)]).toEqual([undefined, [undefined]]);
    expect(sent('inviteBoardAdjusters')).toHaveLength(5);
  });

  test('is read from a file, whatever the encoding of its names, and one that is no table says so', async () => {
    const { invitations } = await listing([], '');
    const file = (bytes: Uint8Array | string) => ({
      name: 'adjusters.csv',
      arrayBuffer: async () =>
        new Uint8Array(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes).buffer,
    });
    await invitations.choose(file('Name,SVCID,Town\nRen\xe9e,SVC-1,A\nJos\xe9,SVC-2,B\n'));
    expect([invitations.typed.value, invitations.notice.value]).toEqual([
      'SVC-1\nSVC-2',
      { kind: 'left_out', text: 'Name, Town' },
    ]);
    const rows = [['SVCID'], ['SVC-3']];
    await invitations.choose(file(workbookOf({ sheets: [{ name: 'Adjusters', rows }] })));
    expect(invitations.typed.value).toBe('SVC-3');
    expect(invitations.notice.value).toBeUndefined();
    await invitations.choose(file('%PDF-1.7 \0\0'));
    expect([invitations.typed.value, invitations.notice.value?.kind]).toEqual(['SVC-3', 'unreadable']);
    const gone = { ...file(''), arrayBuffer: () => Promise.reject(new Error('gone')) };
    await expect(invitations.choose(gone)).rejects.toThrow('gone');
    invitations.restart();
    expect([invitations.run.value, invitations.notice.value]).toEqual([undefined, undefined]);
  });
});
