import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attempt,
  IDEMPOTENCY_WINDOW_MS,
  type IdempotencySlot,
  type SingleFlight,
} from '@svc/application';
import { type ClaimId, DomainError } from '@svc/domain';
import type { Store } from './store.ts';

/** How long duplicates wait for the slot of a crashed process. */
const LEASE_MS = 2000;
/** Longer than the lease, so that a duplicate takes over the slot of a crashed process; shorter than client timeouts. */
const MAX_WAIT_MS = 3000;
const MIN_POLL_INTERVAL_MS = 2;
const MAX_POLL_INTERVAL_MS = 40;

/**
 * Concurrent duplicates across processes. A key's slot holds `in-progress <fingerprint> <token>` with a lease during an
 * attempt and `done <fingerprint> <claim id>` after its commit, so that replays and conflicts need no transaction.
 * Running the attempt is always correct, whatever Redis replies: the unique record in PostgreSQL prevents a second result.
 */
export function createRedisSingleFlight({
  store,
  inProcess,
}: {
  readonly store: Store;
  /** Duplicates within one process wait in memory, so that only one of them calls Redis. */
  readonly inProcess: SingleFlight;
}): SingleFlight {
  const processId = randomUUID();
  let attemptCount = 0;

  async function runOnce(slot: IdempotencySlot, fingerprint: string, attempt: () => Promise<Attempt>) {
    const key = keyOf(slot);
    const slotValue = `in-progress ${fingerprint} ${processId}:${++attemptCount}`;
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    let pollIntervalMs = MIN_POLL_INTERVAL_MS;
    for (;;) {
      const reply = await store.run({ name: 'takeSlot', key, args: [slotValue, LEASE_MS] });
      if (typeof reply === 'number') return runAttempt(key, fingerprint, slotValue, reply, attempt);
      // Redis may have taken the slot although its reply was lost.
      if (typeof reply !== 'string') return runAttempt(key, fingerprint, slotValue, null, attempt);
      const [state, storedFingerprint, claimId] = reply.split(' ');
      if (storedFingerprint !== fingerprint) {
        throw new DomainError(
          'idempotency_key_reused',
          state === 'done'
            ? 'This Idempotency-Key was used with a different request.'
            : 'A different request with this Idempotency-Key is in progress.',
        );
      }
      if (state === 'done') return { claimId: claimId as ClaimId, replayed: true };
      if (performance.now() + pollIntervalMs > giveUpAt) return attempt();
      await sleep(pollIntervalMs);
      pollIntervalMs = Math.min(MAX_POLL_INTERVAL_MS, pollIntervalMs * 2);
    }
  }

  /** @param takenAt when the slot was taken, by Redis' clock; null if unknown. */
  async function runAttempt(
    key: string,
    fingerprint: string,
    slotValue: string,
    takenAt: number | null,
    attempt: () => Promise<Attempt>,
  ): Promise<Attempt> {
    const renewal = setInterval(
      () => store.runLater({ name: 'renewSlot', key, args: [slotValue, LEASE_MS] }),
      LEASE_MS / 3,
    );
    renewal.unref();
    const release = { name: 'releaseSlot', key, args: [slotValue] } as const;
    let outcome: Attempt;
    try {
      outcome = await attempt();
    } catch (error) {
      // Awaited before rethrowing: the corrected request may arrive at once at another process.
      await store.run(release);
      throw error;
    } finally {
      clearInterval(renewal);
    }
    // The age of a replayed outcome is unknown, and it must not be kept beyond its 24 hours.
    if (outcome.replayed || takenAt === null) store.runLater(release);
    // The slot was taken before the durable record was written, so it expires first.
    else {
      store.runLater({
        name: 'completeSlot',
        key,
        args: [`done ${fingerprint} ${outcome.claimId}`, takenAt + IDEMPOTENCY_WINDOW_MS],
      });
    }
    return outcome;
  }

  return {
    run: (slot, fingerprint, attempt) =>
      inProcess.run(slot, fingerprint, () => runOnce(slot, fingerprint, attempt)),
  };
}

/** Hashed, since an Idempotency-Key is free text and may contain personal data. */
const keyOf = ({ firmId, environment, key }: IdempotencySlot): string =>
  `single-flight:{${createHash('sha256').update(`${firmId} ${environment} ${key}`).digest('base64url')}}`;
