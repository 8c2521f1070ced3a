import type { QueryRunner } from 'typeorm';
import { isBehindPooler } from '../driver/pooler.ts';
import { type DatabaseUrl, Servers } from '../driver/servers.ts';
import { SILENT } from '../log.ts';

const CONNECT_TIMEOUT_MS = 5000;
const APPLICATION_NAME = 'claim-assignment-rights';

/** The schema cannot be brought up to date; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Tables in which the service's role may do less than read and write. */
const PRIVILEGES: Readonly<Record<string, readonly string[]>> = {
  audit_log: ['SELECT', 'INSERT'],
  schema_migrations: ['SELECT'],
  service_secrets: ['SELECT'],
};

/**
 * The statements that are missing until the role `$1` may do what the service does and no more: no statement where it
 * already may, because every start runs this.
 */
const MISSING = `
  WITH objects AS (
    SELECT oid, relname, relkind, current_schema() AS nspname FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace
       -- A view of an extension, such as pg_stat_statements, is not ours to grant.
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e'))
  SELECT format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), $1::text) AS statement
   WHERE NOT has_schema_privilege($1::text::name, current_schema(), 'USAGE')
  UNION ALL
  SELECT format('GRANT %s ON %I.%I TO %I', privilege, nspname, relname, $1::text) FROM objects
    LEFT JOIN json_each($2::json) AS fewer ON fewer.key = relname
    CROSS JOIN json_array_elements_text(coalesce(fewer.value, '["SELECT", "INSERT", "UPDATE", "DELETE"]')) AS privilege
   WHERE relkind IN ('r', 'p', 'v') AND NOT has_table_privilege($1::text::name, oid, privilege)
  UNION ALL
  SELECT format('GRANT USAGE ON SEQUENCE %I.%I TO %I', nspname, relname, $1::text) FROM objects
   WHERE CASE WHEN relkind = 'S' THEN NOT has_sequence_privilege($1::text::name, oid, 'USAGE') END
  UNION ALL
  SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I', oid::regprocedure, $1::text) FROM pg_proc
   WHERE pronamespace = current_schema()::regnamespace AND prokind = 'f'
     AND pg_has_role(current_user, proowner, 'MEMBER') AND NOT has_function_privilege($1::text::name, oid, 'EXECUTE')`;

/** Lets a role that owns nothing run the service. Its privileges are stated here alone. */
export async function grantToService(runner: QueryRunner, role: string): Promise<void> {
  const [found] = await runner.query(
    'SELECT to_regrole(quote_ident($1::text)) IS NOT NULL AS exists, current_user = $1::text AS same',
    [role],
  );
  if (found.same) return;
  if (!found.exists)
    throw new SchemaError(`The role ${role} of DATABASE_URL does not exist; create it first.`);
  for (const statement of await missingGrants((text, values) => runner.query(text, values), role))
    await runner.query(statement);
}

/** The statements that the owner of the schema has to run before the service can use it as this role. */
export const missingGrants = async (
  query: (text: string, values: unknown[]) => Promise<{ statement: string }[]>,
  role: string,
): Promise<readonly string[]> =>
  (await query(MISSING, [role, JSON.stringify(PRIVILEGES)])).map(({ statement }) => statement);

export interface RoleRights {
  readonly role: string;
  /** It can change and drop tables: it owns them, is a member of the role that does, or is a superuser. */
  readonly ownsTables: boolean;
  /** Without those that are reserved for superusers. */
  readonly maxConnections: number;
  /** It can change or delete rows of the audit trail, such as by the default privileges of the database. */
  readonly changesAudit: boolean;
  /** It sees the state of standbys, as a member of pg_monitor does. */
  readonly seesStandbys: boolean;
  /** The URL leads to a pooler in transaction mode. */
  readonly behindPooler: boolean;
}

const RIGHTS = `SELECT current_user AS role, EXISTS (
    SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p')
       AND pg_has_role(current_user, relowner, 'MEMBER')) AS "ownsTables",
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true), '0')::int AS "maxConnections",
    coalesce(has_table_privilege(to_regclass('audit_log')::oid, 'UPDATE, DELETE, TRUNCATE'), false) AS "changesAudit",
    pg_has_role('pg_read_all_stats', 'USAGE') AS "seesStandbys"`;

/** What the role of this URL could do to the schema, and how many connections its server accepts from it. */
export async function roleRights(url: DatabaseUrl): Promise<RoleRights> {
  const servers = new Servers(url, SILENT, CONNECT_TIMEOUT_MS);
  const rights = servers.onConnection(
    'role_rights',
    {},
    async (client) => (await client.query(RIGHTS)).rows[0],
  );
  return { ...(await rights), behindPooler: await isBehindPooler(servers, APPLICATION_NAME) };
}
