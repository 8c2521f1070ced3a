import { describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ErrorCode, LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import {
  type Endpoint,
  EXAMPLES,
  firmEndpoints,
  LIMITS,
  parseRequest,
  sandboxEndpoints,
  smallestClaim,
} from '@svc/contract';
import { createMcpServer, createTools, type OperationRequest, type ToolResult } from '../src/index.ts';

const FIRM = Object.values(firmEndpoints) as readonly Endpoint[];
const ID = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10';

/** A client of the SDK that is connected to the server, and the requests that the tools made. */
async function connect(
  allowWrites: boolean,
  result: ToolResult = { isError: false, json: `{"id":"${ID}"}` },
  environment: 'live' | 'test' = 'live',
) {
  const requests: OperationRequest[] = [];
  const server = createMcpServer({
    version: '1.2.3',
    allowWrites,
    environment,
    async call(request) {
      requests.push(request);
      return result;
    },
  });
  const client = new Client({ name: 'test', version: '1' });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  return { client, requests };
}

const errorsOf = ({ endpoint, params, query, body, idempotencyKey }: OperationRequest) => {
  const parsed = parseRequest(endpoint, {
    params,
    search: new URLSearchParams(query).toString(),
    headers: { 'idempotency-key': idempotencyKey },
    body: body ?? {},
  });
  return parsed.ok ? [] : parsed.errors;
};

describe('the tools', () => {
  it('are the operations with a key, to write where allowed, and for a test key those of the sandbox', async () => {
    const names = async (allowWrites: boolean, environment: 'live' | 'test') => {
      const { client } = await connect(allowWrites, undefined, environment);
      expect(client.getInstructions()?.includes('switched off')).toBe(!allowWrites);
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    const keyed = FIRM.filter(({ auth }) => auth === 'key');
    const [all, reading] = [keyed, keyed.filter(({ write }) => !write)].map((some) =>
      some.map(({ id }) => id),
    );
    const found = [names(true, 'live'), names(false, 'live'), names(true, 'test'), names(false, 'test')];
    const sandbox = [...(all ?? []), ...Object.keys(sandboxEndpoints)];
    expect(await Promise.all(found)).toEqual([all, reading, sandbox, [...(reading ?? []), 'checkReadiness']]);
  });

  it('that write cannot be called where writes are off', async () => {
    const { client, requests } = await connect(false, undefined, 'test');
    for (const { id } of [...FIRM.filter(({ write }) => write), { id: 'closeTestClaim' }]) {
      await expect(client.callTool({ name: id, arguments: {} })).rejects.toThrow(
        'Tools that change data are switched off.',
      );
    }
    expect(requests).toEqual([]);
  });

  it('that do not exist are an error', async () => {
    const { client } = await connect(true);
    for (const name of ['signIn', 'toString', '', 'closeTestClaim'])
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({
        ...{ code: ErrorCode.InvalidParams, message: expect.stringContaining(`There is no tool "${name}".`) },
      });
  });

  it('tell a client what they change, what they remove, what it may repeat, and which scope they need', async () => {
    const { client } = await connect(true, undefined, 'test');
    const { tools } = await client.listTools();
    const named = (hint: 'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint') =>
      tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);
    const reading = ['listClaims', 'getClaim', 'getReceipt', 'listAdjusters', 'getKeyInfo', 'checkReadiness'];
    const writing = tools.map(({ name }) => name).filter((name) => !reading.includes(name));
    expect(named('readOnlyHint')).toEqual(reading);
    expect(named('openWorldHint')).toEqual(writing);
    expect(named('destructiveHint')).toEqual(['withdrawInvitation', 'clearFaults']);
    expect(named('idempotentHint').sort()).toEqual([...reading, 'sendClaim', 'offerClaim'].sort());
    const described = tools.filter(({ description }) => description?.includes('This changes data.'));
    expect(described.map(({ name }) => name)).toEqual(writing);
    for (const { name, title, description, annotations } of tools) {
      const { summary, scope } = { ...firmEndpoints, ...sandboxEndpoints }[name as 'getClaim'];
      expect([title, annotations?.title]).toEqual([summary, summary]);
      expect(/ Requires the scope (.*)\.$/.exec(description ?? '')?.[1] ?? null).toBe(scope);
    }
  });

  it('have a closed schema of their required fields, whose references it defines', async () => {
    const tools = createTools({ allowWrites: true, environment: 'live' });
    expect(createTools({ allowWrites: true, environment: 'live' })).toBe(tools);
    const required = tools.map(({ name, inputSchema }) => [name, inputSchema.required] as const);
    const claim =
      'external_id claim_number adjuster_svc_id loss policy carrier loss_location policyholder idempotency_key';
    expect(Object.fromEntries(required)).toEqual({
      ...{ listClaims: [], getClaim: ['id'], getReceipt: ['id'], sendClaim: claim.split(' ') },
      ...{ offerClaim: ['id', 'adjuster_svc_id', 'idempotency_key'], inviteAdjuster: ['svc_id'] },
      ...{ listAdjusters: [], withdrawInvitation: ['svc_id'], getKeyInfo: [] },
    });
    const { description, inputSchema } = tools.find(({ name }) => name === 'offerClaim') ?? {};
    expect(description).toBe(
      `${firmEndpoints.offerClaim.description} This changes data. Requires the scope claims:write.`,
    );
    expect(inputSchema).toMatchObject({
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        adjuster_svc_id: { type: 'string', minLength: 1, maxLength: 128 },
        idempotency_key: { type: 'string', minLength: 1, maxLength: 255 },
      },
    });
    for (const { inputSchema: schema } of tools) {
      const used = [...JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => name ?? '');
      expect([schema.additionalProperties, Object.keys(Object(schema.$defs))]).toEqual([
        ...[false, expect.arrayContaining(used)],
      ]);
    }
  });

  it('describe every field that a request may have', () => {
    for (const { inputSchema, requestOf } of createTools({ allowWrites: true, environment: 'test' })) {
      const { endpoint } = requestOf({});
      const body = (endpoint.body as { shape?: object } | undefined)?.shape ?? {};
      const fields = [endpoint.params?.shape, endpoint.query?.shape, body].flatMap((shape) =>
        Object.keys(shape ?? {}),
      );
      if (endpoint.headers !== undefined) fields.push('idempotency_key');
      const properties = inputSchema.properties as Record<string, { description?: string; $ref?: string }>;
      expect(Object.keys(properties)).toEqual(fields);
      const undocumented = Object.entries(properties).filter(
        ([, { description, $ref }]) => description === undefined && $ref === undefined,
      );
      expect(undocumented).toEqual([]);
    }
  });
});

// By the version that a client asks for. One of 2025-03-26 would send batches.
it.each([
  ['2025-03-26', '2024-11-05'],
  ['2024-11-05', '2024-11-05'],
  ['2025-06-18', '2025-06-18'],
  ['1999-01-01', LATEST_PROTOCOL_VERSION],
])('a client of %s gets the version %s', async (protocolVersion, version) => {
  const [one, other] = InMemoryTransport.createLinkedPair();
  const options = { version: '1.2.3', allowWrites: false, environment: 'live' } as const;
  await createMcpServer({ ...options, call: () => Promise.reject(new Error('called')) }).connect(one);
  const answered = new Promise((resolve) => {
    other.onmessage = resolve;
  });
  await other.start();
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  await other.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const serverInfo = { name: 'claim-assignment', title: 'Claim assignment', version: '1.2.3' };
  const instructions = expect.stringMatching(/^Tools of a .* Tools that change data are switched off\.$/);
  const result = { protocolVersion: version, serverInfo, capabilities: { tools: {} }, instructions };
  expect(await answered).toEqual({ jsonrpc: '2.0', id: 1, result });
});

describe('a call', () => {
  it.each([
    ['listClaims', { limit: 3, assignment_status: 'rejected', updated_since: '2026-08-29T14:30:00+02:00' }],
    ['getClaim', { id: ID }],
    ['sendClaim', { ...smallestClaim, idempotency_key: 'k 1' }],
    ['offerClaim', { id: ID, adjuster_svc_id: 'SVC-1', idempotency_key: 'k2' }],
    ['inviteAdjuster', EXAMPLES.inviteAdjuster.body as Record<string, unknown>],
    ['listAdjusters', {}],
    ['withdrawInvitation', { svc_id: 'SVC 1' }],
    ['getKeyInfo', {}],
  ])('of %s is a valid request by the contract', async (name, input) => {
    const { client, requests } = await connect(true);
    await client.callTool({ name, arguments: input });
    const [request] = requests;
    expect(request?.endpoint.id).toBe(name);
    expect(request && errorsOf(request)).toEqual([]);
    const { params, query, body, idempotencyKey: idempotency_key } = request ?? {};
    const values = Object.entries(input).map(([field, value]) => [field, value === 3 ? '3' : value]);
    expect({ ...params, ...query, ...body, idempotency_key }).toMatchObject(Object.fromEntries(values));
  });

  it.each([
    ['sendClaim', { ...smallestClaim, colour: 1, idempotency_key: 'k' }, { pointer: '/colour' }],
    ['sendClaim', smallestClaim, { header: 'Idempotency-Key' }],
    ['sendClaim', { ...smallestClaim, idempotency_key: null }, { header: 'Idempotency-Key' }],
    ['getClaim', { id: 'EXT-1' }, { parameter: 'id' }],
    ['listClaims', { colour: 1 }, { parameter: 'colour' }],
    ['listClaims', { limit: 1000 }, { parameter: 'limit' }],
  ])('of %s with wrong input is a request whose error names the field', async (name, input, location) => {
    const { client, requests } = await connect(true);
    await client.callTool({ name, arguments: input });
    const [request] = requests;
    expect(request && errorsOf(request)).toMatchObject([location]);
  });

  it('of values that are empty or no texts sends each of them, as text in the URL and as it is in the body', () => {
    const tools = createTools({ allowWrites: true, environment: 'live' });
    const requestOf = (name: string, input: object) =>
      tools.find((tool) => tool.name === name)?.requestOf({ ...input });
    const query = { cursor: '', limit: 0, updated_since: null, colour: { a: [false] } };
    const texts = { cursor: '', limit: '0', updated_since: 'null', colour: '{"a":[false]}' };
    expect(requestOf('listClaims', query)?.query).toEqual(texts);
    const get = { params: { id: '7' }, query: { colour: '' }, body: undefined };
    expect(requestOf('getClaim', { id: 7, colour: '' })).toMatchObject(get);
    const body = { adjuster_svc_id: '', colour: [0, null] };
    const offer = {
      params: { id: '' },
      query: {},
      body,
      idempotencyKey: '',
      endpoint: firmEndpoints.offerClaim,
    };
    expect(requestOf('offerClaim', { id: '', idempotency_key: '', ...body })).toEqual(offer);
    const invite = { svc_id: 'S', idempotency_key: 'k' };
    expect(requestOf('inviteAdjuster', invite)).toMatchObject({
      body: { svc_id: 'S' },
      idempotencyKey: undefined,
    });
  });

  it('returns the response once, as text, an error marked as one', async () => {
    const json = '{"code":"not_found","status":404,"detail":"No."}';
    for (const isError of [false, true]) {
      const { client } = await connect(false, { isError, json });
      expect(await client.callTool({ name: 'getClaim', arguments: { id: ID } })).toEqual({
        isError,
        content: [{ type: 'text', text: json }],
      });
    }
  });

  it('has pages that are smaller than those of the API, by default and at most', async () => {
    const { client, requests } = await connect(false);
    const { tools } = await client.listTools();
    const limits = ['listClaims', 'listAdjusters'].map(
      (list) => tools.find(({ name }) => name === list)?.inputSchema.properties?.limit,
    );
    const { default: byDefault, max } = LIMITS.toolPage;
    const description = expect.stringContaining(`${byDefault} by default`);
    expect(limits).toMatchObject(Array(2).fill({ minimum: 1, maximum: max, description }));
    await client.callTool({ name: 'listAdjusters' });
    await client.callTool({ name: 'listClaims' });
    await client.callTool({ name: 'listClaims', arguments: { limit: max } });
    await client.callTool({ name: 'listClaims', arguments: { limit: max + 1 } });
    expect(requests.map(({ query }) => query)).toEqual([
      { limit: String(byDefault) },
      { limit: String(byDefault) },
      { limit: String(max) },
      { limit: String(max + 1) },
    ]);
    expect(requests.map((request) => errorsOf(request).length)).toEqual([0, 0, 0, 1]);
  });
});
