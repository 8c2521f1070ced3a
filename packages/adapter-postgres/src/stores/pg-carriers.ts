import type { Carriers } from '@svc/application';
import { type CarrierDetails, carrierNameKey, type FirmId, mergeCarrier } from '@svc/domain';
import { arrayOf } from '../driver/column-types.ts';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import {
  BOOK_CARRIER_COLUMNS,
  type BookCarrierRow,
  bookCarrierFrom,
  decryptBookCarriers,
} from './carrier-rows.ts';

/**
 * The domain's `mergeCarrier` as one statement, so that concurrent merges lose nothing. Without new details it writes
 * nothing: otherwise all claims of a carrier would wait for the lock on its row.
 */
export const mergeRow = (row: string): string =>
  `INSERT INTO carriers AS book (firm_id, name_key, name, phone, email, address) ${row}
   ON CONFLICT (firm_id, name_key) DO UPDATE
     SET phone = coalesce(book.phone, excluded.phone),
         email = coalesce(book.email, excluded.email),
         address = coalesce(book.address, excluded.address)`;
export const hasDetails = (
  firm: string,
  key: string,
  phone: string,
  email: string,
  address: string,
): string =>
  `SELECT 1 FROM carriers
    WHERE firm_id = ${firm} AND name_key = ${key}
      AND (phone IS NOT NULL OR ${phone} IS NULL)
      AND (email IS NOT NULL OR ${email} IS NULL)
      AND (address IS NOT NULL OR ${address} IS NULL)`;

/**
 * In one order, so that two transactions cannot wait for each other. OFFSET prevents a join, which could read the whole
 * table, as in {@link rowByKey}.
 */
const MERGE_MANY = sql(
  'carriers_merge_many',
  mergeRow(`SELECT sent.firm_id, sent.name_key, sent.name, sent.phone, sent.email, sent.address::json
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       AS sent (firm_id, name_key, name, phone, email, address)
    WHERE NOT EXISTS (${hasDetails('sent.firm_id', 'sent.name_key', 'sent.phone', 'sent.email', 'sent.address')} OFFSET 0)
    ORDER BY sent.firm_id, sent.name_key`),
);

const LOCK = sql(
  'carriers_lock',
  `SELECT ${BOOK_CARRIER_COLUMNS} FROM carriers book WHERE book.firm_id = $1 AND book.name_key = $2 FOR UPDATE`,
);
const SAVE = sql(
  'carriers_save',
  'UPDATE carriers SET phone = $3, email = $4, address = $5 WHERE firm_id = $1 AND name_key = $2',
);
const REMOVE = sql('carriers_remove', 'DELETE FROM carriers WHERE firm_id = $1 AND name_key = $2');

export async function mergeMany(
  executor: TransactionExecutor,
  encryption: Encryption,
  sent: readonly { readonly firmId: FirmId; readonly carrier: CarrierDetails }[],
): Promise<void> {
  const entries = new Map<string, { firmId: FirmId; nameKey: string; carrier: CarrierDetails }>();
  for (const { firmId, carrier } of sent) {
    const nameKey = carrierNameKey(carrier.name);
    const key = `${firmId} ${nameKey}`;
    const { entry } = mergeCarrier(entries.get(key)?.carrier ?? null, carrier);
    entries.set(key, { firmId, nameKey, carrier: entry });
  }
  const rows = [...entries.values()];
  const details = await Promise.all(
    rows.map(({ firmId, nameKey, carrier }) => encryptedDetails(encryption, firmId, nameKey, carrier)),
  );
  executor.send(MERGE_MANY, [
    arrayOf(rows.map(({ firmId }) => firmId)),
    rows.map(({ nameKey }) => nameKey),
    rows.map(({ carrier }) => carrier.name),
    ...[0, 1, 2].map((n) => details.map((values) => values[n] ?? null)),
  ]);
}

/** Phone, email and address, as stored. */
export async function encryptedDetails(
  encryption: Encryption,
  firmId: FirmId,
  nameKey: string,
  { phone, email, address }: CarrierDetails,
): Promise<(string | null)[]> {
  const encrypt = await encryption.encryptor(PERSONAL.carriers, firmId, nameKey);
  return [
    encrypt('phone', phone ?? null),
    encrypt('email', email ?? null),
    encrypt('address', address === undefined ? null : JSON.stringify(address)),
  ];
}

export function pgCarriers(executor: TransactionExecutor, encryption: Encryption): Carriers {
  return {
    async lock(firmId, name) {
      const key = carrierNameKey(name);
      const found = await executor.rows<BookCarrierRow>(LOCK, [firmId, key]);
      const row = first(await decryptBookCarriers(encryption, found, () => firmId));
      return row === null ? null : bookCarrierFrom(row);
    },

    async save(firmId, carrier) {
      const key = carrierNameKey(carrier.name);
      executor.send(SAVE, [firmId, key, ...(await encryptedDetails(encryption, firmId, key, carrier))]);
    },

    async remove(firmId, name) {
      executor.send(REMOVE, [firmId, carrierNameKey(name)]);
    },
  };
}
