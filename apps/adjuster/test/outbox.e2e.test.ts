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
  button,
  enter,
  heading,
  inDatabase,
  offerFullClaim,
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
});

test('an offer with all that decides it fits on a phone', () =>
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
  }));

test('a new release is announced, waits for what is typed elsewhere, and keeps notes that are not saved; the first installation is not', () =>
  visiting(PHONE, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    const id = await offerFullClaim(service, firm, svcId);
    await service.call('POST', `/app/v1/claims/${id}/acceptance`, { as: token });
    const announced = page.getByText('A new version of the app is ready.');
    await enter(page, service, token, `#/claims/${id}`);
    await ready(page);
    expect(await announced.count()).toBe(0);
    await page.getByLabel('Notes', { exact: true }).fill('Water line 14 inches');
    const contactNote = page.getByLabel('Note for the next entry');
    await contactNote.fill('call after five');
    await page.evaluate("location.hash = '#/settings'");
    await button(page, 'Change').click();
    await page.getByLabel('First name').fill('Jeanne');
    // A field that is not stored, such as the name of a passkey.
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('input'), { id: 'other', value: 'Typed' }))",
    );
    // The same worker at another address is a new one for the browser.
    await page.evaluate("navigator.serviceWorker.register('/app/sw.js?release=2', { scope: '/app' })");
    await announced.waitFor();
    await button(page, 'Update').click();
    await page.getByText('Save or clear what you have typed first').waitFor();
    await page.evaluate("document.getElementById('other').remove()");
    await Promise.all([page.waitForEvent('load'), button(page, 'Update').click()]);
    await until('the name', async () => (await page.getByLabel('First name').inputValue()) === 'Jeanne');
    await button(page, 'Cancel').click();
    await page.evaluate(`location.hash = '#/claims/${id}'`);
    await page.getByLabel('Notes', { exact: true }).waitFor();
    await until('the notes', async () =>
      /14 inches/.test(await page.getByLabel('Notes', { exact: true }).inputValue()),
    );
    expect(await contactNote.inputValue()).toBe('call after five');
    const script = () => page.evaluate('navigator.serviceWorker.controller.scriptURL');
    expect(await script()).toContain('release=2');

    // The page registers its own worker again, which is the next release. Selected offers are not typed text.
    await announced.waitFor();
    for (let n = 0; n < 2; n += 1) await offerFullClaim(service, firm, svcId);
    await page.evaluate("location.hash = '#/'");
    await button(page, 'Select').click();
    await page.getByRole('checkbox').first().check();
    await Promise.all([page.waitForEvent('load'), button(page, 'Update').click()]);
    await heading(page, 'Offers').waitFor();
    expect(await script()).toBe(`${service.url}/app/sw.js`);
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
