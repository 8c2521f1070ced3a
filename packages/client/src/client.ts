import { ClaimsApiError } from './errors.ts';
import { createList, type List, type ListClaims } from './list.ts';
import { type Platform, platform as realPlatform } from './platform.ts';
import { type PollOptions, pollClaims } from './poll.ts';
import type { Backoff } from './retry.ts';
import { type Call, type CallOptions, count, createTransport, type Hooks, wait } from './transport.ts';
import type { Adjuster, Claim, Invitation, KeyInfo, NewClaim, PageOptions } from './wire.ts';

export interface ClientOptions extends Hooks {
  /** The service's address, such as `https://claims.example.com`. */
  readonly baseUrl: string;
  /** A key of the firm. It stays on servers: never in a browser, an app, or source control. */
  readonly apiKey: string;
  /** Instead of the platform's own: for proxies, certificates and tests. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How long one attempt may take, 30 seconds unless told; 0 for as long as it takes. */
  readonly timeoutMs?: number | undefined;
  /**
   * How many further attempts a call may make after lost connections, timeouts and 5xx, 5 by default; 0 for no retry
   * at all. A 429 does not count: how long a call waits for its turn is bounded by `deadlineMs` alone.
   */
  readonly maxRetries?: number | undefined;
  /**
   * How long a call may take in all, waits and attempts together, 5 minutes by default; 0 for as long as it takes. A
   * call whose next attempt would have to begin later fails at once, with `retryAfterMs` on its error.
   */
  readonly deadlineMs?: number | undefined;
  /** Between attempts where the service names no time: half a second at first, half a minute at most, unless told. */
  readonly backoff?: Partial<Backoff> | undefined;
}

/** A call that creates something, and must not do so twice. */
export interface CreatingOptions extends CallOptions {
  /**
   * Made anew for each call unless told. Give one that you keep, where the program itself may be started again: a
   * repeat within 24 hours then finds what the first one made.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface Offer extends CreatingOptions {
  /** Whom the claim is offered to. */
  readonly adjusterSvcId: string;
}

/**
 * A firm's way to the service. A call rejects with a {@link ClaimsError} of one kind or another, with the signal's own
 * reason once that is aborted, or with a `TypeError` for arguments that make no request.
 */
export interface Client {
  readonly claims: {
    /** Creates a claim and offers it to the adjuster it names. */
    send(claim: NewClaim, options?: CreatingOptions): Promise<Claim>;
    /** @param id the service's own id of the claim. */
    get(id: string, options?: CallOptions): Promise<Claim>;
    /** By `updated_at`, oldest change first. */
    readonly list: ListClaims;
    /** Offers a claim that is pending, rejected or unassigned to another adjuster. */
    offer(id: string, offer: Offer): Promise<Claim>;
  };
  readonly adjusters: {
    /** Everyone the firm has invited or holds, whatever their status. */
    list(page?: PageOptions, options?: CallOptions): List<Adjuster>;
    /** Invites an adjuster, or again one who declined, left or let it lapse. */
    invite(invitation: Invitation, options?: CallOptions): Promise<Adjuster>;
    /** Takes back an invitation that waits for its answer. */
    withdraw(svcId: string, options?: CallOptions): Promise<Adjuster>;
  };
  /** The key, its firm, and what it may do right now. */
  me(options?: CallOptions): Promise<KeyInfo>;
  /** Resolves when the service accepts requests and rejects when it does not; retried only when told. */
  health(options?: CallOptions): Promise<void>;
  /** Claims as they change, for as long as the loop runs. */
  pollClaims(options?: PollOptions): AsyncGenerator<Claim, void, undefined>;
}

/** @throws TypeError when an option is not what it has to be; nothing is sent yet. */
export function createClient(options: ClientOptions, surroundings: Partial<Platform> = {}): Client {
  const platform = { ...realPlatform, ...surroundings };
  const { onRequest, onResponse, onRetry } = options;
  const send = createTransport({
    baseUrl: checkedUrl(options.baseUrl),
    apiKey: checkedApiKey(options.apiKey),
    // Looked up at each call and called on its own object, as browsers and test tools expect.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: wait('timeoutMs', options.timeoutMs) ?? 30_000,
    maxRetries: count('maxRetries', options.maxRetries) ?? 5,
    deadlineMs: wait('deadlineMs', options.deadlineMs) ?? 300_000,
    backoff: {
      baseMs: wait('backoff.baseMs', options.backoff?.baseMs) ?? 500,
      maxMs: wait('backoff.maxMs', options.backoff?.maxMs) ?? 30_000,
    },
    hooks: { onRequest, onResponse, onRetry },
    platform,
  });

  const create = async (call: Call, { idempotencyKey, ...options }: CreatingOptions): Promise<Claim> =>
    (await send({ ...call, idempotencyKey: idempotencyKey ?? platform.newKey() }, options)) as Claim;

  const claims: Client['claims'] = {
    send: (claim, options = {}) => create({ operation: 'sendClaim', body: claim }, options),
    get: async (id, options) => (await send({ operation: 'getClaim', params: { id } }, options)) as Claim,
    list: ({ updated_since, assignment_status, external_id, limit, cursor } = {}, options) =>
      createList<Claim>(
        send,
        'listClaims',
        { updated_since: instant(updated_since), assignment_status, external_id, limit, cursor },
        options,
      ),
    offer: (id, { adjusterSvcId, ...options }) =>
      create({ operation: 'offerClaim', params: { id }, body: { adjuster_svc_id: adjusterSvcId } }, options),
  };

  const list: Client['adjusters']['list'] = ({ limit, cursor } = {}, options) =>
    createList<Adjuster>(send, 'listAdjusters', { limit, cursor }, options);

  /**
   * Invitations take no idempotency key: where an attempt was carried out and its answer lost, the next one is refused
   * for that very reason. What stands in the list then tells whether it was ours.
   */
  async function settled(
    call: Call,
    options: CallOptions | undefined,
    svcId: string,
    refusal: string,
    isOurs: (found: Adjuster) => boolean,
  ): Promise<Adjuster> {
    const trail = { uncertain: false };
    try {
      return (await send(call, options, trail)) as Adjuster;
    } catch (error) {
      if (!trail.uncertain || !(error instanceof ClaimsApiError) || error.code !== refusal) throw error;
      const found = await find(svcId, options).catch(() => {
        options?.signal?.throwIfAborted();
        throw error;
      });
      if (found === undefined || !isOurs(found)) throw error;
      return found;
    }
  }

  async function find(svcId: string, options: CallOptions | undefined): Promise<Adjuster | undefined> {
    for await (const adjuster of list({ limit: 200 }, options)) {
      if (adjuster.svc_id === svcId) return adjuster;
    }
    return undefined;
  }

  const adjusters: Client['adjusters'] = {
    list,
    invite: (invitation, options) =>
      settled(
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
    withdraw: (svcId, options) =>
      settled(
        { operation: 'withdrawInvitation', params: { svc_id: svcId } },
        options,
        svcId,
        'not_found',
        (found) => found.status === 'withdrawn',
      ),
  };

  return {
    claims,
    adjusters,
    me: async (options) => (await send({ operation: 'getKeyInfo' }, options)) as KeyInfo,
    async health(options) {
      await send({ operation: 'getHealth' }, { maxRetries: 0, ...options });
    },
    pollClaims: (options = {}) => pollClaims(claims.list, options, platform),
  };
}

const instant = (value: string | Date | undefined): string | undefined =>
  value === undefined || typeof value === 'string' ? value : value.toISOString();

function checkedUrl(baseUrl: unknown): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new TypeError(
      'baseUrl must be an http or https address, without a query, a fragment or a password',
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** Never quoted, whatever is wrong with it: messages end up in logs. */
function checkedApiKey(apiKey: unknown): string {
  if (typeof apiKey === 'string' && /^[!-~]+$/.test(apiKey)) return apiKey;
  throw new TypeError('apiKey must be a key of the firm: printable ASCII characters without spaces');
}
