import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { verifyReceipt } from '@svc/client';
import type { Page } from 'playwright-core';
import { cell, workbookOf } from '../../../packages/csv-import/test/workbook-file.ts';
import { button, heading } from '../../adjuster/test/app-under-test.ts';
import type { ServiceUnderTest } from '../../api/test/service-under-test.ts';
import { DESK, enterDesk, startDesk } from './desk-under-test.ts';

const { service, visiting } = await startDesk();

// The days after landfall as a dispatcher works through them, at the desk alone. The operator has made the firm, its first
// administrator and the accounts of the adjusters, who answer in their app.

// More than a page of each list, and than one request of invitations or rows.
const ADJUSTERS = 120;
const IN_WORKBOOK = 240;
const IN_CSV = 60;
const OFFERED_AGAIN = 10;
const WITHDRAWN = 20;
const CLOSED = 5;
const TOTAL = IN_WORKBOOK + IN_CSV;

interface Claim {
  readonly id: string;
  readonly external_id: string;
  readonly assignment: { readonly status: string; readonly adjuster_svc_id: string };
}

type Counts = Readonly<Record<string, number>>;
const counted = (all: readonly string[]): Counts => {
  const counts: Record<string, number> = {};
  for (const one of all) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
};

const HEADER =
  'File ID,Claim #,Adjuster,Date of Loss,Policy Number,Carrier,Address,City,State,Zip,Last Name,First Name,Phone'.split(
    ',',
  );
/** 2026-08-27, as Excel counts days. */
const LANDFALL = 46_261;
const cellsOf = (n: number, adjuster: string) =>
  [
    ...[`STORM-${n}`, `FL-${n}`, adjuster],
    ...['8/27/2026', '0087', 'Gulf Mutual Flood', `${n} Sea Lane`, 'Sanibel', 'FL', '33957'],
    ...['Reyes', `Ana${n}`, '239-555-0142'],
  ] as const;

/** In the order in which claims were sent: of six, three are accepted, one is rejected, and two wait. */
const ANSWERS = ['accept', 'accept', 'accept', 'reject', 'wait', 'wait'] as const;

/** Selects the first rows that are shown. */
async function select(page: Page, count: number): Promise<void> {
  const boxes = page.getByLabel(/^Select Ana/);
  await boxes.first().check();
  await boxes.nth(count - 1).click({ modifiers: ['Shift'] });
  await page.getByText(`${count} selected`).waitFor();
}

async function send(page: Page, name: string, buffer: Buffer, count: number): Promise<void> {
  await page.getByLabel(/^CSV file/).setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  await page.getByText(`${count} of ${count} rows. without problems: ${count}`).waitFor();
  await button(page, `Send ${count} claims`).click();
  await page.getByText(`${count} of ${count} rows. sent: ${count}`).waitFor({ timeout: 120_000 });
}

/** Works on all of them, some at a time. */
async function each<T, R>(all: readonly T[], work: (one: T, n: number) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < all.length; at += 25)
    done.push(...(await Promise.all(all.slice(at, at + 25).map((one, n) => work(one, at + n)))));
  return done;
}

test('from an empty firm to the days after landfall at the desk alone, every count agrees between board, /v1, audit trail and receipts', () =>
  visiting(DESK, async ({ page }) => {
    const firm = await service.firm();
    const as = await service.staff(firm, 'admin');
    const people = await each(Array.from({ length: ADJUSTERS }), () => service.adjuster());
    const ok = async (...call: Parameters<ServiceUnderTest['call']>) => {
      const { status, json, text } = await service.call(...call);
      if (status >= 300) throw new Error(`${call[0]} ${call[1]}: ${status} ${text}`);
      return json;
    };

    await enterDesk(page, service, as, '#/adjusters');
    await button(page, 'Invite many').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('SVCIDs, one in a line').fill(people.map(({ svcId }) => svcId).join('\n'));
    await dialog.getByRole('button', { name: `Send ${ADJUSTERS} invitations` }).click();
    await dialog.getByText(`invited: ${ADJUSTERS}`).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await each(people, ({ token }) => ok('POST', `/app/v1/invitations/${firm.id}/acceptance`, { as: token }));

    await page.getByRole('link', { name: 'Upload' }).click();
    const all = Array.from({ length: TOTAL }, (_, n) => cellsOf(n, people[n % people.length]?.svcId ?? ''));
    const workbook = workbookOf({
      formats: ['m/d/yyyy'],
      sheets: [
        {
          name: 'Storm',
          rows: [
            HEADER,
            ...all
              .slice(0, IN_WORKBOOK)
              .map((cells) => cells.map((text, n) => (n === 3 ? cell.number(LANDFALL, 1) : text))),
          ],
        },
      ],
    });
    await send(page, 'storm.xlsx', Buffer.from(workbook), IN_WORKBOOK);
    const csv = [HEADER, ...all.slice(IN_WORKBOOK)].map((cells) => cells.join(',')).join('\r\n');
    await page.reload();
    await send(page, 'late claims.csv', Buffer.from(csv), IN_CSV);

    await page.getByRole('link', { name: 'Keys' }).click();
    await button(page, 'Create a key').click();
    await dialog.getByRole('button', { name: 'Create a key' }).click();
    const key = (await dialog.locator('code.secret').textContent()) ?? '';
    await dialog.getByRole('button', { name: 'I have copied it' }).click();

    const listed = async (path: string): Promise<Claim[]> => {
      const rows: Claim[] = [];
      let cursor: string | null = null;
      do {
        const next = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const { data, next_cursor } = await ok('GET', `${path}${next}`, {
          as: path.startsWith('/v1') ? key : as,
        });
        rows.push(...data);
        cursor = next_cursor;
      } while (cursor !== null);
      return rows;
    };

    const claims = await listed('/v1/claims?limit=200');
    expect(claims).toHaveLength(TOTAL);
    const numberOf = (claim: Claim): number => Number(claim.external_id.slice('STORM-'.length));
    const tokenOf = new Map<string, string>(people.map(({ svcId, token }) => [svcId, token]));
    await each(claims, async (claim) => {
      const answer = ANSWERS[numberOf(claim) % ANSWERS.length];
      const token = tokenOf.get(claim.assignment.adjuster_svc_id) ?? '';
      if (answer === 'accept')
        await ok('POST', `/app/v1/claims/${claim.id}/acceptance`, { as: token, body: {} });
      if (answer === 'reject')
        await ok('POST', `/app/v1/claims/${claim.id}/rejection`, { as: token, body: { reason: 'Too far.' } });
    });

    await page.getByRole('link', { name: 'Board', exact: true }).click();
    const wasDone = (count: number, what: string) =>
      page.getByRole('status').getByText(`${count} of ${count} ${what}`).waitFor();
    const answers = counted(Array.from({ length: TOTAL }, (_, n) => ANSWERS[n % ANSWERS.length] ?? ''));
    const { accept = 0, reject = 0, wait = 0 } = answers;
    await button(page, `Rejected ${reject}`).click();
    await select(page, OFFERED_AGAIN);
    await button(page, `Offer ${OFFERED_AGAIN}`).click();
    await dialog.getByLabel('Name or SVCID').fill(people[0]?.svcId ?? '');
    await dialog.getByRole('radio').check();
    await dialog.getByRole('button', { name: /^Offer to/ }).click();
    await wasDone(OFFERED_AGAIN, 'offered to');
    await button(page, `Rejected ${reject - OFFERED_AGAIN}`).waitFor();

    await select(page, CLOSED);
    await button(page, `Close ${CLOSED} claims`).click();
    await dialog.getByLabel(/^Reason/).fill('Withdrawn by the carrier.');
    await dialog.getByRole('button', { name: `Close ${CLOSED} claims` }).click();
    await wasDone(CLOSED, 'closed');
    await page.getByLabel('Show', { exact: true }).selectOption({ label: 'Offered' });
    await heading(page, 'Offered claims').waitFor();
    await select(page, WITHDRAWN);
    await button(page, `Withdraw ${WITHDRAWN}`).click();
    await dialog.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await wasDone(WITHDRAWN, 'withdrawn from');
    const pending = wait + OFFERED_AGAIN - WITHDRAWN;
    const rejected = reject - OFFERED_AGAIN;
    const expected = { accepted: accept, pending_acceptance: pending, rejected, unassigned: WITHDRAWN };
    await button(page, `Rejected ${rejected - CLOSED}`).waitFor();
    await button(page, `Waiting ${pending + rejected - CLOSED + WITHDRAWN}`).click();

    // The integration.
    const after = await listed('/v1/claims?limit=200');
    expect(counted(after.map(({ assignment }) => assignment.status))).toEqual(expected);

    const since = new Date(Date.now() - 86_400_000).toISOString();
    const report = await ok('GET', `/firm/v1/reports/answers?environment=live&by=carrier&since=${since}`, {
      as,
    });
    expect(report.total).toMatchObject({ offers: TOTAL + OFFERED_AGAIN, accepted: accept });

    // The trail, as the page exports it.
    await page.getByRole('link', { name: 'Audit' }).click();
    await button(page, 'Verify').click();
    await page.getByText(/nothing was changed or removed/).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export').click()]);
    const trail = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    const done = counted(
      trail
        .map((line) => JSON.parse(line))
        .flatMap(({ action, outcome }) => (outcome === 'ok' ? [action] : [])),
    );
    expect(done).toMatchObject({
      'invitation.send': ADJUSTERS,
      'invitation.accept': ADJUSTERS,
      'claim.send': TOTAL,
      'claim.accept': accept,
      'claim.reject': reject,
      'claim.offer': OFFERED_AGAIN,
      'claim.withdraw': WITHDRAWN,
      'claim.close': CLOSED,
    });

    // The receipts, which anybody can verify.
    const jwks = await ok('GET', '/.well-known/jwks.json');
    const receipts = await each(after, async ({ id }) => {
      const { receipt } = await ok('GET', `/v1/claims/${id}/receipt`, { as: key });
      return verifyReceipt(receipt, { jwks });
    });
    const { unassigned: withdrawn, ...others } = expected;
    expect(counted(receipts.map(({ status }) => status))).toEqual({ ...others, withdrawn });
    const decided = counted(receipts.map(({ decided_by }) => decided_by.rule));
    expect(decided.withdrawn_by_firm).toBe(WITHDRAWN);
    expect(receipts.filter(({ closed_at }) => closed_at !== null)).toHaveLength(CLOSED);
  }));
