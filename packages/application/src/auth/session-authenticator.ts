import type { Instant, Svcid } from '@svc/domain';
import type { CredentialStore } from '../ports/reads.ts';
import type { Clock, Secrets } from '../ports/support.ts';
import { SESSION_LIFETIME } from './sign-in.ts';

export interface SignedIn {
  readonly svcId: Svcid;
  readonly tokenHash: string;
}

/** Device sessions, and which of them were used, so that their end can be moved in batches. */
export interface SessionAuthenticator {
  /** Null when the token is malformed, unknown or its session over. */
  authenticate(token: string): Promise<SignedIn | null>;
  /** Token hashes used since the last call, with the time. */
  takeUses(): Map<string, Instant>;
}

export function createSessionAuthenticator(deps: {
  credentials: CredentialStore;
  secrets: Secrets;
  clock: Clock;
}): SessionAuthenticator {
  let uses = new Map<string, Instant>();
  return {
    async authenticate(token) {
      const tokenHash = deps.secrets.hashOf(token, 'app_session');
      const session = tokenHash === null ? null : await deps.credentials.sessionByHash(tokenHash);
      if (tokenHash === null || session === null) return null;
      const now = deps.clock.now();
      // A use that was not written down yet counts as well.
      const usedUntil = (uses.get(tokenHash) ?? Number.NEGATIVE_INFINITY) + SESSION_LIFETIME;
      if (now >= Math.max(session.expiresAt, usedUntil)) return null;
      uses.set(tokenHash, now);
      return { svcId: session.svcId, tokenHash };
    },
    takeUses() {
      const taken = uses;
      uses = new Map();
      return taken;
    },
  };
}
