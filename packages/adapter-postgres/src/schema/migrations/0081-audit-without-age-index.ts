export const AUDIT_WITHOUT_AGE_INDEX = `
-- No statement reads it: every one names a firm, and retention follows the chain.
DROP INDEX audit_log_age;
`;
