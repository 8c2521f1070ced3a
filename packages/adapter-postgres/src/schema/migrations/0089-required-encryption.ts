export const REQUIRED_ENCRYPTION = `
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
-- Next statement
REVOKE EXECUTE ON FUNCTION require_encryption FROM PUBLIC;
-- Next statement
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION require_encryption SET search_path = %I, pg_temp', current_schema());
END $$;
`;
