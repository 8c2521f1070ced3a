import { createServer, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { listening } from '../../../tools/services/local-server.ts';
import { createPost, createResolveName } from '../src/index.ts';
import { startNameServer } from './name-server.ts';

/** What a receiver does with its connection once it has the request. */
type Behavior = (socket: Socket) => void;

/** Writes the same bytes as fast as they are taken, until the connection is closed. */
const flood =
  (start: string, repeated: string): Behavior =>
  (socket) => {
    const chunk = repeated.repeat(Math.ceil(16_384 / repeated.length));
    const write = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.write(start);
    socket.on('drain', write);
    write();
  };
const drip =
  (start: string, repeated: string): Behavior =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(repeated), 20);
    socket.once('close', () => clearInterval(timer));
  };

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const HINT = 'HTTP/1.1 103 Early Hints\r\n\r\n';
const BEHAVIORS = {
  answers: (socket: Socket) => void socket.write(OK),
  redirects: (socket: Socket) =>
    void socket.write('HTTP/1.1 302 Found\r\nLocation: /answers\r\nContent-Length: 0\r\n\r\n'),
  'sends without end after its response': flood(OK, 'x'),
  'drips after its response': drip(OK, 'x'),
  'sends a body without end': flood('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n', 'x'),
  'drips a body without end': drip('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
  'continues without end': flood('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  'is processing without end': flood('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  'hints without end': flood('', `HTTP/1.1 103 Early Hints\r\nLink: </${'x'.repeat(1000)}>\r\n\r\n`),
  'drips hints': drip('', HINT),
  'hints ten times': (socket: Socket) => {
    socket.write(HINT.repeat(10));
    setTimeout(() => socket.write(OK), 50);
  },
  'hints eleven times': (socket: Socket) => void socket.write(HINT.repeat(11)),
  'is busy': (socket: Socket) => {
    socket.write('HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 6\r\n\r\nnot');
    setTimeout(() => socket.write('now'), 50);
  },
  'sends headers without end': flood('HTTP/1.1 200 OK\r\n', 'X-Header: x\r\n'),
  'sends empty lines without end': flood('', '\r\n'),
  'breaks off in its body': (socket: Socket) =>
    void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok'),
  'switches protocols': flood(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    'x',
  ),
  'is silent': () => {},
} satisfies Record<string, Behavior>;
type Name = keyof typeof BEHAVIORS;

const requests: string[] = [];
let received = '';
const open = new Set<Socket>();
const written = new Map<string, number>();
const server = createServer((socket) => {
  open.add(socket);
  socket.on('error', () => {});
  socket.once('data', (data) => {
    received = String(data);
    const [, path = '', host = ''] = /^POST \/(\S*) [\s\S]*?\r\nhost: (\S+)/i.exec(received) ?? [];
    requests.push(host);
    const name = decodeURIComponent(path) as Name;
    socket.once('close', () => {
      open.delete(socket);
      written.set(name, socket.bytesWritten);
    });
    BEHAVIORS[name](socket);
  });
});

const { port } = await listening(server);
const names = await startNameServer(
  new Map<string, readonly string[] | 'silence'>([
    ['here.example', ['127.0.0.1']],
    ['alias.example', ['here.example', '127.0.0.1']],
    ['six.example', ['::1']],
    ['mixed.example', ['127.0.0.1', '8.8.8.8']],
    ['loop.example', ['loop.example']],
    ['many.example', Array(4000).fill('127.0.0.1')],
    ['private.example', ['10.0.0.1']],
    ['dead.example', 'silence'],
    ['silent.example', 'silence'],
    ['half.example', ['127.0.0.1', 'silence']],
    ['both.example', ['::1', '127.0.0.1']],
  ]),
);

type Ends = { timeoutMs?: number; signal?: AbortSignal };
const send = (
  url: string,
  options: Ends & { allowLoopback?: boolean; resolved?: readonly string[] } = {},
) => {
  const { allowLoopback = true, resolved, timeoutMs = 20_000, ...given } = options;
  const resolveName =
    resolved === undefined
      ? createResolveName([names.address])
      : async () => resolved.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const sent = { headers: { 'x-one': '1' }, body: '{}', timeoutMs, ...given };
  return createPost(allowLoopback, resolveName)(url, sent);
};
/** @returns the status, or the name of the error. */
const outcome = (...given: Parameters<typeof send>): Promise<number | string> =>
  send(...given).then(
    ({ status }) => status,
    ({ name }: Error) => name,
  );
const urlOf = (host: string, name: Name = 'answers') => `http://${host}:${port}/${encodeURIComponent(name)}`;

describe('an address', () => {
  test('of this machine is connected to during development, and those of its neighbors are not', async () => {
    requests.length = 0;
    const developing = (resolved: string[]) => outcome(urlOf('hooks.example'), { resolved });
    // The first one refuses the connection.
    expect(await developing(['127.0.0.9', '127.0.0.1'])).toBe(200);
    expect(await outcome(urlOf('localhost'))).toBe(200);
    expect(requests).toEqual([`hooks.example:${port}`, `localhost:${port}`]);
    for (const addresses of [['10.0.0.1'], ['127.0.0.1', '10.0.0.1'], ['::ffff:10.0.0.1']])
      expect(await developing(addresses)).toBe('NameNotResolvedError');
  });
});

describe('a name', () => {
  test('is resolved by the name servers, and a connection tries a few of its addresses', async () => {
    const hosts = ['here.example', 'alias.example', 'many.example'];
    const ends = await Promise.all(hosts.map((host) => outcome(urlOf(host))));
    expect(ends).toEqual(hosts.map(() => 200));
    const resolve = createResolveName([names.address], '/no/hosts');
    const signal = AbortSignal.timeout(20_000);
    expect(await resolve('many.example', signal)).toHaveLength(4);
    expect(await resolve('six.example', signal)).toEqual([{ address: '::1', family: 6 }]);
    const both = await resolve('both.example', signal);
    expect(both.map(({ address, family }) => [address, family])).toEqual([
      ['127.0.0.1', 4],
      ['::1', 6],
    ]);
  });

  test('ends the same way if it does not exist, leads to a private address or to itself, and is asked for once', async () => {
    names.asked.length = 0;
    const hosts = ['unknown.example', 'private.example', 'loop.example', 'mixed.example'];
    const errors = await Promise.all(
      hosts.map((host) => send(urlOf(host), { allowLoopback: false }).catch((error: Error) => error)),
    );
    expect(errors).toEqual(
      hosts.map((host) =>
        expect.objectContaining({ name: 'NameNotResolvedError', message: `${host} has no public address` }),
      ),
    );
    // For both families: the address that was checked is the one that is connected to.
    for (const host of hosts) expect(names.asked.filter((name) => name === host)).toHaveLength(2);
  });

  test('whose name server never answers, or not about IPv6, delays no other one, and is given up with its request', async () => {
    const ended: string[] = [];
    const others = ['silent.example', 'half.example', 'here.example'];
    const ends = [...Array<string>(45).fill('dead.example'), ...others].map(async (host) => {
      const timeoutMs = host === 'silent.example' ? 50 : 20_000;
      ended.push(`${host} ${await outcome(urlOf(host), { timeoutMs })}`);
    });
    await Promise.all(ends);
    const first = ['half.example 200', 'here.example 200', 'silent.example NameNotResolvedError'];
    expect(ended.slice(0, 3).sort()).toEqual(first);
    expect(new Set(ended.slice(3))).toEqual(new Set(['dead.example NameNotResolvedError']));
    const resolve = createResolveName([names.address]);
    expect(await resolve('given-up.example', AbortSignal.abort())).toEqual([]);
    expect(names.asked).not.toContain('given-up.example');
  });
});

describe('a receiver', () => {
  const DEADLINE_MS = 2000;
  test.each([
    ['answers', 200],
    ['sends without end after its response', 200],
    ['drips after its response', 200],
    ['sends a body without end', 200],
    ['drips a body without end', 200],
    ['continues without end', 'Error'],
    ['is processing without end', 'Error'],
    ['hints without end', 'Error'],
    ['drips hints', 'Error'],
    ['hints ten times', 200],
    ['hints eleven times', 'Error'],
    ['sends headers without end', 'Error'],
    ['sends empty lines without end', 'Error'],
    ['breaks off in its body', 200],
    ['switches protocols', 'Error'],
    ['is silent', 'AbortError'],
  ] as const)('that %s costs little, and its connection is closed', async (name, expected) => {
    const { signal } = new AbortController();
    expect(await outcome(urlOf('127.0.0.1', name), { timeoutMs: DEADLINE_MS, signal })).toBe(expected);
    await eventually(
      async () => open.size,
      (count) => count === 0,
    );
    // The most is what the kernel has accepted for a connection that nobody reads.
    expect(written.get(name)).toBeLessThan(16 * 2 ** 20);
  });

  test('that redirects is not followed', async () => {
    requests.length = 0;
    expect(await outcome(urlOf('127.0.0.1', 'redirects'))).toBe(302);
    expect(requests).toHaveLength(1);
  });

  test('gets one request with each connection, which says so, and its response is read up to a kilobyte', async () => {
    const [first, second] = [
      await send(urlOf('127.0.0.1')),
      await send(urlOf('127.0.0.1', 'sends a body without end')),
    ];
    expect(first).toEqual({ status: 200, retryAfter: undefined, body: 'ok' });
    expect(second.body).toBe('x'.repeat(1024));
    const busy = { status: 503, retryAfter: '7', body: 'notnow' };
    expect(await send(urlOf('127.0.0.1', 'is busy'))).toEqual(busy);
    const [head = '', body] = received.split('\r\n\r\n');
    expect([head.split('\r\n')[0], body]).toEqual(['POST /is%20busy HTTP/1.1', '{}']);
    expect(head.toLowerCase().split('\r\n')).toEqual(
      expect.arrayContaining(['x-one: 1', 'connection: close', 'content-length: 2']),
    );
  });
});
