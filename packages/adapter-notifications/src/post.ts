import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isRefusedHost, lookupPublicAddress, PrivateAddressError } from './private-network.ts';

interface PostOptions {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Buffer | null;
  readonly timeoutMs: number;
  /**
   * Whether this machine may be called. Only for an installation that listens on loopback: elsewhere a client could make the
   * service send requests to itself and to its neighbors (SSRF). Other private addresses are always refused.
   */
  readonly allowLoopback: boolean;
}

/** What a sender of a response may cost: nobody reads it. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Sends to an address that a client chose, once: redirects are not followed.
 *
 * @throws PrivateAddressError when the host, or an address that its name resolves to as the connection is made, is private.
 */
export function post(
  url: string,
  { headers, body, timeoutMs, allowLoopback }: PostOptions,
): Promise<{ status: number; retryAfter: string | undefined }> {
  const { protocol, hostname } = new URL(url);
  if (isRefusedHost(hostname, allowLoopback))
    return Promise.reject(new PrivateAddressError(`${hostname} is in a private network`));
  const request = protocol === 'http:' ? httpRequest : httpsRequest;
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: 'POST', headers: { ...headers }, signal, lookup: lookupPublicAddress(allowLoopback) },
      (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_RESPONSE_BYTES) response.destroy();
        });
        response.once('error', () => {}); // the status has arrived
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      },
    );
    outgoing.once('error', reject);
    // A response that switches protocols (101) emits nothing else.
    outgoing.once('close', () => reject(new Error('The server closed the connection.')));
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
