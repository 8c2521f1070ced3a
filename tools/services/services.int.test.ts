import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { Cluster, Redis } from 'ioredis';
import pg from 'pg';
import { startPgBouncer } from './pgbouncer.ts';
import { createDatabase } from './postgres.ts';
import { startRedis, startRedisCluster } from './redis.ts';

async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('each database is a copy of a template that is migrated once', async () => {
  let migrations = 0;
  const migrate = async (url: string) => {
    migrations += 1;
    await rows(url, 'CREATE TABLE marker (n int)');
  };
  const [first, second] = await Promise.all([
    createDatabase({ migrate, template: 'services_test' }),
    createDatabase({ migrate, template: 'services_test' }),
  ]);
  await rows(first.url, 'INSERT INTO marker VALUES (1)');
  expect(await rows(first.url, 'SELECT n FROM marker')).toEqual([{ n: 1 }]);
  expect(await rows(second.url, 'SELECT n FROM marker')).toEqual([]);
  expect(migrations).toBe(1);
  await first.drop();
  await second.drop();
  await expect(rows(first.url, 'SELECT 1')).rejects.toThrow(/does not exist/);
});

function redisClient(url: string): Redis {
  const client = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null, commandTimeout: 300 });
  client.on('error', () => {});
  return client;
}

test('Redis can be paused, killed, and restarted empty on its port', async () => {
  const server = await startRedis();
  try {
    const client = redisClient(server.url);
    await client.set('a', '1');
    server.pause();
    await expect(client.get('a')).rejects.toThrow(/timed out/);
    server.resume();
    expect(await client.get('a')).toBe('1');

    const before = server.pid;
    await server.kill();
    await expect(client.get('a')).rejects.toThrow();
    client.disconnect();
    await server.restart();
    expect(server.pid).not.toBe(before);
    const again = redisClient(server.url);
    expect(await again.get('a')).toBeNull();
    again.disconnect();
  } finally {
    await server.stop();
  }
  expect(isRunning(server.pid)).toBe(false);
});

test('a Redis Cluster has three masters that share all slots and serve any key', async () => {
  const cluster = await startRedisCluster();
  try {
    expect(cluster.nodes).toHaveLength(3);
    const client = new Cluster(cluster.url.split(','), { redisOptions: { commandTimeout: 2_000 } });
    const keys = Array.from({ length: 100 }, (_, n) => `key-${n}`);
    await Promise.all(keys.map((key) => client.set(key, key)));
    expect(await Promise.all(keys.map((key) => client.get(key)))).toEqual(keys);
    const held = await Promise.all(client.nodes('master').map((node) => node.dbsize()));
    expect(held).toHaveLength(3);
    expect(held.every((count) => count > 0)).toBe(true);
    expect(held.reduce((sum, count) => sum + count)).toBe(keys.length);
    client.disconnect();

    // A restarted node rejoins with its slots.
    const [first] = cluster.nodes;
    await first?.kill();
    await first?.restart();
    const again = new Cluster(cluster.url.split(','), { redisOptions: { commandTimeout: 2_000 } });
    await eventually(async () => (await again.cluster('INFO')).includes('cluster_state:ok'));
    await eventually(() =>
      Promise.all(keys.map((key) => again.set(key, key))).then(
        () => true,
        () => false,
      ),
    );
    again.disconnect();
  } finally {
    await cluster.stop();
  }
  expect(cluster.nodes.filter((node) => isRunning(node.pid))).toEqual([]);
});

test('PgBouncer pools by transaction: a session does not keep its connection', async () => {
  const database = await createDatabase({ migrate: async () => {}, template: 'empty' });
  const bouncer = await startPgBouncer({ databaseUrl: database.url, poolSize: 1 });
  const [first, second] = [new pg.Client(bouncer.url), new pg.Client(bouncer.url)];
  try {
    await Promise.all([first.connect(), second.connect()]);
    const pidOf = async (client: pg.Client) =>
      (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
    expect(await pidOf(first)).toBe(await pidOf(second));
  } finally {
    await Promise.all([first.end(), second.end()]);
    await bouncer.stop();
    await database.drop();
  }
});

test('killing a test process leaves no server and no folder', async () => {
  const script = `
    const { startPostgres } = await import(${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)});
    const { startRedis } = await import(${JSON.stringify(new URL('./redis.ts', import.meta.url).href)});
    delete process.env.TEST_DATABASE_URL;
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    console.log(JSON.stringify([postgres.pid, redis.pid]));
    setInterval(() => {}, 1000);`;
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', script],
    { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', () => reject(new Error('The process ended before its servers ran.')));
  });
  const pids = JSON.parse(line) as number[];
  expect(pids.map(isRunning)).toEqual([true, true]);
  const folders = () =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`claims-temporary-${child.pid}-`));
  child.kill('SIGKILL');
  await eventually(async () => !pids.some(isRunning) && folders().length === 0);
});

/** A zombie has ended, but stays in the process table until its parent reaps it. */
function isRunning(pid: number): boolean {
  if (existsSync('/proc/self/stat')) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return stat[stat.lastIndexOf(')') + 2] !== 'Z';
    } catch {
      return false;
    }
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
