import { distribute } from '@svc/adapter-postgres';
import { startTemporaryPostgres } from '@svc/embedded-postgres';
import pg from 'pg';
import { systemPostgresBinaries } from './system-postgres.ts';

/** URLs of the workers, separated by spaces, when the tests run on Citus. */
export const WORKERS_VARIABLE = 'TEST_CITUS_WORKERS';

const SETTINGS = {
  shared_preload_libraries: 'citus',
  max_prepared_transactions: '400',
  max_connections: '400',
  // Fewer than the default of 32: the tests create and drop many databases.
  'citus.shard_count': '4',
  'citus.max_cached_conns_per_worker': '1',
};

export interface CitusServers {
  /** Of the coordinator. */
  readonly url: string;
  readonly pid: number;
  readonly workers: readonly string[];
  stop(): Promise<void>;
}

/** A coordinator and two workers of the system's PostgreSQL, which must have Citus installed. */
export async function startCitus(log: (line: string) => void = () => {}): Promise<CitusServers> {
  const binaries = await systemPostgresBinaries(log);
  const start = () => startTemporaryPostgres({ log, binaries, settings: SETTINGS });
  const [coordinator, ...workers] = [await start(), await start(), await start()] as const;
  const password = new URL(coordinator.url).password;
  const urls = await Promise.all(
    workers.map(async ({ url }) => {
      // Nodes connect to each other as the same role, so it has one password.
      await run(url, `ALTER ROLE ${new URL(url).username} PASSWORD '${password}'`);
      const changed = new URL(url);
      changed.password = password;
      return changed.href;
    }),
  );
  process.env[WORKERS_VARIABLE] = urls.join(' ');
  return {
    url: coordinator.url,
    pid: coordinator.pid,
    workers: urls,
    async stop() {
      await Promise.all([coordinator, ...workers].map((server) => server.stop()));
    },
  };
}

/** Coordinator and workers; only the server itself without Citus. */
export const nodesOf = (server: string): readonly string[] => [
  server,
  ...(process.env[WORKERS_VARIABLE]?.split(' ') ?? []),
];

export const onCitus = (): boolean => process.env[WORKERS_VARIABLE] !== undefined;

/** Makes one database of the databases of this name on all nodes. */
export async function joinNodes(urls: readonly string[]): Promise<void> {
  const [coordinator, ...workers] = urls.map((url) => new URL(url)) as [URL, ...URL[]];
  for (const url of urls) {
    await run(
      url,
      'CREATE EXTENSION citus',
      `INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo)
         VALUES (0, current_user, 'password=${coordinator.password}')`,
    );
  }
  await run(
    coordinator.href,
    `SELECT citus_set_coordinator_host('${coordinator.hostname}', ${coordinator.port})`,
    ...workers.map(({ hostname, port }) => `SELECT citus_add_node('${hostname}', ${port})`),
  );
}

export const distributeTables = (url: string): Promise<unknown> => distribute({ url });

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
