export const CLOSED_CLAIMS = `
-- For the retention of closed claims.
CREATE INDEX claims_closed_at ON claims (closed_at) WHERE closed_at IS NOT NULL;
`;
