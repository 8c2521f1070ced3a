export const FIRM_ERASURE = `
-- 'started' or 'finished'. Null: the firm is not erased.
ALTER TABLE firms ADD COLUMN erasure text;
-- Next statement
-- Firms that earlier releases erased: every other firm has test accounts.
UPDATE firms SET erasure = 'finished'
 WHERE name = 'Erased firm' AND NOT EXISTS (SELECT 1 FROM adjusters WHERE test_firm_id = firms.id);
`;
