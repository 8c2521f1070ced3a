export const FEED_RESTAMPS = `
-- One row for each restore to an earlier time after which the change feeds were restamped.
CREATE TABLE feed_restamps (
  since timestamptz(3) PRIMARY KEY,
  started_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3)
);
`;
