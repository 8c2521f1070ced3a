import { createECDH, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Svcid } from '@svc/domain';
import { createVapidKeys, createWebPush } from '../src/index.ts';
import type { Post } from '../src/post.ts';

const TIMEOUT_MS = 1000;
const keys = {
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
      const [, kind] = new URL(url).pathname.split('/');
      called.push(url);
      signal?.addEventListener('abort', reject);
      const created = { status: 201, retryAfter: undefined, body: '' };
      if (kind === 'late') setTimeout(() => resolve(created), timeoutMs / 2);
      else if (kind === 'dead') setTimeout(reject, timeoutMs);
      else if (kind === 'fails') reject(new Error('reset'));
      else resolve(created);
    });
  const push = createWebPush({
    ...{ post, timeoutMs: TIMEOUT_MS, vapid: () => VAPID, removeDevice: async () => {} },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    metrics: { pushEnded: (outcome) => void ended.push(outcome) },
  });
  const to = (id: string) => ({ deviceId: id, preferences: null, subscription: { endpoint: id, keys } });
  const send = (...endpoints: string[]) =>
    push.send({ svcId: 'SVC-1' as Svcid, devices: endpoints.map(to) }, { kind: 'test' });
  return { called, ended, send };
}

const times = <T>(count: number, value: T) => Array<T>(count).fill(value);
const devicesAt = (count: number, path: string) => times(count, path).map((at, n) => `https://${at}/${n}`);

test('four slow pushes of a service and sixteen in all are waited for, time and again', async () => {
  const { ended, send } = underTest();
  await send(...devicesAt(17, 'fast.example/quick'));
  await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
  for (const round of ['a', 'b']) {
    ended.length = 0;
    const devices = [5, 4, 4, 4, 4].flatMap((count, n) => devicesAt(count, `${round}${n}.example/late`));
    const sending = send(...devices);
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS / 5 - 1);
    expect(ended).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(times(5, 'retried'));
    // The end of a fast one makes no room for another.
    await send(`https://fast.example/quick/${round}`);
    const more = send(`https://${round}.example/late`);
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS / 5);
    expect(await more).toMatchObject([{ outcome: 'retried' }]);
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
    const given = (await sending).flatMap(({ outcome }, n) => (outcome === 'retried' ? n : []));
    expect(given).toEqual([4, 17, 18, 19, 20]);
  }
});

test.each<[string, paths: string, isCalled: boolean]>([
  ['four slow failures in a row', 'dead dead dead dead', false],
  ['four with pauses between them', 'dead pause dead pause dead pause dead', false],
  ['three', 'dead dead dead', true],
  ['three and one after a success', 'dead dead dead quick dead', true],
  ['three and one long after', 'dead dead dead wait dead', true],
  ['errors that arrive at once', 'fails fails fails fails', true],
  ['none, but an earlier push to the same device', 'quick/own', true],
])(
  'a service is paused after four slow failures in a row, for two timeouts: %s',
  async (_, paths, isCalled) => {
    const { called, send } = underTest();
    const timeouts: Readonly<Record<string, number>> = { wait: 3, pause: 2 };
    for (const [n, path] of paths.split(' ').entries()) {
      if (!(path in timeouts)) void send(`https://push.example/${path}${path.includes('/') ? '' : `/${n}`}`);
      await jest.advanceTimersByTimeAsync((timeouts[path] ?? 1) * TIMEOUT_MS);
    }
    const [own, other] = ['https://push.example/quick/own', 'https://other.example/quick'];
    const calledNow = async () => {
      called.length = 0;
      await send(own, other);
      return [...called];
    };
    expect(await calledNow()).toEqual(isCalled ? [own, other] : [other]);
    await jest.advanceTimersByTimeAsync(2 * TIMEOUT_MS - 1);
    expect(await calledNow()).toEqual(isCalled ? [own, other] : [other]);
    await jest.advanceTimersByTimeAsync(1);
    expect(await calledNow()).toEqual([own, other]);
  },
);

test('the pushes that wait are those of each device and service, whichever end first', async () => {
  const { called, send } = underTest();
  const own = 'https://own.example/late';
  const [a, b] = ['a', 'b'].map((host) => devicesAt(5, `${host}.example/late`));
  const at = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
  void send(own, ...(a?.slice(1) ?? []));
  await at(150);
  void send(own, ...(b?.slice(1) ?? []));
  await at(100);
  expect(await send(own)).toMatchObject([{ outcome: 'retried' }]);
  await at(100);
  // They become slow when the others to `a` have ended, but not those to `b`.
  const later = send(a?.[0] ?? '', b?.[0] ?? '');
  await at(200);
  expect(await send(own)).toMatchObject([{ outcome: 'retried' }]);
  await at(TIMEOUT_MS);
  expect((await later).map(({ outcome }) => outcome)).toEqual(['delivered', 'retried']);
  called.length = 0;
  await send('https://a.example/quick');
  void send(own);
  expect(called).toHaveLength(2);
});
