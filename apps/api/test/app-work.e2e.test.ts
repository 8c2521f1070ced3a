import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endpoints, LIMITS } from '@svc/contract';
import type { ClaimId, Svcid } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { expectProblem } from './problem-shape.ts';
import {
  type ApiResponse,
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

const DAY = 86_400_000;
const UNKNOWN = '01890000-0000-7000-8000-000000000000';

let now = Date.parse('2026-03-02T09:00:00Z');
let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest({ clock: { now: () => now } });
});
afterAll(() => service.stop());

type Person = Awaited<ReturnType<ServiceUnderTest['member']>>;

const app = (person: Person, method: string, path: string, body?: unknown): Promise<ApiResponse> =>
  service.call(method, `/app/v1${path}`, { as: person.token, ...(body !== undefined && { body }) });
const invite = (firm: TestFirm, svcId: string, notes: object = {}): Promise<ApiResponse> =>
  service.call('POST', '/v1/adjusters/invitations', { as: firm.live, body: { svc_id: svcId, ...notes } });
const seen = (firm: TestFirm, id: string): Promise<ApiResponse> =>
  service.call('GET', `/v1/claims/${id}`, { as: firm.live });
const offer = (firm: TestFirm, id: string, svcId: string): Promise<ApiResponse> =>
  service.call('POST', `/v1/claims/${id}/assignment`, {
    as: firm.live,
    body: { adjuster_svc_id: svcId },
    headers: { 'Idempotency-Key': `offer-${Math.random()}` },
  });

/** Sends a claim to the adjuster and returns its id. */
async function offered(firm: TestFirm, to: Person, changes: Record<string, unknown> = {}): Promise<string> {
  const sent = await sendClaim(service, firm.live, claimBody(to.svcId, changes));
  expect(sent.status).toBe(201);
  return sent.json.id;
}

async function accepted(firm: TestFirm, by: Person, changes: Record<string, unknown> = {}): Promise<string> {
  const id = await offered(firm, by, changes);
  expect((await app(by, 'POST', `/claims/${id}/acceptance`)).status).toBe(200);
  return id;
}

/** Every operation on a claim in the app. */
const CLAIM_CALLS = (id: string) =>
  [
    ['GET', `/claims/${id}`, undefined],
    ['POST', `/claims/${id}/acceptance`, undefined],
    ['POST', `/claims/${id}/rejection`, {}],
    ['PATCH', `/claims/${id}/work`, { notes: 'mine' }],
    ['PUT', `/claims/${id}/contacts/c1`, { at: '2026-03-02T09:00:00Z', result: 'reached' }],
    ['POST', `/claims/${id}/closure`, undefined],
  ] as const;

const idsOf = (page: ApiResponse): string[] => page.json.data.map(({ id }: { id: string }) => id);

test('every app operation except the sign-in requires a session', async () => {
  const firm = await service.firm();
  for (const { method, path, auth } of Object.values(endpoints)) {
    if (auth !== 'session') continue;
    const target = path
      .replace('{firm_id}', firm.id)
      .replace('{id}', UNKNOWN)
      .replace('{device_id}', 'x')
      .replace('{contact_id}', 'x');
    for (const as of [undefined, 'svc_app_nonsense', firm.live]) {
      const response = await service.call(method, target, { ...(as !== undefined && { as }) });
      expectProblem(response, 401, 'invalid_session');
    }
  }
});

test('a list is read by difference: what changed, and the ids of all that are in it', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const [old, gone] = [await offered(firm, person), await offered(firm, person)];
  now += 120_000;
  const since = new Date(now).toISOString();
  const changes = (more = '') =>
    app(person, 'GET', `/claims?status=pending_acceptance&updated_since=${since}${more}`);
  expect((await changes()).json).toEqual({ data: [], next_cursor: null, ids: [old, gone].sort() });
  await app(person, 'POST', `/claims/${gone}/rejection`);
  const added = [await offered(firm, person), await offered(firm, person)];
  const first = await changes('&limit=1');
  expect([idsOf(first).length, first.json.ids.sort()]).toEqual([1, [old, ...added].sort()]);
  const second = await changes(`&limit=1&cursor=${first.json.next_cursor}`);
  expect([...idsOf(first), ...idsOf(second)].sort()).toEqual(added.sort());
  expect(second.json).not.toHaveProperty('ids');
  // Without updated_since the list is as before.
  expect((await app(person, 'GET', '/claims')).json).not.toHaveProperty('ids');
  expectProblem(await changes(`&limit=1&cursor=${first.json.next_cursor}x`), 422, 'validation_failed');
});

test('planned visit, report dates and contacts are recorded, and invisible to the firm', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const id = await accepted(firm, person);
  const before = (await seen(firm, id)).text;
  const work = {
    planned_visit_date: '2026-03-05',
    planned_visit_time: '10:30',
    preliminary_report_date: '2026-03-09',
    proof_of_loss_date: '2026-04-01',
  };
  expect((await app(person, 'PATCH', `/claims/${id}/work`, work)).json.work).toEqual(work);
  const log = (contact: string, body: object) =>
    app(person, 'PUT', `/claims/${id}/contacts/${contact}`, body);
  const second = { at: '2026-03-02T15:05:00.000Z', result: 'left_message', note: 'Call after 5.' };
  const first = { at: '2026-03-02T09:00:00.000Z', result: 'no_answer' };
  await log('b', second);
  const logged = await log('a', { ...first, at: '2026-03-02T04:00:00-05:00' });
  const contacts = [
    { id: 'a', ...first },
    { id: 'b', ...second },
  ];
  expect(logged.json.work).toEqual({ ...work, contacts });
  // Sent again, as after a lost response.
  expect((await log('b', second)).json.work.contacts).toEqual(contacts);
  const cleared = await app(person, 'PATCH', `/claims/${id}/work`, { planned_visit_time: null });
  expect(cleared.json.work).toEqual({ ...work, planned_visit_time: undefined, contacts });
  expect((await seen(firm, id)).text).toBe(before);
  for (const body of [
    { ...first, result: 'maybe' },
    { result: 'reached' },
    { ...first, at: 'today' },
    { ...first, at: '9999-12-31T23:59:59-01:00' },
    { ...first, at: '0001-01-01T00:00:00+01:00' },
    { ...first, note: '' },
  ])
    expectProblem(await log('c', body), 422, 'validation_failed');
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
    availability: { accepting_assignments: true, away: [], max_open_offers: null },
  };
  expect((await app(person, 'GET', '/me')).json).toEqual(empty);
  expect((await app(person, 'PATCH', '/me', {})).json).toEqual(empty);
  const named = await app(person, 'PATCH', '/me', { first_name: 'Ana' });
  expect(named.json).toEqual({ ...empty, first_name: 'Ana' });
  const full = await app(person, 'PATCH', '/me', { last_name: 'de la Cruz 😀', email });
  expect(full.json).toEqual({ ...empty, first_name: 'Ana', last_name: 'de la Cruz 😀', email });
  expect((await app(person, 'GET', '/me')).json).toEqual(full.json);
  for (const body of [
    { first_name: null },
    { first_name: '' },
    { email: 'nowhere' },
    { svc_id: 'other' },
    { test: true },
  ]) {
    expectProblem(await app(person, 'PATCH', '/me', body), 422, 'validation_failed');
  }
  expect((await app(person, 'GET', '/me')).json).toEqual(full.json);
});

test('a changed email address counts after the code, and no response reveals who has an address', async () => {
  const [one, other] = [await service.adjuster(), await service.adjuster()];
  const { email: taken } = (await app(one, 'GET', '/me')).json;
  const { email: old } = (await app(other, 'GET', '/me')).json;
  for (const email of [taken, taken.toUpperCase()])
    expect((await app(other, 'PATCH', '/me', { email })).json.email).toBe(old);
  expect(service.logged.filter((line) => line.includes('email_code'))).toEqual([]);

  const email = `new.${other.svcId.toLowerCase()}@example.com`;
  expect((await app(other, 'PATCH', '/me', { email })).json.email).toBe(old);
  const emailed = await eventually(() => service.logged.find((line) => line.includes('email_code')));
  const { email_code: code } = JSON.parse(emailed);
  const wrong = await app(other, 'POST', '/me/email-confirmation', {
    code: code === '000000' ? '000001' : '000000',
  });
  expectProblem(wrong, 422, 'validation_failed');
  expect(wrong.json.errors).toEqual([{ detail: expect.any(String), pointer: '/code' }]);
  expect((await app(other, 'POST', '/me/email-confirmation', { code })).json.email).toBe(email);
  expect((await app(one, 'PATCH', '/me', { email: taken.toUpperCase() })).json.email).toBe(
    taken.toUpperCase(),
  );
});

test('an adjuster lists their sessions by device and ends another one', async () => {
  const firm = await service.firm();
  const svc_id = firm.account.manual;
  const proof = { svc_id, sign_in_secret: firm.signInSecret.manual };
  const signIn = async (headers: Record<string, string>, body = {}) =>
    (await service.call('POST', '/app/v1/sessions', { body: { ...proof, ...body }, headers })).json.token;
  const phone = await signIn({
    'User-Agent':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 (KHTML) Version/18.0 Mobile/15E148 Safari/604.1',
  });
  const tablet = await signIn({}, { device_name: 'Tablet in the truck' });
  const list = async () => (await service.call('GET', '/app/v1/sessions', { as: tablet })).json.data;
  const sessions = await list();
  expect(
    sessions.map((session: Record<string, unknown>) => [session.device_name, session.current]).sort(),
  ).toEqual([
    ['Safari on iPhone', false],
    ['Tablet in the truck', true],
  ]);
  const { id } = sessions.find(({ current }: { current: boolean }) => !current);
  const end = () => service.call('DELETE', `/app/v1/sessions/${id}`, { as: tablet });
  expect((await end()).status).toBe(204);
  expectProblem(await service.call('GET', '/app/v1/me', { as: phone }), 401, 'invalid_session');
  expectProblem(await end(), 404, 'not_found');
  expect(await list()).toHaveLength(1);
});

test('an invitation shows the firm, the name it used and the expiration, but no other notes', async () => {
  const firm = await service.firm();
  const person = await service.adjuster({ lastName: null, email: null });
  await invite(firm, person.svcId, {
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
  for (const { text } of [
    await app(person, 'POST', `/invitations/${firm.id}/acceptance`),
    await app(person, 'GET', '/me'),
    await app(person, 'POST', `/invitations/${firm.id}/decline`),
  ]) {
    expect(text).not.toContain('SECRET');
  }
});

test('pausing blocks new claims, and existing offers can still be accepted', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const pendingId = await offered(firm, person);
  const path = `/firms/${firm.id}/membership`;
  const paused = await app(person, 'PATCH', path, { accepting_assignments: false });
  expect([paused.status, paused.json.accepting_assignments]).toEqual([200, false]);
  expectProblem(await sendClaim(service, firm.live, claimBody(person.svcId)), 422, 'adjuster_not_accepting');
  expect((await app(person, 'POST', `/claims/${pendingId}/acceptance`)).status).toBe(200);
  await app(person, 'PATCH', path, { accepting_assignments: true });
  await offered(firm, person);
  for (const body of [
    {},
    { accepting_assignments: 'yes' },
    { accepting_assignments: true, can_accept_claims: true },
  ]) {
    expectProblem(await app(person, 'PATCH', path, body), 422, 'validation_failed');
  }
  const elsewhere = `/firms/${UNKNOWN}/membership`;
  expectProblem(await app(person, 'PATCH', elsewhere, { accepting_assignments: true }), 404, 'not_found');
});

test('an adjuster pauses all firms, is away, and limits open offers; firms learn only that offers fail', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const path = '/me/availability';
  const none = { accepting_assignments: true, away: [], max_open_offers: null };
  expect((await app(person, 'GET', '/me')).json.availability).toEqual(none);
  const refused = async () =>
    expectProblem(
      await sendClaim(service, firm.live, claimBody(person.svcId)),
      422,
      'adjuster_not_accepting',
    );
  const today = (days: number) => new Date(now + days * DAY).toISOString().slice(0, 10);
  const away = [{ first_day: today(-1), last_day: today(1), time_zone: 'America/Chicago' }];

  const paused = await app(person, 'PATCH', path, { accepting_assignments: false });
  expect([paused.status, paused.json]).toEqual([200, { ...none, accepting_assignments: false }]);
  await refused();
  expect((await app(person, 'PATCH', path, { accepting_assignments: true, away })).json.away).toEqual(away);
  await refused();
  await app(person, 'PATCH', path, { away: [], max_open_offers: 1 });
  const id = await offered(firm, person);
  await refused();
  const before = JSON.stringify((await service.call('GET', '/v1/adjusters', { as: firm.live })).json);
  expect(before).not.toMatch(/away|max_open_offers|accepting/);
  expect((await app(person, 'POST', `/claims/${id}/acceptance`)).status).toBe(200);
  await offered(firm, person);
  expect((await app(person, 'PATCH', path, { max_open_offers: null })).json).toEqual(none);

  const period = { first_day: '2026-09-02', last_day: '2026-09-03', time_zone: 'America/Chicago' };
  for (const [body, pointer] of [
    [{ away: [{ ...period, time_zone: 'Chicago' }] }, '/away/0/time_zone'],
    [{ away: [{ ...period, last_day: '2026-09-01' }] }, '/away/0/last_day'],
    [{ away: [{ ...period, first_day: '2026-02-30' }] }, '/away/0/first_day'],
    [{ away: Array.from({ length: 11 }, () => period) }, '/away'],
    [{ max_open_offers: 0 }, '/max_open_offers'],
    [{ accepting: false }, '/accepting'],
  ] as const) {
    const { status, json } = await app(person, 'PATCH', path, body);
    expect([status, json.errors?.map((error: { pointer: string }) => error.pointer)]).toEqual([
      422,
      [pointer],
    ]);
  }
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
    work: {},
    closed_at: null,
    carrier: { name: 'FORM  mutual', phone: '850-555-0100', email: 'other@form.example' },
    coverages: { building_limit: 250000, special_limits_cap: 2500 },
  });
  expect((await app(person, 'GET', '/claims')).json.data).toContainEqual(shown.json);
  const capped = await offered(firm, person, { coverages: { special_limits_cap: 0 } });
  expect((await app(person, 'GET', `/claims/${capped}`)).json.coverages).toEqual({ special_limits_cap: 0 });
  const bare = await offered(firm, person);
  expect((await app(person, 'GET', `/claims/${bare}`)).json.coverages).toEqual({ special_limits_cap: 2500 });
});

test('an offer that was answered or closed is no longer pending', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const acceptedId = await accepted(firm, person);
  const rejectedId = await offered(firm, person);
  const reason = '😀'.repeat(1000);
  const rejected = await app(person, 'POST', `/claims/${rejectedId}/rejection`, { reason });
  expect([rejected.status, rejected.json.assignment.rejection_reason]).toEqual([200, reason]);
  for (const id of [acceptedId, rejectedId]) {
    const before = await seen(firm, id);
    expectProblem(await app(person, 'POST', `/claims/${id}/acceptance`), 409, 'offer_not_pending');
    expectProblem(await app(person, 'POST', `/claims/${id}/rejection`, {}), 409, 'offer_not_pending');
    expect((await seen(firm, id)).json).toEqual(before.json);
  }
  const closed = await offered(firm, person);
  await service.service.services.get('operatorUseCases').closeClaimAsOperator(closed as ClaimId);
  expectProblem(await app(person, 'POST', `/claims/${closed}/acceptance`), 409, 'offer_not_pending');
  expectProblem(await app(person, 'POST', `/claims/${closed}/rejection`), 409, 'offer_not_pending');
});

test('a rejection needs neither reason nor body; a reason must have 1 to 1000 characters', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  for (const body of [undefined, {}]) {
    const id = await offered(firm, person);
    const response = await app(person, 'POST', `/claims/${id}/rejection`, body);
    expect([response.status, response.json.assignment]).toEqual([
      200,
      {
        status: 'rejected',
        adjuster_svc_id: person.svcId,
        responded_at: new Date(now).toISOString(),
        rejection_reason: null,
      },
    ]);
  }
  const id = await offered(firm, person);
  for (const reason of ['', 'r'.repeat(1001), null, 5])
    expectProblem(await app(person, 'POST', `/claims/${id}/rejection`, { reason }), 422, 'validation_failed');
});

test("another adjuster's claims, invitations and memberships are not found", async () => {
  const firm = await service.firm();
  const owner = await service.member(firm);
  const [member, outsider] = [await service.member(firm), await service.adjuster()];
  const invited = await service.adjuster();
  await invite(firm, invited.svcId);
  const pendingId = await offered(firm, owner);
  const acceptedId = await accepted(firm, owner);
  for (const stranger of [member, outsider]) {
    for (const id of [pendingId, acceptedId, UNKNOWN]) {
      for (const [method, path, body] of CLAIM_CALLS(id))
        expectProblem(await app(stranger, method, path, body), 404, 'not_found');
    }
    for (const status of ['pending_acceptance', 'accepted', 'closed'])
      expect((await app(stranger, 'GET', `/claims?status=${status}`)).json.data).toEqual([]);
    expect((await app(stranger, 'GET', '/invitations')).json.data).toEqual([]);
    expectProblem(await app(stranger, 'POST', `/invitations/${firm.id}/acceptance`), 404, 'not_found');
  }
  const membership = `/firms/${firm.id}/membership`;
  expectProblem(await app(outsider, 'DELETE', membership), 404, 'not_found');
  expectProblem(await app(outsider, 'PATCH', membership, { accepting_assignments: false }), 404, 'not_found');
});

test('work entries are shown in the app, can be cleared, and change nothing for the firm', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const id = await accepted(firm, person, { contact_date: '2026-02-01' });
  const before = (await seen(firm, id)).text;
  now += 1000;
  const path = `/claims/${id}/work`;
  const dates = { contact_date: '2026-03-01', inspection_date: '2026-03-04' };
  const dated = await app(person, 'PATCH', path, dates);
  expect([dated.status, dated.json.work, dated.json.contact_date]).toEqual([200, dates, '2026-02-01']);
  const noted = await app(person, 'PATCH', path, { notes: 'Water line 14 in. 😀' });
  expect(noted.json.work).toEqual({ ...dates, notes: 'Water line 14 in. 😀' });
  expect((await app(person, 'PATCH', path, {})).json.work).toEqual(noted.json.work);
  expect((await seen(firm, id)).text).toBe(before);
  expect((await service.call('GET', '/v1/claims', { as: firm.live })).text).not.toContain('Water line');

  for (const body of [
    { contact_date: '2026-02-30' },
    { inspection_date: '03/04/2026' },
    { notes: '' },
    { notes: 'n'.repeat(4001) },
    { claim_number: 'x' },
  ]) {
    expectProblem(await app(person, 'PATCH', path, body), 422, 'validation_failed');
  }
  const cleared = await app(person, 'PATCH', path, { contact_date: null, notes: null });
  expect([cleared.status, cleared.json.work]).toEqual([200, { inspection_date: dates.inspection_date }]);
  expect((await app(person, 'GET', `/claims/${id}`)).json.work).toEqual(cleared.json.work);
  const pendingId = await offered(firm, person);
  expectProblem(
    await app(person, 'PATCH', `/claims/${pendingId}/work`, { notes: 'n' }),
    409,
    'offer_not_pending',
  );
});

test('closing a claim is permanent, frees the claim number and is not visible to the firm', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const number = { claim_number: 'FLD-CLOSE' };
  const id = await accepted(firm, person, number);
  const before = (await seen(firm, id)).text;
  const duplicate = await sendClaim(service, firm.live, claimBody(person.svcId, number));
  expectProblem(duplicate, 409, 'duplicate_claim');

  now += 1000;
  const closed = await app(person, 'POST', `/claims/${id}/closure`);
  expect([closed.status, closed.json.closed_at]).toEqual([200, new Date(now).toISOString()]);
  now += 1000;
  const again = await app(person, 'POST', `/claims/${id}/closure`);
  expect([again.status, again.json]).toEqual([200, closed.json]);
  expect((await seen(firm, id)).text).toBe(before);
  expect((await service.call('GET', '/v1/claims', { as: firm.live })).text).not.toContain('closed');

  expect((await app(person, 'GET', '/claims?status=accepted')).json.data).toEqual([]);
  expect((await app(person, 'GET', '/claims?status=closed')).json.data).toEqual([closed.json]);
  expect((await app(person, 'GET', `/claims/${id}`)).json).toEqual(closed.json);
  expectProblem(
    await app(person, 'PATCH', `/claims/${id}/work`, { notes: 'late' }),
    409,
    'offer_not_pending',
  );
  const other = await service.member(firm);
  expectProblem(await offer(firm, id, other.svcId), 409, 'claim_already_accepted');

  await offered(firm, person, number);
  const pendingId = await offered(firm, person);
  expectProblem(await app(person, 'POST', `/claims/${pendingId}/closure`), 409, 'offer_not_pending');
});

test('lists are filtered by status, oldest offer first, and pages neither miss nor repeat a claim', async () => {
  const firms = [await service.firm(), await service.firm()] as const;
  const person = await service.adjuster();
  for (const firm of firms)
    await service.service.services.get('operatorUseCases').addMember(firm.id, person.svcId);
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) {
    if (i % 3 === 0) now += 1;
    ids.push(await offered(i % 2 === 0 ? firms[0] : firms[1], person));
  }
  const walk = async (query: string, limit = 3): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await app(person, 'GET', `/claims?limit=${limit}${query}${cursor}`);
      expect(page.status).toBe(200);
      expect(page.json.data.length).toBeLessThanOrEqual(limit);
      found.push(...idsOf(page));
      if (page.json.next_cursor === null) return found;
      cursor = `&cursor=${page.json.next_cursor}`;
    }
  };
  const pending = await walk('');
  expect([...pending].sort()).toEqual([...ids].sort());
  expect(await walk('&status=pending_acceptance')).toEqual(pending);
  expect(await walk('&status=accepted')).toEqual([]);
  const times = (await app(person, 'GET', '/claims')).json.data.map(
    ({ offered_at }: { offered_at: string }) => offered_at,
  );
  expect(times).toEqual([...times].sort());

  for (const id of ids.slice(0, 4)) await app(person, 'POST', `/claims/${id}/acceptance`);
  for (const id of ids.slice(0, 2)) await app(person, 'POST', `/claims/${id}/closure`);
  expect((await walk('&status=accepted')).sort()).toEqual(ids.slice(2, 4).sort());
  expect((await walk('&status=closed', 1)).sort()).toEqual(ids.slice(0, 2).sort());
  expect((await walk('')).sort()).toEqual(ids.slice(4).sort());

  for (const query of [
    'status=rejected',
    'status=',
    'limit=201',
    'cursor=x',
    'updated_since=yesterday',
    'assignment_status=accepted',
  ]) {
    expectProblem(await app(person, 'GET', `/claims?${query}`), 422, 'validation_failed');
  }
});

test('a cursor is valid only for its list, filter and reader', async () => {
  const firm = await service.firm();
  const [person, other] = [await service.member(firm), await service.member(firm)];
  for (let i = 0; i < 3; i++) await offered(firm, person);
  const cursor: string = (await app(person, 'GET', '/claims?limit=1')).json.next_cursor;
  expect((await app(person, 'GET', `/claims?cursor=${cursor}`)).json.data).toHaveLength(2);
  for (const response of [
    await app(other, 'GET', `/claims?cursor=${cursor}`),
    await app(person, 'GET', `/claims?status=accepted&cursor=${cursor}`),
    await app(person, 'GET', `/invitations?cursor=${cursor}`),
    await service.call('GET', `/v1/claims?cursor=${cursor}`, { as: firm.live }),
  ]) {
    expectProblem(response, 422, 'validation_failed');
    expect(response.json.errors).toEqual([{ detail: expect.any(String), parameter: 'cursor' }]);
  }
});

test('invitations are paginated', async () => {
  const person = await service.adjuster();
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    const firm = await service.firm();
    ids.push(firm.id);
    await invite(firm, person.svcId);
    now += 5;
  }
  const found: string[] = [];
  let cursor = '';
  for (let page = 0; page < 3; page++) {
    const { json } = await app(person, 'GET', `/invitations?limit=1${cursor}`);
    found.push(json.data[0].firm_id);
    expect(json.next_cursor === null).toBe(page === 2);
    cursor = `&cursor=${json.next_cursor}`;
  }
  expect(found).toEqual(ids);
});

test('a contact beyond the limit of the log is an error, and none that was logged is lost', async () => {
  const firm = await service.firm();
  const person = await service.member(firm);
  const id = await accepted(firm, person);
  const at = new Date(now).toISOString();
  const log = (contact: string, note: string) =>
    app(person, 'PUT', `/claims/${id}/contacts/${contact}`, { at, result: 'no_answer', note });
  for (let n = 0; n < LIMITS.contactsPerClaim; n += 1) expect((await log(`c${n}`, 'n')).status).toBe(200);
  const further = await log('further', 'n');
  expectProblem(further, 422, 'validation_failed');
  const detail =
    'The claim has 200 contacts, the most that are stored. Replace one by its id, or use the notes.';
  expect(further.json.errors).toEqual([{ detail, pointer: '' }]);
  const { contacts } = (await log('c0', 'corrected')).json.work;
  expect(contacts).toHaveLength(LIMITS.contactsPerClaim);
  expect(contacts.filter(({ note }: { note: string }) => note === 'corrected')).toMatchObject([{ id: 'c0' }]);
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

test('an adjuster can register, replace and remove a device repeatedly', async () => {
  const [person, other] = [await service.adjuster(), await service.adjuster()];
  const subscription = (endpoint: string) => ({
    subscription: {
      endpoint,
      expirationTime: null,
      keys: { p256dh: 'BNcRdreALRFXTkOO', auth: 'tBHItJI5svbpez7K' },
    },
  });
  const devices = (svcId: Svcid) => service.service.services.get('jobReads').devices(svcId, now);
  const path = '/devices/phone%20one';
  for (const number of [1, 2, 2]) {
    const put = await app(person, 'PUT', path, subscription(`https://push.example.net/${number}`));
    expect([put.status, put.text]).toEqual([204, '']);
  }
  expect(await devices(person.svcId)).toMatchObject([
    { deviceId: 'phone one', subscription: { endpoint: 'https://push.example.net/2' } },
  ]);
  // Device ids are separate for each account.
  await app(other, 'PUT', path, subscription('https://push.example.net/3'));
  expect((await app(other, 'DELETE', path)).status).toBe(204);
  expect(await devices(person.svcId)).toHaveLength(1);

  const preferences = {
    time_zone: 'America/Chicago',
    quiet_hours: { start: '21:00', end: '06:30' },
    deadline_reminders: true,
  };
  const set = (body: unknown, device = path) => app(person, 'PUT', `${device}/preferences`, body);
  expect((await set(preferences)).status).toBe(204);
  // Registering a device again keeps them.
  await app(person, 'PUT', path, subscription('https://push.example.net/2'));
  expect(await devices(person.svcId)).toMatchObject([
    {
      deviceId: 'phone one',
      preferences: {
        timeZone: 'America/Chicago',
        quietHours: { start: '21:00', end: '06:30' },
        deadlineReminders: true,
      },
    },
  ]);
  for (const changes of [
    { time_zone: 'Mars' },
    { quiet_hours: { start: '9:00', end: '24:00' } },
    { more: 1 },
  ])
    expectProblem(await set({ ...preferences, ...changes }), 422, 'validation_failed');
  expectProblem(await set(preferences, '/devices/other'), 404, 'not_found');
  expectProblem(await app(person, 'POST', '/devices/other/test-notification'), 404, 'not_found');
  for (let twice = 0; twice < 2; twice++) expect((await app(person, 'DELETE', path)).status).toBe(204);
  expect(await devices(person.svcId)).toEqual([]);

  for (const body of [
    {},
    { subscription: {} },
    subscription('http://push.example.net/'),
    subscription('https://'),
    subscription('javascript:alert(1)'),
    { ...subscription('https://push.example.net/'), more: 1 },
  ]) {
    expectProblem(await app(person, 'PUT', path, body), 422, 'validation_failed');
  }
  const long = `/devices/${'d'.repeat(129)}`;
  expectProblem(
    await app(person, 'PUT', long, subscription('https://push.example.net/')),
    422,
    'validation_failed',
  );
});
