import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { READINESS_CHECKS, type Readiness } from '@svc/contract';
import { csvOfClaims } from '@svc/csv-import/in-page';
import { MINUTE } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { operatorOf } from '../../../tools/services/operator.ts';
import { claimBody, startServiceUnderTest } from './service-under-test.ts';

let passedMs = 0;
const service = await startServiceUnderTest({ clock: { now: () => Date.now() + passedMs } });

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
      const page: any = await response.json();
      return page;
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

const longAgo = '2026-01-01T00:00:00Z';

test('what a careless program does is found, and what is never made good ten minutes later', async () => {
  const program = await carelessProgram();
  const { claim, faults, list, send } = program;
  await list({ updated_since: longAgo });
  const unread = await send(claim());
  const rejected = await send(claim());
  await program.reject(rejected.id);
  await list({ updated_since: longAgo });
  await program.offer(rejected.id);
  await program.reject(rejected.id);
  await list({ updated_since: longAgo });

  const [lost, failed, limited] = [claim(), claim(), claim()];
  await faults('dropped');
  await send(lost);
  await faults('internal_error');
  await send(failed);
  await send(failed);
  await send(failed);
  await faults('rate_limited');
  await send(limited, 'the-key');
  await send(limited, 'the-key');

  await faults('unknown_value');
  const page = await list({ updated_since: longAgo });
  await list({ assignment_status: page.data[0].assignment.status });
  await list({ updated_since: longAgo, limit: '1' });
  await faults('internal_error', 8);
  for (let attempt = 0; attempt < 9; attempt += 1) await list();
  const ahead = new Date(Date.now() + passedMs + MINUTE).toISOString();
  await list({ updated_since: ahead });
  await program.accept(unread.id);
  // The other polls do not have it.
  await list({ updated_since: ahead, assignment_status: 'rejected' });
  await list({ updated_since: longAgo, external_id: 'none' });

  const atOnce = {
    idempotency_keys: ['A write that failed was sent again with another Idempotency-Key.'],
    duplicates: ['A claim was sent that exists already.'],
    retry_after: [expect.stringMatching(/^Retry-After was 1 s; the next request came after 0(\.\d+)? s\.$/)],
    back_off: [expect.stringContaining('was sent 8 more times')],
    cursors: ['A page had a next_cursor, and the next page was never requested.'],
    poll_gaps: [expect.stringMatching(`^No poll covers the changes between .* and ${ahead}`)],
    poll_overlap: [expect.stringContaining('later than the latest updated_at that was read')],
    unknown_values: ['The unknown value was sent back.'],
  };
  expect(await program.findings(27)).toEqual(atOnce);
  passedMs += 11 * MINUTE;
  expect(await program.findings(27)).toEqual({
    ...atOnce,
    lost_writes: ['A write that failed was never sent again, so a claim or an offer is lost.'],
    second_outcomes: [expect.stringContaining('became rejected')],
    unread_changes: [expect.stringMatching(/^The claim became accepted at .*; no unfiltered poll/)],
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
  passedMs += 11 * MINUTE;
  expect((await program.findings(1)).unread_changes).toHaveLength(1);
});
