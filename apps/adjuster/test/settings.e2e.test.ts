import { expect, test } from '@jest/globals';
import {
  assignmentOf,
  button,
  emailOf,
  enter,
  heading,
  offerFullClaim,
  PHONE,
  ready,
  startApp,
  until,
  WITHOUT_WORKER,
} from './app-under-test.ts';

const { firm, service, visiting } = await startApp();

test('offers are paused by firm, for all firms, for days away or at a number, and say why; a firm sees what is turned on, and is left after a confirmation', () =>
  visiting(PHONE, async ({ page, context }) => {
    const { svcId, token } = await service.member(firm);
    const id = await offerFullClaim(service, firm, svcId);
    await enter(page, service, token, '#/firms');
    const taking = page.getByRole('switch', { name: /Receive new offers/ });
    await taking.click();
    await page.getByText('Paused: no new offers').waitFor();
    expect(await taking.getAttribute('aria-checked')).toBe('false');
    await taking.click();
    await page.getByText('This firm can offer you claims.').waitFor();

    // A switch shows what the service has.
    const shared = async () =>
      (await service.call('GET', `/app/v1/firms/${firm.id}/sharing`, { as: token })).json;
    await button(page, 'What this firm sees of you').click();
    const credentials = page.getByRole('switch', { name: 'My FCN and licenses' });
    await credentials.click();
    await page.locator('[role=switch][aria-checked=true]', { hasText: 'My FCN' }).waitFor();
    expect(await shared()).toEqual({ clocks: false, credentials: true, work_area: false });
    await context.setOffline(true);
    await credentials.click();
    await page.locator('.toast').first().waitFor();
    expect(await credentials.getAttribute('aria-checked')).toBe('true');
    await context.setOffline(false);
    await button(page, 'Done').click();

    const offers = async (text: string) => {
      await page.evaluate("location.hash = '#/'");
      await page.getByText(text).waitFor();
      await page.evaluate("location.hash = '#/firms'");
    };
    const pause = page.getByRole('switch', { name: 'Pause all firms' });
    await pause.click();
    await offers('You have paused all firms.');
    await pause.click();
    await page.getByLabel('Most open offers at once').selectOption('1');
    await offers('You have 1 open offer, as many as you want.');
    await page.getByLabel('Most open offers at once').selectOption('No limit');
    const workZip = page.getByLabel('ZIP code where you work');
    await workZip.fill('33931');
    await page.locator('form', { has: workZip }).getByRole('button', { name: 'Save' }).click();
    await page
      .getByLabel('First day')
      .fill(String(await page.evaluate("new Date().toLocaleDateString('en-CA')")));
    await button(page, 'Add').click();
    await page.getByRole('button', { name: /^Remove/ }).waitFor();
    await offers('You are away until');
    const saved = async () => (await service.call('GET', '/app/v1/me', { as: token })).json.availability;
    await until('all of it', async () => (await saved()).away.length === 1);
    expect(await saved()).toMatchObject({
      ...{ accepting_assignments: true, max_open_offers: null, work_zip: '33931' },
    });
    await page.getByRole('button', { name: /^Remove/ }).click();
    await page.getByText('No days planned.').waitFor();
    // A field that is emptied stays empty, and clears what is saved.
    await workZip.fill('');
    expect(await workZip.inputValue()).toBe('');
    await page.locator('form', { has: workZip }).getByRole('button', { name: 'Save' }).click();
    await until('no ZIP code', async () => (await saved()).work_zip === null);

    await button(page, 'Leave this firm').click();
    await page.getByText('Claims you have accepted stay with you.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You have left Gulf Adjusting Partners.').waitFor();
    expect((await assignmentOf(service, firm, id)).status).toBe('unassigned');
  }));

test('credentials that are typed outlast a closed page, are saved once there is a network, and say when another device changed them', () =>
  visiting(PHONE, async ({ page }) => {
    const { token } = await service.member(firm);
    const path = '/app/v1/me/credentials';
    const saved = async () => (await service.call('GET', path, { as: token })).json;
    await enter(page, service, token, '#/credentials');
    await button(page, 'Add a license').click();
    await page.getByLabel('State').selectOption('FL');
    await page.getByLabel('Kind').selectOption('Emergency');
    const number = page.getByLabel('Number').last();
    await number.fill('E-482913');
    const lastDay = page.getByLabel('Last day').last();
    for (const [days, text] of [
      [-1, 'It has ended.'],
      [0, 'It ends today.'],
      [1, 'It ends in 1 day.'],
      [60, 'It ends in 60 days.'],
    ] as const) {
      const on = `(() => { const on = new Date(); on.setDate(on.getDate() + ${days}); return on.toLocaleDateString('en-CA'); })()`;
      await lastDay.fill(String(await page.evaluate(on)));
      await page.getByText(text, { exact: true }).waitFor();
    }
    await lastDay.fill('2099-04-30');
    await page.getByText(/^It (ends|has ended)/).waitFor({ state: 'detached' });
    await page.getByText('Not saved yet.').waitFor();
    await ready(page);
    await page.reload();
    await until('what was typed', async () => (await number.inputValue()) === 'E-482913');
    await page.context().setOffline(true);
    await button(page, 'Save').click();
    await page.locator('.toast').first().waitFor();
    await page.getByText('Not saved yet.').waitFor();
    expect((await saved()).licenses).toEqual([]);
    await page.context().setOffline(false);
    await button(page, 'Save').click();
    await page.getByText('Not saved yet.').waitFor({ state: 'detached' });
    const license = { state: 'FL', kind: 'emergency', number: 'E-482913', expires_on: '2099-04-30' };
    expect((await saved()).licenses).toEqual([license]);

    const change = async (there: string, here: string) => {
      const elsewhere = { ...license, number: there };
      await service.call('PUT', path, { as: token, body: { licenses: [elsewhere] } });
      await number.fill(here);
      await button(page, 'Save').click();
      await page.getByText('were changed on another device').waitFor();
      expect((await saved()).licenses).toEqual([elsewhere]);
    };
    await change('E-2', 'E-3');
    // Told of it, the adjuster may replace what the other device has saved.
    await button(page, 'Save').click();
    await page.getByText('Not saved yet.').waitFor({ state: 'detached' });
    expect((await saved()).licenses).toEqual([{ ...license, number: 'E-3' }]);
    await change('E-4', 'E-5');
    await button(page, 'Take what is saved').click();
    await until('what is saved', async () => (await number.inputValue()) === 'E-4');
  }));

test('a new email address is used once the code emailed to it is entered, also after the page was closed', () =>
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
    await page.reload();
    await page.getByLabel('Six-digit code').fill(code === '000000' ? '000001' : '000000');
    await button(page, 'Confirm address').click();
    await page.getByText('The code is wrong or has expired.').waitFor();
    expect(await emailOf(service, token)).toBe(before);
    await page.getByLabel('Six-digit code').fill(code);
    await button(page, 'Confirm address').click();
    await page.getByText(after, { exact: true }).waitFor();
    expect(await emailOf(service, token)).toBe(after);
  }));

test('a chosen language is remembered, and the settings offer to install the app although the browser said so before', () =>
  visiting({ ...PHONE, locale: 'es-PR' }, async ({ page }) => {
    const { token } = await service.member(firm);
    await enter(page, service, token);
    await heading(page, 'Ofertas').waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('es');
    await page.evaluate(
      "dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt: async () => { document.title = 'asked'; } }))",
    );
    await page.getByRole('link', { name: 'Ajustes' }).click();
    await page.getByLabel('Idioma').selectOption('en');
    await button(page, 'Install').click();
    await until('the prompt', async () => (await page.title()) === 'asked');
    await page.reload();
    await heading(page, 'Settings').waitFor();
  }));

test('a screen without its code says that the network is missing, or that the page is from before an update, and how to go on', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { token } = await service.member(firm);
    await enter(page, service, token);
    const open = (screen: string) => page.evaluate(`location.hash = '#/${screen}'`);
    let isGone = true;
    await page.route('**/assets/{firms,history}-*.js', (route) =>
      isGone ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await open('firms');
    await page.getByText('This page may be from before an update.').waitFor();
    await context.setOffline(true);
    await open('history');
    await page.getByText('Check your connection and try again.').waitFor();
    await context.setOffline(false);
    isGone = false;
    await button(page, 'Try again').click();
    await heading(page, 'History').waitFor();
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
