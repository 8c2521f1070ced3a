import type { OfferedClaim } from '@svc/application';
import type { ClaimAccess, Instant } from '@svc/domain';
import type { Encryption } from '../encryption/encryption.ts';
import {
  BOOK_CARRIER_COLUMNS,
  BOOK_CARRIER_FIELDS,
  type BookCarrierRow,
  bookCarrierFrom,
} from './carrier-rows.ts';
import { CLAIM_FIELDS, type ClaimRow, claimFrom, claimKey } from './claim-rows.ts';

export interface AccessRow {
  readonly member_status: ClaimAccess['status'];
  readonly can_accept_claims: boolean;
  readonly readable_until: Instant | null;
}
export const ACCESS_COLUMNS = 'm.status AS member_status, m.can_accept_claims, m.readable_until';

export interface FormRow extends BookCarrierRow {
  readonly firm_name: string;
  readonly offer_wait_hours: number | null;
}
export const FORM_COLUMNS = `f.name AS firm_name, f.offer_wait_hours, ${BOOK_CARRIER_COLUMNS}`;

export type OfferedRow = ClaimRow & AccessRow & FormRow;
export async function offeredFrom(rows: OfferedRow[], encryption: Encryption): Promise<OfferedClaim[]> {
  await encryption.decrypt(rows, BOOK_CARRIER_FIELDS, ({ firm_id, book_key }) => ({
    firmId: firm_id,
    key: book_key ?? '',
  }));
  await encryption.decrypt(rows, CLAIM_FIELDS, claimKey);
  return rows.map((row) => ({
    claim: claimFrom(row),
    membership: {
      status: row.member_status,
      canAcceptClaims: row.can_accept_claims,
      readableUntil: row.readable_until,
    },
    forms: {
      firm: { id: row.firm_id, name: row.firm_name },
      offerWaitHours: row.offer_wait_hours,
      bookCarrier: bookCarrierFrom(row),
    },
  }));
}
