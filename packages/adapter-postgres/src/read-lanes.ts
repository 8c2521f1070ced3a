import { Unavailable } from '@svc/application';
import type pg from 'pg';
import { translated } from './faults.ts';
import type { Session, Statement, Value } from './session.ts';

interface Lane {
  client: Promise<pg.PoolClient> | null;
  underway: number;
}

/**
 * Reads outside transactions. A few connections, each shared by many reads at once: a read need not wait for the
 * answer to another before it is sent. That is worth more than a connection of its own for each.
 */
export class ReadLanes implements Session {
  readonly #lanes: Lane[];
  #closed = false;

  constructor(
    private readonly pool: pg.Pool,
    private readonly options: {
      readonly count: number;
      readonly prepared: boolean;
      /** False: each read borrows a connection for itself, as a pooler in transaction mode likes it best. */
      readonly shared: boolean;
    },
  ) {
    this.#lanes = Array.from({ length: options.count }, () => ({ client: null, underway: 0 }));
  }

  async rows<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
    const { name, text } = statement;
    const config: pg.QueryConfig = { text, values: values as unknown[] };
    if (this.options.prepared) config.name = name;
    try {
      const result = this.options.shared ? await this.#onLane(config) : await this.pool.query(config);
      return result.rows as R[];
    } catch (error) {
      throw translated(error, name);
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

  async #onLane(config: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.#closed) throw new Unavailable('The connection to PostgreSQL is closed.');
    const lane = this.#lanes.reduce((best, next) => (next.underway < best.underway ? next : best));
    lane.underway += 1;
    try {
      const client = await (lane.client ?? this.#connect(lane));
      return await client.query(config);
    } finally {
      lane.underway -= 1;
    }
  }

  #connect(lane: Lane): Promise<pg.PoolClient> {
    const connecting = this.pool.connect();
    lane.client = connecting;
    connecting.then(
      (client) => {
        const lost = (): void => {
          client.removeListener('end', lost);
          if (lane.client !== connecting) return;
          lane.client = null;
          client.release(true);
        };
        // Listening also keeps an error of the connection from ending the process.
        client.on('error', lost);
        client.on('end', lost);
      },
      () => {
        lane.client = null;
      },
    );
    return connecting;
  }
}
