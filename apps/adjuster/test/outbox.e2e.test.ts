import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type AppUnderTest,
  assignmentOf,
  button,
  enter,
  offerFullClaim,
  PHONE,
  startApp,
  until,
  visit,
  WITHOUT_WORKER,
} from '../../api/test/adjuster-app.ts';
import { startBrowser } from '../../api/test/browser.ts';

let app: AppUnderTest;
beforeAll(async () => {
  app = await startApp();
}, 300_000);
afterAll(() => app?.stop());

const offers = async (count: number) => {
  const { svcId, token } = await app.service.member(app.firm);
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await offerFullClaim(app.service, app.firm, svcId));
  return { svcId, token, ids };
};
const offerToAnother = async (id: string): Promise<void> => {
  const { svcId } = await app.service.member(app.firm);
  await app.service.call('POST', `/v1/claims/${id}/assignment`, {
    as: app.firm.live,
    body: { adjuster_svc_id: svcId },
    headers: { 'Idempotency-Key': id },
  });
};
const statusOf = async (id = '') => (await assignmentOf(app.service, app.firm, id)).status;

test('an answer that the service cannot process lets others pass, says so instead of "offline", and can be canceled', () =>
  app.visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers(2);
    const [failing = '', other = ''] = ids;
    await context.route(`**/${failing}/acceptance`, (route) => route.fulfill({ status: 500, body: '{}' }));
    await enter(page, app.service, token, `#/claims/${failing}`);
    await button(page, 'Accept').click();
    await page.getByText('The service could not process this.').waitFor();
    await page.evaluate(`location.hash = '#/claims/${other}'`);
    await button(page, 'Accept').click();
    await until('the other answer', async () => (await statusOf(other)) === 'accepted');
    expect(await page.getByText('You are offline').count()).toBe(0);
    await page.evaluate("location.hash = '#/'");
    await button(page, 'Stop trying').click();
    await page.getByRole('heading', { name: 'Not sent yet' }).waitFor({ state: 'detached' });
    await page.getByText('1 open offer').waitFor();
    expect(await statusOf(failing)).toBe('pending_acceptance');
  }));

test('a problem of the service is not called a missing network', () =>
  app.visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers(1);
    await enter(page, app.service, token, `#/claims/${ids[0]}`);
    await button(page, 'Accept').waitFor();
    await context.route('**/app/v1/**', (route) => route.fulfill({ status: 503, body: '{}' }));
    await button(page, 'Accept').click();
    await page.getByText('The service has a problem, which is not your connection.').waitFor();
    expect(await page.getByText('You are offline').count()).toBe(0);
    await context.unroute('**/app/v1/**');
    await until('the answer', async () => (await statusOf(ids[0])) === 'accepted');
  }));

test('what came of answers that were given together is one line, and what was lost stays in all tabs until it is dismissed', () =>
  app.visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers(4);
    const lost = ids[0] ?? '';
    await enter(page, app.service, token);
    await page.getByText('4 open offers').waitFor();
    await context.setOffline(true);
    await button(page, 'Select').click();
    await button(page, 'Select all').click();
    await button(page, 'Accept 4').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept 4' }).click();
    await page.getByRole('heading', { name: 'Not sent yet' }).waitFor();
    await offerToAnother(lost);
    await context.setOffline(false);
    await page.getByText('3 accepted · 1 without effect').waitFor();
    const gone = page.getByText(/^FL26-\d+ \(.+\) is no longer offered to you\.$/);
    await gone.waitFor();
    const other = await context.newPage();
    await enter(other, app.service, token);
    await other.getByText('3 accepted · 1 without effect').waitFor();
    await page.reload();
    await gone.waitFor();
    await button(page, 'Dismiss').click();
    await gone.waitFor({ state: 'detached' });
    await other.getByText('3 accepted').waitFor({ state: 'detached' });
  }));

test('an undo of many answers is whole, although the page is closed at once', () =>
  app.visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers(12);
    await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":20}'` });
    await enter(page, app.service, token);
    await page.getByText('12 open offers').waitFor();
    await button(page, 'Select').click();
    await button(page, 'Select all').click();
    await button(page, 'Accept 12').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept 12' }).click();
    await button(page, 'Undo').click();
    await page.getByText('Undone. Nothing was sent.').waitFor();
    await page.close();
    const again = await context.newPage();
    await enter(again, app.service, token);
    await again.getByText('12 open offers').waitFor();
    expect(new Set(await Promise.all(ids.map(statusOf)))).toEqual(new Set(['pending_acceptance']));
  }));

test('an acceptance that is lost while no page is visible is a notification', async () => {
  // The headless shell has no notifications.
  const browser = await startBrowser({ whole: true });
  const { page, context, close } = await visit(browser, app.service.url, PHONE);
  try {
    const { ids, token } = await offers(1);
    await context.grantPermissions(['notifications'], { origin: app.service.url });
    await enter(page, app.service, token, `#/claims/${ids[0]}`);
    await page.evaluate('navigator.serviceWorker.ready.then(() => {})');
    await context.setOffline(true);
    await button(page, 'Accept').click();
    await page.getByText('Your acceptance is saved').first().waitFor();
    await offerToAnother(ids[0] ?? '');
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden' })`);
    await context.setOffline(false);
    const bodies = await until('the notification', async () => {
      const shown = (await page.evaluate(
        `navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) => all.map(({ body }) => body))`,
      )) as string[];
      return shown.length > 0 && shown;
    });
    expect(bodies).toEqual(['Acceptances that did not count: 1. Open the app to see why.']);
  } finally {
    await close();
    await browser.close();
  }
});
