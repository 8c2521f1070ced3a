import { expect, test } from '@jest/globals';
import { NO_OVERRIDES } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { operatorOf } from '../../../tools/services/operator.ts';
import { withClient } from '../../../tools/services/postgres.ts';
import { wholeList } from './firm-calls.ts';
import { expectProblem } from './problem-shape.ts';
import { type ApiResponse, claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';

const service = await startServiceUnderTest();

const get = (path: string, as: string): Promise<ApiResponse> => service.call('GET', path, { as });
const post = (path: string, as: string, body?: object): Promise<ApiResponse> =>
  service.call('POST', path, { as, ...(body && { body }) });

/** All rows of a list that match the query, in pages of that limit. */
const everyPage = (path: string, as: string, limit: number, query = '') =>
  wholeList(service, as, path, {
    ...Object.fromEntries(new URLSearchParams(query)),
    limit: String(limit),
  });

const MINUTE = 60_000;

test('staff create, rename, replace and revoke keys, see each secret once, and whose keys stay', async () => {
  const firm = await service.firm({ limited: true });
  const operator = operatorOf(service.service.services);
  const [admin, second] = [await operator.staff(firm.id, 'admin'), await operator.staff(firm.id, 'admin')];
  const as = admin.token;
  const asked = { environment: 'test', purpose: 'claims', name: 'Claims import', expires_in_days: 30 };
  const created = await post('/firm/v1/keys', second.token, asked);
  const { secret, key } = created.json;
  const maker = { kind: 'staff', staff_id: second.id, name: 'Priya Natarajan' };
  expect([created.status, key]).toMatchObject([
    201,
    {
      ...{ environment: 'test', purpose: 'claims', name: 'Claims import', revoked_at: null },
      ...{ created_by: maker, attention: null },
      limits: { requests_per_minute: 60, writes_per_minute: 30, burst: 20 },
    },
  ]);
  expect(secret).toMatch(/^svc_test_/);
  const lifetimeOf = (of: { created_at: string; expires_at: string }): number =>
    Date.parse(of.expires_at) - Date.parse(of.created_at);
  expect(lifetimeOf(key)).toBe(30 * 24 * 60 * MINUTE);
  expect((await get('/v1/me', secret)).json.key.id).toBe(key.id);
  const renamed = await service.call('PATCH', `/firm/v1/keys/${key.id}`, { as, body: { name: 'Import' } });
  expect([renamed.status, renamed.json.name]).toEqual([200, 'Import']);

  const endless = await post('/firm/v1/keys', second.token, { environment: 'live' });
  expect(endless.json.key).toMatchObject({ purpose: 'full_access', expires_at: null });
  const byDefault = (await post(`/firm/v1/keys/${endless.json.key.id}/roll`, as)).json;
  expect(lifetimeOf({ ...byDefault.key, expires_at: byDefault.replaced.expires_at })).toBe(24 * 60 * MINUTE);
  for (const { id } of [byDefault.key, byDefault.replaced]) await post(`/firm/v1/keys/${id}/revocation`, as);
  const developer = await operator.staff(firm.id, 'developer');
  const refused = await post('/firm/v1/keys', developer.token, { environment: 'live' });
  expectProblem(refused, 403, 'insufficient_scope');
  expect(refused.json.detail).toContain('A key may do no more than the person who makes it.');
  const { key_purposes } = (await get('/firm/v1/me', developer.token)).json;
  expect(key_purposes).toEqual({ live: [], test: ['full_access', 'claims', 'adjusters', 'read_only'] });

  const rolled = await post(`/firm/v1/keys/${key.id}/roll`, as, { overlap_hours: 1 });
  expect([rolled.status, rolled.json.replaced.id]).toEqual([201, key.id]);
  expect(Date.parse(rolled.json.replaced.expires_at)).toBeLessThan(Date.now() + 61 * MINUTE);
  for (const each of [secret, rolled.json.secret]) expect((await get('/v1/me', each)).status).toBe(200);
  const leaked = await post(`/firm/v1/keys/${rolled.json.key.id}/roll`, as, { overlap_hours: 0 });
  await eventually(async () => (await get('/v1/me', rolled.json.secret)).status === 401);
  const revoked = await post(`/firm/v1/keys/${leaked.json.key.id}/revocation`, as);
  expect(revoked.json.revoked_at).toEqual(expect.any(String));
  await eventually(async () => (await get('/v1/me', leaked.json.secret)).status === 401);
  expectProblem(await post(`/firm/v1/keys/${rolled.json.key.id}/roll`, as), 422, 'validation_failed');

  const staying = async () =>
    (await everyPage('/firm/v1/keys', as, 1)).filter(({ attention }) => attention !== null);
  await service.call('DELETE', `/firm/v1/staff/${second.id}`, { as });
  expect(await staying()).toMatchObject([{ id: key.id, attention: 'maker_removed', created_by: maker }]);
  const ofMaker = await post('/firm/v1/keys/revocation', as, { staff_id: second.id });
  expect([ofMaker.status, ofMaker.json.data.map(({ id }: { id: string }) => id)]).toEqual([200, [key.id]]);
  expect(await staying()).toEqual([]);
  expect((await get('/v1/me', firm.test)).status).toBe(200);

  await service.service.services.setLimits(firm.id, NO_OVERRIDES, 1);
  const beyond = await post('/firm/v1/keys', as, { environment: 'live' });
  expectProblem(beyond, 422, 'validation_failed');
  expect(beyond.json.errors[0].detail).toContain('At most 1 live key');
  const { actions } = await operator.audit(firm.id);
  for (const action of ['key.create', 'key.rename', 'key.roll', 'key.revoke'])
    expect([...actions]).toContainEqual(expect.stringMatching(`^${action} key:`));
});

test('the requests of the firm are found by key, code, path, time and id, with the places that were wrong', async () => {
  const firm = await service.firm();
  const as = await service.staff(firm, 'developer');
  const start = new Date().toISOString();
  const wrong = await post('/v1/claims', firm.test, {
    ...claimBody(firm.account.manual),
    loss: { date: 'x' },
  });
  const requestId = wrong.headers.get('x-request-id') ?? '';
  const sent = await sendClaim(service, firm.live, claimBody((await service.member(firm)).svcId));
  for (let n = 0; n < 5; n += 1) await get(`/v1/claims/${sent.json.id}`, firm.live);
  const all = () => everyPage('/firm/v1/requests', as, 2);
  const ids = (await eventually(all, (rows) => rows.length === 7)).map(({ request_id }) => request_id);
  expect(new Set(ids).size).toBe(7);
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
  const path = `path=${encodeURIComponent(`GET /v1/claims/${sent.json.id}`)}`;
  const queries = [`key=${request.key_id}`, 'environment=live', 'errors=true', 'errors=false', path];
  const times = [`since=${start}`, 'since=2099-01-01T00:00:00Z'];
  const counts = [];
  for (const query of [...queries, ...times, `request_id=${requestId}`])
    counts.push((await get(`/firm/v1/requests?${query}`, as)).json.data.length);
  expect(counts).toEqual([1, 6, 1, 7, 5, 7, 0, 1]);
  expect((await get(`/firm/v1/requests/${requestId}`, as)).json).toEqual(request);
  const { next_cursor } = (await get(`/firm/v1/requests?limit=1&${path}`, as)).json;
  for (const query of [path, ''])
    counts.push(
      (await get(`/firm/v1/requests?${query}&cursor=${encodeURIComponent(next_cursor)}`, as)).status,
    );
  expect(counts.slice(-2)).toEqual([200, 422]);
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
  const firm = await service.firm({ limited: true });
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
  const count = async (query: string) => (await everyPage('/firm/v1/audit', as, 3, query)).length;
  expect(await count(`actor=staff:${admin.id}&action=key.create`)).toBe(5);
  expect(await count(`object=${created[2].object}`)).toBe(1);
  expect(await count(`request_id=${created[2].request_id}`)).toBe(1);
  expect(await count('until=2020-01-01T00:00:00Z')).toBe(0);
  expect(await count('since=2099-01-01T00:00:00Z')).toBe(0);
  await eventually(async () => (await count('action=audit.read')) > 0);
  const cursor = (await get('/firm/v1/audit?limit=1', as)).json.next_cursor;
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
