import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { Unavailable } from '@svc/application';
import type { FirmId } from '@svc/domain';
import type { Database } from '../driver/database.ts';
import { type Executor, sql } from '../driver/executor.ts';
import type { DataKey, FirmKeys, KeyStore } from './encryption.ts';
import { DATA_KEY_BYTES, EncryptionKeyError, type WrappedKey, type WrappingKeys } from './wrapping-keys.ts';

interface KeyRow {
  readonly firm_id: FirmId;
  readonly id: number;
  readonly wrapped_key: Buffer;
  readonly wrapping_key_id: string;
}

const COLUMNS = 'firm_id, id, wrapped_key, wrapping_key_id';
const OF_FIRM = sql('data_keys_of_firm', `SELECT ${COLUMNS} FROM data_keys WHERE firm_id = $1 ORDER BY id`);
/** Another process may add the firm's first key at the same time: one of them is kept. */
const ADD = sql(
  'data_keys_add',
  `INSERT INTO data_keys (${COLUMNS}) VALUES ($1, $2, decode($3, 'hex'), $4) ON CONFLICT DO NOTHING`,
);
const COUNTS = sql(
  'data_keys_counts',
  'SELECT wrapping_key_id AS "wrappingKeyId", count(*)::integer AS count FROM data_keys GROUP BY 1 ORDER BY 1',
);
const WRAPPED_BY_OTHERS = sql(
  'data_keys_wrapped_by_others',
  `SELECT ${COLUMNS} FROM data_keys WHERE wrapping_key_id <> $1 ORDER BY firm_id, id LIMIT $2`,
);
const REWRAP = sql(
  'data_keys_rewrap',
  `UPDATE data_keys SET wrapped_key = decode($3, 'hex'), wrapping_key_id = $4
    WHERE firm_id = $1 AND id = $2 AND wrapping_key_id = $5 RETURNING 1`,
);

/** How long a key is used before it is read again, since erasing a firm destroys its keys. */
const CACHE_MS = 60_000;
/** From this age on, a key is read again in the background, so that requests of busy firms never wait. */
const REFRESH_MS = 30_000;
const REWRAP_BATCH = 100;

interface Entry {
  readonly keys: FirmKeys;
  readonly loadedAtMs: number;
}

const wrappedFrom = (row: KeyRow): WrappedKey => ({
  firmId: row.firm_id,
  id: row.id,
  wrapped: row.wrapped_key,
  wrappingKeyId: row.wrapping_key_id,
});

export const wrappingKeyCounts = (executor: Executor) =>
  executor.rows<{ readonly wrappingKeyId: string; readonly count: number }>(COUNTS);

/**
 * Checks that every data key of this database can be decrypted.
 *
 * @throws EncryptionKeyError when one of them is missing here.
 */
export async function checkWrappingKeys(executor: Executor, keys: WrappingKeys | null): Promise<void> {
  const counts = await wrappingKeyCounts(executor);
  const missing = counts
    .map(({ wrappingKeyId }) => wrappingKeyId)
    .filter((id) => keys === null || !keys.has(id));
  if (missing.length === 0) return;
  const used = missing.join(', ');
  throw new EncryptionKeyError(
    keys === null
      ? `ENCRYPTION_KEY and ENCRYPTION_KEY_FILE are unset, but personal data in the database is encrypted; set the key with the id ${used}.`
      : `${keys.variable} does not hold the key with the id ${used}, with which data in the database is encrypted; it holds ${keys.currentId} first. Add the missing key after it.`,
  );
}

/** The data keys of firms, decrypted and cached. A firm gets its key when its first row is written. */
export class DataKeys implements KeyStore {
  readonly #entries = new Map<FirmId, Entry>();
  readonly #loading = new Map<string, Promise<FirmKeys>>();
  readonly #sweeper = setInterval(() => this.#sweep(), CACHE_MS).unref();

  constructor(
    private readonly reserved: Database['reserved'],
    private readonly wrappingKeys: WrappingKeys,
  ) {}

  keysFor(firmId: FirmId, use: 'encrypt' | 'decrypt'): FirmKeys | Promise<FirmKeys> {
    const entry = this.#entries.get(firmId);
    const ageMs = entry === undefined ? CACHE_MS : Date.now() - entry.loadedAtMs;
    if (entry === undefined || ageMs >= CACHE_MS) return this.#load(firmId, use);
    if (ageMs >= REFRESH_MS) this.#load(firmId, 'decrypt').catch(() => {});
    return entry.keys;
  }

  /** Encrypts every data key with the first wrapping key. @returns how many it changed. */
  async rewrap(onProgress: (keys: number) => void): Promise<number> {
    const { currentId } = this.wrappingKeys;
    for (let total = 0; ; ) {
      const rows = await this.reserved.reads.rows<KeyRow>(WRAPPED_BY_OTHERS, [currentId, REWRAP_BATCH]);
      if (rows.length === 0) return total;
      for (const row of rows) {
        const plain = this.wrappingKeys.unwrap(wrappedFrom(row));
        const { wrapped, wrappingKeyId } = this.wrappingKeys.wrap(plain, row.firm_id, row.id);
        const values = [row.firm_id, row.id, wrapped.toString('hex'), wrappingKeyId, row.wrapping_key_id];
        total += (await this.reserved.writes.rows(REWRAP, values)).length;
      }
      onProgress(total);
    }
  }

  close(): void {
    clearInterval(this.#sweeper);
    this.#entries.clear();
  }

  /** Concurrent requests of one firm share one statement. */
  #load(firmId: FirmId, use: 'encrypt' | 'decrypt'): Promise<FirmKeys> {
    const name = `${use} ${firmId}`;
    const running = this.#loading.get(name);
    if (running !== undefined) return running;
    const loading = this.#read(firmId, use).finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }

  async #read(firmId: FirmId, use: 'encrypt' | 'decrypt'): Promise<FirmKeys> {
    let rows = await this.reserved.reads.rows<KeyRow>(OF_FIRM, [firmId]);
    if (rows.length === 0 && use === 'encrypt') {
      const first = this.wrappingKeys.wrap(randomBytes(DATA_KEY_BYTES), firmId, 1);
      await this.reserved.writes.rows(ADD, [firmId, 1, first.wrapped.toString('hex'), first.wrappingKeyId]);
      rows = await this.reserved.reads.rows<KeyRow>(OF_FIRM, [firmId]);
    }
    const keys = rows.map((row): DataKey => ({ id: row.id, key: this.#unwrap(row) }));
    const found: FirmKeys = {
      current: keys.at(-1) ?? null,
      byId: new Map(keys.map((key) => [key.id, key])),
    };
    if (found.current === null) this.#entries.delete(firmId);
    else this.#entries.set(firmId, { keys: found, loadedAtMs: Date.now() });
    return found;
  }

  #unwrap(row: KeyRow): KeyObject {
    try {
      return createSecretKey(this.wrappingKeys.unwrap(wrappedFrom(row)));
    } catch (error) {
      // Another process of a rolling restart may have the key, so a retry may succeed.
      throw error instanceof EncryptionKeyError ? new Unavailable(error.message) : error;
    }
  }

  #sweep(): void {
    const oldest = Date.now() - CACHE_MS;
    for (const [firmId, { loadedAtMs }] of this.#entries)
      if (loadedAtMs <= oldest) this.#entries.delete(firmId);
  }
}
