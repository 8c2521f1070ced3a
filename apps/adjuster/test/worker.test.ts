import 'fake-indexeddb/auto';
import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { signal } from '@preact/signals';
import { EXAMPLES } from '@svc/contract';
import { createApi } from '@svc/web-app/api';
import type { Line } from '@svc/web-app/toasts';
import { type Call, ROUTES } from '../src/data/endpoints.ts';
import { createStorage } from '../src/data/storage.ts';
import { pastOffer } from '../src/model/history.ts';
import { en } from '../src/texts/en.ts';
import { offer, PROFILE } from './claims.ts';
import { after, fakeTime, settled } from './fake-time.ts';

const NOW = Date.UTC(2026, 8, 1, 12);
const DAY_MS = 86_400_000;
/** With each character that base64url writes differently. */
const [KEY, KEY_BYTES] = ['-_--Bw', [251, 255, 190, 7]];

/** What the browser and the service were asked for, in order; who listens; and the stored responses by cache. */
const calls: string[] = [];
const listeners: Record<string, (event: unknown) => unknown> = {};
const caches = new Map<string, Map<string, Response>>();
const persisted: string[] = [];
const note = (what: unknown) => void calls.push(typeof what === 'string' ? what : JSON.stringify(what));
const taken = () => calls.splice(0).join(', ');
const subscription = (name: string, key = KEY_BYTES) => ({
  endpoint: name,
  options: { applicationServerKey: Uint8Array.from(key).buffer },
  toJSON: () => ({ endpoint: name, expirationTime: 99, keys: { p256dh: 'p', auth: 'a' } }),
  unsubscribe: async () => Object.assign(phone, { held: note(`end ${name}`) ?? null }),
});
/** The browser and the service as they are at the start of each test. */
const START = {
  ...{
    languages: ['en-US'],
    permission: 'granted',
    onLine: true,
    userAgent: '',
    maxTouchPoints: 0,
    isInstalled: true,
  },
  ...{ controller: null as unknown, active: null as unknown, installing: null as unknown },
  ...{ waiting: null as unknown, visibilityState: 'visible', fields: [] as unknown[] },
  ...{ held: null as unknown, pages: [] as unknown[], date: '', update: async () => note('look') },
  // Once: browsers may ask the adjuster.
  storage: { persist: async () => void persisted.push('asked') },
  channels: 0,
  files: {} as Record<string, () => Response>,
  responses: {} as Record<string, readonly [status: number, body?: unknown]>,
};
/** Navigator, document, and what a worker is given, such as clients and caches, in one: their names are different. */
const phone = {
  ...{ ...START, claim: () => note('claim') },
  // A page that was loaded again without its worker is open all the same.
  matchAll: async (of: { type: string; includeUncontrolled: boolean }) =>
    of.type === 'window' && of.includeUncontrolled ? phone.pages : [],
  openWindow: async (url: string) => note(`open ${url}`),
  // Takes longer than a page waits with reading what it is given. What is stored is read, too.
  async open(name: string) {
    await settled();
    return {
      async put(url: string, one: Response) {
        const stored = new Response(await one.text(), one);
        caches.set(name, new Map(caches.get(name)).set(url, stored));
      },
    };
  },
  keys: async () => [...caches.keys()],
  delete: async (name: string) => caches.delete(name),
  match: async (url: string, of: { cacheName: string }) => caches.get(of.cacheName)?.get(url)?.clone(),
  addEventListener: (type: string, listener: (event: unknown) => unknown, { once = false } = {}) =>
    Object.assign(listeners, {
      [type](event: unknown) {
        if (once) delete listeners[type];
        return listener(event);
      },
    }),
  querySelectorAll: (of: string) => (of === 'input:not([type=checkbox]), textarea' ? phone.fields : []),
  // Exclusive, since no mode is named.
  locks: { request: async (name: string, work: () => unknown) => [note(`lock ${name}`), await work()].at(1) },
  requestPermission: async () => phone.permission,
  getRegistration: async (scope: string) => (scope === '/app' ? phone : undefined),
  async register(url: string, { scope }: { scope: string }) {
    note(`register ${url} ${scope}`);
    return phone.onLine ? phone : Promise.reject(new TypeError('Failed.'));
  },
  showNotification: async (title: string, options: object) => note({ title, ...options }),
  getSubscription: async () => phone.held,
  subscribe: async (options: unknown) => {
    note(options);
    return Object.assign(phone, { held: subscription('new') }).held;
  },
};
Object.assign(phone, { pushManager: phone, serviceWorker: phone, ready: Promise.resolve(phone) });
const GLOBALS: Record<string, unknown> = {
  location: Object.assign(new URL('https://claims.example/app/sw.js'), { reload: () => note('reload') }),
  ...{ navigator: phone, document: phone, registration: phone, Notification: phone, PushManager: phone },
  ...{
    addEventListener: phone.addEventListener,
    matchMedia: (query: string) => ({ matches: query === '(display-mode: standalone)' && phone.isInstalled }),
  },
  ...{ __FILES__: ['assets/index-1.js', 'icon.png'], __LAZY_FILES__: ['assets/map-1.js'], __VERSION__: '2' },
  ...{ clients: phone, caches: phone, skipWaiting: () => note('skip waiting') },
  BroadcastChannel: class {
    constructor() {
      phone.channels += 1;
    }
    postMessage = note;
    close() {
      phone.channels -= 1;
    }
    addEventListener = (type: string, listener: (event: unknown) => unknown) =>
      Object.assign(listeners, { [`tab ${type}`]: listener });
  },
  Request: class extends Request {
    constructor(url: string, init?: RequestInit) {
      super(new URL(url, 'https://claims.example'), init);
    }
  },
  async fetch(input: string | Request, { method = 'GET', body = '' } = {}) {
    if (typeof input !== 'string') {
      const { pathname } = new URL(input.url);
      note(`${pathname} ${input.cache}`);
      return phone.files[pathname]?.() ?? new Response('', { status: 404 });
    }
    const name = `${method} ${input.replace(/^\/app\/(v1\/devices\/)?|\?.*/g, '')}`;
    note(body === '' ? name : `${name} ${body}`);
    if (!phone.onLine) throw new TypeError('Failed to fetch');
    const [status, response] = phone.responses[name] ?? [204];
    const sent = status >= 400 ? { status, code: 'not_found' } : response;
    const headers = { ...(phone.date !== '' && { date: phone.date }) };
    return new Response(sent === undefined ? null : JSON.stringify(sent), { status, headers });
  },
};
const before = Object.getOwnPropertyDescriptors(globalThis);
for (const [name, value] of Object.entries(GLOBALS))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
afterAll(() => {
  jest.restoreAllMocks();
  for (const name of Object.keys(GLOBALS)) Reflect.deleteProperty(globalThis, name);
  Object.defineProperties(globalThis, before);
});
const { inTransaction, openAppDatabase } = await import('../src/data/database.ts');
const { createNotifications, devicePlatform } = await import('../src/data/notifications.ts');
const { showNotification } = await import('../src/data/show-notification.ts');
const { tabs } = await import('../src/data/tabs.ts');
const { createUpdates } = await import('../src/state/updates.ts');
// Loaded when it is used: here before, so that no test waits for the disk.
await import('../src/state/activate-next.ts');
await import('../src/service-worker.ts');
const storage = createStorage(openAppDatabase().get);
const notifications = createNotifications(createApi<Call>('/app/', ROUTES).call, storage);

beforeEach(async () => {
  Object.assign(phone, START);
  calls.length = 0;
  caches.clear();
  jest.spyOn(Date, 'now').mockReturnValue(NOW);
  await inTransaction(await openAppDatabase().get(), 'readwrite', (kept) => kept.clear());
  await storage.put('profile', PROFILE);
  await storage.put('deviceId', 'd1');
  phone.responses = {
    'GET push-key': [200, { key: KEY }],
    'GET d1': [200, { device_id: 'd1', endpoint: 'old' }],
    'POST d1/test-notification': [202],
  };
});

/** Fires an event, and waits as the browser does. */
async function fire(type: string, event: object = {}): Promise<unknown> {
  const work: unknown[] = [];
  const waitUntil = (one: unknown) => work.push(one);
  const respondWith = (one: Promise<Response>) => work.push(one.then((response) => response.text()));
  listeners[type]?.({ ...event, waitUntil, respondWith });
  // The worker may ask for more to be waited for while it works.
  for (const one of work) await one;
  await settled();
  return work[0];
}

const sends = (body: string, type = 'text/javascript', status = 200) => {
  return () => new Response(body, { status, headers: { 'Content-Type': type } });
};
const portal = sends('Sign in to icon.png', 'text/html');

test.each([
  ['the first one at once', {}, null, 'skip waiting'],
  ['a later one once the adjuster agrees', {}, phone, ''],
  ['not with the sign-in page of a network', { '/app': portal }, null, 'failed'],
  ['not with such a page as a file', { '/app/icon.png': portal }, null, 'failed'],
  ['not with an error', { '/app': sends('assets/index-1.js', '', 500) }, null, 'failed'],
])('a release is installed whole and from the service, %s', async (_, others, active, then) => {
  const [own, file] = [sends('assets/index-1.js', 'text/html'), sends('')];
  const files = { '/app': own, '/app/assets/index-1.js': file, '/app/icon.png': file };
  Object.assign(phone, { active, files: { ...files, ...others } });
  await fire('install').catch(() => note('failed'));
  expect(calls.splice(0, 3)).toEqual(Object.keys(files).map((name) => `${name} reload`));
  expect(taken()).toBe(then);
  if (then !== 'failed') expect([...(caches.get('page-2') ?? [])].length).toBe(3);
});

test('a release that starts removes the files of others, shows in all pages, and gives way when it is asked to', async () => {
  for (const name of ['page-1', 'page-2', 'other']) caches.set(name, new Map());
  await fire('activate');
  await fire('message', { data: 'other' });
  expect([[...caches.keys()], taken()]).toEqual([['page-2'], 'claim']);
  await fire('message', { data: 'update' });
  expect(taken()).toBe('skip waiting');
});

test.each([
  ['/app', 'page', []],
  ['/app/', 'page', []],
  ['/app/icon.png', 'file', []],
  ['/app/assets/index-1.js', 'sent', []],
  ['/app/assets/map-1.js', 'sent', ['/app/assets/map-1.js']],
  ['/app/assets/map-1.js', 'Sign in to icon.png', []],
  ['/app/v1/claims', undefined, []],
  ['/firm', undefined, []],
  ['https://other.example/app', undefined, []],
  ['POST /app', undefined, []],
])('the worker serves its release alone, and stores files used later: %s', async (url, body, then) => {
  caches.set('page-1', new Map([['/app/assets/map-1.js', sends('of another release')()]]));
  const release = { '/app': sends('page')(), '/app/icon.png': sends('file')() };
  caches.set('page-2', new Map(Object.entries(release)));
  const sent = body === 'sent' ? sends(body) : portal;
  phone.files = { '/app/assets/index-1.js': sent, '/app/assets/map-1.js': sent };
  const [path = '', method = 'GET'] = url.split(' ').reverse();
  const served = await fire('fetch', { request: new Request(path, { method }) });
  const stored = [...(caches.get('page-2') ?? [])].slice(2);
  expect([served, stored.map(([name]) => name)]).toEqual([body, then]);
  for (const [, one] of stored) expect(await one.text()).toBe(served);
});

test('a push shows what it says in the language of the app, or that there is news, and removes lists of long ago', async () => {
  await storage.put('language', 'es');
  await storage.put('offers', [offer()]);
  const left = [];
  for (const days of [14, 15]) {
    await storage.put('readAt', NOW - days * DAY_MS);
    const text = days === 14 ? '{"kind":"offer","claim_id":"c1","firm_name":"Gulf"}' : '{';
    await fire('push', { data: { json: () => JSON.parse(text) } });
    left.push((await storage.get('offers'))?.length);
  }
  const files = { icon: '/app/icon-192.png', badge: '/app/badge-96.png', lang: 'es' };
  const claim = { title: 'Gulf', body: 'Una reclamación espera su respuesta.', tag: 'c1', renotify: true };
  expect(JSON.parse(calls[0] ?? '')).toEqual({ ...files, ...claim, data: { hash: '#/claims/c1' } });
  const title = 'Asignación de reclamaciones';
  const news = { title, body: title, tag: 'news', renotify: false, data: { hash: '#/' } };
  expect(JSON.parse(calls[1] ?? '')).toEqual({ ...files, ...news });
  expect(left).toEqual([1, undefined]);
});

test('a notification is shown although the disk does not respond', async () => {
  jest.useFakeTimers();
  const stalled = new Promise<never>(() => {});
  const showing = showNotification(
    phone,
    createStorage(() => stalled),
    { kind: 'test' },
  );
  await jest.advanceTimersByTimeAsync(500);
  jest.useRealTimers();
  await showing;
  expect(JSON.parse(taken())).toMatchObject({ tag: 'test', lang: 'en' });
  // In the language of the device.
  phone.languages = ['es-MX'];
  const failing = createStorage(() => Promise.reject(new Error('Closed.')));
  await showNotification(phone, failing, { kind: 'test' });
  expect(JSON.parse(taken())).toMatchObject({ tag: 'test', lang: 'es' });
});

const pageAt = (path: string, visibilityState = 'visible') => ({
  ...{ url: `https://claims.example${path}`, visibilityState, focus: () => note('focus') },
});
const [SHOWN, HIDDEN, DESK] = [pageAt('/app#/'), pageAt('/app#/', 'hidden'), pageAt('/firm')];

test.each([
  ['opens the app where no page of it is open', [DESK], 'closed, open /app#/claims/c1'],
  ['goes to its page', [DESK, HIDDEN], 'closed, {"kind":"open","hash":"#/claims/c1"}, focus'],
])('a tap on a notification %s', async (_, pages, then) => {
  phone.pages = pages;
  const notification = { data: { hash: '#/claims/c1' }, close: () => note('closed') };
  tabs.listen(({ kind }) => note(kind));
  listeners['tab message']?.({ data: { kind: 'open' } });
  expect(taken()).toBe('open');
  await fire('notificationclick', { notification });
  expect([taken(), phone.channels]).toEqual([then, 1]);
});

test.each([
  ['none for another tag', 'other', true, 200, [], 2, ''],
  ['none while it is not known who has signed in', 'answers', true, 200, [], 2, ''],
  ['later what had no network', 'answers', false, 200, [], 2, 'again'],
  ['once those of who is signed in', 'answers', true, 200, [], 1, ''],
  ['one too late, which no page shows', 'answers', true, 404, [DESK, HIDDEN], 1, 'count: 1'],
  ['one too late, which a page shows', 'answers', true, 404, [HIDDEN, SHOWN], 1, ''],
  ['one too late, where notifications are forbidden', 'answers', true, 404, [], 1, ''],
  ['one too late, a rejection', 'answers', true, 409, [], 1, ''],
  ['none once the session is over', 'answers', true, 401, [], 2, ''],
])('the worker sends answers: %s', async (of, tag, onLine, status, pages, left, then) => {
  const permission = of.includes('forbidden') ? 'denied' : 'granted';
  Object.assign(phone, { pages, onLine, permission });
  const kept = offer({ id: 'c1' });
  const given = of.includes('rejection') ? 'reject' : 'accept';
  const answer = { kind: 'answer', key: 'c1', answer: given, title: '', at: 1 } as const;
  // The count is that of lost acceptances.
  const earlier = { claimId: 'c0', title: '', at: 1 };
  await storage.put('outcomes', [
    { ...earlier, answer: 'reject', result: 'gone' },
    { ...earlier, claimId: 'c9', answer: 'accept', result: 'accepted' },
  ]);
  const entry = { ...answer, offer: pastOffer(kept, 'accepted', 1) };
  const outbox = ['SVC-1', 'SVC-2'].map((owner) => ({ ...entry, id: owner, owner }));
  await storage.put('offers', [kept, offer({ id: 'c2' })]);
  await storage.put('outbox', outbox);
  if (of.includes('not known')) await storage.put('signingIn', true);
  const accepted = { id: 'c1', external_id: 'E1', assignment: { status: 'accepted' } };
  for (const path of ['acceptance', 'rejection'])
    phone.responses[`POST v1/claims/c1/${path}`] = [status, accepted];
  phone.responses['GET v1/me'] = [200, EXAMPLES.getProfile.response];
  await fire('sync', { tag }).catch(() => note('again'));
  expect(/again|count: \d/.exec(taken())?.[0] ?? '').toBe(then);
  const [unsent, offers] = await storage.getAll('outbox', 'offers');
  const listed = status > 401 ? ['c2'] : ['c1', 'c2'];
  expect([unsent?.length, offers?.map(({ id }) => id)]).toEqual([left, listed]);
  const last = (await storage.get('outcomes'))?.at(-1);
  expect([last?.claimId, last?.at]).toEqual(left === 1 ? ['c1', NOW] : ['c9', 1]);
});

test("the worker sends answers with times by the service's clock, which it asks for", async () => {
  phone.date = new Date(NOW + DAY_MS).toUTCString();
  const kept = pastOffer(offer({ id: 'c1' }), 'accepted', 1);
  const answer = { kind: 'answer', key: 'c1', answer: 'accept', title: '', at: 1 } as const;
  const made = { id: 'e1', owner: 'SVC-1', offer: kept, answeredAt: NOW - 1000, assumedOffsetMs: 0 };
  await storage.put('outbox', [{ ...answer, ...made }]);
  phone.responses['GET v1/me'] = [200, EXAMPLES.getProfile.response];
  await fire('sync', { tag: 'answers' }).catch(() => {});
  const asked = taken();
  expect([asked, persisted]).toEqual([expect.stringContaining('lock outbox'), ['asked']]);
  expect(asked).toContain(`"answered_at":"${new Date(NOW + DAY_MS - 1000).toISOString()}"`);
});

const registered = (name: string) =>
  `PUT d1 {"subscription":{"endpoint":"${name}","expirationTime":99,"keys":{"p256dh":"p","auth":"a"}}}`;
const SUBSCRIBE = `{"userVisibleOnly":true,"applicationServerKey":"${KEY}"}, ${registered('new')}`;
const [OLD, STALE] = [subscription('old'), subscription('old', [1])];
const turnedOn = (days: number, svcId = 'SVC-1') => ({ svcId, at: NOW + days * DAY_MS });

test.each([
  ['keeps one that is young', OLD, 200, -1, '', [-1]],
  ['registers one after a day', OLD, 200, -2, `, GET push-key, ${registered('old')}`, [0]],
  ['replaces one of another key', STALE, 200, -2, `, GET push-key, end old, ${SUBSCRIBE}`, [0]],
  ['replaces one that has ended', OLD, 404, 0, `, end old, GET push-key, ${SUBSCRIBE}`, [0, NOW]],
  ['does nothing while the service cannot be asked', null, 500, -2, '', [-2]],
])('a renewal of notifications %s', async (_, held, status, days, then, [at = 0, renewedAt = 7]) => {
  phone.held = held;
  if (status !== 200) phone.responses['GET d1'] = [status];
  await storage.put('notificationsOf', { ...turnedOn(days), renewedAt: 7 });
  await notifications.renew(DAY_MS);
  expect(taken()).toBe(`GET d1${then}`);
  expect(await storage.get('notificationsOf')).toEqual({ ...turnedOn(at), renewedAt });
});

test("another adjuster's subscription is replaced or ended, and a renewal that fails is tried again at the next start", async () => {
  phone.held = OLD;
  await storage.put('notificationsOf', { ...turnedOn(0, 'SVC-2'), renewedAt: 7 });
  await fire('pushsubscriptionchange');
  expect(taken()).toBe(`GET push-key, end old, ${SUBSCRIBE}`);
  expect(await storage.get('notificationsOf')).toEqual(turnedOn(0));
  phone.held = OLD;
  await storage.put('notificationsOf', turnedOn(0, 'SVC-2'));
  expect(await notifications.state()).toBe('off');
  await notifications.renew(DAY_MS);
  expect([taken(), await storage.get('notificationsOf')]).toEqual(['end old', undefined]);
  await storage.put('notificationsOf', turnedOn(0));
  jest.spyOn(phone, 'subscribe').mockRejectedValueOnce(new Error('No push service.'));
  await expect(notifications.renew(DAY_MS)).rejects.toThrow('No push service.');
  expect((await storage.get('notificationsOf'))?.at).toBe(0);
  taken();
  phone.held = OLD;
  phone.responses['PUT d1/preferences'] = [500];
  await storage.put('devicePreferences', { quietHours: null, deadlineReminders: true });
  // The app and its settings may ask at the same time.
  await Promise.all([notifications.renew(DAY_MS), notifications.renew(DAY_MS)]);
  const again = ['GET d1', 'GET push-key', registered('old'), expect.stringMatching('PUT d1/pref'), 'GET d1'];
  expect(calls.splice(0)).toEqual(again);
  expect((await storage.get('notificationsOf'))?.at).toBe(NOW);
  // Without a note of whose it is.
  await storage.remove('notificationsOf');
  expect(await notifications.state()).toBe('on');
});

test('notifications are turned on with the choices of this device, tested, kept when the browser replaces them, and turned off', async () => {
  const quietHours = { start: '21:00', end: '07:15' };
  await storage.put('devicePreferences', { quietHours, deadlineReminders: true });
  phone.held = OLD;
  expect(await notifications.enable()).toBe('on');
  const chosen = { time_zone: 'America/Chicago', quiet_hours: quietHours, deadline_reminders: true };
  const turnOn = `end old, GET push-key, ${SUBSCRIBE}, PUT d1/preferences ${JSON.stringify(chosen)}`;
  expect(taken()).toBe(`${turnOn}, GET d1`);
  await notifications.sendTest();
  // Changed ones may not be stored on a full disk.
  await notifications.sendPreferences({ quietHours: null, deadlineReminders: false });
  const changed = { ...chosen, quiet_hours: null, deadline_reminders: false };
  phone.held = null;
  await fire('pushsubscriptionchange');
  expect(taken()).toBe(
    `POST d1/test-notification, PUT d1/preferences ${JSON.stringify(changed)}, ${turnOn.replace('end old, ', '')}`,
  );
  // After a sign-in nothing has gone wrong.
  phone.held = null;
  await notifications.renew(0);
  const renewedAt = [await notifications.renewedAt()];
  for (const ago of [7 * DAY_MS, 7 * DAY_MS - 1]) {
    await storage.put('notificationsOf', { ...turnedOn(0), renewedAt: NOW - ago });
    renewedAt.push(await notifications.renewedAt());
  }
  expect(renewedAt).toEqual([undefined, undefined, NOW - 7 * DAY_MS + 1]);
  taken();
  phone.onLine = false;
  await expect(notifications.disable()).rejects.toThrow();
  phone.onLine = true;
  expect(await notifications.state()).toBe('on');
  await notifications.disable();
  expect(taken()).toBe('DELETE d1, GET d1, DELETE d1, end new');
  expect([await notifications.state(), await storage.get('notificationsOf')]).toEqual(['off', undefined]);
  phone.permission = 'denied';
  expect([await notifications.enable(), taken()]).toEqual(['denied', '']);
});

test.each([
  ['iPhone; CPU iPhone OS 18_6', 5, 'apple'],
  ['iPad; CPU OS 12_5', 5, 'apple'],
  ['Macintosh; iPadOS', 5, 'apple'],
  ['Macintosh; a trackpad', 1, 'other'],
  ['Linux; Android 16', 5, 'android'],
  ['Windows NT 10.0', 10, 'other'],
])('steps are those of the device: %s', async (userAgent, maxTouchPoints, platform) => {
  Object.assign(phone, { userAgent, maxTouchPoints });
  const states = [await notifications.state()];
  Reflect.deleteProperty(globalThis, 'PushManager');
  for (const isInstalled of [true, false]) {
    phone.isInstalled = isInstalled;
    states.push(await notifications.state());
    await notifications.renew(0);
    await notifications.disable();
  }
  expect(taken()).toBe('');
  Object.assign(globalThis, { PushManager: phone });
  const inBrowser = platform === 'apple' ? 'homeScreen' : 'unsupported';
  expect([devicePlatform(), states]).toEqual([platform, ['off', 'unsupported', inBrowser]]);
});

describe('a new release of the app', () => {
  fakeTime();
  async function open() {
    const deps = {
      root: '/app/',
      storage,
      toasts: { showToast: (line: Line) => note(typeof line === 'string' ? line : line()) },
    };
    const updates = createUpdates({ ...deps, texts: signal(en) });
    updates.registerWorker(new Promise((start) => setImmediate(() => start(note('started')))));
    await settled();
    return updates;
  }
  const next = {
    state: 'installed',
    postMessage(message: unknown) {
      note(message);
      this.state = 'activated';
      listeners.statechange?.({});
    },
    addEventListener: phone.addEventListener,
  };

  test('is looked for once there is a network and when the page shows, and the first one is not announced', async () => {
    phone.onLine = false;
    const { updateReady } = await open();
    Object.assign(phone, { onLine: true, waiting: next });
    await fire('online');
    await fire('online');
    phone.visibilityState = 'hidden';
    await fire('visibilitychange');
    expect(taken()).toBe('started, register /app/sw.js /app, register /app/sw.js /app');
    phone.visibilityState = 'visible';
    await fire('visibilitychange');
    await fire('controllerchange');
    expect([updateReady.value, taken()]).toEqual([false, 'look']);
  });

  const typed = (value: string, stored: unknown = null) => ({
    ...{ value, defaultValue: 'loaded', focus: () => note('focus') },
    closest: (of: string) => (of === '[data-stored]' ? stored : null),
  });
  test.each([
    ['where what is typed is stored', [typed('loaded'), typed('New', {})], 'update', 'reload'],
    ['not before the rest is stored', [typed('New', {}), typed('New')], `focus, ${en.update.saveFirst}`, ''],
    ['also where another page has started it', [], 'reload', ''],
  ])('starts when the adjuster agrees, %s', async (_, fields, then, later) => {
    Object.assign(phone, { controller: {}, fields, installing: next });
    const { updateReady, applyUpdate } = await open();
    const ready = [updateReady.value];
    await fire('updatefound');
    phone.waiting = next;
    await fire('statechange');
    if (then === 'reload') await fire('controllerchange');
    ready.push(updateReady.value);
    taken();
    applyUpdate();
    expect([ready, taken()]).toEqual([[false, true], then]);
    await fire('controllerchange');
    expect(taken()).toBe(later);
  });

  test('that waits when the page opens is announced, and loads the page again where it waits no longer', async () => {
    Object.assign(phone, { controller: {}, waiting: next });
    const { updateReady, applyUpdate } = await open();
    expect(updateReady.value).toBe(true);
    phone.waiting = null;
    taken();
    applyUpdate();
    expect(taken()).toBe('reload');
  });

  test.each([
    [
      'the newest one, once it is found',
      {
        waiting: { ...next, postMessage: () => note('earlier') },
        async update() {
          note('look');
          await new Promise((resolve) => setImmediate(resolve));
          Object.assign(phone, { installing: next });
        },
      },
      ...(['installed', 'look, update, ', undefined] as const),
    ],
    ['one that waits; offline', { waiting: next, onLine: false }, 'installed', 'look, update, ', 1],
    ['no one that fails to install', { installing: next }, 'redundant', 'look, ', undefined],
    ['no one that takes 10 seconds', { installing: next }, 'installing', 'look, ', undefined],
    ['no other one', {}, '', 'look, ', undefined],
    [
      'none that can be looked for',
      { update: () => Promise.reject(new TypeError('Failed.')) },
      '',
      '',
      undefined,
    ],
  ])('starts where the app fails, without its lists: %s', async (_, found, state, then, lists) => {
    const { startAgain } = await open();
    await storage.put('offers', [offer()]);
    await storage.put('fields', { zip: '33931' });
    taken();
    next.state = state;
    Object.assign(phone, found);
    void startAgain();
    await settled();
    if (state === 'installing') {
      await after(9999);
      expect(calls).toEqual(['look']);
      await after(1);
    }
    expect(taken()).toBe(`${then}reload`);
    const [offers, fields] = await storage.getAll('offers', 'fields');
    expect([offers?.length, fields]).toEqual([lists, { zip: '33931' }]);
  });
});
