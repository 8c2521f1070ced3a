import { WORKERS_VARIABLE } from './citus.ts';
import { startPostgres } from './postgres.ts';
import { startRedis, startRedisCluster } from './redis.ts';

export type TestServers = Awaited<ReturnType<typeof startTestServers>>;

type Log = (line: string) => void;

interface Server {
  readonly url: string;
  /** The workers of a Citus cluster, whose coordinator is at `url`. */
  readonly workers?: readonly string[];
  stop(): Promise<void>;
}

/** By the environment variable that can name an existing server instead. */
const STARTERS: Record<string, (log: Log) => Promise<Server>> = {
  TEST_DATABASE_URL: startPostgres,
  TEST_REDIS_URL: (log) => startRedis({ log }),
  TEST_REDIS_CLUSTER_URL: (log) => startRedisCluster({ log }),
};

/** Starts every server that the environment does not name, once for all test files of a run. */
export async function startTestServers(log: Log) {
  const results = await Promise.allSettled(
    Object.entries(STARTERS)
      .filter(([variable]) => !process.env[variable])
      .map(async ([variable, start]) => ({ variable, server: await start(log) })),
  );
  const running = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async () => {
    await Promise.allSettled(running.map(({ server }) => server.stop()));
  };
  const failures = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as Error] : [],
  );
  if (failures.length > 0) {
    await stop();
    // Redis and its cluster fail with the same message.
    throw new Error([...new Set(failures.map((failure) => failure.message))].join('\n'), {
      cause: failures[0],
    });
  }
  return {
    /** Their URLs by environment variable. */
    variables: Object.fromEntries(
      running.flatMap(({ variable, server: { url, workers } }) => [
        [variable, url],
        ...(workers === undefined ? [] : [[WORKERS_VARIABLE, workers.join(' ')]]),
      ]),
    ) as Record<string, string>,
    stop,
  };
}
