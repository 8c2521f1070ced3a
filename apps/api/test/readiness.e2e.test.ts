import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { READINESS_CHECKS, type Readiness } from '@svc/contract';
import { csvOfClaims } from '@svc/csv-import/in-page';
import { DAY, type FirmId, MINUTE, STAFF_ROLES, type StaffRole } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { operatorOf } from '../../../tools/services/operator.ts';
import { claimBody, type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

let service: ServiceUnderTest;
let passedMs = 0;
beforeAll(async () => {
  service = await startServiceUnderTest({ clock: { now: () => Date.now() + passedMs } });
});
afterAll(() => service.stop());

/** A firm's program that takes no care. */
async function carelessProgram() {
  const firm = await service.firm();
  const { test: key, account } = firm;
  const sandbox = async (method: string, path: string, body?: object) => {
    const { status } = await service.call(method, `/v1/test${path}`, { as: key, ...(body && { body }) });
    expect(status).toBe(200);
  };
  const post = (path: string, body: unknown, idempotencyKey: string) =>
    service
      .call('POST', path, { as: key, body, headers: { 'Idempotency-Key': idempotencyKey } })
      .catch(() => null);
  /** Once the log has all requests. */
  const readiness = async (requests: number): Promise<Readiness> => {
    const { json } = await eventually(
      () => service.call('GET', '/v1/test/readiness', { as: key }),
      (response) => response.json.requests === requests,
    );
    return json;
  };
  return {
    firm,
    account,
    readiness,
    claim: () => claimBody(account.manual),
    send: async (body: unknown, idempotencyKey: string = randomUUID()) =>
      (await post('/v1/claims', body, idempotencyKey))?.json,
    offer: async (id: string) =>
      (await post(`/v1/claims/${id}/assignment`, { adjuster_svc_id: account.manual }, randomUUID()))?.json,
    /** Not through `call`, which fails on what is not documented. */
    async list(query: Readonly<Record<string, string>> = {}) {
      const url = `${service.url}/v1/claims?${new URLSearchParams(query)}`;
      const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
      // biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
      return (await response.json()) as any;
    },
    reject: (id: string) => sandbox('POST', `/claims/${id}/rejection`),
    accept: (id: string) => sandbox('POST', `/claims/${id}/acceptance`),
    faults: (kind: string, count = 1) => sandbox('PUT', '/faults', { kind, count }),
    /** The checks that have findings. */
    async findings(requests: number): Promise<Record<string, string[]>> {
      const { ready, checks } = await readiness(requests);
      expect(ready).toBe(false);
      expect(checks.map(({ check }) => check)).toEqual([...READINESS_CHECKS]);
      return Object.fromEntries(
        checks.flatMap(({ check, state, findings }) =>
          state === 'failed' ? [[check, findings.map(({ detail }) => detail)]] : [],
        ),
      );
    },
  };
}

const later = (minutes: number) => {
  passedMs += minutes * MINUTE;
};
const longAgo = '2026-01-01T00:00:00Z';

test('a retry with another Idempotency-Key is found', async () => {
  const program = await carelessProgram();
  const claim = program.claim();
  await program.faults('internal_error');
  await program.send(claim);
  await program.send(claim);
  const detail = 'A write that failed was sent again with another Idempotency-Key.';
  expect(await program.findings(2)).toEqual({ idempotency_keys: [detail] });
});

test('a write that is not sent again after a lost connection is found ten minutes later', async () => {
  const program = await carelessProgram();
  await program.faults('dropped');
  await program.send(program.claim());
  expect(await program.findings(1)).toEqual({});
  later(11);
  const detail = 'A write that failed was never sent again, so a claim or an offer is lost.';
  expect(await program.findings(1)).toEqual({ lost_writes: [detail] });
});

test('a claim that is sent twice is found', async () => {
  const program = await carelessProgram();
  const claim = program.claim();
  await program.send(claim);
  await program.send(claim);
  expect(await program.findings(2)).toEqual({ duplicates: ['A claim was sent that exists already.'] });
});

test('a request that is sent again before Retry-After has passed is found', async () => {
  const program = await carelessProgram();
  const claim = program.claim();
  await program.faults('rate_limited');
  await program.send(claim, 'the-key');
  await program.send(claim, 'the-key');
  expect(await program.findings(2)).toEqual({
    retry_after: [expect.stringMatching(/^Retry-After was 1 s; the next request came after 0(\.\d+)? s\.$/)],
  });
});

test('other requests of the key before Retry-After has passed are found', async () => {
  const program = await carelessProgram();
  await program.faults('rate_limited');
  await program.send(program.claim());
  later(300 / MINUTE);
  for (let claims = 0; claims < 3; claims += 1) await program.send(program.claim());
  expect(await program.findings(4)).toEqual({
    retry_after: ['Retry-After was 1 s; the key sent 3 other requests before that time had passed.'],
  });
});

test('retries without back-off are found', async () => {
  const program = await carelessProgram();
  await program.faults('internal_error', 8);
  for (let attempt = 0; attempt < 9; attempt += 1) {
    await program.list();
    // The last waits add up to a little more than the first.
    later((1000 + attempt) / MINUTE);
  }
  expect(await program.findings(9)).toEqual({
    back_off: [expect.stringContaining('was sent 8 more times')],
  });
});

test('a next_cursor that is not followed is found', async () => {
  const program = await carelessProgram();
  await program.send(program.claim());
  await program.send(program.claim());
  for (const limit of ['1', '1']) await program.list({ updated_since: longAgo, limit });
  const detail = 'A page had a next_cursor, and the next page was never requested.';
  expect(await program.findings(4)).toEqual({ cursors: [detail] });
});

test('a poll that starts after what was read is found', async () => {
  const program = await carelessProgram();
  await program.list({ updated_since: longAgo });
  const ahead = new Date(Date.now() + passedMs + MINUTE).toISOString();
  await program.list({ updated_since: ahead });
  expect(await program.findings(2)).toEqual({
    poll_gaps: [expect.stringMatching(`^No poll covers the changes between .* and ${ahead}`)],
  });
});

test('an outcome that no poll reads is found ten minutes later, though other claims are polled', async () => {
  const program = await carelessProgram();
  const { id } = await program.send(program.claim());
  await program.accept(id);
  await program.list({ updated_since: longAgo, assignment_status: 'rejected' });
  expect(await program.findings(2)).toEqual({});
  later(11);
  expect(await program.findings(2)).toEqual({
    unread_changes: [
      expect.stringMatching(
        /^The claim became accepted at .*; no unfiltered poll and no read of the claim since has it\.$/,
      ),
    ],
  });
});

test('a claim that was uploaded at the desk is not graded: the program did not send it', async () => {
  const program = await carelessProgram();
  const sent = await program.send(program.claim());
  const { token } = await operatorOf(service.service.services).staff(program.firm.id, 'dispatcher');
  const { id, test, assignment, created_at, updated_at, ...content } = sent;
  const claim = { ...content, external_id: 'UPLOADED', claim_number: 'UPLOADED' };
  const text = csvOfClaims([{ ...claim, adjuster_svc_id: program.account.manual }]);
  const body = { name: 'Upload', environment: 'test', dry_run: false, text };
  const { json } = await service.call('POST', '/firm/v1/imports', { as: token, body });
  expect(json.rows).toMatchObject([{ outcome: 'sent' }]);
  await program.accept(json.rows[0].claim_id);
  await program.accept(id);
  later(11);
  expect((await program.findings(1)).unread_changes).toHaveLength(1);
});

test('a second outcome of a claim that has no effect is found ten minutes later', async () => {
  const program = await carelessProgram();
  const { id } = await program.send(program.claim());
  await program.reject(id);
  await program.list({ updated_since: longAgo });
  await program.offer(id);
  await program.reject(id);
  await program.list({ updated_since: longAgo });
  expect(await program.findings(4)).toEqual({});
  later(11);
  expect(await program.findings(4)).toEqual({
    second_outcomes: [expect.stringContaining('became rejected')],
  });
});

test('an unknown value that is sent back is found, and so is a page that was not processed because of one', async () => {
  const program = await carelessProgram();
  await program.list({ updated_since: longAgo });
  const { updated_at } = await program.send(program.claim());
  await program.faults('unknown_value');
  const page = await program.list({ updated_since: longAgo });
  await program.list({ assignment_status: page.data[0].assignment.status });
  await program.list({ updated_since: longAgo });
  await program.list({ updated_since: updated_at });
  expect(await program.findings(6)).toEqual({
    unknown_values: [
      expect.stringMatching(/^A page had an unknown value, and the next poll started at the same/),
      'The unknown value was sent back.',
    ],
  });
});

test('a program that follows the guides is ready, but not if there are more requests than are checked', async () => {
  const program = await carelessProgram();
  const claim = program.claim();
  await program.list({ updated_since: longAgo });
  await program.faults('internal_error', 5);
  for (const waitMs of [500, 1000, 2000, 4000, 8000]) {
    await program.send(claim, 'one');
    later(waitMs / MINUTE);
  }
  for (const kind of ['rate_limited', 'dropped']) {
    await program.faults(kind);
    await program.send(claim, 'one');
    later(1200 / MINUTE);
  }
  const { id, updated_at } = await program.send(claim, 'one');
  const other = await program.send(program.claim());
  await program.faults('unknown_value');
  const first = { updated_since: longAgo, limit: '1' };
  const { next_cursor } = await program.list(first);
  await program.list({ ...first, cursor: next_cursor });
  await program.reject(id);
  await program.accept(other.id);
  await program.list({ updated_since: updated_at });
  await program.offer(id);
  await program.accept(id);
  await program.list({ updated_since: updated_at });
  expect(await program.readiness(15)).toMatchObject({ ready: true, complete: true });
  const log = service.service.services.get('requestLog');
  const [logged] = await log.behaviorOf(program.firm.id, 0, 1);
  if (logged === undefined) throw new Error('expected a request');
  const earlier = { ...logged, at: logged.at - 60 * MINUTE, behavior: { operation: 'GET /v1/me' } };
  const more = Array.from({ length: 3600 }, () => ({ ...earlier, requestId: randomUUID() }));
  for (let at = 0; at < more.length; at += 600) await log.append(more.slice(at, at + 600));
  expect(await program.readiness(3600)).toMatchObject({ ready: false, complete: false });
});

test('the firm’s developers, admins and auditors see what its test keys did, dispatchers and other firms do not', async () => {
  const program = await carelessProgram();
  const otherKey = await service.key(program.firm, { environment: 'test' });
  const body = program.claim();
  await program.send(body);
  const headers = { 'Idempotency-Key': 'another' };
  await service.call('POST', '/v1/claims', { as: otherKey, body, headers });
  const log = service.service.services.get('requestLog');
  await eventually(
    () => log.behaviorOf(program.firm.id, 0, 10),
    (logged) => logged.length === 2,
  );
  const seenBy = async (firmId: string, role: StaffRole) => {
    const { token } = await operatorOf(service.service.services).staff(firmId as FirmId, role);
    const { status, json } = await service.call('GET', '/firm/v1/readiness', { as: token });
    return status === 200 ? [json.requests, json.checks[2].finding_count] : json.code;
  };
  const seen = async (firmId: string) =>
    Promise.all(STAFF_ROLES.map(async (role) => [role, await seenBy(firmId, role)]));
  const expected = (found: number[]) => ({
    ...{ admin: found, auditor: found, developer: found },
    dispatcher: 'insufficient_scope',
  });
  expect(Object.fromEntries(await seen(program.firm.id))).toEqual(expected([2, 1]));
  expect(Object.fromEntries(await seen((await service.firm()).id))).toEqual(expected([0, 0]));
});

test('without evidence nothing passes, and a live key has no readiness', async () => {
  const { test: key, live } = await service.firm();
  const { json } = await service.call('GET', '/v1/test/readiness', { as: key });
  expect(json).toMatchObject({ ready: false, requests: 0, claims: 0, complete: true });
  expect(new Set(json.checks.map(({ state }: { state: string }) => state))).toEqual(
    new Set(['not_exercised']),
  );
  const old = await service.call('GET', '/v1/test/readiness?since=2020-01-01T00:00:00Z', { as: key });
  expect(old.json.complete).toBe(false);
  expect(Date.now() - Date.parse(old.json.since)).toBeLessThan(15 * DAY);
  const rejected = await service.call('GET', '/v1/test/readiness', { as: live });
  expect(rejected.json.code).toBe('environment_mismatch');
});
