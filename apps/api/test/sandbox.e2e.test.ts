import { expect, test } from '@jest/globals';
import { type FaultKind, SIMULATED_STATUS } from '@svc/contract';
import type { FirmId } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';

const service = await startServiceUnderTest();

const post = (key: string, path: string, body?: unknown) =>
  service.call('POST', `/v1/test${path}`, { as: key, ...(body !== undefined && { body }) });
const setFaults = (key: string, kind: FaultKind, count: number) =>
  service.call('PUT', '/v1/test/faults', { as: key, body: { kind, count } });

test.each([
  ['rate_limited', 429, '1'],
  ['internal_error', 500, null],
  ['service_unavailable', 503, '1'],
] as const)(
  '%s is the response to the next requests of the key, and no claim is created',
  async (kind, status, retryAfter) => {
    const firm = await service.firm();
    const body = claimBody(firm.account.manual);
    expect((await setFaults(firm.test, kind, 2)).json).toEqual({ kind, count: 2 });
    const first = await sendClaim(service, firm.test, body, 'the-key');
    expect([first.status, first.json.code, first.headers.get('retry-after')]).toEqual([
      status,
      kind,
      retryAfter,
    ]);
    expect(first.json.detail).toContain('Simulated');
    expect((await post(firm.test, '/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10/closure')).status).toBe(404);
    expect((await service.call('GET', '/v1/me', { as: firm.live })).status).toBe(200);
    expect((await service.call('GET', '/v1/me', { as: firm.test })).json.code).toBe(kind);
    const sent = await sendClaim(service, firm.test, body, 'the-key');
    expect([sent.status, sent.headers.get('idempotent-replayed')]).toEqual([201, null]);
    const errors = service.logged.filter((line) => line.includes('request failed'));
    expect(errors).toEqual([]);
  },
);

test('the retries of a read do not use up the lost responses of writes', async () => {
  const firm = await service.firm();
  await setFaults(firm.test, 'dropped_write', 1);
  const read = () => service.call('GET', '/v1/claims', { as: firm.test });
  expect([(await read()).status, (await read()).json.data]).toEqual([200, []]);
  const body = claimBody(firm.account.manual);
  await expect(sendClaim(service, firm.test, body, 'the-key')).rejects.toThrow();
  const retry = await sendClaim(service, firm.test, body, 'the-key');
  expect([retry.status, retry.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
});

test('a pending claim in the next responses has a status and a field that no client knows, and is unchanged afterwards', async () => {
  const firm = await service.firm();
  const body = claimBody(firm.account.manual, { instructions: '"status":"pending_acceptance"' });
  const { json: sent } = await sendClaim(service, firm.test, body);
  await setFaults(firm.test, 'unknown_value', 1);
  // Without a pending claim, a response does not use it up.
  for (const path of ['/v1/me', '/v1/claims?assignment_status=rejected', '/v1/claims/x'])
    await service.call('GET', path, { as: firm.test });
  // Not through `call`, which fails on what is not documented.
  const headers = { Authorization: `Bearer ${firm.test}` };
  const { data } = (await (await fetch(`${service.url}/v1/claims`, { headers })).json()) as {
    data: unknown[];
  };
  const assignment = { ...sent.assignment, status: SIMULATED_STATUS, simulated_new_field: true };
  expect(data).toEqual([{ ...sent, assignment }]);
  expect((await service.call('GET', '/v1/claims', { as: firm.test })).json.data).toEqual([sent]);
});

test('a page of claims ends after one claim, with a cursor for the next', async () => {
  const firm = await service.firm();
  for (const body of [claimBody(firm.account.manual), claimBody(firm.account.manual)])
    await sendClaim(service, firm.test, body);
  await setFaults(firm.test, 'short_page', 1);
  await service.call('GET', '/v1/me', { as: firm.test });
  const list = async (query = '') =>
    (await service.call('GET', `/v1/claims${query}`, { as: firm.test })).json;
  const [one, all] = [await list(), await list()];
  expect(one.data).toEqual(all.data.slice(0, 1));
  expect((await list(`?cursor=${one.next_cursor}`)).data).toEqual(all.data.slice(1));
});

test('the request log shows how a program with a test key behaves, by hashes, and neither what it sent nor the rehearsal or the desk', async () => {
  const firm = await service.firm();
  const body = claimBody(firm.account.manual);
  await setFaults(firm.test, 'rate_limited', 1);
  await sendClaim(service, firm.test, body, 'the-key');
  const { json: claim } = await sendClaim(service, firm.test, body, 'the-key');
  await service.call('GET', `/v1/claims?updated_since=${claim.updated_at}`, { as: firm.test });
  await service.call('GET', '/v1/claims?assignment_status=rejected', { as: firm.test });
  const headers = { 'User-Agent': 'node claims-rehearse/1.0' };
  await service.call('GET', '/v1/claims', { as: firm.test, headers });
  const desk = { 'X-Claims-Page': '1', 'Sec-Fetch-Site': 'same-origin' };
  await service.call('GET', '/v1/claims', { as: firm.test, headers: desk });
  await service.call('GET', '/v1/claims', { as: firm.live });
  const log = service.service.services.requestLog;
  const found = await eventually(
    () => log.behaviorOf(firm.id as FirmId, 0, 10),
    (logged) => logged.length === 4,
  );
  const hashed = expect.stringMatching(/^[0-9a-f]{16}$/);
  const write = { operation: 'POST /v1/claims', idempotencyKey: hashed, subject: hashed };
  const read = { from: null, to: null, next: null, isFiltered: false };
  const at = Date.parse(claim.updated_at);
  expect(found.toReversed().map(({ behavior }) => behavior)).toEqual([
    { ...write, retryAfterMs: 1000 },
    { ...write, claimId: claim.id },
    { operation: 'GET /v1/claims', page: { ...read, since: at, from: at, to: at } },
    { operation: 'GET /v1/claims', page: { ...read, since: null, isFiltered: true } },
  ]);
  const [first, second] = found.toReversed().map(({ behavior }) => behavior);
  expect(second).toMatchObject({ idempotencyKey: first?.idempotencyKey, subject: first?.subject });
  expect(JSON.stringify(found)).not.toContain(body.external_id);
  expect(JSON.stringify(found)).not.toContain('the-key');
});

test('requests of the desk meet no simulated faults; a program that copies its header does', async () => {
  const firm = await service.firm();
  await setFaults(firm.test, 'internal_error', 100);
  const statusWith = async (headers: Record<string, string>) =>
    (await service.call('GET', '/v1/me', { as: firm.test, headers })).status;
  const copied = { 'X-Claims-Page': '1' };
  expect([
    await statusWith({ ...copied, 'Sec-Fetch-Site': 'same-origin' }),
    await statusWith({ ...copied, 'Sec-Fetch-Site': 'cross-site' }),
    await statusWith(copied),
  ]).toEqual([200, 500, 500]);
});

test('faults end when they are cleared, and requests that failed with one have a separate route in the request log', async () => {
  const firm = await service.firm();
  await setFaults(firm.test, 'internal_error', 100);
  expect((await service.call('GET', '/v1/me', { as: firm.test })).status).toBe(500);
  const cleared = await service.call('DELETE', '/v1/test/faults', { as: firm.test });
  expect(cleared.json).toEqual({ kind: null, count: 0 });
  expect((await service.call('GET', '/v1/me', { as: firm.test })).status).toBe(200);
  const lines = service.logged.map((line) => JSON.parse(line)).filter((line) => line.firm_id === firm.id);
  expect(lines.filter(({ status }) => status === 500).map(({ route }) => route)).toEqual(['simulated fault']);
});
