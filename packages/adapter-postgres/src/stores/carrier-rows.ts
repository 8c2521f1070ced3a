import type { CarrierAddress, CarrierDetails } from '@svc/domain';
import { rowByKey } from '../driver/session.ts';
import { fieldsOf, PERSONAL } from '../encryption/personal-columns.ts';

/** A left-joined entry of the carrier book; all null where there is none. */
export interface HeldCarrierRow {
  readonly held_key: string | null;
  readonly held_name: string | null;
  readonly held_phone: string | null;
  readonly held_email: string | null;
  readonly held_address: string | null;
}

/** Columns of `carriers held` for {@link HeldCarrierRow}. */
export const HELD_CARRIER_COLUMNS = `held.name_key AS held_key, held.name AS held_name, held.phone AS held_phone, held.email AS held_email,
  held.address AS held_address`;

/** For `claims c`: the firm `f`, and the entry `held` of its carrier book. */
export const CLAIM_FORMS = `CROSS JOIN LATERAL (${rowByKey('firms', { id: 'c.firm_id' })}) f
  LEFT JOIN LATERAL (${rowByKey('carriers', { firm_id: 'c.firm_id', name_key: 'c.carrier_key' })}) held ON true`;
export const HELD_CARRIER_FIELDS = fieldsOf(PERSONAL.carriers, (column) => `held_${column}`);

export function heldCarrierFrom(row: HeldCarrierRow): CarrierDetails | null {
  if (row.held_name === null) return null;
  return {
    name: row.held_name,
    ...(row.held_phone === null ? {} : { phone: row.held_phone }),
    ...(row.held_email === null ? {} : { email: row.held_email }),
    ...(row.held_address === null ? {} : { address: JSON.parse(row.held_address) as CarrierAddress }),
  };
}
