import { FIRST_SCHEMA } from './0001-first-schema.ts';
import { REQUEST_LOG } from './0002-request-log.ts';
import { SIGN_IN_ATTEMPTS } from './0003-sign-in-attempts.ts';
import { AUDIT } from './0004-audit.ts';
import { ACCOUNTS } from './0005-accounts.ts';
import { LEGAL_HOLDS } from './0007-legal-holds.ts';
import { SIMULATED_FAULTS } from './0010-simulated-faults.ts';
import { ADJUSTER_WORK } from './0011-adjuster-work.ts';
import { DATA_KEYS } from './0020-data-keys.ts';
import { AUDIT_PURGE } from './0021-audit-purge.ts';
import { CLOSED_CLAIMS } from './0022-closed-claims.ts';
import { PASSKEYS } from './0030-passkeys.ts';
import { AVAILABILITY } from './0040-availability.ts';
import { FEED_RESTAMPS } from './0050-feed-restamps.ts';
import { CITUS } from './0070-citus.ts';
import { AUDIT_IN_FEEDS } from './0080-audit-in-feeds.ts';
import { AUDIT_WITHOUT_AGE_INDEX } from './0081-audit-without-age-index.ts';
import { REQUEST_BATCHES } from './0082-request-batches.ts';
import { DEVICE_SESSIONS } from './0083-device-sessions.ts';
import { ADJUSTER_EDITS } from './0084-adjuster-edits.ts';
import { FIRM_ERASURE } from './0085-firm-erasure.ts';
import { AUDITED_PURGE } from './0086-audited-purge.ts';
import { LARGE_COLUMNS } from './0087-large-columns.ts';
import { CONFIRMED_EMAILS } from './0088-confirmed-emails.ts';
import { REQUIRED_ENCRYPTION } from './0089-required-encryption.ts';
import { REFRESH_STATISTICS } from './0090-refresh-statistics.ts';

export interface Migration {
  readonly id: number;
  readonly name: string;
  /** Runs in one transaction with all pending migrations. */
  readonly sql: string;
}

/**
 * A line between statements that are sent one by one, as Citus requires of those that it repeats on its workers: any
 * change of a distributed table, with one action for each ALTER TABLE.
 */
const NEXT_STATEMENT = /^-- Next statement$/m;

export const statementsOf = ({ sql }: Migration): readonly string[] => sql.split(NEXT_STATEMENT);

/** In order. A released migration is never edited; changes are new migrations. */
export const MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first schema', sql: FIRST_SCHEMA },
  { id: 2, name: 'request log', sql: REQUEST_LOG },
  { id: 3, name: 'sign-in attempts', sql: SIGN_IN_ATTEMPTS },
  { id: 4, name: 'audit', sql: AUDIT },
  { id: 5, name: 'accounts', sql: ACCOUNTS },
  { id: 7, name: 'legal holds', sql: LEGAL_HOLDS },
  { id: 10, name: 'simulated faults', sql: SIMULATED_FAULTS },
  { id: 11, name: 'adjuster work', sql: ADJUSTER_WORK },
  { id: 20, name: 'data keys', sql: DATA_KEYS },
  { id: 21, name: 'audit purge', sql: AUDIT_PURGE },
  { id: 22, name: 'closed claims', sql: CLOSED_CLAIMS },
  { id: 30, name: 'passkeys', sql: PASSKEYS },
  { id: 40, name: 'availability', sql: AVAILABILITY },
  { id: 50, name: 'feed restamps', sql: FEED_RESTAMPS },
  { id: 70, name: 'citus', sql: CITUS },
  { id: 80, name: 'audit in feeds', sql: AUDIT_IN_FEEDS },
  { id: 81, name: 'audit without age index', sql: AUDIT_WITHOUT_AGE_INDEX },
  { id: 82, name: 'request batches', sql: REQUEST_BATCHES },
  { id: 83, name: 'device sessions', sql: DEVICE_SESSIONS },
  { id: 84, name: 'adjuster edits', sql: ADJUSTER_EDITS },
  { id: 85, name: 'firm erasure', sql: FIRM_ERASURE },
  { id: 86, name: 'audited purge', sql: AUDITED_PURGE },
  { id: 87, name: 'large columns', sql: LARGE_COLUMNS },
  { id: 88, name: 'confirmed emails', sql: CONFIRMED_EMAILS },
  { id: 89, name: 'required encryption', sql: REQUIRED_ENCRYPTION },
  { id: 90, name: 'refresh statistics', sql: REFRESH_STATISTICS },
];
