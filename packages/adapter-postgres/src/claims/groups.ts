import { type GroupFailure, type Metrics, Unavailable } from '@svc/application';
import { ConcurrencyConflict, DatabaseError } from '../driver/errors.ts';
import { repeatOnConflict } from '../driver/transaction.ts';

/** Writes in a transaction. Their audit events, up to 8 kB of text in a row, are stored without compression. */
export const MAX_TOGETHER = 50;
/** While one transaction waits for the disk, the next one does its work. */
const MAX_TRANSACTIONS = 2;

/** What a statement does about rows that others have locked: a group skips them, a write that is alone waits. */
export type WhenLocked = 'skip' | 'wait';

/** For each write that is settled, its result, or a function that throws its error. */
export type Settled<Write, Result> = Map<Write, () => Result>;

export interface WriteTransaction {
  /** Does nothing after a commit, and never throws. */
  rollback(): Promise<void>;
  readonly commitSeconds: number;
}

export interface WriteDatabase<T> {
  begin(): Promise<T>;
  readonly metrics: Pick<Metrics, 'groupFailed' | 'transactionCommitted'>;
}

export interface GroupOptions {
  /** 1: every write is saved alone. */
  readonly maxTogether: number;
}

export interface Groups<T, Write, Result> extends GroupOptions {
  /** Of writes with a key in common, the second waits: it must see the first. */
  keysOf(write: Write): readonly string[];
  /**
   * Settles what it saves, and what a rule rejects. The transaction is rolled back unless it is committed.
   *
   * @param writes at least one; exactly one if it waits for locks.
   */
  save(transaction: T, writes: readonly Write[], whenLocked: WhenLocked): Promise<Settled<Write, Result>>;
}

interface Waiting<Write, Result> {
  readonly write: Write;
  readonly keys: readonly string[];
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Writes that arrive while others are being saved share the next transaction: a few statements, one commit and their
 * messages for all of them. What it leaves out, and all of it if a statement fails, is saved again, each write alone.
 */
export function inGroups<T extends WriteTransaction, Write, Result>(
  database: WriteDatabase<T>,
  { maxTogether, keysOf, save }: Groups<T, Write, Result>,
): (write: Write) => Promise<Result> {
  let waiting: Waiting<Write, Result>[] = [];
  let transactions = 0;
  let isStarting = false;
  /** Of the writes that are being saved. */
  const keysInUse = new Set<string>();

  return (write) =>
    new Promise((resolve, reject) => {
      // Once the writes of this tick have arrived.
      if (!isStarting) setImmediate(start);
      isStarting = true;
      waiting.push({ write, keys: keysOf(write), resolve, reject });
    });

  function start(): void {
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
      void saveTogether(group.map(({ write }) => write))
        .then((settled) => end(group, settled))
        .finally(() => {
          transactions -= 1;
          start();
        });
    }
  }

  function take(): Waiting<Write, Result>[] {
    const taken: Waiting<Write, Result>[] = [];
    const rest: Waiting<Write, Result>[] = [];
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
  }

  async function saveTogether(writes: readonly Write[]): Promise<Settled<Write, Result>> {
    try {
      return await saveIn(writes, 'skip');
    } catch (error) {
      if (mayRunAgain(error)) {
        database.metrics.groupFailed(failureOf(error));
        return new Map();
      }
      const fail = (): never => {
        throw error;
      };
      return new Map(writes.map((write) => [write, fail]));
    }
  }

  function end(group: readonly Waiting<Write, Result>[], settled: Settled<Write, Result>): void {
    for (const { write, keys, resolve, reject } of group) {
      const result = async () => (settled.get(write) ?? (() => saveAlone(write)))();
      void result()
        .then(resolve, reject)
        .finally(() => {
          for (const key of keys) keysInUse.delete(key);
          start();
        });
    }
  }

  async function saveAlone(write: Write): Promise<Result> {
    const settled = await repeatOnConflict(() => saveIn([write], 'wait'));
    const result = settled.get(write);
    if (result === undefined) throw new DatabaseError('The claim or the change feed of its firm is missing.');
    return result();
  }

  async function saveIn(writes: readonly Write[], whenLocked: WhenLocked): Promise<Settled<Write, Result>> {
    const transaction = await database.begin();
    try {
      return await save(transaction, writes, whenLocked);
    } finally {
      await transaction.rollback();
    }
  }
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
