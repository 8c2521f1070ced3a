import type { AppClaimView } from '@svc/application';
import type { FirmId } from '@svc/domain';
import type { Encryption } from '../encryption/encryption.ts';
import {
  BOOK_CARRIER_COLUMNS,
  BOOK_CARRIER_FIELDS,
  type BookCarrierRow,
  bookCarrierFrom,
} from '../stores/carrier-rows.ts';
import {
  CLAIM_FIELDS,
  claimKey,
  FIRM_CLAIM_COLUMNS,
  type FirmClaimRow,
  LISTED_CLAIM_COLUMNS,
  LISTED_WORK_COLUMNS,
  WORK_COLUMNS,
  type WorkRow,
  workFrom,
} from '../stores/claim-rows.ts';
import { claimViewFrom } from './pg-firm-reads.ts';

export interface AppClaimRow extends FirmClaimRow, WorkRow, BookCarrierRow {
  readonly firm_id: FirmId;
  readonly firm_name: string;
  readonly offer_wait_hours: number | null;
}

const JOINED_COLUMNS = `c.firm_id, f.name AS firm_name, f.offer_wait_hours, ${BOOK_CARRIER_COLUMNS}`;
/** Columns for {@link AppClaimRow}, of `claims c` with its {@link CLAIM_FORMS}. */
export const APP_CLAIM_COLUMNS = `${FIRM_CLAIM_COLUMNS}, ${WORK_COLUMNS}, ${JOINED_COLUMNS}`;
/** The same in lists. */
export const LISTED_APP_CLAIM_COLUMNS = `${LISTED_CLAIM_COLUMNS}, ${LISTED_WORK_COLUMNS}, ${JOINED_COLUMNS}`;

/** Decrypts in place. */
export async function decryptAppClaims<R extends AppClaimRow>(
  encryption: Encryption,
  rows: R[],
): Promise<R[]> {
  const withClaims = await encryption.decrypt(rows, CLAIM_FIELDS, claimKey);
  return encryption.decrypt(withClaims, BOOK_CARRIER_FIELDS, ({ firm_id, book_key }) => ({
    firmId: firm_id,
    key: book_key ?? '',
  }));
}

export const appClaimFrom = (row: AppClaimRow): AppClaimView => ({
  ...claimViewFrom(row),
  firm: { id: row.firm_id, name: row.firm_name },
  offerWaitHours: row.offer_wait_hours,
  work: workFrom(row),
  closedAt: row.closed_at,
  bookCarrier: bookCarrierFrom(row),
});
