export const REFRESH_STATISTICS = `
-- Analyzes tables that have more than twice the pages that their statistics know, and returns their names. Autovacuum does
-- so a minute later; until then, connections keep plans that they made for tables with few rows. Only an owner may analyze.
CREATE FUNCTION refresh_statistics() RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER AS $refresh$
DECLARE
  name text;
  analyzed text[] := '{}';
BEGIN
  -- One process at a time. The key is arbitrary.
  IF NOT pg_try_advisory_xact_lock(7262811543019267) THEN
    RETURN analyzed;
  END IF;
  FOR name IN
    SELECT relname FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
       AND relname IN ('adjuster_edits', 'adjusters', 'api_keys', 'audit_log', 'carriers', 'claims', 'devices',
         'firm_feeds', 'firms', 'idempotency_records', 'memberships', 'passkeys', 'request_log', 'sessions')
       AND pg_relation_size(oid) > 2 * relpages::bigint * current_setting('block_size')::bigint
     ORDER BY relname
  LOOP
    -- Waiting for the lock of a running autovacuum would cancel it.
    EXECUTE format('ANALYZE (SKIP_LOCKED) %I.%I', current_schema(), name);
    analyzed := analyzed || name;
  END LOOP;
  RETURN analyzed;
END
$refresh$;
-- Next statement
REVOKE EXECUTE ON FUNCTION refresh_statistics FROM PUBLIC;
-- Next statement

-- As of purge_audit.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION refresh_statistics SET search_path = %I, pg_temp', current_schema());
END $$;
`;
