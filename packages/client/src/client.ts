import { type ApiPromise, type ApiResponse, apiPromise } from './api-promise.ts';
import { isCode } from './errors.ts';
import { createList, type List, type ListClaims } from './list.ts';
import { type LogLevel, logHooks } from './log.ts';
import { operationOf } from './operations.ts';
import { environmentVariable, type Platform, platform as realPlatform } from './platform.ts';
import { type PollOptions, pollClaims } from './poll.ts';
import type { Backoff } from './retry.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import { type NewClaims, type SendManyOptions, type SendOutcome, sendMany } from './send-many.ts';
import {
  type CallOptions,
  checkedConcurrency,
  checkedCount,
  checkedMs,
  createTransport,
  type Hooks,
  type OperationRequest,
} from './transport.ts';
import { VERSION } from './version.ts';
import type {
  Adjuster,
  Claim,
  Invitation,
  KeyInfo,
  NewClaim,
  OfferClaimRequest,
  PageOptions,
  Receipt,
} from './wire.ts';

export interface ClientOptions extends Hooks {
  /** Base URL of the service, such as `https://claims.example.com`; by default that in `CLAIMS_URL`. */
  readonly baseUrl?: string | undefined;
  /**
   * An API key of the firm; by default that in `CLAIMS_API_KEY`. Keep it on servers, never in a browser, an app or
   * source control.
   */
  readonly apiKey?: string | undefined;
  /** Replaces the global `fetch`, for proxies, certificates and tests. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Timeout of one attempt, 30 seconds by default; 0 for no timeout. */
  readonly timeoutMs?: number | undefined;
  /**
   * Maximum number of retries after lost connections, timeouts and 5xx, 5 by default; 0 disables all retries. A 429
   * does not count: only `deadlineMs` bounds how long a call waits for the rate limit.
   */
  readonly maxRetries?: number | undefined;
  /**
   * Maximum total time of a call, including waits, 5 minutes by default; 0 for no deadline. A call whose next attempt
   * would start later fails immediately, with `retryAfterMs` on its error.
   */
  readonly deadlineMs?: number | undefined;
  /** Maximum concurrent requests, 20 by default, for reads and for writes each; further calls wait in a queue. */
  readonly maxConcurrency?: number | undefined;
  /** Name and version of your program, such as `intake/2.1`. Added to the User-Agent header. */
  readonly userAgent?: string | undefined;
  /** Exponential backoff between attempts; by default 0.5 seconds at first and at most 30 seconds. */
  readonly backoff?: Partial<Backoff> | undefined;
  /** What is written to the console, `off` by default. The hooks are for loggers. */
  readonly logLevel?: LogLevel | undefined;
}

/** Options of a call that creates something. */
export interface IdempotentCallOptions extends CallOptions {
  /**
   * A random key per call by default. Pass a stable key if your program may be restarted and repeat the call: within
   * 24 hours the repeated call returns the existing result.
   */
  readonly idempotencyKey?: string | undefined;
}

/**
 * A client of the firm API. A call rejects with a {@link ClaimsError}, with the reason of its aborted signal, or with a
 * `TypeError` for invalid arguments.
 */
export interface Client {
  /** The environment that the key can access, by the key's prefix. */
  readonly environment: 'live' | 'test';
  readonly claims: {
    /** Creates a claim and offers it to its adjuster. */
    send(claim: NewClaim, options?: IdempotentCallOptions): ApiPromise<Claim>;
    /**
     * Sends claims from an array or an async iterable, and yields an outcome for each, in the same order. Takes only as
     * many claims as are sent concurrently. Sending the same claims again creates none twice.
     *
     * An error that concerns one claim is its outcome. After any other error, such as an invalid key, no more claims are
     * taken: the loop yields the outcomes of those that were taken, then throws the error. Leaving the loop cancels the
     * calls in flight.
     */
    sendMany(claims: NewClaims, options?: SendManyOptions): AsyncGenerator<SendOutcome, void, undefined>;
    /** @param id the service's id of the claim. */
    get(id: string, options?: CallOptions): ApiPromise<Claim>;
    /** A signed record of the latest offer, which {@link verifyReceipt} verifies. */
    receipt(id: string, options?: CallOptions): ApiPromise<Receipt>;
    /** Ordered by `updated_at`, oldest change first. */
    readonly list: ListClaims;
    /** Offers a claim that is pending, rejected or unassigned to another adjuster. */
    offer(id: string, offer: OfferClaimRequest, options?: IdempotentCallOptions): ApiPromise<Claim>;
  };
  readonly adjusters: {
    /** All members and invitations of the firm, whatever their status. */
    list(page?: PageOptions, options?: CallOptions): List<Adjuster>;
    /** Invites an adjuster, including one who declined, left or did not respond in time. */
    invite(invitation: Invitation, options?: CallOptions): ApiPromise<Adjuster>;
  };
  readonly invitations: {
    /** Withdraws a pending invitation. */
    withdraw(svcId: string, options?: CallOptions): ApiPromise<Adjuster>;
  };
  /** Simulates adjusters, time and failures; for test keys only. */
  readonly sandbox: Sandbox;
  /** The key, its firm and its current scopes. */
  me(options?: CallOptions): ApiPromise<KeyInfo>;
  /** Calls an operation by its id, with the same retries; for tools that are generated from the contract. */
  request(request: OperationRequest, options?: CallOptions): ApiPromise<Readonly<Record<string, unknown>>>;
  /** Resolves if the service accepts requests. Not retried unless `maxRetries` is passed. */
  health(options?: CallOptions): ApiPromise<void>;
  /** Yields claims as they change, until the loop is left. */
  pollClaims(options?: PollOptions): AsyncGenerator<Claim, void, undefined>;
}

/** @throws TypeError if an option is invalid, or missing without its environment variable. */
export const createClient = (options: ClientOptions = {}): Client => createClientOn(realPlatform, options);

/** Tests replace the platform. */
export function createClientOn(platform: Platform, options: ClientOptions): Client {
  const { onRequest, onResponse, onRetry } = options;
  const apiKey = checkedApiKey(options.apiKey);
  const environment = apiKey.startsWith('svc_test_') ? 'test' : 'live';
  const send = createTransport({
    baseUrl: checkedUrl(options.baseUrl),
    apiKey,
    // Looked up per call, so that tests can replace it, and called on globalThis, as browsers require.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: checkedMs('timeoutMs', options.timeoutMs) ?? 30_000,
    maxRetries: checkedCount('maxRetries', options.maxRetries) ?? 5,
    deadlineMs: checkedMs('deadlineMs', options.deadlineMs) ?? 300_000,
    maxConcurrency: checkedConcurrency('maxConcurrency', options.maxConcurrency) ?? 20,
    userAgent: checkedUserAgent(options.userAgent),
    backoff: {
      baseMs: checkedMs('backoff.baseMs', options.backoff?.baseMs) ?? 500,
      maxMs: checkedMs('backoff.maxMs', options.backoff?.maxMs) ?? 30_000,
    },
    hooks: [logHooks(options.logLevel), { onRequest, onResponse, onRetry }],
    platform,
  });

  const create = (call: OperationRequest, { idempotencyKey, ...options }: IdempotentCallOptions) =>
    send<Claim>({ ...call, idempotencyKey: idempotencyKey ?? platform.newKey() }, options);

  const claims: Client['claims'] = {
    send: (claim, options = {}) => create({ operation: 'sendClaim', body: claim }, options),
    sendMany: (all, options = {}) => sendMany(claims, all, options),
    get: (id, options) => send<Claim>({ operation: 'getClaim', params: { id } }, options),
    receipt: (id, options) => send<Receipt>({ operation: 'getReceipt', params: { id } }, options),
    // A filter that this version does not know is passed on, so that a typo is an error instead of a longer list.
    list: ({ updated_since, ...filters } = {}, options) =>
      createList<Claim>(send, 'listClaims', { updated_since: instant(updated_since), ...filters }, options),
    offer: (id, offer, options = {}) =>
      create({ operation: 'offerClaim', params: { id }, body: offer }, options),
  };

  const list: Client['adjusters']['list'] = (page = {}, options) =>
    createList<Adjuster>(send, 'listAdjusters', { ...page }, options);

  /**
   * These operations take no idempotency key. If an attempt succeeded and its response was lost, the retry fails with
   * `conflictCode`; the list then shows whether the earlier attempt is the cause.
   */
  const sendVerified = (...args: Parameters<typeof verified>) => apiPromise(verified(...args));

  async function verified(
    call: OperationRequest,
    options: CallOptions | undefined,
    svcId: string,
    conflictCode: string,
    isOurs: (found: Adjuster) => boolean,
  ): Promise<ApiResponse<Adjuster>> {
    const progress = { maybeProcessed: false };
    try {
      return await send<Adjuster>(call, options, progress).withResponse();
    } catch (error) {
      if (!progress.maybeProcessed || !isCode(error, conflictCode)) throw error;
      const found = await find(svcId, options).catch(() => {
        options?.signal?.throwIfAborted();
        throw error;
      });
      if (found === undefined || !isOurs(found.data)) throw error;
      return found;
    }
  }

  /** In the response of the page that has it. */
  async function find(
    svcId: string,
    options: CallOptions | undefined,
  ): Promise<ApiResponse<Adjuster> | undefined> {
    let response = await list({ limit: 200 }, options).withResponse();
    for (;;) {
      const { items, hasNextPage, getNextPage } = response.data;
      const found = items.find(({ svc_id }) => svc_id === svcId);
      if (found !== undefined) return { ...response, data: found };
      if (!hasNextPage) return undefined;
      response = await getNextPage().withResponse();
    }
  }

  const adjusters: Client['adjusters'] = {
    list,
    invite: (invitation, options) =>
      sendVerified(
        { operation: 'inviteAdjuster', body: invitation },
        options,
        invitation.svc_id,
        'invitation_pending',
        (found) =>
          found.status === 'pending' &&
          (['invited_as', 'invited_by', 'purpose', 'note'] as const).every(
            (name) => found[name] === (invitation[name] ?? null),
          ),
      ),
  };

  const invitations: Client['invitations'] = {
    withdraw: (svcId, options) =>
      sendVerified(
        { operation: 'withdrawInvitation', params: { svc_id: svcId } },
        options,
        svcId,
        'not_found',
        (found) => found.status === 'withdrawn',
      ),
  };

  return {
    environment,
    claims,
    adjusters,
    invitations,
    sandbox: createSandbox(send),
    me: (options) => send<KeyInfo>({ operation: 'getKeyInfo' }, options),
    request: ({ idempotencyKey, ...request }, options) => {
      const takesKey = operationOf(request.operation).idempotencyKey;
      const call = takesKey ? { ...request, idempotencyKey: idempotencyKey ?? platform.newKey() } : request;
      return send(call, options);
    },
    health(options) {
      const response = send({ operation: 'getHealth' }, { maxRetries: 0, ...options }).withResponse();
      return apiPromise(response.then((whole) => ({ ...whole, data: undefined })));
    },
    pollClaims: (options = {}) =>
      pollClaims(
        claims.list,
        { ...options, includeTest: (options.includeTest ?? false) || environment === 'test' },
        platform,
      ),
  };
}

const instant = (value: string | Date | undefined): string | undefined =>
  value === undefined || typeof value === 'string' ? value : value.toISOString();

/** The option, or else its environment variable, and which of the two it is. */
function setting(name: string, value: unknown, variable: string): { name: string; value: unknown } {
  if (value !== undefined) return { name, value };
  const fromVariable = environmentVariable(variable);
  if (fromVariable) return { name: variable, value: fromVariable };
  throw new TypeError(`${name} is missing: pass it, or set the environment variable ${variable}`);
}

/** The errors do not quote the values, since messages end up in logs and both may contain a secret. */
function checkedUrl(baseUrl: unknown): string {
  const { name, value } = setting('baseUrl', baseUrl, 'CLAIMS_URL');
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new TypeError(
      `${name} must be an http or https URL without a query, fragment, user name or password`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function checkedApiKey(apiKey: unknown): string {
  const { name, value } = setting('apiKey', apiKey, 'CLAIMS_API_KEY');
  if (typeof value === 'string' && /^[!-~]+$/.test(value)) return value;
  throw new TypeError(`${name} must be printable ASCII characters without spaces`);
}

/** Products and comments as in RFC 9110, so that fetch accepts the header. */
function checkedUserAgent(program: unknown): string {
  const own = `svc-client/${VERSION}`;
  if (program === undefined) return own;
  if (typeof program === 'string' && /^[!-~]([ -~]*[!-~])?$/.test(program)) return `${own} ${program}`;
  throw new TypeError('userAgent must be printable ASCII characters without leading or trailing spaces');
}
