/** A public key that verifies receipts (RFC 8037). */
export interface ReceiptKey {
  /** Its thumbprint (RFC 7638). */
  readonly kid: string;
  /** The 32 bytes of the key in base64url. */
  readonly x: string;
}

/** The public keys of all processes and times, so that receipts can be verified after the key is replaced. */
export interface ReceiptKeys {
  /** Adds a key; a known one stays. */
  add(key: ReceiptKey): Promise<void>;
  /** Oldest first. */
  all(): Promise<ReceiptKey[]>;
}

export interface ReceiptSigner {
  /** A JWS in compact form (RFC 7515) with this payload, as JSON. */
  sign(payload: object): Promise<string>;
  /** Includes the key that signs now. */
  publicKeys(): Promise<readonly ReceiptKey[]>;
}
