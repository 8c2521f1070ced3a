import { expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { atEnd } from '../../../tools/services/at-end.ts';
import { claimBody, startServiceUnderTest } from './service-under-test.ts';

const service = await startServiceUnderTest();
const [firm, other] = await Promise.all([service.firm(), service.firm()]);

/** The client of the SDK. */
async function connect(key: string, query = ''): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp${query}`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  // The SDK's own types do not fit each other with exactOptionalPropertyTypes.
  await client.connect(transport as unknown as Transport);
  atEnd(() => client.close());
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read untyped results
type Result = { isError: boolean; body: any };

async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Result> {
  const { isError, content } = (await client.callTool({ name, arguments: input })) as CallToolResult;
  const [item] = content;
  if (item?.type !== 'text') throw new Error('The tool returned no text.');
  return { isError: isError === true, body: JSON.parse(item.text) };
}

/** Not `service.call`, since this path is not in the interface document. */
async function post(
  key: string | undefined,
  body: unknown,
  query = '',
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${service.url}/mcp${query}`, {
    method: 'POST',
    headers: {
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('the tools read what the key can read and nothing of another firm, and write only with allow_writes, once per idempotency key', async () => {
  const reader = await connect(firm.test);
  await expect(call(reader, 'sendClaim', claimBody(firm.account.manual))).rejects.toThrow('switched off');
  const writer = await connect(firm.test, '?allow_writes=true');
  const input = { ...claimBody(firm.account.manual), idempotency_key: 'agent-1' };
  const { isError, body: claim } = await call(writer, 'sendClaim', input);
  expect([isError, claim.assignment.status]).toEqual([false, 'pending_acceptance']);
  expect(await call(writer, 'sendClaim', input)).toEqual({ isError, body: claim });
  const offer = { id: claim.id, adjuster_svc_id: firm.account.accepts, idempotency_key: 'agent-2' };
  const { body: offered } = await call(writer, 'offerClaim', offer);
  expect(offered.assignment.adjuster_svc_id).toBe(firm.account.accepts);
  const { external_id } = claim;
  expect(await call(reader, 'listClaims', { external_id })).toMatchObject({
    body: { data: [{ id: claim.id, external_id }], next_cursor: null },
  });
  const stranger = await connect(other.test);
  expect(await call(stranger, 'getClaim', { id: claim.id })).toMatchObject({
    isError: true,
    body: { status: 404, code: 'not_found', request_id: expect.any(String) },
  });
  expect(await call(stranger, 'listClaims')).toMatchObject({ body: { data: [] } });
});

test('a message needs a key, a JSON-RPC object, known parameters and a known version of the protocol', async () => {
  expect((await post(undefined, LIST)).json).toMatchObject({ status: 401, code: 'invalid_key' });
  expect((await post('svc_test_wrong', LIST)).json).toMatchObject({ status: 401, code: 'invalid_key' });
  expect((await post(firm.test, [LIST])).json).toMatchObject({ status: 422, code: 'validation_failed' });
  expect((await post(firm.test, LIST, '?writes=true')).json).toMatchObject({
    status: 422,
    errors: [{ parameter: 'writes' }],
  });
  expect((await post(firm.test, { hello: 1 })).status).toBe(400);
  expect(await (await fetch(`${service.url}/mcp`)).json()).toMatchObject({ code: 'method_not_allowed' });
  expect((await post(firm.test, { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  const unknown = { 'MCP-Protocol-Version': '2099-01-01' };
  expect((await post(firm.test, LIST, '', unknown)).status).toBe(400);
});

test('a page of another origin cannot send messages', async () => {
  const statusFrom = async (Origin: string) => (await post(firm.test, LIST, '', { Origin })).status;
  expect(await statusFrom('https://attacker.example')).toBe(403);
  expect(await statusFrom('null')).toBe(403);
  expect(await statusFrom(service.url)).toBe(200);
});
