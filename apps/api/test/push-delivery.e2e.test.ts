import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { type Device, startPushService } from '../../../packages/adapter-notifications/test/push-service.ts';
import { until } from '../../adjuster/test/app-under-test.ts';
import { expectProblem } from './problem-shape.ts';
import { type ApiResponse, claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcJsonOn } from './svc-here.ts';

const [service, push] = await Promise.all([startServiceUnderTest(), startPushService()]);
const firm = await service.firm();
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
  const traced = await eventually(
    () => svcJsonOn(service.databaseUrl)('claim', 'trace', id),
    ({ events, jobs }) => events.length === 4 && jobs.length === 0,
  );
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

test('an expired device is removed, and the app learns it, so that it does not show notifications as on', async () => {
  const { svcId, token } = await service.member(firm);
  await register(token, 'gone', push.device([410]));
  await offered(svcId);
  const gone = await eventually(
    () => service.call('GET', '/app/v1/devices/gone', { as: token }),
    ({ status }) => status === 404,
  );
  expectProblem(gone, 404, 'not_found');
});
