import { expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { endpoints, INTERFACE_VERSION, LIMITS, mcpEndpoint } from '@svc/contract';
import type { Environment } from '@svc/domain';
import { mcpRoute } from '../src/http/mcp/mcp-route.ts';
import { parseOrThrow } from '../src/http/pipeline/request-pipeline.ts';
import { HttpProblem } from '../src/http/problems/http-problem.ts';
import { firmRoute, type RouteResponse } from '../src/http/routes/route.ts';
import { inAscii } from '../src/http/serialization/ascii-json.ts';
import { GRANT } from './application.ts';

type Sent = { environment?: Environment; search?: string; headers?: Record<string, string> };

/** The response to a message of a key, and the operations that it performed. */
async function send(
  method: string,
  params: object,
  outcome: RouteResponse | Error = new Error('not called'),
  { environment = 'live', search = '', headers = {} }: Sent = {},
) {
  const route = mcpRoute({
    operations: Object.values(endpoints).map((one) => firmRoute(one, async () => ({ status: 500 }))),
    addresses: { baseUrl: 'https://claims.example/flood', docsUrl: 'https://docs.example' },
  });
  if (route.caller !== 'agent') throw new Error('The route is for agents.');
  const performed: unknown[] = [];
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const response = await route.handle(parseOrThrow(mcpEndpoint, { search, headers: {}, body }), {
    ...{ grant: { ...GRANT, environment }, headers, origin: { requestId: 'r', address: '192.0.2.1' } },
    async perform({ endpoint }, request) {
      performed.push([endpoint.id, request, endpoint.query?.parse({}).limit]);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  });
  return { response, performed, result: JSON.parse(response.json ?? '{}').result };
}

const callTool = (name: string, input: object, outcome: RouteResponse | Error, search?: string) =>
  send('tools/call', { name, arguments: input }, outcome, search === undefined ? {} : { search });

test('a tool that fails for another reason than its input fails the request', async () => {
  for (const error of [new Error('password of the database'), new Unavailable('No database responds.')])
    await expect(callTool('getKeyInfo', {}, error)).rejects.toBe(error);
});

test.each([
  ['live', '', false, false],
  ['live', 'allow_writes=false', false, false],
  ['live', 'allow_writes=true', true, false],
  ['test', '', false, true],
  ['test', 'allow_writes=true', true, true],
] as const)('a %s key with "%s" may write: %s, and has the sandbox: %s', async (...row) => {
  const [environment, search, mayWrite, hasSandbox] = row;
  const { result } = await send('tools/list', {}, undefined, { environment, search });
  const names: string[] = result.tools.map(({ name }: { name: string }) => name);
  expect(['getClaim', 'sendClaim', 'checkReadiness'].map((name) => names.includes(name))).toEqual([
    ...[true, mayWrite, hasSandbox],
  ]);
});

test.each([
  [{}, 200],
  [{ origin: 'https://claims.example' }, 200],
  [{ origin: 'https://other.example' }, 403],
  [{ 'mcp-protocol-version': '1999-01-01' }, 400],
])('a message with the headers %j has the status %d', async (headers, status) => {
  const { response } = await send('tools/list', {}, undefined, { headers });
  expect(response.status).toBe(status);
});

test('the response to initialize has the version of the interface', async () => {
  const { result } = await send('initialize', {
    ...{ protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  expect(result.serverInfo).toMatchObject({ version: INTERFACE_VERSION });
});

test('a tool performs its operation with its input, and returns the response with what it read', async () => {
  const reads = [{ firmId: GRANT.firmId, action: 'adjusters.read', object: null }] as const;
  const text = '{"data":[]}';
  const listed = { status: 200, json: inAscii(text), reads };
  const list = await callTool('listAdjusters', { limit: 2 }, listed);
  const request = { params: {}, search: 'limit=2', headers: { 'idempotency-key': undefined }, body: {} };
  expect(list.performed).toEqual([['listAdjusters', request, LIMITS.toolPage.default]]);
  expect(list.result).toEqual({ isError: false, content: [{ type: 'text', text }] });
  expect(list.response).toMatchObject({ status: 200, reads });

  const input = { id: 'c', adjuster_svc_id: 'SVC-1', idempotency_key: 'k' };
  const offered = await callTool('offerClaim', input, { status: 204 }, 'allow_writes=true');
  const body = { adjuster_svc_id: 'SVC-1' };
  const offer = { params: { id: 'c' }, search: '', headers: { 'idempotency-key': 'k' }, body };
  expect(offered.performed).toEqual([['offerClaim', offer, undefined]]);
  expect(offered.result).toEqual({ isError: false, content: [{ type: 'text', text: '{}' }] });
  expect(offered.response).not.toHaveProperty('reads');
});

test('an error of an operation is its problem document, and every message is in ASCII', async () => {
  const { result } = await callTool('getClaim', { id: 'c' }, new HttpProblem('not_found'));
  expect(result.isError).toBe(true);
  expect(JSON.parse(result.content[0].text)).toMatchObject({
    ...{ code: 'not_found', request_id: 'r', type: 'https://docs.example/errors#not_found' },
  });
  const { response } = await callTool('ñ', {}, new Error('not called'));
  expect(response.json).toMatch(/^[ -~]*There is no tool[ -~]*$/);
});
