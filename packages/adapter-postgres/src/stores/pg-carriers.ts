import type { Carriers } from '@svc/application';
import { carrierNameKey } from '@svc/domain';
import { sql, type TxSession } from '../driver/session.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';

/**
 * The domain's `mergeCarrier` as one statement, so that concurrent merges lose nothing. Without new details it writes
 * nothing: otherwise all claims of a carrier would wait for the lock on its row.
 */
const mergeRow = (row: string): string =>
  `INSERT INTO carriers AS held (firm_id, name_key, name, phone, email, address) ${row}
   ON CONFLICT (firm_id, name_key) DO UPDATE
     SET phone = coalesce(held.phone, excluded.phone),
         email = coalesce(held.email, excluded.email),
         address = coalesce(held.address, excluded.address)`;
const hasDetails = (phone: string, email: string, address: string): string =>
  `SELECT 1 FROM carriers
    WHERE firm_id = $1 AND name_key = $2
      AND (phone IS NOT NULL OR ${phone} IS NULL)
      AND (email IS NOT NULL OR ${email} IS NULL)
      AND (address IS NOT NULL OR ${address} IS NULL)`;

const ROW = '$1::uuid, $2, $3, $4::text, $5::text, $6::json';
const MERGE = sql(
  'carriers_merge',
  mergeRow(`SELECT ${ROW} WHERE NOT EXISTS (${hasDetails('$4', '$5', '$6')})`),
);
/** Citus would run the row of MERGE through the coordinator, and plan it again on every execution. */
const HAS_DETAILS = sql('carriers_has_details', hasDetails('$3::text', '$4::text', '$5::json'));
const MERGE_ON_SHARD = sql('carriers_merge_on_shard', mergeRow(`VALUES (${ROW})`));

export function pgCarriers(session: TxSession, encryption: Encryption): Carriers {
  return {
    async merge(firmId, sent) {
      const nameKey = carrierNameKey(sent.name);
      const seal = await encryption.sealer(PERSONAL.carriers, firmId, nameKey);
      const details = [
        seal('phone', sent.phone ?? null),
        seal('email', sent.email ?? null),
        seal('address', sent.address === undefined ? null : JSON.stringify(sent.address)),
      ];
      if (session.onCitus && (await session.rows(HAS_DETAILS, [firmId, nameKey, ...details])).length > 0)
        return;
      session.send(session.onCitus ? MERGE_ON_SHARD : MERGE, [firmId, nameKey, sent.name, ...details]);
    },
  };
}
