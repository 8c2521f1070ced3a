import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { migrate, roleRights } from '@svc/adapter-postgres';
import { openPostgresServers } from './postgres-server.ts';

const DOCKER = fileURLToPath(new URL('../../docker/', import.meta.url));

test('the service that compose starts has a database role that owns nothing and is no superuser', async () => {
  const compose = readFileSync(`${DOCKER}compose.yaml`, 'utf8');
  const roles = [...compose.matchAll(/postgres:\/\/(\w+):\$\{(\w+)[^}]*\}@postgres:5432\/(\w+)/g)];
  expect(roles.map(([, role, , database]) => [role, database])).toEqual([
    ['claims_service', 'claims'],
    ['claims_owner', 'claims'],
  ]);
  const passwords = Object.fromEntries(roles.map(([, role, variable]) => [variable, `the ${role}'s`]));
  const servers = await openPostgresServers(() => {});
  try {
    const server = await servers.server('compose');
    await server.start();
    // As the entry point of the image runs it.
    await promisify(execFile)(
      'psql',
      [
        ...['--no-psqlrc', '--set=ON_ERROR_STOP=1', '--host=127.0.0.1', `--port=${server.port}`],
        ...['--username=postgres', '--dbname=postgres', `--file=${DOCKER}database-roles.sql`],
      ],
      { env: { ...process.env, ...passwords } },
    );
    expect(
      await server.query("SELECT rolname, rolsuper FROM pg_roles WHERE rolname ~ '^claims' ORDER BY 1"),
    ).toEqual([
      { rolname: 'claims_owner', rolsuper: false },
      { rolname: 'claims_service', rolsuper: false },
    ]);
    const urlOf = (role: string) => `postgres://${role}@127.0.0.1:${server.port}/claims`;
    const serviceUrl = urlOf('claims_service');
    await migrate({ url: urlOf('claims_owner'), serviceUrl });
    expect(await roleRights(serviceUrl)).toMatchObject({
      ...{ role: 'claims_service', ownsTables: false, changesAudit: false },
    });
  } finally {
    await servers.remove();
  }
});
