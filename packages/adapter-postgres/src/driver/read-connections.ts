import { Unavailable } from '@svc/application';
import type pg from 'pg';
import { corkWrites } from './cork-writes.ts';
import { breaksConnection, translateError } from './errors.ts';
import type { Session, Statement, Value } from './session.ts';
import { inTransaction } from './single-statement.ts';
import type { StatementRunner } from './statement-runner.ts';

interface SharedConnection {
  client: Promise<pg.PoolClient> | null;
  underway: number;
}

/**
 * Reads outside transactions. A few connections, each shared by many reads at once: a read need not wait for the
 * answer to another before it is sent. That is worth more than a connection of its own for each.
 */
export class PipelinedReads implements Session {
  readonly #lanes: SharedConnection[];
  #closed = false;

  constructor(
    private readonly pool: pg.Pool,
    private readonly runner: StatementRunner,
    count: number,
  ) {
    this.#lanes = Array.from({ length: count }, () => ({ client: null, underway: 0 }));
  }

  async rows<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
    if (this.#closed) throw new Unavailable('The connection to PostgreSQL is closed.');
    const lane = this.#lanes.reduce((best, next) => (next.underway < best.underway ? next : best));
    lane.underway += 1;
    try {
      const client = await (lane.client ?? this.#connect(lane));
      return (await this.runner.prepared<R>(client, statement, values)).rows;
    } catch (error) {
      throw translateError(error, statement.name);
    } finally {
      lane.underway -= 1;
    }
  }

  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes) {
      lane.client?.then(
        (client) => client.release(),
        () => {},
      );
      lane.client = null;
    }
  }

  #connect(lane: SharedConnection): Promise<pg.PoolClient> {
    const connecting = this.pool.connect();
    lane.client = connecting;
    const drop = (client?: pg.PoolClient): void => {
      if (lane.client !== connecting) return;
      lane.client = null;
      client?.release(true);
    };
    connecting.then(
      (client) => {
        // Listening also keeps an error of the connection from ending the process.
        client.on('error', () => drop(client));
        client.once('end', () => drop(client));
      },
      () => drop(),
    );
    return connecting;
  }
}

/** Statements each on a connection it borrows for itself, and unprepared. */
export class PooledReads implements Session {
  /** @param begin opens a transaction for each statement, where the connection cannot carry the settings. */
  constructor(
    private readonly pool: pg.Pool,
    private readonly timeoutMs: number,
    private readonly begin: string | null,
  ) {}

  async rows<R>({ name, text }: Statement, values: readonly Value[] = []): Promise<R[]> {
    const query = { text, values: values as unknown[], query_timeout: this.timeoutMs };
    try {
      if (this.begin === null) return (await this.pool.query(query)).rows;
      return (await this.#inTransaction(this.begin, query)).rows;
    } catch (error) {
      throw translateError(error, name);
    }
  }

  async #inTransaction(begin: string, query: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.pool.connect();
    let broken = false;
    try {
      corkWrites(client);
      return await inTransaction(client, begin, query);
    } catch (error) {
      broken = breaksConnection(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }
}
