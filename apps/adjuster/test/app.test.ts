import 'fake-indexeddb/auto';
import { describe, expect, jest, test } from '@jest/globals';
import { signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import { ApiError, NetworkError } from '@svc/web-app/api-error';
import { type RequestParts, requestOf } from '@svc/web-app/endpoints';
import type { EventHandlers } from '@svc/web-app/event-stream';
import { encodeZipPlaces } from '@svc/web-app/map/zip-places';
import { createApp } from '../src/create-app.ts';
import { connectDatabase, inTransaction, resultOf } from '../src/data/database.ts';
import { type Call, type CallId, ROUTES } from '../src/data/endpoints.ts';
import { createAnswerApi, createOutboxStore } from '../src/data/outbox-store.ts';
import { createStorage } from '../src/data/storage.ts';
import type { TabMessage, Tabs } from '../src/data/tabs.ts';
import { pastOffer } from '../src/model/history.ts';
import { createAppNavigation } from '../src/navigation.ts';
import { createPreferences } from '../src/state/preferences.ts';
import { createTyped } from '../src/state/typed.ts';
import { en } from '../src/texts/en.ts';
import { es } from '../src/texts/es.ts';
// Loaded when they are used: here before, so that no test waits for the disk.
import '../src/model/deadlines.ts';
import '../src/model/error-report.ts';
import '../src/outbox/known-times.ts';
import '../src/outbox/save-entries.ts';
import { offer, ownClaim, PROFILE } from './claims.ts';
import { after, fakeTime, settled } from './fake-time.ts';

fakeTime();
let devices = 0;

/** A service, and a device on which apps are opened as tabs and visits do. */
function device() {
  devices += 1;
  const connection = connectDatabase(`app-${devices}`, 1);
  const state = {
    profile: PROFILE,
    offers: [] as AppClaim[],
    accepted: [] as AppClaim[],
    /** What the service responds instead, by `METHOD path`. */
    responses: {} as Record<string, Error | ((query?: RequestParts['query']) => unknown)>,
    calls: [] as string[],
    /** The bodies of requests, by `METHOD path`, the queries, and how far the service's clock is ahead. */
    bodies: {} as Record<string, unknown>,
    queries: [] as object[],
    clockAheadMs: 0,
    isTimeKnown: true,
    /** Whether events arrive. */
    alive: true,
    visible: true,
    storeFails: false,
    /** Whether the browser stores anything, and whether its database can be opened now. */
    isStored: signal(true),
    databaseFails: false,
    /** How many transactions there are until the page is killed. */
    transactionsLeft: Number.POSITIVE_INFINITY,
  };
  const storage = createStorage(async () => {
    if (state.databaseFails) throw new Error('Closed.');
    state.transactionsLeft -= 1;
    return state.transactionsLeft < 0 ? new Promise(() => {}) : connection.get();
  });
  const pageOf = (data: readonly AppClaim[], query: RequestParts['query'] = {}) => ({
    data: query.updated_since === undefined ? data : [],
    next_cursor: null,
    ...(query.updated_since !== undefined && { ids: data.map(({ id }) => id) }),
  });
  const call = (async (id: CallId, parts?: RequestParts) => {
    const { method, path, body } = requestOf(ROUTES[id] ?? '', parts);
    const name = `${method} ${path.replace(/\?.*/, '')}`;
    state.calls.push(name);
    state.bodies[name] = body;
    if (parts?.query !== undefined) state.queries.push({ of: path.split(/[/?]/)[1], ...parts.query });
    await Promise.resolve();
    const planned = state.responses[name];
    if (planned instanceof Error) throw planned;
    if (planned !== undefined) return planned(parts?.query);
    if (id === 'closeSession') state.responses['GET v1/me'] = new ApiError(401, 'invalid_session');
    if (id === 'getProfile') return state.profile;
    if (id === 'getOfferedClaim') return state.offers.find((claim) => claim.id === parts?.params?.id);
    if (id === 'listOfferedClaims')
      return pageOf(parts?.query?.status === 'accepted' ? state.accepted : state.offers, parts?.query);
    if (id === 'listInvitations' || id === 'listDeadlines') return { data: [], next_cursor: null };
    if (id === 'acceptClaim') return { assignment: { status: 'accepted' } };
    if (id === 'rejectClaim') return { assignment: { status: 'rejected' } };
    if (id === 'updateWork') return { work: parts?.body };
    if (id === 'logContact') return { work: { contacts: [{ id: parts?.params?.contact_id }] } };
    return undefined;
  }) as Call;
  const listeners: ((message: TabMessage) => void)[] = [];
  const tabs: Tabs = {
    notify: (message) => {
      for (const listener of listeners) listener(message);
    },
    listen: (listener) => void listeners.push(listener),
  };
  const store = createOutboxStore(storage, tabs);
  let turn: Promise<unknown> = Promise.resolve();
  const open = () => {
    const handlers: { events?: EventHandlers; page: Record<string, () => void> } = { page: {} };
    const hash = { value: '#/claims' };
    const app = createApp({
      ...{
        storage,
        tabs,
        api: { call, now: () => Date.now() + state.clockAheadMs, isTimeKnown: () => state.isTimeKnown },
        isStored: state.isStored,
        zipPlacesUrl: 'zip.bin',
      },
      deviceLanguage: () => 'en',
      choices: { read: () => undefined, write: () => {} },
      onStorageLost: (listener) => {
        handlers.page.storageLost = listener;
      },
      outboxStore: {
        ...store,
        update: (...changes) =>
          state.storeFails ? Promise.reject(new Error('No space.')) : store.update(...changes),
        exclusive<T>(task: () => Promise<T>): Promise<T> {
          const run = turn.then(task);
          turn = run.catch(() => {});
          return run;
        },
      },
      answerApi: { ...createAnswerApi(call, storage, async () => true), isOnline: () => true },
      notifications: {
        sendPreferences: async (changes) => {
          state.bodies.device = changes;
        },
        disable: async () => void state.calls.push('disable'),
        renew: async (olderThanMs) => void state.calls.push(`renew ${olderThanMs}`),
      },
      navigation: createAppNavigation({
        location: {
          get hash() {
            return hash.value;
          },
          set hash(to) {
            hash.value = to;
          },
        },
        history: { scrollRestoration: 'auto', state: 0, replaceState: () => {}, go: () => {} },
        ...{ scrollY: 0, addEventListener: () => {} },
      }),
      openEvents(events) {
        handlers.events = events;
        const open = () => {
          state.calls.push('open events');
          if (state.alive) events.changed('revision');
        };
        return { open, close: () => void state.calls.push('close events'), isAlive: () => state.alive };
      },
      page: {
        ...{
          isVisible: () => state.visible,
          reload: () => void state.calls.push('reload'),
          sendInBackground: () => void state.calls.push('in background'),
        },
        on: (event, listener) => {
          handlers.page[event] = listener;
        },
      },
    });
    return { app, handlers, current: () => hash.value };
  };
  const visit = async () => {
    const opened = open();
    void opened.app.start();
    await settled();
    return opened;
  };
  return {
    ...{ state, storage, open, visit, signedIn: () => storage.put('profile', state.profile) },
    ...{ onMessage: tabs.listen, notify: tabs.notify },
    kept: async <T>(work: (store: IDBObjectStore) => Promise<T>) =>
      inTransaction(await connection.get(), 'readwrite', work),
  };
}

/** A device on which an adjuster, by default with one offer, has opened the app. */
async function started({ undoSeconds = 5, ...given }: Given = {}) {
  const opened = device();
  Object.assign(opened.state, Object.keys(given).length > 0 ? given : { offers: [offer()] });
  await opened.signedIn();
  const visit = await opened.visit();
  visit.app.prefer({ undoSeconds });
  return { ...opened, ...visit };
}
const INVITED = {
  ...{ firm_id: 'firm-2', firm_name: 'Reef', invited_as: null, invited_at: '' },
  ...{ expires_at: '', missing_profile_fields: [] },
};
type Given = { offers?: AppClaim[]; accepted?: AppClaim[]; undoSeconds?: 0 | 5 };

/** Holds a response back until it is given. */
function holdBack(state: { responses: Record<string, unknown> }, name: string): (response: unknown) => void {
  const given: ((response: unknown) => void)[] = [];
  state.responses[name] = () => new Promise((resolve) => given.push(resolve));
  return (response) => {
    for (const resolve of given) resolve(response);
  };
}

const acceptanceOf = ({ offers: [first] }: { offers: AppClaim[] }) =>
  `POST v1/claims/${first?.id}/acceptance`;

const linesOf = ({ toasts }: ReturnType<typeof createApp>) =>
  toasts.toast.value?.lines.map((line) => (typeof line === 'string' ? line : line()));

describe('an app', () => {
  test('can be opened twice on a device, and neither changes what the other one shows', async () => {
    const { open, signedIn, state } = device();
    await signedIn();
    Object.assign(state, { offers: [offer()], clockAheadMs: 7000 });
    const [one, other] = [open(), open()];
    void one.app.start();
    await settled();
    expect(one.app.lists.offers.value).toHaveLength(1);
    expect(other.app.lists.offers.value).toBeUndefined();
    expect(other.app.now.value - Date.now()).toBe(7000);
    one.app.prefer({ undoSeconds: 20 });
    expect(other.app.preferences.value.undoSeconds).toBe(5);
  });

  test('shows what the last visit stored, and keeps it when the service has a problem', async () => {
    const { signedIn, state, storage, visit } = device();
    await signedIn();
    state.accepted = [ownClaim('2026-08-29T15:00:00.000Z')];
    state.responses['GET v1/invitations'] = () => ({ data: [INVITED], next_cursor: null });
    state.responses['GET v1/claims'] = () => ({ data: state.accepted, next_cursor: null });
    await (await visit()).app.lists.readClosed();
    state.responses['GET v1/me'] = state.responses['GET v1/claims'] = new NetworkError('service');
    const { app } = await visit();
    await expect(app.lists.readClosed()).rejects.toThrow(NetworkError);
    const { accepted, closed, invitations } = app.lists;
    expect([accepted, closed, invitations].map(({ value }) => value?.length)).toEqual([1, 1, 1]);
    expect([app.session.isSignedIn(), app.session.connection.value]).toEqual([true, 'problem']);
    await storage.remove('invitations');
    expect((await visit()).app.lists.invitations.value).toEqual([]);
    // But not in the format of another release.
    await storage.put('format', 2);
    expect((await visit()).app.lists.accepted.value).toBeUndefined();
  });

  test('does not read lists again that have not changed since the last visit', async () => {
    const { state, visit, storage } = await started();
    state.calls.length = 0;
    jest.setSystemTime(Date.now() + 3_600_000);
    const { app } = await visit();
    expect(app.lists.offers.value).toHaveLength(1);
    expect(state.calls).not.toContain('GET v1/claims');
    expect(state.calls).toContain('GET v1/deadlines');
    const readAt = Date.now();
    expect(await storage.get('readAt')).toBe(readAt);
    // Without a response it is not known whether the adjuster may still have them.
    jest.setSystemTime(readAt + 3_600_000);
    state.responses['GET v1/me'] = new NetworkError('service');
    await visit();
    expect(await storage.get('readAt')).toBe(readAt);
    delete state.responses['GET v1/me'];
    // Where no event says so, they are read soon.
    state.alive = false;
    await visit();
    await after(1499);
    expect(state.calls).not.toContain('GET v1/claims');
    await after(1);
    expect(state.calls).toContain('GET v1/claims');
  });

  test('reads the lists by pages of 200 to their ends, once, and at a later visit what has changed since', async () => {
    const { signedIn, state, storage, visit } = device();
    await signedIn();
    Object.assign(state, { offers: [offer()], clockAheadMs: 7000 });
    const invited = (firm_id: string) => ({ ...INVITED, firm_id });
    state.responses['GET v1/invitations'] = ({ cursor } = {}) => ({
      data: [invited(`after ${cursor}`)],
      next_cursor: cursor === undefined ? 'c1' : null,
    });
    const readAt = new Date(Date.now() + 7000 - 60_000).toISOString();
    const reads = (updated_since?: string) => [
      { of: 'invitations', limit: 200 },
      { of: 'claims', status: 'pending_acceptance', limit: 200, updated_since },
      { of: 'claims', status: 'accepted', limit: 200, updated_since },
      { of: 'invitations', limit: 200, cursor: 'c1' },
    ];
    const { app } = await visit();
    expect(state.queries.splice(0)).toEqual([
      { of: 'claims', status: 'pending_acceptance', limit: 25 },
      ...reads(),
    ]);
    expect(app.lists.invitations.value).toEqual(['after undefined', 'after c1'].map(invited));
    await app.lists.readClosed();
    expect(state.queries.splice(0)).toEqual([{ of: 'claims', status: 'closed', limit: 200 }]);
    state.profile = { ...PROFILE, last_name: 'Changed' };
    const { handlers } = await visit();
    state.alive = false;
    handlers.events?.changed('later');
    await settled();
    state.alive = true;
    expect(state.queries.splice(0)).toEqual(reads(readAt));
    expect(await storage.getAll('profile', 'readAt')).toEqual([state.profile, Date.now()]);
    // A list that cannot be read makes both read again.
    for (const name of ['accepted', 'offers'] as const) {
      await storage.remove(name);
      await visit();
      expect(state.queries.splice(0).slice(name === 'offers' ? 1 : 0)).toEqual(reads());
    }
  });

  test('signs in by the proof that was given, and sends settings, although the device stores nothing', async () => {
    const { app, state } = await started();
    state.databaseFails = state.storeFails = true;
    const proof = { email: 'jean@example.com', code: '123456' };
    await app.signIn(proof);
    expect([state.bodies['POST session'], app.session.isSignedIn()]).toEqual([proof, true]);
    const [name, changes] = ['PATCH v1/me/availability', { max_open_offers: 3 }];
    state.responses[name] = new NetworkError('service');
    expect(await app.account.changeSettings({ key: 'availability', changes })).toBe(false);
    const device = { key: 'device', changes: { quietHours: null, deadlineReminders: true } } as const;
    expect([await app.account.changeSettings(device), state.bodies.device]).toEqual([true, device.changes]);
    state.responses[name] = () => ({ ...PROFILE.availability, ...changes });
    await after(5000);
    expect([state.bodies[name], app.outbox.entries.value]).toEqual([changes, []]);
  });

  test('shows the first offers until all are read, and not after that or to nobody', async () => {
    const { state, open } = device();
    state.offers = [offer(), offer()];
    const visit = async () => {
      const { app } = open();
      const give: ((response: unknown) => void)[] = [];
      state.responses['GET v1/claims'] = (query) => {
        if (query?.limit === 25) return new Promise((resolve) => give.push(resolve));
        return { data: query?.status === 'accepted' ? [] : state.offers, next_cursor: null };
      };
      void app.start();
      await settled();
      give[0]?.({ data: state.offers.slice(0, 1), next_cursor: null });
      await settled();
      return app.lists.offers.value?.length;
    };
    state.responses['GET v1/me'] = new ApiError(401, 'invalid_session');
    expect(await visit()).toBeUndefined();
    state.responses['GET v1/me'] = () => new Promise(() => {});
    expect(await visit()).toBe(1);
    delete state.responses['GET v1/me'];
    expect(await visit()).toBe(2);
  });

  test('leaves claims of another shape out of each list, counts them for their adjuster, and reports them once', async () => {
    const [readable, own] = [offer(), ownClaim('2026-08-29T15:00:00.000Z')];
    const broken = (): AppClaim => Object.assign(offer(), { loss: {} });
    const given = { offers: [readable, broken()], accepted: [broken(), own] };
    const { app, state, handlers } = await started(given);
    const { offers, accepted, closed, unreadable } = app.lists;
    expect([offers.value, accepted.value, unreadable.value.size]).toEqual([[readable], [own], 2]);
    const changed = broken();
    state.responses['GET v1/claims'] = (query) => {
      const data = query?.status === 'pending_acceptance' ? [changed, readable] : [own];
      return { data, next_cursor: null, ids: data.map(({ id }) => id) };
    };
    handlers.events?.changed('later');
    await settled();
    await app.lists.readClosed();
    app.lists.updateClaim({ ...broken(), id: readable.id });
    expect([offers.value, accepted.value, closed.value]).toEqual([[readable], [own], [own]]);
    state.responses['GET v1/claims'] = () => ({ data: [broken()], next_cursor: null });
    await app.lists.readClosed();
    expect([closed.value, unreadable.value.size]).toEqual([[], 4]);
    expect(state.calls.filter((name) => name === 'POST v1/error-reports')).toHaveLength(1);
    await app.signOut(false);
    expect(unreadable.value.size).toBe(0);
  });

  test.each([
    ['reading', 'GET v1/me'],
    ['sending', 'acceptance'],
  ])(
    'that learns by %s that its session has ended removes the lists, and sends after the next sign-in what was not sent',
    async (_, refused) => {
      const { app, state, storage } = await started();
      expect(state.calls.filter((call) => call.startsWith('renew'))).toEqual(['renew 86400000']);
      const past = pastOffer(offer(), 'rejected', 1);
      await storage.history.add([past]);
      await app.answers.answer(state.offers, 'accept');
      const name = refused === 'acceptance' ? acceptanceOf(state) : refused;
      state.responses[name] = new ApiError(401, 'invalid_session');
      await (refused === 'acceptance' ? app.outbox.release() : app.lists.refresh());
      await settled();
      expect([app.session.endedBecause.value, app.lists.offers.value]).toEqual(['expired', undefined]);
      expect(state.calls.at(-1)).toBe('close events');
      expect(await storage.getAll('offers', 'accepted')).toEqual([undefined, undefined]);
      expect(await storage.get('outbox')).toHaveLength(1);
      delete state.responses[name];
      const [claim] = state.offers as [AppClaim];
      state.responses[`GET v1/claims/${claim.id}`] = () => claim;
      state.calls.length = 0;
      await app.signIn({ email: 'jean@example.com', code: '123456' });
      await after(5000);
      expect(app.outcomes.results.value).toEqual({ [claim.id]: 'accepted' });
      expect(state.calls).toEqual(expect.arrayContaining(['open events', 'GET v1/invitations', 'renew 0']));
      // What is over stays with the one whom it was offered to.
      expect(await storage.get('history')).toContainEqual(past);
    },
  );

  test('asks for a location by itself until it is answered once, also after a restart', async () => {
    const { open, signedIn, state, visit } = device();
    await signedIn();
    const mayAsk = async (): Promise<boolean> => {
      const { app } = await visit();
      return app.places.mayAsk.value;
    };
    const { app } = open();
    expect([app.places.mayAsk.value, await mayAsk(), await mayAsk()]).toEqual([false, true, true]);
    const { places } = (await visit()).app;
    places.endAsking();
    await settled();
    expect([places.mayAsk.value, await mayAsk()]).toEqual([false, false]);
    places.forget();
    expect(places.mayAsk.value).toBe(true);
    // Where that cannot be known, it would be asked at each start.
    state.databaseFails = true;
    const { app: other } = await visit();
    expect([other.places.mayAsk.value, other.session.isSignedIn()]).toEqual([false, true]);
    // What cannot be stored or removed breaks nothing.
    other.places.setStops(['claim-1']);
    other.arrangement.change({ search: 'Kenner' });
    void other.lists.refresh();
    other.lists.updateClaim(offer());
    await Promise.all([other.places.restoreStops(), other.lists.readClosed(), other.outcomes.dismiss()]);
    other.session.expire();
    await settled();
  });

  test('forgets one adjuster for the next one, with the answers of the first still on the device', async () => {
    const { app, state, storage } = await started();
    await app.answers.answer(state.offers, 'accept');
    app.places.setStops(['claim-1']);
    app.arrangement.change({ search: 'Kenner' });
    const acceptance = acceptanceOf(state);
    state.profile = { ...PROFILE, svc_id: 'SVC-2' };
    state.offers = [];
    state.queries = [];
    await app.signIn({ email: 'other@example.com', code: '123456' });
    await settled();
    expect(state.queries[0]).toEqual({ of: 'claims', status: 'pending_acceptance', limit: 25 });
    const { offers, accepted } = app.lists;
    const { queued } = app.answers;
    expect([queued, offers, accepted, app.places.stops].map(({ value }) => value)).toEqual([[], [], [], []]);
    expect(app.arrangement.arrangement.value.search).toBe('');
    expect((await storage.get('outbox'))?.map(({ owner }) => owner)).toEqual(['SVC-1']);
    expect(state.calls).not.toContain(acceptance);
  });

  test('sends nothing of one adjuster in the session of the next one, also when the page is closed before it is known', async () => {
    const { app, state, storage, visit } = await started();
    const acceptance = acceptanceOf(state);
    await app.answers.answer(state.offers, 'accept');
    app.typed.fields.keep(['zip'], '33931');
    state.profile = { ...PROFILE, svc_id: 'SVC-2' };
    state.offers = [];
    state.responses['GET v1/me'] = new NetworkError();
    await expect(app.signIn({ email: 'other@example.com', code: '123456' })).rejects.toThrow(NetworkError);
    const later = await visit();
    later.handlers.page.online?.();
    await later.app.outbox.send();
    delete state.responses['GET v1/me'];
    const next = (await visit()).app;
    await after(60_000);
    expect(state.calls).not.toContain(acceptance);
    expect((await storage.get('outbox'))?.map(({ owner }) => owner)).toEqual(['SVC-1']);
    expect([next.session.profile.value?.svc_id, next.typed.fields.texts.value]).toEqual(['SVC-2', {}]);
    await next.answers.answer([offer()], 'accept');
    expect(next.answers.queued.value).toHaveLength(1);
  });

  test("starts again, once, when the session has become another adjuster's without a sign-in in this tab", async () => {
    const { app, state, storage, visit } = await started();
    app.typed.fields.keep(['zip'], '33931');
    await settled();
    state.profile = { ...PROFILE, svc_id: 'SVC-2' };
    state.offers = [];
    state.calls.length = 0;
    await app.lists.refresh();
    await settled();
    expect(state.calls.filter((name) => name === 'reload' || name === 'GET v1/me')).toEqual([
      'GET v1/me',
      'reload',
    ]);
    expect((await storage.get('profile'))?.svc_id).toBe('SVC-1');
    const next = (await visit()).app;
    expect([next.session.profile.value?.svc_id, next.typed.fields.texts.value]).toEqual(['SVC-2', {}]);
    state.profile = PROFILE;
    await next.signIn({ email: 'jean@example.com', code: '123456' });
    expect(next.typed.fields.texts.value).toEqual({ zip: '33931' });
  });

  test('shows and stores nothing of an adjuster who has signed out, not even an empty outbox', async () => {
    const { app, state, storage, kept, handlers, current } = await started({ offers: [offer(), offer()] });
    const [rejected, accepted] = state.offers as [AppClaim, AppClaim];
    app.prefer({ undoSeconds: 0 });
    await app.answers.answer([rejected], 'reject');
    await settled();
    app.prefer({ undoSeconds: 20 });
    await app.answers.answer([accepted], 'accept');
    expect(app.answers.queued.value[0]?.notBefore).toBe(Date.now() + 20_000);
    const id = await app.work.logContact(accepted.id, { entries: { notes: 'Wet' } }, 20_000);
    expect(
      [[accepted, id] as const, [accepted, 'other'] as const, [rejected, id] as const].map(
        ([claim, edit]) => [app.work.isUndoable(claim.id, edit), app.work.withOwnEdits(claim).work.notes],
      ),
    ).toEqual([
      [true, 'Wet'],
      [false, 'Wet'],
      [false, undefined],
    ]);
    const draft = app.drafts.of(accepted.id);
    draft.keep(['notes'], 'Typed');
    app.drafts.merged(accepted.id);
    app.typed.contactNotes.keep([accepted.id], 'Typed');
    app.typed.rejections.keep([accepted.id], { code: null, freeText: 'Typed' });
    await app.lists.readClosed();
    app.lists.invitations.value = [INVITED];
    app.places.setStops([accepted.id]);
    await storage.put('origin', { latitude: 26, longitude: -82 });
    await app.places.restore();
    app.arrangement.change({ search: 'Kenner' });
    await settled();
    state.calls.length = 0;
    await app.signOut(false);
    await settled();
    expect([state.calls.includes('close events'), current()]).toEqual([true, '#/']);
    state.calls.length = 0;
    for (const event of ['visibilitychange', 'online', 'storageLost']) handlers.page[event]?.();
    handlers.events?.disconnected(false);
    await after(30_000);
    expect(state.calls).toEqual([]);
    expect(await kept((store) => resultOf(store.getAllKeys()))).toEqual(['format', 'language']);
    expect(app.lists.invitations.value).toEqual([]);
    expect([app.outbox.entries.value, app.outcomes.kept.value, app.places.stops.value]).toEqual([[], [], []]);
    expect(app.places.origin.value).toBeNull();
    const typed = [app.typed.contactNotes, app.typed.rejections, draft, app.drafts.of(accepted.id)];
    expect(typed.map(({ texts }) => texts.value)).toEqual([{}, {}, {}, {}]);
    expect([app.lists.offers.value, app.outcomes.results.value]).toEqual([undefined, {}]);
    expect(app.drafts.takeMerged(accepted.id)).toBe(false);
    expect([app.lists.closed.value, app.lists.readAt.value, app.lists.listedClaims()]).toEqual([
      ...[undefined, null, undefined],
    ]);
    expect(app.arrangement.arrangement.value.search).toBe('');
  });

  test('is signed out only once the service has ended the session, whatever responds in its place', async () => {
    const { app, state } = await started();
    await app.answers.answer(state.offers, 'accept');
    state.responses['DELETE session'] = () => undefined;
    await expect(app.signOut(false)).rejects.toThrow(NetworkError);
    expect([app.session.profile.value, app.answers.queued.value.length]).toEqual([PROFILE, 1]);
    expect(state.calls).toContain('disable');
    delete state.responses['DELETE session'];
    state.responses['DELETE sessions'] = () => {
      state.responses['GET v1/me'] = new ApiError(401, 'invalid_session');
    };
    state.calls.length = 0;
    await app.signOut(true);
    // The service removes the devices of all sessions.
    expect([state.calls[0], state.calls.includes('disable')]).toEqual(['DELETE sessions', false]);
    expect([app.session.profile.value, app.answers.queued.value.length]).toEqual([null, 0]);
  });

  test('shows nothing of an adjuster who has signed out, although the device removes nothing', async () => {
    const { app, state } = await started();
    await app.answers.answer(state.offers, 'accept');
    expect(app.answers.queued.value).toHaveLength(1);
    state.storeFails = true;
    state.databaseFails = true;
    await app.outbox.release();
    expect(app.outcomes.kept.value).toHaveLength(1);
    app.toasts.closeToast();
    await app.outcomes.show();
    expect(app.toasts.toast.value).toBeNull();
    await app.signOut(false);
    const shown = [app.answers.queued.value, app.outcomes.kept.value];
    await app.outcomes.show();
    expect([...shown, app.outcomes.kept.value]).toEqual([[], [], []]);
  });

  test('ignores lists that arrive after the sign-out', async () => {
    const { app, state, storage } = await started();
    const broken: AppClaim = Object.assign(offer(), { loss: {} });
    const release = holdBack(state, 'GET v1/claims');
    const reading = [app.lists.refresh(), app.lists.readClosed()];
    await settled();
    await app.signOut(false);
    release({ data: [offer(), broken], next_cursor: null, ids: [] });
    await Promise.all(reading);
    const { offers, closed, unreadable } = app.lists;
    expect([offers.value, closed.value, unreadable.value.size]).toEqual([undefined, undefined, 0]);
    expect(await storage.getAll('offers', 'closed')).toEqual([undefined, undefined]);
  });

  test('stores no lists of a session that ends while they are stored', async () => {
    const { app, state, storage } = await started({ offers: [offer()], accepted: [ownClaim('2026-08-29')] });
    const [{ id = '' } = {}] = state.offers.splice(0);
    state.responses[`GET v1/claims/${id}/receipt`] = () => app.session.expire();
    await app.lists.refresh();
    await settled();
    expect(await storage.getAll('offers', 'accepted', 'readAt')).toEqual(Array(3).fill(undefined));
  });

  test("opens no other adjuster's session while an answer of the first one is being sent", async () => {
    const { app, state } = await started({ undoSeconds: 0 });
    const release = holdBack(state, acceptanceOf(state));
    await app.answers.answer(state.offers, 'accept');
    await settled();
    const signingIn = app.signIn({ email: 'other@example.com', code: '123456' });
    await settled();
    expect([state.calls.includes('POST session'), app.outbox.isSending.value]).toEqual([false, true]);
    release(undefined);
    await signingIn;
    await settled();
    expect([state.calls.includes('POST session'), app.outbox.isSending.value]).toEqual([true, false]);
  });

  test('reads the lists again when the service has a later revision, and not when it has the same', async () => {
    const { app, handlers, state } = await started({ offers: [] });
    state.calls.length = 0;
    handlers.events?.changed('revision');
    await settled();
    expect(state.calls).not.toContain('GET v1/claims');
    // The device's clock is behind.
    state.clockAheadMs = 3_600_000;
    const readAt = Date.now() + state.clockAheadMs;
    state.offers = [offer()];
    // Both go on while the lists are read, which then cannot be read again.
    state.responses['GET v1/invitations'] = () => {
      state.clockAheadMs += 3_600_000;
      state.responses = { 'GET v1/me': new NetworkError('service') };
      handlers.events?.changed('latest');
      return { data: [], next_cursor: null };
    };
    handlers.events?.changed('later');
    await settled();
    state.responses = {};
    expect(app.lists.offers.value).toHaveLength(1);
    const queries: RequestParts['query'][] = [];
    state.responses['GET v1/claims'] = (query) => {
      queries.push(query);
      const isFirst = query?.cursor === undefined;
      return { data: [], next_cursor: isFirst ? 'next' : null, ...(isFirst && { ids: [] }) };
    };
    handlers.events?.changed('latest');
    await settled();
    // Of each list both pages, from a minute before it was last read.
    const since = new Date(readAt - 60_000).toISOString();
    expect(queries.slice(0, 4).map((query) => query?.updated_since)).toEqual(Array(4).fill(since));
    expect(app.lists.offers.value).toEqual([]);
  });

  test('keeps a claim as the service sent it while older lists were read', async () => {
    const claim = ownClaim('2026-08-29T15:00:00.000Z');
    const open = offer();
    const { app, state, storage } = await started({ offers: [open], accepted: [claim] });
    const revisions = [await storage.get('revision')];
    state.responses['GET v1/invitations'] = async () => {
      delete state.responses['GET v1/invitations'];
      app.lists.updateClaim({ ...claim, work: { version: 'v2', notes: 'Saved elsewhere' } });
      await settled();
      revisions.push(await storage.get('revision'));
      return { data: [], next_cursor: null };
    };
    state.calls.length = 0;
    await app.lists.refresh();
    expect(app.lists.accepted.value?.[0]?.work.notes).toBe('Saved elsewhere');
    await settled();
    expect(revisions).toEqual(['revision', undefined]);
    expect(state.calls.filter((name) => name === 'GET v1/me')).toHaveLength(2);
    expect((await storage.get('accepted'))?.[0]?.work.notes).toBe('Saved elsewhere');
    // And no longer than that.
    const [later, renamed] = [
      { ...claim, work: { version: 'v3', notes: 'Later' } },
      { ...open, claim_number: 'New' },
    ];
    state.responses['GET v1/claims'] = (query) => {
      const data = query?.status === 'accepted' ? [later] : [renamed];
      return { data, next_cursor: null, ids: data.map(({ id }) => id) };
    };
    await app.lists.refresh();
    expect([app.lists.offers.value, app.lists.accepted.value]).toEqual([[renamed], [later]]);
    expect(await storage.getAll('offers', 'accepted')).toEqual([[renamed], [later]]);
  });

  test('puts a claim that the service has sent into the list it belongs to', async () => {
    const [ended, taken, own] = [offer(), offer(), ownClaim('2026-08-29T15:00:00.000Z')];
    const { app, state, storage } = await started({ offers: [ended, taken], accepted: [own] });
    const { offers, accepted, closed, updateClaim } = app.lists;
    const shown = () => [offers, accepted, closed].map(({ value }) => value);
    expect(app.lists.listedClaims()).toEqual([ended, taken, own]);
    const closed_at = '2026-09-01T00:00:00.000Z';
    updateClaim({ ...ended, closed_at });
    const answered = { ...taken, assignment: own.assignment };
    updateClaim(answered);
    // Not one alone in a list that was not read.
    updateClaim({ ...own, closed_at });
    expect(shown()).toEqual([[], [answered], undefined]);
    await settled();
    expect(await storage.getAll('offers', 'accepted')).toEqual([[], [answered]]);
    state.responses['GET v1/claims'] = () => ({ data: [{ ...own, closed_at }], next_cursor: null });
    await app.lists.readClosed();
    updateClaim({ ...answered, closed_at });
    updateClaim({ ...ended, closed_at });
    expect(shown()).toEqual([
      [],
      [],
      [
        { ...own, closed_at },
        { ...answered, closed_at },
      ],
    ]);
  });

  test('lists offers that ended without an answer in the history and says which were withdrawn, and not those that were answered here or elsewhere', async () => {
    const [answered, elsewhere, ...ended] = Array.from({ length: 27 }, (_, n) =>
      offer({ claim_number: `${n}` }),
    );
    if (answered === undefined || elsewhere === undefined) throw new Error('no offers');
    const { app, state, storage, notify } = await started({ offers: [answered, elsewhere, ...ended] });
    // The screen of this one says it there.
    notify({ kind: 'open', hash: `#/claims/${ended[2]?.id}` });
    await app.answers.answer([answered], 'reject');
    const receipt = (rule: string) => `x.${btoa(JSON.stringify({ decided_by: { rule } }))}.x`;
    for (const [n, { id, offered_at }] of ended.entries())
      state.responses[`GET v1/claims/${id}/receipt`] = (query) => ({
        receipt: receipt(
          n === 0 || query?.offered_at !== offered_at ? 'offered_to_another' : 'withdrawn_by_firm',
        ),
      });
    state.offers = [];
    state.accepted = [ownClaim('2026-08-29T15:00:00.000Z', { id: elsewhere.id })];
    await app.lists.refresh();
    await settled();
    const listed = (await storage.get('history'))?.map(({ claimId }) => claimId);
    expect(listed).toEqual(ended.map(({ id }) => id));
    const [, first] = ended;
    const withdrawn = en.outcomes.withdrawn(`${first?.claim_number} (${first?.loss_location.city})`, 17);
    expect(linesOf(app)).toEqual([withdrawn]);
    await after(5000);
    expect(linesOf(app)).toEqual([withdrawn, en.outcomes.rejected('Marisol Delgado')]);
    expect(state.calls.filter((name) => name.endsWith('/receipt'))).toHaveLength(19);
  });

  test('reads lists again when no events arrive, when their end may mean something, and when they are too old, and not while it is hidden', async () => {
    const { app, handlers, state, storage } = await started();
    const reads = async (cause: () => unknown) => {
      state.calls.length = 0;
      await cause();
      await settled();
      return state.calls.filter((name) => name === 'GET v1/invitations').length;
    };
    const poll = () => after(30_000);
    expect(await reads(poll)).toBe(0);
    state.alive = false;
    state.clockAheadMs = 7000;
    expect(await reads(poll)).toBe(1);
    expect(state.calls.filter((name) => name.endsWith('events'))).toEqual(['close events', 'open events']);
    expect(app.now.value - Date.now()).toBe(7000);
    state.clockAheadMs = 9000;
    await app.lists.refresh();
    expect(app.now.value - Date.now()).toBe(9000);
    state.visible = false;
    state.clockAheadMs = 8000;
    expect([await reads(poll), app.now.value - Date.now()]).toEqual([0, 8000]);
    state.alive = true;
    expect(await reads(() => handlers.events?.signedOut())).toBe(1);
    expect(state.calls).not.toContain('open events');
    expect(await reads(() => handlers.events?.disconnected(false))).toBe(1);
    app.session.connection.value = 'offline';
    expect(await reads(() => handlers.events?.disconnected(false))).toBe(0);
    expect(await reads(() => handlers.events?.disconnected(true))).toBe(1);
    expect(await reads(() => handlers.page.online?.())).toBe(1);
    expect(await reads(() => handlers.events?.connected())).toBe(0);
    state.visible = true;
    expect(await reads(() => handlers.page.visibilitychange?.())).toBe(0);
    // It asks for the revision, and reads the profile alone.
    expect([...new Set(state.calls)]).toEqual(['open events', 'GET v1/me']);
    jest.setSystemTime(Date.now() + 60_000);
    state.profile = { ...PROFILE, last_name: 'Changed' };
    expect(await reads(() => handlers.page.visibilitychange?.())).toBe(0);
    expect([app.session.profile.value, app.lists.readAt.value]).toEqual([state.profile, Date.now()]);
    state.alive = false;
    const show = async () => {
      handlers.page.visibilitychange?.();
      await after(1500);
    };
    expect(await reads(show)).toBe(1);
    handlers.page.offline?.();
    expect(app.session.connection.value).toBe('offline');
    // At once where events end.
    const end = () => {
      handlers.page.visibilitychange?.();
      handlers.events?.disconnected(false);
    };
    expect(await reads(end)).toBe(1);
    state.alive = true;
    jest.setSystemTime(Date.now() + 61_000);
    expect(await reads(() => handlers.page.visibilitychange?.())).toBe(1);
    // One that has been open for two weeks without a network.
    state.responses['GET v1/me'] = new NetworkError();
    jest.setSystemTime(Date.now() + 15 * 86_400_000);
    expect(await reads(poll)).toBe(1);
    expect([app.lists.offers.value, await storage.get('offers')]).toEqual([undefined, undefined]);
  });

  test('reads what it was asked for during a reading once more, and a list of which it lacks a claim whole', async () => {
    const { app, state } = await started();
    const release = holdBack(state, 'GET v1/invitations');
    for (let n = 0; n < 3; n += 1) void app.lists.refresh();
    await settled();
    delete state.responses['GET v1/invitations'];
    state.offers = [...state.offers, offer()];
    state.calls.length = 0;
    release({ data: [], next_cursor: null });
    await settled();
    expect(state.calls.filter((name) => name === 'GET v1/me')).toHaveLength(1);
    expect(app.lists.offers.value).toEqual(state.offers);
    const [first, second] = [ownClaim('2026-08-29T15:00:00.000Z'), ownClaim('2026-08-29T15:00:00.000Z')];
    state.responses['GET v1/claims'] = () => ({ data: [first, second], next_cursor: null });
    await app.lists.readClosed();
    expect(app.lists.closed.value).toEqual([second, first]);
    expect(app.lists.findClaim(first.id)).toBe(first);
    const closing = { ...first, closed_at: '2026-09-01T00:00:00.000Z', work: { version: 'v9' } };
    app.lists.updateClaim(closing);
    expect([app.lists.findClaim(first.id), app.lists.accepted.value]).toEqual([closing, []]);
  });

  test.each(['after it was stored', 'while it is stored'])(
    'releases an answer that can be undone when the page is hidden %s, since it may be closed',
    async (hidden) => {
      const { app, handlers, state } = await started();
      const answering = app.answers.answer(state.offers, 'accept');
      if (hidden === 'after it was stored') {
        await settled();
        expect(state.calls).not.toContain(acceptanceOf(state));
      }
      state.visible = false;
      handlers.page.visibilitychange?.();
      await answering;
      await settled();
      expect(state.calls).toEqual(expect.arrayContaining([acceptanceOf(state), 'close events']));
    },
  );

  test('sends an answer again at intervals while it is hidden, although the network was announced too early', async () => {
    const { app, handlers, state } = await started();
    state.responses[acceptanceOf(state)] = new NetworkError();
    state.visible = false;
    await app.answers.answer(state.offers, 'accept');
    await after(5000);
    handlers.page.online?.();
    await settled();
    delete state.responses[acceptanceOf(state)];
    state.calls.length = 0;
    await after(30_000);
    expect(state.calls).toContain(acceptanceOf(state));
  });

  test("sends an answer when the time to undo it is over, with its time by the service's clock once that is known", async () => {
    const { app, state } = await started();
    state.isTimeKnown = false;
    const answered_at = new Date(Date.now() + 60_000).toISOString();
    await app.answers.answer(state.offers, 'accept');
    state.responses['GET v1/me'] = () => {
      Object.assign(state, { isTimeKnown: true, clockAheadMs: 60_000 });
      return PROFILE;
    };
    await after(4999);
    expect(state.calls).not.toContain(acceptanceOf(state));
    await after(1);
    expect(state.bodies[acceptanceOf(state)]).toMatchObject({ answered_at });
    expect([app.session.needsPasskey.value, app.session.isSignedIn()]).toEqual([false, true]);
  });

  test('shows at the start what waits, before the service responds, and sends it on request although it has to wait', async () => {
    const { app: before, state, visit } = await started({ offers: [offer(), offer()] });
    before.prefer({ undoSeconds: 0 });
    const busy = new NetworkError('service', 60_000);
    for (const { id } of state.offers) state.responses[`POST v1/claims/${id}/acceptance`] = busy;
    await before.answers.answer(state.offers, 'accept');
    await settled();
    const release = holdBack(state, 'GET v1/me');
    const { app } = await visit();
    expect(app.answers.queued.value).toHaveLength(2);
    release(PROFILE);
    await settled();
    state.responses = {};
    await app.outbox.send();
    expect(app.answers.queued.value).toHaveLength(2);
    await app.outbox.sendNow(app.answers.queued.value.map(({ id }) => id));
    expect(app.answers.queued.value).toEqual([]);
  });

  test('leads to the sign-in where it cannot be known who is signed in, and keeps who has signed in without lists', async () => {
    const { notify, state, storage, visit } = device();
    state.responses['GET v1/claims'] = new NetworkError();
    const found = holdBack(state, 'GET v1/me');
    const { app } = await visit();
    // What another tab says is no news before it is known.
    notify({ kind: 'session', svcId: 'SVC-1' });
    found(Promise.reject(new NetworkError()));
    await settled();
    expect(state.calls).not.toContain('reload');
    expect([app.session.profile.value, state.calls.some((call) => call.startsWith('renew'))]).toEqual([
      null,
      false,
    ]);
    delete state.responses['GET v1/me'];
    await app.signIn({ email: 'jean@example.com', code: '123456' });
    expect(await storage.getAll('profile', 'signingIn', 'readAt')).toEqual([PROFILE, undefined, undefined]);
  });

  test('stores what it could not store twice a minute, also while it is hidden', async () => {
    const { app, state, storage } = await started();
    Object.assign(state, { databaseFails: true, visible: false });
    state.isStored.value = false;
    state.responses[acceptanceOf(state)] = new NetworkError('service', 60_000);
    app.typed.fields.keep(['zip'], '33931');
    app.drafts.of('claim-1').keep(['notes'], 'Wet');
    await app.answers.answer(state.offers, 'accept');
    await after(29_000);
    state.databaseFails = false;
    const stored = () => storage.getAll('outbox', 'fields', 'draft:claim-1');
    expect(await stored()).toEqual([undefined, undefined, undefined]);
    await after(1000);
    expect(await stored()).toEqual([[expect.anything()], { zip: '33931' }, { notes: 'Wet' }]);
  });

  test('keeps a note in its field until its entry is sent where nothing is stored, and knows who has made it', async () => {
    const claim = ownClaim('2026-08-29T15:00:00.000Z');
    const { app, state, storage } = await started({ accepted: [claim] });
    state.isStored.value = false;
    await storage.remove('profile');
    app.typed.contactNotes.keep([claim.id], 'Gate code');
    const contact = { id: 'c1', at: '2026-08-29T16:00:00Z', result: 'no_answer', note: 'Gate code' } as const;
    const release = holdBack(state, `PUT v1/claims/${claim.id}/contacts/c1`);
    const id = await app.work.logContact(claim.id, { contact }, 5000);
    await settled();
    expect(app.typed.contactNotes.texts.value).toEqual({ [claim.id]: 'Gate code' });
    expect(await app.work.undoContact(claim.id, `${id}`)).toBe(false);
    release({ ...claim, work: { ...claim.work, contacts: [contact] } });
    await settled();
    expect(app.typed.contactNotes.texts.value).toEqual({});
    // Once: the next one may be the same.
    app.typed.contactNotes.keep([claim.id], 'Gate code');
    await app.work.save(claim.id, { notes: 'Wet' }, false);
    await settled();
    expect(app.typed.contactNotes.texts.value).toEqual({ [claim.id]: 'Gate code' });
  });

  test.each<[string, (opened: Awaited<ReturnType<typeof started>>) => unknown]>([
    ['it is opened again', ({ visit }) => visit()],
    ['it is shown again', ({ handlers }) => handlers.page.visibilitychange?.()],
    ['there is a network again', ({ handlers }) => handlers.page.online?.()],
    [
      'events arrive again',
      ({ app, handlers }) => {
        handlers.events?.connected();
        expect(app.session.connection.value).toBe('online');
      },
    ],
    ['half a minute has passed', () => after(30_000)],
    [
      'its adjuster has signed in again',
      ({ app, state }) => {
        app.session.expire();
        delete state.responses['GET v1/me'];
        return app.signIn({ email: 'jean@example.com', code: '1' });
      },
    ],
    [
      'the lists were read',
      ({ state, handlers }) => {
        for (const name of ['me', 'invitations']) delete state.responses[`GET v1/${name}`];
        handlers.events?.changed('later');
      },
    ],
  ])('sends what waits once %s, whether or not the lists can be read', async (_, cause) => {
    const opened = await started({ undoSeconds: 0 });
    const { app, state } = opened;
    state.responses[acceptanceOf(state)] = new NetworkError('connection');
    await app.answers.answer(state.offers, 'accept');
    await settled();
    delete state.responses[acceptanceOf(state)];
    for (const name of ['me', 'invitations']) state.responses[`GET v1/${name}`] = new NetworkError('service');
    state.calls.length = 0;
    await cause(opened);
    await settled();
    expect(state.calls).toContain(acceptanceOf(state));
  });

  test.each<[string, 'accept' | 'reject', number, string | undefined]>([
    ['a rejection', 'reject', 1, en.claim.queuedReject],
    ['no answer to the claim that is open, whose screen says it,', 'accept', 1, undefined],
  ])('says that %s waits for the network', async (_, answer, count, line) => {
    const { app, state, notify } = await started({ offers: [offer(), offer()], undoSeconds: 0 });
    const path = answer === 'accept' ? 'acceptance' : 'rejection';
    for (const { id } of state.offers) state.responses[`POST v1/claims/${id}/${path}`] = new NetworkError();
    if (line === undefined) notify({ kind: 'open', hash: `#/claims/${state.offers[0]?.id}` });
    await app.answers.answer(state.offers.slice(0, count), answer);
    await settled();
    expect(linesOf(app)).toEqual(line && [line]);
  });

  test('says that an answer waits for the network only until its result arrives', async () => {
    const { app, state } = await started({ offers: [offer(), offer()], undoSeconds: 0 });
    const name = acceptanceOf(state);
    state.responses[name] = new NetworkError('connection');
    const [first, second] = state.offers as [AppClaim, AppClaim];
    await app.answers.answer([first], 'accept');
    await settled();
    expect(linesOf(app)).toEqual(['Your acceptance is saved and will be sent when you are online.']);
    expect(state.calls).toContain('in background');
    app.toasts.closeToast();
    await app.outbox.send();
    expect(linesOf(app)).toBeUndefined();
    delete state.responses[name];
    await app.outbox.send();
    await settled();
    const sent = 'Sent: you have accepted Marisol Delgado.';
    expect([linesOf(app), app.toasts.toast.value?.kind]).toEqual([[sent], 'success']);
    const next = acceptanceOf({ offers: [second] });
    state.responses[next] = new NetworkError('connection');
    await app.answers.answer([second], 'accept');
    await settled();
    expect([linesOf(app), app.toasts.toast.value?.kind]).toEqual([[en.claim.queuedAccept, sent], 'neutral']);
    delete state.responses[next];
    await app.outbox.send();
    await settled();
    expect([linesOf(app), app.toasts.toast.value?.kind]).toEqual([[sent, sent], 'success']);
    expect(app.outcomes.results.value).toEqual({ [first.id]: 'accepted', [second.id]: 'accepted' });
  });

  test('says of each answer once that it waits for the network, with those of the same time, and asks the browser to send answers alone', async () => {
    const offers = [offer(), offer(), offer()];
    const { app, state } = await started({ offers, undoSeconds: 0 });
    for (const { id } of offers) state.responses[`POST v1/claims/${id}/acceptance`] = new NetworkError();
    state.responses['PATCH v1/me/availability'] = new NetworkError();
    const said: unknown[] = [];
    const send = async (work: () => unknown) => {
      state.calls.length = 0;
      app.toasts.closeToast();
      await work();
      await settled();
      said.push([linesOf(app), state.calls.includes('in background')]);
    };
    const pause = { key: 'availability', changes: { accepting_assignments: false } } as const;
    await send(() => app.account.changeSettings(pause));
    await send(() => app.answers.answer(offers.slice(0, 2), 'accept'));
    app.prefer({ undoSeconds: 5 });
    await send(() => app.answers.answer(offers.slice(2), 'accept'));
    await send(() => after(5000));
    await send(() => app.outbox.send());
    const { queuedAccept } = en.claim;
    expect(said).toEqual([
      [undefined, false],
      [[en.offers.queuedCount(2)], true],
      [undefined, true],
      [[queuedAccept], true],
      [undefined, true],
    ]);
    expect(app.session.connection.value).toBe('offline');
  });

  test('removes a rejected claim from the device once the adjuster was told, also when the lists cannot be read', async () => {
    const { app, state, storage, kept } = await started({ undoSeconds: 0 });
    state.responses['GET v1/me'] = new NetworkError('service');
    state.clockAheadMs = 86_400_000;
    const answered_at = new Date(Date.now() + 86_400_000).toISOString();
    const [{ id = '', offered_at = '' } = {}] = state.offers;
    for (const key of [id, 'ended']) app.typed.rejections.keep([key], { code: 'too_far', freeText: '' });
    await app.answers.answer(state.offers, 'reject', 'Too far away');
    await settled();
    expect(state.bodies[`POST v1/claims/${id}/rejection`]).toEqual({
      ...{ offered_at, answered_at, reason: 'Too far away' },
    });
    expect(linesOf(app)).toEqual(['Sent: you have rejected Marisol Delgado.']);
    expect(app.lists.offers.value).toEqual([]);
    expect(await storage.get('history')).toMatchObject([{ result: 'rejected', reason: 'Too far away' }]);
    expect(JSON.stringify(await kept((store) => resultOf(store.getAll())))).not.toContain('Marisol');
  });

  test('says what came of a second answer to a claim that was offered again', async () => {
    const { app, state } = await started({ undoSeconds: 0 });
    const [claim] = state.offers as [AppClaim];
    await app.answers.answer([claim], 'reject', 'Too far away');
    await settled();
    await after(1_000);
    app.toasts.closeToast();
    const again = { ...claim, offered_at: new Date().toISOString() };
    state.responses['GET v1/claims'] = (query) => {
      const data = query?.status === 'accepted' ? [] : [again];
      return { data, next_cursor: null, ids: data.map(({ id }) => id) };
    };
    await app.lists.refresh();
    expect(app.lists.offers.value).toEqual([again]);
    await app.answers.answer([again], 'accept');
    await settled();
    expect(linesOf(app)).toEqual(['Sent: you have accepted Marisol Delgado.']);
    expect(app.outcomes.results.value).toEqual({ [claim.id]: 'accepted' });
  });

  test('keeps results of answers given together, in one line, until they are dismissed in any tab, and says each of them once', async () => {
    const { app: first, state, visit } = await started({ offers: [offer(), offer(), offer(), offer()] });
    first.prefer({ undoSeconds: 0 });
    state.responses[acceptanceOf(state)] = new ApiError(404, 'not_found');
    state.responses[acceptanceOf({ offers: state.offers.slice(1) })] = new ApiError(403, 'refused');
    // What is gone leaves the list although it cannot be read.
    state.responses['GET v1/me'] = new NetworkError('service');
    await first.answers.answer(state.offers, 'accept');
    await settled();
    expect(first.lists.offers.value).toEqual(state.offers.slice(1));
    expect([linesOf(first), first.toasts.toast.value?.kind]).toEqual([
      ['2 accepted · 2 without effect'],
      'neutral',
    ]);
    const { app } = await visit();
    expect(app.toasts.toast.value).toBeNull();
    expect(app.outcomes.kept.value.map(({ result }) => result)).toEqual([
      ...['gone', 'refused', 'accepted', 'accepted'],
    ]);
    const dismissing = app.outcomes.dismiss();
    expect(app.outcomes.kept.value).toEqual([]);
    await dismissing;
    await settled();
    expect(first.outcomes.kept.value).toEqual([]);
    expect((await visit()).app.outcomes.kept.value).toEqual([]);
  });

  test.each([
    [
      'has it',
      { assignment: { status: 'accepted' } },
      ['Sent: you have accepted Marisol Delgado.', en.claim.undoneTooLate(1)],
    ],
    ['does not have it', { assignment: { status: 'pending_acceptance' } }, [en.claim.undoneAsked]],
    ['cannot be asked', undefined, [en.claim.undoneUnknown]],
  ])(
    'says of an answer that is stopped after a gateway gave up whether the service %s',
    async (_, shown, lines) => {
      const { app, state } = await started({ undoSeconds: 0 });
      state.responses[acceptanceOf(state)] = new NetworkError('service');
      await app.answers.answer(state.offers, 'accept');
      await settled();
      const [claim] = state.offers as [AppClaim];
      state.responses[`GET v1/claims/${claim.id}`] = () => {
        if (shown === undefined) throw new NetworkError();
        return { ...claim, ...shown };
      };
      state.calls.length = 0;
      await app.answers.undo([claim.id]);
      await settled();
      expect(linesOf(app)?.toSorted()).toEqual(lines);
      expect(state.calls).toContain('GET v1/invitations');
      expect(app.answers.queued.value).toEqual([]);
    },
  );

  test('says of answers that are stopped together which were too late, and of which it is not known', async () => {
    const { app, state } = await started({ offers: [offer(), offer()], undoSeconds: 0 });
    const [failing, tried] = state.offers as [AppClaim, AppClaim];
    state.responses[acceptanceOf(state)] = new NetworkError('service');
    state.responses[acceptanceOf({ offers: [tried] })] = new NetworkError();
    await app.answers.answer(state.offers, 'accept');
    await settled();
    expect(app.answers.queued.value.map(app.answers.isUndoable)).toEqual([true, false]);
    state.responses[`GET v1/claims/${failing.id}`] = new NetworkError();
    app.toasts.closeToast();
    await app.answers.undo(state.offers.map(({ id }) => id));
    expect(linesOf(app)).toEqual([en.claim.undoneTooLate(1), en.claim.undoneUnknown]);
    await settled();
    state.calls.length = 0;
    await app.answers.undo([tried.id]);
    await settled();
    expect(state.calls).toContain(acceptanceOf({ offers: [tried] }));
  });

  test('has no answered offer among the open ones, and Undo takes back what the last tap gave', async () => {
    const { app, state } = await started({ offers: [offer(), offer()] });
    const [first, second] = state.offers as [AppClaim, AppClaim];
    await app.answers.answer([first], 'accept');
    jest.advanceTimersByTime(1000);
    await app.answers.answer([second], 'reject');
    expect([app.answers.openOffers.value, app.arrangement.arrangedOffers.value]).toEqual([[], []]);
    expect(app.answers.undoable.value.map(({ key }) => key)).toEqual([second.id]);
    await app.answers.undo([second.id]);
    expect(app.answers.openOffers.value?.map(({ id }) => id)).toEqual([second.id]);
  });

  test('says whether edits were saved, wait or were rejected, and keeps rejected ones as typed', async () => {
    const claim = ownClaim('2026-08-29T15:00:00.000Z');
    const { app, state, storage } = await started({ accepted: [claim] });
    const save = () => app.work.save(claim.id, { notes: 'Wet' }, false, { notes: '' });
    const name = `PATCH v1/claims/${claim.id}/work`;
    const reads = async () => {
      await settled();
      return state.calls.splice(0).filter((call) => call === 'GET v1/invitations').length;
    };
    state.responses[name] = new NetworkError('service');
    await reads();
    expect([await save(), await reads()]).toEqual(['waiting', 1]);
    expect(app.work.withOwnEdits(claim).work.notes).toBe('Wet');
    state.responses[name] = new ApiError(409, 'not_accepted');
    expect([await save(), await reads()]).toEqual(['rejected', 1]);
    const kept = { notes: 'Wet', 'base:notes': '' };
    // What editing began from is older than what a later attempt was made from.
    const again = await app.work.save(claim.id, { notes: 'Wet' }, false, { notes: 'Wet' });
    expect([again, await reads(), await storage.get(`draft:${claim.id}`)]).toEqual(['rejected', 1, kept]);
    state.responses[name] = () => ({ ...claim, work: { notes: 'Wet' } });
    // The response has the claim as it is now.
    expect([await save(), await reads()]).toEqual(['saved', 0]);
    expect(app.lists.findClaim(claim.id)?.work.notes).toBe('Wet');
    expect((await storage.get('accepted'))?.[0]?.work.notes).toBe('Wet');
    expect(await storage.get(`draft:${claim.id}`)).toBeUndefined();
    const device = { quietHours: null, deadlineReminders: true };
    await app.outbox.add([
      { kind: 'work', key: claim.id, entries: { notes: 'Wet' } },
      { kind: 'settings', key: 'device', changes: device },
    ]);
    await app.outbox.send();
    expect(await reads()).toBe(1);
    const closing = `POST v1/claims/${claim.id}/closure`;
    state.responses[closing] = () => ({ ...claim, closed_at: '2026-09-01T00:00:00.000Z' });
    for (const changed of [{ notes: 'Wet' }, {}]) await app.work.save(claim.id, changed, true);
    expect(state.calls).toEqual([name, closing, closing]);
  });

  test('saves a date together with that of another device, which is named in the notes, and says so once', async () => {
    const claim = ownClaim('2026-08-29T15:00:00.000Z');
    const { app, state } = await started({ accepted: [claim] });
    const name = `PATCH v1/claims/${claim.id}/work`;
    const elsewhere = { version: 'v2', contact_date: '2026-08-29' };
    state.responses[name] = () => {
      const { based_on, ...saved } = Object(state.bodies[name]);
      if (based_on === 'v1') throw new ApiError(409, 'work_changed');
      return { ...claim, work: { version: 'v3', ...saved } };
    };
    state.responses[`GET v1/claims/${claim.id}`] = () => ({ ...claim, work: elsewhere });
    const base = { contact_date: '' };
    expect(await app.work.save(claim.id, { contact_date: '2026-08-30' }, false, base)).toBe('saved');
    const notes = `${en.workFields.contact_date}: 2026-08-29`;
    expect(app.lists.findClaim(claim.id)?.work).toEqual({ version: 'v3', contact_date: '2026-08-30', notes });
    expect(linesOf(app)).toEqual([en.merged]);
    expect([app.drafts.takeMerged(claim.id), app.drafts.takeMerged(claim.id)]).toEqual([true, false]);
  });

  test('keeps refused edits as typed and says that they were refused, also when another tab has sent them', async () => {
    const claim = ownClaim('2026-08-29T15:00:00.000Z');
    const { app, state, storage, onMessage, visit } = await started({ accepted: [claim] });
    const other = (await visit()).app;
    state.responses[`PATCH v1/claims/${claim.id}/work`] = new ApiError(409, 'not_accepted');
    app.drafts.of(claim.id).keep(['notes'], 'Wet');
    onMessage(({ kind }) => kind === 'outbox' && void other.outbox.send());
    expect(await app.work.save(claim.id, { notes: 'Wet' }, false)).toBe('rejected');
    await settled();
    expect(state.calls.filter((name) => name.startsWith('PATCH'))).toHaveLength(1);
    expect(await storage.get(`draft:${claim.id}`)).toEqual({ notes: 'Wet' });
    expect(app.drafts.of(claim.id).texts.value).toEqual({ notes: 'Wet' });
  });

  test('keeps an entry of the contact log that is refused, as by a full one, in the notes after what was typed', async () => {
    const claim = ownClaim('2026-08-29T15:00:00.000Z');
    const { app, state } = await started({ accepted: [claim] });
    state.responses[`PUT v1/claims/${claim.id}/contacts/c1`] = new ApiError(409, 'contact_log_full');
    const draft = app.drafts.of(claim.id);
    draft.keep(['notes'], 'Typed before.');
    const contact = { id: 'c1', at: '2026-08-29T16:00:00Z', result: 'left_message', note: 'Spoke.' } as const;
    await app.work.logContact(claim.id, { contact: { ...contact } }, 0);
    await settled();
    expect(draft.texts.value.notes).toMatch(/^Typed before\.\n.*: Left message · Spoke\.$/);
    expect([linesOf(app), app.toasts.toast.value?.kind]).toEqual([[en.outbox.refused], 'error']);
    // Also after what is saved, where nothing is typed, and with a result of a later release.
    app.lists.updateClaim({ ...claim, work: { version: 'v2', notes: 'Saved.' } });
    draft.keep(['notes'], undefined);
    await app.work.logContact(
      claim.id,
      { contact: Object.assign(contact, { result: 'moved', note: undefined }) },
      0,
    );
    await settled();
    expect(draft.texts.value.notes).toMatch(/^Saved\.\n.*: moved$/);
  });

  test('a note for the contact log is in its field or in its entry, whenever the page is killed, also with Undo', async () => {
    const note = 'Gate code';
    const found: unknown[] = [];
    for (let transactions = 0; transactions < 8; transactions += 1)
      for (const isUndone of [false, true]) {
        const claim = ownClaim('2026-08-29T15:00:00.000Z');
        const { app, state, kept } = await started({ accepted: [claim] });
        app.typed.contactNotes.keep([claim.id], 'Gate code');
        await settled();
        const contact = { id: 'contact-1', at: '2026-08-29T16:00:00Z', result: 'no_answer', note } as const;
        const log = () => app.work.logContact(claim.id, { contact }, 20_000);
        const id = isUndone ? await log() : undefined;
        await settled();
        state.transactionsLeft = transactions;
        void (id === undefined ? log() : app.work.undoContact(claim.id, id));
        await settled();
        const [notes, entries] = await kept(async (store) =>
          Promise.all([resultOf(store.get('contactNotes')), resultOf(store.get('outbox'))]),
        );
        found.push([
          notes?.[claim.id] ?? entries?.[0]?.contact.note,
          (notes === undefined) !== (entries === undefined),
        ]);
      }
    expect(found).toEqual(Array(16).fill(['Gate code', true]));
  });

  test('stores each field as it is typed, and neither of two tabs erases what was typed in the other', async () => {
    const claim = ownClaim('2026-08-29T15:00:00.000Z');
    const { app, state, storage, visit } = await started({ accepted: [claim] });
    const other = (await visit()).app;
    const [one, two] = [app.drafts.of(claim.id), other.drafts.of(claim.id)];
    await settled();
    one.keep(['notes'], 'Typed in one tab');
    two.keep(['contact_date'], '2026-08-30');
    const both = { notes: 'Typed in one tab', contact_date: '2026-08-30' };
    await settled();
    expect([one.texts.value, two.texts.value]).toEqual([both, both]);
    expect(await storage.get(`draft:${claim.id}`)).toEqual(both);
    app.typed.rejections.keep(['a'], { code: 'too_far', freeText: '' });
    app.typed.contactNotes.keep(['b'], 'Gate code');
    app.typed.fields.keep(['zip'], '33931');
    await settled();
    expect(Object.values(other.typed).map(({ texts }) => texts.value)).toEqual([
      { a: { code: 'too_far', freeText: '' } },
      { b: 'Gate code' },
      { zip: '33931' },
    ]);
    const later = (await visit()).app;
    const typed = [later.typed.contactNotes, later.drafts.of(claim.id)];
    await settled();
    expect(typed.map(({ texts }) => texts.value)).toEqual([{ b: 'Gate code' }, both]);
    // What one tab saves is no longer typed in any; what was typed since stays.
    state.responses[`PATCH v1/claims/${claim.id}/work`] = () => {
      two.keep(['notes'], 'Typed since');
      return { ...claim, work: both };
    };
    expect(await app.work.save(claim.id, both, false)).toBe('saved');
    await settled();
    expect([one.texts.value, two.texts.value]).toEqual(
      Array(2).fill({ notes: 'Typed since', 'base:notes': 'Typed in one tab' }),
    );
  });

  test('shows settings that wait as changed, also after a restart, and stores them once they are sent', async () => {
    const { app, state, storage, visit } = await started();
    const changes = { accepting_assignments: false };
    const unsent = () =>
      (['availability', 'device'] as const).map((key) => app.account.unsentSettings(key).length);
    const counts: unknown[] = [];
    state.responses['PATCH v1/me/availability'] = () => {
      counts.push(unsent());
      throw new NetworkError('service');
    };
    await app.account.changeSettings({ key: 'availability', changes });
    await settled();
    expect(app.account.availability.value).toMatchObject(changes);
    expect(app.session.profile.value).toEqual(PROFILE);
    // Not of what is being sent.
    expect([...counts, unsent()]).toEqual([
      [0, 0],
      [1, 0],
    ]);
    const quiet = { quietHours: { start: '21:00', end: '07:15' }, deadlineReminders: false };
    expect(await app.account.changeSettings({ key: 'device', changes: quiet })).toBe(true);
    expect(await storage.get('devicePreferences')).toEqual(quiet);
    // On a full disk it is the sending that says whether they are kept.
    state.storeFails = true;
    const more = { key: 'availability', changes: { max_open_offers: 3 } } as const;
    expect(await app.account.changeSettings(more)).toBe(false);
    expect(app.account.availability.value).toMatchObject({ ...changes, max_open_offers: 3, away: [] });
    state.storeFails = false;
    await app.outbox.restore([]);
    const later = (await visit()).app;
    expect(later.account.availability.value).toMatchObject({ ...changes, max_open_offers: 3 });
    // Also where the profile cannot be read after that.
    state.responses['GET v1/me'] = new NetworkError('service');
    state.responses['PATCH v1/me/availability'] = () => ({ ...PROFILE.availability, ...changes });
    await after(5000);
    expect(unsent()).toEqual([0, 0]);
    expect(app.session.profile.value?.availability).toMatchObject(changes);
    expect((await storage.get('profile'))?.availability).toMatchObject(changes);
  });

  test('refuses a first email address that the service did not store, and shows what it did store', async () => {
    const { app, state } = await started();
    state.responses['PATCH v1/me'] = () => ({ ...PROFILE, email: null });
    state.profile = { ...PROFILE, last_name: 'Stored' };
    const saving = app.account.saveProfile({ email: 'taken@example.com', last_name: 'Stored' });
    await expect(saving).rejects.toMatchObject({ status: 422, fields: ['email'] });
    expect(app.session.profile.value).toEqual(state.profile);
    // Who has none yet can change the rest.
    expect(await app.account.saveProfile({ last_name: 'Other' })).toEqual({ ...PROFILE, email: null });
    expect(state.bodies['PATCH v1/me']).toEqual({ last_name: 'Other' });
  });

  test('reads the deadlines once an hour, however often the lists are read, and shows the stored ones before', async () => {
    const { app: first, handlers, state, visit } = await started();
    const reads = async (revision: string) => {
      handlers.events?.changed(revision);
      await settled();
      return state.calls.filter((name) => name === 'GET v1/deadlines').length;
    };
    expect(await reads('later')).toBe(1);
    const set = { cat_code: 'FL0224', hours: 2880, source: 'bulletin' };
    const rule = { kind: 'proof_of_loss', from: 'loss', hours: 1440, source: 'policy', events: [set] };
    state.responses['GET v1/deadlines'] = () => ({ data: [rule], next_cursor: null });
    jest.setSystemTime(Date.now() + 3_599_999);
    expect(await reads('within the hour')).toBe(1);
    jest.setSystemTime(Date.now() + 1);
    expect(await reads('an hour later')).toBe(2);
    expect(first.deadlines.overrides.value).toEqual([
      { event: 'FL0224', kind: 'proof_of_loss', hours: 2880, source: 'bulletin' },
    ]);
    jest.setSystemTime(Date.now() + 3_600_000);
    state.responses['GET v1/deadlines'] = new NetworkError();
    expect([await reads('no response'), await reads('at once')]).toEqual([3, 3]);
    jest.setSystemTime(Date.now() + 59_999);
    expect(await reads('within the minute')).toBe(3);
    jest.setSystemTime(Date.now() + 1);
    expect(await reads('a minute later')).toBe(4);
    const { app } = await visit();
    expect(app.deadlines.overrides.value).toEqual(first.deadlines.overrides.value);
  });

  test('reads the lists when another tab has sent an answer, and reloads when it has signed out or another adjuster in', async () => {
    const { app: other, state, visit, notify } = await started();
    const { app, current } = await visit();
    app.prefer({ undoSeconds: 0 });
    state.responses[acceptanceOf(state)] = () => {
      state.offers = [];
      return { assignment: { status: 'accepted' } };
    };
    await app.answers.answer(state.offers, 'accept');
    await settled();
    expect(other.lists.offers.value).toEqual([]);
    expect(state.calls).not.toContain('reload');
    notify({ kind: 'session', svcId: 'SVC-1' });
    notify({ kind: 'open', hash: '#/claims/pushed' });
    expect([state.calls.includes('reload'), app.session.profile.value?.svc_id]).toEqual([false, 'SVC-1']);
    expect(current()).toBe('#/claims/pushed');
    const reloads = () => state.calls.filter((name) => name === 'reload').length;
    await app.signOut(false);
    expect(reloads()).toBe(1);
    delete state.responses['GET v1/me'];
    state.profile = { ...PROFILE, svc_id: 'SVC-2' };
    await app.signIn({ email: 'other@example.com', code: '123456' });
    expect(reloads()).toBe(2);
  });

  test('keeps a search, a selection and the text of each field for a visit after weeks, without lists of then, and shows them to nobody else', async () => {
    const { app, state, storage, visit } = await started();
    for (const changes of [{ order: 'loss' }, { search: 'Kenner' }] as const) app.arrangement.change(changes);
    app.typed.fields.keep(['profile.first_name', 'zip'], 'Typed');
    app.typed.fields.keep(['selected'], 'claim-1');
    await settled();
    state.responses['GET v1/me'] = state.responses['GET v1/claims'] = new NetworkError();
    jest.setSystemTime(Date.now() + 15 * 86_400_000);
    const later = await visit();
    expect([later.app.lists.offers.value, await storage.get('offers')]).toEqual([undefined, undefined]);
    expect(later.app.session.isSignedIn()).toBe(true);
    state.responses = {};
    const typed = { 'profile.first_name': 'Typed', zip: 'Typed', selected: 'claim-1' };
    expect(later.app.typed.fields.texts.value).toEqual(typed);
    const kept = { grouping: 'none', order: 'loss', search: 'Kenner' };
    expect(later.app.arrangement.arrangement.value).toEqual(kept);
    state.profile = { ...PROFILE, svc_id: 'SVC-2' };
    await later.app.signIn({ email: 'other@example.com', code: '123456' });
    expect(later.app.typed.fields.texts.value).toEqual({});
    expect(later.app.arrangement.arrangement.value.search).toBe('');
  });

  test('stores what it shows again after the browser has emptied the database', async () => {
    const given = { offers: [offer()], accepted: [ownClaim('2026-08-29T15:00:00.000Z')] };
    const { app, handlers, state, storage, kept } = await started(given);
    await app.answers.answer(state.offers, 'accept');
    const stored = () =>
      storage.getAll(
        ...(['profile', 'outbox', 'offers', 'accepted', 'invitations', 'readAt', 'changesSince'] as const),
      );
    const before = await stored();
    expect(before).not.toContain(undefined);
    await kept((store) => resultOf(store.clear()));
    handlers.page.storageLost?.();
    await app.outbox.read();
    handlers.page.storageLost?.();
    await after(1000);
    expect(await stored()).toEqual(before);
    // At the next time as it is then, and later and later where that fails.
    await app.answers.undo(state.offers.map(({ id }) => id));
    await kept((store) => resultOf(store.clear()));
    state.databaseFails = true;
    handlers.page.storageLost?.();
    await after(500);
    await after(999);
    state.databaseFails = false;
    await settled();
    expect(await storage.get('profile')).toBeUndefined();
    await after(1);
    expect(await storage.getAll('profile', 'outbox')).toEqual([PROFILE, undefined]);
    // And twice a minute at least.
    await kept((store) => resultOf(store.clear()));
    state.databaseFails = true;
    handlers.page.storageLost?.();
    for (let n = 0; n < 14; n += 1) await after(30_000);
    state.databaseFails = false;
    await after(30_000);
    expect(await storage.get('profile')).toEqual(PROFILE);
  });

  test('reports an error once, five in a visit, and nothing about failed requests or without a session', async () => {
    const { app, state } = await started();
    const reports = async (...errors: readonly unknown[]) => {
      for (const error of errors) app.reportError(error);
      await settled();
      return state.calls.filter((name) => name === 'POST v1/error-reports').length;
    };
    const named = (name: string) => Object.assign(new Error(), { name, stack: `at ${name}.js:1:1` });
    const error = new TypeError('undefined is not a function');
    expect(await reports(error, error, new NetworkError(), new ApiError(422, 'validation_failed'))).toBe(1);
    const sent = { screen: 'claims', error: 'TypeError' };
    expect(state.bodies['POST v1/error-reports']).toMatchObject(sent);
    // The same one elsewhere is another one.
    const elsewhere = Object.assign(named('A'), { stack: 'at B.js:1:1' });
    expect(await reports(named('A'), named('B'))).toBe(3);
    expect(await reports(elsewhere)).toBe(4);
    expect(state.bodies['POST v1/error-reports']).toEqual({ ...sent, error: 'A', places: 'B.js:1:1' });
    app.session.expire();
    expect(await reports(named('D'))).toBe(4);
    app.session.open(PROFILE);
    expect(await reports(...['E', 'F', 'G'].map(named))).toBe(5);
  });

  test('says that a setting was refused, and asks for a passkey where sending needs one', async () => {
    const claim = ownClaim('2026-08-29T15:00:00.000Z');
    const { app, state } = await started({ accepted: [claim] });
    state.responses['PATCH v1/me/availability'] = new ApiError(422, 'validation_failed');
    await app.account.changeSettings({ key: 'availability', changes: { max_open_offers: 0 } });
    await settled();
    expect(linesOf(app)).toEqual([en.network.failed]);
    state.responses[`PATCH v1/claims/${claim.id}/work`] = new ApiError(403, 'passkey_required');
    await app.work.save(claim.id, { notes: 'Wet' }, false);
    expect([app.session.needsPasskey.value, app.outbox.entries.value.length]).toEqual([true, 1]);
  });

  test('says each result of answers on other screens than the list of offers, the later beside the earlier', async () => {
    const offers = Array.from({ length: 5 }, () => offer());
    const { app, current, notify } = await started({ offers });
    app.prefer({ undoSeconds: 0 });
    const accept = async (answer: 'accept' | 'reject' = 'accept') => {
      await app.answers.answer(offers.splice(0, 1), answer);
      await settled();
      return linesOf(app);
    };
    const sent = 'Sent: you have accepted Marisol Delgado.';
    expect([await accept(), await accept()]).toEqual([[sent], [sent, sent]]);
    expect(await accept('reject')).toEqual(['2 accepted · 1 rejected']);
    app.toasts.showToast('Saved.');
    expect(await accept()).toEqual([sent]);
    app.toasts.closeToast();
    notify({ kind: 'open', hash: '#/' });
    expect(current()).toBe('#/');
    expect([await accept(), app.outcomes.kept.value.length]).toEqual([undefined, 5]);
  });

  test('keeps a reason for as long as its offer is open or its rejection waits', async () => {
    const { app, state } = await started({ offers: [offer(), offer()] });
    const [open, waiting] = state.offers as [AppClaim, AppClaim];
    app.typed.rejections.keep([open.id, waiting.id, 'ended'], { code: 'too_far', freeText: '' });
    await app.answers.answer([waiting], 'reject');
    state.offers = [open];
    await app.lists.refresh();
    await settled();
    expect(Object.keys(app.typed.rejections.texts.value)).toEqual([open.id, waiting.id]);
  });

  test('measures distances from the ZIP code that was entered, once its file is loaded, and keeps it for the next visit', async () => {
    const bytes = encodeZipPlaces([
      { zip: 33101, latitude: 26, longitude: -80 },
      { zip: 33931, latitude: 27, longitude: -80 },
    ]);
    const fetching = jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () => new Response(bytes.slice()));
    const [near, far] = ['33101', '33931-1234'].map((zip) =>
      offer({ loss_location: { street: '1 A St', city: 'Miami', state: 'FL', zip } }),
    ) as [AppClaim, AppClaim];
    const { app, visit } = await started();
    const { places } = app;
    expect([places.distanceOf.value(near), places.milesApart(near, far)]).toEqual([undefined, undefined]);
    await places.setOriginFromZip('33101');
    expect([places.distanceOf.value(far), places.milesApart(far, near)].map((one) => one?.toFixed())).toEqual(
      [...['69', '69']],
    );
    await settled();
    const later = (await visit()).app.places;
    expect([later.origin.value, later.mayAsk.value, later.distanceOf.value(far)?.toFixed()]).toEqual([
      ...[{ latitude: 26, longitude: -80, zip: '33101' }, false, '69'],
    ]);
    places.setStops(['a']);
    await settled();
    later.stops.value = ['b'];
    await later.restoreStops();
    expect(later.stops.value).toEqual(['b']);
    places.forgetOrigin();
    await settled();
    const last = (await visit()).app.places;
    await last.restoreStops();
    expect([last.origin.value, last.stops.value, last.mayAsk.value]).toEqual([null, ['a'], false]);
    const getCurrentPosition = jest.fn<Geolocation['getCurrentPosition']>((found) =>
      found(Object({ coords: { latitude: 26, longitude: -80, accuracy: 9 } })),
    );
    const browser = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    const value = { geolocation: { getCurrentPosition } };
    Object.defineProperty(globalThis, 'navigator', { value, configurable: true });
    await last.setOriginFromPosition();
    Reflect.deleteProperty(globalThis, 'navigator');
    if (browser !== undefined) Object.defineProperty(globalThis, 'navigator', browser);
    // A position of a minute ago is not where somebody who drives is.
    expect(getCurrentPosition.mock.calls[0]?.[2]).toEqual({ timeout: 15_000, maximumAge: 60_000 });
    await settled();
    expect(last.distanceOf.value(far)?.toFixed()).toBe('69');
    expect((await visit()).app.places.origin.value).toEqual({ latitude: 26, longitude: -80 });
    expect(new Set(fetching.mock.calls.map(([url]) => url))).toEqual(new Set(['zip.bin']));
    fetching.mockRestore();
  });
});

test('texts are in the language that was chosen, also for the worker, and call nothing saved where nothing is stored', async () => {
  const { app, state, storage } = await started();
  const { choose, texts } = app.language;
  choose('es');
  await settled();
  expect([texts.value, await storage.get('language')]).toEqual([es, 'es']);
  expect(app.format.clockTime(0)).not.toContain('PM');
  state.isStored.value = false;
  const { claim, offers, ...others } = texts.value;
  const saying = [claim.queuedAccept, claim.queuedReject, offers.queuedMore, offers.queuedCount(2)];
  expect(saying).toEqual(Array(4).fill(es.notStored.waits));
  expect(app.preferences.value.undoSeconds).toBe(0);
  const { claim: _, offers: __, ...spanish } = es;
  expect(others).toEqual(spanish);
});

test('changes of one text that could not be stored all count once they can be, and late ones show to nobody else', async () => {
  let kept: Readonly<Record<string, string>> | undefined = { c: 'kept' };
  let fails = true;
  const typed = createTyped<string>({
    read: async () => kept,
    async update(change) {
      await Promise.resolve();
      if (fails) throw new Error('No space.');
      kept = change(kept);
    },
  });
  const line =
    (text: string) =>
    (now = '') =>
      now.includes(text) ? now : now + text;
  void typed.change([
    ['a', line('1')],
    ['b', line('1')],
  ]);
  await typed.change([['a', line('2')]]);
  typed.keep(['c'], undefined);
  expect(typed.texts.value).toEqual({ a: '12', b: '1' });
  await typed.read();
  expect(typed.texts.value).toEqual({ a: '12', b: '1' });
  fails = false;
  await typed.store();
  expect(kept).toEqual({ a: '12', b: '1' });
  const shown: unknown[] = [];
  const stop = typed.texts.subscribe(({ b }) => shown.push(b));
  await Promise.all([typed.change([['b', line('2')]]), typed.change([['b', line('3')]])]);
  stop();
  // What is typed while an earlier text is being stored stays.
  expect([...new Set(shown.slice(shown.indexOf('123')))]).toEqual(['123']);
  typed.keep(['b'], '1');
  const storing = typed.change([['a', line('3')]]);
  typed.forget();
  await storing;
  expect([typed.texts.value, kept]).toEqual([{}, { a: '123', b: '1' }]);
  const reading = typed.read();
  typed.forget();
  await reading;
  expect(typed.texts.value).toEqual({});
  fails = true;
  await typed.change([['a', line('4')]]);
  typed.forget();
  typed.keep(['c'], 'of the next one');
  expect(typed.texts.value).toEqual({ c: 'of the next one' });
});

test('choices of the device are kept, what is none of them is the default, and where nothing is stored no answer is held', () => {
  let stored = '{"scheme":"sunlight","undoSeconds":7}';
  const choices = {
    read: (name: string) => (name === 'preferences' ? stored : undefined),
    write: (name: string, text: string) => {
      if (name === 'preferences') stored = text;
    },
  };
  const isStored = signal(true);
  const open = () => createPreferences(choices, isStored);
  const { preferences, prefer } = open();
  expect(preferences.value).toEqual({ scheme: 'sunlight', undoSeconds: 5 });
  prefer({ undoSeconds: 0 });
  expect(open().preferences.value).toEqual({ scheme: 'sunlight', undoSeconds: 0 });
  stored = '{';
  expect(open().preferences.value).toEqual({ scheme: 'device', undoSeconds: 5 });
  const valid = ['device', 'light', 'dark', 'sunlight'].map((scheme, n) => ({
    ...{ scheme, undoSeconds: [0, 5, 10, 20][n] },
  }));
  const kept = valid.map((one) => {
    stored = JSON.stringify(one);
    return open().preferences.value;
  });
  expect(kept).toEqual(valid);
  isStored.value = false;
  expect(open().preferences.value).toEqual({ scheme: 'sunlight', undoSeconds: 0 });
});
