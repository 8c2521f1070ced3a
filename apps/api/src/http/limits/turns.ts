import type { NextPiece } from '@svc/application';
import { HttpProblem } from '../problems/http-problem.ts';
import { CANCELED } from './concurrency-limit.ts';
import { createUsage } from './usage.ts';

/**
 * `page`: writes a large one. `search`: reads until it has a page. `report`: one statement over all offers of a period.
 * `workbook`: unpacks one.
 */
export type LongWorkKind = 'page' | 'search' | 'report' | 'workbook' | 'verification';

/** Of a caller at once. More searches would only wait until their deadline; the rate limits are for pages. */
const MOST: Readonly<Record<LongWorkKind, number>> = {
  page: Number.POSITIVE_INFINITY,
  search: 32,
  report: 32,
  // Of which each is in memory.
  workbook: 4,
  verification: 1,
};

/** After which work returns what it has: well before the deadline of its request. */
const MAX_WORK_MS = 2500;

export interface LongWork {
  /** Who takes turns with the others. */
  readonly caller: string;
  /** Whether anybody still waits for the result. */
  readonly isWanted: () => boolean;
  readonly kind: LongWorkKind;
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
export function createTurns(now = () => performance.now()): Turns {
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

  const turnOf = (caller: string, isFirst: boolean): Promise<void> =>
    new Promise((resolve) => {
      const own = waiting.get(caller) ?? [];
      if (isTaken) waiting.set(caller, isFirst ? [resolve, ...own] : [...own, resolve]);
      else {
        isTaken = true;
        resolve();
      }
    });

  return {
    async run({ caller, isWanted, kind }, start) {
      const counted = `${caller} ${kind}`;
      if (works.of(counted) >= MOST[kind]) throw tooMany(kind);
      works.add(counted, 1);
      const endsAt = now() + MAX_WORK_MS;
      let isRunning = false;
      // A page that has begun holds all of its rows: one of the caller ends before the next is read.
      let hasRows = false;
      const endPiece = (): void => {
        if (!isRunning) return;
        isRunning = false;
        // After what has arrived since the piece began.
        setImmediate(pass);
      };
      try {
        return await start(async () => {
          endPiece();
          await turnOf(caller, hasRows);
          hasRows = kind === 'page';
          isRunning = true;
          if (!isWanted()) throw CANCELED;
          return now() < endsAt;
        });
      } finally {
        endPiece();
        works.add(counted, -1);
      }
    },
  };
}

const tooMany = (kind: LongWorkKind): HttpProblem =>
  new HttpProblem('rate_limited', {
    detail:
      MOST[kind] === 1
        ? `Another ${kind} of your firm is running. Try again when it has ended.`
        : `At most ${MOST[kind]} requests of this kind (${kind}) run at once for a firm.`,
    headers: { 'Retry-After': '1' },
  });
