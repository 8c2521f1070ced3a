import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { installDebianPackage, requireCommand } from '../../../tools/services/debian-package.ts';
import { createDatabase, createRole, withClient } from '../../../tools/services/postgres.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { startServer, svc } from './child.ts';
import { callHttp } from './service-under-test.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const UNIT = join(ROOT, 'docker/systemd/claim-assignment.service');
const FILTER = join(ROOT, 'tools/services/system-call-filter.py');
const PYTHON = '/usr/bin/python3';

/** The command that starts another one under the system calls of the unit. */
async function underFilter(): Promise<readonly string[]> {
  await requireCommand('systemd-analyze', { packageName: 'systemd' });
  if (spawnSync(PYTHON, ['-c', 'import seccomp']).status !== 0)
    expect(await installDebianPackage('python3-seccomp', () => {})).toBeUndefined();
  return [PYTHON, FILTER, UNIT];
}

test('with the system calls and the secret file of the unit, the service starts, and a changed password needs no restart', async () => {
  const unit = readFileSync(UNIT, 'utf8');
  // A credential is a copy that stays as it was when the service started.
  expect(unit).not.toMatch(/^(Load|Set)Credential/m);
  const file = /^Environment=DATABASE_URL_FILE=(\/etc\/\S+)$/m.exec(unit)?.[1] ?? '';
  const folder = temporaryFolder();
  const secret = join(folder, basename(file));
  const database = await createDatabase();
  const role = `unit_${randomBytes(6).toString('hex')}`;
  await createRole(database, { name: role, password: 'first', attributes: 'SUPERUSER' });
  const write = (password: string): void => {
    const url = Object.assign(new URL(database.url), { username: role, password });
    writeFileSync(`${secret}.new`, url.href, { mode: 0o640 });
    renameSync(`${secret}.new`, secret);
  };
  write('first');
  const env = { DATABASE_URL_FILE: secret, NODE_ENV: 'production', DATA_DIR: join(folder, 'data') };
  const server = await startServer(env, { under: await underFilter() });
  const created = await svc(['firm', 'create', '--name', 'Gulf', '--json'], env);
  expect(created.code).toBe(0);
  const health = async () => (await callHttp(server.url, 'GET', '/v1/health')).status;
  expect(await health()).toBe(200);

  await withClient(database.url, async (client) => {
    await client.query(`ALTER ROLE ${role} PASSWORD 'second'`);
    write('second');
    await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1', [
      role,
    ]);
  });
  const rejected = () => server.logged().filter(({ code }) => code === '28P01');
  await eventually(async () => (await health()) === 200);
  expect(rejected()).toEqual([]);
  expect(await server.end()).toBe(0);
});
