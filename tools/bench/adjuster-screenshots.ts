// Screenshots of every screen of the adjuster app, on a phone and a tablet, light and dark:
//   npx tsx --conditions=source tools/bench/adjuster-screenshots.ts [folder]
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  buildPage,
  emailOf,
  enter,
  offerFullClaim,
  PHONE,
  signIn,
  TABLET,
  type Visitor,
  visit,
} from '../../apps/api/test/adjuster-app.ts';
import { startBrowser } from '../../apps/api/test/browser.ts';
import { startServiceUnderTest } from '../../apps/api/test/service-under-test.ts';

const folder = resolve(process.argv[2] ?? 'screenshots');
mkdirSync(folder, { recursive: true });

const PLACES = [
  ['Marisol', 'Delgado', '1420 Seagrape Lane', 'Fort Myers Beach', 'FL', '33931'],
  ['Ana', 'Reyes', '114 Bayshore Dr', 'Cedar Key', 'FL', '32625'],
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
  const email = await emailOf(service, token);
  const ids: string[] = [];
  const HOUR = 3_600_000;
  const waited = [27 * HOUR, 3.3 * HOUR, 50 * HOUR, 30 * HOUR];
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
  for (const id of ids.slice(2)) await service.call('POST', `/app/v1/claims/${id}/acceptance`, { as: token });
  await service.call('PATCH', `/app/v1/claims/${ids[3]}/work`, {
    as: token,
    body: { contact_date: '2026-08-30', notes: 'Water line 14 inches in the den. Owner has photos.' },
  });
  const other = await service.firm({ name: 'Palmetto Flood Adjusters' });
  await service.call('POST', '/v1/adjusters/invitations', {
    as: other.live,
    body: { svc_id: svcId, invited_as: 'Jean Delacroix' },
  });

  ago = 0;
  for (const [device, options] of [
    ['phone', PHONE],
    ['tablet', TABLET],
    ['wide', { ...TABLET, viewport: { width: 1180, height: 820 } }],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, close } = await visit(browser, service.url, { ...options, colorScheme });
      const take = (name: string) =>
        page.screenshot({ path: join(folder, `${name}-${device}-${colorScheme}.png`) });
      await page.goto(`${service.url}/app`);
      await page.getByLabel('Your email').waitFor();
      await take('sign-in');
      if (device === 'phone') await signIn(page, service, email);
      else await enter(page, service, token);
      await page.getByText('Marisol Delgado').waitFor();
      await page.waitForTimeout(400);
      await take('offers');
      await open(page, `#/claims/${ids[0]}`, 'Marisol Delgado');
      await take('offer');
      await page.mouse.wheel(0, 1500);
      await page.waitForTimeout(200);
      await take('offer-below');
      await page.getByRole('button', { name: 'Reject' }).click();
      await page.getByRole('button', { name: 'Too far away', pressed: false }).click();
      await page.getByRole('button', { name: 'Too far away', pressed: true }).waitFor();
      await take('reject');
      await page.keyboard.press('Escape');
      await open(page, '#/claims', 'My claims');
      await take('claims');
      await open(page, `#/claims/${ids[3]}`, 'June Hathaway');
      await take('claim');
      await open(page, `#/invitations/${other.id}`, 'Palmetto');
      await take('invitation');
      await open(page, '#/firms', 'Firms');
      await take('firms');
      await page.getByRole('button', { name: 'Leave this firm' }).click();
      await page.getByRole('dialog').waitFor();
      await take('leave');
      await page.keyboard.press('Escape');
      await open(page, '#/settings', 'Settings');
      await take('settings');
      await open(page, '#/claims/closed', 'My claims');
      await page.getByText('No closed claims').waitFor();
      await take('closed');
      await page.context().setOffline(true);
      await open(page, `#/claims/${ids[1]}`, 'Ana Reyes');
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByText('saved and will be sent').waitFor();
      await page.waitForTimeout(300);
      await take('offline-answer');
      await open(page, '#/', 'Offers');
      await take('offline-offers');
      await page.getByRole('button', { name: 'Undo' }).click();
      await close();
    }
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
