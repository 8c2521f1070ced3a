import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { signal } from '@preact/signals';
import type { AppClaim, Profile } from '@svc/contract';
import { createApp } from '../src/create-app.ts';
import { connectDatabase } from '../src/data/database.ts';
import { type Call, type CallId, type RequestParts, requestOf } from '../src/data/endpoints.ts';
import type { EventHandlers } from '../src/data/event-stream.ts';
import { createOutboxStore } from '../src/data/outbox.ts';
import { createStorage } from '../src/data/storage.ts';
import type { TabMessage, Tabs } from '../src/data/tabs.ts';
import { ApiError, NetworkError } from '../src/model/api-error.ts';
import { createNavigation } from '../src/navigation.ts';
import { answerHandler } from '../src/outbox/answers.ts';
import { offer, ownClaim } from './claims.ts';

const PROFILE: Profile = {
  ...{ svc_id: 'SVC-1', test: false, first_name: 'Jean', last_name: 'Delacroix' },
  ...{ email: 'jean@example.com', firms: [] },
  availability: { accepting_assignments: true, away: [], max_open_offers: null },
};

let devices = 0;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A service, and a device on which apps are opened as tabs and visits do. */
function device() {
  devices += 1;
  const connection = connectDatabase(`app-${devices}`, 1);
  const storage = createStorage(connection.get);
  const state = {
    profile: PROFILE,
    offers: [] as AppClaim[],
    accepted: [] as AppClaim[],
    /** What the service responds instead, by `METHOD path`. */
    responses: {} as Record<string, Error | (() => unknown)>,
    calls: [] as string[],
    visible: true,
  };
  const pageOf = (data: readonly AppClaim[], query: RequestParts['query'] = {}) => ({
    data: query.updated_since === undefined ? data : [],
    next_cursor: null,
    ...(query.updated_since !== undefined && { ids: data.map(({ id }) => id) }),
  });
  const call = (async (id: CallId, parts?: RequestParts) => {
    const { method, path } = requestOf(id, parts);
    const name = `${method} ${path.replace(/\?.*/, '')}`;
    state.calls.push(name);
    await Promise.resolve();
    const planned = state.responses[name];
    if (planned instanceof Error) throw planned;
    if (planned !== undefined) return planned();
    if (id === 'getProfile') return state.profile;
    if (id === 'getOfferedClaim') return state.offers.find((claim) => claim.id === parts?.params?.id);
    if (id === 'listOfferedClaims')
      return pageOf(parts?.query?.status === 'accepted' ? state.accepted : state.offers, parts?.query);
    if (id === 'listInvitations' || id === 'listDeadlines') return { data: [], next_cursor: null };
    return undefined;
  }) as Call;
  const listeners: ((message: TabMessage) => void)[] = [];
  const tabs: Tabs = {
    notify: (message) => {
      for (const listener of listeners) listener(message);
    },
    listen: (listener) => void listeners.push(listener),
  };
  let turn: Promise<unknown> = Promise.resolve();
  const open = () => {
    const handlers: { events?: EventHandlers; page: Record<string, () => void> } = { page: {} };
    const hash = { value: '#/claims' };
    const app = createApp({
      ...{ storage, tabs, api: { call, now: Date.now }, isStored: signal(true), zipPlacesUrl: 'zip.bin' },
      deviceLanguage: () => 'en',
      choices: { read: () => undefined, write: () => {} },
      onStorageLost: () => {},
      outboxStore: {
        ...createOutboxStore(storage, tabs),
        exclusive<T>(task: () => Promise<T>): Promise<T> {
          const run = turn.then(task);
          turn = run.catch(() => {});
          return run;
        },
      },
      answerApi: {
        isOnline: () => true,
        answer: answerHandler({
          ...{ call, now: Date.now },
          recordOutcome: async (outcome) => void (await storage.outcomes.add(outcome)),
        }),
      },
      notifications: { sendPreferences: async () => {}, disable: async () => {}, renew: async () => {} },
      navigation: createNavigation({
        location: {
          get hash() {
            return hash.value;
          },
          set hash(to) {
            hash.value = to;
          },
          replace: () => {},
        },
        ...{ history: { scrollRestoration: 'auto' }, scrollY: 0, addEventListener: () => {} },
      }),
      openEvents(events) {
        handlers.events = events;
        return { open: () => events.changed('revision'), close: () => {}, isAlive: () => true };
      },
      page: {
        ...{ isVisible: () => state.visible, reload: () => {}, sendInBackground: () => {} },
        on: (event, listener) => {
          handlers.page[event] = listener;
        },
      },
    });
    return { app, handlers };
  };
  return {
    ...{ state, storage, open, signedIn: () => storage.put('profile', state.profile) },
    names: async () => (await connection.get()).getAllKeys('kept'),
  };
}

/** Lets what is under way go on until nothing changes; IndexedDB takes several turns. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 200; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

const linesOf = ({ toasts }: ReturnType<typeof createApp>) =>
  toasts.toast.value?.lines.map((line) => (typeof line === 'string' ? line : line()));

describe('an app', () => {
  test('can be opened twice on a device, and neither changes what the other one shows', async () => {
    const { open, signedIn, state } = device();
    await signedIn();
    state.offers = [offer()];
    const [one, other] = [open(), open()];
    void one.app.start();
    await settled();
    expect(one.app.lists.offers.value).toHaveLength(1);
    expect(other.app.lists.offers.value).toBeUndefined();
    one.app.prefer({ undoSeconds: 20 });
    expect(other.app.preferences.value.undoSeconds).toBe(5);
  });

  test('shows what the last visit stored, and keeps it when the service has a problem', async () => {
    const { open, signedIn, state } = device();
    await signedIn();
    state.accepted = [ownClaim('2026-08-29T15:00:00.000Z')];
    void open().app.start();
    await settled();
    state.responses['GET v1/me'] = new NetworkError('service');
    const { app } = open();
    void app.start();
    await settled();
    expect(app.lists.accepted.value).toHaveLength(1);
    expect([app.session.isSignedIn(), app.session.connection.value]).toEqual([true, 'problem']);
  });

  test('does not read lists again that have not changed since the last visit', async () => {
    const { open, signedIn, state } = device();
    await signedIn();
    state.offers = [offer()];
    void open().app.start();
    await settled();
    state.calls.length = 0;
    const { app } = open();
    void app.start();
    await settled();
    expect(app.lists.offers.value).toHaveLength(1);
    expect(state.calls).not.toContain('GET v1/claims');
  });

  test('asks nobody who was never here to sign in again: the session is looked for first', async () => {
    const { open, state } = device();
    state.responses['GET v1/me'] = new ApiError(401, 'invalid_session');
    const { app } = open();
    void app.start();
    await settled();
    expect([app.session.profile.value, app.session.endedBecause.value]).toEqual([null, null]);
  });

  test('whose session the service has ended removes the lists and keeps answers that are not sent', async () => {
    const { open, signedIn, state, storage } = device();
    await signedIn();
    state.offers = [offer()];
    const { app } = open();
    void app.start();
    await settled();
    await app.answers.answer(state.offers, 'accept');
    state.responses['GET v1/me'] = new ApiError(401, 'invalid_session');
    await app.lists.refresh();
    await settled();
    expect([app.session.endedBecause.value, app.lists.offers.value]).toEqual(['expired', undefined]);
    expect(await storage.getAll('offers', 'accepted')).toEqual([undefined, undefined]);
    expect(await storage.get('outbox')).toHaveLength(1);
  });

  test('forgets one adjuster for the next one, with the answers of the first still on the device', async () => {
    const { open, signedIn, state, storage } = device();
    await signedIn();
    state.offers = [offer()];
    const { app } = open();
    void app.start();
    await settled();
    await app.answers.answer(state.offers, 'accept');
    app.places.setStops(['claim-1']);
    app.arrangement.change({ search: 'Kenner' });
    state.profile = { ...PROFILE, svc_id: 'SVC-2' };
    state.offers = [];
    await app.signIn({ email: 'other@example.com', code: '123456' });
    await settled();
    expect([app.answers.queued.value, app.lists.offers.value, app.places.stops.value]).toEqual([[], [], []]);
    expect(app.arrangement.arrangement.value.search).toBe('');
    expect((await storage.get('outbox'))?.map(({ owner }) => owner)).toEqual(['SVC-1']);
    expect(state.calls).not.toContain(`POST v1/claims/${offer().id}/acceptance`);
  });

  test('shows and stores nothing of an adjuster who has signed out, not even an empty outbox', async () => {
    const { open, signedIn, state, names } = device();
    await signedIn();
    state.offers = [offer(), offer()];
    const { app } = open();
    void app.start();
    await settled();
    const [rejected, accepted] = state.offers as [AppClaim, AppClaim];
    app.prefer({ undoSeconds: 0 });
    await app.answers.answer([rejected], 'reject');
    await settled();
    app.prefer({ undoSeconds: 20 });
    await app.answers.answer([accepted], 'accept');
    await app.work.logContact(accepted.id, { entries: { notes: 'Wet' } }, 20_000);
    app.typedNotes.keep([accepted.id], 'Typed');
    app.typedRejections.keep([accepted.id], { code: null, freeText: 'Typed' });
    app.places.setStops([accepted.id]);
    app.arrangement.change({ search: 'Kenner' });
    await settled();
    state.responses['DELETE session'] = () => {
      state.responses['GET v1/me'] = new ApiError(401, 'invalid_session');
    };
    await app.signOut(false);
    await settled();
    expect(await names()).toEqual(['format', 'language']);
    expect([app.outbox.entries.value, app.outcomes.kept.value, app.places.stops.value]).toEqual([[], [], []]);
    expect([app.typedNotes.texts.value, app.typedRejections.texts.value]).toEqual([{}, {}]);
    expect([app.lists.offers.value, app.outcomes.results.value]).toEqual([undefined, {}]);
    expect(app.arrangement.arrangement.value.search).toBe('');
  });

  test('reads the lists again when the service has a later revision, and not when it has the same', async () => {
    const { open, signedIn, state } = device();
    await signedIn();
    const { app, handlers } = open();
    void app.start();
    await settled();
    const reads = () => state.calls.filter((name) => name === 'GET v1/claims').length;
    const before = reads();
    handlers.events?.changed('revision');
    await settled();
    expect(reads()).toBe(before);
    state.offers = [offer()];
    handlers.events?.changed('later');
    await settled();
    expect(app.lists.offers.value).toHaveLength(1);
  });

  test('keeps a claim as the service sent it while older lists were read', async () => {
    const { open, signedIn, state, storage } = device();
    await signedIn();
    const claim = ownClaim('2026-08-29T15:00:00.000Z');
    state.accepted = [claim];
    const { app } = open();
    void app.start();
    await settled();
    state.responses['GET v1/invitations'] = () => {
      delete state.responses['GET v1/invitations'];
      app.lists.updateClaim({ ...claim, work: { notes: 'Saved meanwhile' } });
      return { data: [], next_cursor: null };
    };
    await app.lists.refresh();
    expect(app.lists.accepted.value?.[0]?.work.notes).toBe('Saved meanwhile');
    await settled();
    expect((await storage.get('accepted'))?.[0]?.work.notes).toBe('Saved meanwhile');
  });

  test('lists an offer that ended without an answer in the history, and not one that was answered', async () => {
    const { open, signedIn, state, storage } = device();
    await signedIn();
    const [answered, withdrawn] = [offer(), offer()];
    state.offers = [answered, withdrawn];
    const { app } = open();
    void app.start();
    await settled();
    await app.answers.answer([answered], 'reject');
    state.offers = [];
    await app.lists.refresh();
    await settled();
    expect((await storage.get('history'))?.map(({ claimId }) => claimId)).toEqual([withdrawn.id]);
  });

  test('releases answers that can be undone when the page is hidden, since it may be closed', async () => {
    const { open, signedIn, state } = device();
    await signedIn();
    const claim = offer();
    state.offers = [claim];
    const { app, handlers } = open();
    void app.start();
    await settled();
    await app.answers.answer(state.offers, 'accept');
    await settled();
    const sent = `POST v1/claims/${claim.id}/acceptance`;
    expect(state.calls).not.toContain(sent);
    state.visible = false;
    handlers.page.visibilitychange?.();
    await settled();
    expect(state.calls).toContain(sent);
  });

  test('says that an answer waits for the network only until its result arrives', async () => {
    const { open, signedIn, state } = device();
    await signedIn();
    const claim = offer();
    state.offers = [claim];
    const { app } = open();
    void app.start();
    await settled();
    app.prefer({ undoSeconds: 0 });
    const name = `POST v1/claims/${claim.id}/acceptance`;
    state.responses[name] = new NetworkError('connection');
    await app.answers.answer(state.offers, 'accept');
    await settled();
    expect(linesOf(app)).toEqual(['Your acceptance is saved and will be sent when you are online.']);
    delete state.responses[name];
    await app.outbox.send();
    await settled();
    expect(linesOf(app)).toEqual(['Sent: you have accepted Marisol Delgado.']);
  });

  test("removes the policyholder's name from the device once the adjuster was told of a rejection", async () => {
    const { open, signedIn, state, storage } = device();
    await signedIn();
    state.offers = [offer()];
    const { app } = open();
    void app.start();
    await settled();
    app.prefer({ undoSeconds: 0 });
    await app.answers.answer(state.offers, 'reject');
    await settled();
    expect(linesOf(app)).toEqual(['Sent: you have rejected Marisol Delgado.']);
    expect(JSON.stringify(await storage.get('outcomes'))).not.toContain('Marisol');
  });

  test('keeps results until they are dismissed, and says each of them once', async () => {
    const { open, signedIn, state } = device();
    await signedIn();
    state.offers = [offer()];
    const first = open();
    void first.app.start();
    await settled();
    first.app.prefer({ undoSeconds: 0 });
    await first.app.answers.answer(state.offers, 'accept');
    await settled();
    const { app } = open();
    void app.start();
    await settled();
    expect(app.toasts.toast.value).toBeNull();
    expect(app.outcomes.kept.value).toMatchObject([{ result: 'accepted', detail: expect.any(String) }]);
    await app.outcomes.dismiss();
    await settled();
    expect(first.app.outcomes.kept.value).toEqual([]);
  });
});
