import { Unavailable } from '@svc/application';
import type pg from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import { breaksConnection, DatabaseError, translateError } from './errors.ts';
import type { Statement, TxSession, Value } from './session.ts';
import type { QueryResult, StatementRunner } from './statement-runner.ts';

/** How a database wants to be spoken to. */
export interface Dialect {
  /** Prepared statements by name; a pooler that hands out another connection each time may not know them. */
  readonly prepared: boolean;
  /** Opens a transaction, with its timeouts where the connection itself cannot carry them. */
  readonly begin: string;
}

/**
 * A transaction on one connection of the pool. Statements travel without waiting for one another's answers, so BEGIN
 * and everything sent without waiting cost no round trip of their own; the server still runs them one by one.
 */
export class Transaction implements TxSession {
  /** The first failure; PostgreSQL refuses everything after it, so it alone says what happened. */
  #failure: unknown = null;
  #failed = false;
  #broken = false;
  #closing = false;
  #ended = false;
  /** Writes under way of which the number of rows decides whether they went well. */
  #judging = 0;
  readonly #sent: Promise<void>[] = [];

  private constructor(
    private readonly runner: QueryRunner,
    private readonly client: pg.PoolClient,
    private readonly dialect: Dialect,
    private readonly statements: StatementRunner,
  ) {}

  static async begin(runner: QueryRunner, dialect: Dialect, asking: StatementRunner): Promise<Transaction> {
    let client: pg.PoolClient;
    try {
      client = (await runner.connect()) as pg.PoolClient;
    } catch (error) {
      await runner.release();
      throw translateError(error, 'connect');
    }
    const transaction = new Transaction(runner, client, dialect, asking);
    // TypeORM is told that a transaction is open, since it did not open it itself: it refuses to lock rows otherwise.
    Object.assign(runner, { isTransactionActive: true });
    transaction.#send('begin', asking.unprepared(client, dialect.begin));
    return transaction;
  }

  rows<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
    return this.#settled(statement.name, async () => (await this.#query<R>(statement, values)).rows);
  }

  send(statement: Statement, values: readonly Value[], judge?: (count: number) => Error | null): void {
    if (judge !== undefined) this.#judging += 1;
    const judged = this.#query(statement, values).then((result) => {
      if (judge === undefined) return;
      this.#judging -= 1;
      const complaint = judge(result.rowCount ?? 0);
      if (complaint !== null) throw complaint;
    });
    this.#send(statement.name, judged);
  }

  orm<T>(name: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (this.#closing) return Promise.reject(new DatabaseError(`${name} came after the end of its unit.`));
    return this.#settled(name, () => this.statements.withTimeout(this.client, work(this.runner.manager)));
  }

  /** @throws what failed first, whoever has looked at it before: a transaction with a failure in it is not committed. */
  async commit(): Promise<void> {
    // The server itself refuses to commit after a failure of its own, so only our own judgement must be waited for.
    if (this.#failed || this.#judging > 0) await this.#arrived();
    this.#closing = true;
    let tag: string | null = null;
    try {
      tag = (await this.statements.unprepared(this.client, 'COMMIT')).command;
    } catch (error) {
      await Promise.all(this.#sent.splice(0));
      this.#note(error, 'commit');
      // Whether the commit arrived is unknown, so the work must not be run again behind the caller's back.
      if (this.#broken) this.#failure = new Unavailable('PostgreSQL went away during a commit.');
    }
    await Promise.all(this.#sent.splice(0));
    await this.#end();
    if (this.#failed) throw this.#failure;
    // PostgreSQL answers the COMMIT of a failed transaction with a ROLLBACK, and no error.
    if (tag !== 'COMMIT') throw new DatabaseError(`PostgreSQL answered COMMIT with ${tag}.`);
  }

  /** Undoes everything that was not committed. Never throws: what went wrong before is what counts. */
  async rollback(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#sent.splice(0));
    if (!this.#broken && !this.#ended) {
      try {
        await this.statements.unprepared(this.client, 'ROLLBACK');
      } catch {
        this.#broken = true;
      }
    }
    await this.#end();
  }

  /** What failed first in here, if anything did. */
  get failure(): unknown {
    return this.#failed ? this.#failure : null;
  }

  #query<R>(statement: Statement, values: readonly Value[]): Promise<QueryResult<R>> {
    // Work that outlives its unit would run on a connection that belongs to somebody else by now.
    if (this.#closing)
      return Promise.reject(new DatabaseError(`${statement.name} came after the end of its unit.`));
    return this.dialect.prepared
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
      // What was sent before has been answered before, and PostgreSQL blames every later statement for its failure.
      await Promise.all(this.#sent.splice(0));
      this.#note(error, name);
    }
    await this.#arrived();
    return result as T;
  }

  /** Everything sent so far has been answered, and well. */
  async #arrived(): Promise<void> {
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
    // A connection in an unknown state goes back to nobody: the pool drops what is ending.
    if (this.#broken) void this.client.end();
    await this.runner.release();
  }
}
