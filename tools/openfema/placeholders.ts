// Placeholders for the names, streets, cities, phones and policy numbers that FEMA does not publish. They are derived
// from the row's id, so that repeated runs send the same claim.
import { createHash } from 'node:crypto';

const FIRST_NAMES = ['Ana', 'Ben', 'Carla', 'Dev', 'Elena', 'Felix', 'Grace', 'Hugo'];
const MORE_FIRST_NAMES = ['Ines', 'Jonah', 'Keiko', 'Luis', 'Maya', 'Noor', 'Omar', 'Priya'];
const LAST_NAMES = ['Specimen', 'Sampleton', 'Exemplar', 'Mockridge', 'Testerman', 'Facsimile'];
const MORE_LAST_NAMES = ['Placeholder', 'Stand-In', 'Pseudonym', 'Anonymous', 'Redacted', 'Doe'];
const STREETS = ['Example Street', 'Sample Avenue', 'Placeholder Lane', 'Specimen Court', 'Redacted Road'];

interface Placeholders {
  readonly claimNumber: string;
  readonly policyNumber: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly companyName: string;
  /** From the range reserved for fiction, 555-0100 to 555-0199. */
  readonly phone: string;
  readonly email: string;
  readonly street: string;
  readonly city: string;
  readonly carrier: string;
}

export function placeholdersFor(id: string): Placeholders {
  const digest = createHash('sha256').update(id).digest();
  const hex = digest.toString('hex').toUpperCase();
  const pick = (from: readonly string[], byte: number): string =>
    from[digest.readUInt16BE(byte) % from.length] ?? '';
  const firstName = pick([...FIRST_NAMES, ...MORE_FIRST_NAMES], 16);
  const lastName = pick([...LAST_NAMES, ...MORE_LAST_NAMES], 18);
  const line = String(digest.readUInt16BE(20) % 100).padStart(2, '0');
  return {
    // 64 bits make a collision among 2.7 million claims unlikely.
    claimNumber: `NFIP-${hex.slice(0, 16)}`,
    policyNumber: `SFIP-${hex.slice(16, 28)}`,
    firstName,
    lastName,
    companyName: `${lastName} Properties LLC`,
    phone: `202-555-01${line}`,
    email: `${firstName}.${lastName}@example.com`.toLowerCase(),
    street: `${1 + (digest.readUInt16BE(22) % 9999)} ${pick(STREETS, 24)}`,
    city: 'Exampleville',
    carrier: 'OpenFEMA Sample Insurance',
  };
}
