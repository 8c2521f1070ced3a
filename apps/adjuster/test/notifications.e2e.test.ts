import { expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { type Device, startPushService } from '../../../packages/adapter-notifications/test/push-service.ts';
import {
  button,
  enter,
  heading,
  inDatabase,
  offerFullClaim,
  PHONE,
  ready,
  signInAsTest,
  startApp,
  until,
} from './app-under-test.ts';

// The headless shell has no notifications.
const [{ firm, service, visiting }, push] = await Promise.all([
  startApp({ whole: true }),
  startPushService(),
]);

/** Replaces the browser's push service: each subscription is the next of these devices, and lasts over a reload. */
const fakePushManager = (devices: readonly Device[]): string => `{
  const all = ${JSON.stringify(devices.map(({ subscription }) => subscription))};
  const held = () => localStorage.held === undefined ? null : {
    endpoint: all[localStorage.held].endpoint,
    options: { applicationServerKey: Uint8Array.from(
      atob(localStorage.vapid.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0)).buffer },
    toJSON: () => all[localStorage.held],
    unsubscribe: async () => { delete localStorage.held; return true; },
  };
  PushManager.prototype.getSubscription = async () => held();
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    if (localStorage.fails) throw new DOMException('no push service', 'AbortError');
    localStorage.made = localStorage.held = Number(localStorage.made ?? -1) + 1;
    localStorage.vapid = applicationServerKey;
    return held();
  };
}`;

test('a subscription that its push service or the browser has ended is replaced at the next open, and the screen says so', () =>
  visiting(PHONE, async ({ page, context }) => {
    const { svcId, token } = await service.member(firm);
    await context.grantPermissions(['notifications'], { origin: service.url });
    // One more than needed: a renewal that began while there was no push service may be under way at the last tap.
    const devices = [push.device([410]), ...Array.from({ length: 4 }, () => push.device())];
    await page.addInitScript({ content: fakePushManager(devices) });
    const offer = () => offerFullClaim(service, firm, svcId);
    const arrives = (device: Device | undefined) =>
      until('the message', async () => (device?.received.length ?? 0) > 0);
    await enter(page, service, token, '#/settings');
    await button(page, 'Turn on').click();
    await page.getByText('On. The lock screen shows only the firm').waitFor();
    expect(await page.getByText('had stopped').count()).toBe(0);

    await offer();
    await until('the attempt', async () => devices[0]?.attempts.length === 1);
    const registered = await inDatabase(page, "found = kept.get('deviceId');");
    await until('the device to be removed', async () => {
      const found = await service.call('GET', `/app/v1/devices/${registered}`, { as: token });
      return found.status === 404;
    });
    await page.goto(`${service.url}/app#/`);
    await page.reload();
    await heading(page, 'Offers').waitFor();
    await until('another subscription', async () => (await page.evaluate('localStorage.held')) === '1');
    await page.evaluate("location.hash = '#/settings'");
    await page.getByText('Notifications had stopped on this device and were turned on again').waitFor();
    await offer();
    await arrives(devices[1]);
    expect(devices[0]?.attempts).toHaveLength(1);

    // It cannot be replaced.
    await page.evaluate("delete localStorage.held; localStorage.fails = 'yes'");
    await page.reload();
    await page.evaluate("location.hash = '#/settings'");
    await page.getByText('Notifications have stopped on this device').waitFor();
    await page.evaluate('delete localStorage.fails');
    await button(page, 'Turn on').click();
    await page.getByText('On. The lock screen shows only the firm').waitFor();
    await button(page, 'Turn off').click();
    await page.getByText('Off. You see new offers only while the app is open.').waitFor();
    await page.reload();
    await page.getByText('Off. You see new offers only while the app is open.').waitFor();
  }));

test('a push notification shows only the firm, and opens the claim', () =>
  visiting(PHONE, async ({ page, context }) => {
    const { svcId, token } = await service.member(firm);
    await context.grantPermissions(['notifications'], { origin: service.url });
    const phone = push.device();
    await page.addInitScript(workerPushManager(phone));
    await enter(page, service, token, '#/settings');
    await ready(page);
    await button(page, 'Turn on').click();
    await page.getByText('On. The lock screen shows only the firm').waitFor();

    const id = await offerFullClaim(service, firm, svcId);
    const [message] = await until('the message', async () => phone.received.length > 0 && phone.received);
    const deliver = await createPushDelivery(context, page);
    await recordNotifications(context);
    await deliver(JSON.stringify(message?.payload));
    const shown = await until('the notification', async () => (await shownNotifications(context))[0]);
    expect(shown).toEqual({
      title: 'Gulf Adjusting Partners',
      body: 'A claim is waiting for your answer.',
      tag: id,
    });
    await (await worker(context)).evaluate(`registration.getNotifications().then(([notification]) =>
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification })))`);
    await heading(page, 'Marisol Delgado').waitFor();
    await button(page, 'Accept').waitFor();

    await page.evaluate("location.hash = '#/settings'");
    await button(page, 'Send me a test notification').click();
    await page.getByText('Sent. It should appear').waitFor();
    await until('the test message', async () =>
      phone.received.some(({ payload }) => JSON.stringify(payload) === '{"kind":"test"}'),
    );
    await page.getByRole('switch', { name: 'Remind me of due dates' }).click();
    await page.getByRole('switch', { name: 'Quiet hours' }).click();
    await page.getByLabel('Until').fill('07:15');
    const preferences = () => service.service.services.jobReads.devices(svcId, Date.now());
    await until(
      'the preferences',
      async () => (await preferences())[0]?.preferences?.quietHours?.end === '07:15',
    );
    expect((await preferences()).map((device) => device.preferences)).toMatchObject([
      { quietHours: { start: '21:00', end: '07:15' }, deadlineReminders: true },
    ]);

    // After another sign-in on this device, the former adjuster's subscription is ended and not reused.
    await button(page, 'Turn off').waitFor();
    await service.call('DELETE', '/app/v1/sessions/current', { as: token });
    await page.evaluate('dispatchEvent(new Event("online"))');
    await signInAsTest(page, firm.account.manual, firm.signInSecret.manual);
    await button(page, 'Turn on').waitFor();
    await until(
      'the subscription to be ended',
      async () => (await page.evaluate('PushManager.prototype.getSubscription()')) === null,
    );
  }));

/** Replaces the browser's push service, which needs the internet, with the one of the test. */
const workerPushManager = ({ subscription }: Device): string => `
  let held = null;
  PushManager.prototype.getSubscription = async () => held;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    const text = atob(applicationServerKey.replaceAll('-', '+').replaceAll('_', '/'));
    const key = Uint8Array.from(text, (one) => one.charCodeAt(0)).buffer;
    held = {
      endpoint: ${JSON.stringify(subscription.endpoint)},
      options: { applicationServerKey: key },
      toJSON: () => (${JSON.stringify(subscription)}),
      unsubscribe: async () => { held = null; return true; },
    };
    return held;
  };
`;

/** Waits for the service worker to start. */
const worker = (context: BrowserContext) =>
  until('the service worker', async () => context.serviceWorkers()[0]);

/** Records shown notifications: Chromium may drop one if queried while it is being shown. */
async function recordNotifications(context: BrowserContext): Promise<void> {
  await (await worker(context)).evaluate(`{
    self.shown = [];
    const show = registration.showNotification.bind(registration);
    registration.showNotification = async (title, options) => {
      await show(title, options);
      self.shown.push({ title, body: options.body, tag: options.tag });
    };
  }`);
}
const shownNotifications = async (context: BrowserContext) =>
  (await (await worker(context)).evaluate('self.shown')) as { title: string; body: string; tag: string }[];

/** Delivers messages to the service worker as the browser's push service would. */
async function createPushDelivery(
  context: BrowserContext,
  page: Page,
): Promise<(data: string) => Promise<void>> {
  const session = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [found] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (found !== undefined) resolve(found.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registered;
  return async (data) => {
    await session.send('ServiceWorker.deliverPushMessage', { origin: service.url, registrationId, data });
  };
}
