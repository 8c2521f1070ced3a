import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import type { Page } from 'playwright-core';
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

const { firm, service, visiting } = await startApp();

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
      'Palmetto Mutual Insurance',
      'Estero Bay Insurance',
      'First Coast Mortgage',
      'Ray Okafor',
    ]);
    const links = () =>
      page
        .locator('a.contact-link')
        .evaluateAll((elements) => elements.map((element) => element.getAttribute('href')));
    // An offer has no way to reach the people of a claim.
    const calls = page.locator('.person a[href^="tel:"], .contact-links a[href^="tel:"]');
    expect([await links(), await calls.count()]).toEqual([[], 0]);
    await button(page, 'Accept').click();
    await page.getByText('Sent: you have accepted Marisol Delgado.').waitFor();
    await page.getByRole('heading', { name: 'Your work' }).waitFor();
    await until('the calls', async () => (await links()).length === 3);
    expect((await links()).map((link) => link?.split(':')[0])).toEqual(['tel', 'sms', 'https']);
    expect((await links())[0]).toBe('tel:+13125550142');
    await page.getByText('All from the firm').click();
    await until('the calls of all people', async () => (await calls.count()) >= 3);
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
    // The planned visit as it is typed, and what is typed when the claim is closed.
    await page.getByLabel('Planned visit', { exact: true }).fill('2031-09-02');
    await page.getByLabel('Time of the visit').fill('14:45');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Add to calendar').click(),
    ]);
    const file = readFileSync(await download.path(), 'utf8');
    expect(file).toContain('DTSTART:20310902T144500\r\n');
    expect(file).toContain('SUMMARY:Inspection: Marisol Delgado');
    await page.getByLabel('Property inspected on', { exact: true }).fill('2026-09-02');
    await closeClaim(page);
    await heading(page, 'My claims').waitFor();
    await page.getByRole('link', { name: 'Closed' }).click();
    await page.getByRole('link', { name: /Marisol Delgado/ }).click();
    await page.getByRole('heading', { name: 'Your work' }).waitFor();
    await expectShown(page, ['Sep 2, 2026', 'Sep 2, 2031', 'Water line 14 inches in the den.']);
    expect(await page.getByLabel('Notes').count()).toBe(0);
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

  test('are sent with the closing when the network is back, and are not lost between saving and closing', () =>
    visiting(WITHOUT_WORKER, async ({ page, context }) => {
      const { id, token } = await acceptedClaim();
      // The next test shows what is held back for undo.
      await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":0}'` });
      await enter(page, service, token, `#/claims/${id}`);
      await page.getByLabel('Notes').fill('Typed in a dead spot.');
      await context.setOffline(true);
      await page.getByLabel('Note for the next entry').fill('Neighbor opened.');
      await button(page, 'Inspected').click();
      await button(page, 'Save').click();
      await page.getByText('Saved on this device.').waitFor();
      await page.getByText('Inspected · Neighbor opened.').waitFor();
      expect(await read(id, token)).toMatchObject({ work: {}, closed_at: null });
      // The entries arrive; the request that closes the claim does not.
      let arrives = false;
      await context.route('**/closure', (route) => (arrives ? route.continue() : route.abort()));
      await closeClaim(page);
      await page.getByText('The claim is closed when you are online.').waitFor();
      await context.setOffline(false);
      const sent = await until('the entries', async () => {
        const claim = await read(id, token);
        return claim.work.notes !== undefined && claim.work.contacts !== undefined && claim;
      });
      expect(sent.work).toMatchObject({
        notes: 'Typed in a dead spot.',
        inspection_date: expect.any(String),
        contacts: [{ result: 'inspected', note: 'Neighbor opened.' }],
      });
      expect(sent.closed_at).toBeNull();
      await page.reload();
      await page.getByText('The claim is closed when you are online.').waitFor();
      await until(
        'the notes',
        async () => (await page.getByLabel('Notes').inputValue()) === 'Typed in a dead spot.',
      );
      arrives = true;
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
      await page.getByText('Inspected · Neighbor opened.').waitFor();
    }));

  test('in the contact log can be undone before they are sent, with the date and the note of the entry', () =>
    visiting(WITHOUT_WORKER, async ({ page }) => {
      const { id, token } = await acceptedClaim();
      await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":20}'` });
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

  test('of two devices show on both at once, and both are kept, also offline, without losing what is being typed', () =>
    visiting(WITHOUT_WORKER, ({ page: first, context }) =>
      visiting({ ...TABLET, serviceWorkers: 'block' }, async ({ page: second }) => {
        const { id, token } = await acceptedClaim();
        const notesOn = (page: Page) => page.getByLabel('Notes');
        const inspectedOn = (page: Page) => page.getByLabel('Property inspected on', { exact: true });
        for (const page of [first, second]) await enter(page, service, token, `#/claims/${id}`);
        await notesOn(second).pressSequentially('Water line 14 ');
        await inspectedOn(first).fill('2026-09-02');
        await first.getByLabel('Note for the next entry').fill('Gate locked');
        await button(first, 'No answer').click();
        await button(first, 'Save').click();
        // In either order: they are sent one after the other.
        await second.getByText('No answer · Gate locked').waitFor();
        await until('the date', async () => (await inspectedOn(second).inputValue()) === '2026-09-02');
        expect(await second.evaluate('document.activeElement.id')).toBe('notes');
        await second.keyboard.type('inches.');
        expect(await notesOn(second).inputValue()).toBe('Water line 14 inches.');

        await notesOn(first).fill('Gate code 4411.');
        await context.setOffline(true);
        await button(first, 'Save').click();
        await first.getByText('Saved on this device.').waitFor();
        await button(second, 'Save').click();
        await second.getByText('Saved.', { exact: true }).waitFor();
        // Typed before the page can learn of the other's notes, as it does by itself now and then.
        await notesOn(second).fill('Water line 14 inches.\nPhotos taken.');
        await context.setOffline(false);
        await first.getByText('Another device had changed the same').waitFor();
        const both = 'Water line 14 inches.\n\nGate code 4411.';
        expect((await read(id, token)).work.notes).toBe(both);
        const shows = (page: Page, text: string) =>
          until('the notes', async () => (await notesOn(page).inputValue()) === text);
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

  test('stay on the device when the service refuses them', () =>
    visiting(WITHOUT_WORKER, async ({ page, context }) => {
      const { id, token } = await acceptedClaim();
      await enter(page, service, token, `#/claims/${id}`);
      await page.getByLabel('Notes').fill('Typed before it was closed');
      // This phone does not learn that the claim was closed before it has sent the entries.
      let learns = false;
      await context.route('**/v1/claims?status=*', (route) => (learns ? route.continue() : route.abort()));
      await service.call('POST', `/app/v1/claims/${id}/closure`, { as: token });
      await button(page, 'Save').click();
      await page.getByText('Not saved: the claim is closed').waitFor();
      learns = true;
      await page.reload();
      await page.getByText('These entries were not saved before the claim was closed.').waitFor();
      await page.getByText('Typed before it was closed').waitFor();
      expect(await inDatabase(page, `found = kept.get('draft:${id}')`)).toEqual({
        ...{ notes: 'Typed before it was closed', 'base:notes': '' },
      });
      expect((await read(id, token)).work.notes).toBeUndefined();
    }));
});
