import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@svc/application';
import type pg from 'pg';
import type { QueryRunner } from 'typeorm';
import {
  breaksConnection,
  ConcurrencyConflict,
  DatabaseError,
  losesConnection,
  reportsUnconfirmedCommit,
  translateError,
} from './errors.ts';
import type { OpenTransaction, Orm, Statement, TransactionExecutor, Value } from './executor.ts';

const unconfirmed = (what: string): Unavailable =>
  new Unavailable(
    `${what} The change may have been made: check before you repeat it.`,
    'database_unreachable',
  );

/** What differs behind a pooler in transaction mode. */
export interface TransactionOptions {
  /** Whether statements are prepared by name; each transaction behind a pooler may use another server connection. */
  readonly prepared: boolean;
  /** Opens a transaction, with settings that the connection cannot have. */
  readonly begin: string;
}

/**
 * A transaction on one connection of the pool. Statements are pipelined, so BEGIN and every `send` cost no round trip;
 * the server runs them in order.
 */
export class Transaction implements OpenTransaction {
  /** The first error, which is the cause: PostgreSQL rejects every later statement of a failed transaction. */
  #failure: unknown = null;
  #failed = false;
  #broken = false;
  #closing = false;
  #ended = false;
  #commitSeconds = 0;
  /** Whether the row count of a pending write is checked. */
  #checks = false;
  /** Resolves when every statement so far has its result. */
  #pending: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly runner: QueryRunner,
    private readonly client: pg.PoolClient,
    private readonly options: TransactionOptions,
  ) {}

  static async begin(runner: QueryRunner, options: TransactionOptions): Promise<Transaction> {
    let client: pg.PoolClient;
    try {
      client = await runner.connect();
    } catch (error) {
      await runner.release();
      throw translateError(error, 'connect');
    }
    const transaction = new Transaction(runner, client, options);
    transaction.#follow('begin', client.query(options.begin));
    return transaction;
  }

  async rows<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
    const result = this.#query(statement, values);
    await this.#settle();
    return (await result).rows;
  }

  send(statement: Statement, values: readonly Value[], check?: (count: number) => Error | null): void {
    if (check !== undefined) this.#checks = true;
    this.#query(statement, values, check);
  }

  async rowsAndCommit<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
    const result = this.#query(statement, values);
    await this.commit();
    return (await result).rows;
  }

  readonly orm: Orm = async (name, work) => {
    this.#requireOpen(name);
    const result = this.#follow(name, work(this.runner.manager));
    await this.#settle();
    return result;
  };

  /** @throws the first error of any statement, even if the work caught it: a failed transaction is never committed. */
  async commit(): Promise<void> {
    if (this.#ended) {
      if (this.#failed) throw this.#failure;
      return;
    }
    // The server rolls back after a failed statement, so only row counts must be checked before COMMIT is sent.
    if (this.#failed || this.#checks) await this.#settle();
    this.#closing = true;
    let tag: string | null = null;
    let confirmed = true;
    const onNotice = (notice: object): void => {
      if (reportsUnconfirmedCommit(notice)) confirmed = false;
    };
    this.client.on('notice', onNotice);
    const startedAt = performance.now();
    try {
      tag = (await this.client.query('COMMIT')).command;
      await this.#pending;
    } catch (error) {
      await this.#pending;
      this.#note(error, 'commit');
      // The transaction may have been committed, so the error must not be one that runs the work again.
      if (losesConnection(error))
        this.#failure = unconfirmed('The connection to PostgreSQL was lost during a commit.');
      else if (!this.#broken) await this.#rollBack();
    }
    this.#commitSeconds = (performance.now() - startedAt) / 1000;
    this.client.off('notice', onNotice);
    await this.#end();
    if (!this.#failed && !confirmed)
      this.#note(unconfirmed('A commit was not confirmed by every server.'), 'commit');
    // COMMIT of a failed transaction reports ROLLBACK, and no error.
    if (!this.#failed && tag !== 'COMMIT')
      this.#note(new DatabaseError(`PostgreSQL responded to COMMIT with ${tag}.`), 'commit');
    if (this.#failed) throw this.#failure;
  }

  get commitSeconds(): number {
    return this.#commitSeconds;
  }

  /** Never throws: the error that caused the rollback is the one to report. */
  async rollback(): Promise<void> {
    this.#closing = true;
    await this.#pending;
    if (!this.#broken && !this.#ended) await this.#rollBack();
    await this.#end();
  }

  async #rollBack(): Promise<void> {
    try {
      await this.client.query('ROLLBACK');
    } catch {
      this.#broken = true;
    }
  }

  get failure(): unknown {
    return this.#failed ? this.#failure : null;
  }

  /** Afterwards the connection may be in use by another transaction. */
  #requireOpen(name: string): void {
    if (this.#closing) throw new DatabaseError(`${name} was called after the end of its transaction.`);
  }

  #query(
    statement: Statement,
    values: readonly Value[],
    check?: (count: number) => Error | null,
  ): Promise<pg.QueryResult> {
    const { name, text } = statement;
    this.#requireOpen(name);
    const query = { ...(this.options.prepared && { name }), text, values: values as unknown[] };
    return this.#follow(name, this.client.query(query), ({ rowCount }) => check?.(rowCount ?? 0) ?? null);
  }

  /** Errors are noted in the order of the statements: the first one is the cause. */
  #follow<T>(name: string, result: Promise<T>, check: (result: T) => Error | null = () => null): Promise<T> {
    const error = result.then(check, (reason) => reason);
    this.#pending = Promise.all([error, this.#pending]).then(([reason]) => {
      if (reason !== null) this.#note(reason, name);
    });
    return result;
  }

  /** Waits for every statement so far; throws the first error. */
  async #settle(): Promise<void> {
    await this.#pending;
    if (this.#failed) throw this.#failure;
  }

  #note(error: unknown, statement: string): void {
    if (breaksConnection(error)) this.#broken = true;
    if (this.#failed) return;
    this.#failed = true;
    this.#failure = translateError(error, statement);
  }

  async #end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    // The pool discards a client that is ending, instead of reusing one in an unknown state.
    if (this.#broken) void this.client.end();
    await this.runner.release();
  }
}

/** Commits if the work succeeds, and rolls back if it fails. Nothing runs again. */
export async function transact<T>(
  database: { begin(): Promise<OpenTransaction> },
  work: (executor: TransactionExecutor) => Promise<T>,
): Promise<T> {
  const transaction = await database.begin();
  try {
    const result = await work(transaction);
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}

const MAX_ATTEMPTS = 5;

/** Runs the work again when it throws ConcurrencyConflict. */
export async function repeatOnConflict<T>(
  attempt: () => Promise<T>,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConcurrencyConflict)) throw error;
      if (count === MAX_ATTEMPTS)
        throw new Unavailable('Too many concurrent changes to the same rows.', 'conflicts');
      await pause(Math.random() * 10 * count);
    }
  }
}
