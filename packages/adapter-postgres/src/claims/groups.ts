import { type GroupFailure, Unavailable } from '@svc/application';
import type { Database } from '../driver/database.ts';
import { ConcurrencyConflict, DatabaseError } from '../driver/errors.ts';
import { repeatOnConflict, type Transaction } from '../driver/transaction.ts';

/** Requests in a transaction. Their audit events, up to 8 kB of text in a row, are stored without compression. */
export const MAX_TOGETHER = 50;
/** While one transaction waits for the disk, the next one does its work. */
const MAX_TRANSACTIONS = 2;

/** `SKIP LOCKED`: a group leaves out what others have locked. Empty: a request that is saved alone waits for it. */
export type Locking = 'SKIP LOCKED' | '';

/** For each request that is settled, its result, or a function that throws its error. */
export type Settled<Request, Result> = Map<Request, () => Result>;

export interface Groups<Request, Result> {
  /** 1: every request is saved alone. */
  readonly maxTogether: number;
  /** Of requests with a key in common, the second waits: it must see the first. */
  keysOf(request: Request): readonly string[];
  /**
   * Settles what it saves, and what a rule rejects. The transaction is rolled back unless it is committed.
   *
   * @param requests at least one; exactly one if it waits for locks.
   */
  save(
    transaction: Transaction,
    requests: readonly Request[],
    locking: Locking,
  ): Promise<Settled<Request, Result>>;
}

/**
 * Whether a transaction that failed with this error has certainly changed nothing, and another one may succeed now. The
 * key of one firm that is not available (`other`) affects no other firm.
 */
const mayRunAgain = (error: unknown): boolean =>
  !(error instanceof Unavailable) || error.reason === 'database_busy' || error.reason === 'other';

const failureOf = (error: unknown): GroupFailure => {
  if (error instanceof Unavailable) return 'unavailable';
  return error instanceof ConcurrencyConflict ? 'conflict' : 'rejected';
};

interface Waiting<Request, Result> {
  readonly request: Request;
  readonly keys: readonly string[];
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Requests that arrive while others are being saved share the next transaction: a few statements, one commit and their
 * messages for all of them. What it leaves out, and all of it if a statement fails, is saved again, each request alone.
 */
export function inGroups<Request, Result>(
  database: Pick<Database, 'begin' | 'metrics'>,
  { maxTogether, keysOf, save }: Groups<Request, Result>,
): (request: Request) => Promise<Result> {
  let waiting: Waiting<Request, Result>[] = [];
  let transactions = 0;
  let isStarting = false;
  /** Of the requests that are being saved. */
  const keysInUse = new Set<string>();

  const settle = async (
    requests: readonly Request[],
    locking: Locking,
  ): Promise<Settled<Request, Result>> => {
    const transaction = await database.begin();
    try {
      return await save(transaction, requests, locking);
    } finally {
      // After a commit, this does nothing.
      await transaction.rollback();
    }
  };

  const saveAlone = async (request: Request): Promise<Result> => {
    const settled = await repeatOnConflict(() => settle([request], ''));
    const result = settled.get(request);
    if (result === undefined) throw new DatabaseError('The claim or the change feed of its firm is missing.');
    return result();
  };

  const saveTogether = async (requests: readonly Request[]): Promise<Settled<Request, Result>> => {
    try {
      return await settle(requests, 'SKIP LOCKED');
    } catch (error) {
      if (mayRunAgain(error)) {
        database.metrics.groupFailed(failureOf(error));
        return new Map();
      }
      const fail = (): never => {
        throw error;
      };
      return new Map(requests.map((request) => [request, fail]));
    }
  };

  const end = (group: readonly Waiting<Request, Result>[], settled: Settled<Request, Result>): void => {
    for (const { request, keys, resolve, reject } of group) {
      const result = async () => (settled.get(request) ?? (() => saveAlone(request)))();
      void result()
        .then(resolve, reject)
        .finally(() => {
          for (const key of keys) keysInUse.delete(key);
          start();
        });
    }
  };

  const take = (): Waiting<Request, Result>[] => {
    const taken: Waiting<Request, Result>[] = [];
    const rest: Waiting<Request, Result>[] = [];
    for (const one of waiting) {
      if (taken.length === maxTogether || one.keys.some((key) => keysInUse.has(key))) {
        rest.push(one);
      } else {
        taken.push(one);
        for (const key of one.keys) keysInUse.add(key);
      }
    }
    waiting = rest;
    return taken;
  };

  const start = (): void => {
    isStarting = false;
    while (transactions < MAX_TRANSACTIONS) {
      const group = take();
      if (group.length === 0) return;
      if (maxTogether === 1) {
        // It may wait for a lock, and must not delay others.
        end(group, new Map());
        continue;
      }
      transactions += 1;
      void saveTogether(group.map(({ request }) => request))
        .then((settled) => end(group, settled))
        .finally(() => {
          transactions -= 1;
          start();
        });
    }
  };

  return (request) =>
    new Promise((resolve, reject) => {
      // Requests that arrive in the same tick are processed before this.
      if (!isStarting) setImmediate(start);
      isStarting = true;
      waiting.push({ request, keys: keysOf(request), resolve, reject });
    });
}
