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
  return typeof given === 'number'
    ? new Response(null, { status: given })
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
fakePage({
  ...{ fetch, __APP_VERSION__: '0.1.0', PublicKeyCredential: class {} },
  navigator: {
    ...{ languages: ['en-US'], userAgent: 'Linux; Android 16', onLine: true, credentials },
    ...{ geolocation: { getCurrentPosition }, clipboard: { writeText } },
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
  expect(tokens(seen.join(' | '))).toEqual(tokens(steps[step] ?? ''));
}

async function unfold(selector: string): Promise<void> {
  const details = page.document.querySelector<HTMLDetailsElement>(selector);
  if (details !== null) details.open = true;
  await page.wait(1000);
}
const toasts = () => page.shows('.toast').filter((one) => !one.startsWith('button label=Close'));
/** Reports, and answers that are sent again, come at their own times. */
const requests = (about = /^(?!POST v1\/(claims|error-reports))/) =>
  sent.splice(0).filter((one) => about.test(one));

test('signing in says what is wrong, keeps what is typed, and sends each proof as it is', async () => {
  begin('sign-in');
  sees();
  await page.press('Sign in with a passkey');
  sees(page.shows('.field'));
  responses['POST passkey-options'] = { options: { challenge: 'AAAA' } };
  await page.press('Sign in with a passkey');
  sees(page.shows('.field-error'), credentials.get.mock.calls.length);
  responses['POST sign-in-codes'] = 503;
  await page.type('Your email', ' jean@example.com ');
  await page.press('Email me a code');
  sees(page.shows('.field-error'), toasts());
  responses['POST sign-in-codes'] = 202;
  await page.press('Email me a code');
  sees(requests(), page.document.title, page.focused());
  sees();
  const errors = [];
  for (const code of ['code_not_requested', 'passkey_required', 'invalid_code']) {
    responses['POST session'] = refusal(403, code);
    await page.type('Six-digit code', ' 12 34-56');
    await page.press('Sign in');
    errors.push(...page.shows('.field-error'));
  }
  sees(errors, requests().at(-1));
  await page.press('Send a new code');
  sees(
    page.shows('.field-error'),
    page.find('Six-digit code').value,
    localStorage.getItem('sign-in-code /app'),
  );
  await page.press('Use another email');
  sees(page.find('Your email').value, localStorage.getItem('sign-in-code /app'), requests());
  await page.press('Sign in with a test account');
  sees();
  await page.type('SVCID of the test account', ' test_1_manual ');
  await page.type('Sign-in secret', 'tst_1');
  await page.press('Sign in');
  sees(page.shows('.field-error'), requests());
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
      away: [{ first_day: '2026-08-30', last_day: '2026-09-03', time_zone: 'America/Chicago' }],
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
  await page.wait(2000);
  sees(requests(), page.document.title, localStorage.getItem('sign-in-code /app'));
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
    small('o3', { respond_by: hour(-1), coverages: { contents_limit: 2000 }, building: { flood_zone: 'X' } }),
    small('o4', { policyholder: { company_name: 'Bay LLC', phone: '1' }, offered_at: hour(0) }),
  ];
  state.invitations.push({
    ...state.invitations[0],
    firm_id: 'firm-4',
    firm_name: 'Oyster',
    invited_as: null,
  });
  await page.wait(60_000);
  sees();
  await page.press('Search, sort');
  sees(page.shows('.toolbar'));
  await page.choose('Group by', 'By firm');
  sees(page.shows('main h2'));
  await page.choose('Sort by', 'Nearest');
  sees(page.shows('dialog'));
  await page.press('Use my location');
  sees(page.shows('.field-error'));
  await page.type('ZIP code', '99999');
  await page.press('Use ZIP code');
  sees(page.shows('.field-error'));
  await page.type('ZIP code', '32625');
  await page.press('Use ZIP code');
  sees(
    page.shows('dialog'),
    page.shows('.toolbar'),
    page.shows('.group').filter((one) => /^h2|≈/.test(one)),
  );
  await page.type('Search offers', 'bay');
  sees(page.shows('main h2'), page.shows('.group a'));
  await page.type('Search offers', 'nobody');
  sees(page.shows('main .muted'));
  await page.type('Search offers', '');
  await page.choose('Group by', 'No groups');
  await page.choose('Sort by', 'Waiting longest');
});

test('an offer shows what it is decided by, and no way to reach people; a rejection is confirmed and can be undone', async () => {
  begin('offer');
  await page.go('#/claims/o2');
  sees();
  await page.press('Reject');
  await page.press('Too far away');
  await page.type('In your own words', ' far ');
  sees(page.shows('dialog'));
  await page.press('Too far away');
  sees(page.shows('dialog button, dialog textarea'));
  await page.press('Reject');
  sees(
    toasts(),
    page.shows('.action-bar'),
    [...(page.document.getElementById('app')?.children ?? [])].map((one) => one.className),
  );
  await page.wait(1000);
  await page.press('Undo');
  sees(toasts(), page.shows('.action-bar'), requests(/./));
  await unfold('.summary-related');
  sees(page.shows('.summary-related'));
  await page.go('#/claims/o1');
  sees(page.shows('.summary dd, .summary-place .strong'));
});

test('several offers are answered together, and what waits for the network or had no effect is said', async () => {
  begin('answers');
  await page.go('#/');
  await page.press('Select');
  sees(page.shows('.tools, .action-bar'));
  await page.tick(/o2/);
  await page.press('Select all');
  await page.tick(/o3/);
  sees(
    page.shows('input').map((one) => one.endsWith('checked')),
    page.shows('.action-bar'),
  );
  await page.press('Reject 3');
  sees(page.shows('dialog h2, dialog p'));
  await page.press('Cancel');
  await page.press('Accept 3');
  sees(page.shows('dialog'));
  responses['POST v1/claims/o1/acceptance'] = 503;
  responses['POST v1/claims/o2/acceptance'] = { ...state.offers[1], assignment: accepted(hour(0)) };
  responses['POST v1/claims/o4/acceptance'] = refusal(409, 'claim_not_offered', { detail: 'Gone.' });
  await page.press('Accept 3');
  sees(toasts(), page.shows('.tools'));
  await page.wait(6000);
  sees(toasts(), page.shows('.queued-answers'), page.shows('.outcomes'));
  sees([...new Set(requests(/./))]);
  state.offers = [state.offers[0] ?? {}, state.offers[2] ?? {}];
  await page.press('Dismiss');
  sees(toasts(), page.shows('.queued-answers'), page.shows('.outcomes'));
});

test('the claims show what is due next, in that order also by entries that are not sent yet, or when they were closed where the adjuster is; and what was removed or is of another shape', async () => {
  begin('claims');
  const visited = { work: { version: 'v1', contact_date: '2026-08-30', inspection_date: '2026-08-30' } };
  state.accepted = [
    small('a1', { assignment: accepted(hour(-36)), ...visited }),
    small('a2', { assignment: accepted(hour(-20.5)) }),
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
      closed_at: '2026-08-31T03:00:00.000Z',
      work: { version: 'v1', notes: 'Roof' },
    }),
  ];
  await page.go('#/claims');
  sees(page.shows('main p, main h2'));
  await page.wait(60_000);
  sees();
  await page.go('#/claims/closed');
  sees();
  await page.go('#/claims/c1');
  sees(page.shows('.screen-header'), page.shows('main h2'), page.shows('main section').slice(0, 3));
  await page.go('#/claims/a3');
  sees(page.shows('.contact-links'), page.shows('main .muted')[1], page.shows('.screen-header'));
  await page.go('#/claims/a4');
  sees(page.shows('.contact-links'));
  await page.press(/^Call/);
  sees(page.shows('[aria-labelledby=called]'));
  await page.press('No answer');
  const field = 'Policyholder contacted on';
  await page.press('Undo the last entry');
  sees(page.shows('.contacts li'), toasts(), page.find(field).value);
  await page.press(/^Call/);
  await page.press('No answer');
  await page.press('Note');
  sees(page.focused(), page.shows('.contacts li'), page.shows('[aria-labelledby=called]'));
  await unfold('.record');
  sees(page.shows('.details'));
  await page.go('#/claims/a3');
  // Not sent while it can be undone: the order is by what the rows show.
  await page.press('Talked to policyholder');
  await page.go('#/claims');
  sees(page.shows('.claim-row .strong'));
  const late = small('a6', { assignment: accepted(hour(-20)) });
  state.accepted.push(late);
  await page.wait(57_000);
  await page.go('#/claims/a6');
  await page.type('Notes', 'Typed before it was closed');
  const elsewhere = { version: 'v2', notes: 'Gate code 4411.', inspection_date: '2026-08-31' };
  state.accepted.splice(-1, 1, { ...late, work: elsewhere });
  await page.wait(60_000);
  sees(
    ['Notes', 'Property inspected on'].map((name) => page.find(name).value),
    page.shows('main .note'),
  );
  responses['PATCH v1/claims/a6/work'] = refusal(409, 'not_accepted');
  await page.press('Save');
  sees(toasts());
  state.accepted.pop();
  state.closed.push({ ...late, closed_at: hour(0) });
  await page.wait(60_000);
  await page.go('#/claims/closed');
  await page.go('#/claims/a6');
  sees(page.shows('main .note'));
  state.closed.pop();
  await page.go('#/claims/none');
  sees();
  responses['GET v1/claims/none'] = { ...small('none'), external_id: 'x', loss: {} };
  await page.go('#/claims/c1');
  await page.go('#/claims/none');
  sees();
  await page.go('#/');
  state.offers = [...state.offers, { ...small('o9'), loss: {} }];
  await page.wait(60_000);
  sees(page.shows('.note.warning'));
  state.offers.pop();
  await page.wait(60_000);
  sent = [];
});

test('the history shows what became of each offer, and each time of its receipt', async () => {
  begin('history');
  await page.go('#/history');
  await page.wait(1000);
  sees();
  const at = (minute: number) => `2026-08-29T15:0${minute}:00.000Z`;
  const answered = { at: at(3), device_at: at(4), kept_offline_since: at(5) };
  const said = {
    ...{ offered_at: at(1), first_seen_at: at(2), status: 'accepted', answered },
    clocks: { first_contact: { device_at: at(6) }, inspection: { device_at: at(7) } },
    ...{ decided_by: { rule: 'offered_again' }, audit: { seq: 8, hash: '0123456789abcdef' } },
  };
  const opened = async (receipt: object) => {
    const payload = Buffer.from(JSON.stringify(receipt)).toString('base64url');
    responses['GET v1/claims/o2/receipt'] = (_: object, query: URLSearchParams) => {
      sent.push(`${query}`);
      return { receipt: `x.${payload}.x` };
    };
    await page.press('Receipt: O2');
    const seen = page.shows('dialog');
    const share = jest.fn(async (_: { readonly files: readonly File[] }) => {});
    Object.assign(navigator, { share, canShare: () => true });
    await page.press('Share or save');
    const [file] = share.mock.calls[0]?.[0].files ?? [];
    seen.push(`${file?.name}: ${await file?.text()}`.replace(payload, '…'));
    await page.press('Close');
    return seen;
  };
  sees(await opened(said));
  const late = {
    ...said,
    answered: null,
    late_answer: answered,
    decided_by: { rule: 'new' },
    audit: null,
    clocks: null,
  };
  sees(await opened(late), requests());
  const ended = small('o5');
  state.offers.push(ended);
  await page.wait(60_000);
  await page.go('#/claims/o5');
  const rule = { decided_by: { rule: 'withdrawn_by_firm' } };
  responses['GET v1/claims/o5/receipt'] = { receipt: `x.${btoa(JSON.stringify(rule))}.x` };
  state.offers.pop();
  await page.wait(60_000);
  sees();
  sent = [];
});

test('an invitation is accepted with what the profile misses, or declined, and an end of it is said', async () => {
  begin('invitation');
  await page.go('#/invitations/firm-3');
  sees();
  await page.type('First name', ' Jeanne ');
  responses['PATCH v1/me'] = invalid('email');
  await page.press('Save and join');
  sees(page.shows('.field-error'), requests());
  responses['PATCH v1/me'] = () => ({ ...state.profile });
  responses['POST v1/invitations/firm-3/acceptance'] = () => state.invitations.shift();
  await page.press('Save and join');
  sees(requests(), toasts(), page.location.hash, page.shows('main a[href*=invitations]'));
  await page.go('#/invitations/firm-4');
  sees(page.shows('main p, main button, main h1'));
  responses['POST v1/invitations/firm-4/decline'] = () => {
    state.invitations = [];
    return refusal(404, 'not_found');
  };
  await page.press('Decline');
  sees(requests(), page.shows('main'));
});

test('firms are paused and left, see what is turned on, and days away and limits are changed', async () => {
  begin('firms');
  await page.go('#/firms');
  sees();
  await page.press('Copy');
  sees(writeText.mock.calls, toasts());
  responses['PATCH v1/firms/firm-1/membership'] = 503;
  await page.press('Receive new offers: Gulf Adjusting Partners');
  responses['PATCH v1/firms/firm-2/membership'] = { firm_id: 'firm-2', firm_name: 'Reef' };
  await page.press('Receive new offers: Reef');
  sees(requests(), toasts());
  await page.press('What this firm sees of you');
  sees(page.shows('dialog'));
  let shared: object = { clocks: true, credentials: false, work_area: false };
  responses['GET v1/firms/firm-2/sharing'] = () => shared;
  responses['PUT v1/firms/firm-2/sharing'] = (body: object) => {
    shared = { ...shared, ...body };
    return shared;
  };
  await page.press('Try again');
  sees(page.shows('dialog'));
  await page.press('My FCN and licenses');
  await page.press('When I reached the policyholder and inspected');
  sees(requests(), page.shows('dialog .switch'));
  await page.press('Done');
  await page.press('Leave this firm');
  sees(page.shows('dialog'));
  responses['DELETE v1/firms/firm-2/membership'] = 204;
  await page.press('Leave');
  sees(requests(), toasts(), page.shows('dialog'));
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
  await page.press('Add');
  sees(page.shows('.field-error'));
  await page.type('Last day', '');
  await page.press('Add');
  sees(page.shows('.stack .spread'), page.find('First day').value);
  await page.press('Remove Aug 30, 2026 to Sep 3, 2026');
  sees(requests());
  responses['PATCH v1/me/availability'] = 503;
  await page.press('Pause all firms');
  sees(page.shows('section[aria-labelledby=availability] .note'));
  responses['PATCH v1/me/availability'] = (changes: object) => ({ ...availability(), ...changes });
  await page.press('Send now');
  sees(requests(), page.shows('.note'));
});

test('the settings change the account, confirm an address, name devices, and end the session after a question', async () => {
  begin('settings');
  await page.go('#/settings');
  sees();
  await page.press('Change');
  sees(page.shows('form').slice(0, 6));
  await page.type('Last name', ' De la Croix ');
  await page.type('Email', 'new@example.com');
  responses['PATCH v1/me'] = invalid('email');
  await page.press('Save');
  sees(page.shows('.field-error'), requests());
  responses['PATCH v1/me'] = ({ email: _, ...changes }: Record<string, unknown>) =>
    (state.profile = { ...state.profile, ...changes });
  await page.press('Save');
  sees(page.shows('form, main dd').slice(0, 9));
  await page.press('Send a new code');
  responses['POST v1/me/email-confirmation'] = invalid('code');
  await page.type('Six-digit code', '12 34 56 ');
  await page.press('Confirm address');
  sees(page.shows('.field-error'), requests());
  responses['POST v1/me/email-confirmation'] = () => {
    state.profile = { ...state.profile, email: 'new@example.com' };
    return state.profile;
  };
  await page.press('Confirm address');
  sees(page.shows('main form .field-error, main dd'), toasts(), requests());
  const prompt = jest.fn(async () => ({ outcome: 'dismissed' }));
  page.window.dispatchEvent(Object.assign(new page.window.Event('beforeinstallprompt'), { prompt }));
  await page.wait(1000);
  await page.press('Install');
  sees(prompt.mock.calls.length);
  await page.choose('Display', 'Dark');
  await page.choose('Time to undo an answer', '10 seconds');
  await page.choose('Language', 'English');
  sees(
    localStorage.getItem('preferences'),
    localStorage.getItem('language'),
    page.document.documentElement.dataset.scheme,
  );
  responses['GET v1/passkeys'] = list([
    { id: 'p1', name: 'iPhone', last_used_at: hour(-24) },
    { id: 'p2', name: 'Key', last_used_at: null },
  ]);
  await page.go('#/');
  await page.go('#/settings');
  sees(page.shows('main .stack'));
  await page.press('Rename iPhone');
  await page.type('Name of the passkey', ' Phone ');
  responses['PATCH v1/passkeys/p1'] = { id: 'p1', name: 'Phone' };
  sees(page.shows('dialog'));
  await page.press('Save');
  sees(requests(), toasts(), page.shows('dialog'));
  await page.press('Remove Key');
  sees(page.shows('dialog'));
  responses['DELETE v1/passkeys/p2'] = refusal(403, 'passkey_required');
  await page.press('Remove Key');
  sees(toasts(), page.shows('dialog'));
  responses['DELETE v1/passkeys/p2'] = 204;
  await page.press('Remove Key');
  await page.press('Remove Key');
  sees(requests(), toasts());
  responses['POST v1/passkeys/options'] = { options: { challenge: 'AAAA', user: { id: 'AAAA' } } };
  await page.press('Add a passkey');
  sees(toasts());
  const attested = { attestationObject: bytes('attested'), getTransports: () => ['usb'] };
  credentials.create.mockResolvedValueOnce(credential(attested));
  responses['POST v1/passkeys'] = { status: 201, id: 'p3', name: 'x' };
  await page.type('Name of the passkey', ' ');
  await page.press('Add a passkey');
  sees(toasts(), requests());
});

test('credentials are kept as they are typed, and replace those of another device after a word', async () => {
  begin('credentials');
  responses['GET v1/me/credentials'] = 503;
  await page.go('#/credentials');
  await page.wait(1000);
  sees();
  responses['GET v1/me/credentials'] = {
    version: 'v1',
    fcn: { number: '0070012345', categories: ['residential', 'other'], expires_on: '2026-09-02' },
    licenses: [
      { state: 'FL', kind: 'non_resident', number: 'W1', expires_on: '2026-08-31' },
      { state: 'XX', kind: 'resident', number: 'W2', expires_on: '2027-04-30' },
    ],
  };
  await page.press('Try again');
  sees(page.shows('main').filter((one) => !/^option [A-Z]{2}$/.test(one)));
  await page.press('Residential (dwelling)');
  await page.press('Condominium (RCBAP)');
  await page.press('Add a license');
  await page.choose('State', 'GA');
  await page.choose('Kind', 'Emergency');
  await page.type('Number', 'E5');
  await page.type('Last day', '2027-01-31');
  await page.press('Remove license 1');
  sees(page.shows('main [role=status]'));
  responses['PUT v1/me/credentials'] = refusal(409, 'credentials_changed');
  responses['GET v1/me/credentials'] = { version: 'v2', licenses: [] };
  await page.press('Save');
  sees(page.shows('.note'), page.shows('main section h2'));
  responses['PUT v1/me/credentials'] = { version: 'v3', licenses: [] };
  await page.press('Save');
  sees(requests(), page.shows('main section h2'), toasts());
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
  await page.press('Take what is saved');
  sees(page.shows('main section h2'));
  responses['PUT v1/me/credentials'] = { version: 'v3', licenses: [] };
  await page.press('Add a license');
  await page.press('Cancel');
  await page.press('Save');
  sees(requests(), page.shows('main section h2'));
});

test('the map has a marker for claims at a place, and a route to those that are chosen, the nearest first', async () => {
  begin('map');
  state.accepted.push(small('a5', { assignment: accepted(hour(-20)), loss_location: elm }));
  await page.go('#/');
  await page.wait(60_000);
  await page.go('#/map');
  await page.wait(1000);
  page.observe();
  await page.wait(1000);
  sees();
  await page.press(/near Cedar Key/);
  sees(page.shows('.claim-row').slice(0, 12));
  await page.press('Add to route');
  await page.press('Show');
  await page.press('Add to route');
  sees(page.shows('[aria-labelledby=stops]'), page.shows('.action-bar'), page.shows('.claim-row button'));
  await page.press(/^Remove from route: Ana a5/);
  sees(page.shows('[aria-labelledby=stops] a, .action-bar'));
  await page.press('From 32625');
  sees(page.shows('dialog'));
  await page.press('Remove location');
  sees(page.shows('dialog'), page.shows('.tools'), page.shows('[aria-labelledby=stops] a'));
});

test('after a sign-out nothing is left, and a passkey signs in', async () => {
  begin('sign-out');
  headers = { Date: new Date(Date.now() - 86_400_000).toUTCString() };
  await page.go('#/settings');
  await page.wait(60_000);
  sees(page.shows('.network'));
  await page.press('Sign out everywhere');
  sees(page.shows('dialog'));
  await page.press('Cancel');
  await page.press('Sign out');
  sees(page.shows('dialog'));
  responses['DELETE session'] = () => {
    state.profile = null;
    return 204;
  };
  await page.press('Sign out');
  sees();
  const signed = { authenticatorData: bytes('data'), signature: bytes('signed') };
  credentials.get.mockResolvedValueOnce(credential(signed));
  responses['POST session'] = 401;
  await page.press('Sign in with a passkey');
  sees(requests(/session|passkey/), page.shows('.field-error'));
});

test('after the next sign-in a route has stops without a place, many lost answers are folded, what is changed shows at once, and a passkey of another device is asked for', async () => {
  begin('next');
  const firm = { firm_id: 'firm-2', firm_name: 'Reef', can_accept_claims: true, accepting_assignments: true };
  state.profile = { ...PROFILE, firms: [firm] };
  const ids = ['x1', 'x2', 'x3', 'x4'];
  state.offers = ids.map((id) => small(id, { loss_location: elm }));
  for (const id of ids) {
    responses[`POST v1/claims/${id}/rejection`] = refusal(409, 'offer_not_pending');
    responses[`GET v1/claims/${id}`] = small(id, { assignment: accepted(hour(0)) });
  }
  responses['POST session'] = { status: 201, expires_at: 'x' };
  credentials.get.mockResolvedValueOnce(credential({ authenticatorData: bytes(''), signature: bytes('') }));
  await page.press('Sign in with a passkey');
  await page.go('#/map');
  await page.press('Show');
  await page.press('Add to route');
  sees(page.shows('[aria-labelledby=stops] a, .action-bar'));
  await page.go('#/');
  for (const name of ['Select', /x1/, /x2/, /x3/, 'Reject 3', 'Too far away', 'Reject'])
    await page.press(name);
  for (const ms of [11_000, 5000, 5000]) await page.wait(ms);
  sees(page.shows('.outcomes'));
  await page.go('#/claims/x4');
  for (const name of ['Reject', 'Too far away', 'Reject']) await page.press(name);
  for (const ms of [11_000, 5000, 5000]) await page.wait(ms);
  await page.go('#/');
  sees(page.shows('.outcomes'));
  state.offers = [];
  await page.wait(60_000);
  await page.go('#/claims/x1');
  sees(page.shows('main .note'));
  await page.go('#/firms');
  responses['PATCH v1/firms/firm-2/membership'] = (changes: object) => Object.assign(firm, changes);
  await page.press('Receive new offers: Reef');
  sees(page.shows('main .switch'));
  await page.go('#/settings');
  await page.press('Change');
  await page.type('Last name', 'Roy');
  await page.press('Save');
  sees(page.shows('main dd'), toasts());
  responses['GET v1/claims'] = refusal(403, 'passkey_required');
  await page.wait(60_000);
  sees();
});
