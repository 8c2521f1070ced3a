import 'reflect-metadata';
import { Unavailable } from '@svc/application';
import pg from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { DatabaseLog } from '../log.ts';
import { ENTITIES } from '../schema/entities.ts';
import { columnTypes } from './column-types.ts';
import { ConnectionFailures } from './connection-failures.ts';
import { translateError } from './errors.ts';
import { PipelinedReads, PooledReads } from './read-connections.ts';
import type { Session } from './session.ts';
import { beginWithSettings, PLAN_SETTINGS, urlWithSettings } from './session-settings.ts';
import { StatementRunner } from './statement-runner.ts';
import { type Dialect, Transaction } from './transaction.ts';

interface DatabaseOptions {
  readonly url: string;
  /** Connections of this process, the ones for reads included; the job queue has its own. */
  readonly poolMax: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  /** Whether a pooler in transaction mode stands in between; found out when left open. */
  readonly pooler: boolean | undefined;
  readonly log: DatabaseLog;
}

export interface Database {
  readonly reads: Session;
  /** Each statement on a connection of its own: for what runs longer than a request would like to wait. */
  readonly maintenance: Session;
  begin(): Promise<Transaction>;
  ping(timeoutMs: number): Promise<void>;
  readonly behindPooler: boolean;
  /** Also for pools that are opened beside this one. */
  readonly connectionFailures: ConnectionFailures;
  close(): Promise<void>;
}

/** How the server's operator tells these connections from others. */
const APPLICATION = 'claim-assignment';

/** The server's own limits end a statement; this much later the client stops waiting for a server that is gone. */
const GRACE = 1000;

/**
 * Opens the pool. Timeouts belong to the connection where it is ours alone, and cost nothing then. A pooler in
 * transaction mode refuses them in the startup packet and lends out a connection for one transaction at a time, so
 * there each transaction opens with its own, and statements go unprepared.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const behindPooler = options.pooler ?? (await probe(options));
  const timeouts = {
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs,
  };
  const begin = behindPooler
    ? beginWithSettings({
        ...PLAN_SETTINGS,
        ...Object.fromEntries(Object.entries(timeouts).map(([name, ms]) => [name, String(Math.trunc(ms))])),
      })
    : null;
  const dialect: Dialect = { prepared: !behindPooler, begin: begin ?? 'BEGIN' };
  const connectionFailures = new ConnectionFailures(options.log);
  const dataSource = new DataSource({
    type: 'postgres',
    url: behindPooler ? options.url : urlWithSettings(options.url, PLAN_SETTINGS),
    applicationName: APPLICATION,
    poolSize: options.poolMax,
    connectTimeoutMS: options.connectTimeoutMs,
    entities: ENTITIES,
    synchronize: false,
    logging: false,
    installExtensions: false,
    poolErrorHandler: (error: Error & { code?: string }) =>
      options.log.warn('an idle PostgreSQL connection was lost', { code: error.code ?? 'connection' }),
    extra: {
      types: columnTypes,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      idleTimeoutMillis: 60_000,
      ...(!behindPooler && timeouts),
    },
  });
  const timeoutMs = options.statementTimeoutMs + GRACE;
  try {
    await within(timeoutMs, dataSource.initialize());
  } catch (error) {
    throw translateError(error, 'connect');
  }
  const pool = (dataSource.driver as PostgresDriver).master as pg.Pool;
  ignoreConnectErrors(pool);
  connectionFailures.watch(pool);
  // Two are enough: each carries many reads at once. A single one would let one slow page hold up all the rest.
  const statements = new StatementRunner(timeoutMs);
  const pipelined = new PipelinedReads(pool, statements, options.poolMax >= 4 ? 2 : 1);
  const maintenance = new PooledReads(pool, timeoutMs, begin);
  const reads = behindPooler ? maintenance : pipelined;
  return {
    reads,
    maintenance,
    behindPooler,
    connectionFailures,
    begin: () => Transaction.begin(dataSource.createQueryRunner(), dialect, statements),
    ping: (timeoutMs) => within(timeoutMs, reads.rows({ name: 'ping', text: 'SELECT 1' })),
    async close() {
      pipelined.close();
      await dataSource.destroy();
    },
  };
}

/**
 * A server that ends may say so in the very packet that opens the connection: before whoever asked for it can listen.
 * An error that nobody listens to would end the process.
 */
export function ignoreConnectErrors(pool: pg.Pool): void {
  pool.on('connect', (client) => client.on('error', () => {}));
}

/** A pooler makes up the backend's id that it tells its client. */
async function probe(options: DatabaseOptions): Promise<boolean> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: APPLICATION,
    connectionTimeoutMillis: options.connectTimeoutMs,
    query_timeout: options.connectTimeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    return rows[0].pid !== (client as pg.Client & { processID: number }).processID;
  } catch (error) {
    throw translateError(error, 'connect');
  } finally {
    client.end().catch(() => {});
  }
}

async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unavailable('PostgreSQL did not answer in time.')), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
