import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import {
  type Device,
  type PushService,
  startPushService,
} from '../../../packages/adapter-push/test/push-service.ts';
import {
  assignmentOf,
  buildPage,
  emailOf,
  enter,
  namedFirm,
  offerFullClaim,
  PHONE,
  signIn,
  TABLET,
  until,
  type Visitor,
  visit,
} from './adjuster-page.ts';
import { startBrowser } from './browser.ts';
import { type ServiceUnderTest, startServiceUnderTest, type TestFirm } from './service-under-test.ts';

// A browser takes its time on a busy machine.
jest.setTimeout(120_000);

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let service: ServiceUnderTest;
let browser: Browser;
let push: PushService;
let firm: TestFirm;
beforeAll(async () => {
  buildPage();
  [service, browser, push] = await Promise.all([startServiceUnderTest(), startBrowser(), startPushService()]);
  firm = await service.firm();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await push?.stop();
});

async function visiting(
  options: Parameters<typeof visit>[2],
  work: (visitor: Visitor) => Promise<void>,
): Promise<void> {
  const visitor = await visit(browser, service.url, options);
  try {
    await work(visitor);
    expect(visitor.faults).toEqual([]);
  } finally {
    await visitor.close();
  }
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Waits until the service worker has the page on its shelf. */
const worker = (context: BrowserContext) =>
  until('the service worker', async () => context.serviceWorkers()[0]);
const ready = async (page: Page): Promise<void> => {
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await page.waitForFunction('navigator.serviceWorker.controller !== null');
};

describe.each([
  ['phone', PHONE],
  ['tablet', TABLET],
] as const)('on a %s', (device, options) => {
  test('an adjuster signs in, completes the profile, joins a firm, accepts a claim, works on it, and is done', () =>
    visiting(options, async ({ page }) => {
      const inviting = await namedFirm(service, `Palmetto Adjusters ${device}`);
      const { svcId, token } = await service.adjuster({ lastName: null });
      const email = await emailOf(service, token);
      const invited = await service.call('POST', '/v1/adjusters/invitations', {
        as: inviting.live,
        body: { svc_id: svcId, invited_as: 'Jean from Houma', note: 'Secret note' },
      });
      expect(invited.status).toBe(201);

      await signIn(page, service, email);
      await page.getByRole('link', { name: /Palmetto Adjusters .* invites you/ }).click();
      await page.getByText('Jean from Houma').waitFor();
      expect(await page.content()).not.toContain('Secret note');
      await page.getByLabel('Last name').fill('Delacroix');
      await button(page, 'Save and join').click();
      await page.getByText('You are now with Palmetto Adjusters').waitFor();

      // The page is open, and the offer comes by itself.
      const id = await offerFullClaim(service, { ...firm, live: inviting.live }, svcId);
      await page.getByRole('link', { name: /Marisol Delgado/ }).click();
      await heading(page, 'Marisol Delgado').waitFor();
      await expectShown(page, [
        'Gate code 4471',
        '38 in (3 ft 2 in)',
        'AE: high risk of flooding',
        'Single-family home',
        'Post-FIRM: built after the first flood map',
        '$250,000.00',
        'Palmetto Mutual Insurance',
        'Estero Bay Insurance',
        'First Coast Mortgage',
      ]);
      const links = await page
        .locator('.way')
        .evaluateAll((ways) => ways.map((way) => way.getAttribute('href')));
      expect(links.map((link) => link?.split(':')[0])).toEqual(['tel', 'sms', 'mailto', 'https']);
      expect(links[0]).toBe('tel:+13125550142');
      await button(page, 'Accept').click();
      await page.getByText('Sent: you have accepted Marisol Delgado.').waitFor();
      await page.getByRole('heading', { name: 'Your work' }).waitFor();
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
      await button(page, 'Mark as done').click();
      await button(page, 'It is done').click();
      await heading(page, 'My claims').waitFor();
      await page.getByRole('link', { name: 'Closed' }).click();
      await page.getByRole('link', { name: /Marisol Delgado/ }).waitFor();
    }));
});

const expectShown = async (page: Page, texts: readonly string[]): Promise<void> => {
  const shown = await page.locator('main').textContent();
  for (const text of texts) expect(shown).toContain(text);
};

describe('an answer', () => {
  test('of no comes with a reason that is tapped, and the firm reads it', () =>
    visiting(PHONE, async ({ page }) => {
      const { svcId, token } = await service.member(firm);
      const id = await offerFullClaim(service, firm, svcId);
      await enter(page, service, token, `#/claims/${id}`);
      await button(page, 'Reject').click();
      await button(page, 'Too many open files').click();
      await button(page, 'Reject claim').click();
      await page.getByText('Sent: you have rejected Marisol Delgado.').waitFor();
      expect(await assignmentOf(service, firm, id)).toMatchObject({
        status: 'rejected',
        rejection_reason: 'Too many open files',
      });
    }));

  test('given without a network is kept, shown as such, and counts once when the network is back', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const [first, second] = [
        await offerFullClaim(service, firm, svcId),
        await offerFullClaim(service, firm, svcId),
      ];
      await enter(page, service, token, `#/claims/${first}`);
      await heading(page, 'Marisol Delgado').waitFor();
      await ready(page);
      await context.setOffline(true);
      await button(page, 'Accept').click();
      await page.getByText('Your acceptance is saved and will be sent').waitFor();
      await page.evaluate(`location.hash = '#/claims/${second}'`);
      await button(page, 'Reject').click();
      await button(page, 'Too far away').click();
      await button(page, 'Reject claim').click();
      await page.getByText('Your rejection is saved and will be sent').waitFor();
      await button(page, 'Take back').click();
      await page.getByText('Taken back. Nothing was sent.').waitFor();

      // The page starts without a network, with the lists and the answer that it had.
      await page.goto(`${service.url}/app#/`);
      await page.reload();
      await page.getByText('No network. You see what was here at').waitFor();
      await page.getByRole('heading', { name: 'Waiting for a network' }).waitFor();
      await page.getByRole('link', { name: 'Accept: Marisol Delgado' }).waitFor();
      expect((await assignmentOf(service, firm, first)).status).toBe('pending_acceptance');

      const before = acceptances();
      await context.setOffline(false);
      await until(
        'the acceptance',
        async () => (await assignmentOf(service, firm, first)).status === 'accepted',
      );
      await page.getByText('Sent: you have accepted Marisol Delgado.').waitFor();
      await page.getByRole('heading', { name: 'Waiting for a network' }).waitFor({ state: 'detached' });
      expect(acceptances() - before).toBe(1);
      expect((await assignmentOf(service, firm, second)).status).toBe('pending_acceptance');
    }));

  test('whose receipt was lost on the way counts once, and is shown as taken', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const id = await offerFullClaim(service, firm, svcId);
      await enter(page, service, token, `#/claims/${id}`);
      await button(page, 'Accept').waitFor();
      let lost = 0;
      await context.route('**/acceptance', async (route) => {
        lost += 1;
        if (lost > 1) return route.continue();
        await route.fetch();
        await route.abort();
      });
      await button(page, 'Accept').click();
      await until('the answer that got through', async () => lost >= 1 && (await accepted(id)));
      // By the events, or when the network is tried again: whatever comes first.
      await page.evaluate('dispatchEvent(new Event("online"))');
      await page.getByText('Sent: you have accepted Marisol Delgado.').waitFor();
      expect(lost).toBe(2);
    }));

  test('to an offer that was withdrawn meanwhile says so instead of failing', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const [open, unanswered] = [
        await offerFullClaim(service, firm, svcId),
        await offerFullClaim(service, firm, svcId),
      ];
      const other = await service.member(firm);
      const offerAgain = (id: string) =>
        service.call('POST', `/v1/claims/${id}/assignment`, {
          as: firm.live,
          body: { adjuster_svc_id: other.svcId },
          headers: { 'Idempotency-Key': `again-${id}` },
        });
      await enter(page, service, token, `#/claims/${unanswered}`);
      await button(page, 'Accept').waitFor();
      // Looked at when it goes away.
      await offerAgain(unanswered);
      await page.getByRole('heading', { name: 'This offer was withdrawn meanwhile' }).waitFor();
      // Answered when it has gone.
      await page.evaluate(`location.hash = '#/claims/${open}'`);
      await button(page, 'Accept').waitFor();
      await context.setOffline(true);
      await button(page, 'Accept').click();
      await page.getByText('Your acceptance is saved').waitFor();
      await offerAgain(open);
      await context.setOffline(false);
      await page.getByText('Marisol Delgado was withdrawn meanwhile. Your answer was not needed.').waitFor();
      await page.getByRole('heading', { name: 'This offer was withdrawn meanwhile' }).waitFor();
      expect((await assignmentOf(service, firm, open)).status).toBe('pending_acceptance');
    }));

  test('in two tabs at once is one answer, and both tabs show it', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const id = await offerFullClaim(service, firm, svcId);
      const other = await context.newPage();
      await enter(page, service, token, `#/claims/${id}`);
      await enter(other, service, token, `#/claims/${id}`);
      await button(other, 'Reject').click();
      await button(other, 'Too far away').click();
      const before = acceptances();
      // Pressed in the page itself: whoever is slower may find its button gone, which is what this is about.
      const accept = await button(page, 'Accept').elementHandle();
      const reject = await button(other, 'Reject claim').elementHandle();
      await Promise.all(
        [accept, reject].map((pressed) => pressed?.evaluate((one) => (one as { click(): void }).click())),
      );
      const { status } = await until('an answer', async () => {
        const assignment = await assignmentOf(service, firm, id);
        return assignment.status !== 'pending_acceptance' && assignment;
      });
      for (const tab of [page, other]) {
        await button(tab, 'Accept').waitFor({ state: 'detached' });
        if (status === 'accepted') await tab.getByRole('heading', { name: 'Your work' }).waitFor();
      }
      expect(acceptances() - before).toBeLessThanOrEqual(1);
    }));
});

const accepted = async (id: string): Promise<boolean> =>
  (await assignmentOf(service, firm, id)).status === 'accepted';

/** How often an acceptance has reached the service. */
const acceptances = (): number =>
  service.logged.filter((line) => line.includes('POST /app/v1/claims/{id}/acceptance')).length;

describe('a session', () => {
  test('that has ended leads to the sign-in, keeps what was not sent, and goes on after it', () =>
    visiting(PHONE, async ({ page, context }) => {
      const { svcId, token } = await service.member(firm);
      const id = await offerFullClaim(service, firm, svcId);
      await enter(page, service, token, `#/claims/${id}`);
      await button(page, 'Accept').waitFor();
      await context.route(
        '**/acceptance',
        async (route) => {
          await service.call('DELETE', '/app/v1/sessions/current', { as: token });
          await route.continue();
        },
        { times: 1 },
      );
      await button(page, 'Accept').click();
      await page.getByText('Your session has ended. Sign in to go on').waitFor();
      await context.clearCookies();
      await page.evaluate("location.hash = '#/'");
      const again = await service.session(svcId);
      await signIn(page, service, await emailOf(service, again));
      await until(
        'the kept answer',
        async () => (await assignmentOf(service, firm, id)).status === 'accepted',
      );
    }));

  test('that is ended everywhere leaves nothing of the adjuster on the device', () =>
    visiting(PHONE, async ({ page }) => {
      const { svcId, token } = await service.member(firm);
      await offerFullClaim(service, firm, svcId);
      await enter(page, service, token);
      await page.getByRole('link', { name: /Marisol Delgado/ }).waitFor();
      await page.getByRole('link', { name: 'Settings' }).click();
      await button(page, 'Sign out everywhere').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.getByText('You are signed out.').waitFor();
      expect((await service.call('GET', '/app/v1/me', { as: token })).status).toBe(401);
      const held = await page.evaluate(`new Promise((resolve) => {
        const opening = indexedDB.open('claims');
        opening.onsuccess = () => {
          const all = opening.result.transaction('kept').objectStore('kept').getAllKeys();
          all.onsuccess = () => resolve(all.result);
        };
      })`);
      expect((held as string[]).filter((name) => !['deviceId', 'language'].includes(name))).toEqual([]);
    }));

  test('of a test account opens with its secret', () =>
    visiting(PHONE, async ({ page }) => {
      await page.goto(`${service.url}/app`);
      await button(page, 'Sign in with a test account').click();
      await page.getByLabel('SVCID of the test account').fill(firm.account.manual);
      await page.getByLabel('Sign-in secret').fill('wrong');
      await button(page, 'Sign in').click();
      await page.getByText('SVCID and secret do not go together.').waitFor();
      await page.getByLabel('Sign-in secret').fill(firm.signInSecret.manual);
      await button(page, 'Sign in').click();
      await page.getByRole('link', { name: 'Firms' }).click();
      await page.getByRole('heading', { name: 'Gulf Adjusting Partners' }).waitFor();
    }));
});

test('a firm is paused and resumed with a switch, and left only after it was said what that means', () =>
  visiting(PHONE, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    const id = await offerFullClaim(service, firm, svcId);
    await enter(page, service, token, '#/firms');
    const taking = page.getByRole('switch', { name: /Taking new offers/ });
    await taking.click();
    await page.getByText('Paused: no new claims').waitFor();
    expect(await taking.getAttribute('aria-checked')).toBe('false');
    await taking.click();
    await page.getByText('This firm may offer you claims.').waitFor();
    await button(page, 'Leave this firm').click();
    await page.getByText('Claims you have accepted stay with you.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You have left Gulf Adjusting Partners.').waitFor();
    expect((await assignmentOf(service, firm, id)).status).toBe('unassigned');
  }));

test('every screen is there in Spanish, and the choice stays', () =>
  visiting({ ...PHONE, locale: 'es-PR' }, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    await offerFullClaim(service, firm, svcId);
    await enter(page, service, token);
    await heading(page, 'Ofertas').waitFor();
    await page.getByRole('link', { name: /Marisol Delgado/ }).click();
    await expectShown(page, ['Asegurado', 'riesgo alto de inundación', 'Casa de una familia']);
    expect(await page.evaluate('document.documentElement.lang')).toBe('es');
    await page.getByRole('link', { name: 'Ajustes' }).click();
    await page.getByLabel('Idioma').selectOption('en');
    await heading(page, 'Settings').waitFor();
    await page.reload();
    await heading(page, 'Settings').waitFor();
  }));

test('a push message shows the firm and nothing more, and opens the claim it is about', () =>
  visiting(PHONE, async ({ page, context }) => {
    const { svcId, token } = await service.member(firm);
    await context.grantPermissions(['notifications'], { origin: service.url });
    const phone = push.device();
    await page.addInitScript(subscribedAs(phone));
    await enter(page, service, token, '#/settings');
    await ready(page);
    await button(page, 'Turn on').click();
    await page.getByText('On. The lock screen shows the firm').waitFor();

    const id = await offerFullClaim(service, firm, svcId);
    const [message] = await until('the message', async () => phone.received.length > 0 && phone.received);
    const deliver = await postman(context, page);
    await deliver(JSON.stringify(message?.payload));
    const shown = await until('the notification', async () => {
      const found = await (await worker(context)).evaluate(
        `registration.getNotifications().then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))`,
      );
      return (found as { title: string; body: string; tag: string }[])[0];
    });
    expect(shown).toEqual({
      title: 'Gulf Adjusting Partners',
      body: 'A claim is waiting for your answer.',
      tag: id,
    });
    await (await worker(context)).evaluate(`registration.getNotifications().then(([notification]) =>
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification })))`);
    await heading(page, 'Marisol Delgado').waitFor();
    await button(page, 'Accept').waitFor();

    // Later news takes its place.
    await deliver(JSON.stringify({ ...message?.payload, kind: 'offer_withdrawn' }));
    await until('the later line', async () => {
      const bodies = await (await worker(context)).evaluate(
        `registration.getNotifications().then((all) => all.map(({ body }) => body))`,
      );
      return JSON.stringify(bodies) === JSON.stringify(['An offered claim was withdrawn.']);
    });
    await page.goto(`${service.url}/app#/settings`);
    await button(page, 'Turn off').click();
    await page.getByText('Off. You see new offers only while the app is open.').waitFor();
  }));

/** The push service that browsers of this kind come with is far away: this one takes its place in the page. */
const subscribedAs = ({ subscription }: Device): string => `
  let held = null;
  PushManager.prototype.getSubscription = async () => held;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    const text = atob(applicationServerKey.replaceAll('-', '+').replaceAll('_', '/'));
    const key = Uint8Array.from(text, (one) => one.charCodeAt(0)).buffer;
    held = {
      options: { applicationServerKey: key },
      toJSON: () => (${JSON.stringify(subscription)}),
      unsubscribe: async () => { held = null; return true; },
    };
    return held;
  };
`;

/** Hands messages to the service worker as the browser's push service would. */
async function postman(context: BrowserContext, page: Page): Promise<(data: string) => Promise<void>> {
  const session = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [found] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (found !== undefined) resolve(found.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registered;
  return async (data) => {
    await session.send('ServiceWorker.deliverPushMessage', { origin: service.url, registrationId, data });
  };
}

test.each(['light', 'dark'] as const)('axe finds nothing on any screen, %s', (colorScheme) =>
  visiting({ ...PHONE, colorScheme, reducedMotion: 'reduce' }, async ({ page, context }) => {
    const { svcId, token } = await service.member(firm);
    const inviting = await namedFirm(service, `Inviting ${colorScheme}`);
    await service.call('POST', '/v1/adjusters/invitations', { as: inviting.live, body: { svc_id: svcId } });
    const [offered, worked] = [
      await offerFullClaim(service, firm, svcId),
      await offerFullClaim(service, firm, svcId),
    ];
    await service.call('POST', `/app/v1/claims/${worked}/acceptance`, { as: token });
    const found: string[] = [];
    const judge = async (screen: string): Promise<void> => {
      if ((await page.evaluate('typeof axe')) === 'undefined')
        await page.addScriptTag({ path: AXE }).catch(() => {});
      const violations = (await page.evaluate(`axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`)) as string[];
      found.push(
        ...violations.map((violation) => `${screen}: ${violation}`),
        ...(await tooSmall(page, screen)),
      );
    };
    await page.goto(`${service.url}/app`);
    await page.getByLabel('Your email').waitFor();
    await page.evaluate(await axeSource());
    await judge('sign-in');
    await button(page, 'Sign in with a test account').click();
    await judge('sign-in of a test account');
    await enter(page, service, token);
    await page.evaluate(await axeSource());
    const screens: [string, string | RegExp][] = [
      ['#/', 'Offers'],
      [`#/invitations/${inviting.id}`, /invites you/],
      [`#/claims/${offered}`, 'Marisol Delgado'],
      ['#/claims', 'My claims'],
      [`#/claims/${worked}`, 'Marisol Delgado'],
      ['#/claims/closed', 'My claims'],
      ['#/firms', 'Firms'],
      ['#/settings', 'Settings'],
      ['#/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10', 'Claim'],
    ];
    for (const [hash, name] of screens) {
      await page.evaluate(`location.hash = '${hash}'`);
      await heading(page, name).waitFor();
      await judge(hash);
    }
    await page.evaluate(`location.hash = '#/claims/${offered}'`);
    await button(page, 'Reject').click();
    await page.getByRole('dialog').waitFor();
    await judge('reject');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await context.setOffline(true);
    await button(page, 'Accept').click();
    await page.getByText('Your acceptance is saved').waitFor();
    await judge('an answer without a network');
    await page.evaluate(`location.hash = '#/'`);
    await heading(page, 'Offers').waitFor();
    await judge('offers without a network');
    await button(page, 'Take back').click();
    expect(found).toEqual([]);
  }),
);

/** The policy lets no script in from elsewhere, and DevTools are not bound by it. */
const axeSource = async (): Promise<string> => (await import('node:fs')).readFileSync(AXE, 'utf8');

/** Things to tap that are under 44 pixels either way; links within a line of text are exempt. */
async function tooSmall(page: Page, screen: string): Promise<string[]> {
  const small = (await page.evaluate(`[...document.querySelectorAll('a, button, input, select, textarea')]
    .filter((element) => element.checkVisibility() && !element.closest('.note, dd'))
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ element, box }) => !element.matches('.skip') && (box.width < 44 || box.height < 44))
    .map(({ element, box }) => element.outerHTML.slice(0, 120) + ' ' + Math.round(box.width) + 'x' + Math.round(box.height))`)) as string[];
  return small.map((one) => `${screen}: too small to tap: ${one}`);
}

test('the page is used from the keyboard: focus goes to the heading of each screen, and dialogs give it back', () =>
  visiting({ viewport: { width: 1280, height: 900 } }, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    const id = await offerFullClaim(service, firm, svcId);
    await enter(page, service, token, '#/firms');
    await heading(page, 'Firms').waitFor();
    await page.keyboard.press('Tab');
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.evaluate(`location.hash = '#/claims/${id}'`);
    await until('the heading to have the focus', async () => (await focused()) === 'Marisol Delgado');
    await button(page, 'Reject').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(
          "document.activeElement === document.body || document.activeElement.closest('dialog') !== null",
        ),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    await until('the focus to be back', async () => (await focused()) === 'Reject');
    await button(page, 'Accept').focus();
    await page.keyboard.press('Space');
    await page.getByText('Sent: you have accepted').waitFor();
  }));
