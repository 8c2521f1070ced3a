export const AUDIT = `
-- Who did what: ids only. A row's hash covers the row and the hash before, so that a changed or missing row shows.
CREATE TABLE audit_log (
  firm_id uuid NOT NULL,
  seq bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  -- The text that is hashed.
  entry text NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (firm_id, seq)
)
-- The ids of a page of claims stay in the row, uncompressed.
WITH (toast_tuple_target = 8160);
CREATE INDEX audit_log_age ON audit_log USING brin (at) WITH (pages_per_range = 32);

-- The latest row of each chain, and the one before the oldest that is kept. Rewritten with every event, so pages keep
-- room for that. Apart from firm_feeds: it also has the service's own chain, and remains after a firm is erased.
CREATE TABLE audit_chains (
  firm_id uuid PRIMARY KEY,
  last_seq bigint NOT NULL DEFAULT 0,
  last_hash bytea NOT NULL,
  purged_seq bigint NOT NULL DEFAULT 0,
  purged_hash bytea NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
INSERT INTO audit_chains (firm_id, last_hash, purged_hash)
  SELECT id, hash, hash FROM (
    SELECT id, sha256(convert_to(id::text, 'UTF8')) AS hash
      FROM (SELECT id FROM firms UNION ALL SELECT '00000000-0000-0000-0000-000000000000') AS chains (id)) AS genesis;

-- Rows are added, and deleted by retention; nothing changes one, not even the owner of the table.
DO $$ BEGIN
  EXECUTE format('REVOKE UPDATE, TRUNCATE ON audit_log FROM %I', current_user);
END $$;
`;
