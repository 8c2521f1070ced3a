import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  randomUUID,
  verify,
} from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listening } from '../../../tools/services/local-server.ts';

/** A message as a browser passes it to its service worker. */
export interface Received {
  readonly payload: Record<string, unknown>;
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
  /** Claims of the signed token. */
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
  /** The key that signed the token. */
  readonly signedBy: string;
}

/** Responses to the next messages of a device; 201 when none is left. */
export type Reply = number | 'timeout' | { readonly status: number; readonly retryAfter: string };

export interface Device {
  readonly subscription: {
    readonly endpoint: string;
    readonly expirationTime: null;
    readonly keys: { readonly p256dh: string; readonly auth: string };
  };
  /** Accepted messages. */
  readonly received: Received[];
  /** Every attempt, including rejected ones. */
  readonly attempts: number[];
  readonly replies: Reply[];
}

/** A push service at this URL that validates strictly by RFC 8030, 8188, 8291 and 8292. */
export function createPushService(url: string) {
  const devices = new Map<string, { device: Device; keys: ECDH; auth: Buffer }>();
  /** Errors in messages, such as a bad signature or an unreadable payload. */
  const faults: string[] = [];
  return {
    faults,
    device(replies: readonly Reply[] = []) {
      const keys = createECDH('prime256v1');
      const p256dh = keys.generateKeys().toString('base64url');
      const auth = randomBytes(16);
      const path = `/send/${randomUUID()}`;
      const device: Device = {
        subscription: {
          endpoint: url + path,
          expirationTime: null,
          keys: { p256dh, auth: auth.toString('base64url') },
        },
        received: [],
        attempts: [],
        replies: [...replies],
      };
      devices.set(path, { device, keys, auth });
      return device;
    },
    /** The response to a request. */
    receive(path: string, headers: IncomingHttpHeaders, body: Buffer): Reply {
      const found = devices.get(path);
      if (found === undefined) return 404;
      const { device, keys, auth } = found;
      device.attempts.push(Date.now());
      const reply = device.replies.shift() ?? 201;
      if (reply !== 201) return reply;
      try {
        const { claims, signedBy } = checked(headers, url);
        const payload = JSON.parse(decrypted(body, keys, auth)) as Record<string, unknown>;
        device.received.push({ payload, at: Date.now(), headers, claims, signedBy });
        return 201;
      } catch (error) {
        faults.push(String(error));
        return 400;
      }
    },
  };
}

export async function startPushService() {
  const server = createServer(async (request, response) => {
    const reply = service.receive(request.url ?? '', request.headers, await buffer(request));
    if (reply === 'timeout') return;
    if (typeof reply === 'number') response.writeHead(reply).end();
    else response.writeHead(reply.status, { 'Retry-After': reply.retryAfter }).end();
  });
  const local = await listening(server);
  const service = createPushService(local.url);
  return { ...local, ...service };
}

/** Checks the token: signed with the key it names, for this service, valid for at most a day (RFC 8292). */
function checked(headers: IncomingHttpHeaders, audience: string): Pick<Received, 'claims' | 'signedBy'> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  const [head = '', body = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65 || point[0] !== 4) throw new Error('the key is not a point of P-256');
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  if (read(head).alg !== 'ES256') throw new Error('the token is not signed with ES256');
  const signed = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!signed) throw new Error('the signature does not fit the key');
  const claims = read(body) as Received['claims'];
  const left = claims.exp - Date.now() / 1000;
  if (claims.aud !== audience) throw new Error(`the token is for ${claims.aud}`);
  if (left <= 0 || left > 24 * 60 * 60) throw new Error(`the token is good for ${left} s`);
  if (!/^(mailto:|https:)/.test(claims.sub)) throw new Error(`invalid VAPID subject: ${claims.sub}`);
  if (!/^\d+$/.test(String(headers.ttl))) throw new Error('the message has no TTL');
  if (headers['content-encoding'] !== 'aes128gcm') throw new Error('the payload is not aes128gcm');
  return { claims, signedBy: key };
}

/** Decrypts as a browser does (RFC 8291). */
function decrypted(body: Buffer, keys: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const sealed = body.subarray(21 + idLength);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync('sha256', keys.computeSecret(sender), auth, info, 32));
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16));
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12));
  const cipher = createDecipheriv('aes-128-gcm', key, nonce);
  cipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  const end = plain.lastIndexOf(2);
  if (end === -1 || plain.subarray(end + 1).some((byte) => byte !== 0))
    throw new Error('the padding is broken');
  return plain.subarray(0, end).toString();
}
