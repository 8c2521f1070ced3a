import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { compactVerify, createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader } from 'jose';
import { startPushService } from '../../../packages/adapter-notifications/test/push-service.ts';
import { outcome, sentClaim } from './firm-calls.ts';
import { startServiceUnderTest } from './service-under-test.ts';

const keyOf = (byte: number) => ({ RECEIPT_KEY: Buffer.alloc(32, byte).toString('base64') });
const [service, push] = await Promise.all([startServiceUnderTest({ env: keyOf(1) }), startPushService()]);
const firm = await service.firm();

const receiptOf = (id: string, as: string, api = '/v1') =>
  service.call('GET', `${api}/claims/${id}/receipt`, { as });
const jwksUrl = () => new URL('/.well-known/jwks.json', service.url);
const contentOf = async (receipt: string) =>
  JSON.parse(new TextDecoder().decode((await compactVerify(receipt, createRemoteJWKSet(jwksUrl()))).payload));

test('a receipt shows push, first sight and both times of an answer kept offline, and jose verifies it', async () => {
  const { svcId, token } = await service.member(firm);
  const device = push.device();
  const body = { subscription: device.subscription };
  await service.call('PUT', '/app/v1/devices/phone-1', { as: token, body });
  const claim = await sentClaim(service, firm.live, svcId);
  await eventually(() => device.received.length === 1);
  const list = await service.call('GET', '/app/v1/claims', { as: token });
  const [answered_at, kept_offline_since] = ['2026-08-29T15:02:41.020Z', '2026-08-29T15:02:46.300Z'];
  const accepted = await service.call('POST', `/app/v1/claims/${claim.id}/acceptance`, {
    as: token,
    body: { offered_at: list.json.data[0].offered_at, answered_at, kept_offline_since },
  });
  expect(outcome(accepted)).toEqual([200]);
  // Pushes and sights are written in batches.
  const { receipt, payload } = await eventually(
    async () => {
      const { receipt } = (await receiptOf(claim.id, firm.live)).json;
      return { receipt, payload: await contentOf(receipt) };
    },
    ({ payload }) => payload.pushes.length > 0 && payload.first_seen_at !== null,
  );
  expect(payload).toEqual({
    iss: service.url,
    iat: expect.any(Number),
    version: 1,
    claim_id: claim.id,
    external_id: claim.external_id,
    firm_id: firm.id,
    environment: 'live',
    adjuster_svc_id: svcId,
    offered_at: list.json.data[0].offered_at,
    pushes: [{ channel: expect.not.stringContaining('phone'), outcome: 'delivered', at: expect.any(String) }],
    first_seen_at: expect.any(String),
    status: 'accepted',
    answered: { at: accepted.json.assignment.responded_at, device_at: answered_at, kept_offline_since },
    late_answer: null,
    clocks: null,
    closed_at: null,
    decided_by: { rule: 'first_answer_while_pending', text: expect.any(String) },
    audit: { seq: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(decodeProtectedHeader(receipt)).toMatchObject({ alg: 'EdDSA', kid: expect.any(String) });
  const own = await receiptOf(claim.id, token, '/app/v1');
  expect(await contentOf(own.json.receipt)).toEqual({ ...payload, iat: expect.any(Number) });
  // What was sent of people, places and policies is not in it.
  for (const secret of ['Delgado', claim.policy.number, claim.claim_number, claim.loss_location.street])
    expect(JSON.stringify(payload)).not.toContain(secret);
});

test('receipts of an earlier key stay valid after the key is replaced, and another process verifies both', async () => {
  const { svcId } = await service.member(firm);
  const claim = await sentClaim(service, firm.live, svcId);
  const old = (await receiptOf(claim.id, firm.live)).json.receipt;
  const replaced = await startServiceUnderTest({ env: keyOf(2), databaseUrl: service.databaseUrl });
  const answer = await replaced.call('GET', `/v1/claims/${claim.id}/receipt`, { as: firm.live });
  const keys = (await replaced.call('GET', '/.well-known/jwks.json')).json;
  const kids = [old, answer.json.receipt].map((receipt) => decodeProtectedHeader(receipt).kid);
  expect(new Set(kids).size).toBe(2);
  for (const receipt of [old, answer.json.receipt]) await compactVerify(receipt, createLocalJWKSet(keys));
  await contentOf(answer.json.receipt);
});
