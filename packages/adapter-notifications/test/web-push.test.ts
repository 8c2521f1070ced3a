import { createECDH, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Svcid } from '@svc/domain';
import { createVapidKeys, createWebPush } from '../src/index.ts';
import type { Post } from '../src/post.ts';

const TIMEOUT_MS = 1000;
const KEYS = {
  p256dh: createECDH('prime256v1').generateKeys().toString('base64url'),
  auth: randomBytes(16).toString('base64url'),
};
const VAPID = { ...createVapidKeys(), subject: 'mailto:operator@example.com' };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Push services whose paths say how they respond: at once, late, with an error, or not at all. */
function underTest() {
  const called: string[] = [];
  const ended: string[] = [];
  const post: Post = (url, { signal, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const { pathname } = new URL(url);
      called.push(url);
      signal?.addEventListener('abort', reject);
      const created = { status: 201, retryAfter: undefined, body: '' };
      if (pathname.startsWith('/fails')) return reject(new Error('reset'));
      if (pathname.startsWith('/late')) return setTimeout(resolve, timeoutMs / 2, created);
      if (pathname.startsWith('/dead')) return setTimeout(reject, timeoutMs);
      return resolve(created);
    });
  const push = createWebPush({
    ...{ post, timeoutMs: TIMEOUT_MS, vapid: () => VAPID, removeDevice: async () => {} },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    metrics: { pushEnded: (outcome) => void ended.push(outcome) },
  });
  const send = (...endpoints: string[]) => {
    const devices = endpoints.map((endpoint) => ({
      ...{
        deviceId: endpoint,
        preferences: null,
        subscription: { endpoint, expirationTime: null, keys: KEYS },
      },
    }));
    return push.send({ svcId: 'SVC-1' as Svcid, devices }, { kind: 'test' });
  };
  return { called, ended, send };
}

test('four slow pushes of a service and sixteen in all are waited for, time and again', async () => {
  const { ended, send } = underTest();
  await send(...Array.from({ length: 17 }, (_, n) => `https://quick.example/quick/${n}`));
  await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
  ended.length = 0;
  for (const round of ['a', 'b']) {
    const services = [5, 4, 4, 4, 4].flatMap((count, service) =>
      Array.from({ length: count }, (_, n) => `https://${round}${service}.example/late/${n}`),
    );
    const sending = send(...services);
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS / 5 - 1);
    expect(ended.splice(0)).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(ended.splice(0)).toEqual(Array(5).fill('retried'));
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
    const delivered = (await sending).flatMap(({ deviceId, outcome }) =>
      outcome === 'delivered' ? [deviceId] : [],
    );
    expect(delivered).toEqual([...services.slice(0, 4), ...services.slice(5, 17)]);
    ended.splice(0);
  }
});

test('a slow push that ends makes room for one of its service, whatever else is slow', async () => {
  const { ended, send } = underTest();
  const four = (path: string) => [0, 1, 2, 3].map((n) => `https://${path}/${n}`);
  void send(...four('one.example/late'), ...four('other.example/dead'));
  await jest.advanceTimersByTimeAsync(TIMEOUT_MS / 2);
  void send(...four('one.example/late'));
  await jest.advanceTimersByTimeAsync(TIMEOUT_MS / 2);
  expect(ended.toSorted()).toEqual([...Array(8).fill('delivered'), ...Array(4).fill('retried')]);
});

test.each<[string, paths: string, isCalled: boolean]>([
  ['four slow failures in a row', 'dead dead dead dead', false],
  ['three', 'dead dead dead', true],
  ['three and one after a success', 'dead dead dead quick dead', true],
  ['three and one long after', 'dead dead dead wait dead', true],
  ['errors that arrive at once', 'fails fails fails fails', true],
])('a service is paused after four slow failures in a row: %s', async (_, paths, isCalled) => {
  const { called, send } = underTest();
  for (const [n, path] of paths.split(' ').entries()) {
    if (path !== 'wait') void send(`https://push.example/${path}/${n}`);
    await jest.advanceTimersByTimeAsync(path === 'wait' ? 4 * TIMEOUT_MS : TIMEOUT_MS);
  }
  called.length = 0;
  await send('https://push.example/quick', 'https://other.example/quick');
  expect(called).toEqual([
    ...(isCalled ? ['https://push.example/quick'] : []),
    'https://other.example/quick',
  ]);
});
