import { ClaimsApiError, ClaimsConnectionError, ClaimsError, isRecord } from './errors.ts';
import type { ListClaims } from './list.ts';
import { type Platform, pause } from './platform.ts';
import { type CallOptions, wait } from './transport.ts';
import type { Claim } from './wire.ts';

export interface PollOptions extends CallOptions {
  /** Where an earlier loop stood: what its `onPosition` was last given. */
  readonly position?: string | undefined;
  /** Where to begin without a position; with the firm's very first claim unless told. */
  readonly since?: string | Date | undefined;
  /** From the end of one round to the beginning of the next, a minute unless told. */
  readonly intervalMs?: number | undefined;
  /** How far each round reaches back behind the latest change, a minute unless told. */
  readonly overlapMs?: number | undefined;
  /**
   * Called after each page, once the loop's body has dealt with all of it, and when the loop is left. Keep what it is
   * given: a loop that begins there goes on behind the last claim that was dealt with. May be asynchronous; the loop
   * waits for it.
   */
  readonly onPosition?: ((position: string) => void | Promise<void>) | undefined;
  /** Called when a round failed; the next one is made after the interval all the same. */
  readonly onError?: ((error: ClaimsError) => void) | undefined;
}

const PAGE = 200;

/**
 * The specification's polling procedure. Ends quietly when the signal is aborted, and with an error only where
 * another round would meet the same: a key that is refused, a request that is not valid.
 */
export async function* pollClaims(
  list: ListClaims,
  options: PollOptions,
  platform: Platform,
): AsyncGenerator<Claim, void, undefined> {
  const { signal, onPosition, onError, since, ...callOptions } = options;
  const intervalMs = wait('intervalMs', options.intervalMs) ?? 60_000;
  const overlapMs = wait('overlapMs', options.overlapMs) ?? 60_000;
  const place = createPlace(options.position, since, overlapMs);

  const save = async (): Promise<void> => {
    const position = place.takeUnsaved();
    if (position !== null) await onPosition?.(position);
  };

  try {
    while (!signal?.aborted) {
      const updatedSince = place.updatedSince();
      let pages = 0;
      let waitMs = intervalMs;
      const walk = list({ updated_since: updatedSince, limit: PAGE }, { ...callOptions, signal }).pages();
      const iterator = walk[Symbol.asyncIterator]();
      for (;;) {
        // Only what reads is guarded: an error of the loop's own body, or of onPosition, is not ours to survive.
        let claims: readonly Claim[] | null;
        try {
          const next = await iterator.next();
          claims = next.done ? null : next.value.data;
        } catch (error) {
          if (signal?.aborted) return;
          if (!(error instanceof ClaimsError) || !mayPass(error, pages)) throw error;
          if (error instanceof ClaimsApiError) waitMs = Math.max(waitMs, error.retryAfterMs ?? 0);
          onError?.(error);
          claims = null;
        }
        if (claims === null) break;
        pages += 1;
        for (const claim of claims) {
          if (!place.isNew(claim)) continue;
          if (signal?.aborted) return;
          yield claim;
          // Being asked for the next one means that this one has been dealt with.
          place.passed(claim);
        }
        await save();
      }
      try {
        await pause(waitMs, signal, platform);
      } catch {
        return;
      }
    }
  } finally {
    await save();
  }
}

/** A cursor can go stale between two pages; the next round starts from the place that was reached. */
const mayPass = (error: ClaimsError, pages: number): boolean =>
  error instanceof ClaimsConnectionError ||
  (error instanceof ClaimsApiError &&
    (error.status === 429 || error.status >= 500 || (error.status === 422 && pages > 0)));

interface Place {
  updatedSince(): string | undefined;
  isNew(claim: Claim): boolean;
  passed(claim: Claim): void;
  /** The position, if it has moved since it was last taken. */
  takeUnsaved(): string | null;
}

function createPlace(
  position: string | undefined,
  since: string | Date | undefined,
  overlapMs: number,
): Place {
  const begun = position === undefined ? begin(since) : parsePosition(position);
  const { start, seen } = begun;
  let { latest } = begun;
  let unsaved = false;

  return {
    updatedSince: () => {
      // The overlap must not reach behind the beginning, to changes that were not wanted.
      const at = latest === null ? start : Math.max(latest - overlapMs, start ?? Number.NEGATIVE_INFINITY);
      return at === null ? undefined : new Date(at).toISOString();
    },
    isNew(claim) {
      const before = seen.get(claim.id);
      if (before === undefined) return true;
      // A page may show an older state behind a newer one, as a list that is read while it changes can.
      return before !== claim.updated_at && !(Date.parse(claim.updated_at) < Date.parse(before));
    },
    passed(claim) {
      seen.set(claim.id, claim.updated_at);
      const at = Date.parse(claim.updated_at);
      if (!Number.isNaN(at) && (latest === null || at > latest)) latest = at;
      unsaved = true;
    },
    takeUnsaved() {
      if (!unsaved || latest === null) return null;
      unsaved = false;
      // What lies before the overlap is never asked for again.
      for (const [id, stamp] of seen) if (Date.parse(stamp) < latest - overlapMs) seen.delete(id);
      return JSON.stringify({ v: 1, start: iso(start), latest: iso(latest), seen: Object.fromEntries(seen) });
    },
  };
}

interface Begun {
  /** Where the very first loop began; null at the firm's first claim. */
  readonly start: number | null;
  readonly latest: number | null;
  readonly seen: Map<string, string>;
}

const begin = (since: string | Date | undefined): Begun => ({
  start: since === undefined ? null : toInstant(since),
  latest: null,
  seen: new Map(),
});

function parsePosition(position: string): Begun {
  let read: unknown;
  try {
    read = JSON.parse(position);
  } catch {
    // Judged below, like any other text that is no position.
  }
  if (!isRecord(read) || read.v !== 1 || !isRecord(read.seen) || typeof read.latest !== 'string') {
    throw new TypeError('position must be what onPosition was given');
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
  if (Number.isNaN(at)) throw new TypeError('since and position must hold a time');
  return at;
}
