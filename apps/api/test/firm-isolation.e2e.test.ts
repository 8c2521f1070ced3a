import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isolationMatrix } from '../../../tools/attack/isolation.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import {
  acceptClaim,
  adjusterRecord,
  expectValidationErrors,
  getClaim,
  invite,
  leaveFirm,
  listClaims,
  offerClaim,
  outcome,
  rejectClaim,
  sentClaim,
  wholeList,
  withdraw,
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
let ours: TestFirm;
let theirs: TestFirm;
let ourMember: { svcId: string; token: string };
let theirMember: { svcId: string; token: string };
let invited: string;
// biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
let claims: any[];
const KEY = 'a-key-of-ours';
// biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
let before: any[];

/** All data of our firm that the API returns. */
const allOfOurs = async () => [
  await wholeList(service, ours.live, '/v1/claims'),
  await wholeList(service, ours.test, '/v1/claims'),
  await wholeList(service, ours.live, '/v1/adjusters'),
  (await service.call('GET', '/app/v1/claims', { as: ourMember.token })).json,
  (await service.call('GET', '/app/v1/me', { as: ourMember.token })).json,
];

beforeAll(async () => {
  service = await startServiceUnderTest();
  ours = await service.firm();
  theirs = await service.firm();
  ourMember = await service.member(ours);
  theirMember = await service.member(theirs);
  invited = (await service.adjuster()).svcId;
  await invite(service, ours.live, invited, { note: 'ours' });
  await invite(service, ours.test, ours.account.new);
  const pending = await sentClaim(service, ours.live, ourMember.svcId, {
    carrier: { name: 'Secret Mutual', phone: '813-555-0100', email: 'secret@mutual.example' },
  });
  const rejected = await sentClaim(service, ours.live, ourMember.svcId);
  await rejectClaim(service, ourMember.token, rejected.id);
  const testClaim = await sentClaim(service, ours.test, ours.account.manual);
  const keyed = await sendClaim(service, ours.live, claimBody(ourMember.svcId), KEY);
  claims = [pending, rejected, testClaim, keyed.json];
  before = await allOfOurs();
});
afterAll(() => service.stop());

const KEYS = ['live', 'test'] as const;

describe.each(KEYS)('with a %s key of another firm', (environment) => {
  const key = () => theirs[environment];
  const ownAdjuster = () => (environment === 'live' ? theirMember.svcId : theirs.account.manual);

  test('a claim can be neither read nor offered by its id', async () => {
    for (const { id } of claims) {
      expect(outcome(await getClaim(service, key(), id))).toEqual([404, 'not_found']);
      expect(outcome(await getClaim(service, key(), id.toUpperCase()))).toEqual([404, 'not_found']);
      for (const named of [ownAdjuster(), ourMember.svcId, ours.account.manual])
        expect(outcome(await offerClaim(service, key(), id, named))).toEqual([404, 'not_found']);
    }
  });

  test('a claim is in no list and under no external id', async () => {
    expect(await wholeList(service, key(), '/v1/claims')).toEqual([]);
    for (const { external_id } of claims)
      expect((await listClaims(service, key(), `external_id=${external_id}`)).json.data).toEqual([]);
    for (const status of ['pending_acceptance', 'rejected'])
      expect((await listClaims(service, key(), `assignment_status=${status}`)).json.data).toEqual([]);
  });

  test('a cursor is invalid for every list', async () => {
    for (const [own, path] of [
      [ours.live, '/v1/claims'],
      [ours.test, '/v1/adjusters'],
      [ours.live, '/v1/adjusters'],
    ] as const) {
      const { next_cursor } = (await service.call('GET', `${path}?limit=1`, { as: own })).json;
      expect(next_cursor).not.toBeNull();
      const query = `cursor=${encodeURIComponent(next_cursor)}`;
      for (const otherPath of ['/v1/claims', '/v1/adjusters'])
        expectValidationErrors(await service.call('GET', `${otherPath}?${query}`, { as: key() }), 'cursor');
    }
  });

  test('test accounts are unknown for claims, offers, invitations and withdrawals', async () => {
    const own = await sentClaim(service, key(), ownAdjuster());
    for (const account of Object.values(ours.account)) {
      expect(outcome(await sendClaim(service, key(), claimBody(account)))).toEqual([422, 'unknown_osaid']);
      expect(outcome(await offerClaim(service, key(), own.id, account))).toEqual([422, 'unknown_osaid']);
      expect(outcome(await invite(service, key(), account))).toEqual([422, 'unknown_osaid']);
      expect(outcome(await withdraw(service, key(), account))).toEqual([404, 'not_found']);
    }
    expect((await getClaim(service, key(), own.id)).json).toEqual(own);
  });

  test('members and invitations are not visible', async () => {
    for (const svcId of [ourMember.svcId, invited]) {
      expect(outcome(await sendClaim(service, key(), claimBody(svcId)))).toEqual([
        422,
        'adjuster_not_in_firm',
      ]);
      expect(outcome(await withdraw(service, key(), svcId))).toEqual([404, 'not_found']);
      expect(await adjusterRecord(service, key(), svcId)).toBeUndefined();
    }
  });

  test('external ids and claim numbers can be used again', async () => {
    for (const { external_id, claim_number } of claims) {
      const body = claimBody(ownAdjuster(), { external_id, claim_number });
      const response = await sendClaim(service, key(), body);
      expect(outcome(response)).toEqual([201]);
      // The duplicate is the other firm's own claim.
      const again = await sendClaim(service, key(), body);
      expect([...outcome(again), again.json.existing_claim_id]).toEqual([
        409,
        'duplicate_claim',
        response.json.id,
      ]);
    }
  });

  test('an Idempotency-Key can be used again', async () => {
    const response = await sendClaim(service, key(), claimBody(ownAdjuster()), KEY);
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(claims.map(({ id }) => id)).not.toContain(response.json.id);
  });
});

test('an Idempotency-Key with the same request of another firm does not replay their response', async () => {
  const body = claimBody(ourMember.svcId);
  const own = await sendClaim(service, ours.live, body, 'the-same');
  const other = await sendClaim(service, theirs.live, body, 'the-same');
  expect(outcome(other)).toEqual([422, 'adjuster_not_in_firm']);
  expect(other.text).not.toContain(own.json.id);
  before = await allOfOurs();
});

test('carrier details are only used for the firm that sent them', async () => {
  const { id } = await sentClaim(service, theirs.live, theirMember.svcId, {
    carrier: { name: 'Secret Mutual' },
  });
  const shown = await service.call('GET', `/app/v1/claims/${id}`, { as: theirMember.token });
  expect(shown.json.carrier).toEqual({ name: 'Secret Mutual' });
});

test('an adjuster of another firm finds no claim, membership or invitation', async () => {
  const as = theirMember.token;
  for (const { id } of claims) {
    const calls: Promise<ApiResponse>[] = [
      service.call('GET', `/app/v1/claims/${id}`, { as }),
      acceptClaim(service, as, id),
      rejectClaim(service, as, id),
      service.call('POST', `/app/v1/claims/${id}/closure`, { as }),
      service.call('PATCH', `/app/v1/claims/${id}/work`, { as, body: { notes: 'x' } }),
    ];
    for (const call of calls) expect(outcome(await call)).toEqual([404, 'not_found']);
  }
  expect(outcome(await leaveFirm(service, as, ours.id))).toEqual([404, 'not_found']);
  for (const answer of ['acceptance', 'decline'])
    expect(outcome(await service.call('POST', `/app/v1/invitations/${ours.id}/${answer}`, { as }))).toEqual([
      404,
      'not_found',
    ]);
});

test('an adjuster of two firms joins, pauses and leaves each separately', async () => {
  const { svcId, token } = await service.adjuster();
  for (const firm of [ours, theirs]) {
    await invite(service, firm.live, svcId, { note: `of ${firm.id}` });
    await service.call('POST', `/app/v1/invitations/${firm.id}/acceptance`, { as: token });
  }
  const sent = [
    await sentClaim(service, ours.live, svcId),
    await sentClaim(service, theirs.live, svcId),
  ] as const;
  await service.call('PATCH', `/app/v1/firms/${theirs.id}/membership`, {
    as: token,
    body: { accepting_assignments: false },
  });
  expect(outcome(await sendClaim(service, theirs.live, claimBody(svcId)))).toEqual([
    422,
    'adjuster_not_accepting',
  ]);
  expect(outcome(await sendClaim(service, ours.live, claimBody(svcId)))).toEqual([201]);
  await leaveFirm(service, token, theirs.id);
  expect((await getClaim(service, ours.live, sent[0].id)).json).toEqual(sent[0]);
  expect((await getClaim(service, theirs.live, sent[1].id)).json.assignment.status).toBe('unassigned');
  expect((await adjusterRecord(service, ours.live, svcId)).note).toBe(`of ${ours.id}`);
  expect(await adjusterRecord(service, theirs.live, svcId)).toBeUndefined();
  before = await allOfOurs();
});

test('the data of our firm is unchanged after these tests', async () => {
  expect(await allOfOurs()).toEqual(before);
  const records = await wholeList(service, theirs.live, '/v1/adjusters');
  const known = new Set([...Object.values<string>(theirs.account), theirMember.svcId]);
  expect(records.filter((record) => !known.has(record.svc_id))).toEqual([]);
});

test('no operation of the contract reaches an id of a firm without its credential', async () => {
  const { requests, leaks } = await isolationMatrix(
    operatorOf(service.service.services),
    async (method, path, options) => {
      const headers = { 'Idempotency-Key': `matrix-${Math.random()}` };
      return service.call(method, path, { ...options, ...(method === 'POST' && { headers }) });
    },
  );
  expect(leaks).toEqual([]);
  expect(requests).toBeGreaterThan(300);
});
