import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attempt, IDEMPOTENCY_WINDOW, type IdempotencySlot, type SingleFlight } from '@svc/application';
import { type ClaimId, DomainError } from '@svc/domain';
import { BIND_SLOT, RELEASE_SLOT, RENEW_SLOT, TAKE_SLOT } from './scripts.ts';
import type { Store } from './store.ts';

/** How long the slot of a process that died in the middle stands in the way. */
const LEASE_MS = 2000;
/** Longer than a lease, so that a dead holder's twin inherits the slot; well within a client's patience. */
const PATIENCE_MS = 3000;
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 40;

/**
 * Twins that meet in several processes. The slot of a key holds `under-way <fingerprint> <token>` on a lease while an
 * attempt is made, and `done <fingerprint> <claim id>` after it committed, so that replays and conflicts are answered
 * without a transaction. Whatever Redis says or fails to say, letting the attempt through is right: PostgreSQL decides.
 */
export function createRedisSingleFlight({
  store,
  inProcess,
}: {
  readonly store: Store;
  /** Twins of one process wait for each other in memory, so that only one of them asks Redis. */
  readonly inProcess: SingleFlight;
}): SingleFlight {
  const process = randomUUID();
  let attempts = 0;

  async function once(slot: IdempotencySlot, fingerprint: string, attempt: () => Promise<Attempt>) {
    const key = keyOf(slot);
    const mine = `under-way ${fingerprint} ${process}:${++attempts}`;
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      const answer = await store.run(TAKE_SLOT, key, [mine, LEASE_MS]);
      if (typeof answer === 'number') return makeAttempt(key, fingerprint, mine, answer, attempt);
      // Redis may have taken the slot and its answer been lost.
      if (typeof answer !== 'string') return makeAttempt(key, fingerprint, mine, null, attempt);
      const [state, held, claimId] = answer.split(' ');
      if (held !== fingerprint) {
        throw new DomainError(
          'idempotency_key_reused',
          state === 'done'
            ? 'This Idempotency-Key was used with a different request.'
            : 'A different request with this Idempotency-Key is under way.',
        );
      }
      if (state === 'done') return { claimId: claimId as ClaimId, replayed: true };
      if (performance.now() + pause > giveUpAt) return attempt();
      await sleep(pause);
    }
  }

  /** @param takenAt when the slot was taken, by Redis' clock; null when it is not known to have been. */
  async function makeAttempt(
    key: string,
    fingerprint: string,
    mine: string,
    takenAt: number | null,
    attempt: () => Promise<Attempt>,
  ): Promise<Attempt> {
    const renewal = setInterval(() => store.runLater(RENEW_SLOT, key, [mine, LEASE_MS]), LEASE_MS / 3);
    renewal.unref();
    let outcome: Attempt;
    try {
      outcome = await attempt();
    } catch (failure) {
      // Before the caller hears of it: the corrected request may come at once, and to another process.
      await store.run(RELEASE_SLOT, key, [mine]);
      throw failure;
    } finally {
      clearInterval(renewal);
    }
    // An outcome that was found has an unknown age, and must not be remembered past its own 24 hours.
    if (outcome.replayed || takenAt === null) store.runLater(RELEASE_SLOT, key, [mine]);
    // The slot was taken before the durable record was written, so this ends first.
    else {
      store.runLater(BIND_SLOT, key, [
        `done ${fingerprint} ${outcome.claimId}`,
        takenAt + IDEMPOTENCY_WINDOW,
      ]);
    }
    return outcome;
  }

  return {
    run: (slot, fingerprint, attempt) =>
      inProcess.run(slot, fingerprint, () => once(slot, fingerprint, attempt)),
  };
}

/** Hashed: an Idempotency-Key is the client's own text, and may say more than Redis should know. */
const keyOf = ({ firmId, environment, key }: IdempotencySlot): string =>
  `twins:{${createHash('sha256').update(`${firmId} ${environment} ${key}`).digest('base64url')}}`;
