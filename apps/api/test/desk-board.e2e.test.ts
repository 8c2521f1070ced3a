import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { ClaimId } from '@svc/domain';
import { createFixedClock } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { startPushService } from '../../../packages/adapter-notifications/test/push-service.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import {
  acceptClaim,
  DAY,
  expectValidationErrors,
  freshKey,
  offerClaim,
  outcome,
  sentClaim,
} from './firm-calls.ts';
import {
  type ApiResponse,
  claimBody,
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

const HOUR = DAY / 24;
const clock = createFixedClock(Date.now());
let service: ServiceUnderTest;
let firm: TestFirm;
let dispatcher: string;
let adjuster: Awaited<ReturnType<ServiceUnderTest['member']>>;
beforeAll(async () => {
  service = await startServiceUnderTest({ clock });
  firm = await service.firm();
  dispatcher = await service.staff(firm, 'dispatcher');
  adjuster = await service.member(firm);
});
afterAll(() => service.stop());

const at = (ms: number): string => new Date(ms).toISOString();
const get = (path: string, as = dispatcher, headers = {}): Promise<ApiResponse> =>
  service.call('GET', `/firm/v1${path}`, { as, headers });
const post = (path: string, body: unknown, key = freshKey()): Promise<ApiResponse> =>
  service.call('POST', `/firm/v1${path}`, { as: dispatcher, body, headers: { 'Idempotency-Key': key } });
const idsOf = ({ json }: ApiResponse): string[] => json.data.map(({ id }: { id: string }) => id);

test('the board shows the claims of the environment, rejected ones first, with counts, and a page ends with a cursor of its filters', async () => {
  const own = await service.firm();
  const token = await service.staff(own, 'auditor');
  const { svcId, token: adjusters } = await service.member(own);
  await service.service.services.operatorUseCases.setOfferWait(own.id, 2);
  const rejected = await sentClaim(service, own.live, svcId);
  await service.call('POST', `/app/v1/claims/${rejected.id}/rejection`, {
    as: adjusters,
    body: { reason: 'Too far.' },
  });
  clock.advance(HOUR);
  const sentAt = clock.now();
  const late = await sentClaim(service, own.live, svcId);
  clock.advance(HOUR);
  const sent = await sentClaim(service, own.live, svcId);
  const test = await sentClaim(service, own.test, own.account.manual);
  clock.advance(HOUR);
  const first = await get('/claims?limit=1', token);
  expect(idsOf(first)).toEqual([rejected.id]);
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
  expect(idsOf(await get('/claims?environment=test&order=latest', token))).toEqual([test.id]);
  expect(idsOf(await get('/claims?order=latest', token))).toEqual([sent.id, late.id, rejected.id]);
  const numberEnd = late.claim_number.slice(-6);
  expect(idsOf(await get(`/claims?q=${numberEnd}&late=true`, token))).toEqual([late.id]);
  expect(idsOf(await get(`/claims?q=${late.external_id}`, token))).toEqual([late.id]);
  expect(idsOf(await get(`/claims?adjuster=${svcId}&status=rejected`, token))).toEqual([rejected.id]);
  for (const query of ['order=waiting&status=accepted', 'order=waiting&closed=true'])
    expectValidationErrors(await get(`/claims?${query}`, token), 'order');
  expectValidationErrors(await get('/claims?q=&closed=1&state=XX', token), 'q', 'closed', 'state');
});

test('a claim has every offer with its push, sight, answer and reason', async () => {
  const { svcId, token } = adjuster;
  const other = await service.member(firm);
  const offeredAt = clock.now();
  const claim = await sentClaim(service, firm.live, svcId);
  const seenAt = clock.advance(1000);
  await service.call('GET', `/app/v1/claims/${claim.id}`, { as: token });
  const respondedAt = clock.advance(1000);
  await service.call('POST', `/app/v1/claims/${claim.id}/rejection`, {
    as: token,
    body: { reason: 'Too far.' },
  });
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
  expect(read.json.claim).toEqual(
    (await service.call('GET', `/v1/claims/${claim.id}`, { as: firm.live })).json,
  );
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
  const name = 'Claims import';
  await service.call('PATCH', `/firm/v1/keys/${keyId}`, { as: admin, body: { name } });
  expect((await get(`/claims/${claim.id}`)).json.history[0].offered_by).toEqual({ ...offered_by, name });
  const offer = { adjuster_svc_id: svcId, updated_at: at(offeredAt) };
  expect((await post(`/claims/${claim.id}/assignment`, offer)).json).toMatchObject({
    code: 'claim_changed',
    detail: expect.stringContaining(`: key ${name} offered it to Jean Delacroix (${other.svcId}).`),
  });
  const { receipt } = (await get(`/claims/${claim.id}/receipt`)).json;
  const content = JSON.parse(Buffer.from(receipt.split('.')[1], 'base64url').toString());
  expect(content).toMatchObject({ claim_id: claim.id, status: 'accepted' });
  const rejecters = (await get(`/adjusters?for_claim=${claim.id}&limit=200`)).json.data
    .map((row: { svc_id: string; rejected_at: string | null }) => [row.svc_id, row.rejected_at])
    .filter(([id]: [string]) => id === svcId || id === other.svcId);
  expect(rejecters).toEqual([
    [other.svcId, null],
    [svcId, at(respondedAt)],
  ]);
  const stranger = await service.staff(await service.firm());
  for (const path of [
    `/claims/${claim.id}`,
    `/claims/${claim.id}/receipt`,
    `/adjusters?for_claim=${claim.id}`,
  ])
    expect(outcome(await get(path, stranger))).toEqual([404, 'not_found']);
  expectValidationErrors(await get('/adjusters?for_claim=1'), 'for_claim');
});

test('for a claim, adjusters are shown with miles that they share and warnings, and claims are spread over them', async () => {
  const own = await service.firm();
  const token = await service.staff(own, 'dispatcher');
  const [miami, sanibel] = [await service.member(own), await service.member(own)];
  const setUp = async ({ token: as }: { token: string }, body: object) => {
    const sharing = `/app/v1/firms/${own.id}/sharing`;
    expect(outcome(await service.call('PUT', sharing, { as, body: { work_area: true } }))).toEqual([200]);
    const { json } = await service.call('PATCH', '/app/v1/me/availability', { as, body });
    expect(json).toMatchObject(body);
  };
  await setUp(miami, { work_zip: '33130', max_open_offers: 1 });
  await setUp(sanibel, { work_zip: '33957-1234' });
  const loss_location = { street: '1420 Seagrape Ln', city: 'Fort Myers Beach', state: 'FL', zip: '33931' };
  const sent = await service.call('POST', '/v1/claims', {
    as: own.live,
    body: claimBody(miami.svcId, { loss_location }),
    headers: { 'Idempotency-Key': freshKey() },
  });
  const listed = (await get(`/adjusters?for_claim=${sent.json.id}`, token)).json.data;
  const seen = (svcId: string) => {
    const { distance, warnings, open_offers } = listed.find(
      (row: { svc_id: string }) => row.svc_id === svcId,
    );
    return { distance, warnings, open_offers };
  };
  expect(seen(miami.svcId)).toEqual({ distance: 115, warnings: ['limit_reached'], open_offers: 1 });
  expect(seen(sanibel.svcId)).toEqual({ distance: 12, warnings: [], open_offers: 0 });
  expect(JSON.stringify(listed)).not.toMatch(/33957|33130|max_open|away/);
  const spread = (body: unknown, as = token) =>
    service.call('POST', '/firm/v1/adjusters/spread', { as, body });
  const adjusters = [miami, sanibel].map(({ svcId }) => ({ svc_id: svcId }));
  const claims = [
    { id: 'row 2', zip: '33931', state: 'FL' },
    { id: 'row 3', zip: '33125', state: 'FL' },
  ];
  expect((await spread({ adjusters, claims })).json).toEqual({
    offers: [
      { id: 'row 2', adjuster_svc_id: sanibel.svcId, distance: 12, warnings: [] },
      {
        id: 'row 3',
        adjuster_svc_id: miami.svcId,
        distance: expect.any(Number),
        warnings: ['limit_reached'],
      },
    ],
  });
  expect(outcome(await spread({ adjusters: [{ svc_id: adjuster.svcId }], claims }))).toEqual([
    422,
    'adjuster_not_in_firm',
  ]);
  const developer = await service.staff(own, 'developer');
  expect(outcome(await spread({ adjusters, claims }, developer))).toEqual([403, 'insufficient_scope']);
  expectValidationErrors(
    await spread({ adjusters: [{}], claims: [{ id: '1', zip: 1, state: 'FL' }] }),
    ...['/adjusters/0/svc_id', '/claims/0/zip'],
  );
  const badZip = { as: miami.token, body: { work_zip: '331' } };
  expectValidationErrors(await service.call('PATCH', '/app/v1/me/availability', badZip), '/work_zip');
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
  expect(outcome(await post('/claims?environment=test', claimBody(svcId)))).toEqual([
    422,
    'adjuster_not_in_firm',
  ]);
  const inTest = await post('/claims?environment=test', claimBody(firm.account.manual));
  expect([inTest.status, inTest.json.test]).toEqual([201, true]);
  const other = await service.member(firm);
  const offer = { adjuster_svc_id: other.svcId };
  const offered = await post(`/claims/${sent.json.id}/assignment`, offer);
  expect([offered.status, offered.json.assignment.adjuster_svc_id]).toEqual([200, other.svcId]);
  expect(outcome(await post(`/claims/${inTest.json.id}/assignment`, offer))).toEqual([
    422,
    'environment_mismatch',
  ]);
  const withoutKey = await service.call('POST', '/firm/v1/claims', {
    as: dispatcher,
    body: claimBody(svcId),
  });
  expectValidationErrors(withoutKey, 'Idempotency-Key');
  const { entries } = await auditOf(firm);
  const acts = entries.filter(({ object }) => object === `claim:${sent.json.id}`);
  expect(acts.map(({ actor, action }) => [/^staff:/.test(actor), action])).toEqual(
    expect.arrayContaining([
      [true, 'claim.send'],
      [true, 'claim.offer'],
    ]),
  );
});

test('a claim is offered as it was seen at the desk only: the API of the firm has no such field', async () => {
  const claim = await sentClaim(service, firm.live, adjuster.svcId);
  const ofKey = await service.call('POST', `/v1/claims/${claim.id}/assignment`, {
    as: firm.live,
    body: { adjuster_svc_id: adjuster.svcId, updated_at: claim.updated_at },
    headers: { 'Idempotency-Key': freshKey() },
  });
  expectValidationErrors(ofKey, '/updated_at');
});

test('a dispatcher takes back an offer and closes claims; answers that come later get their receipt', async () => {
  const { svcId, token } = adjuster;
  const { id, updated_at } = await sentClaim(service, firm.live, svcId);
  const list = await service.call('GET', '/app/v1/claims', { as: token });
  const { offered_at } = list.json.data.find((claim: { id: string }) => claim.id === id);
  clock.advance(1000);
  const act = (path: string, body: unknown = undefined, as = dispatcher) =>
    service.call('POST', `/firm/v1/claims/${id}/${path}`, { as, body });
  for (const role of ['auditor', 'developer'] as const) {
    const token = await service.staff(firm, role);
    expect(outcome(await act('withdrawal', undefined, token))).toEqual([403, 'insufficient_scope']);
    expect(outcome(await act('closure', undefined, token))).toEqual([403, 'insufficient_scope']);
  }
  expectValidationErrors(
    await act('withdrawal', { updated_at: 'now', reason: 'x' }),
    '/updated_at',
    '/reason',
  );
  expectValidationErrors(await act('closure', { reason: ' '.repeat(1001) }), '/reason');
  const withdrawn = await act('withdrawal', { updated_at });
  const shown = (await service.call('GET', `/v1/claims/${id}`, { as: firm.live })).json;
  expect([withdrawn.status, withdrawn.json]).toEqual([200, shown]);
  expect(shown.assignment).toEqual({
    ...{ status: 'unassigned', adjuster_svc_id: svcId },
    ...{ responded_at: null, rejection_reason: null },
  });
  expect(Date.parse(shown.updated_at)).toBeGreaterThan(Date.parse(updated_at));
  expect(outcome(await act('withdrawal'))).toEqual([409, 'offer_not_pending']);
  expect(outcome(await service.call('GET', `/app/v1/claims/${id}`, { as: token }))).toEqual([
    404,
    'not_found',
  ]);
  const late = await service.call('POST', `/app/v1/claims/${id}/acceptance`, {
    as: token,
    body: { offered_at },
  });
  expect([...outcome(late), late.json.detail]).toEqual([
    ...[409, 'offer_not_pending'],
    'The firm has withdrawn this offer.',
  ]);
  const receipt = await service.call('GET', `/app/v1/claims/${id}/receipt?offered_at=${offered_at}`, {
    as: token,
  });
  const [, payload = ''] = receipt.json.receipt.split('.');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
    ...{ status: 'withdrawn', answered: null, late_answer: { answer: 'accept' } },
    decided_by: { rule: 'withdrawn_by_firm' },
  });
  await offerClaim(service, firm.live, id, svcId);
  await acceptClaim(service, token, id);
  expect(outcome(await act('withdrawal'))).toEqual([409, 'claim_already_accepted']);
  expect(outcome(await act('closure', { updated_at }))).toEqual([409, 'claim_changed']);
  const before = (await service.call('GET', `/v1/claims/${id}`, { as: firm.live })).json;
  const reason = 'Sent to us by mistake.';
  const closed_at = at(clock.now());
  for (const body of [{ reason }, undefined])
    expect((await act('closure', body)).json).toEqual({ ...before, closed_at });
  const who = { type: 'staff', id: expect.any(String), name: 'Priya Natarajan' };
  const { json } = await get(`/claims/${id}`);
  expect(json).toMatchObject({
    ...{ claim: before, closed_at, closed_by: who, closure_reason: reason },
    history: [
      { outcome: 'accepted', withdrawn_by: null },
      { outcome: 'withdrawn', withdrawn_by: who, ended_at: shown.updated_at },
    ],
  });
  const other = await service.staff(await service.firm());
  for (const path of ['withdrawal', 'closure'])
    expect(outcome(await act(path, undefined, other))).toEqual([404, 'not_found']);
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
  const tests = (await get('/adjusters?environment=test&limit=100', token)).json.data;
  expect(tests.every((row: { test: boolean }) => row.test)).toBe(true);
  const opened = await service.call('GET', '/app/v1/invitations', { as: invited.token });
  expect(Object.keys(opened.json.data[0])).not.toContain('seen_at');
  const again = (await get('/adjusters?limit=100', token)).json.data;
  expect(again.find((row: { svc_id: string }) => row.svc_id === invited.svcId)).toMatchObject({
    ...{ seen_at: at(clock.now()), reminded_at: null },
  });
  expect((await call('DELETE', `/${invited.svcId}`)).json).toMatchObject({ status: 'withdrawn' });
  expect(outcome(await call('DELETE', `/${svcId}`))).toEqual([404, 'not_found']);
  expect(outcome(await call('POST', '', { svc_id: own.account.new }))).toEqual([422, 'environment_mismatch']);
  expect(outcome(await call('POST', '?environment=test', { svc_id: own.account.new }))).toEqual([201]);
});

test('a list of adjusters is invited; each has an outcome, in the order of the list', async () => {
  const own = await service.firm();
  const [token, auditor] = [await service.staff(own, 'dispatcher'), await service.staff(own, 'auditor')];
  const { svcId: member } = await service.member(own);
  const [first, second] = [await service.adjuster(), await service.adjuster()];
  const call = (body: unknown, { as = token, query = '' } = {}) =>
    service.call('POST', `/firm/v1/adjusters/invitations/batch${query}`, { as, body });
  const outcomes = async (svc_ids: readonly string[], query?: string) =>
    (await call({ svc_ids }, { ...(query !== undefined && { query }) })).json.results.map(
      (result: { svc_id: string; outcome: string; status?: string }) => [
        result.svc_id,
        result.outcome,
        ...(result.status === undefined ? [] : [result.status]),
      ],
    );
  const list = [second.svcId, member, 'svc-nobody', first.svcId, second.svcId, own.account.new];
  const others = [
    [member, 'already_member', 'active'],
    ['svc-nobody', 'unknown_osaid'],
  ];
  const ends = [
    [second.svcId, 'duplicate'],
    [own.account.new, 'environment_mismatch'],
  ];
  expect(await outcomes(list)).toEqual([
    [second.svcId, 'invited', 'pending'],
    ...others,
    [first.svcId, 'invited', 'pending'],
    ...ends,
  ]);
  expect(await outcomes(list)).toEqual([
    [second.svcId, 'invitation_pending', 'pending'],
    ...others,
    [first.svcId, 'invitation_pending', 'pending'],
    ...ends,
  ]);
  expect(await outcomes([own.account.new], '?environment=test')).toEqual([
    [own.account.new, 'invited', 'pending'],
  ]);
  expect(await outcomes([])).toEqual([]);
  const app = await service.call('GET', '/app/v1/invitations', { as: first.token });
  expect(app.json.data).toHaveLength(1);

  const many = Array.from({ length: 501 }, (_, n) => `SVC-${n}`);
  for (const [svc_ids, pointer] of [
    [many, '/svc_ids'],
    ['SVC-1', '/svc_ids'],
    [[first.svcId, 7], '/svc_ids/1'],
    [[''], '/svc_ids/0'],
    [['x'.repeat(129)], '/svc_ids/0'],
    [['SVC\u0000'], '/svc_ids/0'],
    [['SVC-1', 'SVC\ud800'], '/svc_ids/1'],
  ] as const)
    expectValidationErrors(await call({ svc_ids }), pointer);
  expect((await call({ svc_ids: many.slice(1) })).json.results).toHaveLength(500);
  await eventually(async () => {
    const { data } = (await get('/audit?action=invitation.send', auditor)).json;
    const rejected = data
      .map((row: { outcome: string }) => row.outcome)
      .filter((each: string) => each !== 'ok');
    return ['unknown_osaid', 'already_member', 'environment_mismatch', 'invitation_pending'].every((code) =>
      rejected.includes(code),
    );
  });
  expect(outcome(await call({ svc_ids: [] }, { as: auditor }))).toEqual([403, 'insufficient_scope']);
});

test('the desk reads credentials of a member who shares them, and records who read them', async () => {
  const [own, other] = [await service.firm(), await service.firm()];
  const person = await service.member(own);
  const [token, stranger] = [await service.staff(own, 'auditor'), await service.staff(other, 'admin')];
  const licenses = [{ state: 'FL', kind: 'emergency', number: 'E-1', expires_on: '2099-12-31' }];
  const inFort = { street: '1420 Seagrape Ln', city: 'Fort Myers Beach', state: 'FL', zip: '33931' };
  const put = (path: string, body: object) =>
    service.call('PUT', `/app/v1${path}`, { as: person.token, body });
  await put('/me/credentials', { licenses });
  const read = async (as = token) => outcome(await get(`/adjusters/${person.svcId}/credentials`, as));
  const share = (sharing: object) => put(`/firms/${own.id}/sharing`, sharing);
  expect(await read()).toEqual([404, 'not_found']);
  await share({ work_area: true });
  expect(await read()).toEqual([404, 'not_found']);
  await share({ credentials: true });
  expect((await get(`/adjusters/${person.svcId}/credentials`, token)).json).toEqual({ licenses });
  expect((await get('/adjusters', token)).json.data).toContainEqual(
    expect.objectContaining({ svc_id: person.svcId, shares_credentials: true }),
  );
  const [inTexas, inFlorida] = [
    await sentClaim(service, own.live, person.svcId, { loss_location: { ...inFort, state: 'TX' } }),
    await sentClaim(service, own.live, person.svcId, { loss_location: inFort }),
  ];
  const warnings = async (claimId: string) =>
    (await get(`/adjusters?for_claim=${claimId}`, token)).json.data.find(
      ({ svc_id }: { svc_id: string }) => svc_id === person.svcId,
    ).warnings;
  expect([await warnings(inTexas.id), await warnings(inFlorida.id)]).toEqual([['license_missing'], []]);
  expect(await read(stranger)).toEqual([404, 'not_found']);
  expect(await read(await service.staff(own, 'developer'))).toEqual([403, 'insufficient_scope']);
  await eventually(async () => {
    const { data } = (await get('/audit?action=credentials.read', token)).json;
    return data.some(({ object }: { object: string }) => object === `adjuster:${person.svcId}`);
  });
  await put('/me/credentials', {});
  expect(await read()).toEqual([200]);
  await share({ credentials: false });
  expect(await read()).toEqual([404, 'not_found']);
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
  await sentClaim(service, own.live, svcId, { carrier: { name } });
  clock.advance(10_000);
  await acceptClaim(service, ofAdjuster, claim.id);
  const counts = { accepted: 1, rejected: 0, unassigned: 0, withdrawn: 0, closed: 0, pending: 1 };
  const contacts = { contacts_shared: 0, contacts_in_time: 0, contacts_late: 0 };
  const times = { median_answer_seconds: 10, p90_answer_seconds: 10, ...contacts };
  const row = { group: name, label: name, offers: 2, ...counts, ...times };
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
      `"'=HYPERLINK(""x""), Inc.","'=HYPERLINK(""x""), Inc.",2,1,0,0,0,0,1,10,10,0,0,0\r\n`,
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

test('the clocks are read by who reads claims and set by administrators, each bad rule with its place, and a later edit of the same rules is refused', async () => {
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
  for (const role of ['dispatcher', 'auditor'] as const) {
    const token = await service.staff(own, role);
    expect((await service.call('GET', CLOCKS, { as: token })).json).toEqual(first.json);
    expect(outcome(await put({ rules: [] }, token))).toEqual([403, 'insufficient_scope']);
  }
  const developer = await service.staff(own, 'developer');
  expect(outcome(await service.call('GET', CLOCKS, { as: developer }))).toEqual([403, 'insufficient_scope']);
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ carrier: 'Bayou' }, '/rules/0'],
    [{ carrier: ' ', contact_hours: 1 }, '/rules/0/carrier'],
    [{ contact_hours: 0 }, '/rules/0/contact_hours'],
    [{ contact_hours: 1.5 }, '/rules/0/contact_hours'],
    [{ contact_hours: '12' }, '/rules/0/contact_hours'],
    [{ report_days: 366 }, '/rules/0/report_days'],
    [{ contact_hours: null }, '/rules/0/contact_hours'],
    [{ contact_hours: 1, notes: 'x' }, '/rules/0/notes'],
  ];
  for (const [rule, place] of wrong) expectValidationErrors(await put({ rules: [rule] }), place);
  const twice = [
    { carrier: 'Bayou', contact_hours: 1 },
    { carrier: 'BAYOU ', report_days: 1 },
  ];
  expectValidationErrors(await put({ rules: twice }), '/rules');
  expectValidationErrors(await put({ rules: Array.from({ length: 101 }, () => rules[1]) }), '/rules');
  expectValidationErrors(await put({ rules, time_zone: 'Mars' }), '/time_zone');
  expectValidationErrors(await put({}), '/rules');
  expect((await service.call('GET', CLOCKS, { as: another })).json).toEqual(first.json);
  const stranger = await service.staff(await service.firm(), 'admin');
  expect((await service.call('GET', CLOCKS, { as: stranger })).json.rules).toEqual([]);
});

test('first contact and inspection are seen by consent alone: on the claim, the board, the report and the receipt, and nowhere after it is withdrawn', async () => {
  const own = await service.firm();
  const token = await service.staff(own, 'admin');
  const person = await service.member(own);
  const carrier = { name: 'Bayou Mutual' };
  const rule = { carrier: 'BAYOU mutual', contact_hours: 2 };
  await service.call('PUT', CLOCKS, { as: token, body: { rules: [rule] } });
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
  expect((await app('GET', `/claims/${contacted}`)).json.clocks).toEqual({
    contact_hours: 2,
    time_zone: 'UTC',
  });
  clock.advance(3 * HOUR);
  const receivedAt = clock.now();
  const deviceAt = acceptedAt + HOUR;
  const entry = { at: at(deviceAt), result: 'reached', note: 'NOTE-SECRET 850-555-0199' };
  expect((await app('PUT', `/claims/${contacted}/contacts/c1`, entry)).json.work.contacts).toEqual([
    { id: 'c1', ...entry, received_at: at(receivedAt) },
  ]);
  await app('PATCH', `/claims/${contacted}/work`, { notes: 'NOTE-SECRET' });

  const views = async () => {
    const [claim, other] = await Promise.all(ids.map((id) => get(`/claims/${id}`, token)));
    const board = await get('/claims?status=accepted', token);
    const late = await get('/claims?clock_late=true', token);
    const report = await get('/reports/answers?by=adjuster', token);
    const receipt = await get(`/claims/${contacted}/receipt`, token);
    const [, payload = ''] = receipt.json.receipt.split('.');
    const content = Buffer.from(payload, 'base64url').toString();
    for (const { text } of [claim, board, late, report].flatMap((each) => each ?? []))
      expect(text).not.toMatch(/SECRET|850-555-0199/);
    expect(content).not.toMatch(/SECRET|850-555-0199/);
    const { contacts_shared, contacts_in_time, contacts_late } = report.json.total;
    return {
      claim: claim?.json.clocks,
      other: other?.json.clocks,
      rows: board.json.data.map((row: { clocks: unknown }) => row.clocks !== null),
      late: idsOf(late),
      report: [contacts_shared, contacts_in_time, contacts_late],
      receipt: JSON.parse(content).clocks,
    };
  };
  const hidden = {
    ...{ claim: null, other: null, rows: [false, false], late: [], report: [0, 0, 0], receipt: null },
  };
  expect(await views()).toEqual(hidden);
  const share = (clocks: boolean) => app('PUT', `/firms/${own.id}/sharing`, { clocks });
  await share(true);
  const due_at = at(acceptedAt + 2 * HOUR);
  const none = { at: null, device_at: null, date: null };
  const reached = { at: at(receivedAt), device_at: at(deviceAt), date: null };
  expect(await views()).toEqual({
    claim: {
      first_contact: { ...reached, due_at, late: false },
      inspection: { ...none, due_at: at(deviceAt + 48 * HOUR), late: false },
      report_due_at: at(acceptedAt + 15 * DAY),
    },
    other: {
      first_contact: { ...none, due_at, late: true },
      inspection: { ...none, due_at: null, late: false },
      report_due_at: at(acceptedAt + 15 * DAY),
    },
    rows: [true, true],
    late: [silent],
    report: [2, 1, 1],
    receipt: { first_contact: reached, inspection: null },
  });
  await share(false);
  expect(await views()).toEqual(hidden);
});

test('an adjuster with a device is reminded of offers that wait as long as the firm waits, also of those made before it said so', async () => {
  // The queue has the time of the database, for which this is due.
  const earlier = await startServiceUnderTest({ clock: createFixedClock(Date.now() - 5 * HOUR) });
  const push = await startPushService();
  try {
    const own = await earlier.firm();
    const [{ svcId, token }, unreachable] = [await earlier.member(own), await earlier.member(own)];
    const { subscription } = push.device();
    await earlier.call('PUT', '/app/v1/devices/phone', { as: token, body: { subscription } });
    const as = await earlier.staff(own, 'dispatcher');
    const services = earlier.service.services;
    const before = await sentClaim(earlier, own.live, svcId);
    const unheard = await sentClaim(earlier, own.live, unreachable.svcId);
    const jobsDone = async () => {
      for (const { id } of [before, unheard])
        await eventually(
          () => services.operatorReads.jobsOfClaim(id as ClaimId),
          (jobs) => jobs.length === 0,
        );
    };
    await jobsDone();
    await services.operatorUseCases.setOfferWait(own.id, 2);
    for (const { id } of [before, await sentClaim(earlier, own.live, svcId)]) {
      const { json } = await eventually(
        () => earlier.call('GET', `/firm/v1/claims/${id}`, { as }),
        ({ json: claim }) => claim.history[0].reminded_at !== null,
      );
      expect(json.history[0].outcome).toBe('pending');
    }
    await jobsDone();
    const { json } = await earlier.call('GET', `/firm/v1/claims/${unheard.id}`, { as });
    expect(json.history[0]).toMatchObject({ outcome: 'pending', reminded_at: null });
  } finally {
    await push.stop();
    await earlier.stop();
  }
});

test('live updates end when the reader has another role, and begin again only if it may read claims', async () => {
  const operator = operatorOf(service.service.services);
  const { id, token } = await operator.staff(firm.id, 'dispatcher');
  const as = await service.staff(firm, 'admin');
  const open = () =>
    fetch(`${service.url}/firm/v1/changes`, { headers: { Authorization: `Bearer ${token}` } });
  for (const [role, status] of [
    ['auditor', 200],
    ['developer', 403],
  ] as const) {
    const stream = await open();
    expect(stream.status).toBe(200);
    await service.call('PATCH', `/firm/v1/staff/${id}`, { as, body: { role } });
    expect(await stream.text()).not.toContain('signed-out');
    const again = await open();
    expect(again.status).toBe(status);
    await again.body?.cancel();
  }
  await eventually(
    () => auditOf(firm),
    ({ entries }) =>
      entries.some(
        ({ actor, action, outcome }) =>
          actor === `staff:${id}` && action === 'claims.read' && outcome === 'insufficient_scope',
      ),
  );
});

test('live updates take no parameters, and name each one that was sent', async () => {
  const refused = await fetch(`${service.url}/firm/v1/changes?environment=bogus&foo=1`, {
    headers: { Authorization: `Bearer ${dispatcher}` },
  });
  expect([refused.status, await refused.json()]).toMatchObject([
    422,
    { code: 'validation_failed', errors: [{ parameter: 'environment' }, { parameter: 'foo' }] },
  ]);
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

const auditOf = async (of: TestFirm) => {
  const reads = service.service.services.auditReads;
  const rows = await reads.rows(of.id, { after: 0, limit: 10_000 });
  // A row has one event, or an array of them.
  const entries = rows.flatMap(
    ({ text }) => JSON.parse(text) as { actor: string; action: string; object: string; outcome: string },
  );
  return { entries };
};

test('while a process has as many live updates as it can, another gets 503 with Retry-After and requests are served', async () => {
  const as = await service.staff(firm, 'auditor');
  const limit = service.service.services.streamLimit;
  const streams: readonly [string, Record<string, string>][] = [
    ['/firm/v1/changes', { Authorization: `Bearer ${as}` }],
    ['/app/events', { Cookie: `svc-session=${adjuster.token}` }],
  ];
  let others = 0;
  while (limit.add()) others += 1;
  try {
    for (const [path, headers] of streams) {
      const refused = await fetch(`${service.url}${path}`, { headers });
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1']);
    }
    expect((await service.call('GET', '/firm/v1/claims', { as })).status).toBe(200);
  } finally {
    for (; others > 0; others -= 1) limit.remove();
  }
});
