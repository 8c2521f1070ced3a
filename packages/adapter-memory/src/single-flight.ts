import type { Attempt, IdempotencySlot, SingleFlight } from '@svc/application';
import { DomainError } from '@svc/domain';

interface UnderWay {
  readonly fingerprint: string;
  /** The outcome, or null when the attempt failed; never rejects, for nobody may be waiting. */
  readonly outcome: Promise<Attempt | null>;
}

export interface MemorySingleFlight extends SingleFlight {
  /** Attempts under way. */
  readonly size: number;
}

/** Twins that meet in one process. Remembers nothing once an attempt is over. */
export function createMemorySingleFlight(): MemorySingleFlight {
  const underWay = new Map<string, UnderWay>();

  return {
    get size() {
      return underWay.size;
    },

    async run(slot, fingerprint, attempt) {
      const name = nameOf(slot);
      // After a failure the first twin to wake takes the slot before the next one looks, so they go one at a time.
      for (let other = underWay.get(name); other; other = underWay.get(name)) {
        if (other.fingerprint !== fingerprint) {
          throw new DomainError(
            'idempotency_key_reused',
            'A different request with this Idempotency-Key is under way.',
          );
        }
        const outcome = await other.outcome;
        if (outcome) return { claimId: outcome.claimId, replayed: true };
      }

      const running = run(attempt);
      const entry: UnderWay = { fingerprint, outcome: running.catch(() => null) };
      underWay.set(name, entry);
      try {
        return await running;
      } finally {
        underWay.delete(name);
      }
    },
  };
}

// An attempt that throws before its first await fails like any other.
const run = async (attempt: () => Promise<Attempt>): Promise<Attempt> => attempt();

// Firm and environment have no space in them, so that no two slots share a name.
const nameOf = ({ firmId, environment, key }: IdempotencySlot): string => `${firmId} ${environment} ${key}`;
