import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import {
  type Device,
  type PushService,
  startPushService,
} from '../../../packages/adapter-notifications/test/push-service.ts';
import { CHUNK_ROWS } from '../../adjuster/src/model/row-chunks.ts';
import {
  assignmentOf,
  buildPage,
  emailOf,
  en,
  enter,
  enterCode,
  es,
  offerFullClaim,
  PHONE,
  signIn,
  TABLET,
  tooWide,
  until,
  type Visitor,
  visit,
} from './adjuster-app.ts';
import { startBrowser } from './browser.ts';
import {
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';
import { svcInProcess } from './svc-here.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const COLORS = { type: 'rule', values: ['color-contrast'] };

let service: ServiceUnderTest;
let browser: Browser;
let push: PushService;
let firm: TestFirm;
beforeAll(async () => {
  buildPage();
  [service, browser, push] = await Promise.all([startServiceUnderTest(), startBrowser(), startPushService()]);
  firm = await service.firm();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await push?.stop();
});

async function visiting(
  options: BrowserContextOptions,
  work: (visitor: Visitor) => Promise<void>,
  inBrowser = browser,
): Promise<void> {
  const visitor = await visit(inBrowser, service.url, options);
  try {
    await work(visitor);
    expect(visitor.faults).toEqual([]);
  } finally {
    await visitor.close();
  }
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Waits for the service worker to start. */
const worker = (context: BrowserContext) =>
  until('the service worker', async () => context.serviceWorkers()[0]);
// Polled here, because the page's Content-Security-Policy forbids polling inside the page.
const ready = (page: Page): Promise<unknown> =>
  until(
    'the page under its worker',
    async () =>
      (await page.evaluate(`navigator.serviceWorker.controller !== null &&
        navigator.serviceWorker.ready.then(({ active }) => active.state === 'activated')`)) === true,
  );

describe.each([
  ['phone', PHONE],
  ['tablet', TABLET],
] as const)('on a %s', (device, options) => {
  test('an adjuster signs in, completes the profile, joins a firm, accepts a claim, works on it, and is done', () =>
    visiting(options, async ({ page }) => {
      const inviting = await service.firm({ name: `Palmetto Adjusters ${device}` });
      const { svcId, token } = await service.adjuster({ lastName: null });
      const email = await emailOf(service, token);
      const invited = await service.call('POST', '/v1/adjusters/invitations', {
        as: inviting.live,
        body: { svc_id: svcId, invited_as: 'Jean from Houma', note: 'Secret note' },
      });
      expect(invited.status).toBe(201);

      await signIn(page, service, email);
      await page.getByRole('link', { name: /Palmetto Adjusters .* invites you/ }).click();
      await page.getByText('Jean from Houma').waitFor();
      expect(await page.content()).not.toContain('Secret note');
      await page.getByLabel('Last name').fill(' ');
      await button(page, 'Save and join').click();
      await page.getByText('Enter a valid last name.').waitFor();
      await page.getByLabel('Last name').fill('Delacroix');
      await button(page, 'Save and join').click();
      await page.getByText('You have joined Palmetto Adjusters').waitFor();

      // The offer appears on the open page without a reload.
      const id = await offerFullClaim(service, { ...firm, live: inviting.live }, svcId);
      await page.getByRole('link', { name: /Marisol Delgado/ }).click();
      await heading(page, 'Marisol Delgado').waitFor();
      await expectShown(page, [
        'Phone and email are shown after you accept.',
        'Gate code 4471',
        '38 in (3 ft 2 in)',
        'AE: high risk of flooding',
        'Single-family home',
        'Post-FIRM: built after the first flood map',
        '$250,000.00',
        'Palmetto Mutual Insurance',
        'Estero Bay Insurance',
        'First Coast Mortgage',
      ]);
      const links = () =>
        page
          .locator('.contact-link')
          .evaluateAll((elements) => elements.map((element) => element.getAttribute('href')));
      expect(await links()).toEqual([]);
      await button(page, 'Accept').click();
      await page.getByText('Sent: you have accepted Marisol Delgado.').waitFor();
      await page.getByRole('heading', { name: 'Your work' }).waitFor();
      await until('the calls', async () => (await links()).length === 3);
      expect((await links()).map((link) => link?.split(':')[0])).toEqual(['tel', 'sms', 'https']);
      expect((await links())[0]).toBe('tel:+13125550142');
      const answered = await service.call('GET', `/v1/claims/${id}`, { as: inviting.live });
      expect(answered.json.assignment.status).toBe('accepted');

      await page.getByLabel('Policyholder contacted on', { exact: true }).fill('2026-08-30');
      await page.getByLabel('Notes').fill('Water line 14 inches in the den.');
      await button(page, 'Save').click();
      await page.getByText('Saved.').waitFor();
      await page.reload();
      await until(
        'the notes',
        async () => (await page.getByLabel('Notes').inputValue()) === 'Water line 14 inches in the den.',
      );
      await closeClaim(page);
      await heading(page, 'My claims').waitFor();
      await page.getByRole('link', { name: 'Closed' }).click();
      await page.getByRole('link', { name: /Marisol Delgado/ }).waitFor();
    }));
});

/** Closes the open claim, and confirms it. */
async function closeClaim(page: Page): Promise<void> {
  await button(page, 'Close claim').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close claim' }).click();
}

/** The button that confirms a rejection. */
const rejectClaim = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true });

const expectShown = async (page: Page, texts: readonly string[]): Promise<void> => {
  for (const text of texts) {
    await until(text, async () => (await page.locator('main').textContent())?.includes(text));
  }
};

describe('the answer to an offer', () => {
  test('can be a rejection with a reason, which removes the claim from the device', () =>
    visiting(WITHOUT_WORKER, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const id = await offerFullClaim(service, firm, svcId);
      await enter(page, service, token, `#/claims/${id}`);
      await button(page, 'Reject').click();
      await button(page, 'Too many open claims').click();
      await page.getByLabel('In your own words').fill('42 already.');
      // The network fails right after the response: the lists are not read again.
      await context.route('**/rejection', async (route) => {
        const response = await route.fetch();
        await context.route('**/app/v1/**', (later) => later.abort());
        await route.fulfill({ response });
      });
      await rejectClaim(page).click();
      await page.getByText('Sent: you have rejected Marisol Delgado.').waitFor();
      expect(await assignmentOf(service, firm, id)).toMatchObject({
        status: 'rejected',
        rejection_reason: 'Too many open claims: 42 already.',
      });
      await page.getByRole('heading', { name: 'You have rejected this claim' }).waitFor();
      await button(page, 'Offers').click();
      await page.getByRole('heading', { name: 'No open offers' }).waitFor();
      await until('the claim to be gone', async () => !(await storedOn(page)).includes('Marisol'));
    }));

  test('is stored and shown as unsent while offline, outlasts the lists, and is sent once when the network is back', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const [first, second] = [
        await offerFullClaim(service, firm, svcId),
        await offerFullClaim(service, firm, svcId),
      ];
      // Chromium 150 no longer emulates navigator.onLine after a reload, and the page would try to send.
      await page.addInitScript({
        content: `Object.defineProperty(navigator, 'onLine', { get: () => localStorage.offline === undefined });`,
      });
      await enter(page, service, token, `#/claims/${first}`);
      await heading(page, 'Marisol Delgado').waitFor();
      await ready(page);
      await context.setOffline(true);
      await page.evaluate('localStorage.offline = 1');
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
        .filter({ hasText: 'Reject: Marisol Delgado' })
        .getByRole('button', { name: 'Undo' })
        .click();
      await page.getByText('Undone. Nothing was sent.').waitFor();

      // The page starts offline with its stored lists and the unsent answer.
      await page.goto(`${service.url}/app#/`);
      await page.reload();
      await page.getByText('You are offline. Last updated at').waitFor();
      await page.getByRole('heading', { name: 'Not sent yet' }).waitFor();
      await page.getByRole('link', { name: 'Accept: Marisol Delgado' }).waitFor();
      expect((await assignmentOf(service, firm, first)).status).toBe('pending_acceptance');

      // The worker marks an answer that it is about to send, and the button is clicked before the page reads the mark.
      await button(page, 'Undo').click({ trial: true });
      await page.evaluate(`new Promise((resolve) => {
        indexedDB.open('claims').onsuccess = ({ target: { result } }) => {
          const changing = result.transaction('kept', 'readwrite');
          const kept = changing.objectStore('kept');
          kept.get('outbox').onsuccess = ({ target }) =>
            kept.put(target.result.map((entry) => ({ ...entry, tried: true })), 'outbox');
          changing.oncomplete = () => {
            result.close();
            document.querySelector('.queued-answers button').click();
            resolve();
          };
        };
      })`);
      await page.getByText('Too late to undo: 1 answer was already sent.').waitFor();

      // After a long time without a network the lists are removed, and the answer stays.
      await page.evaluate(`new Promise((resolve) => {
        indexedDB.open('claims').onsuccess = ({ target: { result } }) => {
          const changing = result.transaction('kept', 'readwrite');
          changing.objectStore('kept').put(Date.now() - 15 * 86_400_000, 'readAt');
          changing.oncomplete = () => { result.close(); resolve(); };
        };
      })`);
      await page.reload();
      await page.getByText('After 14 days without a connection').waitFor();
      await page.getByRole('link', { name: 'Accept: Marisol Delgado' }).waitFor();
      expect(await storedKeys(page)).not.toContain('offers');

      const before = acceptances();
      await context.setOffline(false);
      await page.evaluate("delete localStorage.offline; dispatchEvent(new Event('online'))");
      await until(
        'the acceptance',
        async () => (await assignmentOf(service, firm, first)).status === 'accepted',
      );
      await page.getByText('Sent: you have accepted Marisol Delgado.').waitFor();
      await page.getByRole('heading', { name: 'Not sent yet' }).waitFor({ state: 'detached' });
      expect(acceptances() - before).toBe(1);
      expect((await assignmentOf(service, firm, second)).status).toBe('pending_acceptance');
    }));

  test('to an offer that is no longer available shows that it is no longer available', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const [open, unanswered, kept] = [
        await offerFullClaim(service, firm, svcId),
        await offerFullClaim(service, firm, svcId),
        await offerFullClaim(service, firm, svcId, { policyholder: { ...ANA } }),
      ];
      const other = await service.member(firm);
      const offerAgain = (id: string) => offerTo(other.svcId, id);
      await enter(page, service, token, `#/claims/${unanswered}`);
      await button(page, 'Accept').waitFor();
      await ready(page);
      // An open offer that is withdrawn.
      await offerAgain(unanswered);
      await page.getByRole('heading', { name: 'This offer is no longer available' }).waitFor();
      // An answer to an offer that is then withdrawn.
      await page.evaluate(`location.hash = '#/claims/${open}'`);
      await button(page, 'Accept').waitFor();
      await context.setOffline(true);
      await button(page, 'Accept').click();
      await page.getByText('Your acceptance is saved').first().waitFor();
      await page.evaluate(`location.hash = '#/claims/${kept}'`);
      await heading(page, 'Ana Reyes').waitFor();
      await button(page, 'Accept').click();
      await page.getByText('Your acceptance is saved').first().waitFor();
      await page.evaluate(`location.hash = '#/claims/${open}'`);
      await offerAgain(open);
      await context.setOffline(false);
      // Both results are shown.
      await page.getByText('Sent: you have accepted Ana Reyes.').waitFor();
      await page.getByText(/^FL26-\d+ \(.+\) is no longer offered to you\.$/).waitFor();
      await page.getByRole('heading', { name: 'This offer is no longer available' }).waitFor();
      expect((await assignmentOf(service, firm, open)).status).toBe('pending_acceptance');
    }));
});

describe("the adjuster's notes and dates", () => {
  const acceptedClaim = async (): Promise<{ id: string; token: string }> => {
    const { svcId, token } = await service.member(firm);
    const id = await offerFullClaim(service, firm, svcId);
    await service.call('POST', `/app/v1/claims/${id}/acceptance`, { as: token });
    return { id, token };
  };
  const read = async (id: string, token: string) =>
    (await service.call('GET', `/app/v1/claims/${id}`, { as: token })).json;

  test('are saved when the claim is marked as done, and shown on the closed claim; due days are those of the operator', () =>
    visiting(WITHOUT_WORKER, async ({ page }) => {
      const { id, token } = await acceptedClaim();
      await enter(page, service, token, `#/claims/${id}`);
      await page.getByText('Due Oct 26, 2026').waitFor();
      const extension = ['--event', '2643', '--kind', 'proof_of_loss', '--hours', '8760', '--source', 'W-26'];
      const set = await svcInProcess(['deadline', 'set', ...extension], {
        DATABASE_URL: service.databaseUrl,
      });
      expect(set).toMatchObject({ code: 0 });
      await page.reload();
      await page.getByText('Due Aug 27, 2027').waitFor();
      // The stored copy shows while the service cannot be asked.
      await page.route('**/app/v1/deadlines', (route) => route.abort());
      await page.reload();
      await page.getByText('Due Aug 27, 2027').waitFor();

      await page.getByLabel('Property inspected on', { exact: true }).fill('2026-09-02');
      await page.getByLabel('Notes').fill('Water line 14 inches.\nPhotos taken.');
      await closeClaim(page);
      await heading(page, 'My claims').waitFor();
      expect((await read(id, token)).work).toEqual({
        inspection_date: '2026-09-02',
        notes: 'Water line 14 inches.\nPhotos taken.',
      });
      await page.evaluate(`location.hash = '#/claims/${id}'`);
      await page.getByRole('heading', { name: 'Your work' }).waitFor();
      await expectShown(page, ['Sep 2, 2026', 'Water line 14 inches.\nPhotos taken.']);
      expect(await page.getByLabel('Notes').count()).toBe(0);
    }));

  test('are sent with the closing when the network is back, and are not lost between saving and closing', () =>
    visiting(WITHOUT_WORKER, async ({ page, context }) => {
      const { id, token } = await acceptedClaim();
      // The next test shows what is held back for undo.
      await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":0}'` });
      await enter(page, service, token, `#/claims/${id}`);
      await page.getByLabel('Notes').fill('Typed in a dead spot.');
      await context.setOffline(true);
      await page.getByLabel('Note for the next entry').fill('Neighbor opened.');
      await button(page, 'No answer').click();
      await button(page, 'Save').click();
      await page.getByText('Saved on this device.').waitFor();
      await page.getByText('No answer · Neighbor opened.').waitFor();
      expect(await read(id, token)).toMatchObject({ work: {}, closed_at: null });
      // The entries arrive; the request that closes the claim does not.
      await context.route('**/closure', (route) => route.abort());
      await closeClaim(page);
      await page.getByText('The claim is closed when you are online.').waitFor();
      await context.setOffline(false);
      const sent = await until('the entries', async () => {
        const claim = await read(id, token);
        return claim.work.notes !== undefined && claim.work.contacts !== undefined && claim;
      });
      expect(sent.work).toMatchObject({
        notes: 'Typed in a dead spot.',
        contacts: [{ result: 'no_answer', note: 'Neighbor opened.' }],
      });
      expect(sent.closed_at).toBeNull();
      await page.reload();
      await page.getByText('The claim is closed when you are online.').waitFor();
      await until(
        'the notes',
        async () => (await page.getByLabel('Notes').inputValue()) === 'Typed in a dead spot.',
      );
      await context.unroute('**/closure');
      // Again, since an attempt that began before the network was back may still fail; not more often, since each event
      // reads the lists, and on a busy machine the closing would wait behind them.
      await eventually(
        async () => {
          await page.evaluate('dispatchEvent(new Event("online"))');
          return (await read(id, token)).closed_at !== null;
        },
        Boolean,
        500,
      );
      // The closed claim keeps the contact log.
      await page.getByLabel('Notes').waitFor({ state: 'detached' });
      await page.getByText('No answer · Neighbor opened.').waitFor();
    }));

  test('in the contact log can be undone before they are sent, with the date and the note of the entry', () =>
    visiting(WITHOUT_WORKER, async ({ page }) => {
      const { id, token } = await acceptedClaim();
      await page.addInitScript({
        content: `localStorage.preferences = '{"undoSeconds":' + (localStorage.undo ?? 20) + '}'`,
      });
      await enter(page, service, token, `#/claims/${id}`);
      const note = page.getByLabel('Note for the next entry');
      const date = page.getByLabel('Policyholder contacted on', { exact: true });
      await note.fill('Wrong house.');
      await button(page, 'Reached').click();
      const entry = page.getByText('Reached · Wrong house.');
      await entry.waitFor();
      expect(await date.inputValue()).not.toBe('');
      await button(page, 'Undo the last entry').click();
      await entry.waitFor({ state: 'detached' });
      expect([await date.inputValue(), await note.inputValue()]).toEqual(['', 'Wrong house.']);
      // Saving sends what is held.
      await button(page, 'No answer').click();
      await page.getByText('No answer · Wrong house.').waitFor();
      expect((await read(id, token)).work).toEqual({});
      await page.getByLabel('Notes').fill('Called twice.');
      await button(page, 'Save').click();
      await page.getByText('Saved.', { exact: true }).waitFor();
      expect((await read(id, token)).work).toMatchObject({
        notes: 'Called twice.',
        contacts: [{ result: 'no_answer', note: 'Wrong house.' }],
      });
      await button(page, 'Undo the last entry').waitFor({ state: 'hidden' });
      await page.evaluate('localStorage.undo = 5');
      await page.reload();
      await button(page, 'Left message').click();
      const undo = await button(page, 'Undo the last entry').elementHandle();
      // Tapped when the time is over and the button is not hidden yet.
      await page.evaluate('{ const now = Date.now; Date.now = () => now() + 30_000; }');
      await undo?.evaluate((one) => (one as { click(): void }).click());
      await page
        .getByText('Left message', { exact: false })
        .filter({ hasText: ':' })
        .waitFor({ state: 'detached' });
      expect((await read(id, token)).work.contacts).toHaveLength(1);
    }));

  test('in a contact log that is full are kept as notes: none is lost', () =>
    visiting(WITHOUT_WORKER, async ({ page }) => {
      const { id, token } = await acceptedClaim();
      await enter(page, service, token, `#/claims/${id}`);
      const notes = page.getByLabel('Notes');
      await notes.fill('Typed before.');
      // Another device fills the log while this one cannot read the lists.
      await page.route('**/v1/claims?status=*', (route) => route.abort());
      for (let n = 0; n < LIMITS.contactsPerClaim; n += 1) {
        const body = { at: '2026-09-02T09:00:00Z', result: 'no_answer' };
        await service.call('PUT', `/app/v1/claims/${id}/contacts/c${n}`, { as: token, body });
      }
      const note = page.getByLabel('Note for the next entry');
      await note.fill('Spoke to a neighbor.');
      await button(page, 'Left message').click();
      await page.getByText('Not saved: the claim is closed, or its contact log is full.').waitFor();
      await until('the entry in the notes', async () =>
        /^Typed before\.\n.*: Left message · Spoke to a neighbor\.$/.test(await notes.inputValue()),
      );
      await page.unroute('**/v1/claims?status=*');
      await page.reload();
      await until('the stored notes', async () => /^Typed.*\n.*neighbor\.$/.test(await notes.inputValue()));
      const entries = page.locator('fieldset.contacts li');
      await until('the full log', async () => (await entries.count()) === LIMITS.contactsPerClaim);
      await note.fill('Kept in the field.');
      await button(page, 'Reached').click();
      await page.getByText('The contact log holds 200 entries and is full.').waitFor();
      expect(await note.inputValue()).toBe('Kept in the field.');
      expect((await read(id, token)).work.contacts).toHaveLength(LIMITS.contactsPerClaim);
    }));

  test('give the calendar the planned visit as it is typed, also when another one is saved', () =>
    visiting(WITHOUT_WORKER, async ({ page }) => {
      const { id, token } = await acceptedClaim();
      const saved = { planned_visit_date: '2031-09-02', planned_visit_time: '10:30' };
      await service.call('PATCH', `/app/v1/claims/${id}/work`, { as: token, body: saved });
      await enter(page, service, token, `#/claims/${id}`);
      const time = page.getByLabel('Time of the visit');
      await until('the saved visit', async () => (await time.inputValue()) === '10:30');
      await time.fill('14:45');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        button(page, 'Add to calendar').click(),
      ]);
      const file = readFileSync(await download.path(), 'utf8');
      expect(file).toContain('DTSTART:20310902T144500\r\n');
      expect(file).toContain('SUMMARY:Inspection: Marisol Delgado');
      await time.fill('');
      await button(page, 'Add to calendar').waitFor({ state: 'detached' });
    }));

  test('typed during a save are kept, and stay readable when the claim is closed elsewhere', () =>
    visiting(WITHOUT_WORKER, async ({ page, context }) => {
      const { id, token } = await acceptedClaim();
      await enter(page, service, token, `#/claims/${id}`);
      const notes = page.getByLabel('Notes');
      await notes.fill('First');
      await context.route('**/work', async (route) => {
        await notes.fill('First and second');
        await route.continue();
      });
      await button(page, 'Save').click();
      await page.getByText('Saved.').waitFor();
      expect(await notes.inputValue()).toBe('First and second');
      expect((await read(id, token)).work.notes).toBe('First');
      await service.call('POST', `/app/v1/claims/${id}/closure`, { as: token });
      await page.evaluate('dispatchEvent(new Event("online"))');
      await notes.waitFor({ state: 'detached' });
      await page.getByText('First and second').waitFor();
    }));

  test('show on another device of the adjuster at once, and neither device loses what is being typed', () =>
    visiting(WITHOUT_WORKER, ({ page: phone }) =>
      visiting({ ...TABLET, serviceWorkers: 'block' }, async ({ page: tablet }) => {
        const { id, token } = await acceptedClaim();
        for (const page of [phone, tablet]) await enter(page, service, token, `#/claims/${id}`);
        const notesOn = (page: Page) => page.getByLabel('Notes');
        const focused = (page: Page) => page.evaluate('document.activeElement.id');
        await notesOn(tablet).pressSequentially('Typed on the tablet');
        const inspected = (page: Page) => page.getByLabel('Property inspected on', { exact: true });
        await inspected(phone).fill('2026-09-02');
        await phone.getByLabel('Note for the next entry').fill('Gate locked');
        await button(phone, 'No answer').click();
        const echo = phone.waitForResponse(/v1\/claims\?status=accepted/);
        await button(phone, 'Save').click();
        await phone.getByText('Saved.', { exact: true }).waitFor();
        await notesOn(phone).pressSequentially('Typed on');

        // In either order: they are sent one after the other.
        await tablet.getByText('No answer · Gate locked').waitFor();
        await until('the date', async () => (await inspected(tablet).inputValue()) === '2026-09-02');
        expect([await notesOn(tablet).inputValue(), await focused(tablet)]).toEqual([
          'Typed on the tablet',
          'notes',
        ]);
        await notesOn(tablet).pressSequentially(' too');

        // The phone reads its own edit.
        await echo;
        await notesOn(phone).pressSequentially(' the phone');
        expect([await notesOn(phone).inputValue(), await focused(phone)]).toEqual([
          'Typed on the phone',
          'notes',
        ]);
        await button(phone, 'Save').click();
        await until('the notes', async () => (await read(id, token)).work.notes === 'Typed on the phone');
        expect(await notesOn(tablet).inputValue()).toBe('Typed on the tablet too');
      }),
    ));

  test('can be cleared after they were saved', () =>
    visiting(WITHOUT_WORKER, async ({ page }) => {
      const { id, token } = await acceptedClaim();
      const work = { contact_date: '2026-08-30', inspection_date: '2026-09-02', notes: 'Wrong claim.' };
      await service.call('PATCH', `/app/v1/claims/${id}/work`, { as: token, body: work });
      await enter(page, service, token, `#/claims/${id}`);
      await page.getByLabel('Notes').fill('');
      await button(page, 'Clear: Policyholder contacted on').click();
      await button(page, 'Save').click();
      await page.getByText('Saved.').waitFor();
      expect((await read(id, token)).work).toEqual({ inspection_date: '2026-09-02' });
      await page.reload();
      await page.getByRole('heading', { name: 'Your work' }).waitFor();
      expect(await page.getByLabel('Policyholder contacted on', { exact: true }).inputValue()).toBe('');
      expect(await page.getByLabel('Notes').inputValue()).toBe('');
    }));
});

/** The button that confirms closing a claim. */

test('going back to a list restores the scroll position and the focus on the opened claim', () =>
  visiting(PHONE, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    for (let n = 1; n <= 20; n += 1) {
      const policyholder = { first_name: 'Ana', last_name: `Reyes ${n}`, phone: '352-555-0142' };
      await offerFullClaim(service, firm, svcId, { policyholder });
    }
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

const ANA = { first_name: 'Ana', last_name: 'Reyes', phone: '352-555-0142' };

/** For tests that intercept requests, which a service worker would hide. */
const WITHOUT_WORKER = { ...PHONE, serviceWorkers: 'block' } as const;

const offerTo = (svcId: string, id: string) =>
  service.call('POST', `/v1/claims/${id}/assignment`, {
    as: firm.live,
    body: { adjuster_svc_id: svcId },
    headers: { 'Idempotency-Key': `again-${id}` },
  });

/** The number of acceptances that have reached the service. */
const acceptances = (): number =>
  service.logged.filter((line) => line.includes('POST /app/v1/claims/{id}/acceptance')).length;

describe('a session', () => {
  test('that has ended leads to the sign-in, keeps unsent answers, and sends them after it', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const id = await offerFullClaim(service, firm, svcId);
      await enter(page, service, token, `#/claims/${id}`);
      // The browser reports an error where the worker cannot be loaded.
      await ready(page);
      await context.setOffline(true);
      await button(page, 'Accept').click();
      await page.getByText('Your acceptance is saved').first().waitFor();
      await service.call('DELETE', '/app/v1/sessions/current', { as: token });
      await context.setOffline(false);
      await page.getByText('Your session has ended. Sign in to continue').waitFor();
      // The claims are removed from the device.
      await until('the lists to be gone', async () => !(await storedKeys(page)).includes('offers'));
      expect(await page.content()).not.toContain('Marisol');
      expect((await assignmentOf(service, firm, id)).status).toBe('pending_acceptance');
      const again = await service.session(svcId);
      await signIn(page, service, await emailOf(service, again));
      await until(
        'the stored answer',
        async () => (await assignmentOf(service, firm, id)).status === 'accepted',
      );
    }));

  test('that is ended everywhere leaves no data on the device, in any tab', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      await offerFullClaim(service, firm, svcId);
      await enter(page, service, token);
      await page.getByRole('link', { name: /Marisol Delgado/ }).waitFor();
      const other = await context.newPage();
      await other.goto(`${service.url}/app`);
      await other.getByRole('link', { name: /Marisol Delgado/ }).waitFor();
      // A background tab is rendered only once a second.
      await page.bringToFront();
      await page.getByRole('link', { name: 'Settings' }).click();
      await button(page, 'Sign out everywhere').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.getByText('You are signed out.').waitFor();
      expect((await service.call('GET', '/app/v1/me', { as: token })).status).toBe(401);
      await other.getByLabel('Your email').waitFor();
      expect(
        (await storedKeys(page)).filter((name) => !['deviceId', 'format', 'language'].includes(name)),
      ).toEqual([]);
    }));

  test('of a test account opens with its secret', () =>
    visiting(PHONE, async ({ page }) => {
      await page.goto(`${service.url}/app`);
      await signInAsTest(page, firm.account.manual, 'wrong');
      await page.getByText('The SVCID or the secret is wrong.').waitFor();
      await page.getByLabel('Sign-in secret').fill(firm.signInSecret.manual);
      await button(page, 'Sign in').click();
      await page.getByRole('link', { name: 'Firms' }).click();
      await page.getByRole('heading', { name: 'Gulf Adjusting Partners' }).waitFor();
    }));
});

async function signInAsTest(page: Page, svcId: string, secret: string): Promise<void> {
  await page.getByText('Other ways and help').click();
  await button(page, 'Sign in with a test account').click();
  await page.getByLabel('SVCID of the test account').fill(svcId);
  await page.getByLabel('Sign-in secret').fill(secret);
  await button(page, 'Sign in').click();
}

/** Everything stored on the device, as JSON. */
const storedOn = (page: Page): Promise<string> =>
  page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('claims');
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(opening.result.objectStoreNames);
      const found = [...opening.result.objectStoreNames].map((name) => transaction.objectStore(name).getAll());
      transaction.oncomplete = () => resolve(JSON.stringify(found.map(({ result }) => result)));
    };
  })`);

/** The names of the values stored on the device. */
const storedKeys = (page: Page): Promise<string[]> =>
  page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('claims');
    opening.onsuccess = () => {
      const all = opening.result.transaction('kept').objectStore('kept').getAllKeys();
      all.onsuccess = () => resolve(all.result);
    };
  })`);

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

test('a screen whose code could not be loaded offers to try again', () =>
  visiting(WITHOUT_WORKER, async ({ page }) => {
    const { token } = await service.member(firm);
    await page.route('**/assets/firms-*.js', (route) => route.abort());
    await enter(page, service, token);
    await page.evaluate("location.hash = '#/firms'");
    await page.getByText('The service could not be reached.').waitFor();
    await page.unroute('**/assets/firms-*.js');
    await button(page, 'Try again').click();
    await heading(page, 'Firms').waitFor();
  }));

test('the sign-in shows also when its code arrives before the effects of its first rendering', () =>
  visiting(WITHOUT_WORKER, async ({ page }) => {
    // Preact runs effects after a frame or a short timeout, whichever is first.
    await page.addInitScript({
      content: `requestAnimationFrame = () => 0;
        const later = setTimeout;
        setTimeout = (work, ms = 0) => later(work, ms <= 100 ? 2000 : ms);`,
    });
    await page.route('**/assets/sign-in-*.js', async (route) => {
      await page.locator('main:not(.starting) > p.muted').waitFor();
      await route.continue();
    });
    await page.goto(`${service.url}/app`);
    await page.getByLabel('Your email').waitFor();
  }));

test('a firm is paused and resumed with a switch, and left only after a confirmation', () =>
  visiting(PHONE, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    const id = await offerFullClaim(service, firm, svcId);
    await enter(page, service, token, '#/firms');
    const taking = page.getByRole('switch', { name: /Receive new offers/ });
    await taking.click();
    await page.getByText('Paused: no new offers').waitFor();
    expect(await taking.getAttribute('aria-checked')).toBe('false');
    await taking.click();
    await page.getByText('This firm can offer you claims.').waitFor();
    await button(page, 'Leave this firm').click();
    await page.getByText('Claims you have accepted stay with you.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You have left Gulf Adjusting Partners.').waitFor();
    expect((await assignmentOf(service, firm, id)).status).toBe('unassigned');
  }));

test('all firms are paused with one switch, for days away, or at a number of open offers, also without a network, and the offers say why', () =>
  visiting(PHONE, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    await offerFullClaim(service, firm, svcId);
    const refused = async () => (await sendClaim(service, firm.live, claimBody(svcId))).json.code;
    // The page shows a change before the service has confirmed it.
    const untilPaused = (paused: boolean) =>
      until(`paused: ${paused}`, async () => ((await refused()) === 'adjuster_not_accepting') === paused);
    const offers = async (text: string) => {
      await page
        .getByRole('link', { name: /Offers/ })
        .first()
        .click();
      await page.getByText(text).waitFor();
      await page.getByRole('link', { name: 'Firms', exact: true }).first().click();
    };
    await enter(page, service, token, '#/firms');
    const pause = page.getByRole('switch', { name: 'Pause all firms' });
    await pause.click();
    await offers('You have paused all firms.');
    await untilPaused(true);
    await pause.click();
    await until('the switch', async () => (await pause.getAttribute('aria-checked')) === 'false');

    await page.getByLabel('Most open offers at once').selectOption('1');
    await offers('You have 1 open offer, as many as you want.');
    await untilPaused(true);
    await page.getByLabel('Most open offers at once').selectOption('No limit');

    const today = (await page.evaluate("new Date().toLocaleDateString('en-CA')")) as string;
    await page.getByLabel('First day').fill(today);
    await button(page, 'Add').click();
    await page.getByRole('button', { name: /^Remove/ }).waitFor();
    await offers('You are away until');
    await untilPaused(true);
    await page.getByRole('button', { name: /^Remove/ }).click();
    await page.getByText('No days planned.').waitFor();
    await untilPaused(false);

    // Without a network the change waits on the device, also while the app is closed.
    await ready(page);
    await page.context().setOffline(true);
    await pause.click();
    await page.getByText('Not sent yet.').waitFor();
    await page.reload();
    await until('the switch', async () => (await pause.getAttribute('aria-checked')) === 'true');
    expect(await refused()).toBeUndefined();
    await page.context().setOffline(false);
    await untilPaused(true);
    await page.getByText('Not sent yet.').waitFor({ state: 'detached' });
  }));

test('the app is available in Spanish, and a chosen language is remembered', () =>
  visiting({ ...PHONE, locale: 'es-PR' }, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    await offerFullClaim(service, firm, svcId);
    await enter(page, service, token);
    await heading(page, 'Ofertas').waitFor();
    await page.getByRole('link', { name: /Marisol Delgado/ }).click();
    await expectShown(page, ['Asegurado', 'riesgo alto de inundación', 'Vivienda unifamiliar']);
    expect(await page.evaluate('document.documentElement.lang')).toBe('es');
    await page.getByRole('link', { name: 'Atrás', exact: true }).click();
    await page.getByRole('link', { name: 'Ajustes' }).click();
    await page.getByLabel('Idioma').selectOption('en');
    await heading(page, 'Settings').waitFor();
    await page.reload();
    await heading(page, 'Settings').waitFor();
  }));

/** A device that confirms passkeys by itself. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function axeViolations(page: Page): Promise<unknown> {
  await page.evaluate(await axeSource());
  return page.evaluate(`axe.run(document, ${JSON.stringify({ runOnly: RULES })})
    .then(({ violations }) => violations.map(({ id }) => id))`);
}

test('where passkeys are required, a code leads to adding one and nothing else, and the passkey then signs in', async () => {
  const strict = await startServiceUnderTest({
    env: { HOST: 'localhost', PASSKEYS: 'required' },
    databaseUrl: service.databaseUrl,
  });
  const { page, faults, close } = await visit(browser, strict.url);
  await addAuthenticator(page);
  const { svcId, token } = await service.member(firm);
  await offerFullClaim(service, firm, svcId);
  const email = await emailOf(service, token);
  await enterCode(page, strict, email);
  await heading(page, 'Add a passkey to continue').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.reload();
  await heading(page, 'Add a passkey to continue').waitFor();
  expect(await page.getByText('Marisol Delgado').count()).toBe(0);
  await button(page, 'Add a passkey').click();
  await page.getByRole('link', { name: /Marisol Delgado/ }).waitFor();

  await page.getByRole('link', { name: 'Settings' }).click();
  await button(page, 'Remove My device').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove My device' }).click();
  await page.getByText('Your only passkey cannot be removed. Add another one first.').waitFor();
  await button(page, 'Sign out').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await button(page, 'Sign in with a passkey').click();
  await page.getByRole('link', { name: 'Settings' }).waitFor();
  expect(faults).toEqual([]);
  await close();
  await strict.stop();
});

test('a passkey is added in the settings, renamed, signs in and is removed', async () => {
  // Browsers have no passkeys for IP addresses.
  const named = await startServiceUnderTest({ env: { HOST: 'localhost' }, databaseUrl: service.databaseUrl });
  const { page, faults, close } = await visit(browser, named.url);
  const { token } = await service.member(firm);
  await addAuthenticator(page);
  await enter(page, named, token, '#/settings');
  await page.getByText('You have no passkeys.').waitFor();
  await page.getByLabel('Name of the passkey').fill('Test phone');
  await button(page, 'Add a passkey').click();
  await button(page, 'Rename Test phone').click();
  await page.getByRole('dialog').getByLabel('Name of the passkey').fill('Old phone');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Old phone', { exact: true }).waitFor();
  expect(await axeViolations(page)).toEqual([]);

  await button(page, 'Sign out').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await button(page, 'Sign in with a passkey').click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByText('Last used').waitFor();
  await button(page, 'Remove Old phone').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove Old phone' }).click();
  await page.getByText('You have no passkeys.').waitFor();
  expect(faults).toEqual([]);
  await close();
  await named.stop();
});

test('a new email address is used once the code emailed to it is entered', () =>
  visiting(PHONE, async ({ page }) => {
    const { token } = await service.member(firm);
    const [before, after] = [await emailOf(service, token), 'moved.adjuster@example.com'];
    await enter(page, service, token, '#/settings');
    await button(page, 'Change').click();
    await page.getByLabel('Email', { exact: true }).fill(after);
    const emailed = service.logged.length;
    await button(page, 'Save').click();
    const code = await until('the code', async () =>
      service.logged
        .slice(emailed)
        .flatMap((line) => /"email_code":"(\d{6})"/.exec(line)?.[1] ?? [])
        .at(-1),
    );
    await page.getByText(`If no other account uses ${after}, we have sent a code to it.`).waitFor();
    await page.getByText(before, { exact: true }).waitFor();
    await page.getByLabel('Six-digit code').fill(code === '000000' ? '000001' : '000000');
    await button(page, 'Confirm address').click();
    await page.getByText('The code is wrong or has expired.').waitFor();
    expect(await emailOf(service, token)).toBe(before);
    await page.getByLabel('Six-digit code').fill(code);
    await button(page, 'Confirm address').click();
    await page.getByText(after, { exact: true }).waitFor();
    expect(await emailOf(service, token)).toBe(after);
  }));

test('a first email address that another account has is refused, and another one is stored without a code', () =>
  visiting(PHONE, async ({ page }) => {
    const taken = await emailOf(service, (await service.member(firm)).token);
    const { token } = await service.adjuster({ email: null });
    await enter(page, service, token, '#/settings');
    await button(page, 'Change').click();
    const email = page.getByLabel('Email', { exact: true });
    await email.fill(taken);
    await button(page, 'Save').click();
    await page.getByText('Enter a valid email address that no other account uses.').waitFor();
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Six-digit code').count()).toBe(0);
    expect(await emailOf(service, token)).toBeNull();

    await email.fill('first.adjuster@example.com');
    await button(page, 'Save').click();
    await page.getByText('first.adjuster@example.com', { exact: true }).waitFor();
    expect(await page.getByLabel('Six-digit code').count()).toBe(0);
    expect(await emailOf(service, token)).toBe('first.adjuster@example.com');
  }));

test('an invitation names a first email address that another account has, and another one joins the firm', () =>
  visiting(PHONE, async ({ page }) => {
    const taken = await emailOf(service, (await service.member(firm)).token);
    const inviting = await service.firm({ name: 'Estero Adjusters' });
    const { svcId, token } = await service.adjuster({ lastName: null, email: null });
    await service.call('POST', '/v1/adjusters/invitations', {
      as: inviting.live,
      body: { svc_id: svcId, invited_as: 'Jean from Houma' },
    });
    await enter(page, service, token, `#/invitations/${inviting.id}`);
    await page.getByLabel('Last name').fill('Delacroix');
    const email = page.getByLabel('Email', { exact: true });
    await email.fill(taken);
    await button(page, 'Save and join').click();
    await page.getByText('Enter a valid email address that no other account uses.').waitFor();
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    expect(await email.inputValue()).toBe(taken);
    await until('only the address to enter', async () => (await page.getByLabel('Last name').count()) === 0);

    await email.fill('second.adjuster@example.com');
    await button(page, 'Save and join').click();
    await page.getByText('You have joined Estero Adjusters').waitFor();
    expect(await emailOf(service, token)).toBe('second.adjuster@example.com');
  }));

test('the settings offer to install the app although the browser said so before they were opened', () =>
  visiting(PHONE, async ({ page }) => {
    const { token } = await service.member(firm);
    await enter(page, service, token);
    await page.evaluate(
      "dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt: async () => { document.title = 'asked'; } }))",
    );
    await page.getByRole('link', { name: 'Settings' }).click();
    await button(page, 'Install').click();
    await until('the prompt', async () => (await page.title()) === 'asked');
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
    // The same worker at another address is a new one for the browser.
    await page.evaluate("navigator.serviceWorker.register('/app/sw.js?release=2', { scope: '/app' })");
    await announced.waitFor();
    await button(page, 'Update').click();
    await page.getByText('Save or clear what you have typed first').waitFor();
    expect(await page.getByLabel('First name').inputValue()).toBe('Jeanne');
    await button(page, 'Cancel').click();
    await page.evaluate(`location.hash = '#/claims/${id}'`);
    await contactNote.waitFor();
    await Promise.all([page.waitForEvent('load'), button(page, 'Update').click()]);
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

test('a push notification shows only the firm, and opens the claim', async () => {
  // The headless shell has no notifications.
  const wholeBrowser = await startBrowser({ whole: true });
  const receive = async ({ page, context }: Visitor): Promise<void> => {
    const { svcId, token } = await service.member(firm);
    await context.grantPermissions(['notifications'], { origin: service.url });
    const phone = push.device();
    await page.addInitScript(fakePushManager(phone));
    await enter(page, service, token, '#/settings');
    await ready(page);
    await button(page, 'Turn on').click();
    await page.getByText('On. The lock screen shows only the firm').waitFor();

    // The browser may replace a subscription at any time, and notifies only the worker.
    const replaced = push.device();
    await (await worker(context)).evaluate(`{
      ${fakePushManager(replaced)}
      let done;
      const event = new ExtendableEvent('pushsubscriptionchange');
      event.waitUntil = (work) => { done = work; };
      self.dispatchEvent(event);
      done;
    }`);

    await page.evaluate(`PushManager.prototype.getSubscription().then((held) => void Object.assign(held, {
      endpoint: ${JSON.stringify(replaced.subscription.endpoint)},
      toJSON: () => (${JSON.stringify(replaced.subscription)}),
    }))`);

    const id = await offerFullClaim(service, firm, svcId);
    const [message] = await until(
      'the message',
      async () => replaced.received.length > 0 && replaced.received,
    );
    expect(phone.attempts).toEqual([]);
    const deliver = await createPushDelivery(context, page);
    await recordNotifications(context);
    await deliver(JSON.stringify(message?.payload));
    const shown = await until('the notification', async () => (await shownNotifications(context))[0]);
    expect(shown).toEqual({
      title: 'Gulf Adjusting Partners',
      body: 'A claim is waiting for your answer.',
      tag: id,
    });
    await (await worker(context)).evaluate(`registration.getNotifications().then(([notification]) =>
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification })))`);
    await heading(page, 'Marisol Delgado').waitFor();
    await button(page, 'Accept').waitFor();

    // A later message about the claim replaces the notification.
    await deliver(JSON.stringify({ ...message?.payload, kind: 'offer_withdrawn' }));
    const later = await until('the later notification', async () => (await shownNotifications(context))[1]);
    expect(later).toEqual({ ...shown, body: 'An offered claim was withdrawn.' });
    const bodies = await (await worker(context)).evaluate(
      'registration.getNotifications().then((all) => all.map(({ body }) => body))',
    );
    expect(bodies).toEqual(['An offered claim was withdrawn.']);
    await page.evaluate("location.hash = '#/settings'");
    await button(page, 'Send me a test notification').click();
    await page.getByText('Sent. It should appear').waitFor();
    await until('the test message', async () =>
      replaced.received.some(({ payload }) => JSON.stringify(payload) === '{"kind":"test"}'),
    );
    await page.getByRole('switch', { name: 'Remind me of due dates' }).click();
    await page.getByRole('switch', { name: 'Quiet hours' }).click();
    await page.getByLabel('Until').fill('07:15');
    const preferences = () => service.service.services.get('jobReads').devices(svcId, Date.now());
    await until(
      'the preferences',
      async () => (await preferences())[0]?.preferences?.quietHours?.end === '07:15',
    );
    expect((await preferences()).map((device) => device.preferences)).toMatchObject([
      { quietHours: { start: '21:00', end: '07:15' }, deadlineReminders: true },
    ]);

    // After another sign-in on this device, the former adjuster's subscription is ended and not reused.
    await button(page, 'Turn off').waitFor();
    await service.call('DELETE', '/app/v1/sessions/current', { as: token });
    await page.evaluate('dispatchEvent(new Event("online"))');
    await signInAsTest(page, firm.account.manual, firm.signInSecret.manual);
    await button(page, 'Turn on').waitFor();
    await until(
      'the subscription to be ended',
      async () => (await page.evaluate('PushManager.prototype.getSubscription()')) === null,
    );
  };
  await visiting(PHONE, receive, wholeBrowser).finally(() => wholeBrowser.close());
});

/** Replaces the browser's push service, which needs the internet, with the one of the test. */
const fakePushManager = ({ subscription }: Device): string => `
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

/** Records shown notifications: Chromium may drop one if queried while it is being shown. */
async function recordNotifications(context: BrowserContext): Promise<void> {
  await (await worker(context)).evaluate(`{
    self.shown = [];
    const show = registration.showNotification.bind(registration);
    registration.showNotification = async (title, options) => {
      await show(title, options);
      self.shown.push({ title, body: options.body, tag: options.tag });
    };
  }`);
}
const shownNotifications = async (context: BrowserContext) =>
  (await (await worker(context)).evaluate('self.shown')) as { title: string; body: string; tag: string }[];

/** Delivers messages to the service worker as the browser's push service would. */
async function createPushDelivery(
  context: BrowserContext,
  page: Page,
): Promise<(data: string) => Promise<void>> {
  const session = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [found] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (found !== undefined) resolve(found.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registered;
  return async (data) => {
    await session.send('ServiceWorker.deliverPushMessage', { origin: service.url, registrationId, data });
  };
}

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
      const judged = {
        runOnly: rules,
        rules: { 'target-size': { enabled: true } },
        resultTypes: ['violations'],
      };
      const violations = (await page.evaluate(`axe.run(document, ${JSON.stringify(judged)})
        .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`)) as string[];
      found.push(
        ...violations.map((violation) => `${screen}: ${violation}`),
        ...(await tooSmall(page, screen)),
        ...(await tooWide(page, screen)),
      );
    };
    const prepare = async (): Promise<void> => {
      await page.evaluate(await axeSource());
      if (large) await page.evaluate("document.documentElement.style.fontSize = '34px'");
    };
    await page.goto(`${service.url}/app`);
    await page.getByLabel(words.signIn.email).waitFor();
    await prepare();
    await audit('sign-in');
    await page.getByText(words.signIn.other).click();
    await audit('other ways to sign in');
    await button(page, words.signIn.test).click();
    await audit('sign-in of a test account');
    await enter(page, service, token);
    await prepare();
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
      ['#/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10', words.claim.title],
    ];
    for (const [hash, name] of screens) {
      await page.evaluate(`location.hash = '${hash}'`);
      await heading(page, name).waitFor();
      if (hash === '#/settings') await button(page, large ? 'Activar' : 'Turn on').waitFor();
      await audit(hash);
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
    expect(found).toEqual([]);
  }),
);

test('in text of 200 %, bars leave three quarters of the screen, nothing is too wide, and focus is never hidden', () =>
  visiting({ ...PHONE, viewport: { width: 360, height: 640 }, locale: 'es-PR' }, async ({ page }) => {
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
    await page.evaluate("document.documentElement.style.fontSize = '34px'");
    const found: unknown[] = [];
    for (const hash of ['#/', `#/claims/${offered}`, `#/claims/${own}`, '#/settings', '#/firms']) {
      await page.evaluate(`location.hash = '${hash}'`);
      await page.locator(`main h1`).waitFor();
      await page.locator('main .card, main .rows').last().waitFor();
      found.push(...(await tooWide(page, hash)), ...((await page.evaluate(HIDDEN_FOCUS)) as string[]));
    }
    expect(found).toEqual([]);
    // The number of offers is beside its icon, not on it.
    const [count, icon] = (await page.evaluate(`['.count', '.icon'].map((one) =>
      document.querySelector('.menu ' + one).getBoundingClientRect().toJSON())`)) as {
      left: number;
      right: number;
    }[];
    expect(count?.left).toBeGreaterThanOrEqual(icon?.right ?? Number.POSITIVE_INFINITY);
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

test('an offer with all that decides it fits on a phone, and an answer can be taken back before it is sent', () =>
  visiting(PHONE, async ({ page }) => {
    const waiting = await service.firm();
    await service.service.services.get('operatorUseCases').setOfferWait(waiting.id, 48);
    const { svcId, token } = await service.member(waiting);
    const first = await offerFullClaim(service, waiting, svcId, {
      instructions: 'Call the tenant. '.repeat(20),
    });
    const second = await offerFullClaim(service, waiting, svcId, { policyholder: ANA });
    const loss_location = { street: '9 Gulf Blvd', city: 'Naples', state: 'FL', zip: '34102' };
    await offerFullClaim(service, waiting, svcId, { loss_location });
    await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":20}'` });
    await enter(page, service, token, `#/claims/${first}`);
    await page.getByRole('heading', { name: 'Policyholder' }).waitFor();
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
    await page.evaluate(`location.hash = '#/claims/${second}'`);
    await heading(page, 'Ana Reyes').waitFor();
    // What is held is sent at once when the page is hidden, since it may be closed next.
    await button(page, 'Reject').click();
    await rejectClaim(page).click();
    await page.getByText('Rejecting Ana Reyes.').waitFor();
    expect((await assignmentOf(service, waiting, second)).status).toBe('pending_acceptance');
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
    await until(
      'the rejection',
      async () => (await assignmentOf(service, waiting, second)).status === 'rejected',
    );
  }));

/** How Chromium's compositor counts touches that it scrolls without asking the page first. */
const WITHOUT_PAGE = 0;

test('a swipe scrolls the list without waiting for the page, and finds the rows rendered', () =>
  visiting(PHONE, async ({ page, context }) => {
    const { svcId, token } = await service.member(firm);
    const offered = 4 * CHUNK_ROWS;
    for (let n = 1; n <= offered; n += 1) await offerFullClaim(service, firm, svcId);
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

test('of many offers the first show before all are read, and only those near the screen are in the page; they are found, mapped, and answered together', () =>
  visiting(WITHOUT_WORKER, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    const ids: string[] = [];
    for (let n = 1; n <= 60; n += 1) {
      const policyholder = { ...ANA, last_name: n === 57 ? 'Quintana' : `Reyes ${n}` };
      // One is in a ZIP code that does not exist.
      const loss_location = { street: '1 New Road', city: 'Newtown', state: 'FL', zip: '00001' };
      const place = n === 58 ? { loss_location } : {};
      ids.push(await offerFullClaim(service, firm, svcId, { policyholder, ...place }));
    }
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
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
    await page.getByLabel('Search offers').fill('reyes 1');
    await button(page, 'Select').click();
    await page.getByRole('checkbox', { name: /Reyes 11/ }).check();
    await page.getByRole('checkbox', { name: /Reyes 12/ }).check();
    await button(page, 'Accept 2').click();
    await page.getByRole('dialog').getByText('Fort Myers Beach, FL (2)').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept 2' }).click();
    await page.getByText('Sent: you have accepted Ana Reyes 11.').waitFor();
    await page.getByText('Sent: you have accepted Ana Reyes 12.').waitFor();
    expect((await assignmentOf(service, firm, ids[10] ?? '')).status).toBe('accepted');
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
    const route = page.getByRole('link', { name: 'Route with 1 stop' });
    expect(await route.getAttribute('href')).toContain('destination=1420%20Seagrape%20Lane');

    // A claim that is not on the map can be a stop too, and a look at a claim keeps the route.
    await page.getByText('1 claim has a ZIP code that is not on the map.').waitFor();
    await button(page, 'Show').click();
    await button(page, 'Add to route').click();
    const twoStops = page.getByRole('link', { name: 'Route with 2 stops' });
    const { searchParams } = new URL((await twoStops.getAttribute('href')) ?? '');
    expect(searchParams.get('waypoints')).toMatch(/^1420 Seagrape Lane, /);
    expect(searchParams.get('destination')).toBe('1 New Road, Newtown, FL 00001');
    await page.getByRole('listitem').getByRole('link', { name: 'Ana Reyes 58' }).first().click();
    await heading(page, 'Ana Reyes 58').waitFor();
    await page.goBack();
    await twoStops.waitFor();
    await page.reload();
    await twoStops.waitFor();
    await button(page, 'Remove from route: Ana Reyes 58').click();
    await route.waitFor();

    // The device's position, which the page's own policy must allow.
    await page.context().grantPermissions(['geolocation']);
    await page.context().setGeolocation({ latitude: 26.45, longitude: -81.95 });
    await button(page, 'Set your location').click();
    await button(page, 'Use my location').click();
    await button(page, 'From your location').waitFor();
    await page.getByRole('img', { name: 'Your location' }).waitFor();
  }));

/** Evaluated through DevTools, because the Content-Security-Policy forbids other scripts. */
const axeSource = async (): Promise<string> => (await import('node:fs')).readFileSync(AXE, 'utf8');

/** The corners of the button that are outside the screen or covered. */
async function obscuredCorners(page: Page, buttons: string, name: string): Promise<string[]> {
  await button(page, name).first().waitFor();
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(buttons)})]
    .filter((element) => element.textContent === ${JSON.stringify(name)})
    .flatMap((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const [xs, ys] = [[left + 8, right - 8], [top + 8, bottom - 8]];
      return xs.flatMap((x) => ys.map((y) => [x, y]))
        .filter(([x, y]) => !element.contains(document.elementFromPoint(x, y)))
        .map((at) => element.textContent + ': out of reach at ' + at.map(Math.round));
    })`);
}

/** Tap targets under 44 pixels wide or high, except links within text. */
async function tooSmall(page: Page, screen: string): Promise<string[]> {
  const small = (await page.evaluate(`[...document.querySelectorAll('a, button, input, select, textarea')]
    .filter((element) => element.checkVisibility() && !element.closest('.note, dd'))
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ element, box }) => !element.matches('.skip') && (box.width < 44 || box.height < 44))
    .map(({ element, box }) => element.outerHTML.slice(0, 120) + ' ' + Math.round(box.width) + 'x' + Math.round(box.height))`)) as string[];
  return small.map((one) => `${screen}: too small to tap: ${one}`);
}

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
    await button(page, 'Accept').focus();
    await page.keyboard.press('Space');
    await page.locator('.toasts').getByText('Sent: you have accepted').waitFor();
    await until('the focus on the heading', async () => (await focused()) === 'Marisol Delgado');
  }));
