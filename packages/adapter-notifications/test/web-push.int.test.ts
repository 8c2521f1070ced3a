import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Notification, PushSubscription } from '@svc/application';
import type { ClaimId, DeliveryOutcome, FirmId, Svcid } from '@svc/domain';
import { createPost, createVapidKeys, createWebPush, type PushLog, type Vapid } from '../src/index.ts';
import { type Device, startPushService } from './push-service.ts';

const SVC_ID = 'SVC-1' as Svcid;
const CLAIM_ID = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10' as ClaimId;
const FIRM_ID = '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21' as FirmId;
const OTHER_FIRM = FIRM_ID.replace(/.$/, '2') as FirmId;
const OFFER: Notification = { kind: 'offer', firmName: 'Gulf Adjusting Partners', claimId: CLAIM_ID };

const service = await startPushService();
const vapid = { ...createVapidKeys(), subject: 'mailto:operator@example.com' };
afterEach(() => {
  expect(service.faults.splice(0)).toEqual([]);
});

const counted: DeliveryOutcome[] = [];
const lines: string[] = [];
const note = (message: string, fields?: Record<string, unknown>) => {
  lines.push(JSON.stringify({ message, ...fields }));
};
const log: PushLog = { debug: note, info: note, warn: note, error: note };

/** A sender for an adjuster with these devices; removed devices disappear from the list. */
function sender(
  devices: Record<string, PushSubscription>,
  options: { vapid?: () => Vapid; guarded?: boolean; timeoutMs?: number } = {},
) {
  const registered = new Map(Object.entries(devices));
  const push = createWebPush({
    vapid: options.vapid ?? (() => vapid),
    removeDevice: async (_svcId, deviceId) => void registered.delete(deviceId),
    log,
    metrics: { pushEnded: (outcome) => void counted.push(outcome) },
    post: createPost(options.guarded !== true),
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
  });
  return {
    /** Returns the devices to which it was not delivered, with the outcome. */
    send: async (notification: Notification = OFFER, only?: string) => {
      const listed = [...registered].map(([deviceId, subscription]) => ({
        deviceId,
        subscription,
        preferences: null,
      }));
      const results = await push.send(
        { svcId: SVC_ID, devices: listed },
        notification,
        (id) => only === undefined || id === only,
      );
      return results.flatMap(({ deviceId, outcome }) =>
        outcome === 'delivered' ? [] : [`${deviceId}: ${outcome}`],
      );
    },
    registered,
  };
}

const subscriptions = (devices: Record<string, Device>) =>
  Object.fromEntries(Object.entries(devices).map(([id, { subscription }]) => [id, subscription]));

describe('a message', () => {
  test('is signed with the key that browsers subscribe with, and only its device can read it', async () => {
    const phone = service.device();
    const { send } = sender(subscriptions({ phone }));
    expect(await send()).toEqual([]);
    const [message] = phone.received;
    expect(message?.signedBy).toBe(vapid.publicKey);
    expect(message?.claims.aud).toBe(service.url);
    expect(message?.headers).toMatchObject({ ttl: '86400', urgency: 'high' });
    const other = service.device();
    const mixedUp = { ...phone.subscription, keys: other.subscription.keys };
    expect(await sender({ phone: mixedUp }).send()).toEqual(['phone: rejected']);
    expect(phone.received).toHaveLength(1);
    expect(service.faults.splice(0)).toHaveLength(1);
  });

  test('contains only the kind, the firm and an id', async () => {
    const phone = service.device();
    const { send } = sender(subscriptions({ phone }));
    const firmName = 'Gulf Adjusting Partners';
    await send();
    await send({ kind: 'offer_withdrawn', firmName, claimId: CLAIM_ID });
    await send({ kind: 'invitation', isReminder: false, firmName, firmId: FIRM_ID });
    await send({ kind: 'invitation', isReminder: false, firmName, firmId: OTHER_FIRM });
    await send({ kind: 'deadlines', count: 3 });
    await send({ kind: 'credentials', expiresOn: '2027-04-30' });
    await send({ kind: 'test' });
    expect(phone.received.map(({ payload }) => payload)).toEqual([
      { kind: 'offer', firm_name: firmName, claim_id: CLAIM_ID },
      { kind: 'offer_withdrawn', firm_name: firmName, claim_id: CLAIM_ID },
      ...[FIRM_ID, OTHER_FIRM].map((id) => ({ kind: 'invitation', firm_name: firmName, firm_id: id })),
      { kind: 'deadlines', count: 3 },
      { kind: 'credentials', date: '2027-04-30' },
      { kind: 'test' },
    ]);
    // Only those about one thing replace each other, and push services learn nothing of it.
    const topics = phone.received.map(({ headers }) => String(headers.topic));
    expect([topics[1], new Set(topics).size]).toEqual([topics[0], 6]);
    for (const topic of topics) expect(topic).toMatch(/^(?!.*0b9f6a52)[\w-]{32}$/);
  });
});

describe('a device', () => {
  test.each([404, 410])(
    'is removed when its push service returns %d, and the others receive the message',
    async (status) => {
      const gone = { old: service.device([status]), older: service.device([status]) };
      const devices = { ...gone, phone: service.device() };
      const { send, registered } = sender(subscriptions(devices));
      counted.length = 0;
      expect(await send()).toEqual(['old: gone', 'older: gone']);
      expect(counted.toSorted()).toEqual(['delivered', 'gone', 'gone']);
      expect([...registered.keys()]).toEqual(['phone']);
      expect(devices.phone.received).toHaveLength(1);
    },
  );

  test('is called again only after a pause when its push service does not respond, and not while it is slow', async () => {
    const devices = { slow: service.device(['timeout']), phone: service.device() };
    const { send, registered } = sender(subscriptions(devices), { timeoutMs: 2_000 });
    const first = send();
    await pause(600);
    expect(await send()).toEqual(['slow: retried']);
    expect(devices.phone.received).toHaveLength(2);
    expect(await first).toEqual(['slow: retried']);
    expect(await send()).toEqual(['slow: retried']);
    expect(devices.slow.attempts).toHaveLength(1);
    expect([...registered.keys()]).toEqual(['slow', 'phone']);
    await pause(4_000);
    expect(await send(OFFER, 'slow')).toEqual([]);
    expect(devices.slow.received).toHaveLength(1);
  });

  test.each([429, 500, 503] as const)(
    'is kept for a retry when its push service returns %s',
    async (fault) => {
      const devices = { slow: service.device([fault]), phone: service.device() };
      const { send, registered } = sender(subscriptions(devices));
      expect(await send()).toEqual(['slow: retried']);
      expect([...registered.keys()]).toEqual(['slow', 'phone']);
      expect(await send(OFFER, 'slow')).toEqual([]);
      expect(devices.slow.received).toHaveLength(1);
      expect(devices.phone.received).toHaveLength(1);
    },
  );

  test.each([429, 503])('is not called before the Retry-After of a %d', async (status) => {
    const soon = new Date(Date.now() + 1_800_000).toUTCString();
    const devices = {
      day: service.device([{ status, retryAfter: '86400' }]),
      hour: service.device([{ status, retryAfter: '3600' }]),
      date: service.device([{ status, retryAfter: soon }]),
      moment: service.device([{ status, retryAfter: '0.05' }]),
      junk: service.device([{ status, retryAfter: 'later' }]),
    };
    const { send, registered } = sender(subscriptions(devices));
    const waiting = ['day: retried', 'hour: retried', 'date: retried'];
    expect(await send()).toEqual([...waiting, 'moment: retried', 'junk: retried']);
    await pause(60);
    expect(await send()).toEqual(waiting);
    expect(Object.values(devices).map(({ attempts }) => attempts.length)).toEqual([1, 1, 1, 2, 2]);
    expect(registered.size).toBe(5);
    // None is waited for longer than an hour.
    const hourLater = Date.now() + 3_600_000;
    jest.spyOn(Date, 'now').mockImplementation(() => hourLater);
    expect(await send().finally(() => jest.restoreAllMocks())).toEqual([]);
  });

  test('is kept when its push service cannot be resolved', async () => {
    const phone = service.device();
    const lost = { ...phone.subscription, endpoint: 'https://push.nowhere.invalid/send/1' };
    for (const guarded of [true, false]) {
      const { send, registered } = sender({ lost }, { guarded });
      expect(await send()).toEqual(['lost: retried']);
      expect([...registered.keys()]).toEqual(['lost']);
    }
  });

  test.each([
    [400, 'rejected'],
    [413, 'rejected'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
  ] as const)('is kept after %d, which counts as %s', async (status, outcome) => {
    const { send, registered } = sender(subscriptions({ phone: service.device([status]) }));
    counted.length = 0;
    expect(await send()).toEqual([`phone: ${outcome}`]);
    expect(await send()).toEqual([]);
    expect(counted).toEqual([outcome, 'delivered']);
    expect(registered.size).toBe(1);
  });

  test('is removed when its keys are invalid', async () => {
    const { subscription } = service.device();
    const { send, registered } = sender({ odd: { ...subscription, keys: { p256dh: 'AAAA', auth: 'AAAA' } } });
    expect(await send()).toEqual(['odd: gone']);
    expect(registered.size).toBe(0);
  });

  test('is kept when the VAPID keys of the service are invalid', async () => {
    const devices = { phone: service.device() };
    for (const broken of [
      () => ({ ...vapid, privateKey: 'AAAA' }),
      () => ({ ...vapid, subject: 'nobody' }),
      () => {
        throw new Error('the keys cannot be read');
      },
    ]) {
      const { send, registered } = sender(subscriptions(devices), { vapid: broken });
      await expect(send()).rejects.toThrow();
      expect(registered.size).toBe(1);
    }
    expect(devices.phone.attempts).toEqual([]);
  });

  test('in a private network is never called by a public service', async () => {
    const { subscription } = service.device();
    const port = new URL(service.url).port;
    const endpoint = `http://127.0.0.1:${port}/send/1`;
    const { send, registered } = sender({ inner: { ...subscription, endpoint } }, { guarded: true });
    const before = service.faults.length;
    expect(await send()).toEqual(['inner: rejected']);
    expect([...registered.keys()]).toEqual(['inner']);
    expect(service.faults).toHaveLength(before);
  });
});

test('log lines name the claim, and no device, address or adjuster', async () => {
  lines.length = 0;
  const devices = { 'device-7': service.device([500]), 'device-8': service.device([403]) };
  await sender(subscriptions(devices)).send();
  const logged = lines.join('\n');
  expect(logged).toContain(
    `"message":"pushed","notice":"offer","claim_id":"${CLAIM_ID}","retried":1,"unauthorized":1`,
  );
  for (const secret of ['device-', service.url, '/send/', SVC_ID]) expect(logged).not.toContain(secret);
});
