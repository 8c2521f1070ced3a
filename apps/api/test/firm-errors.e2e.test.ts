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
  type Answer,
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

const send = (body: unknown, key?: string): Promise<Answer> => sendClaim(service, firm.live, body, key);
const raw = (body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Answer> =>
  service.call('POST', '/v1/claims', {
    as: firm.live,
    raw: body,
    headers: { 'Idempotency-Key': freshKey(), ...headers },
  });

describe('every refusal has its status, its code and its whole shape', () => {
  const CODES: [string, number, () => Promise<Answer>][] = [
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
        const answers = await Promise.all(
          Array.from({ length: 25 }, () => service.call('GET', '/v1/me', { as: key })),
        );
        const refused = answers.filter((one) => one.status === 429);
        expect([answers.filter((one) => one.status === 200).length, refused.length]).toEqual([20, 5]);
        for (const one of refused) expect(one.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        return refused[0] as Answer;
      },
    ],
  ];
  test.each(CODES)('%s', async (code, status, provoke) => {
    expectProblem(service, await provoke(), status, code);
  });

  test('duplicate_claim, which leads to the claim', async () => {
    const { id, external_id } = await sentClaim(service, firm.live, member.svcId);
    expectProblem(service, await send(claimBody(member.svcId, { external_id })), 409, 'duplicate_claim', {
      existing_claim_id: id,
      existing_claim_url: `${service.url}/v1/claims/${id}`,
    });
  });

  test('validation_failed, which lists each problem with exactly one place', async () => {
    const answer = await service.call('POST', '/v1/claims?x=1', { as: firm.live, body: { colour: 'red' } });
    expectProblem(service, answer, 422, 'validation_failed', { errors: expect.any(Array) });
    const { errors } = answer.json;
    expect(errors.length).toBeGreaterThan(8);
    for (const { detail, ...place } of errors) {
      expect(detail).toMatch(/\S/);
      expect(Object.keys(place)).toHaveLength(1);
      expect(Object.values(place)).toEqual([expect.any(String)]);
    }
    expect(errors).toEqual(
      expect.arrayContaining([
        { detail: expect.any(String), pointer: '/colour' },
        { detail: expect.any(String), parameter: 'x' },
        { detail: expect.any(String), header: 'Idempotency-Key' },
      ]),
    );
  });

  test('internal_error, which tells nothing of what happened inside', async () => {
    const broken = await startServiceUnderTest();
    try {
      const { live } = await broken.firm();
      const answer = await withClient(broken.databaseUrl, async (client) => {
        await client.query('ALTER TABLE claims RENAME TO claims_gone');
        const failed = await broken.call('GET', '/v1/claims', { as: live });
        await client.query('ALTER TABLE claims_gone RENAME TO claims');
        return failed;
      });
      expectProblem(broken, answer, 500, 'internal_error');
      expect(answer.text).not.toMatch(/claims_gone|relation|sql|stack|\.ts/i);
      expect(outcome(await broken.call('GET', '/v1/claims', { as: live }))).toEqual([200]);
    } finally {
      await broken.stop();
    }
  });

  test.each([
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['GET', '/v1/claim'],
    ['GET', '/V1/claims'],
    ['GET', '/v1/claims/'],
    ['GET', '/v2/claims'],
    ['POST', '/v1/claims/x/assignment/y'],
    ['DELETE', '/v1/adjusters/invitations/'],
  ])('not_found for %s %s, which is no path of the interface', async (method, path) => {
    expectProblem(service, await service.call(method, path, { as: firm.live }), 404, 'not_found');
  });

  test.each([
    ['PUT', '/v1/claims', 'GET, HEAD, POST'],
    ['PATCH', `/v1/claims/${randomUUID()}`, 'GET, HEAD'],
    ['DELETE', `/v1/claims/${randomUUID()}`, 'GET, HEAD'],
    ['GET', `/v1/claims/${randomUUID()}/assignment`, 'POST'],
    ['POST', '/v1/adjusters', 'GET, HEAD'],
    ['GET', '/v1/adjusters/invitations', 'POST'],
    ['POST', '/v1/me', 'GET, HEAD'],
    ['POST', '/v1/health', 'GET, HEAD'],
  ])('method_not_allowed for %s %s, with what is', async (method, path, allow) => {
    const answer = await service.call(method, path, { as: firm.live });
    expectProblem(service, answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allow.split(', ').sort());
  });
});

describe('a body that cannot be read is malformed_request', () => {
  test.each<[string, () => Promise<Answer>]>([
    ['none at all', () => service.call('POST', '/v1/claims', { as: firm.live })],
    ['empty', () => raw('')],
    ['blank', () => raw('  \n')],
    ['cut off', () => raw('{"external_id":"a"')],
    ['with a comma too many', () => raw('{"external_id":"a",}')],
    ['in single quotes', () => raw("{'external_id':'a'}")],
    ['with a word that is no JSON', () => raw('{"external_id":NaN}')],
    ['a form', () => raw('external_id=a')],
    ['two documents', () => raw('{}{}')],
    ['no UTF-8', () => raw(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]))],
    ['of another type', () => raw('{}', { 'Content-Type': 'text/plain' })],
    ['in another charset', () => raw('{}', { 'Content-Type': 'application/json; charset=iso-8859-1' })],
  ])('%s', async (_, provoke) => {
    expectProblem(service, await provoke(), 400, 'malformed_request');
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF-8"'])(
    'but not one of type %s',
    async (type) => {
      const answer = await raw(JSON.stringify(claimBody(member.svcId)), { 'Content-Type': type });
      expect(outcome(answer)).toEqual([201]);
    },
  );
});

test('a body of 1 MB is read, and one byte more is not', async () => {
  const padded = (bytes: number): string => {
    const body = JSON.stringify(claimBody(member.svcId));
    return body + ' '.repeat(bytes - body.length);
  };
  expect(outcome(await raw(padded(1_048_576)))).toEqual([201]);
  expect(outcome(await raw(padded(1_048_577)))).toEqual([413, 'payload_too_large']);
});

test('every answer has a request id of its own, whatever the client sends', async () => {
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

test('a path id that is no uuid is refused at its name, and capitals in a uuid do not matter', async () => {
  for (const id of [
    '1',
    'abc',
    randomUUID().slice(1),
    `${randomUUID()}0`,
    `{${randomUUID()}}`,
    '%00',
    '%F0%9F%8C%8A',
  ]) {
    const answer = await service.call('GET', `/v1/claims/${id}`, { as: firm.live });
    expectProblem(service, answer, 422, 'validation_failed', {
      errors: [{ detail: expect.any(String), parameter: 'id' }],
    });
  }
  const claim = await sentClaim(service, firm.live, member.svcId);
  expect((await getClaim(service, firm.live, claim.id.toUpperCase())).json).toEqual(claim);
});

test.each([
  ['GET', () => '/v1/me'],
  ['GET', () => `/v1/claims/${randomUUID()}`],
  ['GET', () => '/v1/health'],
  ['DELETE', () => '/v1/adjusters/invitations/SVC-nobody'],
])('%s refuses a query parameter that it does not know', async (method, path) => {
  const answer = await service.call(method, `${path()}?fields=all&x`, { as: firm.live });
  expectProblem(service, answer, 422, 'validation_failed', {
    errors: [
      { detail: expect.any(String), parameter: 'fields' },
      { detail: expect.any(String), parameter: 'x' },
    ],
  });
});
