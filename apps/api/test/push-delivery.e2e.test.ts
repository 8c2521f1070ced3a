import { afterAll, afterEach, expect, test } from '@jest/globals';
import type { ClaimId } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { type Device, startPushService } from '../../../packages/adapter-notifications/test/push-service.ts';
import { until } from '../../adjuster/test/app-under-test.ts';
import { expectProblem } from './problem-shape.ts';
import { type ApiResponse, claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcInProcess } from './svc-here.ts';

const [service, push] = await Promise.all([startServiceUnderTest(), startPushService()]);
const firm = await service.firm();
afterAll(async () => {
  await service?.stop();
  await push?.stop();
});
afterEach(() => {
  expect(push.faults).toEqual([]);
});

const FIRM_NAME = 'Gulf Adjusting Partners';

async function register(token: string, deviceId: string, device: Device): Promise<void> {
  const { subscription } = device;
  const response = await service.call('PUT', `/app/v1/devices/${deviceId}`, {
    as: token,
    body: { subscription },
  });
  expect(response.status).toBe(204);
}

const arrived = (device: Device, count: number) =>
  until(`message ${count}`, async () => device.received.length >= count && device.received);

async function offered(svcId: string): Promise<string> {
  const sent = await sendClaim(service, firm.live, claimBody(svcId));
  expect(sent.status).toBe(201);
  return sent.json.id;
}

test('an offer is pushed to every device of the adjuster, with the firm but no claim data', async () => {
  const { svcId, token } = await service.member(firm);
  const devices = [push.device(), push.device()] as const;
  await Promise.all(devices.map((device, n) => register(token, `device-${n}`, device)));
  const id = await offered(svcId);
  for (const device of devices) {
    const [message] = await arrived(device, 1);
    expect(message?.payload).toEqual({ kind: 'offer', firm_name: FIRM_NAME, claim_id: id });
  }
});

test('an offer to another adjuster is pushed to both adjusters, and a claim that failed to none', async () => {
  const [one, two] = [await service.member(firm), await service.member(firm)];
  const [first, second] = [push.device(), push.device()];
  await register(one.token, 'phone', first);
  await register(two.token, 'phone', second);
  const id = await offered(one.svcId);
  await arrived(first, 1);
  await service.call('POST', `/v1/claims/${id}/assignment`, {
    as: firm.live,
    body: { adjuster_svc_id: two.svcId },
    headers: { 'Idempotency-Key': 'offer-again' },
  });
  const [, withdrawn] = await arrived(first, 2);
  expect(withdrawn?.payload).toEqual({ kind: 'offer_withdrawn', firm_name: FIRM_NAME, claim_id: id });
  expect((await arrived(second, 1))[0]?.payload).toMatchObject({ kind: 'offer', claim_id: id });

  const body = claimBody(one.svcId);
  expect((await sendClaim(service, firm.live, body)).status).toBe(201);
  await arrived(first, 3);
  expect((await sendClaim(service, firm.live, body)).status).toBe(409);
  await offered(two.svcId);
  await arrived(second, 2);
  expect(first.received).toHaveLength(3);
});

test('an invitation is pushed to an adjuster who is not yet in any firm', async () => {
  const { svcId, token } = await service.adjuster();
  const phone = push.device();
  await register(token, 'phone', phone);
  const invited = await service.call('POST', '/v1/adjusters/invitations', {
    as: firm.live,
    body: { svc_id: svcId, invited_as: 'Secret Name', note: 'Secret note' },
  });
  expect(invited.status).toBe(201);
  expect((await arrived(phone, 1))[0]?.payload).toEqual({
    kind: 'invitation',
    firm_name: FIRM_NAME,
    firm_id: firm.id,
  });
});

test('a test notification is pushed to the device that asked for it, in its quiet hours too', async () => {
  const { token } = await service.adjuster();
  const [phone, tablet] = [push.device(), push.device()];
  await register(token, 'phone', phone);
  await register(token, 'tablet', tablet);
  const preferences = {
    time_zone: 'UTC',
    quiet_hours: { start: '00:00', end: '23:59' },
    deadline_reminders: false,
  };
  const put = await service.call('PUT', '/app/v1/devices/phone/preferences', {
    as: token,
    body: preferences,
  });
  expect(put.status).toBe(204);
  const asked = await service.call('POST', '/app/v1/devices/phone/test-notification', { as: token });
  expect(asked.status).toBe(202);
  expect((await arrived(phone, 1))[0]?.payload).toEqual({ kind: 'test' });
  expect(tablet.received).toEqual([]);
  const again = await service.call('POST', '/app/v1/devices/phone/test-notification', { as: token });
  expectProblem(again, 429, 'rate_limited');
  expect(again.json.detail).toBe('A device gets one test notification in ten seconds.');
  expect(Number(again.headers.get('retry-after'))).toBeLessThanOrEqual(10);
});

test('a claim is followed from its request to the push and the answer, by its id in the log and by svc claim trace', async () => {
  const { svcId, token } = await service.member(firm);
  // As with other VAPID keys than those that the browser subscribed with.
  const phone = push.device([403]);
  await register(token, 'phone', phone);
  const sent = await sendClaim(service, firm.live, claimBody(svcId));
  const { id } = sent.json;
  await arrived(phone, 1);
  const accepted = await service.call('POST', `/app/v1/claims/${id}/acceptance`, { as: token });
  const event = (action: string, actor: string, outcome: string, response?: ApiResponse) =>
    expect.objectContaining({
      action,
      actor,
      outcome,
      request_id: response?.headers.get('x-request-id') ?? null,
    });
  const expected = [
    event('claim.send', expect.stringMatching(/^key:/) as unknown as string, 'ok', sent),
    event('claim.push', 'service', 'unauthorized'),
    event('claim.push', 'service', 'ok'),
    event('claim.accept', `adjuster:${svcId}`, 'ok', accepted),
  ];
  const trace = async () => {
    const env = { DATABASE_URL: service.databaseUrl };
    const { code, stdout, stderr } = await svcInProcess(['claim', 'trace', id, '--json'], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const traced = await eventually(trace, ({ events, jobs }) => events.length === 4 && jobs.length === 0);
  expect(traced).toMatchObject({ claim: { id, assignment: { status: 'accepted' } }, devices: 1 });
  expect(traced.events).toEqual(expected);

  const lines = service.logged
    .join('')
    .split('\n')
    .filter((line) => line.includes(`"claim_id":"${id}"`));
  expect(lines.map((line) => JSON.parse(line)).map(({ message, route }) => route ?? message)).toEqual([
    'POST /v1/claims',
    'pushed',
    'pushed',
    'POST /app/v1/claims/{id}/acceptance',
  ]);
});

test('an expired device is removed, and an offer with a response is not pushed again', async () => {
  const { svcId, token } = await service.member(firm);
  const [gone, late] = [push.device([410]), push.device([503])];
  await register(token, 'gone', gone);
  await register(token, 'late', late);
  const id = await offered(svcId);
  await until('the first attempt', async () => late.attempts.length === 1);
  expect((await service.call('POST', `/app/v1/claims/${id}/acceptance`, { as: token })).status).toBe(200);
  const next = await offered(svcId);
  expect((await arrived(late, 1))[0]?.payload).toMatchObject({ claim_id: next });
  const { operatorReads } = service.service.services;
  const jobsOf = async (claim: string) => (await operatorReads.jobsOfClaim(claim as ClaimId)).length;
  await until('both jobs to be done', async () => (await jobsOf(id)) + (await jobsOf(next)) === 0);
  expect(late.received).toHaveLength(1);
  expect(gone.attempts).toHaveLength(1);
  // The app asks, so that it does not show notifications as on.
  const registered = (device: string) => service.call('GET', `/app/v1/devices/${device}`, { as: token });
  expectProblem(await registered('gone'), 404, 'not_found');
  expect((await registered('late')).json).toEqual({
    device_id: 'late',
    endpoint: late.subscription.endpoint,
  });
});

test('the log contains no device, subscription or policyholder', () => {
  const logged = service.logged.join('');
  expect(logged).toContain('"notice":"offer"');
  for (const secret of [push.url, '/send/', 'flaky', 'Reyes', '352-555-0142']) {
    expect(logged).not.toContain(secret);
  }
});
