import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { EXAMPLES } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openContext, startBrowser } from '../../api/test/browser.ts';
import {
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from '../../api/test/service-under-test.ts';
import { en as firstEnglish } from '../src/texts/en.ts';
import { enMore } from '../src/texts/en-more.ts';

export const en = { ...firstEnglish, ...enMore };
export { es } from '../src/texts/es.ts';

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
export const TABLET = { viewport: { width: 834, height: 1112 }, hasTouch: true, isMobile: true } as const;

const APP = new URL('../build.mjs', import.meta.url);

/** Builds the page as `pnpm start` does; fast if nothing has changed. */
export function buildPage(build = APP): void {
  execFileSync(process.execPath, [fileURLToPath(build)], { stdio: 'inherit' });
}

type Visitor = Awaited<ReturnType<typeof visit>>;

/** Opens a page in a new browser context. */
export async function visit(browser: Browser, base: string, options: BrowserContextOptions = PHONE) {
  const context = await openContext(browser, { locale: 'en-US', ...options });
  // Answers are sent at once, where a test is not about taking them back.
  await context.addInitScript({
    content: `localStorage.preferences ??= '{"undoSeconds":0}'`,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    // Failed requests are expected: the page itself shows them to the adjuster.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      faults.push(message.text());
    }
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${base}/`)) faults.push(`a request to ${request.url()}`);
  });
  return {
    page,
    context,
    /** Errors in the browser, and requests to other hosts. */
    faults,
    async close() {
      // A request in flight must not fail after its test.
      for (const routed of [...context.pages(), context])
        await routed.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    },
  };
}

/** For tests that intercept requests, which a service worker would hide. */
export const WITHOUT_WORKER = { ...PHONE, serviceWorkers: 'block' } as const;

/** The service and a browser, with the page that the script builds. */
export async function startPage(build: URL, options: { whole?: boolean } = {}) {
  buildPage(build);
  const [service, browser] = await Promise.all([startServiceUnderTest(), startBrowser(options)]);
  return {
    ...{ service, browser },
    /** Opens a page, and fails for errors in the browser that nothing has caught. */
    async visiting(context: BrowserContextOptions, work: (visitor: Visitor) => Promise<void>) {
      const visitor = await visit(browser, service.url, context);
      try {
        await work(visitor);
        if (visitor.faults.length > 0) throw new Error(`in the browser: ${visitor.faults.join('; ')}`);
      } finally {
        await visitor.close();
      }
    },
  };
}

/** The service, a firm and a browser, for a file of tests of the app. */
export async function startApp(options: { whole?: boolean } = {}) {
  const started = await startPage(APP, options);
  const { service } = started;
  const firm = await service.firm();
  return {
    ...{ ...started, firm },
    /** A member with offers of these last names, waiting in this order. */
    async offers(...names: readonly string[]) {
      const { svcId, token } = await service.member(firm);
      const ids: string[] = [];
      for (const last_name of names)
        ids.push(await offerFullClaim(service, firm, svcId, { policyholder: { ...ANA, last_name } }));
      return { ids, token };
    },
    statusOf: async (id = ''): Promise<string> => (await assignmentOf(service, firm, id)).status,
  };
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Signs in with the code from the log, and waits for the app. */
export async function signIn(page: Page, service: ServiceUnderTest, email: string): Promise<void> {
  await enterCode(page, service, email);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** Signs in at the app, or at the desk, with the code from the log. */
export async function enterCode(
  page: Page,
  service: ServiceUnderTest,
  email: string,
  path = '/app',
): Promise<void> {
  await page.goto(service.url + path);
  await page.getByLabel('Your email').fill(email);
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await page.getByLabel('Six-digit code').fill(await codeFor(service));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Opens the page with an existing session, since the number of emailed codes is limited. */
export async function enter(page: Page, service: ServiceUnderTest, token: string, hash = ''): Promise<void> {
  await page.context().addCookies([{ name: 'svc-session', value: token, url: service.url }]);
  await page.goto(`${service.url}/app${hash}`);
  await page.locator('main h1').first().waitFor();
}

const codesTaken = new WeakMap<ServiceUnderTest, number>();

/** The next sign-in code; without a mail server it is logged. */
export async function codeFor(service: ServiceUnderTest): Promise<string> {
  const taken = codesTaken.get(service) ?? 0;
  codesTaken.set(service, taken + 1);
  return until(
    'a sign-in code',
    async () => service.logged.flatMap((line) => /"sign_in_code":"(\d{6})"/.exec(line)?.[1] ?? [])[taken],
  );
}

export async function emailOf(service: ServiceUnderTest, token: string): Promise<string> {
  return (await service.call('GET', '/app/v1/me', { as: token })).json.email;
}

let claims = 0;

/** Sends a claim with all fields and returns its id. */
export async function offerFullClaim(
  service: ServiceUnderTest,
  firm: TestFirm,
  adjuster: string,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  claims += 1;
  const body = {
    ...(EXAMPLES.sendClaim.body as Record<string, unknown>),
    external_id: `EXT-page-${claims}`,
    claim_number: `FL26-${String(claims).padStart(7, '0')}`,
    adjuster_svc_id: adjuster,
    ...changes,
  };
  const sent = await sendClaim(service, firm.live, body);
  if (sent.status !== 201) throw new Error(`sending the claim failed: ${sent.text}`);
  return sent.json.id;
}

/** The assignment as the firm sees it. */
export const assignmentOf = async (
  service: ServiceUnderTest,
  firm: TestFirm,
  id: string,
): Promise<{ status: string; rejection_reason: string | null }> =>
  (await service.call('GET', `/v1/claims/${id}`, { as: firm.live })).json.assignment;

export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
): Promise<Exclude<T, undefined | false>> {
  try {
    return await eventually(look, (found) => found !== undefined && found !== false);
  } catch (cause) {
    throw new Error(`timed out waiting for ${what}`, { cause });
  }
}

/** Elements that are wider than the screen, or more room for messages than it has. */
export async function tooWide(page: Page, screen: string): Promise<string[]> {
  const wide =
    (await page.evaluate(`[document.documentElement, ...document.querySelectorAll('main, main *, nav *, dialog, dialog *')]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.outerHTML.slice(0, 120) + ' to ' + Math.round(element.getBoundingClientRect().right))
    .concat(document.documentElement.scrollWidth > innerWidth ? ['it scrolls sideways'] : [])
    .concat(parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--messages-height')) > innerHeight
      ? ['messages take more than the screen'] : [])`)) as string[];
  return wide.slice(0, 3).map((one) => `${screen}: too wide: ${one}`);
}

export const ANA = { first_name: 'Ana', last_name: 'Reyes', phone: '352-555-0142' };

/** Waits until the page is under its service worker. Polled here: the Content-Security-Policy forbids it inside the page. */
export const ready = (page: Page): Promise<unknown> =>
  until(
    'the page under its worker',
    async () =>
      (await page.evaluate(`navigator.serviceWorker.controller !== null &&
        navigator.serviceWorker.ready.then(({ active }) => active.state === 'activated')`)) === true,
  );

export const expectShown = async (page: Page, texts: readonly string[]): Promise<void> => {
  for (const text of texts) {
    await until(text, async () => (await page.locator('main').textContent())?.includes(text));
  }
};

export async function signInAsTest(page: Page, svcId: string, secret: string): Promise<void> {
  await page.getByText('Other ways and help').click();
  await button(page, 'Sign in with a test account').click();
  await page.getByLabel('SVCID of the test account').fill(svcId);
  await page.getByLabel('Sign-in secret').fill(secret);
  await button(page, 'Sign in').click();
}

/** Runs a script with `kept`, the object store of the app. */
export const inDatabase = (page: Page, script: string): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    indexedDB.open('claims').onsuccess = ({ target: { result } }) => {
      // The app has not created them yet.
      if (result.objectStoreNames.length === 0) return result.close(), resolve();
      const changing = result.transaction('kept', 'readwrite');
      const kept = changing.objectStore('kept');
      let found;
      ${script}
      changing.oncomplete = () => { result.close(); resolve(found?.result); };
    };
  })`);

/** The names of the values stored on the device. */
export const storedKeys = async (page: Page) =>
  (await inDatabase(page, 'found = kept.getAllKeys();')) as string[];

/** Tap targets under 48 pixels wide or high, except links within text; markers of a map, which has a list too, under 44. */
export async function tooSmall(page: Page, screen: string): Promise<string[]> {
  const small = (await page.evaluate(`[...document.querySelectorAll('a, button, input, select, textarea')]
    .filter((element) => element.checkVisibility() && !element.closest('.note, dd'))
    .map((element) => ({ element, box: (element.closest('label') ?? element).getBoundingClientRect(), least: element.matches('.marker') ? 44 : 48 }))
    .filter(({ element, box, least }) => !element.matches('.skip') && Math.round(Math.min(box.width, box.height)) < least)
    .map(({ element, box }) => element.outerHTML.slice(0, 120) + ' ' + Math.round(box.width) + 'x' + Math.round(box.height))`)) as string[];
  return small.map((one) => `${screen}: too small to tap: ${one}`);
}

const SENT = JSON.stringify(EXAMPLES.sendClaim.body);

/** Texts and names on a Spanish page with words of English alone; not what a firm sent, quotations, addresses and ids. */
export async function inEnglish(page: Page, screen: string): Promise<string[]> {
  const english = (await page.evaluate(`(() => {
    const words = /\\b(the|of|and|with|your|this|from|for|not|is|are|has|claims?|offers?|days?|hours?|miles|late|close)\\b/i;
    const found = [...document.querySelectorAll('[lang=es] body *')]
      .filter((element) => element.checkVisibility() && !element.closest('code, pre, script'))
      .flatMap((element) => [
        ...['aria-label', 'placeholder', 'title'].map((name) => element.getAttribute(name) ?? ''),
        ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data),
      ]);
    return [...new Set(found)].filter((text) => words.test(text.replace(/«[^»]*»|\\S*[:@/]\\S*/g, '')));
  })()`)) as string[];
  return english.filter((text) => !SENT.includes(text)).map((text) => `${screen}: in English: ${text}`);
}

/** The corners of the button that are outside the screen or covered. */
export async function obscuredCorners(page: Page, buttons: string, name: string): Promise<string[]> {
  await button(page, name).first().waitFor();
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(buttons)})]
    .filter((element) => element.textContent === ${JSON.stringify(name)})
    .flatMap((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const [xs, ys] = [[left + 8, right - 8], [top + 8, bottom - 8]];
      return xs.flatMap((x) => ys.map((y) => [x, y]))
        .filter(([x, y]) => !element.contains(document.elementFromPoint(x, y)))
        .map((at) => element.textContent + ': out of reach at ' + at.map(Math.round));
    })`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds on the page. */
export async function axeViolations(page: Page, options: object = { runOnly: RULES }): Promise<string[]> {
  // Through DevTools, because the Content-Security-Policy forbids other scripts.
  if (await page.evaluate("!('axe' in globalThis)")) await page.evaluate(AXE);
  return page.evaluate(`axe.run(document, ${JSON.stringify({ ...options, resultTypes: ['violations'] })})
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`);
}

/** A device that confirms passkeys by itself. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
