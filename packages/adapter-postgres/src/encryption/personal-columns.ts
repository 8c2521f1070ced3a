import { type ClaimId, emailKey, type FirmId, type Instant } from '@svc/domain';
import { NIL_UUID } from '../driver/column-types.ts';

/** How a column is stored: a ciphertext in a column of type json is a JSON string. */
type ColumnType = 'text' | 'json';

export interface PersonalTable {
  readonly name: string;
  /** With the firm, the primary key, as an expression of SQL. */
  readonly key: { readonly column: string; readonly type: 'text' | 'uuid' };
  /** Rows belong to accounts and to no firm: they are encrypted with the service's data key. */
  readonly ofAccounts?: true;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** A column by which rows are found, the column of which it holds `lookupKeys`, and how its texts are compared. */
  readonly lookup?: {
    readonly column: string;
    readonly of: string;
    readonly compared?: (text: string) => string;
  };
}

/** In place of a firm, for rows of accounts. */
export const SERVICE = NIL_UUID as FirmId;

/**
 * The columns that hold personal data, which are encrypted where the operator has set a key (why these:
 * docs/decisions/0017-encryption-per-firm.md). The ids of claims, accounts and the sender's own, by which rows are found, are not among them.
 */
export const PERSONAL = {
  claims: {
    name: 'claims',
    key: { column: 'id', type: 'uuid' },
    columns: {
      document: 'json',
      summary: 'json',
      carrier: 'json',
      rejection_reason: 'text',
      closure_reason: 'text',
      work_notes: 'text',
      work_details: 'json',
    },
  },
  offers: {
    name: 'offers',
    key: {
      column: "(claim_id || E'\\n' || (extract(epoch FROM offered_at) * 1000)::bigint)",
      type: 'text',
    },
    columns: { rejection_reason: 'text' },
  },
  carriers: {
    name: 'carriers',
    key: { column: 'name_key', type: 'text' },
    columns: { phone: 'text', email: 'text', address: 'json' },
  },
  // A file may be named after a policyholder; without a header, its columns are named after the first claim.
  imports: {
    name: 'imports',
    key: { column: 'id', type: 'uuid' },
    columns: { name: 'text', columns: 'json', file_name: 'text' },
    lookup: { column: 'name_key', of: 'name' },
  },
  memberships: {
    name: 'memberships',
    key: { column: 'svc_id', type: 'text' },
    columns: { invited_as: 'text', invited_by: 'text', purpose: 'text', note: 'text' },
  },
  // No personal data, but what nobody who reads a backup may sign with, or send to.
  webhook_endpoints: {
    name: 'webhook_endpoints',
    key: { column: 'id', type: 'uuid' },
    columns: { url: 'text', secret: 'text', previous_secret: 'text' },
  },
  // A key may be named after a person.
  api_keys: {
    name: 'api_keys',
    key: { column: 'id', type: 'text' },
    columns: { name: 'text', made_by_name: 'text' },
  },
  adjusters: {
    name: 'adjusters',
    key: { column: 'svc_id', type: 'text' },
    ofAccounts: true,
    columns: {
      first_name: 'text',
      last_name: 'text',
      email: 'text',
      availability: 'json',
      credentials: 'json',
    },
    lookup: { column: 'email_key', of: 'email', compared: emailKey },
  },
  staff: {
    name: 'staff',
    key: { column: 'id', type: 'uuid' },
    columns: { name: 'text', email: 'text' },
    lookup: { column: 'email_key', of: 'email', compared: emailKey },
  },
  email_changes: {
    name: 'email_changes',
    key: { column: 'svc_id', type: 'text' },
    ofAccounts: true,
    columns: { email: 'text' },
  },
  sessions: {
    name: 'sessions',
    key: { column: 'token_hash', type: 'text' },
    ofAccounts: true,
    columns: { device_name: 'text' },
  },
  passkeys: {
    name: 'passkeys',
    key: { column: 'id', type: 'uuid' },
    ofAccounts: true,
    columns: { name: 'text' },
  },
  devices: {
    name: 'devices',
    key: { column: "(svc_id || E'\\n' || device_id)", type: 'text' },
    ofAccounts: true,
    columns: { subscription: 'json', preferences: 'json' },
  },
} as const satisfies Readonly<Record<string, PersonalTable>>;

/** The key of a row of `offers`. */
export const offerRowKey = (claimId: ClaimId, offeredAt: Instant): string => `${claimId}\n${offeredAt}`;

/** The key of a row of `devices`. */
export const deviceRowKey = (svcId: string, deviceId: string): string => `${svcId}\n${deviceId}`;

/** A personal column as a row of a query has it, and the column's name in its table. */
export interface PersonalField {
  readonly property: string;
  readonly table: string;
  readonly column: string;
  readonly type: ColumnType;
}

/** @param propertyOf the column's name in the rows of a query. */
export const fieldsOf = (table: PersonalTable, propertyOf = (column: string) => column): PersonalField[] =>
  Object.entries(table.columns).map(([column, type]) => ({
    property: propertyOf(column),
    table: table.name,
    column,
    type,
  }));
