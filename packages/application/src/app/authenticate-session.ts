import type { Instant, Svcid } from '@svc/domain';
import type { Credentials } from '../ports/reads.ts';
import type { Clock, Secrets } from '../ports/support.ts';

export interface SignedIn {
  readonly svcId: Svcid;
  readonly tokenHash: string;
}

/** Device sessions, and which of them were used, so that their end can be moved in batches. */
export interface SessionGate {
  /** Null when the token is malformed, unknown or its session over. */
  authenticate(token: string): Promise<SignedIn | null>;
  /** Token hashes used since the last call, with the time. */
  takeUses(): Map<string, Instant>;
}

export function createSessionGate(deps: {
  credentials: Credentials;
  secrets: Secrets;
  clock: Clock;
}): SessionGate {
  let uses = new Map<string, Instant>();
  return {
    async authenticate(token) {
      const tokenHash = deps.secrets.hashOf(token, 'app_session');
      const session = tokenHash === null ? null : await deps.credentials.sessionByHash(tokenHash);
      const now = deps.clock.now();
      if (tokenHash === null || session === null || now >= session.expiresAt) return null;
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
