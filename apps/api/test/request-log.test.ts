import { afterEach, expect, jest, test } from '@jest/globals';
import { type AuditEvent, byFirm } from '@svc/application';
import { endpoints } from '@svc/contract';
import type { FirmId } from '@svc/domain';
import { auditedRequest } from '../src/http/pipeline/audited-requests.ts';
import { HttpProblem } from '../src/http/problems/http-problem.ts';
import {
  loggedRequest,
  logWhenCompleted,
  type RequestTrace,
  recordProblem,
} from '../src/http/request-log.ts';
import { exchange } from './exchange.ts';

const FIRM = '00000000-0000-7000-8000-0000000000f1' as FirmId;
const started = (): RequestTrace => ({ requestId: 'r', clientAddress: '192.0.2.1' });

afterEach(() => void jest.restoreAllMocks());

type End = 'sent' | 'broken' | 'destroyed';

/** What is logged, observed and audited of a request whose response has this status and ends so. */
function completed(trace: RequestTrace, statusCode = 200, end: End = 'sent', type = 'application/json') {
  const { request, response } = exchange();
  request.method = 'GET';
  const lines: object[] = [];
  const note = (level: string) => (message: string, fields?: object) =>
    void lines.push({ level, message, ...fields });
  const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const [observed, audited]: [object[], AuditEvent[]] = [[], []];
  const deps = {
    ...{ log, tracing: null, clock: { now: () => 5 } },
    auditBuffer: { add: (event: AuditEvent) => void audited.push(event) },
    observe: ({ trace: _, ...seen }: { trace: RequestTrace }) => void observed.push(seen),
  };
  const now = jest.spyOn(performance, 'now').mockReturnValueOnce(1000);
  logWhenCompleted(deps, request, response, trace);
  Object.assign(response, { statusCode }).setHeader('Content-Type', type);
  if (end === 'destroyed') request.socket.destroy();
  if (end !== 'broken') response.emit('finish');
  expect(lines).toEqual([]);
  now.mockReturnValueOnce(2250.25);
  for (let times = 0; times < 2; times += 1) response.emit('close');
  return { lines, observed, audited: audited.map(({ chain, entry }) => [chain, entry.outcome, entry.at]) };
}

test('a request is one log line, with what is known of it and the template of its path', () => {
  const known = { route: 'GET /v1/claims/{id}', code: 'not_found', keyId: 'k', firmId: FIRM, claimId: 'c' };
  const line = { level: 'info', message: 'request', request_id: 'r', method: 'GET', ms: 1250.3 };
  const ids = { key_id: 'k', firm_id: FIRM, claim_id: 'c' };
  expect(completed({ ...started(), ...known }, 404).lines).toEqual([
    { ...line, route: known.route, status: 404, code: 'not_found', ...ids },
  ]);
  const unknown = completed(started(), 401);
  expect(unknown.lines).toEqual([{ ...line, route: 'none', status: 401 }]);
  expect(unknown.observed).toEqual([{ route: 'none', status: 401, isStream: false, seconds: 1.25025 }]);
});

test.each<[End, type: string, status: number | 'aborted', outcome: string]>([
  ['sent', 'application/json', 207, 'not_found'],
  ['broken', 'text/event-stream', 'aborted', 'aborted'],
  ['destroyed', 'application/json', 'aborted', 'aborted'],
])('a response that is %s as %s is observed and audited once, as %s', (end, type, status, outcome) => {
  const caller = byFirm({ firmId: FIRM, environment: 'live' });
  const audit = auditedRequest(endpoints.getClaim, { id: 'c' }, caller, FIRM);
  const reads = [{ firmId: FIRM, action: 'claim.read', object: 'claim:c' }] as const;
  // The status of an operation in a message counts, not that of the message.
  const trace = { ...started(), code: 'not_found', status: 207, audit: { ...audit, reads } };
  const { observed, audited } = completed(trace, 200, end, type);
  const isStream = type === 'text/event-stream';
  expect(observed).toEqual([{ route: 'none', status, isStream, seconds: 1.25025 }]);
  expect(audited).toEqual([[FIRM, outcome, 5]]);
});

test.each<[level: string, status: number, Partial<RequestTrace>]>([
  ['debug', 200, { route: 'GET /v1/health' }],
  ['debug', 503, { route: 'GET /v1/health', unavailable: 'draining' }],
  ['info', 503, { route: 'GET /v1/health', unavailable: 'overload' }],
  ['info', 200, { route: 'GET /v1/me' }],
  ['info', 503, { route: 'GET /v1/me', unavailable: 'other' }],
])('is logged at the level %s: %d of %j', (level, status, known) => {
  expect(completed({ ...started(), ...known }, status).lines).toMatchObject([{ level, status }]);
});

test('of a problem the log has places and texts without what was sent, and of a graded program its Retry-After', () => {
  const errors = [
    { pointer: '/loss/date', detail: 'Unknown field named "Ana"; did you mean "Ann"?' },
    { parameter: 'Ana', detail: 'Is not a parameter.' },
  ];
  const extra = {
    detail: 'duplicate member: Ana',
    errors,
    existingClaimId: 'c',
    headers: { 'Retry-After': '2' },
  };
  const problem = new HttpProblem('validation_failed', { ...extra, unavailable: 'memory' });
  const traces = [started(), { ...started(), behavior: { operation: 'GET /v1/claims' } }];
  for (const trace of traces) recordProblem(trace, problem);
  const logged = {
    ...{
      ...started(),
      code: 'validation_failed',
      unavailable: 'memory',
      errorLocations: ['/loss/date', '?*'],
    },
    problem: {
      ...{ detail: 'duplicate member.', existingClaimId: 'c' },
      ofPlaces: ['Unknown field named *.', 'Is not a parameter.'],
    },
  };
  const behavior = { operation: 'GET /v1/claims', retryAfterMs: 2000 };
  expect(traces).toEqual([logged, { ...logged, behavior }]);
  const plain = started();
  recordProblem(plain, new HttpProblem('not_found'));
  expect(plain).toEqual({ ...started(), code: 'not_found', errorLocations: [] });
});

test('support sees of a request of a key when it began, how long it took, and its result; of others nothing', () => {
  const ended = { route: 'GET /v1/claims/{id}', status: 404, seconds: 1.23456, isStream: false };
  const key = { ...started(), firmId: FIRM, keyId: 'k', environment: 'test' } as const;
  const behavior = { operation: 'GET /v1/claims/{id}' };
  const found = { code: 'not_found', errorLocations: ['?id'], claimId: 'c', problem: { detail: 'No.' } };
  expect(loggedRequest({ ...ended, trace: { ...key, ...found, behavior } }, 10_000)).toEqual({
    ...{ requestId: 'r', at: 8765, durationMs: 1234.6, firmId: FIRM, keyId: 'k', environment: 'test' },
    ...{ route: ended.route, status: 404, code: 'not_found', places: ['?id'], problem: { detail: 'No.' } },
    behavior: { ...behavior, claimId: 'c' },
  });
  expect(loggedRequest({ ...ended, status: 'aborted', trace: { ...key, behavior } }, 1235)).toEqual({
    ...{ requestId: 'r', at: 0, durationMs: 1234.6, firmId: FIRM, keyId: 'k', environment: 'test' },
    ...{ route: ended.route, status: null, code: null, places: [], behavior },
  });
  for (const name of ['firmId', 'keyId', 'environment'])
    expect(loggedRequest({ ...ended, trace: { ...key, [name]: undefined } }, 0)).toBeNull();
});
