import { ClaimsApiError, ClaimsConnectionError, ClaimsError, isRecord } from './errors.ts';
import type { ListClaims } from './list.ts';
import { type Platform, pause } from './platform.ts';
import { isRetryable } from './retry.ts';
import { type CallOptions, checkedMs } from './transport.ts';
import type { Claim } from './wire.ts';

export interface PollOptions extends CallOptions {
  /** The last position that `onPosition` of an earlier loop received. */
  readonly position?: string | undefined;
  /** Where to start without a position; by default at the firm's first claim. */
  readonly since?: string | Date | undefined;
  /**
   * Whether to yield test claims to a live key, whose list contains them; false by default. A test key has only test
   * claims and always gets them.
   */
  readonly includeTest?: boolean | undefined;
  /** Wait between two polls, one minute by default. */
  readonly intervalMs?: number | undefined;
  /**
   * Called when the loop starts, with a function that ends the wait before the next poll: call it when a webhook arrives.
   * A returned function is called when the loop ends. Polls also follow after the interval, since webhooks may be lost.
   */
  readonly wakeOn?: ((wake: () => void) => (() => void) | undefined) | undefined;
  /** How far each poll goes back before the latest change, one minute by default. */
  readonly overlapMs?: number | undefined;
  /**
   * Called after each page that the loop has processed, and when the loop is left. Save the position: a loop that
   * starts from it continues after the last processed claim. The loop awaits a returned promise.
   */
  readonly onPosition?: ((position: string) => void | Promise<void>) | undefined;
  /** Called when a poll fails; the next one follows after the interval. */
  readonly onError?: ((error: ClaimsError) => void) | undefined;
}

const PAGE_SIZE = 200;

/**
 * The documented polling procedure. Returns when the signal is aborted, and throws only errors that another poll would
 * get again: an invalid key or an invalid request.
 */
export async function* pollClaims(
  list: ListClaims,
  options: PollOptions,
  platform: Platform,
): AsyncGenerator<Claim, void, undefined> {
  const { signal, onPosition, onError, since, includeTest, wakeOn, ...callOptions } = options;
  const intervalMs = checkedMs('intervalMs', options.intervalMs) ?? 60_000;
  const overlapMs = checkedMs('overlapMs', options.overlapMs) ?? 60_000;
  const wakes = createWakes(signal);
  const state = createPollState(options.position, since, overlapMs);

  const save = async (): Promise<void> => {
    const position = state.takeUnsaved();
    if (position !== null) await onPosition?.(position);
  };

  const unsubscribe = wakeOn?.(wakes.wake);
  try {
    while (!signal?.aborted) {
      wakes.reset();
      const updatedSince = state.updatedSince();
      let pages = 0;
      let waitMs = intervalMs;
      const pagesOfPoll = list(
        { updated_since: updatedSince, limit: PAGE_SIZE },
        { ...callOptions, signal },
      ).pages();
      const iterator = pagesOfPoll[Symbol.asyncIterator]();
      for (;;) {
        // Only the request is guarded: errors of the loop's body and of onPosition are the caller's.
        let claims: readonly Claim[] | null;
        try {
          const next = await iterator.next();
          claims = next.done ? null : next.value.items;
        } catch (error) {
          if (signal?.aborted) return;
          if (!(error instanceof ClaimsError) || !isTemporary(error, pages)) throw error;
          if (error instanceof ClaimsApiError) waitMs = Math.max(waitMs, error.retryAfterMs ?? 0);
          onError?.(error);
          claims = null;
        }
        if (claims === null) break;
        pages += 1;
        for (const claim of claims) {
          if (!state.isNew(claim)) continue;
          if (signal?.aborted) return;
          if (includeTest || !claim.test) yield claim;
          // The caller requests the next claim only after processing this one.
          state.markProcessed(claim);
        }
        await save();
      }
      // A server that asked for a longer wait gets it.
      const wait = waitMs > intervalMs ? signal : wakes.signal();
      await pause(waitMs, wait, platform).catch(() => {});
    }
  } finally {
    unsubscribe?.();
    await save();
  }
}

/** A wake while a poll runs ends the wait after it: the change may be later than the page that it would have been on. */
function createWakes(outer: AbortSignal | undefined) {
  let woken = new AbortController();
  return {
    wake: (): void => woken.abort(),
    reset(): void {
      if (woken.signal.aborted) woken = new AbortController();
    },
    signal: (): AbortSignal => (outer === undefined ? woken.signal : AbortSignal.any([outer, woken.signal])),
  };
}

/** After the first page a 422 is an expired cursor; the next poll starts from the current position. */
const isTemporary = (error: ClaimsError, pages: number): boolean =>
  error instanceof ClaimsConnectionError ||
  (error instanceof ClaimsApiError && (isRetryable(error.status) || (error.status === 422 && pages > 0)));

function createPollState(position: string | undefined, since: string | Date | undefined, overlapMs: number) {
  const initial = position === undefined ? initialPosition(since) : parsePosition(position);
  const { start, seen } = initial;
  let { latest } = initial;
  let unsaved = false;

  return {
    updatedSince: () => {
      // The overlap must not go back before the start.
      const at = latest === null ? start : Math.max(latest - overlapMs, start ?? Number.NEGATIVE_INFINITY);
      return at === null ? undefined : new Date(at);
    },
    isNew(claim: Claim) {
      const before = seen.get(claim.id);
      if (before === undefined) return true;
      // A list that changes while it is read can return an older state after a newer one.
      return before !== claim.updated_at && !(Date.parse(claim.updated_at) < Date.parse(before));
    },
    markProcessed(claim: Claim) {
      seen.set(claim.id, claim.updated_at);
      const at = Date.parse(claim.updated_at);
      if (!Number.isNaN(at) && (latest === null || at > latest)) latest = at;
      unsaved = true;
    },
    /** The position if it has changed since the last call. */
    takeUnsaved() {
      if (!unsaved || latest === null) return null;
      unsaved = false;
      // Changes before the overlap are not requested again.
      for (const [id, updatedAt] of seen) if (Date.parse(updatedAt) < latest - overlapMs) seen.delete(id);
      return JSON.stringify({ v: 1, start: iso(start), latest: iso(latest), seen: Object.fromEntries(seen) });
    },
  };
}

interface PollPosition {
  /** Start of the first loop; null for the firm's first claim. */
  readonly start: number | null;
  readonly latest: number | null;
  readonly seen: Map<string, string>;
}

const initialPosition = (since: string | Date | undefined): PollPosition => ({
  start: since === undefined ? null : toInstant(since),
  latest: null,
  seen: new Map(),
});

function parsePosition(position: string): PollPosition {
  let read: unknown;
  try {
    read = JSON.parse(position);
  } catch {
    // Rejected below.
  }
  if (!isRecord(read) || read.v !== 1 || !isRecord(read.seen) || typeof read.latest !== 'string') {
    throw new TypeError('position must be a value that onPosition received');
  }
  const seen = Object.entries(read.seen).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const start = typeof read.start === 'string' ? toInstant(read.start) : null;
  return { start, latest: toInstant(read.latest), seen: new Map(seen) };
}

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

function toInstant(value: string | Date): number {
  const at = typeof value === 'string' ? Date.parse(value) : value.getTime();
  if (Number.isNaN(at)) throw new TypeError('since and position must contain a valid time');
  return at;
}
