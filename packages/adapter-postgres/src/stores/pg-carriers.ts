import type { Carriers } from '@svc/application';
import { carrierNameKey } from '@svc/domain';
import { sql, type TxSession } from '../driver/session.ts';

/**
 * The domain's `mergeCarrier` as one statement, so that two at once lose nothing. It looks before it writes: a book
 * that has nothing to gain is left alone, and the row of a carrier that every claim names is not locked by them all.
 */
const RETAIN = sql(
  'carriers_retain',
  `INSERT INTO carriers AS held (firm_id, name_key, name, phone, email, address)
   SELECT $1::uuid, $2, $3, $4::text, $5::text, $6::json
    WHERE NOT EXISTS (
      SELECT 1 FROM carriers
       WHERE firm_id = $1 AND name_key = $2
         AND (phone IS NOT NULL OR $4 IS NULL)
         AND (email IS NOT NULL OR $5 IS NULL)
         AND (address IS NOT NULL OR $6 IS NULL))
   ON CONFLICT (firm_id, name_key) DO UPDATE
     SET phone = coalesce(held.phone, excluded.phone),
         email = coalesce(held.email, excluded.email),
         address = coalesce(held.address, excluded.address)`,
);

export function pgCarriers(session: TxSession): Carriers {
  return {
    async merge(firmId, sent) {
      session.send(RETAIN, [
        firmId,
        carrierNameKey(sent.name),
        sent.name,
        sent.phone ?? null,
        sent.email ?? null,
        sent.address === undefined ? null : JSON.stringify(sent.address),
      ]);
    },
  };
}
