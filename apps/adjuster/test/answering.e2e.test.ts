import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import {
  assignmentOf,
  button,
  enter,
  heading,
  PHONE,
  startApp,
  TABLET,
  until,
  WITHOUT_WORKER,
} from './app-under-test.ts';

const { firm, offers, service, statusOf, visiting } = await startApp();

const statusesOf = (ids: readonly string[]) => Promise.all(ids.map(statusOf));

/** Milliseconds. */
const CLOCK = 'performance.timeOrigin + performance.now()';

/** Taps a place at times of the page's clock, however late the events are delivered. */
async function tapsAt(page: Page, target: Locator): Promise<(at: number) => Promise<void>> {
  // Until it is where it stays and takes taps.
  await target.tap({ trial: true });
  const box = await target.boundingBox();
  if (box === null) throw new Error('the button is not on the screen');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const devices = await page.context().newCDPSession(page);
  return async (at) => {
    for (const type of ['mousePressed', 'mouseReleased'] as const)
      await devices.send('Input.dispatchMouseEvent', {
        ...{ type, x, y, timestamp: at / 1000 },
        ...{ button: 'left', clickCount: 1 },
      });
  };
}

/** Taps the same place again and again, as a thumb with a glove on does. */
async function tapRepeatedly(page: Page, target: Locator, pausesMs: readonly number[]): Promise<void> {
  const tap = await tapsAt(page, target);
  await page.evaluate(
    "addEventListener('click', ({ timeStamp }) => { globalThis.tappedAt = timeStamp; }, { capture: true, once: true })",
  );
  // Finds the button also when a late response has moved it.
  await target.tap();
  let at = Number(await page.evaluate('performance.timeOrigin + tappedAt'));
  for (const pauseMs of pausesMs) {
    await page.waitForTimeout(pauseMs);
    at += pauseMs;
    await tap(at);
  }
}

test.each([
  ['phone', 60, PHONE],
  ['wide screen', 550, { ...TABLET, viewport: { width: 1280, height: 900 } }],
] as const)(
  'on a %s, a double tap %i ms apart accepts only the offer that was on the screen, which stays there with a way to the next one',
  (_, pauseMs, options) =>
    visiting(options, async ({ page }) => {
      const { ids, token } = await offers('First', 'Second', 'Third');
      await enter(page, service, token, `#/claims/${ids[0]}`);
      const accept = button(page, 'Accept');
      await tapRepeatedly(page, accept, [pauseMs]);
      await until('the acceptance', async () => (await statusesOf(ids))[0] === 'accepted');
      await heading(page, 'Ana First').waitFor();
      // The next offer opens on request, and takes no answer from the same thumb.
      const next = button(page, 'Next offer');
      await tapRepeatedly(page, next, [pauseMs]);
      await heading(page, 'Ana Second').waitFor();
      await page.waitForTimeout(300);
      expect(await statusesOf(ids)).toEqual(['accepted', 'pending_acceptance', 'pending_acceptance']);
      expect(await page.evaluate('location.hash')).toBe(`#/claims/${ids[1]}`);
    }),
);

test('on a busy phone, a tap counts by when it was made: one right after the next offer was painted does not answer it', () =>
  visiting({ ...TABLET, viewport: { width: 1280, height: 900 } }, async ({ page }) => {
    const { ids, token } = await offers('First', 'Second');
    await enter(page, service, token, `#/claims/${ids[0]}`);
    const accept = button(page, 'Accept');
    const tap = await tapsAt(page, accept);
    await accept.tap();
    // Once it is painted, the page is busy for longer than any guard could wait, and comes to the tap last.
    const shown = page.evaluate<number>(`new Promise((resolve) => {
      const inFrames = (frames, then) => requestAnimationFrame(frames > 1 ? () => inFrames(frames - 1, then) : then);
      const look = () => [...document.querySelectorAll('main h1')].every(({ textContent }) => !textContent.includes('Ana Second'))
        ? requestAnimationFrame(look)
        : inFrames(3, () => {
          const shownAt = ${CLOCK};
          for (const until = performance.now() + 900; performance.now() < until; );
          resolve(shownAt);
        });
      look();
    })`);
    await button(page, 'Next offer').tap();
    const shownAt = await shown;
    await accept.tap({ trial: true });
    await tap(shownAt + 400);
    await page.waitForTimeout(300);
    expect(await button(page, 'Undo').count()).toBe(0);
    expect(await statusesOf(ids)).toEqual(['accepted', 'pending_acceptance']);
    await tap(Number(await page.evaluate(CLOCK)));
    await until('the acceptance', async () => (await statusesOf(ids))[1] === 'accepted');
  }));

test('a double tap on Reject does not confirm the rejection, and one on the confirmation rejects one offer', () =>
  visiting(WITHOUT_WORKER, async ({ page }) => {
    const { ids, token } = await offers('First', 'Second');
    await enter(page, service, token, `#/claims/${ids[0]}`);
    await button(page, 'Reject').waitFor();
    await tapRepeatedly(page, button(page, 'Reject'), [60, 150]);
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true });
    await tapRepeatedly(page, confirm, [60, 150, 300]);
    await page.getByRole('heading', { name: 'You have rejected this claim' }).waitFor();
    expect(await statusesOf(ids)).toEqual(['rejected', 'pending_acceptance']);
  }));

test('taking back answers in quick succession takes back one, not the earlier one that takes its place', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers('First', 'Second', 'Third');
    await enter(page, service, token, `#/claims/${ids[0]}`);
    // Without a worker, what has not arrived before the network is gone is missing.
    await until('the code that shows answers', () =>
      page.evaluate<boolean>(
        "performance.getEntriesByType('resource').some(({ name }) => name.includes('/offer-answers-'))",
      ),
    );
    await context.setOffline(true);
    for (const name of ['First', 'Second']) {
      await heading(page, `Ana ${name}`).waitFor();
      await button(page, 'Accept').click();
      await button(page, 'Next offer').click();
    }
    await page.evaluate("location.hash = '#/'");
    const waiting = page.getByRole('listitem').filter({ hasText: 'Accept: ' });
    await until('both answers', async () => (await waiting.count()) === 2);
    await tapRepeatedly(page, waiting.first().getByRole('button'), [60, 150, 300]);
    await until('one answer', async () => (await waiting.count()) === 1);
    await page.waitForTimeout(300);
    expect(await waiting.count()).toBe(1);
  }));

test('a reason that is typed stays until its rejection is sent: after Escape, Back, a tap outside, a dragged selection, a killed page and Undo', () =>
  visiting({ ...WITHOUT_WORKER, hasTouch: false, isMobile: false }, async ({ page }) => {
    const { ids, token } = await offers('First', 'Second');
    await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":20}'` });
    await enter(page, service, token, '#/');
    await page.evaluate(`location.hash = '#/claims/${ids[0]}'`);
    const dialog = page.getByRole('dialog');
    const reason = page.getByLabel('In your own words');
    const open = async () => {
      await button(page, 'Reject').first().click();
      await dialog.waitFor();
      await button(page, 'Cancel').click({ trial: true });
    };
    const isKept = async (how: string) => {
      await dialog.waitFor({ state: 'detached' });
      await open();
      expect([how, await reason.inputValue()]).toEqual([how, 'The bridge is out.']);
    };
    await open();
    await button(page, 'Too far away').click();
    await reason.fill('The bridge is out.');
    const box = await reason.boundingBox();
    if (box === null) throw new Error('no field');
    await page.mouse.move(box.x + 60, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await isKept('Escape');
    const claim = heading(page, 'Ana First');
    /** The browser takes the step back in its own time. */
    const isBackTaken = async (how: string) => {
      await until(how, async () => String(await page.evaluate('location.hash')).endsWith(ids[0] ?? ''));
      await isKept(how);
    };
    for (const attempt of [1, 2]) {
      await page.goBack();
      await isBackTaken(`Back ${attempt}`);
      expect(await claim.isVisible()).toBe(true);
    }
    // Without a dialog, Back and Forward lead away and back.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.goBack();
    await heading(page, 'Offers').waitFor();
    await page.goForward();
    await claim.waitFor();
    await open();
    await page.goBack();
    await isBackTaken('Back after Forward');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await open();
    await page.mouse.click(5, 5);
    await isKept('a tap outside');
    await page.reload();
    await button(page, 'Reject').waitFor();
    await isKept('a killed page');
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await button(page, 'Undo').click();
    await page.getByText('Undone. Nothing was sent.').waitFor();
    await isKept('Undo');
    expect(await button(page, 'Too far away').getAttribute('aria-pressed')).toBe('true');
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
    await until('the rejection', async () => (await statusesOf(ids))[0] === 'rejected');
    const { rejection_reason } = await assignmentOf(service, firm, ids[0] ?? '');
    expect(rejection_reason).toBe('Too far away: The bridge is out.');
  }));

test.each([
  ['phone', PHONE],
  ['tablet', TABLET],
])('on a %s, Undo is not where a second tap on Accept lands', (_, device) =>
  visiting(device, async ({ page }) => {
    const { ids, token } = await offers('Above', 'Below');
    await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":20}'` });
    await enter(page, service, token, `#/claims/${ids[0]}`);
    const accept = await button(page, 'Accept').boundingBox();
    await button(page, 'Accept').click();
    const undo = await button(page, 'Undo').boundingBox();
    const next = await button(page, 'Next offer').boundingBox();
    if (accept === null || undo === null || next === null) throw new Error('A button is not shown.');
    expect(undo.y + undo.height).toBeLessThanOrEqual(Math.min(accept.y, next.y));
  }),
);
