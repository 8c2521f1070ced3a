import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { claimBody, sendClaim } from '../../api/test/service-under-test.ts';
import {
  axeViolations,
  button,
  en,
  enter,
  es,
  heading,
  inEnglish,
  obscuredCorners,
  offerFullClaim,
  PHONE,
  RULES,
  startApp,
  tooSmall,
  tooWide,
  until,
} from './app-under-test.ts';

const { firm, service, visiting } = await startApp();

const MENUS = [
  [360, 640, '34px'],
  [360, 740, '17px'],
  [820, 1180, '17px'],
  [820, 1180, '34px'],
] as const;
/** Words of the menu that are on two lines. */
const BROKEN_WORDS = `[...document.querySelectorAll('.menu-label')].flatMap(({ firstChild }) =>
  [...firstChild.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(firstChild, index);
    range.setEnd(firstChild, index + word.length);
    return range.getClientRects().length > 1;
  }).map(String))`;

/** Before anything is rendered: Chromium notices larger text later only where a container changes its size. */
const LARGE_TEXT = {
  content: `document.addEventListener('readystatechange', () => {
    document.documentElement.style.fontSize = '34px';
  })`,
};

const COLORS = { type: 'rule', values: ['color-contrast'] };
const LONG = 'Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh-Cholmondeley-Marjoribanks-Leveson-Gower';

// Every screen twice: with all rules in the default appearance; and dark, in Spanish and with text of twice the size,
// where colors and widths may fail.
test.each([
  ['light, in English', { colorScheme: 'light', locale: 'en-US' }, RULES, false],
  [
    'dark, in Spanish, in text of 200 % on a narrow phone',
    { colorScheme: 'dark', locale: 'es-PR', viewport: { width: 360, height: 640 } },
    COLORS,
    true,
  ],
] as const)('every screen is accessible: %s', (_, options, rules, large) =>
  visiting({ ...PHONE, ...options, reducedMotion: 'reduce' }, async ({ page, context }) => {
    const words = large ? es : en;
    if (large) await page.addInitScript(LARGE_TEXT);
    // The headless shell has no notifications; the settings show them as in browsers that do.
    await page.addInitScript({
      content: `globalThis.Notification = { permission: 'default' };
        PushManager.prototype.getSubscription = async () => null;`,
    });
    const { svcId, token } = await service.member(firm);
    const inviting = await service.firm({ name: `${LONG} & Sons` });
    await service.call('POST', '/v1/adjusters/invitations', { as: inviting.live, body: { svc_id: svcId } });
    const sparse = await sendClaim(service, firm.live, claimBody(svcId));
    const [offered, worked] = [
      await offerFullClaim(service, firm, svcId),
      await offerFullClaim(service, firm, svcId, {
        policyholder: { first_name: LONG, last_name: LONG, email: `${'a'.repeat(60)}@example.com` },
      }),
    ];
    await service.call('POST', `/app/v1/claims/${worked}/acceptance`, { as: token });
    const found: string[] = [];
    const audit = async (screen: string): Promise<void> => {
      // Markers may cover each other: the list beside the map has the same claims.
      const judged = { runOnly: rules, rules: { 'target-size': { enabled: screen !== '#/map' } } };
      const violations = await axeViolations(page, judged);
      found.push(
        ...violations.map((violation) => `${screen}: ${violation}`),
        ...(await tooSmall(page, screen)),
        ...(await tooWide(page, screen)),
        ...(await inEnglish(page, screen)),
      );
    };
    await page.goto(`${service.url}/app`);
    await page.getByLabel(words.signIn.email).waitFor();
    await audit('sign-in');
    await page.getByText(words.signIn.other).click();
    await audit('other ways to sign in');
    await button(page, words.signIn.test).click();
    await audit('sign-in of a test account');
    await enter(page, service, token);
    const screens: [string, string | RegExp][] = [
      ['#/', words.offers.title],
      [`#/invitations/${inviting.id}`, words.invitations.card(`${LONG} & Sons`)],
      [`#/claims/${offered}`, 'Marisol Delgado'],
      [`#/claims/${sparse.json.id}`, 'Ana Reyes'],
      ['#/claims', words.claims.title],
      [`#/claims/${worked}`, `${LONG} ${LONG}`],
      ['#/claims/closed', words.claims.title],
      ['#/map', words.nav.map],
      ['#/history', words.nav.history],
      ['#/firms', words.nav.firms],
      ['#/settings', words.nav.settings],
      ['#/credentials', words.credentials.title],
      ['#/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10', words.claim.title],
    ];
    for (const [hash, name] of screens) {
      await page.evaluate(`location.hash = '${hash}'`);
      await heading(page, name).waitFor();
      if (hash === '#/settings') await button(page, large ? 'Activar' : 'Turn on').waitFor();
      if (hash === '#/credentials') await button(page, words.credentials.add).click();
      if (hash === '#/map') await page.locator('.marker').first().waitFor();
      await audit(hash);
      if (hash !== '#/firms') continue;
      await button(page, words.sharing.open).click();
      await page.getByRole('switch', { name: words.sharing.items.clocks }).waitFor();
      await audit('what a firm sees');
      await button(page, words.sharing.done).click();
    }
    await page.evaluate(`location.hash = '#/claims/${offered}'`);
    for (const answer of [words.claim.accept, words.claim.reject])
      found.push(...(await obscuredCorners(page, '.action-bar button', answer)));
    await button(page, words.claim.reject).click();
    await page.getByRole('dialog').waitFor();
    await audit('reject');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await context.setOffline(true);
    await button(page, words.claim.accept).click();
    await page.getByText(words.claim.queuedAccept).waitFor();
    await audit('an answer without a network');
    await page.evaluate(`location.hash = '#/'`);
    await heading(page, words.offers.title).waitFor();
    await audit('offers without a network');
    if (!large) {
      await page.setViewportSize({ width: 1180, height: 820 });
      await page.evaluate(`location.hash = '#/claims/${offered}'`);
      await page.locator('main.split').waitFor();
      await audit('a claim beside the list');
    }
    await context.setOffline(false);
    await page.evaluate(`location.hash = '#/history'`);
    await page.getByRole('button', { name: words.receipt.title }).click();
    await page.getByRole('dialog').getByText(words.receipt.offered).waitFor();
    await audit('receipt');
    expect(found).toEqual([]);
  }),
);

/** The space between two elements, beside or below each other. */
async function spaceBetween(one: Locator, other: Locator): Promise<number> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  return a === null || b === null ? -1 : Math.max(b.x - a.x - a.width, b.y - a.y - a.height);
}

test('in text of 200 %, bars leave three quarters of the screen, nothing is too wide, and focus is never hidden', () =>
  visiting({ ...PHONE, viewport: { width: 360, height: 640 }, locale: 'es-PR' }, async ({ page }) => {
    await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":20}'` });
    await page.addInitScript(LARGE_TEXT);
    const { svcId, token } = await service.member(firm);
    const name = { first_name: 'W'.repeat(100), last_name: 'V'.repeat(100) };
    const offered = await offerFullClaim(service, firm, svcId, {
      policyholder: { ...name, phone: '312-555-0142' },
    });
    const own = await offerFullClaim(service, firm, svcId, {
      policyholder: { ...name, phone: '312-555-0143' },
    });
    await service.call('POST', `/app/v1/claims/${own}/acceptance`, { as: token });
    await enter(page, service, token);
    const found: unknown[] = [];
    for (const hash of ['#/', `#/claims/${offered}`, `#/claims/${own}`, '#/settings', '#/firms']) {
      await page.evaluate(`location.hash = '${hash}'`);
      await page.locator(`main h1`).waitFor();
      await page.locator('main .card, main .rows').last().waitFor();
      found.push(...(await tooWide(page, hash)), ...((await page.evaluate(HIDDEN_FOCUS)) as string[]));
    }
    expect(found).toEqual([]);
    await page.evaluate(`location.hash = '#/claims/${offered}'`);
    await button(page, es.claim.accept).waitFor();
    const answers = page.locator('.action-bar .button');
    expect(await spaceBetween(answers.first(), answers.last())).toBeGreaterThanOrEqual(8);
    // Beside its button, the message would break words; a long name leaves the button on the screen.
    await button(page, es.claim.accept).click();
    await button(page, es.claim.undo).click({ trial: true });
    const [message, undo] = [page.locator('.toast p'), page.locator('.toast .button')];
    const [text, below] = [await message.boundingBox(), await undo.boundingBox()];
    expect(below?.y).toBeGreaterThanOrEqual((text?.y ?? 0) + (text?.height ?? 0));
    await button(page, es.claim.undo).click();
    await page.evaluate("location.hash = '#/'");
    await page.locator('.menu .count').waitFor();
    // The number of offers is beside its icon, not on it.
    const [count, icon] = (await page.evaluate(`['.count', '.icon'].map((one) =>
      document.querySelector('.menu ' + one).getBoundingClientRect().toJSON())`)) as {
      left: number;
      right: number;
    }[];
    expect(count?.left).toBeGreaterThanOrEqual(icon?.right ?? Number.POSITIVE_INFINITY);
    for (const [width, height, size] of MENUS) {
      await page.setViewportSize({ width, height });
      await page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
      const broken = (await page.evaluate(BROKEN_WORDS)) as string[];
      // In large text on a narrow phone, a word may break at its hyphen.
      const isTight = width === 360 && size === '34px';
      const wrong = broken.filter((word) => !isTight || !word.includes('\u00ad'));
      expect([width, size, wrong]).toEqual([width, size, []]);
    }
    // In sunlight a row says all it has to say.
    await page.setViewportSize(PHONE.viewport);
    await page.evaluate(`Object.assign(document.documentElement.dataset, { scheme: 'sunlight' });
      document.documentElement.style.fontSize = ''`);
    const cut = `[...document.querySelectorAll('.claim-row .parts > span')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)`;
    await page.getByText('Gulf Adjusting Partners').waitFor();
    expect(await page.evaluate(cut)).toEqual([]);
  }));

/** Bars that take more than a quarter of the screen, and elements that are hidden behind them when they get the focus. */
const HIDDEN_FOCUS = `(() => {
  const bars = [...document.querySelectorAll('.menu, .action-bar')].filter((bar) => bar.checkVisibility({ visibilityProperty: true }));
  const height = bars.reduce((sum, bar) => sum + bar.getBoundingClientRect().height, 0);
  const found = height > innerHeight / 4 ? [location.hash + ': bars of ' + height + ' px'] : [];
  for (const element of document.querySelectorAll('main a, main button, main input, main select, main textarea, main summary')) {
    if (!element.checkVisibility() || element.disabled || element.closest('.action-bar') !== null) continue;
    element.focus();
    const { top, bottom } = element.getBoundingClientRect();
    const end = Math.min(innerHeight, ...bars.map((bar) => bar.getBoundingClientRect().top));
    if (top >= end || bottom <= 0) found.push(location.hash + ': hidden: ' + element.outerHTML.slice(0, 100));
  }
  return found;
})()`;

test('in forced colors a switch shows its state, and the main button stands out', () =>
  visiting(PHONE, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    const id = await offerFullClaim(service, firm, svcId);
    await enter(page, service, token, '#/firms');
    await page.emulateMedia({ forcedColors: 'active' });
    const color = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    const taking = page.getByRole('switch', { name: /Receive new offers/ });
    await taking.waitFor();
    const on = await color('.list .track');
    await taking.click();
    await page.getByText('Paused: no new offers').waitFor();
    expect(await color('.list .track')).not.toBe(on);
    await page.evaluate(`location.hash = '#/claims/${id}'`);
    await button(page, 'Accept').waitFor();
    expect(await color('.action-bar .primary')).not.toBe(await color('.action-bar .button:not(.primary)'));
  }));

test('with the keyboard, focus moves to the heading of each screen and returns when a dialog closes', () =>
  visiting({ viewport: { width: 1280, height: 900 } }, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    const id = await offerFullClaim(service, firm, svcId);
    await enter(page, service, token, '#/firms');
    await heading(page, 'Firms').waitFor();
    await page.keyboard.press('Tab');
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.evaluate(`location.hash = '#/claims/${id}'`);
    await until('the heading to have the focus', async () => (await focused()) === 'Marisol Delgado');
    await button(page, 'Reject').click({ trial: true });
    await button(page, 'Reject').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(
          "document.activeElement === document.body || document.activeElement.closest('dialog') !== null",
        ),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    await until('the focus to return', async () => (await focused()) === 'Reject');
    // Once it takes taps: not just after what it is about has changed.
    await button(page, 'Accept').click({ trial: true });
    await button(page, 'Accept').focus();
    await page.keyboard.press('Space');
    await page.locator('.toasts').getByText('Sent: you have accepted').waitFor();
    await until('the focus on the heading', async () => (await focused()) === 'Marisol Delgado');
  }));
