import { afterAll, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { operatorOf } from '../../../tools/services/operator.ts';
import { withClient } from '../../../tools/services/postgres.ts';
import { expectProblem } from './problem-shape.ts';
import { type ApiResponse, claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';

const service = await startServiceUnderTest();
afterAll(() => service.stop());

const get = (path: string, as: string): Promise<ApiResponse> => service.call('GET', path, { as });
const post = (path: string, as: string, body?: object): Promise<ApiResponse> =>
  service.call('POST', path, { as, ...(body && { body }) });

/** The pages of a list, with this limit. */
async function everyPage(path: string, as: string, limit: number): Promise<ApiResponse['json'][]> {
  const items = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const joined = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
    const { json } = await get(cursor === '' ? joined : `${joined}&cursor=${cursor}`, as);
    expect(json.data.length).toBeLessThanOrEqual(limit);
    items.push(...json.data);
    cursor = json.next_cursor;
  }
  return items;
}

test('a developer creates, replaces and revokes keys of the firm, and sees each secret once', async () => {
  const [firm, other] = [await service.firm({ limited: true }), await service.firm()];
  const as = await service.staff(firm, 'developer');
  const created = await post('/firm/v1/keys', as, { environment: 'test', expires_in_days: 30 });
  expect([created.status, created.json.key]).toEqual([
    201,
    expect.objectContaining({
      environment: 'test',
      purpose: 'full_access',
      revoked_at: null,
      limits: { requests_per_minute: 60, writes_per_minute: 30, burst: 20 },
    }),
  ]);
  const { secret, key } = created.json;
  expect(secret).toMatch(/^svc_test_/);
  expect((await get('/v1/me', secret)).json.key.id).toBe(key.id);
  const rolled = await post(`/firm/v1/keys/${key.id}/roll`, as, { overlap_hours: 1 });
  expect(rolled.json.replaced.id).toBe(key.id);
  expect(Date.parse(rolled.json.replaced.expires_at)).toBeLessThan(Date.parse(key.expires_at));
  for (const each of [secret, rolled.json.secret]) expect((await get('/v1/me', each)).status).toBe(200);
  expect((await post(`/firm/v1/keys/${key.id}/revocation`, as)).json.revoked_at).toEqual(expect.any(String));
  await eventually(async () => (await get('/v1/me', secret)).status === 401);
  expectProblem(await post(`/firm/v1/keys/${key.id}/roll`, as), 422, 'validation_failed');
  const keys = await everyPage('/firm/v1/keys', as, 1);
  // The keys made by another process have times of another clock.
  const ids = [rolled.json.key.id, key.id];
  expect(keys.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids);
  expect(keys).toHaveLength(4);
  expect(JSON.stringify(keys)).not.toMatch(/svc_(test|live)_/);

  const [stranger] = (await get('/firm/v1/keys', await service.staff(other))).json.data;
  for (const action of ['roll', 'revocation'])
    expectProblem(await post(`/firm/v1/keys/${stranger.id}/${action}`, as), 404, 'not_found');
  const auditor = await service.staff(firm, 'auditor');
  expect((await get('/firm/v1/keys', auditor)).status).toBe(200);
  expectProblem(await post('/firm/v1/keys', auditor, { environment: 'test' }), 403, 'insufficient_scope');
  const { actions } = await operatorOf(service.service.services).audit(firm.id);
  for (const action of ['key.create', 'key.roll', 'key.revoke'])
    expect(actions).toContain(`${action} key:${key.id}`);
});

test('a developer may not create or replace a key that may do more, and an administrator sees whose keys stay', async () => {
  const firm = await service.firm();
  const operator = operatorOf(service.service.services);
  const [admin, second] = [await operator.staff(firm.id, 'admin'), await operator.staff(firm.id, 'admin')];
  const developer = await service.staff(firm, 'developer');
  expect((await get('/firm/v1/me', developer)).json.key_purposes).toEqual({
    live: [],
    test: ['full_access', 'claims', 'adjusters', 'read_only'],
  });
  const named = { environment: 'live', name: 'Claims import' };
  const { key } = (await post('/firm/v1/keys', second.token, named)).json;
  const second_person = { kind: 'staff', staff_id: second.id, name: expect.any(String) };
  expect(key).toMatchObject({ name: 'Claims import', created_by: second_person, attention: null });
  for (const purpose of ['full_access', 'claims', 'adjusters', 'read_only']) {
    const refused = await post('/firm/v1/keys', developer, { environment: 'live', purpose });
    expectProblem(refused, 403, 'insufficient_scope');
    expect(refused.json.detail).toContain('A key may do no more than the person who makes it.');
  }
  expectProblem(await post(`/firm/v1/keys/${key.id}/roll`, developer), 403, 'insufficient_scope');
  const renamed = await service.call('PATCH', `/firm/v1/keys/${key.id}`, {
    as: developer,
    body: { name: 'Import' },
  });
  expect([renamed.status, renamed.json.name]).toEqual([200, 'Import']);

  const people = async () => (await get('/firm/v1/staff', admin.token)).json.data;
  const workingKeys = async () =>
    (await people()).find(({ id }: { id: string }) => id === second.id)?.working_keys;
  expect(await workingKeys()).toBe(1);
  const patch = (body: object) =>
    service.call('PATCH', `/firm/v1/staff/${second.id}`, { as: admin.token, body });
  const ofKey = async () => (await get('/firm/v1/keys', admin.token)).json.data[0];
  await patch({ role: 'developer' });
  expect(await ofKey()).toMatchObject({ id: key.id, attention: 'maker_role_changed' });
  await service.call('DELETE', `/firm/v1/staff/${second.id}`, { as: admin.token });
  expect(await ofKey()).toMatchObject({
    attention: 'maker_removed',
    created_by: { ...second_person, name: key.created_by.name },
  });
  const revoked = await post('/firm/v1/keys/revocation', admin.token, { staff_id: second.id });
  expect([revoked.status, revoked.json.data.map(({ id }: { id: string }) => id)]).toEqual([200, [key.id]]);
  expect(await ofKey()).toMatchObject({ attention: null, revoked_at: expect.any(String) });
  const { actions } = await operator.audit(firm.id);
  for (const action of ['key.rename', 'key.revoke']) expect(actions).toContain(`${action} key:${key.id}`);
});

test('a firm has a bounded number of working keys, and the response says how to get another', async () => {
  const firm = await service.firm();
  const admin = await service.staff(firm, 'admin');
  const statuses = await Promise.all(
    Array.from({ length: 22 }, async () => {
      const response = await post('/firm/v1/keys', admin, { environment: 'live', purpose: 'read_only' });
      if (response.status !== 201) {
        expectProblem(response, 422, 'validation_failed');
        expect(response.json.errors[0].detail).toContain('At most 20 live keys of the firm work at a time.');
      }
      return response.status;
    }),
  );
  // The firm has one live key.
  expect(statuses.filter((status) => status === 201)).toHaveLength(19);
  const [last] = (await get('/firm/v1/keys', admin)).json.data;
  expect((await post(`/firm/v1/keys/${last.id}/roll`, admin)).status).toBe(201);
  const { setLimits } = service.service.services.operatorUseCases;
  await setLimits(firm.id, { requestsPerMinute: null, writesPerMinute: null, burst: null }, 21);
  expect((await post('/firm/v1/keys', admin, { environment: 'live' })).status).toBe(201);
});

test('the requests of the firm are found by key, code, path, time and id, with the places that were wrong', async () => {
  const [firm, other] = [await service.firm(), await service.firm()];
  const as = await service.staff(firm, 'developer');
  const start = new Date().toISOString();
  const wrong = await post('/v1/claims', firm.test, {
    ...claimBody(firm.account.manual),
    loss: { date: 'x' },
  });
  const requestId = wrong.headers.get('x-request-id') ?? '';
  const sent = await sendClaim(service, firm.live, claimBody((await service.member(firm)).svcId));
  for (let n = 0; n < 50; n += 1) await get(`/v1/claims/${sent.json.id}`, firm.live);
  await get('/v1/claims', other.live);
  const all = () => everyPage('/firm/v1/requests', as, 7);
  await eventually(async () => (await all()).length === 52);
  const ids = (await all()).map(({ request_id }) => request_id);
  expect(new Set(ids).size).toBe(52);
  const failed = await get('/firm/v1/requests?code=validation_failed', as);
  expect(failed.json.data).toEqual([
    {
      request_id: requestId,
      at: expect.any(String),
      key_id: expect.any(String),
      environment: 'test',
      route: 'POST /v1/claims',
      status: 422,
      key_name: null,
      code: 'validation_failed',
      documentation_url: expect.stringMatching(/\/docs\/errors#validation_failed$/),
      detail: wrong.json.detail,
      places: ['Idempotency-Key:', '/loss/date'],
      place_details: wrong.json.errors.map(({ detail }: { detail: string }) => detail),
      existing_claim_id: null,
      duration_ms: expect.any(Number),
    },
  ]);
  const [request] = failed.json.data;
  const count = async (query: string) => (await everyPage(`/firm/v1/requests?${query}`, as, 20)).length;
  expect(await count(`key=${request.key_id}`)).toBe(1);
  expect([await count('environment=test'), await count('environment=live')]).toEqual([1, 51]);
  expect([await count('errors=true'), await count('errors=false')]).toEqual([1, 52]);
  expect(await count(`path=${encodeURIComponent('/v1/claims/{id}')}`)).toBe(50);
  for (const path of [`/v1/claims/${sent.json.id}`, `GET /v1/claims/${sent.json.id}`, '/v1/claims/0f'])
    expect(await count(`path=${encodeURIComponent(path)}`)).toBe(50);
  expect(await count(`path=${encodeURIComponent('POST /v1/claims')}`)).toBe(2);
  expect(await count(`since=${start}`)).toBe(52);
  expect(await count('since=2099-01-01T00:00:00Z')).toBe(0);
  expect(await count(`request_id=${requestId}`)).toBe(1);
  expect((await get(`/firm/v1/requests/${requestId}`, as)).json).toEqual(request);
  const stranger = await service.staff(other, 'developer');
  expectProblem(await get(`/firm/v1/requests/${requestId}`, stranger), 404, 'not_found');
  expect((await get(`/firm/v1/requests?request_id=${requestId}`, stranger)).json.data).toEqual([]);
  const rejected = await service.staff(firm, 'dispatcher');
  expectProblem(await get('/firm/v1/requests', rejected), 403, 'insufficient_scope');
});

test('a request that failed is in the log with what its caller got, and with nothing that was sent', async () => {
  const firm = await service.firm();
  const admin = await service.staff(firm, 'admin');
  const name = 'Claims import';
  const { key, secret } = (await post('/firm/v1/keys', admin, { environment: 'test', name })).json;
  const body = claimBody(firm.account.manual);
  const { json: first } = await sendClaim(service, secret, body);
  const duplicate = await sendClaim(service, secret, { ...body, claim_number: `${body.claim_number} B` });
  const secretName = 'Marisol Wolfeschlegelsteinhausen';
  const named = {
    ...body,
    [secretName.repeat(9)]: 1,
    [`${secretName}\ud800`]: 1,
    loss: { date: '08/27/2026', [secretName]: 1 },
    policyholder: { last_name: 'Reyes', first_name: `${secretName}\u200b`, phone: 4 },
    building: { flood_zone: 'ae' },
  };
  const wrong = await post('/v1/claims', secret, named);
  const twice = await fetch(`${service.url}/v1/claims`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${secret}`,
      'Idempotency-Key': 'k',
      'Content-Type': 'application/json',
    },
    body: `{"${secretName}": 1, "${secretName}": 2}`,
  });
  expect([duplicate.status, wrong.status, twice.status]).toEqual([409, 422, 400]);
  const found = async () => (await get(`/firm/v1/requests?key=${key.id}&errors=true`, admin)).json.data;
  await eventually(async () => (await found()).length === 3);
  const rows = await found();
  const withCode = (code: string) => rows.find((row: { code: string }) => row.code === code);
  expect(withCode('duplicate_claim')).toMatchObject({
    key_name: name,
    detail: duplicate.json.detail,
    existing_claim_id: first.id,
  });
  const { places, place_details: details } = withCode('validation_failed');
  expect(details).toHaveLength(places.length);
  expect(details[places.indexOf('/loss/date')]).toMatch(/^Must be a .*date/);
  expect(withCode('malformed_request').detail).toBe('The body has a duplicate member.');
  expect(JSON.stringify(rows)).not.toMatch(/Marisol|Wolfe|2026-08-27|did you mean|"ae"/);
});

test('a developer sees how near the keys come to their limits, and which days had a 429', async () => {
  const [firm, other] = [await service.firm({ limited: true }), await service.firm()];
  const as = await service.staff(firm, 'developer');
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async () => (await get('/v1/claims', firm.test)).status),
  );
  const limited = statuses.filter((status) => status === 429).length;
  expect(limited).toBeGreaterThan(0);
  const read = async () => (await get('/firm/v1/limits', as)).json;
  const first = await read();
  const [test] = first.keys.filter(({ environment }: { environment: string }) => environment === 'test');
  expect(test.limits).toEqual({ requests_per_minute: 60, writes_per_minute: 30, burst: 20 });
  expect(test.used.writes).toBe(0);
  expect(test.used.requests).toBeGreaterThan(0);
  expect(first.days).toHaveLength(14);
  await eventually(async () => {
    const { keys, days } = await read();
    const ofKey = keys.find(({ key_id }: { key_id: string }) => key_id === test.key_id).rate_limited;
    const ofDays = days.reduce((sum: number, day: { test: number }) => sum + day.test, 0);
    return ofKey === limited && ofDays === limited;
  });
  const stranger = await get('/firm/v1/limits', await service.staff(other, 'auditor'));
  expect(JSON.stringify(stranger.json)).not.toContain(test.key_id);
  const rejected = await service.staff(firm, 'dispatcher');
  expectProblem(await get('/firm/v1/limits', rejected), 403, 'insufficient_scope');
});

test('an auditor reads, filters and verifies the audit trail, page by page, and a change of it shows', async () => {
  const firm = await service.firm();
  const admin = await operatorOf(service.service.services).staff(firm.id, 'admin');
  const as = await service.staff(firm, 'auditor');
  for (let n = 0; n < 5; n += 1) await post('/firm/v1/keys', admin.token, { environment: 'test' });
  await get('/firm/v1/keys', as);
  const all = await everyPage('/firm/v1/audit', as, 2);
  const created = all.filter(({ action, actor }) => action === 'key.create' && actor === `staff:${admin.id}`);
  expect(created).toHaveLength(5);
  expect(created[0]).toEqual({
    id: expect.stringMatching(/^\d+\.\d+$/),
    seq: expect.any(Number),
    at: expect.any(String),
    actor: `staff:${admin.id}`,
    actor_name: 'Priya Natarajan',
    address: expect.any(String),
    action: 'key.create',
    object: expect.stringMatching(/^key:key_/),
    changes: expect.any(Object),
    outcome: 'ok',
    request_id: expect.any(String),
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const seqs = all.map(({ seq }) => seq as number);
  expect(seqs).toEqual([...seqs].sort((one, other) => other - one));
  const count = async (query: string) => (await everyPage(`/firm/v1/audit?${query}`, as, 3)).length;
  expect(await count(`actor=staff:${admin.id}&action=key.create`)).toBe(5);
  expect(await count(`object=${created[2].object}`)).toBe(1);
  expect(await count(`request_id=${created[2].request_id}`)).toBe(1);
  expect(await count('until=2020-01-01T00:00:00Z')).toBe(0);
  expect(await count('since=2099-01-01T00:00:00Z')).toBe(0);
  await eventually(async () => (await count('action=audit.read')) > 0);
  const { cursor } = { cursor: (await get('/firm/v1/audit?limit=1', as)).json.next_cursor };
  const stranger = await service.staff(await service.firm(), 'auditor');
  expectProblem(await get(`/firm/v1/audit?limit=1&cursor=${cursor}`, stranger), 422, 'validation_failed');

  const verified = await get('/firm/v1/audit/verification', as);
  expect(verified.json).toEqual({
    intact: true,
    rows: expect.any(Number),
    last: { seq: expect.any(Number), hash: expect.any(String) },
  });
  await withClient(service.databaseUrl, async (client) => {
    await client.query('DELETE FROM audit_log WHERE firm_id = $1 AND seq = $2', [firm.id, created[2].seq]);
  });
  expect((await get('/firm/v1/audit/verification', as)).json).toEqual({
    intact: false,
    seq: created[2].seq,
    problem: 'missing',
  });
  for (const role of ['dispatcher', 'developer'] as const)
    expectProblem(await get('/firm/v1/audit', await service.staff(firm, role)), 403, 'insufficient_scope');
});

test('a firm verifies its audit trail once at a time, and neither a later verification nor another firm is refused', async () => {
  const [firm, other] = [await service.firm(), await service.firm()];
  const [as, others] = [await service.staff(firm, 'auditor'), await service.staff(other, 'auditor')];
  const verify = (reader: string): Promise<ApiResponse> => get('/firm/v1/audit/verification', reader);
  const { refused, later } = await withClient(service.databaseUrl, async (client) => {
    // Until the transaction ends, a verification waits for the rows.
    await client.query('BEGIN; LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE');
    const both = [verify(as), verify(as)];
    const first = await Promise.race(both);
    const ofOther = verify(others);
    await client.query('ROLLBACK');
    return { refused: first, later: [...(await Promise.all(both)), await ofOther] };
  });
  expectProblem(refused, 429, 'rate_limited');
  expect(refused.json.detail).toContain('Another verification of your firm is running.');
  expect(refused.headers.get('retry-after')).toBe('1');
  const ended = later.filter((response) => response !== refused);
  expect([...ended, await verify(as)].map(({ status }) => status)).toEqual([200, 200, 200]);
});
