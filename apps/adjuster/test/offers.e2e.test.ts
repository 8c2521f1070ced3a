import { expect, test } from '@jest/globals';
import { later } from '@svc/testkit/eventually';
import { CHUNK_ROWS } from '@svc/web-app/row-chunks';
import {
  ANA,
  button,
  enter,
  heading,
  obscuredCorners,
  offerFullClaim,
  PHONE,
  startApp,
  tooSmall,
  until,
  WITHOUT_WORKER,
} from './app-under-test.ts';

const { firm, offers, service, visiting } = await startApp();

test('going back to a list restores the scroll position and the focus on the opened claim', () =>
  visiting(PHONE, async ({ page }) => {
    const { token } = await offers(...Array.from({ length: 20 }, (_, n) => `Reyes ${n + 1}`));
    await page.addInitScript({
      content:
        "addEventListener('hashchange', () => { if (location.hash.startsWith('#/claims/')) leftAt = Math.round(scrollY); })",
    });
    await enter(page, service, token);
    const opened = page.getByRole('link', { name: /Ana Reyes 18/ });
    await page.getByRole('link', { name: /Ana Reyes 1\b/ }).waitFor();
    const scrolled = () => page.evaluate('Math.round(scrollY)');
    const focused = () => page.evaluate('document.activeElement.textContent');
    for (const back of [
      () => page.getByRole('link', { name: 'Back', exact: true }).click(),
      () => page.goBack(),
    ]) {
      // The rows between the first ones and this one are not in the page when the list is created again.
      await page.evaluate('scrollTo(0, 1600)');
      await opened.click();
      await heading(page, 'Ana Reyes 18').waitFor();
      expect(await scrolled()).toBe(0);
      await back();
      await heading(page, 'Offers').waitFor();
      await until('the claim to have the focus', async () => /Reyes 18/.test(String(await focused())));
      expect(await scrolled()).toBe(await page.evaluate('leftAt'));
      expect(await scrolled()).toBeGreaterThan(0);
    }
    // A list opened from the menu starts at the top.
    await page.getByRole('link', { name: 'Firms' }).click();
    await heading(page, 'Firms').waitFor();
    await page.getByRole('link', { name: 'Offers' }).click();
    await heading(page, 'Offers').waitFor();
    expect(await scrolled()).toBe(0);
  }));

test('all tabs share one event stream, which moves to another tab when its tab is closed', () =>
  visiting(PHONE, async ({ page, context }) => {
    const { svcId, token } = await service.member(firm);
    await enter(page, service, token);
    // Browsers open at most six connections to a host.
    const others = await Promise.all(Array.from({ length: 6 }, () => context.newPage()));
    for (const other of others) await other.goto(`${service.url}/app`);
    for (const other of others) await other.getByText('No open offers').waitFor();
    await offerFullClaim(service, firm, svcId);
    for (const tab of [page, ...others]) await tab.getByRole('link', { name: /Marisol Delgado/ }).waitFor();
    await page.close();
    await offerFullClaim(service, firm, svcId, { policyholder: ANA });
    for (const other of others) await other.getByRole('link', { name: /Ana Reyes/ }).waitFor();
  }));

/** How Chromium's compositor counts touches that it scrolls without asking the page first. */
const WITHOUT_PAGE = 0;

test('a swipe scrolls the list without waiting for the page, and finds the rows rendered', () =>
  visiting(PHONE, async ({ page, context }) => {
    const offered = 4 * CHUNK_ROWS;
    const { token } = await offers(...Array<string>(offered).fill('Reyes'));
    await context.addCookies([{ name: 'svc-session', value: token, url: service.url }]);
    await page.goto(`${service.url}/app`);
    // No locators, because Playwright's own listeners for touches, which come with the first one, make swipes wait.
    await until(
      'all rows',
      async () => (await page.evaluate("document.querySelectorAll('main .claim-row').length")) === offered,
    );
    const devTools = await context.newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...ys: number[]) =>
      devTools.send('Input.dispatchTouchEvent', { type, touchPoints: ys.map((y) => ({ x: 195, y })) });
    await touch('touchStart', 700);
    for (let y = 650; y >= 200; y -= 50) await touch('touchMove', y);
    await touch('touchEnd');
    await until('the list to scroll', async () => Number(await page.evaluate('scrollY')) > 100);
    const counted = (await page.evaluate(
      "statsCollectionController.getHistogram('Renderer4.ScrollingThread.Touch')",
    )) as string;
    const { buckets } = JSON.parse(counted) as { buckets: { low: number; count: number }[] };
    expect(buckets.map(({ low, count }) => [low, count])).toEqual([[WITHOUT_PAGE, 1]]);
  }));

test('of many offers the first show before all are read, and only those near the screen are in the page; they are found and mapped', () =>
  visiting(WITHOUT_WORKER, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    for (let n = 1; n <= 60; n += 1) {
      const policyholder = { ...ANA, last_name: n === 57 ? 'Quintana' : `Reyes ${n}` };
      await offerFullClaim(service, firm, svcId, { policyholder });
    }
    const { promise: released, resolve: release } = later();
    let wholeReads = 0;
    await page.route(/pending_acceptance&.*limit=200/, async (route) => {
      wholeReads += 1;
      await released;
      await route.continue();
    });
    // Counted in the page when the list appears: all rows are rendered some seconds later.
    await page.addInitScript({
      content: `new MutationObserver(() => {
        if (document.querySelector('main')?.textContent.includes('60 open offers'))
          globalThis.firstRows ??= document.querySelectorAll('main .claim-row').length;
      }).observe(document, { subtree: true, childList: true, characterData: true })`,
    });
    await enter(page, service, token);
    await page.getByText('25 open offers').waitFor();
    await page.getByText('Reyes 1').first().waitFor();
    release();
    await page.getByText('60 open offers').waitFor();
    const rows = page.locator('main .claim-row');
    await until('rows', async () => (await rows.count()) > 0);
    expect(await page.evaluate('firstRows')).toBeLessThan(60);
    // What is not in the page keeps the height it will have, so that nothing moves while scrolling.
    const heights = await page.evaluate(
      `[...document.querySelectorAll('main .chunk')].map((box) => box.offsetHeight / (box.childElementCount || ${CHUNK_ROWS}))`,
    );
    expect((heights as number[])[6]).toBeCloseTo((heights as number[])[0] as number, -1);
    await button(page, 'Search, sort').click();
    await page.getByLabel('Search offers').fill('quintana');
    await page.getByRole('link', { name: /Quintana/ }).waitFor();
    await until('the only row', async () => (await rows.count()) === 1);
    // The revision of the list was known before it was read, so it is not read again.
    expect(wholeReads).toBe(1);
    await page.getByLabel('Search offers').fill('');
    await page.getByRole('link', { name: 'Map', exact: true }).click();
    const cluster = page.getByRole('button', { name: /claims near Fort Myers Beach/ });
    await cluster.click();
    const add = page.getByRole('button', { name: 'Add to route' }).first();
    // The first claim of the marker is not below the screen or the menu.
    await until('the claim', () =>
      page.evaluate(`{
        const button = document.querySelector('main .rows li button');
        const { left, top } = button.getBoundingClientRect();
        button.contains(document.elementFromPoint(left + 5, top + 5));
      }`),
    );
    await add.click();
    await until(
      'the button not to be below the bar that has appeared',
      async () => (await obscuredCorners(page, 'main .rows button', 'Remove from route')).length === 0,
    );
    expect(await tooSmall(page, 'map')).toEqual([]);

    // The device's position, which the page's own policy must allow.
    await page.context().grantPermissions(['geolocation']);
    await page.context().setGeolocation({ latitude: 26.45, longitude: -81.95 });
    await button(page, 'Set your location').click();
    await button(page, 'Use my location').click();
    await button(page, 'From your location').waitFor();
    await page.getByRole('img', { name: 'Your location' }).waitFor();
  }));
