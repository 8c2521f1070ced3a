import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
} from 'node:http';
import { request as requestOverTls } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createTemporaryFolder, SELF } from '@svc/embedded-postgres';
import { atEnd } from '../services/at-end.ts';
import { onFreePort, startDaemon } from '../services/daemon.ts';
import { requireCommand } from '../services/debian-package.ts';
import { listening } from '../services/local-server.ts';
import { temporaryFolder } from '../services/temporary-folder.ts';

// The proxy of docker/compose.yaml, with a server behind it that records requests. Clients and trusted proxies connect
// from different loopback addresses.

const CONFIGURATION = fileURLToPath(new URL('../../docker/haproxy.cfg', import.meta.url));
const TRUSTED_PROXY = '127.0.0.20';
const OUTER_PROXY = '127.0.0.21';
/** More than the limit of one address, which is 600. */
const TOO_MANY = 640;

interface Response {
  readonly status: number;
  /** Headers that the server behind the proxy received; empty when the proxy responded itself. */
  readonly received: IncomingHttpHeaders;
}

type Send = (from: string, headers?: Record<string, string>, path?: string) => Promise<Response>;

interface Proxy extends Send {
  readonly log: () => string;
}

async function startHaproxy(trustedProxies: string, env: Record<string, string> = {}): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    outgoing.setHeader('X-Received', JSON.stringify(incoming.headers));
    outgoing.end('{}');
  });
  return haproxyTo(await portOf(server), trustedProxies, env);
}

const portOf = async (server: Server): Promise<number> => (await listening(server)).port;

/** The shipped configuration, in front of one server. */
async function haproxyTo(
  target: number,
  trustedProxies = '',
  env: Record<string, string> = {},
  ca?: string,
): Promise<Proxy> {
  const command = await requireCommand('haproxy');
  const folder = await createTemporaryFolder(SELF);
  const sendTo =
    (port: number): Send =>
    (from, headers = {}, path = '/') =>
      new Promise((resolve, reject) => {
        const respond = (response: IncomingMessage): void => {
          response.resume();
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              received: JSON.parse(String(response.headers['x-received'] ?? '{}')),
            }),
          );
        };
        const to = { host: '127.0.0.1', port, localAddress: from, headers, path };
        const call =
          ca === undefined
            ? request(to, respond)
            : requestOverTls({ ...to, ca, servername: 'localhost' }, respond);
        call.once('error', reject);
        call.end();
      });
  const { port, daemon } = await onFreePort((free) =>
    startDaemon({
      command,
      args: ['-db', '-f', CONFIGURATION],
      folder,
      env: {
        TRUSTED_FRONT: trustedProxies,
        LISTEN: `127.0.0.1:${free}`,
        API_ADDRESS: `127.0.0.1:${target}`,
        MAX_API_PROCESSES: '1',
        ...env,
      },
      isReady: () => sendTo(free)('127.0.0.99'),
    }),
  );
  atEnd(async () => {
    await daemon.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  return Object.assign(sendTo(port), { log: () => readFileSync(join(folder, 'log'), 'utf8') });
}

/** The number of requests that got 200. */
async function served(send: () => Promise<Response>, count = TOO_MANY): Promise<number> {
  let ok = 0;
  for (let n = 0; n < count; n += 20) {
    const responses = await Promise.all(Array.from({ length: 20 }, send));
    for (const { status } of responses) {
      expect([200, 429]).toContain(status);
      if (status === 200) ok += 1;
    }
  }
  return ok;
}

const forwardedFor = (addresses: string) => ({ 'X-Forwarded-For': addresses });

test('behind a trusted proxy, a client at the edge limit does not limit another one', async () => {
  const send = await startHaproxy(`${TRUSTED_PROXY} ${OUTER_PROXY}`);
  expect(await served(() => send(TRUSTED_PROXY, forwardedFor('203.0.113.7')))).toBe(600);
  expect(await send(TRUSTED_PROXY, forwardedFor('203.0.113.7'))).toMatchObject({ status: 429 });
  // Addresses sent by the client come before the one that the trusted proxy appends.
  expect(await send(TRUSTED_PROXY, forwardedFor('198.51.100.1, 203.0.113.7'))).toMatchObject({ status: 429 });
  expect(await send(TRUSTED_PROXY, forwardedFor(`203.0.113.7, ${OUTER_PROXY}`))).toMatchObject({
    status: 429,
  });
  expect(await send(TRUSTED_PROXY, forwardedFor('203.0.113.8'))).toMatchObject({ status: 200 });
  expect(await send(TRUSTED_PROXY, forwardedFor('2001:db8::8'))).toMatchObject({ status: 200 });
  expect(await send(TRUSTED_PROXY, forwardedFor(`203.0.113.8, ${OUTER_PROXY}`))).toMatchObject({
    status: 200,
  });
});

test('the addresses of an IPv6 /64 share one edge limit, which no other client is counted in', async () => {
  const send = await startHaproxy(TRUSTED_PROXY);
  let n = 0;
  const sending = (address: string) => send(TRUSTED_PROXY, forwardedFor(address));
  expect(await served(() => sending(`2001:db8:0:1:${(n++).toString(16)}::8`))).toBe(600);
  expect(await sending('2001:db8:0:1:ffff:ffff:ffff:ffff')).toMatchObject({ status: 429 });
  expect(await sending('2001:db8:0:2::8')).toMatchObject({ status: 200 });
  expect(await served(() => sending('::ffff:203.0.113.7'))).toBe(600);
  expect(await sending('::ffff:203.0.113.8')).toMatchObject({ status: 200 });
});

test('EDGE_LIMIT_PER_MINUTE is the limit of an address, 0 is none, and the log names an address that reaches it once', async () => {
  const limited = await startHaproxy('', { EDGE_LIMIT_PER_MINUTE: '30' });
  expect(await served(() => limited('127.0.0.30'), 60)).toBe(30);
  const line = { level: 'warn', address: '127.0.0.30' };
  expect([...limited.log().matchAll(/^\{.*\}$/gm)].map(([text]) => JSON.parse(text))).toEqual([
    expect.objectContaining(line),
  ]);
  const unlimited = await startHaproxy('', { EDGE_LIMIT_PER_MINUTE: '0' });
  expect(await served(() => unlimited('127.0.0.30'))).toBe(TOO_MANY);
});

test.each([
  ['behind a trusted proxy', TRUSTED_PROXY, '203.0.113.7', '203.0.113.7'],
  [
    'behind a trusted proxy that forges an address',
    TRUSTED_PROXY,
    '198.51.100.1, 203.0.113.7',
    '203.0.113.7',
  ],
  ['behind two trusted proxies', TRUSTED_PROXY, `198.51.100.1, 203.0.113.7, ${OUTER_PROXY}`, '203.0.113.7'],
  ['with an IPv6 address', TRUSTED_PROXY, '2001:db8::8', '2001:db8::8'],
  ['that connects directly and forges an address', '127.0.0.30', '203.0.113.7', '127.0.0.30'],
  [
    'that connects directly and forges the address of a trusted proxy',
    '127.0.0.30',
    `203.0.113.7, ${TRUSTED_PROXY}`,
    '127.0.0.30',
  ],
])('the service receives only the real address of a client %s', async (_, from, header, expected) => {
  const send = await startHaproxy(`${TRUSTED_PROXY} ${OUTER_PROXY}`);
  const { received } = await send(from, { ...forwardedFor(header), 'X-Forwarded-Proto': 'https' });
  expect(received['x-forwarded-for']).toBe(expected);
  expect(received['x-forwarded-proto']).toBe(from === TRUSTED_PROXY ? 'https' : 'http');
});

test.each([
  ['no trusted proxy is configured', ''],
  ['another trusted proxy is configured', TRUSTED_PROXY],
])('X-Forwarded-For does not change the edge limit of a client if %s', async (_, trustedProxies) => {
  const send = await startHaproxy(trustedProxies);
  let n = 0;
  const spoofing = () => send('127.0.0.30', forwardedFor(`203.0.113.${n++ % 250}`));
  expect(await served(spoofing)).toBe(600);
  expect(await spoofing()).toMatchObject({ status: 429 });
  // The forged addresses keep their own limits.
  expect(await send('127.0.0.31', forwardedFor('127.0.0.30'))).toMatchObject({
    status: 200,
    received: { 'x-forwarded-for': '127.0.0.31' },
  });
});

test('a request that a frozen process holds ends as soon as the process fails its health checks', async () => {
  const child = spawn(
    process.execPath,
    [
      '-e',
      `require('node:http').createServer((request, response) => {
        if (request.url !== '/held') return response.end('{}');
        console.log('held');
      }).listen(0, '127.0.0.1', function () { console.log(this.address().port); })`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  atEnd(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = await haproxyTo(Number((await lines.next()).value));
  const held = send('127.0.0.30', {}, '/held');
  expect((await lines.next()).value).toBe('held');
  child.kill('SIGSTOP');
  // `timeout server` would end it with 504.
  expect(await held).toMatchObject({ status: 502 });
});

test('a process that shuts down finishes the requests in flight', async () => {
  let finish: (() => void) | undefined;
  let failedChecks = 0;
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/held') {
      finish = () => outgoing.end('{}');
    } else if (incoming.url === '/v1/health' && finish !== undefined) {
      outgoing.writeHead(503).end();
      failedChecks += 1;
      // More than HAProxy needs to see that it is down.
      if (failedChecks === 5) finish();
    } else outgoing.end('{}');
  });
  const send = await haproxyTo(await portOf(server));
  expect(await send('127.0.0.30', {}, '/held')).toMatchObject({ status: 200 });
});

test('two processes are found by their addresses alone, behind TLS that ends in the proxy, without a warning', async () => {
  const folder = temporaryFolder();
  const keyFile = join(folder, 'key');
  const certFile = join(folder, 'cert');
  const both = join(folder, 'both');
  execFileSync(
    'openssl',
    `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout ${keyFile} -out ${certFile}`.split(
      ' ',
    ),
    { stdio: 'pipe' },
  );
  const cert = readFileSync(certFile, 'utf8');
  writeFileSync(both, cert + readFileSync(keyFile, 'utf8'));
  const targets = await Promise.all(
    ['one', 'two'].map((name) =>
      portOf(
        createServer((incoming, outgoing) => {
          outgoing.setHeader('X-Received', JSON.stringify({ ...incoming.headers, name }));
          outgoing.end('{}');
        }),
      ),
    ),
  );
  const [one = 0, two = 0] = targets;
  const send = await haproxyTo(
    one,
    '',
    {
      API_SERVER_1: `127.0.0.1:${one}`,
      API_SERVER_2: `127.0.0.1:${two}`,
      TLS_CERTIFICATE: both,
      // Would be one warning for each of its slots.
      API_ADDRESS: 'no-such-name.invalid:3000',
      MAX_API_PROCESSES: '100',
    },
    cert,
  );
  const responses = [];
  for (let n = 0; n < 4; n++) responses.push(await send('127.0.0.30', { 'X-Forwarded-Proto': 'http' }));
  const received = responses.map(({ received }) => `${received.name} ${received['x-forwarded-proto']}`);
  expect(received.toSorted()).toEqual(['one https', 'one https', 'two https', 'two https']);
  expect(send.log()).not.toContain('WARNING');
});
