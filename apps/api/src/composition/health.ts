import type { PostgresStores } from '@svc/adapter-postgres';
import type { connectRedis } from '@svc/adapter-redis';
import { Unavailable } from '@svc/application';
import { MINUTE } from '@svc/domain';
import { createStatusMonitor } from '../http/status/status.ts';
import type { Log } from '../logging.ts';

/** How long a ping of the database is reused. */
const PING_CACHE_MS = 250;
const PING_TIMEOUT_MS = 900;
/** How often the status is observed while nobody asks for it: the precision of its times. */
const STATUS_INTERVAL_MS = 1000;
/** Beyond it, a process is not ready. It stamps with the time of the database, but its machine is set up wrongly. */
const MAX_CLOCK_DIFFERENCE_MS = MINUTE;

type CheckedStores = Pick<PostgresStores, 'ping' | 'clock' | 'clockAheadMs'> & {
  readonly operatorReads: Pick<PostgresStores['operatorReads'], 'latestRestamp'>;
};

/** What is up, for `/status`, and whether this process can serve requests, for `/v1/health`. */
export function createHealth({
  stores,
  redis,
  isDraining,
  log,
}: {
  readonly stores: CheckedStores;
  readonly redis: Pick<ReturnType<typeof connectRedis>, 'state'> | null;
  readonly isDraining: () => boolean;
  readonly log: Log;
}) {
  const pingDatabase = createDatabasePing(stores);
  const clockProblem = createClockProblem(stores, log);
  const status = createStatusMonitor({
    checks: {
      api: async () => !isDraining(),
      database: () => pingDatabase().then(() => true),
      ...(redis !== null && { redis: async () => redis.state().status === 'up' }),
    },
    async latestRestore() {
      const restamp = await stores.operatorReads.latestRestamp();
      return restamp === null ? null : { to: restamp.since, at: restamp.startedAt };
    },
    now: stores.clock.now,
  });
  const timer = setInterval(() => {
    void status.observe();
    clockProblem();
  }, STATUS_INTERVAL_MS).unref();
  return {
    status,
    /** @throws Unavailable */
    async check(): Promise<void> {
      if (isDraining()) throw new Unavailable('the service is shutting down', 'draining');
      await pingDatabase();
      const problem = clockProblem();
      if (problem !== null) throw new Unavailable(problem, 'clock');
    },
    stop: () => clearInterval(timer),
  };
}

/** Why the clock of the process is wrong, or null; the log says when that changes. */
function createClockProblem({ clockAheadMs }: CheckedStores, log: Log): () => string | null {
  let wasWrong = false;
  return () => {
    const aheadMs = clockAheadMs();
    const isWrong = Math.abs(aheadMs) > MAX_CLOCK_DIFFERENCE_MS;
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    const difference = `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the database.`;
    if (isWrong && !wasWrong)
      log.error('not ready: the clock of this machine is wrong', { clock_ahead_ms: Math.round(aheadMs) });
    if (!isWrong && wasWrong) log.info('the clock of this machine is right again');
    wasWrong = isWrong;
    return isWrong ? difference : null;
  };
}

/** Pings the database at most four times a second, for `/v1/health` and `/status` together: clients poll both. */
function createDatabasePing(stores: CheckedStores): () => Promise<void> {
  let ping: Promise<void> = Promise.resolve();
  let pingedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - pingedAt > PING_CACHE_MS) {
      pingedAt = now;
      ping = stores.ping(PING_TIMEOUT_MS);
      ping.catch(() => {}); // each caller awaits it
    }
    return ping;
  };
}
