import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withClient } from '../../../tools/services/postgres.ts';
import {
  acceptClaim,
  expectProblem,
  freshKey,
  getClaim,
  invite,
  offerClaim,
  outcome,
  sentClaim,
} from './firm-calls.ts';
import {
  type ApiResponse,
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

let service: ServiceUnderTest;
let firm: TestFirm;
let member: { svcId: string; token: string };
beforeAll(async () => {
  service = await startServiceUnderTest();
  firm = await service.firm();
  member = await service.member(firm);
});
afterAll(() => service.stop());

const send = (body: unknown, key?: string): Promise<ApiResponse> => sendClaim(service, firm.live, body, key);
const raw = (body: string | Uint8Array, headers: Record<string, string> = {}): Promise<ApiResponse> =>
  service.call('POST', '/v1/claims', {
    as: firm.live,
    raw: body,
    headers: { 'Idempotency-Key': freshKey(), ...headers },
  });

describe('every error has its status, its code and all members of a problem', () => {
  const CODES: [string, number, () => Promise<ApiResponse>][] = [
    ['malformed_request', 400, () => raw('{"external_id":')],
    ['invalid_key', 401, () => service.call('GET', '/v1/claims')],
    [
      'insufficient_scope',
      403,
      async () =>
        service.call('GET', '/v1/claims', { as: await service.key(firm, { purpose: 'adjusters' }) }),
    ],
    [
      'not_in_plan',
      403,
      async () =>
        service.call('GET', '/v1/adjusters', { as: (await service.firm({ plan: 'claims_only' })).live }),
    ],
    ['not_found', 404, () => getClaim(service, firm.live, randomUUID())],
    ['method_not_allowed', 405, () => service.call('PUT', '/v1/claims', { as: firm.live })],
    [
      'claim_already_accepted',
      409,
      async () => {
        const { id } = await sentClaim(service, firm.live, member.svcId);
        await acceptClaim(service, member.token, id);
        return offerClaim(service, firm.live, id, member.svcId);
      },
    ],
    ['already_member', 409, () => invite(service, firm.live, member.svcId)],
    [
      'invitation_pending',
      409,
      async () => {
        const { svcId } = await service.adjuster();
        await invite(service, firm.live, svcId);
        return invite(service, firm.live, svcId);
      },
    ],
    ['payload_too_large', 413, () => raw(`"${'x'.repeat(1_048_576)}"`)],
    [
      'idempotency_key_reused',
      422,
      async () => {
        const key = freshKey();
        await send(claimBody(member.svcId), key);
        return send(claimBody(member.svcId), key);
      },
    ],
    ['unknown_osaid', 422, () => send(claimBody('SVC-nobody'))],
    ['adjuster_not_in_firm', 422, async () => send(claimBody((await service.adjuster()).svcId))],
    ['adjuster_not_accepting', 422, () => sendClaim(service, firm.test, claimBody(firm.account.paused))],
    ['environment_mismatch', 422, () => send(claimBody(firm.account.manual))],
    [
      'rate_limited',
      429,
      async () => {
        const { test: key } = await service.firm({ limited: true });
        const responses = await Promise.all(
          Array.from({ length: 25 }, () => service.call('GET', '/v1/me', { as: key })),
        );
        return responses.find((one) => one.status === 429) as ApiResponse;
      },
    ],
  ];
  test.each(CODES)('%s', async (code, status, cause) => {
    expectProblem(service, await cause(), status, code);
  });

  test('duplicate_claim, with the id and the URL of the existing claim', async () => {
    const { id, external_id } = await sentClaim(service, firm.live, member.svcId);
    expectProblem(service, await send(claimBody(member.svcId, { external_id })), 409, 'duplicate_claim', {
      existing_claim_id: id,
      existing_claim_url: `${service.url}/v1/claims/${id}`,
    });
  });

  test('validation_failed, with exactly one location for each error', async () => {
    const response = await service.call('POST', '/v1/claims?x=1', { as: firm.live, body: { color: 'red' } });
    expectProblem(service, response, 422, 'validation_failed', { errors: expect.any(Array) });
    const { errors } = response.json;
    expect(errors.length).toBeGreaterThan(8);
    for (const { detail, ...place } of errors) {
      expect(detail).toMatch(/\S/);
      expect(Object.keys(place)).toHaveLength(1);
      expect(Object.values(place)).toEqual([expect.any(String)]);
    }
    expect(errors).toEqual(
      expect.arrayContaining([
        { detail: expect.any(String), pointer: '/color' },
        { detail: expect.any(String), parameter: 'x' },
        { detail: expect.any(String), header: 'Idempotency-Key' },
      ]),
    );
  });

  test('internal_error, without internal details', async () => {
    const broken = await startServiceUnderTest();
    try {
      const { live } = await broken.firm();
      const response = await withClient(broken.databaseUrl, async (client) => {
        await client.query('ALTER TABLE claims RENAME TO claims_gone');
        const failed = await broken.call('GET', '/v1/claims', { as: live });
        await client.query('ALTER TABLE claims_gone RENAME TO claims');
        return failed;
      });
      expectProblem(broken, response, 500, 'internal_error');
      expect(response.text).not.toMatch(/claims_gone|relation|sql|stack|\.ts/i);
      expect(outcome(await broken.call('GET', '/v1/claims', { as: live }))).toEqual([200]);
    } finally {
      await broken.stop();
    }
  });
});

test('every response has a unique request id, which the client cannot set', async () => {
  const seen = new Set<string | null>();
  for (const call of [
    () => service.call('GET', '/v1/health'),
    () => service.call('GET', '/v1/me', { as: firm.live, headers: { 'X-Request-Id': 'mine' } }),
    () => service.call('GET', '/v1/claims', { as: firm.live }),
    () => send(claimBody(member.svcId)),
    () => send({}),
    () => service.call('GET', '/nowhere'),
    () => service.call('PUT', '/v1/claims'),
  ]) {
    const id = (await call()).headers.get('x-request-id');
    expect(id).toMatch(/\S/);
    seen.add(id);
  }
  expect(seen.size).toBe(7);
  expect(seen.has('mine')).toBe(false);
});

test('the UUID in a path is not case-sensitive', async () => {
  const claim = await sentClaim(service, firm.live, member.svcId);
  expect((await getClaim(service, firm.live, claim.id.toUpperCase())).json).toEqual(claim);
});
