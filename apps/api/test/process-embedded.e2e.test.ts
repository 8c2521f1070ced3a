import { spawnSync } from 'node:child_process';
import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { atEnd } from '../../../tools/services/at-end.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { startServer } from './child.ts';
import { callHttp } from './service-under-test.ts';
import { svcInProcess } from './svc-here.ts';

// These tests depend on each other, in the order in which a new user tries the service.
const dataDir = join(temporaryFolder(), 'data');
const env = { DATA_DIR: dataDir };
// As root, PostgreSQL's data is in a folder of its account, which a link leads to.
atEnd(() => rmSync(realpathSync(join(dataDir, 'postgres')), { recursive: true }));
const server = await startServer(env);
atEnd(() => server.end());
let keys: { test: string; live: string };

test('the first start creates and prints one demo firm', async () => {
  const output = await eventually(
    () => server.output(),
    (text) => text.includes('/v1/claims?external_id=WALK-1'),
  );
  expect(output.match(/A demo firm was created/g)).toHaveLength(1);
  expect(output).toContain('The database is embedded; its data is in ');
  // Without the folder, svc would set up another database in the default one.
  expect(output).toContain(`DATA_DIR='${dataDir}' npx pnpm svc staff invite --firm `);
  const [test, live] = [/svc_test_\w+/.exec(output)?.[0], /svc_live_\w+/.exec(output)?.[0]];
  keys = { test: test ?? '', live: live ?? '' };
  for (const key of [keys.test, keys.live])
    expect((await callHttp(server.url, 'GET', '/v1/me', { as: key })).status).toBe(200);
});

test('the printed walk-through works when pasted into a shell', async () => {
  const lines = server.output().split('\n');
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
  expect(found).toMatchObject({ data: [{ id: sent.id }], next_cursor: null });
  await eventually(async () => {
    const { json } = await callHttp(server.url, 'GET', `/v1/claims/${sent.id}`, { as: keys.test });
    return json.assignment.status === 'accepted';
  });
});

test('the command line works next to a server, and otherwise starts and stops the database itself', async () => {
  const made = await svcInProcess(['firm', 'create', '--name', 'Second', '--json'], env);
  expect(made.code).toBe(0);
  expect(await server.end()).toBe(0);
  const alone = await svcInProcess(['firm', 'list', '--json'], env);
  expect(alone.code).toBe(0);
  expect(alone.stderr).toContain(`DATABASE_URL is unset: using the embedded database in ${dataDir}\n`);
  expect(JSON.parse(alone.stdout).firms.map(({ name }: { name: string }) => name)).toEqual([
    'Demo Adjusting Firm',
    'Second',
  ]);
});
