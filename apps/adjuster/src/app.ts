import { effect, signal } from '@preact/signals';
import { createApp } from './create-app.ts';
import { createApi } from './data/api.ts';
import { openAppDatabase } from './data/database.ts';
import { createEventStream } from './data/event-stream.ts';
import { loadOnce } from './data/load-once.ts';
import type { Notifications } from './data/notifications.ts';
import { createAnswerApi, createOutboxStore } from './data/outbox.ts';
import { ROOT } from './data/root.ts';
import { createStorage } from './data/storage.ts';
import { tabs } from './data/tabs.ts';
import zipPlacesUrl from './map/zip-places.bin?url';
import { createNavigation } from './navigation.ts';
import type { KeyValue } from './state/preferences.ts';
import { createUpdates } from './state/updates.ts';
import { deviceLanguage } from './texts/language.ts';

// The app of this page, and the names by which the screens use its parts.

export const isStored = signal(true);
const database = openAppDatabase(async () => {
  await import('fake-indexeddb/auto');
  isStored.value = false;
});
export const storage = createStorage(database.get);
const api = createApi(ROOT);
export const { call } = api;

/** Not part of the first load. */
const loadNotifications = loadOnce(async () =>
  (await import('./data/notifications.ts')).createNotifications(call, storage),
);
export const notifications: Notifications = {
  state: async () => (await loadNotifications()).state(),
  enable: async () => (await loadNotifications()).enable(),
  disable: async () => (await loadNotifications()).disable(),
  renew: async (olderThanMs) => (await loadNotifications()).renew(olderThanMs),
  renewedAt: async () => (await loadNotifications()).renewedAt(),
  register: async (worker) => (await loadNotifications()).register(worker),
  sendPreferences: async () => (await loadNotifications()).sendPreferences(),
  sendTest: async () => (await loadNotifications()).sendTest(),
};

const navigation = createNavigation(window);
export const { currentHash, route, returnItem, takeReturnPosition, go, replaceScreen } = navigation;

/** Where the browser stores nothing for this page, it throws. */
const choices: KeyValue = {
  read(key) {
    try {
      return localStorage.getItem(key) ?? undefined;
    } catch {
      return undefined;
    }
  },
  write(key, text) {
    try {
      localStorage.setItem(key, text);
    } catch {}
  },
};

const isVisible = (): boolean => document.visibilityState === 'visible';

function sendInBackground(): void {
  const ready = navigator.serviceWorker?.ready as
    | Promise<ServiceWorkerRegistration & { sync?: { register(tag: string): Promise<void> } }>
    | undefined;
  void ready?.then((registration) => registration.sync?.register('answers')).catch(() => {});
}

const app = createApp({
  ...{ api, storage, choices, deviceLanguage, isStored, notifications, tabs, navigation, zipPlacesUrl },
  onStorageLost: database.onLost,
  outboxStore: createOutboxStore(storage, tabs),
  answerApi: createAnswerApi(call, storage, async () => isVisible()),
  openEvents: (handlers) => createEventStream(ROOT, handlers),
  page: {
    isVisible,
    sendInBackground,
    on: (event, listener) =>
      (event === 'visibilitychange' ? document : window).addEventListener(event, listener),
    reload: () => location.reload(),
  },
});

export const { now, preferences, prefer, session, lists, outbox, outcomes, answers, work, account } = app;
export const { places, arrangement, deadlines, drafts, typedRejections, typedNotes } = app;
export const { reportError, signIn, signOut, start } = app;
export const { toast, showToast, showError, closeToast } = app.toasts;
export const { texts, language, loadedTexts } = app.language;
export const languageChoice = app.language;
export const { request } = session;
export const { day, dateTime, clockTime, duration, miles, since, today } = app.format;
export const { inches, money, percent, roughDuration, shortMoney, timeOfDay, wholeMoney } = app.format;
export const { updateReady, registerWorker, startAgain, applyUpdate } = createUpdates({
  ...{ root: ROOT, storage, toasts: app.toasts, texts },
});

/** Browsers have no passkeys for sites at an IP address. */
export const supportsPasskeys = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname);

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

const darkDevice = matchMedia('(prefers-color-scheme: dark)');
const isDark = signal(darkDevice.matches);
darkDevice.addEventListener('change', ({ matches }) => {
  isDark.value = matches;
});

effect(() => {
  const { documentElement: root } = document;
  const { scheme } = preferences.value;
  root.dataset.scheme = scheme === 'device' ? (isDark.value ? 'dark' : 'light') : scheme;
  root.lang = language.value;
});
