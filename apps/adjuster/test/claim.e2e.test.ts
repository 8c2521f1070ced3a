import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  button,
  emailOf,
  expectShown,
  heading,
  offerFullClaim,
  PHONE,
  signIn,
  startApp,
  until,
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
    const links = () =>
      page
        .locator('a.contact-link')
        .evaluateAll((elements) => elements.map((element) => element.getAttribute('href')));
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
    // What is typed when the claim is closed.
    await page.getByLabel('Planned visit', { exact: true }).fill('2031-09-02');
    await page.getByLabel('Time of the visit').fill('14:45');
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
