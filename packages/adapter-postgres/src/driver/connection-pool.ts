import { type ConnectionPool, type Metrics, Unavailable } from '@svc/application';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { isDriverError } from './errors.ts';
import type { Servers } from './servers.ts';

/** For 10 connections that are used for 5 ms at a time, the last of these waits a fifth of a second. */
const MAX_WAITING_PER_CONNECTION = 40;

/**
 * The class of a pool that limits how many callers wait, and measures how long. A queue that is longer than what is
 * processed in the time a caller waits only makes all of them late.
 */
export const poolClass = (
  metrics: Metrics,
  servers: Servers,
  maxWaitingPerConnection = MAX_WAITING_PER_CONNECTION,
): typeof pg.Pool =>
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
      const startedAt = performance.now();
      // After the server was found: callers that waited for it are not in the pool's queue yet.
      const client = await servers.connect(() => {
        if (this.waitingCount >= maxWaitingPerConnection * this.options.max)
          throw new Unavailable('Too many requests wait for a connection to PostgreSQL.', 'database_pool');
        const mustWait = this.waitingCount >= this.idleCount + this.options.max - this.totalCount;
        return super.connect().catch((error) => {
          if (mustWait && isDriverError(error))
            throw new Unavailable('No connection to PostgreSQL became free in time.', 'database_pool');
          throw error;
        });
      });
      metrics.connectionAwaited((performance.now() - startedAt) / 1000);
      return client;
    }
  };

/** TypeORM with the connections of a pool: it takes the one that the driver in its options creates. */
export function dataSourceOn(
  pool: pg.Pool,
  options: Omit<Extract<DataSourceOptions, { type: 'postgres' }>, 'type' | 'driver'>,
): DataSource {
  function Pool(): pg.Pool {
    return pool;
  }
  return new DataSource({ ...options, type: 'postgres', driver: { ...pg, Pool }, installExtensions: false });
}

export function poolState(name: ConnectionPool['name'], pools: readonly pg.Pool[]): ConnectionPool {
  const sum = (count: (pool: pg.Pool) => number): number =>
    pools.reduce((total, pool) => total + count(pool), 0);
  return {
    name,
    max: sum((pool) => pool.options.max),
    open: sum((pool) => pool.totalCount),
    idle: sum((pool) => pool.idleCount),
    waiting: sum((pool) => pool.waitingCount),
  };
}
