import { expect, test } from '@jest/globals';
import type { Svcid } from '@svc/domain';
import { createPost, createVapidKeys, createWebPush } from '../src/index.ts';
import { startPushService } from './push-service.ts';

const service = await startPushService();
const vapid = { ...createVapidKeys(), subject: 'mailto:operator@example.com' };
const SELF = new URL(service.url).port;

test.each([
  ['the address of its subscription', 'delivered', (own: string) => own, false],
  ['a name without an address', 'retried', () => 'https://push.nowhere.invalid/send/1', false],
  ['such a name, of a public service,', 'retried', () => 'https://push.nowhere.invalid/send/1', true],
  ['a private network, of a public service,', 'rejected', () => `http://127.0.0.1:${SELF}/send/1`, true],
] as const)('a message to %s counts as %s', async (_, expected, endpointOf, isPublic) => {
  const { subscription, received } = service.device();
  const push = createWebPush({
    ...{ vapid: () => vapid, removeDevice: () => Promise.reject(new Error('removed')) },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    metrics: { pushEnded() {} },
    post: createPost(!isPublic),
  });
  const endpoint = endpointOf(subscription.endpoint);
  const device = { deviceId: 'phone', preferences: null, subscription: { ...subscription, endpoint } };
  const results = await push.send({ svcId: 'SVC-1' as Svcid, devices: [device] }, { kind: 'test' });
  expect(results).toEqual([{ deviceId: 'phone', outcome: expected }]);
  expect(received.map(({ payload }) => payload)).toEqual(expected === 'delivered' ? [{ kind: 'test' }] : []);
  expect(service.faults).toEqual([]);
});
