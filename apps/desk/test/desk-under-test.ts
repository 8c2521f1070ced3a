import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { axeViolations, tooWide, type Visitor, visit } from '../../adjuster/test/app-under-test.ts';
import { startBrowser } from '../../api/test/browser.ts';
import { type ServiceUnderTest, startServiceUnderTest } from '../../api/test/service-under-test.ts';

export const DESK = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;
export const PHONE = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: 'reduce',
  colorScheme: 'dark',
  locale: 'es-PR',
} as const;

export async function startDesk() {
  execFileSync(process.execPath, [fileURLToPath(new URL('../build.mjs', import.meta.url))], {
    stdio: 'inherit',
  });
  const [service, browser] = await Promise.all([startServiceUnderTest(), startBrowser()]);
  return {
    ...{ service, browser },
    /** Opens a browser context, and fails for errors in it that nothing has caught, and for requests to other hosts. */
    async visiting(options: BrowserContextOptions, work: (visitor: Visitor) => Promise<void>) {
      const visitor = await visit(browser, service.url, options);
      try {
        await work(visitor);
        if (visitor.faults.length > 0) throw new Error(`in the browser: ${visitor.faults.join('; ')}`);
      } finally {
        await visitor.close();
      }
    },
    async stop() {
      await browser.close();
      await service.stop();
    },
  };
}

/** Opens the desk with an existing session, since the number of emailed codes is limited. */
export async function enterDesk(
  page: Page,
  service: ServiceUnderTest,
  token: string,
  hash = '',
): Promise<void> {
  await page.context().addCookies([{ name: 'svc-staff-session', value: token, url: service.url }]);
  await page.goto(`${service.url}/firm${hash}`);
  await page.locator('main h1').first().waitFor();
}

/** What is wrong with the screen: for axe, and wider than the window. */
export async function faultsOf(page: Page, screen: string): Promise<string[]> {
  const violations = await axeViolations(page);
  return [...violations.map((violation) => `${screen}: ${violation}`), ...(await tooWide(page, screen))];
}

/** Everything that the page keeps in the browser. */
export const storedText = (page: Page): Promise<string> =>
  page.evaluate(`Promise.all([indexedDB.databases(), caches.keys()]).then((stores) =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, stores]))`);
