import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { testUrl } from '../../../packages/adapter-redis/test/connected.ts';
import { countRows } from '../../../tools/services/count-rows.ts';
import { claimBody, startServiceUnderTest } from './service-under-test.ts';
import { type ReceivedSpan, startTraceReceiver } from './trace-receiver.ts';

const SERVER = 2;
const PARENT = 'b7ad6b7169203331';
/** Trace ids by request. */
const TRACES = {
  sent: 'a0000000000000000000000000000001',
  unsampled: 'a0000000000000000000000000000004',
  blocked: 'a0000000000000000000000000000006',
};
const traceparent = (trace: keyof typeof TRACES, flags = '01') => ({
  traceparent: `00-${TRACES[trace]}-${PARENT}-${flags}`,
});

const receiver = await startTraceReceiver();
const startedAt = Date.now();
const service = await startServiceUnderTest({
  clock: { now: () => startedAt },
  env: {
    EDGE_LIMIT_PER_MINUTE: '3',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    // Of requests without a trace, none.
    OTEL_TRACES_SAMPLER_ARG: '0',
    REDIS_URL: testUrl('TEST_REDIS_URL'),
  },
});
const firm = await service.firm();
const { svcId } = await service.member(firm);
const body = claimBody(svcId);
const send = (headers: Record<string, string>, changes = {}) =>
  service.call('POST', '/v1/claims', {
    as: firm.live,
    body: { ...body, ...changes },
    headers: { 'Idempotency-Key': `key-${headers.traceparent}`, ...headers },
  });
const allJobsDone = () => eventually(async () => (await countRows(service.databaseUrl))['public.jobs'] === 0);
const sent = await send({ ...traceparent('sent'), tracestate: 'vendor=Reyes' });
expect(sent.status).toBe(201);
// The offer's notification is part of the trace.
await allJobsDone();
const more = { external_id: 'unsampled', claim_number: 'unsampled' };
expect((await send(traceparent('unsampled', '00'), more)).status).toBe(201);
expect((await service.call('GET', '/v1/claims', { as: firm.live })).status).toBe(200);
await allJobsDone();
expect((await send(traceparent('blocked'))).status).toBe(429);
await service.stop();

const spansOf = (trace: keyof typeof TRACES): ReceivedSpan[] =>
  receiver.spans.filter(({ traceId }) => traceId === TRACES[trace]);
const childrenOf = (spans: readonly ReceivedSpan[], parent: string): ReceivedSpan[] =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent);

interface Tree {
  [name: string]: Tree;
}
const treeOf = (spans: readonly ReceivedSpan[], parent = PARENT): Tree =>
  Object.fromEntries(
    childrenOf(spans, parent)
      .map((span): [string, Tree] => [span.name, treeOf(spans, span.spanId)])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

const JOB: Tree = { 'jobReads.assignment': {}, 'jobReads.devices': {}, 'notifier.notify': {} };

test('the spans of a send continue the trace of its caller, down to limits, the store and the job it causes', () => {
  const spans = spansOf('sent');
  expect(treeOf(spans)).toEqual({
    'POST /v1/claims': {
      'credentials.keyByHash': {},
      'credentials.version': {},
      'rateLimiter.consume': {},
      'claimWrites.send': { 'process notify_offer': JOB },
      'usedKeys.add': {},
      'usedKeys.has': {},
    },
  });
  expect(spans.find(({ name }) => name === 'POST /v1/claims')).toMatchObject({
    kind: SERVER,
    serviceName: 'claim-assignment-service',
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/claims',
      'http.response.status_code': 201,
    },
  });
});

test('requests that are unsampled, left out by the ratio, or blocked by the limit per address export nothing', () => {
  expect(spansOf('unsampled')).toEqual([]);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACES.sent]));
});

test('spans hold no ids, no content of requests, and no addresses', () => {
  const { external_id: externalId, claim_number: claimNumber, adjuster_svc_id: svcId } = body;
  const never = [firm.id, firm.live, svcId, externalId, claimNumber, 'Reyes', 'Bayshore', '127.0.0.1'];
  expect(never.filter((text) => receiver.text().includes(String(text)))).toEqual([]);
});

test('the log lines of a request have its trace id, sampled or not', () => {
  const requests = service.logged
    .map((line) => JSON.parse(line))
    .filter(({ route }) => route === 'POST /v1/claims');
  expect(requests.map(({ status, trace_id: traceId }) => [status, traceId])).toEqual([
    [201, TRACES.sent],
    [201, TRACES.unsampled],
  ]);
});
