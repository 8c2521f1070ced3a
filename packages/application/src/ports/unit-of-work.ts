import type {
  Adjuster,
  AdjusterCredentials,
  Attempts,
  Availability,
  CarrierDetails,
  DeadlineKind,
  DeadlineOverride,
  FirmId,
  Instant,
  KeyId,
  Membership,
  StaffMember,
  StaffRef,
  Svcid,
} from '@svc/domain';
import type { AccountRef } from '../model/account.ts';
import type { ApiKey } from '../model/api-key.ts';
import type { AuditEvent } from '../model/audit.ts';
import type { Device, DeviceState } from '../model/device.ts';
import type { Firm } from '../model/firm.ts';
import type { Job } from '../model/job.ts';
import type { Passkey } from '../model/passkey.ts';
import type { Session, SessionMethod } from '../model/session.ts';
import type { CountedAttempts, EmailChange, SignInCode, SignInTicket } from '../model/sign-in.ts';
import type { Claims } from './claims.ts';
import type { Feeds } from './feeds.ts';
import type { Imports } from './imports.ts';
import type { StaffReads } from './staff-reads.ts';
import type { Webhooks } from './webhooks.ts';

/**
 * Runs one transaction: commits when `work` returns, rolls back when it throws. After a conflict with another one (unique
 * key, deadlock) `work` runs again, so it must have no side effects outside of `tx`.
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
  readonly staff: Staff;
  readonly firms: Firms;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly signInCodes: SignInCodes;
  readonly signInTickets: SignInTickets;
  readonly signInAttempts: SignInAttempts;
  readonly emailChanges: EmailChanges;
  readonly passkeys: Passkeys;
  readonly usedChallenges: UsedChallenges;
  readonly devices: Devices;
  readonly deadlines: Deadlines;
  readonly feeds: Feeds;
  readonly webhooks: Webhooks;
  readonly imports: Imports;
  readonly outbox: Outbox;
  readonly audit: AuditTrail;
}

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

export interface Memberships {
  /** Locks the record, or the key of a missing one, until the transaction ends. */
  lock(firmId: FirmId, svcId: Svcid): Promise<Membership | null>;
  /** The firms that the adjuster is an active member of. */
  activeFirmsOf(svcId: Svcid): Promise<FirmId[]>;
  /** Adds or replaces the one record of this firm and adjuster. */
  save(membership: Membership): Promise<void>;
}

/** The people of firms. */
export interface Staff extends Omit<StaffReads, 'firmsOf'> {
  /** Locks the member until the transaction ends. */
  lock(of: StaffRef): Promise<StaffMember | null>;
  /** In every firm, by address compared with `emailKey`. By when they joined, then by invitation. */
  findByEmail(email: string): Promise<StaffMember[]>;
  /** False when the firm has a member with this email address. */
  add(member: StaffMember): Promise<boolean>;
  /** Saves name, role, when the member joined, and when the next mail is due. */
  save(member: StaffMember): Promise<void>;
  remove(of: StaffRef): Promise<void>;
}

export interface Firms {
  add(firm: Firm): Promise<void>;
  lock(id: FirmId): Promise<Firm | null>;
  /** Without a lock. */
  find(id: FirmId): Promise<Firm | null>;
  /** Null: not under legal hold. */
  legalHoldSince(id: FirmId): Promise<Instant | null>;
  setLegalHold(id: FirmId, since: Instant | null): Promise<void>;
  save(firm: Firm): Promise<void>;
  /** Deletes its keys and memberships. In force everywhere within a second, with `save`. */
  endAccess(id: FirmId): Promise<void>;
  /** The number of firms; prevents others from adding one until the transaction ends. */
  count(): Promise<number>;
}

export interface Keys {
  add(key: ApiKey): Promise<void>;
  lock(id: KeyId): Promise<ApiKey | null>;
  /** The keys of the firm that work at this time, latest first. Without a lock. */
  working(firmId: FirmId, now: Instant): Promise<ApiKey[]>;
  save(key: ApiKey): Promise<void>;
}

/** The firm's carrier book. */
export interface Carriers {
  /** The entry under this name; concurrent merges into it wait. Null: none. */
  lock(firmId: FirmId, name: string): Promise<CarrierDetails | null>;
  /** Replaces the details of an entry that is locked. */
  save(firmId: FirmId, carrier: CarrierDetails): Promise<void>;
  remove(firmId: FirmId, name: string): Promise<void>;
}

export interface Sessions {
  add(session: Session): Promise<void>;
  /** Latest use first. */
  of(account: AccountRef): Promise<Session[]>;
  setMethod(tokenHash: string, method: SessionMethod): Promise<void>;
  /** Gives the session of a staff member to another of their accounts. False: it has ended. */
  move(tokenHash: string, to: StaffRef): Promise<boolean>;
  /** Ends the session and removes the devices that were registered in it. */
  remove(session: Pick<Session, 'account' | 'tokenHash'>): Promise<void>;
  /** Ends all sessions of the account and removes all its devices. @returns how many sessions there were. */
  removeAllOf(account: AccountRef): Promise<number>;
}

export interface SignInCodes {
  /** Replaces an earlier code of the same slot. */
  put(code: SignInCode): Promise<void>;
  lock(slot: string): Promise<SignInCode | null>;
  remove(slot: string): Promise<void>;
}

export interface SignInTickets {
  add(ticket: SignInTicket): Promise<void>;
  /** Removes it, so that it works once. Null: there is none. */
  take(slot: string): Promise<SignInTicket | null>;
}

export interface SignInAttempts {
  /** Does not wait for locks. */
  find(subjects: readonly string[]): Promise<(Attempts | null)[]>;
  /** Locks the counters, or the keys of missing ones, until the transaction ends. */
  lock(subjects: readonly string[]): Promise<(Attempts | null)[]>;
  /** The caller has locked the subjects. */
  put(counted: readonly CountedAttempts[]): Promise<void>;
}

export interface EmailChanges {
  /** Replaces an earlier change of the same account. */
  put(change: EmailChange): Promise<void>;
  lock(svcId: Svcid): Promise<EmailChange | null>;
  remove(svcId: Svcid): Promise<void>;
}

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

/** Challenges that were answered. They are signed, so only used ones are stored. */
export interface UsedChallenges {
  /** False if it was used before. Two concurrent uses: one is true. */
  use(challenge: string, expiresAt: Instant): Promise<boolean>;
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

/** Deadlines of single events that differ from the general ones. */
export interface Deadlines {
  lock(event: string, kind: DeadlineKind): Promise<DeadlineOverride | null>;
  put(override: DeadlineOverride): Promise<void>;
  remove(event: string, kind: DeadlineKind): Promise<void>;
}

export interface Outbox {
  /** @param runAt earliest time; default: immediately. */
  add(job: Job, runAt?: Instant): Promise<void>;
}

/** The trail within one transaction. */
export interface AuditTrail {
  /**
   * Written with the next change of a claim if all events are of its firm; otherwise as the last statements, in the order of
   * the chains, whose locks are held until the commit. A transaction that changes claims of several firms therefore records
   * after all changes; if it still deadlocks with one that takes the locks in order, one of them runs again.
   */
  record(event: AuditEvent): Promise<void>;
}
