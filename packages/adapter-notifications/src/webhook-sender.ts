import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_WEBHOOK_URL_LENGTH, tlsProblem, type WebhookError, type WebhookSender } from '@svc/application';
import { post, retryAfterMs } from './post.ts';
import { isLoopbackHost, isRefusedHost, PrivateAddressError } from './private-network.ts';

/** A name that does not resolve in this time is resolved again for each delivery. */
const RESOLVE_TIMEOUT_MS = 2000;

/**
 * The signature of the Standard Webhooks specification, version 1.
 *
 * @param secret base64 after `whsec_`.
 */
const signatureOf = (secret: string, id: string, seconds: number, body: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64')}`;

/** @param allowLoopback for development: then `http` to this machine is allowed too. */
export function createWebhookSender(allowLoopback: boolean): WebhookSender {
  async function isPrivateName(hostname: string): Promise<boolean> {
    const addresses = await Promise.race([
      lookup(hostname, { all: true }).catch(() => []),
      pause(RESOLVE_TIMEOUT_MS, [], { ref: false }),
    ]);
    return addresses.some(({ address }) => isRefusedHost(address, allowLoopback));
  }

  return {
    async problemOf(text) {
      const allowed = allowLoopback ? 'https://, or http:// on this machine' : 'https://';
      const url = URL.canParse(text) ? new URL(text) : null;
      if (url === null || text.length > MAX_WEBHOOK_URL_LENGTH)
        return `The URL must be an address that starts with ${allowed}, of at most ${MAX_WEBHOOK_URL_LENGTH} characters.`;
      const { protocol, hostname, username, password, href } = url;
      if (protocol !== 'https:' && !(allowLoopback && protocol === 'http:' && isLoopbackHost(hostname)))
        return `The URL must start with ${allowed}.`;
      // An empty fragment is not in `hash`.
      if (username !== '' || password !== '' || href.includes('#'))
        return 'The URL must have no user name, password or fragment.';
      const address = hostname.replace(/^\[|\]$/g, '');
      if (isRefusedHost(hostname, allowLoopback) || (isIP(address) === 0 && (await isPrivateName(hostname))))
        return `The URL must lead to a public address; ${hostname} is on a private network or on this machine.`;
      return null;
    },

    async send({ url, id, secrets, body }, at, timeoutMs) {
      const seconds = Math.floor(at / 1000);
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'claim-assignment-webhooks',
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': secrets.map((secret) => signatureOf(secret, id, seconds, body)).join(' '),
      };
      try {
        const { status, retryAfter } = await post(url, { headers, body, timeoutMs, allowLoopback });
        return { status, retryAfterMs: retryAfterMs(retryAfter) };
      } catch (error) {
        return { error: errorOf(error) };
      }
    },
  };
}

function errorOf(error: unknown): WebhookError {
  if (error instanceof PrivateAddressError) return 'private_address';
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ETIMEDOUT') return 'timeout';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_not_resolved';
  const isTls = tlsProblem(error) !== null || /^(ERR_(TLS|SSL)|CERT_|EPROTO)/.test(String(code));
  return isTls ? 'tls_failed' : 'connection_failed';
}
