import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Notification, PushSubscription } from '@svc/application';
import type { ClaimId, DeliveryOutcome, FirmId, Svcid } from '@svc/domain';
import { createVapidKeys, createWebPush, type PushLog, type Vapid } from '../src/index.ts';
import { NameNotResolvedError, type Post, PrivateAddressError } from '../src/post.ts';
import { createPushService, type Device } from './push-service.ts';

const SVC_ID = 'SVC-1' as Svcid;
const CLAIM_ID = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10' as ClaimId;
const OTHER_CLAIM = CLAIM_ID.replace(/.$/, '1') as ClaimId;
const FIRM_ID = '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21' as FirmId;
const OTHER_FIRM = FIRM_ID.replace(/.$/, '2') as FirmId;
const OFFER: Notification = { kind: 'offer', firmName: 'Gulf Adjusting Partners', claimId: CLAIM_ID };

const URL_OF_SERVICE = 'https://push.example';
const TIMEOUT_MS = 5000;
const service = createPushService(URL_OF_SERVICE);
const vapid = { ...createVapidKeys(), subject: 'mailto:operator@example.com' };
const counted: DeliveryOutcome[] = [];
const logged: unknown[] = [];
beforeEach(() => {
  jest.useFakeTimers();
  counted.length = 0;
  logged.length = 0;
});
afterEach(() => {
  jest.useRealTimers();
  expect(service.faults.splice(0)).toEqual([]);
});

const noteAs = (level: keyof PushLog) => (message: string, fields?: Record<string, unknown>) =>
  void logged.push([level, message, ...(fields === undefined ? [] : [fields])]);
const log: PushLog = {
  debug: noteAs('debug'),
  info: noteAs('info'),
  warn: noteAs('warn'),
  error: noteAs('error'),
};

/** To the push service, without a connection. */
const post: Post = async (url, { headers, body, timeoutMs }) => {
  expect(timeoutMs).toBe(TIMEOUT_MS);
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const { pathname } = new URL(url);
  const reply = service.receive(pathname, Object.fromEntries(lowerCase), Buffer.from(body ?? ''));
  if (reply === 'timeout')
    return new Promise((_, reject) => setTimeout(() => reject(new Error('too late')), timeoutMs));
  const given = typeof reply === 'number' ? { status: reply, retryAfter: undefined } : reply;
  return { ...given, body: '' };
};

/** A sender for an adjuster with these devices; removed devices disappear from the list. */
function sender(
  devices: Record<string, PushSubscription>,
  options: { vapid?: () => Vapid; post?: Post } = {},
) {
  const registered = new Map(Object.entries(devices));
  const push = createWebPush({
    vapid: options.vapid ?? (() => vapid),
    removeDevice: async (svcId, deviceId) => void (svcId === SVC_ID && registered.delete(deviceId)),
    log,
    metrics: { pushEnded: (outcome) => void counted.push(outcome) },
    post: options.post ?? post,
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
    expect(message?.claims).toMatchObject({ aud: URL_OF_SERVICE, sub: vapid.subject });
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
    for (const count of [3, 4]) await send({ kind: 'deadlines', count });
    for (const expiresOn of ['2027-04-30', '2027-05-31']) await send({ kind: 'credentials', expiresOn });
    await send({ kind: 'test' });
    await send({ kind: 'offer', firmName, claimId: OTHER_CLAIM });
    expect(phone.received.map(({ payload }) => payload)).toEqual([
      { kind: 'offer', firm_name: firmName, claim_id: CLAIM_ID },
      { kind: 'offer_withdrawn', firm_name: firmName, claim_id: CLAIM_ID },
      ...[FIRM_ID, OTHER_FIRM].map((id) => ({ kind: 'invitation', firm_name: firmName, firm_id: id })),
      ...[3, 4].map((count) => ({ kind: 'deadlines', count })),
      ...['2027-04-30', '2027-05-31'].map((date) => ({ kind: 'credentials', date })),
      { kind: 'test' },
      { kind: 'offer', firm_name: firmName, claim_id: OTHER_CLAIM },
    ]);
    // Only those about one thing replace each other, and push services learn nothing of it.
    const topics = phone.received.map(({ headers }) => String(headers.topic));
    const firstOf = topics.map((topic) => topics.indexOf(topic));
    expect(firstOf).toEqual([0, 0, 2, 3, 4, 4, 6, 6, 8, 9]);
    for (const topic of topics) expect(topic).toMatch(/^(?!.*0b9f6a52)[\w-]{32}$/);
  });
});

describe('a device', () => {
  test.each([404, 410])(
    'is removed when its push service returns %d or its keys are invalid, and the others receive the message',
    async (status) => {
      const odd = service.device();
      Object.assign(odd.subscription.keys, { p256dh: 'AAAA', auth: 'AAAA' });
      const gone = { old: service.device([status]), older: service.device([status]), odd };
      const devices = { ...gone, phone: service.device() };
      const { send, registered } = sender(subscriptions(devices));
      expect(await send()).toEqual(['old: gone', 'older: gone', 'odd: gone']);
      expect(counted.toSorted()).toEqual(['delivered', 'gone', 'gone', 'gone']);
      expect([...registered.keys()]).toEqual(['phone']);
      expect(devices.phone.received).toHaveLength(1);
    },
  );

  test('is called again only after a pause when its push service does not respond, and not while it is slow', async () => {
    const devices = { slow: service.device(['timeout']), phone: service.device() };
    const { send, registered } = sender(subscriptions(devices));
    const first = send();
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS / 5);
    expect(await send()).toEqual(['slow: retried']);
    expect(devices.phone.received).toHaveLength(2);
    await jest.advanceTimersByTimeAsync((TIMEOUT_MS * 4) / 5);
    expect(await first).toEqual(['slow: retried']);
    await jest.advanceTimersByTimeAsync(2 * TIMEOUT_MS - 1);
    expect(await send()).toEqual(['slow: retried']);
    expect(devices.slow.attempts).toHaveLength(1);
    expect([...registered.keys()]).toEqual(['slow', 'phone']);
    await jest.advanceTimersByTimeAsync(1);
    expect(await send(OFFER, 'slow')).toEqual([]);
    expect(devices.slow.received).toHaveLength(1);
    expect(counted.toSorted()).toEqual([...Array(4).fill('delivered'), ...Array(3).fill('retried')]);
  });

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
    await jest.advanceTimersByTimeAsync(50);
    expect(await send()).toEqual(waiting);
    expect(Object.values(devices).map(({ attempts }) => attempts.length)).toEqual([1, 1, 1, 2, 2]);
    expect(registered.size).toBe(5);
    await jest.advanceTimersByTimeAsync(1_800_000);
    expect(await send()).toEqual(['day: retried', 'hour: retried']);
    // None is waited for longer than an hour.
    await jest.advanceTimersByTimeAsync(3_600_000 - 50 - 1_800_000);
    expect(await send()).toEqual([]);
  });

  test.each([
    [new Error('reset'), 'retried', []],
    [new NameNotResolvedError(), 'retried', []],
    [new PrivateAddressError(), 'rejected', ['a push service in a private network was not called']],
  ] as const)('is kept when its push service cannot be reached: %p, which counts as %s', async (...row) => {
    const [error, outcome, warnings] = row;
    const failing = jest.fn(() => Promise.reject(error));
    const { send, registered } = sender(subscriptions({ phone: service.device() }), { post: failing });
    // It is called again at once: the error did not take long.
    for (const calls of [1, 2]) {
      expect(await send()).toEqual([`phone: ${outcome}`]);
      expect([failing.mock.calls.length, registered.size]).toEqual([calls, 1]);
    }
    const pushed = ['info', 'pushed', { notice: 'offer', claim_id: CLAIM_ID, [outcome]: 1 }];
    expect(logged.slice(logged.length / 2)).toEqual([...warnings.map((text) => ['warn', text]), pushed]);
  });

  test.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [302, 'rejected'],
    [400, 'rejected'],
    [413, 'rejected'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
  ] as const)('is kept after %d, which counts as %s', async (status, outcome) => {
    const { send, registered } = sender(subscriptions({ phone: service.device([status]) }));
    expect(await send()).toEqual(outcome === 'delivered' ? [] : [`phone: ${outcome}`]);
    expect(await send()).toEqual([]);
    expect(counted).toEqual([outcome, 'delivered']);
    expect(registered.size).toBe(1);
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
      for (let times = 0; times < 2; times += 1) await expect(send()).rejects.toThrow();
      expect(registered.size).toBe(1);
      // Nothing is pushed, so that no keys are needed.
      expect(await send(OFFER, 'tablet')).toEqual([]);
    }
    expect(devices.phone.attempts).toEqual([]);
  });
});

test('log lines name the claim, and no device, address or adjuster', async () => {
  const devices = {
    'device-7': service.device([500]),
    'device-8': service.device([403]),
    'device-9': service.device([400]),
  };
  const { send } = sender(subscriptions(devices));
  await send();
  await send(OFFER, 'no device');
  await send({ ...OFFER, kind: 'offer_withdrawn' });
  await send({ kind: 'test' });
  expect(logged).toEqual([
    ['error', 'a push service rejected the VAPID keys', { status: 403 }],
    ['warn', 'a push service rejected a message', { status: 400 }],
    ['info', 'pushed', { notice: 'offer', claim_id: CLAIM_ID, retried: 1, unauthorized: 1, rejected: 1 }],
    ['info', 'pushed', { notice: 'offer_withdrawn', claim_id: CLAIM_ID, delivered: 3 }],
    ['info', 'pushed', { notice: 'test', delivered: 3 }],
  ]);
});
