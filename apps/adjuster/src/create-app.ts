import { type ReadonlySignal, signal } from '@preact/signals';
import type { AppClaim, Profile, SignInBody } from '@svc/contract';
import type { KeyValue } from '@svc/web-app/choices';
import type { EventHandlers, EventStream } from '@svc/web-app/event-stream';
import { createSession } from '@svc/web-app/session';
import type { Language } from '@svc/web-app/texts/languages';
import { createToasts } from '@svc/web-app/toasts';
import type { Api } from './data/endpoints.ts';
import type { Notifications } from './data/notifications.ts';
import { isWithdrawnByFirm } from './data/offer-end.ts';
import type { Storage, TypedName } from './data/storage.ts';
import type { TabMessage, Tabs } from './data/tabs.ts';
import { createFormat } from './format.ts';
import type { Navigation } from './navigation.ts';
import type { OutboxApi, OutboxStore } from './outbox/outbox.ts';
import { settingsHandler } from './outbox/settings.ts';
import { workHandler } from './outbox/work.ts';
import { createAccount } from './state/account.ts';
import { createAnswers } from './state/answers.ts';
import { createArrangement } from './state/arrangement.ts';
import { createDeadlines } from './state/deadlines.ts';
import { createErrorReporter } from './state/errors.ts';
import { createAppLanguage } from './state/language.ts';
import { createLists } from './state/lists.ts';
import { createLiveUpdates } from './state/live-updates.ts';
import { createAppOutbox } from './state/outbox.ts';
import { createOutcomes } from './state/outcomes.ts';
import { createPlaces } from './state/places.ts';
import { createPreferences } from './state/preferences.ts';
import { createTyped } from './state/typed.ts';
import { createDrafts, createWork } from './state/work.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const POLL_MS = 30_000;
/** A page that was hidden for longer reads its lists without asking for their revision. */
const STALE_MS = 60_000;
const STORE_AGAIN_MS = 500;
/** Of offers that ended at once, this many are asked why. */
const MAX_ASKED = 20;

/** What the app uses of the browser and the service. */
export interface AppDeps {
  readonly api: Api;
  readonly storage: Storage;
  /** Small choices that are needed before the database is open. */
  readonly choices: KeyValue;
  readonly deviceLanguage: () => Language;
  /** False where the browser stores nothing: answers and notes then last as long as the page. */
  readonly isStored: ReadonlySignal<boolean>;
  /** Called after the browser has removed what was stored. */
  readonly onStorageLost: (listener: () => void) => void;
  readonly outboxStore: OutboxStore;
  readonly answerApi: OutboxApi;
  readonly notifications: Pick<Notifications, 'sendPreferences' | 'disable' | 'renew'>;
  readonly tabs: Tabs;
  readonly navigation: Navigation;
  readonly openEvents: (handlers: EventHandlers) => EventStream;
  readonly zipPlacesUrl: string;
  /** The page: whether it is shown, what happens to it and how to load it again. */
  readonly page: {
    isVisible(): boolean;
    on(event: 'online' | 'offline' | 'visibilitychange', listener: () => void): void;
    reload(): void;
    /** Has the browser wake the service worker once there is a network, where browsers can do that. */
    sendInBackground(): void;
  };
}

/** The app without its screens. Each call creates one that shares nothing with others. */
export function createApp(deps: AppDeps) {
  const { api, storage, navigation, tabs, page } = deps;
  const { currentHash } = navigation;
  /** The service's time, for ages that are shown; updated every half minute. */
  const now = signal(api.now());
  const language = createAppLanguage(deps);
  const { texts } = language;
  const format = createFormat(texts, language.language, now);
  const { preferences, prefer } = createPreferences(deps.choices, deps.isStored);
  const toasts = createToasts(texts, currentHash);
  const session = createSession<Profile>(() => {
    live.stop();
    // It may have been ended because the device was lost. Answers not sent yet stay for the next sign-in.
    lists.remove();
  });
  const reportError = createErrorReporter(api.call, session.isSignedIn, () => navigation.route.peek().screen);
  const lists = createLists({
    ...{ api, storage, session, reportError },
    async startAsAnother() {
      await storage.put('signingIn', true);
      page.reload();
    },
    onCurrent() {
      now.value = api.now();
      live.listen();
      sendQuietly();
      void deadlines.read().catch(() => {});
      forgetEndedRejections();
    },
    onEnded: (offers) => void sayWithdrawn(offers),
  });
  const deadlines = createDeadlines(api.call, storage, session);
  const outcomes = createOutcomes({ storage, tabs, texts, currentHash, lists, toasts });
  /** What is typed is stored as it is typed, and other tabs show it. */
  const typedStore = <const N extends TypedName>(name: N) => {
    const stored = storage.typed(name);
    return {
      ...stored,
      async update(change: Parameters<typeof stored.update>[0]): Promise<void> {
        await stored.update(change);
        tabs.notify({ kind: 'typed', name });
      },
    };
  };
  const typed = {
    rejections: createTyped(typedStore('rejections')),
    contactNotes: createTyped(typedStore('contactNotes')),
    fields: createTyped(typedStore('fields')),
  };
  const drafts = createDrafts({
    ...{ texts, format, toasts },
    storeOf: (claimId) => typedStore(`draft:${claimId}`),
    savedNotes: (claimId) => lists.findClaim(claimId)?.work.notes,
  });
  const outbox = createAppOutbox({
    ...{ texts, session, lists, outcomes, toasts },
    time: { now: api.now, isKnown: api.isTimeKnown, ask: () => api.call('getProfile') },
    store: {
      ...deps.outboxStore,
      isLasting: () => deps.isStored.value,
      // Nothing was stored yet where another tab kept the database from being opened.
      owner: async () =>
        (await deps.outboxStore.owner().catch(() => undefined)) ?? session.profile.value?.svc_id,
    },
    api: {
      ...deps.answerApi,
      work: workHandler({
        ...{ call: api.call, updateClaim: lists.updateClaim },
        ...{ entriesSaved: drafts.saved, keepAsDraft: drafts.keep, merged: drafts.merged },
        workOf: (claimId) => lists.findClaim(claimId)?.work,
        labelOf: (field) => texts.value.workFields[field],
      }),
      settings: settingsHandler({
        ...{ call: api.call, sendDevicePreferences: deps.notifications.sendPreferences },
        async storeAvailability(availability) {
          const { value: profile } = session.profile;
          if (profile == null) return;
          const changed = { ...profile, availability };
          await storage.put('profile', changed).catch(() => {});
          session.renew(changed, session.number());
        },
      }),
    },
    onOffline: () => answers.announceWaiting(),
  });
  /** The screen of a claim says it there. */
  async function sayWithdrawn(ended: readonly AppClaim[]): Promise<void> {
    const asked = ended.slice(0, MAX_ASKED).filter(({ id }) => currentHash.peek() !== `#/claims/${id}`);
    const withdrawn: AppClaim[] = [];
    for (const claim of asked)
      if (await isWithdrawnByFirm(api.call, claim.id, claim.offered_at)) withdrawn.push(claim);
    const [first] = withdrawn;
    if (first === undefined) return;
    const title = `${first.claim_number} (${first.loss_location.city})`;
    outcomes.say(() => texts.value.outcomes.withdrawn(title, withdrawn.length - 1));
  }
  const sendQuietly = (): void => void outbox.send().catch(() => {});
  const answers = createAnswers({
    ...{ outbox, lists, outcomes, toasts, texts, preferences, currentHash, serviceNow: api.now },
    sendInBackground: page.sendInBackground,
  });
  const work = createWork(outbox, typed.contactNotes);
  const account = createAccount({ call: api.call, storage, session, lists, outbox, toasts });
  const places = createPlaces(storage, deps.zipPlacesUrl);
  const arrangement = createArrangement(storage, answers.openOffers, places.distanceOf);
  const live = createLiveUpdates({
    ...{ call: api.call, session, lists, openEvents: deps.openEvents, isVisible: page.isVisible },
    send: sendQuietly,
  });

  async function forgetAdjuster(): Promise<void> {
    await storage.clear().catch(() => {});
    for (const part of [lists, outcomes, outbox, arrangement, places, drafts, ...Object.values(typed)])
      part.forget();
  }

  const restoreTyped = () => Promise.all(Object.values(typed).map(({ read }) => read()));

  /** Another tab has changed what is typed. */
  function readTyped(name: TypedName): void {
    if (name === 'rejections' || name === 'contactNotes' || name === 'fields') void typed[name].read();
    else drafts.readChanged(name.slice('draft:'.length));
  }

  /** A reason is needed until its offer has ended, however it ended. */
  function forgetEndedRejections(): void {
    const open = new Set(lists.offers.value?.map(({ id }) => id));
    const ended = Object.keys(typed.rejections.texts.value).filter(
      (id) => !open.has(id) && answers.queuedTo(id) === undefined,
    );
    if (ended.length > 0) typed.rejections.keep(ended, undefined);
  }

  /** Other tabs of this device reload: what they show belongs to another session. */
  const notifyOfSession = (): void =>
    tabs.notify({ kind: 'session', svcId: session.profile.value?.svc_id ?? null });

  /** Reads whose session it is, and keeps from them what another adjuster has on the device. */
  async function adopt(): Promise<Profile> {
    const found = await session.request(() => api.call('getProfile'));
    const before = await storage.get('profile').catch(() => undefined);
    if (before !== undefined && before.svc_id !== found.svc_id) {
      await storage.setTypedAside(before.svc_id).catch(() => {});
      await forgetAdjuster();
    }
    await storage.bringTypedBack(found.svc_id).catch(() => {});
    const store = async () => {
      await storage.put('profile', found);
      await storage.remove('signingIn');
    };
    await store().catch(() => {});
    await restoreTyped();
    return found;
  }

  async function signIn(proof: SignInBody): Promise<void> {
    // Exclusive, so that nothing of the previous adjuster is sent in this one's session.
    const profile = await outbox.exclusive(async () => {
      // Nor when the page is closed before it knows whose session it is.
      await storage.put('signingIn', true).catch(() => {});
      await session.request(() => api.call('openSession', { body: proof }));
      return adopt();
    });
    session.open(profile);
    notifyOfSession();
    void lists.readFirstOffers().catch(() => {});
    await live.catchUp();
    sendQuietly();
    void deps.notifications.renew(0).catch(() => {});
  }

  async function signOut(everywhere: boolean): Promise<void> {
    if (!everywhere) await deps.notifications.disable().catch(() => {});
    await session.signOut(
      () => api.call(everywhere ? 'closeAllSessions' : 'closeSession'),
      () => api.call('getProfile'),
    );
    live.stop();
    await outbox.clear().catch(() => {});
    await forgetAdjuster();
    notifyOfSession();
    navigation.go('#/');
  }

  function receive(message: TabMessage): void {
    const { profile } = session;
    if (message.kind === 'open') navigation.go(message.hash);
    else if (message.kind === 'typed') readTyped(message.name);
    else if (message.kind === 'outbox') void outbox.readChanged().catch(() => {});
    else if (profile.value !== undefined && message.svcId !== (profile.value?.svc_id ?? null)) page.reload();
  }

  /** Finds out whether somebody is signed in, where nothing is stored. */
  async function findSession(): Promise<void> {
    const number = session.number();
    session.renew(await adopt(), number);
  }

  let storeAgainMs = STORE_AGAIN_MS;
  let storing: ReturnType<typeof setTimeout> | undefined;
  let unstored: typeof outbox.entries.value | undefined;

  /** The browser has closed the database, perhaps to remove what was stored: the page still has it. */
  function storeAgain(): void {
    clearTimeout(storing);
    // As they are now: what reads the emptied database before they are stored again would find none.
    unstored ??= outbox.entries.value;
    // Not at once: the browser may not have finished, and would remove it again.
    storing = setTimeout(() => void storeShown().catch(storeAgain), storeAgainMs);
    // A full disk may stay full.
    storeAgainMs = Math.min(storeAgainMs * 2, POLL_MS);
  }

  async function storeShown(): Promise<void> {
    const profile = session.profile.value;
    if (profile == null) return;
    await storage.put('profile', profile);
    await outbox.restore(unstored ?? []);
    unstored = undefined;
    storeAgainMs = STORE_AGAIN_MS;
    await lists.store();
  }

  const storeUnstored = () =>
    Promise.all([outbox.restore([]), drafts.store(), ...Object.values(typed).map(({ store }) => store())]);

  async function start(): Promise<void> {
    deps.onStorageLost(storeAgain);
    // What is stored shows at once, until the lists are read.
    const [stored] = await Promise.all([
      lists.restore(),
      arrangement.restore(),
      deadlines.restore(),
      restoreTyped(),
    ]);
    session.restore(stored);
    const found = stored === undefined ? findSession().catch(() => {}) : undefined;
    void lists.readFirstOffers().catch(() => {});
    if (stored !== undefined) await outbox.read().catch(() => {});
    void places.restore();
    await outcomes.show().catch(() => {});
    tabs.listen(receive);
    page.on('online', live.sync);
    page.on('offline', () => {
      session.connection.value = 'offline';
    });
    page.on('visibilitychange', () => {
      if (!page.isVisible()) {
        void outbox.release().catch(() => {});
        return live.stop();
      }
      if (!session.isSignedIn()) return;
      if (Date.now() - (lists.readAt.value ?? 0) > STALE_MS) return live.sync();
      sendQuietly();
      void live.catchUp();
    });
    setInterval(() => {
      now.value = api.now();
      lists.expire();
      live.poll();
      // The disk may have room again.
      if (!deps.isStored.value) void storeUnstored();
    }, POLL_MS);

    await found;
    if (session.isSignedIn()) await live.catchUp();
    session.endStart();
    if (!session.isSignedIn()) return;
    sendQuietly();
    void deps.notifications.renew(DAY_MS).catch(() => {});
  }

  return {
    ...{ now, language, format, preferences, prefer, toasts, session, lists, deadlines, outcomes, drafts },
    ...{ outbox, answers, work, account, places, arrangement, typed, live },
    ...{ reportError, signIn, signOut, start },
  };
}
