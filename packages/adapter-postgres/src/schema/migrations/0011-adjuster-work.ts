export const ADJUSTER_WORK = `
-- Planned visit, dates of reports and the contact log; and when the adjuster last changed any of the work, for lists
-- that are read by difference.
ALTER TABLE claims ADD COLUMN work_details json, ADD COLUMN work_changed_at timestamptz(3);
`;
