export const CITUS = `
-- The firms that each adjuster ever belonged to. Filled and read only on Citus, where it is on every node: statements by
-- adjuster name these firms, so that they run on few shards.
CREATE TABLE adjuster_firms (
  svc_id text COLLATE "C" NOT NULL,
  firm_id uuid NOT NULL,
  PRIMARY KEY (svc_id, firm_id)
);

-- As before, but in PL/pgSQL: Citus plans no statement that refers to the parameters of a function in SQL.
CREATE OR REPLACE FUNCTION purge_audit(plans text[], since timestamptz[], max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $purge$
DECLARE
  may_delete CONSTANT boolean := has_table_privilege(session_user, 'audit_log', 'DELETE');
  removed bigint;
BEGIN
  WITH due AS (
    SELECT c.firm_id, c.purged_seq, (
        SELECT max(l.seq) FROM audit_log l
         WHERE l.firm_id = c.firm_id AND l.seq > c.purged_seq AND l.seq <= c.purged_seq + max_rows
           AND l.at <= kept.since AND (may_delete OR l.at <= now() - interval '2555 days')) AS seq
      FROM audit_chains c LEFT JOIN firms f ON f.id = c.firm_id
      JOIN unnest(plans, purge_audit.since) AS kept (plan, since) ON kept.plan = coalesce(f.plan, 'standard')
     WHERE NOT EXISTS (SELECT 1 FROM legal_holds h WHERE h.firm_id = c.firm_id)),
  moved AS (
    UPDATE audit_chains c SET purged_seq = l.seq, purged_hash = l.hash
      FROM due JOIN audit_log l ON l.firm_id = due.firm_id AND l.seq = due.seq
     WHERE c.firm_id = due.firm_id AND c.purged_seq = due.purged_seq
     RETURNING c.firm_id, c.purged_seq),
  deleted AS (
    DELETE FROM audit_log l USING moved WHERE l.firm_id = moved.firm_id AND l.seq <= moved.purged_seq RETURNING 1)
  SELECT count(*) INTO removed FROM deleted;
  RETURN removed;
END
$purge$;
`;
