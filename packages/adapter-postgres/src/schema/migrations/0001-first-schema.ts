/** Where firms get signals, and what was sent there. No references: each delivery would lock the row of its endpoint. */
const WEBHOOKS = `
CREATE TABLE webhook_endpoints (
  firm_id uuid NOT NULL,
  id uuid NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('live', 'test')),
  url text NOT NULL,
  -- Null: active.
  paused text COLLATE "C",
  secret text NOT NULL,
  previous_secret text,
  previous_secret_until timestamptz(3),
  pause_mailed_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  -- The position in the firm's feed up to which changes of the environment were signalled, or there were none.
  signalled_until timestamptz(3) NOT NULL,
  next_signal_at timestamptz(3) NOT NULL,
  PRIMARY KEY (firm_id, id),
  CONSTRAINT webhook_endpoints_secret_check CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL))
) WITH (fillfactor = 50);

CREATE TABLE webhook_deliveries (
  firm_id uuid NOT NULL,
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  type text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- Of the firm's feed. Null: it signals no changes.
  changes_after timestamptz(3),
  changes_until timestamptz(3),
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  next_attempt_at timestamptz(3),
  attempt_count integer NOT NULL CHECK (attempt_count >= 0),
  attempts jsonb NOT NULL,
  PRIMARY KEY (firm_id, id),
  CONSTRAINT webhook_deliveries_pending_check CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
) WITH (fillfactor = 50);
-- A process that signals changes finds that another one has.
CREATE UNIQUE INDEX webhook_deliveries_pending ON webhook_deliveries (firm_id, endpoint_id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (firm_id, endpoint_id, created_at, id);
-- For the purge alone, as with the idempotency records.
CREATE INDEX webhook_deliveries_age ON webhook_deliveries USING brin (created_at) WITH (pages_per_range = 32);
`;

/**
 * Keys of tables that belong to a firm start with firm_id, so that the tables can be split by firm. Ids chosen by clients
 * compare by code point (COLLATE "C"), so that the order of a page does not depend on the locale of the database.
 */
export const FIRST_SCHEMA = `
-- Firms and their keys

CREATE TABLE firms (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  plan text NOT NULL,
  requests_per_minute integer CHECK (requests_per_minute > 0),
  writes_per_minute integer CHECK (writes_per_minute > 0),
  burst integer CHECK (burst > 0),
  -- Of keys that work at a time, in each environment.
  max_keys integer CHECK (max_keys > 0),
  -- How long the firm waits for the response to an offer, to show it to the adjuster.
  offer_wait_hours integer CHECK (offer_wait_hours > 0),
  -- What the firm owes its carriers: {timeZone, rules: [{carrier, catCode, contactHours, inspectionHours, reportDays}]}.
  clocks json,
  created_at timestamptz(3) NOT NULL,
  -- 'started' or 'finished'. Null: the firm is not erased.
  erasure text,
  CONSTRAINT firms_plan_check CHECK (plan IN ('standard', 'claims_only', 'read_only'))
);

-- The last timestamp of each firm's change feed, and the ends of its audit chain, which most visible changes extend. The
-- row is the firm's feed lock, and nothing else is in it: changes of the firm itself block no claim. It is rewritten with
-- every visible change, so pages keep room for that. No reference to firms: the service's own audit chain has a row, which
-- belongs to no firm, and the rows of erased firms remain.
CREATE TABLE firm_feeds (
  firm_id uuid PRIMARY KEY,
  last_stamp timestamptz(3) NOT NULL,
  -- Of claims, for open boards: closing is no change of the feed.
  closings bigint NOT NULL DEFAULT 0,
  audit_seq bigint NOT NULL DEFAULT 0,
  -- Of the latest audit row. Null: none yet; the chain starts from the hash of its id.
  audit_hash bytea,
  -- The audit row before the oldest that is kept.
  audit_purged_seq bigint NOT NULL DEFAULT 0,
  audit_purged_hash bytea
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
INSERT INTO firm_feeds (firm_id, last_stamp, audit_hash, audit_purged_hash)
  SELECT service::uuid, 'epoch', hash, hash FROM (VALUES ('00000000-0000-0000-0000-000000000000')) AS chains (service),
    LATERAL (SELECT sha256(convert_to(service, 'UTF8'))) AS start (hash);

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  firm_id uuid NOT NULL REFERENCES firms (id),
  name text,
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  purpose text NOT NULL CHECK (purpose IN ('full_access', 'claims', 'adjusters', 'read_only')),
  -- The staff member who made it, and their name then. Without a reference: they may be removed. Null: the operator.
  made_by uuid,
  made_by_name text,
  secret_hash text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  -- The lifetime that the key was created with, for the key that replaces it: rolling a key shortens expires_at.
  lifetime_ms double precision CHECK (lifetime_ms > 0),
  CONSTRAINT api_keys_secret_hash_key UNIQUE (secret_hash)
);
CREATE INDEX api_keys_of_firm ON api_keys (firm_id, created_at, id);

-- One row: a number that grows with every change of a key, a plan or a firm's limits.
CREATE TABLE registry_version (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  version bigint NOT NULL
) WITH (fillfactor = 20);
INSERT INTO registry_version (version) VALUES (1);

-- Firms that cannot be erased, and of which retention deletes nothing.
CREATE TABLE legal_holds (
  firm_id uuid PRIMARY KEY,
  since timestamptz(3) NOT NULL
);

-- Failures that a firm simulates with a test key, for its next requests. At most one row for each key.
CREATE TABLE simulated_faults (
  firm_id uuid NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  remaining integer NOT NULL CHECK (remaining >= 0),
  PRIMARY KEY (firm_id, key_id)
);

-- Adjusters and their memberships

CREATE TABLE adjusters (
  svc_id text COLLATE "C" PRIMARY KEY,
  first_name text,
  last_name text,
  email text,
  -- The address as it is compared, or a keyed hash of it where encryption is on.
  email_key text COLLATE "C",
  -- Whether a code that was sent to the address was entered.
  email_confirmed boolean NOT NULL DEFAULT false,
  -- {acceptingAssignments, away: [{firstDay, lastDay, timeZone}], maxOpenOffers}. Null: takes offers at any time.
  availability json,
  -- {fcn: {number, categories, expiresOn}, licenses: [{state, kind, number, expiresOn}], remindAt}. Null: none entered.
  credentials json,
  -- Set while the operator has disabled the account.
  disabled_at timestamptz(3),
  test_firm_id uuid REFERENCES firms (id),
  test_behavior text
    CHECK (test_behavior IN ('manual', 'accepts', 'rejects', 'paused', 'new', 'joins', 'declines')),
  sign_in_secret_hash text,
  CONSTRAINT adjusters_test_check CHECK ((test_firm_id IS NULL) = (test_behavior IS NULL)),
  CONSTRAINT adjusters_email_check CHECK ((email IS NULL) = (email_key IS NULL)),
  CONSTRAINT adjusters_sign_in_secret_check CHECK (sign_in_secret_hash IS NULL OR test_firm_id IS NOT NULL)
);
CREATE UNIQUE INDEX adjusters_email_key ON adjusters (email_key) WHERE test_firm_id IS NULL;
CREATE INDEX adjusters_test_accounts ON adjusters (test_firm_id, svc_id) WHERE test_firm_id IS NOT NULL;

-- Counts an adjuster's own edits, of claims and of the account, for live updates of their other devices. Apart from
-- adjusters, which distributed databases have on every server and lock for each change.
CREATE TABLE adjuster_edits (
  svc_id text COLLATE "C" PRIMARY KEY REFERENCES adjusters (svc_id),
  count bigint NOT NULL
);

CREATE TABLE memberships (
  firm_id uuid NOT NULL REFERENCES firms (id),
  svc_id text COLLATE "C" NOT NULL REFERENCES adjusters (svc_id),
  -- Without "expired", which depends on the time and is stored as "pending".
  status text NOT NULL CHECK (status IN ('pending', 'active', 'declined', 'withdrawn', 'left')),
  first_known_at timestamptz(3) NOT NULL,
  invited_at timestamptz(3),
  expires_at timestamptz(3),
  responded_at timestamptz(3),
  -- When the adjuster's app first got the invitation, and when the adjuster was reminded of it.
  seen_at timestamptz(3),
  reminded_at timestamptz(3),
  invited_as text,
  invited_by text,
  purpose text,
  note text,
  can_accept_claims boolean NOT NULL,
  accepting_assignments boolean NOT NULL,
  -- What the adjuster lets the firm see.
  shares_clocks boolean NOT NULL DEFAULT false,
  shares_credentials boolean NOT NULL DEFAULT false,
  shares_work_area boolean NOT NULL DEFAULT false,
  -- Until when a former member reads accepted claims.
  readable_until timestamptz(3),
  PRIMARY KEY (firm_id, svc_id),
  CONSTRAINT memberships_pending_check
    CHECK (status <> 'pending' OR (invited_at IS NOT NULL AND expires_at IS NOT NULL AND responded_at IS NULL))
);
CREATE INDEX memberships_list ON memberships (firm_id, first_known_at, svc_id) WHERE status <> 'left';
CREATE INDEX memberships_of_adjuster ON memberships (svc_id, firm_id);

-- The firms that each adjuster ever belonged to. Filled and read only in a distributed database, on every server: statements by
-- adjuster name these firms, so that they run on few shards.
CREATE TABLE adjuster_firms (
  svc_id text COLLATE "C" NOT NULL,
  firm_id uuid NOT NULL,
  PRIMARY KEY (svc_id, firm_id)
);

-- Sign-in and devices

-- The people of a firm, who work at its desk.
CREATE TABLE staff (
  firm_id uuid NOT NULL REFERENCES firms (id),
  id uuid NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  -- The address as it is compared, or a keyed hash of it where encryption is on.
  email_key text COLLATE "C" NOT NULL,
  role text NOT NULL CHECK (role IN ('admin', 'dispatcher', 'developer', 'auditor')),
  invited_at timestamptz(3) NOT NULL,
  -- When a code that was sent to the address was first entered.
  joined_at timestamptz(3),
  -- When the next mail about late offers is due; null: none is wished.
  late_offers_mail_at timestamptz(3),
  PRIMARY KEY (firm_id, id),
  CONSTRAINT staff_email_key UNIQUE (firm_id, email_key)
);
-- For sign-in: one address may be staff of several firms.
CREATE INDEX staff_by_email ON staff (email_key);

-- Of an adjuster or of a staff member. The latter without a reference: their table may be on other servers.
CREATE TABLE sessions (
  token_hash text COLLATE "C" PRIMARY KEY,
  id uuid NOT NULL,
  svc_id text COLLATE "C" REFERENCES adjusters (svc_id),
  firm_id uuid,
  staff_id uuid,
  device_name text,
  created_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3) NOT NULL,
  -- Moves with each use, up to the absolute end.
  expires_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  -- How it was opened.
  method text NOT NULL CHECK (method IN ('code', 'secret', 'passkey', 'operator')),
  CONSTRAINT sessions_account_check CHECK ((svc_id IS NULL) = (staff_id IS NOT NULL) AND (firm_id IS NULL) = (staff_id IS NULL))
);
CREATE INDEX sessions_end ON sessions (expires_at);
CREATE INDEX sessions_of_adjuster ON sessions (svc_id, last_used_at) WHERE svc_id IS NOT NULL;
CREATE INDEX sessions_of_staff ON sessions (firm_id, staff_id, last_used_at) WHERE staff_id IS NOT NULL;

CREATE TABLE sign_in_codes (
  email_key text COLLATE "C" PRIMARY KEY,
  code_hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  -- Derives the same code, to mail it again.
  seed text NOT NULL
);

-- Of people of several firms who have signed in, until they have chosen one. The slot is a hash of the ticket and its client.
CREATE TABLE sign_in_tickets (
  slot text COLLATE "C" PRIMARY KEY,
  -- [{firmId, staffId}]
  accounts json NOT NULL,
  method text COLLATE "C" NOT NULL CHECK (method IN ('code', 'passkey')),
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX sign_in_tickets_end ON sign_in_tickets (expires_at);

-- By a keyed hash of who or what is counted: the table holds no address.
CREATE TABLE sign_in_attempts (
  subject text COLLATE "C" PRIMARY KEY,
  count integer NOT NULL CHECK (count >= 0),
  last_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL
);
CREATE INDEX sign_in_attempts_end ON sign_in_attempts (ends_at);

-- A new e-mail address that waits for the code sent there.
CREATE TABLE email_changes (
  svc_id text COLLATE "C" PRIMARY KEY REFERENCES adjusters (svc_id),
  email text NOT NULL,
  code_hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  tries_left integer NOT NULL CHECK (tries_left >= 0)
);
CREATE INDEX email_changes_end ON email_changes (expires_at);

-- WebAuthn credentials. A credential belongs to one account.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY,
  credential_id text COLLATE "C" NOT NULL UNIQUE,
  -- The account, as in sessions.
  svc_id text COLLATE "C" REFERENCES adjusters (svc_id) ON DELETE CASCADE,
  firm_id uuid,
  staff_id uuid,
  name text NOT NULL,
  public_key text NOT NULL,
  sign_count double precision NOT NULL CHECK (sign_count >= 0),
  transports json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  CONSTRAINT passkeys_account_check CHECK ((svc_id IS NULL) = (staff_id IS NOT NULL) AND (firm_id IS NULL) = (staff_id IS NULL))
);
CREATE INDEX passkeys_of_adjuster ON passkeys (svc_id, created_at) WHERE svc_id IS NOT NULL;
CREATE INDEX passkeys_of_staff ON passkeys (firm_id, staff_id, created_at) WHERE staff_id IS NOT NULL;

-- Answered challenges, until they expire: each one works once.
CREATE TABLE used_passkey_challenges (
  challenge text COLLATE "C" PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX used_passkey_challenges_end ON used_passkey_challenges (expires_at);

CREATE TABLE devices (
  svc_id text COLLATE "C" NOT NULL REFERENCES adjusters (svc_id),
  device_id text COLLATE "C" NOT NULL,
  subscription json NOT NULL,
  -- SHA-256 of the endpoint of the subscription, which belongs to one device.
  endpoint_hash text COLLATE "C" NOT NULL,
  -- Token hash of the session that registered the device, with which it ends.
  session_hash text COLLATE "C" NOT NULL,
  registered_at timestamptz(3) NOT NULL,
  -- {timeZone, quietHours: {start, end} or null, deadlineReminders}
  preferences json,
  -- When the next reminder is queued.
  reminder_at timestamptz(3),
  PRIMARY KEY (svc_id, device_id)
);

-- Claims

-- No references from what every claim writes: each would lock a row that all claims of a firm share. A claim cannot be
-- added without its firm's feed, and firms and adjusters are never removed.
CREATE TABLE claims (
  firm_id uuid NOT NULL,
  id uuid NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('live', 'test')),
  external_id text COLLATE "C" NOT NULL,
  claim_number text COLLATE "C" NOT NULL,
  carrier_key text COLLATE "C" NOT NULL,
  cat_code text COLLATE "C",
  carrier json NOT NULL,
  -- The claim as it was sent. json, since jsonb would order keys and rewrite numbers.
  document json NOT NULL,
  -- {name, street, city, state, zip, carrier} of the document, for the board of the firm, which reads many claims.
  summary json NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending_acceptance', 'accepted', 'rejected', 'unassigned')),
  adjuster_svc_id text COLLATE "C" NOT NULL,
  offered_at timestamptz(3) NOT NULL,
  responded_at timestamptz(3),
  rejection_reason text,
  -- Whom the audit trail names for the latest offer.
  offered_by text COLLATE "C",
  -- Whom it names for the withdrawal of that offer by the firm.
  withdrawn_by text COLLATE "C",
  work_contact_date date,
  work_inspection_date date,
  work_notes text,
  -- Planned visit, dates of reports and the contact log.
  work_details json,
  -- The earliest entries of the contact log, for the board and reports where the adjuster lets the firm see them.
  contacted_at timestamptz(3),
  contact_received_at timestamptz(3),
  inspected_at timestamptz(3),
  inspection_received_at timestamptz(3),
  -- When the adjuster last changed any of the work, for lists that are read by difference.
  work_changed_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  closed_at timestamptz(3),
  -- Whom the audit trail names for the closing, where the adjuster did not close it, and why.
  closed_by text COLLATE "C",
  closure_reason text,
  -- The row of the audit trail with the latest offer, or with what ended it.
  audit_seq bigint,
  PRIMARY KEY (firm_id, id),
  CONSTRAINT claims_external_id_key UNIQUE (firm_id, environment, external_id),
  CONSTRAINT claims_response_check CHECK ((status IN ('accepted', 'rejected')) = (responded_at IS NOT NULL)),
  CONSTRAINT claims_rejection_reason_check CHECK (rejection_reason IS NULL OR status = 'rejected'),
  CONSTRAINT claims_withdrawn_check CHECK (withdrawn_by IS NULL OR status = 'unassigned'),
  CONSTRAINT claims_stamp_check CHECK (updated_at >= created_at)
)
-- A usual claim is about as long as the limit from which PostgreSQL compresses. Uncompressed, a page of fifty is read
-- without unpacking fifty documents.
WITH (toast_tuple_target = 8160);
-- Without compression: lists read the sizes of large values first, which are then the sizes of their texts.
ALTER TABLE claims ALTER document SET STORAGE EXTERNAL, ALTER work_details SET STORAGE EXTERNAL;
CREATE INDEX claims_open_number ON claims (firm_id, environment, claim_number) WHERE closed_at IS NULL;
-- The change feed, whole and for each of its filters, so that no page skips rows.
CREATE INDEX claims_feed ON claims (firm_id, updated_at, id);
CREATE INDEX claims_feed_by_status ON claims (firm_id, status, updated_at, id);
CREATE INDEX claims_test_feed ON claims (firm_id, updated_at, id) WHERE environment = 'test';
CREATE INDEX claims_test_feed_by_status ON claims (firm_id, status, updated_at, id) WHERE environment = 'test';
-- What waits for a response or for another offer, for the board. The condition is written so that no other one implies it:
-- statements by adjuster and status must not use this index.
CREATE INDEX claims_waiting ON claims (firm_id, environment, status, updated_at, id)
  WHERE closed_at IS NULL AND (status = 'accepted') IS FALSE;
-- The adjuster's lists. Closed claims accumulate for years, so they are not in the index of the lists in daily use.
CREATE INDEX claims_of_adjuster ON claims (firm_id, adjuster_svc_id, status, offered_at, id)
  WHERE closed_at IS NULL;
CREATE INDEX claims_closed_of_adjuster ON claims (firm_id, adjuster_svc_id, status, offered_at, id)
  WHERE closed_at IS NOT NULL;
-- For the retention of closed claims.
CREATE INDEX claims_closed_at ON claims (closed_at) WHERE closed_at IS NOT NULL;

-- Offers, apart from what claims has of the latest one: pushes, the first sight, and how earlier ones ended. Neither a send nor
-- a response writes it: rows come with a push, with the first sight, and when the claim is offered again.
CREATE TABLE offers (
  firm_id uuid NOT NULL,
  claim_id uuid NOT NULL,
  offered_at timestamptz(3) NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('live', 'test')),
  adjuster_svc_id text COLLATE "C" NOT NULL,
  -- When it was first sent to the adjuster's app.
  first_seen_at timestamptz(3),
  -- The latest outcome by channel: {outcome, at}.
  pushes jsonb NOT NULL DEFAULT '{}',
  -- Of an earlier offer; null while it is the claim's latest.
  ended_at timestamptz(3),
  status text COLLATE "C" CHECK (status IN ('rejected', 'unassigned', 'withdrawn')),
  responded_at timestamptz(3),
  rejection_reason text,
  offered_by text COLLATE "C",
  withdrawn_by text COLLATE "C",
  carrier_key text COLLATE "C",
  -- Of an earlier offer: the row of its response, or of what ended it, or of a response that came later.
  audit_seq bigint,
  -- When its reminder was queued, which happens once.
  reminder_queued_at timestamptz(3),
  -- When a device of the adjuster got the reminder.
  reminded_at timestamptz(3),
  PRIMARY KEY (firm_id, claim_id, offered_at),
  CONSTRAINT offers_end_check CHECK ((ended_at IS NULL) = (status IS NULL))
);
CREATE INDEX offers_ended ON offers (firm_id, offered_at) WHERE ended_at IS NOT NULL;
CREATE INDEX offers_ended_of_adjuster ON offers (firm_id, adjuster_svc_id, offered_at) WHERE ended_at IS NOT NULL;

CREATE TABLE carriers (
  firm_id uuid NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  name text NOT NULL,
  phone text,
  email text,
  address json,
  PRIMARY KEY (firm_id, name_key)
);

CREATE TABLE idempotency_records (
  firm_id uuid NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('live', 'test')),
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  claim_id uuid NOT NULL,
  bound_at timestamptz(3) NOT NULL,
  PRIMARY KEY (firm_id, environment, key)
);
-- For the purge alone. Rows are in order of time, so a summary per range of pages is enough, and costs nothing.
CREATE INDEX idempotency_records_age ON idempotency_records USING brin (bound_at) WITH (pages_per_range = 32);

-- Deadlines of single events, where they differ from the general ones.
CREATE TABLE deadline_overrides (
  event text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  hours integer NOT NULL CHECK (hours > 0),
  source text NOT NULL,
  PRIMARY KEY (event, kind)
);

-- Operation of the service

-- The job queue. A job is added in the transaction that causes it, and deleted when it has run. fillfactor leaves room for
-- the row that each attempt writes.
CREATE TABLE jobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payload json NOT NULL,
  firm_id uuid GENERATED ALWAYS AS ((payload ->> 'firmId')::uuid) STORED,
  -- Empty: the job belongs to no account.
  svc_id text COLLATE "C" NOT NULL GENERATED ALWAYS AS (coalesce(payload ->> 'svcId', '')) STORED,
  run_at timestamptz NOT NULL,
  -- Including the one that runs.
  attempts smallint NOT NULL DEFAULT 0,
  -- The process that runs the job extends it. Once it has passed, another process may run the job.
  locked_until timestamptz,
  -- When the last attempt failed.
  failed_at timestamptz
) WITH (fillfactor = 50);
CREATE INDEX jobs_due ON jobs (run_at) WHERE failed_at IS NULL;

-- Who did what: ids only. A row's hash covers the row and the hash before, so that a changed or missing row shows.
CREATE TABLE audit_log (
  firm_id uuid NOT NULL,
  seq bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  -- The text that is hashed.
  entry text NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (firm_id, seq)
)
-- The events stay in the row, uncompressed: compressing them takes longer than anything else that is done for them.
WITH (toast_tuple_target = 8160);
-- Rows are added, and deleted by retention; nothing changes one, not even the owner of the table.
REVOKE UPDATE, TRUNCATE ON audit_log FROM CURRENT_USER;

-- Requests and their errors, for support, without anything that was sent. Written in batches, and kept for two weeks.
CREATE TABLE request_log (
  firm_id uuid NOT NULL,
  -- Id and time of the latest request of the row.
  request_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('live', 'test')),
  -- Of one batch, the latest first.
  requests json NOT NULL,
  -- With test keys.
  has_behavior boolean NOT NULL,
  -- One response at least was a 429.
  has_limited boolean NOT NULL,
  PRIMARY KEY (firm_id, request_id)
)
-- The requests stay in the row, uncompressed.
WITH (toast_tuple_target = 8160);
CREATE INDEX request_log_latest ON request_log (firm_id, at, request_id);
-- For the check of a firm's integration.
CREATE INDEX request_log_behavior ON request_log (firm_id, at, request_id) WHERE has_behavior;
CREATE INDEX request_log_limited ON request_log (firm_id, at) WHERE has_limited;
-- For the purge alone, as with the idempotency records.
CREATE INDEX request_log_age ON request_log USING brin (at) WITH (pages_per_range = 32);

-- Generated by the migration.
CREATE TABLE service_secrets (
  name text PRIMARY KEY,
  value bytea NOT NULL
);

-- Files of claims that staff have imported: the names of their columns, and how far they have come.
CREATE TABLE imports (
  firm_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  -- The name, or a keyed hash of it where encryption is on.
  name_key text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('live', 'test')),
  columns json NOT NULL,
  file_name text,
  total_rows integer NOT NULL,
  next_row integer,
  -- Rows before it are counted.
  next_uncounted integer NOT NULL,
  sent integer NOT NULL,
  already_sent integer NOT NULL,
  failed integer NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (firm_id, id)
);
CREATE INDEX imports_named ON imports (firm_id, name_key, updated_at);

-- Public keys of receipts. The private ones are not in the database.
CREATE TABLE receipt_keys (
  kid text COLLATE "C" PRIMARY KEY,
  -- The key in base64url.
  x text COLLATE "C" NOT NULL,
  added_at timestamptz(3) NOT NULL
);

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

-- One row for each restore to an earlier time after which the change feeds were restamped.
CREATE TABLE feed_restamps (
  since timestamptz(3) PRIMARY KEY,
  started_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3)
);

${WEBHOOKS}
-- Functions with the rights of the owner, for a service whose role may do less

-- Retention of the audit trail. The role that calls it is not trusted: it may add rows anywhere and write the ends of the
-- chains. So only rows before the first younger one are deleted, for no role a row younger than 2555 days (the shortest
-- retention of a plan), and each purge is an event of the chain. A row without its predecessors deletes nothing. Firms under
-- legal hold are left alone; the service's own chain is kept as long as a standard plan's. Stops after max_rows, so that few
-- chains are locked at a time. In PL/pgSQL: no statement of a function in SQL may refer to its parameters where tables are distributed.
CREATE FUNCTION purge_audit(plans text[], since timestamptz[], max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER AS $purge$
DECLARE
  oldest_kept CONSTANT timestamptz := now() - interval '2555 days';
  purged_at CONSTANT timestamptz := date_trunc('milliseconds', now());
  due record;
  feed record;
  latest record;
  latest_at timestamptz;
  entry text;
  event_hash bytea;
  batch bigint;
  removed bigint := 0;
BEGIN
  FOR due IN
    SELECT c.firm_id, least(kept.since, oldest_kept) AS cutoff
      FROM firm_feeds c LEFT JOIN firms f ON f.id = c.firm_id
      JOIN unnest(plans, purge_audit.since) AS kept (plan, since) ON kept.plan = coalesce(f.plan, 'standard')
      JOIN audit_log l ON l.firm_id = c.firm_id AND l.seq = c.audit_purged_seq + 1 AND l.at <= least(kept.since, oldest_kept)
     WHERE NOT EXISTS (SELECT 1 FROM legal_holds h WHERE h.firm_id = c.firm_id)
     ORDER BY c.firm_id
  LOOP
    SELECT audit_seq, audit_hash, audit_purged_seq INTO feed FROM firm_feeds WHERE firm_id = due.firm_id FOR NO KEY UPDATE;
    SELECT l.seq, l.hash INTO latest FROM audit_log l
     WHERE l.firm_id = due.firm_id AND l.seq = least(feed.audit_seq, feed.audit_purged_seq + max_rows, (
       SELECT min(young.seq) - 1 FROM audit_log young WHERE young.firm_id = due.firm_id AND young.at > due.cutoff));
    CONTINUE WHEN latest.seq IS NULL OR latest.seq <= feed.audit_purged_seq;

    SELECT max(l.at) INTO latest_at FROM audit_log l WHERE l.firm_id = due.firm_id AND l.seq <= latest.seq;
    DELETE FROM audit_log l WHERE l.firm_id = due.firm_id AND l.seq <= latest.seq;
    GET DIAGNOSTICS batch = ROW_COUNT;
    removed := removed + batch;

    entry := format(
      '{"at":"%s","actor":"service","address":null,"action":"audit.purge","object":null,"changes":{"purged_seq":{"from":%s,"to":%s},"purged_hash":{"from":null,"to":"%s"},"purged_until":{"from":null,"to":"%s"}},"outcome":"ok","request_id":null}',
      to_char(purged_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), feed.audit_purged_seq, latest.seq,
      encode(latest.hash, 'hex'), to_char(latest_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
    event_hash := sha256(feed.audit_hash || sha256(convert_to(entry, 'UTF8')));
    UPDATE firm_feeds SET audit_seq = feed.audit_seq + 1, audit_hash = event_hash,
        audit_purged_seq = latest.seq, audit_purged_hash = latest.hash
     WHERE firm_id = due.firm_id;
    INSERT INTO audit_log (firm_id, seq, at, entry, hash)
      VALUES (due.firm_id, feed.audit_seq + 1, purged_at, entry, event_hash);
    EXIT WHEN removed >= max_rows;
  END LOOP;
  RETURN removed;
END
$purge$;

-- Lets a column hold only ciphertext from now on, whoever writes it: values of encryption.ts, or as a hash. The function
-- has its owner's rights: the service's role can require this, but not take it back.
CREATE FUNCTION require_encryption(of_table text, of_column text, kind text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $require$
DECLARE
  pattern CONSTANT text := CASE kind
    WHEN 'text' THEN '^enc:[1-9][0-9]{0,8}:' WHEN 'json' THEN '^"enc:[1-9][0-9]{0,8}:' WHEN 'hash' THEN '^[0-9a-f]{64}$' END;
BEGIN
  -- The start alone: matching costs time for each character.
  EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (left(%I::text, 65) ~ %L) NOT VALID',
    of_table, of_table || '_' || of_column || '_encrypted', of_column, pattern);
END
$require$;

-- Analyzes tables that have more than twice the pages that their statistics know, and returns their names. Autovacuum does
-- so a minute later; until then, connections keep plans that they made for tables with few rows. Only an owner may analyze.
CREATE FUNCTION refresh_statistics() RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER AS $refresh$
DECLARE
  name text;
  analyzed text[] := '{}';
BEGIN
  -- One process at a time. The key is arbitrary.
  IF NOT pg_try_advisory_xact_lock(7262811543019267) THEN
    RETURN analyzed;
  END IF;
  FOR name IN
    SELECT relname FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
       AND relname IN ('adjuster_edits', 'adjusters', 'api_keys', 'audit_log', 'carriers', 'claims', 'devices',
         'firm_feeds', 'firms', 'idempotency_records', 'memberships', 'offers', 'passkeys', 'request_log', 'sessions', 'staff',
         'webhook_deliveries', 'webhook_endpoints')
       AND pg_relation_size(oid) > 2 * relpages::bigint * current_setting('block_size')::bigint
     ORDER BY relname
  LOOP
    -- Waiting for the lock of a running autovacuum would cancel it.
    EXECUTE format('ANALYZE (SKIP_LOCKED) %I.%I', current_schema(), name);
    analyzed := analyzed || name;
  END LOOP;
  RETURN analyzed;
END
$refresh$;

REVOKE EXECUTE ON FUNCTION purge_audit, require_encryption, refresh_statistics FROM PUBLIC;

-- Temporary tables are found last: otherwise the caller could put its own in the place of the service's.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['purge_audit', 'require_encryption', 'refresh_statistics'] LOOP
    EXECUTE format('ALTER FUNCTION %I SET search_path = %I, pg_temp', name, current_schema());
  END LOOP;
END $$;
`;
