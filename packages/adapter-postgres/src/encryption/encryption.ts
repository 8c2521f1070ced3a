import { createHmac, type KeyObject } from 'node:crypto';
import { Unavailable } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { DatabaseError } from '../driver/errors.ts';
import { decrypt, encrypt } from './aes-gcm.ts';
import { type PersonalField, type PersonalTable, SERVICE } from './personal-columns.ts';

/**
 * A stored value: `enc:`, the id of the data key, `:`, and nonce, ciphertext and tag in base64. Plain text that starts
 * like one is stored behind the key id 0, which no key has.
 */
const PREFIX = 'enc:';
const HEADER = /^enc:(\d{1,9}):/;
export const PLAIN = `${PREFIX}0:`;
/** A stored value that is encrypted, for regular expressions of JavaScript and SQL; in JSON, after a quotation mark. */
export const ENCRYPTED = 'enc:[1-9][0-9]{0,8}:';

export interface DataKey {
  readonly id: number;
  readonly key: KeyObject;
}

/** The data keys of one firm. */
export interface FirmKeys {
  /** Encrypts; null where encryption is off. */
  readonly current: DataKey | null;
  readonly byId: ReadonlyMap<number, DataKey>;
}

export interface KeyStore {
  /** To encrypt, the current key is null only where encryption is off. */
  keysFor(firmId: FirmId, use: 'encrypt' | 'decrypt'): FirmKeys | Promise<FirmKeys>;
}

/** Encrypts a value of one row; null stays null. */
export type Encrypt = <V extends string | null>(column: string, value: V) => V;

const quoted = (text: string): string => `"${text}"`;
const isEncrypted = (value: unknown, type: PersonalField['type']): value is string =>
  typeof value === 'string' &&
  (type === 'json' ? value.charCodeAt(0) === 0x22 && value.startsWith(PREFIX, 1) : value.startsWith(PREFIX));

/** Bound to each ciphertext, so that none can be moved to another row, column or firm. */
const associatedDataOf = (table: string, column: string, firmId: string, rowKey: string): string =>
  `${table}.${column}/${firmId}/${rowKey}`;

/** For messages: the key of a row may be a hash of a token. */
const columnOf = (associatedData: string): string => associatedData.slice(0, associatedData.indexOf('/'));

const NO_KEYS: FirmKeys = { current: null, byId: new Map() };
const OFF: KeyStore = { keysFor: () => NO_KEYS };

/** Encrypts and decrypts the personal columns of rows with the data key of their firm. */
export class Encryption {
  constructor(private readonly keys: KeyStore = OFF) {}

  /** For one row that is about to be written. */
  encryptor(table: PersonalTable, firmId: FirmId, rowKey: string): Encrypt | Promise<Encrypt> {
    const keys = this.keys.keysFor(firmId, 'encrypt');
    const encryptWith =
      ({ current }: FirmKeys): Encrypt =>
      (column, value) => {
        if (value === null) return value;
        if (current === null) return (value.startsWith(PREFIX) ? PLAIN + value : value) as typeof value;
        const encrypted = encryptValue(current, associatedDataOf(table.name, column, firmId, rowKey), value);
        return (table.columns[column] === 'json' ? quoted(encrypted) : encrypted) as typeof value;
      };
    return keys instanceof Promise ? keys.then(encryptWith) : encryptWith(keys);
  }

  /**
   * What a row may be stored under that is found by this text: first what is written now, a hash with the
   * service's data key where encryption is on; then what was written before it was.
   */
  async lookupKeys({ name, lookup }: PersonalTable, text: string): Promise<readonly [string, ...string[]]> {
    const compared = lookup?.compared?.(text) ?? text;
    const { current } = await this.keys.keysFor(SERVICE, 'encrypt');
    if (current === null) return [compared];
    const associatedData = `lookup/${name}.${lookup?.column}`;
    return [
      createHmac('sha256', current.key)
        .update(JSON.stringify([associatedData, compared]))
        .digest('hex'),
      compared,
    ];
  }

  /** Decrypts the fields of these rows in place. */
  decrypt<R extends object>(
    rows: R[],
    fields: readonly PersonalField[],
    rowOf: (row: R) => { readonly firmId: FirmId; readonly key: string },
  ): R[] | Promise<R[]> {
    const hasEncrypted = rows.some((row) =>
      fields.some(({ property, type }) => isEncrypted((row as Record<string, unknown>)[property], type)),
    );
    return hasEncrypted ? this.#decrypt(rows, fields, rowOf) : rows;
  }

  async #decrypt<R extends object>(
    rows: R[],
    fields: readonly PersonalField[],
    rowOf: (row: R) => { readonly firmId: FirmId; readonly key: string },
  ): Promise<R[]> {
    const firms = new Map<FirmId, FirmKeys>();
    for (const row of rows) {
      const { firmId } = rowOf(row);
      if (!firms.has(firmId)) firms.set(firmId, await this.keys.keysFor(firmId, 'decrypt'));
    }
    for (const row of rows) {
      const { firmId, key } = rowOf(row);
      const values = row as Record<string, unknown>;
      for (const { property, table, column, type } of fields) {
        const value = values[property];
        if (!isEncrypted(value, type)) continue;
        const text = type === 'json' ? value.slice(1, -1) : value;
        values[property] = openValue(
          firms.get(firmId) ?? NO_KEYS,
          associatedDataOf(table, column, firmId, key),
          text,
        );
      }
    }
    return rows;
  }
}

export const NO_ENCRYPTION = new Encryption();

const encryptValue = (key: DataKey, associatedData: string, plain: string): string =>
  `${PREFIX}${key.id}:${encrypt(key.key, associatedData, plain).toString('base64')}`;

function openValue(keys: FirmKeys, associatedData: string, stored: string): string {
  const [header, id] = HEADER.exec(stored) ?? [];
  if (header === undefined) return stored; // written before encryption was on
  if (header === PLAIN) return stored.slice(PLAIN.length);
  const dataKey = keys.byId.get(Number(id));
  // Another process of a rolling restart may have the key, so a retry may succeed.
  if (dataKey === undefined)
    throw new Unavailable(
      `The data key ${id} of ${columnOf(associatedData)} does not exist: its firm is being erased, or the service has no key for it.`,
    );
  try {
    return decrypt(dataKey.key, associatedData, Buffer.from(stored.slice(header.length), 'base64')).toString(
      'utf8',
    );
  } catch {
    throw new DatabaseError(
      `An encrypted value of ${columnOf(associatedData)} was changed, or belongs to another row.`,
    );
  }
}
