import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { DAY, expectValidationErrors, getClaim, invite, sentClaim } from './firm-calls.ts';
import { expectProblem } from './problem-shape.ts';
import {
  type ApiResponse,
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

let now = Date.parse('2026-03-02T09:00:00Z');
const service = await startServiceUnderTest({ clock: { now: () => now } });

type Person = Awaited<ReturnType<ServiceUnderTest['member']>>;

const app = (person: Person, method: string, path: string, body?: unknown): Promise<ApiResponse> =>
  service.call(method, `/app/v1${path}`, { as: person.token, ...(body !== undefined && { body }) });
/** Sends a claim to the adjuster and returns its id. */
const offered = async (firm: TestFirm, to: Person, changes: Record<string, unknown> = {}): Promise<string> =>
  (await sentClaim(service, firm.live, to.svcId, changes)).id;

async function accepted(firm: TestFirm, by: Person, changes: Record<string, unknown> = {}): Promise<string> {
  const id = await offered(firm, by, changes);
  expect((await app(by, 'POST', `/claims/${id}/acceptance`)).status).toBe(200);
  return id;
}

const idsOf = (page: ApiResponse): string[] => page.json.data.map(({ id }: { id: string }) => id);

test('claims are listed by status, oldest offer first, page by page or by difference, with cursors of that list only', async () => {
  const firm = await service.firm();
  const [person, other] = [await service.member(firm), await service.member(firm)];
  const list = (query: string) => app(person, 'GET', `/claims?${query}`);
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) ids.push(await offered(firm, person));
  const [first, second, ...others] = ids as [string, string, ...string[]];
  expect(idsOf(await list('')).sort()).toEqual([...ids].sort());
  now += 120_000;
  const since = new Date(now).toISOString();
  await app(person, 'POST', `/claims/${first}/acceptance`);
  await app(person, 'POST', `/claims/${first}/closure`);
  await app(person, 'POST', `/claims/${second}/acceptance`);
  expect(idsOf(await list('status=closed'))).toEqual([first]);
  expect(idsOf(await list('status=accepted'))).toEqual([second]);
  const changes = 'status=pending_acceptance&limit=1&updated_since=';
  expect((await list(changes + since)).json).toEqual({
    data: [],
    next_cursor: null,
    ids: [...others].sort(),
  });
  const added: string[] = [];
  for (let n = 0; n < 2; n += 1, now += 1) added.push(await offered(firm, person));
  const page = await list(changes + since);
  expect([idsOf(page), page.json.ids.sort()]).toEqual([added.slice(0, 1), [...others, ...added].sort()]);
  const next = await list(`${changes}${since}&cursor=${page.json.next_cursor}`);
  expect(idsOf(next)).toEqual(added.slice(1));
  for (const { json } of [next, await list('')]) expect(json).not.toHaveProperty('ids');

  const cursor: string = (await list('limit=1')).json.next_cursor;
  expect(idsOf(await list(`cursor=${cursor}`))).toHaveLength(3);
  for (const response of [
    await app(other, 'GET', `/claims?cursor=${cursor}`),
    await list(`status=accepted&cursor=${cursor}`),
  ])
    expectValidationErrors(response, 'cursor');
});

test('work entries, contacts and closing are shown in the app, and are invisible to the firm', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const id = await accepted(firm, person, { contact_date: '2026-02-01' });
  const before = (await getClaim(service, firm.live, id)).text;
  const work = {
    contact_date: '2026-03-01',
    inspection_date: '2026-03-04',
    notes: 'Water line 14 in. 😀',
    planned_visit_date: '2026-03-05',
    planned_visit_time: '10:30',
    preliminary_report_date: '2026-03-09',
    proof_of_loss_date: '2026-04-01',
  };
  const edit = (edits: object) => app(person, 'PATCH', `/claims/${id}/work`, edits);
  const recorded = await edit(work);
  const version = expect.any(String);
  expect([recorded.status, recorded.json.work, recorded.json.contact_date]).toEqual([
    200,
    { version, ...work },
    '2026-02-01',
  ]);
  const log = (contact: string, body: object) =>
    app(person, 'PUT', `/claims/${id}/contacts/${contact}`, body);
  const second = { at: '2026-03-02T15:05:00.000Z', result: 'left_message', note: 'Call after 5.' };
  const first = { at: '2026-03-02T09:00:00.000Z', result: 'no_answer' };
  await log('b', second);
  await log('a', { ...first, at: '2026-03-02T04:00:00-05:00' });
  const received_at = new Date(now).toISOString();
  const contacts = [
    { id: 'a', ...first, received_at },
    { id: 'b', ...second, received_at },
  ];
  // Sent again, as after a lost response.
  expect((await log('b', second)).json.work).toEqual({ ...recorded.json.work, contacts });
  const left = { version, ...work, planned_visit_time: undefined, notes: undefined, contacts };
  expect((await edit({ planned_visit_time: null, notes: null })).json.work).toEqual(left);
  for (const at of ['today', '9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+01:00'])
    expectProblem(await log('c', { ...first, at }), 422, 'validation_failed');

  now += 1000;
  const closed = await app(person, 'POST', `/claims/${id}/closure`);
  expect([closed.status, closed.json.closed_at]).toEqual([200, new Date(now).toISOString()]);
  now += 1000;
  expect((await app(person, 'POST', `/claims/${id}/closure`)).json).toEqual(closed.json);
  expect((await app(person, 'GET', `/claims/${id}`)).json).toEqual(closed.json);
  expectProblem(await edit({ notes: 'late' }), 409, 'offer_not_pending');
  expect((await getClaim(service, firm.live, id)).text).toBe(before);
});

test('two devices that edit the same entries lose nothing: the later one gets what the first has written', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const id = await accepted(firm, person);
  const edit = (edits: object) => app(person, 'PATCH', `/claims/${id}/work`, edits);
  const base = (await app(person, 'GET', `/claims/${id}`)).json.work.version;
  const first = { based_on: base, notes: 'Water line 14 in.', planned_visit_date: '2026-03-05' };
  const { work } = (await edit(first)).json;
  expect(work.version).not.toBe(base);
  const later = await edit({ based_on: base, notes: 'Gate code 4411' });
  expectProblem(later, 409, 'work_changed');
  expect(later.json.work).toEqual(work);
  expect(service.logged.filter((line) => line.includes('Water line'))).toEqual([]);
  // As after a lost response: with what was based on, and with what it has led to.
  expect((await edit(first)).json.work).toEqual(work);
  const merged = { based_on: work.version, notes: 'Water line 14 in.\nGate code 4411' };
  expect((await edit(merged)).json.work).toMatchObject({ notes: merged.notes });
  // Apps from before versions.
  expect((await edit({ notes: null })).json.work).not.toHaveProperty('notes');
});

test('a profile is updated field by field', async () => {
  const person = await service.adjuster({ firstName: null, lastName: null, email: null });
  const email = `${person.svcId}@example.com`;
  const empty = {
    svc_id: person.svcId,
    test: false,
    first_name: null,
    last_name: null,
    email: null,
    firms: [],
    availability: { accepting_assignments: true, away: [], max_open_offers: null, work_zip: null },
  };
  expect((await app(person, 'PATCH', '/me', {})).json).toEqual(empty);
  const named = await app(person, 'PATCH', '/me', { first_name: 'Ana' });
  expect(named.json).toEqual({ ...empty, first_name: 'Ana' });
  const full = await app(person, 'PATCH', '/me', { last_name: 'de la Cruz 😀', email });
  expect(full.json).toEqual({ ...named.json, last_name: 'de la Cruz 😀', email });
  expect((await app(person, 'GET', '/me')).json).toEqual(full.json);
});

test('a changed email address counts after the code', async () => {
  const other = await service.adjuster();
  const { email: old } = (await app(other, 'GET', '/me')).json;
  const email = `new.${other.svcId.toLowerCase()}@example.com`;
  expect((await app(other, 'PATCH', '/me', { email })).json.email).toBe(old);
  const emailed = await eventually(() => service.logged.find((line) => line.includes('email_code')));
  const { email_code: code } = JSON.parse(emailed);
  const wrong = await app(other, 'POST', '/me/email-confirmation', {
    code: code === '000000' ? '000001' : '000000',
  });
  expectValidationErrors(wrong, '/code');
  expect((await app(other, 'POST', '/me/email-confirmation', { code })).json.email).toBe(email);
});

test('an invitation shows the firm, the name it used and the expiration, but no other notes', async () => {
  const firm = await service.firm();
  const person = await service.adjuster({ lastName: null, email: null });
  await invite(service, firm.live, person.svcId, {
    invited_as: 'J. Delacroix',
    invited_by: 'BY-SECRET',
    purpose: 'PURPOSE-SECRET',
    note: 'NOTE-SECRET',
  });
  const listed = await app(person, 'GET', '/invitations');
  expect(listed.json).toEqual({
    data: [
      {
        firm_id: firm.id,
        firm_name: 'Gulf Adjusting Partners',
        invited_as: 'J. Delacroix',
        invited_at: new Date(now).toISOString(),
        expires_at: new Date(now + 7 * DAY).toISOString(),
        missing_profile_fields: ['last_name', 'email'],
      },
    ],
    next_cursor: null,
  });
  const incomplete = await app(person, 'POST', `/invitations/${firm.id}/acceptance`);
  expectProblem(incomplete, 409, 'profile_incomplete');
  for (const { text } of [
    incomplete,
    await app(person, 'GET', '/me'),
    await app(person, 'POST', `/invitations/${firm.id}/decline`),
  ]) {
    expect(text).not.toContain('SECRET');
  }
});

test('an adjuster pauses and leaves a firm', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const path = `/firms/${firm.id}/membership`;
  const paused = await app(person, 'PATCH', path, { accepting_assignments: false });
  expect([paused.status, paused.json]).toEqual([
    200,
    {
      firm_id: firm.id,
      firm_name: 'Gulf Adjusting Partners',
      can_accept_claims: true,
      accepting_assignments: false,
    },
  ]);
  expect((await app(person, 'GET', '/me')).json.firms).toEqual([paused.json]);
  expectProblem(await sendClaim(service, firm.live, claimBody(person.svcId)), 422, 'adjuster_not_accepting');
  expectProblem(await app(person, 'PATCH', path, {}), 422, 'validation_failed');
  expect((await app(person, 'DELETE', path)).status).toBe(204);
  expectProblem(await app(person, 'DELETE', path), 404, 'not_found');
});

test('an adjuster lets one firm see one thing at a time, and takes it back', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const path = `/firms/${firm.id}/sharing`;
  const nothing = { clocks: false, credentials: false, work_area: false };
  expect((await app(person, 'GET', path)).json).toEqual(nothing);
  const put = async (body: object) => {
    const { status, json } = await app(person, 'PUT', path, body);
    return [status, json];
  };
  expect(await put({ clocks: true })).toEqual([200, { ...nothing, clocks: true }]);
  expect(await put({ work_area: true, clocks: false, credentials: true })).toEqual([
    200,
    { clocks: false, credentials: true, work_area: true },
  ]);
});

const PASSPORT = {
  fcn: { number: '0070012345', categories: ['residential', 'rcbap'], expires_on: '2027-12-31' },
  licenses: [{ state: 'FL', kind: 'non_resident', number: 'W482913', expires_on: '2027-04-30' }],
};

test('credentials are kept as entered, and a second device does not overwrite them unseen', async () => {
  const person = await service.adjuster();
  const path = '/me/credentials';
  const empty = (await app(person, 'GET', path)).json;
  expect(empty).toEqual({ version: expect.any(String), licenses: [] });
  const saved = await app(person, 'PUT', path, { ...PASSPORT, based_on: empty.version });
  expect([saved.status, saved.json]).toEqual([200, { version: expect.any(String), ...PASSPORT }]);
  const stale = { licenses: PASSPORT.licenses, based_on: empty.version };
  expectProblem(await app(person, 'PUT', path, stale), 409, 'credentials_changed');
  // Sent again after a lost response.
  const again = await app(person, 'PUT', path, { ...PASSPORT, based_on: empty.version });
  expect([again.status, again.json]).toEqual([200, saved.json]);
  const removed = await app(person, 'PUT', path, { licenses: [], based_on: saved.json.version });
  expect(removed.json).toEqual(empty);
});

test('credentials that cannot be are rejected, each with its place', async () => {
  const person = await service.adjuster();
  const [license] = PASSPORT.licenses;
  const wrong = {
    fcn: { number: ' 1', categories: ['residential', 'boats'], expires_on: '2027-02-30' },
    licenses: [
      { ...license, state: 'ZZ', kind: 'public', number: '', expires_on: '1999-12-31' },
      { ...license, expires_on: '2100-01-01', note: 'x' },
      { state: 'FL' },
    ],
  };
  expectValidationErrors(
    await app(person, 'PUT', '/me/credentials', wrong),
    ...['/fcn/categories/1', '/fcn/expires_on', '/fcn/number'],
    ...['/licenses/0/expires_on', '/licenses/0/kind', '/licenses/0/number', '/licenses/0/state'],
    ...['/licenses/1/expires_on', '/licenses/1/note'],
    ...['/licenses/2/expires_on', '/licenses/2/kind', '/licenses/2/number'],
  );
  expect((await app(person, 'GET', '/me/credentials')).json.licenses).toEqual([]);
});

test('an adjuster pauses all firms, is away, and limits open offers; firms learn only that offers fail', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const set = (body: object) => app(person, 'PATCH', '/me/availability', body);
  const none = { accepting_assignments: true, away: [], max_open_offers: null, work_zip: null };
  const today = (days: number) => new Date(now + days * DAY).toISOString().slice(0, 10);
  const period = { first_day: today(-1), last_day: today(1), time_zone: 'America/Chicago' };
  await offered(firm, person);
  for (const change of [{ accepting_assignments: false }, { away: [period] }, { max_open_offers: 1 }]) {
    const changed = await set({ ...none, ...change });
    expect([changed.status, changed.json]).toEqual([200, { ...none, ...change }]);
    expect((await app(person, 'GET', '/me')).json.availability).toEqual(changed.json);
    const refused = await sendClaim(service, firm.live, claimBody(person.svcId));
    expectProblem(refused, 422, 'adjuster_not_accepting');
  }
  const listed = JSON.stringify((await service.call('GET', '/v1/adjusters', { as: firm.live })).json);
  expect(listed).not.toMatch(/away|max_open_offers|accepting/);

  const wrong = [
    { ...period, time_zone: 'Chicago' },
    { ...period, last_day: today(-2) },
    { ...period, first_day: '2026-02-30' },
  ];
  expectValidationErrors(
    await set({ away: wrong, max_open_offers: 0, work_zip: '331' }),
    ...['/away/0/time_zone', '/away/1/last_day', '/away/2/first_day', '/max_open_offers', '/work_zip'],
  );
});

test('an app claim is the claim as sent, with the values that the forms print', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const carrier = { name: 'Form Mutual', phone: '850-555-0100', email: 'claims@form.example' };
  await offered(firm, person, { carrier });
  const body = claimBody(person.svcId, {
    carrier: { name: 'FORM  mutual', email: 'other@form.example' },
    coverages: { building_limit: 250000 },
    instructions: 'Gate code 1234',
  });
  const sent = await sendClaim(service, firm.live, body);
  const shown = await app(person, 'GET', `/claims/${sent.json.id}`);
  expect(shown.json).toEqual({
    ...sent.json,
    firm: { id: firm.id, name: 'Gulf Adjusting Partners' },
    offered_at: new Date(now).toISOString(),
    work: { version: expect.any(String) },
    closed_at: null,
    carrier: { name: 'FORM  mutual', phone: '850-555-0100', email: 'other@form.example' },
    coverages: { building_limit: 250000, special_limits_cap: 2500 },
  });
  expect((await app(person, 'GET', '/claims')).json.data).toContainEqual(shown.json);
  const capped = await offered(firm, person, { coverages: { special_limits_cap: 0 } });
  expect((await app(person, 'GET', `/claims/${capped}`)).json.coverages).toEqual({ special_limits_cap: 0 });
  const bare = await offered(firm, person);
  expect((await app(person, 'GET', `/claims/${bare}`)).json.coverages).toEqual({ special_limits_cap: 2500 });
  await service.service.services.setOfferWait(firm.id, 4);
  const { respond_by } = (await app(person, 'GET', `/claims/${bare}`)).json;
  expect(respond_by).toBe(new Date(now + DAY / 6).toISOString());
});

test('an error report of the app is logged, and nothing else fits into it', async () => {
  const person = await service.adjuster();
  const report = { screen: 'claim', error: 'TypeError', places: 'index-Crw7ccqE.js:1:4711 a.js:2:9' };
  expect((await app(person, 'POST', '/error-reports', report)).status).toBe(204);
  const line = service.logged.find((one) => one.includes('error in the adjuster app'));
  expect(JSON.parse(line ?? '')).toMatchObject(report);
  for (const changes of [
    { message: 'x' },
    { screen: 'claim of Marisol Delgado' },
    { error: "Cannot read 'street'" },
    { places: 'at 1420 Seagrape Lane' },
  ])
    expectProblem(
      await app(person, 'POST', '/error-reports', { ...report, ...changes }),
      422,
      'validation_failed',
    );
});

test('a device is registered, gets preferences, and is removed, each repeatedly', async () => {
  const person = await service.adjuster();
  const keys = { p256dh: 'BNcRdreALRFXTkOO', auth: 'tBHItJI5svbpez7K' };
  const subscription = (endpoint: string) => ({
    subscription: { endpoint, expirationTime: null, keys },
  });
  const devices = () => service.service.services.jobReads.devices(person.svcId, now);
  const path = '/devices/phone%20one';
  for (const number of [1, 2, 2]) {
    const put = await app(person, 'PUT', path, subscription(`https://push.example.net/${number}`));
    expect([put.status, put.text]).toEqual([204, '']);
  }
  const set = (body: unknown, device = path) => app(person, 'PUT', `${device}/preferences`, body);
  const preferences = {
    time_zone: 'America/Chicago',
    quiet_hours: { start: '21:00', end: '06:30' },
    deadline_reminders: true,
  };
  expect((await set(preferences)).status).toBe(204);
  expect(await devices()).toMatchObject([
    {
      deviceId: 'phone one',
      subscription: { endpoint: 'https://push.example.net/2' },
      preferences: {
        timeZone: 'America/Chicago',
        quietHours: { start: '21:00', end: '06:30' },
        deadlineReminders: true,
      },
    },
  ]);
  for (const changes of [{ time_zone: 'Mars' }, { quiet_hours: { start: '9:00', end: '24:00' } }])
    expectProblem(await set({ ...preferences, ...changes }), 422, 'validation_failed');
  expectProblem(await set(preferences, '/devices/other'), 404, 'not_found');
  expectProblem(await app(person, 'POST', '/devices/other/test-notification'), 404, 'not_found');
  for (const endpoint of ['http://push.example.net/', 'https://', 'javascript:alert(1)'])
    expectProblem(await app(person, 'PUT', path, subscription(endpoint)), 422, 'validation_failed');
  for (let twice = 0; twice < 2; twice++) expect((await app(person, 'DELETE', path)).status).toBe(204);
  expect(await devices()).toEqual([]);
});
