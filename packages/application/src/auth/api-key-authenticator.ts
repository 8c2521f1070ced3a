import { type Instant, type KeyId, SECOND } from '@svc/domain';
import type { CredentialStore, KeyGrant } from '../ports/reads.ts';
import type { Clock, Secrets } from '../ports/support.ts';

/** A grant that was confirmed longer ago than this is not trusted: a change is in force everywhere within it. */
export const GRANT_MAX_AGE_MS = SECOND;
/** Confirm in the background from this age on (milliseconds), so that no request waits for it. */
const CONFIRM_AFTER_MS = 400;
const MAX_GRANTS = 20_000;

/** A key that the store is being asked about. */
interface LookUp {
  readonly askedAt: Instant;
  readonly grant: Promise<KeyGrant | null>;
}

/** API keys, recognised without asking the store on every request. */
export interface ApiKeyAuthenticator {
  /** The grant of a key that is valid now; null when it is malformed, unknown, revoked or expired. */
  authenticate(secret: string): Promise<KeyGrant | null>;
  /** Ask the store again on the next request: something changed in this very process. */
  invalidate(): void;
  /** Which keys were used since the last call. */
  takeUses(): Map<KeyId, Instant>;
}

/**
 * Grants stay in the process as long as the store's version number stands; one tiny query confirms it for all keys
 * at once. Polling rather than notification, since that works through any pooler and any broken connection.
 */
export function createApiKeyAuthenticator(deps: {
  credentials: CredentialStore;
  secrets: Secrets;
  clock: Clock;
}): ApiKeyAuthenticator {
  const { credentials, secrets, clock } = deps;
  let grants = new Map<string, KeyGrant>();
  let lookUps = new Map<string, LookUp>();
  let version: string | null = null;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  /** Resolves to when it was asked. */
  let confirming: Promise<Instant> | null = null;
  let uses = new Map<KeyId, Instant>();

  const forgetGrants = (): void => {
    grants = new Map();
    lookUps = new Map();
  };

  const confirm = (): Promise<Instant> => {
    // The time before asking: a change made while the answer travels must not count as confirmed.
    const askedAt = clock.now();
    confirming ??= credentials
      .version()
      .then((current) => {
        if (current !== version) forgetGrants();
        version = current;
        confirmedAt = askedAt;
        return askedAt;
      })
      .finally(() => {
        confirming = null;
      });
    return confirming;
  };

  /** Whether the grants may be trusted as they are; nobody waits for a confirmation that can wait. */
  const isFresh = (arrivedAt: Instant): boolean => {
    const age = arrivedAt - confirmedAt;
    // A clock that was set back must not stretch the trust.
    if (age < 0 || age >= GRANT_MAX_AGE_MS) return false;
    if (age >= CONFIRM_AFTER_MS) confirm().catch(() => {}); // a lasting failure shows once the trust has run out
    return true;
  };

  const confirmed = async (arrivedAt: Instant): Promise<void> => {
    // An answer that was long on its way tells of the time at which it was asked for, and what fails may have been
    // asked while the store was away: neither is this request's answer.
    if (confirming !== null) {
      const asked = await confirming.catch(() => null);
      if (asked !== null && Math.abs(arrivedAt - asked) < GRANT_MAX_AGE_MS) return;
    }
    await confirm();
  };

  const lookUp = (hash: string): LookUp => {
    // Into the maps that were current when the store was asked: if a change came in between, those maps are gone.
    const [into, among] = [grants, lookUps];
    const asking: LookUp = {
      askedAt: clock.now(),
      grant: credentials
        .keyByHash(hash)
        .then((grant) => {
          if (grant === null) return null;
          if (into.size >= MAX_GRANTS) into.clear();
          into.set(hash, grant);
          return grant;
        })
        .finally(() => {
          if (among.get(hash) === asking) among.delete(hash);
        }),
    };
    among.set(hash, asking);
    return asking;
  };

  /** Requests that come in together ask together, and so go on in the order in which they came. */
  const lookedUp = async (hash: string, arrivedAt: Instant): Promise<KeyGrant | null> => {
    const underWay = lookUps.get(hash);
    const joins = underWay !== undefined && Math.abs(arrivedAt - underWay.askedAt) < GRANT_MAX_AGE_MS;
    try {
      return await (joins ? underWay : lookUp(hash)).grant;
    } catch (failure) {
      // It may have been asked while the store was away, which is no answer to whoever came after.
      if (!joins) throw failure;
    }
    return (lookUps.get(hash) ?? lookUp(hash)).grant;
  };

  return {
    async authenticate(secret) {
      const hash = secrets.hashOf(secret, 'live_key') ?? secrets.hashOf(secret, 'test_key');
      if (hash === null) return null;
      const arrivedAt = clock.now();
      if (!isFresh(arrivedAt)) await confirmed(arrivedAt);
      const grant = grants.get(hash) ?? (await lookedUp(hash, arrivedAt));
      if (grant === null) return null;
      const now = clock.now();
      if (grant.revokedAt !== null || (grant.expiresAt !== null && now >= grant.expiresAt)) return null;
      uses.set(grant.keyId, now);
      return grant;
    },
    invalidate() {
      forgetGrants();
      confirmedAt = Number.NEGATIVE_INFINITY;
    },
    takeUses() {
      const taken = uses;
      uses = new Map();
      return taken;
    },
  };
}
