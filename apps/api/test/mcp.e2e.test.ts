import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

let service: ServiceUnderTest;
let firm: TestFirm;
let other: TestFirm;
beforeAll(async () => {
  service = await startServiceUnderTest();
  [firm, other] = await Promise.all([service.firm(), service.firm()]);
});
afterAll(() => service?.stop());

const clients: Client[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

/** The client of the SDK. */
async function connect(key: string, query = ''): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp${query}`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  // The SDK's own types do not fit each other with exactOptionalPropertyTypes.
  await client.connect(transport as unknown as Transport);
  clients.push(client);
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read untyped results
type Result = { isError: boolean; body: any };

async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Result> {
  const { isError, structuredContent } = await client.callTool({ name, arguments: input });
  return { isError: isError === true, body: structuredContent };
}

/** Not `service.call`, since this path is not in the interface document. */
async function post(key: string | undefined, body: unknown, query = '') {
  const response = await fetch(`${service.url}/mcp${query}`, {
    method: 'POST',
    headers: {
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('the tools read what the key can read, and nothing of another firm', async () => {
  const claim = (await sendClaim(service, firm.test, claimBody(firm.account.manual))).json;
  const client = await connect(firm.test);
  expect(await call(client, 'getKeyInfo')).toMatchObject({ isError: false, body: { firm: { id: firm.id } } });
  expect(await call(client, 'getClaim', { id: claim.id })).toEqual({ isError: false, body: claim });
  expect(await call(client, 'listClaims', { external_id: claim.external_id })).toMatchObject({
    isError: false,
    body: { data: [claim], next_cursor: null },
  });
  const stranger = await connect(other.test);
  expect(await call(stranger, 'getClaim', { id: claim.id })).toMatchObject({
    isError: true,
    body: { status: 404, code: 'not_found', request_id: expect.any(String) },
  });
  expect(await call(stranger, 'listClaims')).toMatchObject({ body: { data: [] } });
});

test('tools that write are offered only with allow_writes, and write once per idempotency key', async () => {
  const reader = await connect(firm.test);
  const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names(reader)).not.toContain('sendClaim');
  await expect(call(reader, 'sendClaim', claimBody(firm.account.manual))).rejects.toThrow('switched off');

  const writer = await connect(firm.test, '?allow_writes=true');
  expect(await names(writer)).toContain('sendClaim');
  const input = { ...claimBody(firm.account.rejects), idempotency_key: 'agent-1' };
  const [first, second] = [await call(writer, 'sendClaim', input), await call(writer, 'sendClaim', input)];
  expect(first).toMatchObject({ isError: false, body: { assignment: { status: 'pending_acceptance' } } });
  expect(second.body.id).toBe(first.body.id);
  const offer = {
    id: first.body.id,
    adjuster_svc_id: firm.account.accepts,
    idempotency_key: 'agent-2',
  };
  expect(await call(writer, 'offerClaim', offer)).toMatchObject({
    isError: false,
    body: { assignment: { adjuster_svc_id: firm.account.accepts } },
  });
});

test('an error names the fields to correct, with the locations of the API', async () => {
  const writer = await connect(firm.test, '?allow_writes=true');
  const wrong = { ...claimBody(firm.account.manual), loss: { date: '2026-02-30' }, colour: 'red' };
  expect(await call(writer, 'sendClaim', { ...wrong, idempotency_key: 'agent-3' })).toMatchObject({
    isError: true,
    body: {
      code: 'validation_failed',
      errors: [
        { pointer: '/loss/date', detail: expect.any(String) },
        { pointer: '/colour', detail: expect.any(String) },
      ],
    },
  });
});

test('the key needs the scope of the operation', async () => {
  const key = await service.key(firm, { environment: 'test', purpose: 'read_only' });
  const client = await connect(key, '?allow_writes=true');
  const input = { svc_id: firm.account.new };
  expect(await call(client, 'inviteAdjuster', input)).toMatchObject({
    isError: true,
    body: { code: 'insufficient_scope' },
  });
});

test('messages count as requests of the key, and tools that write as writes', async () => {
  const limited = await service.firm({ limited: true });
  const writer = await connect(limited.test, '?allow_writes=true');
  const startedAt = performance.now();
  // With the two messages of the connection: 2 + 40 × 2 requests, more than a key may send at once.
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      call(writer, 'sendClaim', {
        ...claimBody(limited.account.manual),
        idempotency_key: `agent-${i}`,
      }).then(
        ({ isError, body }) => (isError ? body.code : 'sent'),
        (error: Error) => (error.message.includes('rate_limited') ? 'rate_limited' : error.message),
      ),
    ),
  );
  expect(new Set(outcomes)).toEqual(new Set(['sent', 'rate_limited']));
  // One more request every second, and each call takes two.
  const refilled = Math.ceil((performance.now() - startedAt) / 2000);
  expect(outcomes.filter((one) => one === 'sent').length).toBeLessThanOrEqual(9 + refilled);
});

test('a message needs a key, a JSON-RPC object and known parameters', async () => {
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
});
