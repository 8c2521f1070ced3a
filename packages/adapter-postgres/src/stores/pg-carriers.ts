import type { Carriers } from '@svc/application';
import { carrierNameKey } from '@svc/domain';
import { sql, type TxSession } from '../driver/session.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';

/**
 * The domain's `mergeCarrier` as one statement, so that concurrent merges lose nothing. Without new details it writes
 * nothing: otherwise all claims of a carrier would wait for the lock on its row.
 */
const mergeFrom = (source: string): string =>
  `INSERT INTO carriers AS held (firm_id, name_key, name, phone, email, address)
   SELECT ${source} NOT EXISTS (
      SELECT 1 FROM carriers
       WHERE firm_id = $1 AND name_key = $2
         AND (phone IS NOT NULL OR $4 IS NULL)
         AND (email IS NOT NULL OR $5 IS NULL)
         AND (address IS NOT NULL OR $6 IS NULL))
   ON CONFLICT (firm_id, name_key) DO UPDATE
     SET phone = coalesce(held.phone, excluded.phone),
         email = coalesce(held.email, excluded.email),
         address = coalesce(held.address, excluded.address)`;

const COLUMNS = '$2, $3, $4::text, $5::text, $6::json';
const MERGE = sql('carriers_merge', mergeFrom(`$1::uuid, ${COLUMNS} WHERE`));
/** Citus sends this to the shard of the firm, but would run the rows of MERGE through the coordinator. */
const MERGE_ON_SHARD = sql(
  'carriers_merge_on_shard',
  mergeFrom(`f.firm_id, ${COLUMNS} FROM firm_feeds f WHERE f.firm_id = $1 AND`),
);

export function pgCarriers(session: TxSession, encryption: Encryption): Carriers {
  return {
    async merge(firmId, sent) {
      const nameKey = carrierNameKey(sent.name);
      const seal = await encryption.sealer(PERSONAL.carriers, firmId, nameKey);
      session.send(session.onCitus ? MERGE_ON_SHARD : MERGE, [
        firmId,
        nameKey,
        sent.name,
        seal('phone', sent.phone ?? null),
        seal('email', sent.email ?? null),
        seal('address', sent.address === undefined ? null : JSON.stringify(sent.address)),
      ]);
    },
  };
}
