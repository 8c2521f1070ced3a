import { createHmac } from 'node:crypto';
import { tlsProblem, type WebhookSender } from '@svc/application';
import { MAX_WEBHOOK_URL_LENGTH, type WebhookError } from '@svc/domain';
import { NameNotResolvedError, type Post, PrivateAddressError, retryAfterMs } from './post.ts';
import { isLoopbackHost, isRefusedHost } from './private-network.ts';

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
export function createWebhookSender(allowLoopback: boolean, post: Post): WebhookSender {
  return {
    problemOf(text) {
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
      // A name is resolved for each connection only: here, the answer would tell which internal names exist.
      if (isRefusedHost(hostname, allowLoopback))
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
        const { status, retryAfter, body: responseBody } = await post(url, { headers, body, timeoutMs });
        return { status, retryAfterMs: retryAfterMs(retryAfter), body: printable(responseBody) };
      } catch (error) {
        return { error: errorOf(error) };
      }
    },
  };
}

/** For people: without what a terminal or a page takes for a command, and without empty space. */
const printable = (text: string): string => text.replace(/[\p{C}\s]+/gu, ' ').trim();

function errorOf(error: unknown): WebhookError {
  if (error instanceof PrivateAddressError) return 'private_address';
  if (error instanceof NameNotResolvedError) return 'name_not_resolved';
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ETIMEDOUT') return 'timeout';
  const isTls = tlsProblem(error) !== null || /^(ERR_(TLS|SSL)|CERT_|EPROTO)/.test(String(code));
  return isTls ? 'tls_failed' : 'connection_failed';
}
