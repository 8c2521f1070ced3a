export const ACCOUNTS = `
-- Until when a former member reads accepted claims. Those who left before this release get 90 days from now.
ALTER TABLE memberships ADD COLUMN readable_until timestamptz(3);
UPDATE memberships SET readable_until = now() + interval '90 days' WHERE status = 'left';

-- Set while the operator has disabled the account.
ALTER TABLE adjusters ADD COLUMN disabled_at timestamptz(3);

-- The defaults are for processes of the earlier release that still run beside this one.
ALTER TABLE sessions
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN device_name text,
  ADD COLUMN created_at timestamptz(3) NOT NULL DEFAULT now(),
  ADD COLUMN last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The absolute end; expires_at moves with each use, up to it.
  ADD COLUMN ends_at timestamptz(3) NOT NULL DEFAULT now() + interval '180 days';
CREATE INDEX sessions_of_adjuster ON sessions (svc_id, last_used_at);

-- A new e-mail address that waits for the code sent there.
CREATE TABLE email_changes (
  svc_id text COLLATE "C" PRIMARY KEY REFERENCES adjusters (svc_id),
  email text NOT NULL,
  code_hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  tries_left integer NOT NULL CHECK (tries_left >= 0)
);
CREATE INDEX email_changes_end ON email_changes (expires_at);
ALTER TABLE devices ADD COLUMN registered_at timestamptz(3) NOT NULL DEFAULT now();

-- The lifetime that a key was created with, for the key that replaces it: rolling a key shortens expires_at.
ALTER TABLE api_keys ADD COLUMN lifetime_ms double precision CHECK (lifetime_ms > 0);
UPDATE api_keys SET lifetime_ms = extract(epoch FROM expires_at - created_at) * 1000 WHERE expires_at > created_at;
`;
