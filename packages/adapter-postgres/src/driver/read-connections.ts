import { Unavailable } from '@svc/application';
import type pg from 'pg';
import { breaksConnection, translateError } from './errors.ts';
import type { Reads, Statement, Value } from './session.ts';
import type { QueryResult, StatementRunner } from './statement-runner.ts';

/** PostgreSQL then rejects writes: a failure of another statement could undo one, or cause it to be repeated. */
const READ_ONLY = 'SET default_transaction_read_only = on';

interface SharedConnection {
  client: Promise<pg.PoolClient> | null;
  pending: number;
}

/**
 * Reads outside transactions, pipelined: many reads share the few connections of a pool of their own, and each is sent
 * without waiting for the results before it. With a connection for each, concurrent reads take 3 times the processor time
 * here.
 */
export class PipelinedReads implements Reads {
  readonly #connections: SharedConnection[];
  /** The connection of this turn of the event loop: statements of one turn are sent together. */
  #current: SharedConnection | null = null;
  #closed = false;

  constructor(
    private readonly pool: pg.Pool,
    private readonly runner: StatementRunner,
    readonly onCitus: boolean,
  ) {
    this.#connections = Array.from({ length: pool.options.max }, () => ({ client: null, pending: 0 }));
  }

  get sharedConnections(): number {
    return this.#connections.length;
  }

  async rows<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
    return (await this.#run<R>(statement, values)).rows;
  }

  async eachRow<R>(statement: Statement, values: readonly Value[], onRow: (row: R) => void): Promise<void> {
    await this.#run(statement, values, onRow);
  }

  async #run<R>(
    statement: Statement,
    values: readonly Value[],
    onRow?: (row: R) => void,
  ): Promise<QueryResult<R>> {
    if (this.#closed) throw new Unavailable('The connections to PostgreSQL are closed.', 'draining');
    const connection = statement.balanced ? this.#leastPending() : this.#connectionOfTurn();
    connection.pending += 1;
    try {
      const client = await (connection.client ?? this.#connect(connection));
      return await this.runner.prepared<R>(client, statement, values, onRow);
    } catch (error) {
      throw translateError(error, statement.name);
    } finally {
      connection.pending -= 1;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const connection of this.#connections) {
      connection.client?.then(
        (client) => client.release(),
        () => {},
      );
      connection.client = null;
    }
    await this.pool.end();
  }

  #leastPending(): SharedConnection {
    return this.#connections.reduce((best, next) => (next.pending < best.pending ? next : best));
  }

  #connectionOfTurn(): SharedConnection {
    if (this.#current === null) {
      this.#current = this.#leastPending();
      process.nextTick(() => {
        this.#current = null;
      });
    }
    return this.#current;
  }

  #connect(connection: SharedConnection): Promise<pg.PoolClient> {
    const connecting = this.pool.connect();
    connection.client = connecting;
    const drop = (client?: pg.PoolClient): void => {
      if (connection.client !== connecting) return;
      connection.client = null;
      client?.release(true);
    };
    connecting.then(
      (client) => {
        client.on('error', () => drop(client));
        client.once('end', () => drop(client));
        this.runner.unprepared(client, READ_ONLY).catch(() => drop(client));
      },
      () => drop(),
    );
    return connecting;
  }
}

/** Statements outside transactions, unprepared, each on a pooled connection that it does not share. */
export class PooledReads implements Reads {
  /** @param begin opens a transaction with settings for each statement; null where the connection has them. */
  constructor(
    private readonly pool: pg.Pool,
    private readonly runner: StatementRunner,
    private readonly begin: string | null,
    readonly onCitus: boolean,
  ) {}

  async rows<R>({ name, text }: Statement, values: readonly Value[] = []): Promise<R[]> {
    let client: pg.PoolClient | undefined;
    let broken = false;
    try {
      client = await this.pool.connect();
      return (await this.#run(client, { text, values: values as unknown[] })).rows;
    } catch (error) {
      broken = breaksConnection(error);
      throw translateError(error, name);
    } finally {
      client?.release(broken);
    }
  }

  async eachRow<R>(statement: Statement, values: readonly Value[], onRow: (row: R) => void): Promise<void> {
    for (const row of await this.rows<R>(statement, values)) onRow(row);
  }

  /** All messages of a transaction are sent at once: no additional round trip. One timeout limits it, with its COMMIT. */
  async #run(client: pg.PoolClient, query: pg.QueryConfig): Promise<pg.QueryResult> {
    const { begin } = this;
    if (begin === null) return this.runner.withTimeout(client, () => client.query(query));
    const [begun, executed, committed] = await this.runner.withTimeout(client, () =>
      Promise.allSettled([client.query(begin), client.query(query), client.query('COMMIT')]),
    );
    for (const result of [begun, executed, committed]) if (result.status === 'rejected') throw result.reason;
    return (executed as PromiseFulfilledResult<pg.QueryResult>).value;
  }
}
