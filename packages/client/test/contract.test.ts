import { describe, expect, it } from '@jest/globals';
import {
  type Endpoint,
  type EndpointId,
  EXAMPLES,
  type Example,
  endpoints,
  firmEndpoints,
  parseRequest,
  sandboxEndpoints,
} from '@svc/contract';
import fc from 'fast-check';
import type { Client } from '../src/index.ts';
import { collect, createTestClient, json, type Sent } from './test-client.ts';

// Not fast-check's `unit: 'binary'`: it first builds a map with a million entries.
const anyCharacter = fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point));
const CLIENT_ENDPOINTS: Readonly<Record<string, Endpoint>> = { ...firmEndpoints, ...sandboxEndpoints };
const ID = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10';

/** The endpoint of a request, and its validation errors. */
function validate({ method, url, headers, body }: Sent): { readonly id: string; readonly errors: unknown } {
  for (const endpoint of Object.values(CLIENT_ENDPOINTS)) {
    const pattern = new RegExp(`^${endpoint.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
    const match = pattern.exec(url.pathname);
    // `/v1/adjusters/invitations` is not the id of a claim or adjuster.
    if (endpoint.method !== method || !match) continue;
    const params = Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
    const parsed = parseRequest(endpoint, {
      params,
      search: url.search.slice(1),
      headers: Object.fromEntries(headers),
      body,
    });
    return { id: endpoint.id, errors: parsed.ok ? null : parsed.errors };
  }
  return { id: `none for ${method} ${url.pathname}`, errors: null };
}

/** A valid response for any operation. */
const anything = json({ id: ID, data: [EXAMPLES.sendClaim.response], next_cursor: null });

/** All but `request`, which calls any operation. */
const methodsOf = ({ request: _, ...client }: Client): readonly CallableFunction[] =>
  Object.values(client)
    .flatMap((part: unknown) =>
      part instanceof Object && !(part instanceof Function) ? Object.values(part) : part,
    )
    .filter((method) => method instanceof Function);

/** What a method takes: the parameters of the path, then the body or the filters. */
const argumentsOf = ({ params = {}, search, body }: Example): readonly unknown[] => [
  ...Object.values(params),
  ...(body === undefined ? [] : [body]),
  ...(search === undefined ? [] : [Object.fromEntries(new URLSearchParams(search))]),
];

describe('every request the client makes', () => {
  it.each(Object.values(CLIENT_ENDPOINTS))('$id is the request of a method', async ({ id }) => {
    const example = EXAMPLES[id as EndpointId];
    const { client, sent } = createTestClient([anything]);
    // The other methods reject the arguments, or send another operation.
    const call = async (method: CallableFunction) => method(...argumentsOf(example));
    await Promise.allSettled(methodsOf(client).map(call));
    const requests = sent.map((one) => ({ ...validate(one), body: one.body }));
    expect(requests).toContainEqual({ id, errors: null, body: example.body });
  });

  it('is encoded correctly, whatever characters an id or a filter has', async () => {
    const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }).filter((value) => {
      const outer = value.trim() === value && value !== '.' && value !== '..';
      return outer && !value.includes('\0') && !/[\p{Cc}\p{Cs}]/u.test(value) && !/^\s|\s$/u.test(value);
    });
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const { client, sent } = createTestClient([anything]);
        await client.invitations.withdraw(value);
        await collect(client.claims.list({ external_id: value }));
        const [withdraw, list] = sent;
        const path = endpoints.withdrawInvitation.path.split('{')[0] ?? '';
        expect(decodeURIComponent(withdraw?.url.pathname.slice(path.length) ?? '')).toBe(value);
        const found = parseRequest(endpoints.listClaims, { search: list?.url.search.slice(1) ?? '' });
        expect(found.ok && found.value.query.external_id).toBe(value);
      }),
      { numRuns: 100 },
    );
  });

  it('may have every filter of the contract', () => {
    const ids = ['listClaims', 'listAdjusters'] as const satisfies readonly EndpointId[];
    expect(ids.map((id) => Object.keys(endpoints[id].query.shape).sort())).toEqual([
      ['assignment_status', 'cursor', 'external_id', 'limit', 'updated_since'],
      ['cursor', 'limit'],
    ]);
  });
});
