import type {
  Adjuster,
  Attempts,
  CarrierDetails,
  Claim,
  ClaimId,
  Environment,
  FirmId,
  Instant,
  KeyId,
  LimitOverrides,
  Membership,
  Plan,
  Purpose,
  Svcid,
} from '@svc/domain';
import type { Outbox } from './jobs.ts';
import type { IdempotencySlot } from './single-flight.ts';

/**
 * Runs one transaction: what `work` throws rolls everything back, what it returns is committed.
 *
 * When a concurrent unit was faster (a unique key it took, a deadlock), `work` is run again on what that unit left
 * behind, so `work` must do nothing that cannot be repeated: no I/O beside `tx`.
 */
export interface UnitOfWork {
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** The stores as one transaction sees them. Writes may be held back until the unit's next read or its end. */
export interface Tx {
  readonly claims: Claims;
  readonly idempotency: IdempotencyRecords;
  readonly carriers: Carriers;
  readonly adjusters: Adjusters;
  readonly memberships: Memberships;
  readonly firms: Firms;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly signInCodes: SignInCodes;
  readonly signInAttempts: SignInAttempts;
  readonly devices: Devices;
  readonly outbox: Outbox;
}

export interface Claims {
  /** The claim that a new one would collide with: by external id first, then an open one by claim number. */
  findDuplicate(sought: {
    firmId: FirmId;
    environment: Environment;
    externalId: string;
    claimNumber: string;
  }): Promise<{ readonly id: ClaimId; readonly by: 'external_id' | 'claim_number' } | null>;
  /** Locks the claim's row until the unit ends. */
  lock(firmId: FirmId, id: ClaimId): Promise<Claim | null>;
  /** Locks a claim by id whichever firm sent it; null unless its latest offer is to this adjuster. */
  lockOfferedTo(svcId: Svcid, id: ClaimId): Promise<Claim | null>;
  /** Locks a claim by id, whichever firm sent it: for the operator. */
  lockAny(id: ClaimId): Promise<Claim | null>;
  /** Locks the claims whose offer to this adjuster waits for an answer. */
  lockPendingOf(firmId: FirmId, svcId: Svcid): Promise<Claim[]>;
  /**
   * Adds or saves a claim with a change the firm can see, and stamps it: `updatedAt` becomes the later of the
   * clock and the firm's last stamp plus a millisecond, under the firm's feed lock. Stamps of one firm are unique
   * and become visible in their order, so this comes last in a unit: the lock is held from here to the commit.
   * A claim's first stamp is its `createdAt` as well.
   */
  add(claim: Claim): Promise<Claim>;
  save(claim: Claim): Promise<Claim>;
  /** What the adjuster's forms print beside the claim: its firm, and what the firm's book holds of its carrier. */
  forForms(claim: Claim): Promise<FormDetails>;
  /** Saves a change the firm cannot see (the adjuster's work, closing): no stamp. */
  saveWithoutTimestamp(claim: Claim): Promise<void>;
}

export interface FormDetails {
  readonly firm: { readonly id: FirmId; readonly name: string };
  /** Null when the book has no such carrier. */
  readonly heldCarrier: CarrierDetails | null;
}

export interface IdempotencyRecords {
  /** What the key was used for within the window that ends at `now`. */
  find(
    slot: IdempotencySlot,
    now: Instant,
  ): Promise<{ readonly fingerprint: string; readonly claimId: ClaimId } | null>;
  /** Binds the key; a record older than the window gives way. A twin that bound it first makes the unit run again. */
  bind(slot: IdempotencySlot, fingerprint: string, claimId: ClaimId, now: Instant): Promise<void>;
}

/** The firm's carrier book. */
export interface Carriers {
  /** Merges what a claim sent into the book, by `mergeCarrier`; concurrent merges lose no detail. */
  merge(firmId: FirmId, sent: CarrierDetails): Promise<void>;
}

/** Accounts of the adjuster app. */
export interface Adjusters {
  find(svcId: Svcid): Promise<Adjuster | null>;
  lock(svcId: Svcid): Promise<Adjuster | null>;
  /** By e-mail address as `emailKey` compares it; test accounts sign in otherwise and are never found. */
  findByEmail(email: string): Promise<Adjuster | null>;
  /** `signInSecretHash`: test accounts only. False when the SVCID is taken. `email_taken` when the address is. */
  add(adjuster: Adjuster, signInSecretHash: string | null): Promise<boolean>;
  saveProfile(adjuster: Adjuster): Promise<void>;
  signInSecretHash(svcId: Svcid): Promise<string | null>;
}

export interface Memberships {
  /** Locks against being changed by others until the unit ends, but not against others who only look. */
  lockShared(firmId: FirmId, svcId: Svcid): Promise<Membership | null>;
  /** The same for the adjuster's record in the firm that sent the claim, whichever that is. */
  lockSharedOfSender(svcId: Svcid, claimId: ClaimId): Promise<Membership | null>;
  /** Locks the record, or the place where it would be, until the unit ends. */
  lock(firmId: FirmId, svcId: Svcid): Promise<Membership | null>;
  /** Adds or replaces the one record of this firm and adjuster. */
  save(membership: Membership): Promise<void>;
}

export interface Firm {
  readonly id: FirmId;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  readonly createdAt: Instant;
}

export interface Firms {
  add(firm: Firm): Promise<void>;
  lock(id: FirmId): Promise<Firm | null>;
  save(firm: Firm): Promise<void>;
  /** How many there are; nobody else adds one until the unit ends. */
  count(): Promise<number>;
}

export interface ApiKey {
  readonly id: KeyId;
  readonly firmId: FirmId;
  readonly environment: Environment;
  readonly purpose: Purpose;
  readonly secretHash: string;
  readonly createdAt: Instant;
  /** Exclusive end of the key's life; null: none. */
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** Written in batches, so up to a minute late. */
  readonly lastUsedAt: Instant | null;
}

export interface Keys {
  add(key: ApiKey): Promise<void>;
  lock(id: KeyId): Promise<ApiKey | null>;
  save(key: ApiKey): Promise<void>;
}

export interface Session {
  readonly tokenHash: string;
  readonly svcId: Svcid;
  readonly expiresAt: Instant;
}

export interface Sessions {
  add(session: Session): Promise<void>;
  remove(tokenHash: string): Promise<void>;
  removeAllOf(svcId: Svcid): Promise<void>;
}

export interface SignInCode {
  readonly emailKey: string;
  readonly codeHash: string;
  readonly expiresAt: Instant;
  /** What the code is made of, to mail the same one again; null for a code of an earlier release. */
  readonly seed: string | null;
}

/** Counts attempts at signing in, for all processes. */
export interface SignInAttempts {
  /** Waits for nobody. */
  find(subjects: readonly string[]): Promise<(Attempts | null)[]>;
  /** Locks what these subjects are counted by, or the places where it would be, until the unit ends. */
  lock(subjects: readonly string[]): Promise<(Attempts | null)[]>;
  /** The caller has locked the subject. */
  put(subject: string, attempts: Attempts): Promise<void>;
}

export interface SignInCodes {
  /** Replaces an earlier code of the same address. */
  put(code: SignInCode): Promise<void>;
  lock(emailKey: string): Promise<SignInCode | null>;
  remove(emailKey: string): Promise<void>;
}

/** A browser's or phone's address for push messages (W3C PushSubscription). */
export interface PushSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

export interface Devices {
  put(svcId: Svcid, deviceId: string, subscription: PushSubscription): Promise<void>;
  remove(svcId: Svcid, deviceId: string): Promise<void>;
  removeAllOf(svcId: Svcid): Promise<void>;
}
