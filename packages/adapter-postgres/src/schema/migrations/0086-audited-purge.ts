export const AUDITED_PURGE = `
-- As before, but the role that calls it is not trusted: it may add rows anywhere and write the ends of the chains. So only
-- rows before the first younger one are deleted, for no role a row younger than 2555 days, and each purge is an event of the
-- chain. A row without its predecessors deletes nothing. Stops after max_rows, so that few chains are locked at a time.
CREATE OR REPLACE FUNCTION purge_audit(plans text[], since timestamptz[], max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER AS $purge$
DECLARE
  oldest_kept CONSTANT timestamptz := now() - interval '2555 days';
  purged_at CONSTANT timestamptz := date_trunc('milliseconds', now());
  due record;
  feed record;
  latest record;
  latest_at timestamptz;
  entry text;
  event_hash bytea;
  batch bigint;
  removed bigint := 0;
BEGIN
  FOR due IN
    SELECT c.firm_id, least(kept.since, oldest_kept) AS cutoff
      FROM firm_feeds c LEFT JOIN firms f ON f.id = c.firm_id
      JOIN unnest(plans, purge_audit.since) AS kept (plan, since) ON kept.plan = coalesce(f.plan, 'standard')
      JOIN audit_log l ON l.firm_id = c.firm_id AND l.seq = c.audit_purged_seq + 1 AND l.at <= least(kept.since, oldest_kept)
     WHERE NOT EXISTS (SELECT 1 FROM legal_holds h WHERE h.firm_id = c.firm_id)
     ORDER BY c.firm_id
  LOOP
    SELECT audit_seq, audit_hash, audit_purged_seq INTO feed FROM firm_feeds WHERE firm_id = due.firm_id FOR NO KEY UPDATE;
    SELECT l.seq, l.hash INTO latest FROM audit_log l
     WHERE l.firm_id = due.firm_id AND l.seq = least(feed.audit_seq, feed.audit_purged_seq + max_rows, (
       SELECT min(young.seq) - 1 FROM audit_log young WHERE young.firm_id = due.firm_id AND young.at > due.cutoff));
    CONTINUE WHEN latest.seq IS NULL OR latest.seq <= feed.audit_purged_seq;

    SELECT max(l.at) INTO latest_at FROM audit_log l WHERE l.firm_id = due.firm_id AND l.seq <= latest.seq;
    DELETE FROM audit_log l WHERE l.firm_id = due.firm_id AND l.seq <= latest.seq;
    GET DIAGNOSTICS batch = ROW_COUNT;
    removed := removed + batch;

    entry := format(
      '{"at":"%s","actor":"service","address":null,"action":"audit.purge","object":null,"changes":{"purged_seq":{"from":%s,"to":%s},"purged_hash":{"from":null,"to":"%s"},"purged_until":{"from":null,"to":"%s"}},"outcome":"ok","request_id":null}',
      to_char(purged_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), feed.audit_purged_seq, latest.seq,
      encode(latest.hash, 'hex'), to_char(latest_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
    event_hash := sha256(feed.audit_hash || sha256(convert_to(entry, 'UTF8')));
    UPDATE firm_feeds SET audit_seq = feed.audit_seq + 1, audit_hash = event_hash,
        audit_purged_seq = latest.seq, audit_purged_hash = latest.hash
     WHERE firm_id = due.firm_id;
    INSERT INTO audit_log (firm_id, seq, at, entry, hash)
      VALUES (due.firm_id, feed.audit_seq + 1, purged_at, entry, event_hash);
    EXIT WHEN removed >= max_rows;
  END LOOP;
  RETURN removed;
END
$purge$;
-- Next statement

-- Temporary tables are found last: otherwise the caller could put its own in the place of the service's.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION purge_audit SET search_path = %I, pg_temp', current_schema());
END $$;
`;
