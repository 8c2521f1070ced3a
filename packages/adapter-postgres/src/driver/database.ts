import 'reflect-metadata';
import { type ConnectionPool, type Metrics, NO_METRICS } from '@svc/application';
import type pg from 'pg';
import { type DatabaseLog, SILENT } from '../log.ts';
import { ENTITIES } from '../schema/entities.ts';
import { BatchedSocket } from './batched-socket.ts';
import { columnTypes } from './column-types.ts';
import { ConnectionFailures } from './connection-failures.ts';
import { dataSourceOn, poolClass, poolState } from './connection-pool.ts';
import { translateError } from './errors.ts';
import type { CancelableExecutor, Executor, OpenTransaction, Orm } from './executor.ts';
import { isBehindPooler } from './pooler.ts';
import { PipelinedReads, PooledExecutor } from './read-connections.ts';
import { type DatabaseUrl, Servers } from './servers.ts';
import {
  beginWithSettings,
  ONE_PLAN,
  PLAN_FOR_VALUES,
  SERVICE_SETTINGS,
  type SessionSettings,
} from './session-settings.ts';
import { Transaction, type TransactionOptions, transact } from './transaction.ts';
import { within } from './within.ts';

export interface DatabaseOptions {
  readonly url: DatabaseUrl;
  /** Connections of this process; the job queue opens a few more. */
  readonly poolMax?: number | undefined;
  /** To open a connection, or to wait for a free one. */
  readonly connectTimeoutMs?: number | undefined;
  readonly statementTimeoutMs?: number | undefined;
  readonly lockTimeoutMs?: number | undefined;
  readonly idleInTransactionTimeoutMs?: number | undefined;
  /** Whether the URL leads to a pooler in transaction mode (PgBouncer). Default: detected. */
  readonly pooler?: boolean | undefined;
  readonly log?: DatabaseLog | undefined;
  readonly metrics?: Metrics | undefined;
  /** Called for each new connection. */
  readonly onConnected?: (() => void) | undefined;
  /** Settings of each connection, besides those of the service; by default, one plan for each statement. */
  readonly settingsOf?:
    | ((query: (text: string) => Promise<{ yes: boolean }[]>) => Promise<SessionSettings>)
    | undefined;
}

export interface Database {
  readonly reads: Executor;
  /** Each statement on its own connection: long ones do not delay the reads of requests. */
  readonly maintenance: CancelableExecutor;
  /**
   * For statements that a transaction waits for, such as those for data keys: they never wait for a connection that
   * transactions hold, nor for reads of requests, which may wait for a lock of the transaction; and reads never for a
   * write, which may wait for a standby.
   */
  readonly reserved: { readonly reads: Executor; readonly writes: Executor };
  begin(): Promise<OpenTransaction>;
  /** In a transaction. */
  readonly orm: Orm;
  ping(timeoutMs: number): Promise<void>;
  readonly behindPooler: boolean;
  readonly metrics: Metrics;
  /** Other connections to the same server, which the caller closes. Behind a pooler, without the settings. */
  openPool(config: pg.PoolConfig, settings: SessionSettings): pg.Pool;
  pool(): ConnectionPool;
  close(): Promise<void>;
}

const NO_RESPONSE = 'PostgreSQL did not respond in time.';

const APPLICATION_NAME = 'claim-assignment';

/** The server enforces the statement timeout; this much later the client gives up on an unreachable server. */
const TIMEOUT_MARGIN_MS = 1000;

/**
 * Opens the pool. Timeouts and plan settings are startup parameters of each connection. A pooler in transaction mode
 * rejects those and assigns a server connection for one transaction at a time, so there each transaction begins with
 * its settings, and statements are not prepared.
 */
export async function openDatabase({
  url,
  poolMax = 10,
  connectTimeoutMs = 2000,
  statementTimeoutMs = 10_000,
  lockTimeoutMs = 8000,
  idleInTransactionTimeoutMs = 10_000,
  pooler,
  log = SILENT,
  metrics = NO_METRICS,
  onConnected = () => {},
  settingsOf = async () => ONE_PLAN,
}: DatabaseOptions): Promise<Database> {
  const servers = new Servers(url, log, connectTimeoutMs);
  const behindPooler = pooler ?? (await isBehindPooler(servers, APPLICATION_NAME));
  const settings = await servers.onConnection(
    'connect',
    { application_name: APPLICATION_NAME, query_timeout: connectTimeoutMs },
    (client) => settingsOf(async (text) => (await client.query(text)).rows),
  );
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  };
  const beginWith = behindPooler
    ? beginWithSettings({
        ...SERVICE_SETTINGS,
        ...Object.fromEntries(Object.entries(timeouts).map(([name, ms]) => [name, String(Math.trunc(ms))])),
      })
    : null;
  const connectionFailures = new ConnectionFailures(log);
  const clientWith = (settings: SessionSettings) =>
    connectionFailures.clientOf(servers, behindPooler ? {} : settings);
  const timeoutMs = statementTimeoutMs + TIMEOUT_MARGIN_MS;
  const shared = {
    application_name: APPLICATION_NAME,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
  } satisfies pg.PoolConfig;
  const poolOptions = {
    ...shared,
    types: columnTypes,
    Client: clientWith({ ...SERVICE_SETTINGS, ...settings }),
    stream: () => new BatchedSocket(),
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: 60_000,
    query_timeout: timeoutMs,
    ...(!behindPooler && timeouts),
  } satisfies pg.PoolConfig;
  // Each connection carries many reads; a second one keeps a slow page from delaying all of them.
  const connections = Math.max(2, poolMax);
  const readConnections = connections >= 4 ? 2 : 1;
  const pool = new (poolClass(metrics, servers))({
    ...poolOptions,
    max: behindPooler ? connections : connections - readConnections,
  });
  pool.on('connect', onConnected);
  const dataSource = dataSourceOn(pool, {
    entities: ENTITIES,
    poolErrorHandler: (error: Error & { code?: string }) =>
      log.warn('an idle PostgreSQL connection was lost', { code: error.code ?? 'connection' }),
  });
  try {
    await within(timeoutMs, dataSource.initialize(), NO_RESPONSE);
  } catch (error) {
    await pool.end();
    throw translateError(error, 'connect');
  }
  const transactionOptions: TransactionOptions = {
    prepared: !behindPooler,
    begin: beginWith ?? 'BEGIN',
  };
  /** Opens its connections when they are first used. The number of waiting callers is limited elsewhere, by admission. */
  const ownPool = (max: number): pg.Pool => {
    const own = new (poolClass(metrics, servers, Number.POSITIVE_INFINITY))({ ...poolOptions, max });
    own.on('error', () => {}); // the pool has removed the connection; it opens a new one on demand
    own.on('connect', onConnected);
    return own;
  };
  const readPool = ownPool(readConnections);
  const pipelined = new PipelinedReads(readPool);
  const maintenance = new PooledExecutor(
    pool,
    beginWith ?? `BEGIN; ${PLAN_FOR_VALUES.text}`,
    behindPooler ? null : pipelined,
  );
  const reads = behindPooler ? maintenance : pipelined;
  const begin = () => Transaction.begin(dataSource.createQueryRunner(), transactionOptions);
  const [reservedForReads, reservedForWrites] = [ownPool(1), ownPool(1)];
  return {
    reads,
    maintenance,
    reserved: {
      reads: new PooledExecutor(reservedForReads, beginWith),
      writes: new PooledExecutor(reservedForWrites, beginWith),
    },
    behindPooler,
    metrics,
    openPool(config, settings) {
      const own = new (poolClass(metrics, servers))({ ...shared, Client: clientWith(settings), ...config });
      own.on('error', () => {}); // the pool has removed the connection; it opens a new one on demand
      return own;
    },
    pool: () => poolState('requests', behindPooler ? [pool] : [pool, readPool]),
    begin,
    orm: (name, work) => transact({ begin }, (transaction) => transaction.orm(name, work)),
    async ping(timeoutMs) {
      await within(timeoutMs, reads.rows({ name: 'ping', text: 'SELECT 1' }), NO_RESPONSE);
    },
    async close() {
      await Promise.all([
        pipelined.close(),
        dataSource.destroy(),
        reservedForReads.end(),
        reservedForWrites.end(),
      ]);
    },
  };
}
