import { afterAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  ANA,
  assignmentOf,
  button,
  enter,
  heading,
  inDatabase,
  offerFullClaim,
  offerToAnother,
  PHONE,
  ready,
  startApp,
  storedKeys,
  tooSmall,
  until,
  WITHOUT_WORKER,
} from './app-under-test.ts';

const { firm, service, visiting, stop } = await startApp();
afterAll(stop);

/** The button that confirms a rejection. */
const rejectClaim = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true });

/** The number of acceptances that have reached the service. */
const acceptances = (): number =>
  service.logged.filter((line) => line.includes('POST /app/v1/claims/{id}/acceptance')).length;

const offers = async (count: number) => {
  const { svcId, token } = await service.member(firm);
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await offerFullClaim(service, firm, svcId));
  return { svcId, token, ids };
};
const statusOf = async (id = '') => (await assignmentOf(service, firm, id)).status;

test('an answer that the service cannot process lets others pass, says so instead of "offline", and can be canceled', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers(2);
    const [failing = '', other = ''] = ids;
    await context.route(`**/${failing}/acceptance`, (route) => route.fulfill({ status: 500, body: '{}' }));
    await enter(page, service, token, `#/claims/${failing}`);
    await button(page, 'Accept').click();
    await page.getByText('The service could not process this.').waitFor();
    await page.evaluate(`location.hash = '#/claims/${other}'`);
    await button(page, 'Accept').click();
    await until('the other answer', async () => (await statusOf(other)) === 'accepted');
    expect(await page.getByText('You are offline').count()).toBe(0);
    await page.evaluate("location.hash = '#/'");
    await button(page, 'Stop trying').click();
    await page.getByRole('heading', { name: 'Not sent yet' }).waitFor({ state: 'detached' });
    await page.getByText('1 open offer').waitFor();
    expect(await statusOf(failing)).toBe('pending_acceptance');
  }));

test('what responds in place of the service is no success: answers and notes are kept and sent again', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers(2);
    const [accepted = '', other = ''] = ids;
    await enter(page, service, token, `#/claims/${accepted}`);
    await button(page, 'Accept').waitFor();
    const responses = [
      { status: 200, json: {} },
      { status: 204 },
      { status: 200, contentType: 'text/html', body: '<html>Welcome to our network</html>' },
      { status: 403, json: { code: 'forbidden', message: 'Sign in to the network.' } },
    ];
    let met = 0;
    await context.route(/\/(acceptance|work)$/, (route) => route.fulfill(responses[met++ % 4] ?? {}));
    await button(page, 'Accept').click();
    await until('all of them', async () => {
      await page.evaluate('dispatchEvent(new Event("online"))');
      return met >= 4;
    });
    expect(await page.getByText('you have accepted').count()).toBe(0);
    expect(await statusOf(accepted)).toBe('pending_acceptance');
    await context.unroute(/\/(acceptance|work)$/);
    await until('the acceptance', async () => {
      const retry = button(page, 'Send now');
      if (await retry.isVisible()) await retry.click({ timeout: 500 }).catch(() => {});
      return (await statusOf(accepted)) === 'accepted';
    });
    await page.getByRole('heading', { name: 'Your work' }).waitFor();

    // The response about another claim.
    const theirs = await service.call('GET', `/app/v1/claims/${other}`, { as: token });
    await context.route('**/work', (route) => route.fulfill({ json: theirs.json }));
    await page.getByLabel('Notes').fill('Water in the den.');
    await button(page, 'Save').click();
    await page.getByText('Not sent yet.').waitFor();
    expect(await page.getByText('Saved.', { exact: true }).count()).toBe(0);
    await page.reload();
    await until(
      'the notes',
      async () => (await page.getByLabel('Notes').inputValue()) === 'Water in the den.',
    );
  }));

test('an answer that was stopped after a gateway gave up is called undone only when the service does not have it', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers(2);
    const [arrived = '', stopped = ''] = ids;
    await context.route(`**/${arrived}/acceptance`, async (route) => {
      await route.fetch();
      await route.fulfill({ status: 504, body: 'Gateway timeout' });
    });
    await context.route(`**/${stopped}/acceptance`, (route) => route.fulfill({ status: 504, body: '' }));
    await enter(page, service, token, `#/claims/${arrived}`);
    await button(page, 'Accept').click();
    await button(page, 'Stop trying').click();
    await page.getByText('Too late to undo: 1 answer was already sent.').waitFor();
    expect(await page.getByText('Nothing was sent').count()).toBe(0);
    await page.getByRole('heading', { name: 'Your work' }).waitFor();
    await page.evaluate(`location.hash = '#/claims/${stopped}'`);
    await button(page, 'Accept').click();
    await button(page, 'Stop trying').click();
    await page.getByText('Undone. The service does not have your answer.').waitFor();
    expect(await statusOf(stopped)).toBe('pending_acceptance');
    await button(page, 'Accept').click();
    await button(page, 'Stop trying').waitFor();
    await context.route('**/app/v1/**', (route) => route.abort());
    await button(page, 'Stop trying').click();
    await page.getByText('Whether your answer arrived is not known').waitFor();
  }));

test('a problem of the service is not called a missing network', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers(1);
    await enter(page, service, token, `#/claims/${ids[0]}`);
    await button(page, 'Accept').waitFor();
    await context.route('**/app/v1/**', (route) => route.fulfill({ status: 503, body: '{}' }));
    await button(page, 'Accept').click();
    await page.getByText('The service has a problem, which is not your connection.').waitFor();
    expect(await page.getByText('You are offline').count()).toBe(0);
    await context.unroute('**/app/v1/**');
    await until('the answer', async () => (await statusOf(ids[0])) === 'accepted');
  }));

test('what came of answers that were given together is one line, and what was lost stays in all tabs until it is dismissed', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers(4);
    const lost = ids[0] ?? '';
    await enter(page, service, token);
    await page.getByText('4 open offers').waitFor();
    // The dialog is loaded beside the list, and without a worker nothing else has it.
    await page.waitForLoadState('networkidle');
    await context.setOffline(true);
    await button(page, 'Select').click();
    await button(page, 'Select all').click();
    await button(page, 'Accept 4').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept 4' }).click();
    await page.getByRole('heading', { name: 'Not sent yet' }).waitFor();
    await offerToAnother(service, firm, lost);
    await context.setOffline(false);
    await page.getByText('3 accepted · 1 without effect').waitFor();
    const gone = page.getByText(/^FL26-\d+ \(.+\) is no longer offered to you\.$/);
    await gone.waitFor();
    const other = await context.newPage();
    await enter(other, service, token);
    await other.getByText('3 accepted · 1 without effect').waitFor();
    await page.reload();
    await gone.waitFor();
    await button(page, 'Dismiss').click();
    await gone.waitFor({ state: 'detached' });
    await other.getByText('3 accepted').waitFor({ state: 'detached' });
  }));

test('an undo of many answers is whole, although the page is closed at once', () =>
  visiting(WITHOUT_WORKER, async ({ page, context }) => {
    const { ids, token } = await offers(12);
    await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":20}'` });
    await enter(page, service, token);
    await page.getByText('12 open offers').waitFor();
    await button(page, 'Select').click();
    await button(page, 'Select all').click();
    await button(page, 'Accept 12').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept 12' }).click();
    await button(page, 'Undo').click();
    await page.getByText('Undone. Nothing was sent.').waitFor();
    await page.close();
    const again = await context.newPage();
    await enter(again, service, token);
    await again.getByText('12 open offers').waitFor();
    expect(new Set(await Promise.all(ids.map(statusOf)))).toEqual(new Set(['pending_acceptance']));
  }));

describe('the answer to an offer', () => {
  test('can be a rejection with a reason, which removes the claim from the device', () =>
    visiting(WITHOUT_WORKER, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const id = await offerFullClaim(service, firm, svcId);
      await enter(page, service, token, `#/claims/${id}`);
      await button(page, 'Reject').click();
      await button(page, 'Too many open claims').click();
      await page.getByLabel('In your own words').fill('42 already.');
      // The network fails right after the response: the lists are not read again.
      await context.route('**/rejection', async (route) => {
        const response = await route.fetch();
        await context.route('**/app/v1/**', (later) => later.abort());
        await route.fulfill({ response });
      });
      await rejectClaim(page).click();
      await page.getByText('Sent: you have rejected Marisol Delgado.').waitFor();
      expect(await assignmentOf(service, firm, id)).toMatchObject({
        status: 'rejected',
        rejection_reason: 'Too many open claims: 42 already.',
      });
      await page.getByRole('heading', { name: 'You have rejected this claim' }).waitFor();
      await button(page, 'Offers').click();
      await page.getByRole('heading', { name: 'No open offers' }).waitFor();
      await until(
        'the claim to be gone',
        async () => !JSON.stringify(await inDatabase(page, 'found = kept.getAll();')).includes('Marisol'),
      );
    }));

  test('is stored and shown as unsent while offline, outlasts the lists, and is sent once when the network is back', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const [first, second] = [
        await offerFullClaim(service, firm, svcId),
        await offerFullClaim(service, firm, svcId),
      ];
      // Chromium 150 no longer emulates navigator.onLine after a reload, and the page would try to send.
      await page.addInitScript({
        content: `Object.defineProperty(navigator, 'onLine', { get: () => localStorage.offline === undefined });`,
      });
      await enter(page, service, token, `#/claims/${first}`);
      await heading(page, 'Marisol Delgado').waitFor();
      await ready(page);
      await context.setOffline(true);
      await page.evaluate('localStorage.offline = 1');
      await button(page, 'Accept').click();
      await page.getByText('Your acceptance is saved and will be sent').waitFor();
      await button(page, 'Next offer').click();
      await until(
        'the next offer',
        async () => (await page.evaluate('location.hash')) === `#/claims/${second}`,
      );
      await button(page, 'Reject').click();
      await button(page, 'Too far away').click();
      await rejectClaim(page).click();
      await button(page, 'Offers').click();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Reject: Marisol Delgado' })
        .getByRole('button', { name: 'Undo' })
        .click();
      await page.getByText('Undone. Nothing was sent.').waitFor();

      // The page starts offline with its stored lists and the unsent answer.
      await page.goto(`${service.url}/app#/`);
      await page.reload();
      await page.getByText('You are offline. Last updated at').waitFor();
      await page.getByRole('heading', { name: 'Not sent yet' }).waitFor();
      await page.getByRole('link', { name: 'Accept: Marisol Delgado' }).waitFor();
      expect((await assignmentOf(service, firm, first)).status).toBe('pending_acceptance');

      // The worker marks an answer that it is about to send, and the button is clicked before the page reads the mark.
      await button(page, 'Undo').click({ trial: true });
      await inDatabase(
        page,
        `kept.get('outbox').onsuccess = ({ target }) =>
           kept.put(target.result.map((entry) => ({ ...entry, tried: true })), 'outbox');
         changing.addEventListener('complete', () => document.querySelector('.queued-answers button').click());`,
      );
      await page.getByText('Too late to undo: 1 answer was already sent.').waitFor();

      // After a long time without a network the lists are removed, and the answer stays.
      await inDatabase(page, "kept.put(Date.now() - 15 * 86_400_000, 'readAt');");
      await page.reload();
      await page.getByText('After 14 days without a connection').waitFor();
      await page.getByRole('link', { name: 'Accept: Marisol Delgado' }).waitFor();
      expect(await storedKeys(page)).not.toContain('offers');

      const before = acceptances();
      await context.setOffline(false);
      await page.evaluate("delete localStorage.offline; dispatchEvent(new Event('online'))");
      await until(
        'the acceptance',
        async () => (await assignmentOf(service, firm, first)).status === 'accepted',
      );
      await page.getByText('Sent: you have accepted Marisol Delgado.').waitFor();
      await page.getByRole('heading', { name: 'Not sent yet' }).waitFor({ state: 'detached' });
      expect(acceptances() - before).toBe(1);
      expect((await assignmentOf(service, firm, second)).status).toBe('pending_acceptance');
    }));

  test('to an offer that is no longer available shows that it is no longer available', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const [open, unanswered, kept] = [
        await offerFullClaim(service, firm, svcId),
        await offerFullClaim(service, firm, svcId),
        await offerFullClaim(service, firm, svcId, { policyholder: { ...ANA } }),
      ];
      await enter(page, service, token, `#/claims/${unanswered}`);
      await button(page, 'Accept').waitFor();
      await ready(page);
      // An open offer that is withdrawn.
      await offerToAnother(service, firm, unanswered);
      await page.getByRole('heading', { name: 'This offer is no longer available' }).waitFor();
      // An answer to an offer that is then withdrawn.
      await page.evaluate(`location.hash = '#/claims/${open}'`);
      await button(page, 'Accept').waitFor();
      await context.setOffline(true);
      await button(page, 'Accept').click();
      await page.getByText('Your acceptance is saved').first().waitFor();
      await page.evaluate(`location.hash = '#/claims/${kept}'`);
      await heading(page, 'Ana Reyes').waitFor();
      await button(page, 'Accept').click();
      await page.getByText('Your acceptance is saved').first().waitFor();
      await page.evaluate(`location.hash = '#/claims/${open}'`);
      await offerToAnother(service, firm, open);
      await context.setOffline(false);
      // Both results are shown.
      await page.getByText('Sent: you have accepted Ana Reyes.').waitFor();
      await page.getByText(/^FL26-\d+ \(.+\) is no longer offered to you\.$/).waitFor();
      await page.getByRole('heading', { name: 'This offer is no longer available' }).waitFor();
      expect((await assignmentOf(service, firm, open)).status).toBe('pending_acceptance');
    }));

  test('to an offer that the firm has withdrawn says so, as do the open claim and the list', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const dispatcher = await service.staff(firm, 'dispatcher');
      const [answered, shown, listed] = [
        await offerFullClaim(service, firm, svcId),
        await offerFullClaim(service, firm, svcId),
        await offerFullClaim(service, firm, svcId),
      ];
      const withdraw = async (id: string) => {
        const path = `/firm/v1/claims/${id}/withdrawal`;
        expect((await service.call('POST', path, { as: dispatcher })).status).toBe(200);
      };
      // Without reading the lists at intervals: only the event stream says that an offer has ended.
      await page.addInitScript({
        content:
          '{ const every = setInterval; setInterval = (run, ms) => (ms === 30000 ? 0 : every(run, ms)); }',
      });
      await enter(page, service, token, `#/claims/${shown}`);
      await button(page, 'Accept').waitFor();
      await ready(page);
      await withdraw(shown);
      await page.getByText('Withdrawn by the firm. You do not need to do anything.').waitFor();
      await page.evaluate(`location.hash = '#/'`);
      await page.getByText('2 open offers').waitFor();
      await withdraw(listed);
      await page.getByText(/^Withdrawn by the firm: FL26-\d+ \(.+\)\.$/).waitFor();
      await page.getByText('1 open offer', { exact: true }).waitFor();
      await page.evaluate(`location.hash = '#/claims/${answered}'`);
      await button(page, 'Accept').waitFor();
      await context.setOffline(true);
      await button(page, 'Accept').click();
      await page.getByText('Your acceptance is saved').first().waitFor();
      await withdraw(answered);
      await context.setOffline(false);
      await page.getByText(/^Withdrawn by the firm: FL26-\d+ \(.+\)\.$/).waitFor();
      await page.getByText('Withdrawn by the firm. You do not need to do anything.').waitFor();
      await page.evaluate(`location.hash = '#/history'`);
      await page.getByText('Answered too late').waitFor();
      await page
        .getByRole('button', { name: /^Receipt/ })
        .first()
        .click();
      await page.getByText('The offer ended: withdrawn by the firm').waitFor();
      expect((await assignmentOf(service, firm, answered)).status).toBe('unassigned');
    }));
});

test('an offer with all that decides it fits on a phone, and an answer can be taken back before it is sent', () =>
  visiting(PHONE, async ({ page }) => {
    const waiting = await service.firm();
    await service.service.services.operatorUseCases.setOfferWait(waiting.id, 48);
    const { svcId, token } = await service.member(waiting);
    const first = await offerFullClaim(service, waiting, svcId, {
      instructions: 'Call the tenant. '.repeat(20),
    });
    const second = await offerFullClaim(service, waiting, svcId, { policyholder: ANA });
    const loss_location = { street: '9 Gulf Blvd', city: 'Naples', state: 'FL', zip: '34102' };
    await offerFullClaim(service, waiting, svcId, { loss_location });
    await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":20}'` });
    await enter(page, service, token, `#/claims/${first}`);
    await page.getByRole('heading', { name: 'Policyholder' }).waitFor();
    // The app asks for a location by itself, once.
    await button(page, 'Not now').click();
    const related = page.getByText('Other claims: 1 of this policyholder · 1 nearby');
    await related.waitFor();
    const [end, bar] = (await page.evaluate(
      "['.summary', '.action-bar'].map((one) => document.querySelector(one).getBoundingClientRect()).map((box, n) => n === 0 ? box.bottom : box.top)",
    )) as [number, number];
    expect(end).toBeLessThanOrEqual(bar);
    await related.click();
    await page.locator('.summary').getByRole('link', { name: 'Ana Reyes' }).waitFor();
    expect(await tooSmall(page, 'related claims')).toEqual([]);
    await button(page, 'Accept').click();
    await page.getByText('Accepting Marisol Delgado.').waitFor();
    await button(page, 'Undo').click();
    await page.getByText('Undone. Nothing was sent.').waitFor();
    expect((await assignmentOf(service, waiting, first)).status).toBe('pending_acceptance');
    await page.evaluate(`location.hash = '#/claims/${second}'`);
    await heading(page, 'Ana Reyes').waitFor();
    // What is held is sent at once when the page is hidden, since it may be closed next.
    await button(page, 'Reject').click();
    await rejectClaim(page).click();
    await page.getByText('Rejecting Ana Reyes.').waitFor();
    expect((await assignmentOf(service, waiting, second)).status).toBe('pending_acceptance');
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
    await until(
      'the rejection',
      async () => (await assignmentOf(service, waiting, second)).status === 'rejected',
    );
  }));
