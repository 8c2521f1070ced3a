export const REQUEST_LOG = `
-- What a request met, for support: nothing of what was sent. Written in batches, and kept for two weeks.
CREATE TABLE request_log (
  firm_id uuid NOT NULL,
  request_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  route text COLLATE "C" NOT NULL,
  status integer,
  code text COLLATE "C",
  places json NOT NULL,
  duration_ms real NOT NULL,
  PRIMARY KEY (firm_id, request_id)
);
CREATE INDEX request_log_latest ON request_log (firm_id, at, request_id);
-- For the purge alone, as with the idempotency records.
CREATE INDEX request_log_age ON request_log USING brin (at) WITH (pages_per_range = 32);
`;
