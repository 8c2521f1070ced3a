import { expect, test } from '@jest/globals';
import { type Device, startPushService } from '../../../packages/adapter-notifications/test/push-service.ts';
import { button, enter, heading, offerFullClaim, PHONE, ready, startApp, until } from './app-under-test.ts';

// The headless shell has no notifications.
const [{ firm, service, visiting }, push] = await Promise.all([
  startApp({ whole: true }),
  startPushService(),
]);

test('notifications are turned on, tested, set and turned off for a device, which is sent the firm and the claim', () =>
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
    expect(message?.payload).toEqual({ kind: 'offer', claim_id: id, firm_name: 'Gulf Adjusting Partners' });
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

    // Only what the screen says: the rest is tested without a browser.
    await page.evaluate(`PushManager.prototype.subscribe = () => Promise.reject(new Error('no push service'));
      PushManager.prototype.getSubscription = async () => null`);
    const settings = async () => {
      await page.evaluate("location.hash = '#/'");
      await heading(page, 'Offers').waitFor();
      await page.evaluate("location.hash = '#/settings'");
    };
    await settings();
    await page.getByText('Notifications have stopped on this device').waitFor();
    await page.evaluate(`{${workerPushManager(push.device())}}`);
    await settings();
    await page.getByText('Notifications had stopped on this device and were turned on again').waitFor();
    await button(page, 'Turn off').click();
    await page.getByText('Off. You see new offers only while the app is open.').waitFor();
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
