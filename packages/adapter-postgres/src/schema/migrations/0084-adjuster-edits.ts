export const ADJUSTER_EDITS = `
-- Counts an adjuster's own edits, of claims and of the account, for live updates of their other devices. Apart from
-- adjusters, which Citus has on every node and locks for each change.
CREATE TABLE adjuster_edits (
  svc_id text COLLATE "C" PRIMARY KEY REFERENCES adjusters (svc_id),
  count bigint NOT NULL
);
`;
