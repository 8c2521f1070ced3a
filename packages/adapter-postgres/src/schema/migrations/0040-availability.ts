export const AVAILABILITY = `
-- Null: takes offers at any time. json: {acceptingAssignments, away: [{firstDay, lastDay, timeZone}], maxOpenOffers}.
ALTER TABLE adjusters ADD COLUMN availability json;

-- json: {timeZone, quietHours: {start, end} or null, deadlineReminders}; and when the next reminder is queued.
ALTER TABLE devices ADD COLUMN preferences json, ADD COLUMN reminder_at timestamptz(3);

-- How long the firm waits for the answer to an offer, to show it to the adjuster; null: not said.
ALTER TABLE firms ADD COLUMN offer_wait_hours integer CHECK (offer_wait_hours > 0);

-- Deadlines of single events, where they differ from the general ones.
CREATE TABLE deadline_overrides (
  event text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  hours integer NOT NULL CHECK (hours > 0),
  source text NOT NULL,
  PRIMARY KEY (event, kind)
);
`;
