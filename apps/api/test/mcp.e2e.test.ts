import { expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { LIMITS } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import { atEnd } from '../../../tools/services/at-end.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcInProcess, svcJsonOn } from './svc-here.ts';

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

test('tools that write work only with allow_writes, and write once per idempotency key', async () => {
  const reader = await connect(firm.test);
  await expect(call(reader, 'sendClaim', claimBody(firm.account.manual))).rejects.toThrow('switched off');
  const writer = await connect(firm.test, '?allow_writes=true');
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

test('a call is in the request log and the audit trail as the operation that it performs', async () => {
  const [failing, owner] = [await service.firm(), await service.firm()];
  const claim = (await sendClaim(service, owner.test, claimBody(owner.account.manual))).json;
  const key = await service.key(failing, { environment: 'test', purpose: 'read_only' });
  const writer = await connect(key, '?allow_writes=true');
  const { body: refused } = await call(writer, 'inviteAdjuster', { svc_id: failing.account.new });
  const { body: missing } = await call(writer, 'getClaim', { id: claim.id });
  await call(writer, 'listClaims', { limit: 1000 });
  await call(writer, 'listAdjusters');
  await call(await connect(owner.test), 'getClaim', { id: claim.id.toUpperCase() });
  const read = { route: 'GET /v1/claims/{id}', status: 200, claim_id: claim.id };
  const lines = service.logged.map((line) => JSON.parse(line));
  expect(lines).toContainEqual(expect.objectContaining(read));

  const env = { DATABASE_URL: service.databaseUrl };
  await service.service.services.auditBuffer.flush();
  const { stdout } = await svcInProcess(['audit', 'export', '--firm', failing.id], env);
  const events = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  expect(events.filter(({ actor }) => actor.startsWith('key:'))).toEqual([
    expect.objectContaining({
      action: 'invitation.send',
      outcome: 'insufficient_scope',
      request_id: refused.request_id,
    }),
    expect.objectContaining({
      action: 'claim.read',
      outcome: 'not_found',
      object: `claim:${claim.id}`,
      request_id: missing.request_id,
    }),
    expect.objectContaining({ action: 'adjusters.read', outcome: 'ok' }),
  ]);
  const logged = await eventually(
    async () => (await svcJsonOn(service.databaseUrl)('requests', '--firm', failing.id)).requests,
    (requests) => requests.some(({ route }: { route: string }) => route === 'GET /v1/adjusters'),
  );
  const inOrder = logged.toReversed().filter(({ route }: { route: string }) => route !== 'POST /mcp');
  expect(inOrder).toMatchObject([
    { route: 'POST /v1/adjusters/invitations', status: 403, code: 'insufficient_scope' },
    { route: 'GET /v1/claims/{id}', status: 404, code: 'not_found' },
    { route: 'GET /v1/claims', status: 422, code: 'validation_failed', places: ['?limit'] },
    { route: 'GET /v1/adjusters', status: 200 },
  ]);
});

test('a page of a tool ends at about 256 kB, with a cursor to the rest', async () => {
  const sender = await service.firm();
  const instructions = '\u{1f30a}'.repeat(4000);
  const sent: string[] = [];
  for (let n = 0; n < 8; n++) {
    const claim = claimBody(sender.account.manual, { instructions });
    sent.push((await sendClaim(service, sender.test, claim)).json.id);
  }
  const client = await connect(sender.test);
  const { body: first } = await call(client, 'listClaims');
  const { body: second } = await call(client, 'listClaims', { cursor: first.next_cursor });
  // Each has 49 kB: its text is sent in ASCII.
  expect([first, second].map(({ data }) => data.length)).toEqual([5, 3]);
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(sent);
});

test('arguments are no larger than what a request has in its URL', async () => {
  const client = await connect(firm.test);
  for (const input of [{ cursor: 'c'.repeat(20_000) }, { ['x'.repeat(20_000)]: 1 }]) {
    expect(await call(client, 'listClaims', input)).toMatchObject({ body: { code: 'payload_too_large' } });
  }
});

test('messages count as requests of the key, and tools that write as writes', async () => {
  const limited = await service.firm({ limited: true });
  const writer = await connect(limited.test, '?allow_writes=true');
  const startedAt = performance.now();
  // With the two messages of the connection 42 requests, more than a key may send at once.
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
  // One more request every second, and one more write every two.
  const refilled = Math.ceil((performance.now() - startedAt) / 1000);
  const sent = outcomes.filter((one) => one === 'sent').length;
  expect(sent).toBeGreaterThanOrEqual(18);
  expect(sent).toBeLessThanOrEqual(18 + refilled);
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

test('a message is no larger than a claim', async () => {
  const claim = claimBody(firm.account.manual, { instructions: 'x'.repeat(LIMITS.messageBytes) });
  const params = { name: 'sendClaim', arguments: { ...claim, idempotency_key: 'large' } };
  const response = await post(firm.test, { ...LIST, method: 'tools/call', params }, '?allow_writes=true');
  expect(response.json).toMatchObject({
    code: 'payload_too_large',
    detail: 'The body is larger than 384 kB.',
  });
});
