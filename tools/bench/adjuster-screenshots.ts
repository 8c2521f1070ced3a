// Screenshots of every screen of the adjuster app: phones, a tablet and a desktop; light, dark and sunlight; English and
// Spanish; text of 200 %. Each screen is also checked with axe, and for content wider than the screen:
//   npx tsx --conditions=source tools/bench/adjuster-screenshots.ts [folder] [pairs|all|start of a look's name]
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import {
  buildPage,
  en,
  enter,
  es,
  offerFullClaim,
  tooWide,
  type Visitor,
  visit,
} from '../../apps/api/test/adjuster-app.ts';
import { startBrowser } from '../../apps/api/test/browser.ts';
import { startServiceUnderTest } from '../../apps/api/test/service-under-test.ts';

const WIDTHS = { narrow: [360, 740], phone: [390, 844], tablet: [820, 1180], desktop: [1440, 900] } as const;
const SCHEMES = ['light', 'dark', 'sunlight'] as const;
const LANGUAGES = { en: 'en-US', es: 'es-PR' } as const;
const SIZES = ['normal', 'large'] as const;

/** Each width with each scheme, and each of them in both languages and with text of 200 %. */
const PAIRS = [
  'narrow-light-en-large',
  'narrow-dark-es-normal',
  'narrow-sunlight-es-large',
  'phone-light-en-normal',
  'phone-dark-es-large',
  'phone-sunlight-en-normal',
  'tablet-light-es-normal',
  'tablet-dark-en-large',
  'tablet-sunlight-en-normal',
  'desktop-light-es-large',
  'desktop-dark-en-normal',
  'desktop-sunlight-es-normal',
];
const LOOKS = Object.entries(WIDTHS).flatMap(([device, [width, height]]) =>
  SCHEMES.flatMap((scheme) =>
    (['en', 'es'] as const).flatMap((language) =>
      SIZES.map((size) => ({
        name: `${device}-${scheme}-${language}-${size}`,
        width,
        height,
        scheme,
        locale: LANGUAGES[language],
        large: size === 'large',
      })),
    ),
  ),
);
const wanted = process.argv[3] ?? 'pairs';
const looks = LOOKS.filter(({ name }) =>
  wanted === 'pairs' ? PAIRS.includes(name) : wanted === 'all' || name.startsWith(wanted),
);

const AXE = readFileSync(
  createRequire(import.meta.resolve('../../apps/api/package.json')).resolve('axe-core/axe.min.js'),
  'utf8',
);
const RULES = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  rules: { 'target-size': { enabled: true } },
};
/** Accessibility violations, and what is wider than the screen. */
const found: string[] = [];

/** The browser's push service needs the internet, so the page is made to believe in a permission and a subscription. */
const PERMISSION = (state: 'denied' | 'granted') =>
  `Object.defineProperty(Notification, 'permission', { configurable: true, get: () => '${state}' });
   PushManager.prototype.getSubscription = async () => ({ unsubscribe: async () => true });`;

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
  await service.service.services.get('operatorUseCases').setOfferWait(firm.id, 48);
  await service.call('PATCH', '/app/v1/me/availability', {
    as: token,
    body: { away: [{ first_day: '2031-09-07', last_day: '2031-09-11', time_zone: 'America/Chicago' }] },
  });
  const other = await service.firm({ name: 'Palmetto Flood Adjusters' });
  await service.call('POST', '/v1/adjusters/invitations', {
    as: other.live,
    body: { svc_id: svcId, invited_as: 'Jean Delacroix' },
  });

  ago = 0;
  for (const { name, width, height, scheme, locale, large } of looks) {
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
      await page.evaluate(AXE);
      const violations =
        (await page.evaluate(`axe.run(document, ${JSON.stringify(RULES)}).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`)) as string[];
      found.push(...(await tooWide(page, `${screen} ${name}`)));
      for (const what of violations) found.push(`${screen} ${name}: ${what}`);
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
    await page.locator('.map-buttons').waitFor();
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
    await page.locator('input[type=date]').first().scrollIntoViewIfNeeded();
    await take('away');
    await page.evaluate(PERMISSION('denied'));
    await open(page, '#/settings', words.nav.settings);
    await page.locator('.points').first().waitFor();
    await take('settings-blocked');
    await page.evaluate(PERMISSION('granted'));
    await page.route('**/preferences', (route) => route.fulfill({ status: 204 }));
    await open(page, '#/', words.offers.title);
    await open(page, '#/settings', words.nav.settings);
    const quiet = page.locator('.switch').first();
    await quiet.click();
    await quiet.scrollIntoViewIfNeeded();
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
for (const one of found) console.log(one);
console.log(`${found.length} violations`);
process.exit(found.length === 0 ? 0 : 1);

async function open(page: Visitor['page'], hash: string, heading: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByRole('heading', { level: 1, name: heading }).first().waitFor();
  await page.waitForTimeout(250);
}
