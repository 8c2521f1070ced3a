import { expect, test } from '@jest/globals';
import { endpoints, LIMITS, SIMULATED_STATUS } from '@svc/contract';
import { FAULT_KINDS, type FaultKind, type FirmId } from '@svc/domain';
import { clientBehavior, observeBody, shortHash } from '../src/http/pipeline/client-behavior.ts';
import { isNoticeable, withFault } from '../src/http/pipeline/simulated-faults.ts';
import { HttpProblem } from '../src/http/problems/http-problem.ts';
import type { RouteResponse } from '../src/http/routes/route.ts';
import { inAscii } from '../src/http/serialization/ascii-json.ts';

const FIRM = '00000000-0000-7000-8000-0000000000f1' as FirmId;
const { listClaims, sendClaim, offerClaim } = endpoints;
const TEST_KEY = { environment: 'test', firmId: FIRM } as const;

test('a program is graded by its test key, in no sandbox, and neither are a rehearsal and the desk', () => {
  const desk = { 'x-claims-page': '1', 'sec-fetch-site': 'same-origin' };
  const { method, path } = listClaims;
  const called: Parameters<typeof clientBehavior>[0][] = [
    ...[listClaims, { method, path, sandbox: true as const }],
    { method, path: '/mcp' },
  ];
  const graded = called.map((one) => clientBehavior(one, TEST_KEY, { headers: {} }, ''));
  expect(graded).toStrictEqual([{ operation: 'GET /v1/claims' }, undefined, undefined]);
  expect(
    clientBehavior(listClaims, { ...TEST_KEY, environment: 'live' }, { headers: {} }, ''),
  ).toBeUndefined();
  const isGraded = (headers: Record<string, string>) =>
    clientBehavior(listClaims, TEST_KEY, { headers }, '') !== undefined;
  const agents = ['claims-rehearse/1.0', 'node claims-rehearse/2', 'my-claims-rehearser', 'curl/8'];
  expect(agents.map((agent) => isGraded({ 'user-agent': agent }))).toEqual([false, false, true, true]);
  expect([desk, { ...desk, 'sec-fetch-site': 'cross-site' }, { 'x-claims-page': '1' }].map(isGraded)).toEqual(
    [...[false, true, true]],
  );
});

test('of a graded request keys, cursors and subjects are kept as hashes that no other firm shares', () => {
  const headers = { 'idempotency-key': 'k' };
  expect(
    clientBehavior(listClaims, TEST_KEY, { headers }, `cursor=c%20d&status=${SIMULATED_STATUS}`),
  ).toEqual({
    operation: 'GET /v1/claims',
    ...{ idempotencyKey: shortHash(FIRM, 'k'), cursor: shortHash(FIRM, 'c d'), unknownValue: 'sent' },
  });
  expect(new Set([shortHash(FIRM, 'k'), shortHash(FIRM, 'l'), shortHash('f2', 'k')]).size).toBe(3);
  const seen = (endpoint: typeof sendClaim | typeof offerClaim, body: unknown, id = 'ABC') => {
    const behavior = { operation: '' };
    observeBody(behavior, endpoint, FIRM, { id }, body);
    return { ...behavior, operation: undefined };
  };
  const both = { external_id: 'X-1', adjuster_svc_id: 'SVC-1' };
  expect(seen(sendClaim, both)).toEqual({ subject: shortHash(FIRM, 'X-1') });
  expect(seen(offerClaim, both)).toEqual({ subject: shortHash(FIRM, 'abc SVC-1') });
  expect(seen(offerClaim, { ...both, adjuster_svc_id: 1, note: SIMULATED_STATUS })).toEqual({
    unknownValue: 'sent',
  });
  expect([undefined, null, 'text'].map((body) => seen(sendClaim, body))).toEqual([{}, {}, {}]);
});

/** What a simulated fault makes of a request: whether it was processed, its end, the pause before, and whether it shows. */
async function simulated(kind: FaultKind, isWrite: boolean, json: string) {
  const steps: string[] = [];
  const fail = () => Promise.reject(new HttpProblem('not_found', { detail: 'No.' }));
  const respond = async (): Promise<RouteResponse> => {
    steps.push('processed');
    if (json === '') return fail();
    return { status: 200, json: inAscii(json) };
  };
  const read = async () => {
    steps.push('read');
    if (json === '') await fail();
  };
  const response = await withFault(
    kind,
    isWrite,
    read,
    respond,
    async (ms) => void steps.push(`${ms} ms`),
  ).catch(({ code, extra }): null => {
    steps.push(code, extra.headers?.['Retry-After'] ?? 'no Retry-After', `simulated: ${extra.simulated}`);
    steps.push(extra.detail);
    return null;
  });
  if (response?.dropped) steps.push('dropped');
  else if (response !== null) steps.push(response.json === json ? 'same' : `${response.json}`);
  return [...steps, isNoticeable(kind, response) ? 'shown' : 'given back'].join(', ');
}

test('each fault that a firm simulates is processed, answered and counted as the guides say', async () => {
  // The text of another field has its quotes escaped.
  const note = '"note":"\\"status\\":\\"pending_acceptance\\""';
  const claims = `{"status":"pending_acceptance",${note}},{"status":"pending_acceptance"}`;
  const page = `{"data":[${claims}],"next_cursor":"c"}`;
  const other = page.replaceAll('"pending_acceptance"', `"${SIMULATED_STATUS}","simulated_new_field":true`);
  const detail = 'Simulated with PUT /v1/test/faults; the request was not processed.';
  const refused = (code: string, retry: string) =>
    `read, ${code}, ${retry}, simulated: true, ${detail}, shown`;
  const slow = `processed, ${LIMITS.slowFaultMs} ms, same, shown`;
  const [empty, dropped] = ['{"data":[],"next_cursor":null}', 'processed, dropped, shown'];
  const unseen = 'processed, same, given back';
  const failed = 'not_found, no Retry-After, simulated: undefined, No.';
  const unseenFailure = `processed, ${failed}, given back`;
  const expected: Record<FaultKind, string[]> = {
    rate_limited: [refused('rate_limited', '1')],
    internal_error: [refused('internal_error', 'no Retry-After')],
    service_unavailable: [refused('service_unavailable', '1')],
    slow: [slow, slow, slow, slow.replace('same', failed)],
    dropped: [dropped],
    dropped_write: [unseen, dropped, unseen, unseenFailure],
    unknown_value: [`processed, ${other}, shown`, `processed, ${other}, shown`, unseen, unseenFailure],
    short_page: ['processed, same, shown', 'processed, same, shown', unseen, unseenFailure],
  };
  for (const kind of FAULT_KINDS) {
    const [ofRead, ofWrite = ofRead, ofEmpty = ofRead, ofFailure = ofRead] = expected[kind];
    const ends = [await simulated(kind, false, page), await simulated(kind, true, page)];
    ends.push(await simulated(kind, false, empty), await simulated(kind, false, ''));
    expect([kind, ...ends]).toEqual([kind, ofRead, ofWrite, ofEmpty, ofFailure]);
  }
});
