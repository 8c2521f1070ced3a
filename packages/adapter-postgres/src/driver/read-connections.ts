import { Unavailable } from '@svc/application';
import type pg from 'pg';
import { breaksConnection, isUnprepared, translateError } from './errors.ts';
import { type CancelableExecutor, type Executor, type Statement, sql, type Value } from './executor.ts';

/** PostgreSQL then rejects writes, since a read may run twice. */
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
export class PipelinedReads implements Executor {
  readonly #connections: SharedConnection[];
  #closed = false;

  constructor(private readonly pool: pg.Pool) {
    this.#connections = Array.from({ length: pool.options.max }, () => ({ client: null, pending: 0 }));
  }

  rows<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
    return this.#rows(statement, values, true);
  }

  async #rows<R>(statement: Statement, values: readonly Value[], mayRepeat: boolean): Promise<R[]> {
    if (this.#closed) throw new Unavailable('The connections to PostgreSQL are closed.', 'draining');
    const { name, text } = statement;
    const connection = this.#connections.reduce((best, next) => (next.pending < best.pending ? next : best));
    const connecting = connection.client ?? this.#connect(connection);
    connection.pending += 1;
    try {
      const client = await connecting;
      return (await client.query({ name, text, values: values as unknown[] })).rows;
    } catch (error) {
      if (!mayRepeat || !isUnprepared(error)) throw translateError(error, name);
      if (connection.client === connecting) this.#drop(connection);
    } finally {
      connection.pending -= 1;
    }
    return this.#rows(statement, values, false);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const connection of this.#connections) this.#drop(connection);
    await this.pool.end();
  }

  #connect(connection: SharedConnection): Promise<pg.PoolClient> {
    const connecting = this.pool.connect();
    connection.client = connecting;
    const drop = (): void => {
      if (connection.client === connecting) this.#drop(connection);
    };
    connecting.then((client) => {
      client.once('error', drop);
      client.once('end', drop);
      client.query(READ_ONLY).catch(drop);
    }, drop);
    return connecting;
  }

  /** Its pending statements end first; later ones open a new connection. */
  #drop(connection: SharedConnection): void {
    connection.client?.then(
      (client) => client.release(true),
      () => {},
    );
    connection.client = null;
  }
}

const PROCESS_ID = 'SELECT pg_backend_pid() AS pid';
const CANCEL = sql('cancel_statement', 'SELECT pg_cancel_backend($1::integer)');

/** Statements outside transactions, unprepared, each on a pooled connection that it does not share. */
export class PooledExecutor implements CancelableExecutor {
  /**
   * @param begin opens a transaction with settings for each statement; null where the connection has them.
   * @param canceler cancels statements; null behind a pooler, which does not say which process has a statement.
   */
  constructor(
    private readonly pool: pg.Pool,
    private readonly begin: string | null,
    private readonly canceler: Executor | null = null,
  ) {}

  async rows<R>(statement: Statement, values: readonly Value[] = [], signal?: AbortSignal): Promise<R[]> {
    const { name, text } = statement;
    let client: pg.PoolClient | undefined;
    let broken = false;
    let cancel = (): void => {};
    try {
      client = await this.pool.connect();
      if (signal?.aborted === true) throw new Unavailable('Nobody waits for the statement.', 'other');
      const { canceler } = this;
      if (canceler !== null && signal !== undefined) {
        // Sent with the statement: no round trip.
        const found = client.query<{ pid: number }>(PROCESS_ID).catch(() => null);
        cancel = () => {
          // A late cancellation must not end the next statement of the connection.
          broken = true;
          found
            .then((result) => result && canceler.rows(CANCEL, [result.rows[0]?.pid ?? null]))
            .catch(() => {});
        };
        signal.addEventListener('abort', cancel, { once: true });
      }
      return (await this.#run(client, { text, values: values as unknown[] })).rows;
    } catch (error) {
      broken ||= breaksConnection(error);
      throw translateError(error, name);
    } finally {
      signal?.removeEventListener('abort', cancel);
      client?.release(broken);
    }
  }

  /** All messages of a transaction are sent at once: no additional round trip. */
  async #run(client: pg.PoolClient, query: pg.QueryConfig): Promise<pg.QueryResult> {
    const { begin } = this;
    if (begin === null) return client.query(query);
    const [begun, executed, committed] = await Promise.allSettled([
      client.query(begin),
      client.query(query),
      client.query('COMMIT'),
    ]);
    for (const result of [begun, executed, committed]) if (result.status === 'rejected') throw result.reason;
    return (executed as PromiseFulfilledResult<pg.QueryResult>).value;
  }
}
