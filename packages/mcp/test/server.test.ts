import { describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
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
  it('are the reading operations of the contract that need a key', async () => {
    const { client } = await connect(false);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      FIRM.filter(({ auth, write }) => auth === 'key' && !write).map(({ id }) => id),
    );
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    expect(client.getInstructions()).toContain('switched off');
  });

  it('also are the writing operations where these are allowed, each that takes a key with an idempotency key', async () => {
    const { client } = await connect(true);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      FIRM.filter(({ auth }) => auth === 'key').map(({ id }) => id),
    );
    const withKey = tools.filter(({ inputSchema }) => inputSchema.required?.includes('idempotency_key'));
    expect(withKey.map(({ name }) => name)).toEqual(
      FIRM.filter(({ headers }) => headers !== undefined).map(({ id }) => id),
    );
    expect(client.getInstructions()).not.toContain('switched off');
  });

  it('include those of the sandbox for a test key where writes are allowed', async () => {
    const names = async (allowWrites: boolean, environment: 'live' | 'test') => {
      const { client } = await connect(allowWrites, undefined, environment);
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    const sandbox = Object.keys(sandboxEndpoints);
    expect(await names(true, 'test')).toEqual([...(await names(true, 'live')), ...sandbox]);
    expect(await names(false, 'test')).toEqual([...(await names(false, 'live')), 'checkReadiness']);
  });

  it('that write cannot be called where writes are off', async () => {
    const { client, requests } = await connect(false);
    for (const { id } of FIRM.filter(({ write }) => write)) {
      await expect(client.callTool({ name: id, arguments: {} })).rejects.toThrow(
        'Tools that change data are switched off.',
      );
    }
    expect(requests).toEqual([]);
  });

  it('that do not exist are an error', async () => {
    const { client } = await connect(true);
    for (const name of ['signIn', 'toString', '']) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow('There is no tool');
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
    const { properties } = tools.find(({ name }) => name === 'listClaims')?.inputSchema ?? {};
    const { default: byDefault, max } = LIMITS.toolPage;
    expect(properties?.limit).toMatchObject({ maximum: max });
    await client.callTool({ name: 'listClaims' });
    await client.callTool({ name: 'listClaims', arguments: { limit: max } });
    await client.callTool({ name: 'listClaims', arguments: { limit: max + 1 } });
    expect(requests.map(({ query }) => query)).toEqual([
      { limit: String(byDefault) },
      { limit: String(max) },
      { limit: String(max + 1) },
    ]);
    expect(requests.map((request) => errorsOf(request).length)).toEqual([0, 0, 1]);
  });
});
