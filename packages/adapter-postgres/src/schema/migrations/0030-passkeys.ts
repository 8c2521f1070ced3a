export const PASSKEYS = `
-- WebAuthn credentials. A credential belongs to one account.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY,
  credential_id text COLLATE "C" NOT NULL UNIQUE,
  svc_id text COLLATE "C" NOT NULL REFERENCES adjusters (svc_id) ON DELETE CASCADE,
  name text NOT NULL,
  public_key text NOT NULL,
  sign_count double precision NOT NULL CHECK (sign_count >= 0),
  transports json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3)
);
CREATE INDEX passkeys_of_adjuster ON passkeys (svc_id, created_at);

-- Answered challenges, until they expire: each one works once.
CREATE TABLE used_passkey_challenges (
  challenge text COLLATE "C" PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX used_passkey_challenges_end ON used_passkey_challenges (expires_at);

-- How a session was opened; the default is for processes of the earlier release that still run beside this one.
ALTER TABLE sessions ADD COLUMN method text NOT NULL DEFAULT 'code'
  CHECK (method IN ('code', 'secret', 'passkey', 'operator'));
`;
