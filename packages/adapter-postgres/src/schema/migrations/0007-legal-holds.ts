export const LEGAL_HOLDS = `
-- Firms that cannot be erased, and of which retention deletes nothing.
CREATE TABLE legal_holds (
  firm_id uuid PRIMARY KEY,
  since timestamptz(3) NOT NULL
);
`;
