import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import type { Page } from 'playwright-core';
import {
  button,
  changeClaims,
  emailOf,
  enter,
  expectShown,
  heading,
  inDatabase,
  offerFullClaim,
  PHONE,
  signIn,
  startApp,
  TABLET,
  until,
  WITHOUT_WORKER,
} from './app-under-test.ts';

const { firm, service, visiting } = await startApp();

test('an adjuster signs in, completes the profile, joins a firm, accepts a claim, works on it, and is done', () =>
  visiting(PHONE, async ({ page }) => {
    const inviting = await service.firm({ name: 'Palmetto Adjusters' });
    const { svcId, token } = await service.adjuster({ lastName: null });
    const email = await emailOf(service, token);
    const invited = await service.call('POST', '/v1/adjusters/invitations', {
      as: inviting.live,
      body: { svc_id: svcId, invited_as: 'Jean from Houma', note: 'Secret note' },
    });
    expect(invited.status).toBe(201);

    await signIn(page, service, email);
    await page.getByRole('link', { name: /Palmetto Adjusters invites you/ }).click();
    await page.getByText('Jean from Houma').waitFor();
    expect(await page.content()).not.toContain('Secret note');
    await page.getByLabel('Last name').fill(' ');
    await button(page, 'Save and join').click();
    await page.getByText('Enter a valid last name.').waitFor();
    await page.getByLabel('Last name').fill('Delacroix');
    await button(page, 'Save and join').click();
    await page.getByText('You have joined Palmetto Adjusters').waitFor();

    // The offer appears on the open page without a reload.
    const id = await offerFullClaim(service, { ...firm, live: inviting.live }, svcId);
    await page.getByRole('link', { name: /Marisol Delgado/ }).click();
    await heading(page, 'Marisol Delgado').waitFor();
    await expectShown(page, [
      'Phone and email are shown after you accept.',
      'Gate code 4471',
      'Palmetto Mutual Insurance',
      'Estero Bay Insurance',
      'First Coast Mortgage',
      'Ray Okafor',
    ]);
    const links = () =>
      page
        .locator('a.contact-link')
        .evaluateAll((elements) => elements.map((element) => element.getAttribute('href')));
    // An offer has no way to reach the people of a claim.
    const calls = page.locator('.person a[href^="tel:"], .contact-links a[href^="tel:"]');
    expect([await links(), await calls.count()]).toEqual([[], 0]);
    await button(page, 'Accept').click();
    await page.getByText('Sent: you have accepted Marisol Delgado.').waitFor();
    await page.getByRole('heading', { name: 'Your work' }).waitFor();
    await until('the calls', async () => (await links()).length === 3);
    expect((await links()).map((link) => link?.split(':')[0])).toEqual(['tel', 'sms', 'https']);
    expect((await links())[0]).toBe('tel:+13125550142');
    await page.getByText('All from the firm').click();
    await until('the calls of all people', async () => (await calls.count()) >= 3);
    const answered = await service.call('GET', `/v1/claims/${id}`, { as: inviting.live });
    expect(answered.json.assignment.status).toBe('accepted');

    await page.getByLabel('Policyholder contacted on', { exact: true }).fill('2026-08-30');
    await page.getByLabel('Notes').fill('Water line 14 inches in the den.');
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await until(
      'the notes',
      async () => (await page.getByLabel('Notes').inputValue()) === 'Water line 14 inches in the den.',
    );
    // The planned visit as it is typed, and what is typed when the claim is closed.
    await page.getByLabel('Planned visit', { exact: true }).fill('2031-09-02');
    await page.getByLabel('Time of the visit').fill('14:45');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Add to calendar').click(),
    ]);
    const file = readFileSync(await download.path(), 'utf8');
    expect(file).toContain('DTSTART:20310902T144500\r\n');
    expect(file).toContain('SUMMARY:Inspection: Marisol Delgado');
    await page.getByLabel('Property inspected on', { exact: true }).fill('2026-09-02');
    await closeClaim(page);
    await heading(page, 'My claims').waitFor();
    await page.getByRole('link', { name: 'Closed' }).click();
    await page.getByRole('link', { name: /Marisol Delgado/ }).click();
    await page.getByRole('heading', { name: 'Your work' }).waitFor();
    await expectShown(page, ['Sep 2, 2026', 'Sep 2, 2031', 'Water line 14 inches in the den.']);
    expect(await page.getByLabel('Notes').count()).toBe(0);
  }));

/** In the order in which a claim shows them. */
const AMOUNTS = [
  ...['building_limit', 'building_deductible', 'contents_limit', 'contents_deductible'],
  ...['special_limits_cap', 'icc_limit', 'building_reserve', 'contents_reserve'],
  ...['building_advance_payment', 'contents_advance_payment', 'building_replacement_cost'],
  ...['building_actual_cash_value', 'contents_replacement_cost', 'contents_actual_cash_value'],
];
const RATES = ['building_tax_rate', 'contents_tax_rate', 'overhead_rate', 'profit_rate', 'depreciation_rate'];

test('each field that a firm may send stands under its name, ways to reach people once the claim is accepted, and each time of a receipt', () =>
  visiting({ ...WITHOUT_WORKER, timezoneId: 'America/Chicago' }, async ({ page }) => {
    const { svcId, token } = await service.member(firm);
    const id = await offerFullClaim(service, firm, svcId);
    await changeClaims(page, (claim) => ({
      ...{ ...claim, claim_number: 'FL26-1', contact_date: '2026-08-29', inspection_date: '2026-08-30' },
      coverages: {
        ...Object(claim.coverages),
        ...Object.fromEntries(AMOUNTS.map((name, n) => [name, 1000 * (n + 1)])),
      },
      estimate: {
        ...Object(claim.estimate),
        ...Object.fromEntries(RATES.map((name, n) => [name, 0.01 * (n + 1)])),
      },
      policyholder: { ...Object(claim.policyholder), alternate_phone: '312-555-0177' },
    }));
    const factsIn = async (selector: string) => {
      const sections = await page.locator(selector).evaluateAll((all) =>
        all.map((one) => {
          const rows = [...one.querySelectorAll('dl > div')].map((row) =>
            [...row.children].map(({ textContent }) => textContent).join(' '),
          );
          return [one.querySelector('h2')?.textContent ?? '', rows.join(' | ')] as const;
        }),
      );
      const entries = sections.map(([name, rows]) => [name, rows.replace(/\s/g, ' ')] as const);
      return Object.fromEntries(entries.filter(([, rows]) => rows !== ''));
    };
    await enter(page, service, token);
    const row = page.locator('.claim-row .parts');
    await row.last().waitFor();
    expect(await row.allTextContents()).toEqual([
      'Fort Myers Beach, FL1420 Seagrape Lane',
      ...['Tidal water14 in$1K + $3K', 'AELoss Aug 27, 2026Gulf Adjusting Partners'],
    ]);
    await page.evaluate(`location.hash = '#/claims/${id}'`);
    await page.locator('.details').waitFor();
    const decidedBy =
      'Cause of loss Tidal water overflow | Water depth 38 in outside, 14 in inside | Date of loss Aug 27, 2026 | Flood zone AE | Occupancy Single-family home | Carrier Palmetto Mutual Insurance | Limits of liability Building $1,000, Contents $3,000';
    expect(await factsIn('.summary')).toEqual({ '': decidedBy });
    const { 'Dates from the firm': dates, ...facts } = await factsIn('.details > section');
    expect(facts).toEqual({
      'Insured property': 'County Lee',
      Loss: 'Date of loss Aug 27, 2026 | Time of loss 4:30 AM | Cause of loss Tidal water overflow | Exterior water depth 38 in (3 ft 2 in) | Interior water depth 14 in (1 ft 2 in) | Water duration 9 hours | Description Storm surge entered the ground floor through the garage and the lanai doors. | Catastrophe code 2643 | FICO number 712',
      Policy:
        'Policy number 87-4410029316-2025 | Policy term Mar 14, 2026 – Mar 14, 2027 | Original effective date Mar 14, 2019 | Policy form Dwelling Form | Program Regular program | NAIC number 10064',
      Building:
        'Occupancy Single-family home | Building type Main dwelling | Construction type Masonry | Date of construction May 1, 1996 | Number of units 1 | First floor height 18 in (1 ft 6 in) | Flood openings 4',
      'Flood zone and map':
        'Flood zone AE: high risk of flooding | FIRM status Post-FIRM: built after the first flood map | FIRM date Sep 19, 1984 | Community number 120673 | Map panel number 12071C0554G',
      Coverages:
        'Building limit $1,000.00 | Building deductible $2,000.00 | Contents limit $3,000.00 | Contents deductible $4,000.00 | Building loss settlement Replacement cost | Special limits of liability $5,000.00 | Increased Cost of Compliance (ICC) $6,000.00 | Building reserve $7,000.00 | Contents reserve $8,000.00 | Building advance payment $9,000.00 | Contents advance payment $10,000.00 | Building replacement cost $11,000.00 | Building actual cash value $12,000.00 | Contents replacement cost $13,000.00 | Contents actual cash value $14,000.00',
      Estimate:
        'Building tax rate 1% | Contents tax rate 2% | Overhead 3% | Profit 4% | Depreciation 5% | Price list FLFM8X_AUG26',
      'Carrier, as printed on forms':
        'Phone 813-555-0100 | Email claims@palmetto.example.com | Address 200 Harbor Plaza, Suite 900Tampa, FL 33602',
      ...{ Agent: 'Agency number A-20417', Mortgagee: 'Loan number 0048812237' },
      'Additional contacts': 'Role Tenant',
    });
    expect(dates?.replace(/ Offered .*? Reported/, ' Reported')).toBe(
      'Claim number FL26-1 | File number FN-88213 | Reported date Aug 28, 2026 | Contact date Aug 29, 2026 | Inspection date Aug 30, 2026',
    );
    await service.call('POST', `/app/v1/claims/${id}/acceptance`, { as: token });
    await page.getByText('All from the firm').click();
    await page.locator('.details').waitFor();
    expect(await factsIn('.details > section')).toMatchObject({
      Policyholder:
        'Phone 312-555-0142 | Alternate phone 312-555-0177 | Email marisol.delgado@example.com | Mailing address 3310 N Clark StChicago, IL 60657',
      Agent: 'Agency number A-20417 | Phone 239-555-0170',
      'Additional contacts': 'Role Tenant | Phone 239-555-0121',
    });
    const at = (minute: number) => `2026-08-29T15:0${minute}:00.000Z`;
    const answered = { at: at(3), device_at: at(4), kept_offline_since: at(5) };
    const said = {
      ...{ offered_at: at(1), first_seen_at: at(2), status: 'accepted', answered },
      clocks: { first_contact: { device_at: at(6) }, inspection: { device_at: at(7) } },
      ...{ decided_by: { rule: 'offered_again' }, audit: { seq: 8, hash: '0123456789abcdef' } },
    };
    for (const [receipt, name] of [
      [said, 'Answer received'],
      [{ ...said, answered: null, late_answer: answered }, 'Answer received, too late'],
    ] as const) {
      const payload = Buffer.from(JSON.stringify(receipt)).toString('base64url');
      await page.route('**/receipt?*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), receipt: `x.${payload}.x` } });
      });
      await button(page, 'Receipt: FL26-1').click();
      await page.locator('dialog dl').waitFor();
      const time = (minute: number) => `Aug 29, 2026, 10:0${minute} AM`;
      expect(Object.values(await factsIn('dialog'))).toEqual([
        `Result The offer ended: the firm offered the claim again | Offered ${time(1)} | First shown in the app ${time(2)} | ${name} ${time(3)} | Answered on the device ${time(4)} | Waited for a network since ${time(5)} | First contact ${time(6)} | Inspection ${time(7)} | Row in the firm's audit trail 8 · 0123456789ab…`,
      ]);
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    }
  }));

/** Closes the open claim, and confirms it. */
async function closeClaim(page: Page): Promise<void> {
  await button(page, 'Close claim').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close claim' }).click();
}

describe("the adjuster's notes and dates", () => {
  const acceptedClaim = async (): Promise<{ id: string; token: string }> => {
    const { svcId, token } = await service.member(firm);
    const id = await offerFullClaim(service, firm, svcId);
    await service.call('POST', `/app/v1/claims/${id}/acceptance`, { as: token });
    return { id, token };
  };
  const read = async (id: string, token: string) =>
    (await service.call('GET', `/app/v1/claims/${id}`, { as: token })).json;

  test('are sent with the closing when the network is back, and are not lost between saving and closing', () =>
    visiting(WITHOUT_WORKER, async ({ page, context }) => {
      const { id, token } = await acceptedClaim();
      // The next test shows what is held back for undo.
      await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":0}'` });
      await enter(page, service, token, `#/claims/${id}`);
      await page.getByLabel('Notes').fill('Typed in a dead spot.');
      await context.setOffline(true);
      await page.getByLabel('Note for the next entry').fill('Neighbor opened.');
      await button(page, 'Inspected').click();
      await button(page, 'Save').click();
      await page.getByText('Saved on this device.').waitFor();
      await page.getByText('Inspected · Neighbor opened.').waitFor();
      expect(await read(id, token)).toMatchObject({ work: {}, closed_at: null });
      // The entries arrive; the request that closes the claim does not.
      let arrives = false;
      await context.route('**/closure', (route) => (arrives ? route.continue() : route.abort()));
      await closeClaim(page);
      await page.getByText('The claim is closed when you are online.').waitFor();
      await context.setOffline(false);
      const sent = await until('the entries', async () => {
        const claim = await read(id, token);
        return claim.work.notes !== undefined && claim.work.contacts !== undefined && claim;
      });
      expect(sent.work).toMatchObject({
        notes: 'Typed in a dead spot.',
        inspection_date: expect.any(String),
        contacts: [{ result: 'inspected', note: 'Neighbor opened.' }],
      });
      expect(sent.closed_at).toBeNull();
      await page.reload();
      await page.getByText('The claim is closed when you are online.').waitFor();
      await until(
        'the notes',
        async () => (await page.getByLabel('Notes').inputValue()) === 'Typed in a dead spot.',
      );
      arrives = true;
      // Again, since an attempt that began before the network was back may still fail; not more often, since each event
      // reads the lists, and on a busy machine the closing would wait behind them.
      await eventually(
        async () => {
          await page.evaluate('dispatchEvent(new Event("online"))');
          return (await read(id, token)).closed_at !== null;
        },
        Boolean,
        500,
      );
      // The closed claim keeps the contact log.
      await page.getByLabel('Notes').waitFor({ state: 'detached' });
      await page.getByText('Inspected · Neighbor opened.').waitFor();
    }));

  test('in the contact log can be undone before they are sent, with the date and the note of the entry', () =>
    visiting(WITHOUT_WORKER, async ({ page }) => {
      const { id, token } = await acceptedClaim();
      await page.addInitScript({ content: `localStorage.preferences = '{"undoSeconds":20}'` });
      await enter(page, service, token, `#/claims/${id}`);
      const note = page.getByLabel('Note for the next entry');
      const date = page.getByLabel('Policyholder contacted on', { exact: true });
      await note.fill('Wrong house.');
      await button(page, 'Talked to policyholder').click();
      const entry = page.getByText('Talked to policyholder · Wrong house.');
      await entry.waitFor();
      expect(await date.inputValue()).not.toBe('');
      await button(page, 'Undo the last entry').click();
      await entry.waitFor({ state: 'detached' });
      expect([await date.inputValue(), await note.inputValue()]).toEqual(['', 'Wrong house.']);
      // Saving sends what is held.
      await button(page, 'No answer').click();
      await page.getByText('No answer · Wrong house.').waitFor();
      expect((await read(id, token)).work).toEqual({ version: expect.any(String) });
      await page.getByLabel('Notes').fill('Called twice.');
      await button(page, 'Save').click();
      await page.getByText('Saved.', { exact: true }).waitFor();
      expect((await read(id, token)).work).toMatchObject({
        notes: 'Called twice.',
        contacts: [{ result: 'no_answer', note: 'Wrong house.' }],
      });
      await button(page, 'Undo the last entry').waitFor({ state: 'hidden' });
    }));

  test('on a device whose clock is a day fast, go out with the right time and day, and the app says so', () =>
    visiting(WITHOUT_WORKER, async ({ page }) => {
      const { id, token } = await acceptedClaim();
      await page.addInitScript({
        content: `{
          const Clock = Date;
          const now = () => Clock.now() + 86_400_000;
          globalThis.Date = class extends Clock {
            constructor(...parts) { if (parts.length === 0) super(now()); else super(...parts); }
            static now() { return now(); }
          };
        }`,
      });
      await enter(page, service, token, `#/claims/${id}`);
      await page.getByText(/^The clock of this device is (24 h|1 day|23 h) fast/).waitFor();
      await button(page, 'Today: Property inspected on').click();
      await button(page, 'Talked to policyholder').click();
      await button(page, 'Save').click();
      await page.getByText('Saved.', { exact: true }).waitFor();
      const { work } = await read(id, token);
      const minutesOff = Math.abs(Date.parse(work.contacts[0].at) - Date.now()) / 60_000;
      expect(minutesOff).toBeLessThan(5);
      const today = await page.evaluate(
        `(() => { const at = new Date(${Date.now()}); return [at.getFullYear(), at.getMonth() + 1, at.getDate()]; })()`,
      );
      const days = [work.contact_date, work.inspection_date].map((day: string) => day.split('-').map(Number));
      expect(days).toEqual([today, today]);
    }));

  test('of two devices show on both at once, and both are kept, also offline, without losing what is being typed', () =>
    visiting(WITHOUT_WORKER, ({ page: first, context }) =>
      visiting({ ...TABLET, serviceWorkers: 'block' }, async ({ page: second }) => {
        const { id, token } = await acceptedClaim();
        const notesOn = (page: Page) => page.getByLabel('Notes');
        const inspectedOn = (page: Page) => page.getByLabel('Property inspected on', { exact: true });
        for (const page of [first, second]) await enter(page, service, token, `#/claims/${id}`);
        await notesOn(second).pressSequentially('Water line 14 ');
        await inspectedOn(first).fill('2026-09-02');
        await first.getByLabel('Note for the next entry').fill('Gate locked');
        await button(first, 'No answer').click();
        await button(first, 'Save').click();
        // In either order: they are sent one after the other.
        await second.getByText('No answer · Gate locked').waitFor();
        await until('the date', async () => (await inspectedOn(second).inputValue()) === '2026-09-02');
        expect(await second.evaluate('document.activeElement.id')).toBe('notes');
        await second.keyboard.type('inches.');
        expect(await notesOn(second).inputValue()).toBe('Water line 14 inches.');

        await notesOn(first).fill('Gate code 4411.');
        await context.setOffline(true);
        await button(first, 'Save').click();
        await first.getByText('Saved on this device.').waitFor();
        await button(second, 'Save').click();
        await second.getByText('Saved.', { exact: true }).waitFor();
        // Typed before the page can learn of the other's notes, as it does by itself now and then.
        await notesOn(second).fill('Water line 14 inches.\nPhotos taken.');
        await context.setOffline(false);
        await first.getByText('Another device had changed the same').waitFor();
        const both = 'Water line 14 inches.\n\nGate code 4411.';
        expect((await read(id, token)).work.notes).toBe(both);
        const shows = (page: Page, text: string) =>
          until('the notes', async () => (await notesOn(page).inputValue()) === text);
        await shows(first, both);
        // What is not saved yet says what the other device has, before and after saving.
        await second.evaluate('dispatchEvent(new Event("online"))');
        await second.getByText('Changed on another device since you began.').waitFor();
        await second.locator('.note').getByText('Gate code 4411.').waitFor();
        await button(second, 'Save').click();
        await second.getByText('Another device had changed the same').waitFor();
        await shows(second, `${both}\nPhotos taken.`);
        expect((await read(id, token)).work.notes).toBe(`${both}\nPhotos taken.`);
        expect(await second.getByText('Changed on another device').count()).toBe(0);
      }),
    ));

  test('stay on the device when the service refuses them', () =>
    visiting(WITHOUT_WORKER, async ({ page, context }) => {
      const { id, token } = await acceptedClaim();
      await enter(page, service, token, `#/claims/${id}`);
      await page.getByLabel('Notes').fill('Typed before it was closed');
      // This phone does not learn that the claim was closed before it has sent the entries.
      let learns = false;
      await context.route('**/v1/claims?status=*', (route) => (learns ? route.continue() : route.abort()));
      await service.call('POST', `/app/v1/claims/${id}/closure`, { as: token });
      await button(page, 'Save').click();
      await page.getByText('Not saved: the claim is closed').waitFor();
      learns = true;
      await page.reload();
      await page.getByText('These entries were not saved before the claim was closed.').waitFor();
      await page.getByText('Typed before it was closed').waitFor();
      expect(await inDatabase(page, `found = kept.get('draft:${id}')`)).toEqual({
        ...{ notes: 'Typed before it was closed', 'base:notes': '' },
      });
      expect((await read(id, token)).work.notes).toBeUndefined();
    }));
});
