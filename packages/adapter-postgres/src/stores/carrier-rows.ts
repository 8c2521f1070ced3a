import type { CarrierAddress, CarrierDetails } from '@svc/domain';
import { rowByKey } from '../driver/executor.ts';
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
export const BOOK_CARRIER_FIELDS = fieldsOf(PERSONAL.carriers, (column) => `book_${column}`);

export function bookCarrierFrom(row: BookCarrierRow): CarrierDetails | null {
  if (row.book_name === null) return null;
  return {
    name: row.book_name,
    ...(row.book_phone === null ? {} : { phone: row.book_phone }),
    ...(row.book_email === null ? {} : { email: row.book_email }),
    ...(row.book_address === null ? {} : { address: JSON.parse(row.book_address) as CarrierAddress }),
  };
}
