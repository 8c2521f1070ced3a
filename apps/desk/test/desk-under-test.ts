import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import {
  axeViolations,
  button,
  inEnglish,
  RULES,
  startPage,
  tooWide,
} from '../../adjuster/test/app-under-test.ts';
import type { ServiceUnderTest } from '../../api/test/service-under-test.ts';

export const DESK = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;
export const PHONE = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: 'reduce',
  colorScheme: 'dark',
  locale: 'es-PR',
} as const;

export const startDesk = () => startPage(new URL('../build.mjs', import.meta.url));

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

/** What is wrong with the screen: for axe, wider than the window, and in English on a Spanish page. */
export async function faultsOf(page: Page, screen: string): Promise<string[]> {
  const rules = { 'target-size': { enabled: true } };
  const violations = await axeViolations(page, { runOnly: RULES, rules });
  return [
    ...violations.map((violation) => `${screen}: ${violation}`),
    ...(await tooWide(page, screen)),
    ...(await inEnglish(page, screen)),
  ];
}

/** The name and the text of the file that a button saves. */
export const saved = async (page: Page, name: string) => {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')] as const;
};

/** Everything that the page keeps in the browser. */
export const storedText = (page: Page): Promise<string> =>
  page.evaluate(`Promise.all([indexedDB.databases(), caches.keys()]).then((stores) =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, stores]))`);
