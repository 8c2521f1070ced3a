import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { startPushService } from '../../../packages/adapter-notifications/test/push-service.ts';
import { until } from '../../adjuster/test/app-under-test.ts';
import { type ApiResponse, claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcJsonOn } from './svc-here.ts';

test('a claim is followed from its request to the push and the answer, by its id in the log and by svc claim trace', async () => {
  const [service, push] = await Promise.all([startServiceUnderTest(), startPushService()]);
  const firm = await service.firm();
  const { svcId, token } = await service.member(firm);
  // As with other VAPID keys than those that the browser subscribed with.
  const phone = push.device([403]);
  const { subscription } = phone;
  await service.call('PUT', '/app/v1/devices/phone', { as: token, body: { subscription } });
  const sent = await sendClaim(service, firm.live, claimBody(svcId));
  const { id } = sent.json;
  await until('the message', async () => phone.received.length === 1);
  expect(phone.received).toMatchObject([
    { payload: { kind: 'offer', firm_name: 'Gulf Adjusting Partners', claim_id: id } },
  ]);
  expect(push.faults).toEqual([]);
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
