export const CONFIRMED_EMAILS = `
-- Whether a code that was sent to the address was entered.
ALTER TABLE adjusters ADD COLUMN email_confirmed boolean NOT NULL DEFAULT false;
`;
