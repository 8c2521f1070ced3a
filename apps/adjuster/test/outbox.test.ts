import { describe, expect, test } from '@jest/globals';
import type { AppClaim } from '@svc/contract';
import { ApiError, NetworkError } from '@svc/web-app/api-error';
import { type RequestParts, requestOf } from '@svc/web-app/endpoints';
import { type Call, type CallId, ROUTES } from '../src/data/endpoints.ts';
import { type PastOffer, pastOffer } from '../src/model/history.ts';
import { answerHandler, type Outcome } from '../src/outbox/answers.ts';
import type { AnswerContent, Entry, WorkContent } from '../src/outbox/entry.ts';
import { canCancel, nextDueAt, stateOf } from '../src/outbox/entry.ts';
import { withKnownTimes } from '../src/outbox/known-times.ts';
import { afterLogging, afterUndo } from '../src/outbox/notes.ts';
import { createOutbox, type OutboxApi, type OutboxStore } from '../src/outbox/outbox.ts';
import { settingsHandler } from '../src/outbox/settings.ts';
import { workHandler } from '../src/outbox/work.ts';
import { offer } from './claims.ts';

type Response = unknown | Error;

/** A device with one store, on which outboxes are created as tabs and workers do. */
function device() {
  let entries: readonly Entry[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  const state = {
    now: 1_000_000,
    online: true,
    owner: 'SVC-1' as string | undefined,
    lost: false,
    /** The response to each `METHOD path`, or the responses in turn; others succeed. */
    responses: {} as Record<string, Response | Response[]>,
    calls: [] as string[],
    bodies: [] as unknown[],
    outcomes: [] as Outcome[],
    history: [] as unknown[],
    drafts: [] as WorkContent[],
    shown: [] as unknown[],
    refused: [] as string[],
    /** In which order entries are stored, noted as refused and kept as typed. */
    steps: [] as string[],
    notes: {} as Readonly<Record<string, string>>,
    tellsTime: true,
    savedEntries: [] as unknown[],
    work: { version: 'v1' } as AppClaim['work'],
    merged: [] as string[],
    clockAheadMs: 0,
    isTimeKnown: true,
    isLasting: true,
  };
  const store: OutboxStore = {
    async read() {
      if (state.lost) throw new Error('The database was deleted.');
      return entries;
    },
    async update(change, changeNotes) {
      if (state.lost) throw new Error('The database was deleted.');
      const before = entries;
      // As IndexedDB stores them.
      entries = structuredClone(change(before)) as readonly Entry[];
      state.notes = changeNotes(state.notes);
      state.steps.push(`store ${entries.length}`);
      return before;
    },
    refused: {
      async add(ids) {
        if (state.lost) throw new Error('The database was deleted.');
        state.refused.push(...ids);
        state.steps.push('refused');
      },
      async has(ids) {
        if (state.lost) throw new Error('The database was deleted.');
        return state.refused.some((id) => ids.includes(id));
      },
    },
    owner: async () => state.owner,
    isLasting: () => state.isLasting,
    exclusive<T>(task: () => Promise<T>): Promise<T> {
      const run = turn.then(task);
      turn = run.catch(() => {});
      return run;
    },
  };
  const call = (async (id: CallId, parts?: RequestParts) => {
    const { method, path, body } = requestOf(ROUTES[id] ?? '', parts);
    const name = `${method} ${path.replace('v1/claims/', '')}`;
    state.calls.push(name);
    state.bodies.push(body);
    const planned = state.responses[name];
    const response = Array.isArray(planned) ? planned.shift() : planned;
    if (response instanceof Error) throw response;
    const result = typeof response === 'function' ? await response() : response;
    if (result !== undefined) return result;
    if (id in ANSWERED) return claimIs(ANSWERED[id as keyof typeof ANSWERED]);
    if (id === 'closeClaim') return claimIs('accepted', { closed_at: 'now' });
    if (id === 'logContact') return { work: { contacts: [{ id: parts?.params?.contact_id }] } };
    return id === 'updateWork' ? { work: Object.assign({}, state.work, body) } : undefined;
  }) as Call;
  const api: OutboxApi = {
    isOnline: () => state.online,
    answer: answerHandler({
      ...{ call, now: () => state.now },
      recordOutcome: async (outcome, rejected) => {
        state.outcomes.push(outcome);
        if (rejected !== undefined) state.history.push(rejected);
      },
    }),
    work: workHandler({
      call,
      workOf: (id) => (id === 'unknown' ? undefined : state.work),
      labelOf: (field) => field,
      merged: (id) => void state.merged.push(id),
      updateClaim: (claim) => void state.shown.push(claim),
      entriesSaved: async (_, entries) => void state.savedEntries.push(entries),
      async keepAsDraft(edits) {
        state.drafts.push(edits);
        state.steps.push('draft');
      },
    }),
    settings: settingsHandler({
      call,
      sendDevicePreferences: ({ quietHours, deadlineReminders }) =>
        call('setDevicePreferences', {
          params: { device_id: 'device' },
          body: { time_zone: '', quiet_hours: quietHours, deadline_reminders: deadlineReminders },
        }),
      storeAvailability: async (availability) => void state.shown.push(availability),
    }),
  };
  const time = {
    now: () => state.now - (state.isTimeKnown ? state.clockAheadMs : 0),
    isKnown: () => state.isTimeKnown,
    async ask() {
      await call('getProfile');
      state.isTimeKnown = state.tellsTime;
    },
  };
  const open = (known = api) => createOutbox({ store, api: known, time, clock: { now: () => state.now } });
  return { state, open, outbox: open(), time, stored: () => entries };
}

/** The assignment once the service has the answer. */
const ANSWERED = { acceptClaim: 'accepted', rejectClaim: 'rejected' } as const;

const past = (changes: Partial<PastOffer> = {}): PastOffer => ({
  ...pastOffer(offer({ claim_number: 'CN-7', offered_at: 'seen' }), 'rejected', 1),
  ...changes,
});
const accept = (key: string, more: Partial<AnswerContent> = {}): AnswerContent => ({
  ...{ kind: 'answer', key, answer: 'accept', title: `Title of ${key}`, offer: past() },
  ...more,
});
const reject = (key: string, reason?: string): AnswerContent =>
  accept(key, { answer: 'reject', offer: past(reason === undefined ? {} : { reason }) });
const notes = (key: string, text: string): WorkContent => ({ kind: 'work', key, entries: { notes: text } });
const contact = (key: string, id: string): WorkContent => ({
  ...{ kind: 'work', key },
  contact: { id, at: '2026-08-30T15:00:00.000Z', result: 'no_answer' },
});
const pause = { kind: 'settings', key: 'availability', changes: { accepting_assignments: false } } as const;

const claimIs = (status: string, more: Partial<AppClaim> = {}) => ({
  ...{ assignment: { status }, offered_at: 'seen', closed_at: null },
  ...more,
});
/** On the calendar of the device. */
const dayOf = (at: number): string => new Date(at).toLocaleDateString('sv-SE');
/** With letters and characters that base64url writes in its own way. */
const receiptOf = (rule: string) => ({
  receipt: `header.${Buffer.from(JSON.stringify({ note: 'ñ>?ÿ~', decided_by: { rule } })).toString('base64url')}.signature`,
});
const busy = (retryAfterMs?: number) => new NetworkError('service', retryAfterMs);
const noNetwork = () => new NetworkError('connection');

describe('the outbox', () => {
  test('sends answers in the order in which they were given, each with the offer that was seen', async () => {
    const { state, outbox } = device();
    await outbox.add([accept('a')]);
    await outbox.add([reject('b', 'Too far away'), accept('c')]);
    expect((await outbox.send()).sent).toHaveLength(3);
    expect(state.calls).toEqual(['POST a/acceptance', 'POST b/rejection', 'POST c/acceptance']);
    expect(state.bodies[1]).toEqual({ offered_at: 'seen', reason: 'Too far away' });
    expect(state.outcomes.map(({ result }) => result)).toEqual(['accepted', 'rejected', 'accepted']);
    expect(await outbox.own()).toEqual([]);
  });

  test.each([
    ['the browser reports no network', false],
    ['a request meets no network', true],
  ])('sends with an answer when it was given, and since when it has waited, after %s', async (_, online) => {
    const { state, outbox } = device();
    await outbox.add([accept('a', { answeredAt: state.now })]);
    state.now += 1000;
    state.online = online;
    state.responses['POST a/acceptance'] = online ? [noNetwork(), {}] : [];
    await outbox.send();
    state.now += 60_000;
    state.online = true;
    state.responses['GET a'] = claimIs('pending_acceptance');
    await outbox.send();
    expect(state.bodies.at(-1)).toEqual({
      offered_at: 'seen',
      answered_at: new Date(1_000_000).toISOString(),
      kept_offline_since: new Date(1_001_000).toISOString(),
    });
  });

  test.each([
    ['ahead', 86_400_000],
    ['behind', -86_400_000],
  ])(
    'sends the times of what was done before the service was reached, on a device a day %s, by the clock of the service',
    async (_, clockAheadMs) => {
      const { state, open, time } = device();
      // Still August 30 where the adjuster is.
      const done = Date.parse('2026-08-31T02:00:00.000Z');
      Object.assign(state, { clockAheadMs, now: done + clockAheadMs, online: false });
      const at = (ms: number): string => new Date(ms).toISOString();
      const page = open();
      const give = async (key: string): Promise<void> => {
        const made = { id: key, at: at(time.now()), result: 'reached' } as const;
        await page.add([
          accept(key, { answeredAt: time.now() }),
          { kind: 'work', key, contact: made, entries: { contact_date: dayOf(time.now()) }, base: {} },
        ]);
      };
      await give('known');
      state.isTimeKnown = false;
      await give('not known');
      state.now += 60_000;
      // The app is closed: the worker, or a later visit, finds no network, and then there is one.
      expect(await open().send()).toMatchObject({ stopped: 'offline' });
      state.online = true;
      state.now += 60_000;
      state.responses['GET v1/me'] = [new NetworkError(), new NetworkError(), undefined];
      expect((await open().send()).stopped).toBe('offline');
      expect(state.calls).toEqual(['GET v1/me', 'GET v1/me']);
      expect((await page.own()).some(({ tried }) => tried)).toBe(false);
      expect((await open().send()).stopped).toBeUndefined();
      const answered = { answered_at: at(done), kept_offline_since: at(done + 60_000) };
      const sent = [answered, { contact_date: '2026-08-30' }, { at: at(done) }];
      expect(state.bodies.slice(3)).toMatchObject([...sent, ...sent]);
    },
  );

  test('keeps everything while offline, lets it be undone, and sends it in order afterwards', async () => {
    const { state, outbox, stored } = device();
    state.online = false;
    state.owner = 'SVC-2';
    await outbox.add([accept('foreign')]);
    state.owner = 'SVC-1';
    await outbox.add([accept('held')], 120_000);
    await outbox.add([accept('a')]);
    const [undone = ''] = await outbox.add([accept('b')]);
    await outbox.add([notes('c', 'Wet'), pause]);
    const since = state.now;
    for (let n = 0; n < 2; n += 1) {
      expect((await outbox.send()).stopped).toBe('offline');
      state.now += 1000;
    }
    expect(stored().map(({ offlineSince }) => offlineSince)).toEqual([
      ...[undefined, undefined, since, since, since, since],
    ]);
    expect(await outbox.cancel([undone])).toHaveLength(1);
    state.online = true;
    await outbox.send();
    expect(state.calls).toEqual(['POST a/acceptance', 'PATCH c/work', 'PATCH v1/me/availability']);
  });

  test('stops without a network, and reads the claim before it answers again', async () => {
    const { state, outbox } = device();
    await outbox.add([accept('a'), accept('b'), accept('c')]);
    state.responses = { 'POST a/acceptance': noNetwork(), 'POST b/acceptance': noNetwork() };
    expect(await outbox.send()).toMatchObject({ stopped: 'offline', sent: [], failed: [] });
    expect((await outbox.own()).map((entry) => canCancel(entry, state.now))).toEqual([false, false, true]);
    state.calls = [];
    state.responses = { 'GET a': claimIs('accepted'), 'GET b': claimIs('pending_acceptance') };
    await outbox.send();
    expect(state.calls).toEqual(['GET a', 'GET b', 'POST b/acceptance', 'POST c/acceptance']);
    expect(state.outcomes.map(({ result }) => result)).toEqual(['accepted', 'accepted', 'accepted']);
  });

  test.each([
    ['500 or 503', busy(), 5000],
    ['429 with Retry-After', busy(30_000), 30_000],
    ['503 with a Retry-After of 60 s', busy(60_000), 60_000],
    ['no response, when others get one', new NetworkError('timeout'), 5000],
    ['an error of the app', new TypeError('undefined is not a function'), 5000],
  ])('goes on past an entry that gets %s, and sends it again later', async (_, error, waitMs) => {
    const { state, outbox } = device();
    await outbox.add([accept('a'), notes('b', 'Wet'), pause, accept('d')]);
    state.responses = {
      'POST a/acceptance': error,
      'PATCH b/work': error,
      'PATCH v1/me/availability': error,
      'GET a': claimIs('pending_acceptance'),
    };
    if (!(error instanceof NetworkError) || error.reason === 'service') {
      expect(await outbox.send()).toMatchObject({ failed: { length: 3 }, sent: { length: 1 } });
      expect((await outbox.own()).map((entry) => stateOf(entry, state.now))).toEqual(
        Array(3).fill('failing'),
      );
    } else {
      state.responses = { 'POST a/acceptance': error, 'GET a': claimIs('pending_acceptance') };
      expect(await outbox.send()).toMatchObject({ failed: { length: 1 }, sent: { length: 3 } });
    }
    expect(nextDueAt(await outbox.own(), state.now)).toBe(state.now + waitMs);
    state.calls = [];
    state.responses = { 'GET a': claimIs('pending_acceptance') };
    state.now += waitMs - 1;
    await outbox.send();
    expect(state.calls).toEqual([]);
    state.now += 1;
    await outbox.send();
    expect(await outbox.own()).toEqual([]);
  });

  test('what follows an answer without a response on the same claim waits for it', async () => {
    const { state, outbox } = device();
    await outbox.add([accept('a'), notes('a', 'After it'), notes('b', 'Wet')]);
    state.responses = { 'POST a/acceptance': new NetworkError('timeout'), 'GET a': new NetworkError() };
    await outbox.send();
    expect(state.calls).toEqual(['POST a/acceptance', 'PATCH b/work']);
  });

  test('an answer waits a minute at most, however long a Retry-After is, and can be sent at once', async () => {
    const { state, outbox } = device();
    const [answer = '', edit = ''] = await outbox.add([accept('a'), notes('b', 'Wet'), pause]);
    for (const name of ['POST a/acceptance', 'PATCH b/work', 'PATCH v1/me/availability'])
      state.responses[name] = busy(3_600_000);
    await outbox.send();
    expect((await outbox.own()).map(({ notBefore = 0 }) => notBefore - state.now)).toEqual([
      ...[60_000, 300_000, 300_000],
    ]);
    state.responses = { 'GET a': claimIs('pending_acceptance') };
    for (const id of [answer, edit]) {
      await outbox.hurry([id]);
      expect((await outbox.send()).sent).toMatchObject([{ id }]);
    }
    await outbox.add([accept('c')]);
    state.responses = { 'POST c/acceptance': busy(), 'GET c': busy() };
    for (let failures = 1; failures < 8; failures += 1) {
      await outbox.send();
      state.now += 60_000;
    }
    state.responses = { 'GET c': claimIs('pending_acceptance') };
    expect((await outbox.send()).sent).toHaveLength(1);
  });

  test('shows as stuck what the service fails to process again and again, which can be canceled', async () => {
    const { state, outbox } = device();
    const [answer = '', edit = ''] = await outbox.add([accept('a'), notes('b', 'Wet')]);
    state.responses = { 'POST a/acceptance': busy(), 'PATCH b/work': busy(), 'GET a': busy() };
    const states: (string | number)[] = [];
    for (let n = 0; n < 3; n += 1) {
      state.responses['POST a/acceptance'] = state.responses['PATCH b/work'] = busy();
      await outbox.send();
      const own = await outbox.own();
      states.push(
        ...own.map((entry) => stateOf(entry, state.now)),
        (nextDueAt(own, state.now) ?? 0) - state.now,
      );
      state.now += 5 * 60_000;
    }
    expect(states).toEqual([
      ...['failing', 'failing', 5000, 'failing', 'failing', 10_000, 'stuck', 'stuck', 20_000],
    ]);
    await outbox.cancel([answer, edit]);
    expect(await outbox.own()).toEqual([]);
    // What was typed is not lost.
    expect(state.drafts).toMatchObject([{ key: 'b', entries: { notes: 'Wet' } }]);
  });

  test('a note of an entry that is canceled is in its field again, or in what is typed where it may have arrived', async () => {
    const { state, outbox } = device();
    const logged: WorkContent = { ...contact('a', '1'), entries: { notes: 'Wet' } };
    Object.assign(logged.contact ?? {}, { note: 'Gate' });
    await outbox.cancel(await outbox.add([logged], 5000));
    expect([state.notes, state.drafts]).toEqual([{ a: 'Gate' }, []]);
    const ids = await outbox.add([logged]);
    state.responses['PATCH a/work'] = busy();
    await outbox.send();
    await outbox.cancel(ids);
    expect(state.notes).toEqual({});
    expect(state.drafts).toMatchObject([logged]);
  });

  test('sends the entries of a claim in order: a later one waits for one that fails, those of other claims do not', async () => {
    const { state, outbox } = device();
    const close: WorkContent = { kind: 'work', key: 'a', close: true };
    await outbox.add([notes('a', 'Wet'), contact('a', '1'), close, notes('a', 'Dry')]);
    await outbox.add([contact('b', '2')]);
    state.responses = { 'PATCH a/work': busy() };
    await outbox.send();
    expect(state.calls).toEqual(['PATCH a/work', 'PUT b/contacts/2']);
    state.calls = [];
    state.responses = {};
    state.now += 5000;
    await outbox.send();
    expect(state.calls).toEqual([...['PATCH a/work', 'PUT a/contacts/1', 'POST a/closure', 'PATCH a/work']]);
  });

  test('saves notes on what they were made from, else together with those of another device, also after a lost response', async () => {
    const { state, outbox } = device();
    const edit: WorkContent = {
      ...{ kind: 'work', key: 'a', base: { notes: 'Gate 1', contact_date: '' } },
      entries: { notes: 'Gate 1\nDog', contact_date: '2026-08-30' },
    };
    await outbox.add([edit]);
    const changed = { version: 'v2', notes: 'Gate 1\nLadder', contact_date: '2026-08-29' };
    const merged = 'Gate 1\nLadder\nDog\ncontact_date: 2026-08-29';
    state.work = { version: 'v1', notes: 'Gate 1' };
    state.responses = {
      'PATCH a/work': [new ApiError(409, 'work_changed'), noNetwork(), undefined],
      'GET a': () => ({ work: changed }),
    };
    await outbox.send();
    expect(state.merged).toEqual([]);
    // It had arrived.
    state.work = { version: 'v3', notes: merged, contact_date: '2026-08-30' };
    await outbox.send();
    const body = { notes: merged, contact_date: '2026-08-30' };
    expect(state.bodies.filter((one) => one !== undefined)).toEqual([
      { notes: 'Gate 1\nDog', contact_date: '2026-08-30', based_on: 'v1' },
      { ...body, based_on: 'v2' },
      { ...body, based_on: 'v3' },
    ]);
    expect(state.savedEntries).toEqual([edit.entries]);
    // Of a claim that is not in the lists it is asked for.
    state.responses = { 'GET unknown': { work: { version: 'v7' } } };
    await outbox.add([notes('unknown', 'Wet')]);
    await outbox.send();
    expect(state.bodies.at(-1)).toEqual({ notes: 'Wet', based_on: 'v7' });
  });

  test('notes that are too long with those of another device stay typed, and work that changes each time is sent later', async () => {
    const { state, outbox } = device();
    const own = 'x'.repeat(3000);
    const save = async (length: number) => {
      state.work = { version: 'v1', notes: 'y'.repeat(length) };
      await outbox.add([{ ...notes('a', own), base: { notes: '' } }]);
      await outbox.send();
      return [state.drafts.length, state.savedEntries.length, state.merged.length];
    };
    expect([await save(998), await save(999)]).toEqual([
      [0, 1, 1],
      [1, 1, 1],
    ]);
    state.calls = [];
    state.responses = {
      'PATCH b/work': () => Promise.reject(new ApiError(409, 'work_changed')),
      'GET b': () => ({ work: state.work }),
    };
    await outbox.add([notes('b', 'Wet')]);
    expect((await outbox.send()).failed).toHaveLength(1);
    expect(state.calls).toEqual(Array(5).fill(['PATCH b/work', 'GET b']).flat());
  });

  test.each([accept('a'), reject('a')])(
    'an $answer is kept while the response shows the offer as it was before',
    async (answer) => {
      const { state, outbox, stored } = device();
      await outbox.add([answer]);
      for (const name of ['POST a/acceptance', 'POST a/rejection', 'GET a'])
        state.responses[name] = () => claimIs('pending_acceptance');
      await outbox.send();
      expect([state.outcomes, stored()]).toEqual([[], [expect.objectContaining({ tried: true })]]);
      state.responses = { 'GET a': claimIs('pending_acceptance') };
      await outbox.send();
      expect(state.outcomes).toMatchObject([{ claimId: 'a', answer: answer.answer }]);
    },
  );

  test.each([
    ['PATCH a/work', notes('a', 'Wet')],
    ['PATCH a/work', notes('a', ' ')],
    ['PUT a/contacts/1', contact('a', '1')],
    ['POST a/closure', { kind: 'work', key: 'a', close: true } as const],
  ])('%s is sent again while the response shows the claim as it was before', async (name, edit) => {
    const { state, open, stored } = device();
    state.work = { version: 'v1', notes: 'Before' };
    state.responses[name] = () => claimIs('accepted', { work: state.work });
    const outbox = open();
    await outbox.add([edit]);
    await outbox.send();
    expect([state.shown, state.savedEntries, stored()]).toMatchObject([[], [], [{ tried: true }]]);
    state.responses = {};
    expect((await outbox.send()).sent).toHaveLength(1);
    expect(state.shown).toHaveLength(1);
  });

  test('replaces what it has saved itself, though the responses were lost, and does not take it for that of another device', async () => {
    const { state, outbox } = device();
    const edit = (text: string, date: string, before = ''): WorkContent => ({
      ...{ kind: 'work', key: 'a', base: { notes: before, contact_date: '' } },
      entries: { notes: text, contact_date: date },
    });
    state.responses = { 'PATCH a/work': [noNetwork(), noNetwork()] };
    await outbox.add([edit('Water in the den.', '2026-08-29')]);
    await outbox.send();
    await outbox.add([edit('Water and mud.', '2026-08-29', 'Water in the den.')]);
    await outbox.send();
    await outbox.add([edit('Mud in the kitchen.', '2026-08-30', 'Water and mud.')]);
    state.work = { version: 'v2', notes: 'Water in the den.', contact_date: '2026-08-29' };
    state.responses = {};
    await outbox.send();
    expect(state.bodies.at(-1)).toEqual({
      ...{ notes: 'Mud in the kitchen.', contact_date: '2026-08-30' },
      based_on: 'v2',
    });
    expect(state.merged).toEqual([]);
  });

  test('keeps everything when the session is over or a passkey is required, and sends it after that', async () => {
    const { state, outbox } = device();
    await outbox.add([accept('a'), notes('b', 'Wet')]);
    state.responses = { 'POST a/acceptance': new ApiError(401, 'unauthorized') };
    expect((await outbox.send()).stopped).toBe('signed out');
    state.responses = { 'GET a': new ApiError(403, 'passkey_required') };
    expect((await outbox.send()).stopped).toBe('passkey required');
    state.responses = { 'GET a': claimIs('pending_acceptance') };
    expect((await outbox.send()).sent).toHaveLength(2);
  });

  test.each([
    [403, 'forbidden', undefined, 'refused'],
    [422, 'validation_failed', undefined, 'refused'],
    [404, 'not_found', undefined, 'gone'],
    [409, 'offer_not_pending', claimIs('unassigned'), 'gone'],
    [409, 'offer_not_pending', claimIs('pending_acceptance', { closed_at: 'today' }), 'gone'],
    [409, 'offer_not_pending', claimIs('pending_acceptance', { offered_at: 'later' }), 'offeredAgain'],
    [409, 'offer_not_pending', claimIs('accepted'), 'accepted'],
    [409, 'offer_not_pending', claimIs('pending_acceptance'), 'gone'],
    [409, 'offer_not_pending', new ApiError(404, 'not_found'), 'gone'],
    [409, 'offer_not_pending', new ApiError(403, 'forbidden'), 'refused'],
  ])('an acceptance that gets %s %s is over, with the result that the claim shows', async (...row) => {
    const [status, code, claim, result] = row;
    const { state, outbox } = device();
    await outbox.add([accept('a'), accept('b')]);
    state.responses = {
      ...{ 'POST a/acceptance': new ApiError(status, code), 'GET a': claim },
      // It is not asked where the claim says enough.
      'GET a/receipt?offered_at=seen': receiptOf(
        result === 'gone' ? 'offered_to_another' : 'withdrawn_by_firm',
      ),
    };
    expect((await outbox.send()).sent).toHaveLength(2);
    const { city, state: of } = past();
    // Who may no longer see the claim keeps nobody's name.
    const shown =
      result === 'gone'
        ? { title: `CN-7 (${city})` }
        : { title: 'Title of a', detail: `${city}, ${of} · CN-7` };
    expect(state.outcomes[0]).toEqual({ claimId: 'a', result, answer: 'accept', at: state.now, ...shown });
    const listed = result === 'accepted' ? result : 'late';
    expect(state.history.map((one) => Object(one).result)).toEqual([
      ...[...(result === 'refused' ? [] : [listed]), 'accepted'],
    ]);
  });

  test.each([
    ['acceptance', accept, new ApiError(404, 'not_found')],
    ['rejection', reject, new ApiError(404, 'not_found')],
    ['acceptance', accept, claimIs('pending_acceptance')],
  ] as const)('an %s of an offer that the firm has withdrawn says so', async (path, answer, claim) => {
    const { state, outbox } = device();
    await outbox.add([answer('a')]);
    state.responses = {
      [`POST a/${path}`]: new ApiError(409, 'offer_not_pending'),
      'GET a': claim,
      'GET a/receipt?offered_at=seen': receiptOf('withdrawn_by_firm'),
    };
    await outbox.send();
    expect(state.outcomes).toMatchObject([{ result: 'withdrawn' }]);
    expect(state.outcomes[0]?.title).toMatch(/^CN-7/);
    expect(state.history).toMatchObject([{ result: 'late' }]);
  });

  test('a rejection of what was accepted on another device does not end that', async () => {
    const { state, outbox } = device();
    await outbox.add([reject('a')]);
    state.responses = {
      'POST a/rejection': new ApiError(409, 'offer_not_pending'),
      'GET a': claimIs('accepted'),
    };
    await outbox.send();
    // So does one that may have arrived.
    await outbox.add([reject('b'), reject('c')]);
    state.responses = { 'POST b/rejection': [noNetwork()], 'GET b': claimIs('accepted') };
    // Nor does one whose claim may no longer be read.
    Object.assign(state.responses, {
      ...{ 'POST c/rejection': [noNetwork()], 'GET c': new ApiError(403, 'forbidden') },
    });
    for (let n = 0; n < 2; n += 1) await outbox.send();
    expect(state.outcomes.map(({ result }) => result)).toEqual([
      ...['alreadyAccepted', 'alreadyAccepted', 'refused'],
    ]);
    expect([state.history, state.calls.filter((name) => /POST [bc]/.test(name))]).toMatchObject([
      [],
      { length: 2 },
    ]);
  });

  test('an answer is in the history, a rejection with its reason, also when its response was lost and the lists are gone', async () => {
    const { state, outbox } = device();
    const rejection = reject('a', 'Too far away');
    await outbox.add([rejection, accept('b')]);
    state.responses = { 'POST a/rejection': new NetworkError('timeout') };
    await outbox.send();
    state.now += 5000;
    state.responses = { 'GET a': new ApiError(404, 'not_found') };
    await outbox.send();
    expect(state.history).toEqual([
      {
        ...rejection.offer,
        result: 'accepted',
        reason: undefined,
        endedAt: state.now - 5000,
        claimId: expect.any(String),
      },
      { ...rejection.offer, endedAt: state.now },
    ]);
  });

  test.each([
    ['an acceptance', accept, 'acceptance', 'late', 'gone'],
    ['a rejection', reject, 'rejection', 'rejected', 'rejected'],
  ] as const)(
    '%s that may have arrived and may be too late is sent all the same, so that the service records it',
    async (_, answer, path, listedAs, result) => {
      const { state, outbox } = device();
      const given = answer('a');
      await outbox.add([given]);
      state.responses = { [`POST a/${path}`]: new NetworkError('timeout') };
      await outbox.send();
      state.now += 5000;
      const missing = new ApiError(404, 'not_found');
      state.responses = { 'GET a': missing, [`POST a/${path}`]: missing };
      await outbox.send();
      const asked = answer === accept ? ['GET a/receipt?offered_at=seen'] : [];
      expect(state.calls).toEqual([`POST a/${path}`, 'GET a', `POST a/${path}`, ...asked]);
      expect(state.history).toEqual([{ ...given.offer, result: listedAs, endedAt: state.now }]);
      expect(state.outcomes).toMatchObject([{ result }]);
    },
  );

  test.each([
    ['an acceptance', 'offered again', accept, 'acceptance', 'offeredAgain'],
    ['a rejection', 'offered again', reject, 'rejection', 'offeredAgain'],
    ['an acceptance', 'taken back', accept, 'acceptance', 'gone'],
    ['a rejection', 'taken back', reject, 'rejection', 'gone'],
  ] as const)(
    '%s that may have arrived, of a claim that was %s, is sent for the offer that was seen',
    async (_, what, answer, path, result) => {
      const claim = {
        'offered again': claimIs('pending_acceptance', { offered_at: 'later' }),
        'taken back': claimIs('unassigned'),
      }[what];
      const { state, outbox } = device();
      await outbox.add([answer('a')]);
      state.responses = { [`POST a/${path}`]: new NetworkError('timeout') };
      await outbox.send();
      state.now += 5000;
      state.responses = { 'GET a': claim, [`POST a/${path}`]: new ApiError(409, 'offer_not_pending') };
      await outbox.send();
      const { calls, bodies } = state;
      expect(calls.slice(0, 4)).toEqual([`POST a/${path}`, 'GET a', `POST a/${path}`, 'GET a']);
      expect(bodies[2]).toMatchObject({ offered_at: 'seen' });
      expect(state.outcomes).toMatchObject([{ result }]);
      expect(state.history).toMatchObject([{ result: 'late' }]);
    },
  );

  test('edits that the service rejects are kept as drafts, with all that follow for the claim', async () => {
    const { state, outbox } = device();
    const close = { kind: 'work', key: 'a', close: true } as const;
    const ids = await outbox.add([notes('a', 'Wet'), contact('a', '1'), close]);
    await outbox.add([notes('b', 'Dry')]);
    state.responses = { 'PATCH a/work': new ApiError(409, 'offer_not_pending') };
    expect(await outbox.send()).toMatchObject({ dropped: { length: 3 }, sent: { length: 1 } });
    expect(await Promise.all(ids.map((id) => outbox.isRefused([id])))).toEqual([true, true, true]);
    // Whenever the page is closed: first as typed, then as refused, and only then gone.
    const dropped = ['draft', 'draft', 'draft', 'refused', 'store 1'];
    expect(state.steps.join()).toContain(dropped.join());
    expect(state.calls).toEqual(['PATCH a/work', 'PATCH b/work']);
    expect(state.drafts).toMatchObject([
      { entries: { notes: 'Wet' } },
      { contact: { id: '1' } },
      { close: true },
    ]);
  });

  test("never sends or shows another adjuster's entries, and sends them when that one signs in again", async () => {
    const { state, outbox } = device();
    await outbox.add([accept('a'), notes('b', 'Wet'), pause]);
    await outbox.add([contact('h', '1')], 5000);
    state.owner = 'SVC-2';
    await outbox.add([notes('h', 'Dry')]);
    await outbox.cancel((await outbox.own()).map(({ id }) => id));
    // What was not sent is not typed again.
    expect(state.drafts).toEqual([]);
    await outbox.add([accept('c'), { ...pause, changes: { max_open_offers: 3 } }]);
    expect((await outbox.own()).map(({ key }) => key)).toEqual(['c', 'availability']);
    await outbox.release();
    await outbox.send();
    expect(state.calls).toEqual(['POST c/acceptance', 'PATCH v1/me/availability']);
    expect(state.bodies[1]).toEqual({ max_open_offers: 3 });
    state.calls = [];
    state.owner = undefined;
    await outbox.send();
    expect(state.calls).toEqual([]);
    await expect(outbox.add([accept('d')])).rejects.toThrow('Nobody is signed in.');
    state.owner = 'SVC-1';
    await outbox.send();
    expect(state.calls).toEqual(['POST a/acceptance', 'PATCH b/work', 'PATCH v1/me/availability']);
    state.owner = 'SVC-2';
    await outbox.clear();
    state.owner = 'SVC-1';
    expect((await outbox.own()).map((entry) => stateOf(entry, state.now))).toEqual(['held']);
  });

  test('sends nothing more when another adjuster signs in between two entries', async () => {
    const { state, outbox, stored } = device();
    await outbox.add([accept('a'), accept('b')]);
    state.responses = {
      'POST a/acceptance': () => {
        state.owner = 'SVC-2';
      },
    };
    await outbox.send();
    expect(state.calls).toEqual(['POST a/acceptance']);
    expect(stored()).toMatchObject([{ key: 'b', owner: 'SVC-1' }]);
  });

  test('two tabs send each entry once, and one undoes what the other has stored', async () => {
    const { state, open } = device();
    const [one, other] = [open(), open()];
    const ids = await one.add([accept('a'), accept('b')], 5000);
    await other.cancel(ids.slice(0, 1));
    state.now += 5000;
    await Promise.all([one.send(), other.send()]);
    expect(state.calls).toEqual(['POST b/acceptance']);
  });

  test('an answer given in two tabs at once is one answer, the later one unless the first may have arrived', async () => {
    const { state, open } = device();
    const [one, other] = [open(), open()];
    await one.add([accept('a')]);
    await other.add([reject('a')]);
    state.responses = { 'POST a/rejection': noNetwork(), 'GET a': claimIs('rejected') };
    await one.send();
    await one.add([accept('a')]);
    await one.send();
    expect(state.calls).toEqual(['POST a/rejection', 'GET a', 'POST a/rejection']);
  });

  test('an entry that is being sent cannot be undone, and what is added to it during that time is sent after it', async () => {
    const { state, outbox } = device();
    const ids = await outbox.add([notes('a', 'First')]);
    const [next = ''] = await outbox.add([accept('b'), accept('c')]);
    state.responses = {
      'PATCH a/work': [
        async () => {
          expect(await outbox.cancel([...ids, next])).toMatchObject([{ key: 'b' }]);
          await outbox.add([notes('a', 'First and second')]);
        },
      ],
    };
    await outbox.send();
    await outbox.send();
    expect(state.calls).toEqual(['PATCH a/work', 'POST c/acceptance', 'PATCH a/work']);
    expect(state.bodies).toEqual([
      { notes: 'First', based_on: 'v1' },
      { offered_at: 'seen' },
      { notes: 'First and second', based_on: 'v1' },
    ]);
  });

  test('a bulk answer is stored, held and undone as one: all of it or nothing', async () => {
    const { state, outbox, stored } = device();
    const bulk = Array.from({ length: 200 }, (_, n) => accept(`claim-${n}`));
    const ids = await outbox.add(bulk, 5000);
    expect((await outbox.send()).sent).toEqual([]);
    // One write, after which the page may be closed.
    const undoing = outbox.cancel(ids);
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    expect(stored()).toEqual([]);
    expect(await undoing).toHaveLength(200);
    await outbox.release();
    await outbox.send();
    expect(state.calls).toEqual([]);
  });

  test('what is held is sent when its time is over, when the page is hidden, or with what follows for its claim', async () => {
    const { state, outbox } = device();
    await outbox.add([accept('a')], 5000);
    const own = await outbox.own();
    const later = own.map((entry) => ({ ...entry, notBefore: state.now + 9000 }));
    const due = own.map((entry) => ({ ...entry, notBefore: undefined }));
    expect(nextDueAt([...later, ...own, ...due], state.now)).toBe(state.now + 5000);
    state.now += 5000;
    await outbox.send();
    await outbox.add([accept('b')], 5000);
    await outbox.release();
    await outbox.send();
    for (const held of [contact('c', '1'), contact('e', '2'), contact('c', '3')])
      await outbox.add([held], 5000);
    expect((await outbox.own()).map((entry) => stateOf(entry, state.now))).toEqual(Array(3).fill('held'));
    await outbox.add([notes('c', 'Wet')]);
    await outbox.send();
    expect(state.calls).toEqual([
      ...['POST a/acceptance', 'POST b/acceptance', 'PUT c/contacts/1', 'PUT c/contacts/3', 'PATCH c/work'],
    ]);
    expect((await outbox.own()).map((entry) => stateOf(entry, state.now))).toEqual(['held']);
    await outbox.clear();
    // What failed waits for its time also when the page is hidden.
    await outbox.add([accept('d')]);
    state.responses['POST d/acceptance'] = [busy()];
    await outbox.send();
    state.calls = [];
    await outbox.release();
    await outbox.send();
    expect(state.calls).toEqual([]);
  });

  test('a clock that is set back or ahead makes nothing wait longer', async () => {
    const { state, outbox } = device();
    await outbox.add([accept('a')], 5000);
    state.now -= 86_400_000;
    await outbox.send();
    await outbox.add([accept('b')], 5000);
    state.now += 2 * 86_400_000;
    await outbox.send();
    await outbox.add([accept('c')]);
    state.responses = { 'POST c/acceptance': busy(60_000), 'GET c': claimIs('pending_acceptance') };
    state.now += 1000;
    await outbox.send();
    state.responses = { 'GET c': claimIs('pending_acceptance') };
    // Only to after it was made.
    state.now -= 500;
    await outbox.send();
    expect(await outbox.own()).toEqual([]);
  });

  test('on a full disk sends at once what cannot be stored, keeps it while it is not sent, and stores it when it can', async () => {
    const { state, outbox, stored } = device();
    await outbox.add([notes('a', 'Wet')]);
    state.lost = true;
    await outbox.add([accept('b'), contact('c', '1')], 5000);
    expect([outbox.isStored(), (await outbox.own()).map((entry) => stateOf(entry, state.now))]).toEqual([
      false,
      ['due', 'due', 'due'],
    ]);
    state.responses = { 'POST b/acceptance': busy() };
    expect((await outbox.send()).sent.map(({ key }) => key)).toEqual(['a', 'c']);
    expect(state.calls).toEqual(['PATCH a/work', 'POST b/acceptance', 'PUT c/contacts/1']);
    expect((await outbox.own()).map(({ key }) => key)).toEqual(['b']);
    state.responses = { 'PATCH d/work': new ApiError(409, 'claim_closed') };
    const refused = await outbox.add([notes('d', 'Late')]);
    await outbox.send();
    expect([await outbox.isRefused(refused), await outbox.isRefused(['other'])]).toEqual([true, false]);
    expect(stored()).toMatchObject([{ key: 'a' }]);
    state.lost = false;
    await outbox.restore([]);
    expect([outbox.isStored(), stored()]).toMatchObject([true, [{ key: 'b', failures: 1 }]]);
  });

  test('sends at once what is stored for as long as the page is open', async () => {
    const { state, outbox } = device();
    state.isLasting = false;
    await outbox.add([accept('a')], 5000);
    expect([outbox.isStored(), (await outbox.send()).sent.length]).toEqual([false, 1]);
  });

  test('keeps what was done before the time was known while the service refuses to say it', async () => {
    const { state, outbox } = device();
    state.isTimeKnown = false;
    await outbox.add([accept('a', { answeredAt: state.now })]);
    const [forbidden, ended] = [new ApiError(403, 'forbidden'), new ApiError(401, 'unauthorized')];
    state.responses['GET v1/me'] = [ended, forbidden, undefined];
    expect((await outbox.send()).stopped).toBe('signed out');
    expect(await outbox.send()).toMatchObject({ failed: [{ key: 'a' }], dropped: [] });
    // What responds in place of the service says no time.
    state.tellsTime = false;
    state.responses['POST a/acceptance'] = [busy(), undefined];
    state.responses['GET a'] = claimIs('pending_acceptance');
    state.now += 5000;
    await outbox.send();
    Object.assign(state, { tellsTime: true, clockAheadMs: 1000, now: state.now + 10_000 });
    expect((await outbox.send()).sent).toHaveLength(1);
    expect(state.calls).toEqual([
      ...[...Array(3).fill('GET v1/me'), 'POST a/acceptance', 'GET v1/me', 'GET a', 'POST a/acceptance'],
    ]);
    expect(state.bodies.at(-1)).toMatchObject({ answered_at: new Date(999_000).toISOString() });
  });

  test('stores again once what the browser has removed', async () => {
    const { state, outbox } = device();
    await outbox.add([accept('a')]);
    const shown = await outbox.own();
    await outbox.clear();
    await outbox.restore(shown);
    await outbox.restore(shown);
    await outbox.send();
    expect(state.calls).toEqual(['POST a/acceptance']);
  });

  test('later settings and edits replace earlier ones that wait, also one that is stuck', async () => {
    const { state, outbox } = device();
    await outbox.add([pause, { ...notes('a', 'Wet'), base: { notes: '' } }]);
    await outbox.add([{ ...notes('a', 'Wet and cold'), base: { notes: 'Wet' } }]);
    expect((await outbox.own()).at(-1)).toMatchObject({ base: { notes: '' }, earlier: [] });
    state.responses = { 'PATCH a/work': busy() };
    await outbox.send();
    await outbox.add([{ kind: 'work', key: 'a', entries: { contact_date: '2026-08-30' } }]);
    await outbox.add([pause, { ...pause, changes: { accepting_assignments: true, max_open_offers: 3 } }]);
    for (const deadlineReminders of [false, true])
      await outbox.add([
        { kind: 'settings', key: 'device', changes: { quietHours: null, deadlineReminders } },
      ]);
    state.calls = [];
    state.bodies = [];
    state.responses = {};
    await outbox.send();
    expect(state.bodies).toEqual([
      { notes: 'Wet and cold', contact_date: '2026-08-30', based_on: 'v1' },
      { accepting_assignments: true, max_open_offers: 3 },
      { time_zone: '', quiet_hours: null, deadline_reminders: true },
    ]);
  });

  test('a time that is corrected is neither before the offer nor in the future, and a date that was chosen stays', () => {
    const made = { id: 'e', owner: 'SVC-1', at: 0, assumedOffsetMs: 1000 } as const;
    const answered = (answeredAt: number) =>
      withKnownTimes(
        { ...accept('a', { answeredAt, offer: past({ offeredAt: new Date(5000).toISOString() }) }), ...made },
        9000,
        3000,
      );
    expect([1000, 4000, 8000].map(answered)).toMatchObject(
      [5000, 6000, 9000].map((at) => ({ answeredAt: at })),
    );
    // Since when it has waited is by the clock at that time, which may have been known then.
    const waited = { ...accept('a'), ...made, offlineSince: 2000 };
    const assumed = [{ offlineOffsetMs: 500 }, {}, { offlineOffsetMs: 500, assumedOffsetMs: undefined }];
    const times = assumed.map((offsets) => withKnownTimes({ ...waited, ...offsets }, 9000, 3000));
    const known = { assumedOffsetMs: undefined, offlineOffsetMs: undefined };
    expect(times).toMatchObject([4500, 2000, 4500].map((offlineSince) => ({ offlineSince, ...known })));
    const logged = { ...contact('a', '1'), entries: { contact_date: '2026-08-01' } };
    expect(withKnownTimes({ ...logged, ...made }, Date.now() + 1e12, 86_401_000)).toMatchObject({
      ...{ contact: { at: '2026-08-31T15:00:00.000Z' }, entries: { contact_date: '2026-08-01' } },
    });
  });

  test('what is typed after a note was logged stays, and a note that is undone is before it, once', () => {
    expect([' A ', 'A b', undefined].map((typed) => afterLogging('A', typed))).toEqual(['', 'A b', '']);
    expect([undefined, 'A', 'A b', 'b', 'Ab'].map((typed) => afterUndo('A', typed))).toEqual([
      ...['A', 'A', 'A b', 'A b', 'A Ab'],
    ]);
  });

  test('leaves entries of a later release alone, with all that follow for their claim', async () => {
    const { state, open, outbox, stored } = device();
    await outbox.add([notes('a', 'Wet'), contact('a', '1'), accept('b')]);
    const before = stored();
    expect(await open({ isOnline: () => true }).send()).toMatchObject({ sent: [], failed: [] });
    expect([state.calls, stored()]).toEqual([[], before]);
  });
});
