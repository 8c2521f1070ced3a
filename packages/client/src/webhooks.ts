import type { ClaimsChangedWebhook, TestWebhook } from './wire.ts';

/** What the service sends to your endpoint. Later there may be others: respond to them, and do nothing. */
export type WebhookEvent = ClaimsChangedWebhook | TestWebhook;

export interface SignedWebhook {
  /** The body exactly as it arrived, not parsed and written again, and not in base64. */
  readonly body: string | Uint8Array;
  /** Headers of the request, from any server: `request.headers`. Names may be in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The endpoint's secret, `whsec_…`; several while it is rolled. */
  readonly secret: string | readonly string[];
  /** How far the time of the signature may be off, 300 by default. */
  readonly toleranceSeconds?: number | undefined;
}

/** The webhook was not sent by the service, or not now. Respond with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Verifies a webhook (Standard Webhooks) and returns its content.
 *
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(webhook: SignedWebhook): Promise<WebhookEvent> {
  const { body, headers, secret, toleranceSeconds = 300 } = webhook;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature', ' ').split(/,? /);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('webhook-timestamp is too far from the time of this machine');
  const encoder = new TextEncoder();
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('body must be the bytes or the text that arrived, not what a framework has parsed');
  const sent = typeof body === 'string' ? encoder.encode(body) : body;
  const prefix = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + sent.length);
  signed.set(prefix);
  signed.set(sent, prefix.length);
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await crypto.subtle.importKey('raw', keyOf(one), HMAC, false, ['verify']);
    for (const signature of signatures) {
      const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : null;
      if (bytes !== null && (await crypto.subtle.verify(HMAC, key, bytes, signed)))
        return JSON.parse(new TextDecoder().decode(sent)) as WebhookEvent;
    }
  }
  throw new WebhookVerificationError(`no signature in webhook-signature matches${hintOf(body)}`);
}

/** Gateways hand bodies over in base64, and frameworks parse them. */
function hintOf(body: string | Uint8Array): string {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const first = fromBase64(text.slice(0, 8))?.[0];
  return first === '{'.charCodeAt(0) ? '; the body is in base64: decode it first' : '';
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  if (key === null || key.length === 0) throw new TypeError('secret must be that of an endpoint, whsec_…');
  return key;
}

/** Null: not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Of a repeated header the signatures are all tried; an id or a time that differs is none. */
function headerOf(headers: SignedWebhook['headers'], name: string, separator = ''): string {
  const values =
    headers instanceof Headers
      ? [headers.get(name) ?? []].flat()
      : Object.entries(headers).flatMap(([given, value]) =>
          given.toLowerCase() === name ? (value ?? []) : [],
        );
  const different = [...new Set(values)];
  if (different.length === 0) throw new WebhookVerificationError(`the request has no header ${name}`);
  if (different.length > 1 && separator === '')
    throw new WebhookVerificationError(`the request has several headers ${name}`);
  return different.join(separator);
}
