import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Binaries, createTemporaryFolder, SELF, startTemporaryPostgres } from '@svc/embedded-postgres';
import pg from 'pg';
import { systemPostgresBinaries } from './system-postgres.ts';

/** URLs of the workers, separated by spaces, when the tests run on Citus. */
export const WORKERS_VARIABLE = 'TEST_CITUS_WORKERS';

const CLUSTER_ROLE = 'citus_nodes';

export const CITUS_SETTINGS = {
  shared_preload_libraries: 'citus',
  max_prepared_transactions: '400',
  max_connections: '400',
  // Fewer than the default of 32: the tests create and drop many databases.
  'citus.shard_count': '4',
  'citus.max_cached_conns_per_worker': '1',
  // Rows of a transaction that a crash interrupted between its two phases stay locked until then.
  'citus.recover_2pc_interval': '2s',
};

/** The system's PostgreSQL with Citus, which is built from the archive in TEST_CITUS_SOURCE if it is not installed. */
export async function citusBinaries(log: (line: string) => void): Promise<Binaries> {
  const binaries = await systemPostgresBinaries(log);
  // What is on the PATH may be a link.
  const pgConfig = join(dirname(realpathSync(binaries.postgres)), 'pg_config');
  const directory = (option: string): string => execFileSync(pgConfig, [option], { encoding: 'utf8' }).trim();
  if (existsSync(join(directory('--sharedir'), 'extension', 'citus.control'))) return binaries;
  const archive = process.env.TEST_CITUS_SOURCE;
  if (archive === undefined)
    throw new Error(
      'These tests need the extension Citus in the PostgreSQL of this machine: install it, or set TEST_CITUS_SOURCE to an archive of its source.',
    );
  log('Building Citus, which takes some minutes …');
  const folder = await createTemporaryFolder(SELF);
  try {
    execFileSync('tar', ['-xf', archive, '-C', folder, '--strip-components=1']);
    const commands = readFileSync(join(directory('--includedir-server'), 'commands', 'dbcommands.h'), 'utf8');
    if (commands.includes('have_createdb_privilege')) removeCopyOfServerFunction(folder);
    const options = { cwd: folder, env: { ...process.env, PG_CONFIG: pgConfig }, stdio: 'pipe' } as const;
    execFileSync('./configure', options);
    execFileSync('make', ['-j2'], options);
    execFileSync('make', ['install'], options);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return binaries;
}

/** Since 15.18 the server has this function, of which Citus 13.2 has a copy for PostgreSQL 15. */
function removeCopyOfServerFunction(source: string): void {
  const header = join(source, 'src/include/pg_version_compat.h');
  const text = readFileSync(header, 'utf8')
    .replace(/^#define have_createdb_privilege.*\n/m, '')
    .replace(/^static inline bool\nhave_createdb_privilege\(void\)\n\{[\s\S]*?^\}\n/m, '');
  writeFileSync(header, text);
}

/** A coordinator, which has the URL and the pid, and two workers. */
export async function startCitus(log: (line: string) => void = () => {}) {
  const binaries = await citusBinaries(log);
  const start = () => startTemporaryPostgres({ log, binaries, settings: CITUS_SETTINGS });
  const servers = [await start(), await start(), await start()] as const;
  const [url, ...workers] = await createClusterRole(servers.map((server) => server.url));
  process.env[WORKERS_VARIABLE] = workers.join(' ');
  return {
    url,
    pid: servers[0].pid,
    workers,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** Nodes connect to each other as the role of the session, so it needs one password. @returns the URLs for this role. */
export async function createClusterRole(
  urls: readonly string[],
): Promise<[coordinator: string, ...string[]]> {
  const password = randomBytes(16).toString('hex');
  const changed = urls.map((url) => Object.assign(new URL(url), { username: CLUSTER_ROLE, password }).href);
  for (const url of urls)
    await run(url, `CREATE ROLE ${CLUSTER_ROLE} SUPERUSER LOGIN PASSWORD '${password}'`);
  return changed as [string, ...string[]];
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

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
