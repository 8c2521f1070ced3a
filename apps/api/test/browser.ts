import { type Browser, chromium } from 'playwright-core';
import { findCommand, installDebianPackage } from '../../../tools/services/debian-package.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Debian's Chromium, put in place where it is missing and may be. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findCommand(...NAMES) ?? (await installed());
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

async function installed(): Promise<string> {
  const reason = await installDebianPackage('chromium', (line) => process.stderr.write(`${line}\n`));
  const found = findCommand(...NAMES);
  if (found !== undefined) return found;
  throw new Error(
    `The documentation is tested in a real browser, and none of ${NAMES.join(', ')} is on the PATH. ` +
      `Installing Debian's did not work: ${reason ?? 'it is still not there'}. Install Chromium or Chrome, then run the tests again.`,
  );
}
