import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ClientBehavior, KeyGrant } from '@svc/application';
import { type Endpoint, SIMULATED_STATUS } from '@svc/contract';
import { PAGE_HEADER } from '../browser-session.ts';

/** Filled in step by step, like the trace it belongs to. */
export type TracedBehavior = { -readonly [Field in keyof ClientBehavior]: ClientBehavior[Field] };

/**
 * `claims rehearse` and the desk use the key of the program that they test. A page cannot name itself in User-Agent, and
 * no script can set Sec-Fetch-Site; with it, a program that copies the desk's header is graded all the same.
 */
const isRehearsal = (headers: IncomingMessage['headers']): boolean =>
  /\bclaims-rehearse\//.test(headers['user-agent'] ?? '') ||
  (headers[PAGE_HEADER] !== undefined && headers['sec-fetch-site'] === 'same-origin');

/** Salted with the firm, so that equal values of two firms cannot be compared. */
export const shortHash = (firmId: string, text: string): string =>
  hash('sha256', `${firmId} ${text}`).slice(0, 16);

/** What URL and headers show. Undefined for what is not graded: live keys, the sandbox, agents, and the rehearsal and the desk themselves. */
export function clientBehavior(
  { method, path, sandbox }: Pick<Endpoint, 'method' | 'path' | 'sandbox'>,
  { environment, firmId }: Pick<KeyGrant, 'environment' | 'firmId'>,
  { headers }: Pick<IncomingMessage, 'headers'>,
  search: string,
): TracedBehavior | undefined {
  if (environment !== 'test' || sandbox === true || !path.startsWith('/v1/')) return undefined;
  if (isRehearsal(headers)) return undefined;
  const behavior: TracedBehavior = { operation: `${method} ${path}` };
  const key = headers['idempotency-key'];
  if (typeof key === 'string') behavior.idempotencyKey = shortHash(firmId, key);
  const cursor = new URLSearchParams(search).get('cursor');
  if (cursor !== null) behavior.cursor = shortHash(firmId, cursor);
  if (search.includes(SIMULATED_STATUS)) behavior.unknownValue = 'sent';
  return behavior;
}

/** Adds what the body shows. */
export function observeBody(
  behavior: TracedBehavior,
  { id }: Pick<Endpoint, 'id'>,
  firmId: string,
  params: Readonly<Record<string, string>>,
  body: unknown,
): void {
  const { external_id, adjuster_svc_id } = Object(body) as Readonly<Record<string, unknown>>;
  if (id === 'sendClaim' && typeof external_id === 'string')
    behavior.subject = shortHash(firmId, external_id);
  if (id === 'offerClaim' && typeof adjuster_svc_id === 'string')
    behavior.subject = shortHash(firmId, `${params.id?.toLowerCase()} ${adjuster_svc_id}`);
  if (body !== undefined && JSON.stringify(body).includes(SIMULATED_STATUS)) behavior.unknownValue = 'sent';
}
