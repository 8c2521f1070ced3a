import { type Instant, type KeyId, SECOND } from '@svc/domain';
import type { KeyGrant } from '../model/api-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { CredentialStore } from '../ports/credential-store.ts';
import type { Secrets } from '../ports/secrets.ts';

/** Longest time since a cached grant was confirmed; changes apply everywhere within it. */
export const GRANT_MAX_AGE_MS = SECOND;

/** From this age on, grants are confirmed in the background so that no request waits. */
export const CONFIRM_AFTER_MS = 400;

const MAX_GRANTS = 20_000;

const USE_PRECISION_MS = SECOND;

/** A query for one key in progress. */
interface Lookup {
  readonly startedAt: Instant;
  readonly grant: Promise<KeyGrant | null>;
}

/** Why a key is not valid. `malformed`: its checksum is wrong, as when a part is missing. */
export type KeyRejection = 'malformed' | 'unknown' | 'revoked' | 'expired';

type KeyCheck = { readonly grant: KeyGrant } | { readonly rejected: KeyRejection };

export type ApiKeyAuthenticator = ReturnType<typeof createApiKeyAuthenticator>;

/**
 * Authenticates API keys without a query on every request: caches grants while the store's version number is unchanged; one small query confirms all of them. It polls instead
 * of using LISTEN/NOTIFY because polling works through every pooler and after lost connections.
 */
export function createApiKeyAuthenticator(deps: {
  credentials: CredentialStore;
  secrets: Secrets;
  clock: Clock;
}) {
  const { credentials, secrets, clock } = deps;
  let grants = new Map<string, KeyGrant>();
  let lookups = new Map<string, Lookup>();
  let version: string | null = null;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  /** Resolves to the time at which the query started. */
  let confirming: Promise<Instant> | null = null;
  let uses = new Map<KeyId, Instant>();

  const clearGrants = (): void => {
    grants = new Map();
    lookups = new Map();
  };

  const confirm = (): Promise<Instant> => {
    // Taken before the query: a change made while it runs is not confirmed.
    const startedAt = clock.now();
    confirming ??= credentials
      .version()
      .then((current) => {
        if (current !== version) clearGrants();
        version = current;
        confirmedAt = startedAt;
        return startedAt;
      })
      .finally(() => {
        confirming = null;
      });
    return confirming;
  };

  /** Whether cached grants may be used; starts a confirmation in the background when one is due. */
  const isFresh = (arrivedAt: Instant): boolean => {
    const age = arrivedAt - confirmedAt;
    // A clock that was set back must not extend the cache time.
    if (age < 0 || age >= GRANT_MAX_AGE_MS) return false;
    if (age >= CONFIRM_AFTER_MS) confirm().catch(() => {}); // reported when the grants are too old
    return true;
  };

  const confirmed = async (arrivedAt: Instant): Promise<void> => {
    // A query that started long ago is too old for this request, and one that fails may have started during an
    // outage that is over: both need a new query.
    if (confirming !== null) {
      const startedAt = await confirming.catch(() => Number.NaN);
      if (Math.abs(arrivedAt - startedAt) < GRANT_MAX_AGE_MS) return;
    }
    await confirm();
  };

  const startLookup = (hash: string): Lookup => {
    // Uses the maps of this moment: a change during the query replaces them, which drops the result.
    const [targetGrants, targetLookups] = [grants, lookups];
    const lookup: Lookup = {
      startedAt: clock.now(),
      grant: credentials
        .keyByHash(hash)
        .then((grant) => {
          if (grant === null) return null;
          if (targetGrants.size >= MAX_GRANTS) targetGrants.clear();
          targetGrants.set(hash, grant);
          return grant;
        })
        .finally(() => {
          if (targetLookups.get(hash) === lookup) targetLookups.delete(hash);
        }),
    };
    targetLookups.set(hash, lookup);
    return lookup;
  };

  /** Concurrent requests share one query, which also keeps their order. */
  const findGrant = async (hash: string, arrivedAt: Instant): Promise<KeyGrant | null> => {
    const pending = lookups.get(hash);
    const joins = pending !== undefined && Math.abs(arrivedAt - pending.startedAt) < GRANT_MAX_AGE_MS;
    try {
      return await (joins ? pending : startLookup(hash)).grant;
    } catch (error) {
      // A shared query may have started during an outage that is over: retry with a new one.
      if (!joins) throw error;
    }
    return (lookups.get(hash) ?? startLookup(hash)).grant;
  };

  /** The grant of a key that is valid now, or why it is not. */
  const check = async (secret: string): Promise<KeyCheck> => {
    const hash = secrets.hashOf(secret, 'live_key') ?? secrets.hashOf(secret, 'test_key');
    if (hash === null) return { rejected: 'malformed' };
    const arrivedAt = clock.now();
    if (!isFresh(arrivedAt)) await confirmed(arrivedAt);
    const grant = grants.get(hash) ?? (await findGrant(hash, arrivedAt));
    if (grant === null) return { rejected: 'unknown' };
    const now = clock.now();
    if (grant.revokedAt !== null) return { rejected: 'revoked' };
    if (grant.expiresAt !== null && now >= grant.expiresAt) return { rejected: 'expired' };
    // Once a second: with every request, garbage collection would take 2 % more of a read's processor time.
    if (now - (uses.get(grant.keyId) ?? 0) >= USE_PRECISION_MS) uses.set(grant.keyId, now);
    return { grant };
  };

  return {
    check,
    /** The grant of a key that is valid now; null when it is malformed, unknown, revoked or expired. */
    async authenticate(secret: string) {
      const checked = await check(secret);
      return 'grant' in checked ? checked.grant : null;
    },
    /** Drops cached grants after a change made in this process. */
    invalidate() {
      clearGrants();
      confirmedAt = Number.NEGATIVE_INFINITY;
    },
    /** Keys used since the last call, with the time of their last use to the second. */
    takeUses() {
      const taken = uses;
      uses = new Map();
      return taken;
    },
  };
}
