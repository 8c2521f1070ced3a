import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  addAuthenticator,
  button,
  enterCode,
  heading,
  until,
  visit,
} from '../../adjuster/test/app-under-test.ts';
import { claimBody, sendClaim, startServiceUnderTest } from '../../api/test/service-under-test.ts';
import { DESK, enterDesk, faultsOf, saved, startDesk, storedText } from './desk-under-test.ts';

const { browser, service, visiting } = await startDesk();

const statusWith = async (key: string): Promise<number> =>
  (await service.call('GET', '/v1/me', { as: key })).status;

/** Takes the secret from the dialog, which shows it once, and which no slip closes. */
async function secretIn(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  const secret = (await dialog.locator('code.secret').textContent()) ?? '';
  for (let n = 0; n < 3; n += 1) await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await page.evaluate(`location.hash = '#/settings'`);
  await heading(page, 'Settings').waitFor();
  await page.goBack();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  return secret;
}

test('a developer creates, replaces and revokes a key, and its secret is shown once and kept nowhere', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    await enterDesk(page, service, await service.staff(firm, 'developer'), '#/keys');
    await page.locator('.badge', { hasText: 'Live' }).waitFor();
    await page.getByText('A key may do no more than who makes it').waitFor();
    expect(await page.getByRole('button', { name: /Create|Replace/ }).count()).toBe(0);
    await button(page, 'Test').click();
    await button(page, 'Create a key').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Claims import');
    await dialog.getByLabel('Works for').selectOption({ index: 1 });
    expect(await faultsOf(page, 'create')).toEqual([]);
    const creating = page.waitForRequest(
      (request) => request.method() === 'POST' && /keys$/.test(request.url()),
    );
    await dialog.getByRole('button', { name: 'Create a key' }).click();
    expect([(await creating).postDataJSON(), (await creating).headers()]).toMatchObject([
      { environment: 'test', purpose: 'full_access', expires_in_days: 30, name: 'Claims import' },
      { 'x-claims-page': firm.id },
    ]);
    await page.getByText('Copy it now').waitFor();
    expect(await faultsOf(page, 'secret')).toEqual([]);
    const first = await secretIn(page);
    expect([first.startsWith('svc_test_'), await statusWith(first)]).toEqual([true, 200]);

    const created = page.locator('.wide-row').nth(1);
    await page.getByText('Claims import', { exact: true }).waitFor();
    await page.getByText(/by Priya Natarajan$/).waitFor();
    await page.getByRole('button', { name: 'Rename' }).first().click();
    await dialog.getByLabel('Name').fill('Nightly import');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Nightly import', { exact: true }).waitFor();
    await created.waitFor();
    await button(page, 'Replace').first().click();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    const second = await secretIn(page);
    // The old key still works for a day.
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);
    await page.locator('.wide-row').nth(2).waitFor();
    await button(page, 'Revoke').first().click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked', { exact: true }).waitFor();
    await until('the revocation', async () => (await statusWith(second)) === 401);
    expect(await faultsOf(page, 'keys')).toEqual([]);
    const kept = `${await page.content()} ${await storedText(page)} ${page.url()}`;
    expect([kept.includes(first), kept.includes(second)]).toEqual([false, false]);
  }));

test('where passkeys are required, the desk asks for one and nothing else, and it then signs in', async () => {
  const strict = await startServiceUnderTest({
    env: { HOST: 'localhost', PASSKEYS: 'required' },
    databaseUrl: service.databaseUrl,
  });
  const { page, faults, close } = await visit(browser, strict.url, DESK);
  await addAuthenticator(page);
  const token = await service.staff(await service.firm(), 'dispatcher');
  const { staff } = (await service.call('GET', '/firm/v1/me', { as: token })).json;
  await enterCode(page, strict, staff.email, '/firm');
  await heading(page, 'Add a passkey to continue').waitFor();
  expect(await faultsOf(page, 'passkey')).toEqual([]);
  await button(page, 'Add a passkey').click();
  await heading(page, 'Board').waitFor();
  await page.getByText('No claim waits').waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await button(page, 'Rename My device').waitFor();
  expect(await faultsOf(page, 'settings')).toEqual([]);
  await button(page, 'Sign out').click();
  await button(page, 'Sign in with a passkey').click();
  await heading(page, 'Board').waitFor();
  expect(faults).toEqual([]);
  await close();
});

const CLIPBOARD = { ...DESK, permissions: ['clipboard-read', 'clipboard-write'] };

test('a developer simulates with a new test key, sees each outcome, copies a sample that works, and nothing keeps the key', () =>
  visiting(CLIPBOARD, async ({ page }) => {
    const firm = await service.firm();
    const { manual } = firm.account;
    await enterDesk(page, service, await service.staff(firm, 'developer'), '#/keys');
    await button(page, 'Test').click();
    await button(page, 'Create a key').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
    const key = (await page.locator('code.secret').textContent()) ?? '';
    await button(page, 'Use in the sandbox').click();
    await heading(page, 'Sandbox').waitFor();

    const act = async (name: string, outcome = 'Done') => {
      await button(page, name).click();
      await page.locator('summary', { hasText: name }).first().getByText(outcome).waitFor();
    };
    await act(`Pause ${manual}`);
    const refused = await sendClaim(service, key, claimBody(manual));
    expect(refused.json.code).toBe('adjuster_not_accepting');
    await act(`Resume ${manual}`);
    const claim = claimBody(manual);
    const { json: sent } = await sendClaim(service, key, claim);
    await act('Refresh');
    await act(`Reject ${claim.external_id}`);
    const found = await service.call('GET', `/v1/claims/${sent.id}`, { as: key });
    expect(found.json.assignment.status).toBe('rejected');
    await act(`Leave the firm ${manual}`);
    await act(`Invite ${manual}`);
    await act(`Accept ${manual}`);

    await page.getByLabel('Your next requests with this key').selectOption('internal_error');
    await page.getByLabel('How many').fill('0');
    await act('Simulate', 'validation_failed');
    await page.getByLabel('How many').fill('100');
    await act('Simulate');
    expect(await statusWith(key)).toBe(500);
    // The page itself meets none.
    await act('Refresh');
    await act('Clear');
    expect(await statusWith(key)).toBe(200);

    await button(page, 'Copy: Send a claim').click();
    const sample = await page.evaluate('navigator.clipboard.readText()');
    const { stdout } = await promisify(execFile)('bash', ['-c', String(sample)]);
    expect(JSON.parse(stdout)).toMatchObject({ test: true, assignment: { status: 'pending_acceptance' } });

    expect(`${await storedText(page)} ${page.url()}`).not.toContain(key);
    await page.reload();
    await page.getByLabel('Test key').waitFor();
    expect(await page.content()).not.toContain(key);
  }));

test('a rehearsal hands out its claims, shows what happens, is undone when it is stopped, and leads to its readiness', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    await enterDesk(page, service, await service.staff(firm, 'developer'), '#/sandbox');
    await page.getByLabel('Test key').fill(firm.live);
    await button(page, 'Use in the sandbox').click();
    await page.getByText('A test key starts with svc_test_.').waitFor();
    expect(await faultsOf(page, 'key')).toEqual([]);
    await page.getByLabel('Test key').fill(firm.test);
    await button(page, 'Use in the sandbox').click();
    await page.getByLabel('From the first claim on').selectOption({ label: '1 min' });
    await button(page, 'Start').click();
    const [, text] = await saved(page, 'Download the claims');
    const lines = text.trim().split('\n');
    expect(lines).toHaveLength(30);
    const claims = lines.map((line) => JSON.parse(line));
    for (let lost = 0; lost < 3; lost += 1)
      await expect(sendClaim(service, firm.test, claims[0], 'first')).rejects.toThrow();
    expect((await sendClaim(service, firm.test, claims[0], 'first')).status).toBe(201);
    // It goes on while another screen is shown.
    await page.getByRole('link', { name: 'Keys' }).click();
    await until('the next faults', async () => (await statusWith(firm.test)) === 429);
    await page.getByRole('link', { name: 'Sandbox' }).click();
    await page.getByText('the responses to the next 3 writes are lost').waitFor();
    expect(await faultsOf(page, 'rehearsal')).toEqual([]);
    await service.call('POST', `/v1/test/adjusters/${firm.account.manual}/departure`, { as: firm.test });
    await button(page, 'Stop').click();
    await page.getByText('Over. Everything is as before.').waitFor();
    expect((await sendClaim(service, firm.test, claims[1], 'second')).status).toBe(201);
    expect((await sendClaim(service, firm.test, claims[1], 'another key')).status).toBe(409);
    await until('what is found', async () => {
      const { json } = await service.call('GET', '/v1/test/readiness', { as: firm.test });
      return json.checks[2].finding_count === 1;
    });

    await page.getByRole('link', { name: 'Check what your system did' }).click();
    await page.getByText(/2 claims checked since/).waitFor();
    expect(await page.getByLabel('Requests since').inputValue()).toBe('rehearsal');
    await page.getByLabel('Requests since').selectOption({ label: '1 hour ago' });
    await page.getByText('Not ready yet').waitFor();
    const failed = page.getByRole('region', { name: 'No claim is sent twice' });
    await failed.locator('.pill.error', { hasText: 'Failed' }).waitFor();
    await failed.getByText(/^Record a claim as sent on 201/).waitFor();
    await failed.getByText('Show the finding').click();
    expect(await faultsOf(page, 'readiness')).toEqual([]);
    await failed.getByRole('link', { name: 'Request' }).last().click();
    await page.getByText('duplicate_claim', { exact: true }).waitFor();
  }));
