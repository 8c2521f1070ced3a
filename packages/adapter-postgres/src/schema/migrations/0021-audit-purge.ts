export const AUDIT_PURGE = `
-- Retention of the audit trail, for a service whose role may not delete its rows: it deletes from the start of each
-- chain and moves its start. Whoever may not delete rows directly gets none deleted before 2555 days, the shortest
-- retention of a plan, whatever times are given. Firms under legal hold are left alone; the service's own chain is kept
-- as long as a standard plan's.
CREATE FUNCTION purge_audit(plans text[], since timestamptz[], max_rows integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $purge$
  WITH due AS (
    SELECT c.firm_id, c.purged_seq, (
        SELECT max(l.seq) FROM audit_log l
         WHERE l.firm_id = c.firm_id AND l.seq > c.purged_seq AND l.seq <= c.purged_seq + max_rows
           AND l.at <= kept.since
           AND (has_table_privilege(session_user, 'audit_log', 'DELETE') OR l.at <= now() - interval '2555 days')) AS seq
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
  SELECT count(*) FROM deleted
$purge$;
REVOKE EXECUTE ON FUNCTION purge_audit FROM PUBLIC;
`;
