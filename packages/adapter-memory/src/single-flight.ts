import type { IdempotencySlot, KeyedResult, SingleFlight } from '@svc/application';
import { DomainError } from '@svc/domain';

interface Execution {
  readonly fingerprint: string;
  /** Null when the attempt failed. Never rejects: without a waiting caller the rejection would be unhandled. */
  readonly outcome: Promise<KeyedResult | null>;
}

interface MemorySingleFlight extends SingleFlight {
  /** Attempts in progress. */
  readonly size: number;
}

/** Concurrent duplicates within one process. Nothing is kept after an attempt has ended. */
export function createMemorySingleFlight(): MemorySingleFlight {
  const executions = new Map<string, Execution>();

  return {
    get size() {
      return executions.size;
    },

    async run(slot, fingerprint, attempt) {
      const name = nameOf(slot);
      // After a failure the first waiting duplicate takes the slot before the next one checks, so one runs at a time.
      for (let other = executions.get(name); other; other = executions.get(name)) {
        if (other.fingerprint !== fingerprint) {
          throw new DomainError(
            'idempotency_key_reused',
            'A different request with this Idempotency-Key is in progress.',
          );
        }
        const outcome = await other.outcome;
        if (outcome) return { claimId: outcome.claimId, replayed: true };
      }

      const running = run(attempt);
      executions.set(name, { fingerprint, outcome: running.catch(() => null) });
      try {
        return await running;
      } finally {
        executions.delete(name);
      }
    },
  };
}

// Async, so that an attempt that throws synchronously rejects.
const run = async (attempt: () => Promise<KeyedResult>): Promise<KeyedResult> => attempt();

// Unambiguous: firm and environment contain no space.
const nameOf = ({ firmId, environment, key }: IdempotencySlot): string => `${firmId} ${environment} ${key}`;
