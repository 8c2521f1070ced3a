import { describe, expect, test } from '@jest/globals';
import { startServiceUnderTest } from '../../api/test/service-under-test.ts';
import {
  addAuthenticator,
  axeViolations,
  button,
  codeFor,
  emailOf,
  enter,
  enterCode,
  heading,
  inDatabase,
  offerFullClaim,
  PHONE,
  startApp,
  storedKeys,
  until,
  visit,
  WITHOUT_WORKER,
} from './app-under-test.ts';

const { browser, firm, service, visiting } = await startApp();

test('what is typed outlasts a page that the phone closes: codes, search, selection; and a session that has ended says so', () =>
  visiting(WITHOUT_WORKER, async ({ page: first, context }) => {
    const { svcId, token } = await service.member(firm);
    for (let n = 0; n < 4; n += 1) await offerFullClaim(service, firm, svcId);
    let page = first;
    const closeAndOpen = async () => {
      await page.close();
      page = await context.newPage();
      await page.goto(`${service.url}/app`);
    };
    await page.goto(`${service.url}/app`);
    const noted = `localStorage['sign-in-code /app']`;
    const openAfter = async (minutes: number) => {
      await page.evaluate(`${noted} = (Date.now() - ${minutes * 60_000}) + ' other@example.com'`);
      await page.reload();
    };
    await openAfter(5);
    await button(page, 'Use another email').click();
    expect(await page.evaluate(noted)).toBe('');
    // The code is not valid any more.
    await openAfter(10);
    await page.getByLabel('Your email').fill(await emailOf(service, token));
    await button(page, 'Email me a code').click();
    await page.getByLabel('Six-digit code').waitFor();
    const code = await codeFor(service);
    await closeAndOpen();
    for (const [refusal, said] of [
      ['invalid_sign_in', 'The code is wrong or has expired.'],
      ['code_not_requested', 'A code works only in the browser that requested it.'],
      ['passkey_required', 'This account has a passkey.'],
    ] as const) {
      const problem = { status: 401, json: { status: 401, code: refusal } };
      await page.route('**/app/session', (route) => route.fulfill(problem), { times: 1 });
      await page.getByLabel('Six-digit code').fill('000000');
      await button(page, 'Sign in').click();
      await page.getByText(said).waitFor();
    }
    await page.getByLabel('Six-digit code').fill(code);
    await button(page, 'Sign in').click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();

    await button(page, 'Search, sort').click();
    await page.getByRole('searchbox').fill('Marisol');
    await page.getByLabel('Sort by').selectOption('distance');
    await page.getByLabel('ZIP code').fill('339');
    await page.keyboard.press('Escape');
    await button(page, 'Select').click();
    await page.getByRole('checkbox').first().click();
    await until('what is typed to be stored', async () => {
      const fields = JSON.stringify(await inDatabase(page, "found = kept.get('fields')"));
      return fields?.includes('"zip":"339"') && /"selected":"\w/.test(fields);
    });
    await closeAndOpen();
    await button(page, 'Accept 1').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('Marisol');
    await button(page, 'Set your location').click();
    expect(await page.getByLabel('ZIP code').inputValue()).toBe('339');

    const { value = '' } = (await context.cookies()).find(({ name }) => name === 'svc-session') ?? {};
    await service.call('DELETE', '/app/v1/sessions/current', { as: value });
    await page.evaluate('dispatchEvent(new Event("online"))');
    await page.getByText('Your session has ended. Sign in to continue').waitFor();
    expect(await page.content()).not.toContain('Marisol');
  }));

describe('a session', () => {
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
});

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

test('where passkeys are required, a code leads to adding one and nothing else, which is renamed and then signs in', async () => {
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
  const dialog = page.getByRole('dialog');
  await button(page, 'Rename My device').click();
  await dialog.getByLabel('Name of the passkey').fill('Old phone');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await button(page, 'Remove Old phone').click();
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Remove Old phone' }).click();
  await page.getByText('Your only passkey cannot be removed. Add another one first.').waitFor();
  await button(page, 'Sign out').click();
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await button(page, 'Sign in with a passkey').click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByText('Last used').waitFor();
  expect(faults).toEqual([]);
  await close();
});
