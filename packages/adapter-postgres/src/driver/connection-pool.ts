import { type ConnectionPool, type Metrics, Unavailable } from '@svc/application';
import pg from 'pg';

interface Limits {
  readonly metrics: Metrics;
  /** Callers that may wait for a connection; further ones fail at once. */
  readonly maxWaiting: number;
}

/**
 * The class of a pool that limits how many callers wait, and measures how long. A queue that is longer than what is
 * processed in the time a caller waits only makes all of them late.
 */
export const poolClass = ({ metrics, maxWaiting }: Limits): typeof pg.Pool =>
  class extends pg.Pool {
    // biome-ignore lint/suspicious/noExplicitAny: the driver's two overloads
    override connect(callback?: any): any {
      const connecting = this.#connect();
      if (callback === undefined) return connecting;
      connecting.then(
        (client) => callback(undefined, client, client.release),
        (error) => callback(error, undefined, () => {}),
      );
    }

    async #connect(): Promise<pg.PoolClient> {
      if (this.waitingCount >= maxWaiting) {
        throw new Unavailable('Too many requests wait for a connection to PostgreSQL.', 'database_pool');
      }
      const startedAt = performance.now();
      const client = await super.connect();
      metrics.connectionAwaited((performance.now() - startedAt) / 1000);
      return client;
    }
  };

export const poolState = (name: ConnectionPool['name'], pool: pg.Pool): ConnectionPool => ({
  name,
  max: pool.options.max,
  open: pool.totalCount,
  idle: pool.idleCount,
  waiting: pool.waitingCount,
});
