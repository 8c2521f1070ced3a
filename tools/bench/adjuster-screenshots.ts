// Screenshots of every screen of the adjuster app: phones, a tablet and a desktop; light, dark and sunlight; English and
// Spanish; large text:
//   npx tsx --conditions=source tools/bench/adjuster-screenshots.ts [folder]
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  buildPage,
  en,
  enter,
  es,
  offerFullClaim,
  type Visitor,
  visit,
} from '../../apps/api/test/adjuster-app.ts';
import { startBrowser } from '../../apps/api/test/browser.ts';
import { startServiceUnderTest } from '../../apps/api/test/service-under-test.ts';

const LOOKS = {
  'phone-light': { width: 390, height: 844, scheme: 'device', locale: 'en-US', large: false },
  'phone-sunlight': { width: 390, height: 844, scheme: 'sunlight', locale: 'en-US', large: false },
  'narrow-dark-es': { width: 360, height: 740, scheme: 'dark', locale: 'es-PR', large: false },
  'narrow-large-es': { width: 360, height: 740, scheme: 'device', locale: 'es-PR', large: true },
  'tablet-light': { width: 820, height: 1180, scheme: 'device', locale: 'en-US', large: false },
  'desktop-dark': { width: 1440, height: 900, scheme: 'dark', locale: 'en-US', large: false },
} as const;

const folder = resolve(process.argv[2] ?? 'screenshots');
mkdirSync(folder, { recursive: true });

const PLACES = [
  ['Marisol', 'Delgado', '1420 Seagrape Lane', 'Fort Myers Beach', 'FL', '33931'],
  ['Ana', 'Reyes', '114 Bayshore Dr', 'Cedar Key', 'FL', '32625'],
  ['Guadalupe', 'Wolfeschlegelsteinhausenbergerdorff', '1 Main Street', 'Cape Coral', 'FL', '33904'],
  ['Bo', 'Li', '77 Estero Boulevard', 'Fort Myers Beach', 'FL', '33931'],
  ['Carmen', 'Ortiz', '9 Palm Avenue', 'Sanibel', 'FL', '33957'],
  ['Ed', 'Novak', '310 Canal Street', 'Naples', 'FL', '34102'],
  ['Tyrone', 'Baptiste', '27 Calle Luna', 'Loíza', 'PR', '00772'],
  ['June', 'Hathaway', '8 Mill Pond Road', 'Barnstable', 'MA', '02630'],
] as const;

buildPage();
/** The service's clock is behind by this much, so that offers have been pending for a while. */
let ago = 0;
const [service, browser] = await Promise.all([
  startServiceUnderTest({ clock: { now: () => Date.now() - ago } }),
  startBrowser({ whole: true }),
]);
try {
  const firm = await service.firm();
  const { svcId, token } = await service.member(firm);
  const ids: string[] = [];
  const HOUR = 3_600_000;
  const waited = [27, 3.3, 5, 8, 12, 1.2, 50, 30].map((hours) => hours * HOUR);
  for (const [first_name, last_name, street, city, state, zip] of PLACES) {
    const { policyholder } = {
      policyholder: {
        first_name,
        last_name,
        phone: '239-555-0142',
        email: `${first_name}@example.com`.toLowerCase(),
      },
    };
    ago = waited[ids.length] ?? 0;
    ids.push(
      await offerFullClaim(service, firm, svcId, {
        policyholder,
        loss_location: { street, city, state, zip },
      }),
    );
  }
  ago = 20 * HOUR;
  for (const id of ids.slice(6)) await service.call('POST', `/app/v1/claims/${id}/acceptance`, { as: token });
  await service.call('PATCH', `/app/v1/claims/${ids[7]}/work`, {
    as: token,
    body: { contact_date: '2026-08-30', notes: 'Water line 14 inches in the den. Owner has photos.' },
  });
  const other = await service.firm({ name: 'Palmetto Flood Adjusters' });
  await service.call('POST', '/v1/adjusters/invitations', {
    as: other.live,
    body: { svc_id: svcId, invited_as: 'Jean Delacroix' },
  });

  ago = 0;
  for (const [name, look] of Object.entries(LOOKS)) {
    if (process.argv[3] !== undefined && process.argv[3] !== name) continue;
    const { width, height, scheme, locale, large } = look;
    const words = locale === 'es-PR' ? es : en;
    const { page, close } = await visit(browser, service.url, {
      viewport: { width, height },
      hasTouch: width < 1000,
      isMobile: width < 1000,
      locale,
      colorScheme: scheme === 'dark' ? 'dark' : 'light',
    });
    await page.addInitScript({
      content: `localStorage.preferences = '${JSON.stringify({ undoSeconds: 0, scheme })}';
        ${large ? "addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '34px'; });" : ''}`,
    });
    const take = async (screen: string) => {
      await page.waitForTimeout(250);
      await page.screenshot({ path: join(folder, `${screen}-${name}.png`) });
    };
    await page.goto(`${service.url}/app`);
    await page.getByLabel(words.signIn.email).waitFor();
    await take('sign-in');
    await enter(page, service, token);
    await page.getByText('Marisol Delgado').first().waitFor();
    await take('offers');
    await page.getByRole('button', { name: words.offers.select }).click();
    await page.getByRole('checkbox').first().check();
    await take('select');
    await page.getByRole('button', { name: words.offers.selectDone }).click();
    await open(page, `#/claims/${ids[0]}`, 'Marisol Delgado');
    await page.getByRole('heading', { name: words.claim.sections.policyholder, exact: true }).waitFor();
    await take('offer');
    await page.mouse.wheel(0, 1500);
    await take('offer-below');
    await page.getByRole('button', { name: words.claim.reject }).click();
    await page.getByRole('button', { name: words.reject.reasons.too_far, pressed: false }).click();
    await take('reject');
    await page.keyboard.press('Escape');
    await open(page, '#/map', words.map.title);
    await page.getByRole('button', { name: words.map.zoomIn }).waitFor();
    await page.locator('.marker').first().click();
    await take('map');
    await open(page, '#/history', words.history.title);
    await take('history');
    await open(page, '#/claims', words.claims.title);
    await take('claims');
    await open(page, `#/claims/${ids[7]}`, 'June Hathaway');
    await page.getByRole('heading', { name: words.work.title }).waitFor();
    await take('claim');
    await open(page, `#/invitations/${other.id}`, words.invitations.card('Palmetto Flood Adjusters'));
    await take('invitation');
    await open(page, '#/firms', words.firms.title);
    await take('firms');
    await open(page, '#/settings', words.settings.title);
    await take('settings');
    await page.context().setOffline(true);
    await open(page, `#/claims/${ids[1]}`, 'Ana Reyes');
    await page.getByRole('button', { name: words.claim.accept }).click();
    await page.getByText(words.claim.queuedAccept).waitFor();
    await take('offline-answer');
    await open(page, '#/', words.offers.title);
    await take('offline-offers');
    await page.getByRole('button', { name: words.claim.undo }).first().click();
    await page.getByText(words.claim.undone).waitFor();
    await close();
  }
} finally {
  await browser.close();
  await service.stop();
}
process.exit(0);

async function open(page: Visitor['page'], hash: string, heading: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByRole('heading', { level: 1, name: heading }).first().waitFor();
  await page.waitForTimeout(250);
}
