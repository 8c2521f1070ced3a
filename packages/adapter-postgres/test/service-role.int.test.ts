import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { withClient } from '../../../tools/services/postgres.ts';
import { migrate, roleRights } from '../src/index.ts';
import { missingGrants } from '../src/schema/service-role.ts';
import { freshDatabase, openStores } from './fresh-database.ts';

test('the service’s role may do what the service does and no more, and what it lacks is named', async () => {
  const { url, sql } = await freshDatabase();
  const role = `svc_${randomBytes(6).toString('hex')}`;
  const service = new URL(url);
  [service.username, service.password] = [role, 'x'];
  const granting = () => migrate({ url, serviceUrl: service.href });
  await expect(granting()).rejects.toThrow(
    `The role ${role} of DATABASE_URL does not exist; create it first.`,
  );
  await sql.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
  await granting();
  const query = async (text: string, values: unknown[]) => (await sql.query(text, values)).rows;
  const privileges = () =>
    query(
      `SELECT relname AS name, string_agg(privilege, ' ' ORDER BY privilege) AS may FROM pg_class,
          unnest(CASE relkind WHEN 'S' THEN '{USAGE,SELECT,UPDATE}'::text[]
            ELSE '{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}' END) AS privilege
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
          AND CASE relkind WHEN 'S' THEN has_sequence_privilege($1::name, oid, privilege)
            ELSE has_table_privilege($1::name, oid, privilege) END
        GROUP BY relname, relkind ORDER BY 1`,
      [role],
    );
  const fewer: Record<string, string> = {
    audit_log: 'INSERT SELECT',
    schema_migrations: 'SELECT',
    service_secrets: 'SELECT',
  };
  const granted = await privileges();
  const sequences = granted.filter(({ may }) => may === 'USAGE').map(({ name }) => name);
  expect(sequences).toEqual(expect.arrayContaining(['jobs_id_seq']));
  const tables = granted.filter(({ name }) => !sequences.includes(name));
  expect(tables.length).toBeGreaterThan(25);
  expect(tables).toEqual(
    tables.map(({ name }) => ({ name, may: fewer[name] ?? 'DELETE INSERT SELECT UPDATE' })),
  );

  const missing = () => missingGrants(query as Parameters<typeof missingGrants>[0], role);
  expect(await missing()).toEqual([]);
  await sql.query(`REVOKE DELETE ON claims FROM ${role}`);
  await expect(migrate({ url: service.href })).rejects.toThrow(
    `The role ${role} lacks 1 privileges (GRANT DELETE ON public.claims TO ${role}); run svc migrate with MIGRATION_DATABASE_URL, which grants them.`,
  );
  await sql.query(`REVOKE USAGE ON SCHEMA public FROM PUBLIC, ${role};
    REVOKE UPDATE, DELETE ON claims FROM ${role}; REVOKE INSERT ON audit_log FROM ${role};
    REVOKE ALL ON SEQUENCE jobs_id_seq FROM ${role}; REVOKE ALL ON FUNCTION refresh_statistics() FROM PUBLIC, ${role}`);
  expect([...(await missing())].sort()).toEqual([
    `GRANT DELETE ON public.claims TO ${role}`,
    `GRANT EXECUTE ON FUNCTION refresh_statistics() TO ${role}`,
    `GRANT INSERT ON public.audit_log TO ${role}`,
    `GRANT UPDATE ON public.claims TO ${role}`,
    `GRANT USAGE ON SCHEMA public TO ${role}`,
    `GRANT USAGE ON SEQUENCE public.jobs_id_seq TO ${role}`,
  ]);
  expect(await granting()).toEqual([]);
  expect([await missing(), await privileges()]).toEqual([[], granted]);

  const { maintenance } = (await openStores({ url: service.href })).metricSources;
  expect(await maintenance()).toMatchObject({ archive: null, transactionIdAge: expect.any(Number) });

  const [{ connections }] = await query(
    `SELECT sum(CASE name WHEN 'max_connections' THEN 1 ELSE -1 END * setting::int)::int AS connections FROM pg_settings
      WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`,
    [],
  );
  const rights = { role, ownsTables: false, maxConnections: connections, behindPooler: false };
  const least = { ...rights, changesAudit: false, seesStandbys: false };
  expect(await roleRights(service.href)).toEqual(least);
  for (const privilege of ['UPDATE', 'DELETE', 'TRUNCATE']) {
    await sql.query(`GRANT ${privilege} ON audit_log TO ${role}`);
    expect(await roleRights(service.href)).toEqual({ ...least, changesAudit: true });
    await sql.query(`REVOKE ${privilege} ON audit_log FROM ${role}`);
  }
  await sql.query(`GRANT pg_monitor TO ${role}`);
  expect(await roleRights(service.href)).toEqual({ ...least, seesStandbys: true });
  const owner = await withClient(
    url,
    async (client) => (await client.query('SELECT current_user AS role')).rows[0],
  );
  const all = { ownsTables: true, changesAudit: true, seesStandbys: true };
  expect(await roleRights(url)).toEqual({ ...rights, ...owner, ...all });
  await sql.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});
