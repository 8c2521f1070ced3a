import type { Instant, Svcid } from '@svc/domain';
import type { StaffGrant } from '../model/account.ts';
import type { Clock } from '../ports/clock.ts';
import type { CredentialStore, StoredSession } from '../ports/credential-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { CONFIRM_AFTER_MS, GRANT_MAX_AGE_MS } from './api-key-authenticator.ts';
import { SESSION_LIFETIME_MS } from './sign-in.ts';

const MAX_SESSIONS = 20_000;

interface SignedInSession {
  readonly tokenHash: string;
  readonly sessionId: string;
  /** The operator requires a passkey, and this session was opened without one. */
  readonly mayOnlyAddPasskey: boolean;
}

export interface SignedIn extends SignedInSession {
  readonly svcId: Svcid;
}

export interface SignedInStaff extends SignedInSession {
  readonly staff: StaffGrant;
}

export type SessionAuthenticator = ReturnType<typeof createSessionAuthenticator>;

/**
 * Authenticates device sessions and collects their uses, so that expiry is extended in batches. A session is read at most
 * every 400 ms; what other processes change is in force within a second.
 */
export function createSessionAuthenticator(deps: {
  credentials: CredentialStore;
  secrets: Secrets;
  clock: Clock;
  passkeysRequired: boolean;
}) {
  const { credentials, secrets, clock, passkeysRequired } = deps;
  let uses = new Map<string, Instant>();
  /** Each since before its query, so that a change made while that ran is not missed for longer. */
  let cache = new Map<string, { readonly session: StoredSession; readonly readAt: Instant }>();
  /** Sessions that are read again in the background. */
  let confirming = new Set<string>();

  const read = async (tokenHash: string): Promise<StoredSession | null> => {
    // The cache of this moment: a change in this process replaces it, which drops the result.
    const target = cache;
    const readAt = clock.now();
    const session = await credentials.sessionByHash(tokenHash);
    target.delete(tokenHash);
    if (session === null) return null;
    if (target.size >= MAX_SESSIONS) target.clear();
    target.set(tokenHash, { session, readAt });
    return session;
  };

  const confirm = (tokenHash: string): void => {
    const pending = confirming;
    if (pending.has(tokenHash)) return;
    pending.add(tokenHash);
    read(tokenHash)
      .catch(() => {}) // reported when the cached session is too old
      .finally(() => pending.delete(tokenHash));
  };

  const expiryOf = (tokenHash: string, session: StoredSession): Instant => {
    // Uses not stored yet also extend the session.
    const extendedUntil = (uses.get(tokenHash) ?? Number.NEGATIVE_INFINITY) + SESSION_LIFETIME_MS;
    return Math.min(Math.max(session.expiresAt, extendedUntil), session.endsAt);
  };
  const mayOnlyAddPasskey = ({ method }: StoredSession): boolean => passkeysRequired && method === 'code';

  /** A cached session that is in force; null if it must be read. */
  const cached = (tokenHash: string, now: Instant): StoredSession | null => {
    const entry = cache.get(tokenHash);
    if (entry === undefined) return null;
    const { session, readAt } = entry;
    const age = now - readAt;
    // A clock that was set back must not extend the cache time.
    if (age < 0 || age >= GRANT_MAX_AGE_MS) return null;
    // Another process may have stored a later use, or the first passkey.
    if (now >= expiryOf(tokenHash, session) || mayOnlyAddPasskey(session)) return null;
    if (age >= CONFIRM_AFTER_MS) confirm(tokenHash);
    return session;
  };

  const open = async (
    tokenHash: string | null,
  ): Promise<
    (SignedInSession & Pick<StoredSession, 'account'> & { staff: StaffGrant | undefined }) | null
  > => {
    if (tokenHash === null) return null;
    const session = cached(tokenHash, clock.now()) ?? (await read(tokenHash));
    if (session === null) return null;
    const now = clock.now();
    if (now >= expiryOf(tokenHash, session)) return null;
    uses.set(tokenHash, now);
    const { account, staff, id: sessionId } = session;
    return { account, staff, tokenHash, sessionId, mayOnlyAddPasskey: mayOnlyAddPasskey(session) };
  };

  return {
    /** The session of an adjuster. Null when the token is malformed, unknown or expired. */
    async authenticate(token: string): Promise<SignedIn | null> {
      const found = await open(secrets.hashOf(token, 'app_session'));
      if (found === null || !('svcId' in found.account)) return null;
      const { account, staff: _, ...session } = found;
      return { svcId: account.svcId, ...session };
    },
    /** The session of a staff member, with what they may do now. */
    async authenticateStaff(token: string): Promise<SignedInStaff | null> {
      const found = await open(secrets.hashOf(token, 'staff_session'));
      if (found?.staff === undefined) return null;
      const { account: _, staff, ...session } = found;
      return { staff, ...session };
    },
    /** Drops cached sessions after a change made in this process. */
    invalidate() {
      cache = new Map();
      confirming = new Set();
    },
    /** Token hashes used since the last call, with the time. */
    takeUses() {
      const taken = uses;
      uses = new Map();
      return taken;
    },
  };
}

/** A unit of work that drops cached sessions after each transaction that used the store of sessions or of staff. */
export const invalidatingSessions = ({
  unitOfWork,
  sessionAuthenticator,
}: {
  unitOfWork: UnitOfWork;
  sessionAuthenticator: Pick<SessionAuthenticator, 'invalidate'>;
}): UnitOfWork => ({
  async run(work) {
    let isUsed = false;
    try {
      return await unitOfWork.run((tx) =>
        work({
          ...tx,
          get sessions() {
            isUsed = true;
            return tx.sessions;
          },
          get staff() {
            isUsed = true;
            return tx.staff;
          },
        }),
      );
    } finally {
      // Also after an error: nobody knows whether a commit that failed took effect.
      if (isUsed) sessionAuthenticator.invalidate();
    }
  },
});
