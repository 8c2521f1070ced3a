import { spawnSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { atEnd } from '../../../tools/services/at-end.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { startBrowserIn } from '../../api/test/browser.ts';
import {
  ANA,
  assignmentOf,
  button,
  changeClaims,
  enter,
  heading,
  inDatabase,
  offerFullClaim,
  offerToAnother,
  PHONE,
  ready,
  startApp,
  storedKeys,
  tooSmall,
  until,
  WITHOUT_WORKER,
} from './app-under-test.ts';

const { firm, offers, service, statusOf, visiting } = await startApp();

/** The button that confirms a rejection. */
const rejectClaim = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true });

/** The number of acceptances that have reached the service. */
const acceptances = (): number =>
  service.logged.filter((line) => line.includes('POST /app/v1/claims/{id}/acceptance')).length;

test('an answer that the service cannot process lets others pass, says so instead of "offline", and can be canceled', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers('First', 'Second');
    const [failing = '', other = ''] = ids;
    await context.route(`**/${failing}/acceptance`, (route) => route.fulfill({ status: 500, body: '{}' }));
    await enter(page, service, token, `#/claims/${failing}`);
    await button(page, 'Accept').click();
    await page.getByText('The service could not process this.').waitFor();
    await page.evaluate(`location.hash = '#/claims/${other}'`);
    await button(page, 'Accept').click();
    await until('the other answer', async () => (await statusOf(other)) === 'accepted');
    let fails = true;
    await context.route('**/app/v1/**', (route) =>
      fails ? route.fulfill({ status: 503, body: '{}' }) : route.fallback(),
    );
    await page.evaluate('dispatchEvent(new Event("online"))');
    await page.getByText('The service has a problem, which is not your connection.').waitFor();
    expect(await page.getByText('You are offline').count()).toBe(0);
    fails = false;
    await page.evaluate("location.hash = '#/'");
    await button(page, 'Stop trying').click();
    await page.getByRole('heading', { name: 'Not sent yet' }).waitFor({ state: 'detached' });
    await page.getByText('1 open offer').waitFor();
    expect(await statusOf(failing)).toBe('pending_acceptance');
  }));

describe('the answer to an offer', () => {
  test('is stored and shown as unsent while offline, outlasts the lists, and is sent once when the network is back', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { token, ids } = await offers('First', 'Second');
      const [first = '', second = ''] = ids;
      // Chromium 150 no longer emulates navigator.onLine after a reload, and the page would try to send.
      await page.addInitScript({
        content: `Object.defineProperty(navigator, 'onLine', { get: () => localStorage.offline === undefined });
          globalThis.asked = 0;
          StorageManager.prototype.persist = async () => { globalThis.asked += 1; return true; };`,
      });
      await enter(page, service, token, `#/claims/${first}`);
      await heading(page, 'Ana First').waitFor();
      await ready(page);
      await context.setOffline(true);
      await page.evaluate('localStorage.offline = 1');
      // The browser is asked once not to delete what is stored, when there is something unsent.
      expect(await page.evaluate('asked')).toBe(0);
      await button(page, 'Accept').click();
      await page.getByText('Your acceptance is saved and will be sent').waitFor();
      await button(page, 'Next offer').click();
      await until(
        'the next offer',
        async () => (await page.evaluate('location.hash')) === `#/claims/${second}`,
      );
      await button(page, 'Reject').click();
      await button(page, 'Too far away').click();
      await rejectClaim(page).click();
      await button(page, 'Offers').click();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Reject: Ana Second' })
        .getByRole('button', { name: 'Undo' })
        .click();
      await page.getByText('Undone. Nothing was sent.').waitFor();
      expect(await page.evaluate('asked')).toBe(1);

      // The page starts offline with its stored lists and the unsent answer.
      await page.goto(`${service.url}/app#/`);
      await page.reload();
      await page.getByText('You are offline. Last updated at').waitFor();
      await page.getByRole('heading', { name: 'Not sent yet' }).waitFor();
      await page.getByRole('link', { name: 'Accept: Ana First' }).waitFor();
      expect(await statusOf(first)).toBe('pending_acceptance');

      // The worker marks an answer that it is about to send, and the button is clicked before the page reads the mark.
      await button(page, 'Undo').click({ trial: true });
      await inDatabase(
        page,
        `kept.get('outbox').onsuccess = ({ target }) =>
           kept.put(target.result.map((entry) => ({ ...entry, tried: true })), 'outbox');
         changing.addEventListener('complete', () => document.querySelector('.queued-answers button').click());`,
      );
      await page.getByText('Too late to undo: 1 answer was already sent.').waitFor();

      // After a long time without a network the lists are removed, and the answer stays.
      await inDatabase(page, "kept.put(Date.now() - 15 * 86_400_000, 'readAt');");
      await page.reload();
      await page.getByText('After 14 days without a connection').waitFor();
      await page.getByRole('link', { name: 'Accept: Ana First' }).waitFor();
      expect(await storedKeys(page)).not.toContain('offers');

      const before = acceptances();
      await context.setOffline(false);
      await page.evaluate("delete localStorage.offline; dispatchEvent(new Event('online'))");
      await until('the acceptance', async () => (await statusOf(first)) === 'accepted');
      await page.getByText('Sent: you have accepted Ana First.').waitFor();
      await page.getByRole('heading', { name: 'Not sent yet' }).waitFor({ state: 'detached' });
      expect(acceptances() - before).toBe(1);
      expect(await statusOf(second)).toBe('pending_acceptance');
    }));

  test('to an offer that has ended says so and why, as do the open claim and the list, until it is dismissed', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { token, ids } = await offers('Kept', 'Withdrawn', 'Moved', 'Shown', 'Listed');
      const [kept = '', withdrawn = '', moved = '', shown = '', listed = ''] = ids;
      const dispatcher = await service.staff(firm, 'dispatcher');
      const withdraw = async (id: string) => {
        const path = `/firm/v1/claims/${id}/withdrawal`;
        expect((await service.call('POST', path, { as: dispatcher })).status).toBe(200);
      };
      // Without reading the lists at intervals: only the event stream says that an offer has ended.
      await page.addInitScript({
        content:
          '{ const every = setInterval; setInterval = (run, ms) => (ms === 30000 ? 0 : every(run, ms)); }',
      });
      await enter(page, service, token, `#/claims/${shown}`);
      await button(page, 'Accept').waitFor();
      await ready(page);
      await withdraw(shown);
      await page.getByText('Withdrawn by the firm. You do not need to do anything.').waitFor();
      await page.evaluate(`location.hash = '#/'`);
      await page.getByText('4 open offers').waitFor();
      await withdraw(listed);
      const line = page.getByText(/^Withdrawn by the firm: FL26-\d+ \(.+\)\.$/);
      await line.waitFor();
      await page.getByText('3 open offers').waitFor();
      await context.setOffline(true);
      for (const [n, name] of ['Kept', 'Withdrawn', 'Moved'].entries()) {
        await page.evaluate(`location.hash = '#/claims/${ids[n]}'`);
        await heading(page, `Ana ${name}`).waitFor();
        await button(page, 'Accept').click();
        await page.locator('.action-bar').getByText('Your acceptance is saved').waitFor();
      }
      await withdraw(withdrawn);
      await offerToAnother(service, firm, moved);
      await context.setOffline(false);
      await page.getByRole('heading', { name: 'This offer is no longer available' }).waitFor();
      await page.evaluate(`location.hash = '#/'`);
      const results = page.getByRole('status', { name: 'Your answers' });
      await results.getByText('1 accepted · 2 without effect').waitFor();
      await results.getByText(/^Withdrawn by the firm: FL26-/).waitFor();
      await results.getByText(/^FL26-\d+ \(.+\) is no longer offered to you\.$/).waitFor();
      await button(page, 'Dismiss').click();
      await results.waitFor({ state: 'detached' });
      await page.evaluate(`location.hash = '#/claims/${withdrawn}'`);
      await page.getByText('Withdrawn by the firm. You do not need to do anything.').waitFor();
      expect(await Promise.all([withdrawn, moved, kept].map(statusOf))).toEqual([
        ...['unassigned', 'pending_acceptance', 'accepted'],
      ]);
    }));
});

test('an offer with all that decides it fits on a phone, and an answer can be taken back before it is sent', () =>
  visiting(PHONE, async ({ page }) => {
    const waiting = await service.firm();
    await service.service.services.setOfferWait(waiting.id, 48);
    const { svcId, token } = await service.member(waiting);
    const first = await offerFullClaim(service, waiting, svcId, {
      instructions: 'Call the tenant. '.repeat(20),
    });
    await offerFullClaim(service, waiting, svcId, { policyholder: ANA });
    const loss_location = { street: '9 Gulf Blvd', city: 'Naples', state: 'FL', zip: '34102' };
    await offerFullClaim(service, waiting, svcId, { loss_location });
    await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":20}'` });
    await enter(page, service, token, `#/claims/${first}`);
    await page.getByRole('heading', { name: 'Policyholder' }).waitFor();
    // The app asks for a location by itself, once.
    await button(page, 'Not now').click();
    const related = page.getByText('Other claims: 1 of this policyholder · 1 nearby');
    await related.waitFor();
    const [end, bar] = (await page.evaluate(
      "['.summary', '.action-bar'].map((one) => document.querySelector(one).getBoundingClientRect()).map((box, n) => n === 0 ? box.bottom : box.top)",
    )) as [number, number];
    expect(end).toBeLessThanOrEqual(bar);
    await related.click();
    await page.locator('.summary').getByRole('link', { name: 'Ana Reyes' }).waitFor();
    expect(await tooSmall(page, 'related claims')).toEqual([]);
    await button(page, 'Accept').click();
    await page.getByText('Accepting Marisol Delgado.').waitFor();
    await button(page, 'Undo').click();
    await page.getByText('Undone. Nothing was sent.').waitFor();
    expect((await assignmentOf(service, waiting, first)).status).toBe('pending_acceptance');
  }));

const row = (page: Page, name: string) => page.getByRole('link', { name: new RegExp(`Ana ${name}`) });

test('a claim that this release cannot show leaves the others, and its screen offers an update and reports the error', () =>
  visiting(WITHOUT_WORKER, async ({ page, faults }) => {
    const { ids, token } = await offers('First', 'Second');
    const [first] = ids;
    let isNewer = true;
    await changeClaims(page, (claim) =>
      isNewer && claim.id === first ? { ...claim, loss_location: null } : claim,
    );
    await enter(page, service, token);
    await row(page, 'Second').waitFor();
    await page.getByText('1 claim cannot be shown by this version of the app.').waitFor();
    await page.evaluate(`location.hash = '#/claims/${first}'`);
    await page.getByRole('heading', { name: 'This cannot be shown' }).waitFor();
    await page.getByRole('link', { name: 'Offers' }).first().click();
    await row(page, 'Second').waitFor();

    // A stored part that is not looked at before it is shown.
    isNewer = false;
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
    const { ids, token } = await offers('First', 'Second');
    await page.addInitScript({
      content: `IDBFactory.prototype.open = () => { throw new DOMException('denied', 'SecurityError'); };
        localStorage.preferences = '{"undoSeconds":20}';`,
    });
    await enter(page, service, token, `#/claims/${ids[0]}`);
    await page.getByText('This device can save nothing now.').waitFor();
    await button(page, 'Accept').click();
    await until('the acceptance', async () => (await statusOf(ids[0])) === 'accepted');
    await button(page, 'Next offer').click();
    await heading(page, 'Ana Second').waitFor();
    await context.setOffline(true);
    await button(page, 'Accept').click();
    await page.getByText('Not sent yet, and not saved. Keep the app open until you are online.').waitFor();
    expect(await page.getByText(/\bis saved\b|saved on this device/).count()).toBe(0);
    await context.setOffline(false);
    await until('the second acceptance', async () => (await statusOf(ids[1])) === 'accepted');
  }));

/** A small disk that the test fills: a mounted one where that is allowed, else writes that fail as on a full one. */
async function smallDisk() {
  const folder = temporaryFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', folder]);
  const isMounted = status === 0;
  if (isMounted) atEnd(() => spawnSync('umount', [folder]));
  const filler = join(folder, 'filler');
  return {
    folder,
    isMounted,
    fill(page: Page): unknown {
      if (!isMounted) return page.evaluate('globalThis.diskIsFull = true');
      for (const size of [1 << 20, 1 << 12, 1]) {
        try {
          for (;;) appendFileSync(filler, Buffer.alloc(size));
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        }
      }
    },
    free: (page: Page): unknown =>
      isMounted ? rmSync(filler) : page.evaluate('globalThis.diskIsFull = false'),
  };
}

test('on a disk that is full after the start, answers are sent at once, and notes stay in their fields until they are sent', async () => {
  const disk = await smallDisk();
  const context = await startBrowserIn(disk.folder, WITHOUT_WORKER);
  await context.addInitScript({
    content: `localStorage.preferences ??= '{"undoSeconds":5}';
      for (const name of ['put', 'delete']) {
        const write = IDBObjectStore.prototype[name];
        IDBObjectStore.prototype[name] = function (...input) {
          if (globalThis.diskIsFull) throw new DOMException('Full.', 'QuotaExceededError');
          return write.apply(this, input);
        };
      }`,
  });
  const page = await context.newPage();
  const { ids, token } = await offers('First', 'Second');
  await enter(page, service, token, `#/claims/${ids[0]}`);
  await button(page, 'Accept').waitFor();
  await page.waitForLoadState('networkidle');
  disk.fill(page);
  await button(page, 'Accept').click();
  await until('the acceptance', async () => (await statusOf(ids[0])) === 'accepted');
  await page.getByText('This device can save nothing now.').waitFor();
  await page.getByRole('heading', { name: 'Your work' }).waitFor();

  await context.setOffline(true);
  const [note, notes] = [page.getByLabel('Note for the next entry'), page.getByLabel('Notes')];
  await note.fill('Gate locked.');
  await button(page, 'No answer').click();
  await page.getByText('No answer · Gate locked.').waitFor();
  await notes.fill('Water in the den.');
  await button(page, 'Save').click();
  await page.getByText('Not sent yet, and not saved.').waitFor();
  expect([await note.inputValue(), await notes.inputValue()]).toEqual(['Gate locked.', 'Water in the den.']);
  await context.setOffline(false);
  await page.evaluate('dispatchEvent(new Event("online"))');
  const work = await until('what was sent', async () => {
    const { json } = await service.call('GET', `/app/v1/claims/${ids[0]}`, { as: token });
    return json.work.notes !== undefined && json.work;
  });
  expect(work).toMatchObject({ notes: 'Water in the den.', contacts: [{ note: 'Gate locked.' }] });
  await until('the empty field', async () => (await note.inputValue()) === '');

  // With room again, what is typed is stored.
  await note.fill('Back at noon.');
  await disk.free(page);
  await until('the stored text', async () => {
    await note.fill(`${await note.inputValue()}.`);
    return (await page.getByText('This device can save nothing now.').count()) === 0;
  });
  expect(await inDatabase(page, "found = kept.get('contactNotes')")).toMatchObject({
    [ids[0] ?? '']: expect.stringContaining('Back at noon.'),
  });
});
