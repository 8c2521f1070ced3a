import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import type { Page } from 'playwright-core';
import { svcInProcess } from '../../api/test/svc-here.ts';
import {
  button,
  emailOf,
  enter,
  expectShown,
  heading,
  inDatabase,
  offerFullClaim,
  PHONE,
  signIn,
  startApp,
  TABLET,
  until,
  WITHOUT_WORKER,
} from './app-under-test.ts';

const { firm, service, visiting, stop } = await startApp();
afterAll(stop);

test('an adjuster signs in, completes the profile, joins a firm, accepts a claim, works on it, and is done', () =>
  visiting(PHONE, async ({ page }) => {
    const inviting = await service.firm({ name: 'Palmetto Adjusters' });
    const { svcId, token } = await service.adjuster({ lastName: null });
    const email = await emailOf(service, token);
    const invited = await service.call('POST', '/v1/adjusters/invitations', {
      as: inviting.live,
      body: { svc_id: svcId, invited_as: 'Jean from Houma', note: 'Secret note' },
    });
    expect(invited.status).toBe(201);

    await signIn(page, service, email);
    await page.getByRole('link', { name: /Palmetto Adjusters invites you/ }).click();
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
        .locator('a.contact-link')
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

/** Closes the open claim, and confirms it. */
async function closeClaim(page: Page): Promise<void> {
  await button(page, 'Close claim').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close claim' }).click();
}

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
        version: expect.any(String),
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
      await button(page, 'Talked to policyholder').click();
      const entry = page.getByText('Talked to policyholder · Wrong house.');
      await entry.waitFor();
      expect(await date.inputValue()).not.toBe('');
      await button(page, 'Undo the last entry').click();
      await entry.waitFor({ state: 'detached' });
      expect([await date.inputValue(), await note.inputValue()]).toEqual(['', 'Wrong house.']);
      // Saving sends what is held.
      await button(page, 'No answer').click();
      await page.getByText('No answer · Wrong house.').waitFor();
      expect((await read(id, token)).work).toEqual({ version: expect.any(String) });
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
      await button(page, 'Talked to policyholder').click();
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

  test('of the contact and the inspection take one tap, also offline, and keep the time of the tap beside that of the service', () =>
    visiting(WITHOUT_WORKER, async ({ page, context }) => {
      const { id, token } = await acceptedClaim();
      await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":5}'` });
      await enter(page, service, token, `#/claims/${id}`);
      // The firm has sent the date of a contact.
      await page.getByText('Inspection', { exact: true }).waitFor();
      await context.setOffline(true);
      await button(page, 'Talked to policyholder').click();
      await page.locator('fieldset.contacts li').waitFor();
      await button(page, 'Inspected').click();
      await page.getByText('Inspection', { exact: true }).waitFor({ state: 'detached' });
      const tapped = Date.now();
      await context.setOffline(false);
      await until('the entries', async () => (await read(id, token)).work.contacts?.length === 2);
      const { work } = await read(id, token);
      expect(work.contacts).toMatchObject([{ result: 'reached' }, { result: 'inspected' }]);
      expect(work).toMatchObject({ contact_date: expect.any(String), inspection_date: expect.any(String) });
      for (const { at, received_at } of work.contacts) {
        expect(Date.parse(at)).toBeLessThanOrEqual(tapped);
        expect(Date.parse(received_at)).toBeGreaterThanOrEqual(Date.parse(at));
      }
    }));

  test('on a device whose clock is a day fast, go out with the right time and day, and the app says so', () =>
    visiting(WITHOUT_WORKER, async ({ page }) => {
      const { id, token } = await acceptedClaim();
      await page.addInitScript({
        content: `{
          const Clock = Date;
          const now = () => Clock.now() + 86_400_000;
          globalThis.Date = class extends Clock {
            constructor(...parts) { if (parts.length === 0) super(now()); else super(...parts); }
            static now() { return now(); }
          };
        }`,
      });
      await enter(page, service, token, `#/claims/${id}`);
      await page.getByText(/^The clock of this device is (24 h|1 day|23 h) fast/).waitFor();
      await button(page, 'Today: Property inspected on').click();
      await button(page, 'Talked to policyholder').click();
      await button(page, 'Save').click();
      await page.getByText('Saved.', { exact: true }).waitFor();
      const { work } = await read(id, token);
      const minutesOff = Math.abs(Date.parse(work.contacts[0].at) - Date.now()) / 60_000;
      expect(minutesOff).toBeLessThan(5);
      const today = await page.evaluate(
        `(() => { const at = new Date(${Date.now()}); return [at.getFullYear(), at.getMonth() + 1, at.getDate()]; })()`,
      );
      const days = [work.contact_date, work.inspection_date].map((day: string) => day.split('-').map(Number));
      expect(days).toEqual([today, today]);
    }));

  test('written on two devices are both kept, also offline, and the page says so', () =>
    visiting(WITHOUT_WORKER, ({ page: first, context }) =>
      visiting(WITHOUT_WORKER, async ({ page: second }) => {
        const { id, token } = await acceptedClaim();
        const notesOn = async (page: Page, text: string) => {
          await enter(page, service, token, `#/claims/${id}`);
          await page.getByLabel('Notes').fill(text);
        };
        await notesOn(first, 'Gate code 4411.');
        await notesOn(second, 'Water line 14 inches.');
        await context.setOffline(true);
        await button(first, 'Save').click();
        await first.getByText('Saved on this device.').waitFor();
        await button(second, 'Save').click();
        await second.getByText('Saved.', { exact: true }).waitFor();
        // Typed before the page can learn of the other's notes, as it does by itself now and then.
        await second.getByLabel('Notes').fill('Water line 14 inches.\nPhotos taken.');
        await context.setOffline(false);
        await first.getByText('Another device had changed the same').waitFor();
        const both = 'Water line 14 inches.\n\nGate code 4411.';
        expect((await read(id, token)).work.notes).toBe(both);
        const shows = (page: Page, text: string) =>
          until('the notes', async () => (await page.getByLabel('Notes').inputValue()) === text);
        await shows(first, both);
        // What is not saved yet says what the other device has, before and after saving.
        await second.evaluate('dispatchEvent(new Event("online"))');
        await second.getByText('Changed on another device since you began.').waitFor();
        await second.locator('.note').getByText('Gate code 4411.').waitFor();
        await button(second, 'Save').click();
        await second.getByText('Another device had changed the same').waitFor();
        await shows(second, `${both}\nPhotos taken.`);
        expect((await read(id, token)).work.notes).toBe(`${both}\nPhotos taken.`);
        expect(await second.getByText('Changed on another device').count()).toBe(0);
      }),
    ));

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

  test('stay on the device when the service refuses them, on a slow phone with a second tab', () =>
    visiting(WITHOUT_WORKER, async ({ page, context }) => {
      const { id, token } = await acceptedClaim();
      await enter(page, service, token, `#/claims/${id}`);
      const devTools = await context.newCDPSession(page);
      await devTools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      const other = await context.newPage();
      await enter(other, service, token, `#/claims/${id}`);
      const notes = page.getByLabel('Notes');
      await notes.fill('Typed before it was closed');
      // A tap in another tab erases nothing of what was typed in this one, and shows here.
      await until('the notes in the other tab', async () =>
        (await other.getByLabel('Notes').inputValue()).startsWith('Typed'),
      );
      await other.getByRole('button', { name: /^Today: Property inspected on/ }).click();
      const inspected = page.getByLabel('Property inspected on', { exact: true });
      await until('the date', async () => (await inspected.inputValue()) !== '');
      expect(await notes.inputValue()).toBe('Typed before it was closed');
      const date = await inspected.inputValue();
      // This phone does not learn that the claim was closed before it has sent the entries.
      await context.route('**/v1/claims?status=*', (route) => route.abort());
      await service.call('POST', `/app/v1/claims/${id}/closure`, { as: token });
      await other.evaluate('dispatchEvent(new Event("online"))');
      await button(page, 'Save').click();
      await page.getByText('Not saved: the claim is closed').waitFor();
      await context.unroute('**/v1/claims?status=*');
      await page.reload();
      await page.getByText('These entries were not saved before the claim was closed.').waitFor();
      await page.getByText('Typed before it was closed').waitFor();
      expect(await inDatabase(page, `found = kept.get('draft:${id}')`)).toEqual({
        notes: 'Typed before it was closed',
        inspection_date: date,
        ...{ 'base:notes': '', 'base:inspection_date': '' },
      });
      expect((await read(id, token)).work.notes).toBeUndefined();
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
      expect((await read(id, token)).work).toEqual({
        version: expect.any(String),
        inspection_date: '2026-09-02',
      });
      await page.reload();
      await page.getByRole('heading', { name: 'Your work' }).waitFor();
      expect(await page.getByLabel('Policyholder contacted on', { exact: true }).inputValue()).toBe('');
      expect(await page.getByLabel('Notes').inputValue()).toBe('');
    }));
});
