import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { connect, migrate, roleRights } from '@svc/adapter-postgres';
import { eventually } from '@svc/testkit/eventually';
import { atEnd } from '../services/at-end.ts';
import { openPostgresServers } from './postgres-server.ts';

const DOCKER = fileURLToPath(new URL('../../docker/', import.meta.url));

test('the role of the service that compose starts owns nothing, is no superuser, and sees which standbys commits wait for', async () => {
  const compose = readFileSync(`${DOCKER}compose.yaml`, 'utf8');
  const roles = [...compose.matchAll(/postgres:\/\/(\w+):\$\{(\w+)[^}]*\}@postgres:5432\/(\w+)/g)];
  expect(roles.map(([, role, , database]) => [role, database])).toEqual([
    ['claims_service', 'claims'],
    ['claims_owner', 'claims'],
  ]);
  const passwords = Object.fromEntries(roles.map(([, role, variable]) => [variable, `the ${role}'s`]));
  const servers = await openPostgresServers(() => {});
  atEnd(() => servers.remove());
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
    ...{ role: 'claims_service', ownsTables: false, changesAudit: false, seesStandbys: true },
  });
  const stores = await connect({ url: serviceUrl });
  atEnd(() => stores.close());
  for (const [names, requiredSynchronousStandbys] of [
    ['one, two', 1],
    ['FIRST 2 (one, two)', 2],
    ['any 3(one, two, three)', 3],
    ['', 0],
  ] as const) {
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await server.query('SELECT pg_reload_conf()');
    await eventually(
      () => stores.metricSources.replication(),
      (state) => state?.requiredSynchronousStandbys === requiredSynchronousStandbys,
    );
  }
});
