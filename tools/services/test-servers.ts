import { startPostgres } from './postgres.ts';
import { startRedis, startRedisCluster } from './redis.ts';

type Variables = Record<string, string>;

export interface TestServers {
  /** Where they are, under the names that tests read. */
  readonly variables: Readonly<Variables>;
  stop(): Promise<void>;
}

type Log = (line: string) => void;

/** By the variable that leads to it, which a developer may point to a server of their own instead. */
const STARTERS: Record<string, (log: Log) => Promise<{ url: string; stop(): Promise<void> }>> = {
  TEST_DATABASE_URL: startPostgres,
  TEST_REDIS_URL: (log) => startRedis({ log }),
  TEST_REDIS_CLUSTER_URL: (log) => startRedisCluster({ log }),
};

/** Starts every server that the environment does not name; one set serves all test files of a run. */
export async function startTestServers(log: Log): Promise<TestServers> {
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
    // Redis and its cluster fail for the same reason: it need not be read twice.
    throw new Error([...new Set(failures.map((failure) => failure.message))].join('\n'), {
      cause: failures[0],
    });
  }
  return {
    variables: Object.fromEntries(running.map(({ variable, server }) => [variable, server.url])),
    stop,
  };
}
