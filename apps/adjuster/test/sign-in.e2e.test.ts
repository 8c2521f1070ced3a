import { afterAll, describe, expect, test } from '@jest/globals';
import { startServiceUnderTest } from '../../api/test/service-under-test.ts';
import {
  addAuthenticator,
  assignmentOf,
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
  ready,
  signIn,
  signInAsTest,
  startApp,
  storedKeys,
  until,
  visit,
  WITHOUT_WORKER,
} from './app-under-test.ts';

const { browser, firm, service, visiting, stop } = await startApp();
afterAll(stop);

test('what is typed outlasts a page that the phone closes while a mail is read: codes, names, ZIP, search, selection', () =>
  visiting(WITHOUT_WORKER, async ({ page: first, context }) => {
    const { svcId, token } = await service.member(firm);
    for (let n = 0; n < 4; n += 1) await offerFullClaim(service, firm, svcId);
    let page = first;
    const closeAndOpen = async (hash = '') => {
      await page.close();
      page = await context.newPage();
      await page.goto(`${service.url}/app${hash}`);
    };
    await page.goto(`${service.url}/app`);
    await page.getByLabel('Your email').fill(await emailOf(service, token));
    await button(page, 'Email me a code').click();
    await page.getByLabel('Six-digit code').waitFor();
    const code = await codeFor(service);
    await closeAndOpen();
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
    await button(page, 'Accept 1').waitFor();
    await page.evaluate("location.hash = '#/settings'");
    await button(page, 'Change').first().click();
    await page.getByLabel('Last name').fill('Delacroix-B');
    const stored = (text: string) =>
      until(`${text} to be stored`, async () =>
        JSON.stringify(await inDatabase(page, "found = kept.get('fields')")).includes(text),
      );
    await stored('Delacroix-B');
    await closeAndOpen('#/settings');
    await until('the name', async () => (await page.getByLabel('Last name').inputValue()) === 'Delacroix-B');
    const changed = `moved-${Date.now()}@example.com`;
    await page.getByLabel('Email').fill(changed);
    await button(page, 'Save').click();
    await page.getByLabel('Six-digit code').waitFor();
    const emailCode = await until('the code', async () =>
      service.logged
        .map((line) => /"email_code":"(\d{6})"/.exec(line)?.[1])
        .findLast((found) => found !== undefined),
    );
    await stored('new-email');
    await closeAndOpen('#/settings');
    await page.getByLabel('Six-digit code').fill(emailCode);
    await button(page, 'Confirm address').click();
    await page.getByText(changed).waitFor();
    await page.evaluate("location.hash = '#/'");
    await button(page, 'Accept 1').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('Marisol');
    await button(page, 'Set your location').click();
    expect(await page.getByLabel('ZIP code').inputValue()).toBe('339');
  }));

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
