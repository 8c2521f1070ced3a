import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createDatabase, createRole, withClient } from '../../../tools/services/postgres.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { until } from './cluster-load.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcInProcess } from './svc-here.ts';

// The service with a database role that owns nothing; the migrations run with another one.

const role = `svc_${randomBytes(6).toString('hex')}`;
const PASSWORD = 'a-password';

const asRole = (on: string): string => {
  const changed = new URL(on);
  changed.username = role;
  changed.password = PASSWORD;
  return changed.href;
};

const database = await createDatabase();
await createRole(database, { name: role, password: PASSWORD });
const url = asRole(database.url);
const env = { MIGRATION_DATABASE_URL: database.url };
const service = await startServiceUnderTest({ databaseUrl: url, env });

describe('with a database role that owns nothing', () => {
  test('a firm invites, sends and reads, adjusters answer, jobs run, and the operator exports and erases', async () => {
    const firm = await service.firm({ name: 'Gulf' });
    const { svcId, token } = await service.adjuster();
    const body = { svc_id: svcId, invited_as: 'Jean', note: 'by phone' };
    expect((await service.call('POST', '/v1/adjusters/invitations', { as: firm.live, body })).status).toBe(
      201,
    );
    const invitation = `/app/v1/invitations/${firm.id}/acceptance`;
    expect((await service.call('POST', invitation, { as: token })).status).toBe(200);
    const sent = await sendClaim(service, firm.live, claimBody(svcId));
    expect(sent.status).toBe(201);
    const accepted = await service.call('POST', `/app/v1/claims/${sent.json.id}/acceptance`, { as: token });
    expect(accepted.json.assignment.status).toBe('accepted');
    const page = await service.call('GET', '/v1/claims', { as: firm.live });
    expect(page.json.data).toMatchObject([{ id: sent.json.id, assignment: { status: 'accepted' } }]);

    const simulated = await sendClaim(service, firm.test, claimBody(firm.account.accepts));
    await until(async () => {
      const claim = await service.call('GET', `/v1/claims/${simulated.json.id}`, { as: firm.test });
      return claim.json.assignment?.status === 'accepted';
    }, 100);

    // Without MIGRATION_DATABASE_URL: the schema is up to date, so nothing needs the other role.
    const svc = (...args: string[]) => svcInProcess(args, { DATABASE_URL: url });
    expect((await svc('audit', 'verify', '--firm', firm.id)).code).toBe(0);
    expect((await svc('firm', 'export', firm.id)).stdout).toContain(sent.json.id);
    const erased = await svc('firm', 'erase', firm.id, '--confirm', 'Gulf', '--json');
    expect(JSON.parse(erased.stdout).erased).toBeGreaterThan(10);
  });

  test.each([
    'DROP TABLE claims',
    'ALTER TABLE claims ADD COLUMN more text',
    'ALTER TABLE claims DROP CONSTRAINT claims_document_encrypted',
    'TRUNCATE carriers',
    'CREATE TABLE mine (id integer)',
    'UPDATE audit_log SET entry = entry',
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    'UPDATE service_secrets SET value = value',
    'DELETE FROM schema_migrations',
    'DROP TABLE jobs',
    'CREATE OR REPLACE FUNCTION purge_audit(text[], timestamptz[], integer) RETURNS bigint LANGUAGE sql AS $$ SELECT 0 $$',
  ])('PostgreSQL rejects %s', async (statement) => {
    const failed = withClient(url, async (client) => void (await client.query(statement)));
    await expect(failed).rejects.toMatchObject({ code: '42501' });
  });

  test('the retention of the audit trail cannot delete recent events, whatever time it is given', async () => {
    const firm = await service.firm();
    expect((await sendClaim(service, firm.test, claimBody(firm.account.manual))).status).toBe(201);
    const purge =
      "SELECT purge_audit('{standard,claims_only,read_only}', '{infinity,infinity,infinity}', 1000) AS removed";
    await withClient(url, async (client) => {
      expect((await client.query(purge)).rows).toEqual([{ removed: '0' }]);
    });
  });

  test('the role can let the database reject plain text in a column, and cannot take that back', async () => {
    await withClient(url, async (client) => {
      await client.query('BEGIN');
      await client.query("SELECT require_encryption('passkeys', 'name', 'text')");
      const removing = client.query('ALTER TABLE passkeys DROP CONSTRAINT passkeys_name_encrypted');
      await expect(removing).rejects.toMatchObject({ code: '42501' });
    });
  });

  test('a view of an extension in the schema, which belongs to a superuser, does not stop a migration', async () => {
    await withClient(database.url, async (client) => {
      await client.query('CREATE EXTENSION pg_stat_statements');
      const both = { DATABASE_URL: url, MIGRATION_DATABASE_URL: database.url };
      expect((await svcInProcess(['migrate'], both)).code).toBe(0);
      const { rows } = await client.query(
        "SELECT has_table_privilege($1::name, 'pg_stat_statements', 'INSERT') AS granted",
        [role],
      );
      await client.query('DROP EXTENSION pg_stat_statements');
      expect(rows).toEqual([{ granted: false }]);
    });
  });

  test('a restore without the role of the owner names the variable before it changes anything', async () => {
    const file = join(temporaryFolder(), 'backup.gz');
    const both = { DATABASE_URL: url, MIGRATION_DATABASE_URL: database.url };
    expect((await svcInProcess(['database', 'backup', file], both)).code).toBe(0);
    const refused = await svcInProcess(['database', 'restore', file], { DATABASE_URL: url });
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: `svc: Restoring a backup needs the role that owns the schema, and ${role} does not own it: set MIGRATION_DATABASE_URL\n`,
    });
  });
});
