import type { NextPiece } from '@svc/application';
import { HttpProblem } from '../problems/http-problem.ts';
import { CANCELED } from './concurrency-limit.ts';
import { createUsage } from './usage.ts';

/** More of a caller would only wait until their deadline. */
const MAX_WORKS_PER_CALLER = 32;

export interface LongWork {
  /** Who takes turns with the others. */
  readonly caller: string;
  /** Whether anybody still waits for the result. */
  readonly isWanted: () => boolean;
  /** At most one of this name runs for a caller. */
  readonly single?: string | undefined;
}

export interface Turns {
  /**
   * Runs work that awaits its argument before each piece.
   *
   * @throws HttpProblem `rate_limited` when too many works of the caller run.
   */
  run<T>(work: LongWork, start: (nextPiece: NextPiece) => Promise<T>): Promise<T>;
}

/**
 * Of all long work of the process one piece runs at a time, with what it reads from the database: a request in between
 * waits for one piece, however many works there are. Callers take turns, whatever number of works each has.
 */
export function createTurns(): Turns {
  const works = createUsage<string>();
  /** By caller, the one whose turn is next first. */
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;

  function pass(): void {
    const [next] = waiting;
    if (next === undefined) {
      isTaken = false;
      return;
    }
    const [caller, [start, ...others]] = next;
    waiting.delete(caller);
    if (others.length > 0) waiting.set(caller, others);
    start?.();
  }

  const turnOf = (caller: string): Promise<void> =>
    new Promise((resolve) => {
      if (isTaken) waiting.set(caller, [...(waiting.get(caller) ?? []), resolve]);
      else {
        isTaken = true;
        resolve();
      }
    });

  return {
    async run({ caller, isWanted, single }, start) {
      const counted = single === undefined ? caller : `${caller} ${single}`;
      if (works.of(counted) >= (single === undefined ? MAX_WORKS_PER_CALLER : 1)) throw tooMany(single);
      works.add(counted, 1);
      let isRunning = false;
      const endPiece = (): void => {
        if (!isRunning) return;
        isRunning = false;
        // After what has arrived since the piece began.
        setImmediate(pass);
      };
      try {
        return await start(async () => {
          endPiece();
          await turnOf(caller);
          isRunning = true;
          if (!isWanted()) throw CANCELED;
        });
      } finally {
        endPiece();
        works.add(counted, -1);
      }
    },
  };
}

const tooMany = (single: string | undefined): HttpProblem =>
  new HttpProblem('rate_limited', {
    detail:
      single === undefined
        ? `At most ${MAX_WORKS_PER_CALLER} long requests of a firm or an account run at once.`
        : `Another ${single} of your firm is running. Try again when it has ended.`,
    headers: { 'Retry-After': '1' },
  });
