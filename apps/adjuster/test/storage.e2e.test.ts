import { spawnSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startBrowserIn } from '../../api/test/browser.ts';
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
    await page.getByText('This device can save nothing now.').waitFor();
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

/** A small disk that the test fills: a mounted one where that is allowed, else writes that fail as on a full one. */
async function smallDisk() {
  const folder = await mkdtemp(join(tmpdir(), 'small-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', folder]);
  const isMounted = status === 0;
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
    async remove() {
      if (isMounted) spawnSync('umount', [folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

test('on a disk that is full after the start, answers are sent at once, and notes stay in their fields until they are sent', async () => {
  const disk = await smallDisk();
  const context = await startBrowserIn(disk.folder, WITHOUT_WORKER);
  try {
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
    const { ids, token } = await offers();
    await enter(page, service, token, `#/claims/${ids[0]}`);
    await button(page, 'Accept').waitFor();
    await page.waitForLoadState('networkidle');
    disk.fill(page);
    await button(page, 'Accept').click();
    await until('the acceptance', () => isAccepted(ids[0]));
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
    expect([await note.inputValue(), await notes.inputValue()]).toEqual([
      'Gate locked.',
      'Water in the den.',
    ]);
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
  } finally {
    await context.close();
    await disk.remove();
  }
});
