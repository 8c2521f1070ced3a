import { type News, news, sendAnswers } from './data/answers.ts';
import { ROOT } from './data/api.ts';
import { kept } from './data/kept.ts';
import { register } from './data/push.ts';
import { deviceLanguage, LANGUAGES } from './texts/language.ts';

/** Filled in by the build: the page's files, and a name that changes with them. */
declare const __FILES__: readonly string[];
declare const __EDITION__: string;

// The types of a worker's own world cannot stand beside those of a page's.
interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Worker {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(
    type: 'install' | 'activate' | 'pushsubscriptionchange',
    act: (event: Waiting) => void,
  ): void;
  addEventListener(type: 'sync', act: (event: Waiting & { tag: string }) => void): void;
  addEventListener(
    type: 'fetch',
    act: (event: { request: Request; respondWith(answer: Promise<Response>): void }) => void,
  ): void;
  addEventListener(type: 'push', act: (event: Waiting & { data: { json(): unknown } | null }) => void): void;
  addEventListener(
    type: 'notificationclick',
    act: (event: Waiting & { notification: Notification }) => void,
  ): void;
}
interface WindowClient {
  readonly url: string;
  focus(): Promise<unknown>;
}

const worker = globalThis as unknown as Worker;
const PAGE = ROOT.slice(0, -1);
const SHELF = `page-${__EDITION__}`;

worker.addEventListener('install', (event) => {
  const fill = async () => {
    const shelf = await caches.open(SHELF);
    await shelf.addAll(
      [PAGE, ...__FILES__.map((name) => ROOT + name)].map((url) => new Request(url, { cache: 'reload' })),
    );
    await worker.skipWaiting();
  };
  event.waitUntil(fill());
});

worker.addEventListener('activate', (event) => {
  const clear = async () => {
    for (const name of await caches.keys()) if (name !== SHELF) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(clear());
});

// The page itself comes from the shelf, whatever the network does; what it asks the service goes past here.
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  const file = pathname === PAGE || pathname === ROOT ? PAGE : pathname;
  if (file !== PAGE && !__FILES__.includes(file.slice(ROOT.length))) return;
  event.respondWith(fromShelf(file, request));
});

async function fromShelf(file: string, request: Request): Promise<Response> {
  const found = await caches.match(file, { cacheName: SHELF });
  return found ?? fetch(request);
}

interface Notice {
  readonly kind: string;
  readonly firm_name: string;
  readonly claim_id?: string;
  readonly firm_id?: string;
}

worker.addEventListener('push', (event) => {
  const show = async () => {
    const { kind, firm_name, claim_id, firm_id } = (event.data?.json() ?? {}) as Notice;
    const language = (await kept.get('language').catch(() => undefined)) ?? deviceLanguage();
    const hash = claim_id === undefined ? `#/invitations/${firm_id}` : `#/claims/${claim_id}`;
    await worker.registration.showNotification(firm_name, {
      body: LANGUAGES[language].notices[kind] ?? LANGUAGES[language].app,
      // Later news of a claim takes the place of earlier.
      tag: claim_id ?? firm_id ?? 'news',
      // An offer that comes again is news; that one went away is no reason to ring.
      renotify: kind === 'offer',
      icon: `${ROOT}icon-192.png`,
      badge: `${ROOT}badge-96.png`,
      lang: language,
      data: { hash },
    } as NotificationOptions & { renotify: boolean });
  };
  event.waitUntil(show());
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { hash } = event.notification.data as { hash: string };
  const open = async () => {
    const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const [page] = pages.filter(({ url }) => new URL(url).pathname.startsWith(PAGE));
    if (page === undefined) return void (await worker.clients.openWindow(PAGE + hash));
    const channel = news();
    channel.postMessage({ kind: 'open', hash } satisfies News);
    channel.close();
    await page.focus();
  };
  event.waitUntil(open());
});

// The browser has found the network again, perhaps long after the page was closed.
worker.addEventListener('sync', (event) => {
  const send = async () => {
    if ((await sendAnswers()) === 'waiting') throw new Error('still no network');
  };
  if (event.tag === 'answers') event.waitUntil(send());
});

worker.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(register(worker.registration));
});
