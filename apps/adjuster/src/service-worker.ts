import { createApi } from '@svc/web-app/api';
import { isFile } from '@svc/web-app/load-once';
import { openAppDatabase } from './data/database.ts';
import { type Call, ROUTES } from './data/endpoints.ts';
import { createNotifications } from './data/notifications.ts';
import { createAnswerApi, createOutboxStore } from './data/outbox-store.ts';
import { ROOT } from './data/root.ts';
import { showNotification } from './data/show-notification.ts';
import { createStorage } from './data/storage.ts';
import { tabs } from './data/tabs.ts';
import { SEND_ANSWERS, START_RELEASE } from './data/worker-messages.ts';
import { createOutbox } from './outbox/outbox.ts';

/** Filled in by the build: files stored at installation, others stored at their first use, and a version of them all. */
declare const __FILES__: readonly string[];
declare const __LAZY_FILES__: readonly string[];
declare const __VERSION__: string;

// TypeScript's types of workers and of pages cannot be loaded together.
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface WorkerEvents extends Record<'install' | 'activate' | 'pushsubscriptionchange', WorkerEvent> {
  message: WorkerEvent & { data: unknown };
  sync: WorkerEvent & { tag: string };
  fetch: WorkerEvent & { request: Request; respondWith(response: Promise<Response>): void };
  push: WorkerEvent & { data: { json(): unknown } | null };
  notificationclick: WorkerEvent & { notification: Notification };
}
interface ServiceWorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof WorkerEvents>(
    type: Name,
    listener: (event: WorkerEvents[Name]) => void,
  ): void;
}
interface WindowClient {
  readonly url: string;
  readonly visibilityState: DocumentVisibilityState;
  focus(): Promise<unknown>;
}

const worker = globalThis as unknown as ServiceWorkerScope;
const storage = createStorage(openAppDatabase().get);
const { call, now, isTimeKnown } = createApi<Call>(ROOT, ROUTES);
const PAGE = ROOT.slice(0, -1);
const CACHE = `page-${__VERSION__}`;

worker.addEventListener('install', (event) => {
  const fillCache = async () => {
    const cache = await caches.open(CACHE);
    const store = async (url: string, isIt: (response: Response) => boolean | Promise<boolean>) => {
      const response = await fetch(new Request(url, { cache: 'reload' }));
      if (!(await isIt(response.clone()))) throw new Error(`${url} is not the app's`);
      await cache.put(url, response);
    };
    // Not the sign-in page of a network, which would be the app from then on.
    await Promise.all([
      store(PAGE, async (page) => {
        const text = await page.text();
        return page.ok && __FILES__.some((name) => name.startsWith('assets/') && text.includes(name));
      }),
      ...__FILES__.map((name) => store(ROOT + name, isFile)),
    ]);
    // A first installation has no page of an earlier release that it could take files from.
    if (worker.registration.active === null) await worker.skipWaiting();
  };
  event.waitUntil(fillCache());
});

worker.addEventListener('activate', (event) => {
  const removeOldCaches = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(removeOldCaches());
});

// The page asks for the update when the adjuster agrees.
worker.addEventListener('message', (event) => {
  if (event.data === START_RELEASE) event.waitUntil(worker.skipWaiting());
});

// The page's files come from the cache, with or without a network; API requests are not handled here.
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  const file = pathname === PAGE || pathname === ROOT ? PAGE : pathname;
  const name = file.slice(ROOT.length);
  const isLazy = __LAZY_FILES__.includes(name);
  if (file !== PAGE && !isLazy && !__FILES__.includes(name)) return;
  event.respondWith(fromCache(file, event, isLazy));
});

async function fromCache(file: string, event: WorkerEvents['fetch'], isLazy: boolean): Promise<Response> {
  const found = await caches.match(file, { cacheName: CACHE });
  if (found !== undefined) return found;
  const response = await fetch(event.request);
  if (isLazy && isFile(response)) {
    const copy = response.clone();
    event.waitUntil(caches.open(CACHE).then((cache) => cache.put(file, copy)));
  }
  return response;
}

function messageOf({ data }: { data: { json(): unknown } | null }): unknown {
  try {
    return data?.json();
  } catch {
    return undefined;
  }
}

worker.addEventListener('push', (event) => {
  // A push arrives although the app is not opened any more.
  event.waitUntil(
    Promise.all([
      showNotification(worker.registration, storage, messageOf(event)),
      storage.clearExpiredLists().catch(() => {}),
    ]),
  );
});

async function openPages(): Promise<WindowClient[]> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  return pages.filter(({ url }) => new URL(url).pathname.startsWith(PAGE));
}

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { hash } = event.notification.data as { hash: string };
  const open = async () => {
    const [page] = await openPages();
    if (page === undefined) return void (await worker.clients.openWindow(PAGE + hash));
    tabs.notify({ kind: 'open', hash });
    await page.focus();
  };
  event.waitUntil(open());
});

// Background sync: there is a network again, perhaps long after the page was closed. What the adjuster entered on claims
// is sent by the page, which has the lists and texts for it.
worker.addEventListener('sync', (event) => {
  const outbox = createOutbox({
    store: createOutboxStore(storage, tabs),
    api: createAnswerApi(call, storage, async () =>
      (await openPages()).some(({ visibilityState }) => visibilityState === 'visible'),
    ),
    clock: Date,
    time: { now, isKnown: isTimeKnown, ask: () => call('getProfile') },
  });
  const send = async () => {
    if ((await outbox.send()).stopped === 'offline') throw new Error('still no network');
  };
  if (event.tag === SEND_ANSWERS) event.waitUntil(send());
});

worker.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(createNotifications(call, storage).register(worker.registration));
});
