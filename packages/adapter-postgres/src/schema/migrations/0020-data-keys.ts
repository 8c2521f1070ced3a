export const DATA_KEYS = `
-- The keys that personal columns are encrypted with, each encrypted ("wrapped") by a key that is not in the database.
-- The row of firm 00000000-0000-0000-0000-000000000000 is the service's own, for what belongs to no firm.
CREATE TABLE data_keys (
  firm_id uuid NOT NULL,
  id integer NOT NULL CHECK (id > 0),
  wrapped_key bytea NOT NULL,
  wrapping_key_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (firm_id, id)
);
`;
