import { createSecretKey, hash, type KeyObject } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.ts';

/** Where the keys come from that encrypt the data keys. */
export interface WrappingKeySource {
  /** The environment variable, for messages. */
  readonly variable: string;
  /** The first key encrypts; all of them decrypt. Called again when a data key needs a key that was not among them. */
  read(): readonly Uint8Array[];
}

/** The service cannot decrypt, or encrypt, with the keys it was given. The message names the variable, never a key. */
export class EncryptionKeyError extends Error {
  override readonly name = 'EncryptionKeyError';
}

export const DATA_KEY_BYTES = 32;

interface WrappingKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Identifies a random key of 256 bits without disclosing it. */
const idOf = (key: Uint8Array): string => hash('sha256', key).slice(0, 16);

export interface WrappedKey {
  readonly firmId: string;
  readonly id: number;
  readonly wrapped: Buffer;
  readonly wrappingKeyId: string;
}

const associatedDataOf = (firmId: string, id: number): string => `data_keys/${firmId}/${id}`;

/** Encrypts and decrypts data keys. */
export class WrappingKeys {
  #keys: readonly WrappingKey[];

  constructor(private readonly source: WrappingKeySource) {
    this.#keys = this.#read();
  }

  get variable(): string {
    return this.source.variable;
  }

  /** The id of the key that encrypts. */
  get currentId(): string {
    return this.#current().id;
  }

  wrap(dataKey: Uint8Array, firmId: string, id: number): WrappedKey {
    const { key, id: wrappingKeyId } = this.#current();
    return { firmId, id, wrapped: encrypt(key, associatedDataOf(firmId, id), dataKey), wrappingKeyId };
  }

  unwrap({ firmId, id, wrapped, wrappingKeyId }: WrappedKey): Buffer {
    return decrypt(this.#find(wrappingKeyId), associatedDataOf(firmId, id), wrapped);
  }

  /** Whether data keys encrypted with this key can be decrypted. */
  has(wrappingKeyId: string): boolean {
    if (this.#keys.every(({ id }) => id !== wrappingKeyId)) this.#keys = this.#read();
    return this.#keys.some(({ id }) => id === wrappingKeyId);
  }

  #find(wrappingKeyId: string): KeyObject {
    const found = this.has(wrappingKeyId) ? this.#keys.find(({ id }) => id === wrappingKeyId) : undefined;
    if (found === undefined)
      throw new EncryptionKeyError(
        `A data key is encrypted with the key ${wrappingKeyId}, which is not in ${this.variable}.`,
      );
    return found.key;
  }

  #current(): WrappingKey {
    const [first] = this.#keys;
    if (first === undefined) throw new EncryptionKeyError(`${this.variable} holds no key.`);
    return first;
  }

  #read(): WrappingKey[] {
    return this.source.read().map((key) => ({ id: idOf(key), key: createSecretKey(key) }));
  }
}
