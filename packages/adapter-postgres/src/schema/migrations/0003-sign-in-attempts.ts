export const SIGN_IN_ATTEMPTS = `
-- Attempts at signing in, by a keyed hash of who or what is counted: the table holds no address.
CREATE TABLE sign_in_attempts (
  subject text COLLATE "C" PRIMARY KEY,
  count integer NOT NULL CHECK (count >= 0),
  last_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL
);
CREATE INDEX sign_in_attempts_end ON sign_in_attempts (ends_at);

-- What the code is made of, to mail the same one again. Null: made by an earlier release.
-- tries_left is no longer used; earlier releases that still run beside this one need it.
ALTER TABLE sign_in_codes ADD COLUMN seed text, ALTER COLUMN tries_left SET DEFAULT 5;

-- Only ASCII letters fold from now on. This separates more addresses than before, so none can collide.
UPDATE adjusters
   SET email_key = translate(email, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')
 WHERE email_key <> translate(email, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') COLLATE "C";
`;
