import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { READINESS_CHECKS } from '@svc/contract';
import { button, heading, until } from '../../adjuster/test/app-under-test.ts';
import { claimBody, sendClaim } from '../../api/test/service-under-test.ts';
import { DESK, enterDesk, faultsOf, startDesk, storedText } from './desk-under-test.ts';

const { service, visiting, stop } = await startDesk();
afterAll(stop);

const CLIPBOARD = { ...DESK, permissions: ['clipboard-read', 'clipboard-write'] };
const meWith = (as: string) => service.call('GET', '/v1/me', { as });

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
    expect(await faultsOf(page, 'sandbox')).toEqual([]);
    await page.getByLabel('How many').fill('100');
    await act('Simulate');
    expect((await meWith(key)).status).toBe(500);
    // The page itself meets none.
    await act('Refresh');
    await act('Clear');
    expect((await meWith(key)).status).toBe(200);

    await button(page, 'Copy: Send a claim').click();
    const sample = await page.evaluate('navigator.clipboard.readText()');
    const { stdout } = await promisify(execFile)('bash', ['-c', String(sample)]);
    expect(JSON.parse(stdout)).toMatchObject({ test: true, assignment: { status: 'pending_acceptance' } });

    expect(`${await storedText(page)} ${page.url()}`).not.toContain(key);
    await page.reload();
    await page.getByLabel('Test key').waitFor();
    expect(await page.content()).not.toContain(key);
  }));

test('a rehearsal hands out its claims, shows what happens, is undone when it is stopped, runs to its end, and leads to its readiness', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    await enterDesk(page, service, await service.staff(firm, 'developer'), '#/sandbox');
    await page.getByLabel('Test key').fill(firm.live);
    await button(page, 'Use in the sandbox').click();
    await page.getByText('A test key starts with svc_test_.').waitFor();
    expect(await faultsOf(page, 'key')).toEqual([]);
    await page.getByLabel('Test key').fill(firm.test);
    await button(page, 'Use in the sandbox').click();
    const start = async () => {
      await page.getByLabel('From the first claim on').selectOption({ label: '1 min' });
      await button(page, 'Start').click();
    };
    await start();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Download the claims').click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(30);
    const claims = lines.map((line) => JSON.parse(line));
    for (let lost = 0; lost < 3; lost += 1)
      await expect(sendClaim(service, firm.test, claims[0], 'first')).rejects.toThrow();
    expect((await sendClaim(service, firm.test, claims[0], 'first')).status).toBe(201);
    // It goes on while another screen is shown.
    await page.getByRole('link', { name: 'Keys' }).click();
    await until('the next faults', async () => (await meWith(firm.test)).status === 429);
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
    await page.goBack();

    const check = page.getByRole('region', { name: 'Retry-After is respected' });
    await check.getByRole('link', { name: 'Sandbox' }).click();
    await page.clock.install();
    await start();
    const send = () => sendClaim(service, firm.test, claims[2], 'third').catch(() => null);
    await until('the first fault', async () => (await send()) === null);
    await page.getByText('the next 2 requests are rate limited').waitFor();
    await page.clock.fastForward('01:00');
    await page.getByText('Over. Everything is as before.').waitFor();
    await page.getByRole('link', { name: 'Check what your system did' }).click();
    await page.getByText(/claims? checked since/).waitFor();
    await page.route('**/firm/v1/readiness?*', async (route) => {
      const { checks, ...found } = await (await route.fetch()).json();
      const green = checks.map((one: object) => ({
        ...one,
        state: 'passed',
        finding_count: 0,
        findings: [],
      }));
      await route.fulfill({ json: { ...found, ready: true, checks: green } });
    });
    await button(page, 'Check again').click();
    await page.getByText('Ready for live keys').waitFor();
    await until(
      'every check',
      async () => (await page.locator('.card .pill.success').count()) === READINESS_CHECKS.length,
    );
    expect(await faultsOf(page, 'ready')).toEqual([]);
  }));
