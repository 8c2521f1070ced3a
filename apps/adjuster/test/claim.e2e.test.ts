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
  offerFullClaim,
  PHONE,
  signIn,
  startApp,
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
});
