import type { AccountRef } from '../model/account.ts';
import type { Passkey } from '../model/passkey.ts';

export interface Passkeys {
  /** False if the credential is registered already, for any account. */
  add(passkey: Passkey): Promise<boolean>;
  /** Oldest first. */
  of(account: AccountRef): Promise<Passkey[]>;
  /** Oldest first. Locks them until the transaction ends. */
  lockOf(account: AccountRef): Promise<Passkey[]>;
  /** Locks the passkey until the transaction ends. */
  lockByCredential(credentialId: string): Promise<Passkey | null>;
  /** Saves name, counter and last use. */
  save(passkey: Passkey): Promise<void>;
  remove(account: AccountRef, id: string): Promise<void>;
  /** @returns how many there were. */
  removeAllOf(account: AccountRef): Promise<number>;
}
