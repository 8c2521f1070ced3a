import { type Browser, chromium } from 'playwright-core';
import { findCommand, installDebianPackage } from '../../../tools/services/debian-package.ts';

const SHELL = 'chromium-headless-shell';
const WHOLE = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Debian's Chromium, put in place where it is missing and may be. Without its window it takes half the processor time,
 * but knows no notifications: a test of those asks for the whole.
 */
export async function startBrowser({ whole = false } = {}): Promise<Browser> {
  const executablePath = findCommand(...(whole ? [] : [SHELL]), ...WHOLE) ?? (await installed(whole));
  return chromium.launch({
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
    ],
  });
}

async function installed(whole: boolean): Promise<string> {
  const reasons: string[] = [];
  // Releases of Debian before 12 have no package of the shell.
  for (const name of whole ? ['chromium'] : [SHELL, 'chromium']) {
    const reason = await installDebianPackage(name, (line) => process.stderr.write(`${line}\n`));
    const found = findCommand(name);
    if (found !== undefined) return found;
    reasons.push(reason ?? `${name} is still not there`);
  }
  throw new Error(
    `The pages are tested in a real browser, and none of ${WHOLE.join(', ')} is on the PATH. ` +
      `Installing Debian's did not work: ${reasons.join('; ')}. Install Chromium or Chrome, then run the tests again.`,
  );
}
