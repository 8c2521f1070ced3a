import { once } from 'node:events';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isRefusedHost } from './private-network.ts';
import { createResolveName, type ResolveName } from './resolve-name.ts';

interface PostOptions {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Buffer | null;
  readonly timeoutMs: number;
  /** Ends it earlier. */
  readonly signal?: AbortSignal;
}

interface PostResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The first bytes of the body, as text. */
  readonly body: string;
}

/**
 * Sends to an address that a client chose, once: redirects are not followed.
 *
 * @throws PrivateAddressError when the URL has the address of this machine or of a private network.
 * @throws NameNotResolvedError when its name has no address, or a private one.
 */
export type Post = (url: string, options: PostOptions) => Promise<PostResponse>;

/** What a connection may receive. A chain of certificates and the headers of a response are less. */
const MAX_RECEIVED_BYTES = 128 * 1024;
/** Short, since all that has arrived in between is processed. */
const CHECK_INTERVAL_MS = 10;
/** Before the response. Servers send one or two. */
const MAX_INFORMATIONAL_RESPONSES = 10;
/** The rest of the body is not read. */
const MAX_BODY_BYTES = 1024;
const BODY_TIMEOUT_MS = 500;

export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/** One error for a name without an address and for one of a private network: who names it must not learn which. */
export class NameNotResolvedError extends Error {
  override readonly name = 'NameNotResolvedError';
}

/**
 * Each request has its own connection, to an address that was checked, and ends with it.
 *
 * @param allowLoopback whether this machine may be called. Only for an installation that listens on loopback: elsewhere a
 *   client could make the service send requests to itself and to its neighbors (SSRF). Other private addresses are always
 *   refused.
 */
export function createPost(allowLoopback: boolean, resolveName: ResolveName = createResolveName()): Post {
  /** The connection is made to what this returns: resolved again, the name could lead elsewhere (DNS rebinding). */
  async function publicAddressesOf(hostname: string, signal: AbortSignal) {
    if (isRefusedHost(hostname, allowLoopback))
      throw new PrivateAddressError(`${hostname} is in a private network`);
    const family = isIP(hostname);
    if (family !== 0) return [{ address: hostname, family }];
    const addresses = await resolveName(hostname, signal);
    if (addresses.length === 0 || addresses.some(({ address }) => isRefusedHost(address, allowLoopback)))
      throw new NameNotResolvedError(`${hostname} has no public address`);
    return [...addresses];
  }

  return async (url, { timeoutMs, signal: given, ...sent }) => {
    const { protocol, hostname, port } = new URL(url);
    const isTls = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = given === undefined ? timeout : AbortSignal.any([timeout, given]);
    const addresses = await publicAddressesOf(host, signal);
    signal.throwIfAborted();
    const connection = connect({
      host,
      port: Number(port) || (isTls ? 443 : 80),
      lookup: (_name, _options, done) => done(null, addresses),
      autoSelectFamily: true,
    });
    // After the connection was made, its errors are those of the request.
    connection.on('error', () => {});
    try {
      await once(connection, 'connect', { signal });
      const socket = isTls
        ? connectTls({
            socket: connection,
            host,
            ...(isIP(host) === 0 && { servername: host }),
            ALPNProtocols: ['http/1.1'],
          })
        : connection;
      const request = isTls ? httpsRequest : httpRequest;
      return await exchange(
        (options) => request(url, { ...options, createConnection: () => socket, signal }),
        connection,
        sent,
      );
    } finally {
      connection.destroy();
    }
  };
}

/** Sends one request, and receives no more than its status needs. */
function exchange(
  request: (options: RequestOptions) => ReturnType<typeof httpRequest>,
  connection: Socket,
  { headers, body }: Pick<PostOptions, 'headers' | 'body'>,
): Promise<PostResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ method: 'POST', headers: { ...headers } });
    let informational = 0;
    outgoing.on('information', () => {
      informational += 1;
      if (informational > MAX_INFORMATIONAL_RESPONSES)
        outgoing.destroy(new Error('The server sends informational responses without end.'));
    });
    // Not the bytes of the response: a server can send without end below HTTP too.
    const checking = setInterval(() => {
      if (connection.bytesRead > MAX_RECEIVED_BYTES)
        outgoing.destroy(new Error('The server sends more than a response.'));
    }, CHECK_INTERVAL_MS);
    // A response that switches protocols (101) emits nothing else.
    const closed = (): void => reject(new Error('The server closed the connection.'));
    outgoing.once('response', (response) => {
      let text = Buffer.alloc(0);
      const end = (): void => {
        clearTimeout(timer);
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          body: text.toString(),
        });
        outgoing.destroy();
      };
      const timer = setTimeout(end, BODY_TIMEOUT_MS);
      response.on('data', (chunk: Buffer) => {
        text = Buffer.concat([text, chunk.subarray(0, MAX_BODY_BYTES - text.length)]);
        if (text.length === MAX_BODY_BYTES) end();
      });
      // The status has arrived, and what follows it cannot fail the request.
      outgoing
        .off('error', reject)
        .off('close', closed)
        .on('error', () => {});
      response.on('error', () => {});
      response.once('close', end);
    });
    outgoing.once('close', () => clearInterval(checking));
    outgoing.once('error', reject).once('close', closed);
    outgoing.end(body ?? undefined);
  });
}

/** Null: not given, or not understood. */
export function retryAfterMs(header: string | undefined): number | null {
  if (header === undefined) return null;
  const seconds = Number(header);
  const delayMs = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return delayMs > 0 ? delayMs : null;
}
