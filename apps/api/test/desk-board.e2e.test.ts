import { isDeepStrictEqual } from 'node:util';
import { expect, jest, test } from '@jest/globals';
import { storedAuditEntries } from '@svc/application';
import { createFixedClock } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { operatorOf } from '../../../tools/services/operator.ts';
import {
  acceptClaim,
  DAY,
  expectValidationErrors,
  freshKey,
  getClaim,
  leaveFirm,
  offerClaim,
  outcome,
  rejectClaim,
  sentClaim,
} from './firm-calls.ts';
import { type ApiResponse, claimBody, startServiceUnderTest, type TestFirm } from './service-under-test.ts';

const HOUR = DAY / 24;
const clock = createFixedClock(Date.now());
const service = await startServiceUnderTest({ clock });
const firm = await service.firm();
const { id: staffId, token: dispatcher } = await operatorOf(service.service.services).staff(
  firm.id,
  'dispatcher',
);
const adjuster = await service.member(firm);

const at = (ms: number): string => new Date(ms).toISOString();
const get = (path: string, as = dispatcher, headers = {}): Promise<ApiResponse> =>
  service.call('GET', `/firm/v1${path}`, { as, headers });
const post = (path: string, body: unknown, key = freshKey()): Promise<ApiResponse> =>
  service.call('POST', `/firm/v1${path}`, { as: dispatcher, body, headers: { 'Idempotency-Key': key } });
/** Waits for it; reads and failures are recorded in batches. */
const recorded = (of: TestFirm, event: Readonly<Record<string, string>>) =>
  eventually(
    async () => {
      const rows = await service.service.services.auditReads.latest(of.id, { limit: 1000 });
      return rows.flatMap(({ text }) => storedAuditEntries(text));
    },
    (entries) => entries.some((entry) => isDeepStrictEqual({ ...entry, ...event }, entry)),
  );
const contentOf = ({ json }: ApiResponse) =>
  JSON.parse(Buffer.from(json.receipt.split('.')[1], 'base64url').toString());
const idsOf = ({ json }: ApiResponse): string[] => json.data.map(({ id }: { id: string }) => id);

test('the board shows the claims of the environment, rejected ones first, with counts, and a page ends with a cursor of its filters', async () => {
  const own = await service.firm();
  const token = await service.staff(own, 'auditor');
  const { svcId, token: adjusters } = await service.member(own);
  await service.service.services.setOfferWait(own.id, 2);
  const rejected = await sentClaim(service, own.live, svcId);
  await rejectClaim(service, adjusters, rejected.id);
  clock.advance(HOUR);
  const sentAt = clock.now();
  const late = await sentClaim(service, own.live, svcId);
  clock.advance(HOUR);
  const sent = await sentClaim(service, own.live, svcId);
  const test = await sentClaim(service, own.test, own.account.manual);
  clock.advance(HOUR);
  const first = await get('/claims?limit=1', token);
  const rejectedAt = at(sentAt - HOUR);
  expect(first.json.data).toMatchObject([
    { id: rejected.id, status: 'rejected', responded_at: rejectedAt, waiting_since: rejectedAt, late: false },
  ]);
  expect(first.json.counts).toEqual({ waiting: 3, late: 1, rejected: 1, unassigned: 0 });
  expect((await get('/claims?late=true', token)).json.data).toEqual([
    {
      id: late.id,
      test: false,
      external_id: late.external_id,
      claim_number: late.claim_number,
      name: `${late.policyholder.first_name} ${late.policyholder.last_name}`,
      place: {
        street: late.loss_location.street,
        city: late.loss_location.city,
        state: late.loss_location.state,
        zip: late.loss_location.zip,
      },
      form_type: null,
      carrier: late.carrier.name,
      status: 'pending_acceptance',
      adjuster_svc_id: svcId,
      adjuster_name: 'Jean Delacroix',
      offered_at: at(sentAt),
      responded_at: null,
      waiting_since: at(sentAt),
      late: true,
      clocks: null,
      updated_at: late.updated_at,
      closed_at: null,
    },
  ]);
  const cursor = encodeURIComponent(first.json.next_cursor);
  const second = await get(`/claims?limit=2&cursor=${cursor}`, token);
  expect([idsOf(second), second.json]).toEqual([
    [late.id, sent.id],
    { data: expect.anything(), next_cursor: null },
  ]);
  const ofAdjuster = await get(`/claims?adjuster=${svcId}&order=waiting`, token);
  expect(idsOf(ofAdjuster)).toEqual([rejected.id, late.id, sent.id]);
  expectValidationErrors(await get(`/claims?limit=1&state=FL&cursor=${cursor}`, token), 'cursor');
  expectValidationErrors(await get(`/claims?cursor=${cursor}`), 'cursor');
  const ofTest = await get('/claims?environment=test', token);
  expect([idsOf(ofTest), ofTest.json.counts]).toMatchObject([[test.id], { waiting: 1 }]);
  const numberEnd = late.claim_number.slice(-6);
  expect(idsOf(await get(`/claims?q=${numberEnd}&late=true`, token))).toEqual([late.id]);
  expect(idsOf(await get('/claims?status=rejected&order=latest', token))).toEqual([rejected.id]);
  for (const query of ['order=waiting&status=accepted', 'order=waiting&closed=true'])
    expectValidationErrors(await get(`/claims?${query}`, token), 'order');
  expectValidationErrors(await get('/claims?q=&closed=1&state=XX', token), 'q', 'closed', 'state');
  // Of those who left, the firm sees the SVCID alone.
  await leaveFirm(service, adjusters, own.id);
  const left = await get(`/claims?adjuster=${svcId}&status=unassigned&order=latest`, token);
  expect(left.json.data).toMatchObject([{ adjuster_name: null }, { adjuster_name: null }]);
});

test('a claim has every offer with its push, sight, answer and reason', async () => {
  const { svcId, token } = adjuster;
  const other = await service.member(firm);
  const offeredAt = clock.now();
  const claim = await sentClaim(service, firm.live, svcId);
  const seenAt = clock.advance(1000);
  await service.call('GET', `/app/v1/claims/${claim.id}`, { as: token });
  const respondedAt = clock.advance(1000);
  await rejectClaim(service, token, claim.id, 'Too far.');
  const again = clock.advance(1000);
  await offerClaim(service, firm.live, claim.id, other.svcId);
  const answered = clock.advance(1000);
  await acceptClaim(service, other.token, claim.id);
  const read = await eventually(
    () => get(`/claims/${claim.id}`),
    ({ json }) => json.history[1]?.seen_at !== null,
  );
  const admin = await service.staff(firm);
  const [keyId] = (await service.call('GET', '/firm/v1/keys', { as: admin })).json.data
    .filter(({ environment }: { environment: string }) => environment === 'live')
    .map(({ id }: { id: string }) => id);
  const offered_by = { type: 'key', id: keyId, name: null };
  const unanswered = { seen_at: null, reminded_at: null, rejection_reason: null };
  const nothing = { offered_by, withdrawn_by: null, pushes: [], ...unanswered };
  expect(read.json).toMatchObject({ late: false, waiting_since: null, closed_at: null });
  expect(read.json.claim).toEqual((await getClaim(service, firm.live, claim.id)).json);
  expect(read.json.history).toEqual([
    {
      ...nothing,
      adjuster_svc_id: other.svcId,
      adjuster_name: 'Jean Delacroix',
      offered_at: at(again),
      outcome: 'accepted',
      responded_at: at(answered),
      ended_at: at(answered),
    },
    {
      ...nothing,
      adjuster_svc_id: svcId,
      adjuster_name: 'Jean Delacroix',
      offered_at: at(offeredAt),
      outcome: 'rejected',
      seen_at: at(seenAt),
      responded_at: at(respondedAt),
      rejection_reason: 'Too far.',
      ended_at: at(respondedAt),
    },
  ]);
  const { id: open } = await sentClaim(service, firm.live, svcId);
  const latest = async () => {
    const { history, waiting_since } = (await get(`/claims/${open}`)).json;
    return [history[0].outcome, history[0].ended_at, waiting_since];
  };
  expect(await latest()).toEqual(['pending', null, at(answered)]);
  const closedAt = at(clock.advance(1000));
  await service.service.services.closeClaimAsOperator(open);
  expect(await latest()).toEqual(['closed', closedAt, null]);
  const name = 'Claims import';
  await service.call('PATCH', `/firm/v1/keys/${keyId}`, { as: admin, body: { name } });
  expect((await get(`/claims/${claim.id}`)).json.history[0].offered_by).toEqual({ ...offered_by, name });
  const offer = { adjuster_svc_id: svcId, updated_at: at(offeredAt) };
  expect((await post(`/claims/${claim.id}/assignment`, offer)).json).toMatchObject({
    code: 'claim_changed',
    detail: expect.stringContaining(`: key ${name} offered it to Jean Delacroix (${other.svcId}).`),
  });
});

test('for a claim, adjusters are shown with miles and rejections, and claims are spread over them', async () => {
  const own = await service.firm();
  const token = await service.staff(own, 'dispatcher');
  const [sanibel, miami] = [await service.member(own), await service.member(own)];
  const setUp = async ({ token: as }: { token: string }, body: object) => {
    await service.call('PUT', `/app/v1/firms/${own.id}/sharing`, { as, body: { work_area: true } });
    const { json } = await service.call('PATCH', '/app/v1/me/availability', { as, body });
    expect(json).toMatchObject(body);
  };
  await setUp(miami, { work_zip: '33130', max_open_offers: 1 });
  await setUp(sanibel, { work_zip: '33957-1234', max_open_offers: 1 });
  const loss_location = { street: '1420 Seagrape Ln', city: 'Fort Myers Beach', state: 'FL', zip: '33931' };
  await sentClaim(service, own.live, miami.svcId);
  const { id } = await sentClaim(service, own.live, sanibel.svcId, { loss_location });
  const rejected_at = at(clock.now());
  await rejectClaim(service, sanibel.token, id);
  const listed = (await get(`/adjusters?for_claim=${id}`, token)).json.data;
  // Those who have rejected the claim are the last.
  expect(listed.filter(({ test }: { test: boolean }) => !test)).toMatchObject([
    {
      ...{ svc_id: miami.svcId, distance: 115, warnings: ['limit_reached'] },
      ...{ open_offers: 1, rejected_at: null },
    },
    { svc_id: sanibel.svcId, distance: 12, warnings: [], open_offers: 0, rejected_at },
  ]);
  expectValidationErrors(await get('/adjusters?for_claim=1'), 'for_claim');
  const ofClaim = await get(`/adjusters?limit=1&for_claim=${id}`, token);
  const others = `/adjusters?cursor=${encodeURIComponent(ofClaim.json.next_cursor)}`;
  expectValidationErrors(await get(others, token), 'cursor');

  const spread = (body: unknown) => service.call('POST', '/firm/v1/adjusters/spread', { as: token, body });
  const adjusters = [miami, sanibel].map(({ svcId }) => ({ svc_id: svcId }));
  const claims = [
    { id: 'row 2', zip: '33931', state: 'FL' },
    { id: 'row 3', zip: '33931', state: 'FL', rejected_by: sanibel.svcId },
    { id: 'row 4', zip: '33931', state: 'FL' },
  ];
  expect((await spread({ adjusters, claims })).json).toEqual({
    offers: [
      { id: 'row 2', adjuster_svc_id: sanibel.svcId, distance: 12, warnings: [] },
      { id: 'row 3', adjuster_svc_id: miami.svcId, distance: 115, warnings: ['limit_reached'] },
      { id: 'row 4', adjuster_svc_id: sanibel.svcId, distance: 12, warnings: ['limit_reached'] },
    ],
  });
  const given = [{ svc_id: miami.svcId }, { svc_id: sanibel.svcId, given: 2 }];
  const [next] = (await spread({ adjusters: given, claims: claims.slice(0, 1) })).json.offers;
  expect(next.adjuster_svc_id).toBe(miami.svcId);
  const stranger = [{ svc_id: adjuster.svcId }];
  expect(outcome(await spread({ adjusters: stranger, claims }))).toEqual([422, 'adjuster_not_in_firm']);
});

test('a dispatcher sends and offers claims as a key does, once for each Idempotency-Key', async () => {
  const { svcId } = adjuster;
  const body = claimBody(svcId);
  const key = freshKey();
  const sent = await post('/claims', body, key);
  expect(outcome(sent)).toEqual([201]);
  const repeated = await post('/claims', body, key);
  expect([repeated.status, repeated.json.id]).toEqual([201, sent.json.id]);
  expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
  expect(outcome(await post('/claims', body))).toEqual([409, 'duplicate_claim']);
  const inTest = await post('/claims?environment=test', claimBody(firm.account.manual));
  expect([inTest.status, inTest.json.test]).toEqual([201, true]);
  const toAnother = { adjuster_svc_id: firm.account.accepts };
  const moved = await post(`/claims/${inTest.json.id}/assignment?environment=test`, toAnother);
  expect(outcome(moved)).toEqual([200]);
  const offer = { adjuster_svc_id: svcId, updated_at: sent.json.updated_at };
  const offered = await post(`/claims/${sent.json.id}/assignment`, offer);
  expect([offered.status, offered.json.assignment.adjuster_svc_id]).toEqual([200, svcId]);
  // The API of the firm has no such field.
  const ofKey = await service.call('POST', `/v1/claims/${sent.json.id}/assignment`, {
    as: firm.live,
    body: offer,
    headers: { 'Idempotency-Key': freshKey() },
  });
  expectValidationErrors(ofKey, '/updated_at');
  const withoutKey = await service.call('POST', '/firm/v1/claims', {
    as: dispatcher,
    body: claimBody(svcId),
  });
  expectValidationErrors(withoutKey, 'Idempotency-Key');
  for (const action of ['claim.send', 'claim.offer'])
    await recorded(firm, { actor: `staff:${staffId}`, action, object: `claim:${sent.json.id}` });
});

test('a dispatcher takes back an offer and closes claims', async () => {
  const { svcId, token } = adjuster;
  const { id, updated_at } = await sentClaim(service, firm.live, svcId);
  const offered_at = at(clock.now());
  clock.advance(1000);
  const act = (path: string, body: unknown = undefined) =>
    service.call('POST', `/firm/v1/claims/${id}/${path}`, { as: dispatcher, body });
  const withdrawn = await act('withdrawal', { updated_at });
  const shown = await getClaim(service, firm.live, id);
  expect([withdrawn.status, withdrawn.text]).toEqual([200, shown.text]);
  expect(shown.json.assignment.status).toBe('unassigned');
  expect(outcome(await act('withdrawal'))).toEqual([409, 'offer_not_pending']);
  const late = await acceptClaim(service, token, id, offered_at);
  expect([...outcome(late), late.json.detail]).toEqual([
    ...[409, 'offer_not_pending'],
    'The firm has withdrawn this offer.',
  ]);
  const receipt = await service.call('GET', `/app/v1/claims/${id}/receipt?offered_at=${offered_at}`, {
    as: token,
  });
  expect(contentOf(receipt)).toMatchObject({
    ...{ status: 'withdrawn', answered: null, late_answer: { answer: 'accept', at: at(clock.now()) } },
    decided_by: { rule: 'withdrawn_by_firm' },
  });
  await offerClaim(service, firm.live, id, svcId);
  await acceptClaim(service, token, id);
  expect(outcome(await act('closure', { updated_at }))).toEqual([409, 'claim_changed']);
  const before = (await getClaim(service, firm.live, id)).json;
  const reason = 'Sent to us by mistake.';
  const closed_at = at(clock.now());
  for (const body of [{ reason }, undefined])
    expect((await act('closure', body)).json).toEqual({ ...before, closed_at });
  const who = { type: 'staff', id: expect.any(String), name: 'Priya Natarajan' };
  expect((await get(`/claims/${id}`)).json).toMatchObject({
    ...{ claim: before, closed_at, closed_by: who, closure_reason: reason },
    history: [
      { outcome: 'accepted', withdrawn_by: null },
      { outcome: 'withdrawn', withdrawn_by: who, ended_at: shown.json.updated_at },
    ],
  });
});

test('adjusters are listed with their open work, invited and their invitations withdrawn', async () => {
  const own = await service.firm();
  const token = await service.staff(own, 'dispatcher');
  const { svcId, token: ofAdjuster } = await service.member(own);
  const invited = await service.adjuster();
  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, `/firm/v1/adjusters/invitations${path}`, { as: token, body });
  expect((await call('POST', '', { svc_id: invited.svcId })).json).toMatchObject({ status: 'pending' });
  await sentClaim(service, own.live, svcId);
  const claim = await sentClaim(service, own.live, svcId);
  clock.advance(90_500);
  await acceptClaim(service, ofAdjuster, claim.id);
  const { json } = await get('/adjusters?limit=100', token);
  const recordOf = (id: string) => json.data.find((row: { svc_id: string }) => row.svc_id === id);
  expect(recordOf(svcId)).toMatchObject({
    status: 'active',
    name: 'Jean Delacroix',
    can_accept_claims: true,
    accepting_assignments: true,
    open_offers: 1,
    open_claims: 1,
    median_answer_seconds: 90.5,
  });
  expect(recordOf(invited.svcId)).toMatchObject({
    status: 'pending',
    name: null,
    ...{ seen_at: null, reminded_at: null },
    open_offers: 0,
    median_answer_seconds: null,
  });
  const opened = await service.call('GET', '/app/v1/invitations', { as: invited.token });
  expect(Object.keys(opened.json.data[0])).not.toContain('seen_at');
  const again = (await get('/adjusters?limit=100', token)).json.data;
  expect(again.find((row: { svc_id: string }) => row.svc_id === invited.svcId)).toMatchObject({
    ...{ seen_at: at(clock.now()), reminded_at: null },
  });
  expect((await call('DELETE', `/${invited.svcId}`)).json).toMatchObject({ status: 'withdrawn' });
  expect(outcome(await call('POST', '', { svc_id: own.account.new }))).toEqual([422, 'environment_mismatch']);
  expect(outcome(await call('POST', '?environment=test', { svc_id: own.account.new }))).toEqual([201]);
  expect((await call('DELETE', `/${own.account.new}?environment=test`)).status).toBe(200);
});

test('a list of adjusters is invited; each has an outcome, in the order of the list', async () => {
  const own = await service.firm();
  const token = await service.staff(own, 'dispatcher');
  const { svcId: member } = await service.member(own);
  const { svcId: first } = await service.adjuster();
  const outcomes = async (svc_ids: readonly string[], query = '') => {
    const path = `/firm/v1/adjusters/invitations/batch${query}`;
    const { json } = await service.call('POST', path, { as: token, body: { svc_ids } });
    return json.results.map(({ detail, ...result }: { detail: unknown }) => Object.values(result));
  };
  expect(await outcomes([first, member, 'svc-nobody', first, own.account.new])).toEqual([
    [first, 'invited', 'pending'],
    [member, 'already_member', 'active'],
    ['svc-nobody', 'unknown_osaid'],
    [first, 'duplicate'],
    [own.account.new, 'environment_mismatch'],
  ]);
  expect(await outcomes([first])).toEqual([[first, 'invitation_pending', 'pending']]);
  expect(await outcomes([own.account.new], '?environment=test')).toEqual([
    [own.account.new, 'invited', 'pending'],
  ]);

  for (const outcome of ['unknown_osaid', 'already_member', 'environment_mismatch', 'invitation_pending'])
    await recorded(own, { action: 'invitation.send', outcome });
});

test('the desk reads credentials of a member who shares them, and records who read them', async () => {
  const own = await service.firm();
  const person = await service.member(own);
  const token = await service.staff(own, 'auditor');
  const licenses = [{ state: 'FL', kind: 'emergency', number: 'E-1', expires_on: '2099-12-31' }];
  const put = (path: string, body: object) =>
    service.call('PUT', `/app/v1${path}`, { as: person.token, body });
  await put('/me/credentials', { licenses });
  const read = () => get(`/adjusters/${person.svcId}/credentials`, token);
  expect(outcome(await read())).toEqual([404, 'not_found']);
  await put(`/firms/${own.id}/sharing`, { credentials: true });
  expect((await read()).json).toEqual({ licenses });
  const { data } = (await get('/adjusters', token)).json;
  const listed = { svc_id: person.svcId, shares_credentials: true };
  expect(data).toContainEqual(expect.objectContaining(listed));
  await recorded(own, { action: 'credentials.read', object: `adjuster:${person.svcId}`, outcome: 'ok' });
});

test('the work of adjusters is counted for one request at a time', async () => {
  const reads = service.service.services.boardReads;
  const read = reads.work.bind(reads);
  let [running, most] = [0, 0];
  jest.spyOn(reads, 'work').mockImplementation(async (...asked) => {
    running += 1;
    most = Math.max(most, running);
    return read(...asked).finally(() => {
      running -= 1;
    });
  });
  try {
    const lists = await Promise.all([1, 2, 3, 4].map(() => get('/adjusters')));
    expect([most, ...lists.map(({ status }) => status)]).toEqual([1, 200, 200, 200, 200]);
  } finally {
    jest.restoreAllMocks();
  }
});

test('the report counts offers and times of answers, as JSON and as CSV that no spreadsheet runs', async () => {
  const own = await service.firm();
  const token = await service.staff(own, 'auditor');
  const { svcId, token: ofAdjuster } = await service.member(own);
  const name = '=HYPERLINK("x"), Inc.';
  const claim = await sentClaim(service, own.live, svcId, { carrier: { name } });
  const next = await sentClaim(service, own.live, svcId, { carrier: { name } });
  await sentClaim(service, own.live, svcId, { carrier: { name } });
  for (const { id } of [claim, next]) {
    clock.advance(10_000);
    await acceptClaim(service, ofAdjuster, id);
  }
  const counts = { accepted: 2, rejected: 0, unassigned: 0, withdrawn: 0, closed: 0, pending: 1 };
  const contacts = { contacts_shared: 0, contacts_in_time: 0, contacts_late: 0 };
  const times = { median_answer_seconds: 15, p90_answer_seconds: 19, ...contacts };
  const row = { group: name, label: name, offers: 3, ...counts, ...times };
  const until = clock.now() + 1;
  expect((await get('/reports/answers?by=carrier', token)).json).toEqual({
    since: at(until - 1 - 30 * DAY),
    until: at(until - 1),
    by: 'carrier',
    total: { ...row, group: '', label: '' },
    rows: [row],
  });
  const csv = await get('/reports/answers?by=carrier', token, { Accept: 'text/csv' });
  expect([csv.headers.get('Content-Type'), csv.text]).toEqual([
    'text/csv; charset=utf-8',
    'group,label,offers,accepted,rejected,unassigned,withdrawn,closed,pending,median_answer_seconds,p90_answer_seconds,contacts_shared,contacts_in_time,contacts_late\r\n' +
      `"'=HYPERLINK(""x""), Inc.","'=HYPERLINK(""x""), Inc.",3,2,0,0,0,0,1,15,19,0,0,0\r\n`,
  ]);
  const weekly = (await get('/reports/answers?by=week&time_zone=America/Chicago', token)).json;
  expect([weekly.time_zone, weekly.rows.at(-1)?.partial]).toEqual(['America/Chicago', true]);
  expect((await get('/reports/answers?by=week', token)).json.time_zone).toBe('UTC');
  const weeklyCsv = await get('/reports/answers?by=week', token, { Accept: 'text/csv' });
  expect(weeklyCsv.text).toMatch(/,contacts_late,partial\r\n.*,true\r\n/);
  expectValidationErrors(await get('/reports/answers?by=week&time_zone=Mars', token), 'time_zone');
  for (const since of [at(until + DAY), at(until - 401 * DAY)])
    expectValidationErrors(await get(`/reports/answers?by=week&since=${since}`, token), 'since');
  expectValidationErrors(await get('/reports/answers', token), 'by');
});

const CLOCKS = '/firm/v1/clocks';

test('the clocks are set as a whole, and a later edit of the same rules is refused', async () => {
  const own = await service.firm();
  const [admin, another] = [await service.staff(own, 'admin'), await service.staff(own, 'admin')];
  const put = (body: unknown, as = admin) => service.call('PUT', CLOCKS, { as, body });
  const rules = [
    { carrier: 'Palmetto Mutual', cat_code: 'FL26-09', contact_hours: 12, report_days: 3 },
    { inspection_hours: 72 },
  ];
  const empty = await service.call('GET', CLOCKS, { as: admin });
  expect(empty.json).toEqual({ rules: [], time_zone: 'UTC', version: expect.any(String) });
  const first = await put({ rules, time_zone: 'America/Chicago', based_on: empty.json.version });
  expect([first.status, first.json]).toEqual([
    200,
    { rules, time_zone: 'America/Chicago', version: expect.not.stringMatching(empty.json.version) },
  ]);
  expect(outcome(await put({ rules: [], based_on: empty.json.version }, another))).toEqual([
    409,
    'clocks_changed',
  ]);
  // As after a lost response, and from a client that does not say what it saw.
  expect((await put({ rules, based_on: empty.json.version })).json).toEqual(first.json);
  expect((await put({ rules })).json).toEqual(first.json);
  expectValidationErrors(
    await put({ rules: [{ carrier: 'Bayou' }], time_zone: 'Mars' }),
    '/rules/0',
    '/time_zone',
  );
  const twice = [
    { carrier: 'Bayou', contact_hours: 1 },
    { carrier: 'BAYOU ', report_days: 1 },
  ];
  expectValidationErrors(await put({ rules: twice }), '/rules');
  expect((await service.call('GET', CLOCKS, { as: another })).json).toEqual(first.json);
});

test('first contact and inspection, once they are shared, are on the claim, the board, the report and the receipt', async () => {
  const own = await service.firm();
  const token = await service.staff(own, 'admin');
  const person = await service.member(own);
  const carrier = { name: 'Bayou Mutual' };
  await service.call('PUT', CLOCKS, { as: token, body: { rules: [{ contact_hours: 2 }] } });
  const acceptedAt = clock.now();
  const ids: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const { id } = await sentClaim(service, own.live, person.svcId, { carrier });
    await acceptClaim(service, person.token, id);
    ids.push(id);
  }
  const [contacted = '', silent = ''] = ids;
  const app = (method: string, path: string, body?: unknown) =>
    service.call(method, `/app/v1${path}`, { as: person.token, ...(body !== undefined && { body }) });
  const shown = (await app('GET', `/claims/${contacted}`)).json.clocks;
  expect(shown).toEqual({ contact_hours: 2, time_zone: 'UTC' });
  clock.advance(3 * HOUR);
  const [receivedAt, deviceAt] = [clock.now(), acceptedAt + HOUR];
  const entry = { at: at(deviceAt), result: 'reached' };
  await app('PUT', `/claims/${contacted}/contacts/c1`, entry);
  expect((await get(`/claims/${contacted}`, token)).json.clocks).toBeNull();
  await app('PUT', `/firms/${own.id}/sharing`, { clocks: true });

  const due_at = at(acceptedAt + 2 * HOUR);
  const none = { at: null, device_at: null, date: null };
  const reached = { at: at(receivedAt), device_at: at(deviceAt), date: null };
  const report_due_at = at(acceptedAt + 15 * DAY);
  const ofSilent = {
    first_contact: { ...none, due_at, late: true },
    inspection: { ...none, due_at: null, late: false },
    report_due_at,
  };
  expect((await get(`/claims/${contacted}`, token)).json.clocks).toEqual({
    first_contact: { ...reached, due_at, late: false },
    inspection: { ...none, due_at: at(deviceAt + 48 * HOUR), late: false },
    report_due_at,
  });
  expect((await get('/claims?clock_late=true', token)).json.data).toMatchObject([
    { id: silent, clocks: ofSilent },
  ]);
  expect((await get('/reports/answers?by=adjuster', token)).json.total).toMatchObject({
    contacts_shared: 2,
    contacts_in_time: 1,
    contacts_late: 1,
  });
  const receipt = await get(`/claims/${contacted}/receipt`, token);
  expect(contentOf(receipt).clocks).toEqual({ first_contact: reached, inspection: null });
});

test('live updates tell an open desk of each change of its firm, and end with the session', async () => {
  const token = await service.staff(firm, 'auditor');
  const open = (headers: Record<string, string>) => fetch(`${service.url}/firm/v1/changes`, { headers });
  // As the page's EventSource, which sends its cookie alone; another site may not.
  const Cookie = `svc-staff-session=${token}`;
  expect((await open({ Cookie, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(401);
  const ofPage = await open({ Cookie, 'Sec-Fetch-Site': 'same-origin' });
  expect(ofPage.status).toBe(200);
  await ofPage.body?.cancel();
  expect((await open({ Authorization: `Bearer ${adjuster.token}` })).status).toBe(401);
  const as = await service.staff(firm, 'developer');
  expect((await open({ Authorization: `Bearer ${as}` })).status).toBe(403);
  await recorded(firm, { action: 'claims.read', outcome: 'insufficient_scope' });
  const sent = await fetch(`${service.url}/firm/v1/changes?environment=bogus&foo=1`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect([sent.status, await sent.json()]).toMatchObject([
    422,
    { code: 'validation_failed', errors: [{ parameter: 'environment' }, { parameter: 'foo' }] },
  ]);
  const stream = await open({ Authorization: `Bearer ${token}` });
  expect([stream.status, stream.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (pattern: RegExp): Promise<void> => {
    text = '';
    while (!pattern.test(text)) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`the stream ended after ${JSON.stringify(text)}`);
      text += value;
    }
  };
  await next(/event: changed\nid: \S+\n/);
  await sentClaim(service, firm.live, adjuster.svcId);
  await next(/event: changed\nid: \S+\n/);
  await service.call('DELETE', '/firm/v1/sessions/current', { as: token });
  await next(/event: signed-out\n/);
  const refused = await open({ Authorization: `Bearer ${token}` });
  expect([refused.status, (await refused.json()) as object]).toMatchObject([
    401,
    { code: 'invalid_session' },
  ]);
});
