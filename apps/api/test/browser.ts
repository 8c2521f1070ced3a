import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
} from 'playwright-core';
import { atEnd } from '../../../tools/services/at-end.ts';
import { findCommand, installDebianPackage } from '../../../tools/services/debian-package.ts';

const SHELL = 'chromium-headless-shell';
const WHOLE = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Starts Chromium, and installs Debian's package if it is missing. The headless shell takes half the CPU time, so it is
 * installed even beside a full browser, which is used where that fails. It has no notifications; `whole` starts the full
 * browser for tests that need them.
 */
export async function startBrowser({ whole = false } = {}): Promise<Browser> {
  const browser = await chromium.launch(await launchOptions(whole));
  atEnd(() => browser.close());
  return browser;
}

/** For what never comes, not for what is slow. */
const MAX_WAIT_MS = 100_000;

export async function openContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(MAX_WAIT_MS);
  return context;
}

/** One whose data is in that folder, with a context of those options. */
export async function startBrowserIn(
  folder: string,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const launched = await launchOptions(false);
  const context = await chromium.launchPersistentContext(folder, { ...launched, ...options });
  context.setDefaultTimeout(MAX_WAIT_MS);
  atEnd(() => context.close());
  return context;
}

async function launchOptions(whole: boolean): Promise<LaunchOptions> {
  const executablePath = findCommand(...(whole ? WHOLE : [SHELL])) ?? (await installed(whole));
  return {
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Gives pages Chromium's own measurements as `statsCollectionController`.
      '--enable-stats-collection-bindings',
    ],
  };
}

async function installed(whole: boolean): Promise<string> {
  const reasons: string[] = [];
  // Debian before 12 and Ubuntu have no package of the headless shell.
  for (const name of whole ? ['chromium'] : [SHELL, 'chromium']) {
    const reason = await installDebianPackage(name, (line) => process.stderr.write(`${line}\n`));
    const found = findCommand(name, ...WHOLE);
    if (found !== undefined) return found;
    reasons.push(reason ?? `${name} is still missing`);
  }
  throw new Error(
    `These tests need a browser, and none of ${WHOLE.join(', ')} is on the PATH. ` +
      `Installing Debian's package failed: ${reasons.join('; ')}. Install Chromium or Chrome, then run the tests again.`,
  );
}
