import { randomBytes } from 'node:crypto';
import { createSecrets } from '@svc/adapter-credentials';
import { type Endpoint, EXAMPLES, endpoints, LIMITS } from '@svc/contract';
import { Agent, request } from 'undici';
import { cpuMs } from '../services/process-usage.ts';
import { type Finding, inParallel } from './finding.ts';

// What a request without a credential costs: each operation of the contract without one, and the worst bodies and headers.

const MAX_CPU_MS = 5;
const MAX_RESPONSE_BYTES = 20_000;

/** A well-formed key that nobody has, so that it is looked up. */
const UNKNOWN_KEY = createSecrets(randomBytes(32)).issue('live_key').secret;

interface Probe {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Public, the same for everybody and held in memory: larger than other responses. */
  readonly isDocument?: boolean;
}

export interface Cost {
  readonly name: string;
  readonly isDocument: boolean;
  readonly cpuMs: number;
  readonly bytes: number;
  readonly statuses: readonly number[];
}

const JSON_BODY = { 'Content-Type': 'application/json' } as const;
const open = (name: string, body: string): Probe => ({
  name,
  method: 'POST',
  path: endpoints.signIn.path,
  headers: JSON_BODY,
  body: body.slice(0, LIMITS.openBodyBytes),
});
const filler = (size: number): string => 'x'.repeat(size);

const DOCUMENTS = ['/openapi.json', '/openapi-3.0.json', '/app/openapi.json', '/docs/', '/docs/reference.md'];

function probes(): Probe[] {
  const ofContract = (Object.values(endpoints) as Endpoint[]).map((endpoint): Probe => {
    const example = EXAMPLES[endpoint.id as keyof typeof EXAMPLES] as { body?: unknown };
    return {
      name: `${endpoint.method} ${endpoint.path}`,
      method: endpoint.method,
      path: endpoint.path.replace(/\{\w+\}/g, '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10'),
      ...(example.body !== undefined && { headers: JSON_BODY, body: JSON.stringify(example.body) }),
    };
  });
  const b64 = (bytes: number): string => randomBytes(bytes).toString('base64url');
  return [
    ...ofContract,
    {
      name: 'unknown key',
      method: 'GET',
      path: '/v1/claims',
      headers: { Authorization: `Bearer ${UNKNOWN_KEY}` },
    },
    {
      name: 'key of 15 kB',
      method: 'GET',
      path: '/v1/claims',
      headers: { Authorization: `Bearer ${filler(15_000)}` },
    },
    {
      name: '500 headers',
      method: 'GET',
      path: '/v1/me',
      headers: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x-${n}`, 'y'])),
    },
    { name: 'path of 15 kB', method: 'GET', path: `/v1/${filler(15_000)}` },
    { name: 'path of 5,000 folders', method: 'GET', path: '/a'.repeat(5000) },
    { name: 'query of 15 kB', method: 'GET', path: `/v1/health?${'a=1&'.repeat(3700)}` },
    {
      name: 'body of 1 MB without a key',
      method: 'POST',
      path: '/v1/claims',
      headers: JSON_BODY,
      body: filler(LIMITS.bodyBytes),
    },
    open('1,000 unknown fields', `{${Array.from({ length: 500 }, (_, n) => `"${n}":1`).join(',')}}`),
    open('deep nesting', `${'['.repeat(2000)}${']'.repeat(2000)}`),
    open('invalid JSON', `{"email":"${filler(4000)}`),
    open(
      'long strings',
      JSON.stringify({ email: `a@${filler(1500)}`, code: filler(1500), svc_id: filler(900) }),
    ),
    open('escapes', `{"email":"${'\\u00e9'.repeat(600)}"}`),
    open(
      'passkey',
      JSON.stringify({
        passkey: {
          credential_id: b64(16),
          client_data: b64(900),
          authenticator_data: b64(600),
          signature: b64(300),
        },
        client_secret: b64(32),
      }),
    ),
    { name: 'status page', method: 'GET', path: '/status' },
    { name: 'home page', method: 'GET', path: '/' },
    { name: 'live updates', method: 'GET', path: '/app/events' },
    { name: 'unknown documentation page', method: 'GET', path: '/docs/none' },
    {
      name: 'MCP',
      method: 'POST',
      path: '/mcp',
      headers: JSON_BODY,
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    },
    ...DOCUMENTS.map((path) => ({ name: `document ${path}`, method: 'GET', path, isDocument: true })),
  ];
}

/** The service's processor time per request, over `count` requests of each probe. */
export async function unauthenticatedCosts(url: string, pid: number, count: number): Promise<Cost[]> {
  const agent = new Agent({ connections: 8, pipelining: 1 });
  const costs: Cost[] = [];
  for (const { name, method, path, headers, body, isDocument = false } of probes()) {
    const statuses = new Set<number>();
    let bytes = 0;
    const send = async (): Promise<void> => {
      const options = { dispatcher: agent, method, ...(headers && { headers }), ...(body && { body }) };
      // The service may close the connection while a rejected body is still being sent.
      const response = await request(url + path, options as Parameters<typeof request>[1]).catch(() => null);
      if (response === null) return;
      statuses.add(response.statusCode);
      bytes = Math.max(bytes, (await response.body.arrayBuffer().catch(() => new ArrayBuffer(0))).byteLength);
    };
    await inParallel(Array.from({ length: Math.ceil(count / 4) }), 8, send);
    const before = cpuMs(pid);
    await inParallel(Array.from({ length: count }), 8, send);
    const spentMs = (cpuMs(pid) - before) / count;
    costs.push({ name, isDocument, cpuMs: spentMs, bytes, statuses: [...statuses].sort() });
  }
  await agent.close();
  return costs.sort((one, other) => other.cpuMs - one.cpuMs);
}

export function unauthenticatedFindings(costs: readonly Cost[]): Finding[] {
  const [slowest] = costs;
  const [largest] = costs
    .filter(({ isDocument }) => !isDocument)
    .sort((one, other) => other.bytes - one.bytes);
  const served = costs.filter(({ statuses }) => statuses.some((status) => status >= 500 && status !== 503));
  if (slowest === undefined || largest === undefined) throw new Error('no request was measured');
  return [
    {
      attack: `processor time of the worst request without a credential (${costs.length} kinds)`,
      bound: `${MAX_CPU_MS} ms`,
      observed: `${slowest.cpuMs.toFixed(2)} ms: ${slowest.name}`,
      holds: slowest.cpuMs <= MAX_CPU_MS,
    },
    {
      attack: 'largest response without a credential, documents aside',
      bound: `${MAX_RESPONSE_BYTES} bytes`,
      observed: `${largest.bytes} bytes: ${largest.name}`,
      holds: largest.bytes <= MAX_RESPONSE_BYTES,
    },
    {
      attack: 'requests that fail inside the service',
      bound: 'none',
      observed: served.length === 0 ? 'none' : served.map(({ name }) => name).join(', '),
      holds: served.length === 0,
    },
  ];
}
