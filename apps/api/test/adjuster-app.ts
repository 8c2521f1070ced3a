import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EXAMPLES } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type ServiceUnderTest, sendClaim, type TestFirm } from './service-under-test.ts';

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
export const TABLET = { viewport: { width: 834, height: 1112 }, hasTouch: true, isMobile: true } as const;

/** As `pnpm start` does it; takes no time when the page has not changed. */
export function buildPage(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../adjuster/build.mjs', import.meta.url))], {
    stdio: 'inherit',
  });
}

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Whatever the browser complained of, and every request that would have left the host. */
  readonly faults: string[];
  close(): Promise<void>;
}

/** A device of its own, with nothing on it yet. */
export async function visit(
  browser: Browser,
  base: string,
  options: BrowserContextOptions = PHONE,
): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    // That a request was refused, or that there is no network, the page tells the adjuster itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      faults.push(message.text());
    }
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${base}/`)) faults.push(`a request to ${request.url()}`);
  });
  return { page, context, faults, close: () => context.close() };
}

/** Signs in as the adjuster would, with the code that went to the log. */
export async function signIn(page: Page, service: ServiceUnderTest, email: string): Promise<void> {
  await page.goto(`${service.url}/app`);
  await page.getByLabel('Your email').fill(email);
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await page.getByLabel('Six-digit code').fill(await codeFor(service));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** With a session that is there already: mails of codes are limited, and one test is about them. */
export async function enter(page: Page, service: ServiceUnderTest, token: string, hash = ''): Promise<void> {
  await page.context().addCookies([{ name: 'svc-session', value: token, url: service.url }]);
  await page.goto(`${service.url}/app${hash}`);
  await page.getByRole('navigation').first().waitFor();
}

let codesTaken = 0;

/** The next code that is mailed; without a mail server the log has it. */
async function codeFor(service: ServiceUnderTest): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const codes = service.logged.flatMap((line) => /"sign_in_code":"(\d{6})"/.exec(line)?.[1] ?? []);
    const next = codes[codesTaken];
    if (next !== undefined) {
      codesTaken += 1;
      return next;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('no sign-in code was logged');
}

export async function emailOf(service: ServiceUnderTest, token: string): Promise<string> {
  return (await service.call('GET', '/app/v1/me', { as: token })).json.email;
}

let claims = 0;

/** A claim with everything that a claim can hold. Returns its id. */
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
  if (sent.status !== 201) throw new Error(`the claim was refused: ${sent.text}`);
  return sent.json.id;
}

/** What the firm reads of a claim. */
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
    throw new Error(`waited in vain: ${what}`, { cause });
  }
}
