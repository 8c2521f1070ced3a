import { afterAll, expect, test } from '@jest/globals';
import { FIELD_PATHS } from '@svc/csv-import/in-page';
import type { Page } from 'playwright-core';
import { button, codeFor, heading, until } from '../../adjuster/test/app-under-test.ts';
import { claimBody, sendClaim, type TestFirm } from '../../api/test/service-under-test.ts';
import { DESK, enterDesk, faultsOf, startDesk, storedText } from './desk-under-test.ts';

const { service, visiting, stop } = await startDesk();
afterAll(stop);

interface Sent {
  readonly id: string;
  readonly claim_number: string;
}

async function send(firm: TestFirm, adjuster: string, last_name: string): Promise<Sent> {
  const policyholder = { first_name: 'Marisol', last_name, phone: '352-555-0142' };
  const sent = await sendClaim(service, firm.live, { ...claimBody(adjuster), policyholder });
  if (sent.status !== 201) throw new Error(sent.text);
  return sent.json;
}

/** Fields by their paths, as columns have them. */
const flattened = (value: object, path = ''): Record<string, string> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      typeof inner === 'object' && inner !== null
        ? Object.entries(flattened(inner, `${path}${name}.`))
        : [[`${path}${name}`, String(inner)]],
    ),
  );

const detailsOf = async (token: string, id: string) =>
  (await service.call('GET', `/firm/v1/claims/${id}`, { as: token })).json;

const focusedName = (page: Page) =>
  page.evaluate("document.activeElement.querySelector('.name .strong')?.textContent");

test('a dispatcher signs in by code, sees the board live, and offers claims with the keyboard', () =>
  visiting(DESK, async ({ page, context }) => {
    const firm = await service.firm();
    const token = await service.staff(firm, 'dispatcher');
    const { staff } = (await service.call('GET', '/firm/v1/me', { as: token })).json;
    const [first, second] = [await service.member(firm), await service.member(firm)];
    const sent = [await send(firm, first.svcId, 'Delgado'), await send(firm, first.svcId, 'Ortega')];

    await page.goto(`${service.url}/firm`);
    await page.getByLabel('Your email').fill(staff.email);
    await button(page, 'Email me a code').click();
    await page.getByLabel('Six-digit code').fill(await codeFor(service));
    await button(page, 'Sign in').click();
    await heading(page, 'Board').waitFor();
    await page.getByRole('link', { name: /Marisol Ortega/ }).waitFor();
    expect(await faultsOf(page, 'board')).toEqual([]);

    // Live: nobody has to load the page again.
    sent.push(await send(firm, first.svcId, 'Reyes'));
    await page.getByRole('link', { name: /Marisol Reyes/ }).waitFor();

    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    expect(await focusedName(page)).toBe('Marisol Reyes');
    await page.getByText('2 claims selected').waitFor();
    await page.keyboard.press('o');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name or SVCID').fill(second.svcId);
    await dialog.getByRole('radio').check();
    expect(await faultsOf(page, 'offer')).toEqual([]);
    await dialog.getByRole('button', { name: /^Offer to/ }).click();
    await page.getByText('2 of 2 sent').waitFor();
    const addressees = await Promise.all(
      sent.map(async ({ id }) => (await detailsOf(token, id)).claim.assignment.adjuster_svc_id),
    );
    expect(addressees).toEqual([first.svcId, second.svcId, second.svcId]);
    await button(page, 'Dismiss').click();

    await page.keyboard.press('/');
    await page.keyboard.type(sent[1]?.claim_number ?? '');
    await until('the search', async () => (await page.locator('.board-row').count()) === 1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, 'Marisol Ortega').waitFor();
    await page.getByText('Withdrawn', { exact: true }).waitFor();
    expect(await faultsOf(page, 'claim')).toEqual([]);
    expect(page.url()).not.toContain('Ortega');

    expect(await storedText(page)).not.toMatch(/Marisol|Ortega|SVC-|priya/i);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.getByRole('link', { name: 'Settings' }).click();
    await button(page, 'Sign out').click();
    await page.getByText('You are signed out.').waitFor();
    expect(await page.content()).not.toContain('Marisol');
    expect(
      (await context.cookies()).filter(({ name, value }) => name === 'svc-staff-session' && value !== ''),
    ).toEqual([]);
  }));

test('an offer whose response was lost is made once, however often it is tried again', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    const token = await service.staff(firm, 'dispatcher');
    const [first, second] = [await service.member(firm), await service.member(firm)];
    const { id } = await send(firm, first.svcId, 'Delgado');
    let lost = 0;
    await page.route('**/assignment?*', async (route) => {
      lost += 1;
      if (lost > 2) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await enterDesk(page, service, token, `#/claims/${id}`);
    await button(page, 'Offer to an adjuster').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name or SVCID').fill(second.svcId);
    await dialog.getByRole('radio').check();
    await dialog.getByRole('button', { name: /^Offer to/ }).dblclick();
    for (let tries = 0; tries < 2; tries += 1) {
      await page.getByText('No response. Try again').waitFor();
      await button(page, 'Try again').click();
    }
    await page.getByText(/^Offered to/).waitFor();
    const { history } = await detailsOf(token, id);
    expect(history.map(({ adjuster_svc_id }: { adjuster_svc_id: string }) => adjuster_svc_id)).toEqual([
      second.svcId,
      first.svcId,
    ]);
    expect(lost).toBe(3);
  }));

test('an outage while the desk opens asks nobody to sign in again, and what failed is tried again', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    await send(firm, (await service.member(firm)).svcId, 'Delgado');
    const failing = new Set(['/firm/v1/me', '/firm/v1/claims']);
    await page.route('**/firm/v1/**', (route) =>
      failing.has(new URL(route.request().url()).pathname)
        ? route.fulfill({ status: 503 })
        : route.continue(),
    );
    const token = await service.staff(firm, 'dispatcher');
    await page.context().addCookies([{ name: 'svc-staff-session', value: token, url: service.url }]);
    await page.goto(`${service.url}/firm`);
    await button(page, 'Try again').waitFor();
    expect(await page.getByLabel('Your email').count()).toBe(0);
    const found = await faultsOf(page, 'outage');
    failing.delete('/firm/v1/me');
    await button(page, 'Try again').click();
    await heading(page, 'Board').waitFor();
    await button(page, 'Try again').waitFor();
    found.push(...(await faultsOf(page, 'board')));
    failing.clear();
    await button(page, 'Try again').click();
    await page.getByRole('link', { name: /Marisol Delgado/ }).waitFor();
    expect(found).toEqual([]);
  }));

test('an adjuster is invited, the invitation is withdrawn, and a refusal is shown in words in the open dialog', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    const token = await service.staff(firm, 'dispatcher');
    const [member, stranger] = [await service.member(firm), await service.adjuster()];
    await enterDesk(page, service, token, '#/adjusters');
    await page.getByText(member.svcId, { exact: true }).waitFor();
    const invite = async (svcId: string) => {
      await button(page, 'Invite an adjuster').click();
      await page.getByRole('dialog').getByLabel('SVCID').fill(svcId);
      await page.getByRole('dialog').getByRole('button', { name: 'Send invitation' }).click();
    };
    await invite(member.svcId);
    const refusal = page.getByRole('dialog').getByRole('alert');
    await refusal.getByText('This adjuster is a member already.').waitFor();
    await refusal.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('Escape');
    await invite(stranger.svcId);
    await page.getByText('Invited', { exact: true }).waitFor();
    expect(await faultsOf(page, 'adjusters')).toEqual([]);
    await button(page, 'Withdraw').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Withdrawn', { exact: true }).waitFor();
  }));

test('a file of claims is checked row by row and sent, and sending it again sends none twice', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    const { svcId } = await service.member(firm);
    const rowOf = (last_name: string) => {
      const policyholder = { first_name: 'Marisol', last_name, phone: '352-555-0142' };
      return flattened({ ...claimBody(svcId), policyholder });
    };
    const rows = ['Delgado', 'Ortega', 'Reyes'].map((last_name, index) => ({
      ...rowOf(last_name),
      ...(index === 1 && { 'loss.date': '2026-02-30' }),
    }));
    const header = Object.keys(rows[0] ?? {}).filter((path) => FIELD_PATHS.includes(path));
    const token = await service.staff(firm, 'dispatcher');
    await enterDesk(page, service, token, '#/upload');
    const choose = (chosen: readonly Record<string, string>[] = rows) => {
      const lines = chosen.map((row) => header.map((path) => `"${row[path]}"`).join(';'));
      const buffer = Buffer.from([header.join(';'), ...lines].join('\r\n'), 'latin1');
      const file = { name: 'export 2026-11-26.csv', mimeType: 'text/csv', buffer };
      return page.getByLabel('CSV file').setInputFiles(file);
    };
    await choose();
    await page.getByText('3 of 3 rows. without problems: 2 · with problems: 1').waitFor();
    await page.getByText('Row 3').waitFor();
    expect(await faultsOf(page, 'checked')).toEqual([]);
    await button(page, 'Send 2 claims').click();
    await page.getByText(/sent: 2/).waitFor();
    const { json } = await service.call('GET', '/firm/v1/claims', { as: token });
    expect(json.data.map(({ name }: { name: string }) => name).sort()).toEqual([
      'Marisol Delgado',
      'Marisol Reyes',
    ]);
    await choose();
    await page.getByText(/sent before: 2/).waitFor();
    // More rows than one request takes; the last is in the second part.
    const last = { ...rowOf('Delgado'), 'loss.date': '2026-02-30' };
    await choose([...Array.from({ length: 2100 }, () => rowOf('Delgado')), last]);
    await page.getByText('2101 of 2101 rows. without problems: 2100 · with problems: 1').waitFor();
    await page.getByText('Row 2102').waitFor();
  }));

test('the address of a claim that was cut off, and an export of the trail that is, say so', () =>
  visiting(DESK, async ({ page }) => {
    const token = await service.staff(await service.firm(), 'admin');
    await enterDesk(page, service, token, '#/claims/01a21a60-9d41');
    await page.getByText('This claim does not exist in your firm.').waitFor();
    await page.evaluate(`location.hash = '#/audit'`);
    await page.route('**/firm/v1/audit?*', (route) =>
      route.fulfill({ json: { data: [], next_cursor: 'more' } }),
    );
    await button(page, 'Export').click();
    await page.getByText('The file is incomplete').waitFor();
  }));
