export const SIMULATED_FAULTS = `
-- Failures that a firm simulates with a test key: what its next requests meet. At most one row for each key.
CREATE TABLE simulated_faults (
  firm_id uuid NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  remaining integer NOT NULL CHECK (remaining >= 0),
  PRIMARY KEY (firm_id, key_id)
);
`;
