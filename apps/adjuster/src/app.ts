import { computed, signal } from '@preact/signals';
import { createApi } from '@svc/web-app/api';
import { showAppearance } from '@svc/web-app/appearance';
import { browserChoices } from '@svc/web-app/choices';
import { createEventStream } from '@svc/web-app/event-stream';
import { loadOnce } from '@svc/web-app/load-once';
import zipPlacesUrl from '@svc/web-app/map/zip-places.bin?url';
import { deviceLanguage } from '@svc/web-app/texts/languages';
import { createApp } from './create-app.ts';
import { openAppDatabase } from './data/database.ts';
import { type Call, ROUTES } from './data/endpoints.ts';
import type { Notifications } from './data/notifications.ts';
import { createAnswerApi, createOutboxStore } from './data/outbox-store.ts';
import { ROOT } from './data/root.ts';
import { createStorage } from './data/storage.ts';
import { tabs } from './data/tabs.ts';
import { SEND_ANSWERS } from './data/worker-messages.ts';
import { createAppNavigation } from './navigation.ts';
import { createUpdates } from './state/updates.ts';

// The app of this page, and the names by which the screens use its parts.

const isInMemory = signal(false);
const isWritable = signal(true);
export const isStored = computed(() => isWritable.value && !isInMemory.value);
const database = openAppDatabase(async () => {
  await import('fake-indexeddb/auto');
  isInMemory.value = true;
});
export const storage = createStorage(database.get, (isWritten) => {
  isWritable.value = isWritten;
});
const api = createApi<Call>(ROOT, ROUTES, undefined, browserChoices);
export const { call } = api;
/** The service's time, also where the device's clock is wrong. */
export const serviceNow = api.now;

/** Not part of the first load. */
const loadNotifications = loadOnce(async () =>
  (await import('./data/notifications.ts')).createNotifications(call, storage),
);
export const notifications: Omit<Notifications, 'register'> = {
  state: async () => (await loadNotifications()).state(),
  enable: async () => (await loadNotifications()).enable(),
  disable: async () => (await loadNotifications()).disable(),
  renew: async (olderThanMs) => (await loadNotifications()).renew(olderThanMs),
  renewedAt: async () => (await loadNotifications()).renewedAt(),
  sendPreferences: async (changed) => (await loadNotifications()).sendPreferences(changed),
  sendTest: async () => (await loadNotifications()).sendTest(),
};

export const navigation = createAppNavigation(window);
export const { currentHash, route, go, replaceScreen } = navigation;

const isVisible = (): boolean => document.visibilityState === 'visible';

function sendInBackground(): void {
  const ready = navigator.serviceWorker?.ready as
    | Promise<ServiceWorkerRegistration & { sync?: { register(tag: string): Promise<void> } }>
    | undefined;
  void ready?.then((registration) => registration.sync?.register(SEND_ANSWERS)).catch(() => {});
}

const app = createApp({
  ...{
    api,
    storage,
    choices: browserChoices,
    deviceLanguage,
    isStored,
    notifications,
    tabs,
    navigation,
    zipPlacesUrl,
  },
  onStorageLost: database.onLost,
  outboxStore: createOutboxStore(storage, tabs),
  answerApi: createAnswerApi(call, storage, async () => isVisible()),
  openEvents: (handlers) => createEventStream(`${ROOT}events`, handlers),
  page: {
    isVisible,
    sendInBackground,
    on: (event, listener) =>
      (event === 'visibilitychange' ? document : window).addEventListener(event, listener),
    reload: () => location.reload(),
  },
});

export const { now, preferences, prefer, session, lists, outbox, outcomes, answers, work, account } = app;
export const { places, arrangement, deadlines, drafts, typed } = app;
export const { reportError, signIn, signOut, start } = app;
export const { toasts } = app;
export const { showToast, showError } = toasts;
export const { texts, language, loadedTexts } = app.language;
export const languageChoice = app.language;
export const { request } = session;
export const { day, dayOf, dateTime, clockTime, duration, miles, since, today } = app.format;
export const { inches, money, percent, roughDuration, shortMoney, timeOfDay, wholeMoney } = app.format;
export const { updateReady, registerWorker, startAgain, applyUpdate } = createUpdates({
  ...{ root: ROOT, storage, toasts: app.toasts, texts },
});

interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}

/** Lets the adjuster install the app. Browsers offer it once, soon after the page has loaded. */
export const installPrompt = signal<InstallPrompt | null>(null);

addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault();
  installPrompt.value = event as InstallPrompt;
});
addEventListener('appinstalled', () => {
  installPrompt.value = null;
});
addEventListener('error', ({ error }) => reportError(error));
addEventListener('unhandledrejection', ({ reason }) => reportError(reason));

showAppearance(() => preferences.value.scheme, language);
