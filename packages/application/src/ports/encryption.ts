/** Encryption of personal data at rest. */
export interface DataEncryption {
  status(): Promise<EncryptionStatus>;
  /** Encrypts each data key with the current wrapping key. @returns how many were changed. */
  rewrap(onProgress: (keys: number) => void): Promise<number>;
  /** Encrypts rows that were written before encryption was on. @returns how many. */
  encryptExisting(onProgress: (rows: number) => void): Promise<number>;
}

export interface EncryptionStatus {
  /** The id of the key that encrypts data keys; null: encryption is off. */
  readonly wrappingKeyId: string | null;
  /** How many data keys each wrapping key has encrypted. */
  readonly dataKeys: readonly { readonly wrappingKeyId: string; readonly count: number }[];
  /** Rows with personal data in plain text, by table. */
  readonly plainRows: Readonly<Record<string, number>>;
  /** The database accepts only encrypted values in place of personal data, as it does once all rows are encrypted. */
  readonly rejectsPlainText: boolean;
}
