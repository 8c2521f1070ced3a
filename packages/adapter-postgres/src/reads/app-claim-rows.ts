import type { AppClaimView } from '@svc/application';
import type { FirmId } from '@svc/domain';
import type { Encryption } from '../encryption/encryption.ts';
import { decryptBookCarriers, FORM_COLUMNS, type FormRow, formsFrom } from '../stores/carrier-rows.ts';
import {
  decryptClaims,
  FIRM_CLAIM_COLUMNS,
  type FirmClaimRow,
  LISTED_CLAIM_COLUMNS,
  LISTED_WORK_COLUMNS,
  WORK_COLUMNS,
  type WorkRow,
  workFrom,
} from '../stores/claim-rows.ts';
import { claimViewFrom } from './pg-firm-reads.ts';

export interface AppClaimRow extends FirmClaimRow, WorkRow, FormRow {
  readonly firm_id: FirmId;
}

const JOINED_COLUMNS = `c.firm_id, ${FORM_COLUMNS}`;
/** Columns for {@link AppClaimRow}, of `claims c` with its {@link CLAIM_FORMS}. */
export const APP_CLAIM_COLUMNS = `${FIRM_CLAIM_COLUMNS}, ${WORK_COLUMNS}, ${JOINED_COLUMNS}`;
/** The same in lists. */
export const LISTED_APP_CLAIM_COLUMNS = `${LISTED_CLAIM_COLUMNS}, ${LISTED_WORK_COLUMNS}, ${JOINED_COLUMNS}`;

/** Decrypts in place. */
export async function decryptAppClaims<R extends AppClaimRow>(
  encryption: Encryption,
  rows: R[],
): Promise<R[]> {
  await decryptClaims(encryption, rows);
  return decryptBookCarriers(encryption, rows, ({ firm_id }) => firm_id);
}

export const appClaimFrom = (row: AppClaimRow): AppClaimView => ({
  ...claimViewFrom(row),
  ...formsFrom(row),
  work: workFrom(row),
  closedAt: row.closed_at,
});
