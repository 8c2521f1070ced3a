import { expect, test } from '@jest/globals';
import { deskEndpoints, EXAMPLES, routesOf } from '@svc/contract';
import { moreEn } from '@svc/web-app/texts/en-more';
import type { Locator, Page } from 'playwright-core';
import { button, until } from '../../adjuster/test/app-under-test.ts';
import { CLOCK_TEXTS } from '../src/texts/clocks.ts';
import { DESK, enterDesk, saved, startDesk } from './desk-under-test.ts';

// Screens with a service that answers as each test says: what is shown of each answer, and what is asked for.

const { service, visiting } = await startDesk();

type Id = keyof typeof deskEndpoints;
type Texts = Readonly<Record<string, string>>;
/** A text is CSV; what has `refused` is an error of that status. */
type Answer = object | ((query: Texts, body: object, headers: Texts) => object | string);
const ROUTES: Readonly<Record<string, string>> = routesOf('/firm/', deskEndpoints);

/** @param work with `sent`: what an operation was sent once it was sent so often, after the id that its path has */
const answered = (
  [hash, role]: readonly [hash: string, role: 'admin' | 'dispatcher' | 'developer' | 'auditor'],
  answers: Partial<Record<Id, Answer>>,
  work: (page: Page, sent: (id: Id, count: number) => Promise<readonly unknown[]>) => Promise<void>,
): Promise<void> =>
  visiting({ ...DESK, timezoneId: 'America/Chicago' }, async ({ page }) => {
    const operations = Object.entries(answers).map(([id, answer]) => {
      const [method = '', path = '', status] = (ROUTES[id] ?? '').split(' ');
      return { id, answer, method, status, path: new RegExp(`/${path.replace(/\{\w+\}/g, '([^/]+)')}$`) };
    });
    const calls: { readonly id: string; readonly sent: unknown }[] = [];
    const firm = await service.firm();
    const shown = [firm.id, example('getOwnStaff').firm.id];
    await page.route('**/firm/v1/**', async (route) => {
      const request = route.request();
      const { pathname, searchParams } = new URL(request.url());
      const one = operations.find(({ method, path }) => request.method() === method && path.test(pathname));
      // A request that does not name the firm that the page shows goes to the service.
      const names = (id: string) => request.headers()['x-claims-page'] === id;
      if (one === undefined || !(one.id === 'getOwnStaff' || shown.some(names))) return route.continue();
      const [query, body] = [Object.fromEntries(searchParams), request.postDataJSON()];
      const [, id] = one.path.exec(pathname) ?? [];
      calls.push({ id: one.id, sent: id === undefined ? (body ?? query) : [id, body ?? query] });
      const { answer } = one;
      const found = typeof answer === 'function' ? answer(query, body, request.headers()) : answer;
      const csv = { contentType: 'text/csv', body: String(found) };
      const content = one.status === '204' ? {} : typeof found === 'string' ? csv : { json: found };
      await route.fulfill({ status: Number(Object(found).refused ?? one.status), ...content });
    });
    await enterDesk(page, service, await service.staff(firm, role), hash);
    const sent = (id: string) => calls.flatMap((call) => (call.id === id ? [call.sent] : []));
    await work(page, async (id, count) => {
      await until(`request ${count} of ${id}`, async () => sent(id).length >= count);
      return sent(id);
    });
  });

/** The response of an operation in the reference, or the first row of it, with changes. */
const example = (id: Id, changes: object = {}) => {
  const response = Object((EXAMPLES as Record<string, { response?: unknown }>)[id]?.response);
  return { ...(response.data?.[0] ?? response), ...changes };
};
const pageOf = (id: Id, ...rows: readonly object[]) => ({
  ...{ data: rows.map((row) => example(id, row)), next_cursor: null },
});

/** Waits until the elements, separated by bars, have these parts in this order. */
async function shows(at: Page, expected: Readonly<Record<string, string>>): Promise<void> {
  for (const [selector, texts] of Object.entries(expected)) {
    const escaped = texts.replace(/[$()*+.?[\\\]^{}]/g, '\\$&').replaceAll(' … ', '[^|]*');
    const pattern = new RegExp(`^[^|]*${escaped.replaceAll(' | ', '[^|]*\\|[^|]*')}[^|]*$`);
    const found = async () => (await at.locator(selector).allTextContents()).join('|').replace(/\s+/g, ' ');
    const isShown = async () => pattern.test(await found());
    await until(selector, isShown).catch(async () => expect(await found()).toMatch(pattern));
  }
}

/** Types into fields and chooses of lists, by their labels. */
async function enter(at: Page | Locator, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    const field = at.getByLabel(label).first();
    const isList = (await field.evaluate(({ nodeName }) => nodeName)) === 'SELECT';
    await (isList ? field.selectOption(value) : field.fill(value));
  }
}

test('a verification of the trail is the sum of its parts, and the list, its filters and the file are of all pages', () => {
  const changes = { name: { from: null, to: 'B' } };
  const renamed = pageOf('listAudit', { id: '2', action: 'staff.rename', object: null, changes });
  const denied = pageOf('listAudit', { id: '1', actor_name: null, actor: 'key:k1', outcome: 'denied' });
  const last = { intact: true, rows: 1, last: { seq: 46, hash: 'h46' } };
  const parts = [{ intact: true, rows: 40, next_cursor: '1' }, { ...last, rows: 5, next_cursor: '2' }, last];
  let isEndless = false;
  const answers = {
    listAudit: ({ cursor }: { cursor?: string }) =>
      isEndless || cursor === undefined ? { ...denied, next_cursor: 'p2' } : renamed,
    verifyAudit: ({ cursor = '0' }) => parts[Number(cursor)] ?? {},
  };
  return answered(['#/audit', 'auditor'], answers, async (at, sent) => {
    await shows(at, {
      '.wide-row':
        'key:k1 … 4711 · Aug 29, 2026, 9:52 AM … claim: send … denied … claim:0b9f6a52 … role: dispatcher → auditor | Priya Natarajan … staff: rename … name: – → B',
    });
    await at.locator('.value', { hasText: 'claim:0b9f' }).click();
    // The clocks change between them.
    await enter(at, { Who: ' key:k1 ', 'First day': '2026-03-07', 'Last day': '2026-03-08' });
    await button(at, 'Search').click();
    await at.locator('.value', { hasText: 'claim:0b9f' }).click();
    await button(at, 'Verify').click();
    await shows(at, { '.note.success': 'Mar 7, 2026, 12:00 AM to Mar 9, 2026, 12:00 AM … 46 rows … 46 h46' });
    const period = { since: '2026-03-07T06:00:00.000Z', until: '2026-03-09T05:00:00.000Z' };
    const cursors = [{}, { cursor: '1' }, { cursor: '2' }];
    expect(await sent('verifyAudit', 3)).toEqual(cursors.map((cursor) => ({ ...period, ...cursor })));
    Object.assign(last, { intact: false, seq: 47 });
    await button(at, 'Verify').click();
    await shows(at, { '.note.warning': 'broken at row 47.' });
    const before = (await sent('listAudit', 0)).length;
    const [name, lines] = await saved(at, 'Export');
    expect([name, lines.match(/"id":"."/g)]).toEqual(['audit.jsonl', ['"id":"1"', '"id":"2"']]);
    const filters = { actor: 'key:k1', object: example('listAudit').object, ...period, limit: '100' };
    expect((await sent('listAudit', 0)).slice(before)).toEqual([filters, { ...filters, cursor: 'p2' }]);
    isEndless = true;
    await button(at, 'Export').click();
    await at.getByText('The file is incomplete: it has the latest 50000 rows.').waitFor();
  });
});

test.each([
  ['developer', 0],
  ['admin', 2],
] as const)('the log of requests shows each one and is asked for with all filters: %s', (role, links) => {
  const nothing = { code: null, detail: null, existing_claim_id: null, places: [], place_details: [] };
  const listRequests = pageOf(
    'listRequests',
    { duration_ms: 1250.4, places: ['/loss/date', '/a'], place_details: ['No.', 'Nor.'] },
    { ...nothing, request_id: 'r2', environment: 'test', status: null },
    { request_id: 'r3', status: 400, documentation_url: null },
    { ...nothing, request_id: 'r4', status: 399 },
  );
  return answered(['#/requests/r1', role], { listRequests }, async (at, sent) => {
    await shows(at, {
      '.wide-row':
        'POST /v1/claims … Aug 29, 2026, 9:52 AM … 7e55 … 422 … validation_failed … 1.250 s … Live … Claims import … key_01980a5e … 1 validation error. … 0b9f6a52 … /loss/date No. … /a Nor. | r2 … Disconnected … Test | r3 … 400 validation_failed | r4 … 399',
      ...{ '.pill.error': '422 | Disconnected | 400', '.pill.success': '399' },
    });
    const count = (selector: string) => at.locator(`main a${selector}`).count();
    expect([await count('[target]'), await count('[href*="/0b9f6a52"]')]).toEqual([1, links]);
    expect((await sent('listRequests', 1))[0]).toEqual({ request_id: 'r1', limit: '50' });
    await enter(at, { 'Request id': '', 'Error code': 'claim_closed', 'Id of the key': 'k1' });
    await button(at, 'Search').click();
    await at.locator('main select').selectOption('Test');
    await at.getByLabel('Errors only').check();
    const filters = { key: 'k1', code: 'claim_closed', environment: 'test', errors: 'true', limit: '50' };
    const asked = () => sent('listRequests', 0);
    await until('the filters', async () => Object((await asked()).at(-1)).errors === 'true');
    const before = (await asked()).length;
    await at.reload();
    expect((await sent('listRequests', before + 1)).slice(before - 1)).toEqual([filters, filters]);
    expect(await at.locator('main select').inputValue()).toBe('test');
  });
});

test('a list whose next page is refused keeps its rows, and is read on at a press', () => {
  const ids = Array.from({ length: 50 }, (_, n) => ({ request_id: `r${n}` }));
  const pages: Readonly<Record<string, object>> = {
    first: { ...pageOf('listRequests', ...ids), next_cursor: 'refused' },
    refused: { refused: 403, status: 403, code: 'insufficient_scope' },
  };
  let next = pages.refused;
  const listRequests = ({ cursor }: Texts) => Object(cursor === undefined ? pages.first : next);
  return answered(['#/requests', 'developer'], { listRequests }, async (at, sent) => {
    await until('the end of the list', async () => {
      await at.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      return (await sent('listRequests', 0)).length > 1;
    });
    await at.getByText('Your role does not allow this.').waitFor();
    next = pageOf('listRequests', { request_id: 'last' });
    await button(at, 'Show more').press('Enter');
    await at.getByText('last', { exact: true }).waitFor();
    expect((await sent('listRequests', 3)).map((query) => Object(query).cursor)).toEqual([
      ...[undefined, 'refused', 'refused'],
    ]);
    expect(await button(at, 'Show more').count()).toBe(0);
  });
});

test.each([
  ['developer', 1],
  ['auditor', 0],
] as const)('readiness says what each check found since the chosen time: %s', (role, links) => {
  const [check] = example('getFirmReadiness').checks;
  const [finding] = check.findings;
  const lost = { ...finding.requests[0], request_id: 'lost', status: null, code: null };
  const unseen = { ...check, findings: [], state: 'not_exercised', passed: 0, finding_count: 0 };
  const checks = [
    { ...check, finding_count: 9, findings: [finding, { detail: 'Lost.', requests: [lost] }] },
    { ...unseen, check: 'poll_gaps', title: 'Poll' },
    { ...unseen, check: 'retry_after', title: 'Wait' },
    { ...unseen, state: 'passed', check: 'another', title: 'Other', passed: 2 },
  ];
  const found = example('getFirmReadiness', { checks, complete: false });
  const since = '2026-08-29T14:00:00.000Z';
  return answered([`#/readiness/${since}`, role], { getFirmReadiness: found }, async (at, sent) => {
    await shows(at, {
      'main .note': 'Not ready … 84 requests and 40 claims checked since Aug 29, 2026, 9:00 AM … more than',
      'main .card':
        'Retries … Failed … Send every retry … Done right: 3. 9 findings. … latest 2 findings … POST /v1/claims 500 internal_error Simulated … POST /v1/claims 201 … Lost. … – | Poll … Not seen yet … Simulate the fault | Wait … Not seen yet | Other … Passed … Done right: 2. 0 findings.',
      ...{ '.badge': 'Simulated | Simulated', '.card a[href="#/requests/lost"]': 'Request' },
    });
    expect(await at.locator('.card a[href="#/sandbox"]').count()).toBe(links);
    for (const name of ['24 hours ago', '1 hour ago']) await enter(at, { 'Requests since': name });
    const [first, ...others] = await sent('getFirmReadiness', 3);
    const hours = others.map((query) => (Date.now() - Date.parse(Object(query).since)) / 3_600_000);
    expect([first, hours.map(Math.round)]).toEqual([{ since }, [24, 1]]);
    Object.assign(found, { ready: true, complete: true });
    await button(at, 'Check again').click();
    await shows(at, { 'main .note.success': 'Ready for live keys84 requests' });
  });
});

test('questions about a file are sent once all are answered, and so is each choice; rows and problems are counted', () => {
  const header = ['Claim #', 'Phone A', 'Phone B', 'When', 'X'];
  let questions = [
    { columns: ['Phone A', 'Phone B'], fields: ['policyholder.phone'], detail: '1', column: null },
    { columns: ['When'], fields: ['loss.date', 'reported_date'], detail: '2', column: null },
    { columns: ['X'], fields: ['carrier.name'], detail: '3', column: null },
  ];
  const wrong = { column: null, field: 'loss_location.zip', code: 'duplicate_claim', detail: 'No.' };
  const rowsOf = (...outcomes: readonly string[]) =>
    outcomes.map((outcome, n) => ({
      ...{ row: n + 2, external_id: `EXT-${n}`, outcome, needs_adjuster: null },
      problems: outcome === 'invalid' ? [wrong, { ...wrong, column: 'Zip', code: null }] : [],
    }));
  const result = example('importClaims', { header, next_row: null, likely_header_row: null, total_rows: 3 });
  const counts = { sent: 4, already_sent: 5, failed: 6, created_at: after(0) };
  let isReachable = false;
  const answers = {
    listImports: pageOf('listImports', { ...counts, file_name: null, name: 'old' }, { file_name: 'b.csv' }),
    importClaims(_: object, body: object) {
      const { dry_run, columns } = Object(body);
      if (!dry_run && !isReachable) return { refused: 503 };
      const problems = questions;
      questions = [];
      const rows = dry_run ? rowsOf('valid', 'invalid', 'valid') : rowsOf('sent', 'failed', 'sent');
      const known = { 'Claim #': 'claim_number', X: null, ...columns };
      return { ...result, dry_run, problems, columns: known, rows };
    },
  };
  return answered(['#/upload', 'admin'], answers, async (at, sent) => {
    await shows(at, {
      'main .card:last-child li':
        'old · Aug 29, 2026, 10:00 AM · sent: 4 · sent before: 5 · not sent: 6 | b.csv · ',
    });
    expect(await sent('listImports', 1)).toEqual([{ environment: 'live', limit: '20' }]);
    const text = `${header.join()}\n1,a,b,c,"d\ne"\n2,a,b,c,d\n3,a,b,c,d\n`;
    const file = { name: 'export 7.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await at.getByLabel('CSV file').setInputFiles(file);
    await enter(at, { 'Which column is “Policyholder: phone”?': 'Phone B', 'column “When”': 'Loss: date' });
    expect(await sent('importClaims', 1)).toHaveLength(1);
    await enter(at, { 'Is the column “X” the field “Carrier: name”?': 'None: leave it out' });
    await shows(at, {
      'p.warning': '4 lines with text, 3 rows',
      '.card [role=status]': '3 of 3 rows. without problems: 2 · with problems: 1',
      '.wide-row': 'Row 3 EXT-1Loss location: ZIP code An open claim | Row 3 EXT-1Zip No.',
    });
    const [, problems] = await saved(at, 'Download 2 problems as CSV');
    expect(problems).toMatch(/\r\n3,Loss location: ZIP code,duplicate_claim,An open .*\r\n3,Zip,,No\.\r\n$/);
    await at.locator('summary').click();
    const form = at.locator('details');
    const add = async (field: string, value: string) => {
      await enter(form, { 'The same for all rows': field, Value: value });
      await button(at, 'Add').click();
    };
    const answer = { 'Claim #': 'claim_number', 'Phone B': 'policyholder.phone', When: 'loss.date' };
    const { 'Phone B': _, ...columns } = { ...answer, X: 'carrier.name' };
    const adjuster = { adjuster_svc_id: 'SVC-1' };
    const kept = { columns, values: { 'carrier.name': 'Gulf' } };
    const last = { ...kept, date_order: 'dmy' };
    const steps: readonly (readonly [object, () => Promise<unknown>])[] = [
      [{ columns: { ...answer, X: 'carrier.name' } }, () => enter(form, { X: 'Carrier: name' })],
      [{ columns }, () => enter(form, { 'Phone B': 'Left out' })],
      [{ columns, values: adjuster }, () => add('adjuster_svc_id', ' SVC-1 ')],
      [{ columns, values: { ...adjuster, ...kept.values } }, () => add('carrier.name', 'Gulf')],
      [kept, () => button(at, 'Remove Adjuster (SVCID, name or email)').click()],
      [last, () => enter(at, { 'Dates such as': 'Day first' })],
      [{ ...last, dry_run: false }, () => button(at, 'Send 2 claims').click()],
    ];
    for (const [n, [, act]] of steps.entries()) {
      await button(at, 'Send 2 claims').waitFor();
      await act();
      await sent('importClaims', n + 3);
    }
    // What has stopped is said on each screen, and goes on from there.
    await at.getByRole('link', { name: 'Board', exact: true }).click();
    isReachable = true;
    await at.getByRole('link', { name: 'Stopped: 0 of 3 rows.' }).click();
    await button(at, 'Resume').click();
    await shows(at, { '.card [role=status]': '3 of 3 rows. sent: 2 · not sent: 1' });
    const same = { name: 'export', file_name: 'export 7.csv', environment: 'live', adjusters: {}, text };
    const bodies = [{}, { columns: answer }, ...steps.map(([body]) => body), steps.at(-1)?.[0]];
    const common = { ...same, delimiter: 'comma', dry_run: true };
    expect(await sent('importClaims', 10)).toEqual(bodies.map((body) => ({ ...common, ...body })));
  });
});

/** Minutes after ten in the morning there. */
const after = (minutes: number) => new Date(Date.UTC(2026, 7, 29, 15, minutes)).toISOString();

test('a claim shows every field, who closed it, the course of each of its offers, and its clocks', () => {
  const details = example('getBoardClaim');
  const nothing = {
    ...{ pushes: [], seen_at: null, reminded_at: null, responded_at: null, ended_at: null },
    ...{ offered_by: null, withdrawn_by: null, rejection_reason: null },
  };
  const person = (type: string, name: string | null) => ({ type, id: 'p1', name });
  const offers = [
    { adjuster_name: null, outcome: 'pending', offered_at: after(0), offered_by: person('key', null) },
    {
      ...{ outcome: 'withdrawn', offered_at: after(1), seen_at: after(2), reminded_at: after(3) },
      ...{ ended_at: after(4), offered_by: person('key', 'Import'), withdrawn_by: person('staff', null) },
      pushes: [
        { channel: 'mail', outcome: 'retried', at: after(5) },
        { channel: 'device:x', outcome: 'gone', at: after(6) },
      ],
    },
    {
      ...{ outcome: 'rejected', offered_at: after(7), responded_at: after(8), ended_at: after(9) },
      ...{ rejection_reason: 'Too far.', pushes: [{ channel: 'fax', outcome: 'lost', at: after(10) }] },
    },
  ];
  const step = { at: null, device_at: null, date: null, due_at: null, late: false };
  const clocks = {
    first_contact: { ...step, late: true, device_at: after(11), at: after(12), due_at: after(13) },
    inspection: { ...step, date: '2026-09-02' },
    report_due_at: after(14),
  };
  const history = offers.map((offer) => ({ ...details.history[0], ...nothing, ...offer }));
  let getBoardClaim = { ...details, clocks, history };
  const answers = { getBoardClaim: () => getBoardClaim, getBoardReceipt: { receipt: 'a.b.c' } };
  return answered([`#/claims/${details.claim.id}`, 'auditor'], answers, async (at) => {
    const receipt = [`receipt-${details.claim.id}.jws`, 'a.b.c'];
    expect(await saved(at, 'Save the receipt')).toEqual(receipt);
    await shows(at, {
      '.sent .card:last-child': 'Other fields … first nameRay … phone239-555-0121',
      '.split-claim .screen-header .pill': 'Closed',
      '.split-claim .card:has-text("External id") dd':
        'FL26-0093184 | CMS-2026-004417 | 1420 Seagrape Lane … 33931 | Palmetto Mutual Insurance | Aug 29, 2026, 9:52 AM | Sep 12, 2026, 3:00 PM | Priya Nair | has withdrawn the claim',
      '.split-claim .history > li':
        'SVC-7F3K-Delacroix Waiting for an answerOffered Aug 29, 2026, 10:00 AMOffered by API key p1No notification yetNot seen | Jean Delacroix WithdrawnOffered Aug 29, 2026, 10:01 AMSeen Aug 29, 2026, 10:02 AMReminded Aug 29, 2026, 10:03 AMEnded Aug 29, 2026, 10:04 AMOffered by API key ImportWithdrawn by a person who was removedEmail will be tried again, Aug 29, 2026, 10:05 AMDevice no longer registered, Aug 29, 2026, 10:06 AM | Jean Delacroix RejectedOffered Aug 29, 2026, 10:07 AMAnswered Aug 29, 2026, 10:08 AMfax lost, Aug 29, 2026, 10:10 AMReason Too far.',
      '.split-claim .card:has-text("Report due") dd':
        'Late Aug 29, 2026, 10:11 AM on the devicereceived Aug 29, 2026, 10:12 AMdue Aug 29, 2026, 10:13 AM | Sep 2, 2026, without a timecounts from the first contact | Aug 29, 2026, 10:14 AM',
    });
    await button(at, 'Show the receipt').click();
    await at.locator('code', { hasText: 'a.b.c' }).waitFor();
    // An offer that was answered since has another one.
    const [pending, ...earlier] = history;
    getBoardClaim = { ...getBoardClaim, history: [{ ...pending, outcome: 'accepted' }, ...earlier] };
    await at.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await button(at, 'Show the receipt').waitFor();
    const soon = { ...step, due_at: after(15) };
    const open = { first_contact: soon, inspection: { ...soon, late: true } };
    getBoardClaim = { ...getBoardClaim, closed_at: null, late: true, clocks: { ...clocks, ...open } };
    await at.reload();
    await shows(at, {
      '.split-claim .screen-header .pill': 'Accepted · Late',
      '.split-claim .card:has-text("Report due") dd':
        'not yetdue Aug 29, 2026, 10:15 AM | Late not yetdue Aug 29, 2026, 10:15 AM | Aug 29',
    });
    Object.assign(getBoardClaim, { clocks: null });
    await at.reload();
    await at.getByText(CLOCK_TEXTS.en.notShared).waitFor();
  });
});

const boardRow = (id: string, changes: object = {}) => ({
  ...{ id, name: id, status: 'pending_acceptance', closed_at: null, clocks: null, ...changes },
});

test('the map has the claims that wait and those that are accepted at their ZIP codes, and lists those of a marker', () => {
  const [waiting, accepted] = [['A', 'B', 'C'], ['D']].map((ids, n) =>
    pageOf(
      'listBoardClaims',
      ...ids.map((id) => ({
        ...boardRow(id, { status: n === 0 ? 'rejected' : 'accepted', late: id === 'D' }),
        place: { street: `${id} Lane`, city: 'Sanibel', state: 'FL', zip: id === 'C' ? '00000' : '33957' },
      })),
    ),
  );
  const listBoardClaims = ({ status }: Texts) => Object(status === 'accepted' ? accepted : waiting);
  return answered(['#/map', 'auditor'], { listBoardClaims }, async (at, sent) => {
    const marker = at.locator('button.marker');
    await marker.waitFor();
    expect([await marker.textContent(), await marker.getAttribute('title')]).toEqual([
      ...['2+1', 'Waiting: 2, Accepted: 1'],
    ]);
    await marker.click();
    await shows(at, {
      'main li.wide-row':
        'ARejectedA Lane, Sanibel | BRejectedB Lane, Sanibel | DAccepted · LateD Lane, Sanibel',
    });
    await at.locator('main').getByText(moreEn.map.unknown(1)).waitFor();
    const asked = (await sent('listBoardClaims', 3)).filter((query) => Object(query).limit === '200');
    const all = { environment: 'live', limit: '200' };
    expect(asked).toEqual([all, { ...all, status: 'accepted' }]);
  });
});

test('rules of clocks are saved as all of them, in the time zone that they have, from the version that was seen', () => {
  const getClocks = example('getClocks', { time_zone: 'America/New_York' });
  let refused: object | undefined;
  let { version } = getClocks;
  const answers = {
    getClocks: () => ({ ...getClocks, version }),
    updateClocks: (_: Texts, body: object) => refused ?? { ...body, version: 'v2' },
  };
  return answered(['#/settings', 'admin'], answers, async (at, sent) => {
    await button(at, 'Add a rule').click();
    await at.getByLabel('Carrier').last().fill('Bayou');
    await at.getByLabel('Inspection').last().fill('5');
    // Another person saves before the page is loaded again: what is typed was made from the version of before.
    version = 'of another person';
    await at.reload();
    await until(
      'what was typed',
      async () => (await at.getByLabel('Inspection').last().inputValue()) === '5',
    );
    await button(at, 'Save the clocks').click();
    const added = { carrier: 'Bayou', inspection_hours: 5 };
    const [first] = await sent('updateClocks', 1);
    await button(at, 'Remove the rule for Palmetto Mutual Insurance, FL26-09').click();
    await button(at, 'Save the clocks').click();
    const [, second] = await sent('updateClocks', 2);
    const zone = { time_zone: 'America/New_York' };
    expect([first, second]).toEqual([
      { rules: [...getClocks.rules, added], ...zone, based_on: getClocks.version },
      { rules: [added], ...zone, based_on: 'v2' },
    ]);
    for (const [status, code, said] of [
      [422, 'validation_failed', CLOCK_TEXTS.en.refused],
      [409, 'clocks_changed', CLOCK_TEXTS.en.changed],
    ] as const) {
      await at.getByLabel('Inspection').last().fill('6');
      refused = { refused: status, status, code };
      await button(at, 'Save the clocks').click();
      await at.getByText(said).waitFor();
    }
    const { length: read } = await sent('getClocks', 1);
    await button(at, 'Load the rules again').click();
    await sent('getClocks', read + 1);
    await at.getByText(CLOCK_TEXTS.en.changed).waitFor({ state: 'detached' });
    expect(await at.getByLabel('Carrier').count()).toBe(getClocks.rules.length);
  });
});

test('people say since when they are there, have the role that is chosen, and do not remove themselves', () => {
  const ann = { id: 's2', name: 'Ann', joined_at: null, role: 'developer', working_keys: 2 };
  const permissions = ['staff:read', 'staff:write', 'keys:read'];
  let revocation: object = { refused: 403, status: 403, code: 'insufficient_scope' };
  const answers = {
    getOwnStaff: example('getOwnStaff', { permissions }),
    listStaff: pageOf('listStaff', {}, ann),
    ...{ updateStaff: example('listStaff'), removeStaff: {} },
    revokeKeysOfMaker: () => revocation,
  };
  return answered(['#/people', 'admin'], answers, async (at, sent) => {
    const names = at.locator('.wide-row .cell.muted');
    await until('people', async () => (await names.count()) === 2);
    await shows(at, {
      '.wide-row .cell':
        'Priya Natarajan | Since Aug 20, 2026, 11:41 AM | Ann | Invited Aug 20, 2026, 8:00 AM',
    });
    const roles = at.locator('main select');
    expect(await roles.evaluateAll((all) => all.map((one) => Object(one).value))).toEqual([
      ...['dispatcher', 'developer'],
    ]);
    await roles.last().selectOption('auditor');
    expect(await sent('updateStaff', 1)).toEqual([['s2', { role: 'auditor' }]]);
    expect(await at.getByRole('button', { name: /^Remove/ }).count()).toBe(1);
    await button(at, 'Remove Ann').click();
    await at.getByRole('dialog').getByText('2 keys that the person made still work').waitFor();
    await at.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    expect(await sent('removeStaff', 1)).toEqual([['s2', {}]]);
    const left = at.getByRole('alert').getByText('2 keys of theirs still work');
    // It stays until they are revoked.
    for (const count of [1, 2]) {
      await left.waitFor();
      await button(at, 'Revoke all keys of Ann').click();
      await at.getByRole('dialog').getByRole('button', { name: 'Revoke all' }).click();
      const of = Array(count).fill({ staff_id: 's2' });
      expect(await sent('revokeKeysOfMaker', count)).toEqual(of);
      await at.getByRole('dialog').waitFor({ state: 'detached' });
      revocation = pageOf('listKeys');
    }
    await left.waitFor({ state: 'detached' });
  });
});

test('the sandbox has what can be done with each account and the latest claims, says what was refused, and why a rehearsal failed', () =>
  answered(['#/sandbox', 'developer'], {}, async (at) => {
    const account = (name: string, status: string) => ({ svc_id: `test_f_${name}`, status, test: true });
    const accounts = [
      account('manual', 'active'),
      account('accepts', 'pending'),
      account('joins', 'expired'),
    ];
    const statuses = [...Array(21).fill('accepted'), 'pending_acceptance'];
    const lists: Readonly<Record<string, readonly object[]>> = {
      '/v1/adjusters': [{ svc_id: 'SVC-1', status: 'active', test: false }, ...accounts],
      // Those that have changed last come last.
      '/v1/claims': statuses.map((status, n) => ({
        ...{ id: `c${n}`, external_id: `EXT-${n}`, assignment: { status, adjuster_svc_id: 'SVC-2' } },
      })),
    };
    const acts: string[] = [];
    const isFirms = ({ pathname }: URL) => pathname.startsWith('/v1/');
    await at.route(isFirms, async (route) => {
      const { pathname } = new URL(route.request().url());
      const isAct = route.request().method() === 'POST';
      if (isAct) acts.push(pathname);
      const refusal = { code: 'claim_closed', status: 409, detail: 'It is closed.', request_id: 'r1' };
      const found = isAct ? refusal : { data: lists[pathname], next_cursor: null, key: {} };
      await route.fulfill({ status: isAct ? 409 : 200, json: found });
    });
    const use = async () => {
      await at.getByLabel('Test key').fill(' svc_test_x ');
      await button(at, 'Use in the sandbox').click();
    };
    await use();
    const named = (names: readonly (string | number)[], start: string, end: string) =>
      names.map((name) => `${start}${name} ${end}`).join(' | ');
    const closable = Array.from({ length: 19 }, (_, n) => 20 - n);
    await shows(at, {
      'main .history li': [
        'test_f_manual ActivePauseResumeLeave the firm | test_f_accepts InvitedAcceptDeclineExpire',
        named(['rejects', 'paused', 'new'], 'test_f_', 'Invite'),
        'test_f_joins ExpiredInvite | test_f_declines Invite',
        `EXT-21 Offered · SVC-2AcceptRejectClose | ${named(closable, 'EXT-', 'Accepted · SVC-2Close')}`,
      ].join(' | '),
    });
    for (const [name, path] of [
      ['Expire test_f_accepts', 'invitations/test_f_accepts/expiry'],
      ['Decline test_f_accepts', 'invitations/test_f_accepts/decline'],
      ['Accept EXT-21', 'claims/c21/acceptance'],
      ['Close EXT-20', 'claims/c20/closure'],
    ] as const) {
      await button(at, name).click();
      await shows(at, { 'details.card[open]': `${name} claim_closed … It is closed. … Request` });
      expect(acts.at(-1)).toBe(`/v1/test/${path}`);
    }
    expect(await at.locator('a[href="#/requests/r1"]').count()).toBe(1);
    await button(at, 'Start').click();
    await shows(at, { 'p.strong[role=status]': 'Failed', '[role=log] p': 'a rehearsal needs a test key' });
    await button(at, 'Forget the key').click();
    await use();
    await button(at, 'Start').waitFor();
    expect(await at.getByRole('log').count()).toBe(0);
  }));
