import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { EXAMPLES, smallestClaim } from '@svc/contract';
import { type Claim, type ClientOptions, createClient, type RetryEvent } from '../src/index.ts';
import { type Behavior, respondsWith, startFaultyServer } from './faulty-server.ts';
import { failureOf } from './test-client.ts';

const claim = EXAMPLES.sendClaim.response as Claim;
const created = respondsWith(201, claim);
const whole = JSON.stringify(claim);
const head = { 'Content-Type': 'application/json' };

let server: Awaited<ReturnType<typeof startFaultyServer>> | undefined;

async function against(behaviors: readonly Behavior[], options: Partial<ClientOptions> = {}) {
  server = await startFaultyServer(behaviors);
  return createClient({
    baseUrl: server.url,
    apiKey: 'svc_test_x',
    timeoutMs: 250,
    backoff: { baseMs: 5 },
    ...options,
  });
}

const troubles: [string, Behavior][] = [
  ['closes the connection without a response', (_, socket) => socket.destroy()],
  ['resets the connection', (_, socket) => socket.resetAndDestroy()],
  ['says nothing', () => {}],
  ['stops after the head', (response) => void response.writeHead(201, head).flushHeaders()],
  [
    'stops in the middle of the body',
    (response) => void response.writeHead(201, head).write(whole.slice(0, 300)),
  ],
  [
    'closes the connection within a body of known length',
    (response, socket) => {
      response.writeHead(201, { ...head, 'Content-Length': Buffer.byteLength(whole) });
      response.write(whole.slice(0, 300), () => socket.destroy());
    },
  ],
  [
    'closes the connection within a chunked body',
    (response, socket) => {
      response.writeHead(201, head).write(whole.slice(0, 300), () => socket.destroy());
    },
  ],
  ['ends the body too early', respondsWith(201, whole.slice(0, 300))],
  ['sends an empty body', respondsWith(201, '')],
  ['sends HTML', respondsWith(200, '<html>hotel login</html>', { 'Content-Type': 'text/html' })],
  ['sends invalid UTF-8', (response) => void response.writeHead(201).end(Buffer.from([0xff, 0xfe, 0]))],
  ['uses another protocol', (_, socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  ['declares a wrong encoding', respondsWith(201, whole, { 'Content-Encoding': 'gzip' })],
  ['is a gateway without a backend', respondsWith(502, '<h1>Bad Gateway</h1>')],
];

describe('on a faulty network', () => {
  it.each(troubles)('a claim is sent to a server that at first %s', async (_, trouble) => {
    const client = await against([trouble, trouble, created]);
    expect(await client.claims.send(smallestClaim)).toEqual(claim);
    const received = server?.received ?? [];
    // More where the machine is slower than the timeout.
    expect(received.length).toBeGreaterThanOrEqual(3);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(received.map(({ body }) => body))).toEqual(new Set([JSON.stringify(smallestClaim)]));
  });

  it('a server that is down is retried', async () => {
    const client = await against([created], { maxRetries: 2 });
    await server?.stop();
    const retries: RetryEvent[] = [];
    const onRetry = (event: RetryEvent) => retries.push(event);
    expect(await failureOf(client.claims.send(smallestClaim, { onRetry }))).toMatchObject({
      name: 'ClaimsConnectionError',
      message: expect.stringContaining('ECONNREFUSED'),
      attempts: 3,
    });
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('an error has the name of an unknown host', async () => {
    const client = createClient({ baseUrl: 'http://no-such-host.invalid', apiKey: 'k', maxRetries: 0 });
    expect(await failureOf(client.me())).toMatchObject({
      message: expect.stringMatching(/no-such-host|ENOTFOUND|EAI_AGAIN/),
    });
  });

  it('a redirect is not followed, so the key is not sent elsewhere', async () => {
    const other = await startFaultyServer([created]);
    const client = await against([respondsWith(307, '', { Location: `${other.url}/v1/claims` })]);
    expect(await failureOf(client.claims.send(smallestClaim))).toMatchObject({ status: 307, code: null });
    expect(other.received).toEqual([]);
  });

  it('a timeout closes the connection', async () => {
    const closed: Promise<unknown>[] = [];
    const client = await against([(_, socket) => void closed.push(once(socket, 'close'))], {
      maxRetries: 2,
      timeoutMs: 50,
    });
    await failureOf(client.me());
    await Promise.all(closed);
    expect(closed.length).toBeGreaterThan(0);
  });

  it('an abort closes the connection of a request', async () => {
    const controller = new AbortController();
    const closed = new Promise<void>((resolve) => {
      void against(
        [
          (_, socket) => {
            socket.once('close', () => resolve());
            controller.abort(new Error('enough'));
          },
        ],
        { timeoutMs: 0 },
      ).then((client) => expect(client.me({ signal: controller.signal })).rejects.toThrow('enough'));
    });
    await closed;
  });
});
