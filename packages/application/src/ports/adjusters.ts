import type { Adjuster, AdjusterCredentials, Availability, Instant, Svcid } from '@svc/domain';

/** Accounts of the adjuster app. */
export interface Adjusters {
  find(svcId: Svcid): Promise<Adjuster | null>;
  lock(svcId: Svcid): Promise<Adjuster | null>;
  /** By email address, compared with `emailKey`; never finds test accounts, which sign in with a secret. */
  findByEmail(email: string): Promise<Adjuster | null>;
  /** `signInSecretHash`: test accounts only. False when the SVCID exists; throws `email_taken` when the email does. */
  add(adjuster: Adjuster, signInSecretHash: string | null): Promise<boolean>;
  saveProfile(adjuster: Adjuster): Promise<void>;
  /** The account has entered a code that was sent to its address. */
  confirmEmail(svcId: Svcid): Promise<void>;
  saveAvailability(svcId: Svcid, availability: Availability): Promise<void>;
  saveCredentials(svcId: Svcid, credentials: AdjusterCredentials): Promise<void>;
  /** Null: enabled. */
  setDisabled(svcId: Svcid, at: Instant | null): Promise<void>;
  signInSecretHash(svcId: Svcid): Promise<string | null>;
}
