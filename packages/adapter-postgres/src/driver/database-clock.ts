import type { Clock } from '@svc/application';
import type { Instant } from '@svc/domain';

/**
 * Processes stamp with the time of the database, so that a wrong clock of one of them does not show. In between, the time
 * goes on by the timer `elapsedMs`, which no setting of the clock moves.
 */
export async function startDatabaseClock(
  readTime: () => Promise<number>,
  processClock: Clock,
  elapsedMs = (): number => performance.now(),
) {
  /** The time of the database when the timer was 0. */
  const startBetween = async (): Promise<{ earliest: number; latest: number }> => {
    const sentAt = elapsedMs();
    const time = await readTime();
    return { earliest: time - elapsedMs(), latest: time - sentAt };
  };
  const first = await startBetween();
  let start = (first.earliest + first.latest) / 2;
  let measuring: Promise<void> | null = null;
  const now = (): Instant => Math.floor(start + elapsedMs());
  return {
    now,
    /** How far the clock of the process is ahead of it; negative: behind. */
    aheadMs: () => processClock.now() - now(),
    /** Compares both again. Without a response of the database, the time goes on as before. */
    measure() {
      measuring ??= startBetween()
        .then(
          // A slow response says little: only what it excludes is corrected.
          ({ earliest, latest }) => {
            start = Math.min(Math.max(start, earliest), latest);
          },
          () => {},
        )
        .finally(() => {
          measuring = null;
        });
      return measuring;
    },
  };
}
