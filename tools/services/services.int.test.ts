import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { identify } from '@svc/embedded-postgres';
import { eventually } from '@svc/testkit/eventually';
import pg from 'pg';
import { atEnd } from './at-end.ts';
import { startPgBouncer } from './pgbouncer.ts';
import { createDatabase, withClient } from './postgres.ts';

const rows = (url: string, sql: string): Promise<unknown[]> =>
  withClient(url, async (client) => (await client.query(sql)).rows);

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
  await expect(rows(first.url, 'SELECT 1')).rejects.toThrow(/does not exist/);
});

test('PgBouncer pools by transaction: a session does not keep its connection', async () => {
  const database = await createDatabase({ migrate: async () => {}, template: 'empty' });
  const bouncer = await startPgBouncer({ databaseUrl: database.url, poolSize: 1 });
  const [first, second] = [new pg.Client(bouncer.url), new pg.Client(bouncer.url)];
  for (const client of [first, second]) atEnd(() => client.end());
  await Promise.all([first.connect(), second.connect()]);
  const pidOf = async (client: pg.Client) =>
    (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
  expect(await pidOf(first)).toBe(await pidOf(second));
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

const isRunning = (pid: number): boolean => identify(pid) !== undefined;
