import { expect, test } from '@jest/globals';
import { csvOfClaims } from '@svc/csv-import/in-page';
import { eventClaim } from '@svc/sandbox';
import type { Page } from 'playwright-core';
import { operatorOf } from '../../../tools/services/operator.ts';
import { button, codeFor, heading, tooSmall } from '../../adjuster/test/app-under-test.ts';
import { claimBody, sendClaim } from '../../api/test/service-under-test.ts';
import { en, type Texts } from '../src/texts/en.ts';
import { es } from '../src/texts/es.ts';
import { DESK, enterDesk, faultsOf, PHONE, startDesk, storedText } from './desk-under-test.ts';

const { service, visiting } = await startDesk();

const TABLET = { ...DESK, viewport: { width: 820, height: 1100 } };

/** A firm with a claim that an adjuster has. */
async function firmWithClaim() {
  const firm = await service.firm();
  const { svcId, token: adjuster } = await service.member(firm);
  const policyholder = { first_name: 'Marisol', last_name: 'Wolfeschlegelsteinhausen-Featherstonehaugh' };
  const body = { ...claimBody(svcId), policyholder: { ...policyholder, phone: '352-555-0142' } };
  const { json } = await sendClaim(service, firm.live, body);
  return { firm, claimId: String(json.id), adjuster, svcId };
}

/** What each screen shows once it has been read. */
const SCREENS = {
  adjusters: '.wide-row',
  map: '.marker',
  upload: 'input[type=file]',
  reports: 'table',
  keys: '.wide-row',
  requests: '.filter-line',
  sandbox: 'input[type=password]',
  webhooks: '.empty-state',
  readiness: '.card',
  audit: '.wide-row',
  people: '.wide-row',
  settings: '.list .strong',
} as const;
type Screen = keyof typeof SCREENS;

async function open(page: Page, screen: Screen, words: Texts): Promise<void> {
  await page.evaluate(`location.hash = '#/${screen}'`);
  await heading(page, words.nav[screen]).waitFor();
  await page.locator(`main ${SCREENS[screen]}`).first().waitFor();
}

const AUDITED = [
  ...['adjusters', 'map', 'reports', 'keys', 'requests', 'webhooks', 'readiness', 'audit'],
] as const satisfies readonly Screen[];

test('an auditor sees every list, and finds nothing that writes and no secret', async () => {
  const { firm, claimId } = await firmWithClaim();
  await visiting(DESK, async ({ page }) => {
    await enterDesk(page, service, await service.staff(firm, 'auditor'));
    await page.getByRole('link', { name: /Marisol/ }).waitFor();
    for (const key of ['j', 'x', 'o']) await page.keyboard.press(key);
    await page.locator('a.board-link:focus').waitFor();
    await page.getByText('1 claim shown', { exact: true }).waitFor();
    expect(await page.locator('.selection, [role=dialog], dialog').count()).toBe(0);
    const menu = await page.locator('nav.menu a').evaluateAll((links) => links.map(String));
    expect(menu.map((href) => href.split('#/')[1])).toEqual(['', ...AUDITED, 'settings']);
    const names: string[] = [];
    const note = async () => {
      const controls = page.locator('main :is(button:not(.value), input[type=checkbox])');
      names.push(...(await controls.allTextContents()));
      expect(await page.content()).not.toMatch(/svc_(live|test)_|whsec_/);
    };
    await note();
    for (const screen of AUDITED) {
      await open(page, screen, en);
      await note();
    }
    await page.evaluate(`location.hash = '#/claims/${claimId}'`);
    await page.locator('.history li').waitFor();
    await note();
    const reading =
      /^(Search|(Waiting|Late|Rejected) \d+|Name|Claim number|Carrier|Adjuster|Status|Print|(Show|Save) the receipt|Clear filters|Show more|Download as CSV|Check again|Verify|Export|Show all|[+−\d]*)$/;
    expect(names.filter((name) => !reading.test(name.trim()))).toEqual([]);
    expect(await storedText(page)).not.toMatch(/Marisol|Priya|SVC-/);
  });
  await visiting(DESK, async ({ page }) => {
    await enterDesk(page, service, await service.staff(firm, 'developer'), `#/claims/${claimId}`);
    await page.getByText('Your role does not allow this.').waitFor();
    expect(await page.content()).not.toContain('Marisol');
    await page.evaluate(`location.hash = '#/'`);
    await heading(page, 'Keys').waitFor();
  });
});

test('a person of two firms chooses one after the code, changes it, and no tab goes on showing the other', () =>
  visiting(DESK, async ({ page }) => {
    const operator = operatorOf(service.service.services);
    const gulf = await firmWithClaim();
    const bayou = await operator.firm({ name: 'Bayou Claims' });
    const { email } = await operator.staff(gulf.firm.id, 'dispatcher');
    const as = await service.staff(bayou, 'admin');
    const body = { email, name: 'Priya Natarajan', role: 'auditor' };
    expect((await service.call('POST', '/firm/v1/staff', { as, body })).status).toBe(201);
    await page.goto(`${service.url}/firm`);
    await page.getByLabel('Your email').fill(email);
    await button(page, 'Email me a code').click();
    // As it is pasted from a mail.
    await page.getByLabel('Six-digit code').focus();
    await page.keyboard.insertText(`  ${await codeFor(service)} `);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Which firm do you work for now?' }).waitFor();
    expect(await faultsOf(page, 'choice')).toEqual([]);
    await button(page, 'Gulf Adjusting Partners').click();
    await page.getByRole('link', { name: /Marisol/ }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`${service.url}/firm`);
    await tab.getByRole('link', { name: /Marisol/ }).waitFor();

    await page.getByLabel('Firm').selectOption({ label: 'Bayou Claims' });
    await page.getByText('No claim waits').waitFor();
    expect(await page.content()).not.toContain('Marisol');
    await tab.getByText('No claim waits').waitFor();
    expect(await tab.content()).not.toContain('Marisol');
    await page.reload();
    await page.getByText('No claim waits').waitFor();
    expect(await page.getByLabel('Firm').inputValue()).toBe(bayou.id);
    expect(await page.getByRole('link', { name: 'Upload' }).count()).toBe(0);
  }));

const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Opens what people do with claims and adjusters, and returns what is wrong with it. */
async function faultsOfActs(
  page: Page,
  { claimId, accepted, svcId }: Record<'claimId' | 'accepted' | 'svcId', string>,
) {
  const found: string[] = [];
  const audit = async (screen: string): Promise<void> => {
    found.push(...(await faultsOf(page, screen)), ...(await tooSmall(page, screen)));
  };
  const go = async (hash: string, ready: string): Promise<void> => {
    await page.evaluate(`location.hash = '${hash}'`);
    await page.locator(ready).first().waitFor();
  };
  const dialog = page.getByRole('dialog');
  const spread = async (count: number): Promise<void> => {
    await button(page, es.spread.act(count)).click();
    await dialog.getByLabel(svcId).check();
    await audit(`spread ${count}`);
    await button(page, es.spread.show).click();
    await dialog.locator('summary').click();
    await audit(`plan of ${count}`);
    await page.keyboard.press('Escape');
  };
  await go('#/', 'a.board-link');
  await page.getByLabel(es.board.selectAll).check();
  await audit('selection');
  await spread(2);
  for (const [act, title, confirm] of [
    ['offer', es.offer.title(2), es.board.offer],
    ['close', es.end.close.title(2), es.board.acts.close(2)],
    ['withdraw', es.end.withdraw.title(2), es.end.withdraw.act],
  ] as const) {
    await button(page, es.board.acts[act](2)).click();
    await dialog.getByRole('heading', { name: title }).waitFor();
    await dialog.getByRole('button', { name: confirm }).waitFor();
    await audit(act);
    if (act !== 'withdraw') await page.keyboard.press('Escape');
  }
  await dialog.getByRole('button', { name: es.end.withdraw.act }).click();
  await button(page, es.offer.undo).click();
  await page.getByText(es.offer.done.offer('Jean Delacroix'), { exact: true }).nth(1).waitFor();
  await audit('results');
  await go(`#/claims/${claimId}`, '.history li');
  await button(page, es.board.offer).click();
  await dialog.getByLabel(es.board.sort).selectOption(es.offer.orders.distance ?? '');
  await dialog.getByText(es.offer.miles(0)).waitFor();
  await dialog.locator('.pill.warning').waitFor();
  await audit('candidates');
  await page.keyboard.press('Escape');
  await go(`#/claims/${accepted}`, '.history li');
  await page
    .getByText(/en el dispositivo$/)
    .first()
    .waitFor();
  await audit('clocks of a claim');
  await go('#/?view=clock_late', 'a.board-link');
  await heading(page, es.board.titles.clock_late ?? '').waitFor();
  await audit('late contacts');
  await go('#/settings', 'h2');
  await button(page, 'Añadir una regla').click();
  await page.getByLabel('Aseguradora').fill('Bayou Mutual');
  await button(page, 'Guardar los plazos').click();
  await page.getByText('No se guardó.').waitFor();
  await audit('clocks');
  await go('#/upload', 'input[type=file]');
  const rows = csvOfClaims([1, 2].map((n) => eventClaim(n, '', 'unnamed', Date.now())));
  const file = { name: 'unnamed.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) };
  await page.locator('main input[type=file]').setInputFiles(file);
  await page.getByText(es.spread.rows(2)).waitFor();
  await audit('rows without an adjuster');
  await spread(2);
  await go('#/adjusters', '.wide-row');
  await button(page, es.adjusters.inviteMany).click();
  await dialog
    .locator('textarea')
    .fill(`SVCID\tCorreo\n${svcId}\tana@example.com\nAna Reyes\tana@example.com`);
  await audit('list of adjusters');
  await dialog.getByRole('button', { name: es.adjusters.sendMany(2) }).click();
  await button(page, es.adjusters.correct).waitFor();
  await audit('outcomes of invitations');
  return found;
}

test.each([
  ['360 px wide, in Spanish and dark, with its help', PHONE, es, 'Ayuda'],
  ['820 px wide, in English and light', TABLET, en, undefined],
] as const)('%s, every screen fits and is accessible', (_, options, words, help) =>
  visiting(options, async ({ page }) => {
    const { firm, claimId, svcId, adjuster: as } = await firmWithClaim();
    const license = { state: 'FL', kind: 'emergency', number: 'E-482913', expires_on: dayAfter(9) };
    const fcn = { number: '0070012345', categories: ['residential', 'rcbap'], expires_on: '2099-12-31' };
    await service.call('PUT', '/app/v1/me/credentials', { as, body: { fcn, licenses: [license] } });
    await service.call('PUT', `/app/v1/firms/${firm.id}/sharing`, {
      as,
      body: { clocks: true, credentials: true, work_area: true },
    });
    await service.call('PATCH', '/app/v1/me/availability', { as, body: { work_zip: '32625' } });
    await sendClaim(service, firm.live, claimBody(svcId));
    const { json: taken } = await sendClaim(service, firm.live, claimBody(svcId));
    await service.call('POST', `/app/v1/claims/${taken.id}/acceptance`, { as });
    const contact = { at: `${dayAfter(-9)}T12:00:00Z`, result: 'reached' };
    await service.call('PUT', `/app/v1/claims/${taken.id}/contacts/c1`, { as, body: contact });
    await enterDesk(page, service, await service.staff(firm, 'admin'));
    await page.getByRole('link', { name: /Marisol/ }).waitFor();
    const found = await faultsOf(page, 'board');
    await page.locator('.top button').last().click();
    found.push(...(await faultsOf(page, 'menu')));
    const audit = async (screen: string): Promise<void> => {
      if (help !== undefined) {
        await button(page, help).click();
        await page.locator('aside a').waitFor();
      }
      found.push(...(await faultsOf(page, screen)));
    };
    await page.evaluate(`location.hash = '#/claims/${claimId}'`);
    await page.locator('.history li').waitFor();
    await audit('claim');
    // Pixels between the parts of a claim, which are one below the other.
    expect(
      await page.evaluate(`Math.min(...[...document.querySelectorAll('.split-claim > *')].map((part, index, parts) =>
        index === 0 ? 99 : part.getBoundingClientRect().top - parts[index - 1].getBoundingClientRect().bottom))`),
    ).toBeGreaterThan(8);
    for (const screen of Object.keys(SCREENS) as Screen[]) {
      await open(page, screen, words);
      await audit(screen);
      if (screen === 'adjusters') {
        await page.getByRole('button', { name: /^(Credentials of|Credenciales de)/ }).click();
        await page.getByText('FL E-482913').waitFor();
        await page.getByText(/^(residential, RCBAP|residencial, condominio .RCBAP.), .*2099$/).waitFor();
        found.push(...(await faultsOf(page, 'credentials')));
        await page.keyboard.press('Escape');
      }
      if (screen === 'sandbox') {
        await page.locator(SCREENS.sandbox).fill(firm.test);
        await page.keyboard.press('Enter');
        await page.locator('pre').last().waitFor();
        found.push(...(await faultsOf(page, 'simulations')));
      }
    }
    if (help !== undefined) found.push(...(await faultsOfActs(page, { claimId, accepted: taken.id, svcId })));
    expect(found).toEqual([]);
  }),
);
