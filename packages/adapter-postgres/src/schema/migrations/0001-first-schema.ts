/**
 * Keys of tables that belong to a firm start with firm_id, so that the tables can be sharded by firm.
 *
 * Ids chosen by clients compare by code point (COLLATE "C"), so that the order of a page does not depend on the locale
 * of the database.
 */
export const FIRST_SCHEMA = `
CREATE TABLE firms (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  plan text NOT NULL,
  requests_per_minute integer CHECK (requests_per_minute > 0),
  writes_per_minute integer CHECK (writes_per_minute > 0),
  burst integer CHECK (burst > 0),
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT firms_plan_check CHECK (plan IN ('standard', 'claims_only', 'read_only'))
);

-- The last stamp of each firm's change feed. The row is the firm's feed lock, and nothing else is in it: whoever
-- changes the firm itself holds up no claim. Rewritten with every visible change, so pages keep room for that.
CREATE TABLE firm_feeds (
  firm_id uuid PRIMARY KEY REFERENCES firms (id),
  last_stamp timestamptz(3) NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  firm_id uuid NOT NULL REFERENCES firms (id),
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  purpose text NOT NULL CHECK (purpose IN ('full_access', 'claims', 'adjusters', 'read_only')),
  secret_hash text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  CONSTRAINT api_keys_secret_hash_key UNIQUE (secret_hash)
);
CREATE INDEX api_keys_of_firm ON api_keys (firm_id, created_at, id);

-- One row: a number that grows with every change to a key, a plan or a firm's limits.
CREATE TABLE registry_version (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  version bigint NOT NULL
) WITH (fillfactor = 20);
INSERT INTO registry_version (version) VALUES (1);

CREATE TABLE service_secrets (
  name text PRIMARY KEY,
  value bytea NOT NULL
);

CREATE TABLE adjusters (
  svc_id text COLLATE "C" PRIMARY KEY,
  first_name text,
  last_name text,
  email text,
  -- The address as it is compared.
  email_key text COLLATE "C",
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

CREATE TABLE memberships (
  firm_id uuid NOT NULL REFERENCES firms (id),
  svc_id text COLLATE "C" NOT NULL REFERENCES adjusters (svc_id),
  -- "expired" is not among them: it is what the clock makes of "pending".
  status text NOT NULL CHECK (status IN ('pending', 'active', 'declined', 'withdrawn', 'left')),
  first_known_at timestamptz(3) NOT NULL,
  invited_at timestamptz(3),
  expires_at timestamptz(3),
  responded_at timestamptz(3),
  invited_as text,
  invited_by text,
  purpose text,
  note text,
  can_accept_claims boolean NOT NULL,
  accepting_assignments boolean NOT NULL,
  PRIMARY KEY (firm_id, svc_id),
  CONSTRAINT memberships_pending_check
    CHECK (status <> 'pending' OR (invited_at IS NOT NULL AND expires_at IS NOT NULL AND responded_at IS NULL))
);
CREATE INDEX memberships_list ON memberships (firm_id, first_known_at, svc_id) WHERE status <> 'left';
CREATE INDEX memberships_of_adjuster ON memberships (svc_id, firm_id);

-- No foreign keys on what every claim writes: each would lock a row that all claims of a firm share. A claim cannot
-- be added without its firm's feed, and firms and adjusters are never removed.
CREATE TABLE claims (
  firm_id uuid NOT NULL,
  id uuid NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('live', 'test')),
  external_id text COLLATE "C" NOT NULL,
  claim_number text COLLATE "C" NOT NULL,
  carrier_key text COLLATE "C" NOT NULL,
  carrier json NOT NULL,
  -- The claim to the letter, as it will be answered. json, since jsonb would order keys and rewrite numbers.
  document json NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending_acceptance', 'accepted', 'rejected', 'unassigned')),
  adjuster_svc_id text COLLATE "C" NOT NULL,
  offered_at timestamptz(3) NOT NULL,
  responded_at timestamptz(3),
  rejection_reason text,
  work_contact_date date,
  work_inspection_date date,
  work_notes text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  closed_at timestamptz(3),
  PRIMARY KEY (firm_id, id),
  CONSTRAINT claims_external_id_key UNIQUE (firm_id, environment, external_id),
  CONSTRAINT claims_response_check CHECK ((status IN ('accepted', 'rejected')) = (responded_at IS NOT NULL)),
  CONSTRAINT claims_rejection_reason_check CHECK (rejection_reason IS NULL OR status = 'rejected'),
  CONSTRAINT claims_stamp_check CHECK (updated_at >= created_at)
)
-- A usual claim is about as long as the limit from which PostgreSQL compresses. Left as it is, a page of fifty is
-- read without unpacking fifty documents.
WITH (toast_tuple_target = 8160);
CREATE INDEX claims_open_number ON claims (firm_id, environment, claim_number) WHERE closed_at IS NULL;
-- The change feed, whole and for each filter of it: none of them may have to walk through what it leaves out.
CREATE INDEX claims_feed ON claims (firm_id, updated_at, id);
CREATE INDEX claims_feed_by_status ON claims (firm_id, status, updated_at, id);
CREATE INDEX claims_test_feed ON claims (firm_id, updated_at, id) WHERE environment = 'test';
CREATE INDEX claims_test_feed_by_status ON claims (firm_id, status, updated_at, id) WHERE environment = 'test';
-- The adjuster's lists. What is closed piles up for years, so it stays out of the lists that are looked at all day.
CREATE INDEX claims_of_adjuster ON claims (firm_id, adjuster_svc_id, status, offered_at, id)
  WHERE closed_at IS NULL;
CREATE INDEX claims_closed_of_adjuster ON claims (firm_id, adjuster_svc_id, status, offered_at, id)
  WHERE closed_at IS NOT NULL;

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
-- For the purge alone. Rows come in the order of time, so a summary per range of pages does, and costs nothing.
CREATE INDEX idempotency_records_age ON idempotency_records USING brin (bound_at) WITH (pages_per_range = 32);

CREATE TABLE sessions (
  token_hash text COLLATE "C" PRIMARY KEY,
  svc_id text COLLATE "C" NOT NULL REFERENCES adjusters (svc_id),
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX sessions_end ON sessions (expires_at);

CREATE TABLE sign_in_codes (
  email_key text COLLATE "C" PRIMARY KEY,
  code_hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  tries_left integer NOT NULL CHECK (tries_left >= 0)
);

CREATE TABLE devices (
  svc_id text COLLATE "C" NOT NULL REFERENCES adjusters (svc_id),
  device_id text COLLATE "C" NOT NULL,
  subscription json NOT NULL,
  PRIMARY KEY (svc_id, device_id)
);

-- Workers of the job queue that live, and when each was last seen.
CREATE TABLE job_workers (
  worker_id text PRIMARY KEY,
  seen_at timestamptz NOT NULL
);
`;
