import {
  type Adjuster,
  type Attempts,
  type Availability,
  type CarrierDetails,
  type Claim,
  type ClaimAccess,
  type ClaimId,
  type DeadlineKind,
  type DeadlineOverride,
  type DevicePreferences,
  DomainError,
  type Environment,
  type FirmId,
  type Instant,
  type KeyId,
  type LimitOverrides,
  type Membership,
  type Plan,
  type Purpose,
  type Svcid,
} from '@svc/domain';
import type { AuditTrail } from './audit.ts';
import type { Outbox } from './jobs.ts';
import type { PushSubscription } from './notifications.ts';
import type { Passkeys, UsedChallenges } from './passkeys.ts';

/**
 * Runs one transaction: commits when `work` returns, rolls back when it throws.
 *
 * After a conflict with a concurrent transaction (unique key, deadlock) `work` runs again, so it must have no side
 * effects outside of `tx`.
 */
export interface UnitOfWork {
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** The stores within one transaction. Writes may be deferred until its next read or its end. */
export interface Tx {
  readonly claims: Claims;
  readonly carriers: Carriers;
  readonly adjusters: Adjusters;
  readonly memberships: Memberships;
  readonly firms: Firms;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly signInCodes: SignInCodes;
  readonly signInAttempts: SignInAttempts;
  readonly emailChanges: EmailChanges;
  readonly passkeys: Passkeys;
  readonly usedChallenges: UsedChallenges;
  readonly devices: Devices;
  readonly deadlines: Deadlines;
  readonly feeds: Feeds;
  readonly outbox: Outbox;
  readonly audit: AuditTrail;
}

export interface Claims {
  /** Locks the claim until the transaction ends. */
  lock(firmId: FirmId, id: ClaimId): Promise<Claim | null>;
  /**
   * Locks a claim of any firm, after a shared lock on the adjuster's membership in that firm: the lock order of
   * operations that end a membership or its permission. Null unless the latest offer is to this adjuster.
   */
  lockOfferedTo(svcId: Svcid, id: ClaimId): Promise<OfferedClaim | null>;
  /** Locks a claim of any firm, for the operator. */
  lockAny(id: ClaimId): Promise<Claim | null>;
  /** Locks the claims with a pending offer to this adjuster. */
  lockPendingOf(firmId: FirmId, svcId: Svcid): Promise<Claim[]>;
  /**
   * Saves a change the firm can see. `updatedAt` becomes the later of the clock and the firm's last change timestamp
   * plus 1 ms, under the firm's feed lock, so timestamps of a firm are unique and become visible in order. Call it
   * last: the lock is held until the commit.
   */
  save(claim: Claim): Promise<Claim>;
  /** Saves a change the firm cannot see (the adjuster's work, closing); `updatedAt` is unchanged. */
  saveWithoutTimestamp(claim: Claim): Promise<void>;
}

export interface OfferedClaim {
  readonly claim: Claim;
  readonly membership: ClaimAccess;
  readonly forms: FormDetails;
}

/** What the adjuster's forms need besides the claim: its firm and the firm's carrier book entry. */
export interface FormDetails {
  readonly firm: { readonly id: FirmId; readonly name: string };
  /** How long the firm waits for the answer to an offer; null: it has not said. */
  readonly offerWaitHours: number | null;
  /** Null when the book has no such carrier. */
  readonly bookCarrier: CarrierDetails | null;
}

/** The firm's carrier book. */
export interface Carriers {
  /** The entry under this name; concurrent merges into it wait. Null: none. */
  lock(firmId: FirmId, name: string): Promise<CarrierDetails | null>;
  /** Replaces the details of an entry that is locked. */
  save(firmId: FirmId, carrier: CarrierDetails): Promise<void>;
  remove(firmId: FirmId, name: string): Promise<void>;
}

/** An address belongs to one account. */
export const emailTaken = (): DomainError =>
  new DomainError('email_taken', 'Another account uses this e-mail address.');

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
  /** Null: enabled. */
  setDisabled(svcId: Svcid, at: Instant | null): Promise<void>;
  signInSecretHash(svcId: Svcid): Promise<string | null>;
}

export interface Memberships {
  /** Locks the record, or the key of a missing one, until the transaction ends. */
  lock(firmId: FirmId, svcId: Svcid): Promise<Membership | null>;
  /** The firms that the adjuster is an active member of. */
  activeFirmsOf(svcId: Svcid): Promise<FirmId[]>;
  /** Adds or replaces the one record of this firm and adjuster. */
  save(membership: Membership): Promise<void>;
}

export interface Firm {
  readonly id: FirmId;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  /** How long the firm waits for the answer to an offer; null: it has not said. */
  readonly offerWaitHours: number | null;
  readonly createdAt: Instant;
  /** `started` until everything of it is deleted. Null: not erased. */
  readonly erasure: 'started' | 'finished' | null;
}

export interface Firms {
  add(firm: Firm): Promise<void>;
  lock(id: FirmId): Promise<Firm | null>;
  /** Without a lock. */
  planOf(id: FirmId): Promise<Plan | null>;
  /** Null: not under legal hold. */
  legalHoldSince(id: FirmId): Promise<Instant | null>;
  setLegalHold(id: FirmId, since: Instant | null): Promise<void>;
  save(firm: Firm): Promise<void>;
  /** Deletes its keys and memberships. In force everywhere within a second, with `save`. */
  endAccess(id: FirmId): Promise<void>;
  /** The number of firms; prevents others from adding one until the transaction ends. */
  count(): Promise<number>;
}

export interface ApiKey {
  readonly id: KeyId;
  readonly firmId: FirmId;
  readonly environment: Environment;
  readonly purpose: Purpose;
  readonly secretHash: string;
  readonly createdAt: Instant;
  /** Exclusive; null: does not expire. */
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** From its creation, for the key that replaces it: rolling shortens `expiresAt`. Null: without end. */
  readonly lifetimeMs: number | null;
  /** Written in batches, up to a minute late. */
  readonly lastUsedAt: Instant | null;
}

export interface Keys {
  add(key: ApiKey): Promise<void>;
  lock(id: KeyId): Promise<ApiKey | null>;
  save(key: ApiKey): Promise<void>;
}

/** How a session was opened. A session that added a passkey counts as opened with it. */
export type SessionMethod = 'code' | 'secret' | 'passkey' | 'operator';

export interface Session {
  /** Public, unlike the token. */
  readonly id: string;
  readonly tokenHash: string;
  readonly svcId: Svcid;
  /** As named by the client, or derived from its browser; null: unknown. */
  readonly deviceName: string | null;
  readonly createdAt: Instant;
  /** Written in batches, up to a minute late. */
  readonly lastUsedAt: Instant;
  /** 90 days after its last use, but not after `endsAt`. */
  readonly expiresAt: Instant;
  readonly endsAt: Instant;
  readonly method: SessionMethod;
}

export interface Sessions {
  add(session: Session): Promise<void>;
  /** Latest use first. */
  of(svcId: Svcid): Promise<Session[]>;
  setMethod(tokenHash: string, method: SessionMethod): Promise<void>;
  /** Ends the session and removes the devices that were registered in it. */
  remove(session: Pick<Session, 'svcId' | 'tokenHash'>): Promise<void>;
  /** Ends all sessions of the account and removes all its devices. @returns how many sessions there were. */
  removeAllOf(svcId: Svcid): Promise<number>;
}

export interface SignInCode {
  /** A hash of the email address, which may also bind the code to one client. */
  readonly slot: string;
  readonly codeHash: string;
  readonly expiresAt: Instant;
  /** Derives the same code again. */
  readonly seed: string;
}

/** A new email address that does not count before its code is confirmed. */
export interface EmailChange {
  readonly svcId: Svcid;
  readonly email: string;
  readonly codeHash: string;
  readonly expiresAt: Instant;
  readonly triesLeft: number;
}

export interface EmailChanges {
  /** Replaces an earlier change of the same account. */
  put(change: EmailChange): Promise<void>;
  lock(svcId: Svcid): Promise<EmailChange | null>;
  remove(svcId: Svcid): Promise<void>;
}

/** Sign-in attempts, counted across all processes. */
export interface CountedAttempts extends Attempts {
  readonly subject: string;
}

export interface SignInAttempts {
  /** Does not wait for locks. */
  find(subjects: readonly string[]): Promise<(Attempts | null)[]>;
  /** Locks the counters, or the keys of missing ones, until the transaction ends. */
  lock(subjects: readonly string[]): Promise<(Attempts | null)[]>;
  /** The caller has locked the subjects. */
  put(counted: readonly CountedAttempts[]): Promise<void>;
}

export interface SignInCodes {
  /** Replaces an earlier code of the same slot. */
  put(code: SignInCode): Promise<void>;
  lock(slot: string): Promise<SignInCode | null>;
  remove(slot: string): Promise<void>;
}

/** What a registered device wants, and when its next reminder of deadlines is queued; null: none is. */
export interface DeviceState {
  readonly preferences: DevicePreferences | null;
  readonly reminderAt: Instant | null;
}

/** Deadlines of single events that differ from the general ones. */
export interface Deadlines {
  lock(event: string, kind: DeadlineKind): Promise<DeadlineOverride | null>;
  put(override: DeadlineOverride): Promise<void>;
  remove(event: string, kind: DeadlineKind): Promise<void>;
}

/** After the database was restored to `since`: changes from then on are lost, and claims get new timestamps. */
export interface FeedRestamp {
  readonly since: Instant;
  /** New timestamps are later than this and than all earlier ones. */
  readonly startedAt: Instant;
  /** Null: interrupted, or still running. */
  readonly finishedAt: Instant | null;
}

/** The change feeds of all firms. */
export interface Feeds {
  /** The latest timestamp of any firm; null when there is none. */
  lastTimestamp(): Promise<Instant | null>;
  /** By `startedAt`, latest first; prevents others from adding one until the transaction ends. */
  lockRestamps(): Promise<FeedRestamp[]>;
  /** Adds it, or replaces the one with its `since`. */
  saveRestamp(restamp: FeedRestamp): Promise<void>;
  /**
   * Gives claims of the firm new timestamps at the end of its feed, in their present order: those that changed since
   * `since`, and those that are not final, unless their timestamp is after `startedAt`.
   *
   * @returns how many; at most `limit`.
   */
  restamp(firmId: FirmId, restamp: FeedRestamp, limit: number): Promise<number>;
}

export interface Device {
  readonly svcId: Svcid;
  readonly deviceId: string;
  /** Token hash of the session that registered it: without this session it gets no notifications. */
  readonly sessionHash: string;
  readonly subscription: PushSubscription;
  readonly registeredAt: Instant;
}

export interface Devices {
  /** Adds or replaces a device, and removes any other one, of any account, with the same push endpoint. */
  put(device: Device): Promise<void>;
  /** Removes all but the devices registered last. */
  keepLatest(svcId: Svcid, count: number): Promise<void>;
  /** Locks a registered device until the transaction ends. */
  lock(svcId: Svcid, deviceId: string): Promise<DeviceState | null>;
  /** The caller has locked the device. */
  saveState(svcId: Svcid, deviceId: string, state: DeviceState): Promise<void>;
  remove(svcId: Svcid, deviceId: string): Promise<void>;
}
