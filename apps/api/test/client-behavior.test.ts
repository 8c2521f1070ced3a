import { expect, test } from '@jest/globals';
import { endpoints, LIMITS, SIMULATED_STATUS } from '@svc/contract';
import { FAULT_KINDS, type FaultKind, type FirmId } from '@svc/domain';
import { clientBehavior, observeBody, shortHash } from '../src/http/pipeline/client-behavior.ts';
import { isNoticeable, withFault } from '../src/http/pipeline/simulated-faults.ts';
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
  const graded = called.map((one) => clientBehavior(one, TEST_KEY, { headers: {} }, '')?.operation);
  expect(graded).toEqual(['GET /v1/claims', undefined, undefined]);
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
  const respond = async (): Promise<RouteResponse> => {
    steps.push('processed');
    return { status: 200, json: inAscii(json) };
  };
  const read = async () => void steps.push('read');
  const response = await withFault(
    kind,
    isWrite,
    read,
    respond,
    async (ms) => void steps.push(`${ms} ms`),
  ).catch(({ code, extra }): null => {
    steps.push(code, extra.headers['Retry-After'] ?? 'no Retry-After', `simulated: ${extra.simulated}`);
    return null;
  });
  if (response?.dropped) steps.push('dropped');
  else if (response !== null) steps.push(response.json === json ? 'same' : `${response.json}`);
  return [...steps, isNoticeable(kind, response) ? 'shown' : 'given back'].join(', ');
}

test('each fault that a firm simulates is processed, answered and counted as the guides say', async () => {
  // The text of another field has its quotes escaped.
  const note = '"note":"\\"status\\":\\"pending_acceptance\\""';
  const page = `{"data":[{"status":"pending_acceptance",${note}}],"next_cursor":"c"}`;
  const other = page.replace('"pending_acceptance"', `"${SIMULATED_STATUS}","simulated_new_field":true`);
  const refused = (code: string, retry: string) => `read, ${code}, ${retry}, simulated: true, shown`;
  const [empty, dropped] = ['{"data":[],"next_cursor":null}', 'processed, dropped, shown'];
  const unseen = 'processed, same, given back';
  const expected: Record<FaultKind, [ofRead: string, ofWrite?: string, ofEmpty?: string]> = {
    rate_limited: [refused('rate_limited', '1')],
    internal_error: [refused('internal_error', 'no Retry-After')],
    service_unavailable: [refused('service_unavailable', '1')],
    slow: [`processed, ${LIMITS.slowFaultMs} ms, same, shown`],
    dropped: [dropped],
    dropped_write: [unseen, dropped],
    unknown_value: [`processed, ${other}, shown`, `processed, ${other}, shown`, unseen],
    short_page: ['processed, same, shown', 'processed, same, shown', unseen],
  };
  for (const kind of FAULT_KINDS) {
    const [ofRead, ofWrite = ofRead, ofEmpty = ofRead] = expected[kind];
    const ends = [await simulated(kind, false, page), await simulated(kind, true, page)];
    expect([kind, ...ends, await simulated(kind, false, empty)]).toEqual([kind, ofRead, ofWrite, ofEmpty]);
  }
  const unseenInErrors = FAULT_KINDS.filter((kind) => !isNoticeable(kind, null));
  expect(unseenInErrors).toEqual(['dropped_write', 'unknown_value', 'short_page']);
});
