import { describe, expect, it } from '@jest/globals';
import {
  type Endpoint,
  type EndpointId,
  EXAMPLES,
  endpoints,
  firmEndpoints,
  parseRequest,
  riverClaim,
  sandboxEndpoints,
  smallestClaim,
  surgeClaim,
} from '@svc/contract';
import fc from 'fast-check';
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

describe('every request the client makes', () => {
  it('is valid by the contract', async () => {
    const { client, sent } = createTestClient([anything]);
    await client.claims.send(smallestClaim);
    await client.claims.send(surgeClaim, { idempotencyKey: 'a b' });
    await client.claims.send(riverClaim, { idempotencyKey: '~'.repeat(255) });
    await client.claims.get(ID);
    await client.claims.receipt(ID);
    await collect(client.claims.list());
    await collect(
      client.claims.list({
        updated_since: '2026-08-29T14:30:00+02:00',
        assignment_status: 'unassigned',
        external_id: 'a+b &=%',
        limit: 200,
        cursor: 'x=/+',
      }),
    );
    await collect(client.claims.list({ updated_since: new Date(0), limit: undefined }));
    await client.claims.offer(ID, { adjuster_svc_id: 'SVC-2M9D-Whitcomb' });
    await collect(client.adjusters.list());
    await collect(client.adjusters.list({ limit: 1, cursor: 'c' }));
    await client.adjusters.invite(EXAMPLES.inviteAdjuster.body as { svc_id: string });
    await client.invitations.withdraw('SVC-7F3K-Delacroix');
    await client.sandbox.acceptClaim(ID);
    await client.sandbox.rejectClaim(ID);
    await client.sandbox.rejectClaim(ID, { reason: 'Too far.' });
    await client.sandbox.closeClaim(ID);
    await client.sandbox.acceptInvitation('test_a_new');
    await client.sandbox.declineInvitation('test_a_new');
    await client.sandbox.expireInvitation('test_a_new');
    await client.sandbox.leaveFirm('test_a_new');
    await client.sandbox.pauseAdjuster('test_a_new');
    await client.sandbox.resumeAdjuster('test_a_new');
    await client.sandbox.suspendAdjuster('test_a_new');
    await client.sandbox.reinstateAdjuster('test_a_new');
    await client.sandbox.simulateFaults({ kind: 'dropped', count: 2 });
    await client.sandbox.clearFaults();
    await client.sandbox.checkReadiness();
    await client.me();
    await client.health();
    await client.pollClaims({ since: new Date(0) }).next();
    const validated = sent.map(validate);
    expect(validated.filter(({ errors }) => errors !== null)).toEqual([]);
    expect(new Set(validated.map(({ id }) => id))).toEqual(new Set(Object.keys(CLIENT_ENDPOINTS)));
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

  it.each(['updated_since', 'assignment_status', 'external_id', 'limit', 'cursor'])(
    'may have the filter %s, which is in the contract',
    (name) => {
      expect(Object.keys(endpoints.listClaims.query.shape)).toContain(name);
    },
  );

  it('may have every filter of the contract', () => {
    const ids = ['listClaims', 'listAdjusters'] as const satisfies readonly EndpointId[];
    expect(ids.map((id) => Object.keys(endpoints[id].query.shape).sort())).toEqual([
      ['assignment_status', 'cursor', 'external_id', 'limit', 'updated_since'],
      ['cursor', 'limit'],
    ]);
  });
});
