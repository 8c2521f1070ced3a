export const AUDIT_IN_FEEDS = `
-- The end of each firm's audit trail moves into the row of its change feed, which most audited acts update anyway. The
-- service's own trail has a row too, and no firm. The service locks the feeds first, as everywhere.
ALTER TABLE firm_feeds DROP CONSTRAINT firm_feeds_firm_id_fkey;
-- Next statement
ALTER TABLE firm_feeds ADD COLUMN audit_seq bigint NOT NULL DEFAULT 0;
-- Next statement
-- Of the latest row. Null: none yet; the trail starts from the hash of its id.
ALTER TABLE firm_feeds ADD COLUMN audit_hash bytea;
-- Next statement
-- The row before the oldest that is kept.
ALTER TABLE firm_feeds ADD COLUMN audit_purged_seq bigint NOT NULL DEFAULT 0;
-- Next statement
ALTER TABLE firm_feeds ADD COLUMN audit_purged_hash bytea;
-- Next statement
INSERT INTO firm_feeds (firm_id, last_stamp, audit_seq, audit_hash, audit_purged_seq, audit_purged_hash)
  SELECT firm_id, 'epoch', last_seq, last_hash, purged_seq, purged_hash FROM audit_chains
  ON CONFLICT (firm_id) DO UPDATE SET audit_seq = excluded.audit_seq, audit_hash = excluded.audit_hash,
    audit_purged_seq = excluded.audit_purged_seq, audit_purged_hash = excluded.audit_purged_hash;
-- Next statement
DROP TABLE audit_chains;
-- Next statement

-- For processes of an earlier build that append to the trail in a separate statement. There is no earlier release.
ALTER TABLE firm_feeds ALTER COLUMN last_stamp SET DEFAULT 'epoch';
-- Next statement
CREATE VIEW audit_chains AS
  SELECT firm_id, audit_seq AS last_seq, audit_hash AS last_hash, audit_purged_seq AS purged_seq,
    audit_purged_hash AS purged_hash FROM firm_feeds;
-- Next statement
CREATE OR REPLACE FUNCTION purge_audit(plans text[], since timestamptz[], max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $purge$
DECLARE
  may_delete CONSTANT boolean := has_table_privilege(session_user, 'audit_log', 'DELETE');
  removed bigint;
BEGIN
  WITH due AS (
    SELECT c.firm_id, c.audit_purged_seq, (
        SELECT max(l.seq) FROM audit_log l
         WHERE l.firm_id = c.firm_id AND l.seq > c.audit_purged_seq AND l.seq <= c.audit_purged_seq + max_rows
           AND l.at <= kept.since AND (may_delete OR l.at <= now() - interval '2555 days')) AS seq
      FROM firm_feeds c LEFT JOIN firms f ON f.id = c.firm_id
      JOIN unnest(plans, purge_audit.since) AS kept (plan, since) ON kept.plan = coalesce(f.plan, 'standard')
     WHERE NOT EXISTS (SELECT 1 FROM legal_holds h WHERE h.firm_id = c.firm_id)),
  moved AS (
    UPDATE firm_feeds c SET audit_purged_seq = l.seq, audit_purged_hash = l.hash
      FROM due JOIN audit_log l ON l.firm_id = due.firm_id AND l.seq = due.seq
     WHERE c.firm_id = due.firm_id AND c.audit_purged_seq = due.audit_purged_seq
     RETURNING c.firm_id, c.audit_purged_seq),
  deleted AS (
    DELETE FROM audit_log l USING moved
     WHERE l.firm_id = moved.firm_id AND l.seq <= moved.audit_purged_seq RETURNING 1)
  SELECT count(*) INTO removed FROM deleted;
  RETURN removed;
END
$purge$;
`;
