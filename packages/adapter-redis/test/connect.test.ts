import { createServer, type Socket } from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { atEnd } from '../../../tools/services/at-end.ts';
import { listening } from '../../../tools/services/local-server.ts';
import { connectRedis, createClient } from '../src/connect.ts';

const LOGIN = { username: 'u', password: 'p@' };
const EACH = {
  ...{ connectTimeout: 2000, keepAlive: 10_000, disableClientInfo: true, maxRetriesPerRequest: 0 },
  ...{ autoResendUnfulfilledCommands: false, ...LOGIN },
};
const NO_RETRIES = { maxRedirections: 4, retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 };

test.each<[url: string, options: object, ofNodes?: object]>([
  ['redis://u:p%40@127.0.0.1:1', EACH],
  ['redis://u:p%40@127.0.0.1:1, 127.0.0.1:2', NO_RETRIES, EACH],
  ['rediss://u:p%40@127.0.0.1:1, 127.0.0.1:2', NO_RETRIES, { ...EACH, tls: {} }],
])('no command waits for a connection to %s, which is made again with the login of then', (...row) => {
  const [url, expected, ofNodes] = row;
  const client = createClient(url, () => url.replace('p%40', 'next'));
  client.on('error', () => {});
  client.disconnect();
  const options = Object(client.options);
  expect(options).toMatchObject({ enableOfflineQueue: false, ...expected });
  if (ofNodes !== undefined) expect(options.redisOptions).toMatchObject(ofNodes);
  const { clusterRetryStrategy, retryStrategy = clusterRetryStrategy } = options;
  expect([1, 10, 11].map((times) => retryStrategy(times))).toEqual([50, 500, 500]);
  const found: string[] = [];
  if (url.startsWith('rediss')) options.dnsLookup('x.example', (_: null, name: string) => found.push(name));
  expect(found).toEqual(url.startsWith('rediss') ? ['x.example'] : []);
  expect(options.redisOptions ?? options).toMatchObject({ ...LOGIN, password: 'next' });
});

const DECISION = { allowed: false, retryAfterMs: 9 } as const;
const USED = { requests: 8, writes: 7 };
/** To a server of this test, with what the fallback was asked and what was logged. */
async function connected(answer: (socket: Socket, sent: string) => void, scheme = 'redis') {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => answer(socket, String(data)));
  });
  const url = (await listening(server)).url.replace('http', scheme);
  const asked: unknown[] = [];
  const warned: string[] = [];
  const note = <T>(reply: T) => {
    return async (...given: readonly unknown[]): Promise<T> => {
      asked.push(given);
      return reply;
    };
  };
  const readUrl = jest.fn(() => url);
  const connection = connectRedis({
    ...{ url, readUrl, commandTimeoutMs: 60_000, log: { warn: (line) => void warned.push(line), info() {} } },
    fallback: { rateLimiter: { consume: note(DECISION), peek: note(USED) } },
  });
  atEnd(() => connection.close());
  return { ...connection, asked, warned, readUrl };
}

/** What Redis replies to a command; the script allows everything. */
const REPLIES: Readonly<Record<string, string>> = {
  info: '$9\r\nloading:0\r\n',
  time: '*2\r\n$1\r\n1\r\n$1\r\n2\r\n',
  evalsha: '*1\r\n:0\r\n',
};

test('while Redis does not reply, the limits of the process apply, and what is used of them is shown', async () => {
  let received = '';
  const { rateLimiter, state, close, asked } = await connected((socket, sent) => {
    received += sent;
    for (const [, command = ''] of sent.matchAll(/^\*\d+\r\n\$\d+\r\n(\w+)/gm))
      socket.write(REPLIES[command] ?? '+OK\r\n');
  });
  const limits = { requestsPerMinute: 3, writesPerMinute: 2, burst: 1 };
  const consume = () => rateLimiter.consume('k', limits, { write: true });
  expect([await consume(), await rateLimiter.peek('k', limits)]).toEqual([DECISION, USED]);
  await eventually(() => state().status === 'up');
  expect(await consume()).toEqual({ allowed: true });
  expect(received).toContain('\r\nsvc:limit:{k}\r\n');
  await close();
  expect([await consume(), state().status]).toEqual([DECISION, 'down']);
  const consumed = ['k', limits, { write: true }];
  expect(asked).toEqual([consumed, ['k', limits], consumed]);
});

test('a server without TLS is named as the reason once, however often it is tried with the URL of then', async () => {
  const { close, warned, readUrl } = await connected((socket) => socket.end('-ERR\r\n'), 'rediss');
  await eventually(() => readUrl.mock.calls.length > 2);
  await close();
  const outage = expect.stringContaining('Redis is unavailable');
  expect(warned).toEqual(['Could not connect to Redis: it does not offer TLS', outage]);
});
