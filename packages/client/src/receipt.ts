/** The keys of `/.well-known/jwks.json`. Save them: receipts can then be verified without the service. */
export interface ReceiptKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** What a receipt says. Times are RFC 3339 in UTC; members may be added. */
export interface ReceiptContent {
  /** The service that issued it. */
  readonly iss: string;
  /** When it was issued, in Unix seconds. */
  readonly iat: number;
  readonly version: number;
  readonly claim_id: string;
  /** The firm's own id of the claim. */
  readonly external_id: string;
  readonly firm_id: string;
  readonly environment: string;
  readonly adjuster_svc_id: string;
  readonly offered_at: string;
  /** The latest outcome for each device, which is named by a pseudonym. */
  readonly pushes: readonly { readonly channel: string; readonly outcome: string; readonly at: string }[];
  /** When the offer was first sent to the adjuster's app. */
  readonly first_seen_at: string | null;
  readonly status: string;
  readonly answered: {
    /** By the service's clock. This time counts. */
    readonly at: string;
    /** By the clock of the adjuster's device; null: the app did not say. */
    readonly device_at: string | null;
    /** Since when the app kept the answer for lack of a network. */
    readonly kept_offline_since: string | null;
  } | null;
  /** An answer to an offer that had ended, so that it does not count; null: there was none. Absent in older receipts. */
  readonly late_answer?: {
    readonly answer: string;
    /** By the service's clock. */
    readonly at: string;
    readonly device_at: string | null;
    readonly kept_offline_since: string | null;
  } | null;
  /** What the adjuster has recorded, if the firm was allowed to see it; null: it was not. Absent in older receipts. */
  readonly clocks?: {
    readonly first_contact: ReceiptStep | null;
    readonly inspection: ReceiptStep | null;
  } | null;
  /** When the claim was closed; null: it was open when the receipt was issued. */
  readonly closed_at: string | null;
  readonly decided_by: { readonly rule: string; readonly text: string };
  /** The row of the firm's audit trail with the offer, or with what ended it; null: retention deleted it. */
  readonly audit: { readonly seq: number; readonly hash: string } | null;
}

/** A first contact or an inspection. */
export interface ReceiptStep {
  /** When the service received it; null: only the date is known. */
  readonly at: string | null;
  /** By the clock of the adjuster's device. */
  readonly device_at: string | null;
  /** Where no time was recorded. */
  readonly date: string | null;
}

/** A receipt that is not genuine, or that none of the keys has signed. */
export class ReceiptError extends Error {
  override readonly name = 'ReceiptError';
}

export interface VerifyReceiptOptions {
  /** The saved keys, or the URL of `/.well-known/jwks.json`. Never take the URL from the receipt. */
  readonly jwks: ReceiptKeySet | string | URL;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly signal?: AbortSignal | undefined;
}

const ED25519_SIGNATURE_BYTES = 64;

/**
 * Verifies a receipt and returns its content. Needs no key of the firm, and with saved keys no network.
 *
 * @throws ReceiptError if it is not genuine.
 */
export async function verifyReceipt(
  receipt: string,
  { jwks, fetch = globalThis.fetch, signal }: VerifyReceiptOptions,
): Promise<ReceiptContent> {
  const [head = '', content = '', end = '', ...more] = receipt.trim().split('.');
  const signature = bytesOf(end);
  if (more.length > 0 || signature?.length !== ED25519_SIGNATURE_BYTES)
    throw new ReceiptError('This is not a receipt: three parts in base64url, separated by periods.');
  const header = objectOf(head);
  if (header?.alg !== 'EdDSA' || 'crit' in header || typeof header.kid !== 'string')
    throw new ReceiptError('The receipt is not signed with EdDSA.');
  const known = typeof jwks === 'string' || jwks instanceof URL ? await readKeys(jwks, fetch, signal) : jwks;
  const found = keyIn(known, header.kid);
  if (found === undefined)
    throw new ReceiptError(
      `The receipt is signed with the key ${JSON.stringify(header.kid.slice(0, 100))}, which is not among the keys.`,
    );
  const key = await crypto.subtle.importKey(
    'jwk',
    { kty: 'OKP', crv: 'Ed25519', x: found },
    { name: 'Ed25519' },
    false,
    ['verify'],
  );
  const signed = new TextEncoder().encode(`${head}.${content}`);
  if (!(await crypto.subtle.verify({ name: 'Ed25519' }, key, signature, signed)))
    throw new ReceiptError(
      'The signature is wrong: the receipt was changed, or the service did not sign it.',
    );
  const verified = objectOf(content);
  if (verified === undefined) throw new ReceiptError('The content of the receipt is not a JSON object.');
  return verified as unknown as ReceiptContent;
}

async function readKeys(
  url: string | URL,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal | undefined,
): Promise<ReceiptKeySet> {
  const response = await fetch(url, { signal: signal ?? null });
  if (!response.ok) throw new Error(`The keys could not be read: ${url} returned ${response.status}.`);
  return (await response.json()) as ReceiptKeySet;
}

function keyIn({ keys }: ReceiptKeySet, kid: string): string | undefined {
  if (!Array.isArray(keys))
    throw new TypeError('jwks must have a member "keys" with an array, as /.well-known/jwks.json');
  const found = keys.find((key) => key.kid === kid && key.kty === 'OKP' && key.crv === 'Ed25519');
  return typeof found?.x === 'string' ? found.x : undefined;
}

/** Undefined unless it is the only text that stands for these bytes: no altered character may pass. */
function bytesOf(base64url: string): Uint8Array<ArrayBuffer> | undefined {
  let binary: string;
  try {
    binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
  const canonical = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return canonical === base64url ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : undefined;
}

function objectOf(base64url: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = bytesOf(base64url);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
