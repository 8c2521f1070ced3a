import { type Instant, type KeyId, SECOND } from '@svc/domain';
import type { Credentials, KeyGrant } from '../ports/reads.ts';
import type { Clock, Secrets } from '../ports/support.ts';

/** A grant that was confirmed longer ago than this is not trusted: a change is in force everywhere within it. */
export const GRANT_TRUST = SECOND;
/** Confirm in the background from this age on (milliseconds), so that no request waits for it. */
const CONFIRM_AFTER = 400;
const MAX_GRANTS = 20_000;

/** API keys, recognised without asking the store on every request. */
export interface KeyRing {
  /** The grant of a key that is valid now; null when it is malformed, unknown, revoked or expired. */
  authenticate(secret: string): Promise<KeyGrant | null>;
  /** Ask the store again on the next request: something changed in this very process. */
  forget(): void;
  /** Which keys were used since the last call. */
  takeUses(): Map<KeyId, Instant>;
}

/**
 * Grants stay in the process as long as the store's version number stands; one tiny query confirms it for all keys
 * at once. Polling rather than notification, since that works through any pooler and any broken connection.
 */
export function createKeyRing(deps: { credentials: Credentials; secrets: Secrets; clock: Clock }): KeyRing {
  const { credentials, secrets, clock } = deps;
  let grants = new Map<string, KeyGrant>();
  let version: string | null = null;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  /** Resolves to when it was asked. */
  let confirming: Promise<Instant> | null = null;
  let uses = new Map<KeyId, Instant>();

  const confirm = (): Promise<Instant> => {
    // The time before asking: a change made while the answer travels must not count as confirmed.
    const askedAt = clock.now();
    confirming ??= credentials
      .version()
      .then((current) => {
        if (current !== version) grants = new Map();
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
    if (age < 0 || age >= GRANT_TRUST) return false;
    if (age >= CONFIRM_AFTER) confirm().catch(() => {}); // a lasting failure shows once the trust has run out
    return true;
  };

  const confirmed = async (arrivedAt: Instant): Promise<void> => {
    // An answer that was long on its way tells of the time at which it was asked for, and what fails may have been
    // asked while the store was away: neither is this request's answer.
    if (confirming !== null) {
      const asked = await confirming.catch(() => null);
      if (asked !== null && Math.abs(arrivedAt - asked) < GRANT_TRUST) return;
    }
    await confirm();
  };

  return {
    async authenticate(secret) {
      const hash = secrets.hashOf(secret, 'live_key') ?? secrets.hashOf(secret, 'test_key');
      if (hash === null) return null;
      const arrivedAt = clock.now();
      if (!isFresh(arrivedAt)) await confirmed(arrivedAt);
      let grant = grants.get(hash) ?? null;
      if (grant === null) {
        const into = grants;
        grant = await credentials.keyByHash(hash);
        if (grant === null) return null;
        if (into.size >= MAX_GRANTS) into.clear();
        // Into the map that was current when the store was asked: if a change came in between, that map is gone.
        into.set(hash, grant);
      }
      const now = clock.now();
      if (grant.revokedAt !== null || (grant.expiresAt !== null && now >= grant.expiresAt)) return null;
      uses.set(grant.keyId, now);
      return grant;
    },
    forget() {
      grants = new Map();
      confirmedAt = Number.NEGATIVE_INFINITY;
    },
    takeUses() {
      const taken = uses;
      uses = new Map();
      return taken;
    },
  };
}
