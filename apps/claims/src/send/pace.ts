export interface Estimate {
  readonly perMinute: number;
  readonly remainingMs: number;
}

/** The first claims after a pause arrive in bursts. */
const MIN_SAMPLE = 5;

/** Measures the sending rate after the first 429, when the rate limit determines it. */
export function createPace(now: () => number) {
  let start: { readonly at: number; readonly done: number } | undefined;
  return {
    get isLimited() {
      return start !== undefined;
    },
    /** Call after each 429. */
    onRateLimited(done: number) {
      start ??= { at: now(), done };
    },
    /** Null until enough claims were sent at this rate. */
    estimate(done: number, total: number): Estimate | null {
      if (start === undefined || done - start.done < MIN_SAMPLE) return null;
      const msPerClaim = (now() - start.at) / (done - start.done);
      if (msPerClaim <= 0) return null;
      return { perMinute: Math.round(60_000 / msPerClaim), remainingMs: (total - done) * msPerClaim };
    },
  };
}

/** A rounded duration for display: `40 s`, `18 min`, `2 h 5 min`. */
export function roundedDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
