import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  assignmentOf,
  button,
  enter,
  heading,
  inDatabase,
  offerFullClaim,
  startApp,
  until,
  WITHOUT_WORKER,
} from './app-under-test.ts';

const { firm, service, visiting, stop } = await startApp();
afterAll(stop);

const NAMES = ['First', 'Second'] as const;

/** A member with two offers. */
async function offers(): Promise<{ ids: string[]; token: string }> {
  const { svcId, token } = await service.member(firm);
  const ids: string[] = [];
  for (const last_name of NAMES) {
    const policyholder = { first_name: 'Ana', last_name, phone: '352-555-0142' };
    ids.push(await offerFullClaim(service, firm, svcId, { policyholder }));
  }
  return { ids, token };
}

const row = (page: Page, name: string) => page.getByRole('link', { name: new RegExp(`Ana ${name}`) });
const isAccepted = async (id: string | undefined): Promise<boolean> =>
  (await assignmentOf(service, firm, id ?? '')).status === 'accepted';

/** Changes the claims that the service sends to the page. */
async function changeClaims(page: Page, change: (claim: Record<string, unknown>) => unknown): Promise<void> {
  await page.route(/\/v1\/claims(\?|\/[^/]+$)/, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    await route.fulfill({
      response,
      json: body.data === undefined ? change(body) : { ...body, data: body.data.map(change) },
    });
  });
}

test('a claim that this release cannot show leaves the others, and its screen offers an update and reports the error', () =>
  visiting(WITHOUT_WORKER, async ({ page, faults }) => {
    const { ids, token } = await offers();
    const [first] = ids;
    await changeClaims(page, (claim) => (claim.id === first ? { ...claim, loss_location: null } : claim));
    await enter(page, service, token);
    await row(page, 'Second').waitFor();
    await page.getByText('1 claim cannot be shown by this version of the app.').waitFor();
    await page.evaluate(`location.hash = '#/claims/${first}'`);
    await page.getByRole('heading', { name: 'This cannot be shown' }).waitFor();
    await page.getByRole('link', { name: 'Offers' }).first().click();
    await row(page, 'Second').waitFor();

    // A stored part that is not looked at before it is shown.
    await page.unrouteAll();
    await page.evaluate(`location.hash = '#/claims/${ids[1]}'`);
    await heading(page, 'Ana Second').waitFor();
    await inDatabase(
      page,
      `const offers = kept.get('offers');
       offers.onsuccess = () => kept.put(
         offers.result.map((claim) => ({ ...claim, policy: { number: 'P-1', effective_date: 20260101 } })),
         'offers',
       );`,
    );
    await page.reload();
    await page.getByRole('heading', { name: 'This cannot be shown' }).waitFor();
    const report = await until('the report', async () =>
      service.logged.find((line) => line.includes('error in the adjuster app') && line.includes('TypeError')),
    );
    expect(JSON.parse(report)).toMatchObject({
      level: 'warn',
      screen: 'claim',
      error: 'TypeError',
      places: expect.stringMatching(/^[\w-]+\.js:\d+:\d+/),
    });
    expect(report).not.toMatch(/Ana|Second|P-1|20260101/);

    // The lists are read again.
    await Promise.all([page.waitForEvent('load'), button(page, 'Update').click()]);
    await heading(page, 'Ana Second').waitFor();
    faults.length = 0;
  }));

test('where the browser stores nothing, answers are sent at once, and nothing is called saved', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers();
    await page.addInitScript({
      content: `IDBFactory.prototype.open = () => { throw new DOMException('denied', 'SecurityError'); };
        localStorage.preferences = '{"undoSeconds":20}';`,
    });
    await enter(page, service, token, `#/claims/${ids[0]}`);
    await page.getByText('This browser stores nothing for the app.').waitFor();
    await button(page, 'Accept').click();
    await until('the acceptance', () => isAccepted(ids[0]));
    await button(page, 'Next offer').click();
    await heading(page, 'Ana Second').waitFor();
    await context.setOffline(true);
    await button(page, 'Accept').click();
    await page.getByText('Not sent yet, and not saved. Keep the app open until you are online.').waitFor();
    expect(await page.getByText(/\bis saved\b|saved on this device/).count()).toBe(0);
    await context.setOffline(false);
    await until('the second acceptance', () => isAccepted(ids[1]));
  }));

test('what the browser removes while the app is open is stored again: an answer stays saved as the app says', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers();
    await enter(page, service, token, `#/claims/${ids[0]}`);
    await button(page, 'Accept').waitFor();
    await context.setOffline(true);
    await button(page, 'Accept').click();
    await page.getByText('Your acceptance is saved').first().waitFor();
    const devTools = await context.newCDPSession(page);
    await devTools.send('Storage.clearDataForOrigin', { origin: service.url, storageTypes: 'indexeddb' });
    const stored = () =>
      until('the stored answer', async () => {
        const names = await page.evaluate('indexedDB.databases().then((all) => all.map(({ name }) => name))');
        if (!(names as string[]).includes('claims')) return false;
        return (
          ((await inDatabase(page, "found = kept.get('outbox')")) as unknown[] | undefined)?.length === 1
        );
      });
    await stored();
    await until(
      'the lists',
      async () => (await inDatabase(page, "found = kept.get('offers')")) !== undefined,
    );
    await context.setOffline(false);
    await page.evaluate('dispatchEvent(new Event("online"))');
    await until('the acceptance', () => isAccepted(ids[0]));
  }));

test('the browser is asked once not to delete what is stored, when there is something unsent', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers();
    await page.addInitScript({
      content: `globalThis.asked = 0;
        StorageManager.prototype.persist = async () => { globalThis.asked += 1; return true; };`,
    });
    await enter(page, service, token, `#/claims/${ids[0]}`);
    await button(page, 'Accept').waitFor();
    expect(await page.evaluate('asked')).toBe(0);
    await context.setOffline(true);
    await button(page, 'Accept').click();
    await page.getByText('Your acceptance is saved').first().waitFor();
    expect(await page.evaluate('asked')).toBe(1);
  }));
