import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { deskEndpoints, EXAMPLES, routesOf } from '@svc/contract';
import type { Locator, Page } from 'playwright-core';
import { button, until } from '../../adjuster/test/app-under-test.ts';
import { DESK, enterDesk, startDesk } from './desk-under-test.ts';

// Screens with a service that answers as each test says: what is shown of each answer, and what is asked for.

const { service, visiting } = await startDesk();

type Id = keyof typeof deskEndpoints;
type Answer = object | ((query: Readonly<Record<string, string>>, body: object) => object);
const ROUTES: Readonly<Record<string, string>> = routesOf('/firm/', deskEndpoints);

/** @param work with `sent`: what an operation was sent once it was sent so often, after the id that its path has */
const answered = (
  [hash, role]: readonly [hash: string, role: 'admin' | 'developer' | 'auditor'],
  answers: Partial<Record<Id, Answer>>,
  work: (page: Page, sent: (id: Id, count: number) => Promise<readonly unknown[]>) => Promise<void>,
): Promise<void> =>
  visiting({ ...DESK, timezoneId: 'America/Chicago' }, async ({ page }) => {
    const operations = Object.entries(answers).map(([id, answer]) => {
      const [method = '', path = '', status] = (ROUTES[id] ?? '').split(' ');
      return { id, answer, method, status, path: new RegExp(`/${path.replace(/\{\w+\}/g, '([^/]+)')}$`) };
    });
    const calls: { readonly id: string; readonly sent: unknown }[] = [];
    await page.route('**/firm/v1/**', async (route) => {
      const request = route.request();
      const { pathname, searchParams } = new URL(request.url());
      const one = operations.find(({ method, path }) => request.method() === method && path.test(pathname));
      if (one === undefined) return route.continue();
      const [query, body] = [Object.fromEntries(searchParams), request.postDataJSON()];
      const [, id] = one.path.exec(pathname) ?? [];
      calls.push({ id: one.id, sent: id === undefined ? (body ?? query) : [id, body ?? query] });
      const json = typeof one.answer === 'function' ? one.answer(query, body) : one.answer;
      await route.fulfill({ status: Number(one.status), json });
    });
    await enterDesk(page, service, await service.staff(await service.firm(), role), hash);
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

const saved = async (at: Page, name: string) => {
  const [download] = await Promise.all([at.waitForEvent('download'), button(at, name).click()]);
  return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')] as const;
};

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
  const answers = {
    importClaims(_: object, body: object) {
      const { dry_run, columns } = Object(body);
      const problems = questions;
      questions = [];
      const rows = dry_run ? rowsOf('valid', 'invalid', 'valid') : rowsOf('sent', 'failed', 'sent');
      const known = { 'Claim #': 'claim_number', X: null, ...columns };
      return { ...result, dry_run, problems, columns: known, rows };
    },
  };
  return answered(['#/upload', 'admin'], answers, async (at, sent) => {
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
    await shows(at, { '.card [role=status]': '3 of 3 rows. sent: 2 · not sent: 1' });
    const same = { name: 'export', file_name: 'export 7.csv', environment: 'live', adjusters: {}, text };
    const bodies = [{}, { columns: answer }, ...steps.map(([body]) => body)];
    const common = { ...same, delimiter: 'comma', dry_run: true };
    expect(await sent('importClaims', 9)).toEqual(bodies.map((body) => ({ ...common, ...body })));
  });
});

test('a claim shows every field of each additional contact', () => {
  const getBoardClaim = example('getBoardClaim');
  return answered([`#/claims/${getBoardClaim.claim.id}`, 'auditor'], { getBoardClaim }, (at) =>
    shows(at, { '.sent .card:last-child': 'Other fields … first nameRay … phone239-555-0121' }),
  );
});
