import { spawnSync } from 'node:child_process';
import { afterAll, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { createDataDir, type RunningServer, startServer, svc } from './child.ts';
import { callHttp } from './service-under-test.ts';

// These tests depend on each other, in the order in which a new user tries the service.
const data = createDataDir();
const env = { DATA_DIR: data.path };
const servers: RunningServer[] = [];
let keys: { test: string; live: string };

async function start(): Promise<RunningServer> {
  const server = await startServer(env);
  servers.push(server);
  return server;
}

afterAll(async () => {
  await Promise.all(servers.map((server) => server.end()));
  data.remove();
});

test('two concurrent first starts share one database, and create and print one demo firm', async () => {
  const [one, other] = await Promise.all([start(), start()]);
  const output = await eventually(
    () => one.output() + other.output(),
    (text) => text.includes('/v1/claims?external_id=WALK-1'),
  );
  expect(output.match(/A demo firm was created/g)).toHaveLength(1);
  expect(output).toContain('The database is embedded; its data is in ');
  // Without the folder, svc would set up another database in the default one.
  expect(output).toContain(`DATA_DIR='${data.path}' npx pnpm svc staff invite --firm `);
  const [test, live] = [/svc_test_\w+/.exec(output)?.[0], /svc_live_\w+/.exec(output)?.[0]];
  keys = { test: test ?? '', live: live ?? '' };
  for (const { url } of [one, other])
    for (const key of [keys.test, keys.live])
      expect((await callHttp(url, 'GET', '/v1/me', { as: key })).status).toBe(200);
  const listed = await svc(['firm', 'list', '--json'], env);
  expect(JSON.parse(listed.stdout).firms).toHaveLength(1);
});

test('the printed walk-through works when pasted into a shell', async () => {
  const printer = servers.find((server) => server.output().includes('Try it')) as RunningServer;
  const lines = printer.output().split('\n');
  const from = lines.findIndex((line) => line.includes('Try it'));
  const script = lines.slice(from + 1).join('\n');
  const { status, stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(status).toBe(0);
  // Three concatenated JSON responses.
  const [me, sent, found] = JSON.parse(`[${stdout.trim().replace(/\}\s*\{/g, '},{')}]`);
  expect(me.key.environment).toBe('test');
  expect(sent).toMatchObject({
    external_id: 'WALK-1',
    test: true,
    assignment: { status: 'pending_acceptance' },
  });
  expect(found).toMatchObject({
    data: [{ id: sent.id, assignment: { status: 'accepted' } }],
    next_cursor: null,
  });
});

test('the database keeps running when one of two servers stops', async () => {
  const [one, other] = servers as [RunningServer, RunningServer];
  expect(await one.end()).toBe(0);
  expect((await callHttp(other.url, 'GET', '/v1/me', { as: keys.live })).status).toBe(200);
});

test('kill -9 loses no claim', async () => {
  const other = servers[1] as RunningServer;
  const claims = await callHttp(other.url, 'GET', '/v1/claims', { as: keys.live });
  expect(await other.end('SIGKILL')).toBe('SIGKILL');
  const again = await start();
  expect((await callHttp(again.url, 'GET', '/v1/claims', { as: keys.live })).json).toEqual(claims.json);
  expect(again.output()).not.toContain('demo firm');
});

test('the command line works next to a server, and otherwise starts and stops the database itself', async () => {
  const server = servers.at(-1) as RunningServer;
  const made = await svc(['firm', 'create', '--name', 'Second', '--json'], env);
  expect(made.code).toBe(0);
  const { firm } = JSON.parse(made.stdout);
  const key = JSON.parse(
    (await svc(['key', 'create', '--firm', firm.id, '--environment', 'live', '--json'], env)).stdout,
  );
  expect((await callHttp(server.url, 'GET', '/v1/me', { as: key.secret })).json.firm.id).toBe(firm.id);

  expect(await server.end()).toBe(0);
  const alone = await svc(['firm', 'list', '--json'], env);
  expect(alone.code).toBe(0);
  expect(alone.stderr).toContain(`DATABASE_URL is unset: using the embedded database in ${data.path}\n`);
  expect(JSON.parse(alone.stdout).firms.map(({ name }: { name: string }) => name)).toEqual([
    'Demo Adjusting Firm',
    'Second',
  ]);
});
