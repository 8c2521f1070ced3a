import { Unavailable } from '@svc/application';
import type pg from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import {
  breaksConnection,
  DatabaseError,
  losesConnection,
  reportsUnconfirmedCommit,
  translateError,
} from './errors.ts';
import { type Statement, sql, type TxSession, type Value } from './session.ts';
import type { QueryResult, StatementRunner } from './statement-runner.ts';

/** What differs behind a pooler in transaction mode. */
export interface TransactionOptions {
  /** Whether statements are prepared by name; each transaction behind a pooler may use another server connection. */
  readonly prepared: boolean;
  /** Opens a transaction, with settings that the connection cannot have. */
  readonly begin: string;
  readonly onCitus: boolean;
}

const BEGIN = sql('begin', 'BEGIN');
const COMMIT = sql('COMMIT', 'COMMIT');

/**
 * A transaction on one connection of the pool. Statements are pipelined, so BEGIN and every `send` cost no round trip;
 * the server runs them in order.
 */
export class Transaction implements TxSession {
  /** The first error, which is the cause: PostgreSQL rejects every later statement of a failed transaction. */
  #failure: unknown = null;
  #failed = false;
  #broken = false;
  #closing = false;
  #ended = false;
  #commitSeconds = 0;
  /** Pending writes whose row count is checked. */
  #pendingChecks = 0;
  readonly #sent: Promise<void>[] = [];

  private constructor(
    private readonly runner: QueryRunner,
    private readonly client: pg.PoolClient,
    private readonly options: TransactionOptions,
    private readonly statements: StatementRunner,
  ) {}

  static async begin(
    runner: QueryRunner,
    options: TransactionOptions,
    statements: StatementRunner,
  ): Promise<Transaction> {
    let client: pg.PoolClient;
    try {
      client = (await runner.connect()) as pg.PoolClient;
    } catch (error) {
      await runner.release();
      throw translateError(error, 'connect');
    }
    const transaction = new Transaction(runner, client, options, statements);
    // TypeORM did not open this transaction, and throws on row locks unless it is marked as open.
    Object.assign(runner, { isTransactionActive: true });
    transaction.#send(
      'begin',
      options.prepared
        ? statements.prepared(client, BEGIN, [])
        : statements.unprepared(client, options.begin),
    );
    return transaction;
  }

  get onCitus(): boolean {
    return this.options.onCitus;
  }

  async rows<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
    this.#requireOpen(statement.name);
    return this.#settled(statement.name, async () => (await this.#query<R>(statement, values)).rows);
  }

  send(statement: Statement, values: readonly Value[], check?: (count: number) => Error | null): void {
    this.#requireOpen(statement.name);
    if (check !== undefined) this.#pendingChecks += 1;
    const checked = this.#query(statement, values).then((result) => {
      if (check === undefined) return;
      this.#pendingChecks -= 1;
      const error = check(result.rowCount ?? 0);
      if (error !== null) throw error;
    });
    this.#send(statement.name, checked);
  }

  async rowsAndCommit<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
    this.#requireOpen(statement.name);
    const result = this.#query<R>(statement, values);
    this.#send(statement.name, result);
    await this.commit();
    return (await result).rows;
  }

  async orm<T>(name: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    this.#requireOpen(name);
    return this.#settled(name, () =>
      this.statements.withTimeout(this.client, () => work(this.runner.manager)),
    );
  }

  /** @throws the first error of any statement, even if the work caught it: a failed transaction is never committed. */
  async commit(): Promise<void> {
    if (this.#ended) {
      if (this.#failed) throw this.#failure;
      return;
    }
    // The server rolls back after a failed statement, so only row counts must be checked before COMMIT is sent.
    if (this.#failed || this.#pendingChecks > 0) await this.#settleSent();
    this.#closing = true;
    let tag: string | null = null;
    let confirmed = true;
    const onNotice = (notice: object): void => {
      if (reportsUnconfirmedCommit(notice)) confirmed = false;
    };
    this.client.on('notice', onNotice);
    const startedAt = performance.now();
    try {
      // Shares the Sync of the statements sent in this turn: if one of them fails, PostgreSQL skips COMMIT.
      tag = (
        await (this.options.prepared
          ? this.statements.prepared(this.client, COMMIT, [])
          : this.statements.unprepared(this.client, COMMIT.text))
      ).command;
    } catch (error) {
      await Promise.all(this.#sent.splice(0));
      this.#note(error, 'commit');
      // The transaction may have been committed, so the error must not be one that runs the work again.
      if (losesConnection(error))
        this.#failure = new Unavailable(
          'The connection to PostgreSQL was lost during a commit.',
          'database_unreachable',
        );
      else if (!this.#broken) await this.#rollBack();
    }
    this.#commitSeconds = (performance.now() - startedAt) / 1000;
    this.client.off('notice', onNotice);
    await Promise.all(this.#sent.splice(0));
    await this.#end();
    if (!this.#failed && !confirmed)
      this.#note(
        new Unavailable('A commit was not confirmed by every server.', 'database_unreachable'),
        'commit',
      );
    // COMMIT of a failed transaction reports ROLLBACK, and no error.
    if (!this.#failed && tag !== 'COMMIT')
      this.#note(new DatabaseError(`PostgreSQL responded to COMMIT with ${tag}.`), 'commit');
    if (this.#failed) throw this.#failure;
  }

  /** From sending COMMIT to its response, with the statement of `rowsAndCommit`. */
  get commitSeconds(): number {
    return this.#commitSeconds;
  }

  /** Never throws: the error that caused the rollback is the one to report. */
  async rollback(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#sent.splice(0));
    if (!this.#broken && !this.#ended) await this.#rollBack();
    await this.#end();
  }

  async #rollBack(): Promise<void> {
    try {
      await this.statements.unprepared(this.client, 'ROLLBACK');
    } catch {
      this.#broken = true;
    }
  }

  /** The first error of any statement, or null. */
  get failure(): unknown {
    return this.#failed ? this.#failure : null;
  }

  /** Afterwards the connection may be in use by another transaction. */
  #requireOpen(name: string): void {
    if (this.#closing) throw new DatabaseError(`${name} was called after the end of its transaction.`);
  }

  #query<R>(statement: Statement, values: readonly Value[]): Promise<QueryResult<R>> {
    return this.options.prepared
      ? this.statements.prepared(this.client, statement, values)
      : this.statements.unprepared(this.client, statement.text, values);
  }

  #send(name: string, work: Promise<unknown>): void {
    this.#sent.push(
      work.then(
        () => {},
        (error) => {
          this.#note(error, name);
        },
      ),
    );
  }

  async #settled<T>(name: string, work: () => Promise<T>): Promise<T> {
    let result: T | undefined;
    try {
      result = await work();
    } catch (error) {
      // An earlier `send` may be the cause; its result has arrived before this one.
      await Promise.all(this.#sent.splice(0));
      this.#note(error, name);
    }
    await this.#settleSent();
    return result as T;
  }

  /** Waits for every `send`; throws the first error. */
  async #settleSent(): Promise<void> {
    await Promise.all(this.#sent.splice(0));
    if (this.#failed) throw this.#failure;
  }

  #note(error: unknown, statement: string): unknown {
    if (breaksConnection(error)) this.#broken = true;
    const reason = translateError(error, statement);
    if (!this.#failed) {
      this.#failed = true;
      this.#failure = reason;
    }
    return reason;
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
  database: { begin(): Promise<Transaction> },
  work: (session: TxSession) => Promise<T>,
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
