import type { Instant, Svcid } from '@svc/domain';
import type { CredentialStore } from '../ports/reads.ts';
import type { Clock, Secrets } from '../ports/support.ts';
import { SESSION_LIFETIME_MS } from './sign-in.ts';

export interface SignedIn {
  readonly svcId: Svcid;
  readonly tokenHash: string;
  readonly sessionId: string;
  /** The operator requires a passkey, and this session was opened without one. */
  readonly mayOnlyAddPasskey: boolean;
}

/** Authenticates device sessions and collects their uses, so that expiry is extended in batches. */
export interface SessionAuthenticator {
  /** Null when the token is malformed, unknown or expired. */
  authenticate(token: string): Promise<SignedIn | null>;
  /** Token hashes used since the last call, with the time. */
  takeUses(): Map<string, Instant>;
}

export function createSessionAuthenticator(deps: {
  credentials: CredentialStore;
  secrets: Secrets;
  clock: Clock;
  passkeysRequired: boolean;
}): SessionAuthenticator {
  let uses = new Map<string, Instant>();
  return {
    async authenticate(token) {
      const tokenHash = deps.secrets.hashOf(token, 'app_session');
      const session = tokenHash === null ? null : await deps.credentials.sessionByHash(tokenHash);
      if (tokenHash === null || session === null) return null;
      const now = deps.clock.now();
      // Uses not stored yet also extend the session.
      const extendedUntil = (uses.get(tokenHash) ?? Number.NEGATIVE_INFINITY) + SESSION_LIFETIME_MS;
      const expiresAt = Math.min(Math.max(session.expiresAt, extendedUntil), session.endsAt);
      if (now >= expiresAt) return null;
      uses.set(tokenHash, now);
      const mayOnlyAddPasskey = deps.passkeysRequired && session.method === 'code';
      return { svcId: session.svcId, tokenHash, sessionId: session.id, mayOnlyAddPasskey };
    },
    takeUses() {
      const taken = uses;
      uses = new Map();
      return taken;
    },
  };
}
