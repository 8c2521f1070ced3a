import { resolveObjectURL } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { type deskEndpoints, EXAMPLES } from '@svc/contract';
import { encodeOutlines } from '@svc/web-app/map/outlines';
import { encodeZipPlaces } from '@svc/web-app/map/zip-places';
import { sheetXml, workbookOf } from '../../../packages/csv-import/test/workbook-file.ts';
import { ROLE_PERMISSIONS } from '../../../packages/domain/src/staff.ts';
import { fakePage, loadAll, page } from '../../../packages/web-app/test/fake-page.ts';
import { ROUTES } from '../src/endpoints.ts';
import { isTyping } from '../src/is-typing.ts';

// The whole desk on a fake page, with a service that responds as the reference says. Each test continues where the last
// one ended, and what its steps show is compared with its part of `screens.txt`.

type Id = keyof typeof deskEndpoints;
type Asked = Readonly<Record<string, string>>;
type Answer = object | ((query: Asked, body: Asked, id: string) => object);
const answers: Record<string, Answer> = {};
const refusal = (status: number, code: string, detail = '') => ({ refused: status, status, code, detail });

/** The response of an operation in the reference, or the first row of it, with changes. */
const example = (id: Id, changes: object = {}) => {
  const response = Object((EXAMPLES as Record<string, { response?: unknown }>)[id]?.response);
  return { ...(response.data?.[0] ?? response), ...changes };
};
/** Of a list, its first row alone. */
const first = (id: string): object => {
  const { response } = Object((EXAMPLES as Record<string, unknown>)[id]);
  return response?.data === undefined
    ? Object(response)
    : { ...response, data: response.data.slice(0, 1), next_cursor: null };
};
const nulls = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, null]));
const numbers = (names: string) => Object.fromEntries(names.split(' ').map((name, n) => [name, n * 1000]));
const pageOf = (id: Id, ...rows: readonly object[]) => ({
  ...{ data: rows.map((row) => example(id, row)), next_cursor: null },
});

const OPERATIONS = Object.entries(ROUTES).map(([id, route]) => {
  const [method, path = '', status = ''] = route.split(' ');
  return { id, method, status, path: new RegExp(`^/firm/${path.replace(/\{\w+\}/g, '([^/]+)')}$`) };
});
const files: Record<string, Uint8Array> = {
  'zip-places.bin': encodeZipPlaces([
    { zip: 33931, latitude: 26.45, longitude: -81.94 },
    { zip: 32625, latitude: 29.14, longitude: -83.05 },
  ]),
  'outlines.bin': encodeOutlines({ land: [], states: [], counties: [] }),
};
/** Where the service is on its host. */
const BASE = '/svc';
const sent: string[] = [];
/** Where the last request goes, and by what the service knows where it comes from. */
let marks: readonly unknown[] = [];
async function fetch(url: string, request: RequestInit = {}): Promise<Response> {
  const { method = 'GET', body, headers, credentials } = request;
  const file = files[url];
  if (file !== undefined) return new Response(file.slice());
  const { pathname: path, searchParams } = new URL(url, 'https://claims.example');
  const pathname = path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : `outside of it: ${path}`;
  const by = new Headers(headers);
  marks = [path, by.get('X-Claims-Page'), by.get('Authorization'), credentials];
  const one = OPERATIONS.find((each) => each.method === method && each.path.test(pathname));
  const { id = `${method} ${pathname}`, status = '200' } = one ?? {};
  const ids = one?.path.exec(pathname)?.slice(1) ?? [];
  sent.push([id, ...ids, decodeURIComponent(String(searchParams)), body].filter(Boolean).join(' '));
  const csv = Object(headers).Accept === 'text/csv' && answers.csv;
  if (csv) return new Response(String(csv), { headers: { 'Content-Type': 'text/csv' } });
  const { [id]: answer = one === undefined ? { data: [], next_cursor: null } : first(id) } = answers;
  const given = await (typeof answer === 'function'
    ? answer(Object.fromEntries(searchParams), JSON.parse(String(body ?? '{}')), String(ids[0]))
    : answer);
  const { refused } = Object(given);
  if (refused === undefined && ['202', '204'].includes(status))
    return new Response(null, { status: Number(status) });
  return Response.json(given, { status: Number(refused ?? status) });
}
page.history.replaceState(null, '', `${BASE}/firm`);
const saved: string[] = [];
jest.spyOn(page.window.HTMLAnchorElement.prototype, 'click').mockImplementation(function (
  this: HTMLAnchorElement,
) {
  const { download, href } = this;
  const file = resolveObjectURL(href);
  // With its byte order mark, which a text does not have.
  void file?.arrayBuffer().then((content) => saved.push(`${download} ${file.type} ${Buffer.from(content)}`));
});
const wide = Object.assign(new page.window.EventTarget(), { matches: true });
const otherTabs = Object.assign(new page.window.EventTarget(), {
  // Tabs with the same events have a channel, too, on which they say more.
  postMessage: (message: unknown) => void (message === null && saved.push('told')),
  onmessage: (): void => {},
  close: (): void => {},
});
const bytes = new Uint8Array([1]).buffer;
const made = { id: 'id', rawId: bytes, type: 'public-key', getClientExtensionResults: () => ({}) };
const create = async () => ({ ...made, response: { clientDataJSON: bytes, attestationObject: bytes } });
const clipboard = { writeText: async (text: string) => void saved.push(text) };
const matchMedia = jest.fn((_: string) => wide);
const BroadcastChannel = jest.fn((_: string) => otherTabs);
const events = jest.fn((_: string) => {});
fakePage({
  ...{ fetch, __APP_VERSION__: '0.1.0', print: () => saved.push('print'), PublicKeyCredential: class {} },
  navigator: { languages: ['en-US'], userAgent: 'Linux', onLine: true, clipboard, credentials: { create } },
  ...{ matchMedia, BroadcastChannel },
  EventSource: class {
    static OPEN = 1;
    static CLOSED = 2;
    readyState = 1;
    constructor(url: string) {
      events(url);
    }
    addEventListener(): void {}
    close(): void {}
  },
});

// Nothing is spread over a time.
const random = jest.spyOn(Math, 'random').mockReturnValue(0);
afterAll(() => random.mockRestore());
beforeAll(async () => {
  await loadAll(new URL('../src/', import.meta.url));
  answers.getOwnStaff = { refused: 503 };
  await import('../src/main.tsx');
  await page.wait(1000);
});

/** The board is read about once a minute also while another screen is shown. */
const isMinutes = (one: string): boolean =>
  /^listBoardClaims environment=\w+&limit=100$/.test(one) && !/^(#\/(\?|claims|$)|$)/.test(location.hash);
const noted: string[] = [];
const note = (parts: readonly unknown[]): void =>
  void noted.push(
    parts.join(' | ').replace('\ufeff', '\\ufeff').replaceAll('\r', '\\r').replaceAll('\n', '\\n'),
  );
const NOTED: Readonly<Record<string, (selector: string) => readonly string[]>> = {
  shown: page.shows,
  /** Texts that an outline would cut. */
  whole: (selector) =>
    [...page.document.querySelectorAll(selector)].map((one) => one.textContent.trim().replace(/\s+/g, ' ')),
  placed: () =>
    [...page.document.querySelectorAll<HTMLElement>('.placed')].map(({ style }) =>
      style.transform.replace(/[\d.]+/g, (px) => `${Math.round(Number(px))}`),
    ),
  classes: (selector) => [...page.document.querySelectorAll(selector)].map((one) => one.className),
  /** In the order in which they were sent; when exactly depends on the machine. */
  sent: () =>
    sent
      .splice(0)
      .filter((one) => !isMinutes(one))
      .map((one) => one.replace(/:\d\d\.\d{3}Z/g, 'Z')),
  saved: () => saved.splice(0),
  marks: () => marks.map(String),
  /** Whether the browser asks before it closes the page. */
  held: () => [String(!page.happens(page.window, 'beforeunload'))],
};
const heldDuring = (answer: object) => (): object => {
  note(['held:', ...(NOTED.held?.('') ?? [])]);
  return answer;
};
/** What each test notes, in their order. */
const NOTES = readFileSync(new URL('./screens.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n\n');
afterEach(() => expect(noted.splice(0)).toEqual(NOTES.shift()?.split('\n')));

/** What is loaded for it has then been shown, too. */
const then =
  <Given extends readonly unknown[]>(work: (...given: Given) => Promise<void>) =>
  async (...given: Given): Promise<void> => {
    await work(...given);
    await page.wait(1000);
  };
const [press, go, tick] = [then(page.press), then(page.go), then(page.tick)];
const { type, choose } = page;
type Step = string | RegExp | Readonly<Record<string, string>>;
/** Presses what is named, goes to an address, enters what has a label, or notes what `NOTED` has. */
async function act(...steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const [, kind = '', selector = ''] =
      /^(shown|whole|placed|classes|sent|saved|marks|held): ?(.*)$/.exec(String(step)) ?? [];
    if (kind !== '') note([`${step}`.trim(), ...(NOTED[kind]?.(selector) ?? [])]);
    else if (step instanceof RegExp) await press(step);
    else if (typeof step === 'string') await (step.startsWith('#') ? go : press)(step);
    else
      for (const [label, value] of Object.entries(step))
        await (page.find(label, 'input, select, textarea').matches('select') ? choose : type)(label, value);
  }
}
/** @returns whether it is left to the browser */
const key = async (name: string, more: object = {}): Promise<boolean> => {
  const { activeElement } = page.document;
  const isLeft = page.happens(activeElement ?? page.body, 'keydown', { key: name, ...more });
  await page.wait(1000);
  return isLeft;
};
const select = async (...names: readonly string[]): Promise<void> => {
  for (const name of names) page.happens(page.find(`Select ${name}`), 'click');
  await page.wait(1000);
};

const enter = async () => {
  await act({ 'Your email': 'priya@example.com' }, 'Email me a code', { 'Six-digit code': ' 123 456' });
  await act('Sign in');
};
/** Nothing is asked for again while nobody sees the page. */
const hide = async () => {
  const { length } = sent;
  const set = (name: string, value: unknown) =>
    Object.defineProperty(page.document, name, { value, configurable: true });
  set('hidden', true);
  set('visibilityState', 'hidden');
  await page.wait(6000);
  expect(sent).toHaveLength(length);
  set('hidden', false);
  set('visibilityState', 'visible');
};
/** The page is looked at again, and reads what has changed since. */
const look = async () => {
  page.happens(page.document, 'visibilitychange');
  await page.wait(5000);
};
const choosesFile = async (file: File) => {
  const input = page.find('CSV file or Excel workbook (.xlsx)');
  Object.defineProperty(input, 'value', { value: file.name, writable: true });
  page.happens(Object.assign(input, { files: [file] }), 'change');
  // It can be chosen again.
  expect(input.value).toBe('');
  await page.wait(1000);
};

const firms = ['Gulf', 'Bayou'].map((name) => ({ id: name.toLowerCase(), name }));

test('a start without the service is tried again, and a person of several firms chooses one after the code', async () => {
  await act('shown: body');
  answers.getOwnStaff = refusal(401, 'invalid_session');
  await act('Try again', 'Sign in with a passkey');
  answers.openSession = { refused: 200, ticket: 't', firms };
  await enter();
  await act('shown: main');
  expect(page.focused()).toBe('Which firm do you work for now?');
  answers.openSession = { refused: 503 };
  await act('Bayou', 'shown: h2, .toast p');
  answers.openSession = refusal(401, 'invalid_sign_in');
  await act('Bayou', 'shown: body', 'classes: .toast');
  answers.openSession = { expires_at: 'x' };
  const [firm] = firms;
  const permissions = ROLE_PERMISSIONS.admin;
  const key_purposes = { live: ['full_access', 'read_only'], test: [] };
  answers.getOwnStaff = example('getOwnStaff', { firms, firm, permissions, key_purposes });
  await enter();
  await act('marks:', 'sent:', 'shown: .top');
  note([matchMedia, BroadcastChannel, events].flatMap(({ mock }) => mock.calls.flat()));
});

const { clocks, updated_at } = example('listBoardClaims');
const AT = '2026-09-01T13:00:00Z';
const row = (id: string, changes: object) => ({
  ...{ id, name: id, status: 'pending_acceptance', waiting_since: AT, closed_at: null, clocks: null },
  ...changes,
});
const late = { ...clocks.first_contact, late: true };

test('the board shows each claim and what is asked for, by the filters and sorts that are chosen', async () => {
  answers.listBoardClaims = {
    ...pageOf(
      'listBoardClaims',
      row('Ann', { late: true }),
      row('Ben', { status: 'rejected', adjuster_svc_id: 'SVC-2', adjuster_name: null, test: true }),
      row('Cal', { status: 'accepted', waiting_since: null, clocks: { ...clocks, first_contact: late } }),
      row('Dee', { status: 'unassigned' }),
      row('Eve', { closed_at: AT, waiting_since: null, clocks: { ...clocks, inspection: late } }),
      row('Fay', { waiting_since: '2026-09-01T15:01:00Z' }),
    ),
    counts: { waiting: 10_000, late: 9999, rejected: 0, unassigned: 5 },
  };
  const adjuster = (svc_id: string, changes: object = {}) => ({
    ...nulls('name expires_at rejected_at distance median_answer_seconds'),
    ...{ svc_id, invited_as: svc_id, open_offers: 1, open_claims: 2, warnings: [], ...changes },
  });
  const others = [
    adjuster('SVC-3', { accepting_assignments: false }),
    adjuster('SVC-4', { status: 'pending' }),
  ];
  answers.listBoardAdjusters = ({ for_claim }) => {
    const near = for_claim === 'Ann' && { median_answer_seconds: 0, distance: 0, warnings: ['fcn_category'] };
    const zoe = adjuster('SVC-2', { name: 'Zoe', rejected_at: for_claim === undefined ? null : AT });
    return pageOf('listBoardAdjusters', adjuster('SVC-1', { ...near }), zoe, ...others);
  };
  await act({ Show: 'Late contacts' }, 'shown: h1, .views, .heads, .rows ul, search input');
  Object.assign(page.document.querySelector('details') ?? {}, { open: true });
  await act({ Adjuster: 'Any' }, { Adjuster: 'Zoe · SVC-2' });
  page.happens(Object.assign(page.find('Carrier'), { value: 'G' }), 'input');
  await page.wait(100);
  await act({ Carrier: 'Gulf', State: 'FL' });
  page.happens(Object.assign(page.find('Search'), { value: 'b' }), 'input');
  await page.wait(100);
  await act({ Search: 'a', Sort: 'Adjuster' });
  const lists = ['Show', 'Adjuster', 'Sort'].flatMap((label) => page.outline(page.find(label, 'select')));
  note(lists);
  await act('shown: [aria-pressed=true], .board-row .strong');
  await act('#/settings', '#/');
  expect(location.hash).toBe('#/?view=clock_late&state=FL&carrier=Gulf');
  expect(page.document.querySelector('details')?.open).toBe(true);
  await act('sent:', 'Clear filters', 'Sort by Adjuster', 'shown: .head span', { Sort: 'As they wait' });
  await act('shown: .head span', /^Waiting/, 'sent:');
  const course: string[] = [];
  page.body.focus();
  const keys = async (...names: readonly string[]) => {
    for (const name of names) {
      await key(name);
      const { activeElement } = page.document;
      course.push(`${name} ${activeElement?.getAttribute('data-id')} ${page.shows('dialog h2')}`);
    }
  };
  await keys('ArrowDown', 'j', 'ArrowDown', 'J', 'k', 'w', 'o', 'k');
  await act('shown: dialog', 'Cancel');
  await keys('ArrowUp', 'k');
  for (const held of ['ctrlKey', 'altKey', 'metaKey']) await key('o', { [held]: true });
  note([...course, ...page.shows('dialog')]);
});

test('an offer is for the row with the focus, says who could take it, and what became of it', async () => {
  await key('o');
  await act('shown: dialog');
  await tick(/^Zoe/);
  await act('shown: dialog p, dialog button', { 'Name or SVCID': 'nobody' }, 'shown: .choices');
  await act({ 'Name or SVCID': 'svc-1', Sort: 'Nearest' });
  await tick(/^SVC-1/);
  await act('shown: dialog');
  answers.offerBoardClaim = (_, assignment, id) => ({ id, external_id: id, assignment });
  await act('Offer to SVC-1');
  expect(page.document.activeElement?.getAttribute('data-id')).toBe('Ann');
  await act('sent:', 'shown: .offer-results, .selection, .toast', 'Hide what you did');
});

test('a selection is closed for a reason, withdrawn and offered again, and spread as it was shown', async () => {
  await select('Ann', 'Cal');
  await act('shown: .selection');
  await select('Fay');
  await act('shown: .selection, .heads input, .heads span', 'Close 3 claims', 'shown: dialog');
  await act({ 'Reason, for your firm only': ' Twice. ' });
  // Those with which nothing was done come first.
  answers.closeBoardClaim = (_, __, id) =>
    id === 'Cal' ? refusal(409, 'claim_closed') : { id, external_id: id };
  await act('Close 3 claims', 'shown: .offer-results', 'Hide what you did');
  await select('Ann', 'Ben');
  await act('Withdraw 1', 'shown: dialog');
  answers.withdrawBoardOffer = { refused: 503 };
  await act('Withdraw', 'shown: .offer-results, .selection, .network');
  const assignment = { status: 'unassigned' };
  answers.withdrawBoardOffer = { id: 'Ann', external_id: 'x', assignment, updated_at };
  await act('Try again', 'Undo: offer again to the same adjusters');
  await act('shown: .offer-results, .selection, .network', 'sent:', 'Hide what you did');
  await select('Ann', 'Ben');
  await act('Spread 2 claims');
  await tick(/^Zoe/);
  await tick(/^SVC-1/);
  const offers = [
    { id: 'Ann', adjuster_svc_id: 'SVC-2', distance: 38, warnings: [] },
    { id: 'Ben', adjuster_svc_id: 'SVC-2', distance: 0, warnings: ['limit_reached'] },
  ];
  // A plan that arrives after the dialog was closed does not open it again.
  let arrive = (_: object): void => {};
  answers.spreadClaims = () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
  await act('Show who gets which', 'Cancel');
  arrive({ offers });
  await page.wait(1000);
  await act('shown: dialog');
  // Nor does one for others than those who are ticked by then show.
  await act('Spread 2 claims');
  await tick(/^Zoe/);
  await act('Show who gets which');
  await tick(/^SVC-1/);
  arrive({ offers });
  await page.wait(1000);
  await act('shown: dialog button', 'Cancel');
  answers.spreadClaims = { offers };
  await act('Spread 2 claims');
  for (const one of [/^Zoe/, /^SVC-1/]) await tick(one);
  await act('Show who gets which', 'shown: dialog', { 'Name or SVCID': 'nobody' }, 'shown: .choices');
  await act({ 'Name or SVCID': 'svc-1' });
  await tick(/^SVC-1/);
  await act('shown: dialog button', 'Show who gets which', 'Offer 2 claims');
  expect(page.focused()).toMatch(/^Ann/);
  await act('shown: .offer-results, .selection, dialog', 'sent:', 'Hide what you did');
});

test('a claim shows every field, who closed it, the course of each of its offers, its clocks and its receipt', async () => {
  const details = example('getBoardClaim');
  const { claim } = details;
  const building = { ...claim.building, basement: false, flood_openings: ['front_wall', 'b'], units: 3 };
  const agent = { email: 'a b@x.test', phone: '239-555-0199' };
  const amounts = 'building_reserve building_advance_payment building_actual_cash_value special_limits_cap';
  const coverages = { ...claim.coverages, building_replacement_cost: 5.5, ...numbers(amounts) };
  const nothing = { ...nulls('seen_at reminded_at responded_at ended_at rejection_reason'), pushes: [] };
  const by = { type: 'key', id: 'k1', name: null };
  const mail = { channel: 'mail', outcome: 'retried', at: AT };
  const pushes = [mail, { channel: 'fax', outcome: 'lost', at: AT }];
  const withdrawn = { outcome: 'withdrawn', withdrawn_by: { ...by, type: 'staff' }, ended_at: AT, pushes };
  const history = [
    { ...nothing, outcome: 'pending', adjuster_name: null, offered_by: by },
    ...[{ ...nothing, ...withdrawn }, {}],
  ].map((changes) => ({ ...details.history[0], ...changes }));
  const inspection = { at: null, device_at: null, date: '2026-09-02', due_at: null, late: true };
  const course = { history, clocks: { ...details.clocks, inspection } };
  answers.getBoardClaim = { ...details, claim: { ...claim, building, agent, coverages }, ...course };
  await act(`#/claims/${claim.id}`, 'shown: .split-claim');
  answers.getBoardReceipt = { receipt: 'a.b.c' };
  await act('Show the receipt', 'shown: .receipt');
  await act('Save the receipt', 'Copy', 'shown: .toast', 'Print', 'saved:');
  const assignment = { ...claim.assignment, status: 'pending_acceptance' };
  const policyholder = { ...claim.policyholder, phone: 'ask Ray' };
  const other = { ...claim, id: 'other', test: true, assignment, policyholder };
  const [answered] = details.history;
  const waits = { ...answered, ...nulls('responded_at ended_at rejection_reason'), outcome: 'pending' };
  answers.getBoardClaim = {
    ...{ ...details, ...nulls('closed_at closed_by closure_reason clocks'), late: true, history: [waits] },
    ...{ waiting_since: '2026-09-01T14:00:00Z', claim: other },
  };
  await act('#/claims/other');
  await act(
    'shown: .split-claim .screen-header, .split-claim .row, .split-claim h2, .history, .top [aria-pressed=true], .top [aria-current=page]',
  );
  answers.getBoardClaim = {
    ...{ ...Object(answers.getBoardClaim), late: false, history: [{ ...answered, outcome: 'accepted' }] },
    claim: { ...other, assignment: { ...assignment, status: 'accepted' } },
  };
  await look();
  const clocks = () =>
    [...page.document.querySelectorAll('.split-claim dd')].slice(0, 3).map(({ textContent }) => textContent);
  await act('shown: .split-claim .pill, .split-claim .row button, .split-claim p.muted');
  const soon = { at: null, device_at: null, date: null, due_at: AT, late: false };
  const open = { ...details.clocks, first_contact: soon, inspection: { ...soon, late: true } };
  answers.getBoardClaim = { ...Object(answers.getBoardClaim), clocks: open };
  await act('Show the receipt');
  await look();
  note(clocks());
  // It is of the course until then.
  const ended = { ...answered, outcome: 'withdrawn' };
  answers.getBoardClaim = { ...Object(answers.getBoardClaim), history: [ended] };
  await act('shown: .receipt code, .receipt button');
  await look();
  await act('shown: .receipt code, .receipt button');
  answers.getBoardClaim = { ...Object(answers.getBoardClaim), claim: other };
  await look();
  await act('Offer', 'Cancel', 'Close the claim', 'shown: dialog', '#/claims/x', 'shown: dialog');
  await act('#/claims/other', 'shown: dialog h2', 'Cancel', 'Withdraw', 'Withdraw');
  await act('shown: .offer-results, .toast', 'Hide what you did');
  answers.getBoardClaim = refusal(422, 'validation_failed');
  await act('#/claims/cut', 'shown: .split-claim');
  answers.getBoardClaim = refusal(404, 'not_found');
  await act('#/claims/gone', 'shown: .split-claim', 'Test');
  expect(location.hash).toBe('#/claims/gone');
  await act('Live', 'sent:');
  expect(location.hash).toBe('#/');
});

test('adjusters say what they can take, are invited one by one or as a list, and have their credentials read', async () => {
  const one = (svc_id: string, changes: object) => ({
    ...nulls('email expires_at seen_at reminded_at'),
    ...{ svc_id, name: `${svc_id} Ruiz`, shares_credentials: false, ...changes },
  });
  const invited = { status: 'pending', expires_at: AT };
  answers.listBoardAdjusters = pageOf(
    'listBoardAdjusters',
    ...[one('Invited', invited), one('Opened', { ...invited, seen_at: AT })],
    ...[one('Reminded', { ...invited, reminded_at: AT }), one('Declined', { status: 'declined' })],
    ...[one('Paused', { accepting_assignments: false }), one('Barred', { can_accept_claims: false })],
    one('Free', { shares_credentials: true, median_answer_seconds: null, open_claims: 0, email: 'f@x.test' }),
  );
  await act('#/adjusters', 'shown: main', 'Credentials of Free Ruiz', 'shown: dialog', 'Close');
  answers.getSharedCredentials = { licenses: [] };
  await act('Credentials of Free Ruiz', 'shown: dialog', 'Close');
  answers.getSharedCredentials = refusal(404, 'not_found');
  await act('Credentials of Free Ruiz', 'shown: dialog, .toast', 'sent:', 'Invite an adjuster');
  expect(page.find('SVCID').getAttribute('autocomplete')).toBe('off');
  await act({ SVCID: ' SVC-9 ', Purpose: 'Storm' });
  answers.inviteBoardAdjuster = refusal(409, 'already_member');
  await act('Send invitation', 'shown: dialog');
  delete answers.inviteBoardAdjuster;
  await act({ 'Your name for the adjuster': 'Ann' }, 'Send invitation');
  await act('Withdraw the invitation of Opened Ruiz?', 'shown: dialog, .toast', 'Withdraw', 'sent:');
  await act('Invite many');
  await act({ 'SVCIDs, one in a line': 'Name\tSVCID\nAna\tSVC-1\nBob\tb@x.test\nCy\tSVC-3\nDi\tSVC-4' });
  await act('shown: dialog');
  answers.inviteBoardAdjusters = heldDuring({ refused: 503 });
  await act('Send 4 invitations', 'held:', 'shown: dialog');
  const outcomes = ['invited', 'unknown_osaid', 'already_member', 'unknown_osaid'].map((outcome) => ({
    outcome,
  }));
  answers.inviteBoardAdjusters = { results: outcomes };
  await act('Resume', 'shown: dialog', 'whole: dialog p, dialog li');
  await act('Download as CSV', 'saved:', 'Correct these');
  expect(page.find('SVCIDs, one in a line').value).toBe('b@x.test\nSVC-4');
  for (const text of ['%PDF-1.7 \0', 'Name,SVCID\nAna,SVC-7\n']) {
    await choosesFile(new File([text], 'a.csv'));
    await act('shown: dialog .note p, dialog [role=status]');
  }
  await act({ 'SVCIDs, one in a line': 'SVC-7' }, 'shown: dialog [role=status]');
  answers.inviteBoardAdjusters = { results: outcomes.slice(0, 1) };
  await act('Send 1 invitation', 'Another list', 'Cancel', { 'Name or SVCID': 'nobody' });
  await act('shown: .empty-state');
  const { listBoardAdjusters: members = {} } = answers;
  answers.listBoardAdjusters = pageOf('listBoardAdjusters', one('Tess', { ...invited, test: true }));
  await act('Test', 'Withdraw the invitation of Tess Ruiz?');
  answers.listBoardAdjusters = pageOf('listBoardAdjusters');
  await act('Withdraw', 'shown: .empty-state', 'Invite an adjuster', { SVCID: 'SVC-8' }, 'Send invitation');
  await act('Invite many', { 'SVCIDs, one in a line': 'SVC-5' }, 'Send 1 invitation', 'shown: dialog');
  await look();
  answers.listBoardAdjusters = members;
  answers.inviteBoardAdjusters = { results: [] };
  const svcIds = Array.from({ length: 101 }, (_, n) => `S${n}`).join('\n');
  await act('Another list', { 'SVCIDs, one in a line': svcIds }, 'Send 101 invitations');
  expect(page.document.querySelectorAll('dialog li')).toHaveLength(100);
  await act('Close', 'Live', 'sent:');
});

test('a report has each number in its column and its file, for the data, the group and the days that are chosen', async () => {
  const answered = { accepted: 11, rejected: 12, unassigned: 13 };
  const counts = { ...answered, withdrawn: 14, closed: 15, pending: 16, offers: 81 };
  const total = { ...example('reportAnswers').total, ...counts, median_answer_seconds: null };
  const rows = [{ ...total, group: 'a', label: 'Ana', partial: true, offers: 90, median_answer_seconds: 59 }];
  answers.reportAnswers = example('reportAnswers', { rows, total });
  await act('#/reports', 'shown: .filter-line, .card > p, tr');
  const bars = [...page.document.querySelectorAll('rect, .chart')];
  note(
    bars.flatMap((bar) => ['viewBox', 'fill', 'x', 'width'].flatMap((name) => bar.getAttribute(name) ?? [])),
  );
  await act({ 'Group by': 'Week', 'Offered in the last': '7 days' }, 'Test');
  answers.csv = ['a,b'];
  await act('Download as CSV');
  delete answers.csv;
  await act('Download as CSV');
  answers.reportAnswers = example('reportAnswers', { rows, total, time_zone: undefined });
  await act({ 'Group by': 'Carrier' }, 'shown: .card > p, thead th:first-child');
  // No number stands under the name of another group.
  answers.reportAnswers = { refused: 503 };
  await act({ 'Group by': 'Week' }, 'shown: .card, main > p', { 'Group by': 'Carrier' });
  answers.reportAnswers = example('reportAnswers', { rows: [], total });
  await act({ 'Offered in the last': '365 days' }, 'shown: .card, .empty-state', 'sent:');
  note([...saved.splice(0), ...page.shows('.toast')]);
});

test('keys show their use and their end, and are created, replaced, renamed and revoked for the shown data', async () => {
  const none = nulls('name revoked_at expires_at attention');
  const one = (id: string, changes: object) => ({ ...none, id, ...changes });
  const { created_by } = example('listKeys');
  const unused = { expires_at: '2027-01-01T13:00:00Z', last_used_at: null };
  answers.listKeys = pageOf(
    'listKeys',
    one('k1', { ...unused, created_by: { ...created_by, name: null } }),
    one('k2', { name: 'Old', expires_at: AT }),
    one('k3', { expires_at: unused.expires_at, revoked_at: AT, attention: 'maker_role_changed' }),
    ...[one('k4', { environment: 'test' }), one('k5', { purpose: 'claims' })],
  );
  const days = [0, 2, 3].map((live, n) => ({ date: `2026-08-2${n + 7}`, live, test: 9 }));
  const [use] = example('getLimits').keys;
  const keys = [use, { ...use, key_id: 'k1', used: { requests: 17, writes: 1 }, rate_limited: 2 }];
  answers.getLimits = example('getLimits', { days, keys });
  await act('#/keys', 'shown: main > p, .row, .note, .wide-row', 'Live', 'shown: main');
  await hide();
  const secret = { key: example('listKeys'), secret: 'svc_test_x', replaced: example('listKeys') };
  Object.assign(answers, { createKey: secret, rollKey: secret });
  await act('Create a key', 'shown: dialog', { 'Name, such as where it is used (optional)': ' Import ' });
  await act({ 'What for': 'Read only', 'Works for': '30 days' }, 'Create a key');
  await act('held:', 'shown: dialog', 'I have copied it', 'held:');
  await act('Replace', 'shown: dialog', { 'The old key still works for': 'Not at all' }, 'Replace');
  await act('I have copied it', 'Rename', 'shown: dialog', { Name: 'New' });
  await act('Rename', 'Revoke', 'shown: dialog', 'Revoke');
  await act('Revoke all keys of Priya Natarajan', 'Revoke all', 'Create a key', 'Create a key', 'Copy');
  await act('Use in the sandbox', 'saved:', 'shown: dialog, main .row', 'Forget the key', 'sent:');
});

test('the log of requests has what was wrong, and is asked for with the filters that the address keeps', async () => {
  const nothing = { ...nulls('code detail existing_claim_id key_name'), places: [], place_details: [] };
  answers.listRequests = pageOf(
    'listRequests',
    { duration_ms: 1250.4, places: ['/loss/date', '/a'], place_details: ['No.', 'Nor.'] },
    { ...nothing, request_id: 'r2', environment: 'test', status: null },
    { ...nothing, request_id: 'r3', status: 400 },
    { ...nothing, request_id: 'r4', status: 399, code: 'x', documentation_url: null },
  );
  await act('#/requests/r1?code=a', 'shown: main', { 'Error code': ' claim_closed ' });
  page.happens(Object.assign(page.find('Request id'), { value: ' ' }), 'input');
  await act('Search', { Data: 'Test' });
  for (let ticks = 0; ticks < 2; ticks += 1) await tick('Errors only');
  expect(location.hash).toBe('#/requests?code=claim_closed&environment=test');
  await act('#/', '#/requests?path=x&environment=live&errors=true', 'shown: form, main input, main select');
  await act('sent:');
});

test('endpoints of the shown data say how each attempt went, and each act is on its own one', async () => {
  const paused = { state: 'paused', previous_secret_until: null };
  const one = (id: string, changes: object) => ({ id, url: `https://${id}.test`, ...changes });
  answers.listWebhooks = pageOf(
    'listWebhooks',
    ...[one('w1', { ...paused, paused_reason: 'gone' }), one('w2', { environment: 'test' })],
    ...[one('w3', paused), one('w4', {})],
  );
  const attempts = [
    { at: AT, status: 500, error: null, duration_ms: 80 },
    { at: '2026-09-01T13:01:00Z', status: null, error: 'tls_failed', duration_ms: 81 },
  ];
  const delivery = { id: 'd1', status: 'pending', attempts, next_attempt_at: '2026-09-01T16:00:00Z' };
  const done = { id: 'd0', next_attempt_at: null };
  answers.listWebhookDeliveries = (_, __, id) =>
    pageOf('listWebhookDeliveries', ...(id === 'w1' ? [] : [delivery, done]));
  await act('#/webhooks', 'shown: main', 'whole: section p');
  answers.updateWebhook = example('updateWebhook', { secret: 'whsec_x' });
  answers.testWebhook = example('testWebhook', { id: 'd1', response_body: 'Hi.' });
  await act('Pause', 'Resume', 'Send a test', 'Send again', 'Replace the secret');
  await act('shown: dialog, section[aria-label="https://w4.test"] p', 'I have copied it');
  await hide();
  await act('Remove this endpoint?', 'Remove', 'Add an endpoint', { Address: 'ftp://a.test' });
  answers.createWebhook = refusal(422, 'validation_failed', 'It must be https.');
  await act('Add an endpoint', 'shown: dialog', 'Cancel');
  delete answers.createWebhook;
  await act('Test', 'Add an endpoint', { Address: 'https://b.test' }, 'Add an endpoint', 'I have copied it');
  answers.listWebhooks = pageOf('listWebhooks');
  await act('Live', 'shown: dialog, .empty-state', 'sent:');
});

test('readiness says what each check found since the chosen time', async () => {
  const [check] = example('getFirmReadiness').checks;
  const [finding] = check.findings;
  const lost = { ...finding.requests[0], request_id: 'lost', status: null, code: null };
  const unseen = { ...check, findings: [], state: 'not_exercised', passed: 0, finding_count: 0 };
  const checks = [
    { ...check, finding_count: 9, findings: [finding, { detail: 'Lost.', requests: [lost] }] },
    ...['poll_gaps', 'retry_after'].map((name) => ({ ...unseen, check: name })),
    { ...unseen, state: 'passed', passed: 2 },
  ];
  answers.getFirmReadiness = example('getFirmReadiness', { checks, complete: false });
  await act('#/readiness/2026-08-29T14:00:00.000Z', 'shown: main');
  await act('whole: .note.warning p, section p, section summary');
  for (const period of ['24 hours ago', '1 hour ago']) await choose('Requests since', period);
  answers.getFirmReadiness = example('getFirmReadiness', { checks: [], ready: true });
  await act('Check again', 'shown: .note.success p', '#/readiness', 'shown: select', 'sent:');
});

test('the trail is filtered by what is typed or pressed, verified in parts and saved page by page', async () => {
  const changes = { name: { from: null, to: 'B' }, email: { from: 'a', to: null } };
  const denied = pageOf('listAudit', { id: '1', actor_name: null, actor: 'key:k1', outcome: 'denied' });
  answers.listAudit = ({ cursor }) =>
    cursor === undefined
      ? { ...denied, next_cursor: 'p2' }
      : pageOf('listAudit', { id: '2', action: 'staff.rename', object: null, changes });
  const last = { intact: true, rows: 6, last: { seq: 46, hash: 'h46' } };
  const parts = [{ intact: true, rows: 40, next_cursor: '1' }, last];
  answers.verifyAudit = ({ cursor = '0' }) => Object(parts[Number(cursor)]);
  await act('#/audit', 'shown: .wide-row', /^claim:0b9f/, { Who: ' key:k1 ', 'First day': '2026-03-07' });
  await act({ 'Last day': '2026-03-08' }, 'Search', 'Verify', 'shown: form input', 'whole: .note.success');
  answers.verifyAudit = { intact: false, seq: 47 };
  await act('Verify', 'whole: .note.warning', 'sent:');
  await act('Priya Natarajan', 'staff: rename');
  expect(page.focused()).toBe('Audit');
  await act('Export', 'sent:');
  answers.listAudit = { ...denied, next_cursor: 'p2' };
  const lines = saved.splice(0).flatMap((text) => text.match(/^\S+ \S+|"id":"."/g));
  expect(lines).toEqual(['audit.jsonl application/jsonl', '"id":"1"', '"id":"2"']);
  await act('Export', 'whole: .toast p', 'classes: .toast');
  saved.length = 0;
  expect(sent.splice(0).filter((one) => one.startsWith('listAudit'))).toHaveLength(500);
});

test('people are invited, have the role that is chosen, and leave keys behind when they are removed', async () => {
  const ann = { id: 's2', name: 'Ann', joined_at: null, role: 'developer', working_keys: 2 };
  answers.listStaff = pageOf('listStaff', {}, ann);
  await act('#/people', 'shown: main');
  const waiting: ((answer: object) => void)[] = [];
  answers.updateStaff = () => new Promise((resolve) => waiting.push(resolve));
  const { listStaff: people = {} } = answers;
  answers.listStaff = refusal(409, 'last_admin');
  await act({ 'Role of Ann': 'Dispatcher' });
  const roles = [page.find('Role of Ann').value];
  waiting[0]?.(refusal(409, 'last_admin'));
  await page.wait(1000);
  note([...roles, page.find('Role of Ann').value, ...page.shows('.toast')]);
  answers.listStaff = people;
  delete answers.updateStaff;
  await act({ 'Role of Ann': 'Auditor' }, 'Invite a person', { 'Full name': ' Ben ', Email: 'b@x.test' });
  await act({ Role: 'Auditor' }, 'shown: dialog', 'Invite a person', 'Remove Ann', 'shown: dialog', 'Remove');
  await act('shown: [role=alert]');
  answers.revokeKeysOfMaker = refusal(403, 'insufficient_scope');
  await act('Revoke all keys of Ann', 'Revoke all');
  delete answers.revokeKeysOfMaker;
  await act('Revoke all keys of Ann', 'shown: dialog', 'Revoke all');
  expect(page.shows('main [role=alert]')).toEqual([]);
  await act('sent:');
});

test('settings have the rules of clocks, which are saved with their version, the sessions, and both ends of this one', async () => {
  const getClocks = example('getClocks', { time_zone: 'America/New_York' });
  answers.getClocks = getClocks;
  answers.updateClocks = refusal(422, 'validation_failed', 'No time.');
  answers.startStaffPasskeyRegistration = { options: { challenge: 'AAAA', user: { id: 'AAAA' } } };
  await act('#/settings', 'shown: main', 'whole: main p.muted');
  await act(
    'Rename iPhone',
    'Save',
    'Add a passkey',
    'Remove iPhone',
    'Remove iPhone',
    'sent:',
    'Add a rule',
  );
  for (const field of ['Carrier (empty: all)', 'Report, days after acceptance']) await type(field, '7');
  // What is typed was made from the version of before.
  answers.getClocks = { ...getClocks, version: 'of another person' };
  await act('#/', '#/settings', 'Save the clocks', 'shown: .note-body, legend, .toast', 'whole: .note-body');
  answers.updateClocks = { refused: 503 };
  await act('Save the clocks', 'shown: .note-body, .toast');
  answers.updateClocks = refusal(409, 'clocks_changed');
  await act('Save the clocks', 'shown: .note-body');
  answers.getClocks = { ...getClocks, rules: [], version: 'v2' };
  await act('Load the rules again', 'Add a rule', { 'Inspection, hours after contact': '5' });
  answers.updateClocks = (_, body) => ({ ...body, version: 'v3' });
  await act('Save the clocks', /^Remove the rule/, 'Save the clocks');
  answers.updateOwnStaff = Object(answers.getOwnStaff);
  await tick('Email me once a day when offers are late');
  await act('shown: .toast', 'classes: .toast', { Colors: 'Light' });
  expect(page.document.documentElement.dataset.scheme).toBe('light');
  const { localStorage: ofBrowser, sessionStorage: ofTab } = page.window;
  note([ofBrowser, ofTab].map((kept) => Object.keys(kept).toSorted().join()));
  await act('sent:');
});

const imported = (rows: readonly object[]) => {
  const more = { ...nulls('next_row likely_header_row'), header: ['Claim #', 'A', 'B'], total_rows: 3 };
  const columns = { 'Claim #': 'claim_number', A: null };
  return example('importClaims', { ...more, columns, rows, problems: [] });
};

test('a file is checked, its questions are answered together, and its rows are sent with what was chosen', async () => {
  const question = (columns: string, fields: string) => ({
    ...{ columns: columns.split(' '), fields: fields.split(' '), detail: columns + fields, column: null },
  });
  const wrong = { column: null, field: 'loss_location.zip', code: 'duplicate_claim', detail: 'No.' };
  const problems = [wrong, { ...wrong, column: 'Zip', code: null }];
  const rows = ['valid', 'invalid', 'valid'].map((outcome, n) => ({
    ...{ row: n + 2, external_id: `E${n}`, outcome, problems: n === 1 ? problems : [], needs_adjuster: null },
  }));
  const result = imported(rows);
  const questions = [
    ...[question('A B', 'policyholder.phone'), question('B', 'loss.date reported_date')],
    question('A', 'carrier.name'),
  ];
  answers.importClaims = { ...result, problems: questions };
  const old = { file_name: null, name: 'old', sent: 4, already_sent: 5, failed: 6 };
  answers.listImports = pageOf('listImports', old);
  await act('#/upload', 'shown: main', 'whole: main section p, main section li', 'Download a sample');
  expect(saved.splice(0).map((text) => text.match(/^\w+.csv|SVCID[^"]+|FL-SAMPLE-\d+/g))).toEqual([
    ['claims.csv', ...[1, 2, 3].flatMap((n) => [`FL-SAMPLE-000${n}`, 'SVCID-of-the-adjuster'])],
  ]);
  const file = new File(['Claim #,A,B\n1,a,"d\ne"\n2,a,b\n3,a,b\n'], 'export 7.csv');
  await choosesFile(file);
  note([...page.shows('.card'), ...page.outline(page.find('Row with the column names')).slice(0, 4)]);
  await act({ 'Which column is “Policyholder: phone”?': 'B' });
  await act({ 'What does the column “B” hold?': 'Loss: date' });
  answers.importClaims = result;
  await act({ 'Is the column “A” the field “Carrier: name”?': 'None: leave it out' });
  await act('shown: .card, .wide-row, .row', 'whole: .card p, .wide-row', 'Download 2 problems as CSV');
  expect(page.document.querySelector('details')?.open).toBe(false);
  await act({ A: 'Carrier: name', 'Claim #': 'Left out' });
  await act(
    { 'The same for all rows': 'Adjuster (SVCID, name or email)', Value: ' SVC-1 ' },
    'Add',
    'whole: details li',
  );
  note(['Claim #', 'A', 'B'].map((column) => page.find(column, 'select').value));
  await act('Remove Adjuster (SVCID, name or email)', { 'Dates such as 8/9/2026': 'Day first' });
  let arrive = (_: object): void => {};
  answers.importClaims = () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
  await act('Send 2 claims', 'held:', 'shown: main', '#/', 'shown: a.pill');
  arrive({ refused: 503 });
  await page.wait(1000);
  await act('held:', 'shown: a.pill, .network');
  const sentRows = rows.map((each, n) => ({ ...each, outcome: n === 1 ? 'failed' : 'sent', problems: [] }));
  answers.importClaims = { ...result, dry_run: false, rows: sentRows };
  await act('#/upload', 'shown: a.pill, .card', 'Resume', 'shown: .card', 'sent:', 'saved:');
});

test('the sandbox takes a test key alone, and has what can be done with each account and claim', async () => {
  const account = (name: string, status: string) => ({ svc_id: `test_f_${name}`, status, test: true });
  const list = (...data: readonly object[]) => ({ data, next_cursor: null });
  const claim = (n: number, status: string) => ({
    ...{ id: `c${n}`, external_id: `E${n}`, assignment: { status, adjuster_svc_id: 'SVC-2' } },
  });
  const [manual, joins] = [account('manual', 'active'), account('joins', 'expired')];
  const real = { svc_id: 'SVC-1', status: 'active', test: false };
  answers['GET /v1/adjusters'] = list(real, manual, account('accepts', 'pending'), joins);
  // Those that have changed last come last.
  const accepted = Array.from({ length: 21 }, (_, n) => claim(n, 'accepted'));
  answers['GET /v1/claims'] = list(...accepted, claim(21, 'pending_acceptance'));
  answers['GET /v1/me'] = { key: {} };
  await act('#/sandbox', { 'Test key': 'svc_live_x' }, 'Use in the sandbox', 'shown: main');
  await act({ 'Test key': ' svc_test_x ' }, 'Use in the sandbox');
  await page.wait(1000);
  await act('shown: main, .toast');
  const closed = refusal(409, 'claim_closed', 'Closed.');
  answers['POST /v1/test/claims/c21/closure'] = { ...closed, request_id: 'r1' };
  await act('Close E21', 'shown: details, .toast p', 'classes: .toast');
  await act('Copy: Variables', 'Copy: Send a claim');
  expect(saved.splice(0)).toEqual([
    'export CLAIMS_URL=https://claims.example/svc\nexport CLAIMS_API_KEY=svc_test_x\n',
    expect.stringMatching(
      /^curl "https:..claims.example.svc.v1.claims" .*Bearer svc_test_x"[\s\S]*"test_f_accepts"/,
    ),
  ]);
  clipboard.writeText = () => Promise.reject(new Error('not allowed'));
  await act('Copy: Variables', 'shown: .toast p');
  await act({ 'Your next requests with this key': 'slow', 'How many': '3' });
  await act('Expire test_f_accepts', 'Decline test_f_accepts', 'Accept E21', 'Reject E21', 'Close E20');
  await act('Pause test_f_manual', 'Resume test_f_manual', 'Leave the firm test_f_manual');
  await act('Invite test_f_new', 'Simulate', 'Clear', 'Refresh', 'Start', 'shown: p.strong, [role=log] p');
  answers['GET /v1/me'] = () => Promise.reject(new TypeError('No network.'));
  await act('Refresh');
  await page.wait(12_000);
  await act('shown: details');
  answers['GET /v1/me'] = { key: { environment: 'test' } };
  const active = ['accepts', 'manual', 'rejects', 'paused'].map((name) => account(name, 'active'));
  answers['GET /v1/adjusters'] = list(...active);
  await act({ Claims: '10', 'From the first claim on': '1 min' }, 'Start');
  await act(
    'marks:',
    'held:',
    'shown: h2 ~ .filter-line button, .note, p.strong, [role=log]',
    'Stop',
    'held:',
  );
  await act('Download the claims');
  expect(saved.splice(0)).toEqual([expect.stringMatching(/^rehearsal.jsonl (.*\n){10}$/)]);
  await act('shown: h2 ~ .filter-line button, p.strong, [role=log]');
  // The checks are of what it did, also by the menu.
  await act('Check what your system did', 'shown: main select', '#/readiness', 'shown: main select');
  await act({ 'Requests since': 'The start of the rehearsal' });
  answers['GET /v1/claims'] = list(...Array.from({ length: 1001 }, (_, n) => claim(n, 'accepted')));
  await act('#/sandbox');
  note(page.shows('main .history code').slice(6, 9));
  await act('Forget the key');
  await act('shown: h1, form, [role=log]', 'sent:');
});

test('the map has the claims that wait and those that are accepted, and is read again when something has changed', async () => {
  const claims = (...rows: readonly object[]) => pageOf('listBoardClaims', ...rows);
  const place = { street: '1 New Road', city: 'Newtown', state: 'FL', zip: '00000' };
  const far = { status: 'accepted', place: { ...place, zip: '32625' } };
  const accepted = claims(row('Dee', { status: 'accepted', late: true }), row('Eli', far));
  const others = Array.from({ length: 7 }, (_, n) => row(`B${n}`, {}));
  const waiting = claims(row('Ann', { status: 'rejected' }), ...others, row('Cal', { place }));
  answers.listBoardClaims = ({ status }) => (status === 'accepted' ? accepted : waiting);
  await act('#/map');
  page.observe();
  await look();
  await act('shown: main', 'placed:', /^9 claims/, 'shown: .wide-row', 'placed:');
  for (let steps = 0; steps < 3; steps += 1) await act('Zoom out');
  // So many were shown from closer by.
  await act('placed:', 'sent:', 'Test', 'sent:', 'Live');
});

test('planned offers are of the claims as they were shown, also where the board has others by then', async () => {
  const [ann, ben] = [row('Ann', {}), row('Ben', { status: 'rejected', test: true })];
  answers.listBoardClaims = pageOf('listBoardClaims', ann, ben);
  await act('#/');
  await look();
  await select('Ann', 'Ben');
  await act('Spread 2 claims');
  await tick(/^Free/);
  const planned = { adjuster_svc_id: 'Free', distance: null, warnings: [] };
  answers.spreadClaims = { offers: ['Ann', 'Ben'].map((id) => ({ id, ...planned })) };
  await act('Show who gets which');
  // While the session has ended, one is accepted, and the board no longer has the other.
  const { getOwnStaff: me = {} } = answers;
  answers.listBoardClaims = answers.getOwnStaff = refusal(401, 'invalid_session');
  await look();
  const changed = { updated_at: AT, adjuster_svc_id: 'SVC-3', claim_number: 'New' };
  const now = { ...ann, ...changed, status: 'accepted', test: true };
  answers.listBoardClaims = pageOf('listBoardClaims', now);
  answers.getOwnStaff = me;
  await enter();
  await act('whole: .board-row span.ids, dialog li', 'Offer 2 claims', 'shown: .offer-results');
  const offered = sent.splice(0).filter((one) => one.startsWith('offerBoardClaim'));
  const body = JSON.stringify({ adjuster_svc_id: 'Free', updated_at });
  expect(offered).toEqual(
    ['Ann environment=live', 'Ben environment=test'].map((one) => `offerBoardClaim ${one} ${body}`),
  );
  await act('Hide what you did');
});

test('a person who signs out everywhere finds nothing of the firm, and why', async () => {
  await act('#/settings');
  answers.closeAllSessions = { refused: 503 };
  await act('Sign out everywhere', 'shown: .network, .toast');
  delete answers.closeAllSessions;
  answers.getOwnStaff = refusal(401, 'invalid_session');
  await act('Sign out everywhere', 'shown: body', 'sent:');
});

test('what a role may not see or do is not there', async () => {
  delete answers.getClocks;
  const [check] = example('getFirmReadiness').checks;
  const checks = [check, { ...check, check: 'retry_after', state: 'not_exercised' }];
  answers.getFirmReadiness = example('getFirmReadiness', { checks });
  answers.getBoardClaim = example('getBoardClaim', nulls('closed_at closed_by closure_reason'));
  answers.openSession = { expires_at: 'x' };
  answers.listBoardClaims = pageOf('listBoardClaims', row('Ann', {}));
  for (const [role, screens, end] of [
    ['developer', ' claims/c1 requests settings', 'Sign out'],
    ['auditor', ' claims/c1 adjusters keys webhooks readiness settings', 'Sign out everywhere'],
  ] as const) {
    answers.getOwnStaff = example('getOwnStaff', { permissions: ROLE_PERMISSIONS[role] });
    await act('#/');
    await enter();
    for (const screen of screens.split(' ')) {
      await act(`#/${screen}`);
      for (const name of ['j', 'o']) await key(name);
      const acts = 'main a:not(.board-link), main button:not(.head), main fieldset[disabled] legend, dialog';
      await act(`shown: h1, .firm, .note-body, main [type=checkbox], ${acts}`);
    }
    answers.getOwnStaff = refusal(401, 'invalid_session');
    await act('#/settings', end);
  }
  expect(sent.splice(0).filter((one) => one.startsWith('close'))).toEqual([
    'closeSession',
    'closeAllSessions',
  ]);
});

test('a file that has changed or is gone is said, and its rows get the adjusters that were shown', async () => {
  answers.getOwnStaff = example('getOwnStaff', { permissions: ROLE_PERMISSIONS.admin });
  await enter();
  await act('#/upload');
  sent.splice(0);
  const sole = { row: 2, external_id: 'E0', outcome: 'valid', problems: [], needs_adjuster: null };
  const result = imported([sole]);
  const unnamed = { ...sole, needs_adjuster: { zip: '33931', state: 'FL', form_type: 'dwelling' } };
  const whole = { columns: [], fields: [], column: 'A', detail: 'No.' };
  answers.importClaims = { ...result, rows: [unnamed], problems: [whole], likely_header_row: 2 };
  const again = new File(['Claim #,A,B\n1,a,b\n'], 'again.csv');
  await choosesFile(again);
  await act('shown: main .note, main .note p, main button, main summary', 'Row 2 has the column names');
  for (const order of ['Day first', 'As each column shows']) await choose('Dates such as 8/9/2026', order);
  for (const separator of ['As recognized', 'Pipe |']) await choose('Separator', separator);
  await act({ 'Row with the column names': 'The first row with text', Encoding: 'Windows' });
  await act('Spread 1 claim');
  await tick(/^Free/);
  answers.spreadClaims = { offers: [{ id: '2', adjuster_svc_id: 'Free', distance: null, warnings: [] }] };
  await act('Show who gets which', 'whole: dialog summary, dialog details li');
  for (let ticks = 0; ticks < 2; ticks += 1) await tick(/^Free/);
  await act('shown: dialog button', 'Show who gets which');
  answers.importClaims = result;
  await act('Enter these adjusters in 1 row');
  const changed = jest.spyOn(again, 'arrayBuffer');
  changed.mockResolvedValueOnce(new TextEncoder().encode('Claim #\n1\n').buffer);
  await act('Send 1 claim', 'whole: main .note');
  changed.mockRejectedValueOnce(new DOMException('', 'NotReadableError'));
  await act('Send 1 claim', 'whole: main .note', 'sent:');
});

test('what cannot be read again stays as it was, a choice is taken back, and a passkey of another device is asked for', async () => {
  const elsewhere = { id: 's9', current: false, device_name: 'Firefox on Windows', last_used_at: AT };
  answers.listStaffSessions = pageOf('listStaffSessions', {}, elsewhere);
  answers.updateOwnStaff = { ...Object(answers.getOwnStaff), late_offers_mail: 'daily' };
  await act('#/settings');
  for (let ticks = 0; ticks < 2; ticks += 1) await tick('Email me once a day when offers are late');
  const { updateOwnStaff: updated = {} } = answers;
  answers.updateOwnStaff = { refused: 503 };
  await tick('Email me once a day when offers are late');
  await act('shown: main [type=checkbox], .toast p');
  answers.updateOwnStaff = updated;
  await act(/^End Firefox/, 'shown: .toast', '#/requests');
  for (const data of ['Live', 'Any']) await choose('Data', data);
  await act('sent:');
  answers.getBoardClaim = { refused: 503 };
  await act('#/claims/late', 'shown: .split-claim h1, .toast');
  delete answers.getBoardClaim;
  await act('Close');
  await look();
  answers.getBoardClaim = { refused: 503 };
  await look();
  await act('shown: .split-claim h1, .toast');
  const { listBoardClaims: claims = {} } = answers;
  for (const passkeys of [[], [{}]]) {
    answers.listBoardClaims = refusal(403, 'passkey_required');
    answers.listStaffPasskeys = pageOf('listStaffPasskeys', ...passkeys);
    await look();
    answers.listBoardClaims = claims;
    if (passkeys.length === 0) await act('sent:', 'Add a passkey', 'shown: h1', 'sent:');
  }
  await act('shown: body');
  answers.getOwnStaff = refusal(401, 'invalid_session');
  await act('Sign out', 'sent:', 'shown: h1, .note-body');
});

test('a dialog names five claims and counts the others, a map of too many says so, a sheet of a workbook is chosen, and keys of who was removed stay shown', async () => {
  answers.getOwnStaff = example('getOwnStaff', { permissions: ROLE_PERMISSIONS.admin });
  const rows = Array.from({ length: 6 }, (_, n) => row(`C${n}`, { adjuster_svc_id: 'Free' }));
  rows[0] = row('C0', { status: 'rejected', adjuster_svc_id: 'Paused' });
  answers.listBoardClaims = pageOf('listBoardClaims', ...rows);
  await enter();
  await act('#/');
  await select('all shown');
  await act('shown: .heads input', 'Withdraw 5', 'whole: dialog li', 'Cancel');
  sent.splice(0);
  // Which adjusters suit a claim is asked for one alone.
  await act('Offer 6', 'sent:', 'shown: dialog li, dialog [role=status], dialog .pill');
  await tick(/^Free/);
  await act('shown: dialog [role=status]', 'Cancel');
  const { listBoardAdjusters: members = {} } = answers;
  const crowd = Array.from({ length: 51 }, (_, n) => ({ svc_id: `T${n}`, name: `Tia ${n}` }));
  answers.listBoardAdjusters = pageOf('listBoardAdjusters', ...crowd);
  const listed = () => page.document.querySelectorAll('[name=adjuster]').length;
  await act('Offer 6');
  const counts = [listed()];
  await act('Cancel', 'Spread 6 claims');
  expect([...counts, listed()]).toEqual([50, 50]);
  const { draft } = (await import('../src/app.ts')).offers;
  draft.value = { ...Object(draft.value), ticked: crowd.slice(1).map(({ svc_id }) => svc_id) };
  await act({ 'Name or SVCID': 'Tia' }, 'shown: .choices [disabled]', 'Cancel');
  answers.listBoardAdjusters = members;
  answers.listBoardClaims = { ...pageOf('listBoardClaims', row('Ann', {})), next_cursor: 'more' };
  await act('#/map', 'whole: main .note');
  await look();
  await act('#/', 'shown: .heads [role=status], .load-more', '#/map');
  answers.listBoardClaims = pageOf('listBoardClaims');
  await look();
  await act('shown: .empty-state');
  const lines = [['Claim #'], ...[40, 41].map((length) => ['x'.repeat(length)])];
  const sheets = ['Cover', 'Claims'].map((name, n) => ({
    ...{ name, xml: sheetXml([...lines, [name]]).replace('<row>', ['<row hidden="1">', '<row>'][n] ?? '') },
  }));
  await act('#/upload');
  sent.splice(0);
  await choosesFile(new File([workbookOf({ sheets }).slice()], 'book.xlsx'));
  const options = () => page.outline(page.find('Row with the column names')).slice(2, 5);
  note([...page.shows('.warning'), ...options()]);
  await act({ Sheet: 'Claims' }, 'shown: .warning');
  for (const text of ['%PDF-1.7 \0', 'Claim #,Garc\x92a\n1,2']) {
    await choosesFile(new File([Buffer.from(text, 'latin1')], 'a.csv'));
    await act('shown: main .note');
  }
  await act(/Old Mac/, 'sent:', 'Test', 'sent:');
  const wrong = { column: 'A', field: 'loss.date', code: null, detail: 'No.' };
  const bad = { row: 2, external_id: 'E0', outcome: 'invalid', problems: Array(501).fill(wrong) };
  const needs_adjuster = { zip: '33931', state: 'FL', form_type: 'dwelling' };
  answers.importClaims = {
    ...imported([bad, { row: 3, external_id: 'E1', outcome: 'valid', problems: [], needs_adjuster }]),
    environment: 'test',
  };
  answers.listBoardAdjusters = pageOf('listBoardAdjusters', { svc_id: 'T1', name: 'Tess', test: true });
  await choosesFile(new File(['Claim #\n1\n2\n'], 'a.csv'));
  await act('shown: .card h2, .card .badge, main .row', 'Spread 1 claim');
  await tick(/^Tess/);
  await act('Show who gets which', 'Cancel', '#/keys', 'Create a key', 'Create a key');
  await act('I have copied it', 'sent:', 'Live');
  answers.listBoardAdjusters = members;
  const left = { id: 's2', name: 'Ann', working_keys: 2 };
  answers.listStaff = pageOf('listStaff', left, { id: 's3', name: 'Ben', working_keys: 0 });
  await act(
    '#/people',
    'Remove Ann',
    'Remove',
    'Remove Ben',
    'shown: dialog p',
    'Remove',
    'shown: [role=alert] button',
  );
});

test('keys and the mouse act on the selection before the row with the focus, which stays where a row was', async () => {
  const [ann, ben, cal] = [row('Ann', {}), row('Ben', { status: 'rejected' }), row('Cal', {})];
  let shown: readonly object[] = [ann, ben, cal];
  answers.listBoardClaims = ({ late }) =>
    pageOf('listBoardClaims', ...(late ? [row('Dee', { closed_at: AT })] : shown));
  await act('#/');
  await look();
  page.body.focus();
  for (const name of ['j', 'x', 'j', 'X', 'j', 'o']) await key(name, { shiftKey: name === 'X' });
  await act('shown: dialog h2, dialog li', 'Cancel');
  await key('w');
  await act('shown: dialog h2, dialog li', 'Cancel');
  expect([await key('/'), await key('o')]).toEqual([false, true]);
  const focused = [page.focused()];
  await key('Escape');
  expect(page.happens(page.find('Select Cal'), 'mousedown', { shiftKey: true })).toBe(false);
  page.happens(page.find('Select Cal'), 'click', { shiftKey: true });
  await act('shown: dialog', /^Late/, 'shown: .heads input, .heads [role=status], .selection');
  await act('Clear selection', /^Waiting/);
  // A row has the focus also in its box.
  page.find('Select Ann').focus();
  await key('j');
  shown = [ann, cal];
  await look();
  focused.push(page.focused());
  shown = [];
  await look();
  await act('shown: .empty-state', /^Rejected/, 'shown: .empty-state', /^Waiting/);
  await act({ Search: 'x' }, 'shown: .empty-state', { Search: '' }, /^Late/);
  shown = [ann];
  await act(/^Waiting/, '#/claims/Ann', 'shown: .board-link[aria-current=true]');
  await key('o');
  await act('shown: dialog h2, dialog li', 'Cancel');
  expect(focused).toEqual(['Search', expect.stringMatching(/^Cal/)]);
});

test('help is for the screen, takes the focus and gives it back, and all is in the language that is chosen', async () => {
  await act('#/settings', 'Help');
  const focused = [page.focused()];
  await key('Escape');
  focused.push(page.focused());
  await key('?');
  // It leaves the focus where a person has set it since.
  page.find('Sign out').focus();
  await key('?');
  focused.push(page.focused());
  await key('?');
  await act('shown: aside h2, aside a', 'Help', 'shown: aside', 'Help', '#/adjusters');
  page.find('Name or SVCID').focus();
  await key('?');
  expect(focused).toEqual(['Help: Settings', 'Help', 'Sign out']);
  delete answers.getBoardClaim;
  const targets = ['input text', 'select', 'textarea', 'input checkbox', 'input radio', 'button'].map(
    (one) => {
      const [name = '', kind = ''] = one.split(' ');
      const target = page.document.createElement(name);
      target.setAttribute('type', kind);
      return isTyping(Object({ target }));
    },
  );
  expect(targets).toEqual([true, true, true, false, false, false]);
  await act('shown: aside', '#/settings', { Language: 'Español' }, 'Ayuda', 'shown: aside, main');
  await act('#/claims/Ann', 'shown: .split-claim', 'Ayuda', 'shown: aside h2, aside a', '#/upload');
  await act('shown: main', '#/readiness', 'shown: main', '#/settings', { Idioma: 'English' });
});

test('a narrow screen has a menu that opens and a claim without the board, other firms are a choice away, and a screen that fails leaves the others', async () => {
  answers.updateOwnStaff = { ...Object(answers.getOwnStaff), firms, firm: firms[0] };
  await tick('Email me once a day when offers are late');
  wide.matches = false;
  page.happens(wide, 'change');
  await page.wait(1000);
  const { claim, ...details } = example('getBoardClaim', nulls('closed_at closed_by closure_reason'));
  const assignment = { ...claim.assignment, status: 'pending_acceptance' };
  answers.getBoardClaim = { ...details, claim: { ...claim, id: 'Ann', assignment } };
  await act('shown: .top', 'Menu', 'shown: .top', '#/claims/Ann', 'Withdraw', 'Withdraw');
  await act('shown: nav, .split-list, .offer-results, .offer-results + .row', 'Hide what you did');
  answers.changeFirm = { refused: 503 };
  await act({ Firm: 'Bayou' }, 'shown: .top select, .toast p');
  answers.changeFirm = { ...answers.updateOwnStaff, firm: firms[1] };
  sent.splice(0);
  await act({ Firm: 'Bayou' }, 'shown: .top select, h1', 'sent:', 'marks:', 'saved:');
  otherTabs.onmessage();
  expect(page.location.reload).toHaveBeenCalledTimes(1);
  const problems = jest.spyOn(console, 'error').mockImplementation(() => {});
  answers.listStaff = {};
  await act('#/people', 'shown: .network', '#/settings');
  answers.listStaff = { ...first('listStaff'), data: [null] };
  await act('#/people', 'shown: body', '#/settings', 'shown: h1');
  wide.matches = true;
  page.happens(wide, 'change');
  await page.wait(1000);
  answers.getBoardClaim = { ...details, claim: { ...claim, policyholder: null } };
  await act('#/claims/Ben', 'shown: h1, h2', 'Load the page again');
  expect(page.location.reload).toHaveBeenCalledTimes(2);
  problems.mockRestore();
});
