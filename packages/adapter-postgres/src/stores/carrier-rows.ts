import type { OfferedClaim } from '@svc/application';
import type { CarrierAddress, CarrierDetails, FirmClocks, FirmId } from '@svc/domain';
import { rowByKey } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL } from '../encryption/personal-columns.ts';

/** A left-joined entry of the carrier book; all null where there is none. */
export interface BookCarrierRow {
  readonly book_key: string | null;
  readonly book_name: string | null;
  readonly book_phone: string | null;
  readonly book_email: string | null;
  readonly book_address: string | null;
}

/** Columns of `carriers book` for {@link BookCarrierRow}. */
export const BOOK_CARRIER_COLUMNS = `book.name_key AS book_key, book.name AS book_name, book.phone AS book_phone, book.email AS book_email,
  book.address AS book_address`;

/** For `claims c`: the firm `f`, and the entry `book` of its carrier book. */
export const CLAIM_FORMS = `CROSS JOIN LATERAL (${rowByKey('firms', { id: 'c.firm_id' })}) f
  LEFT JOIN LATERAL (${rowByKey('carriers', { firm_id: 'c.firm_id', name_key: 'c.carrier_key' })}) book ON true`;
const FIELDS = fieldsOf(PERSONAL.carriers, (column) => `book_${column}`);

/** Decrypts rows in place. */
export const decryptBookCarriers = <R extends BookCarrierRow>(
  encryption: Encryption,
  rows: R[],
  firmIdOf: (row: R) => FirmId,
): R[] | Promise<R[]> =>
  encryption.decrypt(rows, FIELDS, (row) => ({ firmId: firmIdOf(row), key: row.book_key ?? '' }));

/** What an adjuster's form shows besides the claim. */
export interface FormRow extends BookCarrierRow {
  readonly firm_name: string;
  readonly offer_wait_hours: number | null;
  readonly firm_clocks: string | null;
}
/** For {@link FormRow}, with {@link CLAIM_FORMS}. */
export const FORM_COLUMNS = `f.name AS firm_name, f.offer_wait_hours, f.clocks AS firm_clocks, ${BOOK_CARRIER_COLUMNS}`;

export const formsFrom = (row: FormRow & { readonly firm_id: FirmId }): OfferedClaim['forms'] => ({
  firm: { id: row.firm_id, name: row.firm_name },
  offerWaitHours: row.offer_wait_hours,
  clocks: row.firm_clocks === null ? null : (JSON.parse(row.firm_clocks) as FirmClocks),
  bookCarrier: bookCarrierFrom(row),
});

export function bookCarrierFrom(row: BookCarrierRow): CarrierDetails | null {
  if (row.book_name === null) return null;
  return {
    name: row.book_name,
    ...(row.book_phone === null ? {} : { phone: row.book_phone }),
    ...(row.book_email === null ? {} : { email: row.book_email }),
    ...(row.book_address === null ? {} : { address: JSON.parse(row.book_address) as CarrierAddress }),
  };
}
