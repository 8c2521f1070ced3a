import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type Device,
  type PushService,
  startPushService,
} from '../../../packages/adapter-notifications/test/push-service.ts';
import {
  type AppUnderTest,
  button,
  enter,
  heading,
  offerFullClaim,
  PHONE,
  startApp,
  until,
} from '../../api/test/adjuster-app.ts';

let app: AppUnderTest;
let push: PushService;
beforeAll(async () => {
  // The headless shell has no notifications.
  [app, push] = await Promise.all([startApp({ whole: true }), startPushService()]);
}, 300_000);
afterAll(async () => {
  await app?.stop();
  await push?.stop();
});

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
  app.visiting(PHONE, async ({ page, context }) => {
    const { svcId, token } = await app.service.member(app.firm);
    await context.grantPermissions(['notifications'], { origin: app.service.url });
    // One more than needed: a renewal that began while there was no push service may be under way at the last tap.
    const devices = [push.device([410]), ...Array.from({ length: 4 }, () => push.device())];
    await page.addInitScript({ content: fakePushManager(devices) });
    const offer = () => offerFullClaim(app.service, app.firm, svcId);
    const arrives = (device: Device | undefined) =>
      until('the message', async () => (device?.received.length ?? 0) > 0);
    await enter(page, app.service, token, '#/settings');
    await button(page, 'Turn on').click();
    await page.getByText('On. The lock screen shows only the firm').waitFor();
    expect(await page.getByText('had stopped').count()).toBe(0);

    await offer();
    await until('the attempt', async () => devices[0]?.attempts.length === 1);
    const registered = await page.evaluate(
      "new Promise((resolve) => { indexedDB.open('claims').onsuccess = ({ target: { result } }) => { result.transaction('kept').objectStore('kept').get('deviceId').onsuccess = ({ target }) => resolve(target.result); }; })",
    );
    await until('the device to be removed', async () => {
      const found = await app.service.call('GET', `/app/v1/devices/${registered}`, { as: token });
      return found.status === 404;
    });
    await page.goto(`${app.service.url}/app#/`);
    await page.reload();
    await heading(page, 'Offers').waitFor();
    await until('another subscription', async () => (await page.evaluate('localStorage.held')) === '1');
    await page.evaluate("location.hash = '#/settings'");
    await page.getByText('Notifications had stopped on this device and were turned on again').waitFor();
    await offer();
    await arrives(devices[1]);
    expect(devices[0]?.attempts).toHaveLength(1);

    // The browser has dropped it without an event.
    await page.evaluate('delete localStorage.held');
    await page.goto(`${app.service.url}/app#/`);
    await page.reload();
    await until('another subscription', async () => (await page.evaluate('localStorage.held')) === '2');
    await offer();
    await arrives(devices[2]);

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
