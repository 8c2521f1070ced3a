import 'fake-indexeddb/auto';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, jest, test } from '@jest/globals';
import type { AppClaim } from '@svc/contract';
import { encodeOutlines } from '@svc/web-app/map/outlines';
import { encodeZipPlaces } from '@svc/web-app/map/zip-places';
import { fakePage, loadAll, page } from '../../../packages/web-app/test/fake-page.ts';
import { offer, ownClaim, PROFILE } from './claims.ts';

// The whole app on a fake page, with a fake service: each test goes on where the one before it ended.

const BASIS_POINTS = 'building_tax contents_tax overhead profit depreciation'.split(' ');
const AMOUNTS =
  'building_limit building_deductible contents_limit contents_deductible special_limits_cap icc_limit building_reserve contents_reserve building_advance_payment contents_advance_payment building_replacement_cost building_actual_cash_value contents_replacement_cost contents_actual_cash_value';
const numbered = (names: readonly string[], step: number) =>
  Object.fromEntries(names.map((name, n) => [name, step * (n + 1)]));
const full = (changes: Partial<AppClaim>) => {
  const claim = offer(changes);
  const { policyholder, coverages } = claim;
  return {
    ...{ ...claim, contact_date: '2026-08-29', inspection_date: '2026-08-30' },
    policyholder: { ...policyholder, alternate_phone: '312-555-0177' },
    mortgagee: { ...claim.mortgagee, first_name: 'Lee' },
    coverages: { ...coverages, ...numbered(AMOUNTS.split(' '), 1000) },
    estimate: {
      ...claim.estimate,
      ...numbered(
        BASIS_POINTS.map((name) => `${name}_rate`),
        0.01,
      ),
    },
  };
};
const reef = { id: 'firm-2', name: 'Reef' };
const small = (id: string, changes: object = {}) => ({
  ...offer({ id, claim_number: id.toUpperCase(), firm: reef }),
  ...{
    building: undefined,
    coverages: undefined,
    estimate: undefined,
    instructions: undefined,
    agent: undefined,
  },
  ...{
    mortgagee: undefined,
    additional_contacts: undefined,
    file_number: undefined,
    contact_date: undefined,
  },
  ...{ reported_date: undefined, inspection_date: undefined, loss: { date: '2026-08-27', peril: 'flood' } },
  policyholder: { first_name: 'Ana', last_name: id, phone: '352-555-0199' },
  policy: { number: 'P-1', effective_date: '2026-03-14' },
  loss_location: { street: 'PO Box 7', street2: 'Unit 2', city: 'Cedar Key', state: 'FL', zip: '32625' },
  ...changes,
});
const elm = { street: '1 Elm St', city: 'Nowhere', state: 'FL', zip: '00001' };
const accepted = (responded_at: string) => ({ ...ownClaim(responded_at) }).assignment;

const state = {
  profile: null as object | null,
  offers: [full({ id: 'o1' })] as object[],
  accepted: [] as object[],
  closed: [] as object[],
  invitations: [] as object[],
};
const list = (data: readonly object[]) => ({ data, next_cursor: null });
const refusal = (status: number, code: string, more = {}) => ({ status, code, ...more });
const invalid = (field: string) =>
  refusal(422, 'validation_failed', { errors: [{ pointer: `/${field}`, detail: 'x' }] });
type Responding = (body: Record<string, unknown>, query: URLSearchParams) => unknown;
/** By `METHOD path`; a number is a status without a body. */
const responses: Record<string, unknown> = {
  'GET v1/me': () => state.profile ?? refusal(401, 'invalid_session'),
  'GET v1/claims': (_: object, query: URLSearchParams) => {
    if (state.profile === null) return refusal(401, 'invalid_session');
    const status = query.get('status');
    const data = status === 'accepted' ? state.accepted : status === 'closed' ? state.closed : state.offers;
    return { ...list(data), ids: data.map((claim) => Object(claim).id) };
  },
  'GET v1/invitations': () => list(state.invitations),
  'GET v1/deadlines': list([]),
  'GET /status': { support: 'help@example.com' },
};
const files: Record<string, Uint8Array> = {
  'zip-places.bin': encodeZipPlaces([
    { zip: 33931, latitude: 26.45, longitude: -81.94 },
    { zip: 32625, latitude: 29.14, longitude: -83.05 },
  ]),
  'outlines.bin': encodeOutlines({ land: [], states: [], counties: [] }),
};
/** By the service's clock. */
let headers: HeadersInit = {};
let sent: string[] = [];
/** Buttons that take no tap while a request is under way. */
const busy = new Set<string>();
async function fetch(url: string, { method = 'GET', body }: RequestInit = {}): Promise<Response> {
  const file = files[url];
  if (file !== undefined) return new Response(file.slice());
  const [path, query] = url.replace('/app/', '').split('?');
  const name = `${method} ${path}`;
  if (method !== 'GET') sent.push([name, body].filter(Boolean).join(' '));
  const found = responses[name] ?? refusal(404, 'not_found');
  const given =
    typeof found === 'function'
      ? (found as Responding)(JSON.parse(String(body ?? '{}')), new URLSearchParams(query))
      : found;
  const { status = 200 } = Object(given);
  await new Promise((resolve) => setImmediate(resolve));
  for (const one of page.shows('[aria-busy=true], .switch[disabled]'))
    if (one.startsWith('button')) busy.add(one);
  return typeof given === 'number'
    ? new Response(null, { status: given, headers })
    : Response.json(given, { status: typeof status === 'number' ? status : 200, headers });
}
const bytes = (text: string) => new TextEncoder().encode(text).buffer;
const credential = (response: object) => ({
  ...{ id: 'id', rawId: bytes('raw'), type: 'public-key', getClientExtensionResults: () => ({}) },
  response: { clientDataJSON: bytes('client'), ...response },
});
const credentials = {
  get: jest.fn(async (_: object): Promise<object> => Promise.reject(new DOMException('', 'NotAllowedError'))),
  create: jest.fn(
    async (_: object): Promise<object> => Promise.reject(new DOMException('', 'NotAllowedError')),
  ),
};
const getCurrentPosition = jest.fn((_: (found: object) => void, failed: (error: object) => void) =>
  failed({}),
);
const writeText = jest.fn(async (_: string) => {});
const EventSource = jest.fn((_: string) => Object.assign(new EventTarget(), { close: () => {} }));
const registration = Object.assign(new EventTarget(), { waiting: null, update: async () => {} });
const registered = jest.fn(async (..._: unknown[]) => registration);
const serviceWorker = Object.assign(new EventTarget(), {
  ...{ controller: null, ready: new Promise(() => {}), register: registered },
});
fakePage({
  ...{ fetch, EventSource, __APP_VERSION__: '0.1.0', PublicKeyCredential: class {} },
  navigator: {
    ...{ languages: ['en-US'], userAgent: 'Linux; Android 16', onLine: true, credentials },
    ...{ geolocation: { getCurrentPosition }, clipboard: { writeText }, serviceWorker },
  },
});

beforeAll(async () => {
  await loadAll(new URL('../src/', import.meta.url));
  await import('../src/main.tsx');
  await page.wait(1000);
});

/** What is seen in each test, a line for each step of it. */
const steps = readFileSync(new URL('./screens.txt', import.meta.url), 'utf8').split('\n');
let step = 0;
const begin = (name: string): void => {
  step = steps.indexOf(`# ${name}`);
};
const tokens = (text: string) => text.split('|').map((part) => part.replace(/\s+/g, ' ').trim());
/** @param values by default what is in the main part of the page */
function sees(...values: unknown[]): void {
  const seen = values.length === 0 ? page.shows('main') : values.flat(3).map(String);
  step += 1;
  const named = [...page.document.querySelectorAll('[aria-labelledby]')];
  const names = named.map((one) => one.getAttribute('aria-labelledby') ?? '');
  expect(names.filter((id) => page.document.getElementById(id) === null)).toEqual([]);
  expect(tokens(seen.join(' | '))).toEqual(tokens(steps[step] ?? ''));
}

const toasts = () => page.shows('.toast').filter((one) => !one.startsWith('button label=Close'));
/** Reports, and answers that are sent again, come at their own times. */
const requests = (about = /^(?!POST v1\/(claims|error-reports))/) =>
  sent.splice(0).filter((one) => about.test(one));

const title = () => page.document.title;
const noted = () => localStorage.getItem('sign-in-code /app');
/** What is at selectors, or is given, after an act; by default what is in the main part of the page. */
const seesAfter =
  <What>(act: (what: What) => Promise<void>) =>
  async (what: What, ...seen: (string | (() => unknown))[]): Promise<void> => {
    await act(what);
    sees(...seen.map((one) => (typeof one === 'string' ? page.shows(one) : one())));
  };
const [press, go, wait] = [seesAfter(page.press), seesAfter(page.go), seesAfter(page.wait)];
const unfold = seesAfter(async (selector: string) => {
  const details = page.document.querySelector<HTMLDetailsElement>(selector);
  if (details !== null) details.open = true;
  await page.wait(1000);
});

test('signing in says what is wrong, keeps what is typed, and sends each proof as it is', async () => {
  begin('sign-in');
  sees();
  await press('Sign in with a passkey', '.field');
  responses['POST passkey-options'] = 503;
  await press('Sign in with a passkey', '.field-error', toasts);
  responses['POST passkey-options'] = { options: { challenge: 'AAAA' } };
  await press('Sign in with a passkey', '.field-error', () => credentials.get.mock.calls.length);
  responses['POST sign-in-codes'] = 503;
  await page.type('Your email', ' jean@example.com ');
  await press('Email me a code', '.field-error', toasts);
  responses['POST sign-in-codes'] = 202;
  await press('Email me a code', requests, title, page.focused);
  sees();
  const errors = [];
  for (const code of ['code_not_requested', 'passkey_required', 'invalid_code']) {
    responses['POST session'] = refusal(403, code);
    await page.type('Six-digit code', ' 12 34-56');
    await page.press('Sign in');
    errors.push(...page.shows('.field-error'));
  }
  sees(errors, requests().at(-1));
  await press('Send a new code', '.field-error', () => page.find('Six-digit code').value, noted);
  await press('Use another email', () => page.find('Your email').value, noted, requests);
  await press('Sign in with a test account');
  await page.type('SVCID of the test account', ' test_1_manual ');
  await page.type('Sign-in secret', 'tst_1');
  await press('Sign in', '.field-error', requests);
  responses['POST session'] = 503;
  await press('Sign in', '.field-error', toasts);
  await page.press('Sign in by email');
  await page.go('#/help');
  sees(page.shows('main a'), page.shows('main p').length);
  await page.go('#/');
  await page.type('Your email', 'jean@example.com');
  await page.press('Email me a code');
  state.profile = {
    ...PROFILE,
    firms: [
      {
        firm_id: 'firm-1',
        firm_name: 'Gulf Adjusting Partners',
        can_accept_claims: true,
        accepting_assignments: true,
      },
      { firm_id: 'firm-2', firm_name: 'Reef', can_accept_claims: false, accepting_assignments: false },
    ],
    availability: {
      accepting_assignments: true,
      away: [
        { first_day: '2026-08-30', last_day: '2026-09-03', time_zone: 'America/Chicago' },
        { first_day: '2026-12-24', last_day: '2026-12-24', time_zone: 'America/Chicago' },
      ],
      max_open_offers: 7,
      work_zip: '33901',
    },
  };
  state.invitations = [
    {
      ...{
        firm_id: 'firm-3',
        firm_name: 'Delta',
        invited_as: 'Jean D',
        invited_at: '2026-08-30T13:00:00.000Z',
      },
      ...{ expires_at: '2026-09-06T13:00:00.000Z', missing_profile_fields: ['first_name', 'email', 'other'] },
    },
  ];
  responses['POST session'] = { status: 201, expires_at: 'x' };
  await page.type('Six-digit code', '123456');
  await page.press('Sign in');
  await wait(2000, requests, title, noted);
});

const hour = (hours: number) =>
  new Date(Date.parse('2026-09-01T15:00:00Z') + hours * 3_600_000).toISOString();

test('the offers show what an adjuster decides by, how long each waits, and why there may be none', async () => {
  begin('offers');
  sees();
  sees(page.shows('.menu'));
  const depths = { exterior_water_depth_inches: 5, interior_water_depth_inches: 0 };
  state.offers = [
    ...state.offers,
    small('o2', {
      respond_by: hour(30.5),
      test: true,
      ...{ loss: { ...small('').loss, ...depths, cause: 'meteor' }, coverages: { building_limit: 0 } },
    }),
    small('o3', {
      ...{ respond_by: hour(-1), coverages: { contents_limit: 2000 }, building: { flood_zone: 'X' } },
      loss: { ...small('').loss, exterior_water_depth_inches: 7 },
    }),
    small('o4', {
      policyholder: { company_name: 'Bay LLC', phone: '1' },
      offered_at: '2026-09-01T15:01:00.000Z',
    }),
  ];
  state.invitations.push({
    ...state.invitations[0],
    firm_id: 'firm-4',
    firm_name: 'Oyster',
    invited_as: null,
    missing_profile_fields: [],
  });
  await wait(57_000);
  await go('#/claims/o4', 'main .pill, .details > :first-child p');
  await page.go('#/');
  await press('Search, sort', '.toolbar');
  await page.choose('Group by', 'By firm');
  sees(page.shows('main h2'));
  await page.choose('Sort by', 'Nearest');
  sees(page.shows('dialog'));
  await press('Use my location', '.field-error');
  await page.type('ZIP code', '99999');
  await press('Use ZIP code', '.field-error');
  await page.type('ZIP code', '32625');
  await page.press('Use ZIP code');
  await page.choose('Sort by', 'Nearest');
  sees(
    page.shows('dialog'),
    page.shows('.toolbar'),
    page.shows('.group').filter((one) => /^h2|≈/.test(one)),
  );
  await page.type('Search offers', 'bay');
  sees(page.shows('main h2'), page.shows('.group a'));
  await page.press('Select');
  await press('Select all', '.action-bar');
  await page.press('Cancel selection');
  await page.type('Search offers', 'nobody');
  sees(page.shows('main .muted'));
  // A search shows its field also after another screen.
  for (const hash of ['#/firms', '#/']) await page.go(hash);
  await page.choose('Group by', 'No groups');
  await page.choose('Sort by', 'Waiting longest');
  await page.type('Search offers', '');
});

test('an offer shows what it is decided by, and no way to reach people; a rejection is confirmed and can be undone', async () => {
  begin('offer');
  await go('#/claims/o2');
  await page.press('Reject');
  await page.press('Too far away');
  await page.type('In your own words', ' far ');
  sees(page.shows('dialog'));
  await press('Too far away', 'dialog button, dialog textarea');
  await page.press('Reject');
  sees(
    toasts(),
    page.shows('.action-bar'),
    [...(page.document.getElementById('app')?.children ?? [])].map((one) => one.className),
  );
  await page.wait(1000);
  await press('Undo', toasts, '.action-bar', () => requests(/./));
  await unfold('.summary-related', '.summary-related');
  await go('#/claims/o1');
});

test('several offers are answered together, and what waits for the network or had no effect is said', async () => {
  begin('answers');
  await page.go('#/');
  await press('Select', '.tools, .action-bar', () => page.document.querySelector('#app > *')?.className);
  await page.tick(/o2/);
  await page.press('Select all');
  await page.tick(/o3/);
  sees(
    page.shows('input').map((one) => one.endsWith('checked')),
    page.shows('.action-bar'),
  );
  await press('Reject 3', 'dialog h2, dialog p');
  await page.press('Cancel');
  await press('Accept 3', 'dialog');
  responses['POST v1/claims/o1/acceptance'] = 503;
  responses['POST v1/claims/o2/acceptance'] = { ...state.offers[1], assignment: accepted(hour(0)) };
  responses['POST v1/claims/o4/acceptance'] = refusal(409, 'claim_not_offered', { detail: 'Gone.' });
  await press('Accept 3', toasts, '.tools');
  await wait(6000, toasts, '.queued-answers', '.outcomes');
  sees([...new Set(requests(/./))]);
  state.offers = [state.offers[0] ?? {}, state.offers[2] ?? {}];
  await press('Dismiss', toasts, '.queued-answers', '.outcomes');
  await go('#/claims/o1', '.action-bar');
});

test('the claims show what is due next, in that order also by entries that are not sent yet, or when they were closed where the adjuster is; and what was removed or is of another shape', async () => {
  begin('claims');
  const visited = { work: { version: 'v1', contact_date: '2026-08-30', inspection_date: '2026-08-30' } };
  state.accepted = [
    small('a1', { assignment: accepted(hour(-335)), ...visited }),
    small('a2', {
      assignment: accepted(hour(-20.5)),
      policyholder: { first_name: 'Ana', last_name: 'a2', phone: 'none', alternate_phone: '352-555-0188' },
    }),
    small('a3', {
      assignment: accepted(hour(-26.5)),
      policyholder: { first_name: 'Ann', company_name: 'Bay', phone: 'none', email: 'a+b@c.de' },
    }),
    {
      ...full({ id: 'a4', offered_at: hour(-72) }),
      assignment: accepted(hour(-70)),
      work: {
        version: 'v1',
        inspection_date: '2026-08-30',
        preliminary_report_date: '2026-08-31',
        proof_of_loss_date: '2026-08-31',
      },
    },
  ];
  state.closed = [
    small('c1', {
      assignment: accepted(hour(-36)),
      ...{ closed_at: '2026-08-31T03:00:00.000Z', instructions: 'Call first.' },
      building: { flood_zone: 'V', first_floor_height_inches: 5 },
      ...{ policy: { number: 'P-1', expiration_date: '2027-03-14' }, additional_contacts: [] },
      work: {
        ...{ version: 'v1', notes: 'Roof', planned_visit_date: '2026-08-31', planned_visit_time: '14:45' },
        contacts: [{ id: 'x', at: hour(-9), result: 'inspected', note: 'Wet' }],
      },
    }),
  ];
  await page.go('#/claims');
  await wait(60_000);
  await go('#/claims/closed');
  await go('#/claims/c1');
  await go('#/claims/a3');
  await unfold('.record', () => page.shows('.details').slice(0, 6));
  await press('Skip to content', page.focused);
  await go('#/claims/a2', '.contact-links');
  await go('#/claims/a4', '.contact-links');
  await press(/^Call/, '[aria-labelledby=called]');
  await page.press('No answer');
  const field = 'Policyholder contacted on';
  await press('Undo the last entry', '.contacts li', toasts, () => page.find(field).value);
  await page.press(/^Call/);
  page.happens(page.document.querySelector('#called + .chips .chip:nth-child(3)') ?? page.body, 'click');
  await press('Note', page.focused, '.contacts li', '[aria-labelledby=called]');
  await page.type('Note for the next entry', ' Gate ');
  const undo = () => page.find('Undo the last entry').style.visibility;
  await press('Left message', '.contacts li, .contacts input', undo);
  await press('Undo the last entry', '.contacts li, .contacts input', undo);
  await page.type('Note for the next entry', 'x'.repeat(501));
  // After the one before it was sent, which says something, too.
  await page.wait(1000);
  await press('No answer', toasts);
  await page.type('Note for the next entry', '');
  await page.press('Inspected');
  await page.wait(6000);
  await press('Undo the last entry', toasts);
  await unfold('.record', '.details');
  await page.go('#/claims/a3');
  // Not sent while it can be undone: the order is by what the rows show.
  await page.press('Talked to policyholder');
  await go('#/claims', '.claim-row .strong');
  const contacts = Array.from({ length: 200 }, (_, n) => ({ id: `${n}`, at: hour(-9), result: 'no_answer' }));
  const late = small('a6', { assignment: accepted(hour(-20)), work: { version: 'v1', contacts } });
  state.accepted.push(late);
  await page.wait(57_000);
  await page.go('#/claims/a6');
  await press('No answer', toasts);
  await page.type('Notes', 'Typed before it was closed');
  const elsewhere = { version: 'v2', notes: 'Gate code 4411.', inspection_date: '2026-08-31' };
  state.accepted.splice(-1, 1, { ...late, work: elsewhere });
  await page.wait(60_000);
  sees(
    ['Notes', 'Property inspected on'].map((name) => page.find(name).value),
    page.shows('main .note'),
  );
  responses['PATCH v1/claims/a6/work'] = ({ notes }: Record<string, unknown>) =>
    Object.assign({}, late, { work: { ...elsewhere, version: 'v3', notes } });
  await press('Save', toasts, 'main .note');
  await page.type('Notes', 'Typed before it was closed');
  responses['PATCH v1/claims/a6/work'] = refusal(409, 'not_accepted');
  await press('Save', toasts);
  state.accepted.pop();
  state.closed.push({ ...late, closed_at: hour(0) });
  await page.wait(60_000);
  await page.go('#/claims/closed');
  await go('#/claims/a6', 'main .note');
  state.closed.pop();
  await page.go('#/claims/a3');
  await press('Today: Property inspected on', 'main .spread .button, main .spread .muted');
  const saved = (work: object) => ({ ...Object(state.accepted[2]), work: { version: 'v2', ...work } });
  responses['PATCH v1/claims/a3/work'] = saved;
  await press('Save', toasts, () => requests(/a3/).at(-1));
  await page.type('Notes', 'Dry');
  await press('Close claim', 'dialog');
  responses['POST v1/claims/a3/closure'] = { ...saved({}), closed_at: hour(0) };
  await press('Close claim', toasts, () => [...requests(/a3/), page.location.hash]);
  await go('#/claims/none');
  responses['GET v1/claims/-'] = invalid('id');
  await go('#/claims/-', 'main h2');
  for (const response of [503, { ...late, id: 'a8', closed_at: hour(0), work: { version: 'v1' } }]) {
    responses['GET v1/claims/a8'] = response;
    await page.go('#/claims/a8');
    await page.wait(60_000);
    sees(page.shows('main').slice(0, 6));
  }
  responses['GET v1/claims/a9'] = small('a9', { closed_at: hour(0) });
  await go('#/claims/a9', () => page.shows('main').slice(0, 8), '.action-bar');
  const zones = [];
  for (const flood_zone of ['B1', 'C', 'X', 'D', 'N']) {
    const id = `z${flood_zone}`;
    const closed = { assignment: accepted(hour(0)), closed_at: hour(0) };
    const building = { flood_zone, first_floor_height_feet: 2 };
    const work = { contacts: contacts.slice(199) };
    responses[`GET v1/claims/${id}`] = small(id, { ...closed, building, work });
    await page.go(`#/claims/${id}`);
    zones.push(...page.shows('dd, h3').filter((one) => one.match(`^(h3|dd (24|${flood_zone}))`)));
  }
  sees(zones);
  responses['GET v1/claims/none'] = { ...small('none'), external_id: 'x', loss: {} };
  await page.go('#/claims/c1');
  await go('#/claims/none');
  await page.go('#/');
  state.offers = [...state.offers, { ...small('o9'), loss: {} }];
  await wait(60_000, '.note.warning');
  await go('#/claims', '.note.warning');
  state.offers.pop();
  await page.wait(60_000);
  sent = [];
});

test('the history shows what became of each offer, and each time of its receipt', async () => {
  begin('history');
  const rejected = small('o6', { claim_number: 'O/6 1' });
  state.offers.push(rejected);
  await page.wait(60_000);
  await go('#/claims/o6', '.summary-related');
  await page.press('Reject');
  await page.press('Too far away');
  await page.type('In your own words', ' Ice ');
  responses['POST v1/claims/o6/rejection'] = { ...rejected, assignment: { status: 'rejected' } };
  await page.press('Reject');
  state.offers.pop();
  await wait(6000, 'main h1, main h2');
  await page.go('#/history');
  await wait(1000);
  const at = (minute: number) => `2026-08-29T15:0${minute}:00.000Z`;
  const answered = { at: at(3), device_at: at(4), kept_offline_since: at(5) };
  const said = {
    ...{ offered_at: at(1), first_seen_at: at(2), status: 'accepted', answered },
    clocks: { first_contact: { device_at: at(6) }, inspection: { device_at: at(7) } },
    ...{ decided_by: { rule: 'offered_again' }, audit: { seq: 8, hash: '0123456789abcdef' } },
  };
  const opened = async (receipt: object, id: string, number: string) => {
    const payload = Buffer.from(JSON.stringify(receipt)).toString('base64url');
    responses[`GET v1/claims/${id}/receipt`] = (_: object, query: URLSearchParams) => {
      sent.push(`${query}`);
      return { receipt: `x.${payload}.x` };
    };
    await page.press(`Receipt: ${number}`);
    const seen = page.shows('dialog');
    const share = jest.fn(async (_: { readonly files: readonly File[] }) => {});
    Object.assign(navigator, { share, canShare: () => true });
    await page.press('Share or save');
    const [file] = share.mock.calls[0]?.[0].files ?? [];
    seen.push(`${file?.name}: ${await file?.text()}`.replace(payload, '…'));
    await page.press('Close');
    return seen;
  };
  sees(await opened(said, 'o2', 'O2'));
  const late = {
    ...said,
    answered: null,
    late_answer: answered,
    decided_by: { rule: 'new' },
    audit: null,
    clocks: null,
  };
  sees(await opened(late, 'o6', 'O/6 1'), requests());
  const ended = small('o5');
  state.offers.push(ended);
  await page.wait(60_000);
  await page.go('#/claims/o5');
  const rule = { decided_by: { rule: 'withdrawn_by_firm' } };
  responses['GET v1/claims/o5/receipt'] = { receipt: `x.${btoa(JSON.stringify(rule))}.x` };
  state.offers.pop();
  await wait(60_000);
  delete responses['GET v1/claims/o5/receipt'];
  await wait(60_000, 'main p');
  sent = [];
});

test('an invitation is accepted with what the profile misses, or declined, and an end of it is said', async () => {
  begin('invitation');
  await go('#/invitations/firm-3');
  await page.type('First name', ' Jeanne ');
  responses['PATCH v1/me'] = invalid('email');
  await press('Save and join', '.field-error', requests);
  responses['PATCH v1/me'] = () => ({ ...state.profile });
  responses['POST v1/invitations/firm-3/acceptance'] = () => state.invitations.shift();
  await press('Save and join', requests, toasts, () => page.location.hash, 'main a[href*=invitations]');
  await go('#/firms', 'main a[href*=invitations]');
  await go('#/invitations/firm-4', 'main p, main button, main h1');
  responses['POST v1/invitations/firm-4/acceptance'] = () => {
    Object.assign(state.invitations[0] ?? {}, { missing_profile_fields: ['last_name'] });
    return refusal(409, 'profile_incomplete');
  };
  await press('Join', toasts, 'main input, main button');
  responses['POST v1/invitations/firm-4/decline'] = 503;
  await press('Decline', toasts);
  const declined = { status: 'declined', responded_at: '' };
  responses['POST v1/invitations/firm-4/decline'] = { ...state.invitations[0], ...declined };
  await press('Decline', toasts, () => page.location.hash);
  await page.go('#/invitations/firm-4');
  responses['POST v1/invitations/firm-4/decline'] = () => {
    state.invitations = [];
    return refusal(404, 'not_found');
  };
  await press('Decline', requests, 'main');
});

test('firms are paused and left, see what is turned on, and days away and limits are changed', async () => {
  begin('firms');
  await go('#/firms');
  await press('Copy', () => writeText.mock.calls, toasts);
  responses['PATCH v1/firms/firm-1/membership'] = 503;
  await page.press('Receive new offers: Gulf Adjusting Partners');
  responses['PATCH v1/firms/firm-2/membership'] = { firm_id: 'firm-2', firm_name: 'Reef' };
  await press('Receive new offers: Reef', requests, toasts);
  await press('What this firm sees of you', 'dialog');
  let shared: object = { clocks: true, credentials: false, work_area: false };
  responses['GET v1/firms/firm-2/sharing'] = () => shared;
  responses['PUT v1/firms/firm-2/sharing'] = (body: object) => {
    shared = { ...shared, ...body };
    return shared;
  };
  await press('Try again', 'dialog');
  await page.press('My FCN and licenses');
  await press('When I reached the policyholder and inspected', requests, 'dialog .switch');
  await page.press('Done');
  await press('Leave this firm', 'dialog');
  responses['DELETE v1/firms/firm-2/membership'] = 204;
  await press('Leave', requests, toasts, 'dialog');
  const availability = () => ({ ...Object(state.profile).availability });
  responses['PATCH v1/me/availability'] = (changes: object) => {
    state.profile = { ...state.profile, availability: { ...availability(), ...changes } };
    return availability();
  };
  await page.press('Pause all firms');
  await page.choose('Most open offers at once', 'No limit');
  await page.choose('Most open offers at once', '5');
  await page.type('ZIP code where you work', ' 33931 ');
  sees(page.shows('main button').filter((one) => one.includes('Save')));
  await page.press('Save');
  await page.type('ZIP code where you work', '');
  await page.press('Save');
  await page.type('First day', '2026-09-10');
  await page.type('Last day', '2026-09-09');
  await press('Add', '.field-error');
  await page.type('Last day', '2026-09-12');
  await press('Add', '.stack .spread, .field-error, .columns.narrow input');
  await press('Remove Aug 30, 2026 to Sep 3, 2026', requests);
  responses['PATCH v1/me/availability'] = 503;
  await press('Pause all firms', 'section[aria-labelledby=availability] .note');
  responses['PATCH v1/me/availability'] = (changes: object) => ({ ...availability(), ...changes });
  await press('Send now', requests, '.note');
  await page.go('#/');
  const none = { accepting_assignments: true, away: [], max_open_offers: null, work_zip: '32625' };
  for (const more of [{ accepting_assignments: false }, none, { max_open_offers: 1 }]) {
    state.profile = { ...state.profile, availability: { ...availability(), ...more } };
    await wait(60_000, '.note.neutral');
  }
  await go('#/firms', () => page.find('ZIP code where you work').value);
});

test('the settings change the account, confirm an address, name devices, and end the session after a question', async () => {
  begin('settings');
  await go('#/settings');
  await page.press('Change');
  await page.type('Last name', 'Typed');
  await page.press('Cancel');
  await press('Change', () => page.shows('form').slice(0, 6));
  await page.type('First name', ' ');
  await page.type('Last name', ' De la Croix ');
  await page.type('Email', 'new@example.com');
  responses['PATCH v1/me'] = 503;
  await press('Save', toasts);
  responses['PATCH v1/me'] = invalid('email');
  await press('Save', '.field-error', requests);
  const changed = ({ email: _, ...changes }: Record<string, unknown>) =>
    (state.profile = { ...state.profile, ...changes });
  responses['PATCH v1/me'] = changed;
  await press('Save', () => page.shows('form, main dd').slice(0, 9));
  // As after a reload: the code is in a mail.
  await page.go('#/');
  await go('#/settings', () => page.shows('form').slice(0, 6));
  await page.press('Send a new code');
  responses['POST v1/me/email-confirmation'] = invalid('code');
  await page.type('Six-digit code', '12 34 56 ');
  await press('Confirm address', '.field-error', requests);
  responses['PATCH v1/me'] = 503;
  await press('Send a new code', 'main form .field-error', toasts);
  responses['PATCH v1/me'] = changed;
  responses['POST v1/me/email-confirmation'] = () => {
    state.profile = { ...state.profile, email: 'new@example.com' };
    return state.profile;
  };
  await press('Confirm address', 'main form .field-error, main dd', toasts, requests);
  await page.press('Change');
  await page.type('Email', 'other@example.com');
  await page.press('Save');
  await press('Cancel', 'main form', requests);
  const prompt = jest.fn(async () => ({ outcome: 'dismissed' }));
  page.window.dispatchEvent(Object.assign(new page.window.Event('beforeinstallprompt'), { prompt }));
  await page.wait(1000);
  await press('Install', () => prompt.mock.calls.length);
  await page.choose('Display', 'Dark');
  await page.choose('Time to undo an answer', '10 seconds');
  await page.choose('Language', 'Español');
  await go('#/history', '.pill, .line.muted', () => page.document.documentElement.lang);
  await page.go('#/settings');
  await page.choose('Idioma', 'English');
  sees(
    localStorage.getItem('preferences'),
    localStorage.getItem('language'),
    page.document.documentElement.dataset.scheme,
  );
  await page.choose('Language', 'Same as device');
  sees(page.find('Language', 'select').value, String(localStorage.getItem('language')));
  responses['GET v1/passkeys'] = list([
    { id: 'p1', name: 'iPhone', last_used_at: hour(-24) },
    { id: 'p2', name: 'Key', last_used_at: null },
  ]);
  await page.go('#/');
  await go('#/settings', 'main .stack');
  await page.press('Rename iPhone');
  await page.type('Name of the passkey', ' Phone ');
  responses['PATCH v1/passkeys/p1'] = { id: 'p1', name: 'Phone' };
  sees(page.shows('dialog'));
  await press('Save', requests, toasts, 'dialog');
  await press('Remove Key', 'dialog');
  responses['DELETE v1/passkeys/p2'] = refusal(403, 'passkey_required');
  await press('Remove Key', toasts, 'dialog');
  responses['DELETE v1/passkeys/p2'] = 204;
  await page.press('Remove Key');
  await press('Remove Key', requests, toasts);
  responses['POST v1/passkeys/options'] = { options: { challenge: 'AAAA', user: { id: 'AAAA' } } };
  await press('Add a passkey', toasts);
  const attested = { attestationObject: bytes('attested'), getTransports: () => ['usb'] };
  credentials.create.mockResolvedValueOnce(credential(attested));
  responses['POST v1/passkeys'] = { status: 201, id: 'p3', name: 'x' };
  await page.type('Name of the passkey', ' ');
  await press('Add a passkey', toasts, requests);
});

test('notifications are turned on and off where the browser allows it, and a test one is sent once in ten seconds', async () => {
  begin('notifications');
  const card = '#main > section:nth-of-type(3)';
  Object.assign(navigator, { userAgent: 'iPhone' });
  await go('#/', '.suggestion');
  await go('#/settings', card);
  Object.assign(navigator, { userAgent: 'Linux; Android 16' });
  let held: object | null = null;
  const unsubscribe = async () => (held = null);
  const [endpoint, options] = ['https://push.example/1', { applicationServerKey: bytes('key') }];
  const toJSON = () => ({ endpoint, keys: { p256dh: 'p', auth: 'a' } });
  const subscribe = async () => (held = { endpoint, options, toJSON, unsubscribe });
  const pushManager = { getSubscription: async () => held, subscribe: jest.fn(subscribe) };
  const asked = { permission: 'denied', requestPermission: async () => 'granted' };
  Object.assign(globalThis, { PushManager: Object, Notification: asked });
  const ready = Promise.resolve({ pushManager });
  Object.assign(navigator, { serviceWorker: { ready, getRegistration: () => ready } });
  await page.go('#/');
  await go('#/settings', card);
  asked.permission = 'granted';
  page.happens(page.document, 'visibilitychange');
  await wait(1000, card);
  await go('#/', '.suggestion');
  await press('Turn on', toasts, '.suggestion');
  await press('Not now', '.suggestion');
  await go('#/settings', card);
  await press('Turn on', toasts);
  responses['GET push-key'] = { key: 'a2V5' };
  pushManager.subscribe.mockRejectedValueOnce(new DOMException('', 'AbortError'));
  await press('Turn on', toasts);
  jest.spyOn(crypto, 'randomUUID').mockReturnValueOnce('0-0-0-0-0');
  const device = 'v1/devices/0-0-0-0-0';
  responses[`GET ${device}`] = { device_id: '0-0-0-0-0', endpoint };
  for (const name of [`PUT ${device}`, `PUT ${device}/preferences`, `DELETE ${device}`])
    responses[name] = 204;
  await press('Turn on', card, requests);
  const send = 'Send me a test notification';
  responses[`POST ${device}/test-notification`] = 202;
  await press(send, card);
  await page.wait(8000);
  await page.press(send);
  responses[`POST ${device}/test-notification`] = 429;
  await press(send, toasts, requests);
  await press('Quiet hours', card, requests);
  for (const time of ['', '20:45']) await page.type('From', time, 'change');
  await page.type('Until', '07:15', 'change');
  await press('Remind me of due dates', card, requests);
  responses[`PUT ${device}/preferences`] = 503;
  await press('Quiet hours', `${card} .note`);
  responses[`PUT ${device}/preferences`] = 204;
  await press('Send now', requests, `${card} .note`);
  held = null;
  await go('#/', '.suggestion');
  pushManager.subscribe.mockRejectedValueOnce(new DOMException('', 'AbortError'));
  await press('Turn on', toasts, '.suggestion button');
  await press('Turn on', toasts, '.suggestion');
  held = null;
  await go('#/settings', () => page.document.querySelector(`${card} .note`)?.textContent);
  await press('Turn off', card, requests);
  await go('#/', '.suggestion');
  const looks = jest.fn(() => ready);
  Object.assign(navigator.serviceWorker, { getRegistration: looks });
  page.happens(page.document, 'visibilitychange');
  await wait(1000, () => looks.mock.calls.length);
});

test('credentials are kept as they are typed, and replace those of another device after a word', async () => {
  begin('credentials');
  responses['GET v1/me/credentials'] = 503;
  // Between two readings of the lists, which would say that all is well.
  await page.wait(5000);
  await page.go('#/credentials');
  const banner = () => page.document.querySelector('.network')?.textContent;
  sees(page.shows('main'), banner());
  page.happens(page.window, 'offline');
  await wait(100, banner);
  responses['GET v1/me/credentials'] = {
    version: 'v1',
    fcn: { number: '0070012345', categories: ['residential', 'other'], expires_on: '2026-09-02' },
    licenses: [
      { state: 'FL', kind: 'non_resident', number: 'W1', expires_on: '2026-08-31' },
      { state: 'GA', kind: 'other', number: 'W3', expires_on: '2027-04-30' },
      { state: 'XX', kind: 'resident', number: 'W2', expires_on: '2027-04-30' },
    ],
  };
  await press('Try again', () => page.shows('main').filter((one) => !/^option [A-Z]{2}$/.test(one)));
  await page.press('Residential (dwelling)');
  await page.press('Condominium (RCBAP)');
  await page.press('Add a license');
  await page.choose('State', 'GA');
  await page.choose('Kind', 'Emergency');
  await page.type('Number', 'E5');
  await page.type('Last day', '2027-01-31');
  await press('Remove license 1', 'main [role=status]');
  responses['PUT v1/me/credentials'] = refusal(409, 'credentials_changed');
  responses['GET v1/me/credentials'] = { version: 'v2', licenses: [] };
  await press('Save', '.note', 'main section h2');
  responses['PUT v1/me/credentials'] = 503;
  await press('Save', toasts);
  responses['PUT v1/me/credentials'] = { version: 'v3', licenses: [] };
  await press('Save', requests, 'main section h2', toasts);
  await page.press('Add a license');
  const ends: string[] = [];
  for (const day of ['2026-11-01', '2026-10-31', '2026-09-01']) {
    await page.type('Last day', day);
    ends.push(...page.shows('main section p.strong'));
  }
  sees(ends);
  responses['PUT v1/me/credentials'] = refusal(409, 'credentials_changed');
  await page.type('Number', 'E6');
  await page.press('Save');
  await press('Take what is saved', 'main section h2');
  responses['PUT v1/me/credentials'] = { version: 'v3', licenses: [] };
  await page.press('Add a license');
  await press('Cancel', 'main input');
  await page.type('Number', 'F1');
  await page.type('Last day', '2028-01-31');
  await press('Save', requests, 'main section h2');
});

test('the map has a marker for claims at a place, and a route to those that are chosen, the nearest first', async () => {
  begin('map');
  state.accepted.push(small('a5', { assignment: accepted(hour(-20)), loss_location: elm }));
  await page.go('#/');
  await page.wait(60_000);
  await page.go('#/map');
  await page.wait(1000);
  page.observe();
  await wait(1000);
  for (const zoom of ['Zoom in', 'Show all', 'Zoom out', 'Zoom out', 'Zoom out', 'Show all'])
    await press(zoom, '.marker, .map-town');
  await page.press('Marisol Delgado');
  await page.press('Add to route');
  await press(/near Cedar Key/, '.marker', () => page.shows('.claim-row').slice(0, 12));
  await page.press('Add to route');
  await page.press('Show');
  await press('Add to route', '[aria-labelledby=stops]', '.action-bar', '.claim-row button');
  await press(/^Remove from route: Ana a5/, '[aria-labelledby=stops] a, .action-bar');
  await press('From 32625', 'dialog');
  await press('Remove location', 'dialog', '.tools', '[aria-labelledby=stops] a');
  const coords = { latitude: 29.14, longitude: -83.05 };
  getCurrentPosition.mockImplementationOnce((found) => found({ coords }));
  await page.press('Set your location');
  await press('Use my location', 'dialog', '.tools', '[aria-labelledby=stops] a');
  const elms = Array.from({ length: 9 }, (_, n) => Object.assign(small(`e${n}`), { loss_location: elm }));
  state.offers.push(...elms);
  await page.wait(60_000);
  await page.press('Show');
  for (const _ of elms) await page.press('Add to route');
  sees(page.shows('.action-bar, .claim-row button'), page.shows('main .muted').slice(-2));
  [state.offers, state.accepted, state.closed] = [[], [], []];
  await page.wait(60_000);
  await go('#/', '.empty-state', '.queued-answers p');
  state.profile = { ...state.profile, firms: [] };
  await page.wait(60_000);
  const open = ' firms map claims claims/closed claims/c1 invitations/x history settings credentials help';
  for (const hash of open.split(' '))
    await go(`#/${hash}`, '.empty-state, .menu [aria-current], .menu .count, main .button[href]');
  sees(page.shows('main header a'));
});

test('after a sign-out nothing is left, and a passkey signs in', async () => {
  begin('sign-out');
  await page.go('#/settings');
  for (const aheadMs of [299_000, 360_000, -86_400_000]) {
    headers = { Date: new Date(Date.now() + aheadMs).toUTCString() };
    await wait(60_000, '.network.offline');
  }
  await press('Sign out everywhere', 'dialog');
  await press('Sign out everywhere', toasts, 'dialog');
  await press('Sign out', 'dialog');
  responses['DELETE session'] = 503;
  await press('Sign out', toasts, 'dialog');
  await page.press('Sign out');
  responses['DELETE session'] = () => {
    state.profile = null;
    return 204;
  };
  await press('Sign out');
  const signed = { authenticatorData: bytes('data'), signature: bytes('signed') };
  credentials.get.mockResolvedValueOnce(credential(signed));
  responses['POST session'] = 401;
  await page.press('Sign in with a passkey');
  sees(requests(/session|passkey/), page.shows('.field-error'));
});

test('after the next sign-in a route has stops without a place, many lost answers are folded, what is changed shows at once, and a passkey is asked for', async () => {
  begin('next');
  const firm = { firm_id: 'firm-2', firm_name: 'Reef', can_accept_claims: true, accepting_assignments: true };
  state.profile = { ...PROFILE, test: true, firms: [firm] };
  const ids = ['x1', 'x2', 'x3', 'x4'];
  state.offers = ids.map((id) => small(id, { loss_location: elm }));
  for (const id of ids) {
    responses[`POST v1/claims/${id}/rejection`] = refusal(409, 'offer_not_pending');
    responses[`GET v1/claims/${id}`] = small(id, { assignment: accepted(hour(0)) });
  }
  responses['POST session'] = { status: 201, expires_at: 'x' };
  credentials.get.mockResolvedValueOnce(credential({ authenticatorData: bytes(''), signature: bytes('') }));
  await page.press('Sign in with a passkey');
  await go('#/history', '.empty-state');
  await page.go('#/map');
  await page.press('Show');
  await page.press('Add to route');
  sees(page.shows('[aria-labelledby=stops] a, .action-bar'));
  await page.go('#/');
  for (const name of ['Select', /x4/, 'Cancel selection']) await page.press(name);
  for (const name of ['Select', /x1/, /x2/, /x3/, 'Reject 3', 'Too far away', 'Reject'])
    await page.press(name);
  for (const ms of [11_000, 5000, 5000]) await page.wait(ms);
  sees(
    page.shows('.outcomes'),
    requests(/rejection/).map((one) => one.replace(/"offered_at.*?,|,"answered_at.*?"(?=})/g, '')),
  );
  await page.go('#/claims/x4');
  for (const name of ['Reject', 'Too far away', 'Reject']) await page.press(name);
  for (const ms of [11_000, 5000, 5000]) await page.wait(ms);
  await page.go('#/');
  sees(page.shows('.outcomes'));
  await page.go('#/history');
  state.offers = [];
  await wait(60_000, '.pill');
  await page.go('#/claims/x1');
  sees(page.shows('main .note'));
  await page.go('#/firms');
  responses['PATCH v1/firms/firm-2/membership'] = (changes: object) => Object.assign(firm, changes);
  await page.press('Receive new offers: Reef');
  sees(page.shows('main .switch, main select'));
  await page.go('#/settings');
  await page.press('Change');
  await page.type('Last name', 'Roy');
  await page.press('Save');
  sees(page.shows('main dd, main h2, main .card > .muted'), toasts(), requests());
  await press('Sign out', 'dialog p');
  await page.press('Cancel');
  const { 'GET v1/claims': read } = responses;
  responses['GET v1/claims'] = refusal(403, 'passkey_required');
  responses['GET v1/passkeys'] = list([]);
  await wait(60_000);
  responses['GET v1/claims'] = read;
  const made = { attestationObject: bytes(''), getTransports: () => [] };
  credentials.create.mockResolvedValueOnce(credential(made));
  await press('Add a passkey', '.menu [aria-current]', '.messages');
});

test('on its screen an offer is answered and an own claim is planned and closed, also without a network, beside its list where there is room', async () => {
  begin('acts');
  const own = { ...full({ id: 'w1' }), assignment: accepted(hour(-20)) };
  const done = small('w2', { assignment: accepted(hour(-20)), closed_at: hour(-9) });
  const { 'GET v1/claims': read } = responses;
  responses['GET v1/claims'] = 503;
  await go('#/claims/closed', 'main > p');
  responses['GET v1/claims'] = read;
  [state.offers, state.accepted, state.closed] = [['v3', 'y1', 'y2'].map((id) => small(id)), [own], [done]];
  await page.wait(60_000);
  await go('#/', '.tools');
  await go('#/claims/y1', 'main section[aria-label], main > p');
  await press('Set your location', 'dialog h2');
  page.happens(page.document.querySelector('dialog') ?? page.body, 'cancel');
  await wait(1000, 'main section[aria-label], main > p');
  await press('How far is it?', 'dialog');
  page.happens(page.document.querySelector('dialog') ?? page.body, 'cancel');
  await page.press('Reject');
  await press('Cancel', 'dialog');
  const offline = () => {
    throw new TypeError('offline');
  };
  responses['POST v1/claims/y1/acceptance'] = offline;
  await press('Accept', toasts, '.action-bar');
  await wait(11_000, toasts, '.action-bar', '.network');
  const [v3 = {}, y1, y2 = {}] = state.offers;
  state.offers = [v3, y2];
  state.accepted.push({ ...y1, assignment: accepted(hour(0)) });
  responses['POST v1/claims/y1/acceptance'] = state.accepted[1];
  await press('Send now', page.focused, '.action-bar', 'main .pill');
  await press('Next offer', () => page.location.hash);
  Object.assign(headers, { 'Retry-After': '300' });
  responses['POST v1/claims/y2/rejection'] = 503;
  await page.press('Reject');
  await page.press('Reject');
  const said = (selector: string) => () => page.document.querySelector(selector)?.textContent;
  await wait(11_000, said('.action-bar [role=status]'));
  responses['GET v1/claims/y2'] = y2;
  await press('Stop trying', toasts, '.action-bar');
  Object.assign(navigator, { onLine: false });
  await page.press('Reject');
  await page.press('Reject');
  state.offers = [y2];
  await wait(60_000, '.action-bar');
  await press('Offers', () => page.location.hash, '.queued-answers');
  Object.assign(navigator, { onLine: true });
  await press('Send now', said('.queued-answers .muted'));
  await press('Stop trying', toasts, '.queued-answers, .claim-row');
  await page.go('#/claims/w1');
  page.happens(page.find('No answer'), 'click');
  await press('No answer', '.contacts li');
  await page.press('Undo the last entry');
  await page.type('Planned visit', '2026-09-02');
  await page.type('Time of the visit', '10:30');
  await page.type('Preliminary report sent on', '2026-09-03');
  await page.type('Proof of loss sent on', '2026-09-04');
  await page.press('Clear: Preliminary report sent on');
  await press('Today: Policyholder contacted on', 'main .columns', '.deadlines');
  const share = jest.fn(async (_: { readonly files: readonly File[] }) => {});
  Object.assign(navigator, { share });
  await page.press('Add to calendar');
  const [visit] = share.mock.calls[0]?.[0].files ?? [];
  sees(visit?.name, (await visit?.text())?.split('\r\n'));
  await page.press('Close claim');
  await press('Cancel', 'dialog');
  responses['PATCH v1/claims/w1/work'] = offline;
  await press('Save', toasts, said('main .note'));
  await page.press('Close claim');
  sent = [];
  await press('Close claim', 'dialog', toasts, said('main .note'), () => requests().at(-1));
  responses['PATCH v1/claims/w1/work'] = 503;
  await press('Send now', said('main .note'));
  await press('Stop trying', toasts, 'main .note', 'main .columns input');
  await page.go('#/claims/closed');
  Object(page.window).happyDOM.setViewport({ width: 1100 });
  const split = '.menu [aria-current], .split-list [aria-current], .split-list h1, .split-claim h1';
  for (const id of ['y2', 'w1', 'none', 'w2']) await go(`#/claims/${id}`, split);
  Object(page.window).happyDOM.setViewport({ width: 1099 });
  await go('#/claims/w2', split);
  jest.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(offline);
  responses['PATCH v1/me/availability'] = offline;
  await page.go('#/firms');
  await press('Pause all firms', said('.network.offline'), said('main .note'));
  await page.type('First day', '2026-09-20');
  await press('Add', () => page.find('First day').value);
  jest.restoreAllMocks();
});

test('the app takes from the browser what happens to the page, and calls nothing saved where nothing is', async () => {
  const tell = (type: string, more = {}) =>
    page.window.dispatchEvent(Object.assign(new page.window.Event(type, { cancelable: true }), more));
  const canInstall = () => page.shows('main button').some((one) => one.endsWith(' Install'));
  await page.go('#/settings');
  const install = [tell('beforeinstallprompt'), canInstall(), tell('appinstalled')];
  tell('error', { error: Object.assign(new TypeError(), { stack: '' }) });
  tell('unhandledrejection', { reason: Object.assign(new RangeError(), { stack: '' }) });
  const register = jest.fn(async (_: string) => {});
  const showNotification = jest.fn(async (_: string, __: { readonly body: string }) => {});
  const worker = Promise.resolve({ sync: { register }, showNotification });
  Object.assign(navigator, { serviceWorker: { ready: worker, getRegistration: () => worker } });
  state.offers = [small('x5'), small('x6')];
  await page.wait(60_000);
  install.push(canInstall());
  // In any order: each is hashed first, by another thread.
  const reports = requests(/error-reports/)
    .toSorted()
    .map((one) => JSON.parse(one.slice(22)));
  responses['POST v1/claims/x5/acceptance'] = refusal(404, 'not_found');
  const fails = () => {
    throw new Error('No network, no space.');
  };
  responses['POST v1/claims/x6/acceptance'] = fails;
  const sentAs = async (value: string, id: string) => {
    Object.defineProperty(page.document, 'visibilityState', { value, configurable: true });
    await page.go(`#/claims/${id}`);
    await page.press('Accept');
    page.happens(page.document, 'visibilitychange');
    await page.wait(1000);
    return requests(/acceptance/).length;
  };
  const released = [await sentAs('hidden', 'x5'), await sentAs('visible', 'x6')];
  await page.wait(10_000);
  indexedDB.deleteDatabase('claims');
  await page.wait(1000);
  const { notifications, serviceNow, storage } = await import('../src/app.ts');
  const stored = await storage.get('profile');
  jest.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(fails);
  await page.wait(60_000);
  // Gone, and offered again in the same visit.
  await page.go('#/claims/x5');
  const again = page.shows('.action-bar button');
  const { notStored, work } = (await import('../src/all-texts.ts')).allTexts.value;
  expect({
    ...{ install, reports, released, stored: stored?.svc_id },
    clock: Math.max(Number(localStorage.getItem('clockOffsetMs')), serviceNow() - Date.now()) < -86_000_000,
    ...{
      notified: showNotification.mock.calls.map(([, { body }]) => body),
      sync: [...new Set(register.mock.calls.flat())],
    },
    ...{ again, said: [work.savedOffline, work.closesLater] },
  }).toEqual({
    ...{ install: [false, true, true, false], released: [1, 0], stored: 'SVC-1', clock: true },
    notified: ['Acceptances that did not count: 1. Open the app to see why.'],
    ...{ sync: ['answers'], said: Array(2).fill(notStored.waits) },
    reports: ['RangeError', 'TypeError'].map((error) => ({ screen: 'settings', error })),
    again: ['button.neutral Reject', 'button.primary Accept'],
  });
  jest.restoreAllMocks();
  const [waiting, installing] = [{ postMessage: jest.fn() }, new EventTarget()];
  Object.assign(registration, { waiting, installing });
  serviceWorker.dispatchEvent(new Event('controllerchange'));
  registration.dispatchEvent(new Event('updatefound'));
  installing.dispatchEvent(new Event('statechange'));
  await page.wait(1000);
  await page.press('Update');
  expect([registered.mock.calls, waiting.postMessage.mock.calls]).toEqual([
    [['/app/sw.js', { scope: '/app' }]],
    [['update']],
  ]);
  state.profile = { ...PROFILE, svc_id: 'SVC-9' };
  Object(EventSource.mock.results.at(-1)?.value).dispatchEvent(new Event('signed-out'));
  await page.wait(1000);
  expect(EventSource).toHaveBeenLastCalledWith('/app/events');
  expect(page.location.reload).toHaveBeenCalledTimes(1);
  await notifications.sendPreferences({ quietHours: null, deadlineReminders: true }).catch(() => {});
  expect(requests(/"deadline_reminders":true/)).toHaveLength(1);
  begin('busy');
  sees([...busy].sort());
  // In a browser without a database.
  jest.spyOn(indexedDB, 'open').mockImplementation(fails);
  const memory = await import(`${'../src/app.ts'}?memory`);
  const kept = [memory.isStored.value];
  await memory.storage.get('language').catch(() => {});
  expect([...kept, memory.isStored.value]).toEqual([true, false]);
  jest.restoreAllMocks();
});
