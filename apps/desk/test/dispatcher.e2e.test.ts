import { expect, test } from '@jest/globals';
import { csvOfClaims } from '@svc/csv-import/in-page';
import { eventClaim } from '@svc/sandbox';
import type { Page } from 'playwright-core';
import { button, enterCode, heading, until } from '../../adjuster/test/app-under-test.ts';
import { claimBody, sendClaim, type TestFirm } from '../../api/test/service-under-test.ts';
import { DESK, enterDesk, faultsOf, saved, startDesk, storedText } from './desk-under-test.ts';

const { service, visiting } = await startDesk();

async function send(firm: TestFirm, adjuster: string, last_name: string) {
  const policyholder = { first_name: 'Marisol', last_name, phone: '352-555-0142' };
  const sent = await sendClaim(service, firm.live, { ...claimBody(adjuster), policyholder });
  if (sent.status !== 201) throw new Error(sent.text);
  return sent.json;
}

const detailsOf = async (token: string, id: string) =>
  (await service.call('GET', `/firm/v1/claims/${id}`, { as: token })).json;

/** Until when a route holds its requests. */
function held() {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { released, release: () => release() };
}

const choose = (page: Page, content: string | Uint8Array, name = 'export 2026-11-26.csv') => {
  const buffer = typeof content === 'string' ? Buffer.from(content, 'latin1') : Buffer.from(content);
  const file = { name, mimeType: 'text/csv', buffer };
  return page.getByLabel('CSV file').setInputFiles(file);
};

/** Whether the box above the rows is checked, or only some of them are. */
const allSelected = (page: Page) =>
  page.getByLabel('Select all shown').evaluate((box) => [Object(box).checked, Object(box).indeterminate]);

test('a dispatcher signs in by code, sees the board live, and offers claims with the keyboard', () =>
  visiting(DESK, async ({ page, context }) => {
    const firm = await service.firm();
    const token = await service.staff(firm, 'dispatcher');
    const { staff } = (await service.call('GET', '/firm/v1/me', { as: token })).json;
    const [first, second] = [await service.member(firm), await service.member(firm)];
    const sent = [await send(firm, first.svcId, 'Delgado'), await send(firm, first.svcId, 'Ortega')];

    await enterCode(page, service, staff.email, '/firm');
    await heading(page, 'Board').waitFor();
    await page.getByRole('link', { name: /Marisol Ortega/ }).waitFor();

    // Help, by its key; Escape gives the focus back.
    await page.locator('a.board-link').first().focus();
    await page.keyboard.press('?');
    await page.locator('aside h2:focus', { hasText: 'Help: Board' }).waitFor();
    await page.getByRole('complementary').getByText('the adjuster has not answered yet.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('a.board-link:focus').waitFor();
    expect(await page.getByRole('complementary').count()).toBe(0);

    // Live: nobody has to load the page again.
    sent.push(await send(firm, first.svcId, 'Reyes'));
    await page.getByRole('link', { name: /Marisol Reyes/ }).waitFor();

    const boxes = page.getByLabel('Select Marisol');
    await boxes.first().click();
    await boxes.last().click({ modifiers: ['Shift'] });
    await page.getByText('3 claims shown, 3 selected').waitFor();
    await page.getByLabel('Select all shown').focus();
    await page.keyboard.press('Space');
    await page.getByText('3 claims shown', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await page.locator('a:focus', { hasText: 'Marisol Reyes' }).waitFor();
    await page.getByText('3 claims shown, 2 selected').waitFor();
    expect(await allSelected(page)).toEqual([false, true]);
    await page.keyboard.press('o');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 of them are offered to others now; those offers end.').waitFor();
    await dialog.getByLabel('Name or SVCID').fill(second.svcId);
    await dialog.getByRole('radio').check();
    expect(await faultsOf(page, 'offer')).toEqual([]);
    await dialog.getByRole('button', { name: /^Offer to/ }).click();
    await page.getByRole('status').getByText('2 of 2 offered to').waitFor();
    await page.getByRole('link', { name: `Marisol Ortega · ${sent[1]?.claim_number}` }).waitFor();
    const addressees = await Promise.all(
      sent.map(async ({ id }) => (await detailsOf(token, id)).claim.assignment.adjuster_svc_id),
    );
    expect(addressees).toEqual([first.svcId, second.svcId, second.svcId]);
    await button(page, 'Hide what you did').click();

    await page.keyboard.press('/');
    // At once: the beginning of a number that is typed may find one claim, too.
    await page.keyboard.insertText(sent[1]?.claim_number ?? '');
    await until('the search', async () => (await page.locator('a.board-link').count()) === 1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, 'Marisol Ortega').waitFor();
    await page.getByText('Withdrawn', { exact: true }).waitFor();
    expect(await page.locator('.heads .head').first().isHidden()).toBe(true);
    expect(await faultsOf(page, 'claim')).toEqual([]);
    expect(page.url()).not.toContain('Ortega');
    await page.goBack();
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Show', { exact: true }).selectOption({ label: 'Offered' });
    await page.getByText('Filters', { exact: true }).click();
    await page.getByLabel('Carrier', { exact: true }).fill('GULF');
    await page.getByLabel('State').selectOption('FL');
    await page.getByText('3 claims shown', { exact: true }).waitFor();
    await page.getByRole('link', { name: /Marisol Ortega/ }).click();
    await heading(page, 'Marisol Ortega').waitFor();
    await page.reload();
    await heading(page, 'Marisol Ortega').waitFor();
    await page.goBack();
    await heading(page, 'Marisol Ortega').waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/#\/\?view=pending_acceptance&state=FL&carrier=GULF$/);
    expect(await page.getByLabel('State', { exact: true }).inputValue()).toBe('FL');
    await page.goForward();
    await heading(page, 'Marisol Ortega').waitFor();
    // Never under the banner of test data.
    await button(page, 'Test').click();
    await page.getByText('Nothing found').waitFor();
    await page.goBack();
    await heading(page, 'Marisol Ortega').waitFor();
    expect(await page.getByText('You are looking at test data.').count()).toBe(0);

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

test('offers are withdrawn at once and made again, what had no response is tried again, and a claim is closed for a reason', () =>
  visiting({ ...DESK, viewport: { width: 360, height: 740 } }, async ({ page, context }) => {
    const firm = await service.firm();
    const token = await service.staff(firm, 'dispatcher');
    const member = await service.member(firm);
    const names = ['Delgado', 'Ortega', 'Reyes', 'Abel', 'Baker', 'Cole'];
    const sent = await Promise.all(names.map((name) => send(firm, member.svcId, name)));
    const [, taken, kept] = sent;
    await enterDesk(page, service, token);
    const links = page.getByRole('link', { name: /Marisol/ });
    await links.nth(5).waitFor();
    await page.getByLabel('Select all shown').check();
    await links.last().focus();
    await page.keyboard.press('w');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('says that your firm withdrew it').waitFor();
    await service.call('POST', `/app/v1/claims/${taken.id}/acceptance`, { as: member.token });
    const refused = page.locator('.offer-results').getByText('An adjuster has accepted the claim.');
    let lost = 0;
    await page.route(`**/claims/${kept.id}/withdrawal`, async (route) => {
      lost += 1;
      if (lost > 1) return route.continue();
      await route.fetch();
      // The last outcome comes after the list was shown, and adds a line.
      await refused.waitFor();
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Withdraw', exact: true }).dblclick();
    await page.getByRole('status').getByText('4 of 6 withdrawn from').waitFor();
    await refused.waitFor();
    const retry = button(page, 'Try again');
    await until('the retry in view', async () => {
      const { y, height } = (await retry.boundingBox()) ?? { y: 0, height: 0 };
      return y > 0 && y + height < 740;
    });
    // A tap would not count where the dialog was just tapped.
    await retry.press('Enter');
    await page.getByRole('status').getByText('1 of 1 withdrawn from').waitFor();
    const statuses = async () => {
      const details = await Promise.all(sent.map(({ id }) => detailsOf(token, id)));
      return details.map(({ claim }) => claim.assignment.status);
    };
    expect(await statuses()).toEqual(names.map((name) => (name === 'Ortega' ? 'accepted' : 'unassigned')));
    await button(page, 'Undo: offer again to the same adjusters').press('Enter');
    await page.getByRole('status').getByText('5 of 5 offered to').waitFor();
    expect(await statuses()).toEqual(
      names.map((name) => (name === 'Ortega' ? 'accepted' : 'pending_acceptance')),
    );
    const { history } = await detailsOf(token, kept.id);
    expect(history.map((offer: { outcome: string }) => offer.outcome)).toEqual(['pending', 'withdrawn']);

    await page.evaluate(`location.hash = '#/claims/${kept.id}'`);
    await heading(page, 'Marisol Reyes').waitFor();
    await page.getByText('Withdrawn by').waitFor();
    await button(page, 'Close the claim').click();
    await dialog.getByText('1 pending offer is withdrawn first.').waitFor();
    await dialog.getByLabel('Reason, for your firm only').fill('Sent twice.');
    await page.reload();
    expect(await dialog.getByLabel('Reason, for your firm only').inputValue()).toBe('Sent twice.');
    // Another tab, which has this claim and the board open, shows the end of both.
    const other = await context.newPage();
    await other.goto(page.url());
    await heading(other, 'Marisol Reyes').waitFor();
    await dialog.getByRole('button', { name: 'Close the claim' }).dblclick();
    await page.getByText('Closed by').waitFor();
    await other.getByText('Closed by').waitFor();
    await other.close();
    expect(await detailsOf(token, kept.id)).toMatchObject({
      ...{ closure_reason: 'Sent twice.', closed_by: { type: 'staff' } },
      claim: { assignment: { status: 'unassigned' } },
    });
  }));

test('what was rejected comes first and is counted, fifteen rows fit, what was typed and selected outlives a reload, and nothing is left after the session', () =>
  visiting({ ...DESK, viewport: { width: 1280, height: 720 } }, async ({ page, context }) => {
    const firm = await service.firm();
    const token = await service.staff(firm, 'dispatcher');
    const first = await service.member(firm);
    const sent = [];
    for (let n = 0; n < 18; n += 1) sent.push(await send(firm, first.svcId, `Ortega${n}`));
    const { id } = sent[11] ?? sent[0];
    await service.call('POST', `/app/v1/claims/${id}/rejection`, {
      as: first.token,
      body: { reason: 'Too far.' },
    });
    await enterDesk(page, service, token);
    const links = page.locator('a.board-link');
    await links.nth(17).waitFor();
    expect(await links.first().textContent()).toMatch(/Marisol Ortega11.*Rejected/);
    const fitting = `[...document.querySelectorAll('a.board-link')].filter(
      (link) => link.getBoundingClientRect().bottom <= innerHeight).length`;
    expect(await page.evaluate(fitting)).toBeGreaterThanOrEqual(15);
    // The last digits, as a caller reads them.
    await page.getByLabel('Search').fill(sent[3]?.claim_number.slice(-6) ?? '');
    await until('the search', async () => (await links.count()) === 1);
    await page.getByLabel('Select Marisol Ortega3').check();
    // In a field these are letters: a dialog would be in front of what follows.
    await page.getByLabel('Search').pressSequentially('wo');
    await page.getByLabel('Search').fill('0142 ortega11');
    await page.getByText('1 claim shown, 1 selected, 1 of them not shown here').waitFor();
    expect(await allSelected(page)).toEqual([false, false]);
    await page.getByLabel('Select Marisol Ortega11').check();
    await page.getByText('1 claim shown, 2 selected, 1 of them not shown here').waitFor();
    expect(await allSelected(page)).toEqual([true, false]);
    await page.reload();
    await page.getByText('1 claim shown, 1 selected').waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('0142 ortega11');
    await context.clearCookies();
    await send(firm, first.svcId, 'Reyes');
    await page.getByText('Your session has ended. Sign in to continue.').waitFor();
    expect(await page.content()).not.toContain('Ortega');
  }));

test('a claim prints on one page', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    const { svcId } = await service.member(firm);
    const sent = await sendClaim(service, firm.live, eventClaim(1, svcId, 'sent', Date.now()));
    const { id } = sent.json;
    await enterDesk(page, service, await service.staff(firm, 'auditor'), `#/claims/${id}`);
    await page.locator('.split-claim .history li').waitFor();
    await button(page, 'Show the receipt').click();
    await page.getByText(/^eyJ/).waitFor();
    const pdf = (await page.pdf({ format: 'Letter' })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  }));

test('a file like the sample is checked row by row and sent, and sending it again sends none twice', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    const { svcId } = await service.member(firm);
    await enterDesk(page, service, await service.staff(firm, 'dispatcher'), '#/upload');
    await page.getByText('Loss location: ZIP code').waitFor();
    const [, marked] = await saved(page, 'Download a sample');
    expect(marked[0]).toBe('\ufeff');
    const sample = marked.slice(1);
    const [header = '', first, second = '', third] = sample
      .replaceAll('SVCID-of-the-adjuster', svcId)
      .replaceAll('","', '";"')
      .split('\r\n');
    const lines = [`"Año";${header}`, `;${first}`, `;${second.replace('"FL"', '"Florida"')}`, `;${third}`];
    await choose(page, lines.join('\r\n'));
    await page.getByText('3 of 3 rows. without problems: 2 · with problems: 1').waitFor();
    await page.getByText('Row 3').waitFor();
    const [, problems] = await saved(page, 'Download 1 problem as CSV');
    expect(problems).toMatch(/^\ufeffrow,column,code,text\r\n3,loss_location.state,,/);
    expect(await faultsOf(page, 'checked')).toEqual([]);
    await button(page, 'Send 2 claims').click();
    await page.getByText(/sent: 2/).waitFor();
    await choose(page, lines.join('\r\n'));
    await page.getByText(/sent before: 2/).waitFor();
    await page.reload();
    await page.getByText(/^export 2026-11-26.csv · .* · sent: 2 · sent before: 0 · not sent: 1/).waitFor();
  }));

test('a file of several parts is sent while another screen is shown, closing the page has to be confirmed, and the end is said', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    const { svcId } = await service.member(firm);
    const token = await service.staff(firm, 'dispatcher');
    await enterDesk(page, service, token, '#/upload');
    const claims = Array.from({ length: 8 }, (_, n) => eventClaim(n, svcId, 'parts', Date.now()));
    const [header, ...rows] = csvOfClaims(claims).trim().split('\r\n');
    // So long that a request takes three of them.
    const photos = 'x'.repeat(150_000);
    await choose(page, [`${header},"Photos"`, ...rows.map((row) => `${row},"${photos}"`)].join('\r\n'));
    await page.getByText('8 of 8 rows. without problems: 8').waitFor();
    const { released, release } = held();
    const sent: string[] = [];
    await page.route('**/firm/v1/imports', async (route) => {
      const { first_row, import_id } = route.request().postDataJSON();
      sent.push(`row ${first_row}${import_id === undefined ? '' : ' of the same import'}`);
      await released;
      await route.continue();
    });
    await button(page, 'Send 8 claims').click();
    await page.getByRole('link', { name: 'Board' }).click();
    expect(await faultsOf(page, 'sending')).toEqual([]);
    await page.getByRole('link', { name: 'Sending: 0 of 8 rows.' }).click();
    await page.getByRole('status').getByText('0 of 8 rows.').waitFor();
    const [closing] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })]);
    expect(closing.type()).toBe('beforeunload');
    await closing.dismiss();
    await page.getByRole('link', { name: 'Board' }).click();
    release();
    await page.getByText('Upload: sent: 8').waitFor();
    expect(sent).toEqual(['row 2', 'row 5 of the same import', 'row 8 of the same import']);
    const { json } = await service.call('GET', '/firm/v1/claims', { as: token });
    expect(json.data).toHaveLength(8);
  }));
